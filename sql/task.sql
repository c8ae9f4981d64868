-- Where a task stands: open (active), done or stalled. One that is done is over; taken up again, it is what it was before: one that waits for
-- leave still waits, and one that was rejected stays so.
-- statement: move
with
closed as (
  select iif(h.operation = 'expire', h.before ->> 'status', 'expired') as before
  from fact_history h
  where h.fact_id = :fact_id
    and h.before ->> 'status' <> 'expired'
    and h.after ->> 'status' = 'expired'
  order by h.id desc
  limit 1
),
stands as (
  select
    case
      when :state = 'done' then 'expired'
      when f.status = 'expired' then coalesce((select before from closed), 'active')
      else f.status
    end as status
  from facts f
  where f.fact_id = :fact_id
)
update facts set
  value_json = json_set(coalesce(value_json, '{}'), '$.state', :state),
  status = (select status from stands),
  valid_to = case
    when (select status from stands) = status then valid_to
    when :state = 'done' then max(valid_from, :now)
    when status = 'expired' then null
    else valid_to
  end,
  updated_at = :now
where fact_id = :fact_id;

-- A task that nobody has spoken of for long, and one whose day has gone by when :today begins, stalls.
-- statement: stalled
select r.record
from facts f indexed by facts_user_id
cross join fact_record r on r.id = f.id
where f.user_id between coalesce(:user_id, '') and coalesce(:user_id, x'')
  and f.kind = 'task'
  and f.status = 'active'
  and coalesce(f.value_json ->> 'state', 'active') = 'active'
  and (coalesce(f.last_mentioned_at, f.updated_at) <= :before or f.event_time < :today)
order by f.id;
