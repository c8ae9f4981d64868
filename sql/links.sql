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

-- Where links lead from a fact, in both directions, the strongest way first. A way never comes back to where it was, and goes only over what
-- is live and of the same user; its strength is the product of its links'. Of the ways to a fact the shortest is told, then the strongest.
-- statement: walk
with recursive
start as materialized (
  select fact_id, user_id from facts where fact_id = :fact_id
),
walk (fact_id, depth, relation, outward, strength, path) as (
  select fact_id, 0, null, null, 1.0, json_array(fact_id) from start
  union all
  select f.fact_id, w.depth + 1, l.relation, 1, w.strength * l.strength, json_insert(w.path, '$[#]', f.fact_id)
  from walk w
  cross join links l on l.source_id = w.fact_id
  cross join facts f on f.fact_id = l.target_id
  where w.depth < :depth
    and f.user_id = (select user_id from start)
    and f.status in (select value from json_each(:statuses))
    and (:relations is null or l.relation in (select value from json_each(:relations)))
    and w.strength * l.strength >= :min_strength
    and not exists (select 1 from json_each(w.path) where value = f.fact_id)
  union all
  select f.fact_id, w.depth + 1, l.relation, 0, w.strength * l.strength, json_insert(w.path, '$[#]', f.fact_id)
  from walk w
  cross join links l on l.target_id = w.fact_id
  cross join facts f on f.fact_id = l.source_id
  where w.depth < :depth
    and f.user_id = (select user_id from start)
    and f.status in (select value from json_each(:statuses))
    and (:relations is null or l.relation in (select value from json_each(:relations)))
    and w.strength * l.strength >= :min_strength
    and not exists (select 1 from json_each(w.path) where value = f.fact_id)
  order by 5 desc
  limit 10000
),
reached as materialized (
  select w.*, row_number() over (partition by w.fact_id order by w.depth, w.strength desc, w.path) as place
  from walk w
  where w.depth > 0
)
select t.record, r.depth, r.relation, r.outward, r.strength, r.path
from reached r
join facts f on f.fact_id = r.fact_id
join fact_record t on t.id = f.id
where r.place = 1
order by r.depth, r.strength desc, f.id
limit :limit;

-- What was not looked through yet; the oldest first.
-- statement: unrelated
select id, fact_id, value_text
from facts
where user_id = :user_id
  and id > coalesce((select up_to from related where user_id = :user_id), 0)
  and status in ('active', 'pending_confirmation')
  and kind in (select value from json_each(:kinds))
order by id
limit :batch;

-- statement: related
insert into related (user_id, up_to) values (:user_id, :up_to)
on conflict (user_id) do update set up_to = max(up_to, excluded.up_to);

-- Earlier rows with the same words, best first.
-- statement: found
select f.fact_id, f.value_text
from facts_fts
cross join facts f on f.id = facts_fts.rowid
where facts_fts match :terms
  and f.user_id = :user_id
  and f.status in ('active', 'pending_confirmation')
  and f.kind in (select value from json_each(:kinds))
  and f.id < :id
order by bm25(facts_fts, 1.0, 0.0, 0.0, 0.0), f.id desc
limit :limit;

-- statement: rows
select count(*) as rows from facts;

-- statement: rows_with
select count(*) as rows from facts_fts where facts_fts match :term;
