"""Find what is alike by its words alone, and link it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime

from memdb.store import Database
from memdb.times import to_text

_BATCH = 100  # rows looked through at once
_SHORTEST = 4  # letters; shorter words are in everything
_MOST_WORDS = 32
_READ = 4_000  # characters
_WORD = re.compile(r"[^\W_]+")


def relate(db: Database, *, user_id: str, kinds: Sequence[str], min_strength: float, most: int, now: datetime) -> tuple[int, bool]:
    """Link one batch of new rows to earlier ones like them, `relates-to`; return how many links, and whether rows are left.

    Likeness is how well an earlier row is found by this one's words in the full-text index, against how well this one finds itself. Each
    row gets links to the `most` alike of at least `min_strength`. Within the caller's transaction; no vectors are needed.
    """
    wanted = json.dumps(list(kinds))
    rows = db.all("links.unrelated", user_id=user_id, kinds=wanted, batch=_BATCH)
    made = 0
    for row in rows:
        terms = _terms(str(row["value_text"]))
        if not terms:
            continue
        alike = db.all("links.alike", terms=terms, user_id=user_id, kinds=wanted, id=row["id"], min_strength=min_strength, most=most)
        for other in alike:
            made += db.run(
                "links.found", source_id=row["fact_id"], target_id=other["fact_id"], strength=other["strength"], now=to_text(now)
            )
    if rows:
        db.run("links.related", user_id=user_id, up_to=rows[-1]["id"])
    return made, len(rows) == _BATCH


def _terms(text: str) -> str:
    """An FTS5 expression over a text's longer words, each quoted; "" if it has none."""
    words = dict.fromkeys(word for word in _WORD.findall(text[:_READ].casefold()) if len(word) >= _SHORTEST)
    chosen = list(words)[:_MOST_WORDS]
    return "body : (" + " OR ".join(f'"{word}"' for word in chosen) + ")" if chosen else ""
