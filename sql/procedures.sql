-- Learned workflows, and how they went.

-- One that was stated without steps of its own, or came to mind, is told by its words.
-- statement: by_ids
select f.fact_id,
       iif(json_type(f.value_json, '$.title') = 'text', f.value_json ->> 'title', f.value_text) as title,
       iif(json_type(f.value_json, '$.trigger') = 'text', f.value_json ->> 'trigger', f.value_text) as "trigger",
       iif(json_type(f.value_json, '$.steps') = 'array', (
         select json_group_array(step) from (
           select cast(s.value as text) as step from json_each(f.value_json, '$.steps') s order by s.key)), '[]') as steps,
       count(o.id) filter (where o.succeeded) as successes, count(o.id) filter (where not o.succeeded) as failures,
       avg(o.succeeded) as success_rate, f.confidence, f.status
from facts f left join outcomes o on o.fact_id = f.fact_id
where f.kind = 'procedure' and f.fact_id in (select value from json_each(:fact_ids))
group by f.id
order by f.id;

-- statement: went
insert into outcomes (fact_id, turn_id, succeeded, note, happened_at) values (:fact_id, :turn_id, :succeeded, :note, :now)
on conflict (fact_id, turn_id) do nothing;

-- statement: weigh
update facts set confidence = :confidence, updated_at = :now, last_accessed = :now, access_count = access_count + 1
where fact_id = :fact_id;
