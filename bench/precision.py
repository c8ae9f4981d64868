"""How little else is told than what was asked for: the beliefs of PrecisionMemBench, of which each question tells which are to be found.

    python bench/precision.py --data precisionMemBench/fixtures

The set (github.com/tenurehq/precisionMemBench) has some thirty short beliefs of one user's work and novel, each with names for its matter,
and questions to which a few of them belong, one or none. A belief is a fact whose tags are its scope and its names; what is superseded or
resolved has ended, and what is undecided is a task. What is pinned is told beside what is found, and does not count. Precision is the share
of what is told that is to be told, and 0 where nothing is; a question is passed where exactly what is to be told is told.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import memdb

USER = "test-user"
NOW = "2026-10-08T09:00:00Z"
MOST = 20  # beliefs in an answer, unless a question says otherwise
LEAST = 2.0
FACTS = "Relevant Facts"
Belief = dict[str, Any]
Ask = Callable[[str, Sequence[str], str], list[str]]


def told(path: Path, embedder: str | None, beliefs: Sequence[Belief]) -> tuple[memdb.Memory, dict[str, str]]:
    """A memory of the beliefs, and which of them each fact is."""
    mem = memdb.open(path, embedder=embedder, llm=None, config={"worker": False, "record_retrievals": False, "sensitive_topics": "keep"})
    names = {}
    for belief in beliefs:
        name = belief["canonical_name"]
        fact = mem.remember(
            belief["content"],
            user_id=belief["user_id"],
            key=f"work.{name}",
            kind="task" if belief["type"] == "open_question" else "fact",
            object=belief["content"],
            tags=[*belief["scope"], name.replace("_", " "), *belief["aliases"]],
            confidence=belief["confidence"],
            timestamp=belief["created_at"],
        )
        names[fact.fact_id] = belief["_id"]
        if belief["superseded_by"]:
            mem.end(fact.fact_id, valid_to=belief["updated_at"])
        if belief["resolved_at"]:
            mem.task(fact.fact_id, "done")
    mem.drain()
    return mem, names


def ways(mem: memdb.Memory, names: dict[str, str]) -> dict[str, Ask]:
    """How a memory may be asked: of whom, within which scopes, and what."""

    def searched(user: str, scope: Sequence[str], query: str, least: float | None = None) -> list[str]:
        hits = mem.search(query, user_id=user, kinds=["fact"], tags=scope, limit=MOST, min_score=least, now=NOW)
        return [names[hit.fact.fact_id] for hit in hits]

    def prompted(user: str, scope: Sequence[str], query: str, least: float | None = None) -> list[str]:
        made = mem.context(query, user_id=user, kinds=["fact"], tags=scope, min_score=least, now=NOW)
        return [names[item.fact_id] for item in made.items if item.section == FACTS]

    return {
        "search": searched,
        f"search, min_score={LEAST:g}": partial(searched, least=LEAST),
        "context": prompted,
        f"context, min_score={LEAST:g}": partial(prompted, least=LEAST),
    }


def relevant(case: dict[str, Any], ask: Ask, known: dict[str, Belief]) -> list[str]:
    """What is told of a question beside what is pinned: what is found, and what a relation among that is between."""
    user, scope = case.get("userId", USER), case["scope"]
    within = {name: one for name, one in known.items() if one["user_id"] == user and set(one["scope"]) & set(scope)}
    asks = case["query"].strip()
    most = case.get("budget", {}).get("maxBeliefs", MOST)
    pinned = [
        name
        for name, one in within.items()
        if one["pinned"] and one["type"] != "open_question" and not one["superseded_by"] and not one["resolved_at"]
    ]
    found = [name for name in ask(user, scope, asks)[:most] if name not in pinned] if asks and most else []
    between = (name for one in found for name in known[one].get("participants", ()))
    parts = [name for name in between if name in within and name not in pinned and known[name]["type"] != "open_question"]
    return list(dict.fromkeys([*found, *parts]))[: max(0, most - len(pinned))]


def row(cases: Sequence[dict[str, Any]], ask: Ask, known: dict[str, Belief]) -> str:
    """Precision, recall and passes of one way to ask."""
    precision, recall, passed, active = [], [], 0, 0
    for case in cases:
        wanted = case["expect"].get("relevantBeliefs", {})
        only, never = wanted.get("shouldOnlyInclude"), set(wanted.get("mustExclude", ()))
        got, right = relevant(case, ask, known), set(only or ())
        if got or right:
            precision.append(len(right.intersection(got)) / len(got) if got else 0.0)
        if right:
            recall.append(len(right.intersection(got)) / len(right))
        is_passed = not never.intersection(got) and (only is None or set(got) == right)
        passed += is_passed
        active += is_passed and bool(right)
    return f"{statistics.fmean(precision):.2f} | {statistics.fmean(recall):.2f} | {active} of {len(recall)} | {passed} of {len(cases)}"


def main() -> None:
    """Remember the beliefs, ask in every way, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder with beliefs.seed.json and retrieval.cases.json")
    data = parser.parse_args().data
    beliefs, cases = (json.loads((data / name).read_text(encoding="utf-8")) for name in ("beliefs.seed.json", "retrieval.cases.json"))
    known = {one["_id"]: one for one in beliefs}
    print("| | | precision | recall | something to tell: passed | all: passed |\n|---|---|---|---|---|---|")
    for name, embedder in (("with MiniLM", "all-MiniLM-L6-v2"), ("words alone", None)):
        with tempfile.TemporaryDirectory() as folder:
            mem, names = told(Path(folder) / "mem.db", embedder, beliefs)
            with mem:
                for way, ask in ways(mem, names).items():
                    print(f"| {name} | {way} | {row(cases, ask, known)} |")


if __name__ == "__main__":
    main()
