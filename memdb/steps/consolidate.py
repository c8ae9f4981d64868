"""Find experiences that repeat themselves, and tell the pattern behind them by rules."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import tzinfo
from typing import NamedTuple

from pydantic import ValidationError

from memdb.config import Config
from memdb.daytime import lived_day
from memdb.household import household_rules, likeness, named, stated, telling_words
from memdb.names import same_name
from memdb.opposites import opposed, sense_of
from memdb.records import Fact, Narrative, NarrativeDetail, Record

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_LINES = 4  # of what the memories have in common, as told
_TAGS = 8
_WAYS = 12  # in which one of them was told, kept apart
_USUAL, _EXCERPT = 40, 240  # events that belong to a pattern, and characters of each
_PLURALS = {"morning": "mornings", "afternoon": "afternoons", "evening": "evenings", "night": "nights"}

_Told = tuple[Fact, NarrativeDetail]


class _Said(NamedTuple):
    """What a text says: its telling words, and by what it could say the opposite of another (see `memdb.opposites`)."""

    words: frozenset[str]
    sense: frozenset[str]


_Seen = tuple[Fact, NarrativeDetail, _Said]


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

    Memories repeat each other when the same people were there at the same part of the day, at least `consolidation_similarity` of the
    telling words are the same, and none says the opposite of another. A new pattern wants `consolidation_min_repeats` different days, of
    which a night is one.
    """
    alike: dict[tuple[str, frozenset[str], str], list[_Seen]] = defaultdict(list)
    for memory in memories:
        detail = _detail(memory)
        if detail is not None:
            words = frozenset(telling_words(memory.source_excerpt, names=detail.participants))
            said = _Said(words, sense_of(memory.source_excerpt, names=detail.participants))
            alike[memory.user_id, frozenset(map(same_name, detail.participants)), detail.time_of_day].append((memory, detail, said))
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
    likest = _Likest(Counter(word for _memory, _detail, said in group for word in said.words), similarity=similarity)
    clusters: list[tuple[_Told | None, list[_Told]]] = []
    for memory, detail, said in group:
        if detail.pattern:
            likest.add(said)
            clusters.append(((memory, detail), []))
    for memory, detail, said in group:
        if not detail.pattern:
            place = likest.find(said)
            if place is None:
                likest.add(said)
                clusters.append((None, [(memory, detail)]))
            else:
                clusters[place][1].append((memory, detail))
    return clusters


def _ordinary(pattern: _Told | None, sources: Sequence[_Told], *, config: Config) -> list[_Told]:
    """Return the memories that tell of nothing but what happens again and again; one that tells more is kept as it is."""
    lines = {memory.fact_id: [said for said in _lines(memory) if said.words] for memory, _detail in sources}
    usual = [*pattern[0].source_excerpt.split("\n"), *pattern[1].usual] if pattern else []
    likest = _Likest(
        Counter(word for told in lines.values() for said in told for word in said.words), similarity=config.consolidation_similarity
    )
    for line in usual:
        likest.add(_read(line, _people([memory for memory, _detail in sources])))
    tellers: dict[int, set[str]] = defaultdict(set)
    of_memory: dict[str, set[int]] = defaultdict(set)
    for fact_id, told in lines.items():
        for said in told:
            place = likest.find(said)
            if place is None:
                place = likest.add(said)
            tellers[place].add(fact_id)
            of_memory[fact_id].add(place)

    def known(place: int) -> bool:
        return place < len(usual) or len(tellers[place]) >= config.consolidation_min_repeats

    return [one for one in sources if all(map(known, of_memory[one[0].fact_id]))]


def _lines(memory: Fact) -> dict[_Said, str]:
    """The events of a memory by what they say."""
    names = _people([memory])
    return {_read(line, names): line for line in memory.source_excerpt.split("\n") if line.strip()}


