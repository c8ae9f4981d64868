-- Asked for a suggestion ("What could I cook tonight?"), `default` prefers what tells of the user's tastes.
pragma writable_schema = on;
update sqlite_schema
set sql = replace(sql, '''hyponym'', ''echo''', '''hyponym'', ''preference'', ''echo''')
where type = 'table' and name = 'weights';
pragma writable_schema = reset;

insert or ignore into weights (name, feature, value)
select 'default', 'preference', 1.5
where exists (select 1 from weights where name = 'default');
