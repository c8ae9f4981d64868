"""Conversations from files: messages in JSON or JSON lines, turns with their answers, and LoCoMo's published format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import JsonValue, ValidationError

from memdb import checks, disk
from memdb.daytime import zone_of
from memdb.errors import InputError
from memdb.records import Message, Record, When
from memdb.times import to_utc

_BETWEEN_MESSAGES = timedelta(seconds=5)  # LoCoMo dates sessions, not messages; what is said later must be later
_SESSION = re.compile(r"session_(\d+)")
_SPOKEN_TIME = re.compile(r"(\d{1,2}):(\d{2})\s*([ap]m)\s+on\s+(\d{1,2})\s+(\w+),?\s+(\d{4})", re.IGNORECASE)
_MONTHS = "january february march april may june july august september october november december".split()


class Exchange(Message):
    """A message and, where there is one, the assistant's answer to it."""

    assistant: str = ""

    @property
    def says_nothing(self) -> bool:
        """Whether it is a message of a model or a tool that said nothing, and has no answer."""
        return super().says_nothing and not self.assistant


class Question(Record):
    """A question to ask of the memory of a conversation.

    `expect` is a text that a good hit contains, `evidence` names the turns that hold the answer, `at` is when it is asked (None: after
    the last turn).
    """

    ask: str
    expect: str | None = None
    evidence: tuple[str, ...] = ()
    at: When | None = None


class Conversation(Record):
    """What was said, in order, and to whom it belongs, where the file says so. `timezone` is that of the file's times without an offset."""

    user_id: str | None = None
    timezone: str | None = None
    turns: tuple[Exchange, ...]
    questions: tuple[Question, ...] = ()


def read_conversation(path: str | Path) -> list[Conversation]:
    """Return the conversations of a file; see `parse_conversation` for what it may hold.

    Raises:
        InputError: the file cannot be read, or something in it cannot be used; the message names the line or the field.
    """
    text = disk.text(path, wanted="the path of a conversation in JSON or JSON lines")
    return parse_conversation(text, origin=str(path))


def parse_conversation(text: str, *, origin: str) -> list[Conversation]:
    """Return the conversations that a text holds; `origin` names the text in errors.

    It may be a list of messages (`{text, speaker, timestamp, session_id, turn_id}`, or a chat's `{role, content}`), an object that holds
    one as `messages`, or either as JSON lines; an object with `turns`
    (`{user, assistant, turn_id, session_id, timestamp}`), `user_id`, `timezone` and `questions`; or samples in LoCoMo's published
    format, of which each becomes a conversation named by its `sample_id`.

    Raises:
        InputError: something cannot be used; the message names the line or the field.
    """
    if not text.strip():
        raise InputError(f"{origin} is empty; give a conversation in JSON or JSON lines.")
    try:
        document = checks.parsed(text)
    except json.JSONDecodeError as error:
        if error.lineno == 1 and error.msg != "Extra data":
            raise InputError(f"{origin}, line 1: this is no JSON ({error.msg}); give a conversation in JSON or JSON lines.") from error
        return [Conversation(turns=tuple(_json_lines(text, origin=origin, whole=error)))]
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets in brackets in brackets
        raise InputError(f"{origin} cannot be read as JSON ({checks.unread(error)}); give a conversation in JSON or JSON lines.") from error
    if isinstance(document, dict) and isinstance(document.get("conversation"), dict):
        return [_sample(document, origin=origin)]
    if isinstance(document, dict) and "turns" in document:
        return [_with_turns(document, origin=origin)]
    if isinstance(document, dict):
        return [Conversation(turns=tuple(_messages(document, place=f"{origin}, line 1")))]
    if not isinstance(document, list):
        raise InputError(f'{origin} holds a single value; give a list of messages, such as [{{"text": "I live in Lisbon."}}].')
    if document and all(isinstance(item, dict) and "conversation" in item for item in document):
        return [_sample(item, origin=f"{origin}, sample {place}") for place, item in enumerate(document, start=1)]
    return [Conversation(turns=tuple(_listed(document, place=f"{origin}, message ")))]


