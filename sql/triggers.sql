-- facts_fts mirrors facts; a message's neighbours are completed when the next message arrives. What is there is deleted first: `insert or replace`
-- in a trigger becomes a plain insert where an upsert fires it, and then the index keeps the old words, too, out of reach of any delete.
create trigger facts_fts_insert after insert on facts begin
  insert into facts_fts (rowid, body, reply, context, date)
    select id, body, reply, context, date from fact_words where id = new.id;
end;

-- What is inserted here has the words that it is found by written anew. Row by row, in the order of ids: FTS5 writes what it has gathered as a
-- segment of its own whenever an id is not above the one before, but for a row that was just deleted.
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

-- The days that a message tells of are in its value; of other rows nothing of it is searched that changes without their text.
create trigger facts_fts_days after update of value_json on facts when new.kind = 'message' and old.value_json is not new.value_json begin
  insert into own_words (id) values (new.id);
end;

-- What is inserted here has the words of the two messages before it and of the two behind it written anew, wherever it stands itself.
create view beside_words as
select id, user_id, session_id from facts where kind = 'message';

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

-- Whoever changes a message by hand changes what its neighbours are found by.
create trigger facts_fts_neighbours_update after update of value_text on facts
when new.kind = 'message' and old.value_text is not new.value_text begin
  insert into beside_words (id, user_id, session_id) values (new.id, new.user_id, new.session_id);
end;

-- One that is given to another user or session by hand has other neighbours, and they have others.
create trigger facts_fts_neighbours_move after update of user_id, session_id on facts
when new.kind = 'message' and (old.user_id is not new.user_id or old.session_id is not new.session_id) begin
  insert into own_words (id) values (new.id);
  insert into beside_words (id, user_id, session_id) values (old.id, old.user_id, old.session_id), (new.id, new.user_id, new.session_id);
end;

create trigger facts_fts_delete after delete on facts begin
  delete from facts_fts where rowid = old.id;
end;

-- And so does whoever deletes one; forgetting completes all neighbours at once.
create trigger facts_fts_neighbours_delete after delete on facts
when old.kind = 'message' and not exists (select 1 from erasures e where e.user_id = old.user_id) begin
  insert into beside_words (id, user_id, session_id) values (old.id, old.user_id, old.session_id);
end;

-- Every change that the vector index must see leaves a line in the outbox; a row that comes with its vector has `embedding_id` from the start. A
-- row that is given to another user by hand has its vector among those of the user it was of, who is named there.
create trigger outbox_insert after insert on facts when new.embedding_id is null begin
  insert into outbox (id, user_id) values (new.id, new.user_id)
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

create trigger outbox_update after update of value_text, kind, status, user_id on facts
when old.value_text is not new.value_text or old.kind is not new.kind or old.status is not new.status or old.user_id is not new.user_id begin
  insert into outbox (id, user_id) values (new.id, old.user_id)
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

create trigger outbox_delete after delete on facts begin
  insert into outbox (id, user_id) values (old.id, old.user_id)
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
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

-- What is inserted here has its window, and those of the messages before and behind it, on the list; their vectors are among those of `was_of`.
create view beside_windows as
select id, user_id, session_id, user_id as was_of from facts where kind = 'message';

create trigger beside_windows_insert instead of insert on beside_windows begin
  insert into outbox (id, user_id)
    select -n.id, new.was_of from (
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

create trigger outbox_window_update after update of value_text, status, user_id on facts
when new.kind = 'message' and (old.value_text is not new.value_text or old.status is not new.status or old.user_id is not new.user_id) begin
  insert into beside_windows (id, user_id, session_id, was_of) values (new.id, new.user_id, new.session_id, old.user_id);
end;

create trigger outbox_window_move after update of user_id, session_id on facts
when new.kind = 'message' and (old.user_id is not new.user_id or old.session_id is not new.session_id) begin
  insert into beside_windows (id, user_id, session_id, was_of)
    values (old.id, old.user_id, old.session_id, old.user_id), (new.id, new.user_id, new.session_id, old.user_id);
end;

create trigger outbox_window_delete after delete on facts when old.kind = 'message' begin
  insert into beside_windows (id, user_id, session_id, was_of) values (old.id, old.user_id, old.session_id, old.user_id);
end;

-- The audit trail is append-only, but for what the user asked to have forgotten, and for the words of memories that were deleted when they had faded.
create trigger fact_history_no_update before update on fact_history
when not exists (select 1 from erasures e where e.user_id = old.user_id) begin
  select raise(abort, 'fact_history is append-only: write a new row instead of changing an old one');
end;

create trigger fact_history_no_delete before delete on fact_history
when not exists (select 1 from erasures e where e.user_id = old.user_id and (e.key is null or e.key = old.key)) begin
  select raise(abort, 'fact_history is append-only: only forgetting a user or a key deletes from it');
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

-- A new row may get the number of one that was erased; it is looked through as well.
create trigger related_back after delete on facts begin
  update related set up_to = old.id - 1 where user_id = old.user_id and up_to = old.id;
end;

-- What changes while another embedder's vectors are gathered is to be embedded once more.
create trigger reindexed_insert after insert on outbox begin
  delete from reindexed where id = new.id;
end;

create trigger reindexed_update after update on outbox begin
  delete from reindexed where id = new.id;
end;

-- Once a file has served with a collection as its index, every change that the collection must see leaves a line for it.
create trigger mirror_insert after insert on facts
when new.status in ('active', 'pending_confirmation') and exists (select 1 from meta where name = 'collection') begin
  insert into mirror_outbox (fact_id) values (new.fact_id)
    on conflict (fact_id) do update set change = random(), attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

create trigger mirror_update
after update of value_text, user_id, kind, key, category, status, valid_from, valid_to, confidence, updated_at on facts
when (old.status in ('active', 'pending_confirmation') or new.status in ('active', 'pending_confirmation'))
  and (old.value_text, old.user_id, old.kind, old.key, old.category, old.status, old.valid_from, old.valid_to, old.confidence, old.updated_at)
    is not (new.value_text, new.user_id, new.kind, new.key, new.category, new.status, new.valid_from, new.valid_to, new.confidence, new.updated_at)
  and exists (select 1 from meta where name = 'collection') begin
  insert into mirror_outbox (fact_id) values (new.fact_id)
    on conflict (fact_id) do update set change = random(), attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

create trigger mirror_delete after delete on facts
when old.status in ('active', 'pending_confirmation') and exists (select 1 from meta where name = 'collection') begin
  insert into mirror_outbox (fact_id) values (old.fact_id)
    on conflict (fact_id) do update set change = random(), attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

create trigger mirror_erased_put after delete on facts
when exists (select 1 from meta where name = 'collection') begin
  insert into mirror_erased (fact_id) values (old.fact_id) on conflict (fact_id) do nothing;
end;

-- A weight is tuned by hand: an infinite one, or one that makes sums infinite, would end every search.
create trigger weights_insert before insert on weights when new.value not between -1e6 and 1e6 begin
  select raise(abort, 'a weight is a number from -1000000 to 1000000');
end;

create trigger weights_update before update of value on weights when new.value not between -1e6 and 1e6 begin
  select raise(abort, 'a weight is a number from -1000000 to 1000000');
end;
