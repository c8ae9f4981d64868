"""Who asks a question, and what the memory must be asked before it is searched: when they talked last, what was said then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import NamedTuple

from memdb.asked_times import day_of, part_of_day
from memdb.cues import Change, Said, SaidThen
from memdb.database import Database
from memdb.times import MOMENT, in_zone, to_text, to_utc
from memdb.when import TimeSpan

_SAID_ROWS = 3  # so many messages are what was said last
_THEN_ROWS = 10  # and what was said at some time


class Asker(NamedTuple):
    """Of whose memory something is asked, and when, by which clocks."""

    db: Database
    user_id: str
    now: datetime
    said_by: datetime  # what was said until then, also later than now, counts as said
    zone: tzinfo

    def born(self) -> str:
        """The user's birthday, as it was told, "" if the memory does not know it."""
        row = self.db.one("understand.birthday", user_id=self.user_id)
        return str(row["object"]) if row else ""

    def counts_from(self, change: Change | None) -> tuple[list[tuple[datetime, datetime]], datetime | None]:
        """The time since a change that a question counts from ("since I moved"), or the moment before it ("before I moved"), if the
        memory knows of it.
        """
        if change is None:
            return [], None
        row = self.db.one("understand.change", user_id=self.user_id, stem=change.stem, now=to_text(self.now))
        if row is None:
            return [], None
        at = to_utc(str(row["changed_at"]))
        return ([(at, self.now)], None) if change.way == "after" else ([], at - MOMENT)

    def last_talk(self, match: re.Match[str], *, since: bool) -> list[TimeSpan]:
        """The day on which something was said last, before today, which words mean; or all `since` then."""
        today = to_utc(in_zone(self.now, self.zone).date(), zone=self.zone)
        [row] = self.db.all("understand.last_talk", user_id=self.user_id, before=to_text(today))
        if row["at"] is None:
            return []
        at = to_utc(str(row["at"]))
        if not since:
            return [day_of(at, text=match.group(), start=match.start(), zone=self.zone)]
        if at >= self.now:
            return []
        return [TimeSpan(text=match.group(), start=match.start(), end=match.end(), begins=at, ends=self.now, role="since")]

    def first_talk(self, match: re.Match[str]) -> list[TimeSpan]:
        """The day on which something was said first, which words mean."""
        [row] = self.db.all("understand.first_talk", user_id=self.user_id)
        if row["at"] is None:
            return []
        return [day_of(to_utc(str(row["at"])), text=match.group(), start=match.start(), zone=self.zone)]

    def said(self, asked: Said, text: str, spans: Sequence[TimeSpan] = ()) -> tuple[list[int], list[TimeSpan]]:
        """The messages that were said last, or first, within the times that are named; and the day of the first of them."""
        since = min(span.begins for span in spans) if spans else None
        before = min(self.now, max(span.ends for span in spans)) if spans else None
        return self._said_within(asked, text, since=since, before=before, most=_SAID_ROWS)

    def said_then(self, asked: SaidThen, text: str) -> tuple[list[int], list[TimeSpan]]:
        """The messages that were said then, or in the conversation in which something was said last; and the day of the first of them."""
        stretch = part_of_day(asked.then, now=self.now, zone=self.zone) if asked.then else None
        talk = (
            None
            if asked.then
            else self.db.one("understand.conversation", user_id=self.user_id, now=to_text(self.now), said_by=to_text(self.said_by))
        )
        if stretch is None and (talk is None or talk["session_id"] is None):
            return [], []
        since, before = stretch or (None, None)
        session_id = str(talk["session_id"]) if talk else None
        most = _SAID_ROWS if asked.order == "first" else _THEN_ROWS
        return self._said_within(asked, text, session_id=session_id, since=since, before=before, most=most)

    def _said_within(
        self,
        asked: Said | SaidThen,
        text: str,
        *,
        session_id: str | None = None,
        since: datetime | None,
        before: datetime | None,
        most: int,
    ) -> tuple[list[int], list[TimeSpan]]:
        """The messages that were said first, or last, between two times, or by now; and the day of the first of them."""
        first = asked.order == "first"
        present = {} if first else {"before": to_text(before or self.now)}
        rows = self.db.all(
            "understand.said_first" if first else "understand.said_last",
            user_id=self.user_id,
            session_id=session_id,
            speaker=asked.speaker,
            query=text,  # it may have been kept before it is searched for
            since=to_text(since) if since else None,
            said_by=to_text(before or max(self.now, self.said_by)),
            limit=most,
            **present,
        )
        words = text[asked.start : asked.end]
        days = [day_of(to_utc(str(row["valid_from"])), text=words, start=asked.start, zone=self.zone) for row in rows[:1]]
        return [int(str(row["id"])) for row in rows], days
