-- One statement ranks everything remembered; it returns the facts, and of each its score and every part of that.
--
--   :user_id    whose memory                      :now       the instant that decay and recency are counted to
--   :terms      an FTS5 expression, '""' for none :as_of     what was true then, or null for what is believed now
--   :embedding  the question's vector, or null    :weights   the name of a set in `weights`
--   :hits       JSON [[id, distance], …] found by another vector index, '[]' for none
--   :found      JSON [[id, bm25, distance, window_distance], …] found beforehand by words and meaning, '[]' for none; null is unknown
--   :echoes     JSON {id: how much it only asked the same, or answered that in vain}, null for none
--   :keyed      JSON ids of what is held under the keys that it asks for, or null
--   :hyponyms   JSON {id: how much it tells of things of the kind that it asks for}, or null
--   :tastes     JSON ids of what tells what somebody likes or avoids, where it asks for a suggestion, or null
--   :compared   whether there were vectors to compare with, null where that is told by :embedding and :hits
--   :actor      whose words are asked about       :asks_when whether it asks when something was
--   :asks_now   whether it asks what is so now    :asks_former what was so before
--   :nearly     how near what tells of that must be, as a share of the nearest; null if none of it is to count more
--   :times      JSON [[from, to], …] that the question names
--   :kinds, :statuses, :shelves                   JSON arrays; an empty :shelves leaves the vectors out, 'window' asks for messages' windows
--   :k_lex, :k_vec                                candidates a kind from each leg, null for the set's own
--   :categories, :memory_types, :tags             JSON arrays, null for any
--   :must       an FTS5 expression of what must stand in a row's words, null for none
--   :since, :until                                from when on, and before when, it happened or was so; null for any
--   :min_age_minutes, :max_age_days, :min_score   null for any; the least age counts from the making, the greatest from the last mention
--   :participants                                 JSON array of names or words of them, as `memdb.names.spelled` gives them, null for any: who spoke, or took part in what is remembered
--   :base_half_life_days, :minimum_importance     how first-person memories fade, null for the kind's own and 0.05
--   :rows       about how many rows there are, by which the words of the index are rare; null for as many as the newest row's id says
--   :asks_order 1 if it asks for the last of what there was, -1 for the first, or null
--   :said       JSON ids of the messages that it asks for by their place alone, or null
--   :goal       the vector of what the user is after, or as JSON {id: share} how much of its words each row has, or null
--   :emotions   JSON [[name, match], …] of the question's mood, null for none
--   :agree      whether votes are counted though the set does not weigh them
--   :hot_days, :warm_days                         how old a row of each tier is at most; :tiers a JSON array, null for any
--   :limit                                        how many rows
with
weight as materialized (
  select
    coalesce(w ->> 'lexical', 0.0) as lexical,
    coalesce(w ->> 'cosine', 0.0) as cosine,
    coalesce(w ->> 'window', 0.0) as window,
    coalesce(w ->> 'both', 0.0) as both,
    coalesce(w ->> 'actor', 0.0) as actor,
    coalesce(w ->> 'is_question', 0.0) as is_question,
    coalesce(w ->> 'length', 0.0) as length,
    coalesce(w ->> 'has_number', 0.0) as has_number,
    coalesce(w ->> 'is_reaction', 0.0) as is_reaction,
    coalesce(w ->> 'outdated', 0.0) as outdated,
    coalesce(w ->> 'has_time', 0.0) as has_time,
    coalesce(w ->> 'date', 0.0) as date,
    coalesce(w ->> 'type_weight', 0.0) as type_weight,
    coalesce(w ->> 'decay', 0.0) as decay,
    coalesce(w ->> 'recency', 0.0) as recency,
    coalesce(w ->> 'access_bonus', 0.0) as access_bonus,
    coalesce(w ->> 'importance', 0.0) as importance,
    coalesce(w ->> 'confidence', 0.0) as confidence,
    coalesce(w ->> 'frequency', 0.0) as frequency,
    coalesce(w ->> 'source_reliability', 0.0) as source_reliability,
    coalesce(w ->> 'linked', 0.0) as linked,
    coalesce(w ->> 'position', 0.0) as position,
    coalesce(w ->> 'knowledge_update', 0.0) as knowledge_update,
    coalesce(w ->> 'former', 0.0) as former,
    coalesce(w ->> 'keyed', 0.0) as keyed,
    coalesce(w ->> 'hyponym', 0.0) as hyponym,
    coalesce(w ->> 'preference', 0.0) as preference,
    coalesce(w ->> 'echo', 0.0) as echo,
    coalesce(w ->> 'match', 0.0) as match,
    coalesce(w ->> 'goal', 0.0) as goal,
    coalesce(w ->> 'emotion', 0.0) as emotion,
    coalesce(w ->> 'intrinsic_importance', 0.0) as intrinsic_importance,
    coalesce(w ->> 'agreement', 0.0) as agreement,
    coalesce(w ->> 'sure_confidence', 0.0) as sure_confidence,
    coalesce(w ->> 'sure_match', 0.0) as sure_match,
    coalesce(w ->> 'sure_agreement', 0.0) as sure_agreement,
    coalesce(w ->> 'sure_source_reliability', 0.0) as sure_source_reliability,
    coalesce(w ->> 'by_confidence', 0.0) as by_confidence,
    coalesce(w ->> 'near', 0.8) as near,
    cast(coalesce(w ->> 'top', 50) as integer) as top,
    coalesce(w ->> 'bm25_body', 1) as bm25_body,
    coalesce(w ->> 'bm25_reply', 0.0) as bm25_reply,
    coalesce(w ->> 'bm25_context', 0.0) as bm25_context,
    coalesce(w ->> 'bm25_date', 0.0) as bm25_date,
    coalesce(w ->> 'bm25_half', 0.0) as bm25_half,
    cast(coalesce(:k_lex, w ->> 'k_lex', 20) as integer) as k_lex,
    cast(coalesce(:k_vec, w ->> 'k_vec', 20) as integer) as k_vec
  from (select json_group_object(feature, value) as w from weights where name = :weights)
),

