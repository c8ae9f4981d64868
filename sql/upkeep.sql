-- What upkeep looks for: stretches of talk without a summary, habits, tasks that stall, notes and versions beyond what is kept. A null :user_id
-- is everybody; every text is less than a blob, so that the index finds one user's rows without a look at the others'.

-- The next session without a summary of all of it that is over, or has become warm, whose user nobody is at and has no turns waiting. Users take
-- turns, by name, from the one behind :after on.
-- statement: session
with
owners as (  -- user by user; `lap` is 1 from where the last was passed until :after comes again
  select coalesce(:user_id, :after, '') as user_id, coalesce(:user_id, :after, '') as since, 0 as lap
  union all
  select
    (select s.user_id
     from sessions s indexed by sessions_over
     where s.summarised < s.turns and s.ended_at is not null and s.user_id > coalesce(o.user_id, '')
     order by s.user_id
     limit 1),
    o.since,
    o.lap + (o.user_id is null)
  from owners o
  where :user_id is null and (o.lap = 0 or o.user_id < o.since)
)
select s.user_id, s.session_id, s.turns, s.day
from owners o
cross join sessions s indexed by sessions_over on s.user_id = o.user_id and s.summarised < s.turns and s.ended_at is not null
where o.lap = iif(o.user_id = o.since, :user_id is null, o.user_id < o.since)
  and not exists (select 1 from upkeep u where u.user_id = o.user_id and u.claimed_until > :now)
  and not exists (select 1 from turns t where t.user_id = o.user_id and t.status in ('queued', 'working'))
union all
select s.user_id, s.session_id, s.turns, s.day
from sessions s
where (:user_id is null or s.user_id = :user_id)
  and s.summarised < s.turns
  and s.ended_at is null
  and s.last_turn_at <= :hot
  and not exists (select 1 from upkeep u where u.user_id = s.user_id and u.claimed_until > :now)
  and not exists (select 1 from turns t where t.user_id = s.user_id and t.status in ('queued', 'working'))
limit 1;

-- statement: summarised
update sessions set summarised = :turns
where user_id = :user_id and session_id = :session_id and turns = :turns
returning session_id;

-- A session that went on after it was summarised is told anew, unless somebody has rejected or ended what was told of it.
-- statement: tell
insert into facts (
  fact_id, user_id, kind, key, value_text, value_json, category, memory_type, confidence, importance, effective_importance, source,
  event_time, valid_from, status, source_turn_id, source_excerpt, session_id, tags, created_at, updated_at, last_mentioned_at
)
select
  :fact_id, :user_id, 'episode', 'user.episode', :value_text, :value_json, p.category, p.memory_type, :confidence, p.importance, p.importance,
  'inferred', :event_time, :valid_from, 'active', :source_turn_id, :value_text, :session_id, :tags, :event_time, :valid_from, :valid_from
from predicates p
where p.predicate = 'episode' and not exists (select 1 from facts_archive a where a.fact_id = :fact_id)
on conflict (fact_id) do update set
  value_text = excluded.value_text,
  value_json = excluded.value_json,
  source_excerpt = excluded.source_excerpt,
  event_time = excluded.event_time,
  valid_from = excluded.valid_from,
  tags = excluded.tags,
  updated_at = excluded.updated_at,
  last_mentioned_at = excluded.last_mentioned_at
where facts.status not in ('superseded', 'expired') and coalesce(facts.valid_to > excluded.valid_from, 1);

-- Only one worker at a time is at a user's upkeep.
-- statement: claim
insert into upkeep (user_id, claimed_by, claimed_until) values (:user_id, :worker, :until)
on conflict (user_id) do update set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until;

-- statement: release
update upkeep set claimed_by = null, claimed_until = null where user_id = :user_id and claimed_by = :worker
returning user_id;

-- statement: reopen
update upkeep set claimed_by = null, claimed_until = null where claimed_by is not null and claimed_until > :after;

-- statement: claimants
select user_id, claimed_by from upkeep where claimed_by is not null;

-- A turn that was thought about counts towards the next reflection; significant is what its user is, or lives through.
-- statement: count
insert into upkeep (user_id, turns_since, significant_session) values (
  :user_id, 1,
  (select :session_id from facts f
   where f.user_id = :user_id and f.source_turn_id = :turn_id and f.kind = 'fact' and f.memory_type = 'SIGNIFICANT' limit 1))
on conflict (user_id) do update set
  turns_since = turns_since + 1,
  significant_session = coalesce(excluded.significant_session, significant_session);

