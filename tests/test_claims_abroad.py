"""What is believed of what somebody says of themselves in German, French and Spanish."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

import memdb
from memdb.claims_abroad import spoken_in, statements_in

NOW = datetime(2025, 3, 1, 10, tzinfo=UTC)

Tell = Callable[..., memdb.Memory]


def believed(mem: memdb.Memory) -> set[str]:
    return {f"{fact.key} {fact.value_text}" for fact in mem.facts("ana", kinds=["fact"], statuses=["active"])}


def in_english(text: str) -> list[str]:
    language = spoken_in(text)
    return [said for said, _ in statements_in(text, language, at=NOW, zone=UTC)] if language else []


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("ich wohne in köln", ["I live in köln"]),
        ("Seit drei Jahren lebe ich in Hamburg.", ["I live in Hamburg since 3 year ago"]),
        ("Ich habe am 12. März Geburtstag.", ["my birthday is on 12 March"]),
        ("Ich wohne in Bonn und arbeite jetzt bei SAP.", ["I live in Bonn", "I work at SAP now"]),
        ("Merk dir bitte, dass ich nicht mehr in Köln wohne.", ["I no longer live in Köln"]),
        ("j habite a lyon", ["I live in lyon"]),
        ("Je ne suis plus végétarienne.", ["I am no longer vegetarian"]),
        ("J'ai deux enfants, Léa et Jules.", ["I have 2 children, Léa and Jules"]),
        ("N'oublie pas que j'habite à La Rochelle.", ["I live in La Rochelle"]),
        ("vivo en malaga", ["I live in malaga"]),
        ("Ya no trabajo en Endesa.", ["I no longer work at Endesa"]),
        ("Hablo español, inglés y un poco de francés.", ["I speak Spanish, English and French"]),
        ("Ich mag Pizza und hasse Oliven.", ["I like Pizza", "I hate Oliven"]),
        ("Nací el 20 de octubre de 1985.", ["I was born on 20 October 1985"]),
    ],
)
def test_a_statement_is_said_in_english_with_its_values_as_they_were_said(text: str, english: list[str]) -> None:
    assert in_english(text) == english


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Meine Frau heißt Petra.", "user.wife User has a wife called Petra"),
        ("Ich arbeite als Krankenschwester.", "user.works_as User works as Krankenschwester"),
        ("Mein Bruder wohnt in Stuttgart.", "brother.lives_in User's brother lives in Stuttgart"),
        ("Notre chatte s'appelle Plume.", "user.pet User has a pet: cat called Plume"),
        ("Je suis allergique aux arachides.", "user.allergic_to User is allergic to arachides"),
        ("Me encanta la comida picante.", "user.likes User likes comida picante"),
        ("Soy de Granada.", "user.hometown User comes from Granada"),
    ],
)
def test_the_keys_are_those_of_english(tell: Tell, text: str, fact: str) -> None:
    assert fact in believed(tell(text))


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I adore jazz.", "user.likes User likes jazz"),
        ("We adore Paris!", "user.likes User likes Paris"),
        ("I like soy", "user.likes User likes soy"),
        ("I study AI", "user.studies User studies AI"),
    ],
)
def test_english_is_read_though_a_word_of_it_is_one_with_which_others_speak_of_themselves(tell: Tell, text: str, fact: str) -> None:
    assert fact in believed(tell(text))


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        ("Ich wohne in Köln.", "Ich bin letzte Woche nach Berlin gezogen.", {"user.lives_in User lives in Berlin"}),
        ("Ich mag Kaffee.", "Ich mag keinen Kaffee mehr.", set()),
        ("Je travaille chez Orange.", "J'ai quitté Orange.", set()),
        ("J'ai un chien qui s'appelle Max.", "Max est mort la semaine dernière.", set()),
        ("Mi novia se llama Laura.", "Laura y yo hemos roto.", {"user.relationship User is single"}),
        ("Vivo en Sevilla.", "Ich wohne nicht mehr in Sevilla.", set()),
    ],
)
def test_what_changes_or_ends_is_believed_no_longer(tell: Tell, before: str, after: str, left: set[str]) -> None:
    assert believed(tell(before, after)) == left


@pytest.mark.parametrize(
    "text",
    [
        "Wohne ich in Köln?", "Wenn ich in Rom wohnte, würde ich Eis essen.", "Er sagte: „Ich wohne in Paris.“", "Ich wohnte in Dresden.",
        "Ich lebe in Angst.", "Ich arbeite bei Nacht.", "Stell dir vor, ich wohne in Tokio.", "Übersetze bitte: Ich wohne in Paris.", "Ich wohne in der Nähe vom Bahnhof.",
        "J'habiterais bien à Lisbonne.", "J'habitais à Dijon.", "Si j'habite à Rome, tant mieux.", "Je viens de manger.", "Je travaille chez moi.", "J'aime l'idée.",
        "Si viviera en Roma, comería helado.", "Vivía en Burgos.", "Trabajo en Vigo.", "Vivo en las afueras.", "Me gusta el plan.", "Quizás vivo en Roma.",
        "Vivo en Roma is what he always says.",
    ],
)  # fmt: skip
def test_what_is_asked_supposed_past_or_no_such_thing_is_not_believed(tell: Tell, text: str) -> None:
    assert believed(tell(text)) == set()


@pytest.mark.parametrize(
    ("said", "question"),
    [("Ich wohne in Köln.", "Wo wohne ich?"), ("J'habite à Lyon.", "Où est-ce que j'habite ?"), ("Vivo en Sevilla.", "¿Dónde vivo yo?")],
)
def test_a_question_in_a_language_finds_the_fact_that_was_stated_in_it(tell: Tell, said: str, question: str) -> None:
    mem = tell("Ich war heute am Rhein, wo ich Brot kaufe.", said)
    assert mem.search(question, user_id="ana", now=NOW.replace(day=9), kinds=["fact"])[0].fact.key == "user.lives_in"


@pytest.mark.parametrize("piece", ["ich ", "ich wohne in ", "ich mag a und ", "Ich bin, ", "ich habe zwei Kinder, a, ", "„ich ", "seit "])
def test_the_time_grows_with_the_length_of_a_text(piece: str) -> None:
    in_english(piece)
    started = time.process_time()
    in_english(piece * (100_000 // len(piece)))
    assert time.process_time() - started < 20
