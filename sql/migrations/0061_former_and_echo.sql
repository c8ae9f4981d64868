-- Asked what was so before, `default` prefers what is so no longer; and what only asked the same is hardly an answer.
pragma writable_schema = on;
update sqlite_schema
set sql = replace(sql, '''knowledge_update'', ''match''', '''knowledge_update'', ''former'', ''echo'', ''match''')
where type = 'table' and name = 'weights';
pragma writable_schema = reset;

insert or ignore into weights (name, feature, value)
select column1, column2, column3
from (values ('default', 'former', 0.4), ('default', 'echo', -2.0))
where exists (select 1 from weights where name = 'default');
