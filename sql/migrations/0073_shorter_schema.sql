-- What tells a change by its words is a table, to be read and changed; and whose neighbours are to be written anew is said once. A file opens faster
-- the less its schema has to say.
drop table if exists update_cues;

create table update_cues (
  says integer not null check (says in (0, 2)),
  language text not null,
  cue text not null check (cue <> ''),
  then_cue text not null default '',
  primary key (says, language, cue, then_cue)
) strict, without rowid;

insert into update_cues (says, language, cue, then_cue) values
  (2, 'en', ' now ', ''), (2, 'en', ' nowadays ', ''), (2, 'en', ' these days ', ''), (2, 'en', ' anymore ', ''), (2, 'en', ' any more ', ''),
  (2, 'en', ' no longer ', ''), (2, 'en', ' instead ', ''), (2, 'en', ' currently ', ''), (2, 'en', ' changed ', ''), (2, 'en', ' switched ', ''),
  (2, 'en', ' swapped ', ''), (2, 'en', ' replaced ', ''), (2, 'en', ' moved ', ''), (2, 'en', ' new ', ''), (2, 'en', ' quit ', ''),
  (2, 'en', ' stopped ', ''), (2, 'en', ' gave up ', ''), (2, 'en', ' given up ', ''), (2, 'en', ' joined ', ''), (2, 'en', ' left ', ''),
  (2, 'en', ' sold ', ''), (2, 'en', ' cancelled ', ''), (2, 'en', ' canceled ', ''), (2, 'en', ' became ', ''), (2, 'en', ' become ', ''),
  (2, 'de', ' jetzt ', ''), (2, 'de', ' inzwischen ', ''), (2, 'de', ' mittlerweile ', ''), (2, 'de', ' neuerdings ', ''), (2, 'de', ' nunmehr ', ''),
  (2, 'de', ' stattdessen ', ''), (2, 'de', ' gewechselt ', ''), (2, 'de', ' umgestiegen ', ''), (2, 'de', ' umgezogen ', ''),
  (2, 'de', ' gekündigt ', ''), (2, 'de', ' aufgehört ', ''), (2, 'de', ' verkauft ', ''), (2, 'de', ' geworden ', ''),
  (2, 'de', ' seit kurzem ', ''), (2, 'de', ' nicht mehr ', ''), (2, 'de', ' mein neuer ', ''), (2, 'de', ' meine neue ', ''),
  (2, 'de', ' mein neues ', ''), (2, 'de', ' meinen neuen ', ''), (2, 'de', ' einen neuen ', ''), (2, 'de', ' eine neue ', ''),
  (2, 'de', ' ein neues ', ''), (2, 'de', ' einer neuen ', ''), (2, 'de', ' kein', ' mehr '),
  (2, 'fr', ' maintenant ', ''), (2, 'fr', ' désormais ', ''), (2, 'fr', ' actuellement ', ''), (2, 'fr', ' à présent ', ''),
  (2, 'fr', ' ces temps-ci ', ''), (2, 'fr', ' j''ai changé ', ''), (2, 'fr', ' j''ai déménagé ', ''), (2, 'fr', ' j''ai quitté ', ''),
  (2, 'fr', ' j''ai arrêté ', ''), (2, 'fr', ' j''ai vendu ', ''), (2, 'fr', ' j''ai remplacé ', ''), (2, 'fr', ' mon nouveau ', ''),
  (2, 'fr', ' ma nouvelle ', ''), (2, 'fr', ' mes nouveaux ', ''), (2, 'fr', ' mes nouvelles ', ''), (2, 'fr', ' un nouveau ', ''),
  (2, 'fr', ' une nouvelle ', ''), (2, 'fr', ' ne ', ' plus '), (2, 'fr', ' n''', ' plus '),
  (2, 'es', ' ahora ', ''), (2, 'es', ' actualmente ', ''), (2, 'es', ' dejé ', ''), (2, 'es', ' cambié ', ''), (2, 'es', ' vendí ', ''),
  (2, 'es', ' hoy en día ', ''), (2, 'es', ' ya no ', ''), (2, 'es', ' he cambiado ', ''), (2, 'es', ' he dejado ', ''),
  (2, 'es', ' he vendido ', ''), (2, 'es', ' me mudé ', ''), (2, 'es', ' me he mudado ', ''), (2, 'es', ' mi nuevo ', ''),
  (2, 'es', ' mi nueva ', ''), (2, 'es', ' un nuevo ', ''), (2, 'es', ' una nueva ', ''),
  (2, 'pt', ' agora ', ''), (2, 'pt', ' atualmente ', ''), (2, 'pt', ' deixei ', ''), (2, 'pt', ' troquei ', ''), (2, 'pt', ' vendi ', ''),
  (2, 'pt', ' hoje em dia ', ''), (2, 'pt', ' já não ', ''), (2, 'pt', ' mudei de ', ''), (2, 'pt', ' mudei-me ', ''), (2, 'pt', ' me mudei ', ''),
  (2, 'pt', ' meu novo ', ''), (2, 'pt', ' minha nova ', ''), (2, 'pt', ' um novo ', ''), (2, 'pt', ' uma nova ', ''), (2, 'pt', ' não ', ' mais '),
  (2, 'it', ' adesso ', ''), (2, 'it', ' ormai ', ''), (2, 'it', ' attualmente ', ''), (2, 'it', ' d''ora in poi ', ''), (2, 'it', ' ora sono ', ''),
  (2, 'it', ' ora ho ', ''), (2, 'it', ' ora lavoro ', ''), (2, 'it', ' ora abito ', ''), (2, 'it', ' ora vivo ', ''), (2, 'it', ' ora vado ', ''),
  (2, 'it', ' ora faccio ', ''), (2, 'it', ' ora prendo ', ''), (2, 'it', ' ho cambiato ', ''), (2, 'it', ' ho smesso ', ''),
  (2, 'it', ' ho lasciato ', ''), (2, 'it', ' ho venduto ', ''), (2, 'it', ' mi sono trasferito ', ''), (2, 'it', ' mi sono trasferita ', ''),
  (2, 'it', ' mio nuovo ', ''), (2, 'it', ' mia nuova ', ''), (2, 'it', ' un nuovo ', ''), (2, 'it', ' una nuova ', ''), (2, 'it', ' non ', ' più '),
  (2, 'nl', ' nu ', ''), (2, 'nl', ' tegenwoordig ', ''), (2, 'nl', ' voortaan ', ''), (2, 'nl', ' inmiddels ', ''), (2, 'nl', ' verhuisd ', ''),
  (2, 'nl', ' gestopt ', ''), (2, 'nl', ' overgestapt ', ''), (2, 'nl', ' opgezegd ', ''), (2, 'nl', ' gewisseld ', ''), (2, 'nl', ' veranderd ', ''),
  (2, 'nl', ' niet meer ', ''), (2, 'nl', ' in plaats daarvan ', ''), (2, 'nl', ' nieuwe ', ''), (2, 'nl', ' geen ', ' meer '),
  (0, 'en', ' yesterday ', ''), (0, 'en', ' today ', ''), (0, 'en', ' tonight ', ''), (0, 'en', ' this morning ', ''),
  (0, 'en', ' this afternoon ', ''), (0, 'en', ' this evening ', ''), (0, 'en', ' this week ', ''), (0, 'en', ' this weekend ', ''),
  (0, 'en', ' last night ', ''), (0, 'en', ' last week ', ''), (0, 'en', ' last month ', ''), (0, 'en', ' last year ', ''),
  (0, 'en', ' last summer ', ''), (0, 'en', ' last time ', ''), (0, 'en', ' ago ', ''), (0, 'en', ' once ', ''), (0, 'en', ' when i was ', ''),
  (0, 'en', ' used to ', ''), (0, 'en', ' nearly ', ''), (0, 'en', ' almost ', ''), (0, 'en', ' if ', ''), (0, 'en', ' would ', ''),
  (0, 'en', ' i''d ', ''), (0, 'en', ' could ', ''), (0, 'en', ' should ', ''), (0, 'en', ' imagine ', ''), (0, 'en', ' also ', ''),
  (0, 'en', ' as well ', ''), (0, 'en', ' too ', ''),
  (0, 'de', ' gestern ', ''), (0, 'de', ' vorgestern ', ''), (0, 'de', ' heute ', ''), (0, 'de', ' vorhin ', ''), (0, 'de', ' neulich ', ''),
  (0, 'de', ' beinahe ', ''), (0, 'de', ' wenn ', ''), (0, 'de', ' würde ', ''), (0, 'de', ' wäre ', ''), (0, 'de', ' hätte ', ''),
  (0, 'de', ' könnte ', ''), (0, 'de', ' sollte ', ''), (0, 'de', ' auch ', ''), (0, 'de', ' außerdem ', ''), (0, 'de', ' damals ', ''),
  (0, 'de', ' letzte woche ', ''), (0, 'de', ' letzten monat ', ''), (0, 'de', ' letztes jahr ', ''), (0, 'de', ' letzten sommer ', ''),
  (0, 'de', ' letztes mal ', ''), (0, 'de', ' als ich ', ''), (0, 'de', ' früher war ', ''), (0, 'de', ' früher habe ', ''),
  (0, 'de', ' vor ', ' tagen '), (0, 'de', ' vor ', ' wochen '), (0, 'de', ' vor ', ' monaten '), (0, 'de', ' vor ', ' jahren '),
  (0, 'fr', ' avant-hier ', ''), (0, 'fr', ' aujourd''hui ', ''), (0, 'fr', ' presque ', ''), (0, 'fr', ' aussi ', ''), (0, 'fr', ' également ', ''),
  (0, 'fr', ' voudrais ', ''), (0, 'fr', ' pourrais ', ''), (0, 'fr', ' devrais ', ''), (0, 'fr', ' aimerais ', ''), (0, 'fr', ' autrefois ', ''),
  (0, 'fr', ' hier soir ', ''), (0, 'fr', ' hier matin ', ''), (0, 'fr', ' ce matin ', ''), (0, 'fr', ' cet après-midi ', ''),
  (0, 'fr', ' ce soir ', ''), (0, 'fr', ' la semaine dernière ', ''), (0, 'fr', ' le mois dernier ', ''), (0, 'fr', ' l''année dernière ', ''),
  (0, 'fr', ' l''an dernier ', ''), (0, 'fr', ' l''été dernier ', ''), (0, 'fr', ' la dernière fois ', ''), (0, 'fr', ' quand j''étais ', ''),
  (0, 'fr', ' si je ', ''), (0, 'fr', ' si j''avais ', ''), (0, 'fr', ' hier ', ' j''ai '), (0, 'fr', ' j''ai ', ' hier '),
  (0, 'fr', ' il y a ', ' jours '), (0, 'fr', ' il y a ', ' semaines '), (0, 'fr', ' il y a ', ' mois '), (0, 'fr', ' il y a ', ' ans '),
  (0, 'es', ' ayer ', ''), (0, 'es', ' anteayer ', ''), (0, 'es', ' hoy ', ''), (0, 'es', ' anoche ', ''), (0, 'es', ' casi ', ''),
  (0, 'es', ' gustaría ', ''), (0, 'es', ' podría ', ''), (0, 'es', ' debería ', ''), (0, 'es', ' también ', ''), (0, 'es', ' además ', ''),
  (0, 'es', ' solía ', ''), (0, 'es', ' esta mañana ', ''), (0, 'es', ' esta tarde ', ''), (0, 'es', ' esta noche ', ''),
  (0, 'es', ' la semana pasada ', ''), (0, 'es', ' el mes pasado ', ''), (0, 'es', ' el año pasado ', ''), (0, 'es', ' el verano pasado ', ''),
  (0, 'es', ' la última vez ', ''), (0, 'es', ' cuando era ', ''), (0, 'es', ' si tuviera ', ''), (0, 'es', ' si pudiera ', ''),
  (0, 'pt', ' ontem ', ''), (0, 'pt', ' anteontem ', ''), (0, 'pt', ' hoje ', ''), (0, 'pt', ' atrás ', ''), (0, 'pt', ' quase ', ''),
  (0, 'pt', ' gostaria ', ''), (0, 'pt', ' poderia ', ''), (0, 'pt', ' deveria ', ''), (0, 'pt', ' também ', ''), (0, 'pt', ' costumava ', ''),
  (0, 'pt', ' esta manhã ', ''), (0, 'pt', ' semana passada ', ''), (0, 'pt', ' mês passado ', ''), (0, 'pt', ' ano passado ', ''),
  (0, 'pt', ' verão passado ', ''), (0, 'pt', ' última vez ', ''), (0, 'pt', ' quando era ', ''), (0, 'pt', ' se tivesse ', ''),
  (0, 'pt', ' se pudesse ', ''), (0, 'pt', ' além disso ', ''),
  (0, 'it', ' ieri ', ''), (0, 'it', ' oggi ', ''), (0, 'it', ' stamattina ', ''), (0, 'it', ' stasera ', ''), (0, 'it', ' stanotte ', ''),
  (0, 'it', ' vorrei ', ''), (0, 'it', ' potrei ', ''), (0, 'it', ' dovrei ', ''), (0, 'it', ' anche ', ''), (0, 'it', ' inoltre ', ''),
  (0, 'it', ' settimana scorsa ', ''), (0, 'it', ' mese scorso ', ''), (0, 'it', ' l''anno scorso ', ''), (0, 'it', ' estate scorsa ', ''),
  (0, 'it', ' l''ultima volta ', ''), (0, 'it', ' anni fa ', ''), (0, 'it', ' anno fa ', ''), (0, 'it', ' mesi fa ', ''), (0, 'it', ' mese fa ', ''),
  (0, 'it', ' giorni fa ', ''), (0, 'it', ' settimane fa ', ''), (0, 'it', ' settimana fa ', ''), (0, 'it', ' quando ero ', ''),
  (0, 'it', ' se avessi ', ''), (0, 'it', ' se potessi ', ''),
  (0, 'nl', ' gisteren ', ''), (0, 'nl', ' eergisteren ', ''), (0, 'nl', ' vandaag ', ''), (0, 'nl', ' vanochtend ', ''),
  (0, 'nl', ' vanmorgen ', ''), (0, 'nl', ' vanmiddag ', ''), (0, 'nl', ' vanavond ', ''), (0, 'nl', ' vannacht ', ''), (0, 'nl', ' bijna ', ''),
  (0, 'nl', ' zou ', ''), (0, 'nl', ' ook ', ''), (0, 'nl', ' bovendien ', ''), (0, 'nl', ' geleden ', ''), (0, 'nl', ' vroeger ', ''),
  (0, 'nl', ' vorige week ', ''), (0, 'nl', ' vorige maand ', ''), (0, 'nl', ' vorig jaar ', ''), (0, 'nl', ' afgelopen zomer ', ''),
  (0, 'nl', ' laatste keer ', ''), (0, 'nl', ' toen ik ', ''), (0, 'nl', ' als ik ', '');

