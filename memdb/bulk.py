"""Many facts at once, as another system knows them: checked, each user's put together, and stored thousands at a time."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, date
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from pydantic import ValidationError

from memdb import checks
from memdb.config import Config
from memdb.database import Database
from memdb.embed import Embedder, check_vectors
from memdb.errors import ConfigError, InputError, ModelOutputError
from memdb.keys import is_canonical, predicate_of
from memdb.records import NewFact
from memdb.segments import merge_all
from memdb.steps.decay import reckon
from memdb.steps.insert import Incoming, Reckon, incoming, insert, narratives, user_by_user
from memdb.stored import kinds_but_messages, made_by, predicates_of
from memdb.times import stored, utc_now
from memdb.wording import value_behind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

_TAKEN = 100_000  # facts in memory at once: the more of a user go together, the fewer chunks of vectors are written again and again
_INSERTED = 5_000  # facts a transaction: pages that many of them touch are written once, the lock held for a tenth of a second
_FEW = 500  # facts; what they change fits into the memory that a connection has for the file anyway
_NEW_FACT: Callable[[object], NewFact] = NewFact.__pydantic_validator__.validate_python  # `model_validate` takes a quarter longer


def store_many(
    db: Database,
    facts: Iterable[NewFact | Mapping[str, object]],
    *,
    vectors: Callable[[int, int, bool], NDArray[np.float32] | None],
    embedder: Embedder | None,
    config: Config,
) -> int:
    """Store facts as they are, five thousand a transaction, and return how many were new.

    `vectors` returns the unit vectors of so many facts from a place on, which may be known to be the last ones, made by `embedder`, or None
    if they are to be embedded later.

    Raises:
        InputError: a fact has unknown or unusable fields; what came before its hundred thousand is kept.
        ConfigError: the file has another embedder by now than the one that made the vectors.
    """
    checks.records(facts, "facts")
    kinds = kinds_but_messages(db)
    zone = UTC if str(config.zone) == "UTC" else config.zone

    def at(given: date | str | None, field: str) -> str:
        try:
            return stored(utc_now() if given is None else given, zone=zone)
        except InputError as error:
            raise InputError(f"{field}: {error}") from error

    @cache
    def label(key: str) -> str:
        return predicate_of(key, predicates_of(db, key)).label

    stream, taken, added = iter(facts), 0, 0
    batch = list(islice(stream, _TAKEN))
    with (
        db.roomy() if len(batch) > _FEW else nullcontext(),
        db.log_moved_aside() if len(batch) > _INSERTED else nullcontext(lambda: None) as written,
    ):
        while batch:
            turn_id = f"import-{uuid.uuid4().hex}"
            rows = [
                _row(place, one, kinds=kinds, label=label, time=at, turn_id=turn_id, config=config)
                for place, one in enumerate(batch, start=taken + 1)
            ]
            rows, order = user_by_user(rows)
            ready = vectors(taken, len(batch), len(batch) < _TAKEN)
            for start in range(0, len(rows), _INSERTED):
                part = slice(start, start + _INSERTED)
                with db.transaction():
                    if ready is not None and embedder is not None:
                        _same_embedder(db, embedder)
                    added += insert(db, rows[part], vectors=None if ready is None else ready[order[part] if order else part])
                    if made := narratives(rows[part]):
                        reckon(db, list(made), since=min(made.values()), now=None, config=config)
                written()
            taken += len(batch)
            batch = list(islice(stream, _TAKEN))
        if added > _INSERTED:
            merge_all(db, added=added, written=written)
    return added


def _same_embedder(db: Database, embedder: Embedder) -> None:
    """Refuse vectors of an embedder that is the file's no more, since another process has changed it."""
    named = str(made_by(db)[0])
    if named != embedder.name:
        raise ConfigError(f"{db.path} has vectors of the embedder {named} by now, so those of {embedder.name} are no use; open it again.")


def usable(
    vectors: NDArray[np.float32] | Sequence[ArrayLike], count: int, *, start: int = 0, last: bool = False, embedder: Embedder | None
) -> NDArray[np.float32]:
    """Return so many of the vectors that somebody else made with a memory's embedder, from a place on, checked: the `last` that there are.

    Raises:
        InputError: they have the wrong shape, are zero or not finite.
        ConfigError: the memory was opened without an embedder.
    """
    if embedder is None:
        raise ConfigError("The memory was opened without an embedder, so that vectors are of no use to it; open it with theirs.")
    name, dimension = embedder.name, embedder.dimension
    try:
        return check_vectors(vectors[start : None if last else start + count], count=count, dimension=dimension, embedder=name)
    except (ModelOutputError, TypeError, LookupError) as error:  # or nothing that has parts; a mapping misses a slice by either of these
        raise InputError(
            f"The vectors given are not of the shape ({count}, {dimension}), finite and none of them zero; give the vectors of {name}."
        ) from error


def _row(
    place: int,
    given: NewFact | Mapping[str, object],
    *,
    kinds: Collection[str],
    label: Callable[[str], str],
    time: Reckon,
    turn_id: str,
    config: Config,
) -> Incoming:
    try:
        fact = _new_fact(given, kinds)
        bare = fact.object
        if bare is None and fact.kind == "fact":  # as `remember` does, so that it is one with what the user says
            bare = value_behind(label(fact.key), fact.value_text)
        return incoming(fact, object=bare, time=time, turn_id=turn_id, config=config)
    except InputError as error:
        raise InputError(f"Fact {place} cannot be stored: {error}") from error


def _new_fact(given: NewFact | Mapping[str, object], kinds: Collection[str]) -> NewFact:
    try:
        fact = given if isinstance(given, NewFact) else _NEW_FACT(given)
    except ValidationError as error:
        raise InputError(f"{checks.fault(error)}.") from error
    checks.filled(fact.value_text, "value_text")
    checks.name(fact.user_id, "user_id")
    for name in ("object", "session_id", "turn_id", "fact_id"):
        if (value := getattr(fact, name)) is not None:
            checks.text(value, name)
    checks.tags(fact.tags)
    if fact.value_json is not None:
        checks.storable(fact.value_json)
    checks.details(fact.kind, fact.value_json)
    if not is_canonical(fact.key):
        raise InputError(f"its key is {fact.key!r}; write subject.predicate in lower case, such as user.lives_in.")
    if fact.kind not in kinds:
        raise InputError(f"its kind is {fact.kind!r}, which is none that is stored so; messages come in by observe and load.")
    return fact
