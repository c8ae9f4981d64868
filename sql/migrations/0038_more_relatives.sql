-- Relatives by marriage, and those of a second marriage, have names, too.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('stepmother',        'has a stepmother called',      'identity',        'one',  null,       1, 'SIGNIFICANT', 0.6),
  ('stepfather',        'has a stepfather called',      'identity',        'one',  null,       1, 'SIGNIFICANT', 0.6),
  ('stepsister',        'has a stepsister called',      'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('stepbrother',       'has a stepbrother called',     'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('stepdaughter',      'has a stepdaughter called',    'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('stepson',           'has a stepson called',         'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('granddaughter',     'has a granddaughter called',   'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('grandson',          'has a grandson called',        'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('mother_in_law',     'has a mother-in-law called',   'identity',        'one',  null,       1, 'SIGNIFICANT', 0.6),
  ('father_in_law',     'has a father-in-law called',   'identity',        'one',  null,       1, 'SIGNIFICANT', 0.6),
  ('sister_in_law',     'has a sister-in-law called',   'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('brother_in_law',    'has a brother-in-law called',  'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('daughter_in_law',   'has a daughter-in-law called', 'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('son_in_law',        'has a son-in-law called',      'identity',        'many', null,       1, 'SIGNIFICANT', 0.6);
