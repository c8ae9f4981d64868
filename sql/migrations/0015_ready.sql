-- A fact that comes with its vector leaves no line in the outbox.

drop trigger outbox_insert;

-- Every change that the vector index must see leaves a line in the outbox; a row that comes with its vector has `embedding_id` from the start.
create trigger outbox_insert after insert on facts when new.embedding_id is null begin
  insert into outbox (id, user_id) values (new.id, new.user_id)
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;
