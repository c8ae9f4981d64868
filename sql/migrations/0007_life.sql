-- Sessions that end well or are ended later, memory.md, how procedures went, likenesses, and a change of embedder.

-- A session that is open, and which process holds it: one whose process is gone was not ended, and is ended at the next.
create table open_sessions (
  user_id text not null check (user_id <> ''),
  session_id text not null,
  held_by text not null,
  opened_at text not null check (opened_at is strftime('%Y-%m-%dT%H:%M:%fZ', opened_at)),
  primary key (user_id, session_id)
) strict, without rowid;

-- memory.md as it was last written for a user, and which fact each line tells: what differs on disk was changed by hand. `found` is what stood
-- there before; a process that died between this row and the file left that.
create table pages (
  user_id text primary key check (user_id <> ''),
  name text not null unique,
  page text not null,
  found text not null,
  lines text not null check (json_type(lines) = 'array'),
  written_at text not null check (written_at is strftime('%Y-%m-%dT%H:%M:%fZ', written_at))
) strict, without rowid;

-- How a procedure went, one row a time.
create table outcomes (
  id integer primary key,
  fact_id text not null references facts (fact_id) on delete cascade,
  turn_id text not null,
  succeeded integer not null check (succeeded in (0, 1)),
  note text not null default '',
  happened_at text not null check (happened_at is strftime('%Y-%m-%dT%H:%M:%fZ', happened_at)),
  unique (fact_id, turn_id)
) strict;

-- Up to which row a user's memory was looked through for likenesses.
create table related (
  user_id text primary key check (user_id <> ''),
  up_to integer not null
) strict, without rowid;

-- The vectors of the embedder that is to come, gathered until they are whole; ids as in the outbox.
create table reindexed (
  id integer primary key,
  embedding blob not null
) strict;

-- A new row may get the number of one that was erased; it is looked through as well.
create trigger related_back after delete on facts begin
  update related set up_to = old.id - 1 where user_id = old.user_id and up_to = old.id;
end;

-- What changes while another embedder's vectors are gathered is to be embedded once more.
create trigger reindexed_insert after insert on outbox begin
  delete from reindexed where id = new.id;
end;

create trigger reindexed_update after update on outbox begin
  delete from reindexed where id = new.id;
end;

drop view procedure;

create view procedure as
select f.fact_id as id, f.user_id, f.value_json ->> 'title' as title, f.value_json ->> 'trigger' as "trigger",
       f.value_json -> 'steps' as steps, count(o.id) filter (where o.succeeded) as successes,
       count(o.id) filter (where not o.succeeded) as failures, avg(o.succeeded) as success_rate,
       f.confidence, f.status, f.updated_at
from facts f left join outcomes o on o.fact_id = f.fact_id
where f.kind = 'procedure'
group by f.id;

insert or ignore into weights (name, feature, value) values
  ('procedural', 'lexical', 1.0), ('procedural', 'cosine', 1.0), ('procedural', 'confidence', 0.5),
  ('procedural', 'k_lex', 60), ('procedural', 'k_vec', 60), ('procedural', 'bm25_body', 1.0);
