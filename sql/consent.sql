-- What a user lets be remembered.

-- statement: of
select sensitive_topics, secrets from consents where user_id = :user_id;

-- statement: put
insert into consents (user_id, sensitive_topics, secrets, given_at) values (:user_id, :sensitive_topics, :secrets, :now)
on conflict (user_id) do update set
  sensitive_topics = coalesce(excluded.sensitive_topics, sensitive_topics),
  secrets = coalesce(excluded.secrets, secrets),
  given_at = excluded.given_at;
