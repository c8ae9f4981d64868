-- Learned workflows, and how they went.

-- statement: by_ids
select f.fact_id, f.value_json ->> 'title' as title, f.value_json ->> 'trigger' as "trigger", f.value_json -> 'steps' as steps,
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
