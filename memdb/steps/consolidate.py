"""Find experiences that repeat themselves, and tell the pattern behind them by rules."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import tzinfo

from pydantic import ValidationError

from memdb.config import Config
from memdb.daytime import lived_day
from memdb.figures import to_share
from memdb.household import likeness, liking, named, stated, words_to_find_by
from memdb.loose import tags_kept
from memdb.names import same_name
from memdb.narratives import Narrative, NarrativeDetail
from memdb.records import Fact, Record
from memdb.words_apart import words_apart

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_LINES = 4  # of what the memories have in common, as told
_WAYS = 12  # in which one of them was told, kept apart
_USUAL, _EXCERPT = 40, 240  # events that belong to a pattern, and characters of each
_PLURALS = {"morning": "mornings", "afternoon": "afternoons", "evening": "evenings", "night": "nights"}

_Told = tuple[Fact, NarrativeDetail]
_Seen = tuple[Fact, NarrativeDetail, frozenset[str]]


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

    Memories repeat each other when the same people were there at the same part of the day and at least `consolidation_similarity` of what
    they say is the same; a new pattern wants `consolidation_min_repeats` different days, of which a night is one.
    """
    alike: dict[tuple[str, frozenset[str], str], list[_Seen]] = defaultdict(list)
    for memory in memories:
        detail = _detail(memory)
        if detail is not None:
            words = words_apart(memory.source_excerpt, names=detail.participants)
            alike[memory.user_id, frozenset(map(same_name, detail.participants)), detail.time_of_day].append((memory, detail, words))
    found: list[Pattern] = []
    for group in alike.values():
        for pattern, sources in _clusters(group, similarity=config.consolidation_similarity):
            sources = _ordinary(pattern, sources, config=config)
            days = {lived_day(detail.segment_start, zone) for _memory, detail in sources}
            if (pattern and sources) or len(days) >= config.consolidation_min_repeats:
                found.append(_pattern(pattern, sources, config=config))
    return found


def _clusters(group: Sequence[_Seen], *, similarity: float) -> list[tuple[_Told | None, list[_Told]]]:
    """Put each memory to the pattern, or else the first memory, that it is likest to; return those, each with what belongs to it."""
    likest = _Likest(Counter(word for _memory, _detail, words in group for word in words), similarity=similarity)
    clusters: list[tuple[_Told | None, list[_Told]]] = []
    for memory, detail, words in group:
        if detail.pattern:
            likest.add(words)
            clusters.append(((memory, detail), []))
    for memory, detail, words in group:
        if not detail.pattern:
            place = likest.find(words)
            if place is None:
                likest.add(words)
                clusters.append((None, [(memory, detail)]))
            else:
                clusters[place][1].append((memory, detail))
    return clusters


def _ordinary(pattern: _Told | None, sources: Sequence[_Told], *, config: Config) -> list[_Told]:
    """Return the memories that tell of nothing but what happens again and again; one that tells more is kept as it is."""
    lines = {memory.fact_id: [words for words in _lines(memory, detail) if words] for memory, detail in sources}
    names = sources[0][1].participants if sources else ()
    usual = [*pattern[0].source_excerpt.split("\n"), *pattern[1].usual] if pattern else []
    likest = _Likest(
        Counter(word for told in lines.values() for words in told for word in words), similarity=config.consolidation_similarity
    )
    for line in usual:
        likest.add(words_apart(line, names=names))
    tellers: dict[int, set[str]] = defaultdict(set)
    of_memory: dict[str, set[int]] = defaultdict(set)
    for fact_id, told in lines.items():
        for words in told:
            place = likest.find(words)
            if place is None:
                place = likest.add(words)
            tellers[place].add(fact_id)
            of_memory[fact_id].add(place)

    def known(place: int) -> bool:
        return place < len(usual) or len(tellers[place]) >= config.consolidation_min_repeats

    return [one for one in sources if all(map(known, of_memory[one[0].fact_id]))]


def _lines(memory: Fact, detail: NarrativeDetail) -> dict[frozenset[str], str]:
    """The events of a memory by what they say."""
    return {words_apart(line, names=detail.participants): line for line in memory.source_excerpt.split("\n") if line.strip()}


class _Likest:
    """Finds which of the sets of words added is likest to another, without comparing it with each.

    Sets that have the wanted share in common have one of their rarest words in common: of n words, one of the first n − share · n + 1.
    """

    def __init__(self, often: Counter[str], *, similarity: float) -> None:
        self.often, self.similarity = often, similarity
        self.added: list[Set[str]] = []
        self.of_word: dict[str, list[int]] = defaultdict(list)

    def add(self, words: Set[str]) -> int:
        """Add a set and return its place."""
        for word in self._rarest(words):
            self.of_word[word].append(len(self.added))
        self.added.append(words)
        return len(self.added) - 1

    def find(self, words: Set[str]) -> int | None:
        """Return the place of the likest set, the first of several, or None if none is as like as is wanted."""
        places = {place for word in self._rarest(words) for place in self.of_word.get(word, ())}
        alike = [(likeness(self.added[place], words), -place) for place in places]
        share, place = max(alike, default=(0.0, 0))
        return -place if places and share >= self.similarity else None

    def _rarest(self, words: Set[str]) -> Iterable[str]:
        ordered = sorted(words, key=lambda word: (self.often[word], word))
        return ordered[: len(words) - math.ceil(self.similarity * len(words) - 1e-9) + 1]


