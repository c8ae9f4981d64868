"""Recognise what only repeats something in other words: the novelty of the write gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from memdb import stored
from memdb.beliefs import nearest
from memdb.config import Config
from memdb.database import Database
from memdb.embed import Embedder, check_vectors, to_blob
from memdb.figures import closer
from memdb.keys import normalise, predicate_of, says_no_more, says_the_same
from memdb.logs import warn_now_and_then
from memdb.records import Action, Candidate, Case, Fact, Predicate
from memdb.retelling import adds_details, details_of


def liken(
    db: Database,
    cases: Sequence[Case],
    *,
    user_id: str,
    now: datetime,
    embedder: Embedder | None,
    predicates: Mapping[str, Predicate],
    config: Config,
    kind: str,
) -> list[Action | None]:
    """Return for each case the refreshing of the fact that it repeats, or None: the nearest of all of its kind that is believed of a user.

    What is as near as `config.novelty_cosine` is a repetition, unless its words say something else: a cosine tells "lives in Lisbon" from
    "lives in Porto" hardly, and "on Monday" from "on Tuesday" not at all. It repeats a fact of its key if its object has the same telling
    words in the same order (or fewer, where a key has one value), and a fact of another key if its whole sentence has. Without an embedder,
    or when it fails, everything is new: keeping twice is better than losing.
    """
    found: list[Action | None] = [None] * len(cases)
    places = [place for place, case in enumerate(cases) if _is_comparable(case)]
    if embedder is None or not places or not db.has_vectors or not db.all("liken.any", user_id=user_id, kind=kind):
        return found
    if stored.made_by(db)[0] != embedder.name:
        return found  # the file's vectors are another's
    vectors = _embed([cases[place].candidate.value_text for place in places], embedder)
    for place, vector in zip(places, vectors, strict=False):
        said = cases[place].candidate
        single = predicate_of(said.key, predicates).cardinality == "one"
        for fact, cosine in nearest(db, vector, embedder=embedder, user_id=user_id, kind=kind, now=now, config=config):
            if _is_repeated(said, fact, single=single):
                found[place] = _refresh(said, cosine, fact, config)
                break
    return found


def _is_comparable(case: Case) -> bool:
    """Whether meaning has a say: what is bounded in time, denies something or is said in known words is weighed by its words."""
    said = case.candidate
    if said.negated or said.denies or said.temporary or said.event_time is not None or said.valid_to is not None:
        return False
    object = normalise(said.object)
    return not any(fact.key == said.key and normalise(fact.object) == object for fact in case.beliefs)


def _is_repeated(said: Candidate, fact: Fact, *, single: bool) -> bool:
    if fact.status != "active" or fact.denies or fact.valid_to is not None or fact.event_time is not None:
        return False
    if fact.key == said.key and single and fact.kind != "procedure":  # of fewer words the rules see by themselves that they say no more
        plain = set(normalise(said.object).split()) <= set(normalise(fact.object).split())
        return not plain and says_no_more(said.object, fact.object)
    if fact.key == said.key:
        return says_the_same(said.object, fact.object)
    same_subject = fact.key.partition(".")[0] == said.subject
    return same_subject and says_the_same(said.value_text, fact.value_text) and says_no_more(said.object, fact.object)


def _refresh(said: Candidate, cosine: float, fact: Fact, config: Config) -> Action:
    more = adds_details(said, fact)
    return Action(
        type="update" if more else "noop",
        key=fact.key,
        new_value_text=fact.value_text if more else said.value_text,
        new_value_json=details_of(said) if more else said.value_json,
        target_fact_id=fact.fact_id,
        valid_to=fact.valid_to,
        confidence_delta=round(closer(fact.confidence, config.confirmation_rate), 6),
        reason=f"said again in other words (cosine {cosine:.2f})",
        candidate=said,
    )


def _embed(texts: Sequence[str], embedder: Embedder) -> list[bytes]:
    try:
        made = check_vectors(embedder.embed(texts), count=len(texts), dimension=embedder.dimension, embedder=embedder.name)
        return [to_blob(vector) for vector in made]
    except Exception as error:  # an embedder is foreign code; whatever it raises must not cost the user a fact
        warn_now_and_then("whether a fact is new was decided by its words alone: %s", error)
        return []
