-- Moves rows no longer believed out of the way: into the archive, with their vectors given up. A null :user_id is everybody; every text is less than
-- a blob, so that the index finds one user's rows without a look at the others'.

-- statement: archive
insert or replace into facts_archive (fact_id, user_id, key, source_turn_id, valid_from, valid_to, status, record, archived_at)
select f.fact_id, f.user_id, f.key, f.source_turn_id, f.valid_from, f.valid_to, f.status, r.record, :now
from facts f indexed by facts_closed
cross join fact_record r on r.id = f.id
where f.user_id between coalesce(:user_id, '') and coalesce(:user_id, x'')
  and f.status in ('superseded', 'expired')
  and f.updated_at <= :before
limit :most
returning fact_id;

-- Each leaves a line in the history; what it said stands in the archive.
-- statement: history
insert into fact_history (fact_id, user_id, key, operation, before, after, reason, turn_id, action_hash, changed_at)
select f.fact_id, f.user_id, f.key, 'archive', null, null, :reason, :turn_id, :turn_id, :now
from facts f indexed by facts_closed
where f.user_id between coalesce(:user_id, '') and coalesce(:user_id, x'')
  and f.status in ('superseded', 'expired')
  and (:before is null or f.updated_at <= :before)
  and f.fact_id in (select fact_id from facts_archive);

-- statement: clear
delete from facts indexed by facts_closed
where user_id between coalesce(:user_id, '') and coalesce(:user_id, x'')
  and status in ('superseded', 'expired')
  and updated_at <= :before
  and fact_id in (select fact_id from facts_archive);