def _json_lines(text: str, *, origin: str, whole: json.JSONDecodeError) -> Iterator[Exchange]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            item = checks.parsed(line)
        except json.JSONDecodeError as error:
            # A document over several lines fails on its first one; then it is the document's own error that helps.
            number, error = (whole.lineno, whole) if number == 1 else (number, error)
            raise InputError(f"{origin}, line {number}: this is no JSON ({error.msg}); mend the line and load the file again.") from error
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{origin}, line {number} cannot be read as JSON ({checks.unread(error)}); mend it and load the file again."
            ) from error
        yield from _messages(item, place=f"{origin}, line {number}")


def _messages(item: JsonValue, *, place: str) -> Iterator[Exchange]:
    """What a document or a line holds: one message, or a whole chat as it is sent to a model."""
    if isinstance(item, dict) and isinstance(listed := item.get("messages"), list):
        yield from _listed(listed, place=f"{place}, message ")
    elif not (message := _message(item, place=place)).says_nothing:
        yield message


def _listed(items: list[JsonValue], *, place: str) -> Iterator[Exchange]:
    messages = (_message(item, place=f"{place}{number}") for number, item in enumerate(items, start=1))
    return (message for message in messages if not message.says_nothing)


def _message(item: JsonValue, *, place: str) -> Exchange:
    if not isinstance(item, dict):
        raise InputError(f"{place}: this is {_named(item)}, not a message; write an object with the field text.")
    if "assistant" in item or "user" in item:
        item = {("text" if name == "user" else name): value for name, value in item.items()}
        item.setdefault("text", "")
    try:
        exchange = Exchange.model_validate(item)
    except ValidationError as error:
        raise InputError(f"{place}: {_what_is_wrong(error)}") from error
    if not exchange.text and not exchange.assistant and not exchange.says_nothing:
        field = "content" if "content" in item else "text"
        raise InputError(f"{place}: field {field} is empty; give what was said, or leave the message out.")
    if exchange.assistant and exchange.turn_id is None:
        raise InputError(f"{place}: field turn_id is missing; name a turn that has an answer, so that loading it again adds nothing.")
    for name in ("text", "assistant", "speaker", "session_id", "turn_id"):
        checks.text(getattr(exchange, name) or "", f"{place}: field {name}")
    for name in ("speaker", "session_id"):
        checks.given(getattr(exchange, name), f"{place}: field {name}")
    if exchange.turn_id is not None:
        checks.name(exchange.turn_id, f"{place}: field turn_id")
    if isinstance(exchange.timestamp, str):
        _time(exchange.timestamp, place=f"{place}: field timestamp")
    return exchange


def _with_turns(document: dict[str, JsonValue], *, origin: str) -> Conversation:
    turns = document["turns"]
    if not isinstance(turns, list):
        raise InputError(f"{origin}: field turns is {_named(turns)}; give a list of turns.")
    rest = {name: value for name, value in document.items() if name != "turns"}
    exchanges = tuple(_listed(turns, place=f"{origin}, turn "))
    try:
        conversation = Conversation.model_validate({**rest, "turns": exchanges})
        zone = None if conversation.timezone is None else zone_of(conversation.timezone)
    except ValidationError as error:
        raise InputError(f"{origin}: {_what_is_wrong(error)}") from error
    except ValueError as error:
        raise InputError(f"{origin}: field timezone cannot be used ({error}); mend it and load the file again.") from error
    checks.text(conversation.user_id or "", f"{origin}: field user_id")
    for place, question in enumerate(conversation.questions, start=1):
        if isinstance(question.at, str):
            _time(question.at, place=f"{origin}, question {place}: field at")
    return conversation if zone is None else conversation.model_copy(update={"turns": tuple(_in_zone(turn, zone) for turn in exchanges)})


def _in_zone(turn: Exchange, zone: ZoneInfo) -> Exchange:
    return turn if turn.timestamp is None else turn.model_copy(update={"timestamp": to_utc(turn.timestamp, zone=zone)})


