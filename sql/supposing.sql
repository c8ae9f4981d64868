-- Weight sets that only one connection sees: it stands before the file's table of that name for as long as it is there.

create temp table weights (
  name text not null,
  feature text not null,
  value real not null,
  primary key (name, feature)
) strict, without rowid;

insert into temp.weights (name, feature, value)
select name, feature, value from main.weights;
