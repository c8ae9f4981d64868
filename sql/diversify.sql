-- How alike some facts are: the cosine of every two of them that have vectors.
with chosen as materialized (
  select f.id, f.fact_id, v.embedding
  from json_each(:fact_ids) j
  cross join facts f on f.fact_id = j.value
  cross join facts_vec v on v.rowid = f.id
)
select a.fact_id as one, b.fact_id as other, max(0.0, 1.0 - vec_distance_cosine(a.embedding, b.embedding)) as similarity
from chosen a
cross join chosen b on a.id < b.id;
