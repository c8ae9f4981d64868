import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, get_args, get_type_hints

import pytest
from typer.testing import CliRunner, Result

import memdb
from memdb import Change, Fact, Forgotten, Profile, Stats
from memdb.conversations import read_conversation
from memdb.interfaces import model
from memdb.interfaces.chroma import PersistentClient
from memdb.interfaces.commands import app, app_for
from memdb.interfaces.demo import QUERIES, _Tale
from memdb.interfaces.reading import Found
from memdb.interfaces.show import clean
from memdb.interfaces.writing import Loaded, Observed
from memdb.llm import LanguageModel, ScriptedModel
from tests import commands
from tests.test_worker import damage

TALK = [
    {"text": "My name is Ana and I live in Porto.", "timestamp": "2025-01-03T09:00:00Z", "session_id": "s1", "turn_id": "t1"},
    {"text": "I love jazz.", "timestamp": "2025-01-03T09:01:00Z", "session_id": "s1", "turn_id": "t2"},
    {"text": "I moved to Lisbon.", "timestamp": "2025-03-03T09:00:00Z", "session_id": "s2", "turn_id": "t3"},
]
ROOT = Path(__file__).parent.parent
FACTS = ("facts", "--user", "ana")
EMBEDDING = {"observe", "remember", "load", "drain", "retry", "search", "context", "demo"}


def run(*arguments: str | Path, given: str | None = None) -> Result:
    embedder = [] if "--embedder" in arguments or arguments[0] not in EMBEDDING else ["--embedder", "hashing-384"]
    return commands.run(*arguments, *embedder, given=given)


def ok(*arguments: str | Path, given: str | None = None) -> str:
    return commands.printed(run(*arguments, given=given))


def program(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "memdb.interfaces.cli", *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(json.dumps(message) for message in TALK))
    return path


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("loaded") / "mem.db"
    ok("load", "-", "--user", "ana", "--db", path, given=json.dumps(TALK))
    return path


@pytest.fixture
def db(tmp_path: Path, loaded: Path) -> Path:
    """A copy of its own: to load takes longer than most of what is then done with it."""
    return Path(shutil.copy(loaded, tmp_path))


def fact_of(db: Path, key: str) -> Fact:
    with memdb.open(db, config={"worker": False}, embedder=None) as memory:
        return memory.facts("ana", key=key)[0]


def test_observe_prints_the_turn_and_what_was_learned_from_it(tmp_path: Path) -> None:
    lines = ok("observe", "I live in Porto.", "--user", "ana", "--turn-id", "t1", "--db", tmp_path / "m.db").splitlines()
    assert lines[0] == "t1"
    assert "new\tuser.lives_in\t\tPorto\t0.40" in lines[1]


@pytest.mark.parametrize(
    "command",
    [
        "observe Hi. --user ana --timestamp noon", "observe '  ' --user ana", "observe Hi. --user ' '", "observe Hi. --user ana --embedder nobody",
        "remember Tea. --user ana --key nonsense", "remember ' ' --user ana", "remember Tea. --user ana --valid-from noon --no-wait",
        "event ' ' --user ana", "event 'Rui came.' --user ana --timestamp noon", "event 'Rui came.' --user ana --trigger thunder",
        "learn ' ' 'do it' --user ana", "consent --user ' ' --secrets keep", "consent --user ana --secrets perhaps", "load - --user ' '",
    ],
)  # fmt: skip
def test_what_cannot_be_used_leaves_no_empty_file_behind(tmp_path: Path, command: str) -> None:
    path = tmp_path / "new" / "mem.db"
    path.parent.mkdir()
    assert run(*shlex.split(command), "--db", path, given='[{"text": "Hi."}]').exit_code == 2
    assert list(path.parent.iterdir()) == []


def test_a_load_whose_first_messages_cannot_be_used_leaves_no_empty_file_behind(tmp_path: Path) -> None:
    path = tmp_path / "new" / "mem.db"
    path.parent.mkdir()
    assert run("load", "-", "--user", "ana", "--db", path, given='[{"text": "Hi."}, {"text": " "}]').exit_code == 2
    assert list(path.parent.iterdir()) == []


def test_observe_reads_standard_input(tmp_path: Path) -> None:
    output = ok("observe", "-", "--user", "ana", "--json", "--db", tmp_path / "m.db", given="I live in Porto.\n")
    (change,) = Observed.model_validate_json(output).changes
    assert change.after is not None
    assert change.after.source_excerpt in "I live in Porto."


