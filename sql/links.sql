-- Links between what is remembered of one user; they go with their ends.

-- statement: put
insert into links (source_id, target_id, relation, strength, created_at)
values (:source_id, :target_id, :relation, :strength, :now)
on conflict (source_id, target_id, relation) do update set strength = excluded.strength;

-- What is found to be alike leaves a link that somebody made as it is; and what has ended since it was found is not linked.
-- statement: alike
insert into links (source_id, target_id, relation, strength, created_at)
select s.fact_id, t.fact_id, 'relates-to', :strength, :now
from facts s cross join facts t
where s.fact_id = :source_id and s.user_id = :user_id and s.status in ('active', 'pending_confirmation')
  and t.fact_id = :target_id and t.user_id = :user_id and t.status in ('active', 'pending_confirmation')
on conflict do nothing;

-- statement: remove
delete from links
where source_id = :source_id and target_id = :target_id and (:relation is null or relation = :relation);

-- One step on from some facts, `[fact_id, strength]` each with the strength of the way to it: where links lead from them, in both directions,
-- over what is live and of the same user as :fact_id, each over the strongest of these ways.
-- statement: step
with
start as materialized (
  select user_id from facts where fact_id = :fact_id
),
step as (
  select l.target_id as fact_id, l.source_id as by_id, l.relation, 1 as outward, (n.value ->> 1) * l.strength as strength
  from json_each(:facts) n
  cross join links l on l.source_id = n.value ->> 0
  where :relations is null or l.relation in (select value from json_each(:relations))
  union all
  select l.source_id, l.target_id, l.relation, 0, (n.value ->> 1) * l.strength
  from json_each(:facts) n
  cross join links l on l.target_id = n.value ->> 0
  where :relations is null or l.relation in (select value from json_each(:relations))
),
best as (
  select s.*, row_number() over (partition by s.fact_id order by s.strength desc, s.outward desc, s.relation, s.by_id) as place
  from step s
  cross join facts f on f.fact_id = s.fact_id
  where s.strength >= :min_strength
    and f.user_id = (select user_id from start)
    and iif(f.valid_to <= :now and f.status in ('active', 'pending_confirmation', 'uncertain'), 'expired', f.status) in (select value from json_each(:statuses))
)
select fact_id, by_id, relation, outward, strength
from best
where place = 1;

-- What such ways lead to, `[fact_id, depth, strength]` each, the nearest and strongest first.
-- statement: reached
select r.record
from json_each(:ways) w
cross join facts f on f.fact_id = w.value ->> 0
join fact_record r on r.id = f.id
order by w.value ->> 1, w.value ->> 2 desc, f.id
limit :limit;

-- What was not looked through yet; the oldest first.
-- statement: unrelated
with next as materialized (  -- the index alone tells which they are
  select id
  from facts indexed by facts_user_id
  where user_id = :user_id
    and id > coalesce((select up_to from related where user_id = :user_id), 0)
    and status in ('active', 'pending_confirmation')
    and kind in (select value from json_each(:kinds))
  order by id
  limit :batch
)
select f.id, f.fact_id, f.value_text
from next n cross join facts f on f.id = n.id
order by n.id;

-- A row that is gone since may have left its number to a new one: then those before it are looked through once more.
-- statement: related
insert into related (user_id, up_to)
select user_id, id from facts where fact_id = :last_id and user_id = :user_id
on conflict (user_id) do update set up_to = max(up_to, excluded.up_to);

-- The rows that have a word, in the order of their ids, each with how good it is by that word alone: the :looked_back latest before :id, and all
-- from there on. How good a row is by several words is the sum.
-- statement: having
with
found as materialized (
  select f.id, bm25(facts_fts, 1.0, 0.0, 0.0, 0.0) as bm25
  from facts_fts
  cross join facts f on f.id = facts_fts.rowid
  where facts_fts match :term
    and facts_fts.rowid >= :id
    and facts_fts.rowid < :until
    and f.user_id = :user_id
    and f.status in ('active', 'pending_confirmation')
    and f.kind in (select value from json_each(:kinds))
),
before as materialized (
  select f.id, bm25(facts_fts, 1.0, 0.0, 0.0, 0.0) as bm25
  from facts_fts
  cross join facts f on f.id = facts_fts.rowid
  where facts_fts match :term
    and facts_fts.rowid < :id
    and f.user_id = :user_id
    and f.status in ('active', 'pending_confirmation')
    and f.kind in (select value from json_each(:kinds))
  order by facts_fts.rowid desc
  limit :looked_back
)
select id, bm25 from before
union all
select id, bm25 from found
order by 1;

-- The texts of some rows, in their order.
-- statement: texts
select f.fact_id, f.value_text
from json_each(:ids) i
cross join facts f on f.id = i.value
order by i.key;

-- statement: rows
select count(*) as rows from facts;

-- statement: rows_with
select count(*) as rows from facts_fts where facts_fts match :term;
