-- memory.md: the page that people read, and what was last written there.

-- What may stand on it, most important first; the same rows give the same order. Accounts of sessions come last, the latest first.
-- statement: rows
select
  f.fact_id, f.kind, f.category, f.status, f.value_text, f.valid_to,
  iif(f.valid_from > max(:now, min(f.created_at, :said_by)), f.valid_from, null) as begins,
  (select t.value_text from links l join facts t on t.fact_id = l.target_id
   where l.source_id = f.fact_id and l.relation = 'contradicts' and f.status = 'pending_confirmation' and t.status = 'active'
   order by t.id limit 1) as against,
  f.event_time as due, f.kind = 'task' and f.value_json ->> 'state' is 'stalled' as is_stalled,
  (select avg(o.succeeded) from outcomes o where o.fact_id = f.fact_id) as success_rate
from facts f indexed by facts_user_id
where f.user_id = :user_id
  and f.kind in ('fact', 'task', 'note', 'procedure', 'episode')
  and f.status in ('active', 'pending_confirmation')
  and (begins is null or f.status = 'pending_confirmation')  -- what waits for a word may be still to come
  and (f.valid_to is null or f.valid_to > :now)
  and (f.kind <> 'episode' or f.value_json ->> 'origin' = 'session')
order by
  f.kind = 'episode',
  f.status = 'active',
  iif(f.kind = 'episode', f.value_json ->> 'timestamp_end', '') desc,
  f.importance desc, f.confidence desc, f.key, f.fact_id
limit :limit;

-- statement: written
select name, page, found, lines, written_at from pages where user_id = :user_id;

-- statement: named
select user_id from pages where name = :name;

-- statement: put
insert into pages (user_id, name, page, found, lines, written_at) values (:user_id, :name, :page, :found, :lines, :now)
on conflict (user_id) do update set page = excluded.page, found = excluded.found, lines = excluded.lines, written_at = excluded.written_at;

-- statement: blank
update pages set page = '', found = '', lines = '[]' where user_id = :user_id;

-- statement: forget
delete from pages where user_id = :user_id
returning name;

-- What an edit was taken for, as long as it waits.
-- statement: offered
select r.record
from facts f join fact_record r on r.id = f.id
where f.user_id = :user_id and f.source_turn_id = :turn_id and f.status = 'pending_confirmation'
order by f.id;
