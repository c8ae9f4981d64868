-- The first schema of mem.db.

-- mem.db, table by table. Times are ISO-8601 UTC text of fixed width (2025-03-01T09:30:00.000Z), so that text order is time order.
-- `facts_vec`, the vector index, stands in vectors.sql: a file that is never searched by meaning does not have it.

-- What the file is: schema_version, embedder, dimension.
create table meta (
  name text primary key,
  value text not null
) strict, without rowid;

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

-- Every number that ranks. `update weights set value = …` is tuning.
create table weights (
  name text not null,
  feature text not null,
  value real not null,
  primary key (name, feature)
) strict, without rowid;

-- Everything remembered. `id` is the same in facts_fts and facts_vec; `fact_id` is the name for the outside.
create table facts (
  id integer primary key,
  fact_id text not null unique,
  user_id text not null check (user_id <> ''),
  kind text not null default 'fact' references kinds (kind),
  key text not null check (key <> ''),
  value_text text not null,
  value_json text check (value_json is null or json_valid(value_json)),
  category text not null default 'other'
    check (category in ('identity', 'hard_preference', 'soft_preference', 'task_context', 'health', 'other')),
  memory_type text references memory_types (memory_type),
  confidence real not null check (confidence between 0 and 1),
  importance real not null default 0.5 check (importance between 0 and 1),
  effective_importance real not null default 0.5 check (effective_importance between 0 and 1),
  source text not null default 'user_message'
    check (source in ('user_message', 'assistant_message', 'tool', 'system', 'inferred', 'web')),
  speaker text,
  event_time text check (event_time is strftime('%Y-%m-%dT%H:%M:%fZ', event_time)),
  valid_from text not null check (valid_from is strftime('%Y-%m-%dT%H:%M:%fZ', valid_from)),
  valid_to text check (valid_to is strftime('%Y-%m-%dT%H:%M:%fZ', valid_to)),
  status text not null
    check (status in ('active', 'superseded', 'expired', 'pending_confirmation', 'archived', 'uncertain')),
  source_turn_id text not null,
  source_excerpt text not null,
  session_id text,
  tags text not null default '[]' check (json_type(tags) = 'array'),
  embedding_id text,
  created_at text not null check (created_at is strftime('%Y-%m-%dT%H:%M:%fZ', created_at)),
  updated_at text not null check (updated_at is strftime('%Y-%m-%dT%H:%M:%fZ', updated_at)),
  last_mentioned_at text check (last_mentioned_at is strftime('%Y-%m-%dT%H:%M:%fZ', last_mentioned_at)),
  seen_count integer not null default 1 check (seen_count >= 0),
  last_accessed text check (last_accessed is strftime('%Y-%m-%dT%H:%M:%fZ', last_accessed)),
  access_count integer not null default 0 check (access_count >= 0)
) strict;

create index facts_user_id on facts (user_id, kind, status);
create index facts_key on facts (key, user_id, status);
create index facts_status on facts (status);
create index facts_valid_to on facts (valid_to) where valid_to is not null;
create index facts_due on facts (user_id, valid_to) where valid_to is not null and status in ('active', 'pending_confirmation');
create index facts_updated_at on facts (updated_at);
create index facts_turn on facts (user_id, source_turn_id);
create index facts_session on facts (user_id, session_id, id) where kind = 'message';

-- The words of every row: its own, its neighbours' (for a message), its date's. Nothing is stored twice: the text itself stays in facts.
create virtual table facts_fts using fts5 (
  body, context, date,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);

-- Append-only, one row a change (triggers.sql refuses update and delete).
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
  changed_at text not null check (changed_at is strftime('%Y-%m-%dT%H:%M:%fZ', changed_at))
) strict;

create index fact_history_fact on fact_history (fact_id);
create index fact_history_user on fact_history (user_id, key);
create index fact_history_turn on fact_history (user_id, turn_id);

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
  error text,
  unique (user_id, turn_id)
) strict;

