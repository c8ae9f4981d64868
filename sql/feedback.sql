-- What users said about what was found.

-- statement: give
insert into feedback (user_id, query, fact_id, good, given_at) values (:user_id, :query, :fact_id, :good, :now)
on conflict (user_id, query, fact_id) do update set good = excluded.good, given_at = excluded.given_at;

-- Only what is still there can be found again.
-- statement: all
select b.user_id, b.query, b.fact_id, b.good, b.given_at
from feedback b
join facts f on f.fact_id = b.fact_id
order by b.user_id, b.query, b.given_at;
