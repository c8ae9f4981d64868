"""What is believed that a candidate may repeat, refine or contradict: looked up under its key, however much is there, or by meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from memdb import stored
from memdb.config import Config
from memdb.database import Database, Row, SqlValue
from memdb.embed import Embedder
from memdb.keys import canonical_key, normalise, predicate_of, telling
from memdb.records import Candidate, Case, Fact, Predicate
from memdb.times import MOMENT, to_text
from memdb.unspaced import ONE_WORD, quoted, words_of

_MANY = 1_000  # facts under a key; fewer are compared one by one
_ASKED = 8  # words that facts are looked up by, the longest
_COMPARED = 500  # words of a value, the longest, by which others are looked for: each is looked for in each
_NEAREST = 20  # so many that differ in a word may stand nearer than the one that does not
_BEARING = 200  # facts of a set that may share a word with what is said; more are no help, and take long


def case_of(
    db: Database,
    candidate: Candidate,
    *,
    user_id: str,
    now: datetime,
    predicates: Mapping[str, Predicate],
    kind: str = "fact",
    known: dict[str, Fact] | None = None,
    exactly: bool,
) -> Case:
    """A candidate with what it may repeat, refine or contradict."""
    beliefs = beliefs_about(db, candidate, user_id=user_id, now=now, predicates=predicates, kind=kind, known=known, exactly=exactly)
    return Case(candidate=candidate, beliefs=bearing_on(candidate, beliefs, predicates))


def nearest(
    db: Database, vector: bytes, *, embedder: Embedder, user_id: str, kind: str, now: datetime, config: Config
) -> Iterator[tuple[Fact, float]]:  # fmt: skip
    """Return what of a kind is believed of a user and as near to a vector as what says the same, nearest first, each with its cosine.

    There is nothing of that sort where another process has changed the file to another embedder while this one made the vector.
    """
    asked: dict[str, SqlValue] = {"user_id": user_id, "kind": kind, "least": config.novelty_cosine, "now": to_text(now)}
    with db.snapshot():
        same = stored.made_by(db)[0] == embedder.name
        rows = db.all("liken.nearest", embedding=vector, k=_NEAREST, **asked) if same else []
    return ((stored.fact(db, row["record"]), float(row["cosine"] or 0)) for row in rows)


def beliefs_about(
    db: Database,
    candidate: Candidate,
    *,
    user_id: str,
    now: datetime,
    predicates: Mapping[str, Predicate],
    kind: str | None,
    known: dict[str, Fact] | None = None,
    exactly: bool = False,
) -> tuple[Fact, ...]:
    """What is believed under a candidate's key and the opposite one; of a set, what may share a word with it (of very many, what shares
    most), and the newest.

    What is uncertain is no belief, but is among them where the candidate says the same. A candidate of a `kind` bears on its own kind alone
    (a note about a home takes no fact's place, and the other way round), a denial on all of them; None stands for all, too.

    `known` are facts by their records: who asks again within the same decision gives the same dictionary, and what stands there as it did
    is not made anew. Where the rules decide, `exactly` will do: of sets with very many values only what they may take for the same is
    looked up.
    """
    predicate = predicate_of(candidate.key, predicates)
    opposite = predicate.opposite
    words = (
        None
        if predicate.cardinality == "one" or not candidate.object
        else json.dumps(sorted(telling(candidate.object), key=lambda word: (-len(word), word))[:_COMPARED])
    )
    keys = json.dumps([candidate.key] + ([canonical_key(candidate.subject, opposite)] if opposite else []))
    asked: dict[str, SqlValue] = {
        "user_id": user_id, "keys": keys, "words": words, "most": _BEARING, "kind": None if candidate.negated else kind, "now": to_text(now)
    }  # fmt: skip
    known = {} if known is None else known
    found: list[Fact] | None = None
    terms = _whole(candidate, predicate) if exactly and words else None
    if terms and db.tuples("believe.are_many", user_id=user_id, keys=keys, many=_MANY) == [(1,)]:
        found = _read(db, db.all("believe.among", terms=terms, **asked), known)
        if any(fact.valid_to is not None for fact in found):
            found = None  # what begins when that ends may say anything
    if found is None:
        found = _read(db, db.all("believe.under_keys", **asked), known)
    said = normalise(candidate.object)
    return tuple(fact for fact in found if fact.status != "uncertain" or normalise(fact.object) == said)


def _read(db: Database, rows: Sequence[Row], known: dict[str, Fact]) -> list[Fact]:
    for row in rows:
        record = str(row["record"])
        if record not in known:
            known[record] = stored.fact(db, record)
    return [known[str(row["record"])] for row in rows]


def _whole(candidate: Candidate, predicate: Predicate) -> str | None:
    """The question by which the full-text index finds all of a set that the rules may take for what a candidate says; None if it cannot.

    That has all of its telling words, unless something ends, is counted ("two cats" and "three cats"), or gets a name ("dog called Rex").
    """
    if candidate.negated or predicate.category == "identity" or " called " in f" {normalise(candidate.object)} ":
        return None
    told = telling(candidate.object)
    words = {word for word in words_of(candidate.object, contracted=True) if ONE_WORD.fullmatch(word) and telling(word) <= told}
    asked = sorted((word for word in words if not word.endswith("ie")), key=lambda word: (-len(word), word))[:_ASKED]  # "tie" and "ties"
    return "body : (" + " AND ".join(map(quoted, asked)) + ")" if asked else None


def as_received(beliefs: Sequence[Fact], candidate: Candidate, *, now: datetime, present: datetime) -> tuple[Fact, ...]:
    """What is believed, as it was said before what is said `now`, whatever the clock said then.

    Nothing can have been said after the present: where a clock was ahead when something was said, or is behind now, what came in later was
    said later; and what is said to end had begun by then.
    """
    if now > present:  # whoever gives times to come has an order of their own
        return tuple(beliefs)
    before: dict[str, datetime] = {"last_mentioned_at": now - MOMENT}
    seen: list[Fact] = []
    for fact in beliefs:
        begun = {"valid_from": min(fact.valid_from, now)} if candidate.negated and fact.created_at > present else {}
        ahead = (fact.last_mentioned_at or fact.created_at) > present
        seen.append(fact.model_copy(update=before | begun) if ahead else fact)
    return tuple(seen)


def bearing_on(candidate: Candidate, beliefs: Sequence[Fact], predicates: Mapping[str, Predicate]) -> tuple[Fact, ...]:
    """What of the beliefs a candidate may repeat, refine or contradict: all under a key with one value; of a set, what shares a word."""
    if predicate_of(candidate.key, predicates).cardinality == "one" or not candidate.object:
        return tuple(beliefs)
    words = telling(candidate.object)
    return tuple(fact for fact in beliefs if words & telling(fact.object))
