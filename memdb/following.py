"""What follows from what a turn states: what was planned is done, who has somebody is not single, and nobody visits where they live."""

from __future__ import annotations

from collections.abc import Iterable

from memdb.english_rules import compiled, rules
from memdb.keys import canonical_key, normalise, telling
from memdb.records import Candidate, Turn
from memdb.second_thoughts import Situation, end_of

_UNDER_WAY = ("plans", "learning")


def follow_from(turn: Turn, facts: Iterable[Candidate], there: Situation) -> list[Candidate]:
    """Return the ends that follow from what a turn states, of what was believed before it."""
    stated = list(facts)
    return [*_done(stated, there), *_arrived(turn, stated, there), *_single_no_more(turn, stated, there)]


def without_stays(turn: Turn, facts: list[Candidate], there: Situation) -> list[Candidate]:
    """Return facts without a stay at the place where one lives by now, but with the end of one elsewhere.

    "We're in York now", of whoever was to move there, or lives there, tells of no stay in York, and of no other any more.
    """
    stays = [one for one in facts if one.predicate == "staying_in" and _is_so(one) and one.object]
    if not stays:
        return facts
    told = (one for one in facts if one.predicate == "lives_in" and _is_so(one))
    lives = {_where(one) for one in told if (one.valid_from or turn.timestamp) <= turn.timestamp}
    lasting = {one.subject for one in stays if one.valid_to is None}
    known = there.held_under([canonical_key(subject, "lives_in") for subject in lasting])
    lives |= {(key.partition(".")[0], normalise(value)) for key, value in known}
    at_home = [one for one in stays if _where(one) in lives]
    elsewhere = (
        end_of(turn, key, value, there, because=None)
        for one in at_home
        for key, value in there.held_under([one.key])
        if normalise(value) != normalise(one.object)
    )
    return [*(one for one in facts if one not in at_home), *elsewhere] if at_home else facts


def _is_so(one: Candidate) -> bool:
    return not (one.negated or one.denies or one.coming)


def _where(one: Candidate) -> tuple[str, str]:
    return one.subject, normalise(one.object)


def _done(facts: Iterable[Candidate], there: Situation) -> list[Candidate]:
    """What was only considered, and has come, or is planned by now: "moving to Porto", of who moved, or is moving, to Porto."""
    own = (one for one in facts if one.object and not (one.negated or one.denies) and one.subject == there.owner.slug)
    new = [one for one in own if one.explicit or one.predicate in _UNDER_WAY]
    key = canonical_key(there.owner.slug, "considers")
    considered = [(value, telling(value)) for _, value in there.held_under([key])] if new else []
    return [
        one.model_copy(update={"key": key, "object": value, "negated": True, "category": "task_context", "value_json": None})
        for one in new
        for value, words in considered
        if one.key != key and telling(one.object) <= words
    ]


def _arrived(turn: Turn, facts: Iterable[Candidate], there: Situation) -> list[Candidate]:
    """The ends of plans to get to where somebody lives or works by now: "moving to York", of who has moved to York."""
    new = [one for one in facts if one.explicit and one.object and _is_so(one)]
    ways = ((one, rules().over.gets_to.get(one.predicate)) for one in new if (one.valid_from or turn.timestamp) <= turn.timestamp)
    return [
        end_of(turn, key, value, there, because=None)
        for one, way in ways
        if way
        for key, value in there.held_under([canonical_key(one.subject, "plans")])
        if compiled(way).fullmatch(value) and telling(one.object) <= telling(value)
    ]


def _single_no_more(turn: Turn, facts: Iterable[Candidate], there: Situation) -> list[Candidate]:
    """The end of being single, of who tells of whom they have: "I'm seeing someone new, his name is Tom"."""
    owner = there.owner.slug
    has = [one for one in facts if one.subject == owner and one.predicate in rules().over.partners and one.object]
    key = canonical_key(owner, "relationship")
    if not any(not (one.negated or one.denies or one.temporary) for one in has):
        return []
    return [end_of(turn, key, value, there, because=None) for _, value in there.held_under([key]) if normalise(value) == "single"]
