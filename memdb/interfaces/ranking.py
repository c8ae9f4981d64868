"""The commands about the ranking: why something is found, what users say of it, how good it is, and making it better."""

from __future__ import annotations

import json as json_format
import tomllib
from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path
from typing import Annotated

import typer
import yaml
from pydantic import JsonValue, TypeAdapter, ValidationError

from memdb import Explanation, InputError, Labelled, Memory, NotFoundError, disk
from memdb.calibration import Calibration
from memdb.checks import fault, parsed, unread
from memdb.conversations import read_conversation
from memdb.filters import Narrowed
from memdb.interfaces.options import (
    FILE,
    AsOf,
    Db,
    Embedder,
    Goal,
    Json,
    Limit,
    Now,
    Statuses,
    User,
    Weights,
    existing,
    listed,
    narrowing,
    opened,
    statuses_of,
)
from memdb.interfaces.show import bearing, in_short, parts, print_found, print_json, print_rows, say
from memdb.interfaces.work import going
from memdb.metrics import MEASURES
from memdb.records import Record
from memdb.times import MOMENT, in_zone

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        readable=False,
        help="Labelled questions: JSON or JSON lines of {user_id, query, relevant, answerable}, or conversations with questions and"
        " their evidence, as LoCoMo's samples, that were loaded into the file before. The feedback given, if left out.",
    ),
]

_BASELINE = "lexical-only"  # the set that the others are compared with


class WeightSets(Record):
    """Every weight set by name."""

    sets: dict[str, dict[str, float]]


class Calibrated(Record):
    """How well the probabilities fitted before and after."""

    before: Calibration | None
    after: Calibration


class Evaluated(Record):
    """The mean measures of each weight set over the labelled questions, and by how much each set is better than `baseline`."""

    questions: int
    sets: dict[str, dict[str, float]]
    baseline: str
    deltas: dict[str, dict[str, float]]


