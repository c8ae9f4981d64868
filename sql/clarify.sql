-- The conflict most worth asking the user about: a pending fact of high risk or importance against what is believed.
select f.value_text as said, t.value_text as believed, f.fact_id
from facts f
join links l on l.source_id = f.fact_id and l.relation = 'contradicts'
join facts t on t.fact_id = l.target_id and t.status = 'active'
where f.user_id = :user_id
  and f.status = 'pending_confirmation'
  and (f.category in ('identity', 'health') or max(f.importance, t.importance) >= :min_importance)
  and (f.valid_to is null or f.valid_to > :now)
order by max(f.importance, t.importance) desc, f.id desc
limit 1;
