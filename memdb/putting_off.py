"""Which day is meant where something planned is moved to a day by its number alone: the test of 12 May, "pushed back to the 26th"."""

from __future__ import annotations

import calendar
from datetime import date
from typing import Literal

from memdb.english_rules import compiled, rules

Way = Literal["later", "sooner", "either"]
"""Where to something is moved: put back, brought forward, or it is not told."""


def moved_to_a_day(text: str) -> Way | None:
    """Return which way a text moves what is planned to a day by its number alone; None where it does not."""
    found = compiled(rules().phrase["put_off_to_day"]).search(text)
    if found is None:
        return None
    return "later" if found["later"] else "sooner" if found["sooner"] else "either"


def moved_from(was: date, *, day: int, way: Way, now: date) -> date | None:
    """Return the day of that number next to the one that was planned, on the way told, and not before `now`; None where there is none."""
    index = was.year * 12 + was.month - 1
    months = (divmod(index + step, 12) for step in (-1, 0, 1, 2))
    days = [date(year, month + 1, day) for year, month in months if day <= calendar.monthrange(year, month + 1)[1]]
    may_be = [one for one in days if one >= now and (way != "later" or one > was) and (way != "sooner" or one < was)]
    return min(may_be, key=lambda one: abs(one - was), default=None)
