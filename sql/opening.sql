-- What a file tells when it is opened: whose vectors it holds, when somebody was forgotten last, whether it carries models, its weight sets.
select
  max(value) filter (where name = 'embedder'),
  max(value) filter (where name = 'dimension'),
  max(value) filter (where name = 'forgotten'),
  exists (select 1 from models),
  (select json_group_array(distinct name) from weights where name not in ('calibration', 'calibration-words'))
from meta;
