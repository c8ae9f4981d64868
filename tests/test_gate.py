"""What is not sure enough, not new, or nobody's business does not become a fact, and the turn's record says why."""

from __future__ import annotations

import json
import math
import re
import tomllib
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import JsonValue

import memdb
from memdb.embed import HashingEmbedder
from memdb.figures import told_apart
from memdb.files import read
from memdb.keys import names_another, says_no_more, says_otherwise
from memdb.llm import LanguageModel, ModelRequest, ScriptedModel
from memdb.privacy import secret_in, secret_in_details, topic_in, topic_of, without_secrets
from memdb.records import Candidate
from tests.embedders import Broken, OneMeaning, SoNear


def found(key: str, object: str, **more: Any) -> dict[str, Any]:
    """A fact that a model finds in a message in which nobody looks for its words, since it is in a language that nothing else reads."""
    return {"key": key, "object": object, "excerpt": "Dit is wat ik zeg", "value_text": f"User {key} {object}", "confidence": 0.95, **more}


def remembered(
    path: Path, *turns: list[dict[str, Any]], embedder: Any = None, **config: object
) -> tuple[list[memdb.Fact], list[memdb.TurnRecord]]:
    script = ScriptedModel([json.dumps({"facts": facts}) for facts in turns])
    llm = LanguageModel(script, name="scripted", attempts=1, backoff=0)
    settings = {"worker": False, "model_arbitrates": False, **config}
    with memdb.open(path / "mem.db", embedder=embedder, llm=llm, config=settings) as mem:
        for place in range(len(turns)):
            mem.observe("Dit is wat ik zeg.", user_id="ana", turn_id=f"t{place}", timestamp=f"2025-03-{1 + place:02}T10:00:00Z")
            mem.drain()
        return mem.facts("ana", now="2025-03-20"), mem.turns("ana")


def candidate(value_text: str, key: str = "user.note", object: str = "") -> Candidate:
    return Candidate(key=key, value_text=value_text, object=object or value_text, category="other", confidence=0.9, excerpt=value_text)


# confidence


def test_what_the_extractor_is_not_sure_of_is_no_new_fact_and_the_record_says_so(tmp_path: Path) -> None:
    facts, (turn,) = remembered(tmp_path, [found("user.likes", "jazz", confidence=0.6), found("user.likes", "tea", confidence=0.7)])
    assert [fact.object for fact in facts] == ["tea"]
    assert turn.notes == (memdb.Note(step="gate", key="user.likes", why="the extractor is only 0.60 sure of it, and 0.70 is wanted"),)


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (0.6, 0.7, ("0.60", "0.70")),
        (0.699999, 0.7, ("0.699999", "0.70")),
        (0.7, 0.705, ("0.70", "0.705")),
        (math.nextafter(0.7, 0), 0.7, ("0.6999999999999998", "0.70")),
        (-0.7, 0.7, ("-0.70", "0.70")),
    ],
)
def test_two_numbers_are_told_apart(one: float, other: float, told: tuple[str, str]) -> None:
    assert told_apart(one, other) == told


def test_what_is_nearly_sure_enough_is_told_to_be_less(mem: memdb.Memory) -> None:
    (refused,) = mem.write([{"text": "Likes blue", "confidence": 0.699999}], user_id="ana").rejected
    assert refused.reason == "not sure enough: 0.699999 is below 0.70"


def test_how_sure_is_a_setting(tmp_path: Path) -> None:
    facts, _ = remembered(tmp_path, [found("user.likes", "jazz", confidence=0.6)], gate_confidence=0.5)
    assert [fact.object for fact in facts] == ["jazz"]


def test_a_doubt_about_what_is_believed_passes_and_becomes_a_question(tmp_path: Path) -> None:
    facts, turns = remembered(tmp_path, [found("user.lives_in", "Porto")], [found("user.lives_in", "Lisbon", confidence=0.5)])
    assert [(fact.object, fact.status) for fact in facts] == [("Porto", "active"), ("Lisbon", "pending_confirmation")]
    assert turns[1].notes == ()


# novelty


def test_what_is_said_again_in_other_words_refreshes_the_fact(tmp_path: Path) -> None:
    facts, _ = remembered(tmp_path, [found("user.pet", "dog called Bica")], [found("user.pet", "a dog named Bica")], embedder=OneMeaning())
    assert [(fact.object, fact.seen_count, fact.confidence) for fact in facts] == [("dog called Bica", 2, 0.7)]


@pytest.mark.parametrize(("cosine", "seen"), [(0.9199, [1, 1]), (0.9201, [2])])
def test_what_is_said_in_other_words_is_the_same_from_a_cosine_of_092_on(tmp_path: Path, cosine: float, seen: list[int]) -> None:
    said = [found("user.pet", "dog called Bica")], [found("user.pet", "a dog named Bica")]
    facts, _ = remembered(tmp_path, *said, embedder=SoNear("named", cosine))
    assert [fact.seen_count for fact in facts] == seen


@pytest.mark.parametrize(("cosine", "kept"), [(0.9199, True), (0.9201, False)])
def test_a_note_is_no_news_from_a_cosine_of_092_on(tmp_path: Path, cosine: float, kept: bool) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=SoNear("brief", cosine), llm=None, config={"worker": False}) as mem:
        mem.write([{"text": "Prefers short answers", "kind": "note", "confidence": 0.9}], user_id="ana")
        mem.drain()
        told = mem.write([{"text": "Likes replies to be brief", "kind": "note", "confidence": 0.9}], user_id="ana")
        assert bool(told.accepted) is kept