def _people(memories: Sequence[Fact]) -> tuple[str, ...]:
    """Who was there, in memories of the same people."""
    detail = _detail(memories[0]) if memories else None
    return detail.participants if detail is not None else ()


def _read(line: str, names: Sequence[str]) -> _Said:
    return _Said(frozenset(telling_words(line)), sense_of(line, names=names))


class _Likest:
    """Finds which of the texts added is likest to another in its words, of those not opposed to it, without comparing it with each.

    Sets that have the wanted share in common have one of their rarest words in common: of n words, one of the first n − share · n + 1.
    """

    def __init__(self, often: Counter[str], *, similarity: float) -> None:
        self.often, self.similarity = often, similarity
        self.added: list[_Said] = []
        self.of_word: dict[str, list[int]] = defaultdict(list)

    def add(self, said: _Said) -> int:
        """Add what a text says and return its place."""
        for word in self._rarest(said.words):
            self.of_word[word].append(len(self.added))
        self.added.append(said)
        return len(self.added) - 1

    def find(self, said: _Said) -> int | None:
        """Return the place of the likest, the first of several, or None if none is as like as is wanted."""
        places = {place for word in self._rarest(said.words) for place in self.of_word.get(word, ())}
        alike = [(likeness(self.added[place].words, said.words), -place) for place in places]
        wanted = sorted((one for one in alike if one[0] >= self.similarity), reverse=True)
        return next((-place for _share, place in wanted if not opposed(self.added[-place].sense, said.sense)), None)

    def _rarest(self, words: Set[str]) -> Iterable[str]:
        ordered = sorted(words, key=lambda word: (self.often[word], word))
        return ordered[: len(words) - math.ceil(self.similarity * len(words) - 1e-9) + 1]


def _pattern(known: _Told | None, sources: Sequence[_Told], *, config: Config) -> Pattern:
    memories = [memory for memory, _detail in sources]
    details = [detail for _memory, detail in sources]
    everything = [*([known[1]] if known else []), *details]
    day_types = {detail.day_type for detail in everything}
    places = {detail.location for detail in everything}
    said = _grown(known[1].said, memories) if known else _common(memories)
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
        usual=_usual(known, memories),
        said=tuple(dict(_fewer(ways)) for ways in said),
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


def _common(memories: Sequence[Fact]) -> list[Counter[str]]:
    """The events that at least half of the memories tell of, in the first one's order; or else the most frequent one.

    Each with the ways it was told in, which differ in nothing but their numbers.
    """
    said: dict[_Said, Counter[str]] = defaultdict(Counter)
    for memory in memories:
        for one, line in _lines(memory).items():
            said[one][line] += 1
    often = [ways for ways in said.values() if ways.total() * 2 >= len(memories)]
    return (often or [max(said.values(), key=Counter.total)])[:_LINES]


def _grown(said: Sequence[Mapping[str, int]], memories: Sequence[Fact]) -> list[Counter[str]]:
    """What a pattern tells of, as it was told before and in more memories."""
    names = _people(memories)
    grown = {_read(next(iter(ways)), names): Counter(ways) for ways in said}
    for memory in memories:
        for one, line in _lines(memory).items():
            if one in grown:
                grown[one][line] += 1
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


def _usual(known: _Told | None, memories: Sequence[Fact]) -> tuple[str, ...]:
    """What the memories of a pattern tell of, once each: the same is nothing new when it is seen again."""
    lines = {said: line for memory in memories for said, line in _lines(memory).items()}
    before = {_read(line, _people(memories)): line for line in known[1].usual} if known else {}
    return tuple(line[:_EXCERPT] for line in (before | lines).values())[:_USUAL]


def _told(lines: Sequence[str], detail: NarrativeDetail, seen: int, *, liked: bool) -> str:
    when = f"{detail.day_type} {_PLURALS[detail.time_of_day]}" if detail.day_type else f"the {_PLURALS[detail.time_of_day]}"
    what = "; ".join(stated(line) for line in lines)
    who = named(detail.participants)
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
