"""Make memory ready for a prompt within a token budget: mem-skill's stage 6."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo

from memdb.answers import Context, ContextItem, Hit, Profile, ProfileEntry, Question, Section, Verdict
from memdb.config import Config
from memdb.passages import passage
from memdb.quoting import one_line
from memdb.records import Fact, Kind, Record, Tone, parts_of, state_of
from memdb.stop_words import PLEASANTRIES, STOP_WORDS, is_pleasantry
from memdb.tokens import Tokenizer
from memdb.unspaced import words_of
from memdb.wording import day_told, told_when

_PROFILE = "User Profile"
SYSTEM = "System"
_MARKS: dict[Tone, str] = {"assert": "", "hedge": " (probably)", "avoid": " (unsure)"}
_UNCONFIRMED, _DISPUTED, _OUTDATED = " (unconfirmed)", " (disputed)", " (may be out of date)"
_CLAUSE = re.compile(r"[,;:.!?()\n–—]+|\b(?:and|but|because|so|then|or)\b")
_GRAMMAR = (STOP_WORDS | PLEASANTRIES) - {"no", "not"}
_MAX_LINE = 600  # characters; one endless message must not crowd out everything else
_SHARE = 0.5  # of the most of the question's words that a fact has: what has less of them only happens to share one
_FIRST = 4  # hits of which a message is told however long ago it was said: that it was said is beyond doubt


class _Line(Record):
    """A line that may go into the prompt.

    `rank` 0 goes in first: what the application says, then hard constraints, then what the verdict says, then tasks and who the user is,
    then soft preferences and what was found. `order` is where its section stands in the prompt.
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
    said_by: datetime | None = None,
    asked: Question | None = None,
    question: str | None = None,
    disputed: Collection[str] = (),
    degraded: str | None = None,
    verdict: Verdict | None = None,
    sections: Mapping[str, Section] | None = None,
    system: str = "",
) -> Context:
    """Return the context for the next prompt; its text never has more than `max_tokens` tokens.

    Hard constraints and hard preferences come first, then current tasks, then soft preferences and whatever bears on the question.
    When tokens are short, stale and low-confidence lines go first, whatever their section; then the least important. No section has more
    tokens than its own row of `sections` allows. What is `disputed`, by its id, is marked as such. `system` opens the prompt, as far as
    there is room for whole lines of it; what the verdict says about answering stands there too. Of a message that is too long for a line
    stands the part that bears on what was `asked`. What was said until `said_by`, also later than `now`, counts as said.
    """
    layout = sections or {}
    answered = verdict.fact_id if verdict is not None and verdict.decision != "abstain" else None
    found = list(
        _lines(
            profile, hits, kinds=kinds, answered=answered, disputed=disputed, now=now, said_by=said_by or now, config=config, asked=asked
        )
    )
    room = min(max_tokens, layout[SYSTEM].max_tokens if SYSTEM in layout else max_tokens) - tokenizer.count(_heading(SYSTEM))
    said, told = _instructions(system, verdict, fits=lambda line: tokenizer.count(line) <= room)
    if layout:
        said, told, found = ([_laid_out(line, layout) for line in lines] for lines in (said, told, found))
    if not found and not system:
        told = []  # a verdict on nothing is no memory
    chosen, dropped = _fit([*said, *told, *found], layout=layout, tokenizer=tokenizer, max_tokens=max_tokens)
    if told and not _remembers(chosen):  # nor is one that takes the room of all that it speaks of
        without, rest = _fit([*said, *found], layout=layout, tokenizer=tokenizer, max_tokens=max_tokens)
        if _remembers(without):
            chosen, dropped = without, [*told, *rest]
    items = tuple(line.item for line in _ordered(chosen))
    text = render(items)
    return Context(
        text=text,
        tokens=tokenizer.count(text),
        max_tokens=max_tokens,
        tokenizer=tokenizer.name,
        items=items,
        dropped=tuple(line.item for line in reversed(dropped)),
        question=question,
        degraded=degraded,
        verdict=verdict,
    )


