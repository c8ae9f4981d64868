-- The profile: what is held of a user, active and valid. What is of no category counts only where `others` asks for it.

-- statement: entries
select
  f.category, f.fact_id, f.key, f.value_text as text, iif(f.value_json ->> 'polarity' = 'negative', 'not ', '') || coalesce(f.value_json ->> 'object', f.value_text) as value,
  f.confidence, f.status, f.valid_from, f.valid_to, f.updated_at, f.last_mentioned_at
from facts f
where f.user_id = :user_id
  and f.kind in ('fact', 'task')
  and f.status = 'active'
  and f.valid_from <= :now
  and (f.valid_to is null or f.valid_to > :now)
  and (:others or f.category <> 'other')
order by f.key, f.valid_to is null, f.confidence desc, f.id;

-- statement: changes
select
  h.key, h.operation, h.before ->> 'value_text' as before,
  case
    when h.operation = 'supersede' then s.after ->> 'value_text'
    when h.operation in ('update', 'confirm') then h.after ->> 'value_text'
  end as after,
  h.reason, coalesce(s.after ->> 'confidence', h.after ->> 'confidence', 0.0) as confidence, h.changed_at
from fact_history h
-- what took a superseded fact's place was written by the same action
left join fact_history s on h.operation = 'supersede' and s.user_id = h.user_id and s.turn_id = h.turn_id
  and s.action_hash = h.action_hash and s.operation in ('insert', 'confirm')
where h.user_id = :user_id
  and h.operation in ('update', 'supersede', 'expire', 'confirm', 'reject')
  and (h.operation <> 'supersede' or s.id is not null)  -- what was only brought together with the same is no change
  and h.changed_at > :since
  and h.changed_at <= :now
order by h.id desc
limit :limit;

-- statement: put
insert into profiles (user_id, profile, built_at, turns_since) values (:user_id, :profile, :now, 0)
on conflict (user_id) do update set profile = excluded.profile, built_at = excluded.built_at, turns_since = 0;

-- statement: count_turn
insert into profiles (user_id, profile, built_at, turns_since) values (:user_id, '{}', :now, 1)
on conflict (user_id) do update set turns_since = turns_since + 1
returning turns_since;

-- statement: outdated
select p.user_id, max(t.timestamp) as last_turn_at
from profiles p join turns t on t.user_id = p.user_id
where p.turns_since > 0
group by p.user_id;
