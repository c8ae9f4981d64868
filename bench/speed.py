"""How fast it is beside others: memdb, chromadb, lancedb, and numpy as the limit, with the same vectors, asked in turn in one run.

    python bench/speed.py --chart docs/speed.svg

Facts are random sentences about two hundred topics, their vectors clustered by topic and of unit length, both from a fixed seed. memdb's
file is mapped (setting `mmap_mb`), its vectors are kept in memory or read at every question, and it does more than the others: `systems.py`
says what each is asked. Where there are several users, "memdb grown" is a file whose facts came ten at a time, those of all users mixed.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from systems import SYSTEMS, Data, Memdb, Numpy, Question, System, bytes_of, make

FEW = 10_000  # facts that are stored five times over, for the median
BY_TENS = 2_000  # facts that are stored ten at a time: enough for what is put off meanwhile, such as moving a log, to be done, too
IN_A_ROW = 20  # questions asked of one system before the next has its turn
PAUSE = 0.03  # seconds without any work: what others on the machine do meanwhile takes a system's place in the processor's caches
SHAPES = {
    "1k": (1_000, 1),
    "10k": (10_000, 1),
    "100k": (100_000, 1),
    "5 × 10k": (50_000, 5),
    "100 × 10": (1_000, 100),
    "1,000 × 100": (100_000, 1_000),
}


def fresh(system: str, count: int, users: int, folder: Path, pipe: Connection) -> None:
    """In a process of its own: open and answer; then some more, and tell how long the first two took, and how much memory it is."""
    data = make(count, users, questions=20, facts=False)
    __import__("apsw" if system.startswith("memdb") else system)  # importing it is not the file's, nor is clearing away what that left
    gc.collect()
    before = memory_now()
    started = time.perf_counter()
    store = SYSTEMS[system](data, folder)
    store.open()
    opened = time.perf_counter() - started
    store.ask(*data.questions[0])
    answered = time.perf_counter() - started
    for question in data.questions:
        store.ask(*question)
    pipe.send((opened * 1000, answered * 1000, max(0.0, memory_now() - before)))
    store.close()


def memory_now() -> float:
    """This process's own memory in MiB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return 0.0


