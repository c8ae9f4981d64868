-- statement: put
insert into meta (name, value) values (:name, :value)
on conflict (name) do update set value = excluded.value;

-- statement: all
select name, value from meta;