def test_what_is_not_waited_for_is_done_by_drain(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    ok("observe", "I live in Porto.", "--user", "ana", "--no-wait", "--db", db)
    assert json.loads(ok("stats", "--json", "--db", db))["turns_by_status"] == {"queued": 1}
    assert json.loads(ok("drain", "--json", "--db", db))["done"] is True
    assert fact_of(db, "user.lives_in").object == "Porto"


def test_another_text_under_the_same_turn_id_is_one_sentence_and_exit_code_one(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    ok("observe", "I live in Porto.", "--user", "ana", "--turn-id", "t1", "--db", db)
    result = run("observe", "I live in Rome.", "--user", "ana", "--turn-id", "t1", "--db", db)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert result.stderr.startswith("memdb: User 'ana' already has another turn 't1'")


def test_loading_twice_adds_nothing(tmp_path: Path, talk: Path) -> None:
    outputs = [ok("load", talk, "--user", "ana", "--json", "--db", tmp_path / "m.db") for _ in range(2)]
    first, second = [[Loaded.model_validate(item) for item in json.loads(output)] for output in outputs]
    assert (first, second) == ([Loaded(user_id="ana", messages=3, new=3)], [Loaded(user_id="ana", messages=3, new=0)])


def test_exchanges_are_loaded_with_their_answers_and_once(tmp_path: Path) -> None:
    path, db = tmp_path / "turns.json", tmp_path / "m.db"
    path.write_text(json.dumps({"user_id": "ben", "turns": [{"turn_id": "t1", "user": "I live in Porto.", "assistant": "A fine city."}]}))
    assert [ok("load", path, "--db", db) for _ in range(2)] == ["ben\t1\t1\n", "ben\t1\t0\n"]
    assert "assistant: A fine city." in ok("facts", "--user", "ben", "--kinds", "message", "--db", db)


def samples(tmp_path: Path) -> Path:
    line = {"speaker": "Ana", "dia_id": "D1:1", "text": "Hello there."}
    talk = {"session_1": [line], "session_1_date_time": "1:56 pm on 8 May, 2023"}
    path = tmp_path / "samples.json"
    path.write_text(json.dumps([{"sample_id": name, "conversation": talk} for name in ("conv-1", "conv-2")]))
    return path


def test_each_sample_is_a_user_of_its_own(tmp_path: Path) -> None:
    assert ok("load", samples(tmp_path), "--db", tmp_path / "m.db") == "conv-1\t1\t1\nconv-2\t1\t1\n"


def test_samples_given_to_one_user_are_kept_apart(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    ok("load", samples(tmp_path), "--user", "ana", "--db", db)
    rows = json.loads(ok("facts", "--user", "ana", "--kinds", "message", "--json", "--db", db))
    assert sorted(row["source_turn_id"] for row in rows) == ["conv-1/D1:1", "conv-2/D1:1"]


def test_messages_of_nobody_are_a_usage_error(tmp_path: Path, talk: Path) -> None:
    result = run("load", talk, "--db", tmp_path / "m.db")
    assert result.exit_code == 2
    assert "--user" in result.stderr


def test_a_bad_line_is_named_and_nothing_is_loaded(tmp_path: Path) -> None:
    result = run("load", "-", "--user", "ana", "--db", tmp_path / "m.db", given='{"text": "a"}\n{"txt": "b"}\n')
    assert (result.exit_code, result.stderr.splitlines()) == (2, ["memdb: standard input, line 2: field text is missing; add it."])
    assert not (tmp_path / "m.db").exists()


def test_a_load_that_fails_late_tells_what_it_has_stored_and_the_next_one_adds_the_rest(tmp_path: Path) -> None:
    messages = [{"text": f"I have read book number {number}.", "turn_id": f"t{number}"} for number in range(300)]
    load = ("load", "-", "--user", "ana", "--no-wait", "--embedder", "none", "--db", tmp_path / "m.db")
    refused = run(*load, given=json.dumps([*messages, {"text": "I have read none.", "turn_id": "t3"}]))
    assert "200 messages were stored before this one" in refused.stderr
    assert ok(*load, given=json.dumps(messages)) == "ana\t300\t100\n"


def test_every_part_of_a_score_is_printed_and_they_sum_to_it(db: Path) -> None:
    found = Found.model_validate_json(ok("search", "Where does Ana live?", "--user", "ana", "--json", "--db", db))
    assert any(hit.fact.object == "Lisbon" for hit in found.hits)
    for hit in found.hits:
        assert sum(hit.contributions.values()) == pytest.approx(hit.score, abs=1e-6)


def test_search_keeps_to_limit_kinds_weights_and_time(db: Path) -> None:
    options = ["--kinds", "fact", "--weights", "lexical-only", "--limit", "1", "--as-of", "2025-02-01", "--json", "--db", str(db)]
    (hit,) = Found.model_validate_json(ok("search", "lives in", "--user", "ana", *options)).hits
    assert (hit.fact.kind, hit.fact.object) == ("fact", "Porto")


@pytest.mark.parametrize(
    ("narrowed", "left"),
    [
        ([], {"Likes jazz", "Maria: Jazz tonight?"}), (["--tags", "music,food"], {"Likes jazz"}), (["--tags", "food"], set()),
        (["--categories", "soft_preference"], {"Likes jazz"}), (["--memory-types", "PREFERENCE"], {"Likes jazz"}),
        (["--participants", "rui,maria"], {"Maria: Jazz tonight?"}), (["--min-score", "100"], set()), (["--min-age-minutes", "60"], set()),
        (["--max-age-days", "1"], {"Likes jazz", "Maria: Jazz tonight?"}), (["--tiers", "warm,cold"], {"Likes jazz"}),
    ],
)  # fmt: skip
def test_search_and_explain_narrow_by_all_that_a_search_does(db: Path, narrowed: list[str], left: set[str]) -> None:
    with memdb.open(db, embedder=None, config={"worker": False}) as mem:
        mem.remember("Likes jazz", user_id="zoe", key="user.likes", category="soft_preference", memory_type="PREFERENCE", tags=["music"])
        mem.load([{"text": "Jazz tonight?", "speaker": "Maria"}], user_id="zoe")
    for command in ("search", "explain"):
        made = run(command, "jazz", "--user", "zoe", "--db", db, "--embedder", "none", "--json", *narrowed)
        hits = json.loads(made.stdout)["hits"]
        assert {": ".join(filter(None, (hit["fact"]["speaker"], hit["fact"]["value_text"]))) for hit in hits} == left


def test_links_are_followed_as_far_as_is_asked(db: Path) -> None:
    with memdb.open(db, embedder=None, config={"worker": False}) as mem:
        one, *others = (mem.remember(text, user_id="ana", key=f"user.note{place}") for place, text in enumerate(("Tea", "Mint", "Sage")))
        for other, relation, strength in zip(others, ("supports", "extends"), (0.9, 0.4), strict=True):
            mem.link(one.fact_id, other.fact_id, relation=relation, strength=strength)  # type: ignore[arg-type]
    for narrowed, count in (
        ([], 2),
        (["--relations", "supports"], 1),
        (["--min-strength", "0.5"], 1),
        (["--limit", "1"], 1),
        (["--status", "expired"], 0),
    ):
        assert len(json.loads(run("links", one.fact_id, "--db", db, "--json", *narrowed).stdout)) == count


def test_search_and_explain_keep_to_words_that_must_be_there_and_to_a_stretch_of_time(db: Path) -> None:
    for command in ("search", "explain"):

        def found(*options: str, command: str = command) -> set[str]:
            told = json.loads(
                ok(
                    command,
                    "Porto, jazz, Lisbon",
                    "--user",
                    "ana",
                    "--kinds",
                    "message",
                    *options,
                    "--embedder",
                    "none",
                    "--json",
                    "--db",
                    db,
                )
            )
            return {hit["fact"]["source_turn_id"] for hit in told["hits"]}

        assert found("--must", "moved", "--must", "to Lisbon") == {"t3"}
        assert found("--since", "2025-03-03") == {"t3"}
        assert "t3" not in found("--until", "2025-03-02")


def test_a_byte_that_is_no_text_is_told_as_one(tmp_path: Path) -> None:
    result = run("observe", os.fsdecode(b"caf\xe9"), "--user", "ana", "--db", tmp_path / "mem.db")
    assert (result.exit_code, "user_input holds the byte 0xe9, which is no UTF-8, at position 3" in result.stderr) == (2, True)


def test_the_embedder_that_is_none_may_be_written_as_the_library_has_it(db: Path) -> None:
    assert ok("search", "Porto", "--user", "ana", "--embedder", "None", "--db", db) == ok(
        "search", "Porto", "--user", "ana", "--embedder", "none", "--db", db
    )


def test_whether_a_file_may_be_read_is_told_by_the_memory_with_what_to_do() -> None:
    verbs = [one.callback for one in (*app.registered_commands, *model.app.registered_commands) if one.callback is not None]
    hints = [get_args(hint) for verb in verbs for hint in get_type_hints(verb, include_extras=True).values()]
    assert {hint[1].readable for hint in hints if hint and Path in (hint[0], *get_args(hint[0]))} == {False}


def test_words_alone_search_without_an_embedder(db: Path) -> None:
    assert "Lisbon" in ok("search", "Lisbon", "--user", "ana", "--embedder", "none", "--db", db)


@pytest.mark.parametrize("command", ["search", "context", "explain"])
def test_json_leaves_it_to_standard_error_that_meaning_took_no_part(tmp_path: Path, command: str) -> None:
    db = tmp_path / "mem.db"
    ok("remember", "Ana lives in Lisbon", "--user", "ana", "--no-wait", "--db", db)
    found = run(command, "Lisbon", "--user", "ana", "--embedder", "hashing-384", "--json", "--db", db)
    assert "searched by words only" in found.stderr
    assert "searched by words only" in json.loads(found.stdout)["degraded"]


def test_a_piped_value_is_whole_and_on_one_line_without_colour(tmp_path: Path) -> None:
    db, text = tmp_path / "m.db", "word " * 300 + "\x1b[31mred\nnext\tend"
    ok("observe", text, "--user", "ana", "--turn-id", "t1", "--db", db)
    (line,) = ok("facts", "--user", "ana", "--kinds", "message", "--db", db).splitlines()
    assert line.split("\t")[1] == "user: " + "word " * 300 + r"\x1b[31mred\nnext\tend"
    assert "\x1b" not in ok("search", "red", "--user", "ana", "--db", db)


@pytest.mark.parametrize("command", ["context hum", "page"])
def test_what_is_remembered_steers_no_terminal_and_goes_into_a_prompt_as_it_is(tmp_path: Path, command: str) -> None:
    db, (verb, *query) = tmp_path / "m.db", command.split()
    ok("remember", "Ana hums\x07 a lot", "--user", "ana", "--key", "user.hobby", "--no-wait", "--db", db)
    assert "hums\x07 a lot" in ok(verb, *query, "--user", "ana", "--db", db)
    told = shown(verb, *query, "--user", "ana", "--db", db, columns=80)
    assert (r"hums\x07 a lot" in told, "\x07" in told) == (True, False)


def test_who_is_asked_whether_to_erase_sees_of_whom(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    ok("remember", "Likes figs", "--user", "bea\x08\x08\x08ana", "--no-wait", "--db", db)
    assert r"everything of bea\x08\x08\x08ana from" in run("forget", "--user", "bea\x08\x08\x08ana", "--db", db, given="n\n").stderr


def test_what_is_remembered_cannot_turn_a_line_round() -> None:
    assert clean("a\u202eb\u2066c\x07") == r"a\u202eb\u2066c\x07"


def test_a_context_begins_with_what_is_given_for_it(db: Path) -> None:
    assert ok("context", "Where does Ana live?", "--user", "ana", "--system", "You are Bo.", "--db", db).startswith(
        "# System\n- You are Bo.\n"
    )


def test_a_context_is_narrowed_as_a_search_is(db: Path) -> None:
    whole, narrowed = (
        json.loads(ok("context", "jazz?", "--user", "ana", *given, "--json", "--db", db)) for given in ([], ["--tags", "food"])
    )
    assert ("jazz" in whole["text"], "jazz" in narrowed["text"]) == (True, False)


def test_the_context_keeps_to_its_budget(db: Path) -> None:
    made = json.loads(ok("context", "Where does Ana live?", "--user", "ana", "--max-tokens", "30", "--json", "--db", db))
    assert made["tokens"] <= made["max_tokens"] == 30
    assert made["text"] in ok("context", "Where does Ana live?", "--user", "ana", "--max-tokens", "30", "--db", db)


def test_the_profile_has_its_shape(db: Path) -> None:
    profile = Profile.model_validate_json(ok("profile", "--user", "ana", "--json", "--db", db))
    assert profile.identity["user.lives_in"][0].value == "Lisbon"
    assert "identity\tuser.lives_in\tUser lives in Lisbon\t" in ok("profile", "--user", "ana", "--db", db)


def test_facts_are_listed_by_key_status_and_time(db: Path) -> None:
    former = ok("facts", "--user", "ana", "--key", "user.lives_in", "--status", "superseded", "--json", "--db", db)
    earlier = ok("facts", "--user", "ana", "--key", "user.lives_in", "--as-of", "2025-02-01", "--json", "--db", db)
    assert [row["value_json"]["object"] for row in json.loads(former)] == ["Porto"]
    assert [row["value_json"]["object"] for row in json.loads(earlier)] == ["Porto"]


def test_a_status_that_does_not_exist_is_a_usage_error(db: Path) -> None:
    result = run("facts", "--user", "ana", "--status", "gone", "--db", db)
    assert result.exit_code == 2
    assert "superseded" in result.stderr


def test_a_move_is_told_as_one_event_with_before_and_after(db: Path) -> None:
    (line,) = [line for line in ok("history", "--user", "ana", "--db", db).splitlines() if "superseded" in line]
    assert line.split("\t")[1:5] == ["superseded", "user.lives_in", "Porto", "Lisbon"]
    assert [Change.model_validate(item).operation for item in json.loads(ok("history", "--user", "ana", "--json", "--db", db))].count(
        "supersede"
    ) == 1


def test_confirming_makes_a_fact_surer(db: Path) -> None:
    before = fact_of(db, "user.lives_in")
    after = Fact.model_validate_json(ok("confirm", before.fact_id, "--json", "--db", db))
    assert after.confidence > before.confidence


def test_rejecting_ends_a_fact_and_what_it_had_taken_the_place_of_stands_again(db: Path) -> None:
    fact = fact_of(db, "user.lives_in")
    assert "\texpired\t" in ok("reject", fact.fact_id, "--db", db)
    assert fact_of(db, "user.lives_in").object == "Porto" != fact.object
    ok("reject", fact_of(db, "user.lives_in").fact_id, "--db", db)
    assert ok("facts", "--user", "ana", "--key", "user.lives_in", "--db", db) == ""


def stated(db: Path, text: str, *options: str) -> Fact:
    return Fact.model_validate_json(ok("remember", text, "--user", "ana", *options, "--json", "--db", db))


def test_a_fact_is_stated_with_all_that_is_known_of_it_and_said_again_it_is_confirmed(db: Path) -> None:
    options = ["--key", "user.works_at", "--object", "Bosch", "--tags", "job,Aveiro", "--valid-from", "2025-02-01", "--turn", "t9"]
    first = stated(db, "Ana works at Bosch", *options, "--confidence", "0.8")
    assert (first.object, first.tags, first.confidence, first.source_turn_id) == ("Bosch", ("job", "Aveiro"), 0.8, "t9")
    assert stated(db, "Ana works at Bosch", *options[:4]).seen_count == 2
    assert Fact.model_validate_json(ok("fact", first.fact_id, "--json", "--db", db)).embedding_id  # what others add meanwhile may wait


def test_what_the_user_is_after_is_told_in_every_way_of_asking(db: Path) -> None:
    asked: list[str | Path] = ["--user", "ana", "--goal", "jazz", "--embedder", "none", "--db", db]
    assert "goal=" in ok("search", "What does Ana love?", *asked)
    assert "goal=" in ok("explain", "What does Ana love?", *asked)
    assert "jazz" in ok("context", "What does Ana love?", *asked)


def test_a_fact_is_read_from_standard_input(db: Path) -> None:
    given = ok("remember", "-", "--user", "ana", "--json", "--db", db, given="Ana keeps bees\n")
    assert Fact.model_validate_json(given).value_text == "Ana keeps bees"


def test_a_fact_that_waits_for_leave_says_how_to_give_it(tmp_path: Path) -> None:
    said = run("remember", "Ana has diabetes", "--user", "ana", "--no-wait", "--db", tmp_path / "m.db")
    command = said.stderr.rsplit("memdb ", 1)[1].split()
    assert "\tactive\t" in ok(*command, "--db", tmp_path / "m.db")


def test_a_doubted_fact_is_found_only_where_that_status_is_asked_for(db: Path) -> None:
    fact = fact_of(db, "user.likes")
    assert "\tuncertain\t" in ok("doubt", fact.fact_id, "--db", db)
    assert ok("facts", "--user", "ana", "--key", "user.likes", "--db", db) == ""
    assert fact.fact_id in ok("facts", "--user", "ana", "--status", "uncertain", "--db", db)
    assert "\tchanged\t" in ok("history", "--fact", fact.fact_id, "--db", db)  # its words are the same: nothing was refined
    assert "(changed)" in ok("profile", "--user", "ana", "--db", db)


def test_a_fact_ends_when_it_is_said_to(db: Path) -> None:
    fact = fact_of(db, "user.likes")
    ended = Fact.model_validate_json(ok("end", fact.fact_id, "--valid-to", "2025-02-01", "--json", "--db", db))
    assert ended.valid_to is not None
    assert (ended.status, f"{ended.valid_to:%Y-%m-%d}") == ("expired", "2025-02-01")
    assert run("end", fact.fact_id, "--valid-to", "2024-01-01", "--db", db).exit_code == 2


def test_what_is_to_end_on_a_day_to_come_is_not_called_expired(db: Path) -> None:
    fact = fact_of(db, "user.likes")
    ok("end", fact.fact_id, "--valid-to", "2999-02-01", "--db", db)
    assert "\tends later\t" in ok("history", "--fact", fact.fact_id, "--db", db)
    assert "(ends later)" in ok("profile", "--user", "ana", "--db", db)


def test_what_gives_way_on_a_day_to_come_is_not_called_superseded(tmp_path: Path) -> None:
    db = tmp_path / "other.db"
    for text in ("I live in Lisbon.", "From next month I'll be living in Porto."):
        ok("observe", text, "--user", "ana", "--db", db)
    assert "\tends later\t" in ok("history", "--user", "ana", "--db", db)
    assert "User lives in Lisbon (ends later)" in ok("profile", "--user", "ana", "--db", db)


def test_a_task_is_done_when_it_is_said_to_be(db: Path) -> None:
    task = stated(db, "Book the flight", "--kind", "task")
    assert run("task", task.fact_id, "over", "--db", db).exit_code == 2
    assert Fact.model_validate_json(ok("task", task.fact_id, "done", "--json", "--db", db)).status == "expired"


def test_a_fact_is_shown_as_a_whole_whatever_its_status(db: Path) -> None:
    old = json.loads(ok("facts", "--user", "ana", "--status", "superseded", "--json", "--db", db))[0]
    assert json.loads(ok("fact", old["fact_id"], "--json", "--db", db)) == old
    assert "status\tsuperseded" in ok("fact", old["fact_id"], "--db", db).splitlines()


def test_everybody_whose_memory_the_file_holds_is_listed(db: Path) -> None:
    ok("observe", "I live in Faro.", "--user", "rui", "--db", db)
    assert [line.split("\t")[0] for line in ok("users", "--db", db).splitlines()] == ["ana", "rui"]
    listed = {user: len(json.loads(ok("facts", "--user", user, "--json", "--db", db))) for user in ("ana", "rui")}
    assert json.loads(ok("users", "--json", "--db", db))["users"] == listed


def test_the_feedback_that_was_given_is_listed(db: Path) -> None:
    fact = fact_of(db, "user.lives_in")
    ok("feedback", "Where?", fact.fact_id, "--wrong", "--user", "ana", "--db", db)
    assert ok("labels", "--db", db) == f"ana\tWhere?\twrong\t{fact.fact_id}\n"
    ok("feedback", "Who?", fact.fact_id, "--right", "--user", "ana", "--db", db)
    assert f"ana\tWho?\tright\t{fact.fact_id}\n" in ok("labels", "--db", db)
    assert json.loads(ok("labels", "--json", "--db", db))[0]["wrong"] == [fact.fact_id]


def test_the_calls_of_a_model_that_were_kept_are_listed(tmp_path: Path) -> None:
    model = LanguageModel(ScriptedModel(['{"facts": []}']), name="small", backoff=0)
    with memdb.open(tmp_path / "m.db", embedder=None, llm=model, config={"timezone": "UTC"}) as memory:
        memory.observe("Hello there, I am back.", user_id="ana", turn_id="t1")
        memory.drain()
    (call,) = json.loads(ok("calls", "--turn", "t1", "--json", "--db", tmp_path / "m.db"))
    assert ok("calls", "--user", "ana", "--db", tmp_path / "m.db").split("\t")[:2] == [call["purpose"], call["model"]]


def test_what_a_memory_of_a_household_rests_on_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    ok("event", "Rui broke the blue vase", "--user", "casa", "--timestamp", "2025-03-01T10:00:00Z", "--event-id", "e1", "--db", path)
    ok("maintain", "--now", "2025-03-02", "--db", path)
    (memory,) = json.loads(ok("facts", "--user", "casa", "--kinds", "narrative", "--json", "--db", path))
    assert ok("sources", memory["fact_id"], "--db", path) == "2025-03-01T10:00:00Z\tevent\tRui broke the blue vase\te1\n"


def test_an_unknown_fact_is_one_sentence(db: Path) -> None:
    result = run("confirm", "nothing", "--db", db)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)


def test_forgetting_asks_first(db: Path) -> None:
    refused = run("forget", "--user", "ana", "--db", db, given="n\n")
    assert (refused.exit_code, "for good?" in refused.stderr) == (1, True)
    unasked = run("forget", "--user", "ana", "--db", db, given="")
    assert (unasked.exit_code, "--yes" in unasked.stderr) == (1, True)
    assert fact_of(db, "user.lives_in").object == "Lisbon"


def test_forgetting_one_key_and_then_everything(db: Path) -> None:
    one = Forgotten.model_validate_json(ok("forget", "--user", "ana", "--key", "user.lives_in", "--yes", "--json", "--db", db))
    assert (one.facts > 0, fact_of(db, "user.likes").object) == (True, "jazz")
    ok("forget", "--user", "ana", "--yes", "--db", db)
    assert json.loads(ok("stats", "--json", "--db", db))["users"] == 0


def test_stats_are_numbers_by_name(db: Path) -> None:
    assert Stats.model_validate_json(ok("stats", "--json", "--db", db)).turns_by_status == {"done": 3}
    assert "turns_by_status.done\t3" in ok("stats", "--db", db).splitlines()


@pytest.mark.parametrize("command", ["facts --user ana", "stats", "demo --fast", "demo --household", "inspect", "model show"])
def test_a_file_that_cannot_be_looked_at_is_told_as_such(tmp_path: Path, command: str) -> None:
    result = run(*command.split(), "--db", tmp_path / ("x" * 300))
    assert (result.exit_code, "cannot be opened" in result.stderr, list(tmp_path.iterdir())) == (1, True, [])


@pytest.mark.parametrize(
    "command", ["search x", "context x", "profile", "facts", "history", "stats", "forget --yes", "drain", "confirm x", "reject x"]
)
def test_reading_a_memory_that_is_not_there_makes_none(tmp_path: Path, command: str) -> None:
    user = [] if command.split()[0] in ("stats", "drain", "confirm", "reject") else ["--user", "ana"]
    result = run(*command.split(), *user, "--db", tmp_path / "typo.db")
    assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])
    assert "There is no memory at" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["facts"],
        ["search", "--user", "ana"],
        ["dance"],
        ["facts", "--user", "ana", "--limit", "many"],
        ["facts", "--user", "ana", "--kinds", "gone"],
        ["search", "where", "--user", "ana", "--kinds", "gone"],
        ["search", "where", "--user", "ana", "--status", "gone"],
        ["search", "where", "--user", "ana", "--as-of", "soon"],
        ["search", "where", "--user", "ana", "--since", "soon"],
        ["search", "where", "--user", "ana", "--since", "2025-03-02", "--until", "2025-03-01"],
        ["search", "where", "--user", "ana", "--must", "?"],
        ["search", "where", "--user", "ana", "--weights", "gone"],
        ["search", "where", "--user", "ana", "--embedder", "gone"],
    ],
)
def test_wrong_usage_is_exit_code_two(db: Path, arguments: list[str]) -> None:
    assert run(*arguments, "--db", db).exit_code == 2


