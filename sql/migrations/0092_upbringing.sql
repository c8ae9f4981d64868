-- By whom, in whose care and as what somebody was brought up is known as that.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('upbringing',      'was brought up',       'identity',        'many', null,       0, 'SIGNIFICANT', 0.6);
