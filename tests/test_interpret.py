"""What a model says of a turn is believed as far as the turn bears it out."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import memdb
from memdb.earnest import in_earnest
from memdb.english import clauses
from memdb.llm import ContextTooLong, LanguageModel, ModelReply, ModelRequest, ScriptedModel
from memdb.quoting import unquoted
from memdb.when import Edge, read_time

WEDNESDAY = datetime(2025, 3, 12, 10, tzinfo=UTC)
LISBON = ZoneInfo("Europe/Lisbon")


def stated(object: str, excerpt: str, **more: object) -> dict[str, object]:
    fact = {"key": "user.lives_in", "value_text": f"User lives in {object}", "object": object, "excerpt": excerpt, "confidence": 0.95}
    return fact | more


def read(path: Path, text: str, *facts: dict[str, object], **config: object) -> tuple[list[memdb.Fact], memdb.TurnRecord]:
    llm = LanguageModel(ScriptedModel([json.dumps({"facts": facts})]), name="scripted", backoff=0)
    with memdb.open(path / "mem.db", embedder=None, llm=llm, config={"worker": False, **config}) as mem:
        mem.observe(text, "You live in Rome, I remember.", user_id="ana", timestamp=WEDNESDAY)
        mem.drain()
        return mem.facts("ana", now=WEDNESDAY), mem.turns("ana")[0]


@pytest.mark.parametrize(
    ("key", "speaker", "kept"),
    [
        ("speaker.lives_in", None, ("user.lives_in", "User lives in Porto")),
        ("I.lives_in", None, ("user.lives_in", "User lives in Porto")),
        ("ana.lives_in", None, ("user.lives_in", "User lives in Porto")),
        ("user's sister.lives in", None, ("sister.lives_in", "User lives in Porto")),
        ("user.sister.lives_in", None, ("sister.lives_in", "User lives in Porto")),
        ("user.lives_in", "Clara", ("clara.lives_in", "Clara lives in Porto")),
        ("clara.lives_in", "Clara", ("clara.lives_in", "Clara lives in Porto")),
        ("ana.lives_in", "Clara", ("ana.lives_in", "User lives in Porto")),
    ],
)
def test_what_is_said_of_the_speaker_is_kept_as_that_whatever_a_model_calls_them(
    tmp_path: Path, key: str, speaker: str | None, kept: tuple[str, str]
) -> None:
    llm = LanguageModel(ScriptedModel([json.dumps({"facts": [stated("Porto", "I live in Porto", key=key)]})]), name="scripted", backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana", speaker=speaker)
        mem.drain()
        assert [(fact.key, fact.value_text) for fact in mem.facts("ana")] == [kept]


def test_what_somebody_says_of_their_relatives_is_not_said_of_the_user_s(tmp_path: Path) -> None:
    said = "For my sister it was always Faro."
    fact = stated("Faro", said, key="sister.lives_in", value_text="User's sister lives in Faro")
    llm = LanguageModel(ScriptedModel([json.dumps({"facts": [fact]})]), name="scripted", backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config={"worker": False}) as mem:
        mem.observe(said, user_id="ana", speaker="Clara")
        mem.drain()
        assert [(one.key, one.value_text) for one in mem.facts("ana")] == [("clara_sister.lives_in", "Clara's sister lives in Faro")]


NOT_SAID = [
    ("Do I live in Porto?", "I live in Porto", "Porto"),
    ("Moro em Lisboa?", "Moro em Lisboa", "Lisboa"),
    ("Should I live in Porto, or do I live too far south?", "I live too far south", "Porto"),
    ("If I lived in Berlin I'd cycle.", "I lived in Berlin", "Berlin"),
    ("I like tea, if I live in Berlin one day.", "I live in Berlin", "Berlin"),
    ("Suppose I live in Porto, and I work there.", "I live in Porto", "Porto"),
    ("I wish I lived in Rome.", "I lived in Rome", "Rome"),
    ('A man said "I live in Porto" and left.', "I live in Porto", "Porto"),
    ("> I live in Rome\nNo idea.", "I live in Rome", "Rome"),
    ("You said I live in Porto.", "I live in Porto", "Porto"),
    ("As you suggested I live in Porto.", "I live in Porto", "Porto"),
    ("Assistant: you live in Rome\nWell well.", "you live in Rome", "Rome"),
    ("Hello there.", "You live in Rome", "Rome"),  # the assistant's words are not the user's
]


@pytest.mark.parametrize(("text", "excerpt", "object"), NOT_SAID, ids=[text[:40] for text, _, _ in NOT_SAID])
def test_what_is_only_asked_supposed_quoted_or_recited_is_no_fact(tmp_path: Path, text: str, excerpt: str, object: str) -> None:
    facts, turn = read(tmp_path, text, stated(object, excerpt))
    assert facts == []
    assert [(note.step, note.key) for note in turn.notes] == [("extract", "user.lives_in")]
    assert "excerpt" in turn.notes[0].why


def test_a_number_that_the_speaker_does_not_tell_is_refused(tmp_path: Path) -> None:
    excerpt = "I take 20 mg of statin"
    wrong = stated("40 mg of statin", excerpt, key="user.takes", value_text="User takes 40 mg of statin")
    facts, turn = read(tmp_path, f"{excerpt} at night.", wrong, sensitive_topics="keep")
    assert [fact for fact in facts if "40" in fact.value_text] == []
    assert [note.why for note in turn.notes] == ["it tells the number '40', which the speaker does not"]


SAID = [
    ("I live in Porto, what about you?", "I live in Porto", "Porto"),
    ("You said I live in Rome, but I live in Porto.", "I live in Porto", "Porto"),
    ("Moro no Porto desde 2020.", "Moro no Porto", "Porto"),
    ("What's my town? It's Porto.", "It's Porto", "Porto"),
    ("I've lived in Porto, don't ask why.", "I've lived in Porto", "Porto"),
    ("You're right, I live in Porto.", "I live in Porto", "Porto"),
    ("I live in Porto. Do I live in Porto?", "I live in Porto", "Porto"),
]


@pytest.mark.parametrize(("text", "excerpt", "object"), SAID, ids=[text[:40] for text, _, _ in SAID])
def test_what_is_said_beside_a_question_or_a_recital_is_a_fact(tmp_path: Path, text: str, excerpt: str, object: str) -> None:
    facts, turn = read(tmp_path, text, stated(object, excerpt))
    assert [fact.object for fact in facts] == [object]
    assert turn.notes == ()


def test_an_object_that_is_only_asked_about_is_no_fact_even_with_a_good_excerpt(tmp_path: Path) -> None:
    text = "I have a flat. Should I move to Lisbon?"
    facts, turn = read(tmp_path, text, stated("Lisbon", text))
    assert (facts, turn.notes[0].why) == ([], "its object is only asked about, supposed, quoted or recited")


@pytest.mark.parametrize("text", ["", "?", "¤¤", "a" * 9_000, '"' * 500, "If " * 900, "\u0131 \u0130 ß I live in Porto"])
def test_any_text_can_be_asked_what_it_means(text: str) -> None:
    assert in_earnest(text, "") is False
    assert in_earnest(text, "I live in Porto") is ("Porto" in text)


def test_blanks_and_repetitions_take_no_longer_than_other_text() -> None:
    started = time.process_time()
    for text in ("password" + " " * 100_000, "a" + " " * 380 + "b. ", "I, " * 30_000, '"I live' * 15_000, "you said " * 10_000):
        in_earnest(text * (1 + 1_000 // len(text)), "I live in Porto")
        list(clauses((text * (1 + 1_000 // len(text)))[:20_000], at=WEDNESDAY, zone=LISBON))
    assert time.process_time() - started < 20


TIMES: list[tuple[str, Edge, str | None]] = [
    ("tomorrow", "happens", "2025-03-13T00:00:00+00:00"),
    ("next Friday", "happens", "2025-03-21T00:00:00+00:00"),
    ("next Friday", "ends", "2025-03-22T00:00:00+00:00"),
    ("until Friday", "ends", "2025-03-15T00:00:00+00:00"),
    ("two weeks", "ends", "2025-03-26T00:00:00+00:00"),
    ("2025-03-14", "ends", "2025-03-15T00:00:00+00:00"),
    ("2025-07-14", "begins", "2025-07-13T23:00:00+00:00"),
    ("2025-03-14T18:00:00+01:00", "ends", "2025-03-14T17:00:00+00:00"),
    ("last week", "begins", "2025-03-03T00:00:00+00:00"),
    ("2019", "begins", "2019-01-01T00:00:00+00:00"),
    ("whenever", "ends", None),
    ("", "ends", None),
    ("31 February", "happens", None),
]


@pytest.mark.parametrize(("text", "edge", "expected"), TIMES)
def test_a_time_is_read_in_iso_and_in_words(text: str, edge: Edge, expected: str | None) -> None:
    found = read_time(text, at=WEDNESDAY, zone=LISBON, edge=edge)
    assert (found and found.isoformat()) == expected


def test_a_model_s_next_friday_is_reckoned_from_the_turn_in_the_user_s_zone(tmp_path: Path) -> None:
    fact = stated("Berlin", "until next Friday", key="user.staying_in", temporary=True, valid_to="next Friday")
    (kept,), _ = read(tmp_path, "I'm in Berlin until next Friday.", fact, timezone="Asia/Tokyo")
    assert kept.valid_to == datetime(2025, 3, 21, 15, tzinfo=UTC)  # the end of Friday, 21 March, in Tokyo


class SmallModel:
    """Reads at most so many characters, and finds every thing it sees."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.longest = 0

    def __call__(self, request: ModelRequest) -> ModelReply:
        text = unquoted(request.user.rpartition("\n\n")[2])
        if len(text) > self.most:
            raise ContextTooLong("too long")
        self.longest = max(self.longest, len(text))
        words = [word.strip(".") for word in text.split() if word.startswith("thing")]
        found = [stated(word, f"I like {word}", key="user.likes", value_text=f"User likes {word}") for word in words]
        return ModelReply(text=json.dumps({"facts": found}))


