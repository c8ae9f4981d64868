"""What is read of questions and messages in other languages than English."""

from __future__ import annotations

import re
import time
import tomllib
import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import memdb
from memdb.answers import Question
from memdb.files import read
from memdb.languages import CODES, grammar_unread, language, language_of
from memdb.stop_words import ONLY_ENGLISH, STOP_WORDS
from memdb.times_abroad import find_times_abroad
from memdb.told_times import days_told, told_in
from memdb.unspaced import words_of

NOW = datetime(2025, 9, 10, 12, tzinfo=UTC)  # a Wednesday


def asked(mem: memdb.Memory, query: str) -> Question:
    mem.observe("Hello.", "Hello to you.", user_id="me", turn_id="t")
    mem.drain()
    return mem.search(query, user_id="me", now=NOW).question


def told(text: str) -> tuple[str | None, list[str]]:
    first, others = days_told(text, told_in(text), at=NOW, zone=UTC)
    return f"{first:%m-%d}" if first else None, [f"{day:%m-%d}" for day in others]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Wann war ich beim Zahnarzt?", "German"), ("Wie heißt mein Hund?", "German"), ("Welche Farbe mag Emil?", "German"),
        ("Où habite ma sœur ?", "French"), ("Comment s'appelle mon dentiste ?", "French"), ("Qui est venu samedi dernier ?", "French"),
        ("¿Dónde vive mi hermana?", "Spanish"), ("Cuando fui al dentista?", "Spanish"),
        ("¿Mi hijo mayor sigue en el equipo de baloncesto o ha cambiado de deporte?", "Spanish"),
        ("De lunes a viernes trabajo, mayo es un mes bonito.", "Spanish"), ("¿Quién vino ayer?", "Spanish"),
        ("Onde mora a minha irmã?", "Portuguese"), ("O que fiz ontem?", "Portuguese"), ("Por que deixei o trabalho?", "Portuguese"),
        ("Quanto custava o quarto em Braga?", "Portuguese"), ("Quanto custava?", "Portuguese"), ("Quanto costava?", "Italian"),
        ("Dove ho messo le chiavi?", "Italian"), ("Quanto è costato il tavolo?", "Italian"), ("Chi è venuto sabato scorso?", "Italian"),
        ("Comment va ma mère ?", "French"), ("Chi mi ha prestato la tenda?", "Italian"), ("Wat is de naam van de arts?", "Dutch"),
        ("Waar woont mijn zus?", "Dutch"), ("Hoe heet mijn hond?", "Dutch"), ("Wat heb ik gisteren gedaan?", "Dutch"),
    ],
)  # fmt: skip
def test_a_language_is_told_by_its_words_of_grammar(text: str, name: str) -> None:
    found = language_of(words_of(text))
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "text",
    [
        "", "2025", "Emil", "When did the war end, man?", "Will Anna die?", "Old car insurance", "Charlotte's web", "Who is Juan de la Cruz?",
        "When did I see La La Land?", 'What is "Wie geht es dir" in English?', "How do I say où est la gare?", "Los Angeles", "Rio de Janeiro",
        "Tell me about Luis de la Fuente", "Who wrote Cien años de soledad?", "Van der Waals", "El Niño", "pour over coffee", "Le Monde",
        "Did you comment on my solo in Die Fledermaus?", "Is Mia due in Den Haag on 5 May?", "I am in a war also", "El Camino to La Paz de la Sierra", "sous chef", "no car, no son, no door",
        "Ella birthday party", "dal recipe", "Allen wrench size", "Tue gym class", "aura photos", "Estes Park", "hem length", "Nell phone number",
        "Vad hade jag för bil när vi bodde i Lund?", "Hvad hedder min hund?", "Gdzie mieszka moja siostra?", "Kapan saya pergi ke dokter?",
        "Hvor bor min søster?", "Doktora ne zaman gittim?", "Где живёт моя сестра?", "我住在哪里", "def main(n, m): return n // m",
    ],
)  # fmt: skip
def test_english_names_and_other_languages_are_none_of_them(text: str) -> None:
    assert language_of(words_of(text)) is None


UNREAD = {name: frozenset(words.split()) for name, words in tomllib.loads(read("rules/languages/unread.toml")).items()}
ALIKE = UNREAD.pop("alike")


