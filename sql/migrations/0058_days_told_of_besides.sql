-- A message is found by every day of which it tells.
drop view fact_words;
drop view fact_text;

create view fact_text as
select
  f.id,
  iif(length(cast(f.value_text as blob)) > length(f.value_text),
    f.value_text glob '*[々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]*' or instr(f.value_text, char(0)), 0) as unspaced,
  f.value_text || iif(f.kind = 'message', '', ' ' || replace(replace(f.key, '_', ' '), '.', ' ')
    || iif(f.kind = 'procedure' and f.value_json ->> 'title' <> f.value_json ->> 'trigger', ' ' || (f.value_json ->> 'title'), '')
    -- moods and promotion are marks, no words; and the tags that rules give to a memory are words of its events
    || iif(f.tags = '[]' or (f.kind = 'narrative' and f.value_json ->> 'written_by' = 'rules'), '', coalesce((
      select ' ' || group_concat(t.value, ' ') from json_each(f.tags) t where t.value not like 'emotion:%' and t.value <> 'promoted'), ''))
    ) as body,
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
  (select group_concat(substr(day, 9, 2) || ' '
      || rtrim(substr('January  February March    April    May      June     July     August   SeptemberOctober  November December ',
                      9 * substr(day, 6, 2) - 8, 9))
      || ' ' || substr(day, 1, 4), ' ')
   from (
     select coalesce(iif(minutes, strftime('%Y-%m-%d', at, minutes || ' minutes'), null), substr(at, 1, 10)) as day
     from (
       select at, (select minutes from clocks where begins <= at order by begins desc limit 1) as minutes
       from (
         select iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from)) as at
         union all
         select f.event_time where f.kind = 'message' and substr(f.event_time, 1, 10) <> substr(f.valid_from, 1, 10))
       limit 2)
     union all
     select value from json_each(iif(f.kind = 'message', f.value_json, null), '$.also_on')
     limit 8)) as date  -- each limit has what is within it worked out once
from facts f;

create view fact_words as
select
  t.id,
  coalesce(apart.json ->> 0, t.body) as body,
  coalesce(apart.json ->> 1, t.reply) as reply,
  coalesce(apart.json ->> 2, t.context) as context,
  t.date
from fact_text t
left join json_each(case when t.unspaced then (
  with recursive
  whole (text) as materialized (
    select replace(replace(json_array(t.body, t.reply, t.context), '\\', ' '), '\u0000', ' ')),
  part (start, text) as (
    select 1, substr(text, 1, 32768) from whole
    union all
    select p.start + 32768, substr(w.text, p.start + 32768, 32768) from part p cross join whole w where p.text <> ''),
  place (n) as materialized (select 1 union all select n + 1 from place where n < 32),
  piece (text) as materialized (
    select substr(p.text, 1024 * n - 1023, 1024) from part p cross join place where 1024 * n - 1023 <= length(p.text)),
  bit (text) as materialized (
    select substr(p.text, 32 * n - 31, 32) from piece p cross join place where 32 * n - 31 <= length(p.text))
  select group_concat(iif(letter glob '[々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]', ' ' || letter || ' ', letter), '')
  from (select substr(b.text, n, 1) as letter from bit b cross join place)) end, '$[0]') apart;

drop trigger if exists facts_fts_days;
create trigger facts_fts_days after update of value_json on facts when new.kind = 'message' and old.value_json is not new.value_json begin
  delete from facts_fts where rowid = new.id;
  insert into facts_fts (rowid, body, reply, context, date)
    select id, body, reply, context, date from fact_words where id = new.id;
end;