def long_turn(path: Path, small: SmallModel, text: str) -> tuple[list[memdb.Fact], memdb.TurnRecord]:
    with memdb.open(path / "mem.db", embedder=None, llm=LanguageModel(small, name="small", backoff=0), config={"worker": False}) as mem:
        mem.observe(text, user_id="ana", turn_id="t1")
        mem.drain()
        return mem.facts("ana"), mem.turns("ana")[0]


def test_a_text_too_long_for_the_model_is_read_in_halves(tmp_path: Path) -> None:
    small = SmallModel(700)
    facts, turn = long_turn(tmp_path, small, " ".join(f"I like thing{place}." for place in range(200)))
    assert {fact.object for fact in facts} == {f"thing{place}" for place in range(200)}
    assert (turn.extracted_by, turn.error) == ("small", None)
    assert 350 < small.longest <= 700


def test_a_model_for_which_everything_is_too_long_leaves_the_turn_to_the_rules(tmp_path: Path) -> None:
    facts, turn = long_turn(tmp_path, SmallModel(10), "I live in Porto. " + "What a day! " * 100)
    assert [fact.object for fact in facts] == ["Porto"]
    assert (turn.extracted_by, turn.error) == ("rules", "too long")


def test_a_model_adds_details_and_a_category_where_the_vocabulary_has_none(tmp_path: Path) -> None:
    more = {"key": "user.blood_type", "category": "health", "value_json": {"since": "2019", "subject": "rita", "polarity": "negative"}}
    [fact], _ = read(tmp_path, "My blood type is A.", stated("A", "My blood type is A.", **more))
    assert fact.category == "health"
    assert fact.value_json == {"since": "2019", "subject": "user", "predicate": "blood_type", "object": "A"}