create index turns_user on turns (user_id, id);
create index turns_next on turns (id) where status in ('queued', 'working');
create index turns_open on turns (user_id, id) where status in ('queued', 'working');

-- An action is applied once, however often its turn is replayed.
create table applied_actions (
  user_id text not null,
  turn_id text not null,
  key text not null,
  action_hash text not null,
  primary key (user_id, turn_id, key, action_hash)
) strict, without rowid;

-- Vectors to write or to take away, one line a row of facts at most; triggers fill it, so no change can be missed.
create table outbox (
  id integer primary key,
  user_id text not null,
  attempts integer not null default 0,
  next_attempt_at text,
  dead integer not null default 0 check (dead in (0, 1)),
  last_error text
) strict;

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

create table sessions (
  user_id text not null,
  session_id text not null,
  started_at text not null,
  last_turn_at text not null,
  ended_at text,
  turns integer not null default 0,
  primary key (user_id, session_id)
) strict, without rowid;

create table profiles (
  user_id text primary key,
  profile text not null check (json_valid(profile)),
  built_at text not null,
  turns_since integer not null default 0
) strict, without rowid;

create table links (
  source_id text not null references facts (fact_id) on delete cascade,
  target_id text not null references facts (fact_id) on delete cascade,
  relation text not null check (relation in ('relates-to', 'contradicts', 'supports', 'extends')),
  strength real not null default 1.0 check (strength between 0 and 1),
  created_at text not null,
  primary key (source_id, target_id, relation)
) strict, without rowid;

create index links_target on links (target_id);

-- Household events and the segments they are gathered into.
create table segments (
  segment_id text primary key,
  user_id text not null,
  started_at text not null,
  ended_at text,
  closed_by text,
  status text not null default 'open' check (status in ('open', 'closed', 'done'))
) strict, without rowid;

create table events (
  event_id text primary key,
  user_id text not null,
  description text not null,
  timestamp text not null check (timestamp is strftime('%Y-%m-%dT%H:%M:%fZ', timestamp)),
  participants text not null default '[]' check (json_type(participants) = 'array'),
  location text,
  importance real check (importance between 0 and 1),
  break_trigger text,
  segment_id text references segments (segment_id)
) strict, without rowid;

create index events_user on events (user_id, timestamp);

-- What was asked, what was found, how fast, and which leg failed if one did.
create table retrievals (
  id integer primary key,
  user_id text not null,
  query text not null,
  weights text not null,
  lexical_hits integer not null,
  vector_hits integer not null,
  returned integer not null,
  degraded text,
  elapsed_ms real not null,
  prompt_tokens integer,
  asked_at text not null
) strict;

create index retrievals_user on retrievals (user_id);

-- While a row stands here, the history it names may be deleted: forgetting is the one exception to append-only, and it is open for the
-- length of its own transaction only. A null key means the whole user.
create table erasures (
  user_id text not null,
  key text
) strict;

-- facts_fts mirrors facts; a message's neighbours are completed when the next message arrives.
create trigger facts_fts_insert after insert on facts begin
  insert into facts_fts (rowid, body, context, date)
    select id, body, context, date from fact_words where id = new.id;
end;

create trigger facts_fts_neighbours after insert on facts when new.kind = 'message' begin
  insert or replace into facts_fts (rowid, body, context, date)
    select w.id, w.body, w.context, w.date
    from fact_words w
    where w.id in (
      select p.id from facts p
      where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
      order by p.id desc
      limit 2);
end;

create trigger facts_fts_update after update of key, value_text, tags, valid_from, event_time on facts begin
  insert or replace into facts_fts (rowid, body, context, date)
    select id, body, context, date from fact_words where id = new.id;
end;

create trigger facts_fts_delete after delete on facts begin
  delete from facts_fts where rowid = old.id;
end;

-- Every change that the vector index must see leaves a line in the outbox.
create trigger outbox_insert after insert on facts begin
  insert into outbox (id, user_id) values (new.id, new.user_id)
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

