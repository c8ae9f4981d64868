"""What a search is asked: which words, in what, of which kinds and shelves, and how much of it each leg may bring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from memdb.answers import Question
from memdb.candidates import Legs
from memdb.config import Config
from memdb.database import Database, SqlValue, listed
from memdb.errors import InputError
from memdb.filters import Sifted
from memdb.names import spelled
from memdb.records import LIVE, Status
from memdb.times import to_text
from memdb.unspaced import beginning, quoted, required
from memdb.verbs import other_forms
from memdb.weight_sets import WeightSet

FILTERS = (
    "categories", "memory_types", "tags", "must", "since", "until", "min_age_minutes", "max_age_days", "participants", "tiers", "as_of",
)  # fmt: skip
LEG = 20  # candidates a kind where a weight set says nothing


class Asked(NamedTuple):
    """What is asked: the question and its words, by which weight set, of which kinds, statuses and shelves, and what lets through how much.

    `filtered` says that more is left out than other users, kinds and statuses, `asks_now` that it is asked what is so now.
    """

    question: Question
    chosen: WeightSet
    kinds: list[str]
    statuses: Sequence[Status]
    shelves: list[str]
    legs: Legs
    filters: dict[str, SqlValue]
    filtered: bool
    asks_now: bool
    terms: str

    @property
    def by_collection(self) -> bool:
        """Whether a collection can tell what is near: it knows the living alone, of whom and of which kind they are."""
        return "closed" not in self.shelves and not self.filtered

    @property
    def said(self) -> Sequence[int]:
        """The messages among which the first or the last is asked for."""
        return self.question.said if self.legs.placed else ()

    def besides(self, keyed: list[int]) -> list[int]:
        """Which of what is held under the keys that are asked for are candidates for that: where candidates are numbered, none are."""
        return [] if self.legs.given else keyed


def asked_for(
    db: Database,
    question: Question,
    chosen: WeightSet,
    *,
    user_id: str,
    now: datetime,
    config: Config,
    sifted: Sifted,
    statuses: Sequence[Status],
    as_of: datetime | None,
) -> Asked:
    """What is asked, by a weight set and within what is looked at only."""
    wanted = _wanted(sifted.get("kinds"), chosen.kinds)
    must, since, until, participants = sifted.get("must"), sifted.get("since"), sifted.get("until"), sifted.get("participants")
    ages: dict[str, SqlValue] = {
        "user_id": user_id,
        "tiers": listed(sifted.get("tiers")),
        "hot_days": config.hot_days,
        "warm_days": config.warm_days,
        "now": to_text(now),
    }
    if ages["tiers"] is not None and not db.tuples("scan.aside", **ages):
        ages["tiers"] = None
    filters: dict[str, SqlValue] = {
        **ages,
        "kinds": listed(wanted),
        "statuses": listed(statuses),
        "categories": listed(sifted.get("categories")),
        "memory_types": listed(sifted.get("memory_types")),
        "tags": listed(sifted.get("tags")),
        "must": required(must) if must else None,
        "since": to_text(since) if since else None,
        "until": to_text(until) if until else None,
        "min_age_minutes": sifted.get("min_age_minutes"),
        "max_age_days": sifted.get("max_age_days"),
        "participants": listed(None if participants is None else spelled(participants)),
        "as_of": to_text(as_of) if as_of else None,
    }
    return Asked(
        question=question,
        chosen=chosen,
        kinds=wanted,
        statuses=statuses,
        shelves=_shelves(wanted, statuses, chosen.weight),
        legs=_legs(chosen.weight, question, top_k_lex=config.top_k_lex, top_k_vec=config.top_k_vec),
        filters=filters,
        filtered=any(filters[name] is not None for name in FILTERS),
        asks_now=question.present and as_of is None and set(statuses) <= set(LIVE),
        terms=match_expression(question),
    )


def match_expression(question: Question) -> str:
    """Return an FTS5 expression of any of the question's words, phrases and days, each quoted; '""', which matches nothing, if none.

    The index knows the forms of English words, but for those of irregular verbs; those of other languages are sought by how they begin.
    """
    sought = beginning if question.by_beginning else quoted
    told = () if question.by_beginning else (form for term in question.terms for form in other_forms(term))
    forms = dict.fromkeys(form for form in told if form not in question.terms)
    days = (f"date : {quoted(day)}" for day in question.days)
    return " OR ".join((*map(quoted, question.phrases), *map(sought, question.terms), *map(quoted, forms), *days)) or '""'


def _wanted(kinds: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    if kinds is not None and (unknown := sorted(set(kinds) - set(known))):
        raise InputError(f"There is no kind {unknown[0]!r}; the kinds are {', '.join(known)}.")
    return list(known if kinds is None else kinds)


def _legs(weight: Mapping[str, float], question: Question, *, top_k_lex: int | None, top_k_vec: int | None) -> Legs:
    return Legs(
        lexical=int(weight.get("k_lex", LEG) if top_k_lex is None else top_k_lex),
        semantic=int(weight.get("k_vec", LEG) if top_k_vec is None else top_k_vec),
        given=top_k_lex is not None or top_k_vec is not None or bool(weight.get("legs")),
        nearest=top_k_lex is None and bool(weight.get("legs")) and not weight.get("lexical"),  # words that do not rank do not choose either
        linked=weight.get("linked", 0.0) != 0,
        placed=question.order is not None and weight.get("position", 0.0) != 0,
        voted=weight.get("agreement", 0.0) + weight.get("sure_agreement", 0.0) > 0,
    )


def _shelves(kinds: Sequence[str], statuses: Sequence[Status], weight: Mapping[str, float]) -> list[str]:
    windows = ["window"] if "message" in kinds and weight.get("window") else []
    return [*kinds, *windows, *(["closed"] if set(statuses) - set(LIVE) else [])]
