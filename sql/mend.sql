-- Setting aside the rows that cannot be read, and making anew what is made of all others.

-- Indexes over what is read as JSON: neither can a row go from them whose JSON is none, nor can they be checked.
-- statement: json_indexes
select name, sql from sqlite_schema where type = 'index' and sql like '%json%';

-- statement: no_words
insert into facts_fts (facts_fts) values ('delete-all');

-- statement: words
insert into facts_fts (rowid, body, reply, context, date)
select id, body, reply, context, date from fact_words;


-- The columns of each table whose rows are copied out of a damaged file: what follows from other rows is made anew. Plain are keys that rise, and
-- are compared as they are.
-- statement: columns
select t.name as "table", t.wr as keyed, c.name, c.type, c.pk, (c."notnull" or c.pk) as required,
  not exists (
    select 1 from pragma_index_list(t.name) i, pragma_index_xinfo(i.name) x
    where i.origin = 'pk' and x.key and (x."desc" or x.coll <> 'BINARY')) as plain
from pragma_table_list t, pragma_table_info(t.name) c
where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\_%' escape '\'
  and t.name not in ('dictionary', 'vector_versions', 'vector_codes', 'outbox', 'reindexed', 'related', 'merged', 'erasures', 'clocks')
order by t.name, c.cid;

-- The columns of each index's lines, but of those over some rows only, or over what is reckoned; null is the row's id.
-- statement: indexes
select t.name as "table", i.name as "index", x.name as "column", not x."desc" and coalesce(x.coll, 'BINARY') = 'BINARY' as plain
from pragma_table_list t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) x
where t.schema = 'main' and t.type = 'table' and not i.partial and not (t.wr and i.origin = 'pk')
  and not exists (select 1 from pragma_index_xinfo(i.name) e where e.cid = -2)
order by t.name, i.name, x.seqno;

-- Where each table and index begins, whether its keys are plain, and how many values its rows or lines have at most. Roomy are rows that end with zeros
-- while there is room in them, as the vectors of a chunk do.
-- statement: trees
select s.type as "of", s.name, s.rootpage as root, l.wr as keyed, (select count(*) from pragma_table_info(s.name, 'main')) as "columns",
  s.name like 'facts\_vec\_vector\_chunks%' escape '\' as roomy,
  not exists (
    select 1 from pragma_index_list(s.name) i, pragma_index_xinfo(i.name) x
    where i.origin = 'pk' and x.key and (x."desc" or x.coll <> 'BINARY')) as plain
from sqlite_schema s join pragma_table_list l on l.schema = 'main' and l.name = s.name
where s.type = 'table' and s.rootpage > 0
union all
select s.type, s.name, s.rootpage, 1, (select count(*) from pragma_index_xinfo(s.name, 'main')), 0,
  not exists (select 1 from pragma_index_xinfo(s.name, 'main') x where x.key and (x."desc" or x.coll <> 'BINARY'))
from sqlite_schema s
where s.type = 'index' and s.rootpage > 0;

-- statement: objects
select name from sqlite_schema;

-- What refers to a row that was lost.
-- statement: no_links
delete from links where source_id not in (select fact_id from facts) or target_id not in (select fact_id from facts);

-- statement: no_outcomes
delete from outcomes where fact_id not in (select fact_id from facts);

-- statement: no_feedback
delete from feedback where fact_id not in (select fact_id from facts);

-- statement: no_collection_records
delete from collection_records where collection not in (select id from collections);

-- statement: no_collection_vectors
delete from collection_vectors where record not in (select id from collection_records);

-- statement: no_collection_metadata
delete from collection_metadata where record not in (select id from collection_records);

-- Events whose segment was lost wait for another one.
-- statement: no_segments
update events set segment_id = null where segment_id not in (select segment_id from segments);

-- Of which embedder the vectors were, where that is not told whole: of none, so that the next one is the file's.
-- statement: no_embedder
delete from meta
where name in ('embedder', 'dimension', 'next_embedder', 'next_dimension')
  and not exists (
    select 1
    from meta e join meta d on d.name = 'dimension'
    where e.name = 'embedder' and length(d.value) between 1 and 6 and d.value not glob '*[^0-9]*' and d.value > '0');

-- How long the vectors are is told by their index, as :sql has made it, or null for that of the file.
-- statement: dimension
with made (sql) as materialized (select coalesce(:sql, (select sql from sqlite_schema where name = 'facts_vec')))
update meta
set value = (select cast(cast(substr(sql, instr(sql, 'float[') + 6) as integer) as text) from made)
where name = 'dimension'
  and exists (select 1 from made where instr(sql, 'float[') > 0 and instr(sql, 'float[' || meta.value || ']') = 0);

-- No row has a vector yet, and every one wants its own; a message that is believed wants its window's, too.
-- statement: no_vectors
update facts set embedding_id = null where embedding_id is not null;

-- statement: wanted
insert into outbox (id, user_id)
select id, user_id from facts
union all
select -id, user_id from facts where kind = 'message' and status in ('active', 'pending_confirmation')
on conflict (id) do nothing;

-- A line of the outbox that cannot be read is written anew.
-- statement: wanted_again
insert into outbox (id, user_id)
select :id, user_id from facts where id = abs(:id);

-- A tenant, or a database, that others stand in is there again.
-- statement: databases
insert into databases (tenant, name, database_id)
select tenant, database, printf('%s-%s-4%s-a%s-%s', substr(id, 1, 8), substr(id, 9, 4), substr(id, 13, 3), substr(id, 16, 3), substr(id, 19, 12))
from (
  select distinct tenant, database, lower(hex(randomblob(15))) as id
  from collections
  where (tenant, database) not in (select tenant, name from databases)
  group by tenant, database);

-- statement: tenants
insert into tenants (name)
select distinct tenant from databases where tenant not in (select name from tenants);

-- A database or a collection whose id is none has another one; its name is what it is known by.
-- statement: database_ids
update databases set database_id = (
  select printf('%s-%s-4%s-a%s-%s', substr(id, 1, 8), substr(id, 9, 4), substr(id, 13, 3), substr(id, 16, 3), substr(id, 19, 12))
  from (select lower(hex(randomblob(15))) as id where databases.database_id is not null))
where length(database_id) <> 36 or replace(database_id, '-', '') glob '*[^0-9a-f]*';

-- statement: collection_ids
update collections set collection_id = (
  select printf('%s-%s-4%s-a%s-%s', substr(id, 1, 8), substr(id, 9, 4), substr(id, 13, 3), substr(id, 16, 3), substr(id, 19, 12))
  from (select lower(hex(randomblob(15))) as id where collections.collection_id is not null))
where length(collection_id) <> 36 or replace(collection_id, '-', '') glob '*[^0-9a-f]*';
