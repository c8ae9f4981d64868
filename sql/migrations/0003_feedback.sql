-- What was found can be called right or wrong, for weights to be fitted to.

-- Whether what was found for a question was right, as somebody said; `memdb tune` fits weights to it.
create table feedback (
  user_id text not null,
  query text not null,
  fact_id text not null references facts (fact_id) on delete cascade,
  good integer not null check (good in (0, 1)),
  given_at text not null,
  primary key (user_id, query, fact_id)
) strict, without rowid;

create index feedback_fact on feedback (fact_id);