@pytest.mark.parametrize(
    "loosely",
    [{"object": 34}, {"value_json": {"since": 2019}}, {"value_json": {"place": None}}, {"value_json": "none"}, {"value_json": ["since 2019"]},
     {"negated": None, "explicit": None, "temporary": None}, {"valid_from": None, "event_time": None}, {"category": None}],
    ids=str,
)  # fmt: skip
def test_a_number_for_a_text_or_null_for_what_is_not_said_costs_no_fact(tmp_path: Path, loosely: dict[str, object]) -> None:
    age = stated("34", "Tenho 34 anos", key="user.age", value_text="User is 34")
    facts, turn = read(tmp_path, "Tenho 34 anos e moro em Braga.", age | loosely, stated("Braga", "moro em Braga"))
    assert {(fact.key, fact.object) for fact in facts} == {("user.age", "34"), ("user.lives_in", "Braga")}
    assert (turn.extracted_by, turn.error) == ("scripted", None)


@pytest.mark.parametrize(
    ("text", "temporary", "ends"),
    [
        ("I'm allergic to nuts.", False, None),
        ("I'm allergic to nuts.", True, "2025-03-20"),
        ("Jag är allergisk mot nötter.", False, "2025-03-20"),
    ],
)
def test_an_end_that_the_model_does_not_mean_and_the_rules_do_not_read_is_none(
    tmp_path: Path, text: str, temporary: bool, ends: str | None
) -> None:
    nuts = stated("nuts", text, key="user.allergic_to", value_text="User is allergic to nuts", valid_to="2025-03-19", temporary=temporary)
    [fact], turn = read(tmp_path, text, nuts, sensitive_topics="keep")
    assert turn.extracted_by == "scripted"
    assert (fact.valid_to and f"{fact.valid_to:%Y-%m-%d}") == ends


