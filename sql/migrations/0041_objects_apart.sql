-- Facts whose object is not among the words of their text, or has letters with more than one form: the full-text index may not find those.
create index if not exists facts_apart on facts (user_id, key) where kind <> 'message' and (
  iif(json_type(value_json, '$.object') = 'text', value_json ->> 'object', value_text) glob '*[^ -~À-ÖØ-Þà-öø-ÿ‘’“”–—…]*'
  or instr(' ' || rtrim(lower(value_text), '.!?') || ' ', ' ' || rtrim(lower(iif(json_type(value_json, '$.object') = 'text', value_json ->> 'object', value_text)), '.!?') || ' ') = 0);
