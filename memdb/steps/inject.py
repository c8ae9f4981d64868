"""Make memory ready for a prompt within a token budget: mem-skill's stage 6."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from memdb.config import Config
from memdb.embed import Tokenizer
from memdb.records import Context, ContextItem, Fact, Hit, Kind, Profile, ProfileEntry, Record

_PROFILE = "User Profile"
_MAX_LINE = 600  # characters; one endless message must not crowd out everything else


class _Line(Record):
    """A line that may go into the prompt.

    `rank` 1 goes in first: hard constraints, then tasks and who the user is, then soft preferences and what was found. `order` is where
    its section stands in the prompt.
    """

    item: ContextItem
    rank: int
    order: int = 0


def inject(
    profile: Profile,
    hits: Sequence[Hit],
    *,
    kinds: Mapping[str, Kind],
    max_tokens: int,
    tokenizer: Tokenizer,
    now: datetime,
    config: Config,
    question: str | None = None,
    degraded: str | None = None,
) -> Context:
    """Return the context for the next prompt; its text never has more than `max_tokens` tokens.

    Hard constraints and hard preferences come first, then current tasks, then soft preferences and whatever bears on the question.
    When tokens are short, stale and low-confidence lines go first, whatever their section; then the least important.
    """
    lines = list(_lines(profile, hits, kinds=kinds, now=now, config=config))
    weak = {id(line) for line in lines if line.item.stale or line.item.low_confidence}
    lines.sort(key=lambda line: (id(line) in weak, line.rank, -(line.item.score or 0.0), -line.item.confidence))
    chosen: list[_Line] = []
    dropped: list[_Line] = []
    for line in lines:
        if tokenizer.count(_render([*chosen, line])) <= max_tokens:
            chosen.append(line)
        else:
            dropped.append(line)
    text = _render(chosen)
    return Context(
        text=text,
        tokens=tokenizer.count(text),
        max_tokens=max_tokens,
        tokenizer=tokenizer.name,
        items=tuple(line.item for line in _ordered(chosen)),
        dropped=tuple(line.item for line in reversed(dropped)),
        question=question,
        degraded=degraded,
    )


def _lines(profile: Profile, hits: Sequence[Hit], *, kinds: Mapping[str, Kind], now: datetime, config: Config) -> Iterator[_Line]:
    scores = {hit.fact.fact_id: hit.score for hit in hits}
    hard = [*profile.sensitive_topics, *_entries(profile.hard_preferences)]
    shown: set[str] = set()
    goals = kinds["task"]
    ranked = [
        (1, _PROFILE, 0, hard, True),
        (2, goals.section, goals.injection_order, profile.current_tasks, True),
        (2, _PROFILE, 0, _entries(profile.identity), True),
        (3, _PROFILE, 0, _entries(profile.soft_preferences), not hits),
    ]
    for rank, section, order, entries, always in ranked:
        for entry in entries:
            if always or entry.fact_id in scores:
                shown.add(entry.fact_id)
                yield _Line(item=_profile_item(entry, section, scores, rank=rank, now=now, config=config), rank=rank, order=order)
    told = [hit.fact for hit in hits if hit.fact.fact_id in shown]
    for hit in hits:
        fact = hit.fact
        if fact.fact_id not in shown and not _said_already(fact, told):
            told.append(fact)
            kind = kinds[fact.kind]
            item = _hit_item(hit, kind.section, now=now, config=config)
            yield _Line(item=item, rank=3 if kind.section != kinds["message"].section else 4, order=kind.injection_order)


def _entries(section: dict[str, list[ProfileEntry]]) -> list[ProfileEntry]:
    return [entry for entries in section.values() for entry in entries]


def _profile_item(entry: ProfileEntry, section: str, scores: dict[str, float], *, rank: int, now: datetime, config: Config) -> ContextItem:
    mentioned = entry.last_mentioned_at or entry.updated_at
    return ContextItem(
        section=section,
        text=f"- {_one_line(entry.text)}{_until(entry.valid_to)}",
        fact_id=entry.fact_id,
        confidence=entry.confidence,
        # who somebody is and what they must not eat does not go stale for not being mentioned
        stale=(rank == 3 or section != _PROFILE) and now - mentioned > timedelta(days=config.stale_after_days),
        low_confidence=entry.confidence < config.low_confidence,
        score=scores.get(entry.fact_id),
    )


def _hit_item(hit: Hit, section: str, *, now: datetime, config: Config) -> ContextItem:
    fact = hit.fact
    if fact.kind == "message":
        text = f"- [{fact.valid_from:%Y-%m-%d}] {_one_line(fact.speaker or 'user')}: {_one_line(fact.value_text)}"
    else:
        doubt = " (unconfirmed)" if fact.status == "pending_confirmation" else ""
        text = f"- {_one_line(fact.value_text)}{_until(fact.valid_to)}{doubt}"
    return ContextItem(
        section=section,
        text=text,
        fact_id=fact.fact_id,
        confidence=fact.confidence,
        stale=fact.kind != "message" and now - (fact.last_mentioned_at or fact.updated_at) > timedelta(days=config.stale_after_days),
        low_confidence=fact.confidence < config.low_confidence or fact.status == "pending_confirmation",
        score=hit.score,
    )


def _said_already(fact: Fact, told: Sequence[Fact]) -> bool:
    """Nothing is said twice: a message that a shown fact quotes for its greater part adds nothing."""
    words = " ".join(fact.value_text.split()).casefold()
    for other in told:
        theirs = " ".join((other.source_excerpt if fact.kind == "message" else other.value_text).split()).casefold()
        if theirs == words or (fact.kind == "message" and theirs in words and len(theirs) >= 0.6 * len(words)):
            return True
    return False


def _render(lines: Sequence[_Line]) -> str:
    sections: dict[str, list[str]] = {}
    for line in _ordered(lines):
        sections.setdefault(line.item.section, [f"# {line.item.section}"]).append(line.item.text)
    return "\n\n".join("\n".join(section) for section in sections.values())


def _ordered(lines: Sequence[_Line]) -> list[_Line]:
    return sorted(lines, key=lambda line: (line.order, line.rank))


def _one_line(text: str) -> str:
    """Stored text cannot forge a heading or a second line in a prompt."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _MAX_LINE else flat[: _MAX_LINE - 1].rstrip() + "…"


def _until(valid_to: datetime | None) -> str:
    return f" (until {valid_to:%Y-%m-%d})" if valid_to else ""
