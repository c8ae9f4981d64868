"""How fast it is beside others: memdb, chromadb, lancedb, and numpy as the limit, with the same vectors, asked in turn in one run.

    python bench/speed.py --chart docs/speed.svg

Facts are random sentences about two hundred topics, their vectors clustered by topic and of unit length, both from a fixed seed. memdb is
asked through `Memory.search`, its file mapped (setting `mmap_mb`), its vectors kept in memory or read at every question. It does more
than the others: it searches words and vectors, ranks by all features and returns whole facts. The others search vectors only, filtered by
user and status, and return what they found with its text; chromadb keeps a fact's id, user, key, category, status, times and confidence
as metadata. Vectors of questions are ready in every case.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads go on spinning after a product, at the cost of whoever is asked next

import numpy as np

import memdb
from memdb import files
from memdb.files import parameter_names
from memdb.steps.retrieve import match_expression

DIMENSION, TOPICS, VOCABULARY, K = 384, 200, 20_000, 10
FEW = 1_000  # facts that are stored five times over, for the median
IN_A_ROW = 20  # questions asked of one system before the next has its turn
SHAPES = {
    "1k": (1_000, 1),
    "10k": (10_000, 1),
    "100k": (100_000, 1),
    "5 × 10k": (50_000, 5),
    "100 × 10": (1_000, 100),
    "1,000 × 100": (100_000, 1_000),
}
NOW = "2025-06-01T00:00:00Z"
Vectors = np.ndarray[Any, np.dtype[np.float32]]


@dataclass
class Data:
    """Facts of some users, and questions to the users with their vectors."""

    texts: list[str]
    vectors: Vectors
    users: list[str]
    questions: list[tuple[str, str, Vectors]]

    def facts(self) -> list[dict[str, object]]:
        """The facts as `remember_many` takes them: of all types, ages, certainties and weights."""
        types = ("SIGNIFICANT", "PREFERENCE", "ROUTINE", "OBSERVATION", "TRANSIENT")
        chance = np.random.default_rng(2)
        ages, sure, weighty = chance.integers(1, 1_500, len(self.texts)), chance.random(len(self.texts)), chance.random(len(self.texts))
        start = np.datetime64("2025-06-01")
        return [
            {
                "value_text": text,
                "user_id": user,
                "fact_id": f"{place:08x}-0000-4000-8000-000000000000",
                "memory_type": types[place % 5],
                "confidence": float(sure[place]),
                "importance": float(weighty[place]),
                "timestamp": str(start - ages[place]),
            }
            for place, (text, user) in enumerate(zip(self.texts, self.users, strict=True))
        ]


class Ready:
    """An embedder whose vectors are ready: it looks them up."""

    name, dimension = "hashing-384", DIMENSION

    def __init__(self, known: dict[str, Vectors]) -> None:
        self._known = known

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts that are known."""
        return np.stack([self._known[text] for text in texts])


