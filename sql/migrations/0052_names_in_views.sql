-- Whoever looks at facts in a shell sees them also by the names that the profile goes by; and of an episode that was stated its own words and times.
drop view fact;
drop view episode;

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
       confidence as confidence_base, importance as intrinsic_importance, tags
from facts where kind = 'fact';

create view episode as
select fact_id as id, user_id, session_id, value_json -> 'turn_range' as turn_range, value_text as summary,
       coalesce(nullif(value_json ->> 'raw_excerpt', ''), source_excerpt) as raw_excerpt,
       coalesce(value_json ->> 'timestamp_start', event_time, valid_from) as timestamp_start,
       max(
         coalesce(value_json ->> 'timestamp_start', event_time, valid_from),
         coalesce(value_json ->> 'timestamp_end', valid_to, valid_from)) as timestamp_end, source, tags, status
from facts where kind = 'episode';
