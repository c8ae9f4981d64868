-- Asked what is so now, `default` prefers, of what is nearly as near as the nearest, what tells that something is otherwise now.
-- Whether a person's message tells that something is otherwise than it was ("I take the 7:40 train now"), in English.
create view message_updates as
select
  id,
  exists (
    select 1
    from json_each('["now", "nowadays", "these days", "anymore", "any more", "no longer", "instead", "currently", "changed", "switched", "swapped",
      "replaced", "moved", "new", "quit", "stopped", "gave up", "given up", "joined", "left", "sold", "cancelled", "canceled", "became", "become",
      "used to"]') cue
    where instr(words, ' ' || cue.value || ' ')) as tells_update
from (
  select id, ' ' || lower(replace(replace(replace(replace(replace(substr(value_text, 1, 1000), ',', ' '), '.', ' '), '!', ' '), ';', ' '),
    char(10), ' ')) || ' ' as words
  from facts
  where kind = 'message' and coalesce(speaker, 'user') <> 'assistant' and substr(value_text, -1) <> '?');

insert or ignore into weights (name, feature, value)
select 'default', 'knowledge_update', 0.3 where exists (select 1 from weights where name = 'default');
