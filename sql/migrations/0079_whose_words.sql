-- What a system or a tool puts into a chat is told from what people say, in a file that kept it before, too; no number and no change is theirs to tell.
drop view if exists message_traits;
drop view if exists message_updates;
drop index if exists facts_traits;

update facts
set source = iif(lower(trim(speaker)) in ('tool', 'function'), 'tool', 'system')
where kind = 'message' and source = 'user_message' and lower(trim(speaker)) in ('system', 'developer', 'tool', 'function');

create index facts_traits on facts (
  id,
  speaker,
  event_time,
  substr(value_text, -1) in ('?', '？', '؟'),
  length(value_text) - length(replace(value_text, ' ', ''))
    + iif(value_text glob '*[ก-႟ក-៿々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]*', (length(cast(value_text as blob)) - length(value_text)) / 4, 0),
  source = 'user_message' and value_text glob '*[0-9０-９٠-٩۰-۹०-९๐-๙]*',
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
  -- people tell a number where they tell a fact; the lists of an assistant or a tool are full of them
  source = 'user_message' and value_text glob '*[0-9０-９٠-٩۰-۹०-९๐-๙]*' as has_number,
  -- it begins as answers do that only cheer or agree ("Wow, that's great!"); in other languages than English nothing does
  rtrim(lower(substr(value_text, 1, instr(value_text || ' ', ' ') - 1)), '!,.…') in (
    'wow', 'that''s', 'that’s', 'sounds', 'awesome', 'cool', 'great', 'nice', 'amazing', 'congrats', 'congratulations', 'glad', 'sorry',
    'absolutely', 'definitely', 'totally', 'exactly', 'agreed', 'yeah', 'yep', 'bye') as is_reaction
from facts indexed by facts_traits
where kind = 'message';

create view message_updates as
select
  f.id,
  f.valid_from,
  (
    with told (words) as materialized (
      select ' ' || lower(replace(replace(replace(replace(replace(replace(substr(f.value_text, 1, 1000), ',', ' '), '.', ' '), '!', ' '), ';', ' '),
        char(10), ' '), '’', '''')) || ' '),
    -- two words of grammar tell, and no words of the other languages need be looked for
    is_english (yes) as materialized (
      select count(*) > 1
      from told
      cross join json_each('["the", "and", "to", "my", "you", "it", "with", "for", "this", "that", "have", "i''m", "i''ve"]') word
      where instr(words, ' ' || word.value || ' '))
    select coalesce((
      select c.says
      from update_cues c
      where (c.language = 'en' or not yes)
        and instr(words, c.cue)
        and instr(substr(words, instr(words, c.cue) + length(c.cue) - 1, 30), c.then_cue)
      order by c.says desc
      limit 1), 1)
    from told
    cross join is_english
  ) as tells_update
from facts f
where f.kind = 'message' and f.source = 'user_message' and substr(f.value_text, -1) <> '?';