create trigger outbox_update after update of value_text, kind, status on facts
when old.value_text is not new.value_text or old.kind is not new.kind or old.status is not new.status begin
  insert into outbox (id, user_id) values (new.id, new.user_id)
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

create trigger outbox_delete after delete on facts begin
  insert into outbox (id, user_id) values (old.id, old.user_id)
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

-- The audit trail is append-only, but for what the user asked to have forgotten.
create trigger fact_history_no_update before update on fact_history begin
  select raise(abort, 'fact_history is append-only: write a new row instead of changing an old one');
end;

create trigger fact_history_no_delete before delete on fact_history
when not exists (select 1 from erasures e where e.user_id = old.user_id and (e.key is null or e.key = old.key)) begin
  select raise(abort, 'fact_history is append-only: only forgetting a user or a key deletes from it');
end;

-- One row of facts as JSON: what history keeps and what the interfaces read, so that the columns are listed once.
create view fact_record as
select
  f.id,
  f.fact_id,
  json_object(
    'fact_id', f.fact_id, 'user_id', f.user_id, 'kind', f.kind, 'key', f.key,
    'value_text', f.value_text, 'value_json', json(f.value_json), 'category', f.category, 'memory_type', f.memory_type,
    'confidence', f.confidence, 'importance', f.importance, 'effective_importance', f.effective_importance,
    'source', f.source, 'speaker', f.speaker,
    'event_time', f.event_time, 'valid_from', f.valid_from, 'valid_to', f.valid_to, 'status', f.status,
    'source_turn_id', f.source_turn_id, 'source_excerpt', f.source_excerpt, 'session_id', f.session_id,
    'tags', json(f.tags), 'embedding_id', f.embedding_id,
    'created_at', f.created_at, 'updated_at', f.updated_at, 'last_mentioned_at', f.last_mentioned_at,
    'seen_count', f.seen_count, 'last_accessed', f.last_accessed, 'access_count', f.access_count
  ) as record
from facts f;

-- What the full-text index holds of a row: its own words and key, the two messages before and after it, and its day in words.
create view fact_words as
select
  f.id,
  f.value_text || iif(f.kind = 'message', '', ' ' || replace(replace(f.key, '_', ' '), '.', ' ')) as body,
  iif(f.kind <> 'message', '', coalesce((
    select group_concat(n.value_text, ' ') from (
      select value_text from (
        select p.value_text from facts p
        where p.user_id = f.user_id and p.session_id is f.session_id and p.kind = 'message' and p.id < f.id
        order by p.id desc limit 2)
      union all
      select value_text from (
        select q.value_text from facts q
        where q.user_id = f.user_id and q.session_id is f.session_id and q.kind = 'message' and q.id > f.id
        order by q.id limit 2)) n), '')) as context,
  strftime('%d ', coalesce(f.event_time, f.valid_from))
    || json_extract('["January","February","March","April","May","June","July","August","September","October","November","December"]',
                    '$[' || (strftime('%m', coalesce(f.event_time, f.valid_from)) - 1) || ']')
    || strftime(' %Y', coalesce(f.event_time, f.valid_from)) as date
from facts f;

-- Current facts and those moved away by compaction, for whoever asks what was true once.
create view fact_ever as
select f.fact_id, f.user_id, f.key, f.kind, f.status, f.source_turn_id, f.valid_from, f.valid_to, r.record
from facts f join fact_record r on r.id = f.id
union all
select a.fact_id, a.user_id, a.key, a.record ->> 'kind', a.status, a.source_turn_id, a.valid_from, a.valid_to, a.record
from facts_archive a;

-- A view per kind, for whoever reads with a SQLite shell.
create view fact as
select fact_id, user_id, key, value_text, value_json ->> 'subject' as subject, value_json ->> 'predicate' as predicate,
       value_json ->> 'object' as object, category, confidence, status, event_time, valid_from, valid_to,
       source_turn_id, source_excerpt, seen_count, created_at, updated_at, last_mentioned_at
from facts where kind = 'fact';

