-- Asked what is so now, `default` prefers, of what is nearly as near as the nearest, what tells that something is otherwise now.
-- When a fact happened, or was said, null for what has no moment; and whether it only asks.
drop view if exists fact_moments;
create view fact_moments as
select
  f.id,
  coalesce(m.is_question, 0) as is_question,
  coalesce(f.event_time, iif(f.kind in ('message', 'episode', 'narrative'), f.valid_from, null)) as moment
from facts f
left join message_traits m on m.id = f.id;

-- Whether a person's message tells what is so now, by its English words: 2 if it says that something is otherwise than it was ("I take the 7:40
-- train now"), 0 if it tells of what was only once, would be or comes on top ("I took the 8:45 yesterday"), and 1 if it says neither.
drop view if exists message_updates;
create view message_updates as
select
  f.id,
  f.valid_from,
  (
    with told (words) as materialized (
      select ' ' || lower(replace(replace(replace(replace(replace(substr(f.value_text, 1, 1000), ',', ' '), '.', ' '), '!', ' '), ';', ' '),
        char(10), ' ')) || ' ')
    select case
      when exists (
        select 1
        from json_each('["now", "nowadays", "these days", "anymore", "any more", "no longer", "instead", "currently", "changed", "switched",
          "swapped", "replaced", "moved", "new", "quit", "stopped", "gave up", "given up", "joined", "left", "sold", "cancelled", "canceled",
          "became", "become"]') cue
        where instr(words, ' ' || cue.value || ' ')) then 2
      when exists (
        select 1
        from json_each('["yesterday", "today", "tonight", "this morning", "this afternoon", "this evening", "this week", "this weekend",
          "last night", "last week", "last month", "last year", "last summer", "last time", "ago", "once", "when i was", "used to", "nearly",
          "almost", "if", "would", "i''d", "could", "should", "imagine", "also", "as well", "too"]') aside
        where instr(words, ' ' || aside.value || ' ')) then 0
      else 1
    end
    from told
  ) as tells_update
from facts f
where f.kind = 'message' and coalesce(f.speaker, 'user') <> 'assistant' and substr(f.value_text, -1) <> '?';

insert or ignore into weights (name, feature, value)
select 'default', 'knowledge_update', 0.3 where exists (select 1 from weights where name = 'default');
