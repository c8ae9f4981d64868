"""How much smaller a memory becomes by first-person memories, and how much of the evidence is still found.

    python bench/compression.py --data locomo10.json

Two sources: conversations in LoCoMo's format, every message an event, and a made-up household's month. `before` keeps one memory for each
event; the others gather events into segments and consolidate what repeats itself; nothing is left to fade, but in the rows that say so. A
question is answered when one of the first ten memories holds an event that is its evidence: `linked` counts every event that the memory
was made of, `told` only those whose words stand in the memory itself. `words read` are those of ten memories, for one question; `as many
words` counts only the first memories, told, that together have no more words than ten of `before` have on average.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import memdb
from memdb import Hit, Memory
from memdb.conversations import evidence_of, read_conversation
from memdb.embed import Embedder, choose_embedder
from memdb.interfaces.household import household_events, household_questions, read_household

EVERYTHING: Mapping[str, object] = {"worker": False, "record_retrievals": False, "archive_threshold": 0.0}
Ways = Mapping[str, Mapping[str, object]]
SETTINGS: Ways = {
    "before": {"max_events_per_segment": 1, "generation_cooldown_seconds": 0},  # and never maintained
    "at most 4 events each": {"max_events_per_segment": 4, "generation_cooldown_seconds": 0},
    "at most 8 events each": {"max_events_per_segment": 8, "generation_cooldown_seconds": 0},
    "the defaults": {},
    "the defaults and fading": {"archive_threshold": 0.10},
}
_BEGINS = 60  # characters of an event's words that show that they stand in a memory


@dataclass(frozen=True)
class Question:
    """A question, whose memory it is asked of, and the events that answer it."""

    user: str
    ask: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Row:
    """What one way of remembering reached, for one user or, where `user` is empty, for all."""

    name: str
    weights: str
    user: str
    rows: int
    questions: int
    linked: float
    told: float
    as_many_words: float
    words: float
    seconds: float


@dataclass(frozen=True)
class Asked:
    """What came of one question: whether each memory found holds evidence, by link and by its words, and how many words it has."""

    user: str
    linked: tuple[bool, ...]
    told: tuple[bool, ...]
    words: tuple[int, ...]


def main() -> None:
    """Remember both sources in every way, ask, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="conversations in LoCoMo's format; without it, the household alone")
    parser.add_argument("--weights", default="first-person,default", help="weight sets, separated by commas")
    parser.add_argument("--ways", default=",".join(SETTINGS), help="ways of remembering, separated by commas; the first is compared with")
    parser.add_argument("--no-household", action="store_true", help="the conversations alone")
    parser.add_argument("--embedder", default="auto", help="auto, or an embedder's name, such as hashing-384")
    arguments = parser.parse_args()
    sets = arguments.weights.split(",")
    ways = {name.strip(): SETTINGS[name.strip()] for name in arguments.ways.split(",")}
    embedder = Remembering(choose_embedder(arguments.embedder, remembered=None))
    print(f"by words and {embedder.name}", file=sys.stderr)
    if arguments.data:
        show("Conversations", list(conversations(arguments.data, ways, sets, embedder)))
    if not arguments.no_household:
        show("A household's month", list(household(ways, sets, embedder)))


def show(title: str, rows: Sequence[Row]) -> None:
    """Print a table for each weight set, and one more for each user where there are several."""
    users = list(dict.fromkeys(row.user for row in rows))
    for weights in dict.fromkeys(row.weights for row in rows):
        for user in users if len(users) > 2 else [""]:
            chosen = [row for row in rows if row.weights == weights and row.user == user]
            whose = f", {user}" if user else ""
            print(f"\n### {title}, weight set {weights}{whose}: {chosen[0].questions} questions\n\n{table(chosen)}", flush=True)


class Remembering:
    """An embedder that embeds no text twice: the same questions are asked of every memory."""

    def __init__(self, embedder: Embedder | None) -> None:
        if embedder is None:
            raise SystemExit("There is no embedder to measure with.")
        self.embedder, self.name, self.dimension = embedder, embedder.name, embedder.dimension
        self.known: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed the texts that are new."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        if new:
            self.known.update(zip(new, self.embedder.embed(new), strict=True))
        return np.array([self.known[text] for text in texts])


def conversations(data: Path, ways: Ways, sets: Sequence[str], embedder: Remembering) -> Iterator[Row]:
    """Remember every conversation as its own user's."""
    found = read_conversation(data)
    samples = {sample["sample_id"]: sample["qa"] for sample in json.loads(data.read_text(encoding="utf-8"))}
    questions = [
        Question(user, question["question"], frozenset(f"turn-{turn}" for turn in evidence_of(question.get("evidence"))))
        for user, listed in samples.items()
        for question in listed
        if int(question["category"]) != 5 and evidence_of(question.get("evidence"))
    ]
    budget: dict[str, float] = {}
    for name, settings in ways.items():
        with opened({**EVERYTHING, **settings}, embedder) as (mem, started):
            ends: dict[str, datetime] = {}
            for conversation in found:
                user = str(conversation.user_id)
                for turn in conversation.turns:  # as the setting turns_as_events does it, without keeping the messages beside
                    assert isinstance(turn.timestamp, datetime)
                    said = f"{turn.speaker} said: {' '.join(turn.text.split())}"
                    who = [str(turn.speaker)]
                    mem.event(said, user_id=user, timestamp=turn.timestamp, participants=who, event_id=f"turn-{turn.turn_id}")
                    ends[user] = turn.timestamp
            end = max(ends.values()).replace(tzinfo=UTC) + timedelta(days=1)
            yield from measured(name, mem, questions, end=end, sets=sets, budget=budget, started=started)


