-- What upkeep looks for: stretches of talk without a summary, habits, tasks that stall, notes and versions beyond what is kept.

-- Sessions that are over, or have become warm, and have no episode yet.
-- statement: sessions
select s.user_id, s.session_id, s.turns, s.started_at, s.last_turn_at
from sessions s
where (:user_id is null or s.user_id = :user_id)
  and (s.ended_at is not null or s.last_turn_at <= :hot)
  and not exists (
    select 1 from facts e where e.user_id = s.user_id and e.session_id = s.session_id and e.kind = 'episode' and e.source = 'inferred')
order by s.last_turn_at, s.user_id, s.session_id
limit :limit;

-- statement: messages
select r.record
from facts f join fact_record r on r.id = f.id
where f.user_id = :user_id and f.session_id = :session_id and f.kind = 'message' and f.status = 'active'
order by f.id;

-- The users who have said enough, or something significant, since they were last reflected upon.
-- statement: unreflected
select t.user_id, count(*) as turns
from turns t
where (:user_id is null or t.user_id = :user_id)
  and t.timestamp > coalesce((select u.reflected_at from upkeep u where u.user_id = t.user_id), '')
group by t.user_id
having count(*) >= :turns
  or exists (
    select 1 from facts f
    where f.user_id = t.user_id
      and f.memory_type = 'SIGNIFICANT'
      and f.updated_at > coalesce((select u.reflected_at from upkeep u where u.user_id = t.user_id), ''))
order by t.user_id;

-- What somebody said lately, the assistant aside.
-- statement: lately
select r.record
from facts f join fact_record r on r.id = f.id
where f.user_id = :user_id
  and f.kind = 'message'
  and f.status = 'active'
  and coalesce(f.speaker, 'user') <> 'assistant'
  and f.valid_from > :since
  and f.valid_from <= :now
order by f.id;

-- Facts that were said again on several days, with the priority they would have if they were asked for: relevance over the features that are
-- known without a question, times confidence.
-- statement: recurring
with
weight as materialized (
  select
    coalesce(max(value) filter (where feature = 'match'), 0) as match,
    coalesce(max(value) filter (where feature = 'recency'), 0) as recency,
    coalesce(max(value) filter (where feature = 'frequency'), 0) as frequency,
    coalesce(max(value) filter (where feature = 'intrinsic_importance'), 0) as intrinsic_importance,
    coalesce(max(value) filter (where feature = 'sure_confidence'), 0) as sure_confidence,
    coalesce(max(value) filter (where feature = 'sure_match'), 0) as sure_match,
    coalesce(max(value) filter (where feature = 'sure_agreement'), 0) as sure_agreement,
    coalesce(max(value) filter (where feature = 'sure_source_reliability'), 0) as sure_source_reliability
  from weights
  where name = 'priority'
),
recurring as (
  select
    f.id,
    (select count(distinct substr(h.changed_at, 1, 10)) from fact_history h
     where h.fact_id = f.fact_id and h.operation in ('insert', 'update', 'noop', 'confirm')) as days,
    exp(-max(0.0, julianday(:now) - julianday(coalesce(f.last_mentioned_at, f.updated_at))) / k.tau_days) as recency,
    1.0 - exp(-f.seen_count / 3.0) as frequency,
    min(1.0, max(0, f.seen_count - 1) / 3.0) as agreement,
    case f.source
      when 'user_message' then 0.95 when 'tool' then 0.90 when 'system' then 0.80
      when 'inferred' then 0.70 when 'assistant_message' then 0.70 else 0.60
    end as source_reliability
  from facts f join kinds k on k.kind = f.kind
  where (:user_id is null or f.user_id = :user_id)
    and f.kind = 'fact'
    and f.status = 'active'
    and f.category = 'other'
    and f.seen_count >= :days
)
select f.fact_id, p.days
from recurring p
join facts f on f.id = p.id
cross join weight w
where p.days >= :days
  and (w.match + w.recency * p.recency + w.frequency * p.frequency + w.intrinsic_importance * f.importance)
      / max(1e-9, w.match + w.recency + w.frequency + w.intrinsic_importance)
    * (w.sure_confidence * f.confidence + w.sure_match + w.sure_agreement * p.agreement + w.sure_source_reliability * p.source_reliability)
    >= :priority
order by f.id;

-- statement: promote
update facts set category = 'soft_preference', tags = json_insert(tags, '$[#]', 'promoted'), updated_at = :now where fact_id = :fact_id;

-- What is uncertain is believed half as much, and found only if it is asked for.
-- statement: doubt
update facts set status = 'uncertain', confidence = confidence * 0.5, updated_at = :now where fact_id = :fact_id;

-- Notes beyond the number that is kept, the weakest first to go: how sure, how often, how lately.
-- statement: surplus
select fact_id from (
  select
    f.fact_id,
    row_number() over (
      partition by f.user_id
      order by f.confidence * (1.0 - exp(-f.seen_count / 3.0))
               * exp(-max(0.0, julianday(:now) - julianday(coalesce(f.last_mentioned_at, f.updated_at))) / 365.0) desc, f.id desc) as place
  from facts f
  where (:user_id is null or f.user_id = :user_id) and f.kind = 'note' and f.status = 'active')
where place > :keep
order by fact_id;

-- statement: archive
update facts set status = 'archived', updated_at = :now where fact_id = :fact_id;

-- Versions of a key beyond the newest ones; the archive keeps them.
-- statement: old_versions
insert or replace into facts_archive (fact_id, user_id, key, source_turn_id, valid_from, valid_to, status, record, archived_at)
select f.fact_id, f.user_id, f.key, f.source_turn_id, f.valid_from, f.valid_to, f.status, r.record, :now
from (
  select id, row_number() over (partition by user_id, kind, key order by valid_from desc, id desc) as place
  from facts
  where (:user_id is null or user_id = :user_id) and kind <> 'message' and status in ('superseded', 'expired')) o
join facts f on f.id = o.id
join fact_record r on r.id = o.id
where o.place > :keep
returning fact_id;

-- statement: drop_archived
delete from facts
where (:user_id is null or user_id = :user_id)
  and kind <> 'message'
  and status in ('superseded', 'expired')
  and fact_id in (select fact_id from facts_archive);

-- Open tasks of a user, for what was said to be done.
-- statement: open_tasks
select r.record
from facts f join fact_record r on r.id = f.id
where f.user_id = :user_id and f.kind = 'task' and f.status = 'active'
order by f.id;

-- Turns that were not yet looked through for open loops.
-- statement: unlooped
select id, turn_id, user_id, session_id, speaker, user_input, assistant_response, timestamp, attempts
from turns
where (:user_id is null or user_id = :user_id)
  and status = 'done'
  and id > coalesce((select u.looped_id from upkeep u where u.user_id = turns.user_id), 0)
order by id
limit :limit;

-- statement: reflected
insert into upkeep (user_id, reflected_at) values (:user_id, :now)
on conflict (user_id) do update set reflected_at = excluded.reflected_at;

-- statement: looped
insert into upkeep (user_id, looped_id) values (:user_id, :id)
on conflict (user_id) do update set looped_id = max(looped_id, excluded.looped_id);