create view message as
select fact_id, user_id, session_id, source_turn_id as turn_id, speaker, value_text as text, valid_from as timestamp
from facts where kind = 'message';

create view episode as
select fact_id as id, user_id, session_id, value_json -> 'turn_range' as turn_range, value_text as summary, source_excerpt as raw_excerpt,
       value_json ->> 'timestamp_start' as timestamp_start, value_json ->> 'timestamp_end' as timestamp_end, source, tags, status
from facts where kind = 'episode';

create view narrative as
select fact_id as id, user_id, value_text as content, memory_type, importance, effective_importance,
       coalesce(value_json ->> 'emotion', 'neutral') as emotion, value_json -> 'participants' as participants,
       value_json ->> 'location' as location, value_json ->> 'time_of_day' as time_of_day, value_json ->> 'day_type' as day_type,
       tags, value_json -> 'source_event_ids' as source_event_ids, value_json ->> 'segment_start' as segment_start,
       value_json ->> 'segment_end' as segment_end, created_at, last_accessed, access_count,
       coalesce(value_json ->> 'consolidated', 0) as consolidated, status = 'archived' as archived
from facts where kind = 'narrative';

create view note as
select fact_id as id, user_id, value_text as text, value_json ->> 'origin' as origin, confidence as confidence_base, tags, status, created_at
from facts where kind = 'note';

create view task as
select fact_id as id, user_id, value_text as title, coalesce(value_json ->> 'state', 'active') as state, event_time as due, tags, status,
       created_at, updated_at
from facts where kind = 'task';

create view procedure as
select fact_id as id, user_id, value_text as title, value_json ->> 'trigger' as "trigger", value_json -> 'steps' as steps,
       value_json ->> 'success_rate' as success_rate, confidence, status, updated_at
from facts where kind = 'procedure';

-- The operational metrics, counted from what is stored. Rates and means are null while nothing was counted; latencies are in milliseconds.
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
           where i.user_id = h.user_id and i.turn_id = h.turn_id and i.action_hash = h.action_hash and i.operation = 'insert') as wrong
  from fact_history h where h.operation = 'supersede'
)
select 'lexical_hit_rate' as name, (select avg(lexical_hits > 0) from retrievals) as value
union all select 'vector_hit_rate', (select avg(vector_hits > 0) from retrievals)
union all select 'wrong_overwrite_rate', (select avg(wrong) from overwrite)
union all select 'pending_resolution_rate',
  (select 1.0 - avg(f.status = 'pending_confirmation')
   from fact_history h join facts f on f.fact_id = h.fact_id
   where h.operation = 'mark_pending_confirmation')
union all select 'observer_latency_p50', (select ms from observed where place = (n + 1) / 2)
union all select 'observer_latency_p95', (select ms from observed where place = (n * 95 + 99) / 100)
union all select 'retrieval_latency_p50', (select ms from retrieved where place = (n + 1) / 2)
union all select 'retrieval_latency_p95', (select ms from retrieved where place = (n * 95 + 99) / 100)
union all select 'prompt_tokens_mean', (select avg(prompt_tokens) from retrievals where prompt_tokens is not null);

-- The numbers a new file starts with. Change them in the file, not here: update weights set value = … where name = … and feature = …;

insert into memory_types (memory_type, weight, retention_multiplier, description) values
  ('SIGNIFICANT', 1.0, 3.0, 'major life events, milestones, important decisions'),
  ('PREFERENCE',  0.8, 2.0, 'learned preferences for comfort, routines, settings'),
  ('ROUTINE',     0.6, 1.5, 'behavioural patterns, daily rhythms'),
  ('OBSERVATION', 0.5, 1.0, 'general observations, ambient awareness'),
  ('TRANSIENT',   0.3, 0.5, 'minor events, trivial interactions');

