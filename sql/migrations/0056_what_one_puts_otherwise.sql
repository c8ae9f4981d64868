-- What else one says is otherwise now: the year at school, the training, when, how long and from where one works, where one sits and sleeps, how long one's hair is, what
-- one reads, votes for, pays for, takes how much of, and saves up for.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('school_year',     'is in',                'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('training_as',     'is training as',       'other',           'one',  null,       0, 'SIGNIFICANT', 0.6),
  ('works_from',      'works from',           'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('starts_work_at',  'starts work at',       'other',           'one',  null,       0, 'ROUTINE',     0.5),
  ('finishes_work_at','finishes work at',     'other',           'one',  null,       0, 'ROUTINE',     0.5),
  ('working_time',    'works',                'other',           'one',  null,       0, 'ROUTINE',     0.5),
  ('hair_length',     'has hair that is',     'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('desk',            'has a desk',           'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('sleeps_in',       'sleeps in the',        'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('newspaper',       'reads the',            'soft_preference', 'one',  null,       0, 'PREFERENCE',  0.4),
  ('votes_for',       'votes for',            'other',           'one',  null,       1, 'SIGNIFICANT', 0.6),
  ('pays_for',        'pays for',             'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('dose_of',         'takes a dose of',      'health',          'one',  null,       1, 'SIGNIFICANT', 0.9),
  ('saves_for',       'is saving up for',     'task_context',    'many', null,       0, 'OBSERVATION', 0.5);
