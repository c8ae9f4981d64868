-- mem-skill ranks the candidates of both legs, twenty each, and nothing else; the other sets rank whatever could be among the best.
insert or ignore into weights (name, feature, value) values ('mem-skill', 'legs', 1);
