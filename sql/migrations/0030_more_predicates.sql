-- What else people say of themselves: the names of their children, what they fear, weigh, use, do every week, where they learned, and how to answer them.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('studied_at',      'studied at',           'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('degree',          'has the degree:',      'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('child',           'has a child called',   'identity',        'many', null,       1, 'SIGNIFICANT', 0.8),
  ('height',          'measures',             'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('weight',          'weighs',               'health',          'one',  null,       0, 'OBSERVATION', 0.5),
  ('afraid_of',       'is afraid of',         'hard_preference', 'many', null,       0, 'PREFERENCE',  0.7),
  ('answers_in',      'wants answers in',     'hard_preference', 'one',  null,       0, 'PREFERENCE',  0.8),
  ('habit',           'has the habit:',       'soft_preference', 'many', null,       0, 'ROUTINE',     0.5),
  ('gets_up_at',      'gets up at',           'soft_preference', 'one',  null,       0, 'ROUTINE',     0.5),
  ('goes_to_bed_at',  'goes to bed at',       'soft_preference', 'one',  null,       0, 'ROUTINE',     0.5),
  ('uses',            'uses',                 'soft_preference', 'many', null,       0, 'PREFERENCE',  0.4);
