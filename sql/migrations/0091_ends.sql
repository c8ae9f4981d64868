-- What was said to be so no longer, whether or not it was believed by then: what was said before that and comes in later has ended, too.
create table if not exists ends (
  id integer primary key,
  user_id text not null check (user_id <> ''),
  key text not null check (key <> ''),
  turn_id text not null,
  said_at text not null check (said_at is strftime('%Y-%m-%dT%H:%M:%fZ', said_at)),
  source text not null,
  said text not null check (json_valid(said))
) strict;

create index if not exists ends_said on ends (user_id, said_at);
create index if not exists facts_archive_at on facts_archive (user_id, archived_at);
