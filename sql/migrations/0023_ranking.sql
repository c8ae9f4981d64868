-- What the user is after counts a third as much as the question, where it is given; and so does, of what is judged, the time that is asked for.
insert or ignore into weights (name, feature, value)
  select name, 'goal', round(value / 3, 3) from weights where name = 'default' and feature = 'cosine'
  union all
  select name, 'date', round(value / 3, 3) from weights where name = 'priority' and feature = 'match';

-- Of first-person memories only the twenty nearest in meaning are ranked, and without vectors words stand for the meaning. A set that somebody
-- has changed stays as it is.
insert into weights (name, feature, value)
  select 'first-person', 'legs', 1
  where (select count(*) from weights where name = 'first-person') = 8
    and (select count(*) from weights where (name, feature, value) in (values
      ('first-person', 'cosine', 0.40), ('first-person', 'importance', 0.25), ('first-person', 'decay', 0.20),
      ('first-person', 'access_bonus', 0.15), ('first-person', 'k_lex', 20.0), ('first-person', 'k_vec', 20.0),
      ('first-person', 'bm25_body', 1.0), ('first-person', 'bm25_context', 0.3))) = 8;
update weights set feature = 'match'
where name = 'first-person' and feature = 'cosine' and changes() = 1;

-- Facts are found by their tags, and workflows by their names. Of the index only what has such is written anew.
drop view fact_words;

-- What the full-text index holds of a row: its own words, key, name and tags; the message before it, if that asks something; the two messages
-- before and after it; and its day in words, cut out of the time, whose form the table checks. A message's day is the one it was said on.
create view fact_words as
select
  f.id,
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
  substr(iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from)), 9, 2) || ' '
    || rtrim(substr('January  February March    April    May      June     July     August   SeptemberOctober  November December ',
                    9 * substr(iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from)), 6, 2) - 8, 9))
    || ' ' || substr(iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from)), 1, 4) as date
from facts f;

create temporary table named as
select id from facts
where kind = 'procedure'
  or (kind <> 'message' and tags <> '[]' and (kind <> 'narrative' or value_json ->> 'written_by' is not 'rules'));
delete from facts_fts where rowid in (select id from named);
insert into facts_fts (rowid, body, reply, context, date)
  select id, body, reply, context, date from fact_words where id in (select id from named);
drop table named;
