-- Erasing a user, or one key of a user, everywhere. :key null means everything of the user.

-- statement: allow
insert into erasures (user_id, key) values (:user_id, :key);

-- statement: disallow
delete from erasures;

-- The turns that a key was learned from, and the messages that hold their words.
-- statement: turns
select distinct turn_id from (
  select turn_id from turns where user_id = :user_id and :key is null
  union all
  select source_turn_id from fact_ever where user_id = :user_id and key = :key
  union all
  select turn_id from fact_history where user_id = :user_id and key = :key);

-- statement: delete_facts
delete from facts
where user_id = :user_id and kind <> 'message' and (:key is null or key = :key)
returning fact_id;

-- statement: delete_messages
delete from facts
where user_id = :user_id and kind = 'message' and (:key is null or source_turn_id in (select value from json_each(:turns)))
returning fact_id;

-- statement: delete_archive
delete from facts_archive where user_id = :user_id and (:key is null or key = :key)
returning fact_id;

-- statement: delete_history
delete from fact_history where user_id = :user_id and (:key is null or key = :key)
returning id;

-- statement: delete_turns
delete from turns where user_id = :user_id and (:key is null or turn_id in (select value from json_each(:turns)))
returning id;

-- What else the erased turns taught stays, but no longer quotes them.
-- statement: unquote_facts
update facts set source_excerpt = value_text
where user_id = :user_id and :key is not null and source_turn_id in (select value from json_each(:turns));

-- statement: unquote_archive
update facts_archive set record = json_replace(record, '$.source_excerpt', record ->> 'value_text')
where user_id = :user_id and :key is not null and source_turn_id in (select value from json_each(:turns));

-- statement: unquote_history
update fact_history set
  before = json_replace(before, '$.source_excerpt', before ->> 'value_text'),
  after = json_replace(after, '$.source_excerpt', after ->> 'value_text')
where user_id = :user_id and :key is not null
  and coalesce(after ->> 'source_turn_id', before ->> 'source_turn_id') in (select value from json_each(:turns));

-- statement: delete_actions
delete from applied_actions where user_id = :user_id and (:key is null or key = :key);

-- statement: delete_model_calls
delete from model_calls where user_id = :user_id and (:key is null or turn_id in (select value from json_each(:turns)));

-- statement: delete_retrievals
delete from retrievals where user_id = :user_id;

-- statement: delete_profile
delete from profiles where user_id = :user_id;

-- statement: delete_upkeep
delete from upkeep where user_id = :user_id and :key is null;

-- statement: delete_sessions
delete from sessions where user_id = :user_id and :key is null;

-- statement: delete_events
delete from events where user_id = :user_id and :key is null;

-- statement: delete_segments
delete from segments where user_id = :user_id and :key is null;

-- Neighbours of an erased message hold its words in the full-text index.
-- statement: neighbours
insert or replace into facts_fts (rowid, body, reply, context, date)
select w.id, w.body, w.reply, w.context, w.date
from fact_words w join facts f on f.id = w.id
where f.user_id = :user_id and f.kind = 'message' and :key is not null;

-- The index keeps deleted words until its segments are merged.
-- statement: merge_words
insert into facts_fts (facts_fts) values ('optimize');

-- The vectors of erased rows, and the windows that an erased message was a part of; the latter are made anew.
-- statement: erased_vectors
select o.id, f.id is null as gone
from outbox o left join facts f on f.id = abs(o.id)
where o.user_id = :user_id and (f.id is null or o.id < 0);