@pytest.mark.parametrize("waits", [{"user_id": "bob", "kind": "note"}, {"user_id": "ana", "kind": "fact", "key": "user.pet"}])
def test_a_note_is_no_news_though_what_it_repeats_waits_for_its_vector_behind_others(tmp_path: Path, waits: dict[str, Any]) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=OneMeaning(), llm=None, config={"worker": False, "embed_batch": 1}) as mem:
        mem.write([{"text": "Prefers short answers", "kind": "note", "confidence": 0.9}], user_id="ana")
        mem.remember_many([{"value_text": "Owns a dog", **waits}])
        told = mem.write([{"text": "Likes replies to be brief", "kind": "note", "confidence": 0.9}], user_id="ana")
        assert told.accepted == ()


def test_the_same_sentence_under_another_key_is_the_same_fact(tmp_path: Path) -> None:
    keys = ("user.lives_in", "user.home_town")
    both = [{**found(key, "Lisbon"), "excerpt": "Lisbon", "value_text": "User lives in Lisbon"} for key in keys]
    llm = LanguageModel(ScriptedModel([json.dumps({"facts": [fact]}) for fact in both]), name="scripted", attempts=1, backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=OneMeaning(), llm=llm, config={"worker": False}) as mem:
        for day in (1, 2):
            mem.observe("Lisbon is home.", user_id="ana", timestamp=f"2025-03-0{day}")
            mem.drain()
        assert [(fact.key, fact.seen_count) for fact in mem.facts("ana")] == [("user.lives_in", 2)]


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("User is no longer allergic to pine nuts", "User is no longer allergic to pine nuts"),
        ("User is allergic to pine nuts", "No longer so: User is allergic to pine nuts"),
    ],
)
def test_a_denial_of_a_part_waits_however_unsure_the_extractor_is(tmp_path: Path, told: str, kept: str) -> None:
    """An unsure statement is refused where nothing is held, but a denial bears on what is: the words tell it once, whoever wrote them."""
    denied = found("user.allergic_to", "pine nuts", value_text=told, negated=True, confidence=0.5)
    facts, _ = remembered(tmp_path, [found("user.allergic_to", "nuts")], [denied], sensitive_topics="keep")
    assert [(fact.object, fact.status) for fact in facts] == [("nuts", "active"), ("pine nuts", "pending_confirmation")]
    assert facts[1].value_text == kept


NEVER_SWALLOWED: list[tuple[str, str, dict[str, Any]]] = [
    ("user.likes", "jazz", {"object": "tea"}),
    ("user.likes", "tea", {"object": "green tea"}),  # says more
    ("user.likes", "jazz", {"object": "jazz", "negated": True}),
    ("user.plans", "flying to Rome", {"object": "flying from Rome"}),
    ("user.owns", "2 cats", {"object": "3 cats"}),
    ("user.speaks", "German", {"object": "no German"}),
    ("user.prefers", "tea over coffee", {"object": "coffee over tea"}),
    ("user.allergic_to", "pine nuts", {"object": "nuts"}),  # the wider of two dangers
    ("user.allergic_to", "nuts", {"object": "nuts", "value_json": {"polarity": "negative"}, "negated": True}),
    ("user.meets", "Rui on Monday", {"object": "Rui on Tuesday"}),
    ("user.prefers", "window seats", {"object": "aisle seats"}),
]


@pytest.mark.parametrize(("key", "held", "said"), NEVER_SWALLOWED, ids=[str(case[2]["object"]) for case in NEVER_SWALLOWED])
def test_what_differs_in_a_word_is_never_swallowed_however_near_it_is(tmp_path: Path, key: str, held: str, said: dict[str, Any]) -> None:
    remembered(tmp_path, [found(key, held)], [found(key, **said)], embedder=OneMeaning())
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        assert [change.reason for change in mem.history(user_id="ana") if "other words" in change.reason] == []
        assert len(mem.history(user_id="ana")) >= 2


def test_lisbon_does_not_repeat_porto(tmp_path: Path) -> None:
    facts, _ = remembered(
        tmp_path, [found("user.lives_in", "Porto")], [found("user.lives_in", "Lisbon", explicit=True)], embedder=OneMeaning()
    )
    assert [fact.object for fact in facts] == ["Lisbon"]


def test_what_is_far_in_meaning_is_new(tmp_path: Path) -> None:
    two = [
        [found("user.pet", name, value_text=text)]
        for name, text in (("dog called Bica", "Walks Bica"), ("dog named Bica", "Owns a hound, Bica"))
    ]
    facts, _ = remembered(tmp_path, *two, embedder=HashingEmbedder(64))
    assert [fact.object for fact in facts] == ["dog called Bica", "dog named Bica"]


def test_a_broken_embedder_costs_no_fact(tmp_path: Path) -> None:
    facts, turns = remembered(tmp_path, [found("user.pet", "dog called Bica")], [found("user.pet", "dog named Bica")], embedder=Broken())
    assert len(facts) == 2
    assert {turn.status for turn in turns} == {"done"}


def test_the_embedder_is_only_asked_about_what_words_do_not_settle(tmp_path: Path) -> None:
    embedder = OneMeaning()
    remembered(tmp_path, [found("user.likes", "jazz")], [found("user.likes", "jazz")], embedder=embedder)
    assert embedder.asked == 2  # a batch of vectors for each turn, and nothing else


