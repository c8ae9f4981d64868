-- statement: all
select section, position, max_tokens, bullet from sections order by position, section;
