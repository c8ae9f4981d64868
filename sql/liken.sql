-- What of a user is near in meaning to something new.

-- Whether there is anything to compare it with.
-- statement: any
select 1 as known
from facts
where user_id = :user_id and kind = :kind and status in ('active', 'pending_confirmation')
limit 1;

-- The nearest live rows of a kind, nearest first. One whose text has changed since its vector was written is not compared.
-- statement: nearest
with
nearest as materialized (
  select v.rowid as id, v.distance
  from facts_vec v
  where v.embedding match :embedding and k = :k and v.user_id = :user_id and v.shelf = :kind
)
select r.record, 1.0 - n.distance as cosine
from nearest n
cross join facts f on f.id = n.id
join fact_record r on r.id = f.id
where 1.0 - n.distance >= :least
  and f.user_id = :user_id
  and f.status in ('active', 'pending_confirmation')
  and (f.valid_to is null or f.valid_to > :now)
  and not exists (select 1 from outbox o where o.id = f.id)
order by n.distance, n.id;
