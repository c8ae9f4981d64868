"""The inspector: its pages tell what the memory holds and why, escape all of it, reach nobody, and change nothing."""

from __future__ import annotations

import html
import os
import re
import signal
import sqlite3
import subprocess
import sys
from base64 import b64encode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin

import pytest

import memdb

pytest.importorskip("fastapi")
pytest.importorskip("jinja2")
httpx = pytest.importorskip("httpx")
from collections.abc import Callable  # noqa: E402

from fastapi.testclient import TestClient  # noqa: E402

from memdb.interfaces.inspector.app import create_app  # noqa: E402

Tell = Callable[..., memdb.Memory]
HERE = "http://127.0.0.1:8621"
ODD = "a/b?c#d&e=<script>'\"ü 你/../%2F"
EVIL = "</td></title></style><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}\u202e"


def looking(mem: memdb.Memory, **options: Any) -> TestClient:
    return TestClient(create_app(mem, **options), base_url=HERE)


@pytest.fixture
def client(mem: memdb.Memory) -> TestClient:
    return looking(mem)


def page(client: TestClient, path: str, code: int = 200, **fields: object) -> str:
    answer = client.get(path, params=fields or None)  # type: ignore[arg-type]
    assert answer.status_code == code, answer.text.partition("<main")[2]
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return answer.text


