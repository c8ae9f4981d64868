-- The numbers a new file starts with. Change them in the file, not here: update weights set value = … where name = … and feature = …;

insert into memory_types (memory_type, weight, retention_multiplier, description) values
  ('SIGNIFICANT', 1.0, 3.0, 'major life events, milestones, important decisions'),
  ('PREFERENCE',  0.8, 2.0, 'learned preferences for comfort, routines, settings'),
  ('ROUTINE',     0.6, 1.5, 'behavioural patterns, daily rhythms'),
  ('OBSERVATION', 0.5, 1.0, 'general observations, ambient awareness'),
  ('TRANSIENT',   0.3, 0.5, 'minor events, trivial interactions');

insert into kinds (kind, weight, half_life_days, tau_days, injection_order, section, description) values
  ('fact',      1.0, 365,  30, 4, 'Relevant Facts',      'an atomic fact: subject, predicate, object'),
  ('message',   0.6, 180,   7, 6, 'Episodic Highlights', 'what was said, word for word'),
  ('episode',   0.7, 180,   7, 5, 'Episodic Highlights', 'the summary of a stretch of conversation'),
  ('narrative', 0.7, 30,   30, 5, 'Episodic Highlights', 'a first-person memory of household events'),
  ('note',      0.6, 365,  30, 3, 'Reflective Notes',    'an insight or rule of thumb'),
  ('task',      0.9, 60,   30, 2, 'Active Goals',        'a task, goal or open loop'),
  ('procedure', 0.8, 365,  30, 3, 'Reflective Notes',    'a learned workflow');

