-- mem.db, table by table. Times are ISO-8601 UTC text of fixed width (2025-03-01T09:30:00.000Z), so that text order is time order.
-- `facts_vec`, the vector index, stands in vectors.sql: a file that is never searched by meaning does not have it.

-- What the file is, and how far its upkeep has come: schema_version, embedder, dimension, timezone, maintained_at and the like.
create table meta (
  name text primary key,
  value text not null
) strict, without rowid;

-- What every table, view and column of the file holds; dictionary.sql fills it. Without a column, a line tells of the whole table.
create table dictionary (
  table_name text not null,
  column_name text,
  meaning text not null,
  unit text
) strict;

-- When the user's clocks changed, and how many minutes they have been ahead of UTC since: the words of a row's day are those of the user's day.
create table clocks (
  begins text primary key,
  minutes integer not null
) strict, without rowid;

-- The embedder that the file carries, if any: the files of its model, cut into parts.
create table models (
  model text not null,
  file text not null,
  part integer not null check (part >= 0),
  data blob not null,
  primary key (model, file, part)
) strict;

-- What differs between kinds of memory is data. Half-life and tau are in days; a null half-life never fades.
create table kinds (
  kind text primary key,
  weight real not null check (weight between 0 and 1),
  half_life_days real check (half_life_days > 0),
  tau_days real not null check (tau_days > 0),
  injection_order integer not null,
  section text not null,
  description text not null
) strict, without rowid;

-- The sections of a prompt, in the order of `position`. No section ever has more tokens than its own `max_tokens`.
create table sections (
  section text primary key,
  position integer not null,
  max_tokens integer not null check (max_tokens >= 0),
  bullet text not null
) strict, without rowid;

create table memory_types (
  memory_type text primary key,
  weight real not null check (weight between 0 and 1),
  retention_multiplier real not null check (retention_multiplier > 0),
  description text not null
) strict, without rowid;

-- The vocabulary of canonical keys, `subject.predicate`. A predicate of cardinality 'one' has one true value at a time; one of 'many' is a set,
-- and only the same object, or the same object under the opposite predicate, touches an old value.
create table predicates (
  predicate text primary key,
  label text not null,
  category text not null check (category in ('identity', 'hard_preference', 'soft_preference', 'task_context', 'health', 'other')),
  cardinality text not null check (cardinality in ('one', 'many')),
  opposite text,
  high_risk integer not null default 0 check (high_risk in (0, 1)),
  memory_type text not null references memory_types (memory_type),
  importance real not null check (importance between 0 and 1)
) strict, without rowid;

-- What tells in a message that something is otherwise now (says 2), or only was once, would be or comes on top (0): text as it stands between words
-- in small letters, and what must follow it within thirty characters. No word of another language is here that means something else in English,
-- nor what names are made of.
create table update_cues (
  says integer not null check (says in (0, 2)),
  language text not null,
  cue text not null check (cue <> ''),
  then_cue text not null default '',
  primary key (says, language, cue, then_cue)
) strict, without rowid;

-- Every number that ranks. `update weights set value = …` is tuning. A feature that there is none of would weigh nothing, so that it is refused.
create table weights (
  name text not null,
  feature text not null check (feature in (
    'lexical', 'cosine', 'window', 'both', 'actor', 'is_question', 'length', 'has_number', 'is_reaction', 'outdated', 'has_time', 'date',
    'type_weight', 'decay', 'recency', 'access_bonus', 'importance', 'confidence', 'frequency', 'source_reliability', 'linked', 'position',
    'knowledge_update', 'former', 'keyed', 'hyponym', 'preference', 'echo', 'match', 'goal', 'emotion', 'intrinsic_importance', 'agreement', 'sure_confidence', 'sure_match', 'sure_agreement',
    'sure_source_reliability', 'by_confidence', 'near', 'top', 'bm25_body', 'bm25_reply', 'bm25_context', 'bm25_date', 'k_lex', 'k_vec',
    'legs', 'bm25_half', 'bias', 'coverage', 'rival', 'relevance', 'margin', 'named', 'out_of_vocabulary',
    'lead', 'topics', 'asks', 'score', 'threshold')),
  value real not null,
  primary key (name, feature)
) strict, without rowid;

