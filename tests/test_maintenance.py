"""Upkeep: episodes, open loops, reflection, promotion, archive."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from itertools import count as count_from
from itertools import pairwise
from pathlib import Path
from shutil import copytree
from typing import Literal

import apsw
import pytest

import memdb
from memdb import LanguageModel, ScriptedModel
from memdb.config import Config
from memdb.embed import HashingEmbedder
from memdb.llm import ModelReply, ModelRequest
from memdb.records import EVER, TaskState
from memdb.steps.reflect import Strategy, strategies
from memdb.tidying import take_tidying, tidy
from tests.disk import FullDisk
from tests.embedders import OneMeaning

Tell = Callable[..., memdb.Memory]
LATER = "2025-09-01"


def chat(mem: memdb.Memory, session: str, day: str, *texts: str) -> None:
    for place, text in enumerate(texts):
        mem.observe(text, user_id="ana", session_id=session, turn_id=f"{session}{place}", timestamp=f"{day}T10:{place:02}:00Z")
    mem.drain()


def of(mem: memdb.Memory, kind: str) -> list[memdb.Fact]:
    return mem.facts("ana", kinds=[kind], statuses=["active", "expired", "archived", "pending_confirmation"])


# episodes


def test_a_session_that_is_over_becomes_an_episode(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "We lost the toy dinosaur in the park.", "Can you help?", "The dinosaur is green.")
    chat(mem, "s2", "2025-03-02", "Hello again.")
    assert mem.maintain(now="2025-03-03").episodes == 1
    (episode,) = of(mem, "episode")
    assert "We lost the toy dinosaur in the park." in episode.value_text
    assert (episode.session_id, episode.source, episode.confidence) == ("s1", "inferred", Config().reflection_confidence)
    assert (episode.key, episode.category, episode.memory_type, episode.importance) == ("user.episode", "other", "OBSERVATION", 0.5)
    assert episode.event_time
    assert f"{episode.event_time:%d %H:%M} {episode.valid_from:%d %H:%M}" == "01 10:00 01 10:02"
    assert "emotion:sad" in episode.tags


def test_a_session_that_becomes_warm_becomes_an_episode(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "The boiler is called Bertha.", "It hums at night.")
    assert mem.maintain(now="2025-03-10").episodes == 0
    assert mem.maintain(now="2025-03-20").episodes == 1


@pytest.mark.parametrize("answer", ["Noted.", "Tell me more about that."])
def test_an_episode_tells_no_thanks_and_cheers_and_what_is_said_again_and_again_once(mem: memdb.Memory, answer: str) -> None:
    said = (
        "I lost my toy dinosaur near the old station.",
        "Our train left without waiting.",
        "My grandma found that dinosaur under some bench.",
    )
    for place, text in enumerate((*said, "Thanks!")):
        mem.observe(text, answer, user_id="ana", session_id="s1", timestamp=f"2025-03-01T10:0{place}:00Z")
    mem.drain()
    mem.maintain(now="2025-03-20")
    assert [told.value_text for told in of(mem, "episode")] == [" ".join(f"user: {text}" for text in said)]


@pytest.mark.parametrize("session", [None, "s"])
def test_what_one_message_says_is_not_told_again(mem: memdb.Memory, session: str | None) -> None:
    for day, place in enumerate(("Kyoto", "Osaka", "Nara", "Kobe")):
        said = f"I had ramen in {place}. Did you? It was good, and not dear."
        named = session and f"{session}{day}"
        mem.observe(said, user_id="ana", session_id=named, timestamp=f"2025-03-0{day + 1}T10:00:00Z")
    mem.drain()
    assert [mem.maintain(now="2025-04-20").episodes for _ in range(2)] == [0, 0]
    assert {hit.fact.kind for hit in mem.search("ramen", user_id="ana")} == {"message"}


def test_an_episode_tells_of_what_went_on_in_it_even_if_that_is_one_message(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "We lost the toy.", "It is green.")
    mem.maintain(now="2025-03-20")
    long = "The toy was found under a bed. Green dinosaurs hide in dark places. Everybody laughed about that evening."
    mem.observe(long, user_id="ana", session_id="s1", timestamp="2025-03-21")
    mem.drain()
    assert mem.maintain(now="2025-04-20").episodes == 1
    assert [episode.value_text.count("user: ") for episode in of(mem, "episode")] == [3]


def test_maintenance_twice_is_as_once(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", *["I went climbing with Rex.", "Remind me to call the dentist."] * 12)
    mem.maintain(now="2025-03-20")
    before = len(mem.history(user_id="ana"))
    assert mem.maintain(now="2025-03-20") == memdb.Maintained()
    assert len(mem.history(user_id="ana")) == before


def test_maintenance_that_finds_no_room_is_made_up_for_by_the_next(tmp_path: Path) -> None:
    def told(mem: memdb.Memory) -> list[tuple[str, str, str, int]]:
        facts = mem.facts("ana", kinds=mem.kinds(), statuses=EVER)
        return sorted((fact.kind, fact.status, fact.value_text, fact.seen_count) for fact in facts)

    (tmp_path / "full").mkdir()
    with memdb.open(tmp_path / "full" / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        chat(mem, "s1", "2025-03-01", *["I went climbing with Rex.", "Remind me to call the dentist.", "I live in Porto."] * 4)
        chat(mem, "s2", "2025-03-02", "I moved to Lisbon.", "I like jazz.", "Our boiler is called Bertha.")
        tea = {"value_text": "Likes tea", "object": "tea", "user_id": "ana", "key": "user.likes", "timestamp": "2025-03-01"}
        mem.remember_many([tea] * 3)
        mem.event("Rui came by", user_id="ana", timestamp="2025-03-02T10:00:00Z")
    outcomes = []
    for room in (None, *range(0, 1_000, 9)):
        copytree(tmp_path / "full", folder := tmp_path / str(room))
        with FullDisk() as disk, memdb.open(folder / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
            mem.observe("I live in Porto.", user_id="bob", timestamp="2025-03-01")  # so that there is a log
            log = (folder / "mem.db-wal").stat().st_size
            try:
                with nullcontext() if room is None else disk.full(at=log + room * 4_096):
                    mem.maintain(now=LATER)
                outcomes.append(True)
            except memdb.StoreError as error:
                assert error.full
                outcomes.append(False)
                mem.maintain(now=LATER)
            assert mem.maintain(now=LATER) == memdb.Maintained()
            if room is None:
                whole = told(mem)
                assert {"episode", "message"} <= {kind for kind, *_ in whole}
                assert ("fact", "superseded", "Likes tea", 1) in whole
            assert told(mem) == whole
        if outcomes[1:].count(True):
            break
    assert outcomes.count(False) > 5


@pytest.mark.parametrize(
    ("answer", "text"),
    [('{"summary": "They lost a toy."}', "They lost a toy."), ("no json", "user: We lost a toy. user: It is green.")],
)
def test_a_model_summarises_and_rules_stand_in(mem: memdb.Memory, answer: str, text: str) -> None:
    chat(mem, "s1", "2025-03-01", "We lost a toy.", "It is green.")
    model = LanguageModel(ScriptedModel(lambda request: answer), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        other.maintain(now="2025-03-20")
    assert [episode.value_text for episode in of(mem, "episode")] == [text]


def test_what_is_typed_without_a_full_stop_does_not_run_into_who_speaks_next(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "we lost a toy", "it is green 😀", "a" + " very" * 40 + " big toy")
    mem.maintain(now="2025-03-20")
    (episode,) = of(mem, "episode")
    assert episode.value_text == f"user: we lost a toy. user: it is green 😀 user: a{' very' * 31} ver …"
    told = mem.context("What about the toy?", user_id="ana", now="2025-03-21").text
    assert "very big toy" in told


def test_a_session_that_goes_on_is_told_anew(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "We lost the toy dinosaur in the park.")
    mem.maintain(now="2025-03-20")
    mem.observe("The dinosaur was found under the bed.", user_id="ana", session_id="s1", timestamp="2025-03-21")
    mem.drain()
    assert mem.maintain(now="2025-03-22").episodes == 0  # it is going on
    assert mem.maintain(now="2025-04-20").episodes == 1
    (episode,) = of(mem, "episode")
    assert "under the bed" in episode.value_text
    assert episode.source_excerpt == episode.object == episode.value_text


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("take_back", ["reject", "end"])
def test_what_was_taken_back_of_a_session_is_not_told_anew_when_it_goes_on(mem: memdb.Memory, take_back: str, archived: bool) -> None:
    chat(mem, "s1", "2025-03-01", "We lost the toy dinosaur in the park.", "It is green.")
    mem.maintain(now="2025-03-20")
    (episode,) = of(mem, "episode")
    now = "2025-03-20"
    before = mem.reject(episode.fact_id, now=now) if take_back == "reject" else mem.end(episode.fact_id, valid_to="2025-03-02", now=now)
    if archived:
        mem.compact(now="2030-01-01")
    mem.observe("The dinosaur was found under the bed.", user_id="ana", session_id="s1", timestamp="2025-03-21")
    mem.drain()
    assert mem.maintain(now="2025-04-20").episodes == 0
    assert mem.facts("ana", kinds=["episode"]) == []
    assert archived or mem.fact(episode.fact_id).value_text == before.value_text


def assert_indexed_as_anew(mem: memdb.Memory) -> None:
    """The full-text index holds what one that is made now would hold."""
    fresh = """
        create virtual table temp.anew using fts5 (body, reply, context, date, content = '', contentless_delete = 1, tokenize = "porter unicode61");
        insert into temp.anew (rowid, body, reply, context, date) select id, body, reply, context, date from fact_words;
        create virtual table temp.expected using fts5vocab (temp, anew, instance);
        create virtual table temp.indexed using fts5vocab (main, facts_fts, instance);
    """
    db = mem._store.database().connection
    db.execute(fresh)
    indexed, expected = (sorted(db.execute(f"select term, doc, col, offset from temp.{name}")) for name in ("indexed", "expected"))
    assert indexed == expected != []


def test_the_words_of_an_episode_that_is_told_anew_leave_the_index(mem: memdb.Memory) -> None:
    replies = iter(['{"summary": "They lost a toy."}', '{"summary": "They found it."}'])
    model = LanguageModel(ScriptedModel(lambda request: next(replies)), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        for day, later in (("2025-03-01", "2025-03-20"), ("2025-03-21", "2025-04-20")):
            mem.observe("And then?", user_id="ana", session_id="s1", timestamp=day)
            mem.drain()
            other.maintain(now=later)
    assert [episode.value_text for episode in of(mem, "episode")] == ["They found it."]
    assert_indexed_as_anew(mem)


def test_the_words_of_neighbours_stand_in_the_index_session_by_session(mem: memdb.Memory) -> None:
    for place, (session, text) in enumerate([("a", "One?"), ("b", "Uno?"), ("a", "Two."), ("b", "Dos."), ("a", "Three."), ("b", "Tres.")]):
        mem.observe(text, user_id="ana", session_id=session, timestamp=f"2025-03-01T10:0{place}:00Z")
    mem.observe("Ein.", user_id="bea", session_id="a", timestamp="2025-03-01T10:07:00Z")
    assert_indexed_as_anew(mem)


def test_the_words_of_a_message_that_is_changed_by_hand_leave_its_neighbours(mem: memdb.Memory) -> None:
    for place, text in enumerate(["One?", "Two?", "Three.", "Four.", "Five."]):
        mem.observe(text, user_id="ana", session_id="a", timestamp=f"2025-03-01T10:0{place}:00Z")
    mem._store.database().connection.execute("update facts set value_text = 'Drei?' where value_text = 'Three.'")
    assert_indexed_as_anew(mem)


@pytest.mark.parametrize("which", ["value_text = 'Three?'", "value_text <> 'Two?'", "value_text <> 'Six.'"])
def test_the_words_of_a_message_that_is_deleted_by_hand_leave_its_neighbours(mem: memdb.Memory, which: str) -> None:
    for place, text in enumerate(["One?", "Two?", "Three?", "Four.", "Five.", "Six."]):
        mem.observe(text, user_id="ana", session_id="a", timestamp=f"2025-03-01T10:0{place}:00Z")
    mem._store.database().connection.execute(f"delete from facts where {which}")
    assert_indexed_as_anew(mem)


@pytest.mark.parametrize("change", ["session_id = 'b'", "user_id = 'bea'", "session_id = null"])
def test_the_words_of_a_message_that_is_moved_by_hand_go_with_it(mem: memdb.Memory, change: str) -> None:
    for user, session in (("ana", "a"), ("ana", "b"), ("bea", "a")):
        for place, text in enumerate(["One?", "Two?", "Three?", "Four.", "Five.", "Six."]):
            mem.observe(f"{user} {session} {text}", user_id=user, session_id=session, timestamp=f"2025-03-01T10:0{place}:00Z")
    mem._store.database().connection.execute(f"update facts set {change} where value_text in ('ana a Three?', 'ana a Four.')")
    assert_indexed_as_anew(mem)


def test_what_is_said_in_no_session_is_told_by_day_once_it_is_warm(tmp_path: Path) -> None:
    said = [("2025-03-01T23:00:00Z", "The boiler is called Bertha."), ("2025-03-02T00:10:00Z", "The cat is called Miso."),
            ("2025-03-02T12:00:00Z", "We lost the toy dinosaur."), ("2025-03-02T23:00:00Z", "The stove hums."),
            ("2025-03-02T23:00:00Z", "The fridge drips.")]  # fmt: skip
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False, "timezone": "Europe/Madrid"}) as mem:
        for at, text in said:
            mem.observe(text, user_id="ana", timestamp=at)
        mem.observe("It rains.", "So it does.", user_id="ana", session_id="s1", timestamp="2025-03-02T13:00:00Z")
        mem.drain()
        assert [mem.maintain(now=f"2025-03-{day}").episodes for day in (10, 17, 18)] == [0, 3, 0]
        of_day, of_next_day, of_session = sorted(of(mem, "episode"), key=lambda told: (told.session_id or "", told.valid_from))
        assert (of_next_day.session_id, of_next_day.value_text) == (None, "user: The stove hums. user: The fridge drips.")
        assert (of_day.session_id, of_session.value_text) == (None, "user: It rains. assistant: So it does.")
        assert [word for word in ("Bertha", "dinosaur", "rains") if word in of_day.value_text] == ["Bertha", "dinosaur"]


def test_forgetting_a_key_takes_the_episode_of_its_day(mem: memdb.Memory) -> None:
    for text in ("I live in Porto.", "The boiler is called Bertha.", "It hums."):
        mem.observe(text, user_id="ana", timestamp="2025-03-01T10:00:00Z")
    mem.drain()
    mem.maintain(now="2025-03-20")
    mem.forget("ana", key="user.lives_in")
    assert of(mem, "episode") == []
    assert mem.maintain(now="2025-03-20").episodes == 1
    assert [episode.value_text for episode in of(mem, "episode")] == ["user: The boiler is called Bertha. user: It hums."]


def test_sessions_that_say_the_same_have_an_episode_each(mem: memdb.Memory) -> None:
    for number in (1, 2):
        chat(mem, f"s{number}", f"2025-03-0{number}", "Good morning, it rains.", "The stove hums.")
    assert mem.maintain(now="2025-04-01").episodes == 2
    assert sorted(str(episode.session_id) for episode in of(mem, "episode")) == ["s1", "s2"]
    assert mem.maintain(now="2025-04-01").episodes == 0


def test_two_conversations_at_once_have_an_episode_each(mem: memdb.Memory) -> None:
    lines = ("It snows.", "Somebody rings.", "Trees fall.", "Nobody answers.", "Birds sing.")
    for place, (session, line) in enumerate(zip(("phone", "desk", "phone", "desk", "phone"), lines, strict=True)):
        mem.observe(line, user_id="ana", session_id=session, timestamp=f"2025-03-01T10:{place:02}:00Z")
        mem.drain()
        mem.maintain(now="2025-03-01T10:30:00Z")
    assert sorted(str(episode.session_id) for episode in of(mem, "episode")) == ["desk", "phone"]


def test_what_a_model_was_asked_for_an_episode_is_kept_also_when_it_failed(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "We lost a toy.")
    model = LanguageModel(ScriptedModel(lambda request: "no json"), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        other.maintain(now="2025-03-20")
        assert [(call.purpose, bool(call.error)) for call in other.calls("ana")] == [("summarize", True)]


SEARCHED = [f"The {one}{other} was searched." for one in "bdfgk" for other in "aeiouxyz"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"summary": "They lost a toy.", "language": "en"}, "They lost a toy."),
        (
            {"summary": " ".join(["They lost a toy.", *SEARCHED])},
            " ".join(["They lost a toy.", *SEARCHED[:27]]),
        ),  # of six hundred characters
    ],
)
def test_what_a_model_writes_beyond_the_summary_that_it_is_asked_for_is_left_out(
    mem: memdb.Memory, answer: dict[str, str], told: str
) -> None:
    chat(mem, "s1", "2025-03-01", "We lost a toy.")
    model = LanguageModel(ScriptedModel(lambda request: json.dumps(answer)), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        other.maintain(now="2025-03-20")
    assert [episode.value_text for episode in of(mem, "episode")] == [told]


def test_while_one_asks_a_model_for_an_episode_nobody_else_tells_it(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "We lost a toy.")  # this one is over, the next one has become warm
    chat(mem, "s2", "2025-03-02", "We lost a toy.")

    def think(request: ModelRequest) -> str:
        mem.maintain(now="2025-03-20")
        return '{"summary": "They lost a toy."}'

    model = LanguageModel(ScriptedModel(think), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False, "lease_seconds": 0.001}) as other:
        assert other.maintain(now="2025-03-20").episodes == 2
    assert [episode.value_text for episode in of(mem, "episode")] == ["They lost a toy."] * 2


@pytest.mark.parametrize("ended", [True, False])
def test_a_session_is_told_when_all_its_user_said_was_thought_about(mem: memdb.Memory, ended: bool) -> None:
    mem.observe("We lost the toy dinosaur in the park.", "Oh dear.", user_id="ana", session_id="s1", timestamp="2025-03-01")
    if ended:
        mem.observe("Good morning.", user_id="ana", session_id="s2", timestamp="2025-03-19")
        mem.drain()
        mem.observe("And then?", user_id="ana", session_id="s2", timestamp="2025-03-19")
    assert mem.maintain(now="2025-03-20").episodes == 0
    mem.drain()
    assert mem.maintain(now="2025-03-20").episodes == 1


def test_who_took_so_long_over_an_episode_that_another_told_it_writes_nothing(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "We lost a toy.", "It is green.")

    def think(request: ModelRequest) -> str:
        mem._store.database().connection.execute("update upkeep set claimed_until = '2025-01-01T00:00:00.000Z'")
        mem.maintain(now="2025-03-20")
        return '{"summary": "They lost a toy."}'

    model = LanguageModel(ScriptedModel(think), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        assert other.maintain(now="2025-03-20").episodes == 0
    assert [episode.value_text for episode in of(mem, "episode")] == ["user: We lost a toy. user: It is green."]


def test_what_goes_on_while_a_model_tells_of_it_is_told_when_that_is_over_too(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "We lost a toy.")

    def think(request: ModelRequest) -> str:
        mem.observe("We found it.", user_id="ana", session_id="s1", timestamp="2025-03-01T11:00:00Z")
        return '{"summary": "They lost a toy."}'

    model = LanguageModel(ScriptedModel(think), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        assert other.maintain(now="2025-03-20").episodes == 0
    assert of(mem, "episode") == []
    mem.drain()
    assert mem.maintain(now="2025-03-20").episodes == 1


def test_a_session_of_which_all_was_forgotten_is_not_told(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "I live in Porto.")
    mem.forget("ana", key="user.lives_in")
    assert mem.maintain(now="2025-03-20").episodes == 0
    assert of(mem, "episode") == []


def test_whatever_a_transport_raises_rules_stand_in(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", *["We lost a toy.", "It is green."] * 20)
    model = LanguageModel(ScriptedModel(lambda request: RuntimeError("it broke")), name="scripted", attempts=1, backoff=0)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        assert other.maintain(now="2025-03-20").episodes == 1
    assert [episode.value_text for episode in of(mem, "episode")] == ["user: We lost a toy. user: It is green."]


def test_an_episode_keeps_no_secret(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "My password is hunter2, and the boiler is called Bertha.", "It hums.")
    mem.maintain(now="2025-03-20")
    (episode,) = of(mem, "episode")
    assert "hunter2" not in episode.value_text
    assert "Bertha" in episode.value_text


def test_an_episode_keeps_no_secret_where_it_stands_without_its_name(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "My password is hunter2, and the boiler is called Bertha.", "hunter2 does not work.", "It hums.")
    mem.maintain(now="2025-03-20")
    (episode,) = of(mem, "episode")
    assert "hunter2" not in str(episode)
    assert "does not work" in episode.value_text


def test_an_episode_that_a_model_tells_keeps_no_secret(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "We lost a toy.")
    model = LanguageModel(
        ScriptedModel(lambda request: '{"summary": "They lost a toy, and their password is hunter2."}'), name="scripted", attempts=1
    )
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        other.maintain(now="2025-03-20")
    (episode,) = of(mem, "episode")
    assert "hunter2" not in str(episode)


def test_an_episode_keeps_no_secret_that_stands_on_a_line_of_its_own(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "My password is:\nhunter2", "The boiler is called Bertha.", "It hums.")
    mem.maintain(now="2025-03-20")
    (episode,) = of(mem, "episode")
    assert "hunter2" not in episode.value_text
    assert "Bertha" in episode.value_text


def test_forgetting_a_key_takes_the_episodes_and_notes_that_quote_it(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "I live in Porto.", "The boiler is called Bertha.", "It hums.")
    mem.remember("Likes to talk of Porto", user_id="ana", kind="note", source="inferred")
    mem.maintain(now="2025-03-20")
    mem.forget("ana", key="user.lives_in")
    assert b"Porto" not in Path(mem.stats().path).read_bytes()
    assert mem.maintain(now="2025-03-20").episodes == 1
    assert [episode.value_text for episode in of(mem, "episode")] == ["user: The boiler is called Bertha. user: It hums."]


@pytest.mark.parametrize(
    ("key", "tags", "importance"),
    [
        ("user.note", (), 0.5),
        ("user.note", ("chit-chat",), 0.2),
        ("user.note", ("Safety", "chit-chat"), 0.9),
        ("user.pastime", ("preference",), 0.4),
        ("user.likes", ("safety",), 0.9),
        ("user.allergic_to", ("preference",), 0.9),
        ("user.note", ("other",), 0.5),
    ],
)
def test_tags_say_how_much_a_thing_counts_where_its_key_does_not(
    mem: memdb.Memory, key: str, tags: tuple[str, ...], importance: float
) -> None:
    assert mem.remember("Something", user_id="ana", key=key, tags=tags).importance == importance
    assert mem.remember("Something else", user_id="bob", key=key, tags=tags, importance=0.33).importance == 0.33


# open loops


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Don't forget to remind me to water the plants", "water the plants"),
        ("Remind me to call the dentist.", "call the dentist"),
        ("Please don't forget to water Bertha!", "water Bertha"),
        ("My goal is to run a marathon.", "run a marathon"),
        ("I must remember to call mum", "call mum"),
        ("I've got to remember to call mum", "call mum"),
        ("Note to self: call mum", "call mum"),
        ("Can you add oat milk to the shopping list?", "buy oat milk"),
        ("Put “call mum” on my to-do list", "“call mum”"),
        ("And we still have to book the hotel", "book the hotel"),
        ("Set an alarm to remind me to pay the rent", "pay the rent"),
        ("Remind me to call Dr. Okafor on Monday", "call Dr. Okafor on Monday"),
        ("I lost my toy dinosaur! Can you help me find it?", "find my toy dinosaur"),
        ("I can’t find my keys and my glasses are dirty. Help me find them, please", "find my keys"),
        ("It rains. Help me find it.", None),
        ("Help me write a toast for Kim.", None),
        ("It rains.", None),
        ("Remind me tomorrow to call mum", "call mum tomorrow"),
        ("Can you remind me on Friday to pay the rent?", "pay the rent on Friday"),
        ("Remind me at 5pm to take my pills", "take my pills at 5pm"),
        ("Please remind me again about the rent", "the rent"),
        ("Don't forget tonight!", None),
        ("You remind me so much of home, about which I dreamed.", None),
        ("They remind me a lot to be kind.", None),
        ("Moments like these remind me to appreciate those I love.", None),
        ("I have a painting in my room to remind me to stay true.", None),
        ("It made me think how much work we still have to do for it.", None),
        ("Put it on the list. I remember to breathe. My to-do list is long.", None),
        ("TODO: call the bank", "call the bank"),
        ('TODO: the name is hard-coded here\nconst owner = "Ana"; // in Porto', None),
    ],
)
def test_what_is_left_open_becomes_a_task(tell: Tell, text: str, title: str | None) -> None:
    tell(text)
    assert [task.value_text for task in of(tell(), "task")] == ([title] if title else [])


def test_what_one_person_tells_another_not_to_forget_is_no_task_of_theirs(mem: memdb.Memory) -> None:
    mem.observe("Don't forget to buy milk!", user_id="ana", speaker="Ben", timestamp="2025-03-01T10:00:00Z")
    mem.drain()
    assert of(mem, "task") == []


def test_what_the_assistant_lists_in_a_chat_is_no_task_and_what_it_promises_is(mem: memdb.Memory) -> None:
    said = {"role": "assistant", "timestamp": "2025-03-01T10:00:00Z"}
    mem.load(
        [
            {**said, "content": "Remind me to call mum.", "role": "user"},
            {**said, "content": "Congratulations! To do: change the microchip to your name. I called mum. I still have to go."},
            {**said, "content": "Don't forget to drink water! I'll look into the trains tomorrow."},
            {**said, "content": "TODO: call the bank. I'll look into the boats.", "role": "tool"},
        ],
        user_id="ana",
    )
    mem.drain()
    told = [(task.value_text, task.source, task.status) for task in of(mem, "task")]
    assert told == [
        ("call mum", "user_message", "active"), ("The assistant will look into the trains tomorrow", "assistant_message", "active")
    ]  # fmt: skip


def test_what_the_assistant_helped_to_write_is_not_left_open(mem: memdb.Memory) -> None:
    mem.observe("Help me write a toast for Kim.", f"Sure! {'Dear all. ' * 20}", user_id="ana", timestamp="2025-03-01T10:00:00Z")
    mem.drain()
    assert of(mem, "task") == []


def test_a_promise_of_the_assistant_is_a_task(mem: memdb.Memory) -> None:
    mem.observe("Is it far?", "I'll look into the trains tomorrow.", user_id="ana", timestamp="2025-03-01T10:00:00Z")
    mem.drain()
    (task,) = of(mem, "task")
    assert (task.source, task.event_time and task.event_time.isoformat()[:10]) == ("assistant_message", "2025-03-02")
    assert task.value_text == "The assistant will look into the trains tomorrow"


@pytest.mark.parametrize(
    "said", ["I'll let you know.", "I'll let you know if I need anything else!", "I will look into it.", "I'll check it out"]
)
def test_a_promise_of_nothing_is_no_task(mem: memdb.Memory, said: str) -> None:
    mem.observe("Is it far?", said, user_id="ana", timestamp="2025-03-01T10:00:00Z")
    mem.drain()
    assert of(mem, "task") == []


def test_what_is_said_to_be_done_is_closed(tell: Tell) -> None:
    tell("Remind me to call the dentist.", "I called the dentist today.")
    assert [(task.status, task.value_json["state"]) for task in of(tell(), "task")] == [("expired", "done")]  # type: ignore[index, call-overload]


_RAILCARD = "Remind me to renew my railcard before the 20th."


@pytest.mark.parametrize(
    ("task", "deed"),
    [
        *[
            (_RAILCARD, said)
            for said in ("also i renewed the railcard", "the railcard is renewed", "Railcard’s renewed!", "railcard done ✔")
        ],
        *[(_RAILCARD, said) for said in ("Renewed the railcard today.", "I finally got the railcard renewed", "I've sorted the railcard")],
        *[("Don't forget to buy milk", said) for said in ("I bought milk", "got the milk", "I picked up the milk on the way home")],
        *[("Remind me to write a cover letter for Kim", said) for said in ("I wrote the cover letter", "sent off the cover letter to Kim")],
        *[("To do: call Rita about the boiler", said) for said in ("I called Rita", "It rained, but I spoke to Rita about the boiler.")],
        *[("Remind me to take out the bins tonight", said) for said in ("I took the bins out", "took out the bins")],
        *[("We still need to book a hotel in Rome", said) for said in ("we've booked the hotel in Rome!", "hotel's booked")],
        ("remind me to call the dentist tmrw at 9", "called the dentist, appointment is on friday at 14:30"),
        ("My goal is to run a marathon", "I ran the marathon!"),
        ("I lost my toy dinosaur. Help me find it!", "I found my dinosaur!"),
        ("Remind me to eat the leftovers", "ate the leftovers for lunch"),
        ("To do: shake out the rugs", "I shook out the rugs"),
    ],
)
def test_what_was_to_be_done_is_done_in_other_words(tell: Tell, task: str, deed: str) -> None:
    tell(task, deed)
    assert [one.status for one in of(tell(), "task")] == ["expired"]


@pytest.mark.parametrize(
    ("task", "said"),
    [
        *[(_RAILCARD, said) for said in ("Have I renewed my railcard?", "I wanted to renew my railcard", "I haven't renewed the railcard")],
        *[
            (_RAILCARD, said)
            for said in ("I should have renewed my railcard", "I forgot to renew the railcard", "I almost renewed my railcard")
        ],
        *[
            (_RAILCARD, said)
            for said in ("I renewed my passport", "Greg renewed his railcard", "I want the railcard renewed", "I renewed it")
        ],
        *[(_RAILCARD, said) for said in ("If I renewed the railcard, would it be cheaper?", "She said: “I renewed my railcard.”")],
        *[("Don't forget to buy milk", said) for said in ("I bought a car", "I finished the milk", "I never bought milk")],
        *[("To do: call Rita about the boiler", said) for said in ("I called Rita about the party", "Rita called about the boiler")],
        ("Remind me to take out the bins tonight", "I took out a loan"),
        ("We still need to book a hotel in Rome", "I booked a flight to Rome"),
        ("Remind me to write a cover letter for Kim", "I started the cover letter for Kim"),
    ],
)
def test_what_is_only_like_what_was_to_be_done_leaves_it_open(tell: Tell, task: str, said: str) -> None:
    tell(task, said)
    assert [one.status for one in of(tell(), "task")] == ["active"]


@pytest.mark.parametrize(("turn", "left"), [("t1", ["active"]), ("t0", ["expired"])])
def test_taking_back_a_turn_takes_back_what_it_opened_or_closed(tell: Tell, turn: str, left: list[str]) -> None:
    tell("Remind me to call the dentist.", *["I called the dentist today."] * (turn == "t1")).undo(user_id="ana", turn_id=turn)
    assert [(task.status, task.source_turn_id) for task in of(tell(), "task")] == [(status, "t0") for status in left]


def test_a_task_is_what_the_user_lets_be_kept(mem: memdb.Memory) -> None:
    mem.consent("ana", sensitive_topics="refuse")
    chat(mem, "s1", "2025-03-01", "Remind me to use the password hunter2.", "Remind me to take my antidepressants.", "To do: call Rita")
    assert [task.value_text for task in of(mem, "task")] == ["call Rita"]
    assert [len(turn.notes) for turn in mem.turns("ana")] == [1, 1, 0]


def test_a_task_that_nobody_mentions_stalls_and_can_be_taken_up(tell: Tell) -> None:
    tell("Remind me to call the dentist.")
    assert tell().maintain(now="2025-06-01").tasks_stalled == 1
    (task,) = of(tell(), "task")
    assert (task.status, task.value_json["state"]) == ("active", "stalled")  # type: ignore[index, call-overload]
    assert tell().task(task.fact_id, "active").value_json["state"] == "active"  # type: ignore[index, call-overload]


@pytest.mark.parametrize(("now", "stalled"), [("2025-03-30T23:59:59.999Z", 0), ("2025-03-31T00:00:00Z", 1)])
def test_a_task_stalls_after_thirty_days(mem: memdb.Memory, now: str, stalled: int) -> None:
    mem.remember("Pay the rent", user_id="ana", kind="task", key="user.task", timestamp="2025-03-01T00:00:00Z")
    assert mem.maintain(now=now).tasks_stalled == stalled


@pytest.mark.parametrize("due", ["2025-03-07", "2025-03-07T10:00:00", "2025-03-07T23:59:59.999"])
@pytest.mark.parametrize(("now", "stalled"), [("2025-03-07T03:00:00", 0), ("2025-03-07T23:00:00", 0), ("2025-03-08T00:00:00", 1)])
def test_a_task_stalls_when_its_day_has_gone_by_for_the_user(tmp_path: Path, due: str, now: str, stalled: int) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False, "timezone": "Asia/Tokyo"}) as mem:
        mem.remember("Pay the rent", user_id="ana", kind="task", key="user.task", event_time=due, timestamp="2025-03-01")
        assert mem.maintain(now=now).tasks_stalled == stalled


def test_a_stalled_task_that_is_spoken_of_again_is_taken_up(mem: memdb.Memory) -> None:
    for day in ("2025-03-01", "2025-05-02"):
        mem.observe("Remind me to call the dentist.", user_id="ana", turn_id=day, timestamp=day)
        mem.drain()
        mem.maintain(now="2025-05-01")
    assert [(task.value_json["state"], task.seen_count) for task in of(mem, "task")] == [("active", 2)]  # type: ignore[index, call-overload]
    mem.undo(user_id="ana", turn_id="2025-05-02", now="2025-05-03")
    assert [task.value_json["state"] for task in of(mem, "task")] == ["stalled"]  # type: ignore[index, call-overload]


def test_a_prompt_tells_when_a_task_is_due_and_no_stalled_one_unasked(mem: memdb.Memory) -> None:
    for text in ("Remind me to call the dentist on Friday.", "Remind me to water the plants."):
        mem.observe(text, user_id="ana", timestamp="2025-03-03T10:00:00Z")
    mem.drain()
    (dentist,) = (task for task in of(mem, "task") if "dentist" in task.value_text)
    goals = [mem.context("Hello", user_id="ana", now="2025-03-04").text]
    mem.task(dentist.fact_id, "stalled", now="2025-03-09")
    goals += [mem.context(asked, user_id="ana", now="2025-03-10").text for asked in ("Hello", "What about the dentist?")]
    assert ["call the dentist on Friday (due 2025-03-07)" in text for text in goals] == [True, False, True]
    assert "(due 2025-03-07) (stalled)" in goals[2]
    assert all("water the plants" in text for text in goals)
    assert "call the dentist on Friday (due 2025-03-07) (stalled)" in mem.page("ana", now="2025-03-10")


@pytest.mark.parametrize("states", [("stalled",), ("done", "active"), ("stalled", "done", "stalled")])
def test_a_task_that_waits_for_leave_waits_wherever_it_stands(mem: memdb.Memory, states: tuple[TaskState, ...]) -> None:
    for state in (None, *states):
        mem.write([{"kind": "task", "text": "Refill the HIV medication", "details": {"state": state} if state else {}}], user_id="ana")
    (task,) = of(mem, "task")
    assert (task.status, task.value_json["state"]) == ("pending_confirmation", states[-1])  # type: ignore[index, call-overload]
    mem.confirm(task.fact_id)
    assert [mem.task(task.fact_id, state).status for state in ("done", "active")] == ["expired", "active"]
    assert [change.operation for change in mem.history(fact_id=task.fact_id)][-2:] == ["expire", "update"]


def test_a_task_that_was_rejected_is_not_taken_up_but_asked_about_anew(mem: memdb.Memory) -> None:
    item = {"kind": "task", "text": "Refill the HIV medication", "details": {"state": "active"}}
    (rejected,) = mem.write([item], user_id="ana").accepted
    mem.reject(rejected)
    assert [mem.task(rejected, state).status for state in ("done", "active")] == ["expired", "expired"]
    mem.write([item], user_id="ana")
    assert [task.status for task in of(mem, "task") if task.fact_id != rejected] == ["pending_confirmation"]


@pytest.mark.parametrize("state", ["bananas", "", None])
def test_a_task_stands_where_one_can(tell: Tell, state: str) -> None:
    (task,) = of(tell("Remind me to call the dentist."), "task")
    with pytest.raises(memdb.InputError, match=r"state is .*; give one of active, done, stalled"):
        tell().task(task.fact_id, state)  # type: ignore[arg-type]
    assert of(tell(), "task") == [task]


def test_only_tasks_have_a_state(mem: memdb.Memory) -> None:
    with pytest.raises(memdb.InputError, match="is a fact, not a task"):
        mem.task(mem.remember("Likes jazz", user_id="ana", key="user.likes").fact_id, "done")


# reflection


def test_what_recurs_on_three_days_becomes_a_note(mem: memdb.Memory) -> None:
    for day in (1, 2, 3):
        chat(mem, f"s{day}", f"2025-03-0{day}", "I was so sad about the exam.", "The trains were late.")
    mem.maintain(now="2025-03-04")
    assert of(mem, "note") == []  # too few turns yet
    chat(mem, "s4", "2025-03-04", *["Well."] * 13)
    mem.maintain(now="2025-03-05")
    assert of(mem, "note") == []  # one is missing
    chat(mem, "s5", "2025-03-04", "Well.")
    mem.maintain(now="2025-03-05")
    notes = of(mem, "note")
    assert [note.value_text for note in notes] == ["Often sounds sad", "Keeps coming back to trains"]
    assert {(note.confidence, note.source) for note in notes} == {(0.7, "inferred")}


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        (["Back from Lisbon.", "I miss Lisbon.", "lisbon again, and Lisbon it is"], "Lisbon"),
        (["Pottery was fun.", "Pottery again.", "My pottery broke."], "pottery"),
        (["Sailing!", "Sailing?", "Sailing."], "sailing"),
        (["The Harbour closed.", "The harbour opened.", "Harbour walls."], "harbour"),
    ],
)
def test_a_topic_is_written_as_it_mostly_is_within_a_sentence(mem: memdb.Memory, said: list[str], topic: str) -> None:
    for day, text in enumerate(said, 1):
        chat(mem, f"s{day}", f"2025-03-0{day}", text, *["Well."] * 6)
    mem.maintain(now="2025-03-05")
    assert f"Keeps coming back to {topic}" in [note.value_text for note in of(mem, "note")]


def test_a_word_that_names_nothing_is_no_topic_however_often_it_is_said(mem: memdb.Memory) -> None:
    for day in (1, 2, 3):
        chat(
            mem,
            f"s{day}",
            f"2025-03-0{day}",
            "My cat is called Tom, he lives here.",
            "Remind me on Friday, I haven't forgotten.",
            "Hi, friend! Thank you for your advice, I recently planned something. Besides, I love especially difficult questions.",
            *["Well."] * 4,
        )
    mem.maintain(now="2025-03-05")
    assert of(mem, "note") == []


def test_how_answers_are_asked_to_be_on_three_days_becomes_a_strategy(mem: memdb.Memory) -> None:
    for day in (1, 2, 3):
        chat(
            mem,
            f"s{day}",
            f"2025-03-0{day}",
            "Could you give me an example?",
            "That’s not what I asked. The trains were late.",
            *["Well."] * 5,
        )
    mem.maintain(now="2025-03-05")
    assert [note.value_text for note in of(mem, "note")] == [
        "Ask what is meant before answering: answers have missed it",
        "Give an example with what is explained: one is wanted every time",
        "Keeps coming back to trains",
    ]
    told = mem.context("Explain trains to me, with an example.", user_id="ana", now="2025-03-05").text
    assert "# Reflective Notes" in told


def test_that_pictures_and_stories_are_asked_for_becomes_a_strategy(mem: memdb.Memory) -> None:
    for day in (1, 2, 3):
        chat(mem, f"s{day}", f"2025-03-0{day}", "Can you draw me a diagram of it?", "Now tell me a story about it.", *["Well."] * 5)
    mem.maintain(now="2025-03-05")
    assert [note.value_text.partition(":")[0] for note in of(mem, "note")] == [
        "Show it in a picture, a drawing or a chart",
        "Wrap it in a short story",
    ]


def test_what_is_asked_of_one_answer_or_of_something_else_is_no_strategy(mem: memdb.Memory) -> None:
    for day in (1, 2):
        chat(mem, f"s{day}", f"2025-03-0{day}", *["Could you give me an example?"] * 6)
    chat(mem, "s3", "2025-03-03", *["She set a good example."] * 8)
    mem.maintain(now="2025-03-05")
    assert [note.value_text for note in of(mem, "note") if note.value_text.startswith("Give")] == []


@pytest.mark.parametrize("strategy", strategies(), ids=lambda one: one.note.partition(":")[0])
def test_a_strategy_knows_what_asks_for_it(strategy: Strategy) -> None:
    search = re.compile(strategy.pattern).search
    assert [text for text in strategy.examples if not search(text.casefold())] == []
    assert [text for text in strategy.not_examples if search(text.casefold())] == []
    others = [text for other in strategies() if other != strategy for text in other.examples]
    assert [text for text in others if search(text.casefold())] == []


def test_what_is_not_said_again_is_not_noted_again(mem: memdb.Memory) -> None:
    for day, times in ((1, 7), (2, 7), (3, 6)):
        chat(mem, f"s{day}", f"2025-03-0{day}", *["The trains were late. [image: a platform]"] * times)
    chat(mem, "s4", "2025-03-04", *["It is so amazing."] * 40)
    mem.maintain(now="2025-03-05")
    assert [(note.value_text, note.seen_count) for note in of(mem, "note")] == [("Keeps coming back to trains", 1)]


def test_what_the_assistant_says_again_and_again_is_no_note(mem: memdb.Memory) -> None:
    for place in range(20):
        mem.observe("Well.", "The trains were late.", user_id="ana", session_id="s", timestamp=f"2025-03-{place // 4 + 1:02}")
    mem.drain()
    mem.maintain(now="2025-03-06")
    assert of(mem, "note") == []


def test_a_session_without_anything_significant_is_no_reason_to_reflect(mem: memdb.Memory) -> None:
    for day in (1, 2, 3):
        chat(mem, f"s{day}", f"2025-03-0{day}", "I like tea. The trains were late.")
    mem.maintain(now="2025-03-20")
    assert of(mem, "note") == []


def test_while_one_asks_a_model_to_reflect_nobody_else_does(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", *["The trains were late."] * 20)

    def think(request: ModelRequest) -> str:
        mem.maintain(now="2025-03-02")
        return '{"notes": ["Takes the train"]}'

    model = LanguageModel(ScriptedModel(think), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        assert other.maintain(now="2025-03-02").notes == 1
    assert [note.value_text for note in of(mem, "note")] == ["Takes the train"]


@pytest.mark.parametrize(("last", "noted"), [("2025-03-31", True), ("2025-04-03", False)])
def test_what_was_said_too_long_ago_does_not_recur(mem: memdb.Memory, last: str, noted: bool) -> None:
    for day, times in (("2025-01-01", 7), ("2025-01-02", 7), (last, 6)):
        chat(mem, day, day, *["The trains were late."] * times)
    mem.maintain(now="2025-04-04")
    assert bool(of(mem, "note")) is noted


@pytest.mark.parametrize(("secrets", "noted"), [("refuse", ["trains"]), ("keep", ["correcthorse", "password", "trains"])])
def test_a_secret_that_recurs_is_no_note(mem: memdb.Memory, secrets: Literal["refuse", "keep"], noted: list[str]) -> None:
    mem.consent("ana", secrets=secrets)
    for day in (1, 2, 3):
        chat(mem, f"s{day}", f"2025-03-0{day}", *["The trains were late. My password is correcthorse"] * 7)
    mem.maintain(now="2025-03-05")
    assert sorted(note.value_text.split()[-1] for note in of(mem, "note")) == noted


def test_a_secret_that_recurs_without_its_name_is_no_note(mem: memdb.Memory) -> None:
    for day in (1, 2, 3):
        chat(mem, f"s{day}", f"2025-03-0{day}", *["The trains were late. My password is correcthorse", "It is correcthorse"] * 4)
    mem.maintain(now="2025-03-05")
    assert [note.value_text.split()[-1] for note in of(mem, "note")] == ["trains"]


def test_a_model_that_reflects_is_told_no_secret(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", *["My password is correcthorse"] * 20)
    script = ScriptedModel(lambda request: json.dumps({"notes": []}))
    with memdb.open(mem.stats().path, embedder=None, llm=LanguageModel(script, name="scripted"), config={"worker": False}) as other:
        other.maintain(now="2025-03-02")
    assert script.requests
    assert not [asked for asked in script.requests if "correcthorse" in asked.user]


def test_a_note_is_what_the_user_lets_be_kept(mem: memdb.Memory) -> None:
    mem.consent("ana", sensitive_topics="refuse")
    chat(mem, "s1", "2025-03-01", *["I take antidepressants when I am tired.", "Give me short answers."] * 10)
    answer = json.dumps({"notes": ["Speaks of antidepressants when tired", "Likes short answers"]})
    model = LanguageModel(ScriptedModel(lambda request: answer), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        assert other.maintain(now="2025-03-02").notes == 1
    assert [note.value_text for note in of(mem, "note")] == ["Likes short answers"]


def test_a_note_counts_for_little_until_others_agree(mem: memdb.Memory) -> None:
    tones = []
    for day in range(1, 5):
        mem.remember("Calms down with a story", user_id="ana", kind="note", source="inferred", confidence=0.7, timestamp=f"2025-03-0{day}")
        mem.drain()
        (hit,) = mem.search("Calms down with a story", user_id="ana", judged=True)
        tones.append(round(hit.confidence_now or 0, 2))
    assert tones == sorted(tones)
    assert tones[0] < 0.6 < 0.8 < tones[-1]


def test_a_model_reflects_in_at_most_three_notes(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", *["Give me short answers.", "I hate haste."] * 10)
    answer = json.dumps({"notes": ["Likes short answers", "Likes short answers", "Hates haste"]})
    model = LanguageModel(ScriptedModel(lambda request: answer), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        assert other.maintain(now="2025-03-02").notes == 2
        assert [call.purpose for call in other.calls("ana")] == ["reflect"]
    assert {note.value_json["origin"] for note in of(mem, "note")} == {"llm_reflection"}  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    ("notes", "kept"),
    [
        (["Likes short answers", "likes short answers.", "Likes  short answers!"], ["Likes short answers"]),
        (["None", "n/a", "...", "no te es"], []),
        (["A short story calms her. " * 20, "Hates haste"], ["Hates haste"]),
        (["喜欢短的回答", "喜欢短的回答"], ["喜欢短的回答"]),
        (["Likes tea", "Hates haste", "Likes pictures", "Loves rain"], ["Likes tea", "Hates haste", "Likes pictures"]),
    ],
)
def test_a_note_of_a_model_is_short_says_something_and_does_not_agree_with_itself(
    mem: memdb.Memory, notes: list[str], kept: list[str]
) -> None:
    chat(mem, "s1", "2025-03-01", *["Give me short answers.", "I hate haste.", "I like tea and pictures, and I love rain."] * 7)
    model = LanguageModel(ScriptedModel(lambda request: json.dumps({"notes": notes})), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        other.maintain(now="2025-03-02")
    assert [(note.value_text, note.confidence) for note in of(mem, "note")] == [(text, 0.7) for text in kept]


@pytest.mark.parametrize(
    "summary", ["  ", "looked " * 100, "jimmyjim", "They went there with the others.", "The boat, the boat, the boat, the boat, the boat."]
)
def test_where_a_model_s_summary_has_nothing_to_keep_rules_tell_the_episode(mem: memdb.Memory, summary: str) -> None:
    chat(mem, "s1", "2025-03-01", "We painted the boat.", "Then we sailed the boat to Faro.")
    model = LanguageModel(ScriptedModel(lambda request: json.dumps({"summary": summary})), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        assert other.maintain(now="2025-04-02").episodes == 1
    assert [episode.value_json["by"] for episode in of(mem, "episode")] == ["rules"]  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    ("said", "summary"),
    [("Wir segeln nach Faro.", "They sailed to Faro."), ("Repainting it took long.", "Ana repaints."), ("我喜欢茶", "他喜欢茶")],
)
def test_a_summary_has_a_word_of_what_was_said_in_any_form(mem: memdb.Memory, said: str, summary: str) -> None:
    chat(mem, "s1", "2025-03-01", said)
    model = LanguageModel(ScriptedModel(lambda request: json.dumps({"summary": summary})), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        other.maintain(now="2025-04-02")
    assert [episode.value_text for episode in of(mem, "episode")] == [summary]


def test_notes_beyond_the_cap_are_archived_weakest_first(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config={"worker": False, "reflection_limit": 2}) as mem:
        for number, confidence in enumerate((0.9, 0.3, 0.8)):
            mem.remember(f"Note {number}", user_id="ana", kind="note", confidence=confidence, timestamp="2025-03-01")
        assert mem.maintain(now="2025-03-02").notes_archived == 1
        assert [note.value_text for note in mem.facts("ana", statuses=["archived"])] == ["Note 1"]


@pytest.mark.parametrize(("days", "weakest"), [(("2025-02-28", "2025-02-28", "2024-03-01"), 2), (("2025-02-28",) * 3, 0)])
def test_of_notes_that_are_as_sure_the_oldest_goes(tmp_path: Path, days: tuple[str, ...], weakest: int) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False, "reflection_limit": 2}) as mem:
        for place, day in enumerate(days):
            mem.remember(f"Note {place}", user_id="ana", kind="note", confidence=0.8, timestamp=day)
        assert mem.maintain(now="2025-03-02").notes_archived == 1
        assert [note.value_text for note in mem.facts("ana", statuses=["archived"])] == [f"Note {weakest}"]


# by itself


def wait_for(mem: memdb.Memory, kind: str, count: int = 1) -> list[memdb.Fact]:
    until = time.monotonic() + 20
    while len(of(mem, kind)) < count and time.monotonic() < until:
        time.sleep(0.05)
    return of(mem, kind)


def test_the_worker_tells_of_a_session_when_it_is_over(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        mem.observe("We lost the toy dinosaur in the park.", "Oh dear.", user_id="ana", session_id="s1")
        mem.observe("Good morning.", user_id="ana", session_id="s2")
        assert [episode.session_id for episode in wait_for(mem, "episode")] == ["s1"]


def test_the_worker_tells_of_a_session_that_was_closed(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        with mem.session("ana", "s1") as session:
            session.observe("We lost the toy dinosaur in the park.", "Is it green?")
            session.observe("It is green.")
        told = [episode.value_text for episode in wait_for(mem, "episode", 3) if episode.source == "inferred"]
        assert told == ["user: We lost the toy dinosaur in the park. user: It is green."]


def test_the_worker_reflects_after_enough_turns(tmp_path: Path) -> None:
    said = [{"text": "The trains were late.", "timestamp": f"2025-03-{place // 4 + 1:02}"} for place in range(20)]
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        mem.load(said, user_id="ana")
        (note,) = wait_for(mem, "note")
        assert (note.value_text, note.confidence, note.created_at.day) == ("Keeps coming back to trains", 0.7, 5)


def test_the_worker_reflects_after_a_session_in_which_something_significant_was_said(tmp_path: Path) -> None:
    said = [
        ("The trains were late.", "2025-03-01"),
        ("The trains were late.", "2025-03-02"),
        ("I live in Porto. The trains!", "2025-03-03"),
        ("Good night.", "2025-03-03"),
    ]
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.load([{"text": text, "timestamp": day, "session_id": "s1"} for text, day in said], user_id="ana")
        mem.drain()
        assert mem.maintain(now="2025-03-03").notes == 0  # it is going on
        mem.observe("Good morning.", user_id="ana", session_id="s2", timestamp="2025-03-04")
        mem.drain()
        assert mem.maintain(now="2025-03-04").notes == 1
        assert mem.maintain(now="2025-03-04").notes == 0


@pytest.mark.parametrize(("zone", "notes"), [("UTC", 1), ("America/New_York", 0)])
def test_what_recurs_does_so_on_days_of_the_users(tmp_path: Path, zone: str, notes: int) -> None:
    config = {"worker": False, "timezone": zone, "reflect_every_turns": 3}
    with memdb.open(tmp_path / "mem.db", embedder=None, config=config) as mem:
        for at in ("2025-03-01T23:00", "2025-03-02T01:00", "2025-03-03T10:00"):
            mem.observe("The trains again.", user_id="ana", timestamp=f"{at}:00Z")
        mem.drain()
        assert mem.maintain(now="2025-03-04").notes == notes


@pytest.mark.parametrize("steps", [1, 7, 60])
def test_reflection_does_not_depend_on_when_it_is_done(tmp_path: Path, steps: int) -> None:
    texts = ["The garden and the trains.", "The kettle and the trains.", "I live in Porto."] * 20
    said = [
        {"text": text, "timestamp": f"2025-03-{place // 3 + 1:02}", "session_id": f"s{place // 12}"} for place, text in enumerate(texts)
    ]
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        for first in range(0, 60, steps):
            mem.load(said[first : first + steps], user_id="ana")
            mem.drain()
            mem.maintain(now="2025-03-22")
        notes = {(note.value_text.split()[-1], note.seen_count, note.created_at.day) for note in of(mem, "note")}
    assert notes == {("garden", 3, 4), ("kettle", 3, 4), ("Porto", 1, 4), ("trains", 2, 11)}


def test_nobody_waits_for_a_model_that_summarises(tmp_path: Path) -> None:
    thinking, go_on = threading.Event(), threading.Event()

    def think(request: ModelRequest) -> str:
        if "stretch of conversation" not in request.system:
            return '{"facts": []}'
        thinking.set()
        assert go_on.wait(20)
        return '{"summary": "They lost a toy."}'

    with memdb.open(tmp_path / "mem.db", embedder=None, llm=LanguageModel(think_with(think), name="scripted")) as mem:
        mem.observe("We lost a toy.", user_id="ana", session_id="s1")
        mem.observe("Good morning.", user_id="ana", session_id="s2")
        assert thinking.wait(20)
        started = time.monotonic()
        mem.observe("The boiler is called Bertha.", user_id="ana", session_id="s2")
        assert mem.search("boiler", user_id="ana")
        assert mem.drain(10)
        assert (time.monotonic() - started < 5, of(mem, "episode")) == (True, [])
        go_on.set()
        assert [episode.value_text for episode in wait_for(mem, "episode")] == ["They lost a toy."]


def think_with(think: Callable[[ModelRequest], str]) -> Callable[[ModelRequest], ModelReply]:
    """A transport that several threads may ask at once."""
    return lambda request: ModelReply(text=think(request), finish_reason="stop")


def test_of_two_processes_one_asks_the_model(tmp_path: Path) -> None:
    model = ScriptedModel(lambda request: '{"summary": "They lost a toy."}')
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        for number in range(12):
            chat(mem, f"s{number}", f"2025-03-{number + 1:02}", "We lost a toy.")
    both = [memdb.open(tmp_path / "mem.db", embedder=None, llm=LanguageModel(model, name="scripted")) for _ in range(2)]
    assert len(wait_for(both[0], "episode", 12)) == 12
    for other in both:
        other.close()
    assert len(model.requests) == 12


SUMMARISES_FOR_LONG = """
import sys, time, memdb
def think(request):
    print("thinking", flush=True)
    time.sleep(600)
