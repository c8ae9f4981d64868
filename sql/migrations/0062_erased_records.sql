-- What is gone from the file is remembered by its id, since an older copy of the collection outside may be restored, and hold it again.
create table if not exists mirror_erased (
  fact_id text primary key
) strict, without rowid;

drop trigger if exists mirror_erased_put;
create trigger mirror_erased_put after delete on facts
when exists (select 1 from meta where name = 'collection') begin
  insert into mirror_erased (fact_id) values (old.fact_id) on conflict (fact_id) do nothing;
end;
