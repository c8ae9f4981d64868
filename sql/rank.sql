-- retrieve.sql for what was all found beforehand, each row once: nothing else is looked for, and no link followed.
--
--   :best_bm25  the bm25 of the best match, or null
--   :w_…        the weight of each feature, as the set has it: read from JSON they would cost as much as two rows do
-- Everything else is as in retrieve.sql.
-- like: retrieve
weight as not materialized (
  select
    :w_lexical as lexical, :w_cosine as cosine, :w_window as window, :w_both as both, :w_actor as actor, :w_is_question as is_question,
    :w_length as length, :w_has_number as has_number, :w_is_reaction as is_reaction, :w_outdated as outdated, :w_has_time as has_time,
    :w_date as date, :w_type_weight as type_weight, :w_decay as decay, :w_recency as recency, :w_access_bonus as access_bonus,
    :w_importance as importance, :w_confidence as confidence, :w_frequency as frequency, :w_source_reliability as source_reliability,
    :w_linked as linked, :w_position as position, :w_knowledge_update as knowledge_update, :w_former as former, :w_keyed as keyed,
    :w_hyponym as hyponym, :w_preference as preference, :w_echo as echo, :w_match as match, :w_goal as goal, :w_emotion as emotion,
    :w_intrinsic_importance as intrinsic_importance, :w_agreement as agreement, :w_sure_confidence as sure_confidence,
    :w_sure_match as sure_match, :w_sure_agreement as sure_agreement, :w_sure_source_reliability as sure_source_reliability,
    :w_by_confidence as by_confidence, :w_near as near, cast(:w_top as integer) as top, :w_bm25_half as bm25_half
),
candidate as materialized (
  select
    value ->> 0 as id,
    iif(value ->> 1 < 0, value ->> 1, null) as bm25,
    value ->> 2 as distance,
    value ->> 3 as window_distance,
    :best_bm25 as best_bm25
  from jsonb_each(:found)  -- whose arrays need not be read from text once more
)
