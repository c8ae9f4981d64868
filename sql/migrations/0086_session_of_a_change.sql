-- What an application states in a session is taken back with it, also where it changed a fact that is older than the session. This is what
-- alter table fact_history add column session_id would do, but it can be done again.
pragma writable_schema = on;
update sqlite_schema
set sql = substr(sql, 1, length(sql) - length(char(10) || ') strict')) || ',' || char(10) || '  session_id text' || char(10) || ') strict'
where type = 'table' and name = 'fact_history' and instr(sql, 'session_id') = 0;
pragma writable_schema = reset;

drop index if exists fact_history_session;
create index fact_history_session on fact_history (session_id) where session_id is not null;