@narrowing
def explain(
    query: Annotated[str, typer.Argument(help="The question.")],
    user: User,
    fact: Annotated[str | None, typer.Option("--fact", "--fact-id", help="The id of the fact that should be found.")] = None,
    limit: Limit = 10,
    as_of: AsOf = None,
    weights: Weights = None,
    statuses: Statuses = None,
    *,
    narrowed: Narrowed,
    goal: Goal = None,
    now: Now = None,
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Tell why a question finds what it finds; and where a fact stands, why not higher, and which single weight would change that."""
    with opened(existing(db), embedder=embedder) as memory:
        why = memory.explain(
            query,
            user_id=user,
            fact_id=fact,
            limit=limit,
            as_of=as_of,
            weights=weights,
            statuses=statuses_of(statuses),
            goal=goal,
            now=now,
            **narrowed,
        )
        zone = memory.config.zone
    if why.degraded and embedder != "none":
        say(why.degraded)
    if json:
        print_json(why)
        return
    _print_question(why, zone)
    rows = (
        (str(place), f"{hit.score:.3f}", bearing(hit, why.question), parts(hit), hit.fact.fact_id)
        for place, hit in enumerate(why.hits, start=1)
    )
    print_rows(("place", "score", "text", "parts of the score", "fact"), rows, none="Nothing bears on that.", below=2)
    if why.fact is not None:
        _print_fact(why, limit)


def feedback(
    query: Annotated[str, typer.Argument(help="The question.")],
    fact_id: Annotated[str, typer.Argument(help="The id of the fact that was found.")],
    user: Annotated[str | None, typer.Option("--user", envvar="MEMDB_USER", help="Whose memory; whose the fact is by default.")] = None,
    right: Annotated[bool, typer.Option("--right/--wrong", help="Whether it should have been found.")] = True,
    db: Db = FILE,
) -> None:
    """Say that a fact was right for a question, or wrong; `memdb tune` learns from it."""
    with opened(existing(db)) as memory:
        memory.feedback(query, fact_id, user_id=user, good=right)


def labels(db: Db = FILE, json: Json = False) -> None:
    """List the questions that feedback was given on, each with what was right and what was wrong."""
    with opened(existing(db)) as memory:
        given = memory.labels()
    rows = (
        (one.user_id, one.query, verdict, fact_id)
        for one in given
        for verdict, facts in (("right", one.relevant), ("wrong", one.wrong))
        for fact_id in facts
    )
    print_found(given, ("user", "question", "verdict", "fact"), rows, none="No feedback was given.", below=1, json=json)


def evaluate(
    weights: Annotated[str, typer.Option("--weights", help="The weight sets to compare, separated by commas.")] = "default",
    data: Data = None,
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Tell how well weight sets rank labelled questions, side by side, and by how much better than words alone.

    The first twenty hits are looked at: what comes later counts as not found, in MRR as well.
    """
    if not (named := listed(weights)):
        raise InputError("--weights names no weight set; give one or several, separated by commas, such as default,mem-skill.")
    sets = list(dict.fromkeys([*named, _BASELINE]))
    with opened(existing(db), embedder=embedder) as memory, going("measuring"):
        labelled = _read(data) if data else None
        _tell_unknown(memory, labelled or ())
        measured = memory.evaluate(labelled, weights=sets)
        questions = sum(bool(one.relevant) for one in (labelled if labelled is not None else memory.labels()))
    least = measured[_BASELINE]
    deltas = {name: {measure: one[measure] - least[measure] for measure in one} for name, one in measured.items() if name != _BASELINE}
    print_found(
        Evaluated(questions=questions, sets=measured, baseline=_BASELINE, deltas=deltas),
        ("", *measured, *(f"{name} − {_BASELINE}" for name in deltas)),
        (
            (measure, *(f"{one[measure]:.3f}" for one in measured.values()), *(f"{one[measure]:+.3f}" for one in deltas.values()))
            for measure in MEASURES
        ),
        json=json,
    )


def tune(
    name: Annotated[str | None, typer.Argument(help="The name of the new weight set; not one that every file has.")] = None,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Fit the probability that the memory holds the answer, and when it abstains, instead.")
    ] = False,
    base: Annotated[str, typer.Option("--base", help="The weight set to start from.")] = "default",
    held_out: Annotated[float, typer.Option("--held-out", help="The share, from 0 up to 1, that is only measured, not fitted to.")] = 0.3,
    data: Data = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell; write nothing.")] = False,
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Fit the weights of a set to labelled questions, tell how good they were and are, and write them as a new set."""
    if calibrate == bool(name) or (calibrate and dry_run):
        raise InputError("Say what to fit: the name of the new weight set, or --calibrate, which has neither a name nor a --dry-run.")
    if calibrate:
        _calibrate(data, db=db, embedder=embedder, json=json)
        return
    assert name is not None
    with opened(existing(db), embedder=embedder) as memory, going("fitting"):
        labelled = _read(data) if data else None
        _tell_unknown(memory, labelled or ())
        before = memory.weights(base)
        tuned = memory.tune(name, labelled, base=base, held_out=held_out, write=not dry_run)
    if json:
        print_json(tuned)
        return
    rows = [(feature, f"{before.get(feature, 0.0):.3f}", f"{value:.3f}") for feature, value in tuned.weights.items()]
    rows.append((f"quality on the {tuned.fitted} questions fitted to", f"{tuned.fitted_before:.3f}", f"{tuned.fitted_after:.3f}"))
    if tuned.held_out_before is not None and tuned.held_out_after is not None:
        rows.append((f"quality on the {tuned.held_out} held out", f"{tuned.held_out_before:.3f}", f"{tuned.held_out_after:.3f}"))
    print_rows(("", base, name), rows)
    if (tuned.held_out_after or 0.0) < (tuned.held_out_before or 0.0):
        say(f"On what was held out, {name} is worse than {base}: it fits these questions, not others. More of them may help.")


def weights(
    file: Annotated[Path | None, typer.Argument(readable=False, help="Sets to put in, in YAML or TOML: a table for each.")] = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Show the weight sets, or put those of a file in."""
    with opened(existing(db)) as memory:
        if file is not None:
            text = disk.text(file, wanted="the path of a file of weight sets")
            try:
                told = yaml.safe_load(text) if file.suffix in (".yaml", ".yml") else tomllib.loads(text)
                given = TypeAdapter(dict[str, dict[str, float]]).validate_python(told, strict=True)
            except ValidationError as error:
                raise InputError(f"{file} holds no weight sets ({fault(error)}); write tables of numbers.") from error
            except (ValueError, RecursionError, yaml.YAMLError) as error:
                raise InputError(f"{file} holds no weight sets ({str(error).splitlines()[0]}); write tables of numbers.") from error
            memory.set_weights(given)
        sets = memory.weight_sets()
    rows = [(name, feature, f"{value:g}") for name, features in sets.items() for feature, value in features.items()]
    print_found(WeightSets(sets=sets), ("set", "feature", "value"), rows, json=json)


def _calibrate(data: Path | None, *, db: Path, embedder: str, json: bool) -> None:
    with opened(existing(db), embedder=embedder) as memory, going("fitting"):
        before, after = memory.calibrate(_read(data) if data else None)
    if json:
        print_json(Calibrated(before=before, after=after))
        return
    rows = [(name, f"{one.ece:.3f}", f"{one.brier:.3f}", f"{one.auc:.3f}") for name, one in (("before", before), ("after", after)) if one]
    print_rows(("", "ECE", "Brier", "AUC"), rows)
    bars = [(f"{one.probability:.2f}", f"{one.right:.2f}", str(one.count), "█" * round(40 * one.right)) for one in after.bins]
    print_rows(("said", "was so", "questions", ""), bars)
    print_rows(("", ""), [("abstains below", f"{after.threshold:.2f}"), ("weight set", str(after.weights))])


def _print_question(why: Explanation, zone: tzinfo) -> None:
    asked = why.question
    days = [[f"{in_zone(day, zone):%Y-%m-%d}" for day in (begins, ends - MOMENT)] for begins, ends in asked.times[:3]]
    rows = [
        ("weight set", why.weights),
        ("words", " ".join(asked.terms)),
        ("phrases", ", ".join(asked.phrases)),
        ("meaning", asked.meaning),
        ("asks about", asked.actor or ""),
        ("asks for", "a suggestion" if asked.suggestion else asked.intent),
        ("asks of", "the past" if asked.past else "the present" if asked.present else ""),
        ("under the keys", ", ".join(key if value is None else f"{key} ({value})" for key, value in asked.keys)),
        ("times", ", ".join(" to ".join(dict.fromkeys(one)) for one in days)),
        ("days", ", ".join(asked.days)),
        ("of these", f"the {asked.order}" if asked.order else ""),
        ("candidates", str(why.candidates)),
    ]
    print_rows(("", ""), [row for row in rows if row[1]])


def _print_fact(why: Explanation, limit: int) -> None:
    rows = [("the fact", why.fact.value_text if why.fact else ""), ("place", str(why.place or "none")), ("why", why.reason or "")]
    rows += [(f"lacks {name}", f"{gap:+.3f}") for name, gap in why.lacks.items()]
    goal = "be the first" if why.place is not None and why.place <= limit else f"be among the first {limit}"
    rows += [(f"to {goal}", f"{one.feature} = {_weight(one.wanted)} in place of {_weight(one.weight)}") for one in why.changes[:5]]
    if why.rival is not None and not why.changes:
        rows.append((f"to {goal}", "no single weight was found that does it"))
    print_rows(("", ""), rows)


def _weight(value: float) -> str:
    """A weight in three decimals, a number of candidates in none."""
    return f"{value:.3f}".removesuffix(".000")


def _read(path: Path) -> list[Labelled]:
    """Return the labelled questions of a file."""
    text = disk.text(path, wanted="labelled questions in JSON or JSON lines")
    try:
        document = parsed(text)
    except json_format.JSONDecodeError:
        document = _lines(text, path)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read as JSON ({unread(error)}); mend it and give the file again.") from error
    items = document if isinstance(document, list) else [document]
    if any(isinstance(item, dict) and {"query", "relevant"} & set(item) for item in items):
        return [_labelled(item, f"{path}, question {place}") for place, item in enumerate(items, start=1)]
    return [
        Labelled(user_id=str(conversation.user_id), query=question.ask, relevant=question.evidence, kinds=("message",))
        for conversation in read_conversation(path)
        for question in conversation.questions
        if question.evidence
    ]


def _labelled(item: object, place: str) -> Labelled:
    try:
        return Labelled.model_validate(item)
    except ValidationError as error:
        raise InputError(f"{place}, cannot be used: {fault(error)}.") from error


def _tell_unknown(memory: Memory, labelled: Sequence[Labelled]) -> None:
    """Say how many ids name nothing that whoever asks has: what they name counts as not found, whatever the weights."""
    named = {(one.user_id, name) for one in labelled for name in (*one.relevant, *one.wrong)}
    if unknown := sorted(one for one in named if not _is_known(memory, *one)):
        user, name = unknown[0]
        count = f"{len(unknown)} of the {len(named)} ids"
        say(in_short(f"{count} are of no fact and no turn of whoever asks, such as {name!r} of {user!r}: nothing finds them."))


def _is_known(memory: Memory, user: str, name: str) -> bool:
    if memory.turns(user, turn_id=name, limit=0).total or memory.history(user_id=user, turn_id=name, limit=0).total:
        return True
    try:
        return memory.fact(name).user_id == user
    except NotFoundError:
        return False


def _lines(text: str, path: Path) -> list[JsonValue]:
    items: list[JsonValue] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                items.append(parsed(line))
            except (ValueError, RecursionError) as error:
                raise InputError(f"{path}, line {number}, is not JSON ({unread(error)}); mend it and give the file again.") from error
    return items
