-- What one's alarm is set for, and whose network one's phone is on; and whether one lives alone.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('alarm',           'has the alarm set for','other',           'one',  null,       0, 'ROUTINE',     0.4),
  ('lives',           'lives',                'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('mobile_provider', 'has the phone provider','other',          'one',  null,       0, 'OBSERVATION', 0.4);
