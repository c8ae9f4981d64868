-- The vectors of some facts, by their places in the list; of those that have one.
select j.key as place, v.embedding
from json_each(:fact_ids) j
cross join facts f on f.fact_id = j.value
cross join facts_vec v on v.rowid = f.id;
