"""The door to language models, whatever carries what is asked: answers become records here, or errors."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from memdb import checks, forking
from memdb.errors import ModelError, ModelOutputError, ModelUnavailable
from memdb.patience import panics_told
from memdb.records import ModelCall, Record

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T", bound=BaseModel)
Mode = Literal["json_schema", "json_object", "text"]
_MODES: tuple[Mode, ...] = ("json_schema", "json_object", "text")
_LONGEST_PAUSE = 30.0  # seconds between calls that failed
_MOST_LATE = 2  # calls that are too late: the first may have waited for the model to be loaded, the third would be as late as the second
_MOST_TOKENS = 1_000_000_000  # of one call; a server that counts more counts nonsense
_LONGEST = 1_000_000  # characters of an answer: longer ones no model writes, only what is broken or means harm
_KEPT = 20_000  # characters that are kept of an answer of no use
_TOO_LONG = "too_long"  # the finish reason of a call whose prompt did not fit
_THOUGHT = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)  # some models think aloud before they answer
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


class ContextTooLong(ModelOutputError):
    """The prompt is longer than the model can read; split it."""


class FormatRefused(ModelError):
    """The server does not know this way of asking for JSON."""


class Prompt(Record):
    """What is asked. `system` is the part that never changes, first, so that a server can keep it; `user` is the rest.

    `least` and `most` bound how many items a list that is the answer has, where the server keeps to that: small models know no end. In the
    same way `among` tells of fields of such an item by their names what text there may be: a small model names what it was not shown.
    """

    system: str
    user: str
    least: int = 0
    most: int | None = None
    among: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class ModelRequest(Record):
    """One call as a transport sees it. `schema_` is the JSON schema of the answer, in mode "json_schema" only."""

    system: str
    user: str
    mode: Mode
    schema_: dict[str, object] | None = None
    max_tokens: int
    temperature: float = 0.0


class ModelReply(Record):
    """What came back. `finish_reason` "length" means that the answer was cut."""

    text: str
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Answer(Record, Generic[T]):
    """A valid answer, and every call that it took."""

    record: T
    calls: tuple[ModelCall, ...]


Transport = Callable[[ModelRequest], ModelReply]


class LanguageModel:
    """A model behind a transport. Several threads may share one.

    `attempts` bounds how often a bad answer is asked for again, and how often a call that failed is repeated; pauses between failed calls
    double from `backoff` seconds, with jitter, and are as long as the server asks for; one that asks for more than 30 seconds is given up.
    A call that took too long is repeated once.
    """

    def __init__(self, transport: Transport, *, name: str, attempts: int = 3, backoff: float = 1.0, max_tokens: int = 1_024) -> None:
        self.name = name
        self._transport, self._attempts, self._backoff, self._max_tokens = transport, attempts, backoff, max_tokens
        self._mode: Mode = "json_schema"
        self._lock = threading.Lock()

    def ask(self, prompt: Prompt, *, answer: type[T], purpose: str, temperature: float = 0.0, max_tokens: int | None = None) -> Answer[T]:
        """Return the model's answer as a record; a bad one is asked for again with what was wrong.

        Raises:
            ModelUnavailable: the model could not be reached.
            ContextTooLong: the prompt is too long for it.
            ModelOutputError: it never gave a usable answer. Each error carries the calls made as `calls`.
        """
        schema = _shape(prompt, answer)
        digest = _prompt_hash(prompt, schema)
        calls: list[ModelCall] = []
        wrong: str | None = None
        budget = max_tokens or self._max_tokens
        for attempt in range(1, self._attempts + 1):
            user = (
                prompt.user if wrong is None else f"{prompt.user}\n\nYour last answer could not be used: {wrong}. Answer again, JSON only."
            )
            started = time.perf_counter()
            try:
                mode, reply = self._call(prompt.system, user, schema, budget, temperature, told=wrong is not None)
            except ModelError as error:
                why = _TOO_LONG if isinstance(error, ContextTooLong) else None
                calls.append(self._record(digest, purpose, self._mode, attempt, started, None, str(error), why))
                error.calls = tuple(calls)
                raise
            record, wrong = _parse(reply, answer)
            calls.append(self._record(digest, purpose, mode, attempt, started, reply, wrong))
            if record is not None:
                return Answer(record=record, calls=tuple(calls))
            if reply.finish_reason == "length":
                budget *= 2
        failure = ModelOutputError(
            f"The model {self.name} gave no usable answer in {self._attempts} attempts ({wrong}); try another model."
        )
        failure.calls = tuple(calls)
        raise failure

    def _call(
        self, system: str, user: str, schema: dict[str, object], max_tokens: int, temperature: float, *, told: bool
    ) -> tuple[Mode, ModelReply]:
        """Call in the mode that worked last; when the server refuses it, in the next plainer one.

        The schema is also told in words where the server was not given it, or may have passed over it.
        """
        while True:
            mode = self._mode
            in_words = f"{system}\n\nAnswer with JSON of this schema only:\n{json.dumps(schema)}"
            request = ModelRequest(
                system=in_words if told or mode != "json_schema" else system,
                user=user,
                mode=mode,
                schema_=schema if mode == "json_schema" else None,
                max_tokens=max_tokens,
                temperature=temperature,
            )
            try:
                return mode, self._persist(request)
            except FormatRefused as error:
                if mode == "text":
                    raise ModelUnavailable(f"The model {self.name} refuses every way of asking ({error}); check the endpoint.") from error
                with self._lock:
                    self._mode = _MODES[max(_MODES.index(self._mode), _MODES.index(mode) + 1)]

    def _persist(self, request: ModelRequest) -> ModelReply:
        with forking.foreign.entered():
            from tenacity import Retrying, retry_if_exception, wait_random_exponential

        backoff = wait_random_exponential(multiplier=self._backoff, max=_LONGEST_PAUSE)

        def pause(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            return max(backoff(state), getattr(error, "retry_after", None) or 0.0)

        def enough(state: RetryCallState) -> bool:
            error = state.outcome.exception() if state.outcome else None
            late = getattr(error, "late", False)
            return state.attempt_number >= (min(self._attempts, _MOST_LATE) if late else self._attempts)

        retrying = Retrying(stop=enough, wait=pause, retry=retry_if_exception(_is_passing), reraise=True)
        return retrying(self._carry, request)

    def _carry(self, request: ModelRequest) -> ModelReply:
        try:
            with panics_told():
                return _checked(self._transport(request), self.name)
        except ModelError as error:
            error.args = tuple(checks.searchable(str(told)) for told in error.args)  # a server may say what no file can hold
            raise
        except Exception as error:  # a transport is foreign code; whatever it raises, rules stand in
            why = checks.searchable(f"{type(error).__name__}: {error}")
            raise ModelUnavailable(f"The model {self.name} could not be asked ({why}); check its transport.") from error

    def _record(
        self,
        digest: str,
        purpose: str,
        mode: Mode,
        attempt: int,
        started: float,
        reply: ModelReply | None,
        error: str | None,
        finish_reason: str | None = None,
    ) -> ModelCall:
        return ModelCall(
            purpose=purpose,
            prompt_hash=digest,
            model=self.name,
            mode=mode,
            attempt=attempt,
            prompt_tokens=reply.prompt_tokens if reply else None,
            completion_tokens=reply.completion_tokens if reply else None,
            elapsed_ms=(time.perf_counter() - started) * 1000,
            finish_reason=reply.finish_reason if reply else finish_reason,
            raw=reply.text[: _KEPT if error else None] if reply else None,
            error=error,
        )


class ReplayModel(LanguageModel):
    """A model that answers every prompt as it was answered once, from the calls that a memory kept, and knows nothing else.

    `answered` and `unanswered` count the prompts that there was a kept call for, and those that there was none for.
    """

    def __init__(self, calls: Iterable[ModelCall]) -> None:
        self._kept: dict[str, deque[list[ModelCall]]] = {}
        name = "replay"
        for call in calls:
            asked = self._kept.setdefault(call.prompt_hash, deque())
            if call.attempt == 1 or not asked:
                asked.append([])
            asked[-1].append(call)
            name = call.model
        super().__init__(ScriptedModel([]), name=name)
        self.answered = self.unanswered = 0

    def ask(self, prompt: Prompt, *, answer: type[T], purpose: str, temperature: float = 0.0, max_tokens: int | None = None) -> Answer[T]:
        """Return the kept answer to a prompt, or raise the kept failure. What was asked several times is answered in that order.

        Raises:
            ModelUnavailable: there is no kept call for this prompt.
            ModelError: the model failed then, too.
        """
        with self._lock:
            asked = self._kept.get(_prompt_hash(prompt, _shape(prompt, answer)))
            calls = tuple((asked.popleft() if len(asked) > 1 else asked[0]) if asked else ())
            self.answered, self.unanswered = self.answered + bool(calls), self.unanswered + (not calls)
        if not calls:
            raise ModelUnavailable(f"No kept call answers this prompt ({purpose}); ask the model itself, or leave it to the rules.")
        last = calls[-1]
        if last.finish_reason == _TOO_LONG:
            failure: ModelOutputError = ContextTooLong(last.error or "")
        else:
            reply = ModelReply(text=last.raw or "", finish_reason=last.finish_reason)
            record, wrong = _parse(reply, answer) if last.error is None else (None, last.error)
            if record is not None:
                return Answer(record=record, calls=calls)
            failure = ModelOutputError(f"The model failed then, too: {(wrong or '').rstrip('.')}.")
        failure.calls = calls
        raise failure


class ScriptedModel:
    """A transport that answers from a list, in order, or from a function; for tests, and for trying things out without a model.

    An answer is text, a `ModelReply`, or an exception to raise. `requests` holds what was asked.
    """

    def __init__(self, answers: Iterable[str | ModelReply | Exception] | Callable[[ModelRequest], str | ModelReply | Exception]) -> None:
        self.requests: list[ModelRequest] = []
        self._answer = answers if callable(answers) else None
        self._rest = iter(()) if callable(answers) else iter(answers)
        self._lock = threading.Lock()

    def __call__(self, request: ModelRequest) -> ModelReply:
        """Give the next answer."""
        with self._lock:
            self.requests.append(request)
            given = self._answer(request) if self._answer else next(self._rest, None)
        if given is None:
            raise ModelUnavailable("The script of the model is at its end; give it more answers.")
        if isinstance(given, Exception):
            raise given
        return given if isinstance(given, ModelReply) else ModelReply(text=given, finish_reason="stop")


def _shape(prompt: Prompt, answer: type[BaseModel]) -> dict[str, object]:
    """The JSON schema of an answer, with the bounds of its list, and of the texts of its items."""
    schema = answer.model_json_schema()
    for item in schema.get("$defs", {}).values():
        fields = item.get("properties", {})
        for name in prompt.among.keys() & fields.keys():
            known = {"type": "string", "enum": list(prompt.among[name])}
            optional = any(one.get("type") == "null" for one in fields[name].get("anyOf", ()))
            fields[name] = (
                {"anyOf": [known, {"type": "null"}]} if optional and prompt.among[name] else {"type": "null"} if optional else known
            )
    if prompt.most is not None:
        for field in schema.get("properties", {}).values():
            if field.get("type") == "array":
                field |= {"minItems": prompt.least, "maxItems": prompt.most}
    return schema


def _prompt_hash(prompt: Prompt, schema: dict[str, object]) -> str:
    """What a prompt is known by: its text, and the shape that its answer must have."""
    return hashlib.sha256(json.dumps([prompt.system, prompt.user, schema], sort_keys=True).encode()).hexdigest()


def _checked(reply: object, name: str) -> ModelReply:
    """Return what a transport gave back as the file can keep it, if it is a reply."""
    if not isinstance(reply, ModelReply):
        raise ModelOutputError(f"The model {name} answered with {type(reply).__name__}, not with a ModelReply; mend its transport.")
    try:
        whole = ModelReply.model_validate({field: getattr(reply, field) for field in ModelReply.model_fields})
    except ValidationError as error:
        raise ModelOutputError(f"The model {name} gave a reply that is none ({checks.fault(error)}); mend its transport.") from error
    update = {
        "text": checks.searchable(whole.text),
        "finish_reason": whole.finish_reason and checks.searchable(whole.finish_reason),
        "prompt_tokens": _counted(whole.prompt_tokens),
        "completion_tokens": _counted(whole.completion_tokens),
    }
    return whole.model_copy(update=update)


def _counted(tokens: int | None) -> int | None:
    return tokens if tokens is not None and 0 <= tokens <= _MOST_TOKENS else None


def _parse(reply: ModelReply, answer: type[T]) -> tuple[T | None, str | None]:
    """Return the record, or what is wrong with the answer."""
    if reply.finish_reason == "length":
        return None, "it was cut off, be shorter"
    if len(reply.text) > _LONGEST:
        return None, "it was too long, be shorter"
    text = _THOUGHT.sub("", reply.text)
    value = _json(text)
    if value is None:
        return None, "it was empty" if not text.strip() else "it was no JSON"
    fields = answer.model_fields
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and value[0].keys() & fields.keys():
        value = value[0]  # the object that is wanted, in a list
    elif isinstance(value, list) and len(fields) == 1:  # a bare list where an object with one list is wanted
        value = {next(iter(fields)): value}
    try:
        if not _is_unicode(value):
            return None, "it held half a surrogate pair"
        return answer.model_validate(value), None
    except ValidationError as error:
        first = error.errors()[0]
        return None, f"field {'.'.join(map(str, first['loc'])) or 'answer'}: {first['msg']}"
    except RecursionError:
        return None, "it was nested too deeply"


def _json(text: str) -> object | None:
    fenced = _FENCE.search(text)
    for body in ([fenced[1]] if fenced else []) + [text, _outermost(text)]:
        try:
            value: object = json.loads(body, parse_constant=lambda name: None)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            return value
    return None


def _is_unicode(value: object) -> bool:
    """Whether all text in a JSON value is whole: an escape may stand for half a surrogate pair, which no file can hold."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _outermost(text: str) -> str:
    starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    end = max(text.rfind("}"), text.rfind("]"))
    return text[min(starts) : end + 1] if starts and end > min(starts) else ""


def _is_passing(error: BaseException) -> bool:
    """Whether a failed call is worth repeating at once."""
    return isinstance(error, ModelUnavailable) and error.passing and (error.retry_after or 0.0) <= _LONGEST_PAUSE


def calls_of(error: BaseException) -> tuple[ModelCall, ...]:
    """Return the calls that were made before a model's error."""
    return error.calls if isinstance(error, ModelError) else ()


__all__ = [
    "Answer",
    "ContextTooLong",
    "FormatRefused",
    "LanguageModel",
    "ModelReply",
    "ModelRequest",
    "Prompt",
    "ReplayModel",
    "ScriptedModel",
    "Transport",
    "calls_of",
]
