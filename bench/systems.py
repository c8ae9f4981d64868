"""What is timed beside each other: facts and questions from a fixed seed, and the systems that store and find them.

memdb is asked through `Memory.search`: words, vectors, ranking, whole facts. The others search vectors only, filtered by user and status,
and return what they found with its text; chromadb keeps a fact's id, user, key, category, status, times and confidence as metadata.
Vectors of questions are ready in every case.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads go on spinning after a product, at the cost of whoever is asked next

import numpy as np

import memdb
from memdb import files
from memdb.asked import match_expression
from memdb.files import parameter_order

DIMENSION, TOPICS, VOCABULARY, K = 384, 200, 20_000, 10
NOW = "2025-06-01T00:00:00Z"
Vectors = np.ndarray[Any, np.dtype[np.float32]]
Question = tuple[str, str, Vectors]  # what is asked, of which user, and its vector


@dataclass
class Data:
    """Facts of some users, and questions to the users with their vectors."""

    texts: list[str]
    vectors: Vectors
    users: list[str]
    questions: list[Question]

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


class System(Protocol):
    """What stores the facts of `Data` by their places in it, and finds them again."""

    path: Path

    def open(self) -> None:
        """Open what is stored at `path`, or begin it."""

    def insert(self, places: range) -> None:
        """Store these facts."""

    def ask(self, text: str, user: str, vector: Vectors) -> list[int]:
        """The places of the `K` nearest of a user, nearest first."""

    def close(self) -> None:
        """Let go of it."""


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
        distances = 1.0 - (self._data.vectors[[int(str(fact_id)[:8], 16) for _, fact_id in rows]] @ vector).astype(np.float64)
        given = dict.fromkeys(parameter_order(files.statement("retrieve"))) | {
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


class Grown(Memdb):
    """memdb with its vectors in memory, and in its file the facts of all users mixed: stored ten at a time, as they would come in."""

    def insert(self, places: range) -> None:
        """Store these facts, ten a call."""
        for start in range(places.start, places.stop, 10):
            super().insert(range(start, min(start + 10, places.stop)))


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

        client = chromadb.PersistentClient(str(self.path), settings=chromadb.config.Settings(anonymized_telemetry=False))
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
        self._base: Any = None
        self._table: Any = None

    def open(self) -> None:
        """Open the table."""
        import lancedb

        self._base = lancedb.connect(str(self.path))
        self._table = self._base.open_table("facts") if (self.path / "facts.lance").exists() else None

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
        self._places: dict[str, list[int]] = {}
        self._of: dict[str, Vectors] = {}

    def open(self) -> None:
        """Read the file."""
        if self.path.exists():
            self._places = {}
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


SYSTEMS: dict[str, Callable[[Data, Path], System]] = {
    "memdb": lambda data, folder: Memdb(data, folder, megabytes=0),
    "memdb, cached": lambda data, folder: Memdb(data, folder, megabytes=1_024),
    "memdb grown": lambda data, folder: Grown(data, folder, megabytes=1_024),
    "chromadb": Chroma,
    "lancedb": Lance,
    "numpy": Numpy,
}


def bytes_of(path: Path) -> int:
    """The size on disk of a file with its companions, or of a folder."""
    files = path.rglob("*") if path.is_dir() else path.parent.glob(f"{path.name}*")
    return sum(part.stat().st_size for part in files if part.is_file())
