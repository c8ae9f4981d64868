-- Where the last or the first is asked for, `default` ranks what fits about as well by when it was.
insert or ignore into weights (name, feature, value)
select 'default', 'position', 3.0 where exists (select 1 from weights where name = 'default');
