"""The README and the pages of docs/ cannot drift: their examples run, their tables are what the code says."""

from __future__ import annotations

import inspect
import re
import shutil
import sqlite3
import subprocess
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Literal, get_args, get_origin, get_type_hints

import anyio
import pytest
import typer
import yaml
from pydantic import BaseModel

import memdb
import memdb.interfaces.chroma
from memdb.interfaces.commands import app
from memdb.interfaces.http import create_app
from memdb.interfaces.mcp import create_server

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SQL = README.partition("```sql\n")[2].partition("```")[0]
VIEWS = "select name from sqlite_schema where type = 'view'"
PAGES = {path: path.read_text(encoding="utf-8") for path in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))}
TOLD = "\n".join([README, *(page for path, page in PAGES.items() if path.parent.name == "docs")])


def settings_table() -> str:
    rows = ["| setting | default | meaning |", "|---|---|---|"]
    for name, field in memdb.Config.model_fields.items():
        default = "the machine's" if field.default_factory else "" if field.default is None else f"`{field.default}`"
        rows.append(f"| `{name}` | {default} | {field.description} |")
    return "\n".join(rows)


def records_table() -> str:
    """What the calls take and give, in the order of the alphabet; the settings have a table of their own."""
    rows = ["| record | its fields |", "|---|---|"]
    for name in memdb.__all__:
        record = getattr(memdb, name)
        if isinstance(record, type) and issubclass(record, BaseModel) and record is not memdb.Config:
            rows.append(f"| `{name}` | {', '.join(f'`{field}`' for field in record.model_fields)} |")
    return "\n".join(rows)


def words_table() -> str:
    """The words that may stand in a field."""
    rows = ["| type | its words |", "|---|---|"]
    for name in memdb.__all__:
        if get_origin(words := getattr(memdb, name)) is Literal:
            rows.append(f"| `{name}` | {', '.join(f'`{word}`' for word in get_args(words))} |")
    return "\n".join(rows)


def test_the_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code
    exec(compile(code[1], "README.md", "exec"), {})
    out = capsys.readouterr().out
    shown = re.search(r"```text\n(.*?)\n```", README, re.DOTALL)
    assert shown
    printed = iter(out.splitlines())
    for line in shown[1].splitlines():  # in this order, others between them
        wanted = re.compile(".*".join(map(re.escape, line.split("…"))))
        assert any(wanted.fullmatch(one) for one in printed), line


