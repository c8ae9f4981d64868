-- A row that is given to another user by hand leaves a line in the outbox, too: its vector stands among those of the user it was of.
drop trigger outbox_update;
create trigger outbox_update after update of value_text, kind, status, user_id on facts
when old.value_text is not new.value_text or old.kind is not new.kind or old.status is not new.status or old.user_id is not new.user_id begin
  insert into outbox (id, user_id) values (new.id, old.user_id)
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;
drop trigger outbox_window_update;
create trigger outbox_window_update after update of value_text, status, user_id on facts
when new.kind = 'message' and (old.value_text is not new.value_text or old.status is not new.status or old.user_id is not new.user_id) begin
  insert into outbox (id, user_id)
    select -n.id, old.user_id from (
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