def in_a_process(system: str, count: int, users: int, folder: Path) -> tuple[float, float, float]:
    """What `fresh` tells."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=fresh, args=(system, count, users, folder, theirs))
    process.start()
    theirs.close()
    try:
        told: tuple[float, float, float] = ours.recv()
    finally:
        process.join()
    return told


def filled(system: str, data: Data, count: int, *, at_once: int) -> float:
    """How many rows a second an empty store takes, so many at once, each call kept before the next."""
    with tempfile.TemporaryDirectory() as scratch:
        store = SYSTEMS[system](data, Path(scratch))
        store.open()
        started = time.perf_counter()
        for start in range(0, count, at_once):
            store.insert(range(start, min(start + at_once, count)))
        rate = count / (time.perf_counter() - started)
        store.close()
    return rate


def timed(store: System, question: Question, *, after: float = 0.0) -> float:
    """How long a store takes to answer, in milliseconds, `after` a pause of so many seconds."""
    if after:
        time.sleep(after)
    started = time.perf_counter()
    store.ask(*question)
    return (time.perf_counter() - started) * 1000


def measure(shape: str, systems: Sequence[str], *, rounds: int, opens: int, checked: int) -> dict[str, dict[str, float]]:
    """Fill every system, ask all of them the same questions in turn, and open each from fresh processes in turn."""
    count, users = SHAPES[shape]
    systems = [system for system in systems if users > 1 or system != "memdb grown"]  # whose facts would be mixed with nobody's
    data = make(count, users, questions=rounds)
    exact = Numpy(data, Path())
    report: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        stores: dict[str, System] = {}
        for system in systems:
            folder = Path(scratch) / system.partition(",")[0]
            folder.mkdir(exist_ok=True)
            store = stores[system] = SYSTEMS[system](data, folder)
            store.open()
            report[system] = {}
            if system != "memdb, cached":
                started = time.perf_counter()
                store.insert(range(count))
                rates = [count / (time.perf_counter() - started)]
                if count <= FEW:  # over so soon that once tells little
                    rates += [filled(system, data, count, at_once=count) for _ in range(4)]
                report[system]["few_s" if system == "memdb grown" else "rows_s"] = statistics.median(rates)
                if system not in ("numpy", "memdb grown"):  # a disk that is busy once says little of the system
                    report[system]["few_s"] = statistics.median(filled(system, data, min(count, BY_TENS), at_once=10) for _ in range(3))
        np.save(Path(scratch) / "exact.npy", data.vectors)
        exact.path = Path(scratch) / "exact.npy"
        exact.open()
        times: dict[str, list[float]] = {system: [] for system in systems}
        recall: dict[str, list[float]] = {system: [] for system in systems}
        for store in stores.values():  # what was written is moved to where it will be read
            store.close()
        for system, store in stores.items():  # the first answer is measured from a fresh process
            report[system]["bytes_row"] = bytes_of(store.path) / count
            store.open()
            store.ask(*data.questions[0])
        in_a_row: dict[str, list[float]] = {system: [] for system in systems}
        rested: dict[str, list[float]] = {system: [] for system in systems}
        order = np.random.default_rng(3)
        for question in data.questions:
            for system in order.permutation(systems).tolist():  # what follows its like is quicker, and so none always follows the same
                times[system].append(timed(stores[system], question))
        for start in range(0, len(data.questions), IN_A_ROW):
            for system in order.permutation(systems).tolist():
                some = data.questions[start : start + IN_A_ROW]
                in_a_row[system] += [timed(stores[system], question) for question in some]
                rested[system] += [timed(stores[system], question, after=PAUSE) for question in some]
        for question in data.questions:
            nearest = set(exact.ask(*question))
            for system, store in stores.items():
                found = store.ask(*question)
                if isinstance(store, Memdb):
                    found = [int(hit.fact.fact_id[:8], 16) for hit in store.hits(*question, "vector-only")]
                recall[system].append(len(nearest & set(found)) / len(nearest))
        for system in systems:
            ordered = sorted(times[system])
            report[system] |= {
                "p50": statistics.median(ordered),
                "row50": statistics.median(in_a_row[system]),
                "rested50": statistics.median(rested[system]),
                "p95": ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))],
                "recall": statistics.fmean(recall[system]),
            }
        for system, store in stores.items():
            if isinstance(store, Memdb):
                agreed = []
                for question in data.questions[:checked]:
                    wanted = set(store.exhaustive(*question))
                    agreed.append(len({hit.fact.fact_id for hit in store.hits(*question)} & wanted) / max(1, len(wanted)))
                report[system]["agreement"] = statistics.fmean(agreed)
        for store in stores.values():
            store.close()
        del store, stores
        gc.collect()
        told: dict[str, list[tuple[float, float, float]]] = {system: [] for system in systems}
        for _ in range(opens):
            for system in systems:
                told[system].append(in_a_process(system, count, users, Path(scratch) / system.partition(",")[0]))
        for system in systems:
            for place, name in enumerate(("open_ms", "first_ms", "memory_mb")):
                report[system][name] = statistics.median(one[place] for one in told[system])
    return report


COLUMNS = {
    "p50": "p50 ms",
    "p95": "p95 ms",
    "row50": "p50 in a row",
    "rested50": "p50 rested",
    "recall": "recall",
    "agreement": "top 10 agree",
    "rows_s": "rows/s",
    "few_s": "by tens",
    "bytes_row": "bytes/row",
    "memory_mb": "MiB",
    "open_ms": "open ms",
    "first_ms": "first answer ms",
}


def table(report: dict[str, dict[str, dict[str, float]]]) -> str:
    """The report as Markdown."""
    lines = ["| facts | | " + " | ".join(COLUMNS.values()) + " |", "|---" * (len(COLUMNS) + 2) + "|"]
    digits = {"p50": 2, "p95": 2, "row50": 2, "rested50": 2, "recall": 3, "agreement": 3, "memory_mb": 1, "open_ms": 1, "first_ms": 1}
    for shape, systems in report.items():
        for system, one in systems.items():
            cells = [f"{one[name]:,.{digits.get(name, 0)}f}" if name in one else "" for name in COLUMNS]
            lines.append(f"| {shape} | {system} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def chart(report: dict[str, dict[str, dict[str, float]]], path: Path) -> None:
    """Draw the median query, a group of bars for each shape."""
    import matplotlib

    matplotlib.use("svg" if path.suffix == ".svg" else "agg")
    matplotlib.rcParams["svg.hashsalt"] = "memdb"  # the same figures give the same file
    from matplotlib import pyplot

    met = dict.fromkeys(system for one in report.values() for system in one)
    systems = [*(system for system in SYSTEMS if system in met), *(system for system in met if system not in SYSTEMS)]
    figure, axes = pyplot.subplots(figsize=(9, 3.6), layout="constrained")
    width = 0.8 / len(systems)
    for number, system in enumerate(systems):
        shapes = [place for place, one in enumerate(report.values()) if system in one]
        medians = [one[system]["p50"] for one in report.values() if system in one]
        bars = axes.bar([place + (number - (len(systems) - 1) / 2) * width for place in shapes], medians, width, label=system)
        axes.bar_label(bars, fmt=lambda value: f"{value:.0f}" if value >= 100 else f"{value:.2g}", fontsize=7)
    axes.set_yscale("log")
    axes.set_xticks(range(len(report)), list(report))
    axes.set_xlabel("facts of one user; users × facts of each")
    axes.set_ylabel("median query, ms (logarithmic)")
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.legend(ncols=len(systems), loc="upper center", bbox_to_anchor=(0.5, -0.2), frameon=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else {})


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only 1,000 facts, of one user and of a hundred")
    parser.add_argument(
        "--shapes", default=",".join(["1k", "10k", "100k", "five", "users", "few"]), help="any of 1k, 10k, 100k, five, users, few"
    )
    parser.add_argument("--without", default="", help="systems to leave out, separated by commas: chromadb, lancedb, numpy")
    parser.add_argument("--rounds", type=int, default=60, help="how many questions")
    parser.add_argument("--save", type=Path, help="keep the results here as JSON; shapes that stand there are not measured again")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--chart", type=Path, help="draw the medians here (SVG or PNG; needs matplotlib, the extra `bench`)")
    arguments = parser.parse_args()
    names = {"five": "5 × 10k", "users": "1,000 × 100", "few": "100 × 10"}
    wanted = ["1k", "few"] if arguments.quick else arguments.shapes.split(",")
    shapes = [names.get(name, name) for name in wanted]
    systems = [system for system in SYSTEMS if system not in arguments.without.split(",")]
    needed = [*(system for system in ("chromadb", "lancedb") if system in systems), *(["matplotlib"] if arguments.chart else [])]
    if missing := [package for package in needed if importlib.util.find_spec(package) is None]:
        raise SystemExit(
            f"{', '.join(missing)} is not installed: pip install '.[bench]', or leave it out with --without and without --chart."
        )
    kept = arguments.save is not None and arguments.save.exists()
    report = json.loads(arguments.save.read_text(encoding="utf-8")) if kept else {}
    for shape in shapes:
        if shape not in report:
            large = shape == "100k"
            report[shape] = measure(
                shape,
                systems,
                rounds=20 if arguments.quick else arguments.rounds,
                opens=3 if arguments.quick else 5,
                checked=10 if large else 20,
            )
            if arguments.save is not None:
                arguments.save.write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(json.dumps(report, indent=1) if arguments.json else table(report))
    if arguments.chart is not None:
        arguments.chart.parent.mkdir(parents=True, exist_ok=True)
        chart(report, arguments.chart)


if __name__ == "__main__":
    main()