def make(count: int, users: int, *, questions: int, facts: bool = True) -> Data:
    """Facts and questions from a fixed seed: twelve words a fact, five of its topic; some words are frequent, most are rare."""
    chance, asking = np.random.default_rng(0), np.random.default_rng(1)
    centres = chance.standard_normal((TOPICS, DIMENSION)).astype(np.float32)
    frequency = 1 / np.arange(1, VOCABULARY + 1) ** 0.9
    frequency /= frequency.sum()
    letters = np.array(list("aeioubdfgklmnprstvz"))
    words = ["".join(chance.choice(letters, size)) + f"{place:x}" for place, size in enumerate(chance.integers(2, 7, VOCABULARY))]
    topical = [chance.choice(VOCABULARY, 60, p=frequency) for _ in range(TOPICS)]
    asked = []
    for number in range(questions):
        telling = [word for word in asking.choice(topical[number % TOPICS], 30) if word >= 50][:4]  # frequent words tell nothing
        vector = (centres[number % TOPICS] + asking.standard_normal(DIMENSION)).astype(np.float32)
        vector /= np.linalg.norm(vector)
        asked.append((" ".join(words[word] for word in telling) + f" q{number}", f"user{number * 7 % users}", vector))
    names = [f"user{number % users}" for number in range(count)]
    if not facts:
        return Data([], np.zeros((0, DIMENSION), np.float32), names, asked)
    topics = chance.integers(0, TOPICS, count)
    vectors = centres[topics] + chance.standard_normal((count, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    common = chance.choice(VOCABULARY, (count, 7), p=frequency)
    texts = [" ".join(words[word] for word in (*chance.choice(topical[topics[n]], 5), *common[n])) for n in range(count)]
    return Data(texts, vectors, names, asked)


class Memdb:
    """memdb with its vectors on disk, or kept in memory."""

    def __init__(self, data: Data, folder: Path, *, megabytes: float) -> None:
        self.path, self._data, self._megabytes = folder / "mem.db", data, megabytes
        self._known: dict[str, Vectors] = {}
        self._facts = data.facts() if data.texts else []
        self._memory: memdb.Memory | None = None

    def open(self) -> None:
        """Open, and answer a question."""
        settings = {
            "worker": False,
            "record_retrievals": False,
            "vector_cache_mb": self._megabytes,
            "mmap_mb": 1_024,
        }
        self._memory = memdb.open(self.path, embedder=Ready(self._known), llm=None, config=settings)

    def insert(self, places: range) -> None:
        """Store these facts."""
        assert self._memory is not None
        part = slice(places.start, places.stop)
        self._memory.remember_many(self._facts[part], vectors=self._data.vectors[part])

    def ask(self, text: str, user: str, vector: Vectors) -> list[int]:
        """The places of the facts found by meaning, most alike first, as others find them; the whole hybrid search is what is timed."""
        return [int(hit.fact.fact_id[:8], 16) for hit in self.hits(text, user, vector)]

    def hits(self, text: str, user: str, vector: Vectors, weights: str = "default") -> memdb.Hits:
        """The hits of a search."""
        assert self._memory is not None
        return self._memory.search(text, user_id=user, vector=vector, limit=K, now=NOW, weights=weights)

    def close(self) -> None:
        """Close the file."""
        assert self._memory is not None
        self._memory.close()

    def exhaustive(self, text: str, user: str, vector: Vectors) -> list[str]:
        """The ids of the best when every row of the user is scored: `retrieve.sql` with legs that cut nothing, and every distance given."""
        assert self._memory is not None
        database = self._memory._store.database()
        rows = database.connection.execute("select id, fact_id from facts where user_id = ?", (user,)).fetchall()
        distances = 1.0 - (self._data.vectors[[int(fact_id[:8], 16) for _, fact_id in rows]] @ vector).astype(np.float64)
        given = dict.fromkeys(parameter_names(files.statement("retrieve"))) | {
            "user_id": user,
            "terms": match_expression(self.hits(text, user, vector).question),
            "hits": json.dumps([[id, distance] for (id, _), distance in zip(rows, distances.tolist(), strict=True)]),
            "found": "[]",
            "times": "[]",
            "kinds": '["fact"]',
            "statuses": '["active", "pending_confirmation"]',
            "shelves": "[]",
            "k_lex": 1_000_000,
            "now": "2025-06-01T00:00:00.000Z",
            "weights": "default",
            "limit": K,
        }
        return [str(row["fact_id"]) for row in database.all("retrieve", **given)]


class Chroma:
    """chromadb, embedded, its index on disk."""

    def __init__(self, data: Data, folder: Path) -> None:
        self.path, self._data, self._facts = folder / "chroma", data, data.facts() if data.texts else []
        self._metadata = [
            {name: fact[name] for name in ("fact_id", "user_id", "confidence")}
            | {"key": "user.note", "category": "semantic", "status": "active"}
            | {"valid_from": fact["timestamp"], "valid_to": "", "updated_at": fact["timestamp"]}
            for fact in self._facts
        ]
        self._collection: Any = None

    def open(self) -> None:
        """Open the collection."""
        import chromadb

        client = chromadb.PersistentClient(str(self.path), settings=chromadb.Settings(anonymized_telemetry=False))
        self._collection = client.get_or_create_collection("facts", configuration={"hnsw": {"space": "cosine"}})

    def insert(self, places: range) -> None:
        """Store these facts, five thousand at once at most, with the metadata that a memory's collection has."""
        for start in range(places.start, places.stop, 5_000):
            part = slice(start, min(start + 5_000, places.stop))
            self._collection.upsert(
                ids=[fact["fact_id"] for fact in self._facts[part]],
                embeddings=self._data.vectors[part],
                documents=self._data.texts[part],
                metadatas=self._metadata[part],
            )

    def ask(self, text: str, user: str, vector: Vectors) -> list[int]:
        """The nearest of a user, with text and metadata."""
        found = self._collection.query(query_embeddings=[vector], n_results=K, where={"$and": [{"user_id": user}, {"status": "active"}]})
        return [int(name[:8], 16) for name in found["ids"][0]]

    def close(self) -> None:
        """Let go of the client."""
        self._collection = None
        gc.collect()


class Lance:
    """lancedb, embedded, without an approximate index, with one on the user."""

    def __init__(self, data: Data, folder: Path) -> None:
        self.path, self._data = folder / "lance", data
        self._table: Any = None

    def open(self) -> None:
        """Open the table."""
        import lancedb

        base = lancedb.connect(str(self.path))
        self._table = base.open_table("facts") if self.path.exists() and list(self.path.glob("facts.lance")) else None
        self._base = base

    def insert(self, places: range) -> None:
        """Store these facts; the index comes with the first."""
        import lancedb
        import pyarrow

        part = slice(places.start, places.stop)
        columns = {
            "place": pyarrow.array(places, pyarrow.int64()),
            "user_id": self._data.users[part],
            "status": ["active"] * len(places),
            "text": self._data.texts[part],
            "vector": pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(self._data.vectors[part].ravel()), DIMENSION),
        }
        if self._table is None:
            self._table = self._base.create_table("facts", pyarrow.table(columns))
            self._table.create_index("user_id", config=lancedb.index.BTree())
        else:
            self._table.add(pyarrow.table(columns))

    def ask(self, text: str, user: str, vector: Vectors) -> list[int]:
        """The nearest of a user, with text."""
        search = self._table.search(vector).distance_type("cosine").where(f"user_id = '{user}' and status = 'active'", prefilter=True)
        return [int(found["place"]) for found in search.limit(K).select(["place", "text", "_distance"]).to_list()]

    def close(self) -> None:
        """Let go of the table."""
        self._table = self._base = None
        gc.collect()


class Numpy:
    """A matrix a user, in memory, and nothing else: the limit."""

    def __init__(self, data: Data, folder: Path) -> None:
        self.path, self._data = folder / "vectors.npy", data

    def open(self) -> None:
        """Read the file."""
        if self.path.exists():
            self._places: dict[str, list[int]] = {}
            for place, user in enumerate(self._data.users):
                self._places.setdefault(user, []).append(place)
            whole = np.load(self.path)
            self._of = {user: whole[places] for user, places in self._places.items()}

    def insert(self, places: range) -> None:
        """Write the file anew."""
        np.save(self.path, self._data.vectors[: places.stop])

    def ask(self, text: str, user: str, vector: Vectors) -> list[int]:
        """The nearest of a user."""
        cosines = self._of[user] @ vector
        best = np.argpartition(-cosines, min(K, len(cosines) - 1))[:K]
        return [self._places[user][place] for place in best[np.argsort(-cosines[best])]]

    def close(self) -> None:
        """Let go of the matrices."""
        self._of = {}


SYSTEMS: dict[str, Callable[[Data, Path], Any]] = {
    "memdb": lambda data, folder: Memdb(data, folder, megabytes=0),
    "memdb, cached": lambda data, folder: Memdb(data, folder, megabytes=1_024),
    "chromadb": Chroma,
    "lancedb": Lance,
    "numpy": Numpy,
}


def bytes_of(path: Path) -> int:
    """The size on disk of a file with its companions, or of a folder."""
    files = path.rglob("*") if path.is_dir() else path.parent.glob(f"{path.name}*")
    return sum(part.stat().st_size for part in files if part.is_file())


def fresh(system: str, count: int, users: int, folder: Path, pipe: Any) -> None:
    """In a process of its own: open and answer; then some more, and tell how long the first two took, and how much memory it is."""
    data = make(count, users, questions=20, facts=False)
    warm = {"memdb": "apsw", "memdb, cached": "apsw", "chromadb": "chromadb", "lancedb": "lancedb", "numpy": "numpy"}[system]
    __import__(warm)  # what importing takes is not the file's, nor is clearing away what it left
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


def timed(store: Any, question: tuple[str, str, Vectors]) -> float:
    """How long a store takes to answer, in milliseconds."""
    started = time.perf_counter()
    store.ask(*question)
    return (time.perf_counter() - started) * 1000


def measure(shape: str, systems: Sequence[str], *, rounds: int, opens: int, checked: int) -> dict[str, dict[str, float]]:
    """Fill every system, ask all of them the same questions in turn, and open each from fresh processes in turn."""
    count, users = SHAPES[shape]
    data = make(count, users, questions=rounds)
    exact = Numpy(data, Path())
    report: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        stores: dict[str, Any] = {}
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
                report[system]["rows_s"] = statistics.median(rates)
                if system != "numpy":
                    report[system]["few_s"] = filled(system, data, 500, at_once=10)
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
        order = np.random.default_rng(3)
        for question in data.questions:
            for system in order.permutation(systems).tolist():  # what follows its like is quicker, and so none always follows the same
                times[system].append(timed(stores[system], question))
        for start in range(0, len(data.questions), IN_A_ROW):
            for system in order.permutation(systems).tolist():
                in_a_row[system] += [timed(stores[system], question) for question in data.questions[start : start + IN_A_ROW]]
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
                "p95": ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))],
                "recall": statistics.fmean(recall[system]),
            }
        for system in systems:
            if isinstance(stores[system], Memdb):
                agreed = []
                for question in data.questions[:checked]:
                    wanted = stores[system].exhaustive(*question)
                    found = {hit.fact.fact_id for hit in stores[system].hits(*question)}
                    agreed.append(len(found & set(wanted)) / max(1, len(wanted)))
                report[system]["agreement"] = statistics.fmean(agreed)
        for system in systems:
            stores[system].close()
        del stores
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
    digits = {"p50": 2, "p95": 2, "row50": 2, "recall": 3, "agreement": 3, "memory_mb": 1, "open_ms": 1, "first_ms": 1}
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

    systems = list(dict.fromkeys(system for one in report.values() for system in one))
    figure, axes = pyplot.subplots(figsize=(9, 3.6), layout="constrained")
    width = 0.8 / len(systems)
    for number, system in enumerate(systems):
        shapes = [place for place, one in enumerate(report.values()) if system in one]
        medians = [one[system]["p50"] for one in report.values() if system in one]
        bars = axes.bar([place + (number - (len(systems) - 1) / 2) * width for place in shapes], medians, width, label=system)
        axes.bar_label(bars, fmt="%.2g", fontsize=7)
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