def _pattern(known: _Told | None, sources: Sequence[_Told], *, config: Config) -> Pattern:
    memories = [memory for memory, _detail in sources]
    details = [detail for _memory, detail in sources]
    everything = [*([known[1]] if known else []), *details]
    day_types = {detail.day_type for detail in everything}
    places = {detail.location for detail in everything}
    said = _grown(known[1].said, sources) if known else _common(sources)
    lines = [_said(ways) for ways in said]
    if known and not lines:  # a pattern of an earlier version
        lines = known[0].source_excerpt.split("\n")
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
        usual=_usual(known, sources),
        said=tuple(dict(_fewer(ways)) for ways in said),
        written_by="rules",
    )
    liked = sum(memory.memory_type == "PREFERENCE" for memory in memories) * 2 > len(memories)
    memory_type = known[0].memory_type if known else None
    importance = min(config.max_importance, to_share(max(memory.importance for memory in memories) + config.access_reinforcement))
    narrative = Narrative(
        content=_told(lines, detail, seen, liked=liked if memory_type is None else memory_type == "PREFERENCE"),
        memory_type=memory_type or ("PREFERENCE" if liked else "ROUTINE"),
        importance=importance,
        emotion=detail.emotion,
        participants=detail.participants,
        tags=tags_kept(words_to_find_by(" ".join(lines), names=detail.participants)),
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


def _common(sources: Sequence[_Told]) -> list[Counter[str]]:
    """The events that at least half of the memories tell of, in the first one's order; or else the most frequent one.

    Each with the ways it was told in, which differ in nothing but their numbers. Of two that share the memories between them, one day the
    lights on and another off, neither is what happens.
    """
    said: dict[frozenset[str], Counter[str]] = defaultdict(Counter)
    tellers: dict[frozenset[str], set[str]] = defaultdict(set)
    for memory, detail in sources:
        for words, line in _lines(memory, detail).items():
            said[words][line] += 1
            tellers[words].add(memory.fact_id)
    everyone = {memory.fact_id for memory, _detail in sources}
    often = [
        ways
        for words, ways in said.items()
        if len(tellers[words]) * 2 >= len(sources) and (everyone - tellers[words]) not in tellers.values()
    ]
    return (often or [max(said.values(), key=Counter.total)])[:_LINES]


def _grown(said: Sequence[Mapping[str, int]], sources: Sequence[_Told]) -> list[Counter[str]]:
    """What a pattern tells of, as it was told before and in more memories."""
    names = sources[0][1].participants
    grown = {words_apart(next(iter(ways)), names=names): Counter(ways) for ways in said}
    for memory, detail in sources:
        for words, line in _lines(memory, detail).items():
            if words in grown:
                grown[words][line] += 1
    return list(grown.values())


def _fewer(ways: Counter[str]) -> Counter[str]:
    """The lowest, the highest and the most frequent of many ways, the others only counted."""
    named = [(way, times) for way, times in ways.most_common() if way]
    numbered = sorted((way for way, _times in named if len(_NUMBER.findall(way)) == 1), key=_number)
    kept = {*numbered[:1], *numbered[-1:], *(way for way, _times in named[:_WAYS])}
    fewer = Counter({way: times for way, times in named if way in kept})
    if rest := ways.total() - fewer.total():
        fewer[""] = rest
    return fewer


def _said(ways: Counter[str]) -> str:
    """How events are told that differ in nothing but their numbers: no number is said to be usual that is not."""
    named = [way for way, _times in ways.most_common() if way]
    line = named[0]
    numbers = {tuple(_NUMBER.findall(way)) for way in named}
    if len(numbers) == 1 or ways[line] * 2 > ways.total():
        return line
    if all(len(one) == 1 for one in numbers):
        lowest, *_, highest = (_NUMBER.findall(way)[0] for way in sorted(named, key=_number))
        return _NUMBER.sub(f"{lowest} to {highest}", line)
    return f"{line} (or with other numbers)"


def _number(way: str) -> float:
    return float(_NUMBER.findall(way)[0].replace(",", "."))


def _usual(known: _Told | None, sources: Sequence[_Told]) -> tuple[str, ...]:
    """What the memories of a pattern tell of, once each: the same is nothing new when it is seen again."""
    lines = {words: line for memory, detail in sources for words, line in _lines(memory, detail).items()}
    before = {words_apart(line, names=sources[0][1].participants): line for line in known[1].usual} if known else {}
    return tuple(line[:_EXCERPT] for line in (before | lines).values())[:_USUAL]


def _told(lines: Sequence[str], detail: NarrativeDetail, seen: int, *, liked: bool) -> str:
    when = f"{detail.day_type} {_PLURALS[detail.time_of_day]}" if detail.day_type else f"the {_PLURALS[detail.time_of_day]}"
    what = "; ".join(stated(line) for line in lines)
    who = named(detail.participants)
    if liked:
        meaning = liking(detail.participants, lines, together=False)
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
