-- Upkeep goes on by itself: which sessions wait for their summary, whose turns wait for reflection, and which worker is at it. Tags count.

create temp table kept_sessions as select * from sessions;
create temp table kept_upkeep as select * from upkeep;
drop table sessions;
drop table upkeep;

-- `summarised` is how many of the turns the session's episode tells of. What is said in no session stands here under its `day`.
create table sessions (
  user_id text not null,
  session_id text not null,
  started_at text not null,
  last_turn_at text not null,
  ended_at text,
  turns integer not null default 0,
  summarised integer not null default 0,
  day text,
  primary key (user_id, session_id)
) strict, without rowid;

create index sessions_unsummarised on sessions (ended_at, last_turn_at) where summarised < turns;

insert into sessions (user_id, session_id, started_at, last_turn_at, ended_at, turns, summarised)
select s.user_id, s.session_id, s.started_at, s.last_turn_at, s.ended_at, s.turns,
  iif(exists (
    select 1 from facts e where e.user_id = s.user_id and e.session_id = s.session_id and e.kind = 'episode' and e.source = 'inferred'),
    s.turns, 0)
from kept_sessions s;

-- What waits for reflection: the turn up to which a user was reflected upon, how many were thought about since, and the last session since
-- in which something significant was learned. Whoever summarises or reflects claims the user, so that no model is asked twice.
create table upkeep (
  user_id text primary key,
  reflected_id integer not null default 0,
  turns_since integer not null default 0,
  significant_session text,
  claimed_by text,
  claimed_until text
) strict, without rowid;

insert into upkeep (user_id, reflected_id, turns_since)
select
  t.user_id,
  coalesce(max(t.id) filter (where t.timestamp <= u.reflected_at), 0),
  count(*) filter (where t.status = 'done' and t.timestamp > coalesce(u.reflected_at, ''))
from turns t left join kept_upkeep u on u.user_id = t.user_id
group by t.user_id;

drop table kept_sessions;
drop table kept_upkeep;

-- How much something counts by its tag, where its key does not say so.
create table tag_importance (
  tag text primary key,
  importance real not null check (importance between 0 and 1)
) strict, without rowid;

insert into tag_importance (tag, importance) values
  ('safety', 0.9),
  ('identity', 0.7),
  ('preference', 0.4),
  ('chit-chat', 0.2);

-- Below this probability of an answer nothing is claimed; fitted with the weights that the file began with.
insert or ignore into weights (name, feature, value)
select 'calibration', 'threshold', 0.71
from weights
where name = 'calibration' and feature = 'rival' and value = -3.79;
