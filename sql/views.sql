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

-- What is searched by words of a row: its own words, key, name and tags; the message before it, if that asks something; the two messages
-- before and after it; and its day in words, by the user's clocks as far as they are known. A message has the day it was said on, and those of which
-- it tells: all but the first stand in its value, as days of the user.
create view fact_text as
select
  f.id,
  iif(length(cast(f.value_text as blob)) > length(f.value_text),
    f.value_text glob '*[々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]*' or instr(f.value_text, char(0)), 0) as unspaced,
  f.value_text || iif(f.kind = 'message', '', ' ' || replace(replace(f.key, '_', ' '), '.', ' ')
    || iif(f.kind = 'procedure' and f.value_json ->> 'title' <> f.value_json ->> 'trigger', ' ' || (f.value_json ->> 'title'), '')
    -- moods and promotion are marks, no words; and the tags that rules give to a memory are words of its events
    || iif(f.tags = '[]' or (f.kind = 'narrative' and f.value_json ->> 'written_by' = 'rules'), '', coalesce((
      select ' ' || group_concat(t.value, ' ') from json_each(f.tags) t where t.value not like 'emotion:%' and t.value <> 'promoted'), ''))
    ) as body,
  iif(f.kind <> 'message', '', coalesce((
    select iif(instr(value_text, '?') + instr(value_text, '？') + instr(value_text, '؟') > 0, value_text, '') from (
      select p.value_text from facts p
      where p.user_id = f.user_id and p.session_id is f.session_id and p.kind = 'message' and p.id < f.id
      order by p.id desc limit 1)), '')) as reply,
  case f.kind
    when 'message' then coalesce((
    select group_concat(n.value_text, ' ') from (
      select value_text from (
        select p.value_text from facts p
        where p.user_id = f.user_id and p.session_id is f.session_id and p.kind = 'message' and p.id < f.id
        order by p.id desc limit 2)
      union all
      select value_text from (
        select q.value_text from facts q
        where q.user_id = f.user_id and q.session_id is f.session_id and q.kind = 'message' and q.id > f.id
        order by q.id limit 2)) n), '')
    -- a first-person memory is found by the words of its events too, a pattern by those of the last memories that went into it
    when 'narrative' then coalesce((
      select group_concat(distinct e.description)
      from (
        select f.value_json as detail
        union all
        select * from (
          select s.value_json
          from links l cross join facts s on s.fact_id = l.source_id
          where l.target_id = f.fact_id and l.relation = 'supports'
          order by s.created_at desc limit 30)) d
      cross join json_each(d.detail, '$.source_event_ids') i
      cross join events e on e.user_id = f.user_id and e.event_id = i.value), '')
    else ''
  end as context,
  (select group_concat(substr(day, 9, 2) || ' '
      || rtrim(substr('January  February March    April    May      June     July     August   SeptemberOctober  November December ',
                      9 * substr(day, 6, 2) - 8, 9))
      || ' ' || substr(day, 1, 4), ' ')
   from (
     select coalesce(iif(minutes, strftime('%Y-%m-%d', at, minutes || ' minutes'), null), substr(at, 1, 10)) as day
     from (
       select at, (select minutes from clocks where begins <= at order by begins desc limit 1) as minutes
       from (
         select iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from)) as at
         union all
         select f.event_time where f.kind = 'message' and substr(f.event_time, 1, 10) <> substr(f.valid_from, 1, 10))
       limit 2)
     union all
     select value from json_each(iif(f.kind = 'message', f.value_json, null), '$.also_on')
     limit 8)) as date  -- each limit has what is within it worked out once
from facts f;

-- What the full-text index holds of a row: those texts. Chinese and Japanese are written without spaces, and Korean words carry their endings:
-- the index would hold whole sentences as one word. So each of their letters stands alone in it, if the row's own text has any, and who
-- searches for a word searches for its letters in a row. The three texts are taken apart at once, as one of JSON. It is cut in blocks, these in
-- parts, in pieces, in bits, and these in letters, since the further on a letter stands, the longer SQLite looks for it. A NUL, at which `substr`
-- and `glob` end, is a space here, as it is to the index, and so is a backslash. What has a NUL is read like this in any script.
create view fact_words as
select
  t.id,
  coalesce(apart.json ->> 0, t.body) as body,
  coalesce(apart.json ->> 1, t.reply) as reply,
  coalesce(apart.json ->> 2, t.context) as context,
  t.date
