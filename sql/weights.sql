-- statement: of
select feature, value from weights where name = :weights;

-- statement: names
select distinct name from weights order by name;
