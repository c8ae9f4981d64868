-- `default` does not count twice what words and meaning say alike of a row, weighs meaning more, and a word that is repeated less. Where
-- somebody has weighed meaning otherwise, all stays as it is.
update weights set value = 1.25 * value
where name = 'default' and feature in ('bm25_body', 'bm25_reply', 'bm25_context', 'bm25_date')
  and exists (select 1 from weights where name = 'default' and feature = 'cosine' and value = 0.8);
insert or ignore into weights (name, feature, value)
select name, 'both', -0.6 from weights where name = 'default' and feature = 'cosine' and value = 0.8;
update weights set value = 1.2 where name = 'default' and feature = 'cosine' and value = 0.8;