def held_and_said(path: Path, held: list[dict[str, Any]], said: dict[str, Any], **settings: Any) -> list[memdb.Change]:
    """What becomes of a fact that is said when others are held."""
    remembered(path, held, [said], **settings)
    with memdb.open(path / "mem.db", embedder=None) as mem:
        return [change for change in mem.history(user_id="ana") if change.turn_id == "t1"]


def test_the_nearest_is_looked_for_among_everything_believed_under_whatever_key(tmp_path: Path) -> None:
    others = [found(f"user.thing_{place}", f"thing {place}") for place in range(30)]
    home = found("user.home_town", "Lisbon", value_text="User lives in Lisbon")
    (change,) = held_and_said(
        tmp_path, [*others, home], found("user.lives_in", "Lisbon", value_text="User lives in Lisbon"), embedder=HashingEmbedder(64)
    )
    assert (change.operation, change.key) == ("noop", "user.home_town")
    assert "cosine 1.00" in change.reason


@pytest.mark.parametrize("waits", [True, False], ids=["without a vector yet", "with a vector"])
def test_a_fact_is_compared_whether_or_not_its_vector_is_written(tmp_path: Path, waits: bool) -> None:
    script = ScriptedModel([json.dumps({"facts": [found("user.pet", name)]}) for name in ("dog called Bica", "dog named Bica")])
    llm = LanguageModel(script, name="scripted", attempts=1, backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=OneMeaning(), llm=llm, config={"worker": False}) as mem:
        for _ in range(2):
            mem.observe("Dit is wat ik zeg.", user_id="ana")
            assert waits or mem.drain()
        mem.drain()  # which takes both turns before any vector
        assert [(fact.object, fact.seen_count) for fact in mem.facts("ana")] == [("dog called Bica", 2)]


def test_a_fact_of_another_user_or_one_that_is_over_is_repeated_by_nobody(tmp_path: Path) -> None:
    script = ScriptedModel([json.dumps({"facts": [found("user.pet", name)]}) for name in ("dog called Bica", "dog named Bica") * 2])
    llm = LanguageModel(script, name="scripted", attempts=1, backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=OneMeaning(), llm=llm, config={"worker": False}) as mem:
        for user in ("ana", "bob", "cem", "cem"):
            mem.observe("Dit is wat ik zeg.", user_id=user)
            mem.drain()
            mem.end(mem.facts(user)[0].fact_id)
        assert {change.operation for change in mem.history()} == {"insert", "expire"}


@pytest.mark.parametrize(
    ("said", "known", "no_more"),
    [("dog named Bica", "dog called Bica", True), ("peanut", "peanuts", True), ("the sea", "sea", True), ("Lisbon", "Porto", False),
     ("green tea", "tea", False), ("tea", "green tea", True), ("tea over coffee", "coffee over tea", False), ("glass", "glas", False), ("not jazz", "jazz", False)],
)  # fmt: skip
def test_the_words_of_an_object_say_whether_it_says_more(said: str, known: str, no_more: bool) -> None:
    assert says_no_more(said, known) is no_more


@pytest.mark.parametrize(
    ("text", "known", "changed", "another"),
    [
        ("York", "New York", False, True), ("New York", "York", False, True), ("South Korea", "Korea", False, True),
        ("york", "New York", False, True), ("Maria", "Rita Maria", False, True), ("New York, New York", "York", False, True),
        ("Atlanta, GA", "Atlanta", True, False), ("Rita Maria", "Rita", False, False), ("New York, New York", "New York", False, False),
        ("Lisbon, Portugal", "Portugal", True, False), ("Lisbon in Portugal", "Portugal", True, False), ("The Hague", "Hague", True, False),
        ("red Volvo", "Volvo", True, False), ("head nurse", "nurse", False, False), ("head nurse", "nurse", True, False),
        ("new york", "York", False, False), ("new york", "York", True, True), ("York", "new york", True, True),
        ("York", "Leeds", True, False), ("", "York", True, False), ("🙂", "…", True, False),
    ],
)  # fmt: skip
def test_words_in_front_of_a_name_make_another_name(text: str, known: str, changed: bool, another: bool) -> None:
    assert names_another(text, known, changed=changed) is another


@pytest.mark.parametrize(
    ("text", "known", "otherwise"),
    [
        ("Child does not like to be interrupted", "Child likes to be interrupted", True),
        ("Child dislikes to be interrupted", "Child likes to be interrupted", True), ("Is happy", "Is unhappy", True),
        ("She doesn't eat", "She does eat", True), ("Pay the rent for March", "Pay the rent for April", True),
        ("Call at 5", "Call at 6", True), ("Has 2 cats", "Has two cats", False), ("Never late", "Always on time", True),
        ("Child likes pictures", "Child prefers pictures", False), ("Doesn't like noise", "Does not like noise", False),
    ],
)  # fmt: skip
def test_a_denial_or_another_number_says_something_else(text: str, known: str, otherwise: bool) -> None:
    assert says_otherwise(text, known) is otherwise


