-- Chinese, Japanese and Korean are found by their words: the full-text index held whole sentences of theirs as one word.
drop view fact_words;

create view fact_text as
select
  f.id,
  iif(length(cast(f.value_text as blob)) > length(f.value_text), f.value_text glob '*[々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]*', 0) as unspaced,
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

-- What the full-text index holds of a row: those texts. Chinese and Japanese are written without spaces, and Korean words carry their endings:
-- the index would hold whole sentences as one word. So each of their letters stands alone in it, if the row's own text has any, and who
-- searches for a word searches for its letters in a row.
create view fact_words as
select
  w.id,
  iif(w.unspaced, (
    with recursive
    whole (text) as materialized (select t.body from fact_text t where t.id = w.id),
    piece (start, text) as (
      select 1, substr(text, 1, 256) from whole
      union all
      select start + 256, substr(w.text, start + 256, 256) from piece cross join whole w where start + 256 <= length(w.text)),
    letter (start, place, text) as (
      select start, 1, text from piece where text <> ''
      union all
      select start, place + 1, text from letter where place < length(text))
    select coalesce(group_concat(iif(letter glob '[々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]', ' ' || letter || ' ', letter), ''), '')
    from (select substr(text, place, 1) as letter from letter order by start, place)), w.body) as body,
  iif(w.unspaced, (
    with recursive
    whole (text) as materialized (select t.reply from fact_text t where t.id = w.id),
    piece (start, text) as (
      select 1, substr(text, 1, 256) from whole
      union all
      select start + 256, substr(w.text, start + 256, 256) from piece cross join whole w where start + 256 <= length(w.text)),
    letter (start, place, text) as (
      select start, 1, text from piece where text <> ''
      union all
      select start, place + 1, text from letter where place < length(text))
    select coalesce(group_concat(iif(letter glob '[々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]', ' ' || letter || ' ', letter), ''), '')
    from (select substr(text, place, 1) as letter from letter order by start, place)), w.reply) as reply,
  iif(w.unspaced, (
    with recursive
    whole (text) as materialized (select t.context from fact_text t where t.id = w.id),
    piece (start, text) as (
      select 1, substr(text, 1, 256) from whole
      union all
      select start + 256, substr(w.text, start + 256, 256) from piece cross join whole w where start + 256 <= length(w.text)),
    letter (start, place, text) as (
      select start, 1, text from piece where text <> ''
      union all
      select start, place + 1, text from letter where place < length(text))
    select coalesce(group_concat(iif(letter glob '[々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]', ' ' || letter || ' ', letter), ''), '')
    from (select substr(text, place, 1) as letter from letter order by start, place)), w.context) as context,
  w.date
from fact_text w;

insert or replace into facts_fts (rowid, body, reply, context, date)
select w.id, w.body, w.reply, w.context, w.date
from fact_text t
cross join fact_words w on w.id = t.id
where t.unspaced;