def test_a_model_that_does_not_say_how_sure_it_is_counts_as_not_very_sure(tmp_path: Path) -> None:
    loosely = stated("Porto", "I live in Porto.", confidence=None)
    [fact], turn = read(tmp_path, "I live in Porto.", loosely, gate_confidence=0.7)
    assert (fact.object, turn.extracted_by) == ("Porto", "scripted")
    folder = tmp_path / "surer"
    folder.mkdir()
    assert read(folder, "I live in Porto.", loosely, gate_confidence=0.71)[0] == []


def test_details_keep_their_numbers_and_lists_but_nothing_that_cannot_be_stored(tmp_path: Path) -> None:
    details = {"since": 2019, "rooms": [1, 2], "long": ["x" * 400], "endless": float("inf"), "paid": True, "card": 4111111111111111}
    llm_answer = stated("Porto", "Ik woon in Porto.", value_json=details)
    facts, turn = read(tmp_path, "Ik woon in Porto.", llm_answer, secrets="keep")
    assert facts[0].value_json == {
        "since": 2019, "rooms": [1, 2], "paid": True, "card": 4111111111111111, "subject": "user", "predicate": "lives_in", "object": "Porto",
    }  # fmt: skip
    folder = tmp_path / "careful"
    folder.mkdir()
    facts, turn = read(folder, "Ik woon in Porto.", llm_answer)
    assert facts == []
    assert "card number" in turn.notes[0].why


def test_details_that_nobody_told_are_left_out(tmp_path: Path) -> None:
    details = {"since": 1998, "rooms": 2, "street": "Rua das Flores", "floor": "third", "person": "Bob", "owned": True}
    text = "I live in Porto, in Flores street on the third floor: two rooms, since '98."
    facts, _ = read(tmp_path, text, stated("Porto", "I live in Porto", value_json=details))
    (home,) = (fact for fact in facts if fact.key == "user.lives_in")
    assert {**home.value_json, "person": None} == details | {"subject": "user", "predicate": "lives_in", "object": "Porto", "person": None}  # type: ignore[dict-item]
    assert "person" not in home.value_json  # type: ignore[operator]


