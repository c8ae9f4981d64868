-- Messages come in with less work: what they are like as answers is told without a look for signs of other scripts where there are none, and the
-- words of those beside them are written row by row.
drop trigger if exists facts_fts_neighbours;
drop trigger if exists facts_fts_update;
drop trigger if exists facts_fts_days;
drop trigger if exists facts_fts_neighbours_move;
drop trigger if exists beside_words_insert;
drop trigger if exists own_words_insert;
drop view if exists own_words;
drop view if exists message_traits;
drop index if exists facts_traits;

create view own_words as
select id from facts;

create trigger own_words_insert instead of insert on own_words begin
  delete from facts_fts where rowid = new.id;
  insert into facts_fts (rowid, body, reply, context, date)
    select id, body, reply, context, date from fact_words where id = new.id;
end;

create trigger facts_fts_neighbours after insert on facts when new.kind = 'message' begin
  insert into own_words (id)
    select id from (
      select p.id from facts p
      where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
      order by p.id desc limit 2)
    order by id;
end;

create trigger facts_fts_update after update of key, value_text, tags, valid_from, event_time on facts begin
  insert into own_words (id) values (new.id);
end;

create trigger facts_fts_days after update of value_json on facts when new.kind = 'message' and old.value_json is not new.value_json begin
  insert into own_words (id) values (new.id);
end;

create trigger beside_words_insert instead of insert on beside_words begin
  insert into own_words (id)
    select id from (
      select * from (
        select p.id from facts p
        where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
        order by p.id desc limit 2)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = new.user_id and q.session_id is new.session_id and q.kind = 'message' and q.id > new.id
        order by q.id limit 2))
    order by id;
end;

create trigger facts_fts_neighbours_move after update of user_id, session_id on facts
when new.kind = 'message' and (old.user_id is not new.user_id or old.session_id is not new.session_id) begin
  insert into own_words (id) values (new.id);
  insert into beside_words (id, user_id, session_id) values (old.id, old.user_id, old.session_id), (new.id, new.user_id, new.session_id);
end;

create index facts_traits on facts (
  id,
  speaker,
  event_time,
  substr(value_text, -1) in ('?', '？', '؟'),
  length(value_text) - length(replace(value_text, ' ', ''))
    + iif(length(cast(value_text as blob)) > length(value_text) and value_text glob '*[ก-႟ក-៿々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]*',
        (length(cast(value_text as blob)) - length(value_text)) / 4, 0),
  iif(source = 'user_message', iif(value_text glob '*[0-9]*', 1,
    iif(length(cast(value_text as blob)) > length(value_text), value_text glob '*[０-９٠-٩۰-۹०-९๐-๙]*', 0)), 0),
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
    + iif(length(cast(value_text as blob)) > length(value_text) and value_text glob '*[ก-႟ក-៿々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]*',
        (length(cast(value_text as blob)) - length(value_text)) / 4, 0))) / 4.0) as length,
  -- people tell a number where they tell a fact; the lists of an assistant or a tool are full of them
  iif(source = 'user_message', iif(value_text glob '*[0-9]*', 1,
    iif(length(cast(value_text as blob)) > length(value_text), value_text glob '*[０-９٠-٩۰-۹०-९๐-๙]*', 0)), 0) as has_number,
  -- it begins as answers do that only cheer or agree ("Wow, that's great!"); in other languages than English nothing does
  rtrim(lower(substr(value_text, 1, instr(value_text || ' ', ' ') - 1)), '!,.…') in (
    'wow', 'that''s', 'that’s', 'sounds', 'awesome', 'cool', 'great', 'nice', 'amazing', 'congrats', 'congratulations', 'glad', 'sorry',
    'absolutely', 'definitely', 'totally', 'exactly', 'agreed', 'yeah', 'yep', 'bye') as is_reaction
from facts indexed by facts_traits
where kind = 'message';