def test_the_example_of_a_scripted_model_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    code = re.search(r"## A model, or an embedder, of your own.*?```python\n(.*?)```", TOLD, re.DOTALL)
    assert code
    exec(compile(code[1], "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("User lives in Lisbon scripted\n")


def test_the_examples_of_settings_and_weights_are_taken(tmp_path: Path) -> None:
    blocks = {kind: re.search(rf"```{kind}\n(.*?)```", TOLD, re.DOTALL) for kind in ("toml", "yaml")}
    assert blocks["toml"]
    assert blocks["yaml"]
    (tmp_path / "memdb.toml").write_text(blocks["toml"][1], encoding="utf-8")
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        assert (mem.config.timezone, mem.config.rival_weights) == ("Europe/Lisbon", "mem-skill")
        mem.set_weights(yaml.safe_load(blocks["yaml"][1]))
        assert mem.weights("mine")["cosine"] == 2.0


def test_the_procedure_of_the_example_is_found(tmp_path: Path) -> None:
    calls = re.findall(r"`(mem\.(?:learn|procedures)\([^`]*\))`", TOLD)
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        learned, found = (eval(call, {"mem": mem}) for call in calls)
    assert [one.fact_id for one in found] == [learned.fact_id]


@pytest.mark.slow
def test_the_chroma_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    code = re.search(r"## As a Chroma client.*?```python\n(.*?)```", TOLD, re.DOTALL)
    assert code
    exec(compile(code[1], "README.md", "exec"), {})
    flight, rita, porto = capsys.readouterr().out.splitlines()
    assert flight.startswith("[['The flight to Porto leaves at nine.']]")
    assert (rita, porto) == ("['3']", "['2']")


@pytest.mark.slow
def test_the_example_that_copies_chromadb_s_collections_runs_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chromadb = pytest.importorskip("chromadb")
    monkeypatch.chdir(tmp_path)
    with chromadb.PersistentClient("chroma", settings=chromadb.Settings(anonymized_telemetry=False)) as client:
        kept = client.create_collection("notes", metadata={"hnsw:space": "cosine"}, embedding_function=None)
        kept.add(
            ids=["a", "b"], embeddings=[[1.0, 2.0], [3.0, 4.0]], documents=["one", None], metadatas=[{"k": [1, 2]}, None], uris=[None, "u"]
        )
    code = re.search(r"Collections that chromadb itself has kept.*?```python\n(.*?)```", TOLD, re.DOTALL)
    assert code
    for _ in range(2):
        exec(compile(code[1], "chroma.md", "exec"), {})
    with memdb.interfaces.chroma.PersistentClient("mem.db") as client:
        copy = client.get_collection("notes", embedding_function=None)
        assert copy.get()["metadatas"] == [{"k": [1, 2]}, {}]
        assert copy.query(query_embeddings=[[2.0, 4.0]], n_results=1, include=["documents"])["documents"] == [["one"]]


@pytest.mark.slow
def test_the_example_of_chroma_as_the_index_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("chromadb")
    monkeypatch.chdir(tmp_path)
    code = re.search(r"## With Chroma as the index.*?```python\n(.*?)```", TOLD, re.DOTALL)
    assert code
    exec(compile(code[1], "README.md", "exec"), {})
    held, found = capsys.readouterr().out.splitlines()
    assert held == "['Ana is allergic to peanuts'] 0"
    assert found == "Ana is allergic to peanuts None"


def test_the_sql_examples_run_in_another_shell(tmp_path: Path) -> None:
    tell_of_a_move(tmp_path / "mem.db")
    shell = sqlite3.connect(tmp_path / "mem.db")
    of_words = "select value from weights where name = 'default' and feature = 'lexical'"
    usual = shell.execute(of_words).fetchone()
    results = [shell.execute(statement).fetchall() for statement in SQL.split(";") if statement.strip()]
    tables, columns, believed, then, through_time, changed, waits, refused, asked, tuned = results
    assert ("turns", "The turns of conversations: what was said and answered, and what became of it.") in tables
    assert ("confidence", "How sure it is.", "0 to 1") in columns
    moved = (
        "user.lives_in",
        "Lisbon",
        0.85,
        "2025-06-10T18:30:00.000Z",
        "said to have changed: 'Porto' gives way to 'Lisbon'",
        "I moved to Lisbon",
    )
    assert believed == [moved]
    assert then == [("user.lives_in", "Porto")]
    assert [(one[2], one[3]) for one in through_time] == [("Porto", "superseded"), ("Lisbon", "active")]
    assert len(changed) == 5
    assert waits == [("User is allergic to peanuts", waits[0][1], None)]
    assert refused == [("2025-03-03T18:30:00.000Z", "Remind me to pay with card 4111 1111 1111 1111.", "user.task", refused[0][3])]
    assert (asked[0][1], tuned) == ("Where does Ana live?", [])
    assert shell.execute(of_words).fetchone() > usual


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="needs a SQLite shell")
def test_the_sql_examples_and_every_view_run_in_the_bare_shell(tmp_path: Path) -> None:
    tell_of_a_move(tmp_path / "mem.db", embedder="hashing-32")
    views = "".join(f"select count(*) from (select * from {name});" for (name,) in sqlite3.connect(tmp_path / "mem.db").execute(VIEWS))
    told = subprocess.run(["sqlite3", tmp_path / "mem.db"], input=SQL + views, capture_output=True, text=True, check=False)
    assert (told.stderr, told.returncode) == ("", 0)
    assert "user.lives_in|Lisbon|0.85|2025-06-10T18:30:00.000Z|said to have changed" in told.stdout


def tell_of_a_move(path: Path, embedder: str | None = None) -> None:
    with memdb.open(path, embedder=embedder) as mem:
        said = (
            ("I live in Porto.", "2025-03-01"),
            ("I'm allergic to peanuts.", "2025-03-02"),
            ("Remind me to pay with card 4111 1111 1111 1111.", "2025-03-03"),
        )
        for text, day in (*said, ("I moved to Lisbon.", "2025-06-10")):
            mem.observe(text, user_id="ana", timestamp=f"{day}T18:30:00Z")
        mem.drain()
        mem.observe("I live in Lisbon.", user_id="ana", timestamp="2025-06-11T18:30:00Z")
        mem.drain()
        mem.search("Where does Ana live?", user_id="ana")


def test_every_setting_is_told() -> None:
    assert settings_table() in TOLD


def test_every_verb_and_every_command_is_told() -> None:
    verbs = [name for name in vars(memdb.Memory) if not name.startswith("_") and callable(getattr(memdb.Memory, name))]
    assert [verb for verb in verbs if f"`{verb}(" not in TOLD] == []
    listed = re.search(r"`memdb (\S+\|\S+)`", TOLD)
    assert listed
    assert sorted(listed[1].split("|")) == sorted(typer.main.get_group(app).commands)


def test_every_endpoint_and_every_tool_is_told(mem: memdb.Memory) -> None:
    told = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
    listed = {f"/memory/{verb}" for verbs in re.findall(r"/memory/([\w/|]+)", told) for verb in verbs.split("|")}
    assert create_app(mem).openapi()["paths"].keys() == listed | {"/health"}
    assert [tool.name for tool in anyio.run(create_server(mem).list_tools) if f"`{tool.name}`" not in told] == []


def test_every_verb_takes_what_is_told_and_nothing_else_unless_there_is_more() -> None:
    rows = re.findall(r"^\| (`[a-z_]+\([^|]*) \|", TOLD, re.MULTILINE)
    told = [(name, given.split(", ") if given else []) for row in rows for name, given in re.findall(r"`(\w+)\(([^`]*)\)`", row)]
    assert len(told) > 50
    for name, given in told:
        verb = inspect.signature(getattr(memdb.Memory, name, None) or getattr(memdb, name))
        takes = {one.name: one.kind is one.KEYWORD_ONLY for one in verb.parameters.values() if one.name != "self"}
        named = given.index("*") if "*" in given else len(given)
        assert [takes.get(one) for one in given if one not in "*…"] == [given.index(one) > named for one in given if one not in "*…"], name
        assert "…" in given or takes.keys() - {"now"} == set(given) - {"*", "now"}, name


def test_every_command_has_the_options_that_are_told() -> None:
    commands = typer.main.get_group(app).commands
    options = {name: {option for one in command.params for option in one.opts} for name, command in commands.items() if name != "model"}
    assert {name for name, has in options.items() if "--db" not in has} == {"replay"}
    assert {name for name, has in options.items() if "--json" not in has} == {
        "serve",
        "inspect",
        "mcp",
        "demo",
        "feedback",
    }  # feedback says nothing
    whose = {name for name in options if "user_id" in inspect.signature(getattr(memdb.Memory, name, print)).parameters}
    assert {name for name in whose if "--user" not in options[name]} == set()


def test_every_extra_stands_in_the_readme() -> None:
    extras = re.findall(
        r"^(\w+) = \[",
        (ROOT / "pyproject.toml").read_text().split("[project.optional-dependencies]")[1].split("[project.scripts]")[0],
        re.M,
    )
    assert [extra for extra in extras if extra not in ("test", "dev") and f"`{extra}`" not in README] == []


def _types_in(hint: object) -> set[str]:
    parts = [part for part in (get_origin(hint), *get_args(hint)) if part is not None]
    own = {hint.__name__} if isinstance(hint, type) and hint.__module__.startswith("memdb") else set()
    return own.union(*map(_types_in, parts))


def test_the_records_that_are_documented_are_what_they_are() -> None:
    assert records_table() in TOLD
    assert words_table() in TOLD


def test_every_public_name_is_documented() -> None:
    assert [name for name in memdb.__all__ if not re.search(rf"\b{name}\b", TOLD)] == ["__version__"]


def test_whatever_a_public_name_takes_or_gives_is_public() -> None:
    public = [getattr(memdb, name) for name in memdb.__all__ if name != "__version__"]
    verbs = [value for one in public if isinstance(one, type) for name, value in vars(one).items() if not name.startswith("_")]
    doors = [value.fget if isinstance(value, property) else value for value in [*public, *verbs]]
    spoken = {"ArrayLike": object, "NDArray": list, "np": SimpleNamespace(float32=float)}
    hints = [get_type_hints(one, localns=spoken) for one in doors if inspect.isfunction(one)]
    fields = [
        field.annotation for one in public if isinstance(one, type) and issubclass(one, BaseModel) for field in one.model_fields.values()
    ]
    met = set().union(*(_types_in(hint) for hint in [*(hint for of in hints for hint in of.values()), *fields]))
    assert met - set(memdb.__all__) == set()


def test_whatever_serves_by_a_command_brings_the_command() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert [name for name in ("server", "mcp") if "memdb[cli]" not in extras[name]] == []


def anchors(page: str) -> set[str]:
    """Where links within a page may lead, as GitHub names its headings."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", page, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=[path.name for path in PAGES])
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", PAGES[page]):
        file, _, place = link.partition("#")
        target = page.parent / file if file else page
        assert target.is_file(), link
        assert not place or place in anchors(target.read_text(encoding="utf-8")), link


def test_what_the_readme_tells_of_measurements_is_what_was_measured() -> None:
    summary = README.split("## How well it works")[1].split("\n## ")[0]
    told = re.findall(r"[\d.,]*\d(?= (?:%|ms))|(?<= )\d+\.\d(?= by)", summary)
    measured = re.findall(r"\d[\d.,]*", README.split("## Measured")[1])
    assert len(told) > 10
    assert [number for number in told if number not in measured] == []


def test_contributing_names_no_module_that_is_not_there() -> None:
    table = PAGES[ROOT / "CONTRIBUTING.md"].split("| layer |")[1].split("\n## ")[0]
    named = set(re.findall(r"`([a-z_]{2,})`", table)) - {"now"}
    assert len(named) > 60
    assert {name for name in named - {"_abroad"} if not (ROOT / "memdb" / f"{name}.py").is_file()} == set()
