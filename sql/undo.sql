-- Taking back what a turn, or a whole session, taught. Newest change first; what was taken back already is no change any more.

-- Whose a turn or a session is, where that is not said: a turn's, or what an application stated.
-- statement: whose
select t.user_id from turns t where t.turn_id = :turn_id or t.session_id = :session_id
union
select h.user_id from fact_history h where h.turn_id = :turn_id
union
select f.user_id from facts f where f.session_id = :session_id
union
select h.user_id from fact_history h where h.session_id = :session_id
union
select f.user_id from facts f where f.source_turn_id = :turn_id and f.kind <> 'message'  -- stored as it is
limit 2;

-- statement: changes
select h.id, h.fact_id, h.operation, h.before, h.after, h.turn_id, h.action_hash
from fact_history h
where h.user_id = :user_id
  and h.operation not in ('undo', 'archive')
  and h.action_hash <> h.turn_id  -- nobody decided about it
  and h.after is not null  -- what it was is forgotten
  and h.turn_id in (
    select :turn_id
    union all
    select t.turn_id from turns t where t.user_id = :user_id and t.session_id = :session_id
    union all
    select m.source_turn_id from facts m indexed by facts_session where m.user_id = :user_id and m.session_id = :session_id and m.kind = 'message'
    union all  -- what an application stated in the session, or drew from it, came with no turn of its own: looked for among all but the messages
    select f.source_turn_id
    from kinds k
    cross join facts f on f.user_id = :user_id and f.kind = k.kind
    where :session_id is not null and k.kind <> 'message' and f.session_id = :session_id
    union all
    select s.turn_id from fact_history s where s.user_id = :user_id and s.session_id = :session_id)
  and not exists (
    select 1 from fact_history u where u.fact_id = h.fact_id and u.operation = 'undo' and u.action_hash = 'undo-' || h.id)
order by h.id desc;

-- Which of some facts something else has changed since a change, each given as [fact_id, id] and told by its place; that it was moved away is no
-- change, nor that the time came until which it was said to be so, nor that it was told or seen again, nor is what was itself taken back.
-- statement: later
select c.key as place
from json_each(:changes) c
where exists (
  select 1
  from fact_history h
  where h.fact_id = c.value ->> 0 and h.id > c.value ->> 1 and h.turn_id not in (select value from json_each(:undone))
    and h.action_hash <> h.turn_id  -- nobody decided about it
    and not (h.operation = 'expire' and h.reason = 'its time is over')
    and h.operation <> 'undo'
    and not exists (
      select 1 from fact_history u where u.fact_id = h.fact_id and u.operation = 'undo' and u.action_hash = 'undo-' || h.id));

-- What was stored as it is: no history tells that it came in.
-- statement: stored
select f.fact_id, f.source_turn_id, f.valid_from
from facts f
where f.id in (
    select t.id from facts t where t.user_id = :user_id and t.source_turn_id = :turn_id
    union
    select s.id
    from facts s
    where :session_id is not null and s.user_id = :user_id and s.kind in ('fact', 'note', 'task', 'procedure') and s.session_id = :session_id)
  and f.kind in ('fact', 'note', 'task', 'procedure')
  and not (f.status = 'expired' and f.valid_to = f.valid_from)
  and not exists (select 1 from fact_history h where h.fact_id = f.fact_id and h.before is null and h.after is not null)
order by f.id desc;

-- Where upkeep made one of a fact and of others that said the same: what that changed, the newest first.
-- statement: merges
select h.id, h.fact_id, h.before, h.after, h.turn_id, h.action_hash
from fact_history m
join fact_history h on h.user_id = m.user_id and h.turn_id = m.turn_id and h.action_hash = m.action_hash
where m.fact_id = :fact_id
  and m.id > :since
  and m.turn_id glob 'maintain-*'
  and m.operation in ('noop', 'supersede')
  and not exists (
    select 1 from fact_history u where u.fact_id = h.fact_id and u.operation = 'undo' and u.action_hash = 'undo-' || h.id)
order by h.id desc;

-- What is held by itself again may be held twice.
-- statement: look_again
update merged set up_to = min(up_to, (select f.id - 1 from facts f where f.fact_id = :fact_id)) where user_id = :user_id;

-- By what a fact became the belief.
-- statement: became
select h.turn_id, h.action_hash
from fact_history h
where h.fact_id = :fact_id
  and h.operation in ('insert', 'confirm')
  and not exists (
    select 1 from fact_history u where u.fact_id = h.fact_id and u.operation = 'undo' and u.action_hash = 'undo-' || h.id)
order by h.id desc
limit 1;

-- What else an action changed by which a fact became the belief, and has not been taken back; the newest first.
-- statement: displaced
select h.id, h.fact_id, h.before, h.after, h.turn_id, h.action_hash
from fact_history b
join fact_history h on h.user_id = b.user_id and h.turn_id = b.turn_id and h.action_hash = b.action_hash and h.fact_id <> b.fact_id
where b.fact_id = :fact_id
  and b.operation in ('insert', 'confirm')
  and h.operation in ('supersede', 'update')
  and not exists (
    select 1 from fact_history u where u.fact_id = h.fact_id and u.operation = 'undo' and u.action_hash = 'undo-' || h.id)
