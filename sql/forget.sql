-- Erasing a user, or one key of a user, everywhere. :key null means everything of the user.

-- statement: allow
insert into erasures (user_id, key) values (:user_id, :key);

-- statement: disallow
delete from erasures;

-- FTS5 merges a segment of which so many of a hundred rows were deleted: by itself 10, none with 0. All segments are merged once the erasing is committed, so
-- that to do it before would only hold the file for longer.
-- statement: merging
insert into facts_fts (facts_fts, rank) values ('deletemerge', :percent);

-- What upkeep wrote of an erased turn: the episode of its session, which is told anew, and whatever else it wrote that quotes the value.
-- statement: delete_derived
with erased as materialized (
  select session_id, timestamp
  from turns
  where user_id = :user_id and turn_id in (select value from json_each(:turns))
)
delete from facts
where user_id = :user_id and :key is not null and source = 'inferred' and kind in ('episode', 'note')
  and (kind = 'episode' and session_id in (select session_id from erased)
    or kind = 'episode' and session_id is null and exists (
      select 1 from erased e
      where e.session_id is null and e.timestamp between value_json ->> 'timestamp_start' and value_json ->> 'timestamp_end')
    or id in (select value from json_each(:ids)))
returning fact_id, value_json ->> 'session' as session;

-- The same of what was moved into the archive since, also of memories that tell of an erased turn.
-- statement: delete_archived_derived
delete from facts_archive
where user_id = :user_id and :key is not null
  and (record ->> 'source' = 'inferred' and record ->> 'kind' in ('episode', 'note') and (
      record ->> 'kind' = 'episode' and exists (
        select 1 from turns t
        where t.user_id = :user_id and t.turn_id in (select value from json_each(:turns)) and t.session_id is facts_archive.record ->> 'session_id'
          and (t.session_id is not null
            or t.timestamp between facts_archive.record ->> '$.value_json.timestamp_start' and facts_archive.record ->> '$.value_json.timestamp_end'))
      or fact_id in (select value from json_each(:ids)))
    or record ->> 'kind' = 'narrative' and (:key = 'household.experience' or exists (
      select 1
      from json_each(facts_archive.record, '$.value_json.source_event_ids') i
      cross join events e on e.user_id = :user_id and e.event_id = i.value
      where e.turn_id in (select value from json_each(:turns)))))
returning fact_id;

-- statement: unsummarise
update sessions set summarised = 0
where user_id = :user_id and session_id in (select value from json_each(:sessions));

-- statement: unquote_derived
update fact_history set before = null, after = null, reason = '(forgotten)'
where user_id = :user_id and fact_id in (select value from json_each(:derived));

-- The turns that a key was learned from, and the messages that hold their words. Where all goes, none is named: there may be very many.
-- statement: turns
select source_turn_id as turn_id from fact_ever where user_id = :user_id and key = :key
union
select turn_id from fact_history where user_id = :user_id and key = :key
union
select turn_id from ends where user_id = :user_id and key = :key;

-- Of one key only what it holds is read, and not all that there is of the user.
-- statement: delete_facts
delete from facts
where kind <> 'message' and id in (
  select id from facts where user_id = :user_id and :key is null
  union all
  select id from facts where user_id = :user_id and key = :key);

-- statement: delete_messages
delete from facts
where kind = 'message' and id in (
  select f.id from json_each(:turns) t cross join facts f on f.user_id = :user_id and f.source_turn_id = t.value)
returning id, session_id;

-- statement: delete_all_messages
delete from facts where kind = 'message' and user_id = :user_id;

-- Whether a user has at least so many rows, and whether that is more than half of all.
-- statement: many
select 2 * (select count(*) from facts where user_id = :user_id) > (select count(*) from facts) as most
from facts
where user_id = :user_id
limit 1 offset :least - 1;

-- What the triggers of facts do for each row that goes, done at once for all that a user has: of each row SQLite would look for neighbours that go
-- with it, and note each window up to three times.
-- statement: unlist_words
delete from facts_fts where rowid in (select id from facts where user_id = :user_id);

