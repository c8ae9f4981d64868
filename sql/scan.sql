-- What a question's words and its meaning find among everything of a user, before retrieve.sql scores what can be among the best.

-- What is to be known first: the kinds, a weight set, whose vectors these are, and about how many rows there are.
-- statement: first
select
  (select json_group_array(kind order by injection_order, kind) from kinds) as kinds,
  (select json_group_object(feature, value) from weights where name = :weights) as weights,
  (select value from meta where name = 'embedder') as embedder,
  (select max(id) from facts) as newest;

-- The same rows, and the same bm25, as the step `matched` of retrieve.sql.
-- statement: words
-- with: retrieve.eligible
select
  f.id,
  f.kind,
  bm25(facts_fts, :bm25_body, :bm25_reply, :bm25_context, :bm25_date) as bm25
from facts_fts
cross join eligible f on f.id = facts_fts.rowid
where facts_fts match :terms
  -- one among many users: most of what matches is another's, and is told by its id before its row is read
  and ((select min(user_id) from facts) = (select max(user_id) from facts)
    or exists (select 1 from facts where user_id = :user_id limit 1 offset 1999)
    or +facts_fts.rowid in (select id from facts where user_id = :user_id));

-- The same, where it is known already which rows may be found: :mine has a byte a row, 0 for those that may not, beginning with the row after
-- :before. The rows themselves need not be read then.
-- statement: matches
select
  rowid,
  bm25(facts_fts, :bm25_body, :bm25_reply, :bm25_context, :bm25_date) as bm25
from facts_fts
where facts_fts match :terms
  and rowid > :before
  and rowid <= :before + length(:mine)
  and substr(:mine, rowid - :before, 1) > x'00';

-- Of what a vector's shelf says nothing, or what is wrong: what waits for its vector, or has none, or has one on a shelf where it belongs no
-- longer. The kind only of what may be found, and until when.
-- statement: waiting
select abs(o.id) as id, f.kind, f.valid_to
from (select id from outbox limit :limit) o
left join facts f on f.id = abs(o.id)
  and f.user_id = :user_id
  and f.kind in (select value from json_each(:kinds))
  and f.status in ('active', 'pending_confirmation');

-- What is believed until some time, soonest first: afterwards it is not, though nobody has ended it.
-- statement: ending
select id, valid_to
from facts
where user_id = :user_id
  and valid_to is not null
  and status in ('active', 'pending_confirmation')
order by valid_to
limit :limit;

-- Whether there is a message, episode or memory of another age than these: without one, asking for the ages leaves nothing out, and no row has
-- to be read for it. Of the messages, of which there may be very many, the oldest and the newest tell, unless only what is between them is left out.
-- statement: aside
with
told (valid_from) as (
  select (select min(valid_from) from facts where user_id = :user_id and kind = 'message')
  union all
  select (select max(valid_from) from facts where user_id = :user_id and kind = 'message')
  union all
  select valid_from from facts where user_id = :user_id and kind in ('episode', 'narrative')
  union all
  select valid_from
  from facts
  where user_id = :user_id
    and kind = 'message'
    and 'warm' not in (select value from json_each(:tiers))
    and 'hot' in (select value from json_each(:tiers))
    and 'cold' in (select value from json_each(:tiers))
)
select 1
from told
where valid_from is not null
  and case
    when julianday(:now) - julianday(valid_from) <= :hot_days then 'hot'
    when julianday(:now) - julianday(valid_from) <= :warm_days then 'warm'
    else 'cold'
  end not in (select value from json_each(:tiers))
limit 1;

