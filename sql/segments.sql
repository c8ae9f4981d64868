-- Every statement that changes rows leaves a segment of the full-text index, and a search looks up each of its words in each segment. With :pages
-- below zero all segments are to become one, and that many pages of it are written now; above zero, so many more of what was begun, or of two
-- segments of about one size.
-- statement: merge
insert into facts_fts (facts_fts, rank) values ('merge', :pages);
