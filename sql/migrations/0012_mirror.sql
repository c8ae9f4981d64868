-- A vector collection outside the file can serve as its index.

-- What a vector collection outside the file must be told while it serves as the index; a line says only that the collection is to be made
-- to hold what the file believes of this fact, or to hold it no longer. `change` is another number after every change, so that what changed
-- while it was being sent is sent again.
create table mirror_outbox (
  fact_id text primary key,
  change integer not null default (random()),
  claimed_until text,
  attempts integer not null default 0,
  next_attempt_at text,
  dead integer not null default 0 check (dead in (0, 1)),
  last_error text
) strict, without rowid;

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
