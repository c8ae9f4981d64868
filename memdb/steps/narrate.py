"""Tell a segment in the first person by rules: plain, and nothing in it that was not in the events."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from datetime import datetime, tzinfo

from memdb.config import Config
from memdb.daytime import is_a_day_alone, part_of_day, weekday
from memdb.household import (
    ARTICLES,
    EmotionRule,
    emotion_of,
    household_rules,
    is_disliked,
    kind_of,
    liking,
    listed,
    located,
    named,
    participants_of,
    placed,
    stated,
    telling_words,
    words_to_find_by,
)
from memdb.loose import tags_kept
from memdb.names import one_each
from memdb.narratives import Narrative
from memdb.records import Emotion, Event, MemoryType, PartOfDay

_SHOWN = 8  # events told one by one; the others are counted
_OWN_MARKS = re.compile(r"“[^“”]*”|\d:\d")  # what somebody said, and times, have marks of their own
_TIMES = {2: "twice", 3: "three times", 4: "four times", 5: "five times"}


def narrate(events: Sequence[Event], *, seen_before: int, zone: tzinfo, config: Config, sorted_as: MemoryType | None = None) -> Narrative:
    """Return the memory of a segment: when and with whom, what was noticed, how it felt, how sure, and whether it was so before.

    `seen_before` counts earlier memories like it. The type is that of the most important event, or what it was `sorted_as`; what an event
    says of its own importance goes before the rules.
    """
    kinds = [kind_of(event, significant=config.significant_importance) for event in events]
    (memory_type, importance), foremost = max(zip(kinds, events, strict=True), key=lambda one: one[0][1])
    memory_type = sorted_as or memory_type
    feelings = ((event, emotion_of(event.description, _part_of_day(event.timestamp, zone))) for event in events)
    felt, feeling = next(((event, rule) for event, rule in feelings if rule is not None), (foremost, None))
    who = participants_of(events)
    sentences = [  # what is guessed is guessed of those whom the words are about
        _noticed(events, zone=zone),
        _felt(feeling, participants_of([felt])),
        _meant(memory_type, _like(foremost, events, kinds), config),
        _again(seen_before),
    ]
    told = "\n".join(event.description for event in events)
    return Narrative(
        content=" ".join(sentence for sentence in sentences if sentence),
        memory_type=memory_type,
        importance=importance,
        emotion=_emotion(feeling),
        participants=who,
        tags=tags_kept(words_to_find_by(told, names=who)),
        written_by="rules",
    )


def _part_of_day(at: datetime, zone: tzinfo) -> PartOfDay | None:
    return None if is_a_day_alone(at, zone) else part_of_day(at, zone)


def _noticed(events: Sequence[Event], *, zone: tzinfo) -> str:
    when = " ".join(filter(None, ("On", weekday(events[0].timestamp, zone), _part_of_day(events[0].timestamp, zone))))
    places = {placed(event.location) if event.location else None for event in events}
    told = " ".join(event.description.casefold() for event in events)
    place = next((place for place in places if place), None) if len(places - {None}) == 1 else None
    unsaid = place is not None and _bare(place).casefold() not in told
    where = f", {located(place)}," if place and unsaid and None not in places else ""
    counted = Counter(stated(event.description) for event in events)
    chosen = set(sorted(counted, key=lambda text: -len(telling_words(text)))[:_SHOWN])
    elsewhere = {stated(event.description) for event in events if event.location is None}
    shown = _shown({text: count for text, count in counted.items() if text in chosen}, place=place if unsaid else None, elsewhere=elsewhere)
    rest = sum(count for text, count in counted.items() if text not in chosen)
    more = f", and {rest} smaller thing{'s' if rest > 1 else ''} besides" if rest else ""
    names = {part.casefold() for event in events for name in event.participants for part in name.split()[:1]}
    plain = all(text.split()[0].casefold().rstrip(",") in names | ARTICLES for text in counted) and not any(
        mark in _OWN_MARKS.sub("", text) for text in shown for mark in ';:?!"“'
    )
    if plain:
        return _ended(f"{when}{where} I noticed that {listed(_joined(shown, participants_of(events)))}{more}")
    return _ended(f"{when}{where} I noticed this: {'; '.join(shown)}{more}")


def _shown(counted: Mapping[str, int], *, place: str | None, elsewhere: Set[str]) -> list[str]:
    """What happened, each with how often; where some of it was nobody knows where, the place goes with the others only."""
    shown: list[str] = []
    here = False
    for text, count in counted.items():
        said, was_here, here = text, here, text not in elsewhere
        if place and elsewhere and here and not was_here:
            said += f" {located(place)}" if text[-1].isalnum() else f", {located(place)}"
        shown.append(f"{said} ({_TIMES.get(count, f'{count} times')})" if count > 1 else said)
    return shown


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."


def _joined(shown: Sequence[str], names: Sequence[str]) -> list[str]:
    """Leave out a name that begins the part before, too: "Rui made coffee and left the house", not "and Rui left"."""
    subjects = [_subject(text, names) for text in shown]
    return [
        text.removeprefix(subject).lstrip() if place and subject and subject == subjects[place - 1] else text
        for place, (text, subject) in enumerate(zip(shown, subjects, strict=True))
    ]


def _subject(text: str, names: Sequence[str]) -> str:
    """The one person whom a statement begins with, or nothing."""
    found = max((name for name in names if text.startswith(f"{name} ")), key=len, default="")
    return "" if text.removeprefix(found).split()[:1] in (["and"], ["or"], ["with"]) else found


def _acting(event: Event) -> tuple[str, ...]:
    """Who did it, where one of those who were there did: what Rui asks for is how Rui likes it, whoever else was in the room."""
    who = participants_of([event])
    subject = _subject(stated(event.description), who)
    return (subject,) if subject else who


def _felt(feeling: EmotionRule | None, who: Sequence[str]) -> str:
    if feeling is None:
        return ""
    return feeling.says.format(who=named(who)) if who else feeling.nobody


def _like(foremost: Event, events: Sequence[Event], kinds: Sequence[tuple[MemoryType, float]]) -> list[Event]:
    """The most important event and the others that tell what somebody likes, or what somebody does not, as it does."""
    disliked = is_disliked(foremost.description)
    others = (event for event, (memory_type, _) in zip(events, kinds, strict=True) if memory_type == "PREFERENCE")
    return [foremost, *(event for event in others if is_disliked(event.description) is disliked)]


def _meant(memory_type: MemoryType, told: Sequence[Event], config: Config) -> str:
    if memory_type == "PREFERENCE":
        acting = [_acting(event) for event in told]
        who = sorted(one_each(name for names in acting for name in names)) if all(acting) else []
        return liking(who, [told[0].description], together=True)
    return household_rules().type_says[memory_type].format(household=config.persona_household)


def _again(seen_before: int) -> str:
    if not seen_before:
        return ""
    times = "once" if seen_before == 1 else _TIMES.get(seen_before, "many times")
    return f"I have noticed something like it {times} before."


def _emotion(feeling: EmotionRule | None) -> Emotion:
    return "neutral" if feeling is None else feeling.emotion


def _bare(place: str) -> str:
    return place.removeprefix("the ").removeprefix("The ").strip()
