-- What a user lets be remembered.

-- statement: of
select sensitive_topics, secrets from consents where user_id = :user_id;

-- statement: put
insert into consents (user_id, sensitive_topics, secrets, given_at) values (:user_id, :sensitive_topics, :secrets, :now)
on conflict (user_id) do update set
  sensitive_topics = coalesce(excluded.sensitive_topics, sensitive_topics),
  secrets = coalesce(excluded.secrets, secrets),
  given_at = excluded.given_at;

-- What waits for a word of a user, also only what does so since it was changed for a cause; for leave alone where it contradicts nothing that is held, and
-- was not written by hand in memory.md, of which the user is asked.
-- statement: waiting
select
  r.record,
  f.source_turn_id not glob 'memory.md-*' and not exists (
    select 1
    from links l join facts t on t.fact_id = l.target_id
    where l.source_id = f.fact_id and l.relation = 'contradicts' and t.status in ('active', 'pending_confirmation', 'uncertain')) as leave
from facts f
join fact_record r on r.id = f.id
where f.user_id = :user_id
  and f.kind in (select k.kind from kinds k where k.kind <> 'message')
  and f.status = 'pending_confirmation'
  and (f.valid_to is null or f.valid_to > :now)
  and (:since is null or f.fact_id in (select h.fact_id from fact_history h where h.user_id = :user_id and h.turn_id = :since))
order by f.id;
