-- What the file holds against what it may hold, for whoever looks for damage: each row with what it is called by, and whose it is.

-- Texts that are to be JSON and are none. A table that has a rule for it keeps others out; what lies on a disk may change all the same.
-- statement: malformed
select 'facts' as "table", 'fact_id' as called, fact_id as name, user_id, 'value_json' as "column" from facts where value_json is not null and not json_valid(value_json)
union all
select 'facts', 'fact_id', fact_id, user_id, 'tags' from facts where not json_valid(tags)
union all
select 'fact_history', 'id', id, user_id, 'before' from fact_history where before is not null and not json_valid(before)
union all
select 'fact_history', 'id', id, user_id, 'after' from fact_history where after is not null and not json_valid(after)
union all
select 'facts_archive', 'fact_id', fact_id, user_id, 'record' from facts_archive where not json_valid(record)
union all
select 'ends', 'id', id, user_id, 'said' from ends where not json_valid(said)
union all
select 'events', 'event_id', event_id, user_id, 'participants' from events where not json_valid(participants)
union all
select 'profiles', 'user_id', user_id, user_id, 'profile' from profiles where not json_valid(profile)
union all
select 'pages', 'user_id', user_id, user_id, 'lines' from pages where not json_valid(lines)
union all
select 'collections', 'collection_id', collection_id, null, 'schema' from collections where not json_valid(schema)
union all
select 'collections', 'collection_id', collection_id, null, 'metadata' from collections where metadata is not null and not json_valid(metadata);

-- The columns of each of memdb's tables, whether they may hold texts, and which of them name a row, in their order: those of its shortest unique
-- index, or its key.
-- statement: columns
with named as materialized (
  select
    t.name as "table",
    (select i.name from pragma_index_list(t.name) i
     where i."unique" and not i.partial
     order by (select count(*) from pragma_index_info(i.name)), i.origin = 'pk' desc
     limit 1) as "index"
  from pragma_table_list t
  where t.schema = 'main' and t.type = 'table' and exists (select 1 from dictionary d where d.table_name = t.name)
)
select
  n."table", c.name as "column", c.type in ('TEXT', 'ANY') as is_text,
  iif(n."index" is null, c.pk, coalesce((select x.seqno + 1 from pragma_index_info(n."index") x where x.name = c.name), 0)) as place
from named n, pragma_table_info(n."table") c
order by n."table", c.cid;

-- Which columns of a table name rows of which other table, by which of its columns, and whether a row goes with the one that it names.
-- statement: references
select t.name as "table", k.id, k."from" as "column", k."table" as parent, k."to" as named, k.on_delete = 'CASCADE' as goes
from pragma_table_list t, pragma_foreign_key_list(t.name) k
where t.schema = 'main' and t.type = 'table' and exists (select 1 from dictionary d where d.table_name = t.name)
order by t.name, k.id, k.seq;

-- What makes each table, index, view and trigger, and the columns of each table; SQLite and FTS5 make some by themselves.
-- statement: schema
select s.type, s.name, s.sql,
  (select json_group_array(c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk) from pragma_table_info(s.name, 'main') c
   where s.type = 'table' and s.sql not like 'create virtual%') as columns
from main.sqlite_schema s
where s.sql is not null and s.name not like 'sqlite\_%' escape '\' and s.name not like 'facts\_fts\_%' escape '\' or s.type = 'trigger'
order by s.rowid;

-- Whether the file says what its tables hold.
-- statement: meanings
select 1 from dictionary limit 1;

-- Vectors of collections that are not as long as all others of theirs.
-- statement: vectors
select v.record
from collection_vectors v join collections c on c.id = v.collection
where length(v.embedding) <> 4 * c.dimension;

-- How long the vectors of the file are said to be, where its index has others, and how long those are.
-- statement: dimension
select m.name, cast(substr(s.sql, instr(s.sql, 'float[') + 6) as integer) as has
from meta m join sqlite_schema s on s.name = 'facts_vec'
where m.name = 'dimension' and instr(s.sql, 'float[' || m.value || ']') = 0;

-- statement: look
select rowid from facts_fts where facts_fts match '"a"' limit 1;

-- Every fact as it stands, its JSON as text.
-- statement: facts
select
  fact_id, user_id, kind, key, value_text, value_json, category, memory_type, confidence, importance, effective_importance, source, speaker,
  event_time, valid_from, valid_to, status, source_turn_id, source_excerpt, session_id, tags, embedding_id, created_at, updated_at,
  last_mentioned_at, seen_count, last_accessed, access_count
from facts;

-- statement: archive
select fact_id, user_id, record from facts_archive;

-- statement: calls
select
  id, user_id, purpose, prompt_hash, model, mode, attempt, prompt_tokens, completion_tokens, elapsed_ms, finish_reason, raw, error
from model_calls;

-- statement: events
select event_id, user_id, description, timestamp, participants, location, importance, break_trigger as "trigger", turn_id from events;

-- statement: consents
select user_id, sensitive_topics, secrets from consents;

-- statement: pages
select user_id, lines, written_at from pages;

-- statement: sessions
select user_id, session_id, started_at, last_turn_at, ended_at, day from sessions;

-- statement: feedback
select user_id, query, fact_id, given_at from feedback;

-- statement: ends
select id, user_id, said, said_at, source from ends;

-- statement: links
select source_id, target_id, relation, strength from links;

-- statement: databases
select database_id from databases;

-- statement: weights
select name, feature, value from weights;

-- statement: collections
select collection_id, schema, metadata from collections;

-- A table's indexes that memdb or somebody made, but for one, with the SQL that makes each, in the order in which they were made.
-- statement: indexes
select name, sql
from main.sqlite_schema
where type = 'index' and tbl_name = :table and name <> :but and sql is not null
order by rowid;
