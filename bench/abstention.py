"""Does the memory know what it does not know: probabilities and verdicts on answerable against adversarial questions, in one run.

Each with MiniLM, by words alone, and with another embedder (`hashing-384`), where words judge, too.

    python bench/abstention.py --data locomo10.json
    python bench/abstention.py --chats
    python bench/abstention.py --data locomo10.json --chats

Of LoCoMo's questions, categories 1 to 4 have an answer in the conversation and 5 has none, though it sounds as if. Two ways of being right
are measured: `answerable` (the question has an answer) and `found` (it has one, and its evidence is among the first 16 hits). Calibrated
numbers are of conversations that the weights were not fitted on: each is left out once.

With `--chats` the people of `chats.py` are asked, too: each for what was said, and for what another said to the assistant; once all
conversations are remembered, and once five at a time; and those of `updates.py`, who told two things, and small talk; these two also in a
file of their own each. `FITTED` are fitted on beside LoCoMo, the others are unseen; with MiniLM none of what stands in such files.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import chats
import updates
from pydantic import Field
from whole import drained

import memdb
from memdb.calibration import BY_MEANING, BY_WORDS, MEASURED_WITH, evidence_of, fit, judging_set, measure, probability_of, threshold_of
from memdb.conversations import evidence_of as turns_of
from memdb.conversations import read_conversation
from memdb.records import Record

MINILM, WORDS, ANOTHER = "MiniLM", "words alone", "hashing-384"
EMBEDDERS = {MINILM: MEASURED_WITH, WORDS: None, ANOTHER: ANOTHER}
CONVERSATIONS, WHOLE, SLICES, SENTENCES = "LoCoMo", "whole", "five conversations", "ten sentences"
SLICES_APART, SENTENCES_APART = (f"{group}, a file each" for group in (SLICES, SENTENCES))
OTHERS = {"maya": "walter", "walter": "maya", "priya": "tom", "tom": "priya"}
"""Whose questions each memory is asked beside its own: another's who chats in the same language."""
FITTED, UNSEEN, FOREIGN = ("maya", "walter"), ("priya", "tom"), ("claire", "jonas", "lucia")
FEW = 5
APART = 37  # how far away in the file the other is whose question is asked
_ANSWERABLE = 0.773  # of LoCoMo's questions
_SEEN = 16
_SHARES = (0.25, 0.5, 0.75)


class Asked(Record):
    """One question: of which kind of memory and of whom, what was found, what the verdict was, and what would have been right."""

    group: str
    user: str
    answerable: bool
    is_fitted_on: bool = False
    found: bool = False
    evidence: dict[str, float] = Field(default_factory=dict)
    by_words: bool = False
    probability: float = 0.0
    confidence: float = 0.0
    decision: str = ""
    elapsed_ms: float = 0.0


def ask(mem: memdb.Memory, asked: Asked, question: str, evidence: Collection[str], *, user: str, now: str | None = None) -> Asked:
    """Ask one question of the memory of a user."""
    started = time.perf_counter()
    hits = mem.assess(question, user_id=user, limit=50, now=now)
    elapsed = (time.perf_counter() - started) * 1000
    assert hits.verdict is not None
    seen, evidence_for = {hit.fact.source_turn_id for hit in hits[:_SEEN]}, evidence_of(hits)
    return asked.model_copy(
        update={
            "found": asked.answerable and bool(seen.intersection(evidence)),
            "evidence": evidence_for,
            "probability": probability_of(evidence_for, mem.weights(judging_set(hits))),
            "by_words": judging_set(hits) == BY_WORDS,
            "confidence": evidence_of(hits, judged_by=BY_MEANING)["confidence"],
            "decision": hits.verdict.decision,
            "elapsed_ms": elapsed,
        }
    )


def of_conversations(mem: memdb.Memory, data: Path, limit: int | None) -> list[Asked]:
    """Load LoCoMo's conversations and ask about each."""
    for conversation in read_conversation(data):
        mem.load(conversation.turns, user_id=str(conversation.user_id))
    drained(mem)
    samples = {sample["sample_id"]: sample["qa"][:limit] for sample in json.loads(data.read_text(encoding="utf-8"))}
    return [
        ask(
            mem,
            Asked(group=CONVERSATIONS, user=user, answerable=int(str(question["category"])) != 5),
            str(question["question"]),
            turns_of(question.get("evidence")),
            user=user,
        )
        for user, questions in samples.items()
        for question in questions
    ]


class Part(NamedTuple):
    """What one memory holds of somebody's chats, which of them by number."""

    group: str
    name: str
    number: int
    messages: list[dict[str, object]]

    @property
    def user(self) -> str:
        """Whose memory it is."""
        return f"{self.name} {self.group} {self.number}"


