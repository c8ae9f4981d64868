-- What somebody only thinks of doing is known as that, and where they served, and grandchildren of whom is only said that they are such.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('grandchild',      'has a grandchild called', 'identity',     'many', null,       1, 'SIGNIFICANT', 0.6),
  ('served_in',       'served in',            'identity',        'many', null,       0, 'SIGNIFICANT', 0.6),
  ('considers',       'is considering',       'task_context',    'many', null,       0, 'OBSERVATION', 0.5);