-- statement: vectors_go
insert into outbox (id, user_id)
select id, user_id
from (
  select -id as id, user_id from facts where user_id = :user_id and kind = 'message'
  union all
  select id, user_id from facts where user_id = :user_id)
where true
order by id
on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;

-- statement: ungather
delete from reindexed
where exists (select 1 from facts f where f.id = abs(reindexed.id) and f.user_id = :user_id);

-- statement: unmirror
insert into mirror_outbox (fact_id)
select f.fact_id
from meta m
cross join facts f on f.user_id = :user_id and f.status in ('active', 'pending_confirmation')
where m.name = 'collection'
on conflict (fact_id) do update set change = random(), attempts = 0, next_attempt_at = null, dead = 0, last_error = null;

-- statement: mirror_erased
insert into mirror_erased (fact_id)
select f.fact_id
from meta m
cross join facts f on f.user_id = :user_id
where m.name = 'collection'
on conflict (fact_id) do nothing;

-- statement: delete_archive
delete from facts_archive where user_id = :user_id and (:key is null or key = :key);

-- statement: delete_history
delete from fact_history where user_id = :user_id and (:key is null or key = :key);

-- statement: delete_ends
delete from ends where user_id = :user_id and (:key is null or key = :key);

-- statement: delete_turns
delete from turns where user_id = :user_id and (:key is null or turn_id in (select value from json_each(:turns)));

-- What else the erased turns taught stays, but no longer quotes them.
-- statement: unquote_facts
update facts set source_excerpt = value_text
where user_id = :user_id and :key is not null and source_turn_id in (select value from json_each(:turns));

-- statement: unquote_archive
update facts_archive set record = json_replace(record, '$.source_excerpt', record ->> 'value_text')
where user_id = :user_id and :key is not null and source_turn_id in (select value from json_each(:turns));

-- statement: unquote_history
update fact_history set
  before = json_replace(before, '$.source_excerpt', before ->> 'value_text'),
  after = json_replace(after, '$.source_excerpt', after ->> 'value_text')
where user_id = :user_id and :key is not null
  and coalesce(after ->> 'source_turn_id', before ->> 'source_turn_id') in (select value from json_each(:turns));

-- What a key held, as it may be quoted: by the reasons of a language model and in its answers.
-- statement: words
select value_json ->> 'object' as word from facts where user_id = :user_id and key = :key and length(value_json ->> 'object') > 2
union
select record ->> '$.value_json.object' from facts_archive
where user_id = :user_id and key = :key and length(record ->> '$.value_json.object') > 2
union
select said ->> 'object' from ends where user_id = :user_id and key = :key and length(said ->> 'object') > 2
order by 1;

-- What may quote something, by its ids, and what those say.
-- statement: derived
select id from facts where user_id = :user_id and source = 'inferred' and kind in ('episode', 'note');

-- statement: derived_texts
select f.id, f.value_text as text from json_each(:ids) i cross join facts f on f.id = i.value;

-- statement: archived
select fact_id as id
from facts_archive
where user_id = :user_id and record ->> 'source' = 'inferred' and record ->> 'kind' in ('episode', 'note');

-- statement: archived_texts
select a.fact_id as id, a.record ->> 'value_text' as text from json_each(:ids) i cross join facts_archive a on a.fact_id = i.value;

-- statement: reasons
select id from fact_history where user_id = :user_id;

-- statement: reasons_texts
select h.id, h.reason as text from json_each(:ids) i cross join fact_history h on h.id = i.value;

-- statement: calls
select id from model_calls where user_id = :user_id;

-- statement: calls_texts
select c.id, coalesce(c.raw, '') || coalesce(c.error, '') as text from json_each(:ids) i cross join model_calls c on c.id = i.value;

-- statement: notes
select id from turn_notes where user_id = :user_id;

-- statement: notes_texts
select n.id, n.why as text from json_each(:ids) i cross join turn_notes n on n.id = i.value;

-- statement: unreason_history
update fact_history set reason = '(forgotten)' where id in (select value from json_each(:ids));

