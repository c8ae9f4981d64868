"""What is found of a day that is told by where it lies from today: "yesterday", "last Saturday", "three days ago".

    python bench/days.py

A diary of ten lines a day, each put together from a few words by a fixed seed, so that every line resembles many others of other days;
every tenth speaks of yesterday or of last Saturday itself. It is asked on twenty days what happened, where each question means another day,
and what somebody of that day did. The sets differ in how they rank; the second leaves out the words of a row's day.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from datetime import date, datetime, timedelta
from pathlib import Path

import memdb

WHO = ["I", "My sister", "Marta", "Rui", "My boss", "Our neighbour", "Inês", "My uncle", "Pedro", "The plumber"]
DID = ["bought", "fixed", "visited", "painted", "cleaned", "looked at", "photographed", "sold", "found", "talked about"]
WHAT = ["a lamp", "the sink", "the castle", "the fence", "an old radio", "the car", "the garage", "a coin", "the garden", "the roof"]
HOW = ["with friends", "before lunch", "after work", "in the rain", "at the market", "near the river", "in a hurry", "at last"]
SAID = ["as I told you yesterday", "as we planned last Saturday"]
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


def main() -> None:
    """Write the diary, ask everything, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=400, help="how many days the diary has")
    arguments = parser.parse_args()
    chance, first = random.Random(0), date(2024, 1, 1)
    days = [first + timedelta(days=day) for day in range(arguments.days)]
    diary = [(day, line, told(chance)) for day in days for line in range(LINES)]
    with (
        tempfile.TemporaryDirectory() as folder,
        memdb.open(Path(folder) / "mem.db", llm=None, config={"worker": False, "record_retrievals": False}) as mem,
    ):
        mem.set_weights({SETS[1]: {**mem.weight_sets()["default"], "bm25_date": 0.0}})
        mem.load([message(*line) for line in diary], user_id="ana")
        mem.drain()
        print("| weight set | of the first ten, of that day | what one did that day: among three |")
        print("|---|---|---|")
        asked_on = [day + timedelta(days=1) for day in chance.sample(days[20:], TIMES)]
        for name in SETS:
            of_day, among = [], []
            for today in asked_on:
                now = f"{today}T18:00:00Z"
                for query, back in ASKED.items():
                    day = today - timedelta(days=back if isinstance(back, int) else (today.weekday() - WEEKDAYS[back] - 1) % 7 + 1)
                    hits = mem.search(query, user_id="ana", now=now, weights=name, until=now)
                    of_day.append(sum(hit.fact.valid_from.date() == day for hit in hits) / LINES)
                before = today - timedelta(days=1)
                who = next(one for one in reversed(WHO) for day, _, text in diary if day == before and text.startswith(one))
                hits = mem.search(f"What did {who} do yesterday?", user_id="ana", now=now, weights=name, until=now)
                among.append(any(hit.fact.valid_from.date() == before and who in hit.fact.value_text for hit in hits[:WITHIN]))
            print(f"| {name} | {100 * sum(of_day) / len(of_day):.0f} | {100 * sum(among) / len(among):.0f} |")
        questions = f"{len(asked_on) * len(ASKED)} and {len(asked_on)} questions"
        print(f"\nPer cent of {questions}; {len(diary):,} lines, by words and {mem.stats().embedder}.")


def told(chance: random.Random) -> str:
    """A line of the diary."""
    line = " ".join(chance.choice(words) for words in (WHO, DID, WHAT, HOW))
    return f"{line}, {chance.choice(SAID)}." if chance.random() < 0.1 else f"{line}."


def message(day: date, line: int, text: str) -> dict[str, object]:
    """A line as it is loaded."""
    return {"text": text, "timestamp": datetime(day.year, day.month, day.day, 9 + line).isoformat() + "Z", "session_id": str(day)}


if __name__ == "__main__":
    main()
