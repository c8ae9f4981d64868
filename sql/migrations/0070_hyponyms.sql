-- Asked for things of a kind ("Which instruments do I play?"), `default` prefers what tells of one: a piano.
pragma writable_schema = on;
update sqlite_schema
set sql = replace(sql, '''keyed'', ''echo''', '''keyed'', ''hyponym'', ''echo''')
where type = 'table' and name = 'weights';
pragma writable_schema = reset;

insert or ignore into weights (name, feature, value)
select 'default', 'hyponym', 0.6
where exists (select 1 from weights where name = 'default');
