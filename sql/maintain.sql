-- First-person memories: how they fade, and the nightly maintenance.

-- effective_importance = max(floor, min(cap, importance × type weight × decay × access bonus)), with
--   decay = max(floor, 0.5 ^ (days since access / (half-life × retention of the type)))
--   access bonus = min(1, 0.5 + ln(1 + access count) × 0.1)
-- for all memories made since :since, or those of :fact_ids; without :now, as of the making of each. What was stated anew was seen then, and
-- what has no type weighs as its kind does, as in a search. The index of narratives is named, or every message of the file would be looked at.
-- statement: decay
with
reckoned as (
  select
    f.id,
    max(:minimum_importance, min(:max_importance,
      f.importance
      * coalesce(t.weight, k.weight)
      * coalesce(max(:minimum_importance, pow(0.5,
          max(0.0, julianday(coalesce(:now, f.created_at)) - julianday(coalesce(f.last_accessed, f.last_mentioned_at, f.created_at)))
          / (coalesce(:base_half_life_days, k.half_life_days) * coalesce(t.retention_multiplier, 1.0)))), 1.0)
      * min(1.0, 0.5 + ln(1 + f.access_count) * 0.1))) as effective_importance
  from facts f indexed by facts_narrative
  cross join kinds k on k.kind = f.kind
  left join memory_types t on t.memory_type = f.memory_type
  where f.kind = 'narrative' and f.status = 'active' and f.created_at >= :since and f.created_at <= coalesce(:now, x'')
    and (:user_id is null or f.user_id = :user_id)
    and (:fact_ids is null or f.fact_id in (select value from json_each(:fact_ids)))
)
update facts set effective_importance = reckoned.effective_importance
from reckoned
where facts.id = reckoned.id;

-- statement: archive
update facts indexed by facts_narrative set status = 'archived', updated_at = :now
where kind = 'narrative' and status = 'active' and created_at <= :now and effective_importance < :archive_threshold
  and (:user_id is null or user_id = :user_id)
returning fact_id, user_id, key, effective_importance;

-- What is about to be deleted leaves a line in the history, without its text.
-- What went into a pattern stays as long as the pattern does, so that it is found through it, and goes with it.
-- statement: deleted
with
over as materialized (
  select f.id, f.fact_id, f.user_id, f.key
  from facts f indexed by facts_narrative
  where f.kind = 'narrative' and f.status = 'archived' and f.updated_at <= :before
    and (:user_id is null or f.user_id = :user_id)
    and not exists (
      select 1 from links l join facts p on p.fact_id = l.target_id and p.value_json ->> 'pattern' = 1
      where l.source_id = f.fact_id and l.relation = 'supports' and f.value_json ->> 'consolidated' = 1
        and not (p.status = 'archived' and p.updated_at <= :before))
)
insert into fact_history (fact_id, user_id, key, operation, before, after, reason, turn_id, action_hash, changed_at)
select fact_id, user_id, key, 'archive', null, null, 'deleted after its time in the archive', :turn_id, :turn_id, :now
from over;

-- statement: delete
-- with: maintain.deleted.over
delete from facts where id in (select id from over)
returning fact_id, user_id, value_json ->> 'segment_id' as segment_id;

-- statement: allow
insert into erasures (user_id, key) select value, null from json_each(:users);

-- statement: unquote
update fact_history set before = null, after = null, reason = '(deleted)'
where fact_id in (select value from json_each(:fact_ids)) and coalesce(before, after) is not null;

-- statement: delete_calls
delete from model_calls
where user_id in (select value from json_each(:users)) and turn_id in (select value from json_each(:told))
  and purpose in ('narrate', 'classify', 'consolidate');

-- statement: history
insert into fact_history (fact_id, user_id, key, operation, before, after, reason, turn_id, action_hash, changed_at)
values (:fact_id, :user_id, :key, 'archive', null, null, :reason, :turn_id, :turn_id, :now);

-- What was recalled since it was last written down: reinforced, once each time, and without what sums of binary fractions leave behind.
-- statement: reinforce
update facts set
  access_count = access_count + :times,
  last_accessed = max(coalesce(last_accessed, :at), :at),
  importance = max(importance, min(:max_importance, round(importance + :times * :access_reinforcement, 6)))
where fact_id = :fact_id and kind = 'narrative';

-- Since when something waits to fade, since when something lies in the archive that may be deleted, and the last night that was done.
-- statement: due
select
  min(created_at) filter (where status = 'active') as active_since,
  min(updated_at) filter (
    where status = 'archived'
      and not exists (
        select 1 from links l join facts p on p.fact_id = l.target_id and p.value_json ->> 'pattern' = 1
        where l.source_id = facts.fact_id and l.relation = 'supports' and facts.value_json ->> 'consolidated' = 1)) as archived_since,
  (select value from meta where name = 'maintained_at') as maintained_at
from facts indexed by facts_narrative
where kind = 'narrative';

-- Memories that may become part of a pattern, and the patterns there are. What matters most is never blurred into one. What went into a
-- pattern that was rejected goes into no other.
-- statement: repeatable
select
  f.fact_id, f.user_id, f.kind, f.key, f.value_text, f.value_json, f.category, f.memory_type, f.confidence, f.importance,
  f.effective_importance, f.source, f.speaker, f.event_time, f.valid_from, f.valid_to, f.status, f.source_turn_id, f.source_excerpt,
  f.session_id, f.tags, f.embedding_id, f.created_at, f.updated_at, f.last_mentioned_at, f.seen_count, f.last_accessed, f.access_count
from facts f indexed by facts_narrative
where f.kind = 'narrative' and f.status = 'active' and f.created_at <= :now and f.memory_type <> 'SIGNIFICANT'
  and (:user_id is null or f.user_id = :user_id)
  and not exists (
    select 1 from links l join facts p on p.fact_id = l.target_id and p.status = 'expired' and p.value_json ->> 'pattern' = 1
    where l.source_id = f.fact_id and l.relation = 'supports')
order by f.user_id, f.created_at, f.id;

-- statement: still_active
select count(*) as active from facts where status = 'active' and fact_id in (select value from json_each(:fact_ids));

-- statement: consolidated
update facts set status = 'archived', updated_at = :now, value_json = json_set(value_json, '$.consolidated', 1)
where fact_id in (select value from json_each(:fact_ids)) and status = 'active' and kind = 'narrative'
returning fact_id, user_id, key;

-- Seen again, a pattern is as fresh as if it were recalled, and as important as its type allows.
-- statement: grow
update facts set
  value_text = :value_text,
  value_json = :value_json,
  seen_count = :seen_count,
  importance = max(importance, :importance),
  last_accessed = max(coalesce(last_accessed, :now), :now),
  last_mentioned_at = :now,
  updated_at = :now
where fact_id = :fact_id and status = 'active';
