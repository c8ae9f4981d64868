-- What happened at the same instant is told in the order in which it was taken in, not in that of its names. This is what
-- alter table events add column place would do, but it can be done again.
pragma writable_schema = on;
update sqlite_schema
set sql = replace(sql, 'references segments (segment_id),', 'references segments (segment_id), place integer not null default 0,')
where type = 'table' and name = 'events' and instr(sql, 'place integer') = 0;
pragma writable_schema = reset;

drop index if exists events_user;
create index events_user on events (user_id, timestamp, place);
drop index if exists events_waiting;
create index events_waiting on events (user_id, timestamp, place) where segment_id is null;