-- Everything remembered. `id` is the same in facts_fts and facts_vec; `fact_id` is the name for the outside. The times of a new row are mostly
-- that of its making; what is the same as one that was checked need not be checked again. Nor is a list looked through for what most rows have: SQLite
-- makes an index of it for each statement.
create table facts (
  id integer primary key,
  fact_id text not null unique,
  user_id text not null check (user_id <> ''),
  kind text not null default 'fact' references kinds (kind),
  key text not null check (key <> ''),
  value_text text not null,
  value_json text check (value_json is null or json_valid(value_json)),
  category text not null default 'other'
    check (category = 'other' or category in ('identity', 'hard_preference', 'soft_preference', 'task_context', 'health')),
  memory_type text references memory_types (memory_type),
  confidence real not null check (confidence between 0 and 1),
  importance real not null default 0.5 check (importance between 0 and 1),
  effective_importance real not null default 0.5 check (effective_importance between 0 and 1),
  source text not null default 'user_message'
    check (source = 'user_message' or source in ('assistant_message', 'tool', 'system', 'inferred', 'web_scraped')),
  speaker text,
  event_time text check (event_time is strftime('%Y-%m-%dT%H:%M:%fZ', event_time)),
  valid_from text not null check (valid_from is created_at or valid_from is strftime('%Y-%m-%dT%H:%M:%fZ', valid_from)),
  valid_to text check (valid_to is strftime('%Y-%m-%dT%H:%M:%fZ', valid_to)),
  status text not null
    check (status = 'active' or status in ('superseded', 'expired', 'pending_confirmation', 'archived', 'uncertain')),
  source_turn_id text not null,
  source_excerpt text not null,
  session_id text,
  tags text not null default '[]' check (tags = '[]' or json_type(tags) = 'array'),
  embedding_id text,
  created_at text not null check (created_at is strftime('%Y-%m-%dT%H:%M:%fZ', created_at)),
  updated_at text not null check (updated_at is created_at or updated_at is strftime('%Y-%m-%dT%H:%M:%fZ', updated_at)),
  last_mentioned_at text check (last_mentioned_at is created_at or last_mentioned_at is strftime('%Y-%m-%dT%H:%M:%fZ', last_mentioned_at)),
  seen_count integer not null default 1 check (seen_count >= 0),
  last_accessed text check (last_accessed is strftime('%Y-%m-%dT%H:%M:%fZ', last_accessed)),
  access_count integer not null default 0 check (access_count >= 0)
) strict;

-- `status` has no index of its own: whoever asks for one names the user, or the key.
create index facts_user_id on facts (user_id, kind, status);
create index facts_key on facts (key, user_id, status);
create index facts_valid_to on facts (valid_to) where valid_to is not null;
create index facts_due on facts (user_id, valid_to) where valid_to is not null and status in ('active', 'pending_confirmation');
create index facts_updated_at on facts (updated_at);
create index facts_turn on facts (user_id, source_turn_id);
create index facts_closed on facts (user_id, updated_at) where status in ('superseded', 'expired');
create index facts_session on facts (user_id, session_id, id) where kind = 'message';
create index facts_speaker on facts (user_id, speaker) where kind = 'message';
create index facts_said on facts (user_id, valid_from) where kind = 'message';
create index facts_narrative on facts (created_at) where kind = 'narrative';
create index facts_narrative_type on facts (memory_type) where kind = 'narrative';
create index facts_narrative_importance on facts (effective_importance) where kind = 'narrative';
-- Facts whose object is not among the words of their text, or has letters with more than one form: the full-text index may not find those.
create index facts_apart on facts (user_id, key) where kind <> 'message' and (
  length(cast(iif(json_type(value_json, '$.object') = 'text', value_json ->> 'object', value_text) as blob)) > length(iif(json_type(value_json, '$.object') = 'text', value_json ->> 'object', value_text))
    and iif(json_type(value_json, '$.object') = 'text', value_json ->> 'object', value_text) glob '*[^ -~À-ÖØ-Þà-öø-ÿ‘’“”–—…]*'
  or json_type(value_json, '$.object') = 'text'
    and instr(' ' || rtrim(lower(value_text), '.!?') || ' ', ' ' || rtrim(lower(value_json ->> 'object'), '.!?') || ' ') = 0);
