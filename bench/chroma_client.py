"""How fast collections are: memdb's Chroma interface, and chromadb itself doing the same calls.

    python bench/chroma_client.py --records 10000 --chromadb

Random unit vectors of 384 dimensions, the hardest for an approximate index; each with a document and three values of metadata, written
a thousand at a time; cosine, ten results. Milliseconds are medians; "first" is the first query after opening the file again; recall is
against a plain computation.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count, cycle
from pathlib import Path
from typing import cast

import numpy as np

import memdb.interfaces.chroma as chroma

DIMENSION = 384
BATCH = 1_000
REPEATS = 21


def client_of(name: str, folder: Path) -> chroma.ClientAPI:
    """A client on a fresh folder."""
    if name == "mem.db":
        return chroma.PersistentClient(folder)
    import chromadb

    settings = chromadb.config.Settings(anonymized_telemetry=False)
    return cast(chroma.ClientAPI, chromadb.PersistentClient(str(folder), settings=settings))


def median_ms(act: Callable[[], object]) -> float:
    """The median of several runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        act()
        times.append(1_000 * (time.perf_counter() - start))
    return statistics.median(times)


def unit_vectors(number: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Random vectors of unit length."""
    vectors = np.random.default_rng(seed).standard_normal((number, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def fill(collection: chroma.Collection, vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> float:
    """Write the records; return how many a second."""
    start = time.perf_counter()
    for first in range(0, len(vectors), BATCH):
        numbers = range(first, min(first + BATCH, len(vectors)))
        collection.add(
            ids=[f"id{number}" for number in numbers],
            embeddings=vectors[first : first + BATCH],
            documents=[f"text number {number} of the collection with some words" for number in numbers],
            metadatas=[{"user": f"u{number % 100}", "number": number, "even": number % 2 == 0} for number in numbers],
        )
    return len(vectors) / (time.perf_counter() - start)


def measure(name: str, records: int, folder: Path) -> dict[str, float]:
    """Everything of one of the two, by column."""
    vectors, questions = unit_vectors(records, 1), unit_vectors(100, 2)
    client = client_of(name, folder)
    made = client.create_collection("bench", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    found = {"records/s": fill(made, vectors)}
    client.close()

    client = client_of(name, folder)
    collection = client.get_collection("bench", embedding_function=None)
    start = time.perf_counter()
    collection.query(query_embeddings=questions[0])
    found["first"] = 1_000 * (time.perf_counter() - start)
    nearest = collection.query(query_embeddings=questions, include=[])["ids"]
    exact = [[f"id{place}" for place in np.argsort(-(vectors @ question))[:10]] for question in questions]
    found["recall"] = statistics.mean(len({*ids} & {*wanted}) / 10 for ids, wanted in zip(nearest, exact, strict=True))

    asked: Iterator[list[float]] = cycle(questions.tolist())
    fresh = count()

    def upsert_and_query() -> None:
        collection.upsert(ids=f"new{next(fresh)}", embeddings=next(asked))
        collection.query(query_embeddings=next(asked))

    found["query"] = median_ms(lambda: collection.query(query_embeddings=next(asked)))
    found["where 1 %"] = median_ms(lambda: collection.query(query_embeddings=next(asked), where={"user": "u7"}))
    found["where 50 %"] = median_ms(lambda: collection.query(query_embeddings=next(asked), where={"even": True}))
    found["$contains"] = median_ms(lambda: collection.query(query_embeddings=next(asked), where_document={"$contains": "number 77"}))
    found["upsert, query"] = median_ms(upsert_and_query)
    client.close()
    found["bytes/record"] = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / records
    return found


def main() -> None:
    """Print one line a client as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--chromadb", action="store_true", help="measure chromadb too, which must be installed")
    arguments = parser.parse_args()
    for place, name in enumerate(["mem.db", "chromadb"] if arguments.chromadb else ["mem.db"]):
        with tempfile.TemporaryDirectory() as folder:
            found = measure(name, arguments.records, Path(folder))
        if place == 0:
            print("| | " + " | ".join(found) + " |\n|" + "---|" * (len(found) + 1))
        cells = [f"{value:,.0f}" if value >= 100 else f"{value:.2f}" for value in found.values()]
        print(f"| {name}, {arguments.records:,} records | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
