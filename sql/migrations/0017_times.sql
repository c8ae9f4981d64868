-- A new row's times are mostly the same, and were checked one by one; the day in words was asked of them three times. Both are quicker now, and
-- neither the rows nor the words of any change.

-- The rows need not be written anew where a check says the same as before, only faster: sqlite.org/lang_altertable.html, 7.
pragma writable_schema = on;
update sqlite_schema
set sql = replace(replace(replace(sql,
  'check (valid_from is strftime', 'check (valid_from is created_at or valid_from is strftime'),
  'check (updated_at is strftime', 'check (updated_at is created_at or updated_at is strftime'),
  'check (last_mentioned_at is strftime', 'check (last_mentioned_at is created_at or last_mentioned_at is strftime')
where type = 'table' and name = 'facts';
pragma writable_schema = off;

drop view fact_words;
-- What the full-text index holds of a row: its own words and key; the message before it, if that asks something; the two messages before
-- and after it; and its day in words, cut out of the time, whose form the table checks. A message's day is the one it was said on.
create view fact_words as
select
  f.id,
  f.value_text || iif(f.kind = 'message', '', ' ' || replace(replace(f.key, '_', ' '), '.', ' ')) as body,
  iif(f.kind <> 'message', '', coalesce((
    select iif(instr(value_text, '?') + instr(value_text, '？') + instr(value_text, '؟') > 0, value_text, '') from (
      select p.value_text from facts p
      where p.user_id = f.user_id and p.session_id is f.session_id and p.kind = 'message' and p.id < f.id
      order by p.id desc limit 1)), '')) as reply,
  case f.kind
    when 'message' then coalesce((
    select group_concat(n.value_text, ' ') from (
      select value_text from (
        select p.value_text from facts p
        where p.user_id = f.user_id and p.session_id is f.session_id and p.kind = 'message' and p.id < f.id
        order by p.id desc limit 2)
      union all
      select value_text from (
        select q.value_text from facts q
        where q.user_id = f.user_id and q.session_id is f.session_id and q.kind = 'message' and q.id > f.id
        order by q.id limit 2)) n), '')
    -- a first-person memory is found by the words of its events too, a pattern by those of the last memories that went into it
    when 'narrative' then coalesce((
      select group_concat(distinct e.description)
      from (
        select f.value_json as detail
        union all
        select * from (
          select s.value_json
          from links l cross join facts s on s.fact_id = l.source_id
          where l.target_id = f.fact_id and l.relation = 'supports'
          order by s.created_at desc limit 30)) d
      cross join json_each(d.detail, '$.source_event_ids') i
      cross join events e on e.user_id = f.user_id and e.event_id = i.value), '')
    else ''
  end as context,
  substr(iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from)), 9, 2) || ' '
    || rtrim(substr('January  February March    April    May      June     July     August   SeptemberOctober  November December ',
                    9 * substr(iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from)), 6, 2) - 8, 9))
    || ' ' || substr(iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from)), 1, 4) as date
from facts f;
