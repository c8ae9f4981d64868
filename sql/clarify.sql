-- What waits for a word of the user: each pending fact against each belief that it contradicts; those that contradict none, which wait for leave to be
-- remembered; and those whose belief has ended since, but for denials of it. What bears on the question at hand comes first, then what counts most.
with
pending as materialized (
  select
    f.id, f.fact_id, f.key, f.value_text, f.category, f.importance, f.valid_from, f.created_at,
    f.value_json ->> 'polarity' is 'negative' as denies,
    not exists (select 1 from links l where l.source_id = f.fact_id and l.relation = 'contradicts') as leave
  from facts f
  where f.user_id = :user_id
    and f.kind in (select k.kind from kinds k where k.kind <> 'message')
    and f.status = 'pending_confirmation'
    and (f.valid_to is null or f.valid_to > :now)
)
select
  p.fact_id, t.fact_id as against, p.value_text as said, t.value_text as believed, p.key, p.category,
  max(p.importance, coalesce(t.importance, 0.0)) as importance, p.leave, iif(p.valid_from > max(:now, min(p.created_at, :said_by)), p.valid_from, null) as begins
from pending p
left join links l on l.source_id = p.fact_id and l.relation = 'contradicts'
  and exists (select 1 from facts b where b.fact_id = l.target_id and b.status = 'active')
left join facts t on t.fact_id = l.target_id
where p.leave
   or t.fact_id is not null
   or not p.denies and not exists (
     select 1 from links o join facts b on b.fact_id = o.target_id and b.status = 'pending_confirmation'
     where o.source_id = p.fact_id and o.relation = 'contradicts')
order by
  (p.fact_id in (select value from json_each(:bearing))) + coalesce(t.fact_id in (select value from json_each(:bearing)), 0) desc,
  max(p.importance, coalesce(t.importance, 0.0)) desc,
  p.id desc,
  t.id
limit :limit;
