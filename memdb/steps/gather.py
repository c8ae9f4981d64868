"""Find what is held twice: the same value under the same key, and notes that are nearly the same."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from memdb.config import Config
from memdb.database import Database, Row
from memdb.keys import gist, is_no_news, normalise
from memdb.records import Predicate
from memdb.times import to_text

_BATCH = 100_000  # rows looked at at once: for each batch all that is held under their keys is read, and takes more room than they do
_NEAREST = 20  # of many that are nearly the same, each is joined with so many: they become one all the same
_COMPARED = 256  # vectors that are compared with the others at once
_FREE = "note"  # the predicate of what was said under no key of its own


@dataclass(frozen=True, slots=True)
class Gathered:
    """The ids of facts that say the same, group by group, the oldest row first, and up to which row was looked."""

    groups: tuple[tuple[str, ...], ...]
    up_to: int


def gather(db: Database, *, user_id: str, predicates: Mapping[str, Predicate], config: Config, now: datetime) -> Gathered | None:
    """Return what of a user's next rows says the same as any other active fact or note; None if there are no more rows.

    Under the same key that is the same object, at the same time. What has no key of the vocabulary is also compared by its vector, as
    `admit` does; where vectors are made, a row is looked at once it has its own.
    """
    fresh = db.all("gather.fresh", user_id=user_id, batch=_BATCH)
    if db.has_vectors:
        fresh = fresh[: next((place for place, row in enumerate(fresh) if row["waits"]), len(fresh))]
    if not fresh:
        return None
    keys = json.dumps(sorted({str(row["key"]) for row in fresh}))
    held = {str(row["fact_id"]): row for row in db.all("gather.held", user_id=user_id, keys=keys, now=to_text(now))}
    alike: dict[tuple[object, ...], set[str]] = {}
    for name, row in held.items():
        alike.setdefault((row["shelf"], row["circumstances"], normalise(str(row["object"]))), set()).add(name)
    names = {str(row["fact_id"]) for row in fresh}
    groups = [group for group in alike.values() if len(group) > 1 and group & names]
    if db.has_vectors:
        free = {name: row for name, row in held.items() if row["lasts"] and _is_free(row, predicates)}
        for sayings in _comparable(free, names):
            groups += _near(db, sayings, names, least=config.novelty_cosine)
    place = {name: number for number, name in enumerate(held)}
    return Gathered(tuple(tuple(sorted(group, key=place.__getitem__)) for group in _joined(groups)), int(fresh[-1]["id"] or 0))


def _is_free(row: Row, predicates: Mapping[str, Predicate]) -> bool:
    predicate = str(row["key"]).partition(".")[2]
    return row["kind"] == "note" or predicate == _FREE or predicate not in predicates


def _comparable(rows: Mapping[str, Row], fresh: Collection[str]) -> Iterator[list[Row]]:
    """Rows that may say the same in other words, with something new among them; of what is just the same, one, which is new if any is.

    Facts that do not have the same telling words say different things, however near they are.
    """
    alike: dict[tuple[object, ...], dict[tuple[object, object], Row]] = {}
    for row in rows.values():
        words = gist(str(row["value_text"])) if row["kind"] == "fact" else None
        sayings = alike.setdefault((row["shelf"], row["circumstances"], words), {})
        saying = row["object"], row["value_text"]
        if saying not in sayings or row["fact_id"] in fresh:
            sayings[saying] = row
    for sayings in alike.values():
        is_new = any(row["fact_id"] in fresh for row in sayings.values())
        if is_new and len({normalise(str(row["object"])) for row in sayings.values()}) > 1:
            yield list(sayings.values())


def _near(db: Database, rows: Sequence[Row], fresh: Collection[str], *, least: float) -> list[set[str]]:
    """Which of these rows that are new say the same as which others."""
    import numpy as np

    ids = json.dumps([row["id"] for row in rows])
    stored = dict(cast(list[tuple[int, bytes]], db.tuples("gather.vectors", ids=ids)))
    rows = [row for row in rows if row["id"] in stored]
    if len(rows) < 2:
        return []
    vectors = np.frombuffer(b"".join(stored[cast(int, row["id"])] for row in rows), "<f4").reshape(len(rows), -1)
    new = [place for place, row in enumerate(rows) if row["fact_id"] in fresh]
    groups = []
    for start in range(0, len(new), _COMPARED):
        part = new[start : start + _COMPARED]
        cosines = vectors[part] @ vectors.T
        nearest = np.argpartition(cosines, -min(_NEAREST, len(rows)), axis=1)[:, -_NEAREST:]
        near = np.take_along_axis(cosines, nearest, axis=1) >= least
        for place, others in zip(part, (places[is_near].tolist() for places, is_near in zip(nearest, near, strict=True)), strict=True):
            own = rows[place]
            groups.append({str(own["fact_id"]), *(str(rows[other]["fact_id"]) for other in others if _no_news(own, rows[other]))})
    return [group for group in groups if len(group) > 1]


def _no_news(row: Row, other: Row) -> bool:
    return is_no_news(str(row["value_text"]), str(other["value_text"]), kind=str(row["kind"]))


def _joined(groups: list[set[str]]) -> list[set[str]]:
    """Groups that have a member in common as one."""
    joined: dict[str, set[str]] = {}
    for group in groups:
        met = {id(joined[name]): joined[name] for name in group if name in joined}
        whole = max(met.values(), key=len, default=set[str]())  # the others go into the largest, so that nothing is moved often
        for part in (*(one for one in met.values() if one is not whole), group):
            whole |= part
            joined.update(dict.fromkeys(part, whole))
    return list({id(whole): whole for group in groups for whole in [joined[min(group)]]}.values())
