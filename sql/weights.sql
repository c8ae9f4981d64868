-- statement: of
select feature, value from weights where name = :weights;

-- statement: names
select distinct name from weights order by name;

-- statement: ranking
select distinct name from weights where name not in ('calibration', 'calibration-words') order by name;  -- these judge

-- statement: clear
delete from weights where name = :name;

-- statement: put
insert into weights (name, feature, value) values (:name, :feature, :value);