@pytest.mark.parametrize("kind", ["note", "task", "episode", "fact"])
@pytest.mark.parametrize("then", ["Child does not like to be interrupted", "Child likes to be interrupted at 5"])
def test_what_is_near_but_says_otherwise_is_new(tmp_path: Path, kind: str, then: str) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=OneMeaning(), llm=None, config={"worker": False}) as mem:
        mem.consent("ana", sensitive_topics="keep")
        for text in ("Child likes to be interrupted", then):
            assert mem.write([{"kind": kind, "text": text}], user_id="ana").rejected == ()


# what is nobody's business


SECRETS = [
    ("User has the card 4111 1111 1111 1111", "card number"),
    ("User pays with 5500-0000-0000-0004", "card number"),
    ("User has the card 4111 1111 1111 1111 12/27", "card number"),
    ("User is no 2 4111 1111 1111 1111", "card number"),
    ("User's account is DE89 3704 0044 0532 0130 00", "account number"),
    ("User pays from DE89 3704 0044 0532 0130 00 BIC COBADEFF", "account number"),
    ("User's password is hunter2", "password"),
    ("User has the password for the bank: swordfish", "password"),
    ("User's password's hunter2", "password"),
    ("User has changed the password for the router to Tulip77", "password"),
    ("User has set the wifi password to swordfish.", "password"),
    ("User uses hunter2 as the password of the router", "password"),
    ("swordfish is my wifi password", "password"),
    ("User has the pw: Tulip77", "password"),
    ("User is ana there, and the pass is Tulip77!", "password"),
    ("User's PIN is 4711", "security code"),
    ("User's alarm code is 9911", "security code"),
    ("The code for the alarm at home is 9911", "security code"),
    ("User opens with code 2580 for the gate", "security code"),
    ("The combination to the safe is 12-34-56", "security code"),
    ("User has the bank account number 12345678", "account number"),
    ("User's sort code is 12-34-56", "account number"),
    ("User's SSN is 078-05-1120", "national id"),
    ("User has passport number X1234567", "national id"),
    ("User has the passport no. 12AB34567", "national id"),
    ("User's passport is C01X00T47", "national id"),
    ("User's national insurance number is QQ 12 34 56 C", "national id"),
    ("User has the tax id 2019 1234 56", "national id"),
    ("User has the number 12345678Z", "national id"),
    ("User uses the key sk-proj-abcdefghijklmnop1234", "access key"),
    ("User's token is ghp_abcdefghijklmnopqrstuvwx", "access key"),
]


@pytest.mark.parametrize(("text", "kind"), SECRETS)
def test_a_secret_is_recognised(text: str, kind: str) -> None:
    assert secret_in(candidate(text)) == kind


@pytest.mark.parametrize(
    "text",
    ["User lives in Porto", "User has the number 12345678z", "User forgot the password", "User likes the number 4111 1111 1111 1112", "User booked GB82 WEST 1234 5698 7654 33", "User was born on 12 September 1990",
     "User renews the passport by 1 July 2025", "User's passport runs out in 2027 because of that", "User's ID card expires on 2027-07-01",
     "User's driving licence is good until 01.07.2029", "User has lost the passport 3 times in 12 years",
     "User changed the password to something stronger", "User changed the password to protect the account", "This is the password reset page",
     "Tom is the password admin", "What is my password?", "User pays 200 pw: cheap", "User's ski pass is 5 days long", "User has the area code 212", "User changed the gate code in 2019",
     "User has code 20 for shoes", "User's account manager is Tom of room 1234567",
     "User has 3 cats and 12 fish", "User calls from +4111 1111 1111 1111", "User called on 2025-03-01 10:00", "User's phone number is +351 912 345 678", "User pinned 4711 photos"],
)  # fmt: skip
def test_what_only_looks_like_a_secret_is_none(text: str) -> None:
    assert secret_in(candidate(text)) is None


@pytest.mark.parametrize(
    ("details", "kind"),
    [
        ({"card": "4111 1111 1111 1111"}, "card number"),
        ({"cardNumber": 4111111111111111}, "card number"),
        ({"paid": [{"with": "GB82 WEST 1234 5698 7654 32"}]}, "account number"),
        ([1, "4111 1111 1111 1111"], "card number"),
        ({"wifiPassword": "hunter2"}, "password"),
        ({"note": "the password is hunter2"}, "password"),
        ({"pin": 4711}, "security code"),
        ({"passport": "X1234567"}, "national id"),
        ({"api-key": "abc"}, "access key"),
        ({"id": "ghp_abcdefghijklmnopqrstuvwx"}, "access key"),
        ({"sort_code": "123"}, "account number"),
        ({"sort_code": "12"}, None),
        ({"order_id": 4111111111111111, "created_at": "4111111111111111"}, None),
        ({"turn_range": ["ab4111111111111111cdef0123456789", "AB411111-1111-1111-11cd-ef0123456789"]}, None),
        ({"turn_range": ["4111111111111111"]}, "card number"),
        ({"turn_range": ["4111 1111 1111 1111 and ab4111111111111111cdef0123456789"]}, "card number"),
        ({"passport": "Portuguese", "credit_card": "Visa", "pin": 13, "login": "ana", "lastLogin": "2026-11-24T07:11:11Z"}, None),
        ({"hasPassword": True, "password": None, "api_key": " ", "lat": 41.1579438, "steps": [1, 2]}, None),
        ({"subject": "user", "predicate": "password", "object": "forgot it", "polarity": "negative"}, None),
    ],
)
def test_a_secret_is_recognised_in_details(details: JsonValue, kind: str | None) -> None:
    assert secret_in_details(details) == kind
    assert secret_in(candidate("User likes tea").model_copy(update={"value_json": details})) == kind


