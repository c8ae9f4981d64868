-- Asked for a suggestion ("What could I cook tonight?"), `default` prefers what tells of the user's tastes. What was told of a procedure without a
-- title is its title in the view.
pragma writable_schema = on;
update sqlite_schema
set sql = replace(sql, '''hyponym'', ''echo''', '''hyponym'', ''preference'', ''echo''')
where type = 'table' and name = 'weights';
pragma writable_schema = reset;

insert or ignore into weights (name, feature, value)
select 'default', 'preference', 1.75
where exists (select 1 from weights where name = 'default');

drop view procedure;
create view procedure as
select f.fact_id as id, f.user_id, iif(json_type(f.value_json, '$.title') = 'text', f.value_json ->> 'title', f.value_text) as title, f.value_json ->> 'trigger' as "trigger",
       f.value_json -> 'steps' as steps, count(o.id) filter (where o.succeeded) as successes,
       count(o.id) filter (where not o.succeeded) as failures, avg(o.succeeded) as success_rate,
       f.confidence, f.status, f.updated_at
from facts f left join outcomes o on o.fact_id = f.fact_id
where f.kind = 'procedure'
group by f.id;
