-- A file can carry the model that makes its vectors.

-- The embedder that the file carries, if any: the files of its model, cut into parts.
create table models (
  model text not null,
  file text not null,
  part integer not null check (part >= 0),
  data blob not null,
  primary key (model, file, part)
) strict;
