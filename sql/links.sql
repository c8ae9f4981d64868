-- Links between what is remembered of one user; they go with their ends.

-- statement: put
insert into links (source_id, target_id, relation, strength, created_at)
values (:source_id, :target_id, :relation, :strength, :now)
on conflict (source_id, target_id, relation) do update set strength = excluded.strength;

-- What is found to be alike leaves a link that somebody made as it is.
-- statement: alike
insert into links (source_id, target_id, relation, strength, created_at)
values (:source_id, :target_id, 'relates-to', :strength, :now)
on conflict do nothing;

-- statement: remove
delete from links
where source_id = :source_id and target_id = :target_id and (:relation is null or relation = :relation);

-- What is one step from some facts, in both directions, over what is live and of the same user as :fact_id.
-- statement: beside
with
start as materialized (
  select user_id from facts where fact_id = :fact_id
),
step as (
  select l.target_id as fact_id, l.relation
  from json_each(:facts) n
  cross join links l on l.source_id = n.value
  where l.strength >= :min_strength
  union all
  select l.source_id, l.relation
  from json_each(:facts) n
  cross join links l on l.target_id = n.value
  where l.strength >= :min_strength
)
select distinct f.fact_id
from step s
cross join facts f on f.fact_id = s.fact_id
where (:relations is null or s.relation in (select value from json_each(:relations)))
  and f.user_id = (select user_id from start)
  and f.status in (select value from json_each(:statuses));

-- Where links lead from a fact, nearest and strongest first, among those whose distance is known, `[fact_id, depth]` each. Each fact is told once, by its
-- shortest way: at every step back over the strongest link to a fact that is one step nearer.
-- statement: walk
with recursive
level as materialized (
  select value ->> 0 as fact_id, value ->> 1 as depth from json_each(:levels)
),
step as materialized (
  select v.fact_id, v.depth, l.source_id as by_id, l.relation, 1 as outward, l.strength
  from level v
  cross join links l on l.target_id = v.fact_id
  join level u on u.fact_id = l.source_id and u.depth = v.depth - 1
  where :relations is null or l.relation in (select value from json_each(:relations))
  union all
  select v.fact_id, v.depth, l.target_id, l.relation, 0, l.strength
  from level v
  cross join links l on l.source_id = v.fact_id
  join level u on u.fact_id = l.target_id and u.depth = v.depth - 1
  where :relations is null or l.relation in (select value from json_each(:relations))
),
best as materialized (
  select s.*, row_number() over (partition by s.fact_id order by s.strength desc, s.outward desc, s.relation, s.by_id) as place
  from step s
),
walk (fact_id, depth, relation, outward, strength, path) as (
  select fact_id, 0, null, null, 1.0, json_array(fact_id) from level where depth = 0
  union all
  select b.fact_id, b.depth, b.relation, b.outward, w.strength * b.strength, json_insert(w.path, '$[#]', b.fact_id)
  from walk w
  join best b on b.by_id = w.fact_id and b.place = 1
)
select t.record, w.depth, w.relation, w.outward, w.strength, w.path
from walk w
cross join facts f on f.fact_id = w.fact_id
join fact_record t on t.id = f.id
where w.depth > 0 and w.strength >= :min_strength
order by w.depth, w.strength desc, f.id
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

-- statement: related
insert into related (user_id, up_to)
select :user_id, :up_to where exists (select 1 from facts where user_id = :user_id)
on conflict (user_id) do update set up_to = max(up_to, excluded.up_to);

-- Earlier rows with the same words, best first, among the :looked_back latest: the full-text index gives those without a look at the others.
-- statement: found
with latest as materialized (
  select f.id, f.fact_id, f.value_text, bm25(facts_fts, 1.0, 0.0, 0.0, 0.0) as bm25
  from facts_fts
  cross join facts f on f.id = facts_fts.rowid
  where facts_fts match :terms
    and facts_fts.rowid < :id
    and f.user_id = :user_id
    and f.status in ('active', 'pending_confirmation')
    and f.kind in (select value from json_each(:kinds))
  order by facts_fts.rowid desc
  limit :looked_back
)
select fact_id, value_text
from latest
order by bm25, id desc
limit :limit;

-- statement: rows
select count(*) as rows from facts;

-- statement: rows_with
select count(*) as rows from facts_fts where facts_fts match :term;
