-- What is believed no longer is found by its user, what was said by its time, and who is at a turn without a look at all that wait. An index by status
-- alone led to the rows of everybody where those of one user, or a few known ones, were wanted.
drop index facts_status;
create index facts_closed on facts (user_id, updated_at) where status in ('superseded', 'expired');
create index facts_said on facts (user_id, valid_from) where kind = 'message';
create index turns_claimed on turns (claimed_by) where status = 'working';
create index upkeep_claimed on upkeep (claimed_by) where claimed_by is not null;
