-- Storing many messages at once: what the triggers of facts do for each new message, done for all of them together.

-- Of each session, the last message before the new ones, and the one before that, null where there is none: they are found by what follows them,
-- too.
-- statement: before
select
  id,
  (
    select p.id from facts p
    where p.user_id = s.user_id and p.session_id is s.session_id and p.kind = 'message' and p.id < s.id
    order by p.id desc limit 1) as one_before
from (
  select
    n.user_id,
    n.session_id,
    (
      select p.id from facts p
      where p.user_id = n.user_id and p.session_id is n.session_id and p.kind = 'message' and p.id <= :last
      order by p.id desc limit 1) as id
  from (select distinct user_id, session_id from facts where id > :last) n) s;

-- statement: gone
delete from facts_fts where rowid in (select value from json_each(:before));

-- statement: words
insert into facts_fts (rowid, body, reply, context, date)
select id, body, reply, context, date
from fact_words
where id in (select value from json_each(:before) union all select id from facts where id > :last)
order by id;

-- A message's window changes with the one behind it.
-- statement: waiting
insert into outbox (id, user_id)
select f.id, f.user_id from facts f where f.id > :last
union all
select -f.id, f.user_id from facts f where f.id > :last
union all
select -f.id, f.user_id from json_each(:before) b cross join facts f on f.id = b.value
where true
on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
