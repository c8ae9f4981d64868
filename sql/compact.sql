-- Moves rows no longer believed out of the way: into the archive, with their vectors given up. A null :user_id is everybody; every text is less than
-- a blob, so that the index finds one user's rows without a look at the others'.

-- Some of those that were closed long ago.
-- statement: closed
select fact_id
from facts indexed by facts_closed
where user_id between coalesce(:user_id, '') and coalesce(:user_id, x'')
  and status in ('superseded', 'expired')
  and updated_at <= :before
limit :most;

-- Of some rows, those that are closed still.
-- statement: archive
insert or replace into facts_archive (fact_id, user_id, key, source_turn_id, valid_from, valid_to, status, record, archived_at)
select f.fact_id, f.user_id, f.key, f.source_turn_id, f.valid_from, f.valid_to, f.status, r.record, :now
from json_each(:fact_ids) m
cross join facts f on f.fact_id = m.value
cross join fact_record r on r.id = f.id
where f.status in ('superseded', 'expired')
returning fact_id;

-- Each leaves a line in the history; what it said stands in the archive.
-- statement: history
insert into fact_history (fact_id, user_id, key, operation, before, after, reason, turn_id, action_hash, changed_at)
select f.fact_id, f.user_id, f.key, 'archive', null, null, :reason, :turn_id, :turn_id, :now
from json_each(:fact_ids) m
cross join facts f on f.fact_id = m.value;

-- statement: clear
delete from facts where fact_id in (select value from json_each(:fact_ids));

-- The way back, for what is to stand again: a row of the archive as it stood, but for its vector, which is made anew.
-- statement: bring_back
insert into facts (
  fact_id, user_id, kind, key, value_text, value_json, category, memory_type, confidence, importance, effective_importance, source, speaker,
  event_time, valid_from, valid_to, status, source_turn_id, source_excerpt, session_id, tags, created_at, updated_at, last_mentioned_at,
  seen_count, last_accessed, access_count
)
select
  fact_id, user_id, record ->> 'kind', key, record ->> 'value_text', nullif(record -> 'value_json', 'null'), record ->> 'category',
  record ->> 'memory_type', record ->> 'confidence', record ->> 'importance', record ->> 'effective_importance', record ->> 'source',
  record ->> 'speaker', record ->> 'event_time', valid_from, valid_to, status, source_turn_id, record ->> 'source_excerpt',
  record ->> 'session_id', record -> 'tags', record ->> 'created_at', record ->> 'updated_at', record ->> 'last_mentioned_at',
  record ->> 'seen_count', record ->> 'last_accessed', record ->> 'access_count'
from facts_archive
where fact_id = :fact_id;

-- statement: leave
delete from facts_archive where fact_id = :fact_id;