with memdb.open(sys.argv[1], embedder=None, llm=memdb.LanguageModel(think, name="slow")) as mem:
    time.sleep(600)
"""


def test_killed_while_it_summarises_it_is_done_once_by_who_comes_next(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, config={"worker": False}) as mem:
        chat(mem, "s1", "2025-03-01", "We lost a toy.", "It is green.")
    command = [sys.executable, "-c", SUMMARISES_FOR_LONG, str(path)]
    with subprocess.Popen(command, cwd=Path(__file__).parent.parent, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "thinking\n"
        with memdb.open(path, embedder=None, config={"worker": False}) as mem:
            assert mem.maintain().episodes == 0  # somebody is at it
        process.kill()
    with memdb.open(path, embedder=None) as mem:
        assert [episode.value_text for episode in wait_for(mem, "episode")] == ["user: We lost a toy. user: It is green."]
        assert mem.maintain().episodes == 0


def test_the_night_tidies_up_once(mem: memdb.Memory) -> None:
    mem.remember("Call the dentist", user_id="ana", key="user.task", kind="task", timestamp="2025-03-01")
    db = mem._store.database()
    told = [take_tidying(db, now=datetime.fromisoformat(now), config=Config())
            for now in ("2025-05-01T12:00:00+00:00", "2025-05-02T02:59:00+00:00", "2025-05-02T03:01:00+00:00", "2025-05-02T23:00:00+00:00")]  # fmt: skip
    assert told == [False, False, True, False]
    assert of(mem, "task")[0].value_json["state"] == "stalled"  # type: ignore[index, call-overload]


def test_of_two_processes_one_tidies_up(mem: memdb.Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    mem.remember("Call the dentist", user_id="ana", key="user.task", kind="task", timestamp="2025-03-01")
    db = mem._store.database()
    first, night = (datetime.fromisoformat(f"2025-05-0{day}T12:00:00+00:00") for day in (1, 2))
    assert not take_tidying(db, now=first, config=Config())
    begin, told = db.transaction, []

    def begin_late() -> AbstractContextManager[None]:
        monkeypatch.undo()  # another process comes between the look and the lock
        with memdb.open(mem.stats().path, embedder=mem.embedder, config={"worker": False}) as other:
            told.append(take_tidying(other._store.database(), now=night, config=Config()))
        return begin()

    monkeypatch.setattr(db, "transaction", begin_late)
    told.append(take_tidying(db, now=night, config=Config()))
    assert told == [True, False]


@pytest.mark.parametrize("what", ["tasks", "closed", "versions", "over"])
def test_the_night_holds_the_file_for_some_rows_at_a_time(mem: memdb.Memory, what: str) -> None:
    tasks = [stored(f"Call number {place}", 1, key="user.task", kind="task") for place in range(250)]
    facts = [stored(f"Likes song {place}", 1, key="user.likes", object=f"song {place}") for place in range(250)]
    mem.remember_many(tasks if what == "tasks" else facts)
    db, night = mem._store.database(), datetime.fromisoformat("2025-05-01T12:00:00+00:00")
    take_tidying(db, now=night, config=Config())
    closed = "update facts set status = 'superseded', valid_to = '2025-03-02T00:00:00.000Z', updated_at = '{}' where kind = 'fact'"
    written = {"closed": closed.format("2025-03-02T00:00:00.000Z"), "versions": closed.format("2025-05-02T00:00:00.000Z"),
               "over": "update facts set valid_to = '2025-05-01T00:00:00.000Z'"}  # fmt: skip
    db.connection.execute(written.get(what, ""))
    changes = [db.changes]

    def committed() -> bool:
        changes.append(db.changes)
        return False

    db.connection.set_commit_hook(committed)
    assert take_tidying(db, now=night + timedelta(days=90 if what == "closed" else 1), config=Config())
    parts = [after - before for before, after in pairwise(changes)]
    assert max(parts) < sum(parts) / 2


def test_a_task_that_is_spoken_of_while_the_night_looks_does_not_stall(mem: memdb.Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    task = mem.remember("Call the dentist", user_id="ana", key="user.task", kind="task", timestamp="2025-03-01")
    db = mem._store.database()
    begin = db.transaction

    def begin_late() -> AbstractContextManager[None]:
        monkeypatch.undo()  # somebody comes between the look and the lock
        mem.remember("Call the dentist", user_id="ana", key="user.task", kind="task", timestamp="2025-05-01")
        return begin()

    monkeypatch.setattr(db, "transaction", begin_late)
    assert tidy(db, user_id=None, now=datetime.fromisoformat("2025-05-01T12:00:00+00:00"), config=Config()).tasks_stalled == 0
    assert mem.fact(task.fact_id).seen_count == 2


# promotion and the archive


# what is held twice


def stored(text: str, day: int = 1, **more: object) -> dict[str, object]:
    return {"user_id": "ana", "value_text": text, "key": "user.likes", "timestamp": f"2025-03-0{day}", **more}


def test_what_is_held_twice_becomes_one_that_was_said_as_often(mem: memdb.Memory) -> None:
    mem.remember_many([stored("User likes tea", 2), stored("The user likes tea", 1, confidence=0.7), stored("User likes figs", 1)])
    mem.remember_many([{**stored("User likes tea"), "user_id": "bob"}])
    mem.drain()
    assert [mem.maintain(now="2025-03-05").merged for _ in range(2)] == [1, 0]
    tea = next(fact for fact in mem.facts("ana") if "tea" in fact.value_text)
    assert (len(mem.facts("ana")), len(mem.facts("bob"))) == (2, 1)
    assert (tea.seen_count, f"{tea.valid_from:%d} {tea.last_mentioned_at:%d}") == (2, "01 02")
    assert tea.confidence == 0.85
    (gone,) = mem.facts("ana", statuses=["superseded"])
    assert gone.valid_to == gone.valid_from
    assert mem.history(fact_id=gone.fact_id)[-1].reason == "the same was held 2 times"
    assert mem.profile("ana", now="2025-03-05").recent_changes == []


@pytest.mark.parametrize("surer", ["the first", "the second"])
def test_what_stands_for_others_is_as_sure_as_the_surest_and_as_who_is_most_relied_on(mem: memdb.Memory, surer: str) -> None:
    most: list[tuple[float, str]] = [(0.7, "user_message"), (0.4, "web_scraped")]
    (one, by_one), (other, by_other) = most if surer == "the first" else reversed(most)
    texts = [stored("The user likes tea", 1, confidence=one, source=by_one), stored("User likes tea", 2, confidence=other, source=by_other)]
    mem.remember_many(texts)
    mem.drain()
    assert mem.maintain(now="2025-03-05").merged == 1
    assert [(fact.confidence, fact.source) for fact in mem.facts("ana")] == [(0.85, "user_message")]


def test_what_was_brought_together_contradicts_nothing_any_more_but_by_what_stands_for_it(mem: memdb.Memory) -> None:
    mem.remember_many(
        [
            stored("User likes figs", fact_id="figs"),
            stored("User likes tea", 2, fact_id="later"),
            stored("The user likes tea", fact_id="tea"),
        ]
    )
    mem.link("later", "figs", "contradicts")
    mem.drain()
    assert mem.maintain(now="2025-03-05").merged == 1
    assert [linked.fact.fact_id for linked in mem.links("figs", statuses=["active", "superseded"])] == ["tea"]


def test_what_stands_for_others_has_their_links_and_they_keep_theirs(mem: memdb.Memory) -> None:
    mem.remember_many(
        [
            stored("User likes figs", fact_id="figs"),
            stored("User likes dates", fact_id="dates"),
            stored("User likes tea", 2, fact_id="later"),
            stored("The user likes tea", fact_id="tea"),
        ]
    )
    made = {("later", "figs", "relates-to"), ("dates", "later", "supports"), ("later", "tea", "extends"), ("tea", "later", "relates-to")}
    for source, target, relation in (*made, ("figs", "dates", "relates-to")):
        mem.link(source, target, relation)  # type: ignore[arg-type]
    mem.drain()
    assert mem.maintain(now="2025-03-05").merged == 1
    links = set(mem._store.database().connection.execute("select source_id, target_id, relation from links"))
    assert links == made | {("figs", "dates", "relates-to"), ("tea", "figs", "relates-to"), ("dates", "tea", "supports")}


def test_what_was_brought_together_before_counts_as_often_as_it_was_said(mem: memdb.Memory) -> None:
    for days in ((2, 3), (1,)):
        mem.remember_many([stored("User likes tea", day, fact_id=f"f{day}") for day in days])
        mem.drain()
        assert mem.maintain(now="2025-03-05").merged == 1
    (tea,) = mem.facts("ana")
    assert (tea.fact_id, tea.seen_count, f"{tea.last_mentioned_at:%d}") == ("f1", 3, "03")


@pytest.mark.parametrize(
    "other",
    [
        {"key": "user.dislikes"},
        {"valid_to": "2025-09-01"},
        {"event_time": "2025-04-01"},
        {"value_json": {"polarity": "negative"}},
        {"kind": "note"},
    ],
)
def test_what_differs_in_more_than_its_words_is_not_brought_together(mem: memdb.Memory, other: dict[str, object]) -> None:
    mem.remember_many([stored("User likes tea", object="tea"), {**stored("User likes tea", object="tea"), **other}])
    mem.drain()
    assert mem.maintain(now="2025-03-05").merged == 0


def test_notes_that_are_nearly_the_same_become_one(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=OneMeaning(), llm=None, config={"worker": False}) as mem:
        for text in ("Child likes pictures", "Child prefers pictures", "Child does not like pictures", "Child likes 2 pictures"):
            mem.remember_many([stored(text, kind="note", key="user.note")])
        mem.remember_many([stored("Bought a house", key="user.note"), stored("Sold a house", key="user.note")])
        assert mem.maintain(now="2025-03-05").merged == 0  # no vectors yet
        mem.drain()
        assert mem.maintain(now="2025-03-05", dry_run=True).merged == 1
        assert mem.maintain(now="2025-03-05").merged == 1
        assert {fact.value_text for fact in mem.facts("ana", kinds=["note"])} == {
            "Child likes pictures", "Child does not like pictures", "Child likes 2 pictures",
        }  # fmt: skip
        assert len(mem.facts("ana", kinds=["fact"])) == 2


def test_what_contradicts_one_of_two_contradicts_the_one_that_is_left(mem: memdb.Memory) -> None:
    mem.remember_many([stored("Lives in Porto", day, key="user.lives_in", object="Porto", fact_id=f"f{day}") for day in (1, 2)])
    mem.observe("I live in Braga.", user_id="ana", timestamp="2025-03-03")
    mem.drain()
    mem.maintain(now="2025-03-05")
    assert "Porto" in str(mem.context("anything", user_id="ana", now="2025-03-06").question)
    braga = next(fact for fact in mem.facts("ana") if fact.object == "Braga")
    mem.confirm(braga.fact_id)
    assert [fact.object for fact in mem.facts("ana")] == ["Braga"]


def test_the_night_brings_together_what_came_since(mem: memdb.Memory) -> None:
    db = mem._store.database()
    take_tidying(db, now=datetime.fromisoformat("2025-03-01T12:00:00+00:00"), config=Config())
    mem.remember_many([stored("User likes tea"), stored("User likes tea")])
    mem.drain()
    take_tidying(db, now=datetime.fromisoformat("2025-03-03T12:00:00+00:00"), config=Config())
    assert [fact.seen_count for fact in mem.facts("ana")] == [2]


@pytest.mark.parametrize(("days", "promoted"), [((1, 1, 1, 1), 0), ((1, 2), 0), ((1, 2, 3), 1)])
def test_what_is_said_on_three_days_is_promoted_to_the_profile(mem: memdb.Memory, days: tuple[int, ...], promoted: int) -> None:
    for place, day in enumerate(days):
        mem.remember("Drives a Volvo", user_id="ana", key="user.drives", object="Volvo", timestamp=f"2025-03-0{day}T1{place}:00:00Z")
    assert mem.maintain(now="2025-03-05").promoted == promoted
    assert ("user.drives" in mem.profile("ana", now="2025-03-05").soft_preferences) is bool(promoted)
    assert mem.maintain(now="2025-03-05").promoted == 0
    assert mem.profile("ana", now="2025-03-05").recent_changes == []  # it is as it was


@pytest.mark.parametrize(("zone", "promoted"), [("UTC", 1), ("America/New_York", 0)])
def test_a_day_on_which_something_is_said_is_the_users(tmp_path: Path, zone: str, promoted: int) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False, "timezone": zone}) as mem:
        for at in ("2025-03-01T23:00", "2025-03-02T01:00", "2025-03-03T10:00"):
            mem.remember("Drives a Volvo", user_id="ana", key="user.drives", object="Volvo", timestamp=f"{at}:00Z")
        assert mem.maintain(now="2025-03-05").promoted == promoted


def test_what_upkeep_does_with_a_fact_is_not_that_it_was_said(mem: memdb.Memory) -> None:
    for day in (1, 2):
        mem.remember("Drives a Volvo", user_id="ana", key="user.drives", object="Volvo", timestamp=f"2025-03-0{day}")
    mem.remember_many([stored("Drives a Volvo", 2, key="user.drives", object="Volvo")])
    mem.drain()
    assert [(done.merged, done.promoted) for done in (mem.maintain(now=day) for day in ("2025-03-03", "2025-03-04"))] == [(1, 0), (0, 0)]


def test_what_is_doubted_was_not_said_on_another_day(mem: memdb.Memory) -> None:
    for hour in (1, 2, 3):
        fact = mem.remember("Drives a Volvo", user_id="ana", key="user.drives", object="Volvo", timestamp=f"2025-03-01T1{hour}:00:00Z")
    mem.doubt(fact.fact_id, now="2025-03-02")
    mem.confirm(fact.fact_id, now="2025-03-03")
    assert mem.maintain(now="2025-03-05").promoted == 0


def test_what_is_taken_back_was_not_said_on_that_day(mem: memdb.Memory) -> None:
    for place, day in enumerate((1, 1, 2, 3)):
        at, turn = f"2025-03-0{day}T1{place}:00:00Z", f"t{place}"
        mem.remember("Drives a Volvo", user_id="ana", key="user.drives", object="Volvo", timestamp=at, turn_id=turn)
    mem.undo(user_id="ana", turn_id="t3", now="2025-03-04")
    assert mem.maintain(now="2025-03-05").promoted == 0


def test_what_was_held_three_times_was_said_on_the_days_of_all_three(mem: memdb.Memory) -> None:
    mem.remember_many([stored("Drives a Volvo", day, key="user.drives", object="Volvo") for day in (1, 2, 3)])
    mem.drain()
    done = mem.maintain(now="2025-03-05")
    assert (done.merged, done.promoted) == (2, 1)


def test_what_is_said_of_money_again_and_again_is_no_preference(mem: memdb.Memory) -> None:
    mem.consent("ana", sensitive_topics="keep")
    for day in (1, 2, 3):
        mem.observe("I earn 3000 euros a month. I drive a Volvo.", user_id="ana", timestamp=f"2025-03-0{day}")
    mem.drain()
    assert mem.maintain(now="2025-03-05").promoted == 1
    profile = mem.profile("ana", now="2025-03-05")
    assert (list(profile.soft_preferences), [entry.key for entry in profile.sensitive_topics]) == (["user.drives"], ["user.income"])


def test_what_would_hardly_be_asked_for_is_not_promoted(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False, "promote_priority": 1.0}) as mem:
        for day in (1, 2, 3):
            mem.remember("Drives a Volvo", user_id="ana", key="user.drives", object="Volvo", timestamp=f"2025-03-0{day}")
        assert mem.maintain(now="2025-03-05").promoted == 0


def test_only_the_last_versions_of_a_key_stay(mem: memdb.Memory) -> None:
    for number in range(9):
        mem.remember(f"Stays in town {number}", user_id="ana", key="user.staying_in", timestamp=f"2025-03-0{number + 1}")
    assert mem.maintain(now="2025-03-20").versions_archived == 3
    kept = mem.facts("ana", statuses=["superseded"])
    assert sorted(fact.value_text for fact in kept) == [f"Stays in town {number}" for number in range(3, 8)]
    assert [change.operation for change in mem.history(user_id="ana")].count("archive") == 3
    assert [fact.value_text for fact in mem.facts("ana", as_of="2025-03-01T12:00:00Z")] == ["Stays in town 0"]


def test_the_last_versions_are_those_that_began_last_and_notes_are_none_of_a_fact_s(mem: memdb.Memory) -> None:
    for kind, count in (("fact", 6), ("note", 5)):
        for number in reversed(range(count)):  # the latest is stored first
            said = {"key": "user.staying_in", "kind": kind, "timestamp": f"2025-03-0{number + 1}"}
            mem.remember_many([{"value_text": f"Stays in town {number}", "user_id": "ana", **said}])
    mem._store.database().connection.execute("update facts set status = 'superseded'")
    assert mem.maintain(now="2025-03-20").versions_archived == 1
    kept = [(fact.kind, fact.value_text) for fact in mem.facts("ana", kinds=["fact", "note"], statuses=["superseded"])]
    assert sorted(kept) == [
        (kind, f"Stays in town {number}") for kind, first in (("fact", 1), ("note", 0)) for number in range(first, first + 5)
    ]


def test_forgetting_a_user_forgets_how_far_upkeep_had_come(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", *["Remind me to call the dentist."] * 20)
    mem.maintain(now=LATER)
    mem.forget("ana")
    assert b"dentist" not in Path(mem.stats().path).read_bytes()
    assert apsw.Connection(mem.stats().path).execute("select * from upkeep").fetchall() == []


def test_a_dry_run_of_everything_says_what_it_would_do_and_writes_nothing(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "Remind me to call the dentist.", "We lost the toy dinosaur in the park.")
    before = [fact.fact_id for fact in mem.facts("ana")], len(mem.history(user_id="ana"))
    told = mem.maintain(now="2025-03-20", dry_run=True)
    assert ([fact.fact_id for fact in mem.facts("ana")], len(mem.history(user_id="ana"))) == before
    done = mem.maintain(now="2025-03-20")
    assert done.episodes == 1
    assert told == done.model_copy(update={"dry_run": True})


def test_a_dry_run_waits_for_nobody_who_writes_and_sees_what_is_committed(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "Remind me to call the dentist.", "We lost the toy dinosaur in the park.")
    other = apsw.Connection(mem.stats().path)
    other.execute("begin immediate; delete from facts")
    try:
        assert mem.maintain(now="2025-03-20", dry_run=True).episodes == 1
    finally:
        other.execute("rollback")


@pytest.mark.parametrize("made", ["pragma page_size = 16384", "pragma auto_vacuum = full"])
def test_a_dry_run_takes_files_that_were_made_otherwise(tmp_path: Path, made: str) -> None:
    path = tmp_path / "mem.db"
    apsw.Connection(str(path)).execute(f"{made}; create table t (a); drop table t")
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:
        chat(mem, "s1", "2025-03-01", "Remind me to call the dentist.", "We lost the toy dinosaur in the park.")
        told = mem.maintain(now="2025-03-20", dry_run=True)
        assert told.episodes == 1
        assert mem.maintain(now="2025-03-20").model_copy(update={"dry_run": True}) == told


def neglect(mem: memdb.Memory, user: str) -> None:
    """Leave something of every kind that there is to keep up; what is said is the same for each user."""
    for day in (1, 2, 3):
        for place in range(7):
            mem.observe(
                "The trains were late.",
                "Nobody knows why.",
                user_id=user,
                session_id=f"s{day}",
                timestamp=f"2025-03-0{day}T10:{place:02}:00Z",
            )
        mem.event("Rui made coffee", user_id=user, timestamp=f"2025-03-0{day}T07:00:00Z", participants=["Rui"])
        mem.remember("Drives a Volvo", user_id=user, key="user.drives", object="Volvo", timestamp=f"2025-03-0{day}")
        mem.remember(f"Note {day}", user_id=user, kind="note", timestamp="2025-03-01")
    mem.event("The lamp broke for good", user_id=user, timestamp="2025-03-01T20:00:00Z", importance=0.1)
    for day in range(1, 10):
        mem.remember(f"Stays in town {day}", user_id=user, key="user.staying_in", timestamp=f"2025-03-0{day}")
    mem.remember("Likes figs for now", user_id=user, key="user.likes", timestamp="2025-03-01", valid_to="2025-04-01")
    mem.remember("Call the dentist", user_id=user, key="user.task", kind="task", timestamp="2025-03-01")
    mem.remember_many([stored("User likes tea", user_id=user)] * 2)


NOWS = ("2025-03-20", "2025-05-20", "2025-12-20")


@pytest.fixture
def neglected(tmp_path: Path) -> Iterator[memdb.Memory]:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "reflection_limit": 2}) as mem:
        for user in ("bob", "ana", "cleo"):
            neglect(mem, user)
        mem.drain()
        mem.narrate(now="2025-03-05T00:00:00Z")
        yield mem


def total(done: list[memdb.Maintained]) -> dict[str, int]:
    counted = {name: sum(getattr(one, name) for one in done) for name in memdb.Maintained.model_fields}
    return {name: count for name, count in counted.items() if name not in ("nights", "processed", "dry_run")}


def test_maintenance_of_one_user_does_all_there_is_and_leaves_the_others_alone(neglected: memdb.Memory) -> None:
    db = neglected._store.database().connection
    tables = [name for (name,) in db.execute("select name from sqlite_schema where type = 'table' and sql like '%user_id text%'")]

    def rows(*users: str) -> dict[str, list[tuple[object, ...]]]:
        those = f"user_id in (select value from json_each('{json.dumps(users)}'))"
        return {name: sorted(db.execute(f"select * from {name} where {those}").fetchall(), key=repr) for name in tables}

    def held(user: str) -> list[tuple[object, ...]]:
        facts = neglected.facts(user, kinds=["fact", "task", "note", "narrative", "episode"], statuses=EVER)
        return sorted((one.kind, one.value_text, one.status, one.seen_count, one.created_at, one.valid_from) for one in facts)

    untouched = rows("ana", "cleo")
    neglected.maintain(user_id="bob", now=NOWS[1])
    assert rows("ana", "cleo") == untouched
    before = rows("bob", "cleo")
    done = [neglected.maintain(user_id="ana", now=now) for now in NOWS]
    assert rows("bob", "cleo") == before
    assert all(total(done).values())
    assert [neglected.maintain(user_id="cleo", now=now) for now in NOWS] == done
    assert held("ana") == held("cleo")
    assert neglected.maintain(user_id="bob", now=NOWS[2]).deleted > 0


def test_maintenance_of_everybody_does_for_each_what_it_does_for_one(neglected: memdb.Memory, tmp_path: Path) -> None:
    with memdb.open(tmp_path / "alone.db", embedder=None, llm=None, config={"worker": False, "reflection_limit": 2}) as alone:
        neglect(alone, "ana")
        alone.drain()
        alone.narrate(now="2025-03-05T00:00:00Z")
        of_one = total([alone.maintain(now=now) for now in NOWS])
    assert total([neglected.maintain(now=now) for now in NOWS]) == {name: 3 * count for name, count in of_one.items()}


@pytest.mark.parametrize("told", ["profile", "metrics"])
def test_what_is_told_of_many_things_brought_together_takes_no_longer_for_each_of_them(tmp_path: Path, told: str) -> None:
    def steps(count: int) -> int:
        """Hundreds of steps of SQLite that it takes."""
        with memdb.open(tmp_path / f"{count}.db", embedder=None, config={"worker": False}) as mem:
            mem.remember_many([{"value_text": "Likes tea", "user_id": "ana"}] * count)
            mem.maintain(user_id="ana")
            assert len(mem.facts("ana")) == 1
            connection = mem._store.database().connection
            taken = count_from(0)
            connection.set_progress_handler(lambda: next(taken) < 0, 100)
            if told == "profile":
                mem.profile("ana")
            else:
                connection.execute("select * from metrics").fetchall()
            return next(taken)

    assert steps(1600) < 8 * steps(400)  # four times as many; where each looked at all the others it would be sixteen times the steps


def test_what_stands_for_others_is_found_by_their_tags_and_counts_as_much(mem: memdb.Memory) -> None:
    twice: dict[str, object] = {"value_text": "The boiler is in the cellar", "user_id": "ana"}
    told: tuple[dict[str, object], ...] = (
        {"tags": ["home"], "value_json": {"room": 1}},
        {"tags": ["work"], "value_json": {"room": 2, "floor": 0}, "importance": 0.9},
    )
    mem.remember_many([twice | more | {"timestamp": f"2025-03-0{day}"} for day, more in enumerate(told, start=1)])
    mem.drain()
    assert mem.maintain(now="2025-03-05").merged == 1
    (fact,) = mem.facts("ana")
    assert (fact.tags, fact.importance, fact.effective_importance) == (("home", "work"), 0.9, 0.9)
    assert isinstance(fact.value_json, dict)
    assert (fact.value_json["room"], fact.value_json["floor"]) == (1, 0)
    assert [hit.fact for hit in mem.search("boiler", user_id="ana", tags=["work"])] == [fact]


def test_what_was_right_for_a_question_is_so_as_what_stands_for_it(mem: memdb.Memory) -> None:
    mem.remember_many([{"value_text": "The boiler is in the cellar", "user_id": "ana", "fact_id": name} for name in ("one", "two")])
    mem.drain()
    mem.feedback("Where is the boiler?", "two")
    mem.maintain()
    assert [labelled.relevant for labelled in mem.labels()] == [("one",)]
    assert mem.evaluate(weights=["lexical-only"])["lexical-only"]["rec@10"] == 1.0


def test_the_upkeep_of_one_user_ends_nothing_of_another(mem: memdb.Memory) -> None:
    for user in ("ana", "bea"):
        mem.remember("Is in Rome", user_id=user, valid_from="2025-03-01", valid_to="2025-03-08", timestamp="2025-03-01")
    mem.maintain(user_id="ana", now="2025-04-01")
    rows = mem._store.database().connection.execute("select user_id, status from facts where kind <> 'message' order by user_id")
    assert rows.fetchall() == [("ana", "expired"), ("bea", "active")]