def parts_of(people: Mapping[str, chats.Person], groups: Collection[str]) -> list[Part]:
    """Return everybody's chats, whole and five at a time."""
    found: list[Part] = []
    for name, person in people.items():
        found.append(Part(WHOLE, name, 0, person.messages))
        slices: dict[int, list[dict[str, object]]] = {}
        for message in person.messages:
            slices.setdefault((int(str(message["turn_id"]).split(".")[0]) - 1) // FEW, []).append(message)
        found += [Part(group, name, number, messages) for group in (SLICES, SLICES_APART) for number, messages in slices.items()]
    return [part for part in found if part.group in groups]


def ask_of(mem: memdb.Memory, part: Part, people: Mapping[str, chats.Person]) -> list[Asked]:
    """Ask a memory for what stands in it, and for what another's holds."""
    turns = {str(message["turn_id"]) for message in part.messages}
    own = [(True, one) for one in people[part.name].asked if one.evidence and turns.issuperset(one.evidence)]
    others = [(False, one._replace(evidence=())) for one in people[OTHERS[part.name]].asked] if part.name in OTHERS else []
    asked = Asked(group=part.group, user=part.name, is_fitted_on=part.name in FITTED, answerable=True)
    return [
        ask(mem, asked.model_copy(update={"answerable": kind}), one.question, one.evidence, user=part.user, now=f"{one.day}T12:00:00Z")
        for kind, one in own + (others if part.group == WHOLE else others[part.number % FEW :: FEW])
    ]


def of_chats(mem: memdb.Memory, people: Mapping[str, chats.Person]) -> list[Asked]:
    """Load the chats, whole and five at a time, and ask each memory."""
    parts = parts_of(people, (WHOLE, SLICES))
    for part in parts:
        mem.load(part.messages, user_id=part.user)
    drained(mem)
    return [asked for part in parts for asked in ask_of(mem, part, people)]


def tell(mem: memdb.Memory, person: updates.Person) -> None:
    """Tell what one of the people of updates.py does."""
    mem.observe(person.old, user_id=person.user, turn_id="old", timestamp=updates.OLD)
    mem.observe(person.new, user_id=person.user, turn_id="new", timestamp=updates.NEW)
    for place, text in enumerate(updates.TALK):
        mem.observe(text, user_id=person.user, turn_id=f"talk{place}", timestamp=f"2025-03-{place * 3 + 4:02}T18:00:00Z")


def ask_both(mem: memdb.Memory, told: Sequence[updates.Person], place: int, *, group: str) -> list[Asked]:
    """Ask the memory of one of them for what is so now, and for what another told."""
    person, other = told[place], told[(place + APART) % len(told)]
    asked = Asked(group=group, user=person.user, is_fitted_on=place % 2 == 0, answerable=True)
    return [
        ask(mem, asked, person.present, ("old", "new"), user=person.user, now=updates.NOW),
        ask(mem, asked.model_copy(update={"answerable": False}), other.present, (), user=person.user, now=updates.NOW),
    ]


def of_sentences(mem: memdb.Memory, told: Sequence[updates.Person]) -> list[Asked]:
    """Tell what the people of updates.py do, and ask each memory."""
    for person in told:
        tell(mem, person)
    drained(mem)
    return [asked for place in range(len(told)) for asked in ask_both(mem, told, place, group=SENTENCES)]


def of_files(opened: Callable[[], memdb.Memory], people: Mapping[str, chats.Person], told: Sequence[updates.Person]) -> list[Asked]:
    """Ask for five conversations, and for ten sentences, each in a file of its own: how rare a word is tells the less the fewer rows
    there are.
    """
    found: list[Asked] = []
    for part in parts_of(people, (SLICES_APART,)):
        with opened() as mem:
            mem.load(part.messages, user_id=part.user)
            drained(mem)
            found += ask_of(mem, part, people)
    for place, person in enumerate(told):
        with opened() as mem:
            tell(mem, person)
            drained(mem)
            found += ask_both(mem, told, place, group=SENTENCES_APART)
    return found


def asked_with(embedder: str | None, data: Path | None, limit: int | None, *, of_chats_too: bool) -> list[Asked]:
    """Ask everything of a memory with an embedder, or with none."""
    config = {"worker": False, "record_retrievals": False, "context_balance": 1.0}
    opened = partial(memdb.open, embedder=embedder, llm=None, config=config)
    with tempfile.TemporaryDirectory() as scratch, opened(Path(scratch) / "mem.db") as mem:
        asked = of_conversations(mem, data, limit) if data else []
        if of_chats_too:
            people = {name: chats.read(chats.FOLDER, name) for name in (*OTHERS, *FOREIGN)}
            told = updates.people(Path(updates.__file__).with_name("updates.txt"))
            asked += of_chats(mem, people) + of_sentences(mem, told)
            asked += of_files(partial(opened, ":memory:"), people, told)
        return asked


def as_many_answerable(asked: Sequence[Asked]) -> list[Asked]:
    """Return all that has an answer, and so much of what has none that as many in a hundred have one as of LoCoMo's questions."""
    own, others = ([one for one in asked if one.answerable is kind] for kind in (True, False))
    count = min(round(len(own) * (1 - _ANSWERABLE) / _ANSWERABLE), len(others))
    return own + [others[place * len(others) // count] for place in range(count)]


def fitted_on(asked: Sequence[Asked], *, without: str | None = None) -> list[Asked]:
    """What is fitted on: all of LoCoMo's but one conversation, and the chats of some, as many of them answerable; by words alone, which in
    a small file say little where they are shared, those in a file of their own, too, and half of those who told two things.
    """
    chosen = [one for one in asked if one.group == CONVERSATIONS and one.user != without]
    for group in (WHOLE, SLICES, SLICES_APART):
        for name in FITTED:
            chosen += as_many_answerable([x for x in asked if (x.group, x.user) == (group, name) and (x.by_words or group != SLICES_APART)])
    for group in (SENTENCES, SENTENCES_APART):
        chosen += as_many_answerable([one for one in asked if one.group == group and one.by_words and one.is_fitted_on])
    return chosen


def fitted(asked: Sequence[Asked], right: Callable[[Asked], bool], *, without: str | None = None) -> dict[str, float]:
    """Fit the weights and the threshold."""
    chosen = fitted_on(asked, without=without)
    labels = [right(one) for one in chosen]
    weights = fit([one.evidence for one in chosen], labels)
    return {**weights, "threshold": threshold_of([said_of(one, weights) for one in chosen], labels)}


def said_of(one: Asked, weights: Mapping[str, float]) -> float:
    """Return the probability by some weights."""
    return probability_of(one.evidence, weights) or 0.0


def left_out(asked: Sequence[Asked], right: Callable[[Asked], bool]) -> list[tuple[float, float]]:
    """The calibrated probability of each of LoCoMo's questions and the threshold, both fitted on the other conversations."""
    of = [one for one in asked if one.group == CONVERSATIONS]
    weights = {user: fitted(asked, right, without=user) for user in {one.user for one in of}}
    return [(said_of(one, weights[one.user]), weights[one.user]["threshold"]) for one in of]


def selective_accuracy(probabilities: Sequence[float], right: Sequence[bool], *, share: float) -> float:
    """Return how many of the surest `share` of answers are right."""
    surest = sorted(zip(probabilities, right, strict=True), key=lambda pair: -pair[0])[: max(1, round(share * len(right)))]
    return sum(was for _, was in surest) / len(surest)


def line(name: str, probabilities: list[float], right: list[bool]) -> str:
    """One row of the table."""
    of = measure(probabilities, right)
    shares = " | ".join(f"{100 * selective_accuracy(probabilities, right, share=share):.1f}" for share in _SHARES)
    return f"| {name} | {of.auc:.3f} | {of.ece:.3f} | {of.brier:.3f} | {shares} |"


def report(everything: list[Asked], name: str, right: Callable[[Asked], bool]) -> None:
    """Print how well each probability knows what is right."""
    said = left_out(everything, right)
    asked = [one for one in everything if one.group == CONVERSATIONS]
    labels = [right(one) for one in asked]
    share = sum(labels) / len(labels)
    calibrated = [probability for probability, _ in said]
    print(f"\n{name}: {sum(labels)} of {len(labels)} questions ({100 * share:.1f} %); a Brier of {share * (1 - share):.3f} knows nothing\n")
    print("| probability | AUC | ECE | Brier | right of the surest 25 % | 50 % | 75 % |")
    print("|---" * 7 + "|")
    print(line("confidence of the best item, as it is", [one.confidence for one in asked], labels))
    print(line("calibrated", calibrated, labels))
    print("\n| said | was so | questions |\n|---|---|---|")
    for shelf in measure(calibrated, labels).bins:
        print(f"| {shelf.probability:.2f} | {shelf.right:.2f} | {shelf.count} |")
    print("\n| abstain below | of the right | of the others | right of those answered |\n|---|---|---|---|")
    own = sorted({threshold for _, threshold in said})
    shown: list[tuple[str, list[float]]] = [(str(least), [least] * len(asked)) for least in (0.5, 0.6, 0.7, 0.8)]
    shown.append((f"the fitted threshold ({own[0]} to {own[-1]})", [threshold for _, threshold in said]))
    for name, thresholds in shown:
        kept = [was for probability, was, least in zip(calibrated, labels, thresholds, strict=True) if probability >= least]
        lost = sum(labels) - sum(kept)
        caught = len(labels) - len(kept) - lost
        others = len(labels) - sum(labels)
        print(f"| {name} | {100 * lost / sum(labels):.1f} | {100 * caught / others:.1f} | {100 * sum(kept) / max(1, len(kept)):.1f} |")
    print("\nfitted on all:", json.dumps(fitted(everything, right)))


def report_beside(asked: Mapping[str, list[Asked]]) -> None:
    """Print how well the weights in the file fit what they were not fitted on, as much of it answerable as of LoCoMo's questions."""
    print("\n| not fitted on | questions | | AUC | ECE | Brier | said | was so |\n" + "|---" * 8 + "|")
    few = ((SENTENCES, (None,)), (SENTENCES_APART, (None,)))
    for group, users in ((WHOLE, UNSEEN), (SLICES, UNSEEN), (SLICES_APART, UNSEEN), *few):
        for name, all_of in asked.items():
            of = [one for user in users for one in as_many_answerable(unseen(all_of, group, user))]
            said, right = [one.probability for one in of], [one.answerable for one in of]
            found, shares = measure(said, right), f"{sum(said) / len(of):.2f} | {sum(right) / len(of):.2f}"
            print(f"| {group} | {len(of)} | {name} | {found.auc:.3f} | {found.ece:.3f} | {found.brier:.3f} | {shares} |")


def unseen(asked: Sequence[Asked], group: str, user: str | None) -> list[Asked]:
    """What a user, or anybody, was asked that no weights were fitted on."""
    return [one for one in asked if one.group == group and user in (None, one.user) and not one.is_fitted_on]


def report_verdicts(asked: Mapping[str, list[Asked]]) -> None:
    """Print how often the weights in the file abstain from what has an answer, and from what has none."""
    heads = " | ".join(f"{name}: abstains from the answerable | from the others" for name in asked)
    print(f"\n| asked of | | {heads} |\n" + "|---" * (2 + 2 * len(asked)) + "|")
    people = (("fitted on", FITTED, True), ("unseen", UNSEEN, False), ("unseen, in other languages", FOREIGN, False))
    halves = (("fitted on by words alone", (), True), ("unseen", (), False))
    parts = {CONVERSATIONS: (("fitted on", (), False),), WHOLE: people, SLICES: people, SLICES_APART: people,
             SENTENCES: halves, SENTENCES_APART: halves}  # fmt: skip
    for group, label, names, is_fitted_on in ((group, *part) for group, of in parts.items() for part in of):
        shares = []
        for all_of in asked.values():
            of = [one for one in all_of if one.group == group and one.is_fitted_on == is_fitted_on and (not names or one.user in names)]
            for answerable in (True, False):
                decided = [one.decision == "abstain" for one in of if one.answerable == answerable]
                shares.append(f"{100 * sum(decided) / len(decided):.0f} % of {len(decided)}" if decided else "")
        if any(shares):
            print(f"| {group} | {label} | {' | '.join(shares)} |")


def _answerable(one: Asked) -> bool:
    return one.answerable


def main() -> None:
    """Load, ask, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="conversations in LoCoMo's format")
    parser.add_argument("--chats", action="store_true", help="ask the people of chats.py, too")
    parser.add_argument("--embedder", action="append", choices=list(EMBEDDERS), help="only with this one; may be said again")
    parser.add_argument("--limit", type=int, help="only so many questions a conversation")
    arguments = parser.parse_args()
    if not arguments.data and not arguments.chats:
        parser.error("give --data, or --chats, or both")
    chosen = arguments.embedder or list(EMBEDDERS)
    asked = {name: asked_with(EMBEDDERS[name], arguments.data, arguments.limit, of_chats_too=arguments.chats) for name in chosen}
    if arguments.data:
        for name in asked:
            report(asked[name], f"{name}, answerable", _answerable)
            report(asked[name], f"{name}, found", lambda one: one.found)
    if arguments.chats:
        report_beside(asked)
    print("\nverdicts, with the weights in the file:")
    report_verdicts(asked)
    for name, all_of in asked.items():
        times = sorted(one.elapsed_ms for one in all_of)
        print(f"{name}: recall median {times[len(times) // 2]:.1f} ms, p95 {times[len(times) * 95 // 100]:.1f} ms")


if __name__ == "__main__":
    main()