order by h.id desc;

-- What waited to take the place of a fact, and was dismissed by a turn that ended this. What lay in the archive has no links any more: of that it is
-- what waited under the same key.
-- statement: dismissed
with
dismissal as (
  select h.id, h.fact_id, h.before, h.after
  from links l
  join fact_history h on h.fact_id = l.source_id and h.operation = 'reject' and h.turn_id = :turn_id
  where l.target_id = :fact_id
    and l.relation = 'contradicts'
  union
  select h.id, h.fact_id, h.before, h.after
  from facts f
  join fact_history h on h.user_id = f.user_id and h.key = f.key and h.operation = 'reject' and h.turn_id = :turn_id
  where f.fact_id = :fact_id
    and h.before ->> 'status' = 'pending_confirmation'
    and not exists (select 1 from links l where l.source_id = h.fact_id and l.relation = 'contradicts')
)
select d.id, d.fact_id, d.before, d.after
from dismissal d
where d.id = (select max(n.id) from fact_history n where n.fact_id = d.fact_id and n.operation <> 'archive')
order by d.id desc;

-- statement: restore
update facts set
  value_text = :before ->> 'value_text',
  value_json = :before -> 'value_json',
  event_time = :before ->> 'event_time',
  valid_from = :before ->> 'valid_from',
  valid_to = :before ->> 'valid_to',
  status = :before ->> 'status',
  confidence = :before ->> 'confidence',
  source = :before ->> 'source',
  seen_count = :before ->> 'seen_count',
  created_at = :before ->> 'created_at',
  last_mentioned_at = :before ->> 'last_mentioned_at',
  -- upkeep changes these, too, and records nothing of it
  tags = iif(:before -> 'tags' is :after -> 'tags', tags, :before -> 'tags'),
  memory_type = iif(:before ->> 'memory_type' is :after ->> 'memory_type', memory_type, :before ->> 'memory_type'),
  importance = iif(:before ->> 'importance' is :after ->> 'importance', importance, :before ->> 'importance'),
  effective_importance = iif(:before ->> 'importance' is :after ->> 'importance', effective_importance, :before ->> 'importance'),
  updated_at = :now
where fact_id = :fact_id;

-- How a procedure went in a turn counts no more with what that changed.
-- statement: outcome
delete from outcomes where fact_id = :fact_id and turn_id = :turn_id;

-- Turns that nobody has thought about yet; whoever is at one loses it.
-- statement: unteach
update turns set
  status = 'done',
  error = 'taken back before it was thought about',
  claimed_by = null,
  claimed_until = null,
  next_attempt_at = null
where user_id = :user_id and status <> 'done' and (turn_id = :turn_id or session_id = :session_id)
returning id;

-- What was said to be over; what ended by it, or was ended, stands again by its history.
-- statement: unsay
delete from ends
where user_id = :user_id and (turn_id = :turn_id
  or turn_id in (select t.turn_id from turns t where :session_id is not null and t.user_id = :user_id and t.session_id = :session_id));

-- What became an event and is still to be told, is told no more.
-- statement: untell
with
said as (
  select t.turn_id from turns t where t.user_id = :user_id and (t.turn_id = :turn_id or t.session_id = :session_id)
)
delete from events
where user_id = :user_id and segment_id is null
  and event_id in (select 'turn-' || turn_id from said) and turn_id in (select turn_id from said);

-- First-person memories that tell of it.
-- statement: memories
-- with: undo.untell.said
select f.fact_id, f.valid_from, e.segment_id
from said s
cross join events e on e.user_id = :user_id and e.event_id = 'turn-' || s.turn_id and e.turn_id = s.turn_id
cross join facts f on f.user_id = :user_id and f.source_turn_id = e.segment_id and f.kind = 'narrative' and f.status in ('active', 'archived')
group by f.fact_id
order by f.id;

-- statement: patterns
select p.fact_id, p.valid_from
from links l
join facts p on p.fact_id = l.target_id and p.kind = 'narrative' and p.value_json ->> 'pattern' = 1 and p.status in ('active', 'archived')
where l.source_id = :fact_id and l.relation = 'supports'
order by p.id;

-- What went into a pattern.
-- statement: parts
select f.fact_id
from links l join facts f on f.fact_id = l.source_id and f.kind = 'narrative' and f.status = 'archived' and f.value_json ->> 'consolidated' = 1
where l.target_id = :fact_id and l.relation = 'supports'
order by f.id;

-- statement: release
update facts set status = 'active', value_json = json_set(value_json, '$.consolidated', 0), updated_at = :now
where fact_id = :fact_id;

-- statement: dissolve
delete from links where target_id = :fact_id and relation = 'supports';

-- statement: free_events
-- with: undo.untell.said
update events set segment_id = null
where user_id = :user_id and segment_id = :segment_id and (turn_id is null or turn_id not in (select turn_id from said));
