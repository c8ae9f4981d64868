-- Household events, and the segments that they are gathered into.

-- statement: find
select description, timestamp, participants, location, importance, break_trigger as trigger, turn_id
from events
where user_id = :user_id and event_id = :event_id;

-- statement: add
insert into events (event_id, user_id, description, timestamp, participants, location, importance, break_trigger, turn_id, place)
values (:event_id, :user_id, :description, :timestamp, :participants, :location, :importance, :break_trigger, :turn_id,
  (select coalesce(max(place) + 1, 0) from events where user_id = :user_id and timestamp = :timestamp));

-- One look into the index for each user, however many events wait: for a user whose oldest event came after :before, nothing is over yet.
-- statement: waiting_users
with recursive waiting (user_id) as (
  select (select min(user_id) from events indexed by events_waiting where segment_id is null)
  union all
  select (select min(e.user_id) from events e indexed by events_waiting where e.segment_id is null and e.user_id > w.user_id)
  from waiting w
  where w.user_id is not null
)
select w.user_id
from waiting w
where (select min(e.timestamp) from events e indexed by events_waiting where e.user_id = w.user_id and e.segment_id is null) <= :before;

-- The oldest that wait for their segment; no segment has more than :max_events.
-- statement: waiting
select event_id, user_id, description, timestamp, participants, location, importance, break_trigger as "trigger", turn_id
from events indexed by events_waiting
where user_id = :user_id and segment_id is null and timestamp <= :now
order by timestamp, place, event_id
limit :max_events + 1;

-- The last memory that was due within the cooldown before an instant.
-- statement: ready_between
select max(ready_at) as ready_at from segments where user_id = :user_id and ready_at > :after and ready_at <= :until;

-- Of two workers that came to the same segment, the first one in writes it.
-- statement: add_segment
insert into segments (segment_id, user_id, started_at, ended_at, closed_by, ready_at, written_by, error)
values (:segment_id, :user_id, :started_at, :ended_at, :closed_by, :ready_at, :written_by, :error)
on conflict do nothing;

-- statement: assign
update events set segment_id = :segment_id
where user_id = :user_id and segment_id is null and event_id in (select value from json_each(:event_ids));

-- What happened before at the same part of the day to the same people, the latest first, among the :looked_back memories told last of each
-- status: the index gives those without a look at the others.
-- statement: like_it
with
recent as materialized (
  select * from (
    select source_excerpt, value_json, created_at
    from facts indexed by facts_user_id
    where user_id = :user_id and kind = 'narrative' and status = 'active'
    order by id desc
    limit :looked_back)
  union all
  select * from (
    select source_excerpt, value_json, created_at
    from facts indexed by facts_user_id
    where user_id = :user_id and kind = 'narrative' and status = 'archived'
    order by id desc
    limit :looked_back)
)
select source_excerpt
from recent
where value_json ->> 'pattern' = 0
  and value_json ->> 'time_of_day' = :time_of_day
  and json_array_length(value_json, '$.participants') = :people
  and not exists (
    select 1
    from json_each(value_json, '$.participants') h
    where lower(replace(replace(h.value, '’', ''''), '-', ' ')) not in (select lower(value) from json_each(:spelled)))
  and created_at < :now
order by created_at desc
limit 60;

-- Who took part in what is remembered of a user.
-- statement: people
with
recent as materialized (
  select value_json
  from facts indexed by facts_user_id
  where user_id = :user_id and kind = 'narrative' and status in ('active', 'archived') and created_at < :now
  order by id desc
  limit :looked_back
)
select distinct h.value as name
from recent r cross join json_each(r.value_json, '$.participants') h
order by 1;

-- What is remembered, the latest first: what happened now may be likest to some of it.
-- statement: earlier
select fact_id, value_text, source_excerpt
from facts indexed by facts_user_id
where user_id = :user_id and kind = 'narrative' and status = 'active' and created_at < :now
order by id desc
limit :looked_back;

-- What is forgotten, or taken back, is there no more.
-- statement: still_there
select count(*) as there from facts where status in ('active', 'archived') and fact_id in (select value from json_each(:fact_ids));

-- statement: of_memory
select e.event_id, e.user_id, e.description, e.timestamp, e.participants, e.location, e.importance, e.break_trigger as "trigger", e.turn_id
from (
  select f.user_id, f.value_json as detail from facts f where f.fact_id = :fact_id and f.kind = 'narrative'
  union all
  select s.user_id, s.value_json
  from links l join facts s on s.fact_id = l.source_id join facts p on p.fact_id = l.target_id
  where l.target_id = :fact_id and l.relation = 'supports' and s.kind = 'narrative' and p.value_json ->> 'pattern' = 1) d
cross join json_each(d.detail, '$.source_event_ids') i
cross join events e on e.user_id = d.user_id and e.event_id = i.value
order by e.timestamp, e.place, e.event_id;

-- statement: memories_of
select r.record
from links l
join facts f on f.fact_id = l.source_id
join facts p on p.fact_id = l.target_id
join fact_record r on r.id = f.id
where l.target_id = :fact_id and l.relation = 'supports' and f.kind = 'narrative' and p.value_json ->> 'pattern' = 1
order by f.created_at, f.id;
