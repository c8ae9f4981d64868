-- Vector collections: tenants, databases, collections, and their records. Filters stand in select.sql.

-- statement: tenant_put
insert into tenants (name) values (:name);

-- statement: tenant
select name from tenants where name = :name;

-- statement: database_put
insert into databases (database_id, tenant, name) values (:database_id, :tenant, :name);

-- statement: database
select database_id, tenant, name from databases where tenant = :tenant and name = :name;

-- statement: databases
select database_id, tenant, name from databases where tenant = :tenant order by name limit :limit offset :offset;

-- statement: database_drop
delete from databases where tenant = :tenant and name = :name;

-- statement: create
insert into collections (collection_id, tenant, database, name, schema, metadata)
values (:collection_id, :tenant, :database, :name, :schema, :metadata);

-- statement: by_name
select * from collections where tenant = :tenant and database = :database and name = :name;

-- statement: by_id
select * from collections where collection_id = :collection_id;

-- statement: list
select * from collections where tenant = :tenant and database = :database order by id limit :limit offset :offset;

-- statement: count
select count(*) as number from collections where tenant = :tenant and database = :database;

-- statement: modify
update collections
set name = :name, schema = :schema, metadata = :metadata
where collection_id = :collection_id;

-- statement: learned
update collections set schema = :schema where id = :collection;

-- statement: drop
delete from collections where tenant = :tenant and database = :database and name = :name;

-- statement: drop_all
delete from collections;

-- statement: drop_tenants
delete from tenants where name <> 'default_tenant';

-- statement: drop_databases
delete from databases where tenant <> 'default_tenant' or name <> 'default_database';

-- The first vectors fix the dimension.
-- statement: written
update collections
set version = version + 1, dimension = coalesce(dimension, :dimension)
where id = :collection;

-- statement: erased
update collections
set version = version + 1, erased = version + 1
where id = :collection;

-- statement: add
insert into collection_records (collection, record_id, document, uri)
values (:collection, :record_id, :document, :uri)
on conflict (collection, record_id) do nothing
returning id;

-- What is not given stays as it is.
-- statement: update
update collection_records
set document = coalesce(:document, document), uri = coalesce(:uri, uri)
where collection = :collection and record_id = :record_id
returning id;

-- statement: upsert
insert into collection_records (collection, record_id, document, uri)
values (:collection, :record_id, :document, :uri)
on conflict (collection, record_id) do update set
  document = coalesce(excluded.document, document),
  uri = coalesce(excluded.uri, uri)
returning id;

-- statement: uri_clear
update collection_records set uri = null where id = :record;

-- statement: vector_put
insert into collection_vectors (record, collection, version, embedding)
values (:record, :collection, :version, :embedding)
on conflict (record) do update set version = excluded.version, embedding = excluded.embedding;

-- statement: metadata_clear
delete from collection_metadata where record = :record and key = :key;

-- statement: metadata_put
insert into collection_metadata (record, key, place, collection, type, value)
values (:record, :key, :place, :collection, :type, :value);

-- statement: delete
delete from collection_records where id in (select value from json_each(:records));

-- statement: records_count
select count(*) as number from collection_records where collection = :collection;

-- statement: page
select id from collection_records where collection = :collection order by id limit :limit offset :offset;

-- statement: read
select
  r.id,
  r.record_id,
  iif(:documents, r.document, null) as document,
  r.uri,
  v.embedding
from json_each(:records) as wanted
cross join collection_records as r on r.id = wanted.value
left join collection_vectors as v on :embeddings and v.record = r.id
order by wanted.key;

-- statement: metadata
select m.record, m.key, m.place, m.type, m.value
from json_each(:records) as wanted
cross join collection_metadata as m on m.record = wanted.value
order by wanted.key, m.key, m.place;

-- What changed since a version; all of it since -1. In no order: sorting so many bytes would take as long as reading them.
-- statement: vectors
select record as id, embedding from collection_vectors where collection = :collection and version > :version;
