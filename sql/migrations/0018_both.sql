-- `default` does not count twice what words and meaning say alike of a row, weighs meaning more, and a word that is repeated less. Where
-- somebody has weighed meaning otherwise, all stays as it is.
update weights set value = 1.25 * value
where name = 'default' and feature in ('bm25_body', 'bm25_reply', 'bm25_context', 'bm25_date')
  and exists (select 1 from weights where name = 'default' and feature = 'cosine' and value = 0.8);
insert or ignore into weights (name, feature, value)
select name, 'both', -0.6 from weights where name = 'default' and feature = 'cosine' and value = 0.8;
update weights set value = 1.2 where name = 'default' and feature = 'cosine' and value = 0.8;

-- How sure an answer is follows from how well the hits match; fitted anew, unless somebody has.
update weights
set value = case feature
    when 'bias' then 0.34 when 'match' then 0.81 when 'window' then 0.20 when 'coverage' then -0.09 when 'actor' then 1.63
    when 'rival' then -3.83 when 'relevance' then 0.25 when 'confidence' then 0.59 when 'margin' then 1.57
    when 'threshold' then iif(value = 0.71, 0.68, value) else value
  end
where name = 'calibration' and (select value from weights where name = 'calibration' and feature = 'rival') = -3.79;
