"""Whoever else is in the file: one user's memory neither changes another's nor is changed by it, also where both have the same ids."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from pydantic import BaseModel

import memdb
from memdb.embed import HashingEmbedder
from memdb.identity import new_identity
from memdb.times import to_text

START = datetime(2025, 1, 6, 9, tzinfo=UTC)
END = START + timedelta(days=120)
EVERY: list[memdb.Status] = ["active", "pending_confirmation", "superseded", "expired", "archived", "uncertain"]
EVERYTHING = ["fact", "message", "episode", "narrative", "note", "task", "procedure"]
DECIDED: list[memdb.Relation] = ["contradicts", "supports", "extends"]
"""What is linked for what it says; what only is alike is by how rare words are in the whole file."""
CALL = memdb.ModelCall(purpose="extract", model="m", prompt_hash="0", mode="text", attempt=1, elapsed_ms=1.0, raw="Robin moved to Lisbon")
SAID = (
    ("I'm called Robin. I live in Porto.", "I see."),
    ("My sister Eva lives in Braga, and I like coffee.", "How is she?"),
    ("She moved to Oslo.", "I see."),
    ("Remind me to call Rita tomorrow. I'm allergic to nuts.", "I see."),
    ("I moved to Lisbon last week.", "I see."),
    ("I work at Bosch. Remind me to pay with card 4111 1111 1111 1111.", "I see."),
    ("Maybe I live in Faro.", "What is your favourite colour?"),
    ("Blue.", "I see."),
    ("I'm staying in Rome this week, and I'm a vegetarian.", "I see."),
    ("I called Rita. I like tea.", "I see."),
    ("I don't like coffee any more.", "I see."),
    ("I live in Lisbon, it's lovely and I like tea a lot.", "I see."),
)

APART = (
    ("Remind me to water the plants.", ""),
    ("I drive a Fiat.", ""),
    ("My brother Tom lives in Leeds.", "What is your favourite film?"),
    ("Casablanca.", ""),
)
"""What is said in no session, to Ana mostly without an answer: whatever stands between two turns of hers is Abe's."""


def life(mem: memdb.Memory, *users: str) -> None:
    """What the same four months are to each of these users, who take turns in it. Abe is hours late, and has his days the other way round."""
    late = {user: timedelta(hours=3) if user == "abe" else timedelta() for user in users}
    for user in users:
        mem.consent(user, sensitive_topics="keep" if user == "ana" else "ask")
    for place, (text, answer) in enumerate(SAID):
        for user in users:
            number, shift = (11 - place, 1) if late[user] else (place, 0)
            at = START + timedelta(days=place) + late[user]
            mem.observe(text, answer, user_id=user, turn_id=f"t{number}", session_id=f"s{(number + shift) // 3}", timestamp=at)
        if place % 4 == 3:
            mem.drain()
    for user in users:
        for day in range(4):
            at = START + timedelta(days=20 + day, hours=10) + late[user] / 36  # within what is told together of one
            mem.event(f"Rui made dinner {day}", user_id=user, timestamp=at, participants=["Rui"], location="kitchen", event_id=f"e{day}")
        at = START + timedelta(days=30) + late[user]
        for turn, key, value in (("r1", "user.plays", "piano"), ("r2", "user.plays", "flute")):
            mem.remember(f"Robin has the {value}", user_id=user, key=key, object=value, turn_id=turn, session_id="s9", timestamp=at)
        mem.remember("Robin likes short answers", user_id=user, kind="note", turn_id="r4", timestamp=at)
        mem.learn("deploy the website", ["build", "upload"], user_id=user, turn_id="r3", timestamp=at)
    for place, (text, answer) in enumerate(APART):
        for user in users:
            at = START + timedelta(days=30, minutes=place) + late[user]
            mem.observe(text, answer if user == "ana" else "I see.", user_id=user, turn_id=f"u{place}", timestamp=at)
    mem.narrate(now=START + timedelta(days=40))
    for user in users:
        mem.relate(user)
        mem.feedback("Where does Robin live?", one(mem, user, "user.lives_in"), user_id=user)
        with mem.session(user, "s20", now=START + timedelta(days=41) + late[user]) as session:
            session.observe("I like jazz.", turn_id="s20-1")
            session.working.add("jazz at eight", kind="fact", importance=0.9)
    mem.drain()
    db = mem._store.database()
    for user in users:
        mem.maintain(user_id=user, now=START + timedelta(days=60))
        mem.compact(user, now=START + timedelta(days=99))
        db.run("apply.model_call", user_id=user, turn_id="t4", now=to_text(END), **CALL.model_dump())
        db.run(
            "queue.note",
            user_id=user,
            turn_id="t7" if late[user] else "t6",
            step="arbitrate",
            key="user.name",
            why="Porto, Lisbon or Faro is no name",
        )
    if "abe" in users:
        mem.observe("I like opera.", user_id="abe", turn_id="t99", session_id="open", timestamp=END)
        mem.observe("My friend Zoe lives in Rome. My birthday is 3 May.", user_id="abe", turn_id="zoe", timestamp=END)
        mem.session("abe", "open", now=END)
    for user in users:
        mem.session(user, f"{user} crashed", now=END)
    gone = re.sub(":[0-9]+:", ":999999999:", new_identity())
    db.connection.execute("update open_sessions set held_by = ? where session_id like '% crashed'", (gone,))
    mem.drain()


