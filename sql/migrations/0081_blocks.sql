-- A text of many million letters that stand alone in the index is taken apart in a time that grows as it does, not with its square.
drop view if exists fact_words;

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
  block (start, text) as (
    select 1, substr(text, 1, 1048576) from whole
    union all
    select b.start + 1048576, substr(w.text, b.start + 1048576, 1048576) from block b cross join whole w where b.text <> ''),
  place (n) as materialized (select 1 union all select n + 1 from place where n < 32),
  part (text) as materialized (
    select substr(b.text, 32768 * n - 32767, 32768) from block b cross join place where 32768 * n - 32767 <= length(b.text)),
  piece (text) as materialized (
    select substr(p.text, 1024 * n - 1023, 1024) from part p cross join place where 1024 * n - 1023 <= length(p.text)),
  bit (text) as materialized (
    select substr(p.text, 32 * n - 31, 32) from piece p cross join place where 32 * n - 31 <= length(p.text))
  select group_concat(iif(letter glob '[々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]', ' ' || letter || ' ', letter), '')
  from (select substr(b.text, n, 1) as letter from bit b cross join place)) end, '$[0]') apart;
