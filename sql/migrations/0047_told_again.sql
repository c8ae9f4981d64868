-- A message that only told again what is over now is out of date, too, and one that told the end of it is not.
drop index facts_archive_turn;
drop view message_outdated;
create view message_outdated as
select
  m.id,
  (
    select avg(s.is_over)
    from (
      select distinct t.fact_id, coalesce(f.status in ('superseded', 'expired'), 1) as is_over
      from fact_history t
      left join facts f on f.fact_id = t.fact_id
      left join facts_archive a on a.fact_id = t.fact_id
      where t.user_id = m.user_id and t.turn_id = m.source_turn_id
        and t.operation in ('insert', 'update', 'noop', 'mark_pending_confirmation')
        and coalesce(f.kind, a.record ->> 'kind') = 'fact'
        and coalesce(f.event_time, a.record ->> 'event_time') is null
        and not exists (
          select 1 from fact_history e where e.fact_id = t.fact_id and e.turn_id = t.turn_id and e.operation in ('supersede', 'expire'))) s
    where not s.is_over
      or not exists (
        select 1
        from fact_history h
        where h.id = (select max(id) from fact_history where fact_id = s.fact_id and operation <> 'archive')
          and (h.operation in ('reject', 'undo') or exists (
            select 1
            from fact_history k
            where k.user_id = h.user_id and k.turn_id = h.turn_id and k.operation = 'noop' and k.action_hash = h.action_hash)))
  ) as outdated
from facts m
where m.kind = 'message';
