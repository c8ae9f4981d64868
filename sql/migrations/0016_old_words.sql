-- The words of an episode that was told anew stayed in the index beside the new ones.

drop trigger facts_fts_neighbours;
drop trigger facts_fts_update;

create trigger facts_fts_neighbours after insert on facts when new.kind = 'message' begin
  delete from facts_fts
    where rowid in (
      select p.id from facts p
      where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
      order by p.id desc
      limit 2);
  insert into facts_fts (rowid, body, reply, context, date)
    select w.id, w.body, w.reply, w.context, w.date
    from fact_words w
    where w.id in (
      select p.id from facts p
      where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
      order by p.id desc
      limit 2);
end;

create trigger facts_fts_update after update of key, value_text, tags, valid_from, event_time on facts begin
  delete from facts_fts where rowid = new.id;
  insert into facts_fts (rowid, body, reply, context, date)
    select id, body, reply, context, date from fact_words where id = new.id;
end;

insert into facts_fts (facts_fts) values ('delete-all');
insert into facts_fts (rowid, body, reply, context, date) select id, body, reply, context, date from fact_words;