-- statement: delete_quoting_calls
delete from model_calls where id in (select value from json_each(:ids));

-- statement: delete_quoting_notes
delete from turn_notes where id in (select value from json_each(:ids));

-- statement: delete_actions
delete from applied_actions where user_id = :user_id and (:key is null or key = :key);

-- statement: delete_model_calls
delete from model_calls where user_id = :user_id and (:key is null or turn_id in (select value from json_each(:turns)));

-- statement: delete_turn_notes
delete from turn_notes where user_id = :user_id and (:key is null or key = :key or turn_id in (select value from json_each(:turns)));

-- statement: delete_consent
delete from consents where user_id = :user_id and :key is null;

-- statement: delete_retrievals
delete from retrievals where user_id = :user_id;

-- Questions may name what is forgotten.
-- statement: delete_feedback
delete from feedback where user_id = :user_id;

-- statement: delete_profile
delete from profiles where user_id = :user_id;

-- statement: delete_upkeep
delete from upkeep where user_id = :user_id and :key is null;

-- Whoever thinks about a turn, or sums up, may have been shown what is erased: they have lost their claim, so that what they found is not written.
-- statement: interrupt_turns
update turns set status = 'queued', claimed_by = null, claimed_until = null where user_id = :user_id and status = 'working';

-- statement: interrupt_upkeep
update upkeep set claimed_by = null, claimed_until = null where user_id = :user_id;

-- statement: delete_sessions
delete from sessions where user_id = :user_id and :key is null;

-- statement: delete_open_sessions
delete from open_sessions where user_id = :user_id and :key is null;

-- statement: delete_merged
delete from merged where user_id = :user_id and :key is null;

-- statement: delete_related
delete from related where user_id = :user_id and :key is null;

-- First-person memories that tell of an erased turn, and the patterns that they went into; and what went into patterns that are to be
-- forgotten themselves: it says the same, and would become the same pattern the next night.
-- statement: memories
with
told as (
  select f.fact_id, f.value_json ->> 'segment_id' as segment_id, f.status = 'expired' as taken_back
  from facts f
  where f.user_id = :user_id and f.kind = 'narrative' and :key is not null
    and (:key = 'household.experience'
      or exists (
        select 1
        from json_each(f.value_json, '$.source_event_ids') i
        cross join events e on e.user_id = f.user_id and e.event_id = i.value
        where e.turn_id in (select value from json_each(:turns)))
      or :key = 'household.pattern' and exists (
        select 1 from links l join facts p on p.fact_id = l.target_id and p.key = :key and p.value_json ->> 'pattern' = 1
        where l.source_id = f.fact_id and l.relation = 'supports'))
)
select fact_id, segment_id, taken_back from told
union
select l.target_id, null, 0
from told t
join links l on l.source_id = t.fact_id and l.relation = 'supports'
join facts p on p.fact_id = l.target_id and p.kind = 'narrative' and p.value_json ->> 'pattern' = 1;

-- What else went into such a pattern stands by itself again.
-- statement: release_memories
update facts set status = 'active', value_json = json_set(value_json, '$.consolidated', 0)
where kind = 'narrative' and status = 'archived' and fact_id in (
  select l.source_id
  from links l join facts p on p.fact_id = l.target_id and p.value_json ->> 'pattern' = 1
  where l.relation = 'supports' and l.target_id in (select value from json_each(:memories)));

-- statement: delete_memories
delete from facts where fact_id in (select value from json_each(:memories))
returning fact_id;

-- statement: delete_memory_calls
delete from model_calls where user_id = :user_id and turn_id in (select value from json_each(:memories));

-- What was said and taken back with it stands in its turn, and is not told again.
-- statement: delete_taken_back
delete from events
where user_id = :user_id and turn_id is not null and segment_id in (select value from json_each(:taken_back));

-- What else happened in the segment of an erased turn is told anew; what went into a forgotten pattern is not.
-- statement: free_events
update events set segment_id = null
where user_id = :user_id and :key is not 'household.pattern' and segment_id in (select value from json_each(:memories));