from fact_text t
left join json_each(case when t.unspaced then (
  with recursive
  whole (text) as materialized (
    select replace(replace(json_array(t.body, t.reply, t.context), '\\', ' '), '\u0000', ' ')),
  block (start, text) as (
    select 1, substr(text, 1, 1048576) from whole
    union all
    select b.start + 1048576, substr(w.text, b.start + 1048576, 1048576) from block b cross join whole w where b.text <> ''),
  place (n) as materialized (select 1 union all select n + 1 from place where n < 32),
  part (text) as materialized (
    select substr(b.text, 32768 * n - 32767, 32768) from block b cross join place where 32768 * n - 32767 <= length(b.text)),
  piece (text) as materialized (
    select substr(p.text, 1024 * n - 1023, 1024) from part p cross join place where 1024 * n - 1023 <= length(p.text)),
  bit (text) as materialized (
    select substr(p.text, 32 * n - 31, 32) from piece p cross join place where 32 * n - 31 <= length(p.text))
  select group_concat(iif(letter glob '[々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]', ' ' || letter || ' ', letter), '')
  from (select substr(b.text, n, 1) as letter from bit b cross join place)) end, '$[0]') apart;

-- What the vector of a message's window is made of: the message between the end of the one before and the beginning of the one after it.
create view message_window as
select
  f.id,
  coalesce((
    select substr(p.value_text, -250) || ' ' from facts p
    where p.user_id = f.user_id and p.session_id is f.session_id and p.kind = 'message' and p.id < f.id
    order by p.id desc limit 1), '')
  || f.value_text
  || coalesce((
    select ' ' || substr(q.value_text, 1, 250) from facts q
    where q.user_id = f.user_id and q.session_id is f.session_id and q.kind = 'message' and q.id > f.id
    order by q.id limit 1), '') as text
from facts f
where f.kind = 'message';

-- Current facts and those moved away by compaction, for whoever asks what was true once.
create view fact_ever as
select f.fact_id, f.user_id, f.key, f.kind, f.status, f.source_turn_id, f.valid_from, f.valid_to, r.record
from facts f join fact_record r on r.id = f.id
union all
select a.fact_id, a.user_id, a.key, a.record ->> 'kind', a.status, a.source_turn_id, a.valid_from, a.valid_to, a.record
from facts_archive a;

-- A view per kind, for whoever reads with a SQLite shell. Where embedding_id is null, a row has no vector yet.
create view fact as
select fact_id, user_id, key, value_text, value_json ->> 'subject' as subject, value_json ->> 'predicate' as predicate,
       value_json ->> 'object' as object, category, confidence, status, event_time, valid_from, valid_to,
       source_turn_id, source_excerpt, seen_count, created_at, updated_at, last_mentioned_at,
       value_json, embedding_id,
       fact_id as id, value_text as text,  -- and by the names that the profile goes by
       case
         when value_json ->> 'type' in ('location', 'preference', 'identity', 'constraint') then value_json ->> 'type'
         when substr(key, instr(key, '.') + 1) in ('lives_in', 'staying_in', 'hometown', 'born_in', 'address') then 'location'
         when category = 'soft_preference' then 'preference'
         when category = 'hard_preference' then 'constraint'
         else category
       end as type,
       created_at as first_seen, coalesce(last_mentioned_at, updated_at) as last_seen, source,
       confidence as confidence_base, importance as intrinsic_importance, tags,
       (
         select h.reason from fact_history h
         where h.fact_id = facts.fact_id and h.operation not in ('noop', 'archive')  -- which change nothing of what is believed
         order by h.id desc limit 1) as why
from facts where kind = 'fact';

create view message as
select fact_id, user_id, session_id, source_turn_id as turn_id, speaker, value_text as text, valid_from as timestamp
from facts where kind = 'message';