@pytest.mark.parametrize(
    ("details", "topic"),
    [
        ({"salary": 90_000}, "money"),
        ({"because": ["HIV positive"]}, "health"),
        ({"why": {"faith": "catholic"}}, "religion"),
        ({"phone": "912 345 678"}, "contact"),
        ({"reach": "ana@example.org"}, "contact"),
        ({"por": "asma"}, "health"),
        ({"id": 912345678, "lat": 41.1579438, "created": "2026-11-24T07:11:11Z", "handle": "@ana"}, None),
        ({"object": "catholic"}, None),
        ({"who": {"object": "catholic"}}, "religion"),
    ],
)
def test_a_sensitive_topic_is_recognised_in_details(details: JsonValue, topic: str | None) -> None:
    assert topic_of(candidate("User likes tea").model_copy(update={"value_json": details})) == topic


def test_a_secret_is_recognised_in_the_words_and_in_the_object() -> None:
    assert secret_in(candidate("User has the card 4111 1111 1111 1111", object="that")) == "card number"
    assert secret_in(candidate("User has that", object="4111 1111 1111 1111")) == "card number"


def test_a_key_can_name_a_topic() -> None:
    assert topic_in("user.blood_type", "User is 0 negative") == "health"
    assert topic_in("user.religion", "User is Quaker") == "religion"


def test_a_key_can_name_a_secret() -> None:
    assert secret_in(candidate("User hunter2", key="user.wifi_password", object="hunter2")) == "password"
    assert secret_in(candidate("User enters 9911", key="user.alarm_code", object="9911")) == "security code"
    assert secret_in(candidate("User forgot it", key="user.wifi_password", object=" ")) is None
    over = candidate("User hunter2", key="user.wifi_password", object="hunter2").model_copy(update={"negated": True})
    assert secret_in(over) is None


def test_secrets_are_refused_and_blacked_out_of_excerpts_but_the_message_stays(tmp_path: Path) -> None:
    said = "I like jazz and my card is 4111 1111 1111 1111."
    both = [found("user.likes", "jazz", excerpt=said), found("user.card", "4111 1111 1111 1111", excerpt=said)]
    llm = LanguageModel(ScriptedModel([json.dumps({"facts": both})]), name="scripted", backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config={"worker": False}) as mem:
        mem.observe(said, user_id="ana")
        mem.drain()
        (fact,) = mem.facts("ana")
        assert (fact.object, fact.source_excerpt) == ("jazz", "I like jazz and my card is ███████████████████.")
        assert [note.why for note in mem.turns("ana")[0].notes] == ["it holds a secret (card number), and none is to be kept"]
        assert mem.search("card", user_id="ana")[0].fact.value_text == said


def test_what_is_named_as_a_password_is_no_fact_under_another_name(tmp_path: Path) -> None:
    said = "My password is swordfish, and I like jazz."
    both = [found("user.likes", "jazz", excerpt="I like jazz"), found("user.favourite_fish", "swordfish", excerpt=said)]
    llm = LanguageModel(ScriptedModel([json.dumps({"facts": both})]), name="scripted", backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config={"worker": False}) as mem:
        mem.observe(said, user_id="ana")
        mem.drain()
        assert [fact.object for fact in mem.facts("ana")] == ["jazz"]
        assert [note.why for note in mem.turns("ana")[0].notes] == ["it holds what is named as a secret beside it, and none is to be kept"]


TOPICS = [
    ("User is allergic to peanuts", "health"), ("User was diagnosed with asthma", "health"), ("User is gay", "sexuality"),
    ("User is a practising catholic", "religion"), ("User voted for the greens", "politics"), ("User earns €3000", "money"),
    ("User writes from ana@example.org", "contact"), ("User was arrested once", "crime"), ("User likes jazz", None), ("User lives in Porto", None),
    ("User has migraines", "health"), ("User has high blood pressure", "health"), ("User lives with Parkinson's", "health"), ("User takes statins", "health"),
    ("User's mum has dementia", "health"), ("User has an eating disorder", "health"), ("User is deaf in one ear", "health"), ("User is trans", "sexuality"),
    ("User keeps kosher", "religion"), ("User goes to mass on Sundays", "religion"), ("User voted Labour", "politics"), ("User is on a student visa", "origin"),
    ("User is on benefits", "money"), ("User was sexually assaulted", "crime"), ("User had a stroke of luck", None), ("User was broke once", None),
    ("User prefers a pillow", None), ("User rides the trans-Siberian", None),
]  # fmt: skip


ABROAD: list[tuple[str, str | None]] = [
    ("La usuaria está embarazada", "health"), ("Tiene ca\u0301ncer", "health"), ("Er hat Krebs", "health"), ("Ona jest w ciąży", "health"),
    ("Меня мучает астма", "health"), ("用户有糖尿病", "health"), ("저는 우울증이 있어요", "health"), ("मुझे मधुमेह है", "health"),
    ("Lei è lesbica", "sexuality"), ("他是同性恋", "sexuality"), ("Sou católica", "religion"), ("أنا مسلم", "religion"),
    ("Voté por el PSOE", "politics"), ("Elle est demandeuse d’asile", "origin"), ("彼は給料が少ない", "money"), ("Zij heeft schulden", "money"),
    ("J'ai été condamné à deux ans", "crime"),
    # words that only look like it, there or in another language
    ("Me gustan las judías verdes", None), ("Cristiano Ronaldo marcou", None), ("Il bambino va all'asilo", None), ("Je suis revenu hier", None),
    ("Jag har en lång sida", None), ("Ma długie włosy", None), ("ドローンを買った", None), ("我们透析这个问题", None), ("게이머예요", None),
    ("انقرضت الديناصورات", None), ("User has a golf handicap of nine", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "topic"), [*TOPICS, *ABROAD])
