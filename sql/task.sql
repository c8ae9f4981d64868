-- Where a task stands: open (active), done or stalled. One that is done is over.
-- statement: move
update facts set
  value_json = json_set(coalesce(value_json, '{}'), '$.state', :state),
  status = case when :state = 'done' then 'expired' else 'active' end,
  valid_to = case when :state = 'done' then max(valid_from, :now) when status = 'expired' then null else valid_to end,
  updated_at = :now
where fact_id = :fact_id;

-- A task that nobody has spoken of for long, and one whose day has gone by, stalls.
-- statement: stalled
select fact_id
from facts
where (:user_id is null or user_id = :user_id)
  and kind = 'task'
  and status = 'active'
  and coalesce(value_json ->> 'state', 'active') = 'active'
  and (coalesce(last_mentioned_at, updated_at) <= :before or event_time <= :now)
order by id;