-- What is believed no longer, or not yet, and may be found all the same; what is over by the clock has expired.
-- statement: closed
with
overdue as not materialized (
  select id from facts indexed by facts_due
  where user_id = :user_id and valid_to is not null and valid_to <= :now and status in ('active', 'pending_confirmation')
    and kind in (select value from json_each(:kinds))
    and status not in (select value from json_each(:statuses)) and 'expired' in (select value from json_each(:statuses))
  union all
  select id from facts
  where user_id = :user_id and kind in (select value from json_each(:kinds)) and status = 'uncertain' and valid_to <= :now
    and status not in (select value from json_each(:statuses)) and 'expired' in (select value from json_each(:statuses))
),
asked as (
  select id from facts
  where user_id = :user_id and kind in (select value from json_each(:kinds)) and status in (select value from json_each(:statuses))
  union all
  select id from overdue
)
select f.id, f.kind
from asked
cross join facts f on f.id = asked.id
where (coalesce(f.valid_to > f.valid_from, 1) or f.status <> 'superseded' and not exists (
  select 1 from fact_history h where h.fact_id = f.fact_id and h.operation in ('reject', 'undo')));

-- Where a search asks for more than what is believed now: the rows it may find. Messages are most of what there is, and where the cold ones are
-- not asked for, only the others are looked at.
-- statement: eligible
-- with: retrieve.eligible, scan.closed.overdue
,
oldest (at) as materialized (
  select iif(max(value = 'cold'), null, strftime('%Y-%m-%dT%H:%M:%fZ', julianday(:now) - max(iif(value = 'hot', :hot_days, :warm_days)) - 0.001))
  from json_each(:tiers)
),
asked as (
  select id from facts
  where user_id = :user_id
    and kind in (select value from json_each(:kinds) where value <> 'message' or (select at from oldest) is null)
    and status in (select value from json_each(:statuses))
  union all
  select id from facts indexed by facts_said
  where user_id = :user_id and kind = 'message' and valid_from >= (select at from oldest)
  union all
  select id from overdue
)
select f.id
from asked
cross join eligible f on f.id = asked.id;

-- What the archive holds of what was true then, the latest first.
-- statement: archived
select fact_id, record ->> 'value_text' as value_text, replace(replace(key, '_', ' '), '.', ' ') as key
from facts_archive
where user_id = :user_id
  and valid_from <= :as_of
  and (valid_to is null or valid_to > :as_of)
  and status in (select value from json_each(:statuses))
  and record ->> 'kind' in (select value from json_each(:kinds))
  and (:until is null or coalesce(record ->> 'event_time', valid_from) < :until)
  and (:since is null or case
    when record ->> 'event_time' is not null or record ->> 'kind' in ('message', 'episode', 'narrative')
      then coalesce(record ->> 'event_time', valid_from) >= :since
    else coalesce(valid_to > :since, 1)
  end)
order by valid_from desc, fact_id
limit :limit;

-- What text, speaker and time of these rows add to their scores: the same as in the step `scored` of retrieve.sql.
-- statement: told
select
  i.value as id,
  iif(:asks_when and coalesce(m.event_time, f.event_time) is not null, :w_has_time, 0.0)
    + iif(
        coalesce(m.speaker, f.speaker, 'user') = :actor or (:actor = 'user' and coalesce(m.speaker, f.speaker) = :user_id collate nocase),
        :w_actor, 0.0)
    + :w_is_question * coalesce(m.is_question, 0)
    + :w_length * coalesce(m.length, 0.6)
    + :w_has_number * coalesce(m.has_number, 0)
    + :w_is_reaction * coalesce(m.is_reaction, 0) as adds
from json_each(:ids) i
left join message_traits m on m.id = i.value
left join facts f on f.id = iif(m.id is null, i.value, null);

-- The most that what is held of these rows adds to their scores, however fresh they are: as in the steps `scored` and `featured` of retrieve.sql.
-- statement: held
select f.id, coalesce(t.weight, 1.0) * (:w_type_weight + :w_importance * f.importance) + :w_confidence * f.confidence as held
from json_each(:ids) i
cross join facts f on f.id = i.value
left join memory_types t on t.memory_type = f.memory_type;

-- Which of these messages counts as the last that tells what is so now, as the step `dated` of retrieve.sql has it.
-- statement: update
select u.id
from json_each(:ids) i
cross join message_updates u on u.id = i.value
where u.tells_update > (:actor is not 'user')
order by u.valid_from desc
limit 1;