def test_the_database_and_the_user_come_from_the_environment(db: Path) -> None:
    result = CliRunner().invoke(app, ["facts", "--key", "user.lives_in"], env={"MEMDB_DB": str(db), "MEMDB_USER": "ana"})
    assert "Lisbon" in result.stdout


@pytest.mark.parametrize(
    ("named", "command"),
    [
        ("MEMDB_EMBEDDER", ["search", "home"]),
        ("MEMDB_EMBEDDER", ["observe", "I live in Rome."]),
        ("MEMDB_EMBEDDER", ["serve"]),
        ("MEMDB_WEIGHTS", ["search", "home"]),
        ("MEMDB_WEIGHTS", ["explain", "home"]),
        ("MEMDB_WEIGHTS", ["serve"]),
    ],
)
def test_the_embedder_and_the_weights_come_from_the_environment_too(db: Path, named: str, command: list[str]) -> None:
    result = CliRunner().invoke(app, [*command, "--db", str(db)], env={named: "nonsuch", "MEMDB_USER": "ana"})
    assert result.exit_code != 0
    assert "'nonsuch'" in str(result.exception) + result.output


def test_the_program_tells_an_error_in_one_sentence_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "other.db").write_bytes(b"this is no database, but it is long enough to look at" * 40)
    done = program("facts", "--user", "ana", "--db", tmp_path / "other.db")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert "is not an SQLite database" in done.stderr