@pytest.mark.parametrize(
    ("query", "name", "terms"),
    [
        ("Vilken bok läste jag i Lund?", "Swedish", ("bok", "läste", "lund")), ("Vad vet du om Jerker?", "Swedish", ("vet", "jerker")),
        ("Vilket yrke hade Saras pappa?", "Swedish", ("yrke", "saras", "pappa")), ("Hvad hedder min hund?", "Danish", ("hedder", "hund")),
        ("Hvor bor søsteren min nå?", "Norwegian", ("bor", "søsteren")), ("Missä veljeni asuu nyt?", "Finnish", ("veljeni", "asuu")),
        ("Co wiesz o mojej siostrze?", "Polish", ("wiesz", "siostrze")), ("Czy to wciąż mój chłopak?", "Polish", ("chłopak",)),
        ("Kde bydlí moje sestra?", "Czech", ("bydlí", "sestra")), ("Her kedi için ne oldu?", "Turkish", ("kedi",)),
        ("Какой породы наша собака?", "Russian", ("породы", "собака")), ("Яким голосом я співаю?", "Ukrainian", ("голосом", "співаю")),
    ],
)  # fmt: skip
def test_of_a_language_that_is_not_read_the_words_of_grammar_are_known(
    mem: memdb.Memory, query: str, name: str, terms: tuple[str, ...]
) -> None:
    assert grammar_unread(words_of(query)) == UNREAD[name]
    question = asked(mem, query)
    assert question.terms == terms
    assert question.by_beginning


@pytest.mark.parametrize(
    "text",
    [
        "", "2025", "Jag", "Jag vs. Die in BMW and Jaguar", "Did Jag and Vad come?", "Who said hvor er du?", "What is “jag vet inte” in English?",
        "Ben Kim recipe", "Hans Hun Sen visit", "St. Mary’s", "o'Neil", "Railcard’s renewed", "Motörhead concert tickets", "Å or Ø", "Kim, Jo and Bo", "die hard",
        "Mina Sana bare minimum", "Have you seen Alle Farben?", "Til Schweiger film list", "bit of fun", "to do my list", "café latte", "IKEA sofa", "Kan Ya Makan",
    ],
)  # fmt: skip
def test_english_is_taken_for_none_of_these(text: str) -> None:
    assert grammar_unread(words_of(text)) is None


def test_no_word_tells_such_a_language_that_is_said_in_english() -> None:
    chats = Path(__file__).parent.parent / "bench" / "chats"
    texts = [(chats / f"{name}.txt").read_text("utf-8") for name in ("maya", "priya", "tom", "walter")]
    telling = {word for words in UNREAD.values() for word in words} - ALIKE - STOP_WORDS
    assert {word for word in telling & set(words_of(" ".join(texts))) if len(word) > 1} == set()
    sentences = [sentence for text in texts for sentence in re.split(r"[.!?]\s|\d+\.\d+ (?:user|assistant): ", text)]
    assert len(sentences) > 4_000
    assert [sentence for sentence in sentences if grammar_unread(words_of(sentence)) is not None] == []


def test_what_is_alike_is_a_word_of_one_of_these_languages_and_each_is_as_the_index_has_it() -> None:
    words = {word for words in UNREAD.values() for word in words}
    assert ALIKE - words == set()
    assert {word for word in words if words_of(word) != [word]} == set()


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Wann war ich das letzte Mal beim Zahnarzt?", ("zahnarzt",)),
        ("Qu'est-ce que m'a dit l'ostéo ?", ("ostéo",)),
        ("¿Qué le regalé a mi hermana en su boda?", ("regalé", "hermana", "boda")),
        ("Qual é o preço da minha cadeira?", ("preço", "cadeira")),
        ("Dov'è l'officina di mio cugino?", ("officina", "cugino")),
        ("Hoe duur is de hond van mijn buurvrouw Els?", ("duur", "hond", "buurvrouw", "els")),
        ("Wo waren wir gestern?", ()),
        ("Wer bin ich?", ("wer", "bin", "ich")),
    ],
)
def test_words_of_grammar_are_not_searched_for(mem: memdb.Memory, query: str, terms: tuple[str, ...]) -> None:
    assert asked(mem, query).terms == terms


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ("Étais-je à la Porte de Clignancourt avec Anne Leroy ?", ("porte de clignancourt", "anne leroy")), ("Propose-moi un roman.", ()),
        ("Was hat Frau Demirci über „Effi Briest“ gesagt?", ("frau demirci", "effi briest")),
        ("Как зовут соседку, которая упала в подъезде?", ()), ("Когда я был в Великом Новгороде?", ("великом новгороде",)),
        ("Πού μένει η αδελφή μου;", ()), ("איפה גרה אחותי", ()), ("जहाँ मेरी बहन रहती है", ()), ("Czy Anna Nowak mieszka w Zielonej Górze?", ("anna nowak", "zielonej górze")),
        ("İlk siparişim nereden geldi?", ()), ("Ben ne zaman İç Anadolu'ya gittim?", ("iç anadolu'ya",)),
    ],
)  # fmt: skip
def test_what_belongs_together_is_a_phrase(mem: memdb.Memory, query: str, phrases: tuple[str, ...]) -> None:
    assert asked(mem, query).phrases == phrases