-- What the texts of messages are like as answers (see the view message_traits), so that a search need not read them. Whole numbers only: what a
-- logarithm is to the last bit depends on the machine, and a file may move.
create index facts_traits on facts (
  id,
  speaker,
  event_time,
  substr(value_text, -1) in ('?', '？', '؟'),
  length(value_text) - length(replace(value_text, ' ', ''))
    + iif(length(cast(value_text as blob)) > length(value_text) and value_text glob '*[ก-႟ក-៿々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]*',
        (length(cast(value_text as blob)) - length(value_text)) / 4, 0),
  iif(source = 'user_message', iif(value_text glob '*[0-9]*', 1,
    iif(length(cast(value_text as blob)) > length(value_text), value_text glob '*[０-９٠-٩۰-۹०-९๐-๙]*', 0)), 0),
  rtrim(lower(substr(value_text, 1, instr(value_text || ' ', ' ') - 1)), '!,.…') in (
    'wow', 'that''s', 'that’s', 'sounds', 'awesome', 'cool', 'great', 'nice', 'amazing', 'congrats', 'congratulations', 'glad', 'sorry',
    'absolutely', 'definitely', 'totally', 'exactly', 'agreed', 'yeah', 'yep', 'bye')
) where kind = 'message';

-- The words of every row: its own; for a message also those of the question that it follows, and of the two messages before and after it;
-- and its date's. Nothing is stored twice: the text itself stays in facts.
create virtual table facts_fts using fts5 (
  body, reply, context, date,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
insert into facts_fts (facts_fts, rank) values ('usermerge', 2);  -- so many segments of about one size are brought together where that is asked for

-- Append-only, one row a change: triggers.sql refuses to update, delete or replace one, but where the user asked to have something forgotten.
create table fact_history (
  id integer primary key,
  fact_id text not null,
  user_id text not null,
  key text not null,
  operation text not null check (operation in ('insert', 'update', 'supersede', 'expire', 'noop', 'mark_pending_confirmation',
                                               'confirm', 'reject', 'archive', 'undo')),
  before text check (before is null or json_valid(before)),
  after text check (after is null or json_valid(after)),
  reason text not null,
  turn_id text not null,
  action_hash text not null,
  changed_at text not null check (changed_at is strftime('%Y-%m-%dT%H:%M:%fZ', changed_at)),
  session_id text
) strict;

create index fact_history_fact on fact_history (fact_id);
create index fact_history_user on fact_history (user_id, key);
create index fact_history_turn on fact_history (user_id, turn_id, operation);
create index fact_history_session on fact_history (session_id) where session_id is not null;

-- Superseded and expired rows that compaction moved out of the way, as they stood.
create table facts_archive (
  fact_id text primary key,
  user_id text not null,
  key text not null,
  source_turn_id text not null,
  valid_from text not null,
  valid_to text,
  status text not null,
  record text not null check (json_valid(record)),
  archived_at text not null
) strict, without rowid;

create index facts_archive_user on facts_archive (user_id, key);
create index facts_archive_at on facts_archive (user_id, archived_at);

-- What was said to be so no longer, whether or not it was believed by then: what was said before that and comes in later has ended, too.
create table ends (
  id integer primary key,
  user_id text not null check (user_id <> ''),
  key text not null check (key <> ''),
  turn_id text not null,
  said_at text not null check (said_at is strftime('%Y-%m-%dT%H:%M:%fZ', said_at)),
  source text not null,
  said text not null check (json_valid(said))
) strict;

create index ends_said on ends (user_id, said_at);

-- The durable queue: a turn is here before observe() returns, and stays as the record of what was said.
create table turns (
  id integer primary key,
  turn_id text not null,
  user_id text not null check (user_id <> ''),
  session_id text,
  speaker text,
  user_input text not null,
  assistant_response text not null default '',
  timestamp text not null check (timestamp is strftime('%Y-%m-%dT%H:%M:%fZ', timestamp)),
  received_at text not null,
  status text not null default 'queued' check (status in ('queued', 'working', 'done', 'failed')),
  attempts integer not null default 0,
  claimed_by text,
  claimed_until text,
  next_attempt_at text,
  done_at text,
  extracted_by text,
  error text, failures integer not null default 0,
  unique (user_id, turn_id)
) strict;

create index turns_user on turns (user_id, id);
create index turns_next on turns (id) where status in ('queued', 'working');
create index turns_open on turns (user_id, id) where status in ('queued', 'working');
create index turns_claimed on turns (claimed_by) where status = 'working';

-- An action is applied once, however often its turn is replayed.
create table applied_actions (
  user_id text not null,
  turn_id text not null,
  key text not null,
  action_hash text not null,
  primary key (user_id, turn_id, key, action_hash)
) strict, without rowid;

-- Vectors to write or to take away; triggers fill it, so no change can be missed. The line of a row's own vector has the row's id, that of
-- a message's window (the message among its neighbours) the same id with a minus, as in facts_vec.
create table outbox (
  id integer primary key,
  user_id text not null,
  attempts integer not null default 0,
  next_attempt_at text,
  dead integer not null default 0 check (dead in (0, 1)),
  last_error text
) strict;

create index outbox_next on outbox (next_attempt_at) where next_attempt_at is not null;
create index outbox_user on outbox (user_id, id desc) where dead = 0;

-- What a vector collection outside the file must be told while it serves as the index; a line says only that the collection is to be made
-- to hold what the file believes of this fact, or to hold it no longer. `change` is another number after every change, so that what changed
-- while it was being sent is sent again.
create table mirror_outbox (
  fact_id text primary key,
  change integer not null default (random()),
  claimed_until text,
  attempts integer not null default 0,
  next_attempt_at text,
  dead integer not null default 0 check (dead in (0, 1)),
  last_error text
) strict, without rowid;

-- Facts that are gone from the file since it first served with a collection: an older copy of that may be restored, and hold them again.
create table mirror_erased (
  fact_id text primary key
) strict, without rowid;

-- A random number a user, another one whenever vectors of theirs were written or taken away: what a process holds in memory is checked by it.
create table vector_versions (
  user_id text primary key,
  version integer not null
) strict, without rowid;

-- Codes of the vectors of large users, in blocks of many chunks of the index: a row never changes. `first` to `last` are its chunks, as far as they
-- are of its shelf, `marks` what stood in them when the codes were made: the bits of the taken slots, and all ids. Each vector is about its code times
-- its step, and as far from that as `off` says. All of it follows from the vectors.
create table vector_codes (
  id integer primary key,
  user_id text not null,
  shelf text not null,
  first integer not null,
  last integer not null,
  chunks integer not null check (chunks > 0),
  marks blob not null,
  steps blob not null,
  off blob not null,
  codes blob not null
) strict;

create index mirror_outbox_next on mirror_outbox (next_attempt_at) where next_attempt_at is not null;

create index vector_codes_shelf on vector_codes (user_id, shelf, first, last, chunks);

-- What a language model was asked for, what it cost and what it answered.
create table model_calls (
  id integer primary key,
  user_id text not null,
  turn_id text not null,
  purpose text not null,
  prompt_hash text not null,
  model text not null,
  mode text not null check (mode in ('json_schema', 'json_object', 'text')),
  attempt integer not null,
  prompt_tokens integer,
  completion_tokens integer,
  elapsed_ms real not null,
  finish_reason text,
  raw text,
  error text,
  called_at text not null
) strict;

create index model_calls_turn on model_calls (user_id, turn_id);

-- What was not done with a turn as it was proposed, and why: what the gate refused, what of a model's answer did not hold good.
create table turn_notes (
  id integer primary key,
  user_id text not null,
  turn_id text not null,
  step text not null check (step in ('extract', 'gate', 'arbitrate')),
  key text,
  why text not null
) strict;

create index turn_notes_turn on turn_notes (user_id, turn_id);

-- What a user lets be remembered; null leaves it to the settings.
create table consents (
  user_id text primary key,
  sensitive_topics text check (sensitive_topics in ('keep', 'ask', 'refuse')),
  secrets text check (secrets in ('keep', 'refuse')),
  given_at text not null
) strict, without rowid;

-- `turns` counts what was taken in, and `summarised` how many of them had been when the session's episode was told; 0, if it is to be told anew.
-- Both only tell whether it went on: what is forgotten since is not taken off, or a session could go on unseen. What is said in no session stands here under its `day`.
create table sessions (
  user_id text not null,
  session_id text not null,
  started_at text not null,
  last_turn_at text not null,
  ended_at text,
  turns integer not null default 0,
  summarised integer not null default 0,
  day text,
  primary key (user_id, session_id)
) strict, without rowid;

create index sessions_unsummarised on sessions (ended_at, last_turn_at) where summarised < turns;
create index sessions_over on sessions (user_id, ended_at) where summarised < turns and ended_at is not null;

create table profiles (
  user_id text primary key,
  profile text not null check (json_valid(profile)),
  built_at text not null,
  turns_since integer not null default 0
) strict, without rowid;

-- What waits for reflection: the turn up to which a user was reflected upon, how many were thought about since, and the last session since
-- in which something significant was learned. Whoever summarises or reflects claims the user, so that no model is asked twice.
create table upkeep (
  user_id text primary key,
  reflected_id integer not null default 0,
  turns_since integer not null default 0,
  significant_session text,
  claimed_by text,
  claimed_until text
) strict, without rowid;

create index upkeep_claimed on upkeep (claimed_by) where claimed_by is not null;

-- How much something counts by its tag, where its key does not say so.
create table tag_importance (
  tag text primary key,
  importance real not null check (importance between 0 and 1)
) strict, without rowid;

create table links (
  source_id text not null references facts (fact_id) on delete cascade,
  target_id text not null references facts (fact_id) on delete cascade,
  relation text not null check (relation in ('relates-to', 'contradicts', 'supports', 'extends')),
  strength real not null default 1.0 check (strength between 0 and 1),
  created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  primary key (source_id, target_id, relation)
) strict, without rowid;

create index links_target on links (target_id);

-- A session that is open, and which process holds it: one whose process is gone was not ended, and is ended at the next.
create table open_sessions (
  user_id text not null check (user_id <> ''),
  session_id text not null,
  held_by text not null,
  opened_at text not null check (opened_at is strftime('%Y-%m-%dT%H:%M:%fZ', opened_at)),
  primary key (user_id, session_id)
) strict, without rowid;

-- memory.md as it was last written for a user, and which fact each line tells: what differs on disk was changed by hand. `found` is what stood
-- there before; a process that died between this row and the file left that.
create table pages (
  user_id text primary key check (user_id <> ''),
  name text not null unique,
  page text not null,
  found text not null,
  lines text not null check (json_type(lines) = 'array'),
  written_at text not null check (written_at is strftime('%Y-%m-%dT%H:%M:%fZ', written_at))
) strict, without rowid;

-- How a procedure went, one row a time.
create table outcomes (
  id integer primary key,
  fact_id text not null references facts (fact_id) on delete cascade,
  turn_id text not null,
  succeeded integer not null check (succeeded in (0, 1)),
  note text not null default '',
  happened_at text not null check (happened_at is strftime('%Y-%m-%dT%H:%M:%fZ', happened_at)),
  unique (fact_id, turn_id)
) strict;

-- Up to which row a user's memory was looked through for likenesses.
create table related (
  user_id text primary key check (user_id <> ''),
  up_to integer not null
) strict, without rowid;

-- Up to which row what a user's memory holds twice was brought together.
create table merged (
  user_id text primary key check (user_id <> ''),
  up_to integer not null
) strict, without rowid;

-- The vectors of the embedder that is to come, gathered until they are whole; ids as in the outbox.
create table reindexed (
  id integer primary key,
  embedding blob not null
) strict;

-- Household events. One is here before event() returns; it waits without a segment until the segment that it belongs to is over.
create table segments (
  segment_id text primary key,
  user_id text not null,
  started_at text not null,
  ended_at text not null,
  closed_by text not null check (closed_by in ('duration', 'maximum', 'max_events', 'person_departed_home', 'person_arrived_home',
                                               'time_of_day_change', 'significant_event')),
  ready_at text not null check (ready_at is strftime('%Y-%m-%dT%H:%M:%fZ', ready_at)),
  written_by text not null,
  error text
) strict, without rowid;

create index segments_user on segments (user_id, ready_at);

create table events (
  event_id text not null,
  user_id text not null check (user_id <> ''),
  description text not null,
  timestamp text not null check (timestamp is strftime('%Y-%m-%dT%H:%M:%fZ', timestamp)),
  participants text not null default '[]' check (json_type(participants) = 'array'),
  location text,
  importance real check (importance between 0 and 1),
  break_trigger text check (break_trigger in ('person_departed_home', 'person_arrived_home', 'time_of_day_change', 'significant_event')),
  turn_id text,
  segment_id text references segments (segment_id), place integer not null default 0,
  primary key (user_id, event_id)
) strict, without rowid;

create index events_user on events (user_id, timestamp, place);
create index events_waiting on events (user_id, timestamp, place) where segment_id is null;
create index events_segment on events (segment_id);

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

-- Whether what was found for a question was right, as somebody said; `memdb tune` fits weights to it.
create table feedback (
  user_id text not null,
  query text not null,
  fact_id text not null references facts (fact_id) on delete cascade,
  good integer not null check (good in (0, 1)),
  given_at text not null,
  primary key (user_id, query, fact_id)
) strict, without rowid;

create index feedback_fact on feedback (fact_id);

-- While a row stands here, the history of the key it names may be deleted, and words that are forgotten may be struck from the rest of that
-- user's: forgetting is the one exception to append-only, and it is open for the length of its own transaction only. A null key means
-- the whole user.
create table erasures (
  user_id text not null,
  key text
) strict;

-- Vector collections, as Chroma's clients know them: each has its own dimension and distance, and nothing to do with the facts.
create table tenants (
  name text primary key
) strict, without rowid;

create table databases (
  tenant text not null references tenants (name) on delete cascade,
  name text not null,
  database_id text not null unique,
  primary key (tenant, name)
) strict, without rowid;

-- `version` rises with every write to the collection and `erased` is the version of the last deletion, so that whoever holds the vectors
-- in memory reads only what changed. `schema` is in chromadb's own form: how vectors are compared and embedded, and what may be filtered by.
create table collections (
  id integer primary key,
  collection_id text not null unique,
  tenant text not null,
  database text not null,
  name text not null,
  schema text not null check (json_extract(schema, '$.keys."#embedding".float_list.vector_index.config.space') in ('l2', 'cosine', 'ip')),
  metadata text check (metadata is null or json_type(metadata) = 'object'),
  dimension integer check (dimension > 0),
  version integer not null default 0,
  erased integer not null default 0,
  unique (tenant, database, name),
  foreign key (tenant, database) references databases (tenant, name) on delete cascade
) strict;

create table collection_records (
  id integer primary key,
  collection integer not null references collections (id) on delete cascade,
  record_id text not null check (record_id <> ''),
  document text,
  uri text,
  unique (collection, record_id)
) strict;

create index collection_records_order on collection_records (collection);

-- Apart from the records, so that looking through documents does not read the vectors. `version` is the collection's when it was written.
create table collection_vectors (
  record integer primary key references collection_records (id) on delete cascade,
  collection integer not null,
  version integer not null,
  embedding blob not null check (length(embedding) > 0)
) strict;

create index collection_vectors_version on collection_vectors (collection, version);

-- One row a value; `place` is -1, or the position in a list. Whole and broken numbers are one type, as filters compare them.
create table collection_metadata (
  record integer not null references collection_records (id) on delete cascade,
  key text not null,
  place integer not null check (place >= -1),
  collection integer not null,
  type text not null check (type in ('text', 'number', 'boolean')),
  value any not null,
  primary key (record, key, place)
) strict, without rowid;

create index collection_metadata_value on collection_metadata (collection, key, type, value, place);
