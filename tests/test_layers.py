"""Layers go one way: values ← doors ← steps ← thinking ← observer ← page, worker, upkeep ← answering, background ← session ← memory ← opening ← interfaces."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "memdb"
DOORS = {
    "memdb.driver",
    "memdb.lean",
    "memdb.tables",
    "memdb.database",
    "memdb.schema",
    "memdb.erasing",
    "memdb.store",
    "memdb.chunks",
    "memdb.filling",
    "memdb.quantize",
    "memdb.vectors",
    "memdb.echoes",
    "memdb.asked",
    "memdb.eligible",
    "memdb.scoring",
    "memdb.segments",
    "memdb.weight_sets",
    "memdb.outside",
    "memdb.embed",
    "memdb.awaited",
    "memdb.edge",
    "memdb.endpoint",
    "memdb.export",
    "memdb.llm",
    "memdb.chat",
    "memdb.narrator",
    "memdb.recording",
    "memdb.merging",
    "memdb.reviving",
    "memdb.asker",
    "memdb.beliefs",
    "memdb.stored",
    "memdb.since",
}
CHAINS = {
    "memdb.thinking": 3,
    "memdb.reading": 3,
    "memdb.carrying": 3,
    "memdb.salvage": 2,
    "memdb.mending": 3,
    "memdb.observer": 4,
    "memdb.keeper": 4,
    "memdb.nights": 4,
    "memdb.worker": 5,
    "memdb.upkeep": 5,
    "memdb.tidying": 5,
    "memdb.mirroring": 4,
    "memdb.accounts": 4,
    "memdb.linking": 4,
    "memdb.ranking": 4,
    "memdb.bulk": 4,
    "memdb.notebook": 5,
    "memdb.page": 5,
    "memdb.intake": 5,
    "memdb.deciding": 5,
    "memdb.tiers": 5,
    "memdb.maintenance": 6,
    "memdb.stating": 6,
    "memdb.forgetting": 6,
    "memdb.background": 6,
    "memdb.answering": 6,
    "memdb.session": 7,
    "memdb.collections": 8,
    "memdb.memory": 8,
    "memdb.opening": 9,
    "memdb": 9,
    "memdb.__main__": 11,
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path) for path in MODULES}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path: Path) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            named = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if node.module == "memdb" or name in NAMES else node.module for name in named}
    return frozenset(found)


def layer(module: str) -> int:
    if module.startswith("memdb.interfaces"):
        return 10
    if module in CHAINS:
        return CHAINS[module]
    if module.startswith("memdb.steps"):
        return 2
    return 1 if module in DOORS else 0


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_from_below(path: Path) -> None:
    own = name_of(path)
    for imported in imports_of(path) & NAMES:
        if own not in ("memdb", imported) and not own.startswith("memdb.interfaces"):
            assert layer(imported) < layer(own) or (layer(own) in (0, 1) and layer(imported) <= layer(own)), f"{own} imports {imported}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    TopologicalSorter({name_of(path): imports_of(path) & NAMES for path in MODULES}).prepare()


@pytest.mark.parametrize("path", sorted((PACKAGE / "steps").glob("*.py")), ids=name_of)
def test_steps_never_import_each_other(path: Path) -> None:
    assert not {name for name in imports_of(path) if name.startswith("memdb.steps")}


def test_only_the_store_and_its_connections_import_the_drivers() -> None:
    drivers = {"apsw", "sqlite_vec", "sqlite3"}
    assert {name_of(path) for path in MODULES if {name.partition(".")[0] for name in imports_of(path)} & drivers} == {
        "memdb.another_sqlite",
        "memdb.driver",
        "memdb.database",
        "memdb.erasing",
        "memdb.lean",
        "memdb.store",
        "memdb.tables",
    }


def test_the_first_line_of_each_module_says_in_a_sentence_what_it_is_for() -> None:
    first = {name_of(path): path.read_text(encoding="utf-8").partition("\n")[0] for path in MODULES}
    assert [name for name, line in first.items() if not (line.startswith('"""') and line.removesuffix('"""').endswith((".", '."')))] == []


@pytest.mark.parametrize("path", sorted((PACKAGE / "interfaces").rglob("*.py")), ids=name_of)
def test_interfaces_use_what_any_user_can_import(path: Path) -> None:
    inner = {name for name in imports_of(path) if name.startswith("memdb.") and layer(name) in range(1, 8)}
    assert not inner


def test_type_checkers_without_a_plugin_of_pydantic_s_know_what_may_be_left_out_of_a_record() -> None:
    calls = [(path.name, node) for path in PACKAGE.glob("*.py") for node in ast.walk(parsed(path))]
    fields = [(name, node) for name, node in calls if isinstance(node, ast.Call) and ast.unparse(node.func) == "Field"]
    assert len(fields) > 100
    assert [(name, node.lineno) for name, node in fields if node.args] == []  # only `default=` tells them
