-- A session's life: it begins, is held by a process, is told about, and ends.

-- statement: begin
insert into sessions (user_id, session_id, started_at, last_turn_at, turns) values (:user_id, :session_id, :now, :now, 0)
on conflict (user_id, session_id) do update set ended_at = null;

-- Who holds it, a line each: a conversation may be open twice.
-- statement: holders
select held_by from open_sessions where user_id = :user_id and session_id = :session_id;

-- statement: hold
insert into open_sessions (user_id, session_id, held_by, opened_at) values (:user_id, :session_id, :held_by, :now)
on conflict (user_id, session_id) do update set held_by = excluded.held_by;

-- Whether a session is still held as it was, which it is not where its user was forgotten, and whether anything is held of the user.
-- statement: stands
select
  exists (
    select 1 from open_sessions
    where user_id = :user_id and session_id = :session_id and instr(char(10) || held_by || char(10), char(10) || :held_by || char(10)) > 0) as held,
  exists (select 1 from turns where user_id = :user_id) or exists (select 1 from facts where user_id = :user_id) as known;

-- Of what a session has in mind, what is in the file still: facts by their ids, if they still hold good, turns by theirs.
-- statement: there
select fact_id as id
from facts
where user_id = :user_id and fact_id in (select value from json_each(:ids))
  and status in ('active', 'pending_confirmation', 'archived')
  and (valid_to is null or valid_to > :now)
union all
select turn_id from turns where user_id = :user_id and turn_id in (select value from json_each(:ids));

-- statement: others
select session_id, held_by from open_sessions where user_id = :user_id and session_id <> :session_id order by opened_at, session_id;

-- statement: end
update sessions set ended_at = max(last_turn_at, :now) where user_id = :user_id and session_id = :session_id;

-- statement: release
delete from open_sessions where user_id = :user_id and session_id = :session_id;

-- statement: waiting
select exists (select 1 from turns where user_id = :user_id and status in ('queued', 'working')) as waits;

-- What the semantic memory of a user begins with: live, most important first.
-- statement: known
select r.record
from facts f join fact_record r on r.id = f.id
where f.user_id = :user_id
  and f.kind in ('fact', 'task', 'note', 'procedure')
  and f.status = 'active'
  and f.valid_from <= max(:now, min(f.created_at, :said_by))
  and (f.valid_to is null or f.valid_to > :now)
order by f.importance desc, f.confidence desc, f.key, f.fact_id
limit :limit;

-- Those of some facts that may be told as they are: sure, for good, and undisputed. How a task stands is told elsewhere.
-- statement: plain
select f.fact_id
from json_each(:ids) i
cross join facts f on f.fact_id = i.value
where f.kind <> 'task'
  and f.confidence >= :sure
  and f.valid_to is null
  and not exists (
    select 1
    from links l join facts d on d.fact_id = l.source_id
    where l.target_id = f.fact_id and l.relation = 'contradicts' and d.status = 'pending_confirmation');

-- Whose rows have vectors, and whose wait for one.
-- statement: indexed
select
  count(*) filter (where f.embedding_id is not null) as written,
  coalesce(sum((select count(*) from outbox o where o.id in (f.id, -f.id) and o.dead = 0)), 0) as waiting
from facts f
where f.user_id = :user_id;

-- What was said in a session, or from one instant until before another.
-- statement: said
with within as materialized (
  select t.id, t.turn_id, t.session_id, t.timestamp, t.user_input
  from turns t
  where t.user_id = :user_id
    and (:session_id is null or t.session_id = :session_id)
    and (:begins is null or t.timestamp >= :begins)
    and (:ends is null or t.timestamp < :ends)
)
select
  count(*) as turns,
  count(distinct session_id) as sessions,
  min(timestamp) as begins,
  max(timestamp) as ends,
  (select turn_id from within order by id limit 1) as first_turn,
  (select turn_id from within order by id desc limit 1) as last_turn,
  (select w.user_input from within w
   where w.user_input <> ''
     and not exists (
       select 1 from facts f
       where f.user_id = :user_id and f.source_turn_id = w.turn_id and f.kind = 'message' and f.source in ('system', 'tool'))
   order by w.id limit 1) as opening,
  (select started_at from sessions where user_id = :user_id and session_id = :session_id) as started
from within;

-- What was learned in that time, in the order it was learned; of a fact that changed more than once the last, but for what was said of it once
-- it was over ("until 'Lisbon' began"), and for what was taken back. What turned out never to be so was not learned, nor has ended what stands again.
-- statement: learned
select
  h.fact_id, h.operation, coalesce(h.before ->> 'value_text', '') as before, coalesce(h.after ->> 'value_text', '') as after, h.changed_at,
  f.kind, coalesce(h.after, h.before) ->> 'valid_from' as valid_from, h.after ->> 'valid_to' as valid_to, h.after ->> 'event_time' as event_time
