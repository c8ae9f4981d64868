-- With whom one lives, what one teaches, for whom one works on one's own account, and which hand one writes with.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('lives_with',      'lives with',           'identity',        'many', null,       0, 'SIGNIFICANT', 0.6),
  ('handedness',      'is',                   'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('teaches',         'teaches',              'identity',        'many', null,       0, 'SIGNIFICANT', 0.6),
  ('client',          'has a client called',  'other',           'many', null,       0, 'OBSERVATION', 0.5);
