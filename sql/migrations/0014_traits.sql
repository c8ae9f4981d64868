-- What the text of a message is like as an answer; a search weighs it. The other kinds are written to the point, and count as a message of ten words.
create view fact_traits as
select
  id,
  kind = 'message' and substr(value_text, -1) in ('?', '？', '؟') as is_question,
  -- ln(1 + words) / 4: a longer message says more
  iif(kind = 'message', min(1.0, ln(2.0 + length(value_text) - length(replace(value_text, ' ', ''))) / 4.0), 0.6) as length,
  -- people tell a number where they tell a fact; an assistant's lists are full of them
  kind = 'message' and coalesce(speaker, 'user') <> 'assistant' and value_text glob '*[0-9]*' as has_number,
  -- it begins as answers do that only cheer or agree ("Wow, that's great!"); in other languages than English nothing does
  kind = 'message' and rtrim(lower(substr(value_text, 1, instr(value_text || ' ', ' ') - 1)), '!,.…') in (
    'wow', 'that''s', 'that’s', 'sounds', 'awesome', 'cool', 'great', 'nice', 'amazing', 'congrats', 'congratulations', 'glad', 'sorry',
    'absolutely', 'definitely', 'totally', 'exactly', 'agreed', 'yeah', 'yep', 'bye') as is_reaction
from facts;

-- What tells a number counts more in `default`, and what only reacts to another's words counts less.
insert or ignore into weights (name, feature, value) values ('default', 'has_number', 0.25), ('default', 'is_reaction', -0.1);
