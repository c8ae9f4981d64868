-- A row that is given to another user by hand leaves a line in the outbox, too: its vector stands among those of the user it was of.
drop trigger outbox_update;
create trigger outbox_update after update of value_text, kind, status, user_id on facts
when old.value_text is not new.value_text or old.kind is not new.kind or old.status is not new.status or old.user_id is not new.user_id begin
  insert into outbox (id, user_id) values (new.id, old.user_id)
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;
drop trigger outbox_window_update;
create trigger outbox_window_update after update of value_text, status, user_id on facts
when new.kind = 'message' and (old.value_text is not new.value_text or old.status is not new.status or old.user_id is not new.user_id) begin
  insert into outbox (id, user_id)
    select -n.id, old.user_id from (
      select new.id as id
      union all
      select * from (
        select p.id from facts p
        where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
        order by p.id desc limit 1)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = new.user_id and q.session_id is new.session_id and q.kind = 'message' and q.id > new.id
        order by q.id limit 1)) n
    where true
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

-- What is only restored with what took its place was not taken back itself; what a word of the user had made the belief may be, too.
drop view metrics;
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
           select 1
           from fact_history i
           join fact_history r on r.fact_id = i.fact_id and r.id > i.id and r.operation in ('reject', 'undo') and r.after ->> 'status' <> 'active'
           where i.user_id = h.user_id and i.turn_id = h.turn_id and i.action_hash = h.action_hash and i.operation in ('insert', 'confirm'))
         or exists (
           select 1
           from fact_history i
           join fact_history e on e.fact_id = i.fact_id and e.id > h.id and e.operation in ('supersede', 'expire')
           join fact_history b on b.user_id = e.user_id and b.turn_id = e.turn_id and b.key = h.key
           where i.user_id = h.user_id and i.turn_id = h.turn_id and i.action_hash = h.action_hash and i.operation in ('insert', 'confirm')
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
