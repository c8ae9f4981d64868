-- What the user is after counts a third as much as the question, where it is given; and so does, of what is judged, the time that is asked for.
insert or ignore into weights (name, feature, value)
  select name, 'goal', round(value / 3, 3) from weights where name = 'default' and feature = 'cosine'
  union all
  select name, 'date', round(value / 3, 3) from weights where name = 'priority' and feature = 'match';