@pytest.mark.parametrize(
    ("query", "actor"),
    [
        ("Wo wohne ich?", "user"), ("Wie heißt unser Hund?", "user"), ("Welches Buch hast du mir empfohlen?", "assistant"),
        ("Wie lange soll der Teig laut dir ruhen?", "assistant"), ("Hast du Zeit für mich?", "user"), ("Was kostet ein Haus?", None),
        ("Kannst du ein Rezept für das Essen vorschlagen?", "user"),
        ("Où est-ce que j'habite ?", "user"), ("Quel livre m'avais-tu conseillé ?", "assistant"), ("Que m’as-tu proposé ?", "assistant"),
        ("Tu as une idée pour mon dîner ?", "user"), ("Quelle est la capitale du Pérou ?", None),
        ("¿Dónde vivo?", "user"), ("¿Qué libro me recomendaste?", "assistant"), ("¿Cuándo compré la bici?", "user"),
        ("¿Qué habías dicho del vino?", "assistant"),
        ("¿Cuánto pagué por la mesa?", "user"), ("¿Qué comí en la boda?", "user"), ("¿Quién vive allí con el jabalí?", None), ("¿Cuánto cuesta el café?", None),
        ("¿Puedes sugerir algo para esta noche?", "user"),
        ("Onde comprei a mesa?", "user"), ("Que livro você me recomendou?", "assistant"), ("Quanto custa o pão?", None),
        ("Dove ho messo le chiavi?", "user"), ("Che libro mi hai consigliato?", "assistant"), ("Quanto costa il pane?", None),
        ("Waar woon ik?", "user"), ("Welk boek had je me aangeraden?", "assistant"), ("Hoeveel kost het brood?", None),
    ],
)  # fmt: skip
def test_the_user_and_the_assistant_are_meant_by_their_pronouns(mem: memdb.Memory, query: str, actor: str | None) -> None:
    assert asked(mem, query).actor == actor


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        ("Wann war das?", "time"), ("Wie lange hat es gedauert?", "time"), ("Wie viele Bücher sind es?", "number"), ("Wer war dabei?", "person"),
        ("Wo steht das Auto?", "place"), ("Warum bin ich umgezogen?", "reason"), ("Was habe ich gekocht?", "other"),
        ("Quand suis-je allé chez elle ?", "time"), ("Combien de livres ai-je lus ?", "number"), ("Qui est venu chez nous ?", "person"),
        ("Où est la clé ?", "place"), ("Pourquoi ai-je déménagé ?", "reason"), ("Qu'ai-je dit quand elle est venue ?", "other"),
        ("¿Cuándo fue la boda?", "time"), ("¿Cuántos libros leí este año?", "number"), ("¿Con quién fui al cine?", "person"),
        ("¿Dónde está el coche?", "place"), ("¿Por qué me mudé?", "reason"), ("¿Qué hice cuando llegué?", "other"),
        ("Quando foi o casamento?", "time"), ("Quem esteve comigo?", "person"), ("Onde está o carro?", "place"), ("Por que é que saí?", "reason"),
        ("Quando è stato il matrimonio?", "time"), ("Chi è venuto da noi?", "person"), ("Dov'è la macchina?", "place"),
        ("Perché ho cambiato lavoro?", "reason"), ("Quanti libri ho letto?", "number"),
        ("Wanneer was de bruiloft?", "time"), ("Wie is er gisteren geweest?", "person"), ("Waar is mijn auto?", "place"),
        ("Waarom ben ik verhuisd?", "reason"), ("Hoeveel boeken heb ik gelezen?", "number"),
    ],
)  # fmt: skip
def test_what_would_answer_is_known(mem: memdb.Memory, query: str, intent: str) -> None:
    assert asked(mem, query).intent == intent


