-- What says the same as something else that is held: found in the order of the rows, each once.

-- A null :user_id is everybody: every text is less than a blob.
-- statement: users
select distinct f.user_id
from facts f
left join merged m on m.user_id = f.user_id
where f.user_id between coalesce(:user_id, '') and coalesce(:user_id, x'')
  and f.kind in ('fact', 'note')
  and f.status = 'active'
  and f.id > coalesce(m.up_to, 0);

-- The next rows that were not looked at yet. One whose vector is still to be made `waits`.
-- statement: fresh
with next as materialized (  -- the index alone tells which they are
  select id
  from facts indexed by facts_user_id
  where user_id = :user_id
    and kind in ('fact', 'note')
    and status = 'active'
    and id > coalesce((select m.up_to from merged m where m.user_id = :user_id), 0)
  order by id
  limit :batch
)
select f.id, f.fact_id, f.kind, f.key, f.value_text, exists (select 1 from outbox o where o.id = f.id and not o.dead) as waits
from next n cross join facts f on f.id = n.id
order by n.id;

-- What is held under some keys, bare. What differs in its times, or in whether it denies, is not the same.
-- statement: held
select
  f.id, f.fact_id, f.kind, f.key, f.value_text, f.kind || ' ' || f.key as shelf, f.valid_to is null or f.valid_to > :now as lasts,
  iif(json_type(f.value_json, '$.object') = 'text', f.value_json ->> 'object', f.value_text) as object,
  json_array(f.value_json ->> 'polarity', f.valid_to, f.event_time) as circumstances
from facts f
where f.user_id = :user_id
  and f.key in (select value from json_each(:keys))
  and f.kind in ('fact', 'note')
  and f.status = 'active'
order by f.id;

-- The vectors of some rows. One whose text has changed since its vector was written is not compared.
-- statement: vectors
select v.rowid as id, v.embedding
from json_each(:ids) i
cross join facts_vec v on v.rowid = i.value
where not exists (select 1 from outbox o where o.id = i.value);

-- statement: looked_at
insert into merged (user_id, up_to)
select :user_id, :up_to where exists (select 1 from facts where user_id = :user_id)
on conflict (user_id) do update set up_to = excluded.up_to;
