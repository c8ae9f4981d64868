"""The door to a vector collection outside the file, Chroma's or one with the same methods, that serves as the index."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from inspect import iscoroutinefunction
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from memdb.database import Database
from memdb.embed import to_blob
from memdb.errors import ConfigError, StoreError
from memdb.patience import Callers, Rest, TooLateError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Result = TypeVar("Result")
Value = str | int | float | None

_AS_COSINE = {"cosine": 1.0, "ip": 1.0, "l2": 0.5}  # what a distance between unit vectors is multiplied by to be 1 − cosine
_METHODS = ("upsert", "delete", "query", "count")
_ANSWERS = {
    "query": "`ids` and `distances`, a list of each for the question",
    "get": "`ids`, `documents` and `metadatas`, one of each for a record",
    "count": "a number of records",
}
_SOON_SECONDS = 5.0  # a collection that answers approximately may find too few for ever: it need not be counted at every search
_BEHIND = 256  # what a collection was not told is looked up one by one; beyond so many the file's own index is quicker


class CollectionError(StoreError):
    """The collection that serves as the index failed, or gave no answer in time."""


class VectorCollection(Protocol):
    """What serves as a memory's vector index: any Chroma collection does, embedded or behind `HttpClient`, and memdb's own.

    `id` tells it from every other collection, `configuration_json` which distance it has. What a method raises is taken as that the
    collection is down. The types of what the methods take are as wide as Chroma's own, whose collections would not fit narrower ones.
    """

    @property
    def id(self) -> object:
        """What tells it from every other collection."""

    @property
    def name(self) -> str:
        """Its name, for messages."""

    @property
    def configuration_json(self) -> Mapping[str, object]:
        """How it is set up; `{"hnsw": {"space": …}}` names the distance."""

    def upsert(
        self, ids: list[str], *, embeddings: NDArray[np.float32], metadatas: list[Mapping[str, Any]], documents: list[str]
    ) -> object:
        """Write records, in the place of those of the same ids. A None takes its key out of the metadata."""

    def delete(self, ids: list[str]) -> object:
        """Delete records; ids that are not there are no error."""

    def query(
        self,
        *,
        query_embeddings: NDArray[np.float32],
        n_results: int,
        where: dict[str, Any],
        include: list[Literal["documents", "embeddings", "metadatas", "distances", "uris", "data"]],
    ) -> Mapping[str, object]:
        """Return the nearest records that fit the filter: `ids` and `distances`, a list for each query."""

    def count(self) -> int:
        """Return how many records there are."""


class OutsideIndex:
    """A collection as the index: what it raises is told in one sentence, and nobody waits for it longer than `timeout` seconds.

    After a failure the background work rests, twice as long each time up to `longest` seconds, until it answers a question again. For all
    threads.

    Raises:
        ConfigError: it is no collection, has an unknown distance, is deleted, or holds vectors of another length. One that is out of reach
            is no error: it may come back.
    """

    def __init__(self, collection: VectorCollection, *, dimension: int, timeout: float, pause: float, longest: float) -> None:
        if missing := [name for name in ("id", "name", *_METHODS) if not hasattr(collection, name)]:
            what = f"has no {missing[0]!r}"
            raise ConfigError(
                f"`vectors` is {type(collection).__name__}, which {what}; give a Chroma collection, or None for the file's own."
            )
        if iscoroutinefunction(collection.query):
            raise ConfigError(f"The collection {collection.name} is an asynchronous client's; give one of a synchronous client.")
        self.name, self.identity = str(collection.name), str(collection.id)
        self._collection, self.dimension = collection, dimension
        self._timeout = timeout
        self._callers = Callers("memdb-collection")
        self._hangs = False
        self.rest = Rest(pause=pause, longest=longest)
        self.count_at = 0.0  # when, on the monotonic clock, it is to be seen whether it lost records
        self._scale = _scale(collection, self.name)
        self._check()

    def close(self) -> None:
        """Let go of the threads that called it."""
        self._callers.close()

    def count(self) -> int:
        """Return how many records there are.

        Raises:
            CollectionError: the collection failed.
        """
        return self._call("count", self._collection.count, _count)

    def held(self, ids: list[str]) -> dict[str, tuple[object, object]] | None:
        """Return the text of each record and when it changed, of those that are there; or None where the collection cannot be asked.

        Raises:
            CollectionError: the collection failed.
        """
        get = getattr(self._collection, "get", None)
        if get is None:
            return None

        return self._call("get", lambda: get(ids=ids, include=["documents", "metadatas"]), _records)

    def upsert(self, ids: list[str], vectors: NDArray[np.float32], *, documents: list[str], metadatas: list[Mapping[str, Value]]) -> None:
        """Write records, in the place of those of the same ids.

        Raises:
            CollectionError: the collection failed.
        """
        self._call("upsert", lambda: self._collection.upsert(ids, embeddings=vectors, documents=documents, metadatas=metadatas), _anything)

    def delete(self, ids: list[str]) -> None:
        """Delete records, if they are there.

        Raises:
            CollectionError: the collection failed.
        """
        self._call("delete", lambda: self._collection.delete(ids), _anything)

    def find(
        self, db: Database, question: NDArray[np.float32], *, user_id: str, kinds: Sequence[str], statuses: Sequence[str], k: int
    ) -> tuple[str | None, str | None]:
        """Return the k nearest messages and the k nearest other rows of a user as `retrieve.sql` takes them; or None, and what failed.

        Messages are asked for by themselves, so that thousands of them never crowd out a few facts. What the collection was not told yet
        is added from the file; while that is much, there is nothing to be gained from asking it. Where it finds fewer than it was told of,
        before it was asked and still, somebody else took them away or put others beside them, and it is looked after soon.
        """
        if int((db.one("mirror.behind", most=_BEHIND + 1) or {})["behind"] or 0) > _BEHIND:
            return None, self._degraded(self.rest.error) if self.rest.error else None
        if self._hangs and self.rest.lasts:
            return None, self._degraded(self.rest.error or "")
        found: list[tuple[str, float]] = []
        told = _told(db, user_id, statuses, k)
        there = [kind for kind in kinds if kind in told]  # a question that cannot find anything costs as much as another
        groups = [[kind for kind in there if kind != "message"], [kind for kind in there if kind == "message"]]
        try:
            for group in groups:
                if group and k:
                    where = {"$and": [{"user_id": user_id}, {"status": {"$in": list(statuses)}}, {"kind": {"$in": group}}]}
                    found += self._nearest(question, where, k)
        except CollectionError as error:
            return None, self._degraded(str(error))
        row = db.one("mirror.hits", found=json.dumps(found), user_id=user_id, embedding=to_blob(question)) or {}
        known = int(row["known"] or 0)
        if known < _due(told, groups, k) and known < _due(_told(db, user_id, statuses, k), groups, k):
            self.count_at = min(self.count_at, monotonic() + _SOON_SECONDS)
            return None, self._degraded(f"the collection {self.name} found fewer records of this file than it was told of.")
        return str(row["hits"]), None

    def _degraded(self, why: str) -> str:
        return f"searched by words and the file's own vectors: {why}"

    def _nearest(self, question: NDArray[np.float32], where: dict[str, Any], k: int) -> list[tuple[str, float]]:
        def ask() -> object:
            return self._collection.query(query_embeddings=question[None, :], n_results=k, where=where, include=["distances"])

        return [(name, distance * self._scale) for name, distance in self._call("query", ask, _hits) if math.isfinite(distance)]

    def _check(self) -> None:
        """Ask something: that tells whether it is there, and whether vectors of this length fit."""
        import numpy as np

        try:
            self._nearest(np.eye(1, self.dimension, dtype=np.float32)[0], {"user_id": ""}, 1)
        except CollectionError as error:
            said = str(error)
            if "dimension" in said or "does not exist" in said:
                self.close()
                wanted = f"one for vectors of {self.dimension} dimensions, such as client.get_or_create_collection('facts')"
                raise ConfigError(f"The collection {self.name} cannot serve as the index: {error} Give {wanted}.") from error

    def _call(self, method: str, act: Callable[[], object], read: Callable[[Any], Result]) -> Result:
        try:
            answer = self._callers.call(act, self._timeout)
        except TooLateError:
            raise self._failed(f"gave no answer for {self._timeout:g} s", hangs=True) from None
        except Exception as error:  # whatever a collection raises is that it failed
            raise self._failed(f"failed ({type(error).__name__}: {' '.join(str(error).split())[:200]})", hangs=False) from error
        try:
            value = read(answer)
        except Exception as error:  # there is no end to what may be wrong with it
            why = f"answered {method}() with something else than {_ANSWERS[method]}; give a collection that answers as Chroma's do"
            raise self._failed(why, hangs=False) from error
        self.rest.end()
        self._hangs = False
        return value

    def _failed(self, why: str, *, hangs: bool) -> CollectionError:
        self._hangs = hangs
        error = f"the collection {self.name} {why}."
        self.rest.begin(error)
        return CollectionError(error)


def _told(db: Database, user_id: str, statuses: Sequence[str], k: int) -> dict[str, int]:
    """How many rows of each kind that a user has the collection was told of, as far as k."""
    rows = db.all("mirror.kinds", user_id=user_id, statuses=json.dumps(list(statuses)), most=k)
    return {str(row["kind"]): int(row["told"] or 0) for row in rows}


def _due(told: Mapping[str, int], groups: Sequence[Sequence[str]], k: int) -> int:
    """How many records a collection finds that was told of so many of each kind, and is asked for k of each group."""
    return sum(min(k, sum(told.get(kind, 0) for kind in group)) for group in groups)


def _anything(_answer: object) -> None:
    """Whatever is answered to a write tells nothing."""


def _count(answer: Any) -> int:
    if (number := operator.index(answer)) < 0:
        raise ValueError(number)
    return number


def _records(answer: Any) -> dict[str, tuple[object, object]]:
    rows = zip(answer["ids"], answer["documents"], answer["metadatas"], strict=True)
    return {str(name): (text, (metadata or {}).get("updated_at")) for name, text, metadata in rows}


def _hits(answer: Any) -> list[tuple[str, float]]:
    [ids], [distances] = answer["ids"], answer["distances"]
    if isinstance(ids, str) or not all(isinstance(name, str) for name in ids):
        raise TypeError(ids)
    return [(name, float(distance)) for name, distance in zip(ids, distances, strict=True)]


def _scale(collection: VectorCollection, name: str) -> float:
    settings = getattr(collection, "configuration_json", None) or {}
    index = (settings.get("hnsw") or settings.get("spann") or {}) if isinstance(settings, Mapping) else settings
    space = index.get("space", "l2") if isinstance(index, Mapping) else index
    if not isinstance(space, str) or space not in _AS_COSINE:
        raise ConfigError(f"The collection {name} has the distance {space!r}; make one with cosine, l2 or ip.")
    return _AS_COSINE[space]