@pytest.mark.parametrize(
    ("code", "text", "begins", "days"),
    [
        ("de", "gestern", "2025-09-09", 1), ("de", "vorgestern Abend", "2025-09-08", 1), ("de", "letzte Woche", "2025-09-01", 7),
        ("de", "letzten Samstag", "2025-09-06", 1), ("de", "vor drei Wochen", "2025-08-20", 1), ("de", "vor 10 Tagen", "2025-08-31", 1),
        ("de", "im März", "2025-03-01", 31), ("de", "Anfang März", "2025-03-01", 10), ("de", "am 5. Mai 2024", "2024-05-05", 1),
        ("de", "am 28.02.", "2025-02-28", 1), ("de", "05.04.2025", "2025-04-05", 1), ("de", "vom 14. bis 19. Juli", "2025-07-14", 6),
        ("de", "am letzten Aprilwochenende", "2025-04-26", 2), ("de", "zu Weihnachten", "2024-12-25", 1), ("de", "war 2019 dort", "2019-01-01", 365),
        ("de", "heute vor einem Jahr", "2024-09-10", 1), ("de", "in den letzten zwei Wochen", "2025-08-27", 14), ("de", "diesen Sommer", "2025-06-01", 92),
        ("fr", "hier soir", "2025-09-09", 1), ("fr", "avant-hier", "2025-09-08", 1), ("fr", "la semaine dernière", "2025-09-01", 7),
        ("fr", "samedi dernier", "2025-09-06", 1), ("fr", "il y a deux mois", "2025-07-10", 1), ("fr", "en mars", "2025-03-01", 31),
        ("fr", "le 1er mai 2024", "2024-05-01", 1), ("fr", "fin mars", "2025-03-22", 10), ("fr", "l’été dernier", "2025-06-01", 92),
        ("fr", "le dernier dimanche de février", "2025-02-23", 1), ("fr", "du 3 au 10 juillet", "2025-07-03", 8), ("fr", "le 12/05", "2025-05-12", 1),
        ("es", "ayer por la tarde", "2025-09-09", 1), ("es", "anteayer", "2025-09-08", 1), ("es", "la semana pasada", "2025-09-01", 7),
        ("es", "el sábado pasado", "2025-09-06", 1), ("es", "hace dos meses", "2025-07-10", 1), ("es", "en marzo", "2025-03-01", 31),
        ("es", "el 5 de mayo de 2024", "2024-05-05", 1), ("es", "a finales de marzo", "2025-03-22", 10), ("es", "las últimas dos semanas", "2025-08-27", 14),
        ("pt", "ontem à noite", "2025-09-09", 1), ("pt", "antes de ontem", "2025-09-08", 1), ("pt", "na semana passada", "2025-09-01", 7),
        ("pt", "no sábado passado", "2025-09-06", 1), ("pt", "há dois meses", "2025-07-10", 1), ("pt", "dois meses atrás", "2025-07-10", 1),
        ("pt", "em março", "2025-03-01", 31), ("pt", "na segunda-feira", "2025-09-08", 1), ("pt", "no dia 5 de maio de 2024", "2024-05-05", 1),
        ("it", "ieri sera", "2025-09-09", 1), ("it", "l'altro ieri", "2025-09-08", 1), ("it", "la settimana scorsa", "2025-09-01", 7),
        ("it", "sabato scorso", "2025-09-06", 1), ("it", "due mesi fa", "2025-07-10", 1), ("it", "a marzo", "2025-03-01", 31),
        ("it", "il 5 maggio 2024", "2024-05-05", 1), ("it", "l'estate scorsa", "2025-06-01", 92), ("it", "lo scorso anno", "2024-01-01", 366), ("it", "stasera", "2025-09-10", 1),
        ("de", "Samstagabend", "2025-09-06", 1), ("de", "letzte Nacht", "2025-09-09", 1), ("nl", "vanochtend", "2025-09-10", 1),
        ("nl", "gisteravond", "2025-09-09", 1), ("nl", "eergisteren", "2025-09-08", 1), ("nl", "vorige week", "2025-09-01", 7),
        ("nl", "afgelopen zaterdag", "2025-09-06", 1), ("nl", "twee maanden geleden", "2025-07-10", 1), ("nl", "in maart", "2025-03-01", 31),
        ("de", "im Mai letzten Jahres", "2024-05-01", 31), ("de", "letztes Jahr an Ostern", "2024-03-31", 1), ("de", "am 3. Mai letzten Jahres", "2024-05-03", 1),
        ("de", "im April nächsten Jahres", "2026-04-01", 30), ("de", "nächstes Jahr im Mai", "2026-05-01", 31), ("fr", "le 3 mai de l'année prochaine", "2026-05-03", 1),
        ("fr", "l'année prochaine en mai", "2026-05-01", 31), ("es", "en abril del próximo año", "2026-04-01", 30), ("es", "el año que viene en mayo", "2026-05-01", 31),
        ("it", "ad aprile dell'anno prossimo", "2026-04-01", 30), ("it", "l'anno prossimo a maggio", "2026-05-01", 31), ("pt", "em abril do próximo ano", "2026-04-01", 30),
        ("pt", "no próximo ano em maio", "2026-05-01", 31), ("nl", "in april volgend jaar", "2026-04-01", 30), ("nl", "volgend jaar in mei", "2026-05-01", 31),
        ("fr", "en mai de l'année dernière", "2024-05-01", 31), ("es", "en mayo del año pasado", "2024-05-01", 31), ("pt", "no ano passado no Natal", "2024-12-25", 1),
        ("it", "l'anno scorso a maggio", "2024-05-01", 31), ("nl", "in mei vorig jaar", "2024-05-01", 31), ("nl", "vorig jaar", "2024-01-01", 366),
        ("de", "am dritten Mai", "2025-05-03", 1), ("de", "vor anderthalb Jahren", "2024-03-10", 1), ("de", "Anfang des Jahres", "2025-01-01", 120),
        ("de", "am zweiten Weihnachtstag", "2024-12-26", 1), ("de", "an Allerheiligen", "2024-11-01", 1), ("fr", "le quatorze juillet", "2025-07-14", 1),
        ("fr", "cette nuit", "2025-09-10", 1), ("fr", "la veille de Noël", "2024-12-24", 1), ("fr", "à la Toussaint 2023", "2023-11-01", 1),
        ("es", "el tres de mayo", "2025-05-03", 1), ("es", "hace medio año", "2025-03-10", 1), ("es", "el pasado mayo", "2025-05-01", 31),
        ("es", "el día de Reyes", "2025-01-06", 1), ("pt", "no dia vinte e um de abril", "2025-04-21", 1), ("pt", "na quarta-feira de cinzas", "2025-03-05", 1),
        ("pt", "na sexta-feira santa", "2025-04-18", 1), ("es", "el viernes santo", "2025-04-18", 1), ("fr", "le lundi de Pâques", "2025-04-21", 1),
        ("it", "il venerdì santo", "2025-04-18", 1), ("es", "la Navidad pasada", "2024-12-25", 1), ("it", "lo scorso Natale", "2024-12-25", 1),
        ("it", "il primo maggio", "2025-05-01", 1), ("it", "un anno e mezzo fa", "2024-03-10", 1), ("it", "avantieri", "2025-09-08", 1), ("it", "a Ferragosto", "2025-08-15", 1),
        ("nl", "op drie mei", "2025-05-03", 1), ("nl", "een half jaar geleden", "2025-03-10", 1), ("nl", "op Koningsdag", "2025-04-27", 1),
        ("nl", "op 5 mei 2024", "2024-05-05", 1), ("nl", "eind maart", "2025-03-22", 10), ("nl", "met kerst", "2024-12-25", 1),
    ],
)  # fmt: skip
def test_times_are_found_as_they_are_in_english(code: str, text: str, begins: str, days: int) -> None:
    [span] = find_times_abroad(f"Das / ceci / esto {text}, etc.", language(code), at=NOW, zone=UTC, prefer="past")
    assert (str(span.begins.date()), span.ends - span.begins) == (begins, timedelta(days=days))


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Guten Morgen! Am Morgen laufe ich, jeden Samstag, samstags und jede Woche."), ("de", "Das kostet 2000 Euro, 1900 Meter hoch."),
        ("de", "Kapitel 3.2, Version 5.1, um 8:30, 1.5 Liter"), ("de", "Er mag den Marsch, die Jahre und die Mailänder."),
        ("de", "Der erste Maibaum, zum zweiten Mal, ein halbes Jahr, die Dritten."), ("fr", "Les deux marsouins, une nuit, le premier maillot."),
        ("es", "Los tres mayores, medio año, el primero de la fila."), ("it", "Il primo maggiordomo, i tre marziani."),
        ("fr", "Le samedi je cours, tous les matins, chaque mardi."), ("fr", "Il a été malade, en 2000 mètres il marche en avant, un jour viendra."),
        ("fr", "La vitrine de Noël coûte 2000 euros."), ("es", "Los lunes corro por la mañana, cada domingo."), ("es", "El mar y el mes, 2000 euros."),
        ("pt", "Aos sábados, na segunda vez, a quinta pessoa, a sexta parte."), ("pt", "O maior marco, todos os domingos."),
        ("it", "Il sabato corro, di domenica dormo, ogni mese."), ("it", "La prima volta, il mare, 2000 euro."),
        ("nl", "Goedemorgen, 's morgens, elke zaterdag, zaterdags."), ("nl", "Voor het eerst, de mei van Gorter, 2000 euro."),
    ],
)  # fmt: skip
def test_what_is_no_time_or_any_is_none(code: str, text: str) -> None:
    assert find_times_abroad(text, language(code), at=NOW, zone=UTC, prefer="past") == []


