-- What else may be over or another: what one's alarm is set for, that one lives alone, whose network one's phone is on, in which office
-- one works, who one's doctor is, by whom pets are insured, what one pays in rent and what one reads.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('alarm',           'has the alarm set for','other',           'one',  null,       0, 'ROUTINE',     0.4),
  ('doctor',          'has the doctor',       'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('lives',           'lives',                'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('mobile_provider', 'has the phone provider','other',          'one',  null,       0, 'OBSERVATION', 0.4),
  ('office',          'works in the',         'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('pet_insurance',   'has the pet insurance','other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('rent',            'has the rent',         'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('reading',         'is reading',           'other',           'many', null,       0, 'OBSERVATION', 0.4);
