-- For a connection without sqlite-vec: empty stand-ins that shadow the index and what it consists of, so that every statement runs unchanged
-- on words alone.
create temp table if not exists facts_vec (
  embedding blob,
  user_id text,
  shelf text,
  k integer,
  distance real
);
create temp table if not exists facts_vec_chunks (
  chunk_id integer primary key,
  size integer,
  validity blob,
  rowids blob,
  partition00 text,
  partition01 text
);
create temp table if not exists facts_vec_vector_chunks00 (
  rowid,
  vectors blob
);
create temp table if not exists facts_vec_rowids (
  chunk_id integer,
  chunk_offset integer
);
