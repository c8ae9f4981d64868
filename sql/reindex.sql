-- A change of embedder: vectors are gathered beside the index, and take its place when they are whole.

-- What is to be embedded, and not gathered yet, beyond an id; a negative id is the window of a message, as in the outbox. The texts are read of those
-- alone that are told.
-- statement: todo
with
windows as materialized (
  select -f.id as id
  from facts f not indexed
  where f.id < -:after
    and f.kind = 'message'
    and f.status in ('active', 'pending_confirmation')
    and not exists (select 1 from reindexed r where r.id = -f.id)
    and -f.id not in (select value from json_each(:skipped))
  order by f.id desc
  limit :batch
),
rows as materialized (
  select f.id
  from facts f not indexed
  where f.id > :after
    and not exists (select 1 from reindexed r where r.id = f.id)
    and f.id not in (select value from json_each(:skipped))
  order by f.id
  limit :batch - (select count(*) from windows)
)
select i.id, w.text from windows i cross join message_window w on w.id = -i.id
union all
select i.id, f.value_text from rows i cross join facts f on f.id = i.id
order by 1;

-- statement: count
select
  (select count(*) from facts) + (select count(*) from facts where kind = 'message' and status in ('active', 'pending_confirmation')) as wanted,
  (select count(*) from reindexed) as gathered;

-- Between reading and writing the row may have changed; then it is read again. And another process may have begun with another embedder.
-- statement: gather
insert into reindexed (id, embedding)
select :id, :embedding
where exists (
  select 1 from facts f left join message_window w on w.id = f.id
  where f.id = abs(:id) and iif(:id > 0, f.value_text, w.text) = :text)
  and (select value from meta where name = 'next_embedder') = :embedder
on conflict (id) do update set embedding = excluded.embedding;

-- statement: start_over
delete from reindexed;

-- The same in parts, where it has served: another process may have begun to gather anew.
-- statement: served
delete from reindexed
where id in (select id from reindexed limit :batch)
  and not exists (select 1 from meta where name = 'next_embedder');

-- statement: drop_index
drop table if exists facts_vec;

-- statement: drop_codes
delete from vector_codes;

-- What was gathered, shelf by shelf.
-- statement: shelves
select r.id, f.user_id, iif(r.id < 0, 'window', iif(f.status in ('active', 'pending_confirmation'), f.kind, 'closed')) as shelf
from reindexed r
join facts f on f.id = abs(r.id)
where r.id > 0 or f.status in ('active', 'pending_confirmation')
order by f.user_id, shelf, f.id;

-- statement: vectors
select r.embedding
from json_each(:ids) i
cross join reindexed r on r.id = i.value
order by i.key;

-- Most are marked already. The index is asked which it has, since the gathered vectors are too large to be read for that.
-- statement: mark
update facts set embedding_id = iif(id in (select rowid from facts_vec_rowids), fact_id, null)
where embedding_id is not iif(id in (select rowid from facts_vec_rowids), fact_id, null);

-- A text that the new embedder could not read gets a line in the outbox, as any that fails.
-- statement: left
insert into outbox (id, user_id)
select s.value, f.user_id
from json_each(:skipped) s join facts f on f.id = abs(s.value)
where true
on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;

-- What waited to be embedded and was gathered meanwhile is done.
-- statement: settled
delete from outbox where exists (select 1 from reindexed r where r.id = outbox.id);

-- statement: next
select
  (select value from meta where name = 'next_embedder') as name,
  (select value from meta where name = 'next_dimension') as dimension;

-- statement: forget_next
delete from meta where name in ('next_embedder', 'next_dimension');

-- What processes hold in memory of the old vectors is no longer that of the file.
-- statement: changed
insert into vector_versions (user_id, version)
select user_id, random() from facts where true group by user_id
on conflict (user_id) do update set version = excluded.version;

-- statement: users
select user_id from vector_versions;