def test_a_sensitive_topic_is_recognised(text: str, topic: str | None) -> None:
    assert topic_of(candidate(text)) == topic


def test_what_is_filed_under_health_is_about_health_whatever_its_words() -> None:
    assert topic_of(candidate("User has the sniffles").model_copy(update={"category": "health"})) == "health"


CONTACTS = [
    "Reach her at ana@example.org", "+351 912 345 678", "+351912345678", "0044 20 7946 0958", "020 7946 0958", "(212) 555-1234", "212-555-1234",
    "212.555.1234", "1-800-555-1234", "912 345 678", "912345678", "2125551234", "12125551234", "06 12 34 56 78", "06.12.34.56.78", "0171/1234567", "22 33 44 55",
    "9123 4567", "+49 (0)171 1234567", "Call me at 555-1234", "mobile: 96123456", "Call 912 345 678 on 2026-06-02", "Order 12345678, or call 912 345 678",
]  # fmt: skip


@pytest.mark.parametrize("text", CONTACTS)
def test_a_phone_number_or_an_e_mail_address_is_a_contact(text: str) -> None:
    assert topic_of(candidate(text)) == "contact"


NO_CONTACTS = [
    "Meeting on 2025-06-01", "Meeting on 01.06.2025", "Meeting on 1/6/2025", "Meeting at 2025-06-01 10:30", "Meeting at 2025-06-01T10:30:00+00:00",
    "Remind me to call mum on 2026-06-02", "from 2025-06-01 to 2025-07-01", "2025-06-01 - 2025-07-01", "Lived there 2019-2024", "2019, 2020 and 2021", "2019 2020 2021",
    "call at 10.30-12.45", "10:30-12:45", "pi is 3.14159265358979", "38.7223, -9.1393", "costs 1,234,567.89", "costs 1.234.567,89", "1 234 567 people", "$1234567890",
    "912345678 euros", "€ 912 345 678", "Order 912345678", "order number 123-4567890-1234567", "Invoice no. 2024-0012", "tracking id: 4005551234", "ISBN 978-3-16-148410-0",
    "#912345678", "Python 3.11.4", "Windows 10.0.19045.3693", "version 912345678", "IP 192.168.100.100", "1717171717", "20250601", "20250601103000", "1920x1080", "AB123456789",
    "ran 10000000 steps",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_CONTACTS)
def test_other_numbers_are_no_contact(text: str) -> None:
    assert topic_of(candidate(text)) is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("My password is: hunter2, keep it.", "My █████████████████████ keep it."),
        ("Mon mot de passe est : soleil12", "Mon ███████████████████████████"),
        ("It is 4111 1111 1111 1111 12/27 123.", "It is " + "█" * 19 + " 12/27 123."),
        ("My password is hunter2, keep it.", "My ████████████████████ keep it."),
        ("My PIN is 4821. I typed 4821, not 48210.", "My ███████████. I typed ████, not 48210."),
        ("Use hunter2 as my password, hunter2.", "Use " + "█" * 22 + ", ███████."),
        ("It opens with code 9911 for the alarm. The alarm wants 9911.", "It opens with █████████ for the alarm. The alarm wants ████."),
        ("My password is wrong, and something else is wrong.", "My ██████████████████ and something else is wrong."),
        ("Mein Passwort ist geheim1!", "Mein " + "█" * 21),
        ("Mi contraseña es abc y ya", "Mi █████████████████ y ya"),
        ("Мой пароль: hunter2", "Мой ███████████████"),
        ("我的密码是abc123。", "我的" + "█" * 9 + "。"),
        ("パスワード\uff1ahunter2", "█" * 13),
        ("비밀번호는 1234야", "█" * 11),
        ("Wie ist mein Passwort?", "Wie ist mein Passwort?"),
        ("密码是什么", "密码是什么"),
        ("J'ai oublié mon mot de passe.", "J'ai oublié mon mot de passe."),
    ],
)
def test_a_password_is_blacked_out_whole_in_any_of_many_languages(text: str, left: str) -> None:
    assert without_secrets(text) == left


def test_without_secrets_leaves_other_text_alone() -> None:
    assert without_secrets("I like jazz.") == "I like jazz."


def ill(mem: memdb.Memory, times: int = 1) -> list[tuple[str, str]]:
    for _ in range(times):
        mem.observe("I'm allergic to peanuts and I like jazz.", user_id="ana", timestamp="2025-03-01")
        mem.drain()
    return [(fact.object, fact.status) for fact in mem.facts("ana", now="2025-03-02")]


@pytest.mark.parametrize("topic", tomllib.loads(read("rules/private.toml"))["topics"])
def test_a_topic_is_looked_for_in_small_letters(topic: str) -> None:
    pattern = str(tomllib.loads(read("rules/private.toml"))["topics"][topic])
    assert not re.search(r"[A-Z]", re.sub(r"\\.|\(\?P[<=]", "", pattern)), "a capital would never be found"


