"""What a memory makes of what it is told over weeks: it learns, keeps up to date, doubts, knows the past, uses notes, promotes what recurs.

    python bench/learning.py

Made-up people, each with a conversation of 60 days in which most turns say nothing of use; what was said is known, so that every answer
can be checked. Rules read the turns. The same people are told to a memory that searches by meaning, too, and to one of words only.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import memdb

CITIES = ("Porto", "Lisbon", "Faro", "Braga", "Turin", "Oslo", "Lyon", "Graz", "Cork", "Ghent")
FIRMS = ("Acme", "Initech", "Globex", "Umbrella", "Hooli", "Soylent")
NAMES = ("Rita", "Nora", "Ines", "Clara", "Vera", "Lucia", "Paula", "Emma")
CARS = ("Fiat", "Volvo", "Skoda", "Toyota", "Seat", "Honda")
FILLERS = (
    "What a day, it rained from morning to night.", "Can you give me a recipe with lentils?", "The train was late again.",
    "Thanks, that helped.", "How do I get red wine out of a shirt?", "I slept badly.", "Tell me a joke, please.", "The news is grim today.",
    "Which film should we watch?", "My phone battery died on the way.", "Explain inflation to me in two sentences.", "Good morning!",
)  # fmt: skip
NOTE = "Calms down when the answer includes a short story"
START = datetime.fromisoformat("2025-01-01T09:00:00+00:00")
END = START + timedelta(days=61)
MEASURES = {
    "learned": "told once among small talk: among the first ten hits seven weeks later",
    "used": "and it stands in the prompt",
    "updated": "a stated move: the old home closed, the new one believed",
    "current": "and the prompt says the new home, not the old one",
    "kept": "a bare contradiction of what was confirmed: the belief was not overwritten",
    "clarified": "and the user is asked which is right",
    "resolved": "once the user has said so, the right one is believed",
    "past": "what was true then, by `as_of`",
    "before": "“Where did I live before I moved?” finds the old home among three hits",
    "strategy": "a note on how to answer stands in the prompt where it matters",
    "promoted": "said on four days: promoted into the profile, and nothing else is",
}


def turns(chance: random.Random) -> tuple[list[tuple[int, str]], dict[str, str]]:
    """What one person says, as (day, words), and what is true of them."""
    home, moved = chance.sample(CITIES, 2)
    told = {"home": home, "moved": moved, "firm": chance.choice(FIRMS), "sister": chance.choice(NAMES)}
    told["car"] = chance.choice(CARS)
    said = [(day, chance.choice(FILLERS)) for day in range(60) for _ in range(chance.randint(1, 3))]
    said += [(1, f"I live in {home}."), (8, f"My sister is called {told['sister']}."), (30, f"I moved to {moved} last week.")]
    said += [(day, f"I work at {told['firm']}.") for day in (2, 3, 4)]
    said += [(day, f"I drive a {told['car']}.") for day in (10, 20, 25, 40)]
    said += [(50, f"I work at {chance.choice([one for one in FIRMS if one != told['firm']])}.")]
    return sorted(said, key=lambda one: one[0]), told


def live(mem: memdb.Memory, user: str, chance: random.Random, times: list[float], tokens: list[int]) -> dict[str, bool]:
    """Tell one person's weeks, and check what is remembered."""
    said, told = turns(chance)
    texts = [{"text": text, "timestamp": (START + timedelta(days=day, minutes=n)).isoformat()} for n, (day, text) in enumerate(said)]
    mem.load(texts, user_id=user)
    assert mem.drain(600)

    def prompt(question: str) -> memdb.Context:
        started = time.perf_counter()
        made = mem.context(question, user_id=user, now=END)
        times.append((time.perf_counter() - started) * 1000)
        tokens.append(made.tokens)
        return made

    def held(key: str, at: datetime | None = None) -> list[str]:
        return [fact.object for fact in mem.facts(user, key=key, statuses=["active"], as_of=at, now=END)]

    hits = mem.search("What is my sister's name?", user_id=user, limit=10, now=END)
    homes = mem.facts(user, key="user.lives_in", statuses=["active", "superseded"], now=END)
    at_home = prompt("In which city do I live now?").text
    firm = held("user.works_at")
    asked = prompt("Where do I work?").question or ""
    before = mem.search("Where did I live before I moved?", user_id=user, limit=3, now=END)
    checked = {
        "learned": any(told["sister"] in hit.fact.value_text for hit in hits),
        "used": told["sister"] in prompt("What is my sister's name?").text,
        "updated": [(one.object, one.status) for one in homes if one.status == "active"] == [(told["moved"], "active")]
        and all(one.valid_to is not None for one in homes if one.object == told["home"]),
        "current": f"lives in {told['moved']}" in at_home and f"lives in {told['home']}" not in at_home,
        "kept": firm == [told["firm"]],
        "clarified": told["firm"] in asked,
        "past": [one.object for one in mem.facts(user, key="user.lives_in", as_of=START + timedelta(days=10))] == [told["home"]],
        "before": any(told["home"] in hit.fact.value_text for hit in before),
    }
    waiting = mem.facts(user, key="user.works_at", statuses=["pending_confirmation"], now=END)
    if waiting:
        mem.confirm(waiting[0].fact_id, now=END)
    checked["resolved"] = bool(waiting) and held("user.works_at") == [waiting[0].object]
    mem.write([{"kind": "note", "text": NOTE, "confidence": 0.75}], user_id=user, timestamp=END.isoformat())
    assert mem.drain(60)
    checked["strategy"] = NOTE in prompt("I'm upset, calm me down, please.").text
    mem.maintain(user_id=user, now=END)
    checked["promoted"] = [fact.object for fact in mem.facts(user, now=END) if "promoted" in fact.tags] == [told["car"]]
    return checked


def run(folder: Path, people: int, embedder: str | None, seed: int) -> dict[str, float]:
    """The share of people for whom each measure holds, and what it cost."""
    checks: dict[str, list[bool]] = defaultdict(list)
    times: list[float] = []
    tokens: list[int] = []
    path = folder / f"{embedder or 'words'}.db"
    with memdb.open(path, embedder=embedder, llm=None, config={"worker": False}) as mem:
        for number in range(people):
            for name, right in live(mem, f"user{number}", random.Random(f"{seed} {number}"), times, tokens).items():
                checks[name].append(right)
    ordered = sorted(times)
    return {name: statistics.fmean(checks[name]) * 100 for name in MEASURES} | {
        "tokens": statistics.fmean(tokens),
        "p95": ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))],
        "kb": path.stat().st_size / people / 1024,
    }


def table(report: dict[str, dict[str, float]]) -> str:
    """The report as Markdown."""
    lines = ["| | " + " | ".join(report) + " |", "|---" * (len(report) + 1) + "|"]
    rows: Sequence[tuple[str, str, int]] = [
        *((name, text, 0) for name, text in MEASURES.items()),
        ("tokens", "tokens of a prompt, mean", 0),
        ("p95", "context, p95 ms", 1),
        ("kb", "KiB a person in the file", 0),
    ]
    for name, text, digits in rows:
        lines.append(f"| {text} | " + " | ".join(f"{one[name]:.{digits}f}" for one in report.values()) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        report = {
            name: run(Path(scratch), arguments.people, embedder, arguments.seed)
            for name, embedder in (("MiniLM", "all-MiniLM-L6-v2"), ("words only", None))
        }
    print(json.dumps(report, indent=1) if arguments.json else table(report))


if __name__ == "__main__":
    main()
