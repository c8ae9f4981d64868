-- What has been said and decided under a key since something was said that comes in late.

-- Whether anything of a user has ended, or was said to, since an instant, or may have: whoever says something in its order need not look further.
-- statement: anything
select
  exists (select 1 from ends where user_id = :user_id and said_at > :now)
  or exists (select 1 from facts indexed by facts_closed where user_id = :user_id and updated_at > :now and status in ('superseded', 'expired'))
  or exists (select 1 from facts_archive where user_id = :user_id and archived_at > :now) as late;

-- statement: put
insert into ends (user_id, key, turn_id, said_at, source, said) values (:user_id, :key, :turn_id, :said_at, :source, :said);

-- What was said to be so no longer, by the :present; the first first.
-- statement: ends
select turn_id, said_at, source, said
from ends
where user_id = :user_id and key = :key and said_at > :now and said_at <= :present
order by said_at, id;

-- What the user has rejected, wherever it lies by now, and has not been taken back.
-- statement: rejected
select e.record
from fact_ever e
where e.user_id = :user_id
  and e.key = :key
  and e.kind = :kind
  and e.status = 'expired'
  and e.valid_to = e.valid_from
  and exists (
    select 1
    from fact_history h
    where h.fact_id = e.fact_id
      and h.operation = 'reject'
      and h.reason in (select value from json_each(:reasons))
      and h.changed_at > :now
      and not exists (
        select 1 from fact_history u where u.fact_id = h.fact_id and u.operation = 'undo' and u.action_hash = 'undo-' || h.id));

-- What has ended or given way under some keys, was so after something was said, and is over by the :present, the last to end first; and whether it was to
-- be so for a time only, and that ran out.
-- statement: over
select
  e.record,
  exists (select 1 from fact_history h where h.fact_id = e.fact_id and h.operation = 'expire' and h.reason = 'its time is over') as ran_out
from fact_ever e
where e.user_id = :user_id
  and e.key in (select value from json_each(:keys))
  and e.kind = :kind
  and e.status in ('superseded', 'expired')
  and e.valid_from < e.valid_to
  and e.valid_to > :now
  and e.valid_to <= :present
order by e.valid_to desc;

-- When a fact was said, by its history, the first first; what was taken back was not.
-- statement: sayings
select h.changed_at
from fact_history h
where h.fact_id = :fact_id
  and h.operation in ('insert', 'mark_pending_confirmation', 'update', 'noop', 'confirm')
  and (h.before is null or h.after ->> 'seen_count' > h.before ->> 'seen_count')
  and not exists (select 1 from fact_history u where u.fact_id = h.fact_id and u.operation = 'undo' and u.action_hash = 'undo-' || h.id)
order by h.changed_at, h.id;

-- A fact as it was until something ended it, or took its place, in a row of its own. It was said last at :mentioned, so often.
-- statement: part
insert into facts (
  fact_id, user_id, kind, key, value_text, value_json, category, memory_type, confidence, importance, effective_importance, source, speaker,
  event_time, valid_from, valid_to, status, source_turn_id, source_excerpt, session_id, tags, created_at, updated_at, last_mentioned_at, seen_count
)
select
  :part_id, user_id, kind, key, value_text, value_json, category, memory_type, confidence, importance, effective_importance, source, speaker,
  event_time, valid_from, :valid_to, :status, source_turn_id, source_excerpt, session_id, tags, created_at, max(:mentioned, :valid_to), :mentioned,
  max(1, seen_count - :seen)
from facts
where fact_id = :fact_id
on conflict (fact_id) do nothing;

-- What is left of it began when it was first said again.
-- statement: begin_anew
update facts set valid_from = :valid_from, created_at = :valid_from, seen_count = :seen, updated_at = max(updated_at, :now)
where fact_id = :fact_id;
