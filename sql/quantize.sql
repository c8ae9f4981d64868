-- Codes of the vectors of large users, in blocks of many chunks of the index. A block's row never changes; one is taken out where what it was made
-- of changes, and made anew in the end.

-- Shelves of these users with many chunks, so many of which have no codes that they are worth a block. The last chunk of a shelf is written into,
-- and so a block's may have been that was the last of all: they are to be looked at from that one on, where all before has codes.
-- statement: due
select
  k.partition00 as user_id,
  k.partition01 as shelf,
  coalesce((
    select c.first
    from (
      select sum(chunks) as chunks, max(first) as first, max(last) as last
      from vector_codes
      where user_id = k.partition00 and shelf = k.partition01) c
    where c.chunks = (
      select count(*) from facts_vec_chunks b
      where b.partition00 = k.partition00 and b.partition01 = k.partition01 and b.chunk_id <= c.last)), 0) as since
from json_each(:users) u
cross join facts_vec_chunks k on k.partition00 = u.value
group by k.partition00, k.partition01
having count(*) > :least
  and count(*) - 1 - coalesce((
    select sum(c.chunks) from vector_codes c where c.user_id = k.partition00 and c.shelf = k.partition01), 0) >= :size;

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
