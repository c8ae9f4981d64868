-- A series is watched as a book is read: one beside another.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('watching',        'is watching',          'other',           'many', null,       0, 'OBSERVATION', 0.4);
