-- Who speaks in a user's messages: one look into the index for each, however many messages there are.
-- statement: participants
with recursive voice (speaker) as (
  select (select min(f.speaker) from facts f where f.user_id = :user_id and f.kind = 'message')
  union all
  select (select min(f.speaker) from facts f where f.user_id = :user_id and f.kind = 'message' and f.speaker > v.speaker)
  from voice v
  where v.speaker is not null
  limit 200)
select speaker from voice where speaker is not null;

-- The latest change of belief whose words speak of something ("moved"): what was held until then, and from when on it was not.
-- statement: change
select f.valid_from as changed_at
from facts f indexed by facts_user_id
where f.user_id = :user_id
  and f.kind = 'fact'
  and f.status in ('active', 'superseded', 'expired')
  and instr(lower(f.source_excerpt), :stem) > 0
  and f.valid_from <= :now
  and exists (
    select 1 from fact_history h
    where h.user_id = f.user_id and h.turn_id = f.source_turn_id and h.key = f.key and h.operation = 'supersede' and h.fact_id <> f.fact_id)
order by f.valid_from desc
limit 1;

-- What was said last before an instant; by the assistant, by the others, or by anyone. What a system or a tool puts into a chat is none of the talk.
-- statement: said_last
with
said as not materialized (
  select id, valid_from
  from facts indexed by facts_said
  where user_id = :user_id
    and kind = 'message'
    and status = 'active'
    and valid_from < :said_by
    and (:since is null or valid_from >= :since)
    and (:session_id is null or session_id = :session_id)
    and source in ('user_message', 'assistant_message')
    and (:speaker is null or (source = 'assistant_message') = (:speaker = 'assistant'))
    and value_text <> :query
),
in_time as materialized (
  select id, valid_from, valid_from as at from said where valid_from < :before order by valid_from desc, id desc limit :limit
),
-- what a clock told that was ahead was said after what came in before it, and before what came in after it
ahead as materialized (
  select id, valid_from from said where valid_from >= :before order by id desc limit :limit
),
told as (
  select id, valid_from, at from in_time
  union all
  select a.id, a.valid_from, coalesce((
    select e.valid_from
    from facts e indexed by facts_said
    where e.user_id = :user_id and e.kind = 'message' and e.valid_from < :before and e.id < a.id
    order by e.valid_from desc
    limit 1), '')
  from ahead a
)
select id, valid_from
from told
order by at desc, id desc
limit :limit;

-- What was said first, as far.
-- statement: said_first
-- with: understand.said_last.said
select id, valid_from
from said
order by valid_from, id
limit :limit;

-- The user's birthday, as it was told.
-- statement: birthday
select value_json ->> 'object' as object
from facts indexed by facts_key
where key = 'user.birthday'
  and user_id = :user_id
  and status = 'active'
order by updated_at desc
limit 1;

-- When something was said last before today.
-- statement: last_talk
select max(valid_from) as at
from facts
where user_id = :user_id
  and kind = 'message'
  and valid_from < :before;

-- When something was said first.
-- statement: first_talk
select min(valid_from) as at
from facts
where user_id = :user_id
  and kind = 'message';

-- The conversation in which something was said last.
-- statement: conversation
with
in_time as materialized (
  select id, session_id, valid_from as at
  from facts indexed by facts_said
  where user_id = :user_id and kind = 'message' and valid_from <= :now
  order by valid_from desc, id desc
  limit 1
),
ahead as materialized (
  select id, session_id
  from facts indexed by facts_said
  where user_id = :user_id and kind = 'message' and valid_from > :now and valid_from < :said_by
  order by id desc
  limit 1
),
told as (
  select id, session_id, at from in_time
  union all
  select a.id, a.session_id, coalesce((
    select e.valid_from
    from facts e indexed by facts_said
    where e.user_id = :user_id and e.kind = 'message' and e.valid_from <= :now and e.id < a.id
    order by e.valid_from desc
    limit 1), '')
  from ahead a
)
select session_id
from told
order by at desc, id desc
limit 1;

-- Whom the user knows by name, the newest first: [key, name].
--   :keys JSON array of the keys under which names are held
-- statement: people
select f.key, f.value_json ->> 'object' as name
from json_each(:keys) k
cross join facts f indexed by facts_key on f.key = k.value and f.user_id = :user_id
where f.kind = 'fact'
  and f.status in ('active', 'pending_confirmation')
order by f.id desc;

-- Whether anything is held under these keys.
-- statement: held
select 1
from json_each(:keys) k
cross join facts f indexed by facts_key on f.key = k.value and f.user_id = :user_id
where f.kind = 'fact'
  and f.status in ('active', 'pending_confirmation')
limit 1;
