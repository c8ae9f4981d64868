-- statement: put
insert into meta (name, value) values (:name, :value)
on conflict (name) do update set value = excluded.value;

-- statement: all
select name, value from meta;

-- Whose vectors the index holds.
-- statement: embedder
select max(value) filter (where name = 'embedder') as name, max(value) filter (where name = 'dimension') as dimension from meta;
