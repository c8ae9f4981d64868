"""What is found again of months of chats between a user and an assistant, by what kind of thing was asked for, and in four languages.

    python bench/chats.py
    python bench/chats.py --only maya,tom
    python bench/chats.py --chats bench/chats/abroad --weights "lexical-only,vector-only,mem-skill,default as written,default"
    python bench/chats.py --asked-before 3 --weights "default without echo,default"

Each person of `chats/` has some forty conversations, a line a turn, and asks weeks later: for what was said in passing, for what the
assistant told, for something new where tastes and circumstances matter, for what stands in several conversations, for what is so now, and
for what needs dates. Made up, by writers who did not know how memdb works, and were to ask in other words than the answer has. Four write
in English, jonas in German, claire in French, lucia in Spanish. Weights were fitted to nobody but those of `LOOKED_AT`; rules were
mended by what any of them says.
With `--asked-before`, they asked all of it in the days before, word for word, and the assistant knew no answer.

Those of `chats/abroad/` have half as many conversations, in Dutch, French, German, Italian, Polish, Portuguese, Russian, Swedish, Turkish
and Ukrainian. In `default as written` no other form of a word is sought than that of the question.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from recall import Scores, interval, mean
from whole import drained, whole

import memdb
from memdb import asked as search
from memdb.metrics import MEASURES, judge
from memdb.unspaced import beginning, quoted

FOLDER = Path(__file__).parent / "chats"
LOOKED_AT = ("maya", "walter", "jonas", "claire")
KINDS = {
    "user": "said in passing",
    "assistant": "told by the assistant",
    "preference": "what suits the user",
    "several": "in several conversations",
    "update": "what is so now",
    "time": "by dates",
}
ENDING = ".questions.txt"
UNKNOWN = (
    "I'm sorry, I can't tell you that.",
    "I don't know, I'm afraid.",
    "You haven't told me that yet.",
    "Hmm, nothing about that comes to mind.",
)
SETS = "lexical-only,vector-only,mem-skill,default"
NO_ECHO = "default without echo"
AS_WRITTEN = "default as written"


class Asked(NamedTuple):
    """A question: its kind, the day it is asked on, the turns that hold the answer, and the answer."""

    kind: str
    day: str
    question: str
    evidence: tuple[str, ...]
    answer: str


class Person(NamedTuple):
    """The messages of a user and an assistant, and what the user asks later."""

    name: str
    messages: list[dict[str, object]]
    asked: list[Asked]


def main() -> None:
    """Load everybody, ask, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chats", type=Path, default=FOLDER, help="the folder with NAME.txt and NAME.questions.txt")
    parser.add_argument("--only", help="these people, separated by commas")
    parser.add_argument("--weights", default=SETS, help="weight sets, separated by commas")
    parser.add_argument("--asked-before", type=int, default=0, metavar="TIMES", help="so often was everything asked before, in vain")
    parser.add_argument("--misses", action="store_true", help="also print the questions of which `default` misses evidence among ten")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    everybody = sorted(path.name.removesuffix(ENDING) for path in arguments.chats.glob(f"*{ENDING}"))
    chosen = arguments.only.split(",") if arguments.only else everybody
    people = [read(arguments.chats, name) for name in chosen]
    sets = arguments.weights.split(",")
    results: dict[str, dict[str, list[tuple[str, Scores]]]] = {name: {} for name in sets}
    with (
        tempfile.TemporaryDirectory() as folder,
        memdb.open(Path(folder) / "mem.db", llm=None, config={"worker": False, "record_retrievals": False}) as mem,
    ):
        for person in people:
            mem.load(person.messages, user_id=person.name)
            for time in range(arguments.asked_before, 0, -1):
                mem.load(in_vain(person, time), user_id=person.name)
        drained(mem)
        shipped = mem.weight_sets()["default"]
        mem.set_weights({NO_ECHO: {**shipped, "echo": 0.0}, AS_WRITTEN: shipped})
        for person in people:
            said = {str(message["turn_id"]): str(message["content"]) for message in person.messages}
            for asked in person.asked:
                for name in sets:
                    with patch.object(search, "beginning", quoted if name == AS_WRITTEN else beginning):
                        hits = mem.search(
                            asked.question, user_id=person.name, kinds=["message"], limit=20, weights=name, now=f"{asked.day}T12:00:00Z"
                        )
                    found = [hit.fact.source_turn_id or "" for hit in whole(mem, hits)]
                    if asked.evidence:
                        scores = judge(found, asked.evidence)
                        results[name].setdefault(person.name, []).append((asked.kind, scores))
                        if arguments.misses and name == "default" and scores["rec@10"] < 1.0:
                            print(missed(asked, found, said))
        embedder = mem.stats().embedder
    if arguments.json:
        print(json.dumps({name: {kind: summary(of(by, kind)) for kind in KINDS} for name, by in results.items()}, indent=1))
    else:
        print(tables(results))
        print(f"\n{sum(len(one.messages) for one in people):,} messages of {len(people)} people, by words and {embedder}.")