def _instructions(system: str, verdict: Verdict | None, *, fits: Callable[[str], bool]) -> tuple[list[_Line], list[_Line]]:
    """The lines of what the application says, each in full if it `fits`, and that of what the verdict does."""
    said = [f"- {one_line(line)}" for line in system.splitlines() if line.strip()]
    told = [verdict.instruction] if verdict is not None and verdict.instruction else []
    return (
        _opening([line if fits(line) else one_line(line, most=_MAX_LINE) for line in said], rank=0),
        _opening([f"- {one_line(text, most=_MAX_LINE)}" for text in told], rank=2),
    )


def _opening(texts: Iterable[str], *, rank: int) -> list[_Line]:
    items = (ContextItem(section=SYSTEM, text=text, fact_id="", confidence=1.0) for text in texts)
    return [_Line(item=item, rank=rank, order=-1) for item in items]


def _remembers(lines: Iterable[_Line]) -> bool:
    return any(line.item.fact_id for line in lines)


def _fit(
    lines: Sequence[_Line], *, layout: Mapping[str, Section], tokenizer: Tokenizer, max_tokens: int
) -> tuple[list[_Line], list[_Line]]:  # fmt: skip
    """Return the lines that there is room for, the most important first, and those that there is none for."""
    weak = {id(line) for line in lines if line.item.stale or line.item.low_confidence}
    chosen: list[_Line] = []
    dropped: list[_Line] = []
    spent: dict[str, int] = {}
    for line in sorted(lines, key=lambda line: (id(line) in weak, line.rank, -(line.item.score or 0.0), -line.item.confidence)):
        section = line.item.section
        more = tokenizer.count(line.item.text) + (0 if section in spent else tokenizer.count(_heading(section)))
        most = layout[section].max_tokens if section in layout else max_tokens
        if spent.get(section, 0) + more <= most and sum(spent.values()) + more <= max_tokens:
            chosen.append(line)
            spent[section] = spent.get(section, 0) + more
        else:
            dropped.append(line)
    return chosen, dropped


def _laid_out(line: _Line, layout: Mapping[str, Section]) -> _Line:
    section = layout.get(line.item.section)
    if section is None:
        return line.model_copy(update={"order": 1 + max(row.position for row in layout.values())})
    item = line.item.model_copy(update={"text": section.bullet + line.item.text.removeprefix("-")})
    return line.model_copy(update={"item": item, "order": section.position})


def _lines(
    profile: Profile,
    hits: Sequence[Hit],
    *,
    kinds: Mapping[str, Kind],
    answered: str | None,
    disputed: Collection[str],
    now: datetime,
    said_by: datetime,
    config: Config,
    asked: Question | None,
) -> Iterator[_Line]:
    """What is told, of the hits also the one that is `answered` from, and messages that stand first, however unsure they are."""
    found = {hit.fact.fact_id: hit for hit in hits}
    hard = [*profile.sensitive_topics, *_entries(profile.hard_preferences)]
    shown: set[str] = set()
    goals, messages = kinds.get("task"), kinds.get("message")  # one of which somebody may have deleted
    ranked = [
        (1, _PROFILE, 0, hard, True),
        *([(3, goals.section, goals.injection_order, profile.current_tasks, True)] if goals else []),
        (3, _PROFILE, 0, _entries(profile.identity), True),
        (4, _PROFILE, 0, _entries(profile.soft_preferences), not hits),
    ]
    first = {hit.fact.fact_id for hit in hits[:_FIRST] if hit.fact.kind == "message"} | {answered}
    most = max((hit.parts.get("lexical", 0.0) for hit in hits if hit.fact.kind == "fact"), default=0.0)
    usable = [
        hit for hit in hits if _tone(_sure(hit), config) != "avoid" or _asked_for(hit, config, most=most) or hit.fact.fact_id in first
    ]
    wanted = {hit.fact.fact_id for hit in usable}
    for rank, section, order, entries, always in ranked:
        for entry in entries:
            if (always and entry.state != "stalled") or entry.fact_id in wanted:
                shown.add(entry.fact_id)
                doubted = entry.fact_id in disputed
                item = _profile_item(entry, section, found.get(entry.fact_id), rank=rank, disputed=doubted, now=now, config=config)
                yield _Line(item=item, rank=rank, order=order)
    told = [hit.fact for hit in hits if hit.fact.fact_id in shown]
    said = _words_of(hit.fact for hit in usable if hit.fact.kind == "message")
    for hit in usable:
        fact = hit.fact
        silent = _adds_nothing(fact, told) if fact.kind == "message" else _said_already(fact, told) or _only_quotes(fact, said)
        if fact.fact_id not in shown and not silent:
            told.append(fact)
            kind = kinds[fact.kind]
            item = _hit_item(hit, kind.section, disputed=fact.fact_id in disputed, now=now, said_by=said_by, config=config, asked=asked)
            last = messages is not None and kind.section == messages.section
            yield _Line(item=item, rank=5 if last else 4, order=kind.injection_order)


