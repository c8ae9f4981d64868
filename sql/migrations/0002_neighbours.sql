-- A message is found by the question that it answers and by its neighbours too, in words and by meaning; history cannot be replaced.

drop trigger facts_fts_insert;
drop trigger facts_fts_neighbours;
drop trigger facts_fts_update;
drop trigger facts_fts_delete;
drop trigger fact_history_no_update;
drop view fact_words;
drop table facts_fts;

create index facts_speaker on facts (user_id, speaker) where kind = 'message';

create virtual table facts_fts using fts5 (
  body, reply, context, date,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);

-- What the full-text index holds of a row: its own words and key; the message before it, if that asks something; the two messages before
-- and after it; and its day in words. A message's day is the one it was said on.
create view fact_words as
select
  f.id,
  f.value_text || iif(f.kind = 'message', '', ' ' || replace(replace(f.key, '_', ' '), '.', ' ')) as body,
  iif(f.kind <> 'message', '', coalesce((
    select iif(instr(value_text, '?') + instr(value_text, '？') + instr(value_text, '؟') > 0, value_text, '') from (
      select p.value_text from facts p
      where p.user_id = f.user_id and p.session_id is f.session_id and p.kind = 'message' and p.id < f.id
      order by p.id desc limit 1)), '')) as reply,
  iif(f.kind <> 'message', '', coalesce((
    select group_concat(n.value_text, ' ') from (
      select value_text from (
        select p.value_text from facts p
        where p.user_id = f.user_id and p.session_id is f.session_id and p.kind = 'message' and p.id < f.id
        order by p.id desc limit 2)
      union all
      select value_text from (
        select q.value_text from facts q
        where q.user_id = f.user_id and q.session_id is f.session_id and q.kind = 'message' and q.id > f.id
        order by q.id limit 2)) n), '')) as context,
  strftime('%d ', iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from)))
    || json_extract('["January","February","March","April","May","June","July","August","September","October","November","December"]',
                    '$[' || (strftime('%m', iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from))) - 1) || ']')
    || strftime(' %Y', iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from))) as date
from facts f;

-- What the vector of a message's window is made of: the message between the one before and the one after it.
create view message_window as
select
  f.id,
  coalesce((
    select p.value_text || ' ' from facts p
    where p.user_id = f.user_id and p.session_id is f.session_id and p.kind = 'message' and p.id < f.id
    order by p.id desc limit 1), '')
  || f.value_text
  || coalesce((
    select ' ' || q.value_text from facts q
    where q.user_id = f.user_id and q.session_id is f.session_id and q.kind = 'message' and q.id > f.id
    order by q.id limit 1), '') as text
from facts f
where f.kind = 'message';

-- facts_fts mirrors facts; a message's neighbours are completed when the next message arrives.
create trigger facts_fts_insert after insert on facts begin
  insert into facts_fts (rowid, body, reply, context, date)
    select id, body, reply, context, date from fact_words where id = new.id;
end;

create trigger facts_fts_neighbours after insert on facts when new.kind = 'message' begin
  insert or replace into facts_fts (rowid, body, reply, context, date)
    select w.id, w.body, w.reply, w.context, w.date
    from fact_words w
    where w.id in (
      select p.id from facts p
      where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
      order by p.id desc
      limit 2);
end;

create trigger facts_fts_update after update of key, value_text, tags, valid_from, event_time on facts begin
  insert or replace into facts_fts (rowid, body, reply, context, date)
    select id, body, reply, context, date from fact_words where id = new.id;
end;

create trigger facts_fts_delete after delete on facts begin
  delete from facts_fts where rowid = old.id;
end;

-- A message's window changes with the message, and with those that stand before and after it.
create trigger outbox_window_insert after insert on facts when new.kind = 'message' begin
  insert into outbox (id, user_id)
    select -n.id, new.user_id from (
      select new.id as id
      union all
      select * from (
        select p.id from facts p
        where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
        order by p.id desc limit 1)) n
    where true
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

create trigger outbox_window_update after update of value_text, status on facts
when new.kind = 'message' and (old.value_text is not new.value_text or old.status is not new.status) begin
  insert into outbox (id, user_id)
    select -n.id, new.user_id from (
      select new.id as id
      union all
      select * from (
        select p.id from facts p
        where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
        order by p.id desc limit 1)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = new.user_id and q.session_id is new.session_id and q.kind = 'message' and q.id > new.id
        order by q.id limit 1)) n
    where true
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

create trigger outbox_window_delete after delete on facts when old.kind = 'message' begin
  insert into outbox (id, user_id)
    select -n.id, old.user_id from (
      select old.id as id
      union all
      select * from (
        select p.id from facts p
        where p.user_id = old.user_id and p.session_id is old.session_id and p.kind = 'message' and p.id < old.id
        order by p.id desc limit 1)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = old.user_id and q.session_id is old.session_id and q.kind = 'message' and q.id > old.id
        order by q.id limit 1)) n
    where true
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

-- The audit trail is append-only, but for what the user asked to have forgotten.
create trigger fact_history_no_update before update on fact_history
when not exists (select 1 from erasures e where e.user_id = old.user_id) begin
  select raise(abort, 'fact_history is append-only: write a new row instead of changing an old one');
end;

-- `insert or replace` deletes without asking the triggers of delete, so an id that exists is refused before. An id that SQLite is to choose
-- is -1 here, hence no row may have one below 1.
create trigger fact_history_no_replace before insert on fact_history
when exists (select 1 from fact_history h where h.id = new.id) begin
  select raise(abort, 'fact_history is append-only: a row that exists cannot be replaced');
end;

create trigger fact_history_positive after insert on fact_history when new.id < 1 begin
  select raise(abort, 'fact_history is append-only: ids begin at 1');
end;

-- What is there already gets its words and windows; the windows' vectors follow through the outbox.
insert into facts_fts (rowid, body, reply, context, date)
select id, body, reply, context, date from fact_words;

insert into outbox (id, user_id)
select -id, user_id from facts where kind = 'message' and status in ('active', 'pending_confirmation');

-- Numbers that were tuned by hand stay.
update weights set value = 0.8 where name = 'default' and feature = 'cosine' and value = 1.0;
insert or ignore into weights (name, feature, value) values
  ('default', 'window', 1.4), ('default', 'actor', 0.35), ('default', 'is_question', -0.35), ('default', 'length', 0.5),
  ('default', 'has_time', 0.65), ('default', 'date', 1.0), ('default', 'bm25_reply', 0.5);
