-- statement: metrics
select name, value from metrics;

-- What is over by the clock has expired, also where that is still to be written down.
-- statement: counts
with
over as (
  select status, count(*) as n
  from facts indexed by facts_due
  where kind <> 'message' and status in ('active', 'pending_confirmation') and valid_to <= :now
  group by status
),
by_status as (
  select status, count(*) as n from facts indexed by facts_user_id where kind <> 'message' group by status
  union all
  select status, -n from over
  union all
  select 'expired', n from over
)
select
  (select value from meta where name = 'timezone') as timezone,
  (select count(distinct user_id) from (select user_id from facts union select user_id from turns union select user_id from events)) as users,
  (select count(*) from outbox where dead = 0) as outbox_waiting,
  (select count(*) from outbox where dead = 1) as outbox_dead,
  (select count(*) from facts where embedding_id is not null) as vectors,
  (select count(*) from collections) as collections,
  (select count(*) from retrievals) as retrievals,
  (select json_group_object(status, n) from (select status, sum(n) as n from by_status group by status having sum(n) > 0)) as facts_by_status,
  (select json_group_object(kind, n) from (select kind, count(*) as n from facts group by kind)) as rows_by_kind,
  (select json_group_object(status, n) from (select status, count(*) as n from turns group by status)) as turns_by_status;

-- Everybody whose rows, turns or events are held, with how much is believed of them, or may be: what the index counts, less what is over.
-- statement: users
with
known as (
  select user_id from facts
  union
  select user_id from turns
  union
  select user_id from events
)
select
  k.user_id,
  (select count(*) from facts f indexed by facts_user_id
   where f.user_id = k.user_id and f.kind <> 'message' and f.status in ('active', 'pending_confirmation'))
  - (select count(*) from facts f indexed by facts_due
     where f.user_id = k.user_id and f.kind <> 'message' and f.status in ('active', 'pending_confirmation') and f.valid_to <= :now) as held
from known k
order by k.user_id;

-- statement: asked
insert into retrievals (user_id, query, weights, lexical_hits, vector_hits, returned, decision, degraded, elapsed_ms, prompt_tokens, asked_at)
values (:user_id, :query, :weights, :lexical_hits, :vector_hits, :returned, :decision, :degraded, :elapsed_ms, :prompt_tokens, :now);
