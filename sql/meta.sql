-- statement: put
insert into meta (name, value) values (:name, :value)
on conflict (name) do update set value = excluded.value;

-- statement: all
select name, value from meta;

-- Whose vectors the index holds.
-- statement: embedder
select max(value) filter (where name = 'embedder') as name, max(value) filter (where name = 'dimension') as dimension from meta;

-- The zone that turns were last taken in with.
-- statement: zone
select value as timezone from meta where name = 'timezone';

-- statement: no_clocks
delete from clocks;

-- statement: clocks
insert into clocks (begins, minutes) select value ->> 0, value ->> 1 from json_each(:changes);

-- What the worker did last, by a clock that was ahead then, or at what is no time, was done now at the latest.
-- statement: put_back
update meta set value = :now
where name in ('tidied_at', 'maintained_at') and (value > :now or value is not strftime('%Y-%m-%dT%H:%M:%fZ', value));

-- When a mending has changed the file last, if one has; as bytes, since whatever else stands here may be what is damaged.
-- statement: mended
select cast(value as blob) as value from meta where name = 'mended';
