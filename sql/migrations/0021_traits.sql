-- What messages are like as answers is kept in an index, so that a search need not read their texts.
drop view fact_traits;

-- What the texts of messages are like as answers (see the view message_traits), so that a search need not read them. Whole numbers only: what a
-- logarithm is to the last bit depends on the machine, and a file may move.
create index facts_traits on facts (
  id,
  speaker,
  event_time,
  substr(value_text, -1) in ('?', '？', '؟'),
  length(value_text) - length(replace(value_text, ' ', '')),
  coalesce(speaker, 'user') <> 'assistant' and value_text glob '*[0-9]*',
  rtrim(lower(substr(value_text, 1, instr(value_text || ' ', ' ') - 1)), '!,.…') in (
    'wow', 'that''s', 'that’s', 'sounds', 'awesome', 'cool', 'great', 'nice', 'amazing', 'congrats', 'congratulations', 'glad', 'sorry',
    'absolutely', 'definitely', 'totally', 'exactly', 'agreed', 'yeah', 'yep', 'bye')
) where kind = 'message';

-- What the text of a message is like as an answer; a search weighs it. The other kinds are written to the point, and count as a message of ten words.
create view message_traits as
select
  id,
  speaker,
  event_time,
  substr(value_text, -1) in ('?', '？', '؟') as is_question,
  -- ln(1 + words) / 4: a longer message says more
  min(1.0, ln(2.0 + (length(value_text) - length(replace(value_text, ' ', '')))) / 4.0) as length,
  -- people tell a number where they tell a fact; an assistant's lists are full of them
  coalesce(speaker, 'user') <> 'assistant' and value_text glob '*[0-9]*' as has_number,
  -- it begins as answers do that only cheer or agree ("Wow, that's great!"); in other languages than English nothing does
  rtrim(lower(substr(value_text, 1, instr(value_text || ' ', ' ') - 1)), '!,.…') in (
    'wow', 'that''s', 'that’s', 'sounds', 'awesome', 'cool', 'great', 'nice', 'amazing', 'congrats', 'congratulations', 'glad', 'sorry',
    'absolutely', 'definitely', 'totally', 'exactly', 'agreed', 'yeah', 'yep', 'bye') as is_reaction
from facts indexed by facts_traits
where kind = 'message';
