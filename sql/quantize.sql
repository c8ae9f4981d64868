-- Codes of the vectors of large users, in blocks of many chunks of the index. A block's row never changes; one is taken out where what it was made
-- of changes, and made anew in the end.

-- Shelves of these users with many chunks, so many of which have no codes that they are worth a block. The last chunk of a shelf is written into,
-- and so a block's may have been that was the last of all: they are to be looked at from that one on, where all before has codes. Chunks are
-- counted only where there are no codes, and no more than it takes: a large user has thousands, and this is asked whenever a vector comes. Gaps
-- between blocks, of which a large user has hundreds, are looked for only if `:gaps` is true, or where a block is due already.
-- statement: due
with recursive shelves (user_id, shelf) as (
  select u.value, (select min(k.partition01) from facts_vec_chunks k where k.partition00 = u.value)
  from json_each(:users) u
  union all
  select s.user_id, (select min(k.partition01) from facts_vec_chunks k where k.partition00 = s.user_id and k.partition01 > s.shelf)
  from shelves s
  where s.shelf is not null),
large as (
  select
    s.user_id,
    s.shelf,
    coalesce((
      select c.last from vector_codes c where c.user_id = s.user_id and c.shelf = s.shelf order by c.first desc limit 1), 0) as last
  from shelves s
  where exists (
    select 1 from facts_vec_chunks k where k.partition00 = s.user_id and k.partition01 = s.shelf limit 1 offset :least)),
behind as (
  select
    user_id,
    shelf,
    (select count(*)
    from (
      select 1
      from facts_vec_chunks k
      where k.partition00 = large.user_id and k.partition01 = large.shelf and k.chunk_id > large.last
      limit :size + 1)) as bare
  from large),
counted as (
  select
    user_id,
    shelf,
    bare,
    coalesce((
      select sum((
        select count(*)
        from (
          select 1
          from facts_vec_chunks k
          where k.partition00 = behind.user_id and k.partition01 = behind.shelf and k.chunk_id > c.before and k.chunk_id < c.first
          limit :size + 1)))
      from (
        select first, lag(last, 1, 0) over (order by first) as before
        from vector_codes
        where user_id = behind.user_id and shelf = behind.shelf) c), 0) as missing
  from behind
  where bare > :size or :gaps)
select
  user_id,
  shelf,
  iif(missing > 0, 0, coalesce((
    select max(c.first) from vector_codes c where c.user_id = counted.user_id and c.shelf = counted.shelf), 0)) as since
from counted
where bare + missing > :size
order by user_id, shelf;

-- A vector that is taken away takes its code with it, whoever does it.
-- statement: follow
create trigger if not exists facts_vec_codes after delete on facts_vec_rowids begin
  delete from vector_codes
  where id in (
    select c.id
    from facts_vec_chunks k
    cross join vector_codes c on c.user_id = k.partition00 and c.shelf = k.partition01
    where k.chunk_id = old.chunk_id and old.chunk_id between c.first and c.last);
end;

-- statement: remove
delete from vector_codes where id = :id;

-- statement: write
insert into vector_codes (id, user_id, shelf, first, last, chunks, marks, steps, off, codes)
values (random(), :user_id, :shelf, :first, :last, :chunks, :marks, :steps, :off, :codes);
