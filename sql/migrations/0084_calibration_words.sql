-- How probable an answer is by words alone, or with another embedder than MiniLM, is told by a calibration of its own.
insert or ignore into weights (name, feature, value) values
  ('calibration-words', 'bias', 0.25), ('calibration-words', 'actor', 1.57), ('calibration-words', 'rival', -1.22),
  ('calibration-words', 'named', -0.94), ('calibration-words', 'both', 0.19), ('calibration-words', 'out_of_vocabulary', -3.17),
  ('calibration-words', 'lead', 2.12), ('calibration-words', 'topics', 2.25), ('calibration-words', 'asks', -1.82),
  ('calibration-words', 'score', 0.75), ('calibration-words', 'threshold', 0.66);