create view episode as
select fact_id as id, user_id, session_id, value_json -> 'turn_range' as turn_range, value_text as summary,
       coalesce(nullif(value_json ->> 'raw_excerpt', ''), source_excerpt) as raw_excerpt,
       strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(value_json ->> 'timestamp_start', event_time, valid_from)) as timestamp_start,
       max(
         strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(value_json ->> 'timestamp_start', event_time, valid_from)),
         strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(value_json ->> 'timestamp_end', valid_to, valid_from))) as timestamp_end,
       iif(source = 'inferred', 'chat', source) as source, tags, status, embedding_id
from facts where kind = 'episode';

-- A pattern's events are those of the memories that went into it.
create view narrative as
select f.fact_id as id, f.user_id, f.value_text as content, f.memory_type, f.importance, f.effective_importance,
       coalesce(f.value_json ->> 'emotion', 'neutral') as emotion, f.value_json -> 'participants' as family_members,
       f.value_json ->> 'location' as location, f.value_json ->> 'time_of_day' as time_of_day, f.value_json ->> 'day_type' as day_type,
       f.tags, f.embedding_id,
       iif(f.value_json ->> 'pattern' = 1, (
         select json_group_array(event_id) from (
           select i.value as event_id
           from links l cross join facts s on s.fact_id = l.source_id
           cross join json_each(s.value_json, '$.source_event_ids') i
           where l.target_id = f.fact_id and l.relation = 'supports'
           order by s.created_at, s.id, i.key)), f.value_json -> 'source_event_ids') as source_event_ids,
       strftime('%Y-%m-%dT%H:%M:%fZ', f.value_json ->> 'segment_start') as segment_start,
       strftime('%Y-%m-%dT%H:%M:%fZ', f.value_json ->> 'segment_end') as segment_end, f.created_at, f.last_accessed,
       f.access_count, coalesce(f.value_json ->> 'consolidated', 0) as consolidated, f.status = 'archived' as archived
from facts f where f.kind = 'narrative';

create view note as
select fact_id as id, user_id, value_text as text, value_json ->> 'origin' as origin, confidence as confidence_base, tags, status, created_at,
       embedding_id
from facts where kind = 'note';

-- `state` is where a task stands (active, done, stalled), `status` whether it is believed, as of any row.
create view task as
select fact_id as id, user_id, value_text as title, coalesce(value_json ->> 'state', 'active') as state, event_time as due, tags, status,
       created_at, updated_at, embedding_id
from facts where kind = 'task';

create view procedure as
select f.fact_id as id, f.user_id, iif(json_type(f.value_json, '$.title') = 'text', f.value_json ->> 'title', f.value_text) as title, f.value_json ->> 'trigger' as "trigger",
       f.value_json -> 'steps' as steps, count(o.id) filter (where o.succeeded) as successes,
       count(o.id) filter (where not o.succeeded) as failures, avg(o.succeeded) as success_rate,
       f.confidence, f.status, f.updated_at
from facts f left join outcomes o on o.fact_id = f.fact_id
where f.kind = 'procedure'
group by f.id;

-- What the text of a message is like as an answer; a search weighs it. The other kinds are written to the point, and count as a message of ten words.
create view message_traits as
select
  id,
  speaker,
  event_time,
  substr(value_text, -1) in ('?', '？', '؟') as is_question,
  -- ln(1 + words) / 4: a longer message says more. Where no spaces tell words apart, two letters of three bytes are a word
  min(1.0, ln(2.0 + (length(value_text) - length(replace(value_text, ' ', ''))
    + iif(length(cast(value_text as blob)) > length(value_text) and value_text glob '*[ก-႟ក-៿々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]*',
        (length(cast(value_text as blob)) - length(value_text)) / 4, 0))) / 4.0) as length,
  -- people tell a number where they tell a fact; the lists of an assistant or a tool are full of them
  iif(source = 'user_message', iif(value_text glob '*[0-9]*', 1,
    iif(length(cast(value_text as blob)) > length(value_text), value_text glob '*[０-９٠-٩۰-۹०-९๐-๙]*', 0)), 0) as has_number,
  -- it begins as answers do that only cheer or agree ("Wow, that's great!"); in other languages than English nothing does
  rtrim(lower(substr(value_text, 1, instr(value_text || ' ', ' ') - 1)), '!,.…') in (
    'wow', 'that''s', 'that’s', 'sounds', 'awesome', 'cool', 'great', 'nice', 'amazing', 'congrats', 'congratulations', 'glad', 'sorry',
    'absolutely', 'definitely', 'totally', 'exactly', 'agreed', 'yeah', 'yep', 'bye') as is_reaction
