-- The row of the same kind whose meaning is nearest to something new.
with nearest as materialized (
  select v.rowid as id, v.distance
  from facts_vec v
  where v.embedding match :embedding and k = 1 and v.user_id = :user_id and v.shelf = :kind
)
select f.fact_id, f.key, f.value_text, 1.0 - n.distance as cosine
from nearest n
cross join facts f on f.id = n.id
where f.user_id = :user_id and f.status in ('active', 'pending_confirmation');
