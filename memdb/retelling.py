"""What is told anew of a fact by saying it again: details, and since when it is so."""

from __future__ import annotations

from datetime import datetime, tzinfo

from pydantic import JsonValue

from memdb.records import STATEMENT, Candidate, Fact, parts_of


def adds_details(said: Candidate, fact: Fact) -> bool:
    """Whether an application that states a fact again gives details with it that the fact does not have."""
    known = parts_of(fact.value_json)
    return said.stated and not said.negated and any(known.get(name) != detail for name, detail in details_of(said).items())


def details_of(said: Candidate) -> dict[str, JsonValue]:
    """Return what is said of a statement beside it."""
    return {name: detail for name, detail in parts_of(said.value_json).items() if name not in STATEMENT}


def tells_since(said: Candidate, fact: Fact, *, now: datetime, zone: tzinfo) -> bool:
    """Whether it is said since when a fact is so, and that this is another time than is known, and no vaguer one.

    A time after the fact was first said is none of its beginning: it may have ended and begun anew.
    """
    begins = said.valid_from
    if begins is None and now < fact.valid_from <= fact.created_at:
        return not said.temporary and said.event_time is None  # it comes in late, and was so by then
    if begins is None or said.negated or said.event_time is not None or begins == fact.valid_from:
        return False
    if begins > now or begins > fact.created_at:
        return False
    told, known = begins.astimezone(zone), fact.valid_from.astimezone(zone)
    in_that_year = (told.month, told.day) == (1, 1) and told.year == known.year
    in_that_month = told.day == 1 and (told.year, told.month) == (known.year, known.month)
    if fact.valid_from == fact.created_at:
        return True
    as_long = abs(told.day - now.astimezone(zone).day) <= 1 and abs(begins - fact.valid_from) * 12 <= now - begins
    return not (in_that_year or in_that_month or as_long)  # "for three years" is no other time than "since May 2022" some weeks later


def has_begun(candidate: Candidate, known: Fact, *, now: datetime) -> bool:
    """Whether what is still to begin is now said to be so: "I'm vegan now", by who would be one from next month on."""
    if candidate.temporary or candidate.coming or candidate.denies or candidate.event_time is not None or known.status != "active":
        return False
    said_last = known.last_mentioned_at or known.created_at
    return max(candidate.valid_from or now, said_last) <= now < known.valid_from and said_last != now