-- What was said in a session, or in none from one instant until before another: one of the two is null, and finds nothing. What a system or a
-- tool puts into a chat is none of the talk.
-- statement: messages
with said as (
  select id
  from facts indexed by facts_session
  where user_id = :user_id and session_id = :session_id and kind = 'message' and status = 'active' and source not in ('system', 'tool')
  union all
  select id
  from facts indexed by facts_said
  where user_id = :user_id and session_id is null and kind = 'message' and status = 'active' and source not in ('system', 'tool')
    and valid_from >= :begins and valid_from < :ends
)
select r.record
from said s cross join fact_record r on r.id = s.id
order by s.id;

-- The next user who has said enough since the last reflection, or whose session with something significant in it is over: behind :after, if there is one.
-- statement: unreflected
select u.user_id, u.reflected_id
from upkeep u
where (:user_id is null or u.user_id = :user_id)
  and (u.claimed_until is null or u.claimed_until <= :now)
  and (u.turns_since >= :turns
    or exists (
      select 1 from sessions s where s.user_id = u.user_id and s.session_id = u.significant_session and s.ended_at is not null))
order by u.user_id <= coalesce(:after, ''), u.user_id
limit 1;

-- The turn to reflect at: the last of the first significant session that is over, or the last of as many as are wanted. It follows from the
-- turns alone, however late the worker is.
-- statement: reflection_at
with
since as materialized (
  select t.id, t.turn_id, t.session_id, t.timestamp
  from turns t
  where t.user_id = :user_id and t.id > :reflected_id and t.status = 'done'
  order by t.id
  limit :turns
),
significant as (
  select s.session_id
  from since n
  join sessions s on s.user_id = :user_id and s.session_id = n.session_id
  where s.ended_at is not null
    and exists (
      select 1 from facts f
      where f.user_id = :user_id and f.source_turn_id = n.turn_id and f.kind = 'fact' and f.memory_type = 'SIGNIFICANT')
)
select id, turn_id, timestamp
from since
where id = (select max(id) from since n where session_id in (select session_id from significant) group by session_id order by 1 limit 1)
   or id = (select max(id) from since having count(*) >= :turns)
order by id
limit 1;

-- What came in meanwhile counts for the next time. The turns of a session are found by its messages: there may be very many behind this one.
-- statement: reflected
update upkeep set
  reflected_id = :id,
  turns_since = iif(:id > reflected_id,
    max(0, turns_since - (
      select count(*) from turns t where t.user_id = :user_id and t.id > upkeep.reflected_id and t.id <= :id and t.status = 'done')),
    (select count(*) from turns t where t.user_id = :user_id and t.id > :id and t.status = 'done')),
  significant_session = (
    select m.session_id
    from facts m indexed by facts_session
    cross join turns t on t.user_id = m.user_id and t.turn_id = m.source_turn_id and t.id > :id
    cross join facts f on f.user_id = m.user_id and f.source_turn_id = m.source_turn_id and f.kind = 'fact' and f.memory_type = 'SIGNIFICANT'
    where m.user_id = :user_id and m.session_id = upkeep.significant_session and m.kind = 'message'
    limit 1)
where user_id = :user_id;

-- What people had said lately by a turn, neither the assistant nor a tool, and what of it was not reflected upon before. Where very much was said
-- lately, the last messages will do: an import has one reflection behind the other, and each would read all of it.
-- statement: lately
with
since as materialized (
  select turn_id from turns where user_id = :user_id and id > :reflected_id and id <= :id
),
last as materialized (
  select max(m.id) as id
  from since s
  cross join facts m on m.user_id = :user_id and m.source_turn_id = s.turn_id and m.kind = 'message'
),
volume as materialized (
  select count(*) > :most as is_much
  from (select 1 from facts indexed by facts_said where user_id = :user_id and kind = 'message' and valid_from > :since limit :most + 1)
),
said as materialized (
  select f.id
  from volume v
  cross join last l
  cross join facts f indexed by facts_said on f.user_id = :user_id and f.kind = 'message' and f.valid_from > :since and f.id <= l.id
  where not v.is_much
  union all
  select id
  from (
    select f.id
    from volume v
    cross join last l
    cross join facts f indexed by facts_user_id
      on f.user_id = :user_id and f.kind = 'message' and f.status = 'active' and f.id <= l.id
    where v.is_much
    order by f.id desc
    limit :most)
)
select f.value_text, f.valid_from, f.tags, f.source_turn_id in (select turn_id from since) as fresh
from said s
cross join facts f on f.id = s.id
where f.status = 'active'
  and f.source = 'user_message'
  and f.valid_from > :since
