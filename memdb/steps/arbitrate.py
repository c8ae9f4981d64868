"""Weigh what a turn says against what is believed, and propose what to do: mem-skill's stage 2, by rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from memdb.config import Config
from memdb.figures import closer
from memdb.keys import as_spelled, is_same, is_spelled_better, names_another, normalise, predicate_of, says_the_same
from memdb.privacy import topic_of
from memdb.records import LIVE, UNDECIDED, Action, Candidate, Fact, Predicate
from memdb.retelling import adds_details, details_of, has_begun

_NUMBERS = frozenset("two three four five six seven eight nine ten".split())
_NEAR, _WAITS = "near ", "pending_confirmation"
_BEGUN = "it was to come, and is so already"
_GROWN = {"puppy": "dog", "kitten": "cat"}  # as the rules name them with their names


def arbitrate(
    candidate: Candidate, beliefs: Sequence[Fact], *, predicates: Mapping[str, Predicate], config: Config, now: datetime
) -> list[Action]:
    """Return the actions that a candidate calls for, in order.

    `beliefs` are the live facts under the candidate's key and its opposite's, and what is uncertain and says the same; `now` is the time of
    the turn. What is proposed here, `guard` may still turn into a question.
    """
    own = [fact for fact in beliefs if fact.key == candidate.key]
    same = [fact for fact in own if fact.denies == candidate.denies and _same(fact, candidate)]
    same = [fact for fact in same if fact.created_at <= now or not _is_over_before(candidate, fact)]
    if candidate.coming and not candidate.negated:
        same = [fact for fact in same if fact.status == "active" and fact.valid_to is not None]
        if not same:
            return []
    if candidate.negated:
        return _end(candidate, own, predicate_of(candidate.key, predicates), config, now=now)
    passing = None  # what was said to be so for a time, beside something that lasts, and is now said to last itself
    if same:
        known = min(same, key=lambda fact: ("active", *UNDECIDED).index(fact.status))
        if _is_put_off(candidate, known, predicate_of(candidate.key, predicates), config, now=now):
            rest = [_as_before(fact, known) for fact in beliefs if fact is not known]
            off = _action("expire", candidate, target=known, reason="put off, or brought forward", valid_to=now)
            return [off, *arbitrate(candidate, rest, predicates=predicates, config=config, now=now)]
        if has_begun(candidate, known, now=now):
            rest = [_as_before(fact, known) for fact in beliefs if fact is not known]
            begun = candidate.model_copy(update={"explicit": True})  # who said that it would change says that it has
            off = _action("expire", begun, target=known, reason=_BEGUN, valid_to=now)
            told = arbitrate(begun, rest, predicates=predicates, config=config, now=now)
            return [off, *(_as_sure_as(known, action, config) for action in told)]
        if not _is_to_last(candidate, known, own, predicate_of(candidate.key, predicates)):
            return [_repeat(candidate, known, config, gives_way=_gives_way(known, own))]
        if waiting := [fact for fact in same if fact.status in UNDECIDED]:
            return [_repeat(candidate, waiting[0], config)]
        if not candidate.explicit:  # "I live in Rome", by somebody who is there until June and lives in Faro
            delta = closer(known.confidence, config.confirmation_rate)
            return [_action("noop", candidate, target=known, delta=delta, reason="said again, while it lasts", valid_to=known.valid_to)]
        passing = known
    beliefs = [fact for fact in beliefs if fact.status in LIVE]
    own = [fact for fact in own if fact.status in LIVE]
    starts = candidate.valid_from or now
    contradicted, refined = _conflicts(candidate, own, beliefs, predicate_of(candidate.key, predicates), starts=starts)
    if passing is not None:
        contradicted.append(passing)
    if refined is not None:
        return [_refine(candidate, refined, config)]
    boost = closer(config.first_confidence, config.confirmation_rate) if candidate.explicit else 0.0
    if not contradicted:
        reason = "one more of its kind" if own else "nothing was held under this key yet"
        return [_action("insert", candidate, delta=boost if candidate.stated else 0.0, reason=reason)]
    return _give_way(candidate, contradicted, starts=starts, boost=boost, now=now)


def _give_way(candidate: Candidate, contradicted: list[Fact], *, starts: datetime, boost: float, now: datetime) -> list[Action]:
    """What a candidate contradicts gives way to it, but for what was said since; and what is to come waits until it begins."""
    coming = [fact for fact in contradicted if fact.status == "active" and fact.key == candidate.key and max(now, starts) < fact.valid_from]
    if coming == contradicted and (candidate.stated or not candidate.explicit) and now >= max(map(_said_last, coming)):
        first = min(coming, key=lambda fact: fact.valid_from)  # what is so now is no reason not to believe what is to come
        until = candidate.model_copy(update={"valid_to": first.valid_from})
        return [_action("insert", until, delta=boost if candidate.stated else 0.0, reason=f"so until {first.object!r} begins")]
    # a doubt that was raised since is one of whatever is believed by then, and no reason not to believe this
    contradicted = [fact for fact in contradicted if fact.status == "active" or _said_last(fact) <= now] or contradicted
    newest = max([fact for fact in contradicted if fact not in coming] or contradicted, key=_said_last)  # of what is so by then
    if now < _said_last(newest):  # by when it was said: "I've lived here since 2019" is news all the same
        reason = f"said before {newest.object!r}, which stays"
        ended = newest.valid_from if newest.valid_from > starts else _said_last(newest)
        return [_action("insert", candidate, target=newest, reason=reason, valid_to=max(starts, ended))]
    why = candidate.because or ("said to have changed" if candidate.explicit else "says otherwise")
    if candidate.explicit and candidate.because is None and topic_of(candidate) and {fact.status for fact in contradicted} == {_WAITS}:
        over = "over, as it was said, before there was leave to keep it"  # and what is so instead may have to wait for leave in turn
        ends = [_action("expire", candidate, target=fact, reason=over, valid_to=starts) for fact in contradicted]
        return [*ends, _action("insert", candidate, delta=boost if candidate.stated else 0.0, reason=why)]
    first, *others = contradicted
    alike = first.key != candidate.key or _same(first, candidate)  # a denial says of the same that it is not so
    old, new = (first.value_text, candidate.value_text) if alike else (first.object, candidate.object)
    reason = f"{why}: {old!r} gives way to {new!r}"
    actions = [_action("supersede", candidate, target=first, delta=boost, reason=reason)]
    for fact in others:
        actions.append(_action("expire", candidate, target=fact, reason=f"gives way to {candidate.object!r} as well", valid_to=starts))
    return actions


def _same(fact: Fact, candidate: Candidate) -> bool:
    return is_same(candidate.object, fact.object)


def _is_over_before(candidate: Candidate, fact: Fact) -> bool:
    """Whether what is said for a time, and comes in late, was over before a fact of the same began."""
    return candidate.temporary and candidate.valid_to is not None and candidate.valid_to <= fact.valid_from


def _said_last(fact: Fact) -> datetime:
    return fact.last_mentioned_at or fact.created_at


def _end(candidate: Candidate, own: Sequence[Fact], predicate: Predicate, config: Config, *, now: datetime) -> list[Action]:
    """Something is no longer so: end what says it is. What was never believed cannot end, nor what was said again since.

    Of a set, "my dog" ends the only dog there is. Where it may be this or that one, or less than what is believed ("pine nuts", of nuts),
    the end is only a doubt.
    """
    said = set(normalise(candidate.object).split())
    doubted = [fact for fact in own if fact.denies and fact.status == "pending_confirmation" and _same(fact, candidate)]
    if doubted and not candidate.explicit:
        return [_repeat(candidate, doubted[0], config)]
    ending: list[Fact] = []
    less = False
    for fact in own:
        held = set(normalise(fact.object).split())
        by_kind = candidate.explicit and _is_named_by_its_kind(candidate.object, fact)
        another = names_another(candidate.object, fact.object) and not by_kind
        over = (said <= held or held <= said) and not another  # also where no value is named
        comes = fact.valid_from > max(now, candidate.valid_from or now)  # what is not so now may be so then
        meant = candidate.because is not None or comes == candidate.coming
        if over and meant and fact.denies == candidate.undenies and _said_last(fact) <= now:
            ending.append(fact)
            less |= not said <= held
    named = [fact for fact in ending if says_the_same(candidate.object, fact.object)]
    ending = named or ending
    vague = bool(said) and not named and predicate.cardinality == "many" and (less or len(ending) > 1)
    ends = candidate.valid_from or candidate.valid_to or now
    reason = candidate.because or "said to be so no longer"
    actions = [_action("expire", candidate, target=fact, reason=reason, valid_to=ends) for fact in ending]
    if candidate.former and not any(_may_be_meant(candidate, fact) for fact in own):
        return _once(candidate, config, ended=ends, now=now)
    if vague and candidate.because:
        return []  # what one corrects or wants forgotten is no doubt of another
    doubt = {"type": "mark_pending_confirmation", "reason": "said to be so no longer, but maybe of another"}
    return [action.model_copy(update=doubt) for action in actions] if vague else actions


def _is_named_by_its_kind(said: str, fact: Fact) -> bool:
    """Whether what is believed is named by what it is at the end of it, in small letters: "the marathon", of the Berlin marathon."""
    return said.islower() and fact.object.endswith(f" {said}")


def _may_be_meant(candidate: Candidate, fact: Fact) -> bool:
    """Whether a fact may be what a candidate names, whether or not it ends it."""
    said, held = set(normalise(candidate.object).split()), set(normalise(fact.object).split())
    return said <= held or held <= said


def _once(candidate: Candidate, config: Config, *, ended: datetime, now: datetime) -> list[Action]:
    """Keep what was so once, and was never believed, as what is over; nothing that is unsure, on a sensitive topic, or to come.

    Since when it was so, and until when, is known only where that is said: it is kept as what was over then, or now.
    """
    if not candidate.object or candidate.confidence < config.gate_confidence or topic_of(candidate) is not None or ended > now:
        return []
    once = {"negated": False, "temporary": True, "valid_from": candidate.began or ended, "valid_to": ended}
    return [_action("insert", candidate.model_copy(update=once), reason="so once, and over")]


def _gives_way(fact: Fact, own: Sequence[Fact]) -> bool:
    """Whether a fact lasts until a change that is to come: until something else under its key begins."""
    return fact.valid_to is not None and any(other.valid_from == fact.valid_to and other.status == "active" for other in own)


def _is_to_last(candidate: Candidate, known: Fact, own: Sequence[Fact], predicate: Predicate) -> bool:
    """Whether it says to last what is so for a time, while something else lasts that it cannot be true beside."""
    if (
        predicate.cardinality == "many"
        or known.valid_to is None
        or candidate.temporary
        or candidate.event_time is not None
        or candidate.denies
    ):
        return False
    return not _gives_way(known, own) and any(
        fact.valid_to is None and fact.status in LIVE and not fact.denies and not _same(fact, candidate) for fact in own
    )


def _is_put_off(candidate: Candidate, known: Fact, predicate: Predicate, config: Config, *, now: datetime) -> bool:
    """Whether what is still to begin is now said to begin at another time, and not only less exactly."""
    begins = candidate.valid_from
    if begins is None or candidate.temporary or candidate.denies or known.status != "active" or predicate.cardinality == "many":
        return False
    if min(begins, known.valid_from) <= now or begins == known.valid_from or now < _said_last(known):
        return False
    told, held = begins.astimezone(config.zone), known.valid_from.astimezone(config.zone)
    return not (told.day == 1 and (told.year, told.month) == (held.year, held.month))


def _as_sure_as(known: Fact, action: Action, config: Config) -> Action:
    """What begins is as sure as what was to come, now that it is said again."""
    if action.type not in ("insert", "supersede"):
        return action
    delta = known.confidence + closer(known.confidence, config.confirmation_rate) - config.first_confidence
    return action.model_copy(update={"confidence_delta": round(delta, 6), "reason": _BEGUN})


def _as_before(fact: Fact, coming: Fact) -> Fact:
    """A fact as it is believed where what was to take its place is not to begin then."""
    return fact.model_copy(update={"valid_to": None}) if fact.valid_to == coming.valid_from and fact.status == "active" else fact


def _repeat(candidate: Candidate, known: Fact, config: Config, *, gives_way: bool = False) -> Action:
    delta = closer(known.confidence, config.confirmation_rate)
    lasts = not candidate.temporary and candidate.event_time is None and not gives_way
    if known.valid_to is not None and lasts and (candidate.explicit or known.status in UNDECIDED):
        return _action("update", candidate, target=known, delta=delta, reason="now said to last")
    ends = candidate.valid_to if candidate.until and not candidate.denies else None
    if known.valid_to is None and known.status == "active" and ends is not None and ends > known.valid_from:
        return _action("update", candidate, target=known, delta=delta, reason="said until when", valid_to=candidate.valid_to)
    if candidate.event_time is not None and candidate.event_time != known.event_time:
        return _action("update", candidate, target=known, delta=delta, reason="its time was said anew", valid_to=candidate.valid_to)
    if known.valid_to is not None and candidate.valid_to is not None and candidate.valid_to > known.valid_to:
        return _action("update", candidate, target=known, delta=delta, reason="holds for longer than was said", valid_to=candidate.valid_to)
    if known.status in UNDECIDED:
        return _action("update", candidate, target=known, delta=delta, reason="said again, which settles it", valid_to=known.valid_to)
    put_right = candidate.because == "corrected" and as_spelled(candidate.object) != as_spelled(known.object)
    if put_right or is_spelled_better(candidate.object, known.object):
        return _action("update", candidate, target=known, delta=delta, reason="its accents were put right", valid_to=known.valid_to)
    if adds_details(candidate, known):
        more = {"new_value_text": known.value_text, "new_value_json": details_of(candidate)}
        again = _action("update", candidate, target=known, delta=delta, reason="said again, with more of it", valid_to=known.valid_to)
        return again.model_copy(update=more)
    reason = "confirmed" if candidate.explicit else "said again"
    return _action("noop", candidate, target=known, delta=delta, reason=reason, valid_to=known.valid_to)


def _refine(candidate: Candidate, known: Fact, config: Config) -> Action:
    delta = closer(known.confidence, config.confirmation_rate)
    said = normalise(candidate.object)
    if set(said.split()) < set(normalise(known.object).split()) or _tells_more(candidate.key, normalise(known.object), said):
        return _action("noop", candidate, target=known, delta=delta, reason="said again, in fewer words", valid_to=known.valid_to)
    return _action("update", candidate, target=known, delta=delta, reason=f"says more than {known.object!r}", valid_to=known.valid_to)


def _conflicts(
    candidate: Candidate, own: Sequence[Fact], beliefs: Sequence[Fact], predicate: Predicate, *, starts: datetime
) -> tuple[list[Fact], Fact | None]:
    """Return the facts that cannot be true beside the candidate from when it starts, and the one that it says in other words, if any.

    What is so for a time may be so beside what lasts. Where nothing lasts beneath it, it is what a change takes the place of.
    """
    said = normalise(candidate.object)
    words = set(said.split())
    opposite = f"{candidate.subject}.{predicate.opposite}" if predicate.opposite else None
    denied = [
        fact
        for fact in own
        if fact.denies != candidate.denies and (normalise(fact.object) == said or (candidate.denies and _names_it(said, fact)))
    ]  # who has no dog has none called Rex
    opposed = [fact for fact in beliefs if fact.key == opposite and normalise(fact.object) == said and not fact.denies]
    if predicate.cardinality == "many" and not candidate.temporary and not candidate.denies:
        recounted = [fact for fact in own if predicate.category == "identity" and _is_recounted(said, fact)]
        recounted += [fact for fact in own if predicate.predicate == "prefers" and _is_turned_round(said, fact)]
        return denied + opposed + recounted, next((fact for fact in own if fact.status == "active" and _names_it(said, fact)), None)
    if candidate.temporary or candidate.denies:
        return denied + opposed, None
    lasting = [fact for fact in own if (fact.valid_to is None or _gives_way(fact, own)) and not fact.denies]
    if candidate.explicit and not lasting:
        lasting = [fact for fact in own if fact.valid_to is not None and starts < fact.valid_to and not fact.denies]
        lasting = [fact for fact in lasting if candidate.valid_to is None or fact.valid_from < candidate.valid_to]
    for fact in lasting:
        known, counted = normalise(fact.object), predicate.predicate == "has_children"
        held = set(known.split())
        alike = bool(words and held) and (held < words or words < held) and fact.kind != "procedure"  # more or fewer steps are others
        alike |= not fact.denies and (
            (_tells_more(fact.key, said, known) and not candidate.explicit) or (counted and _tells_more(fact.key, known, said))
        )
        alike &= said.startswith(_NEAR) == known.startswith(_NEAR)  # who lives near a town does not live there
        if alike and fact.status == "active" and not names_another(candidate.object, fact.object, changed=candidate.explicit):
            return [], fact
    return denied + opposed + [fact for fact in lasting if fact not in denied], None


def _tells_more(key: str, said: str, than: str) -> bool:
    """Whether it is told of those of whom only is known that there are some: how many children, or what one's girlfriend is to one now."""
    if key.endswith(".has_children"):
        return than == "children" and said != than and not said.startswith("no ")
    return key.endswith(".relationship") and than == "in relationship" and said in ("engaged", "married")  # as `normalise` leaves it


