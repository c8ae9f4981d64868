"""A household's year, simulated: memories alive by type over time, and how one of each type fades, as the specification draws it.

    python bench/year.py --chart bench/year.png

Every event goes in through `Memory.event`. Each fifth day the memories that are due are told, ten questions are asked, and every night
since is maintained, all with `now` given. The chart needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import memdb
from memdb import Memory, MemoryType
from memdb.interfaces.household import household_events, household_questions, read_household

FIRST = date(2025, 1, 1)
EVERY = 5  # days from look to look; told late or at once, the memories are the same, and missed nights are made up for
TYPES: tuple[MemoryType, ...] = ("SIGNIFICANT", "PREFERENCE", "ROUTINE", "OBSERVATION", "TRANSIENT")
COLOURS = dict(zip(TYPES, ("#b2182b", "#ef8a62", "#67a9cf", "#2166ac", "#999999"), strict=True))
Counts = dict[str, int]


def main() -> None:
    """Live through the year, print what became of it, and draw it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chart", type=Path, help="draw the year into this file")
    arguments = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        alive, total = live(Path(folder) / "mem.db", days=arguments.days, seed=arguments.seed)
        curves = {name: fade(Path(folder) / f"{name}.db", name) for name in TYPES}
    found = ", ".join(f"{count} {name}" for name, count in total.items())
    print(f"{arguments.days} days in {time.perf_counter() - started:.0f} s ({time.process_time():.0f} s of one core): {found}")
    for look in range(len(alive)):
        if (look + 1) * EVERY % 90 < EVERY:
            counts = ", ".join(f"{alive[look][name]} {name}" for name in TYPES)
            print(f"alive after {(look + 1) * EVERY} days: {sum(alive[look].values())} ({counts})")
    if arguments.chart:
        draw(alive, curves, arguments.chart)


def live(path: Path, *, days: int, seed: int) -> tuple[list[Counter[str]], Counts]:
    """Return the memories alive by type at each look, and how much there was in all."""
    house = read_household()
    zone = ZoneInfo(house.timezone)
    events = list(household_events(house, first=FIRST, days=days, seed=seed))
    asked = [one.ask for one in household_questions(house, events)]
    chance = random.Random(seed)
    alive: list[Counter[str]] = []
    total = {"events": 0, "memories": 0, "consolidated": 0, "archived": 0, "deleted": 0}
    with opened(path, {"timezone": house.timezone, "persona_household": house.household}) as mem:
        rest = iter(events)
        event = next(rest, None)
        for number in range(0, days, EVERY):
            night = datetime.combine(FIRST + timedelta(days=number + EVERY), datetime.min.time(), zone) + timedelta(hours=3)
            while event is not None and event.timestamp < night:
                mem.event(**{name: value for name, value in event.model_dump().items() if name != "turn_id"})
                total["events"] += 1
                event = next(rest, None)
            total["memories"] += len(mem.narrate(now=night))
            for _ in range(2 * EVERY):
                mem.recall(chance.choice(asked), user_id="silva", now=night - timedelta(hours=5))
            done = mem.maintain(now=night)
            for name in ("consolidated", "archived", "deleted"):
                total[name] += getattr(done, name)
            alive.append(Counter(str(fact.memory_type) for fact in mem.facts("silva", kinds=["narrative"])))
    return alive, total


def fade(path: Path, memory_type: MemoryType) -> list[float]:
    """Return the effective importance of one memory of a type, of importance 1 and recalled so often that it has the whole access bonus."""
    start = datetime(2025, 1, 1, 12, tzinfo=ZoneInfo("UTC"))
    values = []
    with opened(path, {"archive_threshold": 0.0}) as mem:
        fact = mem.remember("A memory", user_id="home", kind="narrative", memory_type=memory_type, importance=1.0, timestamp=start)
        times = 149  # 0.5 + ln(1 + 149) / 10 is above 1
        for _ in range(times):
            mem.recall("memory", user_id="home", now=start + timedelta(minutes=11), min_score=0.0)
        for day in range(0, 181, 6):
            mem.maintain(now=start + timedelta(days=day, minutes=11))
            values.append(next(one.effective_importance for one in mem.facts("home", kinds=["narrative"]) if one.fact_id == fact.fact_id))
    return values


@contextmanager
def opened(path: Path, config: Mapping[str, object]) -> Iterator[Memory]:
    """A memory that works on words alone and only when it is told to."""
    with memdb.open(path, embedder=None, llm=None, config={"worker": False, "record_retrievals": False, **config}) as mem:
        yield mem


def draw(alive: Sequence[Counter[str]], curves: Mapping[MemoryType, Sequence[float]], path: Path) -> None:
    """Draw both: the year, and the curves beside the specification's formula."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    weights = dict(zip(TYPES, (1.0, 0.8, 0.6, 0.5, 0.3), strict=True))
    half_lives = dict(zip(TYPES, (90, 60, 45, 30, 15), strict=True))
    figure, (year, fading) = plt.subplots(1, 2, figsize=(12, 4.5), dpi=100, layout="constrained")
    days = [(look + 1) * EVERY for look in range(len(alive))]
    year.stackplot(days, [[counts[name] for counts in alive] for name in TYPES], labels=TYPES, colors=[COLOURS[name] for name in TYPES])
    year.set(title="Memories alive in a household's year", xlabel="day", ylabel="memories", xlim=(days[0], days[-1]))
    year.legend(loc="upper left", fontsize=8, frameon=False)
    for name in TYPES:
        drawn = range(0, 181, 6)
        fading.plot(drawn, [max(0.05, weights[name] * max(0.05, 0.5 ** (day / half_lives[name]))) for day in drawn], color=COLOURS[name])
        fading.plot(drawn, curves[name], "o", color=COLOURS[name], markersize=3.5, label=f"{name}, {half_lives[name]} d")
    fading.axhline(0.10, color="black", linewidth=0.8, linestyle="--", label="archived below")
    fading.set(
        title="How a memory fades: stored (dots), specified (lines)", xlabel="days since it was recalled", ylabel="effective importance"
    )
    fading.legend(fontsize=8, frameon=False)
    figure.savefig(path)


if __name__ == "__main__":
    main()
