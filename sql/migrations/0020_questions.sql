-- `default` holds it less against a message that it asks. Where somebody has weighed it otherwise, it stays as it is.
update weights set value = -0.275 where name = 'default' and feature = 'is_question' and value = -0.35;

-- How sure an answer is follows from how well the hits match; fitted anew, unless somebody has.
update weights
set value = case feature
    when 'bias' then 0.32 when 'match' then 0.94 when 'window' then 0.30 when 'actor' then 1.38 when 'relevance' then 0.32
    when 'confidence' then 0.58 when 'margin' then 1.69 when 'threshold' then iif(value = 0.68, 0.70, value) else value
  end
where name = 'calibration' and (select value from weights where name = 'calibration' and feature = 'actor') = 1.63;
