-- Where what is believed is asked for, `default` holds it against a message that what was learned from it is believed no longer.
insert or ignore into weights (name, feature, value)
select 'default', 'outdated', -1.0 where exists (select 1 from weights where name = 'default');

create index if not exists facts_archive_turn on facts_archive (user_id, source_turn_id);

create view if not exists message_outdated as
select
  m.id,
  (
    select avg(l.is_over)
    from (
      select fact_id, status in ('superseded', 'expired') as is_over
      from facts
      where user_id = m.user_id and source_turn_id = m.source_turn_id and kind = 'fact' and event_time is null
      union all
      select fact_id, 1
      from facts_archive
      where user_id = m.user_id and source_turn_id = m.source_turn_id and record ->> 'kind' = 'fact' and record ->> 'event_time' is null) l
    where not l.is_over
      or not exists (
        select 1
        from fact_history h
        where h.id = (select max(id) from fact_history where fact_id = l.fact_id and operation <> 'archive')
          and (h.operation in ('reject', 'undo') or exists (
            select 1
            from fact_history k
            where k.user_id = h.user_id and k.turn_id = h.turn_id and k.operation = 'noop' and k.action_hash = h.action_hash)))
  ) as outdated
from facts m
where m.kind = 'message';
