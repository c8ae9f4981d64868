-- How long a message is, and whether it tells a number, is seen in scripts without spaces and with other digits, too.
drop view message_traits;
drop index facts_traits;

create index facts_traits on facts (
  id,
  speaker,
  event_time,
  substr(value_text, -1) in ('?', '？', '؟'),
  length(value_text) - length(replace(value_text, ' ', ''))
    + iif(value_text glob '*[ก-႟ក-៿々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]*', (length(cast(value_text as blob)) - length(value_text)) / 4, 0),
  coalesce(speaker, 'user') <> 'assistant' and value_text glob '*[0-9０-９٠-٩۰-۹०-९๐-๙]*',
  rtrim(lower(substr(value_text, 1, instr(value_text || ' ', ' ') - 1)), '!,.…') in (
    'wow', 'that''s', 'that’s', 'sounds', 'awesome', 'cool', 'great', 'nice', 'amazing', 'congrats', 'congratulations', 'glad', 'sorry',
    'absolutely', 'definitely', 'totally', 'exactly', 'agreed', 'yeah', 'yep', 'bye')
) where kind = 'message';

create view message_traits as
select
  id,
  speaker,
  event_time,
  substr(value_text, -1) in ('?', '？', '؟') as is_question,
  -- ln(1 + words) / 4: a longer message says more. Where no spaces tell words apart, two letters of three bytes are a word
  min(1.0, ln(2.0 + (length(value_text) - length(replace(value_text, ' ', ''))
    + iif(value_text glob '*[ก-႟ក-៿々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]*', (length(cast(value_text as blob)) - length(value_text)) / 4, 0))) / 4.0) as length,
  -- people tell a number where they tell a fact; an assistant's lists are full of them
  coalesce(speaker, 'user') <> 'assistant' and value_text glob '*[0-9０-９٠-٩۰-۹०-९๐-๙]*' as has_number,
  -- it begins as answers do that only cheer or agree ("Wow, that's great!"); in other languages than English nothing does
  rtrim(lower(substr(value_text, 1, instr(value_text || ' ', ' ') - 1)), '!,.…') in (
    'wow', 'that''s', 'that’s', 'sounds', 'awesome', 'cool', 'great', 'nice', 'amazing', 'congrats', 'congratulations', 'glad', 'sorry',
    'absolutely', 'definitely', 'totally', 'exactly', 'agreed', 'yeah', 'yep', 'bye') as is_reaction
from facts indexed by facts_traits
where kind = 'message';
