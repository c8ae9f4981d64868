-- The view of first-person memories has the columns that their schema names, and tells the events of a pattern, too.
drop view narrative;

-- A pattern's events are those of the memories that went into it. Where embedding_id is null, a memory has no vector yet.
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
       f.value_json ->> 'segment_start' as segment_start, f.value_json ->> 'segment_end' as segment_end, f.created_at, f.last_accessed,
       f.access_count, coalesce(f.value_json ->> 'consolidated', 0) as consolidated, f.status = 'archived' as archived
from facts f where f.kind = 'narrative';