from facts indexed by facts_traits
where kind = 'message';

-- When a fact happened, or was said, null for what has no moment; and whether it only asks.
create view fact_moments as
select
  f.id,
  coalesce(m.is_question, 0) as is_question,
  coalesce(f.event_time, iif(f.kind in ('message', 'episode', 'narrative'), f.valid_from, null)) as moment
from facts f
left join message_traits m on m.id = f.id;

-- Whether a person's message tells what is so now, by its words in English, German, French, Spanish, Portuguese, Italian or Dutch: 2 if it says that
-- something is otherwise than it was ("I take the 7:40 train now"), 0 if it tells of what was only once, would be or comes on top ("I took the 8:45
-- yesterday"), and 1 if it says neither. `update_cues` holds the words.
create view message_updates as
select
  f.id,
  f.valid_from,
  (
    with told (words) as materialized (
      select ' ' || lower(replace(replace(replace(replace(replace(replace(substr(f.value_text, 1, 1000), ',', ' '), '.', ' '), '!', ' '), ';', ' '),
        char(10), ' '), '’', '''')) || ' '),
    -- two words of grammar tell, and no words of the other languages need be looked for
    is_english (yes) as materialized (
      select count(*) > 1
      from told
      cross join json_each('["the", "and", "to", "my", "you", "it", "with", "for", "this", "that", "have", "i''m", "i''ve"]') word
      where instr(words, ' ' || word.value || ' '))
    select coalesce((
      select c.says
      from update_cues c
      where (c.language = 'en' or not yes)
        and instr(words, c.cue)
        and instr(substr(words, instr(words, c.cue) + length(c.cue) - 1, 30), c.then_cue)
      order by c.says desc
      limit 1), 1)
    from told
    cross join is_english
  ) as tells_update
from facts f
where f.kind = 'message' and f.source = 'user_message' and substr(f.value_text, -1) <> '?';

-- How much of what a message's turn told, or told again, is believed no longer, 0 to 1, null for nothing told. Of an event it stays true that it was
-- to be; what was taken back was never told; what was merged with what says the same is believed still; and who tells that something ends does
-- not tell that it is so.
create view message_outdated as
select
  m.id,
  (
    select avg(s.is_over)
    from (
      select distinct t.fact_id, coalesce(f.status in ('superseded', 'expired'), 1) as is_over
      from fact_history t
      left join facts f on f.fact_id = t.fact_id
      left join facts_archive a on a.fact_id = t.fact_id
      where t.user_id = m.user_id and t.turn_id = m.source_turn_id
        and t.operation in ('insert', 'update', 'noop', 'mark_pending_confirmation')
        and coalesce(f.kind, a.record ->> 'kind') = 'fact'
        and coalesce(f.event_time, a.record ->> 'event_time') is null
        and not exists (
          select 1 from fact_history e where e.fact_id = t.fact_id and e.turn_id = t.turn_id and e.operation in ('supersede', 'expire'))) s
    where not s.is_over
      or not exists (
        select 1
        from fact_history h
        where h.id = (select max(id) from fact_history where fact_id = s.fact_id and operation <> 'archive')
          and (h.operation in ('reject', 'undo') or exists (
            select 1
            from fact_history k
            where k.user_id = h.user_id and k.turn_id = h.turn_id and k.operation = 'noop' and k.action_hash = h.action_hash)))
  ) as outdated
from facts m
where m.kind = 'message';

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