drop view if exists message_updates;

create view message_updates as
select
  f.id,
  f.valid_from,
  (
    with told (words) as materialized (
      select ' ' || lower(replace(replace(replace(replace(replace(replace(substr(f.value_text, 1, 1000), ',', ' '), '.', ' '), '!', ' '), ';', ' '),
        char(10), ' '), '’', '''')) || ' '),
    -- two words of grammar tell, and no words of the other languages need be looked for
    is_english (yes) as materialized (
      select count(*) > 1
      from told
      cross join json_each('["the", "and", "to", "my", "you", "it", "with", "for", "this", "that", "have", "i''m", "i''ve"]') word
      where instr(words, ' ' || word.value || ' '))
    select coalesce((
      select c.says
      from update_cues c
      where (c.language = 'en' or not yes)
        and instr(words, c.cue)
        and instr(substr(words, instr(words, c.cue) + length(c.cue) - 1, 30), c.then_cue)
      order by c.says desc
      limit 1), 1)
    from told
    cross join is_english
  ) as tells_update
from facts f
where f.kind = 'message' and coalesce(f.speaker, 'user') <> 'assistant' and substr(f.value_text, -1) <> '?';

drop trigger if exists facts_fts_neighbours_update;
drop trigger if exists facts_fts_neighbours_move;
drop trigger if exists facts_fts_neighbours_delete;
drop trigger if exists outbox_window_update;
drop trigger if exists outbox_window_move;
drop trigger if exists outbox_window_delete;
drop view if exists beside_words;
drop view if exists beside_windows;

create view beside_words as
select id, user_id, session_id from facts where kind = 'message';

create trigger beside_words_insert instead of insert on beside_words begin
  delete from facts_fts
    where rowid in (
      select * from (
        select p.id from facts p
        where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
        order by p.id desc limit 2)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = new.user_id and q.session_id is new.session_id and q.kind = 'message' and q.id > new.id
        order by q.id limit 2));
  insert into facts_fts (rowid, body, reply, context, date)
    select w.id, w.body, w.reply, w.context, w.date
    from fact_words w
    where w.id in (
      select * from (
        select p.id from facts p
        where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
        order by p.id desc limit 2)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = new.user_id and q.session_id is new.session_id and q.kind = 'message' and q.id > new.id
        order by q.id limit 2));
end;

create trigger facts_fts_neighbours_update after update of value_text on facts
when new.kind = 'message' and old.value_text is not new.value_text begin
  insert into beside_words (id, user_id, session_id) values (new.id, new.user_id, new.session_id);
end;

create trigger facts_fts_neighbours_move after update of user_id, session_id on facts
when new.kind = 'message' and (old.user_id is not new.user_id or old.session_id is not new.session_id) begin
  delete from facts_fts where rowid = new.id;
  insert into facts_fts (rowid, body, reply, context, date)
    select id, body, reply, context, date from fact_words where id = new.id;
  insert into beside_words (id, user_id, session_id) values (old.id, old.user_id, old.session_id), (new.id, new.user_id, new.session_id);
end;

create trigger facts_fts_neighbours_delete after delete on facts
when old.kind = 'message' and not exists (select 1 from erasures e where e.user_id = old.user_id) begin
  insert into beside_words (id, user_id, session_id) values (old.id, old.user_id, old.session_id);
end;

create view beside_windows as
select id, user_id, session_id, user_id as was_of from facts where kind = 'message';

create trigger beside_windows_insert instead of insert on beside_windows begin
  insert into outbox (id, user_id)
    select -n.id, new.was_of from (
      select new.id as id
      union all
      select * from (
        select p.id from facts p
        where p.user_id = new.user_id and p.session_id is new.session_id and p.kind = 'message' and p.id < new.id
        order by p.id desc limit 1)
      union all
      select * from (
        select q.id from facts q
        where q.user_id = new.user_id and q.session_id is new.session_id and q.kind = 'message' and q.id > new.id
        order by q.id limit 1)) n
    where true
    on conflict (id) do update set attempts = 0, next_attempt_at = null, dead = 0, last_error = null;
end;

create trigger outbox_window_update after update of value_text, status, user_id on facts
when new.kind = 'message' and (old.value_text is not new.value_text or old.status is not new.status or old.user_id is not new.user_id) begin
  insert into beside_windows (id, user_id, session_id, was_of) values (new.id, new.user_id, new.session_id, old.user_id);
end;

create trigger outbox_window_move after update of user_id, session_id on facts
when new.kind = 'message' and (old.user_id is not new.user_id or old.session_id is not new.session_id) begin
  insert into beside_windows (id, user_id, session_id, was_of)
    values (old.id, old.user_id, old.session_id, old.user_id), (new.id, new.user_id, new.session_id, old.user_id);
end;

create trigger outbox_window_delete after delete on facts when old.kind = 'message' begin
  insert into beside_windows (id, user_id, session_id, was_of) values (old.id, old.user_id, old.session_id, old.user_id);
end;
