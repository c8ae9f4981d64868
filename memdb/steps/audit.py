"""Weigh what a turn says against what is believed, with a language model: the second way beside the rules of `arbitrate`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from memdb.borne_out import tells_a_time, told_details
from memdb.config import Config
from memdb.errors import InputError, ModelError
from memdb.figures import closer
from memdb.files import fill, instructions
from memdb.keys import canonical_key, names_another, normalise, predicate_of, says_no_more, says_the_same
from memdb.llm import ContextTooLong, LanguageModel, Prompt
from memdb.loose import Details, details_kept, meant
from memdb.privacy import secret_in_details
from memdb.quoting import one_line
from memdb.records import Action, ActionType, Candidate, Case, Fact, ModelCall, Note, Predicate, Turn, parts_of
from memdb.retelling import has_begun
from memdb.times import in_zone
from memdb.when import read_time
from memdb.wording import day_told

_LONGEST_INPUT = 2_000  # characters; of a longer turn the model sees the sentences that the candidates rest on
_LONGEST_VALUE = 300


# bounds for servers that keep to them, since small models write on and on; a longer text from others may still be read
_Name = Annotated[str, Field(json_schema_extra={"maxLength": 80})]
_Sentence = Annotated[str, Field(json_schema_extra={"maxLength": _LONGEST_VALUE})]


class Decided(BaseModel):
    """One decision as the model writes it down: the target, then why, then what to do. Nothing of it is done before it is checked."""

    # servers let a model write what is required first, in this order; an answer that leaves some out may still be read
    model_config = ConfigDict(json_schema_extra={"required": ["candidate", "target_fact_id", "reason", "type"]}, coerce_numbers_to_str=True)

    candidate: _Name = ""
    target_fact_id: _Name | None = None
    reason: _Sentence
    type: ActionType
    key: _Name | None = None
    new_value_text: _Sentence | None = None
    new_value_json: Details | None = None
    valid_from: _Name | None = None
    valid_to: _Name | None = None
    confidence_delta: float | None = None

    _meant = model_validator(mode="before")(meant)

    @field_validator("type", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value


class Decisions(BaseModel):
    """The model's answer."""

    actions: list[Decided]


@dataclass(frozen=True, slots=True)
class Audited:
    """An action for each case, in order, None where the rules decide; why they do; and the calls it took."""

    actions: tuple[Action | None, ...]
    notes: tuple[Note, ...]
    calls: tuple[ModelCall, ...]


def audit(
    turn: Turn,
    cases: Sequence[Case],
    related: Sequence[Fact],
    *,
    llm: LanguageModel,
    predicates: Mapping[str, Predicate],
    config: Config,
) -> Audited:
    """Return what a model proposes to do about each case; an action that does not hold good is None, and a note says why.

    `related` are further facts of the user, for the model to know. The same facts make the same prompt, whatever order they come in.
    When the prompt is too long for the model, it is asked about half of the cases at a time.

    Raises:
        ModelError: the model cannot be reached or gives no usable answer; the rules are the way out.
    """
    system = instructions("arbitrate")
    calls: list[ModelCall] = []
    notes: list[Note] = []
    actions: list[Action | None] = []
    waiting = [list(cases)]
    while waiting:
        some = waiting.pop(0)
        shown = _shown(some, related)
        try:
            user = _evidence(turn, some, shown, config.zone)
            prompt = Prompt(system=system, user=user, least=len(some), most=len(some), among=_among(some, shown, predicates))
            answer = llm.ask(prompt, answer=Decisions, purpose="arbitrate")
        except ModelError as error:
            calls += error.calls
            if isinstance(error, ContextTooLong) and (len(some) > 1 or related):
                half = len(some) // 2
                waiting[:0] = [some[:half], some[half:]] if half else [some]
                related = related if half else ()  # a case by itself goes without what is only related
                continue
            error.calls = tuple(calls)
            raise
        calls += answer.calls
        decided: dict[str, Decided] = {}
        for one in answer.record.actions:
            decided.setdefault(_about(one, some), one)  # what is said twice counts as said first
        for place, case in enumerate(some, start=1):
            checked = _checked(decided.get(f"c{place}"), case, shown, turn, predicates=predicates, config=config)
            actions.append(checked if isinstance(checked, Action) else None)
            if not isinstance(checked, Action):
                notes.append(Note(step="arbitrate", key=case.candidate.key, why=f"{checked}, so the rules decided"))
    return Audited(tuple(actions), tuple(notes), tuple(calls))


