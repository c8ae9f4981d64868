-- What most rows have is compared before it is looked for in a list, of which SQLite makes an index for each statement. The rows need not be written
-- anew where a check says the same as before, only faster: sqlite.org/lang_altertable.html, 7.
pragma writable_schema = on;
update sqlite_schema
set sql = replace(replace(replace(replace(sql,
  'check (category in (''identity'', ''hard_preference'', ''soft_preference'', ''task_context'', ''health'', ''other''))',
  'check (category = ''other'' or category in (''identity'', ''hard_preference'', ''soft_preference'', ''task_context'', ''health''))'),
  'check (source in (''user_message'', ', 'check (source = ''user_message'' or source in ('),
  'check (status in (''active'', ', 'check (status = ''active'' or status in ('),
  'check (json_type(tags) = ''array'')', 'check (tags = ''[]'' or json_type(tags) = ''array'')')
where type = 'table' and name = 'facts';
pragma writable_schema = reset;
