"""Links between facts: made by hand or by likeness, taken away, and followed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from time import monotonic
from typing import get_args

from memdb import checks, reading, stored
from memdb.answers import Linked
from memdb.config import Config
from memdb.database import Database
from memdb.errors import InputError
from memdb.records import LIVE, Link, Relation, Status
from memdb.steps.link import link as put_link
from memdb.steps.relate import Having, Rarity
from memdb.steps.relate import relate as find_alike
from memdb.steps.walk import walk
from memdb.times import to_text

_DEEPEST = 8  # steps; what is further away has nothing to do with where one began


def link(db: Database, source_id: str, target_id: str, *, relation: Relation, strength: float, now: datetime) -> Link:
    """Link a fact to another of the same user, and return the link.

    Raises:
        NotFoundError: no fact has one of these ids.
        InputError: they are the same fact, of different users, or in the archive, no such relation is known, or the strength is not
            in 0..1.
    """
    checks.one_of(relation, get_args(Relation), "relation")
    if (share := checks.share(strength, "strength")) is None:
        raise InputError("strength is None; give a number between 0 and 1.")
    with db.transaction():
        source, target = (reading.in_place(db, reading.fact(db, fact_id)) for fact_id in (source_id, target_id))
        return put_link(db, source, target, relation=relation, strength=float(share), now=now)


def unlink(db: Database, source_id: str, target_id: str, *, relation: Relation | None) -> int:
    """Remove the link from a fact to another, or all of them, and return how many there were.

    Raises:
        InputError: there is no such relation.
    """
    if relation is not None:
        checks.one_of(relation, get_args(Relation), "relation")
    for argument, fact_id in (("source_id", source_id), ("target_id", target_id)):
        checks.text(fact_id, argument)
    with db.transaction():
        return db.run("links.remove", source_id=source_id, target_id=target_id, relation=relation)


def links(
    db: Database,
    fact_id: str,
    *,
    depth: int,
    relations: Sequence[Relation] | None,
    statuses: Sequence[Status] | None,
    min_strength: float,
    limit: int,
    now: datetime,
) -> list[Linked]:
    """Return the facts that links lead to within `depth` steps, nearest and strongest first.

    Raises:
        NotFoundError: no fact has this id.
        InputError: the depth is not within 1 to 8, the strength not in 0..1, or there is no such relation.
    """
    depth = checks.count(depth, "depth")
    if not 1 <= depth <= _DEEPEST:
        raise InputError(f"depth is {depth}; give a number of steps from 1 to {_DEEPEST}.")
    checks.lists(relations=relations, statuses=statuses)
    for relation in () if relations is None else relations:
        checks.one_of(relation, get_args(Relation), "relation")
    fact_id, over = reading.fact(db, fact_id).fact_id, LIVE if statuses is None else statuses
    return walk(
        db,
        fact_id,
        depth=depth,
        relations=relations,
        statuses=over,
        min_strength=float(checks.share(min_strength, "min_strength") or 0.0),
        limit=checks.count(limit, "limit"),
        now=now,
    )


def relate(
    db: Database, user_id: str, *, kinds: Sequence[str] | None, now: datetime, config: Config, patience: float = math.inf
) -> int:  # fmt: skip
    """Link what is new to what it is like, some rows a transaction, and return how many links were made.

    What is alike is looked for without holding the file. What is left after `patience` seconds is linked next time.

    Raises:
        InputError: there is no such kind.
    """
    checks.lists(kinds=kinds)
    chosen, known = config.link_kinds if kinds is None else kinds, list(stored.kinds(db))
    for kind in chosen:
        checks.one_of(kind, known, "kinds")
    checks.name(user_id, "user_id")
    made, until, at = 0, monotonic() + patience, to_text(now)
    look = partial(
        find_alike,
        db,
        user_id=user_id,
        kinds=chosen,
        min_strength=config.link_min_strength,
        most=config.link_most,
        rarity=Rarity(db),
        having=Having(db, user_id=user_id, kinds=chosen),
    )
    while (found := look()) is not None:
        with db.transaction():
            for source, target, strength in found.pairs:
                made += db.run("links.alike", user_id=user_id, source_id=source, target_id=target, strength=strength, now=at)
            db.run("links.related", user_id=user_id, last_id=found.last_id)
        if monotonic() >= until:
            break
    return made
