-- The file says itself what its tables, views and columns hold; dictionary.sql fills it.
create table if not exists dictionary (
  table_name text not null,
  column_name text,
  meaning text not null,
  unit text
) strict;

-- Why a fact is believed stands beside it, and every time in a view is of the same width, so that text order is time order there, too.
drop view if exists fact;
drop view if exists episode;
drop view if exists narrative;

create view fact as
select fact_id, user_id, key, value_text, value_json ->> 'subject' as subject, value_json ->> 'predicate' as predicate,
       value_json ->> 'object' as object, category, confidence, status, event_time, valid_from, valid_to,
       source_turn_id, source_excerpt, seen_count, created_at, updated_at, last_mentioned_at,
       value_json, embedding_id,
       fact_id as id, value_text as text,  -- and by the names that the profile goes by
       case
         when value_json ->> 'type' in ('location', 'preference', 'identity', 'constraint') then value_json ->> 'type'
         when substr(key, instr(key, '.') + 1) in ('lives_in', 'staying_in', 'hometown', 'born_in', 'address') then 'location'
         when category = 'soft_preference' then 'preference'
         when category = 'hard_preference' then 'constraint'
         else category
       end as type,
       created_at as first_seen, coalesce(last_mentioned_at, updated_at) as last_seen, source,
       confidence as confidence_base, importance as intrinsic_importance, tags,
       (
         select h.reason from fact_history h
         where h.fact_id = facts.fact_id and h.operation not in ('noop', 'archive')  -- which change nothing of what is believed
         order by h.id desc limit 1) as why
from facts where kind = 'fact';

create view episode as
select fact_id as id, user_id, session_id, value_json -> 'turn_range' as turn_range, value_text as summary,
       coalesce(nullif(value_json ->> 'raw_excerpt', ''), source_excerpt) as raw_excerpt,
       strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(value_json ->> 'timestamp_start', event_time, valid_from)) as timestamp_start,
       max(
         strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(value_json ->> 'timestamp_start', event_time, valid_from)),
         strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(value_json ->> 'timestamp_end', valid_to, valid_from))) as timestamp_end, source, tags, status,
       embedding_id
from facts where kind = 'episode';

create view narrative as
select f.fact_id as id, f.user_id, f.value_text as content, f.memory_type, f.importance, f.effective_importance,
       coalesce(f.value_json ->> 'emotion', 'neutral') as emotion, f.value_json -> 'participants' as family_members,
       f.value_json ->> 'location' as location, f.value_json ->> 'time_of_day' as time_of_day, f.value_json ->> 'day_type' as day_type,
       f.tags, f.embedding_id,
       iif(f.value_json ->> 'pattern' = 1, (
         select json_group_array(event_id) from (
           select i.value as event_id
           from links l cross join facts s on s.fact_id = l.source_id
           cross join json_each(s.value_json, '$.source_event_ids') i
           where l.target_id = f.fact_id and l.relation = 'supports'
           order by s.created_at, s.id, i.key)), f.value_json -> 'source_event_ids') as source_event_ids,
       strftime('%Y-%m-%dT%H:%M:%fZ', f.value_json ->> 'segment_start') as segment_start,
       strftime('%Y-%m-%dT%H:%M:%fZ', f.value_json ->> 'segment_end') as segment_end, f.created_at, f.last_accessed,
       f.access_count, coalesce(f.value_json ->> 'consolidated', 0) as consolidated, f.status = 'archived' as archived
from facts f where f.kind = 'narrative';
