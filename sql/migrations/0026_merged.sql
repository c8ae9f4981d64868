-- What says the same is brought together by itself.

-- Up to which row what a user's memory holds twice was brought together.
create table merged (
  user_id text primary key check (user_id <> ''),
  up_to integer not null
) strict, without rowid;