@pytest.mark.parametrize(
    "text", ["Has DIABETES", "Is a CATHOLIC", "MAIL ME: ANA@EXAMPLE.COM", "Call +351 912 345 678", "TEL 912345678", "Tiene CÁNCER"]
)
def test_a_topic_is_found_in_capital_letters_too(text: str) -> None:
    assert topic_in("user.note", text) is not None


@pytest.mark.parametrize(
    ("choice", "held"),
    [("keep", [("peanuts", "active"), ("jazz", "active")]), ("ask", [("peanuts", "pending_confirmation"), ("jazz", "active")]), ("refuse", [("jazz", "active")])],
)  # fmt: skip
def test_a_user_chooses_what_becomes_of_sensitive_topics(
    mem: memdb.Memory, choice: Literal["keep", "ask", "refuse"], held: list[tuple[str, str]]
) -> None:
    assert mem.consent("ana", sensitive_topics=choice) == memdb.Consent(sensitive_topics=choice)
    assert ill(mem, times=3) == held
    assert mem.consent("bea") == memdb.Consent()


def test_one_choice_leaves_the_other_as_it_was(mem: memdb.Memory) -> None:
    mem.consent("ana", sensitive_topics="refuse", secrets="keep")
    assert mem.consent("ana", secrets="refuse") == memdb.Consent(sensitive_topics="refuse", secrets="refuse")
    assert mem.consent("ana", sensitive_topics="keep") == memdb.Consent(sensitive_topics="keep", secrets="refuse")


def test_what_is_sensitive_is_believed_only_with_the_user_s_leave(mem: memdb.Memory) -> None:
    mem.observe("I'm allergic to peanuts.", user_id="ana", timestamp="2025-03-01")
    mem.drain()
    [fact] = mem.facts("ana", now="2025-03-02")
    assert (fact.status, fact.object) == ("pending_confirmation", "peanuts")
    assert "peanuts" in (mem.context("What shall we eat?", user_id="ana", now="2025-03-02").question or "")
    assert mem.confirm(fact.fact_id).status == "active"


@pytest.mark.parametrize(("choice", "status"), [("keep", "active"), ("refuse", "expired"), ("ask", "pending_confirmation")])
def test_what_waits_for_leave_is_believed_or_dismissed_when_the_user_chooses(
    mem: memdb.Memory, choice: Literal["keep", "ask", "refuse"], status: str
) -> None:
    mem.consent("ana", sensitive_topics="ask")
    ill(mem)
    (waiting,) = mem.facts("ana", statuses=["pending_confirmation"])
    mem.consent("ana", sensitive_topics=choice)
    fact = mem.fact(waiting.fact_id)
    assert (fact.status, fact.confidence, fact.last_mentioned_at) == (status, waiting.confidence, waiting.last_mentioned_at)
    assert (mem.context("dinner", user_id="ana", now="2025-03-02").question is None) is (choice != "ask")


def test_what_there_is_leave_for_goes_with_its_turn(mem: memdb.Memory) -> None:
    mem.observe("I'm allergic to peanuts.", user_id="ana", turn_id="t1", timestamp="2025-03-01")
    mem.drain()
    mem.consent("ana", sensitive_topics="keep")
    assert mem.undo(user_id="ana", turn_id="t1").ended == 1
    assert mem.facts("ana") == []


@pytest.mark.parametrize(("choice", "status"), [("keep", "active"), ("refuse", "expired")])
def test_what_waits_again_when_a_turn_is_taken_back_is_decided_by_what_was_chosen_since(
    mem: memdb.Memory, choice: Literal["keep", "refuse"], status: str
) -> None:
    for turn_id, text in (("t1", "I have diabetes."), ("t2", "I don't have diabetes.")):
        mem.observe(text, user_id="ana", turn_id=turn_id, timestamp=f"2025-03-0{turn_id[1:]}")
        mem.drain()
    (dismissed,) = mem.facts("ana", statuses=["expired"])
    mem.consent("ana", sensitive_topics=choice)
    mem.undo(user_id="ana", turn_id="t2")
    assert mem.fact(dismissed.fact_id).status == status


def test_leave_to_remember_is_no_answer_to_what_was_written_by_hand(tmp_path: Path, mem: memdb.Memory) -> None:
    mem.session("ana", now="2025-03-01").close()
    page = tmp_path / "memory.md"
    page.write_text(f"{page.read_text()}\n- I have diabetes\n")
    mem.session("ana", now="2025-03-02").close()
    mem.consent("ana", sensitive_topics="keep")
    assert [(fact.object, fact.status) for fact in mem.facts("ana", kinds=["fact"])] == [("diabetes", "pending_confirmation")]


def test_leave_to_remember_decides_no_conflict(mem: memdb.Memory) -> None:
    for text, day in (("My salary is 40,000 euros.", "03-01"), ("My salary is 50,000 euros.", "06-01")):
        mem.observe(text, user_id="ana", timestamp=f"2025-{day}")
        mem.drain()
    mem.consent("ana", sensitive_topics="keep")
    assert [(fact.object, fact.status) for fact in mem.facts("ana")] == [
        ("40,000 euros", "active"), ("50,000 euros", "pending_confirmation")
    ]  # fmt: skip


