-- The outbox: vectors to write or to take away.

-- A line with a negative id asks for the window of a message; one that is believed no longer has none. `former` is whose the vector was that may
-- still stand under the number, which a row of another may have got since. Users take turns, by name: the next one behind :after comes first, whatever
-- others have waiting, and behind the last comes the first; without :after, whose line is the newest. Of each, the newest rows come first. No more is
-- read than the batch.
-- statement: due
with
waiting as (  -- user by user; `lap` is 1 from where the last was passed until :after comes again
  select first as user_id, first as since, 0 as lap
  from (select coalesce(:after, (select user_id from outbox order by id desc limit 1)) as first)
  union all
  select
    (select n.user_id
     from outbox n indexed by outbox_user
     where n.dead = 0 and n.user_id > coalesce(w.user_id, '')
     order by n.user_id
     limit 1),
    w.since,
    w.lap + (w.user_id is null)
  from waiting w
  where w.lap = 0 or w.user_id < w.since
)
select o.id, coalesce(f.user_id, o.user_id) as user_id, o.user_id as former, o.attempts, f.fact_id,
       iif(o.id > 0, f.value_text, w.text) as text,
       iif(o.id < 0, 'window', iif(f.status in ('active', 'pending_confirmation'), f.kind, 'closed')) as shelf
from waiting u
cross join outbox o indexed by outbox_user on o.user_id = u.user_id and o.dead = 0
left join facts f on f.id = abs(o.id) and (o.id > 0 or (f.kind = 'message' and f.status in ('active', 'pending_confirmation')))
left join message_window w on w.id = -o.id
where u.lap = iif(u.user_id = u.since, :after is not null, u.user_id < u.since)
  and (o.next_attempt_at is null or o.next_attempt_at <= :now)
  and o.id between coalesce(-:up_to, -9223372036854775807) and coalesce(:up_to, 9223372036854775807)
limit :batch;

-- The same for the live rows of one kind of a user, which something new is about to be compared with.
-- statement: due_of
select o.id, f.user_id, o.user_id as former, o.attempts, f.fact_id, f.value_text as text, f.kind as shelf
from facts f
cross join outbox o on o.id = f.id
where f.user_id = :user_id
  and f.kind = :kind
  and f.status in ('active', 'pending_confirmation')
  and o.dead = 0
  and (o.next_attempt_at is null or o.next_attempt_at <= :now)
order by o.id desc
limit :batch;

-- statement: remove
delete from facts_vec where rowid = :id;

-- statement: write
insert into facts_vec (rowid, embedding, user_id, shelf) values (:id, :embedding, :user_id, :shelf);

-- statement: embedded
update facts set embedding_id = fact_id where id = :id and embedding_id is null;

-- statement: settled
delete from outbox where id = :id;

-- statement: failed
update outbox set
  attempts = attempts + 1,
  next_attempt_at = :next_attempt_at,
  dead = attempts + 1 >= :max_attempts,
  last_error = :error
where id = :id;

-- Between reading and writing the row may have changed; then its line stays for the next round.
-- statement: unchanged
select f.id
from outbox o
join facts f on f.id = abs(o.id)
left join message_window w on w.id = -o.id
where o.id = :id
  and f.user_id = :user_id
  and iif(o.id > 0, f.value_text, w.text) = :text
  and iif(o.id < 0, iif(f.status in ('active', 'pending_confirmation'), 'window', ''),
          iif(f.status in ('active', 'pending_confirmation'), f.kind, 'closed')) = :shelf;

-- statement: gone
select o.id
from outbox o
left join facts f on f.id = abs(o.id) and (o.id > 0 or (f.kind = 'message' and f.status in ('active', 'pending_confirmation')))
where o.id = :id and f.id is null;

-- statement: revive
update outbox set dead = 0, attempts = 0 where dead = 1;

-- What waits for its next attempt until after a time need not wait until then.
-- statement: hasten
update outbox set next_attempt_at = null where next_attempt_at > :after;

-- What a process holds in memory of a user's vectors is no longer that of the file; one who has no facts leaves no trace.
-- statement: changed
insert into vector_versions (user_id, version)
select :user_id, random() where exists (select 1 from facts where user_id = :user_id)
on conflict (user_id) do update set version = excluded.version;

-- statement: gone_user
delete from vector_versions where user_id = :user_id and not exists (select 1 from facts where user_id = :user_id);

-- How much is made, waits or was set aside, of all users.
-- statement: state
select
  (select count(*) from facts where embedding_id is not null) as written,
  (select count(*) from outbox where dead = 0) as waiting,
  (select count(*) from outbox where dead = 1) as dead,
  (select max(last_error) from outbox) as error,
  -- what has served may be left behind
  (select count(*) from reindexed where exists (select 1 from meta where name = 'next_embedder')) as gathered;
