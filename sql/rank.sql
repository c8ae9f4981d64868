-- retrieve.sql for what was all found beforehand, each row once: nothing else is looked for, and no link followed.
--
--   :best_bm25  the bm25 of the best match, or null; everything else as in retrieve.sql
-- like: retrieve
candidate as materialized (
  select
    value ->> 0 as id,
    iif(value ->> 1 < 0, value ->> 1, null) as bm25,
    value ->> 2 as distance,
    value ->> 3 as window_distance,
    :best_bm25 as best_bm25
  from jsonb_each(:found)  -- whose arrays need not be read from text once more
)
