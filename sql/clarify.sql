-- The question most worth asking the user: a pending fact of high risk or importance against what is believed, or one that nothing
-- contradicts and that waits for leave to be remembered.
select f.value_text as said, t.value_text as believed, f.fact_id
from facts f
left join links l on l.source_id = f.fact_id and l.relation = 'contradicts'
left join facts t on t.fact_id = l.target_id and t.status = 'active'
where f.user_id = :user_id
  and f.status = 'pending_confirmation'
  and (l.source_id is null or t.fact_id is not null)
  and (l.source_id is null or f.category in ('identity', 'health') or max(f.importance, t.importance) >= :min_importance)
  and (f.valid_to is null or f.valid_to > :now)
order by max(f.importance, coalesce(t.importance, 0.0)) desc, f.id desc
limit 1;
