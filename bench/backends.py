"""The file's own vectors and a Chroma collection as the index, side by side: the same facts, the same questions, asked in turn in one run.

    python bench/backends.py --chart docs/backends.svg --data locomo10.json

chromadb is embedded, and behind its own server on this machine. What is timed is the whole of `Memory.search`, both legs and the ranking;
the vectors of questions are ready. Facts and vectors are those of `bench/systems.py`; --data adds conversations in LoCoMo's format, with
MiniLM, where it is known what should be found.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import speed
from recall import mean
from systems import DIMENSION, NOW, Data, Memdb, Numpy, Ready, Vectors, bytes_of, make

import memdb
from memdb.conversations import evidence_of, read_conversation
from memdb.embed import MiniLM
from memdb.metrics import judge

SHAPES = {"1k": (1_000, 1), "10k": (10_000, 1), "100 × 100": (10_000, 100)}
Connect = Callable[[], memdb.VectorCollection]


class Indexed(Memdb):
    """A memory whose index is the file's own, or the collection that `connect` returns."""

    def __init__(self, data: Data, folder: Path, connect: Connect | None, stored: Path) -> None:
        super().__init__(data, folder, megabytes=64)
        self._connect, self._stored = connect, stored
        self._known |= dict(zip(data.texts, data.vectors, strict=True))

    def open(self, *, worker: bool = False) -> None:
        """Open the file."""
        settings = {"worker": worker, "record_retrievals": False, "collection_timeout_seconds": 120}
        vectors = self._connect() if self._connect else None
        self._memory = memdb.open(self.path, embedder=Ready(self._known), llm=None, config=settings, vectors=vectors)

    def fill(self) -> float:
        """Have the collection told everything; return the seconds."""
        assert self._memory is not None
        started = time.perf_counter()
        if not self._memory.drain():
            raise SystemExit(f"The collection did not take everything: {self._memory.vectors().collection_error}")
        return time.perf_counter() - started

    def lag(self, text: str, vector: Vectors) -> tuple[float, float]:
        """Store a fact; return how many milliseconds go by from then until it is found by meaning alone, and until the index has it."""
        assert self._memory is not None
        self._known[text] = vector
        fact = self._memory.remember(text, user_id="user0", timestamp=NOW)
        started = time.perf_counter()
        while fact.fact_id not in {hit.fact.fact_id for hit in self.hits(text, "user0", vector, "vector-only")}:
            time.sleep(0.005)  # asking all the time would hold up what is waited for
        found = time.perf_counter()
        while self._memory.vectors().collection_waiting:
            time.sleep(0.005)
        return (found - started) * 1000, (time.perf_counter() - started) * 1000

    @property
    def bytes(self) -> int:
        """The size on disk, the collection's included."""
        return bytes_of(self.path) + (bytes_of(self._stored) if self._stored.exists() else 0)


