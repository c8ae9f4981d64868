"""Find experiences that repeat themselves, and tell the pattern behind them by rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import tzinfo

from pydantic import ValidationError

from memdb.config import Config
from memdb.household import household_rules, likeness, listed, stated, telling_words
from memdb.records import Fact, Narrative, NarrativeDetail, Record

_LINES = 4  # of what the memories have in common, as told
_TAGS = 8
_PLURALS = {"morning": "mornings", "afternoon": "afternoons", "evening": "evenings", "night": "nights"}


class Pattern(Record):
    """Memories of the same experience, what they have in common, and the pattern they belong to already, if there is one."""

    user_id: str
    pattern: Fact | None
    sources: tuple[Fact, ...]
    lines: tuple[str, ...]
    seen: int
    detail: NarrativeDetail
    narrative: Narrative


def consolidate(memories: Sequence[Fact], *, zone: tzinfo, config: Config) -> list[Pattern]:
    """Return the patterns in first-person memories: new ones, and known ones that were seen again.

    Memories repeat each other when the same people were there at the same part of the day and at least `consolidation_similarity` of the
    telling words are the same; a new pattern wants `consolidation_min_repeats` different days.
    """
    alike: dict[tuple[str, tuple[str, ...], str], list[tuple[Fact, NarrativeDetail, frozenset[str]]]] = defaultdict(list)
    for memory in memories:
        detail = _detail(memory)
        if detail is not None:
            words = frozenset(telling_words(memory.source_excerpt, names=detail.participants))
            alike[memory.user_id, detail.participants, detail.time_of_day].append((memory, detail, words))
    found: list[Pattern] = []
    for group in alike.values():
        known = [one for one in group if one[1].pattern]
        clusters: list[list[tuple[Fact, NarrativeDetail, frozenset[str]]]] = [[one] for one in known]
        for one in group:
            if not one[1].pattern and one[2]:
                likest = max(clusters, key=lambda cluster: likeness(cluster[0][2], one[2]), default=None)
                if likest is not None and likeness(likest[0][2], one[2]) >= config.consolidation_similarity:
                    likest.append(one)
                else:
                    clusters.append([one])
        for cluster in clusters:
            pattern = cluster[0] if cluster[0][1].pattern else None
            sources = cluster[1:] if pattern else cluster
            days = {detail.segment_start.astimezone(zone).date() for _memory, detail, _words in sources}
            if (pattern and sources) or len(days) >= config.consolidation_min_repeats:
                found.append(_pattern(pattern and pattern[:2], [one[:2] for one in sources], config=config))
    return found


def _pattern(known: tuple[Fact, NarrativeDetail] | None, sources: Sequence[tuple[Fact, NarrativeDetail]], *, config: Config) -> Pattern:
    memories = [memory for memory, _detail in sources]
    details = [detail for _memory, detail in sources]
    everything = [*([known[1]] if known else []), *details]
    day_types = {detail.day_type for detail in everything}
    places = {detail.location for detail in everything}
    lines = known[0].source_excerpt.split("\n") if known else _common(memories, details)
    seen = (known[0].seen_count if known else 0) + len(sources)
    emotion, times = Counter(detail.emotion for detail in everything).most_common(1)[0]
    detail = NarrativeDetail(
        emotion=known[1].emotion if known else emotion if times * 2 > len(everything) else "neutral",
        participants=details[0].participants,
        location=places.pop() if len(places) == 1 else None,
        time_of_day=details[0].time_of_day,
        day_type=day_types.pop() if len(day_types) == 1 else None,
        segment_start=min(detail.segment_start for detail in everything),
        segment_end=max(detail.segment_end for detail in everything),
        pattern=1,
        written_by="rules",
    )
    liked = sum(memory.memory_type == "PREFERENCE" for memory in memories) * 2 > len(memories)
    memory_type = known[0].memory_type if known else None
    importance = min(config.max_importance, max(memory.importance for memory in memories) + config.access_reinforcement)
    narrative = Narrative(
        content=_told(lines, detail, seen, liked=liked if memory_type is None else memory_type == "PREFERENCE"),
        memory_type=memory_type or ("PREFERENCE" if liked else "ROUTINE"),
        importance=importance,
        emotion=detail.emotion,
        participants=detail.participants,
        tags=tuple(telling_words(" ".join(lines), names=detail.participants)[:_TAGS]),
        written_by="rules",
    )
    return Pattern(
        user_id=memories[0].user_id,
        pattern=known[0] if known else None,
        sources=tuple(memories),
        lines=tuple(lines),
        seen=seen,
        detail=detail,
        narrative=narrative,
    )


def _common(memories: Sequence[Fact], details: Sequence[NarrativeDetail]) -> list[str]:
    """The events that at least half of the memories tell of, in the first one's order; or else the most frequent one."""
    counts: Counter[frozenset[str]] = Counter()
    said: dict[frozenset[str], str] = {}
    for memory in memories:
        lines = {frozenset(telling_words(line)): line for line in memory.source_excerpt.split("\n") if line.strip()}
        counts.update(lines.keys())
        for words, line in lines.items():
            said.setdefault(words, line)
    often = [line for words, line in said.items() if counts[words] * 2 >= len(memories)]
    return (often or [said[counts.most_common(1)[0][0]]])[:_LINES]


def _told(lines: Sequence[str], detail: NarrativeDetail, seen: int, *, liked: bool) -> str:
    when = f"{detail.day_type} {_PLURALS[detail.time_of_day]}" if detail.day_type else f"the {_PLURALS[detail.time_of_day]}"
    what = "; ".join(stated(line) for line in lines)
    who = listed(detail.participants)
    says = household_rules().type_says
    if liked:
        meaning = says["PREFERENCE_ONE" if len(detail.participants) == 1 else "PREFERENCE_NOBODY"].format(who=who)
    else:
        meaning = f"It seems to be a habit of {who}." if who else "It seems to be usual here."
    return f"I've learned a pattern of {when}: {what}. I have noticed it {_times(seen)}. {meaning}"


def _times(seen: int) -> str:
    """How often, exactly up to ten: a text that changed each time would be embedded each time."""
    return f"{seen} times" if seen <= 10 else f"more than {max(mark for mark in (10, 20, 50, 100, 200, 500) if mark < seen)} times"


def _detail(memory: Fact) -> NarrativeDetail | None:
    try:
        return NarrativeDetail.model_validate(memory.value_json)
    except ValidationError:
        return None  # remembered by the application in a shape of its own
