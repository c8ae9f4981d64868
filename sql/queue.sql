-- The durable queue of turns.

-- statement: find
select user_input, assistant_response
from turns
where user_id = :user_id and turn_id = :turn_id;

-- statement: add
insert into turns (turn_id, user_id, session_id, speaker, user_input, assistant_response, timestamp, received_at)
values (:turn_id, :user_id, :session_id, :speaker, :user_input, :assistant_response, :timestamp, :now);

-- statement: touch_session
insert into sessions (user_id, session_id, started_at, last_turn_at, turns, day)
values (:user_id, :session_id, :timestamp, :timestamp, 1, :day)
on conflict (user_id, session_id) do update set
  last_turn_at = max(last_turn_at, excluded.last_turn_at),
  ended_at = null,
  turns = turns + 1;

-- A user's turns are taken in the order they came, one at a time, so that two workers cannot decide against each other. Users take turns: the next
-- one behind :after, by name, whatever others have waiting, and from the first on again behind the last; without :after, who has waited longest. Who
-- has just begun leaves alone what was begun :most times and neither finished nor put back. No more is read than until one is found.
-- statement: claim
with
waiting as (  -- user by user; `lap` is 1 from where the last was passed until :after comes again
  select first as user_id, first as since, 0 as lap
  from (
    select coalesce(:after, (select user_id from turns indexed by turns_next where status in ('queued', 'working') order by id limit 1)) as first)
  union all
  select
    (select o.user_id
     from turns o indexed by turns_open
     where o.status in ('queued', 'working') and o.user_id > coalesce(w.user_id, '')
     order by o.user_id
     limit 1),
    w.since,
    w.lap + (w.user_id is null)
  from waiting w
  where w.lap = 0 or w.user_id < w.since
),
heads as (
  select (
    select o.id
    from turns o indexed by turns_open
    where o.user_id = w.user_id and o.status in ('queued', 'working')
    order by o.id
    limit 1) as id
  from waiting w
  where w.lap = iif(w.user_id = w.since, :after is not null, w.user_id < w.since)
)
update turns set status = 'working', claimed_by = :worker, claimed_until = :until, attempts = attempts + 1
where id = (
  select t.id
  from heads h
  cross join turns t on t.id = h.id
  where (t.status = 'queued' or t.claimed_until <= :now)
    and (t.next_attempt_at is null or t.next_attempt_at <= :now)
    and (:most is null or t.attempts - t.failures < :most)
  limit 1)
returning id, turn_id, user_id, session_id, speaker, user_input, assistant_response, timestamp, attempts, failures;

-- Claims of workers that are known to be gone are open again at once.
-- statement: claimants
select distinct claimed_by from turns indexed by turns_claimed where status = 'working' and claimed_by is not null;

-- statement: release
update turns set status = 'queued', claimed_by = null, claimed_until = null where status = 'working' and claimed_by = :worker;

-- Whoever was not let finish has not tried.
-- statement: unclaim
update turns set status = 'queued', claimed_by = null, claimed_until = null, attempts = attempts - 1
where status = 'working' and claimed_by = :worker;

-- statement: done
update turns set status = 'done', done_at = :now, extracted_by = :extracted_by, error = :error, claimed_by = null, claimed_until = null
where id = :id and status = 'working' and claimed_by = :worker
returning id;

-- statement: put_back
update turns set
  status = :status,
  failures = failures + 1,
  next_attempt_at = :next_attempt_at,
  error = :error,
  claimed_by = null,
  claimed_until = null
where id = :id and status = 'working' and claimed_by = :worker;

-- The turn that came last of those that are not done.
-- statement: last
select max(id) as turn from turns indexed by turns_next where status in ('queued', 'working');

-- What is left of the turns up to :turn, and of the vectors of facts up to :fact, or of all as long as that is null; and which fact is the last, be it
-- one that is gone, and whose vector still is to go.
-- statement: open
select
  (select count(*) from turns where status in ('queued', 'working') and id <= :turn) as turns,
  (select count(*)
   from (  -- a turn waits for itself, or for an earlier one of its user that does
     select user_id, min(id) as first
     from turns indexed by turns_open
     where status in ('queued', 'working') and next_attempt_at > :now
     group by user_id) w
   cross join turns t indexed by turns_open
     on t.user_id = w.user_id and t.id between w.first and :turn and t.status in ('queued', 'working')) as turns_waiting,
  (select count(*) from outbox where :embeds and dead = 0 and (:fact is null or id between -:fact and :fact)) as vectors,
  (select count(*)
   from outbox
   where :embeds and dead = 0 and (:fact is null or id between -:fact and :fact) and next_attempt_at > :now) as vectors_waiting,
  (select max(id)
   from (select max(id) as id from facts union all select max(id) from outbox union all select -min(id) from outbox)) as fact;