def _about(decided: Decided, cases: Sequence[Case]) -> str:
    """The candidate that a decision is about: the one that it names, or, where it names none, the only one under its key."""
    if decided.candidate.strip():
        return decided.candidate.strip().lower()
    own = [f"c{place}" for place, case in enumerate(cases, start=1) if decided.key and _key(decided.key) == case.candidate.key]
    return own[0] if len(own) == 1 else ""


def _shown(cases: Sequence[Case], related: Sequence[Fact]) -> dict[str, Fact]:
    """The facts to show by their short ids, those in question first, each group oldest first."""
    shown: dict[str, Fact] = {}
    for group in ([fact for case in cases for fact in case.beliefs], related):
        for fact in sorted(group, key=lambda fact: (fact.created_at, fact.fact_id)):
            if all(fact.fact_id != other.fact_id for other in shown.values()):
                shown[f"f{len(shown) + 1}"] = fact
    return shown


def _among(cases: Sequence[Case], shown: Mapping[str, Fact], predicates: Mapping[str, Predicate]) -> dict[str, tuple[str, ...]]:
    """What a decision may name: the candidates, the facts that one of them bears on, and the keys of both."""
    in_question = {fact.fact_id for case in cases for fact in case.beliefs}
    return {
        "candidate": tuple(f"c{place}" for place in range(1, len(cases) + 1)),
        "target_fact_id": tuple(name for name, fact in shown.items() if fact.fact_id in in_question),
        "key": tuple(dict.fromkeys(key for case in cases for key in sorted(_keys(case.candidate, predicates)))),
    }


def _keys(candidate: Candidate, predicates: Mapping[str, Predicate]) -> set[str]:
    """The key of a candidate, and the opposite one."""
    opposite = predicate_of(candidate.key, predicates).opposite
    return {candidate.key, canonical_key(candidate.subject, opposite) if opposite else candidate.key}


def _evidence(turn: Turn, cases: Sequence[Case], shown: Mapping[str, Fact], zone: tzinfo) -> str:
    said = turn.user_input
    if len(said) > _LONGEST_INPUT:
        said = "\n".join(dict.fromkeys(case.candidate.excerpt for case in cases))
    return fill(
        "evidence",
        old_facts="\n".join(_fact_line(name, fact, zone) for name, fact in shown.items()),
        timestamp=in_zone(turn.timestamp, zone).isoformat(),
        timezone=str(zone),
        user_input=said,
        candidates="\n".join(_candidate_line(f"c{place}", case.candidate, zone) for place, case in enumerate(cases, start=1)),
    )


def _fact_line(name: str, fact: Fact, zone: tzinfo) -> str:
    circumstances = [f"confidence {fact.confidence:.2f}", f"since {day_told(fact.valid_from, zone)}"]
    if fact.valid_to is not None:
        circumstances.append(f"until {day_told(fact.valid_to, zone)}")
    if fact.status == "pending_confirmation":
        circumstances.append("not confirmed yet")
    return f"{name} | {fact.key} | {_in_a_column(fact.value_text)} | {', '.join(circumstances)}"


def _candidate_line(name: str, candidate: Candidate, zone: tzinfo) -> str:
    circumstances = [f"confidence {candidate.confidence:.2f}"]
    circumstances += ["says that this is over"] if candidate.negated else []
    circumstances += ["said to have changed, or confirmed"] if candidate.explicit else []
    for word, time in (("from", candidate.valid_from), ("until", candidate.valid_to), ("on", candidate.event_time)):
        circumstances += [f"{word} {day_told(time, zone)}"] if time else []
    return f"{name} | {candidate.key} | {_in_a_column(candidate.value_text)} | {', '.join(circumstances)}"


def _in_a_column(text: str) -> str:
    """What is remembered cannot forge a line of the list."""
    return one_line(text).replace("|", "/")[:_LONGEST_VALUE]