def _sample(sample: JsonValue, *, origin: str) -> Conversation:
    """One sample of LoCoMo: `conversation.session_N` with `session_N_date_time`; `dia_id` names the turn."""
    conversation = sample.get("conversation") if isinstance(sample, dict) else None
    if not isinstance(sample, dict) or not isinstance(conversation, dict):
        raise InputError(f"{origin}: field conversation is {_named(conversation)}; give an object with session_1, session_2, ….")
    turns: list[Exchange] = []
    numbers = sorted(int(match[1]) for name in conversation if (match := _SESSION.fullmatch(name)))
    for number in numbers:
        session = f"session_{number}"
        lines, date = conversation[session], conversation.get(f"{session}_date_time")
        if not isinstance(lines, list):
            raise InputError(f"{origin}: field conversation.{session} is {_named(lines)}; give a list of what was said.")
        if lines:
            start = _session_start(date, place=f"{origin}: field conversation.{session}_date_time")
            turns += [
                _said(line, start + place * _BETWEEN_MESSAGES, session, place=f"{origin}: field conversation.{session}.{place}")
                for place, line in enumerate(lines)
            ]
    name = sample.get("sample_id")
    return Conversation(user_id=str(name) if name is not None else None, turns=tuple(turns), questions=tuple(_asked(sample.get("qa"))))


def _said(line: JsonValue, at: datetime, session: str, *, place: str) -> Exchange:
    """One line of a LoCoMo session. Its `query` is what the data's makers searched a picture by; nobody said it."""
    if not isinstance(line, dict):
        raise InputError(f"{place} is {_named(line)}; give an object with speaker, dia_id and text.")
    words, caption = line.get("text"), line.get("blip_caption")
    if not isinstance(words, str):
        raise InputError(f"{place}.text is {_named(words)}; give what was said as text.")
    text = f"{words} [image: {caption}]".strip() if isinstance(caption, str) and caption else words
    item: dict[str, JsonValue] = {"text": text, "speaker": line.get("speaker"), "session_id": session, "turn_id": line.get("dia_id")}
    return _message(item, place=place).model_copy(update={"timestamp": at})


def _asked(questions: JsonValue) -> Iterator[Question]:
    """The questions of a LoCoMo sample that have an answer; category 5 asks for what was never said."""
    for item in questions if isinstance(questions, list) else []:
        if not isinstance(item, dict) or item.get("category") == 5 or item.get("answer") is None:
            continue
        yield Question(ask=str(item.get("question", "")), expect=str(item["answer"]), evidence=evidence_of(item.get("evidence")))


def evidence_of(listed: object) -> tuple[str, ...]:
    """Return the turns that a LoCoMo question names as its evidence, malformed ids repaired ("D8:6; D9:17", "D:11:26", "D30:05")."""
    text = " ".join(map(str, listed)) if isinstance(listed, list) else ""
    return tuple(dict.fromkeys(f"D{int(session)}:{int(turn)}" for session, turn in re.findall(r"D:?(\d+):(\d+)", text)))


def _session_start(value: JsonValue, *, place: str) -> datetime:
    """A time such as "1:56 pm on 8 May, 2023", or in ISO-8601."""
    if not isinstance(value, str):
        raise InputError(f"{place} is {_named(value)}; give the session's time, such as '1:56 pm on 8 May, 2023'.")
    match = _SPOKEN_TIME.fullmatch(value.strip())
    if match is None:
        _time(value, place=place)
        return datetime.fromisoformat(value.strip())
    hour, minute, half, day, month, year = match.groups()
    try:
        noon = 12 if half.lower() == "pm" else 0
        if not 1 <= int(hour) <= 12:
            raise ValueError(hour)
        return datetime(int(year), _MONTHS.index(month.lower()) + 1, int(day), int(hour) % 12 + noon, int(minute))
    except ValueError as error:
        raise InputError(f"{place}: there is no such time as {value!r}; write it like '1:56 pm on 8 May, 2023'.") from error


def _time(value: str, *, place: str) -> None:
    try:
        to_utc(value)
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


def _what_is_wrong(error: ValidationError) -> str:
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"field {name} is not known; a message has text (or content), speaker (or role), timestamp, session_id and turn_id."
    if first["type"] == "missing":
        return f"field {name} is missing; add it."
    return f"field {name} cannot be used ({checks.why(first)}); mend it and load the file again."


def _named(value: JsonValue) -> str:
    """What a JSON value is called in an error."""
    names = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return "missing" if value is None else names[type(value)]