def one(mem: memdb.Memory, user: str, key: str, *, kind: str = "fact") -> str:
    return mem.facts(user, key=key, statuses=EVERY, kinds=[kind], now=START)[-1].fact_id


def rows_of(mem: memdb.Memory, user: str) -> dict[str, list[tuple[object, ...]]]:
    """Whatever the file holds of a user, table by table."""
    connection = mem._store.database().connection
    of_users = "select m.name from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table' and c.name = 'user_id' order by 1"
    mine = "select fact_id from facts where user_id = :user"
    wanted = {str(name): f"select * from {name} where user_id = :user" for (name,) in connection.execute(of_users).fetchall()} | {
        "facts_vec": "select rowid, user_id, shelf, embedding from facts_vec where user_id = :user",
        "facts_fts": "select w.doc, w.col, w.offset, w.term from temp.words w where w.doc in (select id from facts where user_id = :user)",
        "links": f"select * from links where source_id in ({mine}) or target_id in ({mine})",
    }
    return {name: sorted(connection.execute(sql, {"user": user}).fetchall(), key=repr) for name, sql in wanted.items()}


def opened(path: Path) -> memdb.Memory:
    mem = memdb.open(path, embedder=HashingEmbedder(32), llm=None, config={"worker": False, "timezone": "UTC", "turns_as_events": True})
    mem._store.database().connection.execute("create virtual table temp.words using fts5vocab (main, facts_fts, instance)")
    return mem


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the memory of two, and one with that of one of them alone."""
    folder = tmp_path_factory.mktemp("lived")
    for name, users in (("both", ["abe", "ana"]), ("alone", ["ana"])):
        (folder / name).mkdir()
        with opened(folder / name / "mem.db") as memory:
            life(memory, *users)
    return folder


@pytest.fixture
def mem(lived: Path, tmp_path: Path) -> Iterator[memdb.Memory]:
    shutil.copytree(lived / "both", tmp_path / "both")
    with opened(tmp_path / "both" / "mem.db") as memory:
        yield memory


@pytest.fixture
def alone(lived: Path, tmp_path: Path) -> Iterator[memdb.Memory]:
    shutil.copytree(lived / "alone", tmp_path / "alone")
    with opened(tmp_path / "alone" / "mem.db") as memory:
        yield memory


def talk(mem: memdb.Memory) -> object:
    for turn, text, session in (("t97", "I moved to Rome.", "open"), ("t98", "I like tea.", "s2"), ("t99", "I like opera.", "s2")):
        mem.observe(text, user_id="ana", turn_id=turn, session_id=session, timestamp=END)
    return mem.drain()


def converse(mem: memdb.Memory) -> None:
    with mem.session("ana", "open", now=END) as session:
        session.observe("I like opera.", turn_id="s20-2")
        session.context("What do I like?")


def forgotten_meanwhile(mem: memdb.Memory, key: str | None) -> object:
    with mem.session("ana", "open", now=END) as session:
        session.observe("I like opera.", turn_id="t99")
        session.working.add("opera at nine", kind="fact", importance=0.9)
        mem.drain()
        mem.forget("ana", key=key)
        return session.flush().kept, [item.text for item in session.working.items]


def unlink(mem: memdb.Memory) -> None:
    here = one(mem, "ana", "user.plays")
    for linked in mem.links(here):
        mem.unlink(*((here, linked.fact.fact_id) if linked.outward else (linked.fact.fact_id, here)))


VERBS: dict[str, Callable[[memdb.Memory], object]] = {
    "talk": talk,
    "converse": converse,
    "snapshot": lambda mem: mem.session("ana", "s0", now=END).snapshot(),
    "remember": lambda mem: mem.remember("Lives in Rome", user_id="ana", key="user.lives_in", object="Rome", turn_id="r1", timestamp=END),
    "write": lambda mem: mem.write([{"text": "Robin likes tea", "key": "user.likes", "object": "tea"}], user_id="ana", timestamp=END),
    "learn": lambda mem: mem.learn("deploy the website", ["build", "test", "upload"], user_id="ana", turn_id="r3", timestamp=END),
    "outcome": lambda mem: mem.outcome(mem.procedures("deploy", user_id="ana")[0].fact_id, False, turn_id="r3", timestamp=END),
    "event": lambda mem: (
        mem.event("Rui left home", user_id="ana", timestamp=END, event_id="e9"),
        mem.narrate(now=END + timedelta(days=1)),
    ),
    "confirm": lambda mem: mem.confirm(one(mem, "ana", "user.allergic_to"), now=END),
    "reject": lambda mem: mem.reject(one(mem, "ana", "user.name"), now=END),
    "doubt": lambda mem: mem.doubt(one(mem, "ana", "user.diet"), now=END),
    "end": lambda mem: mem.end(one(mem, "ana", "user.works_at"), now=END),
    "task": lambda mem: mem.task(one(mem, "ana", "user.task", kind="task"), "stalled", now=END),
    "undo a turn": lambda mem: mem.undo(user_id="ana", turn_id="t10", now=END),
    "undo a session": lambda mem: mem.undo(user_id="ana", session_id="s3", now=END),
    "undo another session": lambda mem: mem.undo(user_id="ana", session_id="s2", now=END),
    "undo a statement": lambda mem: mem.undo(user_id="ana", session_id="s9", now=END),
    "consent": lambda mem: mem.consent("ana", sensitive_topics="refuse"),
    "forget": lambda mem: mem.forget("ana"),
    "forget in a session": lambda mem: forgotten_meanwhile(mem, None),
    "forget a key in a session": lambda mem: forgotten_meanwhile(mem, "user.likes"),
    "forget what stands between": lambda mem: mem.forget("ana", key="user.drives"),
    "forget a key": lambda mem: mem.forget("ana", key="user.lives_in"),
    "forget patterns": lambda mem: mem.forget("ana", key="household.pattern"),
    "forget experiences": lambda mem: mem.forget("ana", key="household.experience"),
    "recall": lambda mem: mem.recall("dinner", user_id="ana", now=START + timedelta(days=61)),
    "link": lambda mem: mem.link(one(mem, "ana", "user.diet"), one(mem, "ana", "user.works_at"), "supports"),
    "unlink": unlink,
    "maintain": lambda mem: mem.maintain(user_id="ana", now=START + timedelta(days=365)),
    "compact": lambda mem: mem.compact("ana", now=START + timedelta(days=365)),
    "feedback": lambda mem: mem.feedback("Where does Robin live?", one(mem, "ana", "user.lives_in"), user_id="ana", good=False),
    "context": lambda mem: mem.context("Where do I live?", user_id="ana", now=END).question,
}


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_done_for_one_user_leaves_the_rows_of_another_as_they_were(verb: str, mem: memdb.Memory) -> None:
    others, own = rows_of(mem, "abe"), rows_of(mem, "ana")
    VERBS[verb](mem)
    mem.drain()
    mem._notebook.write_down_asked()
    assert rows_of(mem, "abe") == others
    assert rows_of(mem, "ana") != own


@pytest.mark.parametrize(
    ("own", "others"),
    [
        (["I live in Porto."], ["Let's role play."]),
        (["I have a job interview on 20 May.", "The job interview got pushed back a week."], ["I have a job interview on 12 May."]),
        (["I like tea.", "The job interview got pushed back a week."], ["I have a job interview on 12 May."]),
        (["I like tea.", "Eva moved to Oslo."], ["My sister is called Eva."]),
        (["My sister lives in Rome.", "She moved to Oslo."], ["My brother lives in Berlin."]),
        (["I used to live in Faro."], ["I used to live in Faro."]),
        (["I like tea.", "I like jazz.", "My wife is coming to dinner."], ["I'm married.", "I got divorced."]),
    ],
)
def test_what_one_says_is_read_as_if_nobody_else_had_spoken_before(tmp_path: Path, own: list[str], others: list[str]) -> None:
    read = []
    for place, before in enumerate((others, [])):
        with memdb.open(tmp_path / f"{place}.db", embedder=None, llm=None, config={"worker": False}) as mem:
            said = [*(("ana", text) for text in own[:-1]), *(("abe", text) for text in before), ("ana", own[-1])]
            for number, (user, text) in enumerate(said):
                at = START + timedelta(minutes=number if user == "abe" else 10 * (text == own[-1]))
                mem.observe(text, user_id=user, turn_id=f"t{number}", session_id="s", timestamp=at)
            mem.drain()
            read.append([(fact.key, fact.object, fact.status, fact.event_time) for fact in mem.facts("ana", statuses=EVERY, now=END)])
    assert read[0] == read[1] != []


def test_who_is_asked_something_answers_that_though_another_says_something_in_between(tmp_path: Path) -> None:
    turns = (("ana", "Hello.", "Do you live in Leeds?"), ("abe", "I like tea.", "I see."), ("ana", "Yes.", ""))
    with opened(tmp_path / "mem.db") as mem:
        for number, (user, text, answer) in enumerate(turns):
            mem.observe(text, answer, user_id=user, turn_id=f"t{number}", session_id="s", timestamp=START + timedelta(minutes=number))
        mem.drain()
        assert [fact.object for fact in mem.facts("ana", key="user.lives_in", now=END)] == ["Leeds"]


def test_who_moves_while_another_lives_somewhere_shortens_only_own_times(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        for user, day, text in (("abe", 0, "I live in Porto."), ("abe", 9, "I moved to Lisbon."), ("ana", 5, "I live in Faro.")):
            mem.observe(text, user_id=user, turn_id=f"t{day}", timestamp=START + timedelta(days=day))
            mem.drain()
        assert [fact.object for fact in mem.facts("abe", key="user.lives_in", as_of=START + timedelta(days=7))] == ["Porto"]


def test_who_has_left_somebody_has_left_nobody_of_another(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        for user in ("abe", "ana"):
            mem.observe("My girlfriend is called Eva. She lives in Rome.", user_id=user, turn_id="t1", timestamp=START)
        mem.drain()
        others = rows_of(mem, "abe")
        mem.observe("I broke up with my girlfriend.", user_id="ana", turn_id="t2", timestamp=START + timedelta(days=9))
        mem.drain()
        assert rows_of(mem, "abe") == others
        assert [fact.status for fact in mem.facts("ana", key="partner.lives_in", statuses=EVERY, now=END)] == ["expired"]


WAITS = """
    update turns set status = 'working', claimed_by = 'm:1:a', claimed_until = '2999-01-01T00:00:00.000Z' where turn_id = 'w1';
    update upkeep set claimed_by = 'm:1:a', claimed_until = '2999-01-01T00:00:00.000Z';
