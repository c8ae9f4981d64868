-- What tells a number counts more in `default`, and what only reacts to another's words counts less.
insert or ignore into weights (name, feature, value) values ('default', 'has_number', 0.25), ('default', 'is_reaction', -0.1);
