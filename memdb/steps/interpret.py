"""Find the atomic facts in a turn with a language model: the second way beside the rules of `extract`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import tzinfo
from typing import Annotated, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from memdb.borne_out import is_english, made_up_number, speaks_of, told_details
from memdb.called import called
from memdb.earnest import in_earnest
from memdb.errors import InputError, ModelError
from memdb.files import fill, instructions
from memdb.keys import canonical_key, is_canonical, predicate_of, slug
from memdb.llm import ContextTooLong, LanguageModel, Prompt
from memdb.loose import Details, details_kept, meant
from memdb.quoting import unquoted
from memdb.records import Candidate, Category, ModelCall, Note, Predicate, Turn, is_oneself, source_of
from memdb.times import in_zone
from memdb.when import read_time

_LONGEST = 6_000  # characters given to the model at once
_REWORDED: tuple[Category, ...] = ("soft_preference", "task_context")  # what may be told in other words: “Keep it brief”, concise answers
_SHORTEST = 200  # a text that is too long for the model is halved, but not below this
_SPEAKER = frozenset("i me my mine myself speaker the_speaker".split())  # whom a model may call so in a key
_SPEAKERS = re.compile(r"(?:my|our|(?:the_)?(?:user|speaker)_?s)_(?=[a-z])")  # "my sister", "user's sister"
_FIRST_PERSON = re.compile(r"\b(?:I|my|mine|me|myself)\b", re.IGNORECASE)
_USER = re.compile(r"(?:the )?user\b", re.IGNORECASE)


# bounds for servers that keep to them, since small models write on and on; a longer text from others may still be read
_Name = Annotated[str, Field(json_schema_extra={"maxLength": 80})]
_Sentence = Annotated[str, Field(json_schema_extra={"maxLength": 300})]


class Stated(BaseModel):
    """A fact as the model writes it down; nothing of it is believed before it is checked."""

    # servers let a model write what is required first; an answer that leaves some out may still be read
    model_config = ConfigDict(
        json_schema_extra={"required": ["key", "value_text", "object", "excerpt", "confidence", "explicit", "negated"]},
        coerce_numbers_to_str=True,
    )

    key: _Name
    value_text: _Sentence
    object: _Sentence
    excerpt: _Sentence
    category: _Name | None = None
    value_json: Details | None = None
    confidence: float = 0.7  # a model that says nothing of it is not sure enough to change what is of high risk
    explicit: bool = False
    negated: bool = False
    temporary: bool = False
    event_time: _Name | None = None
    valid_from: _Name | None = None
    valid_to: _Name | None = None

    _meant = model_validator(mode="before")(meant)

    @field_validator("excerpt")
    @classmethod
    def _unquoted(cls, value: str) -> str:
        return unquoted(value)

    @field_validator("confidence")
    @classmethod
    def _clamped(cls, value: float) -> float:
        return min(1.0, max(0.0, value)) if value == value else 0.0  # servers do not enforce ranges


class Extraction(BaseModel):
    """The model's answer."""

    facts: list[Stated]


