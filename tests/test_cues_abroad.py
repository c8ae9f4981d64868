"""What questions in other languages than English say about time without naming a date."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

import memdb
from memdb.answers import Question
from memdb.asked import match_expression
from memdb.asked_times import part_of_day
from memdb.cues import Change
from memdb.cues_abroad import change_abroad, first_talk_abroad, last_talk_abroad, order_abroad, said_abroad
from memdb.languages import CODES, Cue, language
from memdb.unspaced import beginning

NOW = datetime(2025, 9, 10, 12, tzinfo=UTC)  # a Wednesday


def asked(mem: memdb.Memory, query: str) -> Question:
    return mem.search(query, user_id="me", now=NOW).question


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("Wann war ich zuletzt in Wien?", "last"), ("Wie hieß der letzte Film, den ich sah?", "last"), ("Wann bin ich zum ersten Mal geflogen?", "first"),
        ("Wo war ich letzten Samstag?", None), ("Habe ich mich letztendlich dafür entschieden?", None), ("Was ist mein letzter Wille?", None),
        ("Quand ai-je vu Paul pour la dernière fois ?", "last"), ("Quel est le premier livre que j'ai lu ?", "first"),
        ("Où étais-je l'été dernier ?", None), ("Qu'ai-je fait au dernier moment ?", None),
        ("¿Cuándo vi a Ana por última vez?", "last"), ("¿Cuándo esquié por primera vez?", "first"), ("¿Qué hice por último con el coche?", None),
        ("Quando vi a Ana pela última vez?", "last"), ("Quando esquiei pela primeira vez?", "first"), ("O que comi na última semana?", None),
        ("Quando ho visto Anna l'ultima volta?", "last"), ("Quando ho sciato per la prima volta?", "first"), ("Chi è arrivata prima di me?", None),
        ("Wanneer heb ik Anna voor het laatst gezien?", "last"), ("Wanneer heb ik voor het eerst geskied?", "first"), ("Wat deed ik de laatste week van mei?", None),
    ],
)  # fmt: skip
def test_the_last_or_the_first_is_asked_for(mem: memdb.Memory, query: str, order: str | None) -> None:
    assert asked(mem, query).order == order


def test_the_last_is_found_before_what_its_words_would_find(mem: memdb.Memory) -> None:
    for day, what in (("02-01", "eine Kontrolle"), ("05-01", "eine Füllung"), ("08-01", "eine Krone")):
        mem.observe(f"Ich war beim Zahnarzt, es gab {what}.", user_id="me", timestamp=f"2025-{day}T09:00:00Z")
    mem.drain()
    hits = mem.search("Wann war ich zuletzt beim Zahnarzt?", user_id="me", now=NOW, kinds=["message"])
    assert (hits.question.terms, hits[0].fact.value_text) == (("zahnarzt",), "Ich war beim Zahnarzt, es gab eine Krone.")


@pytest.mark.parametrize(
    ("query", "present"),
    [
        ("Wo arbeite ich jetzt?", True), ("Wie heißt mein Chef?", True), ("Wohnt Jonas noch in Kassel?", True), ("Wo habe ich gearbeitet?", False),
        ("Was könnte ich kochen?", False), ("Wo habe ich den Schlüssel hingelegt?", False), ("Was hat sie daheim liegen lassen?", False),
        ("Où est-ce que j'habite maintenant ?", True), ("Quelle voiture ai-je ?", True), ("Où ai-je mis mes clés ?", False),
        ("Qu'est-ce que je pourrais cuisiner ?", False), ("Combien de temps suis-je restée à Rome ?", False),
        ("¿Dónde trabajo?", True), ("¿Todavía fumo con mis amigos?", True), ("¿Ya he comprado el pan?", False), ("¿Dónde puse las llaves?", False),
        ("Onde moro agora?", True), ("Onde pus as chaves?", False), ("O que ainda não li?", False),
        ("Dove abito adesso?", True), ("Qual è il mio lavoro?", True), ("Dove ho messo le chiavi?", False), ("Che cosa potrei cucinare?", False),
        ("Waar werk ik nu?", True), ("Wat is mijn huidige baan?", True), ("Waar heb ik mijn sleutels gelegd?", False), ("Wat zou ik kunnen koken?", False),
    ],
)  # fmt: skip
def test_what_is_so_now_is_asked_for_where_nothing_tells_of_what_was(mem: memdb.Memory, query: str, present: bool) -> None:
    assert asked(mem, query).present == present


@pytest.mark.parametrize(
    ("query", "former"),
    [
        ("Wo habe ich früher gearbeitet?", True), ("Wie hieß mein alter Chef?", True), ("Was esse ich nicht mehr?", True),
        ("Wer ist früher als ich aufgestanden?", False), ("Wie alt ist mein alter Hund?", False), ("Welche Stadt ist mehr als alt?", False),
        ("Où travaillais-je avant ?", True), ("Qui était mon ancien patron ?", True), ("Qu'est-ce que je ne mange plus ?", True),
        ("Qui est arrivé avant Paul ?", False), ("Quel film est le plus long ?", False), ("Qui a lu l'Ancien Testament chez nous ?", False),
        ("¿Dónde vivía antes?", True), ("¿Qué ya no como?", True), ("¿Quién llegó antes de las diez?", False), ("¿Cómo llego lo antes posible?", False),
        ("Onde eu morava antes?", True), ("O que eu não como mais?", True), ("Que cidade não é mais cara do que Lisboa?", False),
        ("Che cosa facevo prima?", True), ("Che cosa non mangio più?", True), ("Chi è arrivata prima?", False), ("Quanti anni ha la mia vecchia zia?", False),
        ("Waar woonde ik vroeger?", True), ("Wat eet ik niet meer?", True), ("Hoe oud is mijn oude kat?", False), ("Wie was er vroeger dan ik?", False),
    ],
)  # fmt: skip
def test_what_was_so_before_is_asked_for(mem: memdb.Memory, query: str, former: bool) -> None:
    question = asked(mem, query)
    assert (question.former, question.past or not former) == (former, True)


def test_what_was_so_before_is_found_first(mem: memdb.Memory) -> None:
    for value in ("Bei Siemens arbeiten", "Bei Bosch arbeiten"):
        mem.remember(value, user_id="me", key="user.employer")
    mem.drain()
    assert [hit.fact.value_text for hit in mem.search("Wo habe ich früher arbeiten müssen?", user_id="me")][:1] == ["Bei Siemens arbeiten"]


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Was habe ich in letzter Zeit gelesen?", ("gelesen",)), ("Wen habe ich neulich getroffen?", ("getroffen",)), ("Qu'ai-je lu récemment ?", ("lu",)),
        ("¿Qué he leído últimamente?", ("leído",)), ("Que livro li ultimamente?", ("livro", "li")), ("Che cosa ho letto di recente?", ("letto",)),
        ("Wat heb ik onlangs gelezen?", ("gelezen",)), ("Wie heb ik laatst ontmoet?", ("ontmoet",)),
    ],
)  # fmt: skip
def test_what_was_lately_is_of_the_last_thirty_days(mem: memdb.Memory, query: str, terms: tuple[str, ...]) -> None:
    question = asked(mem, query)
    assert (question.terms, [ends - begins for begins, ends in question.times]) == (terms, [timedelta(days=31)])


@pytest.mark.parametrize(
    ("code", "query", "since"),
    [
        ("de", "Worüber haben wir letztes Mal gesprochen?", False), ("de", "Was ist seit unserem letzten Gespräch passiert?", True),
        ("de", "Was habe ich beim letzten Gespräch mit Emil gesagt?", None), ("fr", "Que m’as-tu conseillé lors de notre dernière conversation ?", False),
        ("fr", "Quel était le sujet de la dernière conversation avec Paul ?", None), ("es", "¿De qué hablamos la última vez?", False),
        ("es", "¿Qué pasó la última vez en Roma?", None), ("pt", "De que falámos da última vez?", False), ("it", "Di che cosa abbiamo parlato l'ultima volta?", False),
        ("it", "Dove sono stato l'ultima volta?", None), ("nl", "Waar hebben we het de vorige keer over gehad?", False), ("nl", "Wie won de vorige keer?", None),
    ],
)  # fmt: skip
def test_the_last_conversation_is_meant(code: str, query: str, since: bool | None) -> None:
    found = last_talk_abroad(query, language(code))
    assert (found and found[1]) is since


@pytest.mark.parametrize(
    ("code", "query", "meant"),
    [
        ("de", "Worüber haben wir in unserem ersten Gespräch gesprochen?", True), ("de", "Was war unser erster Chat mit Emil?", False),
        ("fr", "De quoi avons-nous parlé lors de notre première conversation ?", True), ("fr", "Quelle a été notre première conversation avec Paul ?", False),
        ("es", "¿De qué hablamos la primera vez que hablamos?", True), ("es", "¿Qué pasó la primera vez en Roma?", False),
        ("pt", "Quando falámos pela primeira vez?", True), ("it", "Di che cosa abbiamo parlato nella nostra prima conversazione?", True),
        ("it", "Quando sono stato a Roma per la prima volta?", False), ("nl", "Waar ging ons eerste gesprek over?", True),
        ("nl", "Waar ging ons eerste gesprek met Jan over?", False),
    ],
)  # fmt: skip
def test_the_first_conversation_is_meant(code: str, query: str, meant: bool) -> None:
    assert (first_talk_abroad(query, language(code)) is not None) is meant


def test_in_another_language_the_first_conversation_is_that_of_the_first_day(mem: memdb.Memory) -> None:
    for day in ("04-10", "05-20"):
        mem.observe(f"Das Dach ist undicht, heute am {day}.", user_id="me", timestamp=f"2025-{day}T09:00:00Z")
    mem.drain()
    question = mem.search("Worüber haben wir in unserem ersten Gespräch gesprochen?", user_id="me", now=NOW).question
    assert question.days == ("10 April 2025",)


@pytest.mark.parametrize(
    "query",
    ["Was habe ich dir gerade gesagt?", "Qu'est-ce que je viens de te dire ?", "¿Qué te acabo de decir?",
     "O que acabei de te dizer?", "Che cosa ti ho appena detto?", "Wat heb ik je net verteld?", "Was habe ich dir heute Morgen erzählt?",
     "Qu'est-ce que je t'ai dit ce matin ?", "¿Qué te dije esta mañana?", "O que eu te disse hoje de manhã?", "Che cosa ti ho detto stamattina?",
     "Wat heb ik je vanochtend gezegd?", "Was habe ich dir in diesem Gespräch gesagt?", "Qu'est-ce que je t'ai dit dans cette conversation ?"],
)  # fmt: skip
def test_what_was_said_last_or_then_is_found_by_its_place(mem: memdb.Memory, query: str) -> None:
    for at, text in (("2025-09-09T08:00:00Z", "Die Lampe brennt."), ("2025-09-10T08:00:00Z", "Ich mag Quitten.")):
        mem.observe(text, "Gut.", user_id="me", timestamp=at, session_id=at)
    mem.drain()
    hits = mem.search(query, user_id="me", now=NOW, kinds=["message"])
    assert hits.question.said
    assert hits[0].fact.value_text == "Ich mag Quitten."


@pytest.mark.parametrize(
    ("code", "query"),
    [("de", "Was habe ich gerade gekauft?"), ("de", "Habe ich dir das gerade gesagt?"), ("fr", "Que viens-tu de faire ?"), ("es", "¿Qué acabo de comprar?"),
     ("it", "Che cosa ho appena comprato?"), ("nl", "Wat heb ik net gekocht?"), ("pt", "O que acabei de comprar?"), ("de", "Was habe ich dir über die Lampe gesagt?")],
)  # fmt: skip
def test_what_is_asked_for_by_more_than_its_place_is_found_by_that(code: str, query: str) -> None:
    assert said_abroad(query, language(code)) is None


@pytest.mark.parametrize(
    ("said", "query"),
    [("Die Wohnung ist zu laut.", "Welche Wohnungen habe ich mir angesehen?"), ("Wir haben drei Katzen gezählt.", "Wie alt war die Katze?"),
     ("Les voitures sont chères.", "Quelle voiture ai-je vue ?"), ("Il faut travailler dimanche.", "Quand est-ce que je travaille ?"),
     ("Las recetas son de Lola.", "¿De quién es la receta?"), ("L'amico di Luca suona.", "Come si chiama l'amica di mio fratello?"),
     ("As janelas ficaram abertas.", "Qual é a janela que ficou?"), ("De lampen waren stuk.", "Wat was er met de lampe?"),
     ("Моя сестра в отъезде.", "Что я подарил сестре?"), ("Czytam nową książkę.", "Jaka była ta książka?")],
)  # fmt: skip
def test_a_word_is_found_in_its_other_forms(mem: memdb.Memory, said: str, query: str) -> None:
    for text in (said, "Qwx."):
        mem.load([{"role": "user", "content": text, "timestamp": NOW, "session_id": text}], user_id="me")
    hits = mem.search(query, user_id="me", kinds=["message"])
    assert hits.question.by_beginning
    assert [hit.fact.value_text for hit in hits if hit.parts["lexical"] > 0] == [said]


@pytest.mark.parametrize("query", ["gym membership price", "Did I try the café?", "José concert tickets", "花 生 酱"])
def test_the_forms_of_english_words_are_known_to_the_index(mem: memdb.Memory, query: str) -> None:
    assert "*" not in match_expression(asked(mem, query))


def test_what_was_spoken_of_in_another_form_was_spoken_of(mem: memdb.Memory) -> None:
    mem.load([{"role": "user", "content": "Die Wohnung ist zu laut.", "timestamp": NOW}], user_id="me")
    assert mem.assess("Welche Wohnungen habe ich mir angesehen?", user_id="me").unspoken == ("angesehen",)
    assert mem.assess("Welche Garagen habe ich mir angesehen?", user_id="me").unspoken == ("garagen", "angesehen")


@pytest.mark.parametrize(
    ("word", "expression"),
    [("wohnungen", '"wohnung"*'), ("wohnung", '"wohnun"*'), ("hund", '"hund"*'), ("autos", '"auto"*'), ("uhr", '"uhr"'), ("a380b", '"a380b"'), ("花生酱油", '"花  生  酱  油"')],
)  # fmt: skip
def test_a_word_begins_with_all_but_its_ending(word: str, expression: str) -> None:
    assert beginning(word) == expression


@pytest.mark.parametrize(
    "query",
    ["Was habe ich an meinem Geburtstag gemacht?", "Qu'ai-je fait pour mon anniversaire ?", "¿Qué hice en mi cumpleaños?", "O que fiz no meu aniversário?",
     "Che cosa ho fatto al mio compleanno?", "Wat heb ik op mijn verjaardag gedaan?"],
)  # fmt: skip
def test_a_birthday_is_a_day_where_it_is_known(mem: memdb.Memory, query: str) -> None:
    assert asked(mem, query).days == ()
    mem.observe("My birthday is on 12 May", user_id="me", timestamp="2025-01-01T09:00:00Z")
    mem.drain()
    assert asked(mem, query).days == ("12 May 2025",)


@pytest.mark.parametrize(
    ("code", "query", "change"),
    [
        ("de", "Wo wohnte ich, bevor ich nach Köln umgezogen bin?", ("before", "gezogen")), ("de", "Was tat ich vor dem Essen?", None),
        ("fr", "Où habitais-je avant de déménager ?", ("before", "déménag")), ("fr", "Qu'ai-je lu avant le film ?", None),
        ("es", "¿Qué he comprado desde que me mudé?", ("after", "mud")), ("pt", "Onde morava antes de me mudar?", ("before", "mud")),
        ("it", "Dove abitavo prima di trasferirmi?", ("before", "trasfer")), ("nl", "Waar woonde ik voordat ik verhuisde?", ("before", "verhui")),
    ],
)  # fmt: skip
def test_the_change_that_a_question_counts_from_is_known(code: str, query: str, change: tuple[str, str] | None) -> None:
    assert change_abroad(query, language(code)) == (Change(way=change[0], stem=change[1]) if change else None)


@pytest.mark.parametrize(
    ("query", "order", "former"),
    [("Das war prima, wo war ich noch mit Emil?", None, False), ("What did the prima donna sing for la primera vez?", None, False),
     ("Ist das mein neuer Pullover, mais non?", None, False), ("Wie war das Buch “La última vez”?", None, False)],
)  # fmt: skip
def test_a_language_is_not_read_by_the_words_of_another(mem: memdb.Memory, query: str, order: str | None, former: bool) -> None:
    question = asked(mem, query)
    assert (question.order, question.former) == (order, former)


@pytest.mark.parametrize("code", CODES)
def test_each_language_has_every_cue_and_times_that_english_knows(code: str) -> None:
    known = language(code)
    assert set(known.cues) == set(get_args(Cue))
    assert all("{when}" in pattern for patterns in known.said.values() for pattern in patterns)
    here = {"last", "first", "beginning", "conversation", "earlier"}
    assert all(part_of_day(then, now=NOW, zone=UTC) for then in known.words["when"].keys() - here)


@pytest.mark.parametrize("code", CODES)
def test_hostile_questions_are_read_in_time_that_grows_with_them(code: str) -> None:
    known = language(code)
    begun = time.perf_counter()
    for unit in (
        "a",
        "a ",
        "e ich ",
        "was ",
        "wo ist ",
        "qui ",
        "dove ",
        "bevor ich ",
        "avant de ",
        "noch ",
        "prima ",
        "letzte ",
        "n'a ",
        "non ",
        "cuándo ",
    ):
        text = unit * (20_000 // len(unit))
        for cue in get_args(Cue):
            known.cue(cue, text[:1_000])
        order_abroad(text, known)
        said_abroad(f"was habe ich dir {text}", known)
        change_abroad(text, known)
    assert time.perf_counter() - begun < 30
