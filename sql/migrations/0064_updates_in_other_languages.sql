-- What a message tells of a change is seen by words of other languages, too.
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
    select case
      when exists (
        select 1
        from json_each('["now", "nowadays", "these days", "anymore", "any more", "no longer", "instead", "currently", "changed", "switched",
          "swapped", "replaced", "moved", "new", "quit", "stopped", "gave up", "given up", "joined", "left", "sold", "cancelled", "canceled",
          "became", "become"]') cue
        where instr(words, ' ' || cue.value || ' ')) then 2
      when not yes and (exists (
        select 1
        from json_each('["jetzt", "inzwischen", "mittlerweile", "neuerdings", "nunmehr", "stattdessen", "gewechselt", "umgestiegen", "umgezogen",
          "gekündigt", "aufgehört", "verkauft", "geworden", "seit kurzem", "nicht mehr", "mein neuer", "meine neue", "mein neues",
          "meinen neuen", "einen neuen", "eine neue", "ein neues", "einer neuen",
          "maintenant", "désormais", "actuellement", "à présent", "ces temps-ci", "j''ai changé", "j''ai déménagé", "j''ai quitté",
          "j''ai arrêté", "j''ai vendu", "j''ai remplacé", "mon nouveau", "ma nouvelle", "mes nouveaux", "mes nouvelles", "un nouveau",
          "une nouvelle",
          "ahora", "actualmente", "dejé", "cambié", "vendí", "hoy en día", "ya no", "he cambiado", "he dejado", "he vendido", "me mudé",
          "me he mudado", "mi nuevo", "mi nueva", "un nuevo", "una nueva",
          "agora", "atualmente", "deixei", "troquei", "vendi", "hoje em dia", "já não", "mudei de", "mudei-me", "me mudei", "meu novo",
          "minha nova", "um novo", "uma nova",
          "adesso", "ormai", "attualmente", "d''ora in poi", "ora sono", "ora ho", "ora lavoro", "ora abito", "ora vivo", "ora vado",
          "ora faccio", "ora prendo", "ho cambiato", "ho smesso", "ho lasciato", "ho venduto", "mi sono trasferito", "mi sono trasferita",
          "mio nuovo", "mia nuova", "un nuovo", "una nuova",
          "nu", "tegenwoordig", "voortaan", "inmiddels", "verhuisd", "gestopt", "overgestapt", "opgezegd", "gewisseld", "veranderd",
          "niet meer", "in plaats daarvan", "nieuwe"]') cue
        where instr(words, ' ' || cue.value || ' ')) or exists (
        select 1  -- "je ne fume plus": the second within a few words after the first
        from json_each('[[" ne ", " plus "], [" n''", " plus "], [" kein", " mehr "], [" não ", " mais "], [" non ", " più "], [" geen ", " meer "]]') cue
        where instr(words, cue.value ->> 0)
          and instr(substr(words, instr(words, cue.value ->> 0) + length(cue.value ->> 0) - 1, 30), cue.value ->> 1))) then 2
      when exists (
        select 1
        from json_each('["yesterday", "today", "tonight", "this morning", "this afternoon", "this evening", "this week", "this weekend",
          "last night", "last week", "last month", "last year", "last summer", "last time", "ago", "once", "when i was", "used to", "nearly",
          "almost", "if", "would", "i''d", "could", "should", "imagine", "also", "as well", "too"]') aside
        where instr(words, ' ' || aside.value || ' ')) then 0
      when not yes and (exists (
        select 1
        from json_each('["gestern", "vorgestern", "heute", "vorhin", "neulich", "beinahe", "wenn", "würde", "wäre", "hätte", "könnte", "sollte", "auch",
          "außerdem", "damals", "letzte woche", "letzten monat", "letztes jahr", "letzten sommer", "letztes mal", "als ich", "früher war",
          "früher habe",
          "avant-hier", "aujourd''hui", "presque", "aussi", "également", "voudrais", "pourrais", "devrais", "aimerais", "autrefois",
          "hier soir", "hier matin", "ce matin", "cet après-midi", "ce soir", "la semaine dernière", "le mois dernier",
          "l''année dernière", "l''an dernier", "l''été dernier", "la dernière fois", "quand j''étais", "si je", "si j''avais",
          "ayer", "anteayer", "hoy", "anoche", "casi", "gustaría", "podría", "debería", "también", "además", "solía", "esta mañana",
          "esta tarde", "esta noche", "la semana pasada", "el mes pasado", "el año pasado", "el verano pasado", "la última vez",
          "cuando era", "si tuviera", "si pudiera",
          "ontem", "anteontem", "hoje", "atrás", "quase", "gostaria", "poderia", "deveria", "também", "costumava", "esta manhã",
          "semana passada", "mês passado", "ano passado", "verão passado", "última vez", "quando era", "se tivesse", "se pudesse",
          "além disso",
          "ieri", "oggi", "stamattina", "stasera", "stanotte", "vorrei", "potrei", "dovrei", "anche", "inoltre", "settimana scorsa",
          "mese scorso", "l''anno scorso", "estate scorsa", "l''ultima volta", "anni fa", "anno fa", "mesi fa", "mese fa", "giorni fa",
          "settimane fa", "settimana fa", "quando ero", "se avessi", "se potessi",
          "gisteren", "eergisteren", "vandaag", "vanochtend", "vanmorgen", "vanmiddag", "vanavond", "vannacht", "bijna", "zou", "ook",
          "bovendien", "geleden", "vroeger", "vorige week", "vorige maand", "vorig jaar", "afgelopen zomer", "laatste keer", "toen ik",
          "als ik"]') aside
        where instr(words, ' ' || aside.value || ' ')) or exists (
        select 1
        from json_each('[[" vor ", " tagen "], [" vor ", " wochen "], [" vor ", " monaten "], [" vor ", " jahren "],
          [" hier ", " j''ai "], [" j''ai ", " hier "], [" il y a ", " jours "], [" il y a ", " semaines "], [" il y a ", " mois "], [" il y a ", " ans "]]') aside
        where instr(words, aside.value ->> 0)
          and instr(substr(words, instr(words, aside.value ->> 0) + length(aside.value ->> 0) - 1, 30), aside.value ->> 1))) then 0
      else 1
    end
    from told
    cross join is_english
  ) as tells_update
from facts f
where f.kind = 'message' and coalesce(f.speaker, 'user') <> 'assistant' and substr(f.value_text, -1) <> '?';