def _checked(
    decided: Decided | None,
    case: Case,
    shown: Mapping[str, Fact],
    turn: Turn,
    *,
    predicates: Mapping[str, Predicate],
    config: Config,
) -> Action | str:
    """The action that a decision amounts to, or what is wrong with it."""
    if decided is None:
        return "the model said nothing of it"
    named = (decided.target_fact_id or "").strip().lower()
    target = shown.get(named)
    if named not in ("", "null", "none") and target is None:
        return f"the model named a fact that it was not shown ({named[:20]!r})"
    candidate, now = case.candidate, turn.timestamp
    if decided.key and decided.key.strip() and _key(decided.key) not in _keys(candidate, predicates):
        return f"the model answered for another key ({decided.key[:40]!r})"
    starts = read_time(decided.valid_from, at=now, zone=config.zone, edge="begins")
    ends = read_time(decided.valid_to, at=now, zone=config.zone, edge="ends")
    if (_given(decided.valid_from) and starts is None) or (_given(decided.valid_to) and ends is None):
        return "the model gave a time that is none"
    if not tells_a_time(turn.user_input, at=now, zone=config.zone):
        starts = None  # whatever the model says: nobody said since when
        if ends is not None and candidate.valid_to is None and decided.type in ("insert", "noop"):
            return f"{decided.type} would end what lasts, and nobody said so"
    starts, ends = starts or candidate.valid_from, ends or candidate.valid_to
    if ends is not None and ends <= (starts or now) and decided.type != "expire":
        return "the model let it end before it began"
    if decided.type == "update" and target is not None and candidate.valid_to is None and ends is not None and _ends_early(target, ends):
        return "update would end what lasts, and nobody said so"
    passing = candidate.model_copy(update={"valid_from": starts, "valid_to": ends, "temporary": ends is not None})
    timed = case.model_copy(update={"candidate": passing})
    wrong = _misfit(decided.type, target, timed, now=now, predicate=predicate_of(candidate.key, predicates))
    return wrong or _action(decided, passing, target, config, text=turn.user_input)


def _ends_early(target: Fact, ends: datetime) -> bool:
    return target.valid_to is None or ends < target.valid_to


def _misfit(type_: ActionType, target: Fact | None, case: Case, *, now: datetime, predicate: Predicate) -> str | None:
    """Why an operation does not fit its target, or None. The object's words decide what repeats and what contradicts."""
    said, beliefs = case.candidate, case.beliefs
    if said.negated and type_ not in ("expire", "mark_pending_confirmation"):
        return f"{type_} would keep what is said to be over"
    if type_ == "insert":
        return _misfit_beside(target, case, predicate)
    if target is None:
        return f"{type_} needs a target"
    if all(target.fact_id != fact.fact_id for fact in beliefs):
        return f"the target of {type_} has another key"
    repeats, refines = _likeness(said, target, predicate)
    if type_ in ("noop", "update") and repeats and has_begun(said, target, now=now):
        return f"{type_} would leave for later what is so already"
    if type_ == "noop":
        return None if repeats else "noop would swallow something else"
    if type_ == "update" and refines and not repeats and predicate.cardinality != "one" and predicate.high_risk:
        return "update would narrow something of high risk"
    if type_ == "update":
        return None if refines else "update would overwrite something else"
    if (target.last_mentioned_at or target.created_at) > now:
        return f"{type_} would overrule what was said later"
    if type_ == "expire":
        return None if _ends(said, target) else "expire would lose what is said"
    if repeats and not said.negated:
        return f"{type_} would let a fact contradict itself"
    return _misfit_in_place(target, case, predicate) if type_ == "supersede" else None


def _misfit_beside(target: Fact | None, case: Case, predicate: Predicate) -> str | None:
    """Why something cannot stand beside what is held, or None."""
    said = case.candidate
    if target is not None:
        return "insert takes no target"
    if any(normalise(fact.object) == normalise(said.object) for fact in case.beliefs):
        return "insert would double or contradict what is held"
    if predicate.cardinality == "one" and said.valid_to is None and _lasting(case):
        return "insert would leave two values under a key that has one"
    return None


def _misfit_in_place(target: Fact, case: Case, predicate: Predicate) -> str | None:
    """Why something cannot take a fact's place, or None."""
    said, single = case.candidate, predicate.cardinality == "one"
    same = target.key == said.key
    if said.valid_to is not None and target.valid_to is None:
        return "supersede would end a lasting state for a passing one"
    if same and not single and not target.denies and not said.denies and not said.explicit:
        return "supersede would take one value of a set for another"
    if same and single and _lasting(case) > 1:
        return "supersede would leave another contradiction"
    return None