def read(folder: Path, name: str) -> Person:
    """Read what a person said and asks."""
    messages: list[dict[str, object]] = []
    session = ""
    for line in filter(None, (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()):
        if line.startswith("= "):
            session, day = (part.strip() for part in line[2:].split("|"))
            minute = 0
            continue
        turn, said = line.split(" ", 1)
        role, content = said.split(": ", 1)
        at = f"{day.replace(' ', 'T')}:{minute:02}Z"
        minute += 5
        messages.append({"role": role, "content": content, "timestamp": at, "session_id": session, "turn_id": turn})
    asked = []
    for line in filter(None, (folder / f"{name}{ENDING}").read_text(encoding="utf-8").splitlines()):
        kind, day, question, evidence, answer = (part.strip() for part in line.split("|"))
        asked.append(Asked(kind, day, question, tuple(filter(None, (one.strip() for one in evidence.split(",")))), answer))
    return Person(name, messages, asked)


def in_vain(person: Person, days: int) -> list[dict[str, object]]:
    """All that a person asks, as it was asked so many days before."""
    messages: list[dict[str, object]] = []
    for place, asked in enumerate(person.asked):
        day, turn = date.fromisoformat(asked.day) - timedelta(days=days), f"asked {days} {place}"
        told = {"timestamp": f"{day}T{8 + place // 6:02}:{place % 6 * 10:02}:00Z", "session_id": turn}
        messages.append({**told, "role": "user", "content": asked.question, "turn_id": f"{turn} u"})
        messages.append({**told, "role": "assistant", "content": UNKNOWN[(place + days) % len(UNKNOWN)], "turn_id": f"{turn} a"})
    return messages


def of(by_person: dict[str, list[tuple[str, Scores]]], kind: str | None = None) -> list[Scores]:
    """The scores of all people, of one kind of question."""
    return [scores for one in by_person.values() for its_kind, scores in one if kind in (None, its_kind)]


def summary(scores: Sequence[Scores]) -> dict[str, float]:
    """The mean of each measure, in per cent."""
    return {measure: round(mean(scores, measure), 1) for measure in MEASURES} | {"questions": len(scores)}


def tables(results: dict[str, dict[str, list[tuple[str, Scores]]]]) -> str:
    """The results as Markdown: all questions, then each kind and each person."""
    lines = ["| weight set | " + " | ".join(MEASURES) + " |", "|---" * (len(MEASURES) + 1) + "|"]
    lines += [f"| {name} | " + " | ".join(f"{mean(of(by), measure):.1f}" for measure in MEASURES) + " |" for name, by in results.items()]
    lines += ["", "| rec@10 (95 %) | " + " | ".join(KINDS.values()) + " | all |", "|---" * (len(KINDS) + 2) + "|"]
    for name, by in results.items():
        low, high = interval([[scores for _, scores in one] for one in by.values()], "rec@10")
        cells = [f"{mean(of(by, kind), 'rec@10'):.1f}" for kind in KINDS]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {mean(of(by), 'rec@10'):.1f} ({low:.1f}–{high:.1f}) |")
    names = list(next(iter(results.values())))
    lines += ["", "| rec@10 | " + " | ".join(name if name in LOOKED_AT else f"{name}, kept aside" for name in names) + " |"]
    lines.append("|---" * (len(names) + 1) + "|")
    for name, by in results.items():
        lines.append(f"| {name} | " + " | ".join(f"{mean([scores for _, scores in by[who]], 'rec@10'):.1f}" for who in names) + " |")
    return "\n".join(lines)


def missed(asked: Asked, found: Sequence[str], said: dict[str, str]) -> str:
    """A question, where its evidence stands, and what stands first."""
    lines = [f"\n[{asked.kind}] {asked.question} ({asked.day})"]
    lines += [f"   {found.index(turn) + 1 if turn in found else '–':>3} {turn}: {said.get(turn, '?')}" for turn in asked.evidence]
    lines += [f"     > {turn}: {said[turn][:160]}" for turn in found[:5]]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
