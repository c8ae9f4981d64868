-- Household events are gathered into segments and become first-person memories, found by the words of their events too.

create temp table kept_segments as select * from segments;
create temp table kept_events as select * from events;
drop table events;
drop table segments;

-- Household events. One is here before event() returns; it waits without a segment until the segment that it belongs to is over.
create table segments (
  segment_id text primary key,
  user_id text not null,
  started_at text not null,
  ended_at text not null,
  closed_by text not null check (closed_by in ('duration', 'maximum', 'max_events', 'person_departed_home', 'person_arrived_home',
                                               'time_of_day_change', 'significant_event')),
  ready_at text not null check (ready_at is strftime('%Y-%m-%dT%H:%M:%fZ', ready_at)),
  written_by text not null,
  error text
) strict, without rowid;

create index segments_user on segments (user_id, ready_at);

create table events (
  event_id text not null,
  user_id text not null check (user_id <> ''),
  description text not null,
  timestamp text not null check (timestamp is strftime('%Y-%m-%dT%H:%M:%fZ', timestamp)),
  participants text not null default '[]' check (json_type(participants) = 'array'),
  location text,
  importance real check (importance between 0 and 1),
  break_trigger text check (break_trigger in ('person_departed_home', 'person_arrived_home', 'time_of_day_change', 'significant_event')),
  turn_id text,
  segment_id text references segments (segment_id),
  primary key (user_id, event_id)
) strict, without rowid;

create index events_user on events (user_id, timestamp);
create index events_waiting on events (user_id, timestamp) where segment_id is null;
create index events_segment on events (segment_id);

insert into segments (segment_id, user_id, started_at, ended_at, closed_by, ready_at, written_by)
select segment_id, user_id, started_at, coalesce(ended_at, started_at), 'duration',
       strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(ended_at, started_at)), 'rules'
from kept_segments where status = 'done';
insert into events (event_id, user_id, description, timestamp, participants, location, importance, segment_id)
select event_id, user_id, description, timestamp, participants, location, importance,
       (select s.segment_id from segments s where s.segment_id = k.segment_id)
from kept_events k;
drop table kept_events;
drop table kept_segments;

create index facts_narrative on facts (created_at) where kind = 'narrative';

drop view fact_words;
-- What the full-text index holds of a row: its own words and key; the message before it, if that asks something; the two messages before
-- and after it; and its day in words. A message's day is the one it was said on.
create view fact_words as
select
  f.id,
  f.value_text || iif(f.kind = 'message', '', ' ' || replace(replace(f.key, '_', ' '), '.', ' ')) as body,
  iif(f.kind <> 'message', '', coalesce((
    select iif(instr(value_text, '?') + instr(value_text, '？') + instr(value_text, '؟') > 0, value_text, '') from (
      select p.value_text from facts p
      where p.user_id = f.user_id and p.session_id is f.session_id and p.kind = 'message' and p.id < f.id
      order by p.id desc limit 1)), '')) as reply,
  case f.kind
    when 'message' then coalesce((
    select group_concat(n.value_text, ' ') from (
      select value_text from (
        select p.value_text from facts p
        where p.user_id = f.user_id and p.session_id is f.session_id and p.kind = 'message' and p.id < f.id
        order by p.id desc limit 2)
      union all
      select value_text from (
        select q.value_text from facts q
        where q.user_id = f.user_id and q.session_id is f.session_id and q.kind = 'message' and q.id > f.id
        order by q.id limit 2)) n), '')
    -- a first-person memory is found by the words of its events too, a pattern by those of the last memories that went into it
    when 'narrative' then coalesce((
      select group_concat(distinct e.description)
      from (
        select f.value_json as detail
        union all
        select * from (
          select s.value_json
          from links l cross join facts s on s.fact_id = l.source_id
          where l.target_id = f.fact_id and l.relation = 'supports'
          order by s.created_at desc limit 30)) d
      cross join json_each(d.detail, '$.source_event_ids') i
      cross join events e on e.user_id = f.user_id and e.event_id = i.value), '')
    else ''
  end as context,
  strftime('%d ', iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from)))
    || json_extract('["January","February","March","April","May","June","July","August","September","October","November","December"]',
                    '$[' || (strftime('%m', iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from))) - 1) || ']')
    || strftime(' %Y', iif(f.kind = 'message', f.valid_from, coalesce(f.event_time, f.valid_from))) as date
from facts f;

insert or ignore into weights (name, feature, value) values ('first-person', 'bm25_context', 0.3);
