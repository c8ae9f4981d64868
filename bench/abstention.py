"""Does the memory know what it does not know: probabilities and verdicts on answerable against adversarial questions, in one run.

    python bench/abstention.py --data locomo10.json

Of LoCoMo's questions, categories 1 to 4 have an answer in the conversation and 5 has none, though it sounds as if. Two ways of being right
are measured: `answerable` (the question has an answer) and `found` (it has one, and its evidence is among the first 16 hits). Calibrated
numbers are of conversations that the weights were not fitted on: each is left out once.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import memdb
from memdb.calibration import evidence_of, fit, measure, probability_of, selective_accuracy, threshold_of
from memdb.conversations import evidence_of as turns_of
from memdb.conversations import read_conversation
from memdb.records import Record

_SEEN = 16
_SHARES = (0.25, 0.5, 0.75)


class Asked(Record):
    """One question: what was found, what the verdict was, and what would have been right."""

    user: str
    answerable: bool
    found: bool
    evidence: dict[str, float]
    decision: str
    elapsed_ms: float


def ask(mem: memdb.Memory, user: str, question: Mapping[str, object]) -> Asked:
    """Ask one question."""
    started = time.perf_counter()
    hits = mem.assess(str(question["question"]), user_id=user, limit=50)
    elapsed = (time.perf_counter() - started) * 1000
    assert hits.verdict is not None
    seen = {hit.fact.source_turn_id for hit in hits[:_SEEN]}
    answerable = int(str(question["category"])) != 5
    return Asked(
        user=user,
        answerable=answerable,
        found=answerable and bool(seen.intersection(turns_of(question.get("evidence")))),
        evidence=evidence_of(hits.question, hits),
        decision=hits.verdict.decision,
        elapsed_ms=elapsed,
    )


def left_out(asked: list[Asked], right: Callable[[Asked], bool]) -> list[tuple[float, float]]:
    """The calibrated probability of each question and the threshold, both fitted on the other conversations."""
    fitted = {}
    for user in {one.user for one in asked}:
        others = [one for one in asked if one.user != user]
        labels = [right(one) for one in others]
        weights = fit([one.evidence for one in others], labels)
        fitted[user] = weights, threshold_of([probability_of(one.evidence, weights) or 0.0 for one in others], labels)
    return [(probability_of(one.evidence, fitted[one.user][0]) or 0.0, fitted[one.user][1]) for one in asked]


def line(name: str, probabilities: list[float], right: list[bool]) -> str:
    """One row of the table."""
    of = measure(probabilities, right)
    shares = " | ".join(f"{100 * selective_accuracy(probabilities, right, share=share):.1f}" for share in _SHARES)
    return f"| {name} | {of.auc:.3f} | {of.ece:.3f} | {of.brier:.3f} | {shares} |"


def report(asked: list[Asked], name: str, right: Callable[[Asked], bool]) -> None:
    """Print how well each probability knows what is right."""
    labels = [right(one) for one in asked]
    share = sum(labels) / len(labels)
    fitted = left_out(asked, right)
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
    weights = fit([one.evidence for one in asked], labels)
    least = threshold_of([probability_of(one.evidence, weights) or 0.0 for one in asked], labels)
    print("\nfitted on all:", json.dumps({**weights, "threshold": least}))


def main() -> None:
    """Load, ask, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="conversations in LoCoMo's format")
    parser.add_argument("--db", type=Path, help="keep the loaded memory here, and use it again")
    parser.add_argument("--limit", type=int, help="only so many questions a conversation")
    arguments = parser.parse_args()
    samples = {sample["sample_id"]: sample["qa"] for sample in json.loads(arguments.data.read_text(encoding="utf-8"))}
    config = {"worker": False, "record_retrievals": False, "context_balance": 1.0}
    with tempfile.TemporaryDirectory() as scratch:
        path = arguments.db or Path(scratch) / "abstention.db"
        with memdb.open(path, llm=None, config=config) as mem:
            for conversation in read_conversation(arguments.data):
                mem.load(conversation.turns, user_id=str(conversation.user_id))
            if not mem.drain():
                raise SystemExit("Not every vector could be made.")
            asked = [ask(mem, user, question) for user, questions in samples.items() for question in questions[: arguments.limit]]
    report(asked, "answerable", lambda one: one.answerable)
    report(asked, "found", lambda one: one.found)
    print("\nverdicts, with the weights in the file:")
    for answerable in (True, False):
        print("answerable" if answerable else "adversarial", dict(Counter(one.decision for one in asked if one.answerable == answerable)))
    times = sorted(one.elapsed_ms for one in asked)
    print(f"recall: median {times[len(times) // 2]:.1f} ms, p95 {times[len(times) * 95 // 100]:.1f} ms")


if __name__ == "__main__":
    main()
