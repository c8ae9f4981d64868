-- Asked for what is held under a key of its own ("Where do I live?"), `default` prefers that.
pragma writable_schema = on;
update sqlite_schema
set sql = replace(sql, '''former'', ''echo''', '''former'', ''keyed'', ''echo''')
where type = 'table' and name = 'weights';
pragma writable_schema = reset;

insert or ignore into weights (name, feature, value)
select 'default', 'keyed', 0.6
where exists (select 1 from weights where name = 'default');