-- The chunks of a user's vectors as vec0 keeps them: which slots are taken, and by which ids. No order is asked for, which would sort what the
-- index gives in order anyway: shelf by shelf as they are given, and of each those first that were begun first.
--   :since  JSON {shelf: the chunk from which on}
-- statement: marks
select k.partition01 as shelf, k.chunk_id, k.validity, k.rowids
from json_each(:since) s
cross join facts_vec_chunks k on k.partition00 = :user_id and k.partition01 = s.key and k.chunk_id >= s.value;

-- The codes of a user's vectors, but for the codes themselves, in the same order.
-- statement: codes
select c.shelf, c.id, c.first, c.marks, c.steps, c.off
from json_each(:since) s
cross join vector_codes c on c.user_id = :user_id and c.shelf = s.key and c.first >= s.value;

-- Which blocks of codes there are, without reading any.
-- statement: blocks
select shelf, id
from vector_codes
where user_id = :user_id
  and shelf in (select value from json_each(:shelves))
order by shelf, first;

-- A number that is another one whenever a vector of the user was written or taken away, and whose vectors they are.
-- statement: version
select
  (select version from vector_versions where user_id = :user_id) as version,
  (select value from meta where name = 'embedder') as embedder;

-- What is held under the keys that a question asks for, the newest first: what is so at that time, what was so before, or both.
--   :keys    JSON [[key, what its value must speak of, or null], …]
--   :is_over 1 for what is over, 0 for what is not, null for both
-- statement: keyed
select f.id
from json_each(:keys) k
cross join facts f on f.key = k.value ->> 0 and f.user_id = :user_id
where (k.value ->> 1 is null or instr(lower(f.value_text), k.value ->> 1))
  and f.valid_from <= :at
  and (:is_over is null or coalesce(f.valid_to <= :at, 0) = :is_over)
order by f.updated_at desc, f.id desc
limit :limit;

-- Which of these messages only asked, and which answers to them say no more than that nothing is known: [id, how near], as they are near.
--   :near      JSON [[id, how near], …]
--   :refusals  JSON array of what an answer says that knows nothing, in small letters
-- statement: echoes
with
asked as materialized (
  select m.id, n.value ->> 1 as nearness, f.user_id, f.session_id
  from json_each(:near) n
  cross join message_traits m on m.id = n.value ->> 0
  cross join facts f on f.id = m.id
  where m.is_question
    and substr(f.value_text, 12) not glob '*[.!。！]*'  -- it tells nothing beside; a greeting is no telling
),
answer as materialized (
  select r.id, a.nearness, replace(lower(substr(r.value_text, 1, 200)), '’', '''') as said
  from asked a
  cross join facts r on r.id = a.id + 1
  where r.kind = 'message' and r.speaker = 'assistant' and r.user_id = a.user_id and r.session_id is a.session_id
)
select id, nearness
from asked
union all
select id, nearness
from answer
where exists (
  select 1
  from json_each(:refusals) cue
  where instr(said, cue.value));

-- Which words of a question stand nowhere in what is remembered of a user, by their places, and how much it tells if all do: in full from ten
-- thousand rows on, by order of magnitude, for that a few rows have not a word tells little. What only asks the same does not count.
--   :words   JSON array of an FTS5 expression of each word
--   :echoes  JSON {id: how much it only asked the same}, null for none
-- statement: unspoken
select
  json_group_array(w.key) filter (where not exists (
    select 1
    from facts_fts
    where facts_fts match w.value
      -- one among many users: most of what has the word is another's, and is told by its id before its row is read
      and iif(
        exists (select 1 from facts where user_id = :user_id limit 1 offset 1999),
        (select f.user_id from facts f where f.id = facts_fts.rowid) = :user_id,
        rowid in (select id from facts where user_id = :user_id))
      and (:echoes is null or :echoes ->> ('' || rowid) is null))) as places,
  min(1.0, log10(max(1, (select count(*) from (select 1 from facts where user_id = :user_id limit 10000)))) / 4.0) as telling
from json_each(:words) w;
