"""Does the memory know what it does not know: probabilities and verdicts on answerable against adversarial questions, in one run.

    python bench/abstention.py --data locomo10.json
    python bench/abstention.py --chats
    python bench/abstention.py --data locomo10.json --chats

Of LoCoMo's questions, categories 1 to 4 have an answer in the conversation and 5 has none, though it sounds as if. Two ways of being right
are measured: `answerable` (the question has an answer) and `found` (it has one, and its evidence is among the first 16 hits). Calibrated
numbers are of conversations that the weights were not fitted on: each is left out once.

With `--chats` the people of `chats.py` are asked, too: each for what was said, and for what another said to the assistant; once all
conversations are remembered, and once five at a time; and those of `updates.py`, who told two things, and small talk. `FITTED` are fitted
on beside LoCoMo, the others are unseen.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import chats
import updates
from pydantic import Field

import memdb
from memdb.calibration import evidence_of, fit, measure, probability_of, threshold_of
from memdb.conversations import evidence_of as turns_of
from memdb.conversations import read_conversation
from memdb.records import Record

CONVERSATIONS, WHOLE, SLICES, SENTENCES = "LoCoMo", "whole", "five conversations", "ten sentences"
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
    found: bool = False
    evidence: dict[str, float] = Field(default_factory=dict)
    decision: str = ""
    elapsed_ms: float = 0.0


def ask(mem: memdb.Memory, asked: Asked, question: str, evidence: Collection[str], *, user: str, now: str | None = None) -> Asked:
    """Ask one question of the memory of a user."""
    started = time.perf_counter()
    hits = mem.assess(question, user_id=user, limit=50, now=now)
    elapsed = (time.perf_counter() - started) * 1000
    assert hits.verdict is not None
    seen = {hit.fact.source_turn_id for hit in hits[:_SEEN]}
    return asked.model_copy(
        update={
            "found": asked.answerable and bool(seen.intersection(evidence)),
            "evidence": evidence_of(hits),
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


def of_chats(mem: memdb.Memory, folder: Path) -> list[Asked]:
    """Load the chats, whole and five at a time, and ask each memory for what stands in it and for what another's holds."""
    people = {name: chats.read(folder, name) for name in (*OTHERS, *FOREIGN)}
    memories: list[tuple[str, str, int, list[dict[str, object]]]] = []
    for name, person in people.items():
        memories.append((WHOLE, name, 0, person.messages))
        parts: dict[int, list[dict[str, object]]] = {}
        for message in person.messages:
            parts.setdefault((int(str(message["turn_id"]).split(".")[0]) - 1) // FEW, []).append(message)
        memories += [(SLICES, name, part, messages) for part, messages in parts.items()]
    for group, name, part, messages in memories:
        mem.load(messages, user_id=f"{name} {group} {part}")
    drained(mem)
    found = []
    for group, name, part, messages in memories:
        turns = {str(message["turn_id"]) for message in messages}
        own = [(True, one) for one in people[name].asked if one.evidence and turns.issuperset(one.evidence)]
        others = [(False, one._replace(evidence=())) for one in people[OTHERS[name]].asked] if name in OTHERS else []
        for answerable, one in own + (others if group == WHOLE else others[part % FEW :: FEW]):
            asked = Asked(group=group, user=name, answerable=answerable)
            found.append(ask(mem, asked, one.question, one.evidence, user=f"{name} {group} {part}", now=f"{one.day}T12:00:00Z"))
    return found


def of_sentences(mem: memdb.Memory) -> list[Asked]:
    """Tell what the people of updates.py do, and ask each memory for what is so now, and for what another told."""
    told = updates.people(Path(updates.__file__).with_name("updates.txt"))
    for person in told:
        mem.observe(person.old, user_id=person.user, turn_id="old", timestamp=updates.OLD)
        mem.observe(person.new, user_id=person.user, turn_id="new", timestamp=updates.NEW)
        for place, text in enumerate(updates.TALK):
            mem.observe(text, user_id=person.user, turn_id=f"talk{place}", timestamp=f"2025-03-{place * 3 + 4:02}T18:00:00Z")
    drained(mem)
    found = []
    for place, person in enumerate(told):
        for answerable, other in ((True, person), (False, told[(place + APART) % len(told)])):
            asked = Asked(group=SENTENCES, user=person.user, answerable=answerable)
            found.append(ask(mem, asked, other.present, ("old", "new") if answerable else (), user=person.user, now=updates.NOW))
    return found


def drained(mem: memdb.Memory) -> None:
    """Wait for the vectors."""
    if not mem.drain():
        raise SystemExit("Not every vector could be made.")


def fitted_on(asked: Sequence[Asked], *, without: str | None = None) -> list[Asked]:
    """What is fitted on: all of LoCoMo's but one conversation, and of the chats so many unanswerable ones that as many in a hundred have an
    answer as there.
    """
    chosen = [one for one in asked if one.group == CONVERSATIONS and one.user != without]
    for group in (WHOLE, SLICES):
        for name in FITTED:
            own, others = ([one for one in asked if (one.group, one.user, one.answerable) == (group, name, kind)] for kind in (True, False))
            count = round(len(own) * (1 - _ANSWERABLE) / _ANSWERABLE)
            chosen += own + [others[place * len(others) // count] for place in range(min(count, len(others)))]
    return chosen


def left_out(asked: list[Asked], right: Callable[[Asked], bool]) -> list[tuple[float, float]]:
    """The calibrated probability of each question and the threshold, both fitted on the other conversations."""
    fitted = {}
    for user in {one.user for one in asked if one.group == CONVERSATIONS}:
        others = fitted_on(asked, without=user)
        labels = [right(one) for one in others]
        weights = fit([one.evidence for one in others], labels)
        fitted[user] = weights, threshold_of([probability_of(one.evidence, weights) or 0.0 for one in others], labels)
    told = (one for one in asked if one.group == CONVERSATIONS)
    return [(probability_of(one.evidence, fitted[one.user][0]) or 0.0, fitted[one.user][1]) for one in told]


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
    fitted = left_out(everything, right)
    asked = [one for one in everything if one.group == CONVERSATIONS]
    labels = [right(one) for one in asked]
    share = sum(labels) / len(labels)
    calibrated = [probability for probability, _ in fitted]
    print(f"\n{name}: {sum(labels)} of {len(labels)} questions ({100 * share:.1f} %); a Brier of {share * (1 - share):.3f} knows nothing\n")
    print("| probability | AUC | ECE | Brier | right of the surest 25 % | 50 % | 75 % |")
    print("|---" * 7 + "|")
    print(line("confidence of the best item, as it is", [one.evidence["confidence"] for one in asked], labels))
    print(line("calibrated", calibrated, labels))
    print("\n| said | was so | questions |\n|---|---|---|")
    for shelf in measure(calibrated, labels).bins:
        print(f"| {shelf.probability:.2f} | {shelf.right:.2f} | {shelf.count} |")
    print("\n| abstain below | of the right | of the others | right of those answered |\n|---|---|---|---|")
    own = sorted({threshold for _, threshold in fitted})
    shown: list[tuple[str, list[float]]] = [(str(least), [least] * len(asked)) for least in (0.5, 0.6, 0.7, 0.8)]
    shown.append((f"the fitted threshold ({own[0]} to {own[-1]})", [threshold for _, threshold in fitted]))
    for name, thresholds in shown:
        kept = [was for probability, was, least in zip(calibrated, labels, thresholds, strict=True) if probability >= least]
        lost = sum(labels) - sum(kept)
        caught = len(labels) - len(kept) - lost
        others = len(labels) - sum(labels)
        print(f"| {name} | {100 * lost / sum(labels):.1f} | {100 * caught / others:.1f} | {100 * sum(kept) / max(1, len(kept)):.1f} |")
    chosen = fitted_on(everything)
    labels = [right(one) for one in chosen]
    weights = fit([one.evidence for one in chosen], labels)
    least = threshold_of([probability_of(one.evidence, weights) or 0.0 for one in chosen], labels)
    print("\nfitted on all:", json.dumps({**weights, "threshold": least}))


def report_chats(asked: list[Asked]) -> None:
    """Print how often the weights in the file abstain from what has an answer, and from what has none."""
    print("\n| chats | | abstains from the answerable | from the others |\n|---|---|---|---|")
    for group in (WHOLE, SLICES, SENTENCES):
        parts = (
            (("fitted on", FITTED), ("unseen", UNSEEN), ("unseen, in other languages", FOREIGN))
            if group != SENTENCES
            else (("unseen", ()),)
        )
        for label, names in parts:
            of = [one for one in asked if one.group == group and (not names or one.user in names)]
            shares = []
            for answerable in (True, False):
                decided = [one.decision == "abstain" for one in of if one.answerable == answerable]
                shares.append(f"{100 * sum(decided) / len(decided):.0f} % of {len(decided)}" if decided else "")
            print(f"| {group} | {label} | {' | '.join(shares)} |")


def main() -> None:
    """Load, ask, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="conversations in LoCoMo's format")
    parser.add_argument("--chats", action="store_true", help="ask the people of chats.py, too")
    parser.add_argument("--limit", type=int, help="only so many questions a conversation")
    arguments = parser.parse_args()
    if not arguments.data and not arguments.chats:
        parser.error("give --data, or --chats, or both")
    config = {"worker": False, "record_retrievals": False, "context_balance": 1.0}
    asked: list[Asked] = []
    with tempfile.TemporaryDirectory() as scratch, memdb.open(Path(scratch) / "abstention.db", llm=None, config=config) as mem:
        if arguments.data:
            asked += of_conversations(mem, arguments.data, arguments.limit)
        if arguments.chats:
            asked += of_chats(mem, chats.FOLDER) + of_sentences(mem)
    if arguments.data:
        report(asked, "answerable", lambda one: one.answerable)
        report(asked, "found", lambda one: one.found)
        print("\nverdicts, with the weights in the file:")
        for answerable in (True, False):
            said = Counter(one.decision for one in asked if one.group == CONVERSATIONS and one.answerable == answerable)
            print("answerable" if answerable else "adversarial", dict(said))
    if arguments.chats:
        report_chats(asked)
    times = sorted(one.elapsed_ms for one in asked)
    print(f"recall: median {times[len(times) // 2]:.1f} ms, p95 {times[len(times) * 95 // 100]:.1f} ms")


if __name__ == "__main__":
    main()
