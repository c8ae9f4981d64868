-- The embedder that a file carries: its files in parts.

-- statement: remove
delete from models where model = :model;

-- statement: write
insert into models (model, file, part, data) values (:model, :file, :part, :data);

-- statement: carried
select exists (select 1 from models where model = :model) as carried;

-- statement: read
select file, data from models where model = :model order by file, part;