@dataclass(frozen=True, slots=True)
class Interpreted:
    """What a model found in a turn, what of it was refused and why, and the calls it took.

    `unread` says why nothing that it wrote down is a fact of the turn, if it wrote any: then it has not understood what it was asked.
    """

    candidates: tuple[Candidate, ...] = ()
    notes: tuple[Note, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    unread: str | None = None


def interpret(
    turn: Turn, *, llm: LanguageModel, predicates: Mapping[str, Predicate], zone: tzinfo, said: str, answers: bool
) -> Interpreted:
    """Return the facts that a model finds in a turn, checked, and the calls it took.

    Refused is a fact whose excerpt is not in the turn, or lies in a question, a condition, a quotation or what "you said"; whose key is
    not canonical; or which says nothing. Only the words of the user, or of the named speaker, are read; what was `said` right before is
    shown beside them, for whom "she" is, and what is only said there is refused, unless the turn `answers` a question. A long message is
    read in parts, and a part that is too long for the model in halves.

    Raises:
        ModelError: the model cannot be reached or gives no usable answer; the rules are the way out.
    """
    speaker = (turn.speaker or "user").strip()
    if source_of(speaker) != "user_message" or not turn.user_input.strip():
        return Interpreted()
    subject = "user" if is_oneself(speaker, turn.user_id) else slug(speaker)
    system = instructions("extract", subject=subject, predicates=", ".join(sorted(predicates)))
    candidates: dict[tuple[str, str, bool], Candidate] = {}
    notes: list[Note] = []
    calls: list[ModelCall] = []
    misshapen: list[str] = []
    waiting = _parts(turn.user_input)
    while waiting:
        part = waiting.pop(0)
        before = fill("before", said=said) if said else ""
        user = before + fill("turn", timestamp=in_zone(turn.timestamp, zone).isoformat(), timezone=str(zone), speaker=speaker, text=part)
        try:
            answer = llm.ask(Prompt(system=system, user=user, most=_most(part)), answer=Extraction, purpose="extract")
        except ModelError as error:
            calls += error.calls
            if isinstance(error, ContextTooLong) and len(part) >= 2 * _SHORTEST:
                waiting[:0] = _parts(part, longest=len(part) // 2 + 1)
                continue
            error.calls = tuple(calls)
            raise
        calls += answer.calls
        for stated in (_attributed(one, turn, subject) for one in answer.record.facts):
            wrong = _misshapen(stated, turn.user_input, said, predicates)
            if wrong is not None:
                misshapen.append(wrong)
            candidate = _checked(stated, turn, predicates, zone, wrong or _unusable(stated, turn.user_input, "" if answers else said))
            if isinstance(candidate, Note):
                notes.append(candidate)
            else:
                candidates.setdefault((candidate.key, candidate.object.casefold(), candidate.negated), candidate)
    unread = misshapen[0] if misshapen and len(misshapen) == len(notes) and not candidates else None
    return Interpreted(tuple(candidates.values()), tuple(notes), tuple(calls), unread)


def _attributed(stated: Stated, turn: Turn, subject: str) -> Stated:
    """What a model wrote down, of whom it is said: of the speaker, whose key begins with `subject`, whatever else a model calls them.

    What somebody else says of themselves is not said of the user.
    """
    whom, _, predicate = _key(stated).partition(".")
    if not predicate:
        return stated
    mine = _SPEAKER | ({slug(turn.user_id)} if subject == "user" else set[str]())
    head, _, rest = stated.key.strip().partition(".")
    if slug(head) in (*mine, subject) and "." in rest:  # "user.sister.lives_in"
        whom, _, predicate = rest.partition(".")
    of_mine = subject == "user" or _FIRST_PERSON.search(stated.excerpt) is not None
    own = whom in mine or (whom in ("user", "the_user") and of_mine)
    whom = subject if own else _SPEAKERS.sub("", slug(whom), count=1)
    text = stated.value_text.strip()
    if subject != "user":
        if of_mine and whom in called().relations.values():  # Clara's sister, not the user's
            whom = f"{subject}_{whom}"
        if f"{whom}_".startswith(f"{subject}_") and _USER.match(text):
            text = f"{' '.join((turn.speaker or '').split())}{_USER.sub('', text, count=1)}"
    return stated.model_copy(update={"key": f"{whom}.{predicate}", "value_text": text})


def _checked(stated: Stated, turn: Turn, predicates: Mapping[str, Predicate], zone: tzinfo, wrong: str | None) -> Candidate | Note:
    """The candidate, or what is `wrong` with it."""
    excerpt = stated.excerpt.strip()
    said = stated.object.strip()
    key = _key(stated)
    if wrong is not None:
        return Note(step="extract", key=key[:100] or None, why=wrong)
    subject, _, predicate = key.partition(".")
    at = turn.timestamp
    starts = read_time(stated.valid_from, at=at, zone=zone, edge="begins")
    ends = read_time(stated.valid_to, at=at, zone=zone, edge="ends")
    if ends is not None and ends <= (starts or at):
        ends = None
    return Candidate(
        key=key,
        value_text=stated.value_text.strip(),
        object=said,
        category=_category(stated, predicate_of(key, predicates)),
        confidence=stated.confidence,
        excerpt=excerpt,
        value_json={
            **told_details(details_kept(stated.value_json), turn.user_input),
            "subject": subject,
            "predicate": predicate,
            "object": said,
        },
        event_time=read_time(stated.event_time, at=at, zone=zone, edge="happens"),
        valid_from=starts,
        valid_to=ends,
        temporary=stated.temporary and ends is not None,
        negated=stated.negated,
        explicit=stated.explicit,
    )


def _key(stated: Stated) -> str:
    """The key as it is meant, canonical where that can be made of it."""
    key = stated.key.strip().lower()
    if "." in key and not is_canonical(key):
        subject, _, predicate = key.partition(".")
        with suppress(InputError):  # told by `_misshapen`
            key = canonical_key(subject, predicate)
    return key


def _category(stated: Stated, predicate: Predicate) -> Category:
    """The vocabulary's category; the model's counts where that knows none, so that it can make a key riskier, never safer."""
    named = (stated.category or "").strip().lower()
    known: dict[str, Category] = {name: name for name in get_args(Category)}
    return known[named] if predicate.category == "other" and named in known else predicate.category


def _misshapen(stated: Stated, text: str, heard: str, predicates: Mapping[str, Predicate]) -> str | None:
    """Why something is no fact of the turn at all, or None. Its object may be what was `heard` right before."""
    excerpt, said = stated.excerpt.strip(), stated.object.strip()
    if not is_canonical(_key(stated)):
        return "the key is not subject.predicate"
    if not stated.value_text.strip() or not (said or stated.negated):
        return "it says nothing"
    if not excerpt or excerpt not in text:
        return "its excerpt is not among the words of the speaker"
    if said and not speaks_of(stated.value_text, said):
        return "its text does not say its object"
    predicate = predicate_of(_key(stated), predicates)
    reworded = predicate.category in _REWORDED and said.islower() and not any(map(str.isdecimal, said))
    if said and not reworded and is_english(text) and not speaks_of(f"{text}\n{heard}", said):
        return "its object is not among the words of the speaker"
    if (number := made_up_number(f"{text}\n{heard}", f"{said} {stated.value_text}")) is not None:
        return f"it tells the number {number!r}, which the speaker does not"
    if not said and is_english(text) and not speaks_of(text, f"{predicate.label} {predicate.predicate.replace('_', ' ')}"):
        return "the speaker names nothing that is over"
    return None


def _unusable(stated: Stated, text: str, heard: str) -> str | None:
    """What is wrong with a fact of the model, or None; what was only `heard` before is none of the turn."""
    excerpt, said = stated.excerpt.strip(), stated.object.strip()
    if not in_earnest(text, excerpt):
        return "its excerpt is only asked, supposed, quoted or recited"
    if said and said.casefold() in text.casefold() and not in_earnest(text, said):
        return "its object is only asked about, supposed, quoted or recited"
    if said and said.casefold() not in text.casefold() and said.casefold() in heard.casefold():
        return "its object was only said before"
    return None


def _most(text: str) -> int:
    """More facts than this a text cannot hold: each takes a word, and a sentence needs another."""
    words = len(text.split())
    return max(1, words - 1 if words > 3 else len(text) // 4)  # some languages write no spaces


def _parts(text: str, *, longest: int = _LONGEST) -> list[str]:
    parts: list[str] = []
    while len(text) > longest:
        cut = max(text.rfind(mark, longest // 2, longest) for mark in (". ", "\n", "! ", "? "))
        cut = cut if cut > 0 else text.rfind(" ", longest // 2, longest)
        cut = cut + 1 if cut > 0 else longest
        parts.append(text[:cut])
        text = text[cut:]
    return [part for part in [*parts, text] if part.strip()]
