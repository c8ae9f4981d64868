-- A process that holds vectors in memory can tell whether they are still those of the file.

-- A random number a user, another one whenever vectors of theirs were written or taken away: what a process holds in memory is checked by it.
create table vector_versions (
  user_id text primary key,
  version integer not null
) strict, without rowid;

insert into vector_versions (user_id, version)
select user_id, random() from facts group by user_id;
