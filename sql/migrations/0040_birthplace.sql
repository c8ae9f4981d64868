-- Where somebody was born is not where they come from.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('born_in',         'was born in',          'identity',        'one',  null,       1, 'SIGNIFICANT', 0.6);
