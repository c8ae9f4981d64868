-- A message among its neighbours is itself above all: of a long neighbour, the window has what stands nearest.
drop view if exists message_window;

create view message_window as
select
  f.id,
  coalesce((
    select substr(p.value_text, -250) || ' ' from facts p
    where p.user_id = f.user_id and p.session_id is f.session_id and p.kind = 'message' and p.id < f.id
    order by p.id desc limit 1), '')
  || f.value_text
  || coalesce((
    select ' ' || substr(q.value_text, 1, 250) from facts q
    where q.user_id = f.user_id and q.session_id is f.session_id and q.kind = 'message' and q.id > f.id
    order by q.id limit 1), '') as text
from facts f
where f.kind = 'message';