-- statement: delete_events
delete from events
where user_id = :user_id
  and (:key is null or :key = 'household.experience' or turn_id in (select value from json_each(:turns))
    or :key = 'household.pattern' and segment_id in (select value from json_each(:memories)));

-- statement: delete_segments
delete from segments
where user_id = :user_id
  and (:key is null or :key = 'household.experience' or segment_id in (select value from json_each(:memories)));

-- Neighbours of erased messages hold their words in the full-text index: the two that are left before each, and the two after it.
-- statement: neighbours
with
gone as (
  select value ->> 0 as id, value ->> 1 as session_id from json_each(:gone)
),
beside as materialized (
  select distinct n.value as id
  from gone g
  cross join json_each((
    select json_group_array(id) from (
      select * from (
        select p.id from facts p indexed by facts_session
        where p.user_id = :user_id and p.session_id is g.session_id and p.kind = 'message' and p.id < g.id
        order by p.id desc limit 2)
      union all
      select * from (
        select q.id from facts q indexed by facts_session
        where q.user_id = :user_id and q.session_id is g.session_id and q.kind = 'message' and q.id > g.id
        order by q.id limit 2)))) n
)
insert or replace into facts_fts (rowid, body, reply, context, date)
select w.id, w.body, w.reply, w.context, w.date
from beside b cross join fact_words w on w.id = b.id;

-- The index keeps deleted words until its segments are merged, which is done after the erasing is committed, a part at a time: this stands until
-- then.
-- statement: unmerged
insert into meta (name, value) values ('unmerged', 'all')
on conflict (name) do update set value = excluded.value;

-- statement: merges
select value = 'begun' as begun from meta where name = 'unmerged';

-- statement: begun
update meta set value = 'begun' where name = 'unmerged';

-- statement: merged
delete from meta where name = 'unmerged';

-- The windows that an erased message was a part of, whose vectors are made anew.
-- statement: windows
select o.id
from outbox o cross join facts f on f.id = -o.id and f.user_id = :user_id
where o.user_id = :user_id and o.id < 0 and :key is not null;

-- The vectors of erased rows, also of those whose number a later row has got since, another's or the user's own, one behind the `:newest` that stayed,
-- which are made anew: some of them, in the order of numbers.
-- statement: erased_vectors
select o.id, f.id is null as gone, f.user_id is null or f.user_id = :user_id as own
from outbox o left join facts f on f.id = abs(o.id)
where o.id > :after and o.user_id = :user_id and (f.id is null or f.user_id <> :user_id or (f.embedding_id is null and f.id > :newest))
order by o.id
limit :most;

-- statement: erased_vectors_left
select count(*) as waiting
from outbox o left join facts f on f.id = abs(o.id)
where o.user_id = :user_id and (f.id is null or f.user_id <> :user_id);

-- Whether vectors of what is gone are still to be taken away while words of it are to leave the index, too.
-- statement: vectors_wait
select 1
from meta m
where m.name = 'unmerged' and exists (select 1 from outbox o where not exists (select 1 from facts f where f.id = abs(o.id)));

-- statement: hand_over
update outbox set user_id = f.user_id
from facts f
where outbox.user_id = :user_id and f.id = abs(outbox.id) and f.user_id <> :user_id;

-- A file that was never searched by meaning has no vectors that could wait.
-- statement: indexed
select 1 from main.sqlite_schema where name = 'facts_vec';

-- Copies that moved rows left behind are overwritten after the erasing is committed: this stands until that is done.
-- statement: overwrite
insert into meta (name, value) values ('remains', :now)
on conflict (name) do update set value = excluded.value;

-- The same where the vectors of somebody of whom nothing is left were removed later than all else.
-- statement: overwrite_gone
insert into meta (name, value)
select 'remains', :now
where exists (select 1 from json_each(:users) u where not exists (select 1 from facts f where f.user_id = u.value))
on conflict (name) do update set value = excluded.value;

-- statement: overwrites
select value from meta where name = 'remains';

-- statement: overwritten
delete from meta where name = 'remains';