def words(text: str) -> str:
    """A page as it is read."""
    body = re.sub(r"<(style|select)>.*?</\1>", " ", text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def crawl(client: TestClient, *begin: str, most: int = 400) -> dict[str, str]:
    """Every page that links lead to, by its address."""
    pages: dict[str, str] = {}
    waiting = [*begin]
    while waiting and len(pages) < most:
        address = waiting.pop(0)
        if address not in pages:
            pages[address] = page(client, address)
            waiting += [html.unescape(link) for link in re.findall(r'<a [^>]*href="([^"#]+)"', pages[address])]
    return pages


def held(mem: memdb.Memory) -> list[str]:
    """All that is in the file."""
    shell = sqlite3.connect(mem.stats().path)
    tables = [name for (name,) in shell.execute("select name from sqlite_schema where type = 'table' and sql not like 'create virtual%'")]
    return [f"{name} {row}" for name in tables for row in shell.execute(f'select * from "{name}"').fetchall()]


# what is told


def test_the_start_page_tells_the_state_of_the_file_and_whose_memory_it_is(client: TestClient, tell: Tell) -> None:
    mem = tell("I live in Porto.")
    mem.observe("Hello", user_id="bob")
    told = words(page(client, "/"))
    stats = mem.stats()
    assert f"schema version {stats.schema_version} embedder hashing-64" in told
    assert "turns that wait 1 turns that failed 0" in told
    assert f"ana {len(mem.facts('ana'))}" in told
    assert "bob" in told
    assert "bob" not in words(page(client, "/", contains="AN"))


def test_a_user_s_page_tells_the_profile_and_what_waits(client: TestClient, tell: Tell) -> None:
    mem = tell("I live in Porto.", "I like jazz.")
    mem.consent("ana", sensitive_topics="ask")
    tell("I'm allergic to peanuts.")
    told = words(page(client, "/user", user_id="ana"))
    assert "User lives in Porto" in told.partition("Profile")[2]
    assert "peanuts" in told.partition("Waiting for a word of the user")[2]
    assert "sensitive topics ask secrets refuse" in told


def test_facts_are_filtered_and_paged(client: TestClient, mem: memdb.Memory) -> None:
    mem.remember_many([{"value_text": f"Owns thing {number:03}.", "user_id": "ana", "key": "user.owns"} for number in range(120)])
    mem.remember("Ana plans a trip", user_id="ana", kind="task")
    mem.reject(mem.remember("Ana loves rum", user_id="ana", key="user.loves").fact_id)

    def shown(**fields: Any) -> list[str]:
        return re.findall(r'<a href="/fact\?[^"]*"><bdi>(.*?)</bdi>', page(client, "/facts", user_id="ana", **fields))

    assert (len(shown()), len(shown(page=3)), len(shown(page=99))) == (50, 21, 21)
    assert set(shown()) | set(shown(page=2)) | set(shown(page=3)) == {fact.value_text for fact in mem.facts("ana")}
    assert shown(contains="THING 007") == ["Owns thing 007."]
    assert shown(kind="task", status="", category="") == ["Ana plans a trip"]
    assert shown(contains="user.loves") == []
    assert shown(contains="user.loves", status="all") == ["Ana loves rum"]
    assert shown(category="health") == []


def test_no_page_grows_with_the_memory(client: TestClient, mem: memdb.Memory) -> None:
    held = [{"value_text": f"Owns {place}", "user_id": "ana", "key": "user.owns", "category": "soft_preference"} for place in range(160)]
    mem.remember_many(held)
    for fact in mem.facts("ana", limit=80):
        mem.doubt(fact.fact_id)
    told = page(client, "/user", user_id="ana")
    assert "These are 50 of 80; all facts are listed page by page." in words(told)  # of the profile
    assert "These are 50 of 80; what is pending and what is uncertain is listed page by page." in words(told)
    assert "uncertain 80" in words(told)
    assert told.count('href="/fact?') == 100
    alike = page(client, "/fact", fact_id=mem.facts("ana")[0].fact_id)
    assert "These are 50 of 160; all of them are listed page by page." in words(alike)
    everything = html.unescape(re.findall(r'href="(/facts\?[^"]*)">all of them', alike)[0])
    assert "160 rows, by key and time" in words(page(client, everything))


def test_a_long_history_of_a_fact_is_told_page_by_page_and_its_ends_on_each(client: TestClient, mem: memdb.Memory) -> None:
    old = mem.remember("Lives in Porto", user_id="ana", key="user.lives_in", object="Porto")
    for number in range(70):
        mem.confirm(old.fact_id)
        mem.feedback(f"Where {number}?", old.fact_id, user_id="ana")
    assert "These are 50 of 70; memdb labels lists all of them." in words(page(client, "/fact", fact_id=old.fact_id))
    mem.remember("Moved to Lisbon", user_id="ana", key="user.lives_in", object="Lisbon", confidence=0.99)
    mem.compact(now="2100-01-01")
    for number, shown in ((1, 50), (2, 23)):
        told = page(client, "/fact", fact_id=old.fact_id, page=number)
        assert f"page {number} of 2, 73 in all" in words(told)
        assert told.count('<th scope="row">') == shown
        assert "Moved to Lisbon" in words(told).partition("What took its place")[2].partition("History")[0]


def test_a_fact_s_page_tells_all_of_it_and_what_became_of_it(client: TestClient, tell: Tell) -> None:
    mem = tell("I live in Porto.", "We moved to Lisbon last week!")
    old, new = mem.facts("ana", key="user.lives_in", statuses=["superseded"]) + mem.facts("ana", key="user.lives_in")
    other = mem.remember("Ana plays chess", user_id="ana", key="user.plays")
    mem.link(new.fact_id, other.fact_id, "supports")
    mem.feedback("Where is home?", old.fact_id, user_id="ana", good=False)
    before, after = (words(page(client, "/fact", fact_id=fact.fact_id)) for fact in (old, new))
    assert "What took its place What superseded it" in before
    assert "User lives in Lisbon" in before.partition("What took its place")[2].partition("History")[0]
    assert "wrong for Where is home?" in before
    assert "status: active → superseded" in before
    assert "User lives in Porto" in after.partition("Whose place it took")[2].partition("History")[0]
    assert "supports Ana plays chess" in after
    assert "'Porto' gives way to 'Lisbon'" in after
    assert all(name in after for name in memdb.Fact.model_fields)
    assert 'href="/turn?user_id=ana&amp;turn_id=t1"' in page(client, "/fact", fact_id=new.fact_id)


def test_what_lies_in_the_archive_has_a_page_like_any_other(client: TestClient, tell: Tell) -> None:
    mem = tell("I live in Porto.", "We moved to Lisbon last week!")
    (old,) = mem.facts("ana", statuses=["superseded"])
    mem.compact(now="2030-01-01")
    told = words(page(client, "/fact", fact_id=old.fact_id))
    assert "User lives in Porto" in told
    assert "It is no longer held" not in told


def test_what_only_history_still_knows_has_a_page(client: TestClient, tell: Tell) -> None:
    mem = tell("I live in Porto.", "We moved to Lisbon last week!")
    (old,) = mem.facts("ana", statuses=["superseded"])
    mem.compact(now="2030-01-01")
    mem._store.database().connection.execute("delete from facts_archive")
    with pytest.raises(memdb.NotFoundError):
        mem.fact(old.fact_id)
    assert "It is no longer held" in (told := words(page(client, "/fact", fact_id=old.fact_id)))
    assert "User lives in Porto" in told
    assert "archived" in told.partition("History")[2]


def test_a_turn_s_page_tells_what_was_said_changed_and_refused(client: TestClient, tell: Tell) -> None:
    mem = tell("I live in Porto.")
    mem.consent("ana", sensitive_topics="refuse")
    tell("I'm allergic to peanuts and I like jazz.")
    told = words(page(client, "/turn", user_id="ana", turn_id="t1"))
    assert "I'm allergic to peanuts and I like jazz." in told
    assert "gate user.allergic_to it is about health, of which nothing is to be kept" in told
    assert "new user.likes" in told
    assert "t0" not in words(page(client, "/turns", user_id="ana", refused=True))
    assert "t1" in words(page(client, "/turns", user_id="ana", refused=True, status="done"))
    assert "There are none." in words(page(client, "/turns", status="failed"))


def test_what_a_large_import_brought_is_told_page_by_page(client: TestClient, mem: memdb.Memory) -> None:
    mem.remember_many([{"value_text": f"Likes song {place}.", "user_id": "ana", "key": "user.likes"} for place in range(120)])
    came_from = mem.facts("ana")[0].source_turn_id
    seen: list[str] = []
    for number in (1, 2, 3):
        told = words(page(client, "/turn", user_id="ana", turn_id=came_from, page=number))
        assert "120 rows that came of it" in told
        assert f"page {number} of 3" in told
        seen += re.findall(r"Likes song \d+\.", told)
    assert len(seen) >= 120
    assert set(seen) == {f"Likes song {place}." for place in range(120)}
    assert len(re.findall(r"Likes song \d+\.", told)) < 60


def test_what_failed_is_told_from_the_start_page_on(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "m.db", embedder=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana", turn_id="t0")
        with sqlite3.connect(tmp_path / "m.db") as shell:
            shell.execute("update turns set status = 'failed', attempts = 5, failures = 5, error = 'the <disk> is full'")
        client = looking(mem)
        (link,) = re.findall(r'<a class="bad" href="([^"]*)">1</a>', page(client, "/"))
        assert "failed – I live in Porto. the <disk> is full" in words(page(client, link))
        assert "error the <disk> is full" in words(page(client, "/turn", user_id="ana", turn_id="t0"))


def test_a_turn_s_page_tells_what_the_model_proposed(tmp_path: Path) -> None:
    model = memdb.LanguageModel(memdb.ScriptedModel(["this is <b>no JSON</b>"] * 9), name="scripted", attempts=1, backoff=0)
    with memdb.open(tmp_path / "m.db", embedder=None, llm=model, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana", turn_id="t0")
        mem.drain()
        assert mem.calls("ana")
        assert "this is &lt;b&gt;no JSON&lt;/b&gt;" in page(looking(mem), "/turn", user_id="ana", turn_id="t0")


def test_a_question_s_page_tells_every_part_of_every_score(client: TestClient, tell: Tell) -> None:
    mem = tell("I live in Porto.", "My sister lives in Faro.", "I like jazz.")
    text = page(client, "/search", user_id="ana", query="Where does my sister live?")
    why = mem.explain("Where does my sister live?", user_id="ana")
    for hit in why.hits:
        assert html.escape(f"{hit.score:.3f}") in text
        for feature, given in hit.contributions.items():
            assert abs(given) < 0.0005 or (f">{feature}<" in text and f">{given:.3f}<" in text)
    assert "words sister live" in words(text)


def test_two_weight_sets_stand_side_by_side(client: TestClient, tell: Tell) -> None:
    mem = tell("I live in Porto.", "My sister lives in Faro.", "I like jazz.")
    told = words(page(client, "/search", user_id="ana", query="Where does my sister live?", weights="lexical-only", against="vector-only"))
    assert "lexical-only and vector-only , side by side" in told
    by_words, by_meaning = (
        mem.explain("Where does my sister live?", user_id="ana", weights=name) for name in ("lexical-only", "vector-only")
    )
    jazz = next(place for place, hit in enumerate(by_meaning.hits, start=1) if hit.fact.key == "user.likes")
    assert all(hit.fact.key != "user.likes" for hit in by_words.hits)
    assert f"User likes jazz fact – – {jazz} " in told


@pytest.mark.parametrize("weights", ["default", "mine"])
def test_a_named_fact_is_told_why_it_is_not_higher_and_the_sql_that_is_shown_does_it(tell: Tell, weights: str) -> None:
    mem = tell("I live in Porto.", "My sister lives in Faro.", "My brother lives in Braga, and Porto is dear to him.")
    mem.set_weights({"mine": {"lexical": 1.0}})
    fact = mem.facts("ana", key="sister.lives_in")[0]
    asked: dict[str, Any] = {"user_id": "ana", "query": "Who lives in Porto?", "fact_id": fact.fact_id, "limit": 3, "weights": weights}
    why = mem.explain(**asked)
    assert why.place is not None
    assert why.changes
    text = page(looking(mem), "/search", **asked)
    told = words(text)
    assert f"place {why.place} of {why.candidates}" in told
    assert str(why.reason) in told
    statements = [html.unescape(one) for one in re.findall(r"<code>((?:update|insert)[^<]*)</code>", text)]
    assert len(statements) == len(why.changes)
    with sqlite3.connect(mem.stats().path) as shell:
        assert shell.execute(statements[0]).rowcount == 1
    lifted = mem.explain(**asked).place
    assert lifted is not None
    assert lifted < why.place


def test_weight_sets_are_told_with_the_sql_that_changes_them(client: TestClient, mem: memdb.Memory) -> None:
    mem.set_weights({"o'neil <b>": {"lexical": 2.5}})
    text = page(client, "/weights")
    for name, values in mem.weight_sets().items():
        for feature, value in values.items():
            told = f"update weights set value = {value} where name = '{name.replace(chr(39), chr(39) * 2)}' and feature = '{feature}';"
            assert html.escape(told, quote=False) in html.unescape(text).replace("<b>", "&lt;b&gt;")
    assert "<b>" not in text


def test_metrics_measure_weight_sets_by_what_users_said(client: TestClient, tell: Tell) -> None:
    assert "There is nothing to measure with yet" in words(page(client, "/metrics"))
    mem = tell("I live in Porto.", "I like jazz.")
    mem.feedback("Where is home in Porto?", mem.facts("ana", key="user.lives_in")[0].fact_id, user_id="ana")
    told = words(page(client, "/metrics", weights=["default", "lexical-only"]))
    assert "measure default lexical-only" in told
    assert f"MRR {mem.evaluate()['default']['MRR']:.3f}" in told


# what it does not do


def hostile(mem: memdb.Memory) -> memdb.Memory:
    mem.consent(ODD, sensitive_topics="keep")
    mem.observe(f"I live in Porto. {EVIL}", f"Ah. {EVIL}", user_id=ODD, turn_id=f"t/1?#&{EVIL}", session_id=EVIL)
    mem.observe("We moved to Lisbon last week!", user_id=ODD, turn_id="t 2", speaker=f"Rui{EVIL}")
    fact = mem.remember(f"Says {EVIL}", user_id=ODD, key="user.says", object=EVIL, tags=[EVIL])
    mem.remember("word " * 40_000, user_id=ODD, kind="note")
    mem.remember_many([{"value_text": EVIL, "user_id": ODD, "fact_id": f"id/{EVIL}", "kind": "note", "value_json": {EVIL: EVIL}}])
    mem.drain()
    mem.feedback(EVIL, fact.fact_id, user_id=ODD)
    mem.set_weights({EVIL: {"lexical": 1.0}})
    return mem


def test_whatever_is_remembered_is_text_on_every_page(mem: memdb.Memory) -> None:
    client = looking(hostile(mem))
    asked = {"user_id": ODD, "query": EVIL, "weights": EVIL, "against": "default", "fact_id": f"id/{EVIL}", "as_of": "", "kind": ""}
    begin = str(client.build_request("GET", "/search", params=asked).url).removeprefix(HERE)
    pages = crawl(client, "/", begin, "/metrics?weights=default")
    assert {address.partition("?")[0] for address in pages} == {
        "/", "/user", "/facts", "/fact", "/search", "/turns", "/turn", "/changes", "/weights", "/metrics",
    }  # fmt: skip
    for text in pages.values():
        assert not re.search(r"<(script|img|iframe|object|link(?! rel=\"icon\" href=\"data:,\")|base)\b", text)
        assert text.count("<style>") == text.count("</style>") == 1
        assert not re.search(r"\son\w+=|javascript:", re.sub(r'>[^<]*<|"[^"]*"', "><", text))
        assert "49" not in re.findall(r"onerror=alert\(2\)&gt;(\S\S)", text)
    assert html.escape(EVIL[:40]) in "".join(pages.values())


def test_every_page_is_well_formed(mem: memdb.Memory) -> None:
    pages = crawl(looking(hostile(mem)), "/", f"/search?{urlencode({'user_id': ODD, 'query': 'Porto', 'against': 'priority'})}", "/metrics")
    for text in pages.values():
        Balanced().feed(text)
        assert text.count("<h1>") == 1
        assert '<html lang="en">' in text
        fields = re.findall(r"<(?:input|select)\b(?![^>]*hidden)", text)
        assert len(re.findall(r"<label[^>]*>", text)) == len(fields)


class Balanced(HTMLParser):
    """Refuses a page whose elements do not close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "link", "input"):
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.inside.pop() == tag, self.getpos()

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        assert tag == "rect"


def test_no_page_asks_anybody_else_for_anything(mem: memdb.Memory) -> None:
    client = looking(hostile(mem))
    pages = crawl(client, "/")
    for address, text in pages.items():
        links = re.findall(r'\s(?:href|src|action|srcset|poster|data)="([^"]*)"', text)
        assert all(urljoin(HERE + address, html.unescape(link)).startswith((f"{HERE}/", "data:,")) for link in links)
        assert "url(" not in text.partition("</style>")[0]
        assert "@import" not in text.partition("</style>")[0]


@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/nowhere", 404), ("/fact", 422), ("/fact?fact_id=x", 404)])
def test_every_answer_forbids_scripts_and_frames(client: TestClient, path: str, status: int) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert not {"script-src", "unsafe-inline", "http:", "https:", "*"} & set(re.split(r"[;\s]+", policy))
    assert "frame-ancestors 'none'" in policy
    assert (answer.headers["cache-control"], answer.headers["referrer-policy"]) == ("no-store", "no-referrer")
    assert " style=" not in answer.text  # the policy would have a browser leave it out


def test_looking_changes_nothing(mem: memdb.Memory, tell: Tell) -> None:
    tell("I live in Porto.", "We moved to Lisbon last week!")
    mem.event("The cat came home.", user_id="ana", timestamp="2025-03-01T08:00:00Z", trigger="person_arrived_home")
    mem.narrate(now="2025-03-02")
    memory = mem.facts("ana", kinds=["narrative"])[0]
    mem.feedback("Where is the cat?", memory.fact_id, user_id="ana")
    before = held(mem)
    client = looking(mem)
    pages = crawl(client, "/", "/search?user_id=ana&query=Where+is+the+cat%3F&against=mem-skill", "/metrics?weights=default")
    assert "the cat came home" in pages["/search?user_id=ana&query=Where+is+the+cat%3F&against=mem-skill"]
    mem.maintain(user_id="nobody")  # what was recalled would be noted by now
    assert held(mem) == before
    assert [client.request(verb, "/").status_code for verb in ("POST", "PUT", "DELETE")] == [405] * 3


def test_what_no_page_shows_is_written_out_and_a_form_sends_it_back_as_it_was(mem: memdb.Memory) -> None:
    odd = "a\x00\x1b[2J\u202eb"
    fact = mem.remember(odd, user_id=odd, tags=[odd])
    client = looking(mem)
    for shown in (page(client, "/"), page(client, "/fact", fact_id=fact.fact_id), page(client, "/search", user_id=odd, query=odd)):
        assert r"a\x00\x1b[2J\u202eb" in words(shown)
        assert re.findall(r"[\x00-\x08\x0b-\x1f\u202e]", re.sub(r'value="[^"]*"', "", shown)) == []
    assert f'name="query" value="{odd}"' in page(client, "/search", user_id=odd, query=odd)


def test_the_page_that_is_open_is_marked_among_the_links(client: TestClient, tell: Tell) -> None:
    tell("I live in Porto.")
    for path, fields in [("/", {}), ("/metrics", {}), ("/turns", {}), ("/turns", {"user_id": "ana"}), ("/facts", {"user_id": "ana"})]:
        (marked,) = re.findall(r'<a href="([^"]*)" aria-current="page">', page(client, path, **fields))  # type: ignore[arg-type]
        assert marked == (f"{path}?user_id=ana" if fields else path)


def test_a_file_that_holds_nothing_says_how_to_begin(client: TestClient) -> None:
    assert "memdb observe" in words(page(client, "/"))


def test_whether_there_is_a_page_can_be_asked_without_it(client: TestClient) -> None:
    whole, head = client.get("/weights"), client.head("/weights")
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(whole.content)))
    assert client.head("/nowhere").status_code == 404


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("/nowhere", 404, "There is no such page"),
        ("/fact?fact_id=zz", 404, "There is no fact 'zz'"),
        ("/user?user_id=zz", 404, "Nothing is held of 'zz'"),
        ("/user?user_id=", 422, "user_id is empty"),
        ("/user", 422, "user_id: it is missing; give it."),
        ("/turn?user_id=ana&turn_id=zz", 404, "There is no turn 'zz' of 'ana'"),
        ("/facts?user_id=ana&kind=zz", 422, "kinds is 'zz'"),
        ("/facts?user_id=ana&status=zz", 422, "status: "),
        ("/facts?user_id=ana&page=0", 422, "page: give a number of 1 or more"),
        ("/facts?user_id=ana&page=two", 422, "page: "),
        ("/search?user_id=ana&query=x&weights=zz", 422, "There is no weight set 'zz'"),
        ("/search?user_id=ana&query=x&as_of=soon", 422, "'soon'"),
        ("/search?user_id=ana&query=x&fact_id=zz", 404, "There is no fact 'zz'"),
        ("/search?user_id=ana&query=x&limit=0", 422, "limit: "),
        ("/search?user_id=ana&query=" + "x" * 4_001, 422, "query: "),
        ("/metrics?weights=zz", 422, "There is no weight set 'zz'"),
        ("/user?user_id=%ff%00", 404, "Nothing is held of"),
    ],
)
def test_what_cannot_be_shown_is_told_in_a_sentence(client: TestClient, tell: Tell, path: str, status: int, sentence: str) -> None:
    tell("I live in Porto.")
    assert sentence in words(page(client, path, status))


# who may look


def basic(key: str) -> dict[str, str]:
    return {"Authorization": f"Basic {b64encode(f'anybody:{key}'.encode()).decode()}"}


@pytest.mark.parametrize(
    ("sent", "statuses"),
    [
        ({}, [401, 401, 401]),
        (basic("wrong"), [401, 401, 401]),
        ({"Authorization": "Basic é"}, [401, 401, 401]),
        (basic("schlüssel"), [200, 403, 403]),
        ({"Authorization": "Bearer all"}, [200, 200, 200]),
        (basic("all"), [200, 200, 200]),
    ],
)
def test_a_key_opens_its_own_user_s_pages_only(mem: memdb.Memory, sent: dict[str, str], statuses: list[int]) -> None:
    for user in ("ana", "bob"):
        mem.remember("Likes jazz", user_id=user, key="user.likes")
    client = looking(mem, keys={"schlüssel": "ana", "all": "*"})
    headers = {name: value.encode("latin-1") for name, value in sent.items()}
    answers = [client.get(path, headers=headers) for path in ("/user?user_id=ana", "/user?user_id=bob", "/metrics")]  # type: ignore[arg-type]
    assert [answer.status_code for answer in answers] == statuses
    assert all("Basic" in answer.headers["www-authenticate"] for answer in answers if answer.status_code == 401)


def test_one_user_s_pages_lead_to_nobody_else(mem: memdb.Memory) -> None:
    hers, his = (mem.remember("Likes jazz", user_id=user, key="user.likes") for user in ("*", "bob"))
    client = looking(mem, user="*")
    assert client.get("/").url.params["user_id"] == "*"
    assert "bob" not in "".join(crawl(client, "/user?user_id=*", f"/fact?fact_id={hers.fact_id}").values())
    for path in ("/user", "/facts", "/changes", "/turns", "/search"):
        page(client, path, 403, user_id="bob", query="jazz")
    page(client, "/turn", 403, user_id="bob", turn_id=his.source_turn_id)
    page(client, "/fact", 404, fact_id=his.fact_id)
    page(client, "/search", 404, user_id="*", query="jazz", fact_id=his.fact_id)
    page(client, "/turns", 403)
    page(client, "/metrics", 403)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8621", 200),
        ("[::1]:8621", 200),
        ("127.0.0.1", 200),
        ("evil.example:8621", 400),
        ("127.0.0.1.evil.example", 400),
        ("[", 400),
    ],
)
def test_without_keys_only_a_browser_on_this_machine_is_answered(mem: memdb.Memory, host: str, status: int) -> None:
    assert looking(mem).get("/", headers={"Host": host}).status_code == status
    assert looking(mem, keys={"k": "*"}).get("/", headers={"Host": host, **basic("k")}).status_code == 200


# a real server


def command(*options: str | Path) -> list[str]:
    return [sys.executable, "-m", "memdb", "inspect", *map(str, options)]


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MEMDB_")}
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | more


@pytest.mark.parametrize("embedder", ["hashing-64", None])
def test_the_command_shows_a_memory_and_leaves_the_file_as_it_is(tmp_path: Path, embedder: str | None) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=embedder) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        mem.drain()
    before = (tmp_path / "mem.db").read_bytes()
    running = subprocess.Popen(
        command("--db", tmp_path / "mem.db", "--port", "0", "--user", "ana"), env=environment(), stderr=subprocess.PIPE, text=True
    )
    try:
        assert running.stderr is not None
        (address,) = re.findall(r"http://127\.0\.0\.1:\d+/", running.stderr.readline())
        found = httpx.get(f"{address}search?user_id=ana&query=Porto", timeout=60)
        assert (found.status_code, "User lives in Porto" in found.text) == (200, True)
        assert httpx.get(address, timeout=60, follow_redirects=True).url.params["user_id"] == "ana"
    finally:
        running.send_signal(signal.SIGINT)
        rest = running.communicate(timeout=60)[1]
    assert (running.returncode, len(rest.splitlines()), "Ended by Ctrl-C" in rest) == (130, 1, True)
    assert (tmp_path / "mem.db").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (["--db", "none.db"], 1, "There is no memory at none.db"),
        (["--host", "0.0.0.0"], 2, "set MEMDB_API_KEYS"),
        (["--weights", "zz"], 2, "There is no weight set 'zz'"),
        (["--db", "text.db"], 1, "text.db"),
        (["--host", "no.such.host.invalid"], 2, "MEMDB_API_KEYS"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(tmp_path: Path, options: list[str], code: int, sentence: str) -> None:
    memdb.open(tmp_path / "mem.db", embedder=None).close()
    (tmp_path / "text.db").write_text("no database, but some text " * 100)
    done = subprocess.run(command("--port", "0", *options), cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines()), sentence in done.stderr) == (code, 1, True)
    assert not (tmp_path / "none.db").exists()


def test_a_file_that_is_moved_away_meanwhile_is_told_in_a_sentence(mem: memdb.Memory, tell: Tell, tmp_path: Path) -> None:
    tell("I live in Porto.")
    with TestClient(create_app(mem), base_url=HERE) as client:
        page(client, "/user", user_id="ana")
    (tmp_path / "mem.db").rename(tmp_path / "elsewhere.db")
    with TestClient(create_app(mem), base_url=HERE) as client:  # another thread asks: its connection is a new one
        assert "moved" in words(page(client, "/user", 500, user_id="ana"))


def test_a_file_that_a_newer_version_has_changed_is_told_in_a_sentence(mem: memdb.Memory, tell: Tell) -> None:
    tell("I live in Porto.")
    with sqlite3.connect(mem.stats().path) as shell:
        shell.execute("pragma user_version = 9999")
        shell.execute("update meta set value = '9999' where name = 'schema_version'")
    assert "newer" in words(page(looking(mem), "/user", 500, user_id="ana"))
