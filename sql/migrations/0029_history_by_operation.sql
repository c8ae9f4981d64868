-- What took the place of what a turn ended is found without reading all that the turn did: thousands of rows, where upkeep brings together.
drop index fact_history_turn;
create index fact_history_turn on fact_history (user_id, turn_id, operation);