def _is_recounted(said: str, fact: Fact) -> bool:
    """Whether of the same things another number is known: "two cats", and now "three cats"."""
    number, _, things = said.partition(" ")
    known, _, same = normalise(fact.object).partition(" ")
    counted = all(word.isdecimal() or word in _NUMBERS for word in (number, known))
    return counted and number != known and bool(things) and things == same and not fact.denies


def _is_turned_round(said: str, fact: Fact) -> bool:
    """Whether the other is known to be preferred: "tea to coffee", and now "coffee to tea"; or another thing for the same."""
    known = normalise(fact.object)
    same_use = bool(used := said.partition(" for ")[2]) and used == known.partition(" for ")[2]
    return known != said and (sorted(known.split()) == sorted(said.split()) or same_use) and not fact.denies


def _names_it(said: str, fact: Fact) -> bool:
    """Whether of one of a set only the name is said beside what is known, or is known beside what is said: "dog" and "dog called Rex".

    A puppy that is known may be the dog that is named, but one that is told of is no dog that is known.
    """
    held = normalise(fact.object)
    grown = _GROWN.get(held, held)
    return (
        not fact.denies
        and fact.valid_to is None
        and (said.startswith((f"{held} called ", f"{grown} called ")) or held.startswith(f"{said} called "))
    )


def _action(
    type_: str, candidate: Candidate, *, reason: str, target: Fact | None = None, delta: float = 0.0, valid_to: datetime | None = None
) -> Action:
    ends = type_ == "expire"
    return Action.model_validate(
        {
            "type": type_,
            "key": target.key if target and type_ != "supersede" else candidate.key,
            "new_value_text": None if ends else candidate.value_text,
            "new_value_json": None if ends else candidate.value_json,
            "target_fact_id": target.fact_id if target else None,
            "valid_from": None if ends else candidate.valid_from,
            "valid_to": valid_to if target else candidate.valid_to,
            "confidence_delta": round(delta, 6),
            "reason": reason,
            "candidate": candidate,
        }
    )