@pytest.mark.parametrize("category", ["other", "soft_preference", "gossip", ""])
def test_a_model_cannot_make_a_key_safer_than_the_vocabulary_does(tmp_path: Path, category: str) -> None:
    [fact], _ = read(tmp_path, "I live in Porto.", stated("Porto", "I live in Porto.", category=category))
    assert fact.category == "identity"


def converse(path: Path, facts: dict[str, list[dict[str, object]]], *turns: str) -> tuple[memdb.Memory, list[ModelRequest]]:
    """A memory after turns ("A:" the assistant's), and what a model was asked, which answers a message with the facts given for it."""
    asked: list[ModelRequest] = []

    def answer(request: ModelRequest) -> str:
        if "memory auditor" in request.system:
            return "leave it to the rules"
        asked.append(request)
        return json.dumps({"facts": facts[unquoted(request.user.rpartition("\n\n")[2]).strip()]})

    llm = LanguageModel(ScriptedModel(answer), name="scripted", attempts=1, backoff=0)
    mem = memdb.open(path / "mem.db", embedder=None, llm=llm, config={"worker": False})
    for turn in turns:
        speaker, text = ("assistant", turn[3:]) if turn.startswith("A: ") else (None, turn)
        mem.observe(text, user_id="ana", session_id="s", speaker=speaker)
        mem.drain()
    return mem, asked


def believed(mem: memdb.Memory) -> set[tuple[str, str | None]]:
    return {(fact.key, fact.object) for fact in mem.facts("ana", kinds=["fact"])}


PORTO = [stated("Porto", "I live in Porto")]


@pytest.mark.parametrize(
    ("turns", "left"),
    [
        (("sorry, I meant Braga",), {("user.lives_in", "Braga")}),
        (("just kidding",), set()),
        (("Forget where I live",), set()),
        (("I don't live there any more",), set()),
        (("A: Since you live in Porto, take the tram.", "Not any more"), set()),
    ],
)
def test_what_is_taken_back_needs_no_model(tmp_path: Path, turns: tuple[str, ...], left: set[tuple[str, str]]) -> None:
    mem, asked = converse(tmp_path, {"I live in Porto": PORTO}, "I live in Porto", *turns)
    with mem:
        assert believed(mem) == left
        assert len(asked) == 1


@pytest.mark.parametrize(
    ("text", "excerpt", "object", "kept"),
    [
        ("I live in Porto.", "I live in Porto", "Lisbon", "Porto"),
        ("I live in Porto.", "I live in Porto", "Porto, Portugal", "Porto, Portugal"),
        ("Jag bor i Lissabon.", "Jag bor i Lissabon", "Lisbon", "Lisbon"),  # the rules do not read it
        ("We are in the city of Porto for good.", "in the city of Porto", "Oporto", "Oporto"),
    ],
)
def test_a_model_puts_no_other_object_in_the_place_of_what_was_said(
    tmp_path: Path, text: str, excerpt: str, object: str, kept: str
) -> None:
    facts, turn = read(tmp_path, text, stated(object, excerpt))
    assert [(fact.object, fact.confidence) for fact in facts if fact.kind == "fact"] == [(kept, 0.4)]
    assert len(turn.notes) == (object != kept)


def test_what_a_model_made_up_beside_what_was_said_confirms_nothing(tmp_path: Path) -> None:
    facts, _ = read(tmp_path, "I live in Porto.", stated("Porto", "I live in Porto"), stated("Lisbon", "I live in Porto"))
    assert [(fact.object, fact.confidence) for fact in facts if fact.kind == "fact"] == [("Porto", 0.4)]


