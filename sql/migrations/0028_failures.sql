-- How often a turn met an error, which is not how often it was begun: a worker that is killed is no error of the turn's.
alter table turns add column failures integer not null default 0;