def _entries(section: dict[str, list[ProfileEntry]]) -> list[ProfileEntry]:
    return [entry for entries in section.values() for entry in entries]


def _profile_item(
    entry: ProfileEntry, section: str, hit: Hit | None, *, rank: int, disputed: bool, now: datetime, config: Config
) -> ContextItem:
    """A line of what is always known. It is never left out for being unsure, but says so."""
    mentioned = entry.last_mentioned_at or entry.updated_at
    judged = _sure(hit) if hit else None
    tone = _tone(entry.confidence if judged is None else judged, config)
    due, event = (entry.due, None) if entry.state else (None, entry.due)
    when = f"{_stands(entry.state, due, config.zone)}{told_when(event, entry.valid_to, config.zone)}"
    return ContextItem(
        section=section,
        text=f"- {one_line(entry.text, most=_MAX_LINE)}{when}{_DISPUTED if disputed else _MARKS[tone] if tone else ''}",
        fact_id=entry.fact_id,
        confidence=entry.confidence,
        # who somebody is and what they must not eat does not go stale for not being mentioned
        stale=(rank == 4 or section != _PROFILE) and now - mentioned > timedelta(days=config.stale_after_days),
        low_confidence=entry.confidence < config.low_confidence,
        score=hit.score if hit else None,
        tone=tone,
    )


def _hit_item(
    hit: Hit, section: str, *, disputed: bool, now: datetime, said_by: datetime, config: Config, asked: Question | None
) -> ContextItem:
    fact = hit.fact
    tone = _tone(_sure(hit), config)
    said = one_line(passage(fact.value_text, asked, most=_MAX_LINE), most=_MAX_LINE)
    if fact.kind == "message":  # it was said, whether or not it is so
        over = _OUTDATED if hit.parts.get("outdated") else ""
        speaker = one_line(fact.speaker or "user", most=_MAX_LINE)
        text = f"- [{day_told(fact.valid_from, config.zone)}] {speaker}: {said}{over}"
    else:
        doubt = _UNCONFIRMED if fact.status == "pending_confirmation" else _DISPUTED if disputed else _MARKS[tone] if tone else ""
        summary = " (summary)" if fact.kind == "episode" else ""
        stands = _stands(state_of(fact.value_json), fact.event_time, config.zone) if fact.kind == "task" else ""
        event, begins = (fact.event_time, fact.valid_from) if fact.kind == "fact" else (None, None)
        if fact.valid_from <= min(fact.created_at, said_by):
            begins = None  # what is so since it was said is not to come, whatever the clock shows
        when = f"{stands}{told_when(event, fact.valid_to, config.zone, begins=begins, now=now)}"
        text = f"- {_day(fact, config.zone)}{said}{summary}{when}{doubt}"
    return ContextItem(
        section=section,
        text=text,
        fact_id=fact.fact_id,
        confidence=fact.confidence,
        stale=fact.kind != "message" and now - (fact.last_mentioned_at or fact.updated_at) > timedelta(days=config.stale_after_days),
        low_confidence=fact.confidence < config.low_confidence
        or fact.status == "pending_confirmation"
        or (tone == "avoid" and not hit.suits),
        score=hit.score,
        tone=tone,
    )


def _day(fact: Fact, zone: tzinfo) -> str:
    """When what is told happened. A pattern tells of many days."""
    pattern = parts_of(fact.value_json).get("pattern")
    return f"[{day_told(fact.event_time or fact.valid_from, zone)}] " if fact.kind in ("episode", "narrative") and not pattern else ""


def _sure(hit: Hit) -> float | None:
    """How sure an item is where it is told; a taste that is to be minded is no less sure for answering nothing."""
    return hit.fact.confidence if hit.suits and hit.confidence_now is not None else hit.confidence_now