OTHERWISE = "the speaker says otherwise of it"
MADE_UP = [  # what is said, what a model makes of it, what is believed, and why not what the model says
    ("I live in Porto.", ("user.name", "Bob", "User is called Bob", "I live in Porto"), [("user.lives_in", "Porto", False)],
     "its object is not among the words of the speaker"),
    ("My name is Ana.", ("user.age", "41", "User is aged 41", "My name is Ana"), [("user.name", "Ana", False)],
     "its object is not among the words of the speaker"),
    ("I live in Porto.", ("user.lives_in", "Porto", "User lives in Lisbon", "I live in Porto"), [("user.lives_in", "Porto", False)],
     "its text does not say its object"),
    ("I don't like jazz.", ("user.likes", "jazz", "User likes jazz", "I don't like jazz"), [("user.dislikes", "jazz", False)], OTHERWISE),
    ("I don't like jazz.", ("user.likes", "jazz", "User likes jazz", "like jazz"), [("user.dislikes", "jazz", False)], OTHERWISE),
    ("I never drink coffee.", ("user.drinks", "coffee", "User drinks coffee", "drink coffee"), [("user.avoids", "coffee", False)], OTHERWISE),
    ("I am not vegetarian.", ("user.diet", "vegetarian", "User is vegetarian", "vegetarian"), [], OTHERWISE),
    ("The weather is fine, no more rain.", ("user.allergic_to", "", "User is allergic no more", "no more"), [],
     "the speaker names nothing that is over"),
    ("I'm not keen on sudoku.", ("user.hobby", "sudoku", "User is keen on sudoku", "keen on sudoku"), [], OTHERWISE),
    ("I like tea and hate coffee.", ("user.likes", "coffee", "User likes coffee", "coffee"), [("user.dislikes", "coffee", False)], OTHERWISE),
    ("My sister lives in Porto.", ("user.lives_in", "Porto", "User lives in Porto", "My sister lives in Porto"),
     [("sister.lives_in", "Porto", False)], OTHERWISE),
]  # fmt: skip


@pytest.mark.parametrize(("object", "kept"), [("concise answers", True), ("Oxford English", False), ("10 lines at most", False)])
def test_a_wish_may_be_told_in_other_words_but_no_name_and_no_number(tmp_path: Path, object: str, kept: bool) -> None:
    told = stated(object, "keep it brief", key="user.prefers", value_text=f"User prefers {object}")
    facts, _ = read(tmp_path, "Please, keep it brief when I ask for help.", told)
    assert (object in [fact.object for fact in facts]) == kept


@pytest.mark.parametrize(("text", "made", "believed", "why"), MADE_UP, ids=[f"{text} {made[2]}" for text, made, _, _ in MADE_UP])
def test_what_nobody_said_or_said_otherwise_is_not_believed(
    tmp_path: Path, text: str, made: tuple[str, str, str, str], believed: list[tuple[str, str, bool]], why: str
) -> None:
    key, object, value_text, excerpt = made
    made_up = stated(object, excerpt, key=key, value_text=value_text, negated=not object)
    facts, turn = read(tmp_path, text, made_up, sensitive_topics="keep")
    assert [(fact.key, fact.object, fact.denies) for fact in facts if fact.kind == "fact"] == believed
    assert [note.why for note in turn.notes] == [why]


@pytest.mark.parametrize(
    ("text", "key", "object", "value_text", "excerpt"),
    [
        ("There are thirty of us at the choir.", "choir.members", "30", "The choir has 30 members", "thirty of us at the choir"),
        ("I have 2 kids.", "user.children", "two", "User has two children", "I have 2 kids"),
        ("Jag bor i Köln.", "user.lives_in", "Cologne", "User lives in Cologne", "Jag bor i Köln"),
        ("我住在里斯本。", "user.lives_in", "Lisbon", "User lives in Lisbon", "我住在里斯本"),
        ("I'm Portuguese, born and bred.", "user.hometown", "Portugal", "User comes from Portugal", "I'm Portuguese"),
        ("I can't wait to move to Porto.", "user.plans", "move to Porto", "User plans to move to Porto", "move to Porto"),
        ("I don't eat meat.", "user.eating", "meat", "User does not eat meat", "eat meat"),
        ("My sister and I live in Porto.", "user.lives_in", "Porto", "User lives in Porto", "My sister and I live in Porto"),
        ("I was told I'm not only quick but thorough.", "user.strength", "thorough", "User is thorough", "thorough"),
    ],
)
def test_what_is_said_in_other_words_is_believed(tmp_path: Path, text: str, key: str, object: str, value_text: str, excerpt: str) -> None:
    facts, turn = read(tmp_path, text, stated(object, excerpt, key=key, value_text=value_text))
    assert (value_text in {fact.value_text for fact in facts}, turn.notes) == (True, ())