def test_the_program_prints_utf8_json_and_nothing_else(db: Path) -> None:
    done = program("facts", "--user", "ana", "--json", "--db", db)
    assert (done.returncode, done.stderr) == (0, "")
    assert {row["key"] for row in json.loads(done.stdout)} >= {"user.lives_in", "user.likes"}


@pytest.mark.parametrize("package", ["typer", "rich", "yaml"])
def test_without_its_packages_the_program_says_what_to_install(package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; from memdb.interfaces.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "pip install 'memdb[cli]'" in done.stderr


@pytest.mark.parametrize(
    "arguments", [["search", "-h"], ["model", "-h"], ["model", "remove"], ["search"], ["serch"], ["-h"], ["--db", "m.db", "search"], []]
)
def test_a_command_of_which_only_the_verb_is_read_says_the_same_as_one_of_all(arguments: list[str]) -> None:
    one, whole = CliRunner().invoke(app_for(arguments), arguments), CliRunner().invoke(app, arguments)
    assert (one.exit_code, one.output) == (whole.exit_code, whole.output)
    assert len(app_for(["search"]).registered_commands) == 1 < len(app_for(["serch"]).registered_commands)


@pytest.mark.parametrize(("begins", "imported"), [("memdb_command", "memdb"), ("memdb.interfaces.cli", "memdb.interfaces.commands")])
def test_what_is_imported_is_not_looked_through_for_garbage(begins: str, imported: str) -> None:
    code = f"""
import gc, sys
from {begins} import main
class Told:
    def find_spec(self, name, *_):
        if name == "{imported}":
            print(gc.isenabled())
sys.meta_path.insert(0, Told())
sys.argv[1:] = ["--version"]
try:
    main()
except SystemExit:
    print(gc.isenabled(), gc.get_freeze_count() > 10_000)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    told = done.stdout.split()
    assert (told[0], told[-2:]) == ("False", ["True", "True"])


@pytest.mark.parametrize(
    "meanwhile",
    ["pass", "type('Made', (), {'part': self})", "SchemaSerializer(core_schema.literal_schema([self]))"],
    ids=["", "while a class is made", "while what checks a record is made"],
)
@pytest.mark.parametrize(("begins", "imported"), [("memdb_command", "memdb.store"), ("memdb.interfaces.cli", "memdb.interfaces.commands")])
def test_ctrl_c_while_it_is_imported_ends_the_program_without_a_word(begins: str, imported: str, meanwhile: str) -> None:
    pressed = f"""
import sys
from pydantic_core import SchemaSerializer, core_schema
from {begins} import main
class Pressed:
    def find_spec(self, name, *_):
        if name == "{imported}":
            {meanwhile}
            raise KeyboardInterrupt
    def __set_name__(self, *_):
        raise KeyboardInterrupt
    def __repr__(self):
        raise KeyboardInterrupt
sys.meta_path.insert(0, Pressed())
main()
"""
    done = subprocess.run([sys.executable, "-c", pressed], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal here")
def test_ctrl_c_while_python_imports_the_package_to_run_it_ends_it_without_a_word() -> None:
    begun = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "memdb", "--version"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # where the tests run in the background, it is not heard otherwise
    )  # fmt: skip
    assert begun.stderr is not None
    while "memdb.records" not in begun.stderr.readline():
        assert begun.poll() is None
    begun.send_signal(signal.SIGINT)
    told, error = begun.communicate(timeout=60)
    assert (begun.returncode, told, "Traceback" in error) == (130, "", False)


def test_a_damaged_file_is_told_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
    damage(path, "fact_history")
    done = program("drain", "--db", path, "--embedder", "none")
    assert (done.returncode, "Traceback" in done.stderr, "is damaged" in done.stderr.splitlines()[-1]) == (1, False, True)


@pytest.mark.parametrize(("verb", "home"), [("observe", "Porto"), ("load", "Lisbon")])
def test_who_is_told_that_the_disk_is_full_is_told_what_is_stored(
    tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch, verb: str, home: str
) -> None:
    def full(*_: object, **__: object) -> bool:
        raise memdb.StoreError("The disk is full.")

    db = tmp_path / "mem.db"
    said = [verb, "I live in Porto." if verb == "observe" else talk, "--user", "ana", "--db", db]
    with monkeypatch.context() as patched:
        patched.setattr(memdb.Memory, "drain", full)
        failed = run(*said)
    assert failed.exit_code != 0
    assert "is stored; do not repeat it" in failed.stderr
    ok("drain", "--db", db)
    with memdb.open(db, embedder=None, config={"worker": False}) as mem:
        assert [fact.object for fact in mem.facts("ana", key="user.lives_in")] == [home]


SLOW = """
import signal, sys, threading, time
from memdb_command import main
import memdb.observer, memdb.interfaces.commands
signal.signal(signal.SIGINT, signal.default_int_handler)  # where the tests run in the background, it is not heard otherwise
if sys.platform != "win32":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nor this one, where nohup started them
def think(*_, **__):
    print("thinks", flush=True)
    time.sleep(60)
memdb.observer.think = think
main()
"""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device here")
def test_where_what_is_said_beside_the_output_cannot_be_written_the_command_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memdb", "remember", "Ana has diabetes", "--user", "ana", "--db", str(tmp_path / "m.db")]
    command += ["--embedder", "none"]  # to load one takes longer
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=full, timeout=300)
    assert done.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal here")
@pytest.mark.parametrize(
    ("verb", "name", "code"),
    [
        (["observe", "I live in Porto.", "--user", "ana"], "SIGINT", 130),
        (["load", "talk.jsonl", "--user", "ana"], "SIGINT", 130),
        (["drain"], "SIGINT", 130),
        (["drain"], "SIGTERM", -15),
        (["drain"], "SIGHUP", -1),
    ],
)
def test_a_signal_ends_a_command_at_once_and_leaves_its_turns_to_the_next(
    tmp_path: Path, talk: Path, verb: list[str], name: str, code: int
) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
    running = subprocess.Popen(
        [sys.executable, "-c", SLOW, *verb, "--db", path, "--embedder", "none"],
        cwd=talk.parent, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert running.stdout is not None
    assert running.stdout.readline() == "thinks\n"
    running.send_signal(getattr(signal, name))
    _, told = running.communicate(timeout=20)  # and not after a minute
    assert (running.returncode, "".join(told.splitlines()[-1:])[:48]) == (code, "memdb: Interrupted; nothing is left half done: w")
    assert not path.with_name("mem.db-wal").exists()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("select distinct status, attempts, claimed_by from turns").fetchall() == [("queued", 0, None)]
    assert "user.lives_in" in ok("drain", "--db", path) + ok(*FACTS, "--db", path)


@pytest.mark.parametrize("verb", ["serve", "mcp"])
@pytest.mark.parametrize("wrong", [("--weights", "zz"), ("--embedder", "zz")])
def test_what_cannot_be_served_leaves_no_empty_file_behind(tmp_path: Path, verb: str, wrong: tuple[str, str]) -> None:
    done = run(verb, "--db", tmp_path / "new.db", *wrong)
    assert (done.exit_code, "'zz'" in done.stderr, list(tmp_path.iterdir())) == (2, True, [])


@pytest.mark.parametrize("columns", ["0", "-1", "x", "99999999999"])
def test_a_width_of_no_terminal_does_no_harm(columns: str) -> None:
    told = [sys.executable, "-m", "memdb", "--help"]
    done = subprocess.run(told, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": columns})
    assert (done.returncode, done.stderr) == (0, "")
    assert "observe" in done.stdout


def test_the_commands_are_told_in_the_order_in_which_they_are_wanted() -> None:
    told = ok("--help")
    assert [told.index(f" {name} ") for name in ("observe", "search", "forget", "explain", "serve")] == sorted(
        told.index(f" {name} ") for name in ("observe", "search", "forget", "explain", "serve")
    )


def test_an_id_may_be_asked_for_by_either_name(db: Path) -> None:
    fact = fact_of(db, "user.name")
    for one, other in (("--fact", "--fact-id"), ("--turn", "--turn-id")):
        name = fact.fact_id if one == "--fact" else str(fact.source_turn_id)
        assert ok("history", "--user", "ana", one, name, "--db", db) == ok("history", "--user", "ana", other, name, "--db", db)


def shown(*arguments: str | Path, columns: int, stream: str = "stdout") -> str:
    """What a person at a terminal of so many columns sees of one stream, without its colours."""
    reader, terminal = os.openpty()
    with os.fdopen(reader, "rb", closefd=True) as seen:
        try:
            command = [sys.executable, "-m", "memdb", *map(str, arguments)]
            streams: dict[str, int] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: terminal}
            process = subprocess.Popen(command, **streams, env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm"})  # type: ignore[call-overload]
        finally:
            os.close(terminal)
        # while it runs: a terminal that nobody reads is full before a bar is that is drawn for long
        told = b"".join(iter(partial(_some, seen), b"")).decode().replace("\r", "")
        assert process.wait() == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", told)


def _some(seen: IO[bytes]) -> bytes:
    try:
        return os.read(seen.fileno(), 4096)
    except OSError:  # nobody writes to the terminal any more
        return b""


def test_no_embedder_is_nothing_to_change_to(db: Path) -> None:
    refused = run("reindex", "--embedder", "none", "--db", db)
    assert (refused.exit_code, "to search by words alone, give --embedder none to a search" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("command", "bar"),
    [("load --user ana said.json", "storing ana"), ("reindex --embedder hashing-64", "embedding"), ("evaluate --data labels.json --embedder none", "measuring"),
     ("maintain", "maintaining"), ("tune mine --data labels.json --embedder none", "fitting"), ("replay", "replaying")],
)  # fmt: skip
def test_work_that_takes_long_has_a_bar_where_a_person_watches(
    db: Path, command: str, bar: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("said.json").write_text('[{"text": "I like tea."}]')
    label = {"user_id": "ana", "relevant": [fact_of(db, "user.lives_in").fact_id]}
    Path("labels.json").write_text(json.dumps([label | {"query": f"Where do I live, {number}?"} for number in range(8)]))
    name, *rest = command.split()
    where: tuple[str | Path, ...] = (db, "new.db") if name == "replay" else (*rest, "--db", db)
    assert bar in shown(name, *where, columns=80, stream="stderr")


def test_json_loses_no_letter_where_the_output_has_none_for_it(db: Path) -> None:
    ok("observe", "Olá, São João 日本", "--user", "zoë", "--db", db)
    turns = [sys.executable, "-m", "memdb.interfaces.cli", "turns", "--user", "zoë", "--db", str(db), "--json"]
    (turn,) = json.loads(subprocess.run(turns, env=os.environ | {"PYTHONIOENCODING": "latin-1"}, check=True, capture_output=True).stdout)
    assert (turn["user_id"], turn["user_input"]) == ("zoë", "Olá, São João 日本")


def test_an_error_is_one_line_whatever_the_file_is_called(tmp_path: Path) -> None:
    result = run("facts", "--user", "ana", "--db", tmp_path / "a\nb.db")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"memdb: There is no memory at {tmp_path}/a\\nb.db; make one with `memdb observe` or `memdb load`, or name another file with --db."
    ]


def test_a_row_too_wide_for_the_terminal_is_a_block_with_its_id_in_one_piece(db: Path) -> None:
    fact = fact_of(db, "user.lives_in")
    told = shown(*FACTS, "--kinds", "fact", "--db", db, columns=60)  # where loading took long, upkeep has added episodes
    blocks = [dict(line.split(None, 1) for line in block.splitlines()) for block in told.split("\n\n") if block]
    assert fact.fact_id in [block["fact"].rstrip() for block in blocks]
    assert len(blocks) == 3
    wide = shown(*FACTS, "--db", db, columns=200)
    assert any(line.split() == ["key", "text", "sure", "status", "since", "until", "turn"] for line in wide.splitlines())
    assert shown("facts", "--user", "bob", "--db", db, columns=20).startswith("No such facts")


@pytest.mark.parametrize("columns", [100, 120])  # an id has room beside the other columns in one of them
def test_a_table_as_wide_as_the_terminal_loses_nothing_beyond_its_edge(db: Path, columns: int) -> None:
    ok("remember", "Ana works at Bosch", "--user", "ana", "--key", "user.works_at", "--object", "Bosch", "--db", db)
    fact = fact_of(db, "user.works_at")
    header, *lines = shown("history", "--user", "ana", "--fact", fact.fact_id, "--db", db, columns=columns).strip("\n ").splitlines()
    last = "".join(line[header.index("why") :].strip() for line in lines)
    assert "nothing was held under this key yet".replace(" ", "") in last.replace(" ", "")
    assert last.endswith(fact.fact_id)


def test_the_package_itself_is_the_program() -> None:
    done = subprocess.run([sys.executable, "-m", "memdb", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"memdb {memdb.__version__}\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("command", ["weights", "stats"], ids=["much output", "little output"])
def test_output_that_cannot_be_written_is_one_sentence(db: Path, command: str) -> None:
    with open("/dev/full", "w") as full:
        arguments = [sys.executable, "-m", "memdb", command, "--db", str(db)]
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n"), "No space left" in done.stderr) == (1, 1, True)


@pytest.mark.parametrize(
    ("closed", "command", "code"),
    [("<&-", "observe - --user ana --embedder none", 2), (">&-", "facts --user ana", 0), ("2>&-", "facts --user ana", 0)],
)
def test_a_closed_stream_is_an_empty_one(db: Path, closed: str, command: str, code: int) -> None:
    line = f"{shlex.quote(sys.executable)} -m memdb {command} --db {shlex.quote(str(db))} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


def test_the_household_of_the_demo_is_no_conversation(tmp_path: Path) -> None:
    result = run("demo", "--household", "--conversation", "x.json", "--db", tmp_path / "m.db")
    assert (result.exit_code, (tmp_path / "m.db").exists()) == (2, False)


@pytest.mark.parametrize("command", ["profile", "facts", "history", "stats", "forget --yes", "observe hello --no-wait"])
def test_commands_that_embed_nothing_do_not_import_torch(db: Path, command: str) -> None:
    user = [] if command == "stats" else ["--user", "ana"]
    arguments = [*command.split(), *user, "--db", str(db)]
    code = (
        f"import sys; from memdb.interfaces.commands import app; app({arguments!r}, standalone_mode=False); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["False"], done.stderr


def demo_talk(tmp_path: Path) -> Path:
    path = tmp_path / "demo.json"
    turns = [
        {
            "turn_id": turn["turn_id"],
            "session_id": turn["session_id"],
            "timestamp": turn["timestamp"],
            "user": turn["text"],
            "assistant": "Noted.",
        }
        for turn in TALK
    ]
    questions = [
        {"ask": "Lives in Lisbon?", "expect": "Lisbon"},
        {"ask": "Lives in Porto?", "expect": "Porto", "at": "2025-02-01T00:00:00Z"},
    ]
    path.write_text(json.dumps({"user_id": "ana", "timezone": "Europe/Lisbon", "turns": turns, "questions": questions}))
    return path


def test_the_demo_tells_what_was_learned_what_changed_and_what_was_found(tmp_path: Path) -> None:
    told = ok("demo", "--conversation", demo_talk(tmp_path), "--db", tmp_path / "m.db")
    assert "superseded user.lives_in  Porto → Lisbon" in told
    assert "2 of 2 questions have their answer" in told
    assert "Memory made ready for a prompt" in told
    assert "\x1b" not in told


def test_the_demo_lists_what_is_believed_with_whole_keys_and_only_counts_accounts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with memdb.open(tmp_path / "m.db", embedder=None) as mem:
        mem.remember("User has the favourite colour green", user_id="ana", key="user.favourite_colour", object="a green of leaves and moss")
        mem.remember("Ana lost a toy.", user_id="ana", kind="episode")
        _Tale(mem, read_conversation(demo_talk(tmp_path))[0], user="ana", pause=0).beliefs(datetime.now(UTC))
    told = capsys.readouterr().out
    assert "user.favourite_colour " in told
    assert "lost a toy" not in told
    assert "and 1 account of what was said" in told


def test_the_demo_tells_a_locomo_sample(tmp_path: Path) -> None:
    told = ok("demo", "--conversation", samples(tmp_path), "--sample", "conv-2", "--db", tmp_path / "m.db", "--embedder", "none")
    assert "1 turn of conv-2" in told
    assert "words only" in told


def test_the_queries_that_the_demo_shows_work_in_another_shell(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    told = ok("demo", "--conversation", demo_talk(tmp_path), "--db", path)
    shown = [shlex.split(line)[2] for line in told.splitlines() if line.lstrip().startswith("sqlite3 ")]
    assert len(shown) == len(QUERIES)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert all(connection.execute(sql).fetchall() for sql in shown)


def test_the_demo_replaces_its_own_file_and_no_other(tmp_path: Path, db: Path) -> None:
    talk = demo_talk(tmp_path)
    ok("demo", "--conversation", talk, "--db", tmp_path / "m.db")
    ok("demo", "--conversation", talk, "--db", tmp_path / "m.db")
    ok("observe", "Something of mine.", "--user", "ana", "--db", db)
    refused = run("demo", "--conversation", talk, "--db", db)
    assert (refused.exit_code, "--force" in refused.stderr) == (2, True)
    assert "Something of mine." in ok("facts", "--user", "ana", "--kinds", "message", "--db", db)


@pytest.mark.parametrize("arguments", [(), ("--household",)], ids=["conversation", "household"])
def test_no_demo_replaces_a_file_of_collections(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with PersistentClient(tmp_path / "m.db") as client:
        client.create_collection("mine")
    refused = run("demo", *arguments, "--db", tmp_path / "m.db", "--embedder", "none")
    assert (refused.exit_code, "--force" in refused.stderr) == (2, True)
    assert json.loads(ok("stats", "--db", tmp_path / "m.db", "--json"))["collections"] == 1


def test_the_household_replaces_no_file_of_other_people_s_events(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "m.db", embedder=None, config={"worker": False}) as memory:
        memory.event("The bell rang", user_id="home")
    refused = run("demo", "--household", "--db", tmp_path / "m.db", "--embedder", "none")
    assert (refused.exit_code, "--force" in refused.stderr) == (2, True)
    with memdb.open(tmp_path / "m.db", embedder=None, config={"worker": False}) as memory:
        assert list(memory.users()) == ["home"]


def test_force_replaces_any_file(tmp_path: Path) -> None:
    (tmp_path / "m.db").write_text("not a memory")
    assert run("demo", "--conversation", demo_talk(tmp_path), "--db", tmp_path / "m.db").exit_code == 2
    ok("demo", "--conversation", demo_talk(tmp_path), "--db", tmp_path / "m.db", "--force")
    assert fact_of(tmp_path / "m.db", "user.lives_in").object == "Lisbon"


def test_the_shipped_demo_ends_with_the_facts_that_were_written_down_beforehand(tmp_path: Path) -> None:
    ok("demo", "--db", tmp_path / "m.db", "--embedder", "none")
    ever = "active,pending_confirmation,superseded,expired"
    rows = json.loads(ok("facts", "--user", "sofia", "--status", ever, "--now", "2025-09-10", "--json", "--db", tmp_path / "m.db"))
    expected = json.loads((Path(memdb.__file__).parent / "data" / "demo_expected.json").read_text(encoding="utf-8"))
    rows = [row for row in rows if row["kind"] not in ("episode", "note")]  # what upkeep draws in the background, if it comes to it
    found = [(row["key"], row["value_json"]["object"], row["status"], row["value_json"].get("polarity")) for row in rows]
    assert sorted(found, key=str) == sorted(((one["key"], one["object"], one["status"], one.get("polarity")) for one in expected), key=str)


def test_turns_tell_what_was_refused_and_why(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    assert ok("consent", "--user", "ana", "--sensitive-topics", "refuse", "--db", db) == "sensitive_topics\trefuse\nsecrets\trefuse\n"
    ok("observe", "I'm allergic to peanuts.", "--user", "ana", "--db", db)
    assert "\tuser.allergic_to: it is about health, of which nothing is to be kept\t" in ok("turns", "--user", "ana", "--db", db)
    assert json.loads(ok("turns", "--json", "--db", db))[0]["notes"][0]["step"] == "gate"


def test_history_is_of_one_turn_where_one_is_named(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    for turn, text in (("t1", "I live in Porto."), ("t2", "I like jazz.")):
        ok("observe", text, "--user", "ana", "--turn-id", turn, "--db", db)
    told = json.loads(ok("history", "--user", "ana", "--turn", "t2", "--json", "--db", db))
    assert [change["key"] for change in told] == ["user.likes"]


def test_showing_a_consent_makes_no_file(tmp_path: Path) -> None:
    assert run("consent", "--user", "ana", "--db", tmp_path / "m.db").exit_code == 1
    assert list(tmp_path.iterdir()) == []


def test_what_is_learned_of_a_sensitive_topic_says_that_it_waits(tmp_path: Path) -> None:
    result = run("learn", "plan a dinner", "check allergies", "--user", "ana", "--json", "--db", given_file(tmp_path))
    (learned,) = json.loads(result.stdout)
    assert (learned["status"], f"memdb confirm {learned['fact_id']}" in result.stderr) == ("pending_confirmation", True)


def test_a_procedure_is_learned_with_all_that_is_said_of_it(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    said = "--title Deploying --importance 0.9 --session monday --turn t-1 --timestamp 2025-03-01".split()
    ok("learn", "deploy the website", "press the button", "--user", "ana", *said, "--db", db)
    with memdb.open(db, embedder=None, config={"worker": False}) as mem:
        (fact,) = mem.facts("ana", kinds=["procedure"])
        told = (mem.procedures("deploy the website", user_id="ana")[0].title, fact.importance, fact.session_id, fact.source_turn_id)
    assert (*told, fact.valid_from.day) == ("Deploying", 0.9, "monday", "t-1", 1)


def test_each_turn_tells_one_outcome(tmp_path: Path) -> None:
    (learned,) = json.loads(ok("learn", "bake bread", "wait", "--user", "ana", "--json", "--db", given_file(tmp_path)))
    outcome = ("outcome", learned["fact_id"], "--failed", "--turn", "t-2", "--json", "--db", tmp_path / "m.db")
    assert [json.loads(ok(*outcome))[0]["failures"] for _ in range(2)] == [1, 1]


def test_only_kinds_that_are_named_are_linked_to_what_they_are_like(tmp_path: Path) -> None:
    for text in ("Ana plays the violin in an orchestra", "Rui plays the violin in an orchestra, too"):
        ok("remember", text, "--user", "ana", "--kind", "note", "--no-wait", "--db", tmp_path / "m.db", "--embedder", "none")
    links = [
        json.loads(ok("relate", "--user", "ana", "--kinds", kind, "--json", "--db", tmp_path / "m.db"))["links"]
        for kind in ("task", "note")
    ]
    assert links == [0, 1]


def given_file(tmp_path: Path) -> Path:
    memdb.open(tmp_path / "m.db", embedder=None, config={"worker": False}).close()
    return tmp_path / "m.db"


@pytest.mark.parametrize(("name", "text"), [("w.toml", "[mine]\r\ncosine = 2\r\n"), ("w.yaml", "mine:\r\n  cosine: 2\r\n")])
def test_weights_as_some_editors_save_them_are_read(db: Path, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert "mine\tcosine\t2" in run("weights", tmp_path / name, "--db", db).stdout


@pytest.mark.parametrize("value", ['"much"', '"1"', "true"])
def test_weights_that_are_no_numbers_are_named(tmp_path: Path, value: str) -> None:
    (tmp_path / "sets.toml").write_text(f"[mine]\nlexical = {value}\n")
    result = run("weights", tmp_path / "sets.toml", "--db", given_file(tmp_path))
    assert (result.exit_code, "field mine.lexical: give a number" in result.stderr) == (2, True)


def test_an_empty_consent_is_no_choice(tmp_path: Path) -> None:
    result = run("consent", "--user", "ana", "--sensitive-topics", "", "--db", tmp_path / "m.db")
    assert (result.exit_code, "which is no choice" in result.stderr) == (2, True)


def test_a_consent_that_is_no_choice_is_one_sentence(tmp_path: Path) -> None:
    result = run("consent", "--user", "ana", "--secrets", "sell", "--db", tmp_path / "m.db")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "secrets is 'sell', which is no choice" in result.stderr


def test_what_is_to_be_replayed_has_to_be_there(tmp_path: Path) -> None:
    result = run("replay", tmp_path / "old.db", tmp_path / "new.db")
    assert (result.exit_code, "name the file whose turns are to be thought about anew" in result.stderr) == (1, True)


def test_a_memory_is_replayed_into_a_new_file(db: Path, tmp_path: Path) -> None:
    told = json.loads(ok("replay", db, tmp_path / "new.db", "--json"))
    assert told == {"turns": 3, "turns_failed": 0, "answered": 0, "unanswered": 0, "differing": 0}
    assert fact_of(tmp_path / "new.db", "user.lives_in") == fact_of(db, "user.lives_in")
    assert run("replay", db, tmp_path / "new.db").exit_code == 2


# the ranking


def test_explain_tells_the_place_of_a_fact_and_what_would_lift_it(db: Path) -> None:
    wanted = fact_of(db, "user.name").fact_id
    told = ok("explain", "Where do I live?", "--user", "ana", "--fact", wanted, "--limit", "1", "--embedder", "hashing-384", "--db", db)
    rows = [line.split("\t") for line in told.splitlines()]
    assert ["asks for", "place"] in rows
    assert ["weight set", "default"] in rows
    assert any(row[0] == "place" and row[1] != "none" for row in rows)
    asked = ok("explain", "What could I cook?", "--user", "ana", "--limit", "1", "--embedder", "none", "--db", db)
    assert "asks for\ta suggestion" in asked
    assert any(row[0].startswith("to be among the first 1") for row in rows)


@pytest.mark.parametrize(("asked", "days"), [("on 3 March 2025", "2025-03-03"), ("in March 2025", "2025-03-01 to 2025-03-31")])
def test_explain_tells_the_days_that_a_question_names(db: Path, monkeypatch: pytest.MonkeyPatch, asked: str, days: str) -> None:
    for zone in ("Asia/Tokyo", "UTC", "America/Los_Angeles"):
        monkeypatch.setenv("MEMDB_TIMEZONE", zone)
        told = ok("explain", f"What did I say {asked}?", "--user", "ana", "--embedder", "none", "--now", "2025-04-01", "--db", db)
        assert [line.split(maxsplit=1)[1].strip() for line in told.splitlines() if line.startswith("times")] == [days]


def test_explain_says_so_where_no_single_weight_helps_and_takes_what_search_takes(db: Path) -> None:
    asked = ("explain", "Ana?", "--user", "ana", "--limit", "1", "--db", db, "--fact")
    told = ok(*asked, fact_of(db, "user.likes").fact_id, "--weights", "first-person", "--embedder", "hashing-384")
    assert "no single weight was found that does it" in told
    other = fact_of(db, "user.name").fact_id
    assert "only superseded were asked for" in ok(*asked, other, "--embedder", "none", "--status", "superseded")
    assert "It is true from" in ok(*asked, other, "--embedder", "none", "--as-of", "1999-01-01")


@pytest.mark.parametrize("command", ["search", "explain"])
def test_the_rival_set_ranks_for_its_users_on_the_command_line_too_unless_another_is_named(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "mem.db"
    with memdb.open(db, embedder=None, config={"worker": False, "rival_weights": "lexical-only"}) as mem:
        for user in map(str, range(40)):
            mem.remember("Likes jazz", user_id=user, key="user.likes")
        rival = next(user for user in map(str, range(40)) if mem.search("jazz", user_id=user)[0].score == 1.0)
    monkeypatch.setenv("MEMDB_RIVAL_WEIGHTS", "lexical-only")
    for named, same in (((), True), (("--weights", "default"), False)):
        told = json.loads(ok(command, "jazz", "--user", rival, *named, "--embedder", "none", "--json", "--db", db))
        assert (told["hits"][0]["score"] == 1.0) is same


def test_who_names_a_set_for_a_context_is_given_one_by_that_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = tmp_path / "mem.db"
    with memdb.open(db, embedder=None, config={"worker": False}) as mem:
        for user in map(str, range(8)):
            mem.remember("Likes jazz", user_id=user, key="user.likes")
    monkeypatch.setenv("MEMDB_RIVAL_WEIGHTS", "lexical-only")
    for user in map(str, range(8)):
        ok("context", "jazz", "--user", user, "--weights", "mem-skill", "--embedder", "none", "--db", db)
    with contextlib.closing(sqlite3.connect(db)) as shell:
        assert shell.execute("select distinct weights from retrievals").fetchall() == [("mem-skill",)]


@pytest.mark.parametrize(("file", "told"), [("nope", "There is no file "), (".", ". is a folder; ")])
def test_questions_that_are_not_there_are_told_as_a_conversation_is(db: Path, file: str, told: str) -> None:
    for arguments in (("evaluate", "--data", file), ("load", file, "--user", "ana")):
        done = run(*arguments, "--db", db)
        assert (done.exit_code, done.stderr.startswith(f"memdb: {told}")) == (2, True), done.stderr


def test_whose_a_turn_or_a_fact_is_need_not_be_said(db: Path) -> None:
    fact = fact_of(db, "user.lives_in")
    ok("feedback", "Where do I live?", fact.fact_id, "--db", db)
    assert ok("labels", "--db", db).split("\t")[0] == "ana"
    assert "ended\t1" in ok("undo", "--turn", fact.source_turn_id, "--db", db)


@pytest.mark.parametrize("named", [",", "", " , "])
def test_a_list_of_no_weight_sets_is_told_and_nothing_is_measured(db: Path, named: str) -> None:
    done = run("evaluate", "--weights", named, "--db", db)
    assert (done.exit_code, "names no weight set" in done.stderr, done.stdout) == (2, True, "")


def test_labelled_questions_that_say_two_things_at_once_are_refused(db: Path, tmp_path: Path) -> None:
    asked = tmp_path / "asked.json"
    asked.write_text('[{"user_id": "ana", "query": "Where?",\n "relevant": ["a"], "relevant": ["b"]}]', encoding="utf-8")
    done = run("evaluate", "--data", asked, "--db", db)
    assert (done.exit_code, "'relevant' stands twice in one object" in done.stderr) == (2, True), done.stderr


def test_feedback_is_what_evaluate_measures(db: Path) -> None:
    wanted = fact_of(db, "user.lives_in").fact_id
    ok("feedback", "Where do I live?", wanted, "--user", "ana", "--db", db)
    told = json.loads(ok("evaluate", "--weights", "default,mem-skill", "--embedder", "hashing-384", "--db", db, "--json"))
    assert told["questions"] == 1
    assert (set(told["sets"]), told["baseline"]) == ({"default", "mem-skill", "lexical-only"}, "lexical-only")
    assert told["sets"]["default"]["any@20"] == 1.0
    gained = told["sets"]["default"]["MRR"] - told["sets"]["lexical-only"]["MRR"]
    assert (set(told["deltas"]), told["deltas"]["default"]["MRR"]) == ({"default", "mem-skill"}, gained)
    row = next(line.split("\t") for line in ok("evaluate", "--embedder", "none", "--db", db).splitlines() if line.startswith("MRR"))
    assert float(row[3]) == pytest.approx(float(row[1]) - float(row[2]), abs=0.002)


def test_evaluate_cannot_do_without_a_question_that_tells_what_is_relevant(db: Path, tmp_path: Path) -> None:
    (tmp_path / "labels.json").write_text('[{"user_id": "ana", "query": "Who am I?"}]', encoding="utf-8")
    for data in ((), ("--data", tmp_path / "labels.json")):
        result = run("evaluate", *data, "--embedder", "none", "--db", db)
        assert (result.exit_code, result.stdout, "nothing to measure with: no question tells" in result.stderr) == (2, "", True)


def test_tune_reads_labels_from_a_file_and_writes_a_set(db: Path, tmp_path: Path) -> None:
    labels = [{"user_id": "ana", "query": f"{word}?", "relevant": ["t1"]} for word in ("Ana", "Porto", "name", "live", "lived")]
    data = tmp_path / "labels.jsonl"
    data.write_text("\n".join(map(json.dumps, labels)))
    told = json.loads(ok("tune", "mine", "--data", data, "--held-out", "0.2", "--embedder", "none", "--db", db, "--json"))
    assert (told["fitted"], told["held_out"]) == (4, 1)
    assert ok("search", "Porto", "--user", "ana", "--weights", "mine", "--db", db)


def test_questions_with_a_line_separator_are_read_and_what_nobody_can_read_is_one_sentence(db: Path, tmp_path: Path) -> None:
    data = tmp_path / "labels.jsonl"
    data.write_text('{"user_id": "ana", "query": "a\u2028b", "relevant": ["t1"]}\n' * 2, encoding="utf-8")
    assert "MRR" in ok("evaluate", "--data", data, "--embedder", "none", "--db", db)
    data.write_text('{"user_id": "ana", "query": "a", "relevant": ["t1"]}\n' + "[" * 100_000, encoding="utf-8")
    done = run("evaluate", "--data", data, "--embedder", "none", "--db", db)
    assert (done.exit_code, "line 2, is not JSON (its lists and objects lie too deep" in done.stderr) == (2, True)


def test_ids_that_name_nothing_of_whoever_asks_are_told(db: Path, tmp_path: Path) -> None:
    data, fact = tmp_path / "labels.json", fact_of(db, "user.lives_in")
    for user, told in (("ana", "1 of the 3 ids are"), ("ben", "3 of the 3 ids are")):
        labels = [{"user_id": user, "query": "Where?", "relevant": ["t1", fact.fact_id, "nope"]}]
        data.write_text(json.dumps(labels), encoding="utf-8")
        assert told in run("evaluate", "--data", data, "--embedder", "none", "--db", db).stderr


def test_a_label_that_cannot_be_used_is_told_with_its_place(db: Path, tmp_path: Path) -> None:
    data = tmp_path / "labels.json"
    data.write_text('[{"user_id": "ana", "query": "Where?", "relevant": ["t1"]}, {"user_id": "ana", "relevant": ["t1"]}]', encoding="utf-8")
    done = run("evaluate", "--data", data, "--embedder", "none", "--db", db)
    assert (done.exit_code, "labels.json, question 2, cannot be used: field query: it is missing" in done.stderr) == (2, True)


def test_tune_says_so_where_what_was_held_out_is_ranked_worse(tmp_path: Path) -> None:
    db, data, users = tmp_path / "mem.db", tmp_path / "labels.json", ("ana", "bea", "eva", "ida")
    with memdb.open(db, embedder=None, config={"worker": False}) as mem:
        for user in users:
            mem.load([{"text": "The bike has 3 wheels.", "turn_id": f"{user}-number"}], user_id=user)
            mem.load([{"text": "The bike is blue.", "turn_id": f"{user}-colour"}], user_id=user)
    worse = []
    for other in users:  # one wants the number, which is the first by default, the others the colour
        wanted = {user: ("number", "colour") if user == other else ("colour", "number") for user in users}
        labels = [
            {"user_id": user, "query": "bike", "relevant": [f"{user}-{right}"], "wrong": [f"{user}-{wrong}"], "kinds": ["message"]}
            for user, (right, wrong) in wanted.items()
        ]
        data.write_text(json.dumps(labels))
        result = run("tune", "mine", "--data", data, "--held-out", "0.25", "--dry-run", "--embedder", "none", "--db", db)
        before, after = map(float, re.search(r"held out\t([\d.-]+)\t([\d.-]+)", result.output).groups())  # type: ignore[union-attr]
        assert ("mine is worse than default" in result.output) is (after < before)
        worse.append(after < before)
    assert sum(worse) == 1


@pytest.mark.parametrize(("cause", "name"), [("--turn", "Turn 'nope'"), ("--session", "Session 'nope'")])
def test_what_taught_nothing_cannot_be_undone_in_silence(db: Path, cause: str, name: str) -> None:
    result = run("undo", "--user", "ana", cause, "nope", "--db", db)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "restored\t0")
    assert result.stderr == f"memdb: {name} of user 'ana' taught nothing that still stands; `memdb turns` lists the turns.\n"


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("tune", "mine"), 2, "A fit takes at least four labelled questions, not 0"),
        (("tune", "mine", "--data", "nowhere.json"), 2, "There is no file nowhere.json"),
        (("weights", "nowhere.toml"), 2, "There is no file nowhere.toml; give the path of a file of weight sets."),
        (("feedback", "Where?", "nothing", "--user", "ana"), 1, "There is no fact 'nothing'"),
        (("explain", "Where?", "--user", "ana", "--weights", "nothing", "--embedder", "none"), 2, "There is no weight set 'nothing'"),
        (("evaluate", "--weights", "nothing", "--data", "LABELS", "--embedder", "none"), 2, "There is no weight set 'nothing'"),
    ],
)
def test_what_cannot_be_ranked_is_one_sentence(db: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, error: str) -> None:
    labels = tmp_path / "labels.json"
    labels.write_text(json.dumps([{"user_id": "ana", "query": "Porto", "relevant": ["t1"]}]))
    result = run(*(str(labels) if argument == "LABELS" else argument for argument in arguments), "--db", db)
    assert result.exit_code == code
    assert error in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_part_of_a_list_is_told_to_be_one_and_the_rest_is_had_as_it_says(db: Path) -> None:
    for command, whose in (("facts", FACTS), ("turns", ("turns",))):
        whole = ok(*whose, "--db", db).splitlines()
        part = run(*whose, "--limit", "1", "--db", db)
        assert part.stdout.splitlines() == whole[:1]
        assert part.stderr == f"memdb: 1 of {len(whole)}; the next with --offset 1, and all without --limit\n", command
        rest = run(*whose, "--offset", "1", "--db", db)
        assert (rest.stdout.splitlines(), rest.stderr) == (whole[1:], "")
        assert run(*whose, "--limit", "0", "--db", db).stderr == f"memdb: 0 of {len(whole)}; all without --limit\n"
    assert len(json.loads(ok("history", "--limit", "2", "--offset", "1", "--json", "--db", db))) == 2
    assert json.loads(ok("turns", "--newest", "--limit", "1", "--status", "done", "--json", "--db", db))[0]["turn_id"] == "t3"
    assert "t2" in ok(*FACTS, "--contains", "JAZZ", "--turn", "t2", "--categories", "soft_preference", "--db", db)
    assert ok("turns", "--refused", "--db", db) == ok(*FACTS, "--contains", "opera", "--db", db) == ""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--db", "x.db", "facts"), "--db belongs behind the command: memdb facts --db"),
        (("--limit=3", "turns"), "--limit belongs behind the command: memdb turns --limit"),
        (("--db", "x.db"), "--db belongs behind the command: memdb COMMAND --db"),
        (("model", "--db", "x.db", "show"), "--db belongs behind the command: memdb model show --db"),
        (("--nothing", "facts"), "No such option: --nothing"),
    ],
    ids=" ".join,
)
def test_an_option_before_its_command_is_told_where_it_belongs(arguments: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(app, arguments, prog_name="memdb")
    assert (result.exit_code, told in " ".join(result.stderr.replace("│", " ").split())) == (2, True)


@pytest.mark.parametrize("arguments", [("undo", "--turn"), ("undo", "--session"), (), ("check",), ("labels",), ("model",)])
def test_a_long_name_is_told_by_its_beginning_and_its_end(db: Path, arguments: tuple[str, ...]) -> None:
    told = run(*arguments, "long" * 250, *(("--user", "ana", "--db", db) if "undo" in arguments else ()))
    assert "long" * 4 in told.stderr
    assert "…" in told.stderr
    assert len(told.stderr) < 800
