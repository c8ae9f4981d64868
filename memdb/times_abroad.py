"""Time phrases in the text of other languages: each is said in English, and so resolved to a stretch of time."""

from __future__ import annotations

from datetime import datetime, tzinfo

from memdb.dates import Prefer
from memdb.languages import Language
from memdb.unspaced import words_of
from memdb.when import TimeSpan, find_times


def find_times_abroad(text: str, language: Language, *, at: datetime, zone: tzinfo, prefer: Prefer) -> list[TimeSpan]:
    """Return the time phrases of a text in another language, in order, not overlapping, as `find_times` does those of English.

    `start` and `end` are where the text has them; `text` is what they are in English.
    """
    if not language.may_tell(words_of(text)):
        return []
    spans, year = [], at.astimezone(zone).year
    for match in language.times.pattern.finditer(text):
        spans += [
            span.model_copy(update={"start": match.start(), "end": match.end()})
            for span in find_times(language.times.in_english(match, year=year), at=at, zone=zone, prefer=prefer)[:1]
        ]
    return spans