def test_a_model_sees_what_a_message_answers(tmp_path: Path) -> None:
    mem, asked = converse(tmp_path, {"In Porto": [stated("Porto", "In Porto")]}, "A: And where do you live?", "In Porto")
    with mem:
        assert believed(mem) == {("user.lives_in", "Porto")}
        assert "- assistant: And where do you live?" in asked[0].user


def test_a_model_sees_who_was_spoken_of(tmp_path: Path) -> None:
    moved = [stated("Braga", "She moved to Braga") | {"key": "sister.lives_in", "value_text": "User's sister lives in Braga"}]
    said = {"I met my sister": [], "She moved to Braga": moved, "I like tea": []}
    mem, asked = converse(tmp_path, said, *said)
    with mem:
        assert believed(mem) == {("sister.lives_in", "Braga")}
        assert ["I met my sister" in request.user for request in asked] == [True, True, False]
        assert "Right before" not in asked[0].user + asked[2].user


def test_what_was_only_said_before_is_nothing_that_the_message_says(tmp_path: Path) -> None:
    rome = stated("Rome", "No idea")
    mem, asked = converse(tmp_path, {"No idea": [rome]}, "A: Rome is lovely. What else shall we look at?", "No idea")
    with mem:
        assert believed(mem) == set()
        assert "Rome" in asked[0].user
        assert [note.why for turn in mem.turns("ana") for note in turn.notes] == ["its object was only said before"]


def test_an_answer_may_take_its_object_from_the_question(tmp_path: Path) -> None:
    rome = stated("Rome", "Yes")
    mem, _ = converse(tmp_path, {"Yes": [rome]}, "A: Do you live in Rome?", "Yes")
    with mem:
        assert believed(mem) == {("user.lives_in", "Rome")}


@pytest.mark.parametrize(
    ("said", "denied", "key", "object", "held"),
    [
        ("I live in Porto.", "I don't live in Porto.", "user.lives_in", "Porto", [("User lives in Porto", "active"), ("User does not live in Porto", "pending_confirmation")]),
        ("I like jazz.", "I do not like jazz at all.", "user.likes", "jazz", [("User does not like jazz", "active")]),
        ("I play bass.", "I never play bass.", "user.band_role", "bass", [("User never plays bass", "active")]),
    ],
)  # fmt: skip
def test_a_model_that_says_of_a_denial_only_what_it_is_about_confirms_nothing(
    tmp_path: Path, said: str, denied: str, key: str, object: str, held: list[tuple[str, str]]
) -> None:
    texts = [("User lives in Porto", "User does not live in Porto"), ("User likes jazz", "User does not like jazz"),
             ("User plays bass", "User never plays bass")]  # fmt: skip
    first, second = next(pair for pair in texts if object in pair[0])
    answers = [
        json.dumps({"facts": [stated(object, excerpt, key=key, value_text=text)]}) for excerpt, text in ((said, first), (denied, second))
    ]
    llm = LanguageModel(ScriptedModel(answers), name="scripted", backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config={"worker": False, "model_arbitrates": False}) as mem:
        for text in (said, denied):
            mem.observe(text, user_id="ana", timestamp=WEDNESDAY)
        mem.drain()
        facts = [fact for fact in mem.facts("ana", now=WEDNESDAY) if fact.key == key]
        assert [(fact.value_text, fact.status) for fact in facts] == held
        assert facts[0].confidence == 0.4
        assert facts[-1].denies
