-- Segments of the full-text index are brought together two by two.
insert into facts_fts (facts_fts, rank) values ('usermerge', 2);