insert into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('name',            'is called',            'identity',        'one',  null,       1, 'SIGNIFICANT', 0.9),
  ('nickname',        'goes by',              'identity',        'one',  null,       1, 'PREFERENCE',  0.7),
  ('pronouns',        'uses the pronouns',    'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('age',             'is aged',              'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('birthday',        'was born on',          'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('nationality',     'has the nationality',  'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('hometown',        'comes from',           'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('lives_in',        'lives in',             'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('works_as',        'works as',             'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('works_at',        'works at',             'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('works_in',        'works in',             'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('studies',         'studies',              'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('studies_at',      'studies at',           'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('studied_at',      'studied at',           'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('degree',          'has the degree:',      'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('speaks',          'speaks',               'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('relationship',    'is',                   'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('wife',            'has a wife called',    'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('husband',         'has a husband called', 'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('partner',         'has a partner called', 'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('mother',          'has a mother called',  'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('father',          'has a father called',  'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('sister',          'has a sister called',  'identity',        'many', null,       1, 'SIGNIFICANT', 0.7),
  ('brother',         'has a brother called', 'identity',        'many', null,       1, 'SIGNIFICANT', 0.7),
  ('daughter',        'has a daughter called','identity',        'many', null,       1, 'SIGNIFICANT', 0.8),
  ('son',             'has a son called',     'identity',        'many', null,       1, 'SIGNIFICANT', 0.8),
  ('grandmother',     'has a grandmother called','identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('grandfather',     'has a grandfather called','identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('aunt',            'has an aunt called',   'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('uncle',           'has an uncle called',  'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('cousin',          'has a cousin called',  'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('niece',           'has a niece called',   'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('nephew',          'has a nephew called',  'identity',        'many', null,       1, 'SIGNIFICANT', 0.6),
  ('boss',            'has a boss called',    'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('colleague',       'has a colleague called','other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('flatmate',        'has a flatmate called','other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('neighbour',       'has a neighbour called','other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('friend',          'has a friend called',  'other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('pet',             'has a pet:',           'identity',        'many', null,       0, 'SIGNIFICANT', 0.6),
  ('has_children',    'has children:',        'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('child',           'has a child called',   'identity',        'many', null,       1, 'SIGNIFICANT', 0.8),
  ('email',           'has the e-mail address','identity',       'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('phone',           'has the phone number', 'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('address',         'has the address',      'identity',        'one',  null,       1, 'SIGNIFICANT', 0.8),
  ('timezone',        'is in the time zone',  'identity',        'one',  null,       0, 'PREFERENCE',  0.6),
  ('income',          'earns',                'other',           'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('bank',            'banks with',           'other',           'one',  null,       1, 'SIGNIFICANT', 0.6),
  ('owes',            'owes',                 'other',           'many', null,       1, 'SIGNIFICANT', 0.6),
  ('height',          'measures',             'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('weight',          'weighs',               'health',          'one',  null,       0, 'OBSERVATION', 0.5),
  ('allergic_to',     'is allergic to',       'health',          'many', null,       1, 'SIGNIFICANT', 0.9),
  ('intolerant_to',   'is intolerant to',     'health',          'many', null,       1, 'SIGNIFICANT', 0.9),
  ('has_condition',   'has',                  'health',          'many', null,       1, 'SIGNIFICANT', 0.9),
  ('takes',           'takes',                'health',          'many', null,       1, 'SIGNIFICANT', 0.9),
  ('blood_type',      'has the blood type',   'health',          'one',  null,       1, 'SIGNIFICANT', 0.9),
  ('feels',           'feels',                'health',          'many', null,       0, 'TRANSIENT',   0.4),
  ('pregnant',        'is',                   'health',          'one',  null,       1, 'SIGNIFICANT', 0.9),
  ('diet',            'eats',                 'hard_preference', 'one',  null,       0, 'PREFERENCE',  0.8),
  ('avoids',          'avoids',               'hard_preference', 'many', null,       0, 'PREFERENCE',  0.8),
  ('does_not_want',   'does not want',        'hard_preference', 'many', 'wants',    0, 'PREFERENCE',  0.7),
  ('must_have',       'must have',            'hard_preference', 'many', null,       0, 'PREFERENCE',  0.7),
  ('afraid_of',       'is afraid of',         'hard_preference', 'many', null,       0, 'PREFERENCE',  0.7),
  ('answers_in',      'wants answers in',     'hard_preference', 'one',  null,       0, 'PREFERENCE',  0.8),
  ('likes',           'likes',                'soft_preference', 'many', 'dislikes', 0, 'PREFERENCE',  0.4),
  ('dislikes',        'dislikes',             'soft_preference', 'many', 'likes',    0, 'PREFERENCE',  0.4),
  ('prefers',         'prefers',              'soft_preference', 'many', null,       0, 'PREFERENCE',  0.4),
  ('favourite',       'has the favourite',    'soft_preference', 'one',  null,       0, 'PREFERENCE',  0.4),
  ('hobby',           'does as a hobby',      'soft_preference', 'many', null,       0, 'PREFERENCE',  0.4),
  ('habit',           'has the habit:',       'soft_preference', 'many', null,       0, 'ROUTINE',     0.5),
  ('member_of',       'is a member of',       'other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('volunteers_at',   'volunteers at',        'other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('drives',          'drives',               'other',           'one',  null,       0, 'OBSERVATION', 0.4),
  ('owns',            'owns',                 'other',           'many', null,       0, 'OBSERVATION', 0.4),
  ('gets_up_at',      'gets up at',           'soft_preference', 'one',  null,       0, 'ROUTINE',     0.5),
  ('goes_to_bed_at',  'goes to bed at',       'soft_preference', 'one',  null,       0, 'ROUTINE',     0.5),
  ('uses',            'uses',                 'soft_preference', 'many', null,       0, 'PREFERENCE',  0.4),
  ('plays',           'plays',                'soft_preference', 'many', null,       0, 'PREFERENCE',  0.4),
  ('staying_in',      'is staying in',        'task_context',    'one',  null,       0, 'TRANSIENT',   0.5),
  ('plans',           'plans',                'task_context',    'many', null,       0, 'OBSERVATION', 0.6),
  ('working_on',      'is working on',        'task_context',    'many', null,       0, 'OBSERVATION', 0.6),
  ('learning',        'is learning',          'task_context',    'many', null,       0, 'OBSERVATION', 0.5),
  ('wants',           'wants',                'task_context',    'many', 'does_not_want', 0, 'OBSERVATION', 0.5),
  ('needs_to',        'needs to',             'task_context',    'many', null,       0, 'OBSERVATION', 0.6),
  ('deadline',        'has a deadline:',      'task_context',    'many', null,       0, 'OBSERVATION', 0.7),
  ('task',            'has to:',              'task_context',    'many', null,       0, 'OBSERVATION', 0.6),
  ('episode',         '',                     'other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('note',            '',                     'other',           'many', null,       0, 'OBSERVATION', 0.5),
  ('said',            'said',                 'other',           'many', null,       0, 'OBSERVATION', 0.2);

-- by tag, where the key does not say how much something counts
insert into tag_importance (tag, importance) values
  ('safety', 0.9),
  ('identity', 0.7),
  ('preference', 0.4),
  ('chit-chat', 0.2);

insert into weights (name, feature, value) values
  -- mem-skill, stage 1: HybridScore = 0.45*NormLexical + 0.45*VecSim + 0.10*RecencyBoost
  ('mem-skill', 'lexical', 0.45), ('mem-skill', 'cosine', 0.45), ('mem-skill', 'recency', 0.10),
  -- of the candidates of both legs, twenty each, and nothing else
  ('mem-skill', 'k_lex', 20), ('mem-skill', 'k_vec', 20), ('mem-skill', 'legs', 1), ('mem-skill', 'bm25_body', 1.0),
  -- first-person memories: semantic (words, where there are no vectors), importance × type weight × decay, recency (the decay factor), access bonus
  ('first-person', 'match', 0.40), ('first-person', 'importance', 0.25), ('first-person', 'decay', 0.20), ('first-person', 'access_bonus', 0.15),
  -- of the twenty nearest, and nothing else
  ('first-person', 'k_lex', 20), ('first-person', 'k_vec', 20), ('first-person', 'legs', 1), ('first-person', 'bm25_body', 1.0),
  ('first-person', 'bm25_context', 0.3),
  -- which workflow fits a task: what it is for, and how it went
  ('procedural', 'lexical', 1.0), ('procedural', 'cosine', 1.0), ('procedural', 'confidence', 0.5),
  ('procedural', 'k_lex', 60), ('procedural', 'k_vec', 60), ('procedural', 'bm25_body', 1.0),
  -- the ablations
  ('lexical-only', 'lexical', 1.0), ('lexical-only', 'k_lex', 60), ('lexical-only', 'k_vec', 0), ('lexical-only', 'bm25_body', 1.0),
  ('vector-only', 'cosine', 1.0), ('vector-only', 'k_lex', 0), ('vector-only', 'k_vec', 60), ('vector-only', 'bm25_body', 1.0),
  -- priority = relevance × confidence: six features of the one, and a seventh where a time is asked for; four of the other (`sure_…`)
  ('priority', 'match', 0.45), ('priority', 'goal', 0.15), ('priority', 'emotion', 0.10), ('priority', 'recency', 0.10),
  ('priority', 'frequency', 0.10), ('priority', 'intrinsic_importance', 0.10), ('priority', 'date', 0.15),
  ('priority', 'sure_confidence', 0.40), ('priority', 'sure_match', 0.20), ('priority', 'sure_agreement', 0.25),
  ('priority', 'sure_source_reliability', 0.15), ('priority', 'by_confidence', 1), ('priority', 'near', 0.8), ('priority', 'top', 50),
  ('priority', 'k_lex', 50), ('priority', 'k_vec', 50), ('priority', 'bm25_body', 1.0),
  -- no ranking: the probability that an answer is among the hits, a logistic regression; see bench/abstention.py
  ('calibration', 'bias', 0.32), ('calibration', 'match', 0.94), ('calibration', 'window', 0.30), ('calibration', 'coverage', -0.09),
  ('calibration', 'actor', 1.38), ('calibration', 'rival', -3.83), ('calibration', 'relevance', 0.32), ('calibration', 'confidence', 0.58),
  ('calibration', 'margin', 1.69), ('calibration', 'threshold', 0.70),
  -- the one that measures best
  ('default', 'lexical', 1.0), ('default', 'cosine', 1.2), ('default', 'window', 1.4), ('default', 'both', -0.6), ('default', 'actor', 0.35),
  ('default', 'is_question', -0.275), ('default', 'length', 0.5), ('default', 'has_number', 0.25), ('default', 'is_reaction', -0.1),
  ('default', 'has_time', 0.65), ('default', 'date', 1.0), ('default', 'goal', 0.4),
  ('default', 'recency', 0.02), ('default', 'importance', 0.05),
  ('default', 'type_weight', 0.05), ('default', 'confidence', 0.05), ('default', 'access_bonus', 0.02),
  ('default', 'k_lex', 60), ('default', 'k_vec', 60),
  ('default', 'bm25_body', 1.25), ('default', 'bm25_reply', 0.625), ('default', 'bm25_context', 0.375), ('default', 'bm25_date', 1.25);

insert into tenants (name) values ('default_tenant');
insert into databases (database_id, tenant, name) values ('00000000-0000-0000-0000-000000000000', 'default_tenant', 'default_database');
-- The sections of a prompt: where each stands, how many tokens it may have, and what its lines begin with.
insert into sections (section, position, max_tokens, bullet) values
  ('System',              0, 300, '-'),
  ('User Profile',        1, 200, '-'),
  ('Active Goals',        2, 120, '-'),
  ('Reflective Notes',    3, 120, '-'),
  ('Relevant Facts',      4, 400, '•'),
  ('Episodic Highlights', 5, 600, '•');
