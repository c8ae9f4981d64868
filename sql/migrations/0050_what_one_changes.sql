-- What one has one of at a time and changes now and then: the club that one supports, the gym, the phone, the way to work and its hours, sizes,
-- what one usually has, and what one subscribes to.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('supports',        'supports',             'identity',        'one',  null,       0, 'PREFERENCE',  0.5),
  ('gym',             'goes to the gym',      'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('church',          'goes to the church',   'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('mobile',          'has the phone',        'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('commutes',        'commutes',             'soft_preference', 'one',  null,       0, 'ROUTINE',     0.5),
  ('shift',           'works the',            'other',           'one',  null,       0, 'ROUTINE',     0.5),
  ('working_hours',   'works from',           'other',           'one',  null,       0, 'ROUTINE',     0.5),
  ('working_days',    'works from',           'other',           'one',  null,       0, 'ROUTINE',     0.5),
  ('employment',      'works',                'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('clothes_size',    'wears the size',       'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('hair_colour',     'has hair that is',     'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('shops_at',        'shops at',             'other',           'many', null,       0, 'OBSERVATION', 0.4),
  ('usual',           'has the usual',        'soft_preference', 'one',  null,       0, 'ROUTINE',     0.4),
  ('subscribes_to',   'subscribes to',        'other',           'many', null,       0, 'OBSERVATION', 0.4);
