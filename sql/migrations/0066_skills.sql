-- What somebody is good at is of who they are.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('skill',           'is good at',           'identity',        'many', null,       0, 'OBSERVATION', 0.5);