def test_that_something_sensitive_is_over_is_taken_in_whatever_is_to_be_kept(mem: memdb.Memory) -> None:
    mem.consent("ana", sensitive_topics="keep")
    ill(mem)
    mem.consent("ana", sensitive_topics="refuse")
    mem.observe("I'm no longer allergic to peanuts.", user_id="ana", timestamp="2025-03-02")
    mem.drain()
    assert mem.facts("ana", key="user.allergic_to", statuses=["active"], now="2025-03-03") == []


def test_secrets_are_kept_where_the_user_wants_it(tmp_path: Path) -> None:
    said = "My card is 4111 1111 1111 1111."
    llm = LanguageModel(ScriptedModel([json.dumps({"facts": [found("user.card", "4111 1111 1111 1111", excerpt=said)]})]), name="scripted")
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config={"worker": False}) as mem:
        mem.consent("ana", secrets="keep")
        mem.observe(said, user_id="ana")
        mem.drain()
        assert [(fact.object, fact.source_excerpt) for fact in mem.facts("ana")] == [("4111 1111 1111 1111", said)]


def test_a_setting_chooses_for_whoever_did_not(tmp_path: Path) -> None:
    config = {"worker": False, "sensitive_topics": "refuse"}
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config=config) as mem:
        assert ill(mem) == [("jazz", "active")]
        assert [note.why for note in mem.turns("ana")[0].notes] == ["it is about health, of which nothing is to be kept"]
        mem.consent("ana", sensitive_topics="keep")
        assert ill(mem) == [("peanuts", "active"), ("jazz", "active")]


def test_what_was_sensitive_once_waits_for_leave_too(mem: memdb.Memory) -> None:
    for text, day in (("My salary is 50,000 euros.", "06-01"), ("My salary is 40,000 euros.", "03-01")):
        mem.observe(text, user_id="ana", timestamp=f"2025-{day}")
        mem.drain()
    held = mem.facts("ana", statuses=["active", "superseded", "pending_confirmation"])
    assert [(fact.object, fact.status) for fact in held] == [(f"{k},000 euros", "pending_confirmation") for k in (40, 50)]


def test_leave_to_remember_is_asked_for_and_given(mem: memdb.Memory) -> None:
    mem.consent("ana", sensitive_topics="ask")
    ill(mem)
    assert mem.context("dinner", user_id="ana", now="2025-03-02").question == "Shall I remember this: “User is allergic to peanuts”?"
    mem.confirm(mem.facts("ana", key="user.allergic_to")[0].fact_id)
    assert mem.facts("ana", key="user.allergic_to")[0].status == "active"
    assert mem.context("dinner", user_id="ana", now="2025-03-02").question is None


def test_a_choice_made_while_a_turn_is_thought_about_holds_for_it(tmp_path: Path) -> None:
    def think(_: ModelRequest) -> str:
        with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as other:
            other.consent("ana", sensitive_topics="refuse")
        return json.dumps({"facts": [found("user.allergic_to", "peanuts")]})

    llm = LanguageModel(ScriptedModel(think), name="slow", backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config={"worker": False}) as mem:
        mem.observe("Dit is wat ik zeg.", user_id="ana")
        assert mem.drain(timeout=10)
        assert mem.facts("ana") == []
        assert [note.key for note in mem.turns("ana")[0].notes] == ["user.allergic_to"]


def test_a_choice_that_does_not_exist_is_told_in_one_sentence(mem: memdb.Memory) -> None:
    with pytest.raises(memdb.InputError, match="sensitive_topics is 'maybe', which is no choice"):
        mem.consent("ana", sensitive_topics="maybe")  # type: ignore[arg-type]


def test_a_choice_is_forgotten_with_its_user(mem: memdb.Memory) -> None:
    mem.consent("ana", secrets="keep")
    mem.forget("ana")
    assert mem.consent("ana") == memdb.Consent()


@pytest.mark.parametrize("key", [None, "user.allergic_to"], ids=["the user", "one key"])
def test_what_was_refused_is_forgotten_with_its_user_or_key(mem: memdb.Memory, key: str | None) -> None:
    mem.consent("ana", sensitive_topics="refuse")
    ill(mem)
    mem.forget("ana", key=key)
    assert [turn.notes for turn in mem.turns("ana")] == ([] if key is None else [()])


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("Doesn't like the tea!", "doesnt like tea"),
        ("Calls it O’Brien's 12th plan", "calls it OBriens 12th plan"),
        ("喜欢喝茶", "喜欢喝茶。"),
        ("Ça va", "ça va!"),
        ("…", "…"),
        ("It's his", "its his"),
    ],
)
def test_what_is_written_again_in_another_spelling_is_said_already(mem: memdb.Memory, first: str, again: str) -> None:
    assert len(mem.write([{"text": f"{first} and more"}, {"text": first}], user_id="ana").accepted) == 2
    [told] = mem.write([{"text": again}], user_id="ana").rejected
    assert told.reason.startswith("said already by")


@pytest.mark.parametrize("text", ["Works from home", "喜欢喝茶"])
def test_what_is_over_may_be_written_again(mem: memdb.Memory, text: str) -> None:
    mem.write([{"text": text, "valid_to": "2025-03-10T00:00:00Z"}], user_id="ana", timestamp="2025-03-01")
    assert mem.write([{"text": text}], user_id="ana", timestamp="2025-03-09").rejected
    (again,) = mem.write([{"text": text}], user_id="ana", timestamp="2025-03-10").accepted
    assert [fact.fact_id for fact in mem.facts("ana", now="2025-03-11")] == [again]