-- Whether there is a turn up to :turn that waits neither for its next attempt nor for an earlier one of its user that does.
-- statement: ready
select 1 as ready
from turns t indexed by turns_next
where t.status in ('queued', 'working')
  and t.id <= :turn
  and not exists (
    select 1 from turns earlier indexed by turns_open
    where earlier.user_id = t.user_id and earlier.id <= t.id and earlier.status in ('queued', 'working') and earlier.next_attempt_at > :now)
order by t.id
limit 1;

-- The turns of a user that come next, as far as they wait to be taken.
-- statement: coming
select session_id
from turns indexed by turns_open
where user_id = :user_id and id > :id and status in ('queued', 'working') and next_attempt_at is null
order by id
limit :most;

-- statement: previous_session
select session_id from turns where user_id = :user_id and id < :id order by id desc limit 1;

-- A session that has gone on since is not over.
-- statement: end_session
update sessions set ended_at = last_turn_at
where user_id = :user_id and session_id = :session_id and ended_at is null and last_turn_at <= :now;

-- The first turn of the user whose turn it is, be it one that is claimed or waits for its next attempt.
-- statement: first
-- with: queue.claim.waiting, queue.claim.heads
select t.id, t.turn_id, t.user_id, t.session_id, t.speaker, t.user_input, t.assistant_response, t.timestamp, t.attempts, t.failures
from heads h
cross join turns t on t.id = h.id
limit 1;

-- Thinking may take longer than the lease.
-- statement: renew
update turns set claimed_until = :until where id = :id and status = 'working' and claimed_by = :worker;

-- statement: note
insert into turn_notes (user_id, turn_id, step, key, why) values (:user_id, :turn_id, :step, :key, :why);

-- By what is given: what is null is equal to nothing.
-- The newest last, or first.
-- statement: records
with
listed as (
  select asked.id
  from (
      select id from turns where user_id = :user_id and turn_id = :turn_id
      union all
      select id from turns where :turn_id is null and user_id = :user_id
      union all
      select id from turns where :user_id is null and (:turn_id is null or turn_id = :turn_id)) asked
  -- the indexes tell the ids, and only a filter that there is reads each row
  where (:statuses is null or (select status from turns where id = asked.id) in (select value from json_each(:statuses)))
    and (not :refused or exists (
      select 1 from turns t join turn_notes n on n.user_id = t.user_id and n.turn_id = t.turn_id where t.id = asked.id))
)
select t.id, t.turn_id, t.user_id, t.session_id, t.speaker, t.user_input, t.assistant_response, t.timestamp, t.attempts, t.failures, t.status,
       t.received_at, t.done_at, t.extracted_by, t.error,
       (select json_group_array(json_object('step', n.step, 'key', n.key, 'why', n.why))
        from (select step, key, why from turn_notes where user_id = t.user_id and turn_id = t.turn_id order by id) n) as notes
from (select id from listed order by iif(:newest, -id, id) limit :limit offset :offset) page
cross join turns t on t.id = page.id
order by iif(:newest, -t.id, t.id);

-- statement: count_records
-- with: queue.records.listed
select count(*) as total from listed;

-- statement: calls
with
listed as (
  select id from model_calls where user_id = :user_id and turn_id = :turn_id
  union all
  select id from model_calls where :turn_id is null and user_id = :user_id
  union all
  select id from model_calls where :user_id is null and (:turn_id is null or turn_id = :turn_id)
)
select
  c.purpose, c.prompt_hash, c.model, c.mode, c.attempt, c.prompt_tokens, c.completion_tokens, c.elapsed_ms, c.finish_reason, c.raw, c.error
from (select id from listed order by iif(:newest, -id, id) limit :limit offset :offset) page
cross join model_calls c on c.id = page.id
order by iif(:newest, -c.id, c.id);

-- statement: count_calls
-- with: queue.calls.listed
select count(*) as total from listed;

-- statement: revive
update turns set status = 'queued', attempts = 0, failures = 0, next_attempt_at = null where status = 'failed';

-- What waits for its next attempt until after a time need not wait until then.
-- statement: hasten
update turns set next_attempt_at = null where status in ('queued', 'working') and next_attempt_at > :after;

-- A claim for longer than anybody makes one.
-- statement: reopen
update turns set status = 'queued', claimed_by = null, claimed_until = null where status = 'working' and claimed_until > :after;

-- Whether something waits, or is claimed, for longer than it may be, or was done later than it is now: the clock was ahead then, and was put back
-- since.
-- statement: ahead
select 1 as ahead
from turns indexed by turns_next
where status in ('queued', 'working') and (next_attempt_at > :latest or (status = 'working' and claimed_until > :claimed))
union all
select 1 from outbox where next_attempt_at > :latest
union all
select 1 from mirror_outbox where next_attempt_at > :latest or claimed_until > :claimed
union all
select 1 from upkeep where claimed_by is not null and claimed_until > :claimed
union all
select 1 from meta where name in ('tidied_at', 'maintained_at') and (value > :now or value is not strftime('%Y-%m-%dT%H:%M:%fZ', value))
limit 1;
