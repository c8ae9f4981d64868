"""What is found of a day that is told by where it lies from today ("yesterday", "three days ago"), and of what was last or first.

    python bench/days.py

A diary of ten lines a day, each put together from a few words by a fixed seed, so that every line resembles many others of other days;
every tenth tells of the day before. It is asked on twenty days what happened, where each question means another day, and what somebody did
on the day before; and when somebody did something for the last or the first time, which stands there at least three times. A line is of
the day it was written on, and of that of which it tells. The sets differ in how they rank; the second leaves out the words of a row's days,
the third the place in time.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from whole import drained, whole

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
SETS = ("default", "default without the day's words", "default without position", "mem-skill", "vector-only", "lexical-only")


class Line(NamedTuple):
    """A line of the diary: when it was written, of which day it tells, of whom, what was done, and the whole."""

    written: datetime
    day: date
    who: str
    did: str
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
    often = Counter((line.who, line.did) for line in diary)
    repeated = [(today, chance.choice([deed for deed in often if of(deed, diary, today)[2:]])) for today, _ in asked]
    with (
        tempfile.TemporaryDirectory() as folder,
        memdb.open(Path(folder) / "mem.db", llm=None, config={"worker": False, "record_retrievals": False, "timezone": "UTC"}) as mem,
    ):
        usual = mem.weight_sets()["default"]
        mem.set_weights({SETS[1]: {**usual, "bm25_date": 0.0}, SETS[2]: {**usual, "position": 0.0}})
        mem.load([line.message() for line in diary], user_id="ana")
        drained(mem)

        def found(query: str, today: date, weights: str) -> list[Line]:
            now = f"{today}T18:30:00Z"
            hits = mem.search(query, user_id="ana", now=now, until=now, kinds=["message"], weights=weights)
            return [by_text[hit.fact.valid_from.replace(tzinfo=None), hit.fact.value_text] for hit in whole(mem, hits)]

        print(
            "| weight set | of the first ten, of that day | what one did that day: among three | the last time: first | the first: first |"
        )
        print("|---|---|---|---|---|")
        for name in SETS:
            of_day = among = last = first = 0
            for today, who in asked:
                for query, back in ASKED.items():
                    day = today - timedelta(days=back if isinstance(back, int) else (today.weekday() - WEEKDAYS[back] - 1) % 7 + 1)
                    of_day += sum(day in (line.written.date(), line.day) for line in found(query, today, name))
                before = today - timedelta(days=1)
                hits = found(f"What did {who} do yesterday?", today, name)[:WITHIN]
                among += any((line.day, line.who) == (before, who) for line in hits)
            for today, deed in repeated:
                days_of_it = [line.day for line in of(deed, diary, today)]
                last += is_of(found(f"When was the last time {' '.join(deed)}?", today, name)[0], deed, max(days_of_it))
                first += is_of(found(f"When was the first time {' '.join(deed)}?", today, name)[0], deed, min(days_of_it))
            shares = (of_day / (LINES * len(ASKED)), among, last, first)
            print(f"| {name} | " + " | ".join(f"{100 * share / TIMES:.0f}" for share in shares) + " |")
        print(f"\nPer cent of {TIMES * len(ASKED)} and {TIMES} questions; {len(diary):,} lines, by words and {mem.stats().embedder}.")


def of(deed: tuple[str, str], diary: list[Line], today: date) -> list[Line]:
    """The lines that tell of a deed, written before a day."""
    return [line for line in diary if (line.who, line.did) == deed and line.written.date() < today]


def is_of(line: Line, deed: tuple[str, str], day: date) -> bool:
    """Whether a line tells of a deed on a day."""
    return (line.who, line.did, line.day) == (*deed, day)


def write(day: date, hour: int, chance: random.Random) -> Line:
    """A line of the diary; every tenth tells of the day before."""
    who, did, what, how = (chance.choice(words) for words in (WHO, DID, WHAT, HOW))
    written, deed = datetime(day.year, day.month, day.day, 9 + hour), f"{did} {what}"
    if chance.random() < 0.1:
        return Line(written, day - timedelta(days=1), who, deed, f"Yesterday {who} {deed} {how}.")
    return Line(written, day, who, deed, f"{who} {deed} {how}.")


if __name__ == "__main__":
    main()
