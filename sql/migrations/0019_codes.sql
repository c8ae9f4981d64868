-- Vectors of large users get codes, a quarter of their bytes, which a search reads instead.

-- Codes of the vectors of large users, in blocks of many chunks of the index: a row never changes. `first` to `last` are its chunks, as far as they
-- are of its shelf, `marks` what stood in them when the codes were made: the bits of the taken slots, and all ids. Each vector is about its code times
-- its step, and as far from that as `off` says. All of it follows from the vectors.
create table vector_codes (
  id integer primary key,
  user_id text not null,
  shelf text not null,
  first integer not null,
  last integer not null,
  chunks integer not null check (chunks > 0),
  marks blob not null,
  steps blob not null,
  off blob not null,
  codes blob not null
) strict;

create index vector_codes_shelf on vector_codes (user_id, shelf, first, last, chunks);
