-- A message that is given to another user or session by hand is no longer found by its old neighbours' words, nor they by its own.
drop trigger if exists facts_fts_neighbours_move;
create trigger facts_fts_neighbours_move after update of user_id, session_id on facts
when new.kind = 'message' and (old.user_id is not new.user_id or old.session_id is not new.session_id) begin
  delete from facts_fts
    where rowid in (
      select new.id
      union all
      select * from (
        select p.id from facts p
        where p.user_id = old.user_id and p.session_id is old.session_id and p.kind = 'message' and p.id < old.id
        order by p.id desc limit 2)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = old.user_id and q.session_id is old.session_id and q.kind = 'message' and q.id > old.id
        order by q.id limit 2)
      union all
      select * from (
        select p.id from facts p
        where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
        order by p.id desc limit 2)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = new.user_id and q.session_id is new.session_id and q.kind = 'message' and q.id > new.id
        order by q.id limit 2));
  insert into facts_fts (rowid, body, reply, context, date)
    select w.id, w.body, w.reply, w.context, w.date
    from fact_words w
    where w.id in (
      select new.id
      union all
      select * from (
        select p.id from facts p
        where p.user_id = old.user_id and p.session_id is old.session_id and p.kind = 'message' and p.id < old.id
        order by p.id desc limit 2)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = old.user_id and q.session_id is old.session_id and q.kind = 'message' and q.id > old.id
        order by q.id limit 2)
      union all
      select * from (
        select p.id from facts p
        where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
        order by p.id desc limit 2)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = new.user_id and q.session_id is new.session_id and q.kind = 'message' and q.id > new.id
        order by q.id limit 2));
end;

drop trigger if exists outbox_window_move;
create trigger outbox_window_move after update of user_id, session_id on facts
when new.kind = 'message' and (old.user_id is not new.user_id or old.session_id is not new.session_id) begin
  insert into outbox (id, user_id)
    select -n.id, old.user_id from (
      select * from (
        select p.id from facts p
        where p.user_id = old.user_id and p.session_id is old.session_id and p.kind = 'message' and p.id < old.id
        order by p.id desc limit 1)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = old.user_id and q.session_id is old.session_id and q.kind = 'message' and q.id > old.id
        order by q.id limit 1)
      union all
      select new.id
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
