-- Keeping a vector collection outside the file true to what is believed.

-- statement: bound
select value as collection from meta where name = 'collection';

-- statement: start_over
delete from mirror_outbox;

-- Everything that the collection should hold; what is there already is written once more.
-- statement: everything
insert into mirror_outbox (fact_id)
select fact_id from facts where status in ('active', 'pending_confirmation')
on conflict (fact_id) do nothing;

-- Everything that it should not hold, and may hold nevertheless. What is believed again by then is written instead.
-- statement: nothing_else
insert into mirror_outbox (fact_id)
select fact_id from facts where status not in ('active', 'pending_confirmation')
union
select fact_id from mirror_erased
where true  -- or "on" would be taken for the beginning of a join's condition
on conflict (fact_id) do nothing;

-- How many records the collection must have at least, if it lost none, and at most, if it has none of before.
-- statement: told
-- with: mirror.some_told.told
select count(*) as told, count(*) + (select count(*) from mirror_outbox) as most from told;

-- Records that the collection was told: the newest, the one that changed last, which an older copy of it cannot have as they are, and some others.
-- statement: some_told
with
told as (
  select f.id, f.fact_id, f.embedding_id, f.value_text, f.updated_at
  from facts f
  where f.status in ('active', 'pending_confirmation')
    and f.embedding_id is not null
    and not exists (select 1 from mirror_outbox m where m.fact_id = f.fact_id)
)
select * from (select * from told order by id desc limit 1)
union
select * from (select * from told order by updated_at desc limit 1)
union
select * from (select * from told where id >= (select max(id) from told) * :place order by id limit 6)
union
select * from (select * from told where id < (select max(id) from told) * :place order by id limit 6);  -- so that of a few none is left out

-- statement: still_told
select f.embedding_id, f.value_text, f.updated_at
from json_each(:fact_ids) c
cross join facts f on f.fact_id = c.value
where f.status in ('active', 'pending_confirmation')
  and not exists (select 1 from mirror_outbox m where m.fact_id = f.fact_id);

-- What may be sent now: a fact whose vector is yet to be made waits for that. Up to a fact, and what is gone, if one is given.
-- statement: due
select m.fact_id
from mirror_outbox m
left join facts f on f.fact_id = m.fact_id and f.status in ('active', 'pending_confirmation')
where m.dead = 0
  and (m.next_attempt_at is null or m.next_attempt_at <= :now)
  and (m.claimed_until is null or m.claimed_until <= :now)
  and not exists (select 1 from outbox o where o.id = f.id)
  and (:up_to is null or not exists (select 1 from facts later where later.fact_id = m.fact_id and later.id > :up_to))
limit :batch;

-- statement: claim
update mirror_outbox set claimed_until = :until where fact_id in (select value from json_each(:fact_ids));

-- What the collection is to hold of the claimed ones; without an embedding_id, nothing any more.
-- statement: records
select m.fact_id, m.change, m.attempts, f.embedding_id, f.user_id, f.kind, f.key, f.value_text, f.category, f.status, f.confidence,
       f.valid_from, f.valid_to, f.updated_at, v.embedding
from json_each(:fact_ids) c
cross join mirror_outbox m on m.fact_id = c.value
left join facts f on f.fact_id = m.fact_id and f.status in ('active', 'pending_confirmation')
left join facts_vec v on v.rowid = f.id;

-- One that the collection has taken, and that it takes again as long as it takes any.
-- statement: held
select f.fact_id, f.embedding_id, f.user_id, f.kind, f.key, f.value_text, f.category, f.status, f.confidence, f.valid_from, f.valid_to,
       f.updated_at, v.embedding
from facts f
cross join facts_vec v on v.rowid = f.id
where f.status in ('active', 'pending_confirmation')
  and f.embedding_id is not null
  and not exists (select 1 from outbox o where o.id = f.id)
  and not exists (select 1 from mirror_outbox m where m.fact_id = f.fact_id)
limit 1;

-- statement: settled
delete from mirror_outbox where fact_id = :fact_id and change = :change;

-- What changed while it was being sent is sent again, whoever has settled it meanwhile.
-- statement: again
insert into mirror_outbox (fact_id) values (:fact_id)
on conflict (fact_id) do update set claimed_until = null
returning change;

-- statement: released
update mirror_outbox set claimed_until = null where fact_id in (select value from json_each(:fact_ids));

-- statement: failed
update mirror_outbox set
  claimed_until = null,
  attempts = attempts + 1,
  next_attempt_at = :next_attempt_at,
  dead = attempts + 1 >= :max_attempts,
  last_error = :error
where fact_id = :fact_id;

-- statement: revive
update mirror_outbox set dead = 0, attempts = 0 where dead = 1;

-- What waits for its next attempt until after a time need not wait until then.
-- statement: hasten
update mirror_outbox set next_attempt_at = null where next_attempt_at > :after;

-- statement: reopen
update mirror_outbox set claimed_until = null where claimed_until > :after;

-- What waits for a vector to be made is counted where that waits.
-- statement: open
select
  count(*) filter (where m.dead = 0) as waiting,
  count(*) filter (where m.dead = 0 and m.next_attempt_at > :now) as postponed,
  count(*) filter (where m.dead = 1) as dead,
  max(m.last_error) as error
from mirror_outbox m
left join facts f on f.fact_id = m.fact_id and f.status in ('active', 'pending_confirmation')
where not exists (select 1 from outbox o where o.id = f.id)
  and (:up_to is null or not exists (select 1 from facts later where later.fact_id = m.fact_id and later.id > :up_to));

-- Facts that are erased here, and that the collection is still to be told about.
-- statement: erased
select count(*) as erased
from mirror_outbox m
where not exists (select 1 from facts f where f.fact_id = m.fact_id);

-- What a collection found, by the ids that retrieve.sql wants, and how many of this file's records that is; and what it was not told yet, with the
-- vectors that the file has: where the text of a record is another by now, the collection would find it by the old one.
-- statement: hits
select json_group_array(json_array(id, distance)) as hits, count(*) filter (where told) as known
from (
  select f.id, h.value ->> 1 as distance, true as told
  from json_each(:found) h
  cross join facts f on f.fact_id = h.value ->> 0
  where f.user_id = :user_id and not exists (select 1 from mirror_outbox m where m.fact_id = f.fact_id)
  union all
  select f.id, vec_distance_cosine(v.embedding, :embedding), false
  from mirror_outbox m
  cross join facts f on f.fact_id = m.fact_id
  cross join facts_vec v on v.rowid = f.id
  where f.user_id = :user_id
);

-- How much a collection was not told yet; more than :most is as good as :most.
-- statement: behind
select count(*) as behind from (select 1 from mirror_outbox where dead = 0 limit :most);

-- The kinds that a user has rows of, and how many of these the collection was told; more than :most are as good as :most.
-- statement: kinds
select
  k.kind,
  (
    select count(*)
    from (
      select 1
      from facts f
      where f.user_id = :user_id and f.kind = k.kind and f.status in (select value from json_each(:statuses))
        and f.embedding_id is not null
        and not exists (select 1 from mirror_outbox m where m.fact_id = f.fact_id)
      limit :most
    )
  ) as told
from kinds k
where exists (
  select 1 from facts f
  where f.user_id = :user_id and f.kind = k.kind and f.status in (select value from json_each(:statuses)));
