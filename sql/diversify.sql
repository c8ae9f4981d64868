-- How alike some facts are, by their places in the list: the cosine of every two of them that have vectors.
with chosen as materialized (
  select j.key as place, v.embedding
  from json_each(:fact_ids) j
  cross join facts f on f.fact_id = j.value
  cross join facts_vec v on v.rowid = f.id
)
select a.place as one, b.place as other, max(0.0, 1.0 - vec_distance_cosine(a.embedding, b.embedding)) as similarity
from chosen a
cross join chosen b on a.place < b.place;