def household(ways: Ways, sets: Sequence[str], embedder: Remembering) -> Iterator[Row]:
    """Remember a month of the household that ships with memdb."""
    house = read_household()
    events = list(household_events(house, first=date(2025, 3, 3), days=28))
    questions = [Question("silva", one.ask, one.event_ids) for one in household_questions(house, events)]
    budget: dict[str, float] = {}
    for name, settings in ways.items():
        with opened({**EVERYTHING, **settings, "timezone": house.timezone}, embedder) as (mem, started):
            for event in events:
                mem.event(**{field: value for field, value in event.model_dump().items() if field != "turn_id"})
            yield from measured(name, mem, questions, end=datetime(2025, 3, 31, 12, tzinfo=UTC), sets=sets, budget=budget, started=started)


class opened:
    """A new memory in a folder of its own, and when it was opened."""

    def __init__(self, config: Mapping[str, object], embedder: Remembering) -> None:
        self.config, self.embedder = config, embedder

    def __enter__(self) -> tuple[Memory, float]:
        self.folder = tempfile.TemporaryDirectory()
        self.memory = memdb.open(Path(self.folder.name) / "mem.db", llm=None, config=self.config, embedder=self.embedder)
        return self.memory, time.perf_counter()

    def __exit__(self, *_error: object) -> None:
        self.memory.close()
        self.folder.cleanup()


def measured(
    name: str, mem: Memory, questions: Sequence[Question], *, end: datetime, sets: Sequence[str], budget: dict[str, float], started: float
) -> Iterator[Row]:
    """Tell and, but for `before`, consolidate; ask every question by every weight set, and count."""
    mem.narrate(now=end)
    if name != "before":
        mem.maintain(now=end)
    seconds = time.perf_counter() - started
    if not mem.drain():
        raise SystemExit("Not every vector could be made.")
    users = sorted({question.user for question in questions})
    rows = {user: len(mem.facts(user, kinds=["narrative"], now=end)) for user in users}
    known: dict[str, dict[str, str]] = {}
    for weights in sets:
        asked = []
        for question in questions:
            hits = mem.search(question.ask, user_id=question.user, kinds=["narrative"], limit=10, weights=weights, now=end)
            for hit in hits:
                if hit.fact.fact_id not in known:
                    known[hit.fact.fact_id] = {event.event_id: event.description for event in mem.sources(hit.fact.fact_id).events}
            linked = tuple(bool(question.evidence & known[hit.fact.fact_id].keys()) for hit in hits)
            told = tuple(_tells(hit, known[hit.fact.fact_id], question.evidence) for hit in hits)
            asked.append(Asked(question.user, linked, told, tuple(len(hit.fact.value_text.split()) for hit in hits)))
        budget.setdefault(weights, statistics.fmean(sum(one.words) for one in asked))
        for user in ["", *users]:
            chosen = [one for one in asked if user in ("", one.user)]
            yield Row(
                name,
                weights,
                user,
                rows[user] if user else sum(rows.values()),
                len(chosen),
                100 * statistics.fmean(any(one.linked) for one in chosen),
                100 * statistics.fmean(any(one.told) for one in chosen),
                100 * statistics.fmean(any(one.told[: _fitting(one.words, budget[weights])]) for one in chosen),
                statistics.fmean(sum(one.words) for one in chosen),
                seconds,
            )


def _fitting(words: Sequence[int], budget: float) -> int:
    """How many of the first memories have no more words than the budget."""
    return sum(total <= budget for total in accumulate(words))


def _tells(hit: Hit, events: Mapping[str, str], evidence: frozenset[str]) -> bool:
    """Whether the words of an event that is evidence stand in a memory; its subject may be said by the part before."""
    text = _words_of(hit.fact.value_text)
    for event_id in evidence & events.keys():
        whole = _words_of(events[event_id])
        if whole[:_BEGINS] in text or whole.partition(" ")[2][:_BEGINS] in text:
            return True
    return False


def _words_of(text: str) -> str:
    """The words alone: a memory puts what was said into quotation marks."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown, each beside the first."""
    lines = [
        "| | rows | fewer | any@10, linked | of before | any@10, told | of before | words read | as many words | of before | seconds |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    first = rows[0]
    for row in rows:
        lines.append(
            f"| {row.name} | {row.rows} | {_times(first.rows, row.rows)} | {row.linked:.1f} | {_share(row.linked, first.linked)} "
            f"| {row.told:.1f} | {_share(row.told, first.told)} | {row.words:.0f} "
            f"| {row.as_many_words:.1f} | {_share(row.as_many_words, first.as_many_words)} | {row.seconds:.0f} |"
        )
    return "\n".join(lines)


def _times(before: int, after: int) -> str:
    return f"{before / after:.1f}×" if after else "all"


def _share(after: float, before: float) -> str:
    return f"{100 * after / before:.0f} %" if before else "–"


if __name__ == "__main__":
    main()
