-- A vector or a record is set aside only when it is refused while others are taken. What was set aside before may have met an outage, and waits again.
update outbox set dead = 0, attempts = 0, next_attempt_at = null where dead = 1;
update mirror_outbox set dead = 0, attempts = 0, next_attempt_at = null where dead = 1;