@pytest.mark.parametrize(("code", "words"), [("de", "mit die im"), ("fr", "maintenant mais"), ("nl", "maar die"), ("pt", "ter este")])
def test_a_word_of_grammar_is_not_taken_for_the_beginning_of_a_time(code: str, words: str) -> None:
    assert not language(code).may_tell(words.split())
    assert language(code).may_tell([*words.split(), next(iter(language(code).time_words))])


def test_the_days_of_a_question_are_looked_for_as_the_index_has_them(mem: memdb.Memory) -> None:
    question = asked(mem, "Was habe ich am letzten Samstag gemacht?")
    assert question.times == ((datetime(2025, 9, 6, tzinfo=UTC), datetime(2025, 9, 7, tzinfo=UTC)),)
    assert (question.days, question.terms, question.topics) == (("06 September 2025",), ("gemacht",), ())


def test_a_month_of_any_year_is_meant_and_its_name_is_looked_for_too(mem: memdb.Memory) -> None:
    question = asked(mem, "Où étions-nous en mars ?")
    assert [f"{begins:%Y-%m}" for begins, _ in question.times[:2]] == ["2025-03", "2024-03"]
    assert (question.days, question.terms) == (("March 2025",), ("mars",))


def test_what_is_to_come_may_be_meant_where_nothing_tells_of_what_was(mem: memdb.Memory) -> None:
    assert [f"{begins:%m-%d}" for begins, _ in asked(mem, "Was habe ich am Freitag vor?").times] == ["09-05", "09-12"]
    assert [f"{begins:%m-%d}" for begins, _ in asked(mem, "Was habe ich am Freitag gekauft?").times] == ["09-05"]


