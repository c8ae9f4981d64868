-- What waits for its vector, and the sessions that wait for their summary, are found user by user.
create index if not exists outbox_user on outbox (user_id, id desc) where dead = 0;
create index if not exists sessions_over on sessions (user_id, ended_at) where summarised < turns and ended_at is not null;