def _tone(confidence: float | None, config: Config) -> Tone | None:
    """How an item may be used: stated, hedged, or only if asked for; None where nobody judged."""
    if confidence is None:
        return None
    if confidence >= config.assert_confidence:
        return "assert"
    return "hedge" if confidence >= config.hedge_confidence else "avoid"


def _asked_for(hit: Hit, config: Config, *, most: float) -> bool:
    """Whether a question asks for an item: in its words, under its key, plainly by meaning, or since a suggestion is to suit the user.

    A fact that only shares a word with it is not asked for: it has half as much of the question's words as one has at `most`, or is near
    it in meaning, too. Of what was said or happened any word will do.
    """
    if hit.is_asked_for or hit.suits or (hit.relevance or 0.0) > config.abstain_relevance:
        return True
    words, meaning = hit.parts.get("lexical", 0.0), hit.parts.get("match", 0.0)
    return words > 0 and (hit.fact.kind != "fact" or words >= _SHARE * most or meaning >= config.bearing_match)


def _adds_nothing(message: Fact, told: Sequence[Fact]) -> bool:
    """Whether a message is mere thanks and cheers, or shown facts that quote it say most of each of its clauses."""
    text = _plain(message.value_text)
    if is_pleasantry(set(words_of(text, contracted=True))):
        return True
    quoting = [_telling(fact.value_text) for fact in told if _quotes(fact, text)]
    clauses = filter(None, map(_telling, _CLAUSE.split(text)))
    return bool(quoting) and all(any(2 * len(clause & fact) >= len(clause) for fact in quoting) for clause in clauses)


def _quotes(fact: Fact, text: str) -> bool:
    """Whether a fact is what was said in a plain text. "Find my keys" is not what was said by "I lost my keys, help me find them"."""
    quote = _plain(fact.source_excerpt)
    return bool(quote) and quote in text and (fact.kind != "task" or _plain(fact.object) in text)


def _telling(text: str) -> set[str]:
    """The words of a text that tell something, in the singular; "no" and "not" do."""
    words = set(words_of(text, contracted=True)) - _GRAMMAR
    return {word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words}


def _said_already(fact: Fact, told: Sequence[Fact]) -> bool:
    """Whether a shown fact says it word for word, or says all of it under the same key."""
    text = _plain(fact.value_text)
    return any(_plain(other.value_text) == text or _within(fact, other) for other in told)


def _words_of(messages: Iterable[Fact]) -> dict[str, str]:
    """What each speaker said in messages."""
    said: dict[str, str] = {}
    for message in messages:
        speaker = message.speaker or "user"
        said[speaker] = f"{said.get(speaker, '')}\n{' '.join(message.value_text.split())}"
    return said


def _only_quotes(fact: Fact, said: Mapping[str, str]) -> bool:
    """Whether a summary says nothing but what somebody said in the messages at hand, word for word."""
    if fact.kind != "episode" or not said:
        return False
    speakers = "|".join(map(re.escape, sorted(said, key=len, reverse=True)))
    before, *quotes = re.split(rf"(?:^| )({speakers}): ", " ".join(fact.value_text.split()))
    return not before and all(quote.rstrip(" .…") in said[speaker] for speaker, quote in zip(quotes[::2], quotes[1::2], strict=True))


def _within(fact: Fact, other: Fact) -> bool:
    """Whether all that a fact says under a key stands in another under the same."""
    if other.kind == "message" or fact.key != other.key or fact.status != other.status:
        return False
    theirs = other.value_text.casefold().split()
    return all(word in theirs for word in fact.value_text.casefold().split())


def render(items: Iterable[ContextItem]) -> str:
    """Return the text of a context: its lines in this order, each section under its heading."""
    sections: dict[str, list[str]] = {}
    for item in items:
        sections.setdefault(item.section, [_heading(item.section)]).append(item.text)
    return "\n\n".join("\n".join(section) for section in sections.values())


def _heading(section: str) -> str:
    return f"# {section}"


def _ordered(lines: Sequence[_Line]) -> list[_Line]:
    return sorted(lines, key=lambda line: (line.order, line.rank))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _stands(state: object, due: datetime | None, zone: tzinfo) -> str:
    """When a task is due, since "tomorrow" in its words was reckoned from another day; and whether it has stalled."""
    return f"{f' (due {day_told(due, zone)})' if due else ''}{' (stalled)' if state == 'stalled' else ''}"
