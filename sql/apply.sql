-- The writing of a decision. Every change of belief leaves a row in fact_history.

-- statement: claim_action
insert into applied_actions (user_id, turn_id, key, action_hash) values (:user_id, :turn_id, :key, :action_hash)
on conflict do nothing;

-- What comes in late and is over by then was changed last when it ended, as if it had come in before that.
-- statement: insert_fact
insert into facts (
  fact_id, user_id, kind, key, value_text, value_json, category, memory_type, confidence, importance, effective_importance, source, speaker,
  event_time, valid_from, valid_to, status, source_turn_id, source_excerpt, session_id, tags, created_at, updated_at, last_mentioned_at
) values (
  :fact_id, :user_id, :kind, :key, :value_text, :value_json, :category, :memory_type, :confidence, :importance, :importance, :source, :speaker,
  :event_time, :valid_from, :valid_to, :status, :source_turn_id, :source_excerpt, :session_id, :tags, :now,
  iif(:status = 'superseded', max(:now, :valid_to), :now), :now
)
on conflict (fact_id) do nothing;

-- statement: tag_importance
select max(importance) as importance from tag_importance where tag in (select lower(value) from json_each(:tags));

-- A turn may arrive late; what was last mentioned, and last changed, stays the latest, and what was said first is the first. A null :source stays as it is.
-- statement: refine
update facts set
  value_text = :value_text,
  value_json = :value_json,
  event_time = coalesce(:event_time, event_time),
  valid_from = coalesce(:valid_from, valid_from),
  valid_to = :valid_to,
  tags = coalesce(:tags, tags),
  memory_type = coalesce(:memory_type, memory_type),
  importance = coalesce(:importance, importance),
  effective_importance = coalesce(:importance, effective_importance),
  confidence = :confidence,
  source = coalesce(:source, source),
  created_at = min(created_at, :now),
  seen_count = seen_count + 1,
  updated_at = max(updated_at, :now),
  last_mentioned_at = max(coalesce(last_mentioned_at, :now), :now)
where fact_id = :fact_id;

-- statement: mention
update facts set
  confidence = :confidence,
  created_at = min(created_at, :now),
  source = coalesce(:source, source),
  seen_count = seen_count + 1,
  updated_at = max(updated_at, :now),
  last_mentioned_at = max(coalesce(last_mentioned_at, :now), :now)
where fact_id = :fact_id;

-- statement: merge
update facts set
  value_json = :value_json,
  tags = :tags,
  confidence = :confidence,
  effective_importance = iif(:importance > importance, :importance, effective_importance),
  importance = :importance,
  source = coalesce(:source, source),
  seen_count = seen_count + :seen,
  updated_at = :now,
  last_mentioned_at = :mentioned
where fact_id = :fact_id;

-- statement: inherit
insert into links (source_id, target_id, relation, strength, created_at)
select
  iif(source_id = :fact_id, :heir, source_id), iif(target_id = :fact_id, :heir, target_id), relation, strength, :now
from links
where (source_id = :fact_id and target_id <> :heir) or (target_id = :fact_id and source_id <> :heir)
on conflict do nothing;

-- The last word on whether it was right for a question counts.
-- statement: inherit_feedback
insert into feedback (user_id, query, fact_id, good, given_at)
select user_id, query, :heir, good, given_at from feedback where fact_id = :fact_id
on conflict (user_id, query, fact_id) do update set good = excluded.good, given_at = excluded.given_at where excluded.given_at > feedback.given_at;

-- statement: disown_feedback
delete from feedback where fact_id = :fact_id;

-- statement: last_on
update facts set valid_to = :valid_to, updated_at = max(updated_at, :now) where fact_id = :fact_id;

-- statement: close
update facts set status = :status, valid_to = max(valid_from, :valid_to), updated_at = max(updated_at, :now)
where fact_id = :fact_id;

-- The same of many facts.
-- statement: close_many
update facts set status = c.value ->> 1, valid_to = max(valid_from, c.value ->> 2), updated_at = max(updated_at, :now)
from json_each(:closings) c
where fact_id = c.value ->> 0;

-- statement: activate
update facts set
  status = 'active',
  confidence = :confidence,
  source = coalesce(:source, source),
  seen_count = seen_count + :seen,
  updated_at = max(updated_at, :now), last_mentioned_at = max(coalesce(last_mentioned_at, :now), :now)
where fact_id = :fact_id;

-- statement: let
update facts set status = 'active', updated_at = max(updated_at, :now) where fact_id = :fact_id;

-- statement: link
insert into links (source_id, target_id, relation, created_at) values (:source_id, :target_id, :relation, :now)
on conflict do nothing;

-- statement: unlink
delete from links where source_id = :source_id and relation = 'contradicts';

-- statement: unlink_many
delete from links where source_id in (select value from json_each(:sources)) and relation = 'contradicts';

-- Whether a vector was already written when a fact changed is chance, and no part of what was believed. The session is that of what an
-- application states; a turn tells its own.
-- statement: history
insert into fact_history (fact_id, user_id, key, operation, before, after, reason, turn_id, action_hash, changed_at, session_id)
select f.fact_id, f.user_id, f.key, :operation, json_remove(:before, '$.embedding_id'), json_remove(r.record, '$.embedding_id'), :reason, :turn_id,
       :action_hash, :now, nullif(:session_id, (select t.session_id from turns t where t.user_id = f.user_id and t.turn_id = :turn_id))
from facts f join fact_record r on r.id = f.id
where f.fact_id = :fact_id;

-- The same of many facts, each with its digest and as it was before, in their order.
-- statement: history_many
insert into fact_history (fact_id, user_id, key, operation, before, after, reason, turn_id, action_hash, changed_at, session_id)
select f.fact_id, f.user_id, f.key, :operation, json_remove(c.value ->> 2, '$.embedding_id'), json_remove(r.record, '$.embedding_id'), :reason, :turn_id,
       c.value ->> 1, :now, nullif(:session_id, (select t.session_id from turns t where t.user_id = f.user_id and t.turn_id = :turn_id))
from json_each(:changes) c
cross join facts f on f.fact_id = c.value ->> 0
cross join fact_record r on r.id = f.id
order by c.key;

-- statement: over
select record from fact_record
where id in (
  select id from facts indexed by facts_due
  where user_id = :user_id and valid_to is not null and valid_to <= :now and status in ('active', 'pending_confirmation')
  union all
  select id from facts where user_id = :user_id and kind in (select kind from kinds) and status = 'uncertain' and valid_to <= :now)
order by id
limit :most;

-- statement: users_over
select distinct user_id
from facts indexed by facts_valid_to
where valid_to is not null and valid_to <= :now and status in ('active', 'pending_confirmation', 'uncertain')
order by user_id;

-- statement: model_call
insert into model_calls (
  user_id, turn_id, purpose, prompt_hash, model, mode, attempt, prompt_tokens, completion_tokens, elapsed_ms, finish_reason, raw, error, called_at
) values (
  :user_id, :turn_id, :purpose, :prompt_hash, :model, :mode, :attempt, :prompt_tokens, :completion_tokens, :elapsed_ms, :finish_reason, :raw, :error,
  :now
);
