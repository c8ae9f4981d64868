-- How many brothers and sisters somebody has is known before any of them is named.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('siblings',        'has siblings:',        'identity',        'one',  null,       0, 'SIGNIFICANT', 0.6);
