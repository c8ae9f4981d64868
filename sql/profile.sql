-- The profile: what is held of a user, active and valid. What is of no category counts only where `others` asks for it; a task is one under any key.

--   :now      when it is asked for; what is to be so later is left out
--   :said_by  what was said until then was said, whatever the clock showed: what was so by then is so
--   :tags     JSON array of those that a task has one of, or none at all; null for any
-- statement: entries
select
  iif(f.kind = 'task' and f.category = 'other', 'task_context', f.category) as category, f.key, f.value_text as text, f.fact_id,
  iif(f.value_json ->> 'polarity' = 'negative', 'not ', '') || coalesce(f.value_json ->> 'object', f.value_text) as value,
  f.confidence, f.status, f.valid_from, f.valid_to, f.updated_at, f.last_mentioned_at,
  iif(f.kind = 'task', iif(f.value_json ->> 'state' in ('done', 'stalled'), f.value_json ->> 'state', 'active'), null) as state, f.event_time as due
from facts f
where f.user_id = :user_id
  and f.kind in ('fact', 'task')
  and f.status = 'active'
  and f.valid_from <= max(:now, min(f.created_at, :said_by))
  and (f.valid_to is null or f.valid_to > :now)
  and (:others or f.category <> 'other' or f.kind = 'task')
  -- what belongs to another matter is no task of this one; what belongs to none is one of each
  and (:tags is null or (f.kind <> 'task' and f.category <> 'task_context') or f.tags = '[]'
    or exists (select 1 from json_each(f.tags) have join json_each(:tags) want on have.value = want.value))
order by f.key, f.valid_to is null, f.confidence desc, f.id;

-- A change counts from when it takes place: what ends on a day to come is so until then, and where it does not end then after all, there is no change.
-- What never began has not changed either. What was said by a clock that was ahead has changed all the same, up to :said_by.
-- statement: changes
with recorded as materialized (
  select
    id, fact_id, turn_id, action_hash, key, operation, before, after, reason, changed_at,
    iif(
      operation in ('supersede', 'expire')
        and not (before ->> 'valid_from' > changed_at and before ->> 'valid_from' <= coalesce(before ->> 'created_at', '')),
      max(changed_at, coalesce(after ->> 'valid_to', '')),
      changed_at) as takes_place
  from fact_history
  where user_id = :user_id
    and operation in ('update', 'supersede', 'expire', 'confirm', 'reject')
    and (operation = 'confirm' or before ->> 'status' <> 'pending_confirmation')  -- what was never believed is no change when it is dropped
    and action_hash <> turn_id  -- nor is what was told or seen again
    -- nor what is as it was, in the same words: it came into the profile for being said often, or is known to be so since, or until, another day
    and not (operation = 'update' and before ->> 'value_text' = after ->> 'value_text' and before ->> 'event_time' is after ->> 'event_time'
      and before ->> '$.value_json.state' is after ->> '$.value_json.state' and before ->> 'status' is after ->> 'status')
    and not (operation = 'expire' and before ->> 'valid_to' is after ->> 'valid_to')  -- nor what has merely come to the end that was told
    and changed_at <= :said_by
),
changed as materialized (
  select r.*, r.takes_place > max(:now, r.changed_at) as is_to_come,
    iif(r.takes_place > max(:now, r.changed_at), r.changed_at, r.takes_place) as at
  from recorded r
  where iif(r.takes_place > max(:now, r.changed_at), r.changed_at, r.takes_place) > :since
    and case
      when r.operation in ('update', 'confirm') then r.after ->> 'valid_from' <= max(:now, r.changed_at)
      -- what was so when it was said, by a clock that was ahead, was so before it was ended by one that was right
      else r.before ->> 'valid_from' <= max(r.changed_at, coalesce(r.before ->> 'created_at', ''))
        or r.before ->> 'valid_from' < r.takes_place and r.before ->> 'valid_from' <= max(:now, r.changed_at)
    end
    and (r.takes_place = r.changed_at or r.takes_place is (
      select l.after ->> 'valid_to' from fact_history l
      where l.fact_id = r.fact_id and l.changed_at <= :said_by and l.operation <> 'archive'
      order by l.id desc
      limit 1))
),
-- what took a superseded fact's place was written by the same action; each turn is read once, however much it changed
successor as materialized (
  select h.turn_id, h.action_hash, h.after
  from (select distinct turn_id from changed where operation = 'supersede') t
  cross join fact_history h on h.user_id = :user_id and h.turn_id = t.turn_id
  where h.operation in ('insert', 'confirm')
)
select
  c.key, c.operation, c.before ->> 'value_text' as before,
  case
    when c.is_to_come or c.operation in ('update', 'confirm') then c.after ->> 'value_text'
    when c.operation = 'supersede' then s.after ->> 'value_text'
  end as after,
  c.reason, coalesce(s.after ->> 'confidence', c.after ->> 'confidence', 0.0) as confidence, c.at as changed_at
from changed c
left join successor s on c.operation = 'supersede' and s.turn_id = c.turn_id and s.action_hash = c.action_hash
where c.operation <> 'supersede' or s.action_hash is not null  -- what was only brought together with the same is no change
-- what a clock told that was ahead came in after what stands before it in the history, and before what stands behind it
order by iif(c.at > :now, max(iif(c.at > :now, '', c.at)) over (order by c.id), c.at) desc, c.id desc
limit :limit;

-- One of whom nothing is held, as after forgetting, has none.
-- statement: put
insert into profiles (user_id, profile, built_at, turns_since)
select :user_id, :profile, :now, 0
where exists (select 1 from facts where user_id = :user_id) or exists (select 1 from turns where user_id = :user_id)
on conflict (user_id) do update set profile = excluded.profile, built_at = excluded.built_at, turns_since = 0;

-- statement: count_turn
insert into profiles (user_id, profile, built_at, turns_since) values (:user_id, '{}', :now, 1)
on conflict (user_id) do update set turns_since = turns_since + 1
returning turns_since;

-- As many turns as it may go without being built, since it will be built again soon.
-- statement: postpone
update profiles set turns_since = :turns where user_id = :user_id;

-- statement: outdated
select p.user_id, max(t.timestamp) as last_turn_at
from profiles p join turns t on t.user_id = p.user_id
where p.turns_since > 0
group by p.user_id;
