-- The columns of its key stand first, as SQLite stores them in any case: its versions before 3.42 take the table for damaged otherwise.
pragma writable_schema = on;
update sqlite_schema
set sql = 'CREATE TABLE databases (
  tenant text not null references tenants (name) on delete cascade,
  name text not null,
  database_id text not null unique,
  primary key (tenant, name)
) strict, without rowid'
where type = 'table' and name = 'databases';
pragma writable_schema = reset;
