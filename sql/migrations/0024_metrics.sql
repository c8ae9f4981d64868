-- Whether to answer from what was found is kept with the question, and the metrics count it; they count what compaction moved away, too, and an
-- overwrite as wrong if what it ended soon comes back.
drop view metrics;
create temp table kept_retrievals as select * from retrievals;
drop table retrievals;

-- What was asked, what was found, how fast, which leg failed if one did, and where it was judged, whether to answer from it.
create table retrievals (
  id integer primary key,
  user_id text not null,
  query text not null,
  weights text not null,
  lexical_hits integer not null,
  vector_hits integer not null,
  returned integer not null,
  decision text check (decision in ('answer', 'clarify', 'verify', 'abstain')),
  degraded text,
  elapsed_ms real not null,
  prompt_tokens integer,
  asked_at text not null
) strict;

create index retrievals_user on retrievals (user_id);

insert into retrievals (id, user_id, query, weights, lexical_hits, vector_hits, returned, degraded, elapsed_ms, prompt_tokens, asked_at)
select id, user_id, query, weights, lexical_hits, vector_hits, returned, degraded, elapsed_ms, prompt_tokens, asked_at from kept_retrievals;
drop table kept_retrievals;

-- The operational metrics, counted from what is stored; what was forgotten does not count. Rates and means are null while nothing was counted;
-- latencies are in milliseconds. An overwrite was wrong if it was taken back, or if what it ended was said to be so again within thirty days, and
-- what had taken its place then ended.
create view metrics as
with
observed as (
  select (julianday(done_at) - julianday(received_at)) * 86400000.0 as ms,
         row_number() over (order by julianday(done_at) - julianday(received_at)) as place,
         count(*) over () as n
  from turns where done_at is not null
),
retrieved as (
  select elapsed_ms as ms, row_number() over (order by elapsed_ms) as place, count(*) over () as n
  from retrievals
),
overwrite as (
  select h.id,
         exists (
           select 1 from fact_history i join fact_history r on r.fact_id = i.fact_id and r.operation in ('reject', 'undo')
           where i.user_id = h.user_id and i.turn_id = h.turn_id and i.action_hash = h.action_hash and i.operation = 'insert')
         or exists (
           select 1
           from fact_history i
           join fact_history e on e.fact_id = i.fact_id and e.id > h.id and e.operation in ('supersede', 'expire')
           join fact_history b on b.user_id = e.user_id and b.turn_id = e.turn_id and b.key = h.key
           where i.user_id = h.user_id and i.turn_id = h.turn_id and i.action_hash = h.action_hash and i.operation = 'insert'
             and julianday(e.changed_at) - julianday(h.changed_at) <= 30
             and b.after ->> 'status' = 'active'
             and lower(b.after ->> '$.value_json.object') = lower(h.before ->> '$.value_json.object')
             and b.after ->> '$.value_json.polarity' is h.before ->> '$.value_json.polarity') as wrong
  from fact_history h where h.operation = 'supersede'
),
-- a fact outside the profile that was said again, and whether it came into it
repeated as (
  select r.fact_id,
         exists (
           select 1 from fact_history p
           where p.fact_id = r.fact_id and p.before ->> 'category' = 'other' and p.after ->> 'category' <> 'other') as promoted
  from fact_history r
  where r.operation in ('noop', 'confirm') and r.before ->> 'kind' = 'fact' and r.before ->> 'category' = 'other'
  group by r.fact_id
)
select 'lexical_hit_rate' as name, (select avg(lexical_hits > 0) from retrievals) as value
union all select 'vector_hit_rate', (select avg(vector_hits > 0) from retrievals)
union all select 'abstention_rate', (select avg(decision = 'abstain') from retrievals where decision is not null)
union all select 'clarification_rate', (select avg(decision = 'clarify') from retrievals where decision is not null)
union all select 'wrong_overwrite_rate', (select avg(wrong) from overwrite)
union all select 'pending_resolution_rate',
  (select avg(not exists (select 1 from facts f where f.fact_id = h.fact_id and f.status = 'pending_confirmation'))
   from fact_history h
   where h.operation = 'mark_pending_confirmation')
union all select 'promotion_rate', (select avg(promoted) from repeated)
union all select 'observer_latency_p50', (select ms from observed where place = (n + 1) / 2)
union all select 'observer_latency_p95', (select ms from observed where place = (n * 95 + 99) / 100)
union all select 'retrieval_latency_p50', (select ms from retrieved where place = (n + 1) / 2)
union all select 'retrieval_latency_p95', (select ms from retrieved where place = (n * 95 + 99) / 100)
union all select 'prompt_tokens_mean', (select avg(prompt_tokens) from retrievals where prompt_tokens is not null);
