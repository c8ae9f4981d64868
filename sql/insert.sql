-- Storing many facts at once, with vectors that are ready.

-- statement: last
select coalesce(max(id), 0) as id from facts;

-- Where many facts stand before one statement stores them all. One statement each would take three times as long: SQLite begins a savepoint for
-- every statement that fires triggers, and at every savepoint FTS5 writes what it has gathered as a segment of its own.
-- statement: incoming
create temp table if not exists incoming (
  id integer primary key,
  fact_id,
  user_id,
  kind,
  key,
  value_text,
  value_json,
  category,
  memory_type,
  confidence,
  importance,
  source,
  event_time,
  valid_from,
  valid_to,
  source_turn_id,
  source_excerpt,
  session_id,
  tags,
  now
);

-- statement: clear
delete from incoming;

-- statement: stage
insert into incoming (
  fact_id, user_id, kind, key, value_text, value_json, category, memory_type, confidence, importance, source, event_time, valid_from, valid_to,
  source_turn_id, source_excerpt, session_id, tags, now
) values (
  :fact_id, :user_id, :kind, :key, :value_text, :value_json, :category, :memory_type, :confidence, :importance, :source, :event_time,
  :valid_from, :valid_to, :source_turn_id, :source_excerpt, :session_id, :tags, :now
);

-- The ids follow `:last` in the order in which the facts came, and one that is passed over leaves a gap: what is known already, if only
-- to the archive.
-- statement: facts
insert into facts (
  id, fact_id, user_id, kind, key, value_text, value_json, category, memory_type, confidence, importance, effective_importance, source, event_time,
  valid_from, valid_to, status, source_turn_id, source_excerpt, session_id, tags, embedding_id, created_at, updated_at, last_mentioned_at
)
select
  :last + i.id, i.fact_id, i.user_id, i.kind, i.key, i.value_text, i.value_json, i.category, i.memory_type, i.confidence, i.importance, i.importance,
  i.source, i.event_time, i.valid_from, i.valid_to, 'active', i.source_turn_id, i.source_excerpt, i.session_id, i.tags,
  iif(:ready, i.fact_id, null), i.now, i.now, i.now
from incoming i
where not exists (select 1 from facts_archive a where a.fact_id = i.fact_id)
order by i.id
on conflict (fact_id) do nothing;

-- A trigger that is not known here does what the statements below leave undone; where there is one, all are left to do their work.
-- statement: strange
select name
from sqlite_schema
where type = 'trigger' and tbl_name = 'facts' collate nocase
  and name not in ('facts_fts_insert', 'facts_fts_neighbours', 'facts_fts_update', 'facts_fts_neighbours_update',
                   'facts_fts_neighbours_delete', 'facts_fts_neighbours_move', 'facts_fts_delete', 'facts_fts_days',
                   'outbox_insert', 'outbox_update', 'outbox_delete', 'outbox_window_insert', 'outbox_window_update', 'outbox_window_delete',
                   'outbox_window_move',
                   'related_back', 'mirror_insert', 'mirror_update', 'mirror_delete', 'mirror_erased_put');

-- What the triggers of facts do for each new row that is no message, done for all of them at once: where triggers wait, SQLite copies every row
-- that comes from a select once more before it stores it.
-- statement: words
insert into facts_fts (rowid, body, reply, context, date)
select id, body, reply, context, date
from fact_words
where id > :last
order by id;

-- statement: waiting
insert into outbox (id, user_id)
select id, user_id
from facts
where id > :last
order by id
on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;

-- statement: mirrored
insert into mirror_outbox (fact_id)
select f.fact_id
from meta m
cross join facts f
where m.name = 'collection'
  and f.id > :last
  and +f.status in ('active', 'pending_confirmation')
order by f.id
on conflict (fact_id) do update set change = random(), attempts = 0, next_attempt_at = null, dead = 0, last_error = null;

-- statement: added
select id - :last as place from facts where id > :last order by id;

-- A row that is gone may have left its number, and its vector if that was not taken away yet.
-- statement: left_over
select id, user_id from outbox where id > :last;

-- What a process holds in memory of the users' vectors is no longer that of the file.
-- statement: changed
insert into vector_versions (user_id, version)
select value, random() from json_each(:users) where true
on conflict (user_id) do update set version = excluded.version;
