-- A message that is deleted by hand is no longer found by its words where these stood among its neighbours'.
drop trigger if exists facts_fts_neighbours_delete;
create trigger facts_fts_neighbours_delete after delete on facts
when old.kind = 'message' and not exists (select 1 from erasures e where e.user_id = old.user_id) begin
  delete from facts_fts
    where rowid in (
      select * from (
        select p.id from facts p
        where p.user_id = old.user_id and p.session_id is old.session_id and p.kind = 'message' and p.id < old.id
        order by p.id desc limit 2)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = old.user_id and q.session_id is old.session_id and q.kind = 'message' and q.id > old.id
        order by q.id limit 2));
  insert into facts_fts (rowid, body, reply, context, date)
    select w.id, w.body, w.reply, w.context, w.date
    from fact_words w
    where w.id in (
      select * from (
        select p.id from facts p
        where p.user_id = old.user_id and p.session_id is old.session_id and p.kind = 'message' and p.id < old.id
        order by p.id desc limit 2)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = old.user_id and q.session_id is old.session_id and q.kind = 'message' and q.id > old.id
        order by q.id limit 2));
end;