insert into kinds (kind, weight, half_life_days, tau_days, injection_order, section, description) values
  ('fact',      1.0, 365,  30, 4, 'Relevant Facts',      'an atomic fact: subject, predicate, object'),
  ('message',   0.6, 180,   7, 6, 'Episodic Highlights', 'what was said, word for word'),
  ('episode',   0.7, 180,   7, 5, 'Episodic Highlights', 'the summary of a stretch of conversation'),
  ('narrative', 0.7, 30,   30, 5, 'Episodic Highlights', 'a first-person memory of household events'),
  ('note',      0.6, 365,  30, 3, 'Reflective Notes',    'an insight or rule of thumb'),
  ('task',      0.9, 60,   30, 2, 'Active Goals',        'a task, goal or open loop'),
  ('procedure', 0.8, 365,  30, 3, 'Reflective Notes',    'a learned workflow');

insert into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('name',            'is called',            'identity',        'one',  null,       1, 'SIGNIFICANT', 0.9),
  ('nickname',        'goes by',              'identity',        'one',  null,       1, 'PREFERENCE',  0.7),
  ('pronouns',        'uses the pronouns',    'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('age',             'is aged',              'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('birthday',        'was born on',          'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('nationality',     'has the nationality',  'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('hometown',        'comes from',           'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('lives_in',        'lives in',             'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('works_as',        'works as',             'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('works_at',        'works at',             'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('works_in',        'works in',             'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('studies',         'studies',              'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('studies_at',      'studies at',           'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('speaks',          'speaks',               'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('relationship',    'is',                   'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('wife',            'has a wife called',    'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('husband',         'has a husband called', 'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('partner',         'has a partner called', 'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('mother',          'has a mother called',  'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('father',          'has a father called',  'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('sister',          'has a sister called',  'identity',        'many', null,       1, 'SIGNIFICANT', 0.7),
  ('brother',         'has a brother called', 'identity',        'many', null,       1, 'SIGNIFICANT', 0.7),
  ('daughter',        'has a daughter called','identity',        'many', null,       1, 'SIGNIFICANT', 0.8),
  ('son',             'has a son called',     'identity',        'many', null,       1, 'SIGNIFICANT', 0.8),
  ('grandmother',     'has a grandmother called','identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('grandfather',     'has a grandfather called','identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('aunt',            'has an aunt called',   'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('uncle',           'has an uncle called',  'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('cousin',          'has a cousin called',  'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('niece',           'has a niece called',   'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('nephew',          'has a nephew called',  'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('boss',            'has a boss called',    'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('colleague',       'has a colleague called','other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('flatmate',        'has a flatmate called','other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('neighbour',       'has a neighbour called','other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('friend',          'has a friend called',  'other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('pet',             'has a pet:',           'identity',        'many', null,       0, 'SIGNIFICANT', 0.6),
  ('has_children',    'has children:',        'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('email',           'has the e-mail address','identity',       'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('phone',           'has the phone number', 'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('address',         'has the address',      'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('timezone',        'is in the time zone',  'identity',        'one',  null,       0, 'PREFERENCE',  0.6),
  ('income',          'earns',                'other',           'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('bank',            'banks with',           'other',           'one',  null,       1, 'SIGNIFICANT', 0.6),
  ('owes',            'owes',                 'other',           'many', null,       1, 'SIGNIFICANT', 0.6),
  ('allergic_to',     'is allergic to',       'health',          'many', null,       1, 'SIGNIFICANT', 0.9),
  ('intolerant_to',   'is intolerant to',     'health',          'many', null,       1, 'SIGNIFICANT', 0.9),
  ('has_condition',   'has',                  'health',          'many', null,       1, 'SIGNIFICANT', 0.9),
  ('takes',           'takes',                'health',          'many', null,       1, 'SIGNIFICANT', 0.9),
  ('blood_type',      'has the blood type',   'health',          'one',  null,       1, 'SIGNIFICANT', 0.9),
  ('feels',           'feels',                'health',          'many', null,       0, 'TRANSIENT',   0.4),
  ('pregnant',        'is',                   'health',          'one',  null,       1, 'SIGNIFICANT', 0.9),
  ('diet',            'eats',                 'hard_preference', 'one',  null,       0, 'PREFERENCE',  0.8),
  ('avoids',          'avoids',               'hard_preference', 'many', null,       0, 'PREFERENCE',  0.8),
  ('does_not_want',   'does not want',        'hard_preference', 'many', 'wants',    0, 'PREFERENCE',  0.7),
  ('must_have',       'must have',            'hard_preference', 'many', null,       0, 'PREFERENCE',  0.7),
  ('likes',           'likes',                'soft_preference', 'many', 'dislikes', 0, 'PREFERENCE',  0.4),
  ('dislikes',        'dislikes',             'soft_preference', 'many', 'likes',    0, 'PREFERENCE',  0.4),
  ('prefers',         'prefers',              'soft_preference', 'many', null,       0, 'PREFERENCE',  0.4),
  ('favourite',       'has the favourite',    'soft_preference', 'one',  null,       0, 'PREFERENCE',  0.4),
  ('hobby',           'does as a hobby',      'soft_preference', 'many', null,       0, 'PREFERENCE',  0.4),
  ('member_of',       'is a member of',       'other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('volunteers_at',   'volunteers at',        'other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('drives',          'drives',               'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('owns',            'owns',                 'other',           'many', null,       0, 'OBSERVATION', 0.4),
  ('plays',           'plays',                'soft_preference', 'many', null,       0, 'PREFERENCE',  0.4),
  ('staying_in',      'is staying in',        'task_context',    'one',  null,       0, 'TRANSIENT',   0.5),
  ('plans',           'plans',                'task_context',    'many', null,       0, 'OBSERVATION', 0.6),
  ('working_on',      'is working on',        'task_context',    'many', null,       0, 'OBSERVATION', 0.6),
  ('learning',        'is learning',          'task_context',    'many', null,       0, 'OBSERVATION', 0.5),
  ('wants',           'wants',                'task_context',    'many', 'does_not_want', 0, 'OBSERVATION', 0.5),
  ('needs_to',        'needs to',             'task_context',    'many', null,       0, 'OBSERVATION', 0.6),
  ('deadline',        'has a deadline:',      'task_context',    'many', null,       0, 'OBSERVATION', 0.7),
  ('note',            '',                     'other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('said',            'said',                 'other',           'many', null,       0, 'OBSERVATION', 0.2);

insert into weights (name, feature, value) values
  -- mem-skill, stage 1: HybridScore = 0.45*NormLexical + 0.45*VecSim + 0.10*RecencyBoost
  ('mem-skill', 'lexical', 0.45), ('mem-skill', 'cosine', 0.45), ('mem-skill', 'recency', 0.10),
  ('mem-skill', 'k_lex', 20), ('mem-skill', 'k_vec', 20), ('mem-skill', 'bm25_body', 1.0),
  -- first-person memories: semantic, importance × type weight × decay, recency (the decay factor), access bonus
  ('first-person', 'cosine', 0.40), ('first-person', 'importance', 0.25), ('first-person', 'decay', 0.20), ('first-person', 'access_bonus', 0.15),
  ('first-person', 'k_lex', 20), ('first-person', 'k_vec', 20), ('first-person', 'bm25_body', 1.0),
  -- the ablations
  ('lexical-only', 'lexical', 1.0), ('lexical-only', 'k_lex', 60), ('lexical-only', 'k_vec', 0), ('lexical-only', 'bm25_body', 1.0),
  ('vector-only', 'cosine', 1.0), ('vector-only', 'k_lex', 0), ('vector-only', 'k_vec', 60), ('vector-only', 'bm25_body', 1.0),
  -- the one that measures best
  ('default', 'lexical', 1.0), ('default', 'cosine', 1.0), ('default', 'recency', 0.02), ('default', 'importance', 0.05),
  ('default', 'type_weight', 0.05), ('default', 'confidence', 0.05), ('default', 'access_bonus', 0.02),
  ('default', 'k_lex', 60), ('default', 'k_vec', 60),
  ('default', 'bm25_body', 1.0), ('default', 'bm25_context', 0.3), ('default', 'bm25_date', 1.0);
