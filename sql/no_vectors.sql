-- For a connection without sqlite-vec: an empty stand-in that shadows the index, so that retrieve.sql runs unchanged on words alone.
create temp table if not exists facts_vec (
  embedding blob,
  user_id text,
  shelf text,
  k integer,
  distance real
);
