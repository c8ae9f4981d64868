-- What is held under some keys of a user, or of a fact by its id; the newest last.
-- What is uncertain is no belief, and found by who says the same again.

-- Where :kind is not null, only what is of that kind is told.
-- Where :words is not null, what has none of them in its object is left out, but for the newest of its key; the words are lower-case, and an object that is
-- not plain ASCII may have them in another form. Of more than :most it is what has most of the words, and of these what says least besides.
-- statement: under_keys
with
held as materialized (
  select
    f.id, f.key,
    replace(lower(iif(json_type(f.value_json, '$.object') = 'text', f.value_json ->> 'object', f.value_text)), '''', '') as object
  from facts f
  where f.user_id = :user_id
    and f.key in (select value from json_each(:keys))
    and f.kind <> 'message'
    and (:kind is null or f.kind = :kind)
    and f.status in ('active', 'pending_confirmation', 'uncertain')
    and (f.valid_to is null or f.valid_to > max(:now, f.valid_from))
),
word as materialized (  -- or the JSON would be read once more for every row
  select value as word from json_each(:words)
),
compared as materialized (
  select id, object, (select count(*) from word where instr(held.object, word) > 0) as shared
  from held
  where :words is not null
),
likest as (
  select id
  from compared
  where shared > 0 or length(cast(object as blob)) > length(object)
  order by shared desc, length(object), id desc
  limit :most
)
select r.record
from (
  select id from held where :words is null
  union
  select id from likest
  union
  select (select max(id) from held where held.key = k.value) from json_each(:keys) k
) b
cross join fact_record r on r.id = b.id
order by b.id;

-- The same of sets with very many values, for what is wanted only if it has all of its words: :terms ask the full-text index for what has these,
-- and another index tells whose objects have words that their texts may not have.
-- statement: among
with
found as (
  select f.id
  from facts_fts cross join facts f on f.id = facts_fts.rowid
  where facts_fts match :terms and f.user_id = :user_id and f.key in (select value from json_each(:keys))
  union
  select f.id
  from facts f indexed by facts_apart
  where f.user_id = :user_id
    and f.key in (select value from json_each(:keys))
    and f.kind <> 'message'
    and (
      length(cast(iif(json_type(f.value_json, '$.object') = 'text', f.value_json ->> 'object', f.value_text) as blob)) > length(iif(json_type(f.value_json, '$.object') = 'text', f.value_json ->> 'object', f.value_text))
        and iif(json_type(f.value_json, '$.object') = 'text', f.value_json ->> 'object', f.value_text) glob '*[^ -~À-ÖØ-Þà-öø-ÿ‘’“”–—…]*'
      or json_type(f.value_json, '$.object') = 'text'
        and instr(' ' || rtrim(lower(f.value_text), '.!?') || ' ', ' ' || rtrim(lower(f.value_json ->> 'object'), '.!?') || ' ') = 0)
),
held as materialized (
  select f.id, replace(lower(iif(json_type(f.value_json, '$.object') = 'text', f.value_json ->> 'object', f.value_text)), '''', '') as object
  from found n cross join facts f on f.id = n.id
  where f.kind <> 'message'
    and (:kind is null or f.kind = :kind)
    and f.status in ('active', 'pending_confirmation', 'uncertain')
    and (f.valid_to is null or f.valid_to > max(:now, f.valid_from))
),
word as materialized (
  select value from json_each(:words)
),
compared as materialized (
  select id, object, (select count(*) from word w where instr(held.object, w.value) > 0) as shared
  from held
),
likest as (
  select id
  from compared
  where shared > 0 or object glob '*[^ -~]*'
  order by shared desc, length(object), id desc
  limit :most
),
newest as (
  select (
      select f.id
      from facts f indexed by facts_key
      where f.user_id = :user_id
        and f.key = k.value
        and f.kind <> 'message'
        and (:kind is null or f.kind = :kind)
        and f.status = s.value
        and (f.valid_to is null or f.valid_to > :now)
      order by f.id desc
      limit 1) as id
  from json_each(:keys) k
  cross join json_each('["active", "pending_confirmation", "uncertain"]') s
)
select r.record
from (select id from likest union select id from newest) b
cross join fact_record r on r.id = b.id
order by b.id;

-- Whether so many rows stand under some keys of a user that they had better be looked up.
-- statement: are_many
select count(*) >= :many as are_many
from (
  select 1
  from facts indexed by facts_key
  where user_id = :user_id and key in (select value from json_each(:keys)) and status in ('active', 'pending_confirmation', 'uncertain')
  limit :many);

-- What is believed under some keys of a user, or waits, in bare words; of very many the newest.
-- statement: objects
select f.key, f.value_json ->> 'object' as object
from facts f
where f.user_id = :user_id
  and f.key in (select value from json_each(:keys))
  and f.kind = 'fact'
  and f.status in ('active', 'pending_confirmation')
  and (f.valid_to is null or f.valid_to > :now)
  and json_type(f.value_json, '$.object') = 'text'
order by f.id desc
limit 200;

-- What is believed of somebody, or waits, in bare words, under whatever key; of very much the newest. The key is not looked up by its index,
-- which goes through everybody's.
-- statement: objects_of
select f.key, f.value_json ->> 'object' as object
from facts f
where f.user_id = :user_id
  and f.kind = 'fact'
  and f.status in ('active', 'pending_confirmation')
  and +f.key >= :subject || '.'
  and +f.key < :subject || '/'
  and (f.valid_to is null or f.valid_to > :now)
  and json_type(f.value_json, '$.object') = 'text'
order by f.id desc
limit 200;

-- When that is which is planned under a key by a name.
-- statement: planned_for
select f.event_time, f.valid_to
from facts f
where f.user_id = :user_id
  and f.key = :key
  and f.kind = 'fact'
  and f.status = 'active'
  and f.event_time is not null
  and f.value_json ->> 'object' = :object
order by f.id desc
limit 1;

-- What was believed under some keys of a user, and is no longer, in bare words; what was taken back never was.
-- statement: objects_once
select f.key, f.value_json ->> 'object' as object
from facts f
where f.user_id = :user_id
  and f.key in (select value from json_each(:keys))
  and f.kind = 'fact'
  and f.status in ('superseded', 'expired')
  and f.valid_to > f.valid_from
  and json_type(f.value_json, '$.object') = 'text'
order by f.id desc
limit 200;

-- What was so under a key and is over, also where it lies in the archive.
-- statement: over_under
select record ->> '$.value_json.object'
from fact_ever
where user_id = :user_id
  and key = :key
  and kind = 'fact'
  and status in ('active', 'superseded', 'expired')
  and valid_to is not null
limit 200;

-- What somebody else said right before a turn.
-- statement: asked
select p.value_text as asked
from facts p
where p.user_id = :user_id
  and p.session_id is :session_id
  and p.kind = 'message'
  and p.id = (
    select max(q.id)
    from facts q
    where q.user_id = :user_id
      and q.session_id is :session_id
      and q.kind = 'message'
      and q.id < (select min(m.id) from facts m where m.user_id = :user_id and m.source_turn_id = :turn_id and m.kind = 'message'))
  and coalesce(p.speaker, 'user') <> :speaker
  and p.valid_from >= :since;

-- What a speaker said last before a turn.
-- statement: said
select p.value_text as said, p.source_turn_id as turn_id, p.valid_from as at
from facts p
where p.user_id = :user_id
  and p.session_id is :session_id
  and p.kind = 'message'
  and p.id = (
    select max(q.id)
    from facts q
    where q.user_id = :user_id
      and q.session_id is :session_id
      and q.kind = 'message'
      and coalesce(q.speaker, 'user') = :speaker
      and q.id < (select min(m.id) from facts m where m.user_id = :user_id and m.source_turn_id = :turn_id and m.kind = 'message'))
  and p.valid_from >= :since;

-- What a speaker said of late in a session, up to a turn, the newest first.
-- statement: said_lately
select p.value_text as said
from facts p
where p.user_id = :user_id
  and p.session_id is :session_id
  and p.kind = 'message'
  and coalesce(p.speaker, 'user') = :speaker
  and p.valid_from >= :since
  and p.id <= (
    select max(m.id)
    from facts m
    where m.user_id = :user_id and m.source_turn_id = :turn_id and m.kind = 'message' and coalesce(m.speaker, 'user') = :speaker)
order by p.id desc
limit 40;

-- What the assistant has told a user of late, in the turns that came in last.
-- statement: told_lately
select said
from (
  select t.timestamp, iif(t.speaker = 'assistant', t.user_input, t.assistant_response) as said
  from turns t
  where t.user_id = :user_id
  order by t.id desc
  limit 100)
where said <> '' and timestamp between :since and :now;

-- What is held of somebody, whose keys begin so, but for what this turn says.
-- statement: of_somebody
select r.record
from facts f join fact_record r on r.id = f.id
where f.user_id = :user_id
  and f.kind = 'fact'
  and f.status in ('active', 'pending_confirmation')
  and substr(f.key, 1, length(:begins)) = :begins
  and f.source_turn_id <> :turn_id
order by f.id;

-- statement: by_id
select record from fact_record where fact_id = :fact_id;

-- statement: by_ids
select f.fact_id, r.record from json_each(:fact_ids) i cross join facts f on f.fact_id = i.value cross join fact_record r on r.id = f.id;

-- The same of what may lie in the archive.
-- statement: ever_by_id
select record from fact_record where fact_id = :fact_id
union all
select record from facts_archive where fact_id = :fact_id
limit 1;

-- What is over by the clock has expired, also where that is still to be written down. :contains is a text in several cases, of which a row has one
-- in its key or in its words. Which rows stand on a page is told before any of them is made a record, and a :limit below 0 is none.
-- statement: current
with
near as (
  select *
  from facts
  where user_id = :user_id
),
listed as (
  select f.id, f.key, f.valid_from
  from near f
  where f.kind in (select value from json_each(:kinds))
    and f.status in (
      select value from json_each(:statuses)
      union
      select live.value
      from json_each(:statuses) wanted cross join json_each('["active", "pending_confirmation", "uncertain"]') live
      where wanted.value = 'expired')
    and iif(f.status in ('active', 'pending_confirmation', 'uncertain') and f.valid_to <= :now, 'expired', f.status) in (select value from json_each(:statuses))
    and (:categories is null or f.category in (select value from json_each(:categories)))
    and (:turn_id is null or f.source_turn_id = :turn_id)
    and (:contains is null or exists (select 1 from json_each(:contains) c where instr(lower(f.key || ' ' || f.value_text), c.value)))
)
select iif(f.status in ('active', 'pending_confirmation', 'uncertain') and f.valid_to <= :now, json_set(r.record, '$.status', 'expired'), r.record) as record
from (select id from listed order by key, valid_from, id limit :limit offset :offset) page
cross join facts f on f.id = page.id
cross join fact_record r on r.id = page.id
order by f.key, f.valid_from, f.id;

-- How many rows such a list has in all.
-- statement: count_current
-- with: believe.current.near, believe.current.listed
select count(*) as total from listed;

-- The same of one key, which an index tells.
-- statement: current_of_key
-- with: believe.current_key.near, believe.current.listed
select iif(f.status in ('active', 'pending_confirmation', 'uncertain') and f.valid_to <= :now, json_set(r.record, '$.status', 'expired'), r.record) as record
from (select id from listed order by key, valid_from, id limit :limit offset :offset) page
cross join facts f on f.id = page.id
cross join fact_record r on r.id = page.id
order by f.key, f.valid_from, f.id;

-- statement: count_current_of_key
-- with: believe.current_key.near, believe.current.listed
select count(*) as total from listed;

-- statement: as_of
with
listed as (
  select e.fact_id, e.key, e.valid_from
  from fact_ever e
  where e.user_id = :user_id
    and (:key is null or e.key = :key)
    and e.kind in (select value from json_each(:kinds))
    and e.status in (select value from json_each(:statuses))
    and e.valid_from <= :as_of
    and (e.valid_to is null or e.valid_to > :as_of)
    and (:turn_id is null or e.source_turn_id = :turn_id)
    and (:categories is null or coalesce(  -- what the view has of it is made a record first
      (select f.category from facts f where f.fact_id = e.fact_id),
      (select a.record ->> 'category' from facts_archive a where a.fact_id = e.fact_id)) in (select value from json_each(:categories)))
    and (:contains is null or exists (
      select 1
      from json_each(:contains) c
      where instr(lower(e.key || ' ' || coalesce(
        (select f.value_text from facts f where f.fact_id = e.fact_id),
        (select a.record ->> 'value_text' from facts_archive a where a.fact_id = e.fact_id))), c.value)))
)
select coalesce(
  (select r.record from facts f cross join fact_record r on r.id = f.id where f.fact_id = page.fact_id),
  (select a.record from facts_archive a where a.fact_id = page.fact_id)) as record
from (select fact_id, key, valid_from from listed order by key, valid_from, fact_id limit :limit offset :offset) page
order by page.key, page.valid_from, page.fact_id;

-- statement: count_as_of
-- with: believe.as_of.listed
select count(*) as total from listed;

-- statement: contradicted_by
select r.record
from links l
join facts f on f.fact_id = l.target_id
join fact_record r on r.id = f.id
where l.source_id = :fact_id and l.relation = 'contradicts' and f.status in ('active', 'pending_confirmation')
order by f.id;

-- statement: contradicting
select r.record
from links l
join facts f on f.fact_id = l.source_id
join fact_record r on r.id = f.id
where l.target_id = :fact_id and l.relation = 'contradicts' and f.status = 'pending_confirmation'
order by f.id;

-- Denials that wait, of what is held no longer, not even in doubt: of one fact that has ended, of a user, or of everybody.
-- statement: moot
with
doubt (fact_id) as (
  select source_id from links where target_id = :ended and relation = 'contradicts'
  union
  select fact_id
  from facts
  where :ended is null and user_id = :user_id and kind in (select kind from kinds) and status = 'pending_confirmation'
  union
  select source_id from links where :ended is null and :user_id is null and relation = 'contradicts'
)
select r.record
from doubt d
cross join facts f on f.fact_id = d.fact_id
cross join fact_record r on r.id = f.id
where f.status = 'pending_confirmation'
  and f.value_json ->> 'polarity' = 'negative'
  and exists (select 1 from links l where l.source_id = f.fact_id and l.relation = 'contradicts')
  and not exists (
    select 1
    from links l join facts t on t.fact_id = l.target_id
    where l.source_id = f.fact_id and l.relation = 'contradicts' and t.status in ('active', 'pending_confirmation', 'uncertain'))
order by f.id;

-- What else than a fact is held for good under a key, wherever that fact is.
-- statement: beside
select r.record
from facts o
join fact_record r on r.id = o.id
where o.user_id = :user_id
  and o.key = :key
  and o.kind = :kind
  and o.fact_id <> :fact_id
  and o.status in (select value from json_each(:statuses))
  and o.valid_to is null
order by o.id;

-- What gave way under the key of a fact, or :ended there, was said before it, and lasts into it, also where it lies in the archive; not what was so for a
-- time only.
-- statement: lasts_into
select o.record
from facts f
join fact_ever o on o.kind = f.kind and o.fact_id <> f.fact_id
where f.fact_id = :fact_id
  and o.user_id = :user_id  -- whose the fact is, and under which key: by these the view is looked up
  and o.key = :key
  and o.status in ('superseded', 'expired')
  and (o.status = 'superseded' or :ended and not exists (
    select 1 from fact_history h where h.fact_id = o.fact_id and h.operation = 'expire' and h.reason = 'its time is over'))
  and o.valid_from < o.valid_to
  and o.valid_to > f.valid_from
  and (f.valid_to is null or o.valid_from < f.valid_to)
  and coalesce(o.record ->> 'last_mentioned_at', o.record ->> 'created_at') <= coalesce(f.last_mentioned_at, f.created_at)
order by o.valid_from, o.fact_id;

-- What was to last only until a fact begins, since that takes its place; and until when it was to last before.
-- statement: waits_to_end
select r.record, (
    select h.before ->> 'valid_to' from fact_history h
    where h.fact_id = o.fact_id and h.after ->> 'valid_to' = f.valid_from and h.before ->> 'valid_to' is not f.valid_from
    order by h.id desc
    limit 1) as lasted
from facts f
join facts o on o.user_id = f.user_id and o.kind = f.kind and o.valid_to = f.valid_from and o.status = 'active'
join fact_record r on r.id = o.id
where f.fact_id = :fact_id
  and not exists (  -- nothing else begins then
    select 1 from facts g
    where g.user_id = o.user_id and g.key = o.key and g.kind = o.kind and g.status = 'active' and g.valid_from = o.valid_to)
  and exists (select 1 from fact_history b where b.fact_id = f.fact_id and b.turn_id in (
    select h.turn_id from fact_history h
    where h.fact_id = o.fact_id and h.operation in ('supersede', 'expire') and h.after ->> 'valid_to' = f.valid_from))
order by o.id;

-- What was so under the key of a fact at some time since :begins, and before it. What gave way to it and lasts into it does not count.
-- statement: before_it
select e.fact_id
from facts f
join fact_ever e on e.kind = f.kind and e.fact_id <> f.fact_id
where f.fact_id = :fact_id
  and e.user_id = :user_id  -- whose the fact is, and under which key: by these the view is looked up
  and e.key = :key
  and e.status in ('active', 'superseded', 'expired')
  and e.record ->> '$.value_json.polarity' is not 'negative'
  and e.valid_from < coalesce(e.valid_to, '9999')
  and e.valid_from < f.valid_from
  and coalesce(e.valid_to, '9999') > :begins
  and not (
    e.status = 'superseded'
    and e.valid_from < :begins
    and coalesce(e.record ->> 'last_mentioned_at', e.record ->> 'created_at') <= :now)
limit 1;

-- What gave way under a key, or ended there, also where it lies in the archive, as far as it began after :since: when it began, and was said; the first
-- first. What is denied never was, nor was what ended as it began.
-- statement: gave_way
with
over as (
  select f.fact_id, f.status, f.valid_from, f.valid_to, coalesce(f.last_mentioned_at, f.created_at) as said, f.value_json
  from facts f
  where f.user_id = :user_id and f.key = :key and f.status in ('superseded', 'expired') and f.kind = :kind and f.valid_from > :since
  union all
  select a.fact_id, a.status, a.valid_from, a.valid_to, coalesce(a.record ->> 'last_mentioned_at', a.record ->> 'created_at'), a.record -> 'value_json'
  from facts_archive a
  where a.user_id = :user_id and a.key = :key and a.status in ('superseded', 'expired') and a.valid_from > :since and a.record ->> 'kind' = :kind
)
select o.valid_from, o.fact_id, o.said
from over o
where o.valid_from < o.valid_to
  and o.value_json ->> 'polarity' is not 'negative'
  and (o.status = 'superseded' or not exists (
    select 1 from fact_history h where h.fact_id = o.fact_id and h.operation = 'expire' and h.reason = 'its time is over'))
order by o.valid_from, o.fact_id;

-- statement: predicates
select predicate, label, category, cardinality, opposite, high_risk, memory_type, importance
from predicates
order by predicate;

-- The same in one piece, as every turn reads it, in whatever order.
-- statement: vocabulary
select json_group_array(json_array(predicate, label, category, cardinality, opposite, high_risk, memory_type, importance)) as vocabulary
from predicates;

-- The part of it in which all stands that the last part of a key begins with, word by word: `:first` is its first word, `:last` all of it.
-- statement: vocabulary_of
select json_group_array(json_array(predicate, label, category, cardinality, opposite, high_risk, memory_type, importance)) as vocabulary
from predicates
where predicate between :first and :last;

-- The newest last, or first; which changes stand on a page is told before what was and is so is read.
-- statement: history
with
listed as (  -- by the narrowest that is given: what is null is equal to nothing
  select id
  from fact_history
  where fact_id = :fact_id and (:user_id is null or user_id = :user_id) and (:turn_id is null or turn_id = :turn_id)
  union all
  select id from fact_history where :fact_id is null and user_id = :user_id and turn_id = :turn_id
  union all
  select id from fact_history where :fact_id is null and :turn_id is null and user_id = :user_id
  union all
  select id from fact_history where :fact_id is null and :user_id is null and (:turn_id is null or turn_id = :turn_id)
)
select h.id, h.fact_id, h.user_id, h.key, h.operation, h.before, h.after, h.reason, h.turn_id, h.action_hash, h.changed_at
from (select id from listed order by iif(:newest, -id, id) limit :limit offset :offset) page
cross join fact_history h on h.id = page.id
order by iif(:newest, -h.id, h.id);

-- statement: count_history
-- with: believe.history.listed
select count(*) as total from listed;

-- statement: current_key
with
near as (
  select *
  from facts
  where user_id = :user_id and key = :key
)
select 1 as known
from near
where kind = :kind and status in ('active', 'pending_confirmation')
limit 1;

-- What a user's rows of some kinds say, as far as their time is not over.
-- statement: texts
select fact_id, value_text
from facts
where user_id = :user_id
  and kind in (select value from json_each(:kinds))
  and status in (select value from json_each(:statuses))
  and (valid_to is null or valid_to > :now)
order by id;

-- The same of one kind that is believed or waits, where a row has all of some words.
-- statement: texts_with
select f.fact_id, f.value_text
from facts_fts
cross join facts f on f.id = facts_fts.rowid
where facts_fts match :terms
  and f.user_id = :user_id
  and f.kind = :kind
  and f.status in ('active', 'pending_confirmation')
  and (f.valid_to is null or f.valid_to > :now);

-- What a turn stated under a key, or confirmed, or what says the same, wherever it stands by now: first what has these words, of current rows the
-- latest, then of archived ones.
-- statement: ever_said
select e.record
from fact_ever e
where e.user_id = :user_id
  and e.key = :key
  and e.kind = :kind
  and (e.source_turn_id = :turn_id
    or e.record ->> 'value_text' = :value_text
    or e.fact_id in (select h.fact_id from fact_history h where h.user_id = :user_id and h.turn_id = :turn_id))
order by
  exists (select 1 from facts f where f.fact_id = e.fact_id) desc,
  e.record ->> 'value_text' = :value_text desc,
  e.valid_from desc
limit 1;