@pytest.mark.parametrize(
    ("text", "first", "others"),
    [
        ("Letzten Samstag war ich mit Emil im Zoo, und gestern im Kino.", "09-06", ["09-09"]),
        ("Am Freitag haben wir den Zaun gestrichen.", "09-05", []),
        ("Am Freitag habe ich einen Termin beim Zahnarzt.", "09-12", []),
        ("Am Freitag war ich müde, aber am Samstag fahren wir weg.", "09-05", ["09-13"]),
        ("Ich laufe jeden Samstag mit den anderen.", None, []),
        ("Ich bin seit zwei Wochen krank und war gestern beim Arzt.", "09-09", []),
        ("Am Freitag kommt Besuch, alles Gute zur Gesundheit von uns.", "09-12", []),
        ("Am Freitag haben wir ihr ein Buch geschenkt.", "09-05", []),
        ("Am Freitag haben wir einen Termin reserviert.", "09-12", []),
        ("Am Freitag hat die Waschmaschine nicht funktioniert.", "09-05", []),
        ("Samedi dernier, nous avons mangé chez ma tante.", "09-06", []),
        ("Vendredi je vais chez le dentiste.", "09-12", []),
        ("Le samedi, je cours avec mes amis.", None, []),
        ("El viernes compré una bici para mi hija.", "09-05", []),
        ("El viernes miré una peli y preparé la cena con mi hija.", "09-05", []),
        ("El viernes iré con mi hija al cine.", "09-12", []),
        ("El viernes tengo una cita con el médico.", "09-12", []),
        ("Na sexta-feira comprei uma bicicleta para a minha filha.", "09-05", []),
        ("Venerdì ho comprato una bici per mia figlia.", "09-05", []),
        ("Venerdì vado dal dentista con mia figlia.", "09-12", []),
        ("Vrijdag heb ik een fiets voor mijn dochter gekocht.", "09-05", []),
        ("Vrijdag ga ik met mijn dochter naar de tandarts.", "09-12", []),
    ],
)
def test_the_days_that_a_message_tells_of_are_known(text: str, first: str | None, others: list[str]) -> None:
    assert told(text) == (first, others)
    assert told(unicodedata.normalize("NFD", text)) == (first, others)


