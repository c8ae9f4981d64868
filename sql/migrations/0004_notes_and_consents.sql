-- What was refused is told, and users may choose what is remembered of them.

-- What was not done with a turn as it was proposed, and why: what the gate refused, what of a model's answer did not hold good.
create table turn_notes (
  id integer primary key,
  user_id text not null,
  turn_id text not null,
  step text not null check (step in ('extract', 'gate', 'arbitrate')),
  key text,
  why text not null
) strict;

create index turn_notes_turn on turn_notes (user_id, turn_id);

-- What a user lets be remembered; null leaves it to the settings.
create table consents (
  user_id text primary key,
  sensitive_topics text check (sensitive_topics in ('keep', 'ask', 'refuse')),
  secrets text check (secrets in ('keep', 'refuse')),
  given_at text not null
) strict, without rowid;
