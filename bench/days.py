"""What is found of a day that is told by where it lies from today: "yesterday", "last Saturday", "three days ago".

    python bench/days.py

A diary of ten lines a day, each put together from a few words by a fixed seed, so that every line resembles many others of other days;
every tenth tells of the day before. It is asked on twenty days what happened, where each question means another day, and what somebody did
on the day before. A line is of the day it was written on, and of that of which it tells. The sets differ in how they rank; the second
leaves out the words of a row's days.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import memdb

WHO = ["I", "My sister", "Marta", "Rui", "My boss", "Our neighbour", "Inês", "My uncle", "Pedro", "The plumber"]
DID = ["bought", "fixed", "visited", "painted", "cleaned", "looked at", "photographed", "sold", "found", "talked about"]
WHAT = ["a lamp", "the sink", "the castle", "the fence", "an old radio", "the car", "the garage", "a coin", "the garden", "the roof"]
HOW = ["with friends", "before lunch", "after work", "in the rain", "at the market", "near the river", "in a hurry", "at last"]
ASKED: dict[str, int | str] = {  # how many days before today each means, or the last of which weekday
    "What happened yesterday?": 1,
    "What did I tell you yesterday?": 1,
    "Where did we go three days ago?": 3,
    "What happened last Saturday?": "saturday",
    "What did we do on Monday?": "monday",
    "What did I do the day before yesterday?": 2,
}
WEEKDAYS = {"monday": 0, "saturday": 5}
LINES, TIMES, WITHIN = 10, 20, 3
SETS = ("default", "default without the day's words", "mem-skill", "vector-only", "lexical-only")


class Line(NamedTuple):
    """A line of the diary: when it was written, of which day it tells, of whom, and what."""

    written: datetime
    day: date
    who: str
    text: str

    def message(self) -> dict[str, object]:
        """The line as it is loaded."""
        return {"text": self.text, "timestamp": f"{self.written.isoformat()}Z", "session_id": str(self.written.date())}


def main() -> None:
    """Write the diary, ask everything, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=400, help="how many days the diary has")
    arguments = parser.parse_args()
    chance = random.Random(0)
    days = [date(2024, 1, 1) + timedelta(days=day) for day in range(arguments.days)]
    diary = [write(day, hour, chance) for day in days for hour in range(LINES)]
    by_text: dict[tuple[datetime, str], Line] = {(line.written, line.text): line for line in diary}
    asked = [  # on a day, of what somebody did on the day before
        (day + timedelta(days=1), chance.choice([line.who for line in diary if line.day == day and line.who != "I"]))
        for day in chance.sample(days[20:-1], TIMES)
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        memdb.open(Path(folder) / "mem.db", llm=None, config={"worker": False, "record_retrievals": False, "timezone": "UTC"}) as mem,
    ):
        mem.set_weights({SETS[1]: {**mem.weight_sets()["default"], "bm25_date": 0.0}})
        mem.load([line.message() for line in diary], user_id="ana")
        mem.drain()

        def found(query: str, today: date, weights: str) -> list[Line]:
            now = f"{today}T18:30:00Z"
            hits = mem.search(query, user_id="ana", now=now, until=now, kinds=["message"], weights=weights)
            return [by_text[hit.fact.valid_from.replace(tzinfo=None), hit.fact.value_text] for hit in hits]

        print("| weight set | of the first ten, of that day | what one did that day: among three |")
        print("|---|---|---|")
        for name in SETS:
            of_day, among = 0, 0
            for today, who in asked:
                for query, back in ASKED.items():
                    day = today - timedelta(days=back if isinstance(back, int) else (today.weekday() - WEEKDAYS[back] - 1) % 7 + 1)
                    of_day += sum(day in (line.written.date(), line.day) for line in found(query, today, name))
                before = today - timedelta(days=1)
                hits = found(f"What did {who} do yesterday?", today, name)[:WITHIN]
                among += any((line.day, line.who) == (before, who) for line in hits)
            print(f"| {name} | {100 * of_day / (LINES * TIMES * len(ASKED)):.0f} | {100 * among / TIMES:.0f} |")
        print(f"\nPer cent of {TIMES * len(ASKED)} and {TIMES} questions; {len(diary):,} lines, by words and {mem.stats().embedder}.")


def write(day: date, hour: int, chance: random.Random) -> Line:
    """A line of the diary; every tenth tells of the day before."""
    who, *rest = (chance.choice(words) for words in (WHO, DID, WHAT, HOW))
    written = datetime(day.year, day.month, day.day, 9 + hour)
    if chance.random() < 0.1:
        return Line(written, day - timedelta(days=1), who, f"Yesterday {' '.join((who, *rest))}.")
    return Line(written, day, who, f"{' '.join((who, *rest))}.")


if __name__ == "__main__":
    main()
