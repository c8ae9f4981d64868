-- Setting aside the rows that cannot be read, and making anew what is made of all others.

-- Indexes over what is read as JSON: neither can a row go from them whose JSON is none, nor can they be checked.
-- statement: json_indexes
select name, sql from sqlite_schema where type = 'index' and sql like '%json%';

-- What goes with a row, since it refers to it: in which tables, by which columns.
-- statement: dependents
select t.name as "table", k."from" as "column"
from sqlite_schema t, pragma_foreign_key_list(t.name) k
where t.type = 'table' and k."table" = :table and k.on_delete = 'CASCADE';

-- statement: no_words
insert into facts_fts (facts_fts) values ('delete-all');

-- statement: words
insert into facts_fts (rowid, body, reply, context, date)
select id, body, reply, context, date from fact_words;
