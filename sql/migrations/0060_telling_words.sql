-- How much a match of words counts depends on how much the words say: the best match of a question of few and common words is hardly one. What
-- `bm25_half` is for a set, the bm25 of a best match that counts as half, is new; and `default`, if it is as it came, is weighed anew.
pragma writable_schema = on;
update sqlite_schema
set sql = replace(sql, '''legs'', ''bias''', '''legs'', ''bm25_half'', ''bias''')
where type = 'table' and name = 'weights';
pragma writable_schema = reset;

create temp table weighed_anew (feature text primary key, came real not null, better real not null);
insert into temp.weighed_anew (feature, came, better) values
  ('lexical', 1.0, 2.1), ('cosine', 1.2, 1.7), ('window', 1.4, 0.85), ('both', -0.6, -2.0),
  ('actor', 0.35, 0.375), ('is_question', -0.275, -0.15), ('length', 0.5, 0.5), ('has_number', 0.25, 0.15),
  ('is_reaction', -0.1, -0.125), ('has_time', 0.65, 0.375), ('date', 1.0, 0.625);

insert or ignore into weights (name, feature, value)
select 'default', 'bm25_half', 8.0
where (select count(*) from weights w join temp.weighed_anew n on n.feature = w.feature and n.came = w.value where w.name = 'default') = 11;

update weights
set value = (select better from temp.weighed_anew n where n.feature = weights.feature)
where name = 'default'
  and feature in (select feature from temp.weighed_anew)
  and exists (select 1 from weights h where h.name = 'default' and h.feature = 'bm25_half')
  and (select count(*) from weights w join temp.weighed_anew n on n.feature = w.feature and n.came = w.value where w.name = 'default') = 11;

drop table temp.weighed_anew;