-- what may be found: whose it is, what it is, whether it is or was believed, and what the question asks to be left out
eligible as not materialized (
  select f.*
  from facts f
  where f.user_id = :user_id
    and f.kind in (select value from json_each(:kinds))
    and iif(:as_of is null and f.valid_to <= :now and f.status in ('active', 'pending_confirmation', 'uncertain'), 'expired', f.status)
      in (select value from json_each(:statuses))
    and (:as_of is null or f.valid_from <= :as_of and coalesce(f.valid_to > :as_of, 1))
    -- what was taken back was never true, nor what lasted for no time
    and (coalesce(f.valid_to > f.valid_from, 1) or f.status <> 'superseded' and not exists (
      select 1 from fact_history h where h.fact_id = f.fact_id and h.operation in ('reject', 'undo')))
    and (:categories is null or f.category in (select value from json_each(:categories)))
    and (:memory_types is null or f.memory_type in (select value from json_each(:memory_types)))
    and (:participants is null or exists (
      select 1
      from json_each(:participants) p
      cross join json_tree(json_array(f.value_json -> 'participants', f.speaker, iif(lower(f.speaker) = 'user', f.user_id, null))) h
      where instr(replace(replace(' ' || lower(h.atom) || ' ', '’', ''''), '-', ' '), ' ' || lower(p.value) || ' ')))
    and (:tags is null or exists (select 1 from json_each(f.tags) have join json_each(:tags) want on have.value = want.value))
    and (:min_age_minutes is null or f.created_at <= strftime('%Y-%m-%dT%H:%M:%fZ', :now, -:min_age_minutes || ' minutes'))
    and (:max_age_days is null or julianday(:now) - julianday(max(f.created_at, coalesce(f.last_mentioned_at, ''))) <= :max_age_days)
    and (:tiers is null or f.kind not in ('message', 'episode', 'narrative') or case
      when julianday(:now) - julianday(f.valid_from) <= :hot_days then 'hot'
      when julianday(:now) - julianday(f.valid_from) <= :warm_days then 'warm'
      else 'cold'
    end in (select value from json_each(:tiers)))
    -- what happened or was said has its moment, all else was so until it ended
    and (coalesce(:must, :since, :until) is null or (
      (:must is null or f.id in (select rowid from facts_fts where facts_fts match :must))
      and (:until is null or coalesce(f.event_time, f.valid_from) < :until)
      and (:since is null or case
        when f.event_time is not null or f.kind in ('message', 'episode', 'narrative') then coalesce(f.event_time, f.valid_from) >= :since
        else coalesce(f.valid_to > :since, 1)
      end)))
),

-- what the words find: filtered before the cut, and cut for each kind by itself
matched as materialized (
  select
    f.id,
    f.kind,
    bm25(facts_fts, w.bm25_body, w.bm25_reply, w.bm25_context, w.bm25_date) as bm25,
    w.k_lex
  from weight w
  cross join facts_fts
  cross join eligible f on f.id = facts_fts.rowid
  where facts_fts match :terms
    -- one among many users: most of what matches is another's, and is told by its id before its row is read
    and ((select min(user_id) from facts) = (select max(user_id) from facts)
      or exists (select 1 from facts where user_id = :user_id limit 1 offset 1999)
      or +facts_fts.rowid in (select id from facts where user_id = :user_id))
),
lexical as materialized (
  select id, bm25, row_number() over (partition by kind order by bm25, id desc) <= k_lex as is_wanted
  from matched
  where bm25 < 0
),

-- what the meaning finds: the nearest of each shelf of this user, or what another index found; a window has its message's id with a minus
nearest as materialized (
  select v.rowid as id, v.distance
  from facts_vec v
  where v.embedding match :embedding
    and k = (select k_vec from weight)
    and v.user_id = :user_id
    and v.shelf in (select value from json_each(:shelves))
  union all
  select value ->> 0, value ->> 1
  from json_each(:hits)
),
semantic as materialized (
  select abs(id) as id, min(distance) filter (where id > 0) as distance, min(distance) filter (where id < 0) as window_distance
  from nearest
  group by abs(id)
),

-- all of that, and what was found beforehand; and what is linked to it, where links count
gathered (id, bm25, distance, window_distance, is_wanted, is_linked) as (
  select id, bm25, null, null, is_wanted, 0
  from lexical
  union all
  select id, null, distance, window_distance, 1, 0
  from semantic
  union all
  select value ->> 0, iif(value ->> 1 < 0, value ->> 1, null), value ->> 2, value ->> 3, 1, 0
  from json_each(:found)
  union all
  select n.id, null, null, null, g.is_wanted, 1
  from gathered g
  cross join facts f on f.id = g.id
  cross join links l on l.source_id = f.fact_id or l.target_id = f.fact_id
  cross join facts n on n.fact_id = iif(l.source_id = f.fact_id, l.target_id, l.source_id)
  where not g.is_linked
    and (select linked from weight) <> 0
),

-- a row a candidate, with all that was found of it; the words of what only asks the same measure no other's
candidate as materialized (
  select
    id,
    min(iif(:echoes is null or :echoes ->> ('' || id) is null, bm25, null)) as bm25,
    min(distance) as distance,
    min(window_distance) as window_distance,
    min(min(iif(:echoes is null or :echoes ->> ('' || id) is null, bm25, null))) over () as best_bm25
  from gathered
  group by id
  having max(is_wanted)
),

-- every feature its own column; each lies in 0..1
scored as materialized (
  select
    f.id,
    coalesce(c.bm25 / c.best_bm25, 0.0) as words,
    -- where the best match says little, it counts as little: as half where its bm25 is bm25_half. Among a few rows no word tells much by how
    -- rare it is: up to fifty the best match is all there can be, and only from five hundred on is the whole of this so
    coalesce(c.bm25 / (c.best_bm25 - (
      select max(0.0, bm25_half) * max(0.0, min(1.0, log10(coalesce(:rows, (select max(id) from facts)) / 50.0))) from weight)), 0.0) as lexical,
    max(0.0, min(1.0, coalesce(
      1.0 - c.distance,
      (select 1.0 - vec_distance_cosine(v.embedding, :embedding) from facts_vec v where v.rowid = f.id and :shelves <> '[]'),
      0.0))) as cosine,
    max(0.0, min(1.0, coalesce(
      1.0 - c.window_distance,
      (select 1.0 - vec_distance_cosine(v.embedding, :embedding) from facts_vec v
       where v.rowid = -f.id and f.kind = 'message' and 'window' in (select value from json_each(:shelves)))))) as own_window,
    coalesce(f.speaker, 'user') is :actor or (:actor is 'user' and f.speaker is :user_id collate nocase) as actor,
    coalesce(m.is_question, 0) as is_question, coalesce(m.length, 0.6) as length, coalesce(m.has_number, 0) as has_number,
    coalesce(m.is_reaction, 0) as is_reaction,
    -- how much of it is so no longer, where that is asked about; of a message, of what it told
    case
      when not coalesce(:asks_now or :asks_former, 0) then 0.0
      when f.kind = 'message' then coalesce((select o.outdated from message_outdated o where o.id = f.id), 0.0)
      else coalesce(:asks_former and f.valid_to <= :now, 0) + 0.0
    end as over,
    coalesce(:asks_when, 0) and f.event_time is not null as has_time,
    -- 1 within the times that are asked about, and e^(-days / 7) before and after; for what is told and for when it was told
    iif(json_array_length(:times) > 0, coalesce((
      select max(exp(-max(0, julianday(t.value ->> 0) - at.day, at.day - julianday(t.value ->> 1)) / 7.0))
      from json_each(:times) t
      cross join (select julianday(f.valid_from) as day union all select julianday(f.event_time)) at), 0.0), 0.0) as date,
    coalesce(t.weight, k.weight) as type_weight,
    -- 0.5 ^ (days since access / half-life), never below the floor of 0.05; an episode is as old as what it tells, whenever it was written down
    coalesce(max(coalesce(iif(f.kind = 'narrative', :minimum_importance, null), 0.05), pow(0.5,
      max(0, julianday(:now) - julianday(coalesce(f.last_accessed, iif(f.kind = 'episode', f.valid_from, f.last_mentioned_at), f.created_at)))
      / (coalesce(iif(f.kind = 'narrative', :base_half_life_days, null), k.half_life_days)
         * coalesce(t.retention_multiplier, 1)))), 1.0) as decay,
    -- when it was last said, or last so; what upkeep does with a row is neither
    exp(-max(0, julianday(:now) - julianday(iif(f.kind = 'episode', f.valid_from, max(coalesce(f.last_mentioned_at, f.updated_at),
      iif(f.valid_to <= :now, f.valid_to, '')))))
      / k.tau_days) as recency,
    min(1.0, 0.5 + ln(1 + f.access_count) * 0.1) as access_bonus,
    f.importance as intrinsic_importance,
    f.confidence as own_confidence,
    1 - exp(-f.seen_count / 3.0) as frequency,
    case f.source
      when 'user_message' then 0.95 when 'tool' then 0.9 when 'system' then 0.8
      when 'inferred' then 0.7 when 'assistant_message' then 0.7 else 0.6
    end as source_reliability,
    -- how near it is to what the user is after, and to the mood of the question
    iif(:goal is null, 0.0, max(0.0, coalesce(iif(typeof(:goal) = 'text', :goal ->> ('' || f.id), (
      select 1.0 - vec_distance_cosine(v.embedding, :goal) from facts_vec v where v.rowid = f.id)), 0.0))) as goal,
    iif(:emotions is null, 0.0, coalesce((
      select max(e.value ->> 1) from json_each(:emotions) e
      where f.value_json ->> 'emotion' = e.value ->> 0 or 'emotion:' || (e.value ->> 0) in (select value from json_each(f.tags))), 0.0)) as emotion,
    :keyed is not null and f.id in (select value from json_each(:keyed)) as keyed,
    iif(:hyponyms is null, 0.0, coalesce(:hyponyms ->> ('' || f.id), 0.0)) as hyponym,
    :tastes is not null and f.source = 'user_message' and f.id in (select value from json_each(:tastes)) as tells_taste,
    iif(:echoes is null, 0.0, coalesce(:echoes ->> ('' || f.id), 0.0)) as echo,
    f.seen_count,
    f.source_turn_id,
    case
      when julianday(:now) - julianday(f.valid_from) <= :hot_days then 'hot'
      when julianday(:now) - julianday(f.valid_from) <= :warm_days then 'warm'
      else 'cold'
    end as tier,
    c.bm25 is not null as by_words,
    coalesce(c.distance, c.window_distance) is not null as by_meaning
  from candidate c
  cross join eligible f on f.id = c.id
  left join message_traits m on m.id = f.id
  join kinds k on k.kind = f.kind
  left join memory_types t on t.memory_type = f.memory_type
),
likened as (
  select *, iif(coalesce(:compared, :embedding is not null or :hits <> '[]'), cosine, words) as match  -- without vectors, words must do
  from scored
),
featured as (
  select
    *,
    coalesce(own_window, cosine) as window,  -- what stands alone, or has no window yet, is its own
    lexical * cosine as both,
    -- first-person memories weigh importance by type and by decay
    intrinsic_importance * type_weight * decay as importance,
    iif(:asks_former, 0.0, over) as outdated,
    own_confidence * iif(:asks_former, 1.0, 1.0 - over) as confidence,
    iif(:asks_former, over * max(words, match), 0.0) as former,
    -- a taste may suit a request that it has no word of, but the nearer it is, the more it matters to it
    iif(tells_taste, 0.1 + 0.9 * match, 0.0) as preference
  from likened
),
ranked as materialized (
  select
    p.id, p.confidence, p.match, p.source_reliability, p.seen_count, p.source_turn_id, p.words + p.match as near_by,
    w.linked as link_weight,
    w.near,
    w.sure_agreement + w.agreement > 0 or :agree as is_voted,
    w.lexical * p.lexical
      + w.cosine * p.cosine
      + w.window * p.window
      + w.both * p.both
      + w.actor * p.actor
      + w.is_question * p.is_question
      + w.length * p.length
      + w.has_number * p.has_number
      + w.is_reaction * p.is_reaction
      + w.outdated * p.outdated
      + w.has_time * p.has_time
      + w.date * p.date
      + w.type_weight * p.type_weight
      + w.decay * p.decay
      + w.recency * p.recency
      + w.access_bonus * p.access_bonus
      + w.importance * p.importance
      + w.confidence * p.confidence
      + w.frequency * p.frequency
      + w.source_reliability * p.source_reliability
      + w.former * p.former
      + w.keyed * p.keyed
      + w.hyponym * p.hyponym
      + w.preference * p.preference
      + w.echo * p.echo
      + w.match * p.match
      + w.goal * p.goal
      + w.emotion * p.emotion
      + w.intrinsic_importance * p.intrinsic_importance as score
  from weight w
  cross join featured p
),
-- a link from one of the ten best lends as much as it is strong and that one is near the very best
lent as materialized (
  select json_group_object(id, share) as shares
  from (
    select n.id, max(l.strength * max(0.0, r.score / r.best)) as share
    from (select id, score, max(score) over () as best from ranked order by score desc, id desc limit 10) r
    cross join facts f on f.id = r.id
    cross join links l on l.source_id = f.fact_id or l.target_id = f.fact_id
    cross join facts n on n.fact_id = iif(l.source_id = f.fact_id, l.target_id, l.source_id)
    group by n.id)
),
followed as not materialized (
  select r.*, iif(r.link_weight = 0, 0.0, coalesce((select shares from lent) ->> ('' || r.id), 0.0)) as linked
  from ranked r
),

-- asked for the last or the first: when it happened or was said, or as long before; nothing for what only asks, is to come, or has no moment.
-- Asked what is so now: when a message said that something is otherwise, or, of the user, how it is, if it is nearly as near as the nearest
-- that does not only ask
dated as materialized (
  select
    id,
    near_by,
    case
      when :asks_order is null then iif(near_by >= :nearly * nearest, (
        select julianday(valid_from) from message_updates u where u.id = n.id and tells_update > (:actor is not 'user')), null)
      when not is_question and moment <= :now then :asks_order * julianday(moment)
    end as at
  from (
    select r.id, r.near_by, m.is_question, m.moment, max(iif(m.is_question, 0.0, r.near_by)) over () as nearest
    from ranked r
    cross join fact_moments m on m.id = r.id) n
),
-- what was said last or first, or else, of what fits about as well: 1 for the last, 1/2 for the one before, 1/3 …; of updates the last one of several
placed as materialized (
  select id, 1.0 / rank() over (order by at desc) as place
  from (select id, at, near_by, max(near_by) over () as best, count(*) over () as among from dated where at is not null)
  where near_by >= iif(:asks_order, 0.85, 0.0) * best and :said is null and (:asks_order or among > 1 or :actor is not 'user')
  union all
  select cast(value as integer), 1.0 / (key + 1)  -- an integer, or no index would be made of them
  from json_each(:said)
),

-- the votes: among the most relevant, what other turns say nearly the same; what was merged into one row counts as often as it was said
voice as materialized (
  select l.id, l.seen_count, l.source_turn_id, l.near, v.embedding
  from (
    select id, seen_count, source_turn_id, near
    from followed
    order by score + linked * link_weight desc, id desc
    limit (select top from weight)) l
  cross join facts_vec v on v.rowid = l.id
),
vote as materialized (  -- two are compared once, and each counts for the other
  select iif(s.side, one.id, other.id) as id, sum(iif(s.side, other.seen_count, one.seen_count)) as votes
  from voice one
  cross join voice other
  cross join (select 0 as side union all select 1) s
  where one.id < other.id
    and one.source_turn_id <> other.source_turn_id
    and 1.0 - vec_distance_cosine(one.embedding, other.embedding) >= one.near
  group by 1
),
agreed as materialized (  -- or what others say would be counted for every mention of it below
  select
    r.id, r.score, r.confidence, r.match, r.source_reliability, r.linked,
    iif(coalesce(:asks_order, :asks_now), coalesce((select place from placed where id = r.id and (:asks_order or place = 1.0)), 0.0), 0.0) as place,
    min(1.0, (max(0, r.seen_count - 1) + iif(r.is_voted, coalesce((select votes from vote where id = r.id), 0), 0)) / 3.0) as agreement
  from followed r
),

-- where a set says so (by_confidence 1), relevance counts as far as it is to be believed
believed as (
  select
    a.id,
    a.linked,
    a.agreement,
    iif(:asks_order, a.place, 0.0) as position,
    iif(:asks_order, 0.0, a.place) as knowledge_update,
    iif(w.by_confidence = 0, 1.0, pow(
      w.sure_confidence * a.confidence
      + w.sure_match * a.match
      + w.sure_agreement * a.agreement
      + w.sure_source_reliability * a.source_reliability, w.by_confidence)) as factor,
    a.score + a.linked * w.linked + w.agreement * a.agreement + iif(:asks_order, w.position, w.knowledge_update) * a.place as relevance
  from weight w
  cross join agreed a
),
-- only what is returned is read as a whole
best as materialized (
  select *
  from believed
  where :min_score is null or relevance * factor >= :min_score
  order by relevance * factor desc, id desc
  limit :limit
)
select
  f.fact_id, f.user_id, f.kind, f.key, f.value_text, f.value_json, f.category, f.memory_type, f.confidence, f.importance, f.effective_importance,
  f.source, f.speaker, f.event_time, f.valid_from, f.valid_to, f.status, f.source_turn_id, f.source_excerpt, f.session_id, f.tags, f.embedding_id,
  f.created_at, f.updated_at, f.last_mentioned_at, f.seen_count, f.last_accessed, f.access_count,
  r.relevance * r.factor as score, s.id, s.tier, s.by_words, s.by_meaning, r.factor, s.words + s.match as near_by,
  s.lexical, s.cosine, s.window, s.both, s.actor + 0.0, s.is_question + 0.0, s.length, s.has_number + 0.0, s.is_reaction + 0.0, s.outdated, s.has_time + 0.0,
  s.date,
  s.type_weight, s.decay, s.recency, s.access_bonus, s.importance, s.confidence, s.frequency, s.source_reliability, r.linked, r.position, r.knowledge_update,
  s.former, s.keyed + 0.0, s.hyponym, s.preference, s.echo, s.match, s.goal, s.emotion, s.intrinsic_importance, r.agreement
from featured s
cross join best r on r.id = s.id
cross join facts f on f.id = s.id
order by score desc, s.id desc;
