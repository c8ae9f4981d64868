-- The weight set `priority`, and the sections of a prompt with their budgets.

-- The sections of a prompt, in the order of `position`. No section ever has more tokens than its own `max_tokens`.
create table sections (
  section text primary key,
  position integer not null,
  max_tokens integer not null check (max_tokens >= 0),
  bullet text not null
) strict, without rowid;

insert into sections (section, position, max_tokens, bullet) values
  ('System',              0, 300, '-'),
  ('User Profile',        1, 200, '-'),
  ('Active Goals',        2, 120, '-'),
  ('Reflective Notes',    3, 120, '-'),
  ('Relevant Facts',      4, 400, '•'),
  ('Episodic Highlights', 5, 600, '•');

insert or ignore into weights (name, feature, value) values
  ('priority', 'match', 0.45), ('priority', 'goal', 0.15), ('priority', 'emotion', 0.10), ('priority', 'recency', 0.10),
  ('priority', 'frequency', 0.10), ('priority', 'intrinsic_importance', 0.10),
  ('priority', 'sure_confidence', 0.40), ('priority', 'sure_match', 0.20), ('priority', 'sure_agreement', 0.25),
  ('priority', 'sure_source_reliability', 0.15), ('priority', 'by_confidence', 1), ('priority', 'near', 0.8), ('priority', 'top', 50),
  ('priority', 'k_lex', 50), ('priority', 'k_vec', 50), ('priority', 'bm25_body', 1.0),
  ('calibration', 'bias', 0.52), ('calibration', 'match', 0.84), ('calibration', 'window', 0.31), ('calibration', 'coverage', -0.14),
  ('calibration', 'actor', 1.78), ('calibration', 'rival', -3.79), ('calibration', 'relevance', 0.27), ('calibration', 'confidence', 0.38),
  ('calibration', 'margin', 1.13);

-- Tasks and episodes are sets: one more ends none.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('task',            'has to:',              'task_context',    'many', null,       0, 'OBSERVATION', 0.6),
  ('episode',         '',                     'other',           'many', null,       0, 'OBSERVATION', 0.5);

-- How far upkeep has come with each user: until when it was reflected upon, and the last turn that was looked through for open loops.
create table upkeep (
  user_id text primary key,
  reflected_at text not null default '',
  looped_id integer not null default 0
) strict, without rowid;
