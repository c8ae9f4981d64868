-- Where many facts stand before one statement stores them all. One statement each would take three times as long: SQLite begins a savepoint for
-- every statement that fires triggers, and at every savepoint FTS5 writes what it has gathered as a segment of its own.
create temp table if not exists incoming (
  id integer primary key,
  fact_id,
  user_id,
  kind,
  key,
  value_text,
  value_json,
  category,
  memory_type,
  confidence,
  importance,
  source,
  event_time,
  valid_from,
  valid_to,
  source_turn_id,
  source_excerpt,
  session_id,
  tags,
  now
);
