-- Many vectors put into the index at once, in whole chunks.

-- Which places are taken in the chunk of each shelf that vec0 writes into, null for a shelf without chunks; in the order of the shelves.
-- statement: taken
select (
    select k.validity
    from facts_vec_chunks k
    where k.partition00 = s.value ->> 0 and k.partition01 = s.value ->> 1
    order by k.chunk_id desc
    limit 1)
from json_each(:shelves) s
order by s.key;

-- A chunk, in the three tables that make up the index.
-- statement: chunk
insert into facts_vec_chunks (size, partition00, partition01, validity, rowids) values (:size, :user_id, :shelf, :validity, :rowids);

-- statement: last_chunk
select max(chunk_id) as chunk_id, size from facts_vec_chunks;

-- statement: chunk_vectors
insert into facts_vec_vector_chunks00 (_rowid_, rowid, vectors) values (:chunk_id, :chunk_id, :vectors);

-- Which vectors stand in the chunks from :first on, and where.
--   :ids   JSON [[id, …], …], of a chunk each
-- statement: slots
insert into facts_vec_rowids (rowid, chunk_id, chunk_offset)
select s.value, :first + c.key, s.key
from json_each(:ids) c
cross join json_each(c.value) s;