def test_a_message_is_found_by_the_day_that_it_tells_of(mem: memdb.Memory) -> None:
    mem.observe("Vorgestern haben wir die Laube gestrichen.", user_id="me", timestamp="2025-09-03T10:00:00Z")
    mem.observe("Die Katze schläft nur noch auf dem Sofa.", user_id="me", timestamp="2025-09-08T10:00:00Z")
    mem.drain()
    [hit, *_] = mem.search("Was war am 1. September?", user_id="me", now=NOW, kinds=["message"])
    assert (str(hit.fact.event_time), hit.fact.value_text) == ("2025-09-01 00:00:00+00:00", "Vorgestern haben wir die Laube gestrichen.")


def test_no_facts_are_learned_from_other_languages(mem: memdb.Memory) -> None:
    mem.observe("I lördags flyttade jag till Lund, jag bor i Lund nu.", user_id="me", timestamp=NOW)
    mem.drain()
    assert mem.facts("me") == []


@pytest.mark.parametrize("code", CODES)
def test_no_word_of_theirs_counts_as_only_english(code: str) -> None:
    assert language(code).stop_words.isdisjoint(ONLY_ENGLISH)


@pytest.mark.parametrize("code", CODES)
def test_every_frame_fills_slots_that_there_are_with_words_that_english_reads(code: str) -> None:
    known = language(code)
    given = {"day", "number", "year", "iso"}
    for pattern, english in known.frames:
        wanted, filled = (set(re.findall(r"\{([a-z]+\d*)\}", text)) for text in (pattern, english))
        assert filled - {"lastyear", "nextyear"} <= wanted, pattern
        assert {slot.rstrip("2") for slot in wanted} <= given | known.words.keys(), pattern
    assert set(known.telling) <= known.words.keys()
    months = [form for forms in known.words["month"].values() for form in forms.split(",")]
    for form in months:
        assert find_times_abroad(f"5 {form} 2024 5. {form} 2024 5 de {form} de 2024", known, at=NOW, zone=UTC, prefer="past")


@pytest.mark.parametrize("code", CODES)
def test_hostile_text_is_read_in_time_that_grows_with_it(code: str) -> None:
    known = language(code)
    begun = time.perf_counter()
    for unit in ("a", "ge", "am 5. ", "le ", "de la ", "habe be", "tu m'as ", "1", " ", "5.", "x,", "há ", "hast du ", "in "):
        text = unit * (20_000 // len(unit))
        find_times_abroad(text[:4_000] + " 2024", known, at=NOW, zone=UTC, prefer="past")
        known.is_ahead(text)
        known.asks_user.search(text[:1_000])
        known.asks_assistant.search(text[:1_000])
        language_of(words_of(text))
    assert time.perf_counter() - begun < 30