from fact_history h
join facts f on f.fact_id = h.fact_id
where h.user_id = :user_id
  and h.operation in ('insert', 'update', 'supersede', 'expire', 'confirm', 'reject', 'mark_pending_confirmation')
  and f.kind in ('fact', 'task', 'note', 'procedure')
  and (:session_id is null or f.session_id = :session_id
       or h.turn_id in (select t.turn_id from turns t where t.user_id = :user_id and t.session_id = :session_id))
  and (:begins is null or h.changed_at >= :begins)
  and h.id = (select max(l.id) from fact_history l where l.fact_id = h.fact_id and l.user_id = h.user_id
              and l.operation not in ('noop', 'undo')
              and (l.operation <> 'update' or l.after ->> 'status' not in ('superseded', 'expired'))
              and not exists (
                select 1 from fact_history u where u.fact_id = l.fact_id and u.operation = 'undo' and u.action_hash = 'undo-' || l.id)
              and (:ends is null or l.changed_at < :ends))
  and case
    when h.operation in ('supersede', 'expire', 'reject')
      then f.kind = 'task' or f.status not in ('active', 'pending_confirmation') and h.after ->> 'status' <> 'active'
    else f.status <> 'expired' or f.valid_to > f.valid_from
  end
order by h.id;

-- When it was that facts came in with a session: what was put into mind and flushed is learned in no turn, perhaps on another day.
-- statement: came_in
select h.changed_at
from json_each(:fact_ids) i
cross join facts f on f.fact_id = i.value
cross join fact_history h on h.fact_id = f.fact_id
where f.user_id = :user_id and f.session_id = :session_id and h.operation in ('insert', 'mark_pending_confirmation')
order by h.changed_at;

-- An account is told anew when more has happened, unless somebody has rejected or ended it.
-- statement: tell
insert into facts (
  fact_id, user_id, kind, key, value_text, value_json, category, confidence, importance, effective_importance, source,
  valid_from, status, source_turn_id, source_excerpt, session_id, tags, created_at, updated_at
)
select
  :fact_id, :user_id, 'episode', :key, :value_text, :value_json, 'other', 1.0, :importance, :importance, 'system',
  :valid_from, 'active', :source_turn_id, :source_excerpt, :session_id, :tags, :now, :now
where not exists (select 1 from facts_archive where fact_id = :fact_id)
on conflict (fact_id) do update set
  value_text = excluded.value_text,
  value_json = excluded.value_json,
  valid_from = excluded.valid_from,
  source_turn_id = excluded.source_turn_id,
  source_excerpt = excluded.source_excerpt,
  updated_at = excluded.updated_at
where facts.status not in ('superseded', 'expired')
  and coalesce(facts.valid_to > excluded.valid_from, 1)
  and (value_text <> excluded.value_text or value_json <> excluded.value_json);

-- Which accounts tell of something that was changed for a cause, and of what.
-- statement: telling
select f.fact_id, f.session_id, f.value_json ->> 'day' as day, f.value_json -> 'facts' as facts
from facts f
where f.user_id = :user_id
  and f.kind = 'episode'
  and f.status not in ('superseded', 'expired')
  and f.value_json ->> 'origin' in ('session', 'day')
  and exists (
    select 1
    from json_each(f.value_json, '$.facts') t
    join fact_history h on h.fact_id = t.value
    where h.user_id = :user_id and h.turn_id = :cause)
order by f.id;

-- An account supports no more what it tells of no more.
-- statement: unsupport
delete from links
where source_id = :fact_id
  and relation = 'supports'
  and target_id in (select value from json_each(:told_before))
  and target_id not in (select t.value from facts f cross join json_each(f.value_json, '$.facts') t where f.fact_id = :fact_id);

-- statement: drop_account
delete from facts where fact_id = :fact_id;

-- statement: last
select r.record
from facts f join fact_record r on r.id = f.id
where f.user_id = :user_id and f.kind = 'episode' and f.status = 'active' and f.value_json ->> 'origin' = 'session'
  and f.session_id is not :session_id
order by f.value_json ->> 'timestamp_end' desc, f.id desc
limit 1;

-- Accounts quote what may have to be forgotten; they are erased with it, and told anew of what is left, unless they have ended.
-- statement: untell
delete from facts
where user_id = :user_id and kind = 'episode' and value_json ->> 'origin' in ('session', 'day')
returning
  fact_id, key, session_id, iif(date(value_json ->> 'day') is value_json ->> 'day', value_json ->> 'day', null) as day,
  status in ('superseded', 'expired') as has_ended;

-- statement: untell_archived
delete from facts_archive
where user_id = :user_id and record ->> 'kind' = 'episode' and record ->> '$.value_json.origin' in ('session', 'day')
returning fact_id;
