-- A search of what was true once that finds something in the archive, too: these tables stand before the file's of the same names, for one connection
-- and for one moment, so that retrieve.sql ranks what it has found among the facts and what the archive holds as one.
--
--   :found     JSON array of the ids of what was found among the facts
--   :archived  JSON [[fact_id, words], …] of what the archive holds
create temp table facts as select * from main.facts where id in (select value from json_each(:found));

-- beyond all ids of the file, so that no vector is taken for theirs
insert into temp.facts
select
  4503599627370496 + i.key, a.record ->> 'fact_id', a.record ->> 'user_id', a.record ->> 'kind', a.record ->> 'key', a.record ->> 'value_text',
  nullif(a.record -> 'value_json', 'null'), a.record ->> 'category', a.record ->> 'memory_type', a.record ->> 'confidence', a.record ->> 'importance',
  a.record ->> 'effective_importance', a.record ->> 'source', a.record ->> 'speaker', a.record ->> 'event_time', a.record ->> 'valid_from',
  a.record ->> 'valid_to', a.record ->> 'status', a.record ->> 'source_turn_id', a.record ->> 'source_excerpt', a.record ->> 'session_id',
  a.record -> 'tags', a.record ->> 'embedding_id', a.record ->> 'created_at', a.record ->> 'updated_at', a.record ->> 'last_mentioned_at',
  a.record ->> 'seen_count', a.record ->> 'last_accessed', a.record ->> 'access_count'
from json_each(:archived) i
cross join main.facts_archive a on a.fact_id = i.value ->> 0;

create index temp.facts_of_then on facts (id);

create virtual table temp.facts_fts using fts5 (body, reply, context, date, tokenize = 'porter unicode61');

insert into temp.facts_fts (rowid, body, reply, context, date)
select id, body, reply, context, date from main.fact_words where id in (select value from json_each(:found))
union all
select 4503599627370496 + i.key, i.value ->> 1, '', '', '' from json_each(:archived) i;
