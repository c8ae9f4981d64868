"""Find what is held twice: the same value under the same key, and notes that are nearly the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memdb.config import Config
from memdb.database import Database, Row
from memdb.keys import is_no_news, normalise
from memdb.records import Fact, Predicate
from memdb.times import to_text

_BATCH = 2_000  # rows looked at at once: for each batch all that is held under their keys is read
_NEAREST = 20
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
    held = {str(row["fact_id"]): row for row in db.all("gather.held", user_id=user_id, keys=keys)}
    alike: dict[tuple[object, ...], set[str]] = {}
    for name, row in held.items():
        alike.setdefault((row["shelf"], row["circumstances"], normalise(str(row["object"]))), set()).add(name)
    names = {str(row["fact_id"]) for row in fresh}
    groups = [group for group in alike.values() if len(group) > 1 and group & names]
    compared: set[tuple[object, ...]] = set()
    for row in fresh:
        predicate = str(row["key"]).partition(".")[2]
        own = held.get(str(row["fact_id"]))
        if own is None:
            continue  # somebody has ended it meanwhile
        same = own["shelf"], own["circumstances"], own["object"], row["value_text"]
        if db.has_vectors and (row["kind"] == "note" or predicate == _FREE or predicate not in predicates) and same not in compared:
            compared.add(same)  # who says just the same is with it already, and near to the same
            near = _near(db, row, held, user_id=user_id, config=config, now=now)
            groups += [near | {str(row["fact_id"])}] if near else []
    place = {name: number for number, name in enumerate(held)}
    return Gathered(tuple(tuple(sorted(group, key=place.__getitem__)) for group in _joined(groups)), int(fresh[-1]["id"] or 0))


def _near(db: Database, row: Row, held: Mapping[str, Row], *, user_id: str, config: Config, now: datetime) -> set[str]:
    vector = db.one("gather.vector", id=row["id"])
    if vector is None:
        return set()
    found = db.all(
        "liken.nearest",
        embedding=vector["embedding"],
        k=_NEAREST,
        user_id=user_id,
        kind=row["kind"],
        least=config.novelty_cosine,
        now=to_text(now),
    )
    own, near = held[str(row["fact_id"])], set()
    for one in found:
        fact = Fact.model_validate_json(str(one["record"]))
        other = held.get(fact.fact_id)
        comparable = other is not None and (other["shelf"], other["circumstances"]) == (own["shelf"], own["circumstances"])
        if comparable and fact.fact_id != row["fact_id"] and is_no_news(str(row["value_text"]), fact.value_text, kind=fact.kind):
            near.add(fact.fact_id)
    return near


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