order by f.id;

-- Facts that were said again and again, and when, with the priority they would have if they were asked for: relevance over the features that are
-- known without a question, times confidence. What upkeep did with one is not that it was said.
-- statement: recurring
with
weight as materialized (
  select
    coalesce(w ->> 'match', 0.0) as match,
    coalesce(w ->> 'recency', 0.0) as recency,
    coalesce(w ->> 'frequency', 0.0) as frequency,
    coalesce(w ->> 'intrinsic_importance', 0.0) as intrinsic_importance,
    coalesce(w ->> 'sure_confidence', 0.0) as sure_confidence,
    coalesce(w ->> 'sure_match', 0.0) as sure_match,
    coalesce(w ->> 'sure_agreement', 0.0) as sure_agreement,
    coalesce(w ->> 'sure_source_reliability', 0.0) as sure_source_reliability
  from (select json_group_object(feature, value) as w from weights where name = 'priority')
),
recurring as (
  select
    f.id,
    f.fact_id,
    f.created_at,
    exp(-max(0.0, julianday(:now) - julianday(coalesce(f.last_mentioned_at, f.updated_at))) / k.tau_days) as recency,
    1.0 - exp(-f.seen_count / 3.0) as frequency,
    min(1.0, max(0, f.seen_count - 1) / 3.0) as agreement,
    case f.source
      when 'user_message' then 0.95 when 'tool' then 0.90 when 'system' then 0.80
      when 'inferred' then 0.70 when 'assistant_message' then 0.70 else 0.60
    end as source_reliability
  from facts f indexed by facts_user_id
  cross join kinds k on k.kind = f.kind
  where f.user_id between coalesce(:user_id, '') and coalesce(:user_id, x'')
    and f.kind = 'fact'
    and f.status = 'active'
    and f.category = 'other'
    and f.seen_count >= :days
),
-- itself, and what upkeep has found to say the same
same as (
  select id, fact_id, created_at from recurring
  union all
  select p.id, o.fact_id, o.before ->> 'created_at'
  from recurring p
  cross join fact_history m on m.fact_id = p.fact_id and m.operation = 'noop' and m.turn_id glob 'maintain-*'
  cross join fact_history o on o.user_id = m.user_id and o.turn_id = m.turn_id and o.operation = 'supersede' and o.action_hash = m.action_hash
),
-- when it was said: other changes tell nothing of that, nor does what was taken back
said as materialized (
  select id, json_group_array(at) as times
  from (
    select id, created_at as at from same
    union all
    select s.id, h.changed_at
    from same s
    cross join fact_history h on h.fact_id = s.fact_id
    where h.turn_id not glob 'maintain-*'
      and (h.operation = 'confirm' or (h.operation in ('update', 'noop') and h.after ->> 'seen_count' > h.before ->> 'seen_count'))
      and not exists (
        select 1 from fact_history u where u.fact_id = h.fact_id and u.operation = 'undo' and u.action_hash = 'undo-' || h.id))
  group by id
)
select r.record, s.times as said
from recurring p
join said s on s.id = p.id
join facts f on f.id = p.id
join fact_record r on r.id = p.id
cross join weight w
where json_array_length(s.times) >= :days
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
select r.record from (
  select
    f.id,
    row_number() over (
      partition by f.user_id
      order by f.confidence * (1.0 - exp(-f.seen_count / 3.0))
               * exp(-max(0.0, julianday(:now) - julianday(coalesce(f.last_mentioned_at, f.updated_at))) / 365.0) desc, f.id desc) as place
  from facts f indexed by facts_user_id
  where f.user_id between coalesce(:user_id, '') and coalesce(:user_id, x'') and f.kind = 'note' and f.status = 'active') o
cross join fact_record r on r.id = o.id
where o.place > :keep
order by r.fact_id;

-- statement: archive
update facts set status = 'archived', updated_at = :now where fact_id = :fact_id;

-- Versions of a key beyond the newest ones.
-- statement: old_versions
select fact_id
from (
  select fact_id, row_number() over (partition by user_id, kind, key order by valid_from desc, id desc) as place
  from facts indexed by facts_closed
  where user_id between coalesce(:user_id, '') and coalesce(:user_id, x'') and kind <> 'message' and status in ('superseded', 'expired'))
where place > :keep;

-- Open tasks of a user, for what is said to be done.
-- statement: open_tasks
select r.record
from facts f join fact_record r on r.id = f.id
where f.user_id = :user_id and f.kind = 'task' and f.status = 'active'
order by f.id;
