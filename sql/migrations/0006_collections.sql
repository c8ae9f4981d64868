-- Vector collections, for Chroma's client interface.

-- Vector collections, as Chroma's clients know them: each has its own dimension and distance, and nothing to do with the facts.
create table tenants (
  name text primary key
) strict, without rowid;

create table databases (
  database_id text not null unique,
  tenant text not null references tenants (name) on delete cascade,
  name text not null,
  primary key (tenant, name)
) strict, without rowid;

-- `version` rises with every write to the collection and `erased` is the version of the last deletion, so that whoever holds the vectors
-- in memory reads only what changed.
create table collections (
  id integer primary key,
  collection_id text not null unique,
  tenant text not null,
  database text not null,
  name text not null,
  configuration text not null check (json_extract(configuration, '$.hnsw.space') in ('l2', 'cosine', 'ip')),
  metadata text check (metadata is null or json_type(metadata) = 'object'),
  dimension integer check (dimension > 0),
  version integer not null default 0,
  erased integer not null default 0,
  unique (tenant, database, name),
  foreign key (tenant, database) references databases (tenant, name) on delete cascade
) strict;

create table collection_records (
  id integer primary key,
  collection integer not null references collections (id) on delete cascade,
  record_id text not null check (record_id <> ''),
  document text,
  uri text,
  unique (collection, record_id)
) strict;

create index collection_records_order on collection_records (collection);

-- Apart from the records, so that looking through documents does not read the vectors. `version` is the collection's when it was written.
create table collection_vectors (
  record integer primary key references collection_records (id) on delete cascade,
  collection integer not null,
  version integer not null,
  embedding blob not null check (length(embedding) > 0)
) strict;

create index collection_vectors_version on collection_vectors (collection, version);

-- One row a value; `place` is -1, or the position in a list. Whole and broken numbers are one type, as filters compare them.
create table collection_metadata (
  record integer not null references collection_records (id) on delete cascade,
  key text not null,
  place integer not null check (place >= -1),
  collection integer not null,
  type text not null check (type in ('text', 'number', 'boolean')),
  value any not null,
  primary key (record, key, place)
) strict, without rowid;

create index collection_metadata_value on collection_metadata (collection, key, type, value, place);

insert into tenants (name) values ('default_tenant');
insert into databases (database_id, tenant, name) values ('00000000-0000-0000-0000-000000000000', 'default_tenant', 'default_database');