@contextmanager
def server(folder: Path) -> Iterator[int]:
    """chromadb's own server on this machine; yields its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-c", "from chromadb.cli.cli import app; app()", "run", "--path", str(folder)]
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)],
        env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(300):
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait()


@contextmanager
def backends(scratch: Path) -> Iterator[dict[str, tuple[Connect | None, Path]]]:
    """How each index is reached, and where it stores what it holds."""
    import chromadb

    def quiet() -> chromadb.config.Settings:
        return chromadb.config.Settings(anonymized_telemetry=False)  # a fresh one each: the client writes into it where it connects to

    def facts(client: chromadb.api.ClientAPI) -> memdb.VectorCollection:
        return client.get_or_create_collection("facts", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None)

    with server(scratch / "server") as port:
        yield {
            "the file's own": (None, scratch / "nowhere"),
            "Chroma, embedded": (
                lambda: facts(chromadb.PersistentClient(str(scratch / "embedded"), settings=quiet())),
                scratch / "embedded",
            ),
            "Chroma, server": (
                lambda: facts(chromadb.HttpClient(host="127.0.0.1", port=port, settings=quiet())),
                scratch / "server",
            ),
        }


def copies(data: Data, base: Path, scratch: Path, reached: Mapping[str, tuple[Connect | None, Path]]) -> dict[str, Indexed]:
    """The same file once for each index, open."""
    stores = {}
    for number, (name, (connect, stored)) in enumerate(reached.items()):
        folder = scratch / f"memory{number}"
        folder.mkdir()
        shutil.copy(base, folder / "mem.db")
        stores[name] = Indexed(data, folder, connect, stored)
        stores[name].open()
    return stores


def measure(shape: str, *, rounds: int, writes: int, checked: int) -> dict[str, dict[str, float]]:
    """Fill every index, ask all of them the same questions in turn, and write to them in turn."""
    count, users = SHAPES[shape]
    data = make(count, users, questions=rounds)
    with tempfile.TemporaryDirectory() as folder, backends(Path(folder)) as reached:
        scratch = Path(folder)
        base = Indexed(data, scratch, None, scratch / "nowhere")
        base.open()
        started = time.perf_counter()
        base.insert(range(count))
        inserted = time.perf_counter() - started
        base.close()
        stores = copies(data, base.path, scratch, reached)
        report = {name: {"rows_s": count / (inserted if name == "the file's own" else store.fill())} for name, store in stores.items()}
        np.save(scratch / "exact.npy", data.vectors)
        exact = Numpy(data, scratch)
        exact.path = scratch / "exact.npy"
        exact.open()
        times: dict[str, list[float]] = {name: [] for name in stores}
        recall: dict[str, list[float]] = {name: [] for name in stores}
        agreed: dict[str, list[float]] = {name: [] for name in stores}
        for store in stores.values():  # the first question reads what the others find read
            store.hits(*data.questions[0])
        order = np.random.default_rng(3)
        for number, (text, user, vector) in enumerate(data.questions):
            nearest = set(exact.ask(text, user, vector))
            wanted = stores["the file's own"].exhaustive(text, user, vector) if number < checked else []
            for name in order.permutation(list(stores)).tolist():  # what follows its like is quicker
                store, started = stores[name], time.perf_counter()
                hits = store.hits(text, user, vector)
                times[name].append((time.perf_counter() - started) * 1000)
                if hits.degraded:
                    raise SystemExit(f"{name}: {hits.degraded}")
                meant = {int(hit.fact.fact_id[:8], 16) for hit in store.hits(text, user, vector, "vector-only")}
                recall[name].append(len(nearest & meant) / len(nearest))
                if wanted:
                    agreed[name].append(len({hit.fact.fact_id for hit in hits} & set(wanted)) / len(wanted))
        lags: dict[str, list[tuple[float, float]]] = {name: [] for name in stores}
        for store in stores.values():
            store.close()
            store.open(worker=True)
        chance = np.random.default_rng(3)
        for number in range(writes):
            vector = chance.standard_normal(DIMENSION).astype(np.float32)
            for name, store in stores.items():
                lags[name].append(store.lag(f"lag{number}", vector / np.linalg.norm(vector)))
        for name, store in stores.items():
            store.close()
            report[name] |= {
                "p50": statistics.median(times[name]),
                "p95": sorted(times[name])[int(len(times[name]) * 0.95)],
                "recall": statistics.fmean(recall[name]),
                "agreement": statistics.fmean(agreed[name]),
                "found_p50": statistics.median(found for found, _ in lags[name]),
                "lag_p50": statistics.median(lag for _, lag in lags[name]),
                "lag_p95": sorted(lag for _, lag in lags[name])[int(len(lags[name]) * 0.95)],
                "bytes_row": store.bytes / count,
            }
        gc.collect()
    return report


class Remembering:
    """MiniLM, asked once for each text: what is timed is the index."""

    name, dimension = MiniLM.name, MiniLM.dimension

    def __init__(self) -> None:
        self._model, self._known = MiniLM(), dict[str, Vectors]()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            self._known |= dict(zip(missing, self._model.embed(missing), strict=True))
        return np.stack([self._known[text] for text in texts])


def converse(path: Path) -> dict[str, dict[str, float]]:
    """What each index finds in conversations, of what is known to be evidence."""
    samples = {sample["sample_id"]: sample["qa"] for sample in json.loads(path.read_text(encoding="utf-8"))}
    embedder, settings = Remembering(), {"worker": False, "record_retrievals": False, "collection_timeout_seconds": 120}
    report: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder, backends(Path(folder)) as reached:
        base = Path(folder) / "base.db"
        with memdb.open(base, embedder=embedder, llm=None, config=settings) as mem:
            for conversation in read_conversation(path):
                mem.load(conversation.turns, user_id=str(conversation.user_id))
            mem.drain()
        stores = {}
        for number, (name, (connect, _)) in enumerate(reached.items()):
            copy = Path(folder) / f"copy{number}.db"
            shutil.copy(base, copy)
            vectors = connect() if connect else None
            stores[name] = memdb.open(copy, embedder=embedder, llm=None, config=settings, vectors=vectors)
            stores[name].drain()
        scores: dict[str, dict[str, list[dict[str, float]]]] = {name: {"default": [], "vector-only": []} for name in stores}
        times: dict[str, list[float]] = {name: [] for name in stores}
        order = np.random.default_rng(3)
        for user, questions in samples.items():
            for question in questions:
                wanted = set(evidence_of(question.get("evidence")))
                if not wanted or int(question["category"]) == 5:
                    continue
                embedder.embed([question["question"]])
                for name in order.permutation(list(stores)).tolist():  # what follows its like is quicker
                    for weights in ("default", "vector-only"):
                        started = time.perf_counter()
                        hits = stores[name].search(question["question"], user_id=user, kinds=["message"], limit=20, weights=weights)
                        if weights == "default":
                            times[name].append((time.perf_counter() - started) * 1000)
                        if hits.degraded:
                            raise SystemExit(f"{name}: {hits.degraded}")
                        scores[name][weights].append(judge([hit.fact.source_turn_id for hit in hits], wanted))
        for name, store in stores.items():
            store.close()
            found = {metric: mean(scores[name]["default"], metric) for metric in ("any@10", "rec@10", "nDCG@10", "MRR")}
            alone = {f"vectors alone, {metric}": mean(scores[name]["vector-only"], metric) for metric in ("any@10", "rec@10")}
            report[name] = found | alone | {"p50 ms": statistics.median(times[name])}
    return report


COLUMNS = {
    "p50": "p50 ms",
    "p95": "p95 ms",
    "recall": "recall",
    "agreement": "top 10 agree",
    "rows_s": "rows/s",
    "found_p50": "found after ms",
    "lag_p50": "in the index after ms, p50",
    "lag_p95": "p95",
    "bytes_row": "bytes/row",
}


def table(report: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """The report as Markdown."""
    lines = ["| facts | index | " + " | ".join(COLUMNS.values()) + " |", "|---" * (len(COLUMNS) + 2) + "|"]
    digits = {"p50": 1, "p95": 1, "recall": 3, "agreement": 3}
    for shape, one in report.items():
        for name, measured in one.items():
            if shape != "conversations":
                cells = [f"{measured[column]:,.{digits.get(column, 0)}f}" for column in COLUMNS]
                lines.append(f"| {shape} | {name} | " + " | ".join(cells) + " |")
    if "conversations" in report:
        found = report["conversations"]
        columns = list(next(iter(found.values())))
        lines += ["", "| conversations | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
        lines += [f"| {name} | " + " | ".join(f"{measured[column]:.1f}" for column in columns) + " |" for name, measured in found.items()]
    return "\n".join(lines)


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", default="1k,10k,users", help="any of 1k, 10k, users")
    parser.add_argument("--rounds", type=int, default=60, help="how many questions")
    parser.add_argument("--writes", type=int, default=20, help="how many facts are written and waited for")
    parser.add_argument("--data", type=Path, help="conversations in LoCoMo's format")
    parser.add_argument("--save", type=Path, help="keep the results here as JSON; what stands there is not measured again")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--chart", type=Path, help="draw the medians here (SVG or PNG; needs matplotlib, the extra `bench`)")
    arguments = parser.parse_args()
    kept = arguments.save is not None and arguments.save.exists()
    report: dict[str, dict[str, dict[str, float]]] = json.loads(arguments.save.read_text(encoding="utf-8")) if kept else {}
    work: dict[str, Callable[[], dict[str, dict[str, float]]]] = {
        shape: partial(measure, shape, rounds=arguments.rounds, writes=arguments.writes, checked=20)
        for shape in ("100 × 100" if name == "users" else name for name in arguments.shapes.split(",") if name)
    }
    if arguments.data:
        work["conversations"] = partial(converse, arguments.data)
    for name, act in work.items():
        if name not in report:
            report[name] = act()
            if arguments.save is not None:
                arguments.save.write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(json.dumps(report, indent=1) if arguments.json else table(report))
    if arguments.chart:
        speed.chart({shape: one for shape, one in report.items() if shape != "conversations"}, arguments.chart)


if __name__ == "__main__":
    main()
