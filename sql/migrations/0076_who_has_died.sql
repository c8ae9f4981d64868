-- That somebody has died is a fact of theirs, beside what ends with it.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('life',            'has',                  'identity',        'one',  null,       0, 'SIGNIFICANT', 0.7);
