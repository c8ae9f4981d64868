-- What the user is after counts a third as much as the question, where it is given; and so does, of what is judged, the time that is asked for.
insert or ignore into weights (name, feature, value)
  select name, 'goal', round(value / 3, 3) from weights where name = 'default' and feature = 'cosine'
  union all
  select name, 'date', round(value / 3, 3) from weights where name = 'priority' and feature = 'match';

-- Of first-person memories only the twenty nearest in meaning are ranked, and without vectors words stand for the meaning. A set that somebody
-- has changed stays as it is.
insert into weights (name, feature, value)
  select 'first-person', 'legs', 1
  where (select count(*) from weights where name = 'first-person') = 8
    and (select count(*) from weights where (name, feature, value) in (values
      ('first-person', 'cosine', 0.40), ('first-person', 'importance', 0.25), ('first-person', 'decay', 0.20),
      ('first-person', 'access_bonus', 0.15), ('first-person', 'k_lex', 20.0), ('first-person', 'k_vec', 20.0),
      ('first-person', 'bm25_body', 1.0), ('first-person', 'bm25_context', 0.3))) = 8;
update weights set feature = 'match'
where name = 'first-person' and feature = 'cosine' and changes() = 1;
