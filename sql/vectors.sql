-- The vector index, made when a file is first opened with an embedder; [384] is that embedder's dimension.
-- Partitions: the user, and the shelf: a live row's kind, or 'closed' for rows no longer believed, which only `as_of` asks for. Thousands of
-- messages never crowd out a few facts, since each shelf gives its own k nearest. Small chunks keep a user of few facts small on disk.
create virtual table if not exists facts_vec using vec0 (
  embedding float[384] distance_metric = cosine,
  user_id text partition key,
  shelf text partition key,
  chunk_size = 8
);

-- vec0 finds a partition's chunks by scanning its chunk table; with many users an index is six times faster.
create index if not exists facts_vec_partition on facts_vec_chunks (partition00, partition01);