"""


@pytest.mark.parametrize("verb", ["undo a waiting turn", "forget"])
def test_what_waits_of_another_goes_on_waiting_as_it_does(verb: str, mem: memdb.Memory) -> None:
    for user in ("abe", "ana"):
        mem.observe("I live in Leeds.", user_id=user, turn_id="w1", session_id="w", timestamp=END)
    mem._store.database().connection.execute(WAITS)
    others = rows_of(mem, "abe")
    if verb == "forget":
        mem.forget("ana")
    else:
        mem.undo(user_id="ana", turn_id="w1", now=END)
    assert rows_of(mem, "abe") == others


def asked(question: str, mem: memdb.Memory) -> memdb.Hits:
    return mem.search(question, user_id="ana", limit=100, now=END)


QUESTIONS = (
    "Where does Robin live?",
    "Where did I live before I moved?",
    "What did we talk about last time?",
    "What did I just tell you?",
    "What happened on my birthday?",
    "What did I say this morning?",
    "Where does Zoe live?",
)

ASKED: dict[str, Callable[[memdb.Memory], object]] = {
    "facts": lambda mem: mem.facts("ana", statuses=EVERY, kinds=EVERYTHING, now=END),
    "facts as of then": lambda mem: mem.facts("ana", as_of=START + timedelta(days=9), kinds=EVERYTHING),
    "facts with a word": lambda mem: mem.facts("ana", contains="porto", kinds=EVERYTHING, now=END),
    "history": lambda mem: mem.history(user_id="ana"),
    "history of a turn": lambda mem: mem.history(user_id="ana", turn_id="t4"),
    "turns": lambda mem: mem.turns("ana"),
    "one turn": lambda mem: mem.turns("ana", turn_id="t5"),
    "turns of which something was refused": lambda mem: mem.turns("ana", refused=True),
    "calls": lambda mem: mem.calls("ana"),
    "calls of a turn": lambda mem: mem.calls("ana", turn_id="t4"),
    "profile": lambda mem: mem.profile("ana"),
    "profile of then": lambda mem: mem.profile("ana", now=START + timedelta(days=14)),
    "page": lambda mem: mem.page("ana"),
    "sources": lambda mem: mem.sources(one(mem, "ana", "household.pattern", kind="narrative")),
    "session": lambda mem: mem.session("ana", "s99", now=END).bootstrap,
    "what is let": lambda mem: mem.consent("ana"),
    **{question: partial(asked, question) for question in QUESTIONS},
    "search by words": lambda mem: mem.search("tea", user_id="ana", weights="lexical-only", limit=100, now=END),
    "search of then": lambda mem: mem.search("Where does Robin live?", user_id="ana", limit=100, as_of=START + timedelta(days=9)),
    "procedures": lambda mem: {one.fact_id for one in mem.procedures("deploy the website", user_id="ana", now=END)},
    "question": lambda mem: mem.context("What am I allergic to?", user_id="ana", now=END).question,
    "what upkeep would do": lambda mem: mem.maintain(user_id="ana", now=START + timedelta(days=365), dry_run=True),
}


@pytest.mark.parametrize("what", [*VERBS, *ASKED])
def test_what_one_user_is_told_is_the_same_whoever_else_is_in_the_file(what: str, mem: memdb.Memory, alone: memdb.Memory) -> None:
    told = [but_for_chance(({**VERBS, **ASKED}[what](one), held(one))) for one in (mem, alone)]
    assert told[0] == told[1]


def held(mem: memdb.Memory) -> object:
    """What is held of Ana after that."""
    mem.drain()
    rows = mem._store.database().connection.execute(
        """
        select 'word', f.fact_id, w.term, w.col, w.offset, null from temp.words w join facts f on f.id = w.doc where f.user_id = 'ana'
        union all
        select 'session', session_id, started_at, last_turn_at, ended_at, turns || '/' || summarised from sessions where user_id = 'ana'
        union all
        select 'open', session_id, null, null, null, null from open_sessions where user_id = 'ana'
        union all
        select 'event', event_id, segment_id, turn_id, timestamp, description from events where user_id = 'ana'
        union all
        select 'archived', fact_id, record, null, null, null from facts_archive where user_id = 'ana'
        union all
        select 'call', turn_id, raw, null, null, null from model_calls where user_id = 'ana'
        order by 1, 2, 3, 4, 5
        """
    )
    linked = [mem.links(fact.fact_id, statuses=EVERY, relations=DECIDED) for fact in everything(mem)]
    links = [sorted(other.fact.fact_id for other in others) for others in linked]
    return everything(mem), rows.fetchall(), links, mem.history(user_id="ana"), mem.turns("ana"), mem.profile("ana", now=END)


def everything(mem: memdb.Memory) -> list[memdb.Fact]:
    return mem.facts("ana", statuses=EVERY, kinds=EVERYTHING, now=END)


CHANCE = {"id", "embedding_id", "action_hash", "score"}
"""The numbers of rows, which count what others have, too, the names of decisions, and what is by how rare words are in the whole file."""


def but_for_chance(told: object) -> object:
    """What was told, without that, without names that are made up, and without when the test ran."""
    match told:
        case memdb.Hits():
            return but_for_chance(told.question.model_dump(exclude={"said"})), {hit.fact.fact_id for hit in told}
        case memdb.Session():
            return but_for_chance(told.bootstrap)
        case BaseModel():
            return but_for_chance(told.model_dump())
        case dict():
            return {name: but_for_chance(value) for name, value in told.items() if name not in CHANCE}
        case list() | tuple():
            return [but_for_chance(value) for value in told]
        case datetime() if told > END + timedelta(days=366):
            return "now"
        case str():
            return re.sub("[0-9a-f]{32}", "…", told)
    return told
