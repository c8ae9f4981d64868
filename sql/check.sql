-- What the file holds against what it may hold, for whoever looks for damage: each row with what it is called by, and whose it is.

-- Texts that are to be JSON and are none. A table that has a rule for it keeps others out; what lies on a disk may change all the same.
-- statement: malformed
select 'facts' as "table", 'fact_id' as called, fact_id as name, user_id, 'value_json' as "column" from facts where value_json is not null and not json_valid(value_json)
union all
select 'facts', 'fact_id', fact_id, user_id, 'tags' from facts where not json_valid(tags)
union all
select 'fact_history', 'id', id, user_id, 'before' from fact_history where before is not null and not json_valid(before)
union all
select 'fact_history', 'id', id, user_id, 'after' from fact_history where after is not null and not json_valid(after)
union all
select 'facts_archive', 'fact_id', fact_id, user_id, 'record' from facts_archive where not json_valid(record)
union all
select 'events', 'event_id', event_id, user_id, 'participants' from events where not json_valid(participants)
union all
select 'profiles', 'user_id', user_id, user_id, 'profile' from profiles where not json_valid(profile)
union all
select 'pages', 'user_id', user_id, user_id, 'lines' from pages where not json_valid(lines)
union all
select 'collections', 'collection_id', collection_id, null, 'schema' from collections where not json_valid(schema)
union all
select 'collections', 'collection_id', collection_id, null, 'metadata' from collections where metadata is not null and not json_valid(metadata);

-- Texts with a run of zeros, which is what a part of a disk that was lost reads as.
-- statement: zeroed
select 'facts' as "table", 'fact_id' as called, fact_id as name, user_id, 'value_text' as "column" from facts where instr(cast(value_text as blob), zeroblob(16))
union all
select 'facts', 'fact_id', fact_id, user_id, 'source_excerpt' from facts where instr(cast(source_excerpt as blob), zeroblob(16))
union all
select 'turns', 'turn_id', turn_id, user_id, 'user_input' from turns where instr(cast(user_input as blob), zeroblob(16))
union all
select 'turns', 'turn_id', turn_id, user_id, 'assistant_response' from turns where instr(cast(assistant_response as blob), zeroblob(16))
union all
select 'events', 'event_id', event_id, user_id, 'description' from events where instr(cast(description as blob), zeroblob(16));

-- All texts of each row as bytes: one of them may be no UTF-8, and then no text of the row can be read as such.
-- statement: texts
select 'facts' as "table", 'fact_id' as called, cast(fact_id as blob) as name, cast(user_id as blob) as user_id,
  cast(concat_ws(' ', fact_id, user_id, kind, key, value_text, value_json, speaker, source_turn_id, source_excerpt, session_id, tags, embedding_id) as blob) as bytes
from facts
union all
select 'fact_history', 'id', id, cast(user_id as blob),
  cast(concat_ws(' ', fact_id, user_id, key, before, after, reason, turn_id, action_hash, session_id) as blob)
from fact_history
union all
select 'facts_archive', 'fact_id', cast(fact_id as blob), cast(user_id as blob),
  cast(concat_ws(' ', fact_id, user_id, key, source_turn_id, record) as blob)
from facts_archive
union all
select 'turns', 'turn_id', cast(turn_id as blob), cast(user_id as blob),
  cast(concat_ws(' ', turn_id, user_id, session_id, speaker, user_input, assistant_response, extracted_by, error) as blob)
from turns
union all
select 'turn_notes', 'id', id, cast(user_id as blob), cast(concat_ws(' ', user_id, turn_id, key, why) as blob)
from turn_notes
union all
select 'model_calls', 'id', id, cast(user_id as blob), cast(concat_ws(' ', user_id, turn_id, purpose, prompt_hash, model, finish_reason, raw, error) as blob)
from model_calls
union all
select 'events', 'event_id', cast(event_id as blob), cast(user_id as blob),
  cast(concat_ws(' ', event_id, user_id, description, participants, location, turn_id) as blob)
from events
union all
select 'retrievals', 'id', id, cast(user_id as blob), cast(concat_ws(' ', user_id, query, weights, degraded) as blob)
from retrievals
union all
select 'profiles', 'user_id', cast(user_id as blob), cast(user_id as blob), cast(concat_ws(' ', user_id, profile) as blob)
from profiles
union all
select 'pages', 'user_id', cast(user_id as blob), cast(user_id as blob), cast(concat_ws(' ', user_id, name, page, found, lines) as blob)
from pages
union all
select 'consents', 'user_id', cast(user_id as blob), cast(user_id as blob), cast(concat_ws(' ', user_id, sensitive_topics, secrets) as blob)
from consents
union all
select 'kinds', 'kind', cast(kind as blob), null, cast(concat_ws(' ', kind, section, description) as blob)
from kinds
union all
select 'sections', 'section', cast(section as blob), null, cast(concat_ws(' ', section, bullet) as blob)
from sections
union all
select 'predicates', 'predicate', cast(predicate as blob), null,
  cast(concat_ws(' ', predicate, label, category, cardinality, opposite, memory_type) as blob)
from predicates
union all
select 'collections', 'collection_id', cast(collection_id as blob), null, cast(concat_ws(' ', collection_id, tenant, database, name, schema, metadata) as blob)
from collections;

-- Facts of a kind, or of a memory type, that there is none of.
-- statement: unknown
select f.fact_id, f.user_id, c.parent
from pragma_foreign_key_check('facts') c
join facts f on f.id = c.rowid;

-- statement: look
select rowid from facts_fts where facts_fts match '"a"' limit 1;

-- Every fact as it stands, its JSON as text.
-- statement: facts
select
  fact_id, user_id, kind, key, value_text, value_json, category, memory_type, confidence, importance, effective_importance, source, speaker,
  event_time, valid_from, valid_to, status, source_turn_id, source_excerpt, session_id, tags, embedding_id, created_at, updated_at,
  last_mentioned_at, seen_count, last_accessed, access_count
from facts;

-- statement: archive
select fact_id, user_id, record from facts_archive;

-- statement: calls
select
  id, user_id, purpose, prompt_hash, model, mode, attempt, prompt_tokens, completion_tokens, elapsed_ms, finish_reason, raw, error
from model_calls;

-- statement: events
select event_id, user_id, description, timestamp, participants, location, importance, break_trigger as "trigger", turn_id from events;

-- statement: consents
select user_id, sensitive_topics, secrets from consents;

-- statement: pages
select user_id, lines, written_at from pages;

-- statement: weights
select name, feature, value from weights;

-- statement: collections
select collection_id, schema, metadata from collections;