def _lasting(case: Case) -> int:
    """How many beliefs under the key of a case last until further notice."""
    return sum(fact.key == case.candidate.key and not fact.denies and fact.valid_to is None for fact in case.beliefs)


def _likeness(said: Candidate, target: Fact, predicate: Predicate) -> tuple[bool, bool]:
    """Whether what is said repeats a fact, and whether it repeats it or says more of the same."""
    if target.key != said.key or not said.object or target.denies or said.denies:
        return False, False
    if names_another(said.object, target.object, changed=said.explicit and not said.negated):
        return False, False
    single = predicate.cardinality == "one"
    repeats = (says_no_more if single else says_the_same)(said.object, target.object)  # "nuts" are more than "pine nuts"
    return repeats, repeats or says_no_more(target.object, said.object)


def _ends(said: Candidate, target: Fact) -> bool:
    """Whether what is said to be over is this fact."""
    if not said.negated or target.key != said.key:
        return False
    within = says_no_more(said.object, target.object) or says_no_more(target.object, said.object)
    return not said.object or (within and not names_another(said.object, target.object))


def _action(decided: Decided, said: Candidate, target: Fact | None, config: Config, *, text: str) -> Action:
    details = _details(decided, said, f"{text}\n{target.value_text if target else ''}")
    over = decided.type == "expire"
    type_, ends = decided.type, said.valid_to
    until = said.valid_to if said.until and target is not None and target.valid_to is None else None
    if (
        type_ == "noop"
        and target is not None
        and (target.status == "pending_confirmation" or (until is not None and until > target.valid_from))
    ):
        type_ = "update"  # said again, which settles it, if the policy lets it, or until when it is so
    if over:
        ends = said.valid_from or said.valid_to
    elif target is not None and ends is None and (type_ == "noop" or said.event_time is not None or not said.explicit):
        ends = target.valid_to
    return Action(
        type=type_,
        key=target.key if target and type_ != "supersede" else said.key,
        new_value_text=None if over else _text(decided, said, target),
        new_value_json=None if over else details,
        target_fact_id=target.fact_id if target else None,
        valid_from=None if over else said.valid_from,
        valid_to=None if type_ == "supersede" else ends,
        confidence_delta=round(_delta(decided, said, target, config), 6),
        reason=" ".join(decided.reason.split())[:200] or "so the model decided",
        candidate=said.model_copy(update={"value_json": details}),
    )


def _text(decided: Decided, candidate: Candidate, target: Fact | None) -> str:
    """The model's wording of a refinement where it adds nothing of its own, otherwise the candidate's."""
    text = " ".join((decided.new_value_text or "").split())
    known = set(normalise(f"{candidate.value_text} {candidate.excerpt} {target.value_text if target else ''}").split())
    words = set(normalise(text).split())
    if decided.type == "update" and text and len(text) <= _LONGEST_VALUE and set(normalise(candidate.object).split()) <= words <= known:
        return text
    return candidate.value_text


def _details(decided: Decided, candidate: Candidate, told: str) -> JsonValue:
    """What the model adds was told, never replaces the parts of the key, and holds no secret: nobody has asked whether that may be kept."""
    added = told_details(details_kept(decided.new_value_json), told)
    return {**{name: value for name, value in added.items() if secret_in_details({name: value}) is None}, **parts_of(candidate.value_json)}


def _delta(decided: Decided, candidate: Candidate, target: Fact | None, config: Config) -> float:
    """Confidence moves by one confirmation at most; a first mention starts where the policy says, and said again it is no less sure."""
    known = target.confidence if target and decided.type in ("noop", "update") else config.first_confidence
    most = closer(known, config.confirmation_rate)
    if decided.type == "insert" or (decided.type == "supersede" and not candidate.explicit):
        most = 0.0
    if decided.type in ("expire", "mark_pending_confirmation"):
        return 0.0
    wished = decided.confidence_delta
    least = 0.0 if decided.type in ("insert", "noop") else -config.first_confidence / 2
    return most if wished is None or wished != wished or wished == 0.0 else max(least, min(most, wished))


def _given(text: str | None) -> bool:
    return bool(text and text.strip() and text.strip().lower() not in ("null", "none"))


def _key(text: str) -> str:
    subject, _, predicate = text.strip().partition(".")
    try:
        return canonical_key(subject, predicate)
    except InputError:
        return ""
