-- Storing many facts at once, with vectors that are ready.

-- statement: last
select coalesce(max(id), 0) as id from facts;

-- Those of the facts that were not there before.
-- statement: added
select id, fact_id, user_id, kind
from facts
where id > :last and fact_id in (select value from json_each(:fact_ids));

-- statement: embedded
update facts set embedding_id = fact_id where id in (select value from json_each(:ids));

-- statement: settled
delete from outbox where id in (select value from json_each(:ids));
