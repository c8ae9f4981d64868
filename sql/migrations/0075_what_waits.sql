-- What waits for its next attempt is found among ever so much that waits for its first.
create index if not exists outbox_next on outbox (next_attempt_at) where next_attempt_at is not null;
create index if not exists mirror_outbox_next on mirror_outbox (next_attempt_at) where next_attempt_at is not null;
