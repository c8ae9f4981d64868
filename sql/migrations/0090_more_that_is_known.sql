-- What somebody believes in, with how many they live, whom they lead, what they may spend and where they are found is known as that.
insert or ignore into predicates (predicate, label, category, cardinality, opposite, high_risk, memory_type, importance) values
  ('religion',        'is',                   'identity',        'one',  null,       1, 'SIGNIFICANT', 0.7),
  ('household',       'lives in a household of','identity',      'one',  null,       0, 'SIGNIFICANT', 0.6),
  ('anniversary',     'has the anniversary on','identity',       'one',  null,       0, 'SIGNIFICANT', 0.7),
  ('studied',         'studied',              'identity',        'many', null,       0, 'SIGNIFICANT', 0.6),
  ('leads',           'leads a',              'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('budget',          'has a budget of',      'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('budget_for',      'has a budget for the', 'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('username_on',     'has the username on',  'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('website',         'has the website',      'other',           'one',  null,       0, 'OBSERVATION', 0.5),
  ('postcode',        'has the postcode',     'identity',        'one',  null,       1, 'SIGNIFICANT', 0.6),
  ('investments',     'has invested in',      'other',           'many', null,       1, 'OBSERVATION', 0.5),
  ('away',            'is',                   'task_context',    'one',  null,       0, 'TRANSIENT',   0.5);

-- What an episode tells of comes from the conversation.
drop view episode;

create view episode as
select fact_id as id, user_id, session_id, value_json -> 'turn_range' as turn_range, value_text as summary,
       coalesce(nullif(value_json ->> 'raw_excerpt', ''), source_excerpt) as raw_excerpt,
       strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(value_json ->> 'timestamp_start', event_time, valid_from)) as timestamp_start,
       max(
         strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(value_json ->> 'timestamp_start', event_time, valid_from)),
         strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(value_json ->> 'timestamp_end', valid_to, valid_from))) as timestamp_end,
       iif(source = 'inferred', 'chat', source) as source, tags, status, embedding_id
from facts where kind = 'episode';
