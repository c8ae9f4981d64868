-- Whoever looks at episodes, notes and tasks in a shell sees which of them have a vector, as it was with facts and memories.
drop view episode;
drop view note;
drop view task;

create view episode as
select fact_id as id, user_id, session_id, value_json -> 'turn_range' as turn_range, value_text as summary,
       coalesce(nullif(value_json ->> 'raw_excerpt', ''), source_excerpt) as raw_excerpt,
       coalesce(value_json ->> 'timestamp_start', event_time, valid_from) as timestamp_start,
       max(
         coalesce(value_json ->> 'timestamp_start', event_time, valid_from),
         coalesce(value_json ->> 'timestamp_end', valid_to, valid_from)) as timestamp_end, source, tags, status,
       embedding_id
from facts where kind = 'episode';

create view note as
select fact_id as id, user_id, value_text as text, value_json ->> 'origin' as origin, confidence as confidence_base, tags, status, created_at,
       embedding_id
from facts where kind = 'note';

create view task as
select fact_id as id, user_id, value_text as title, coalesce(value_json ->> 'state', 'active') as state, event_time as due, tags, status,
       created_at, updated_at, embedding_id
from facts where kind = 'task';
