"""How much of the evidence is found: recall at turn level on conversations in LoCoMo's format, by weight set, in one run.

    python bench/recall.py --data locomo10.json
    python bench/recall.py --data locomo10.json --weights default --links 0.2,0.5
    python bench/recall.py --data REALTALK/data

Every message goes in through `Memory.load` as a row of its own, its image caption included. Categories 1 to 4 are answerable; 5 is
adversarial and reported by itself. Intervals are 95 %, by resampling whole conversations.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from array import array
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

import realtalk
from whole import drained, whole

import memdb
from memdb.conversations import evidence_of, parse_conversation
from memdb.metrics import MEASURES, judge
from memdb.steps.tune import Example, tune

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
FITTED = (
    "lexical",
    "cosine",
    "window",
    "both",
    "actor",
    "is_question",
    "length",
    "has_number",
    "is_reaction",
    "has_time",
    "date",
    "hyponym",
)
ALIKE = ("lexical", "cosine", "window")  # what counts at all where nothing is known of the weights
Scores = dict[str, float]


def mean(scores: Iterable[Scores], metric: str) -> float:
    """The mean of a metric in per cent."""
    return 100 * statistics.fmean(one[metric] for one in scores)


def interval(by_conversation: list[list[Scores]], metric: str, *, rounds: int = 1_000) -> tuple[float, float]:
    """A 95 % interval of the mean, by resampling conversations."""
    chance = random.Random(0)
    means = sorted(
        mean([one for part in chance.choices(by_conversation, k=len(by_conversation)) for one in part], metric) for _ in range(rounds)
    )
    return means[round(0.025 * rounds)], means[round(0.975 * rounds) - 1]


def main() -> None:
    """Load, ask, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="conversations in LoCoMo's format, or the folder of REALTALK's")
    parser.add_argument("--weights", default="lexical-only,vector-only,mem-skill,default", help="weight sets, separated by commas")
    parser.add_argument("--links", default="", help="also rank with links followed, at these weights, separated by commas: 0.2,0.5")
    parser.add_argument("--link-strength", type=float, default=0.25, help="how alike two messages must be to be linked")
    parser.add_argument("--db", type=Path, help="keep the loaded memory here, and use it again")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--held-out", action="store_true", help="fit `default` anew on all conversations but one, and measure on that one")
    parser.add_argument("--chart", type=Path, help="draw any@10 by category here (SVG or PNG; needs matplotlib, the extra `bench`)")
    arguments = parser.parse_args()
    data = json.dumps(realtalk.samples(arguments.data)) if arguments.data.is_dir() else arguments.data.read_text(encoding="utf-8")
    samples = {sample["sample_id"]: sample["qa"] for sample in json.loads(data)}
    followed = {f"default, links {weight}": float(weight) for weight in arguments.links.split(",") if weight}
    sets = [*arguments.weights.split(","), *followed]
    results: dict[str, dict[str, list[tuple[int, Scores]]]] = {name: {} for name in sets}
    times: dict[str, list[float]] = {name: [] for name in sets}
    with tempfile.TemporaryDirectory() as scratch:
        path = arguments.db or Path(scratch) / "recall.db"
        settings = {"worker": False, "record_retrievals": False, "link_min_strength": arguments.link_strength}
        with memdb.open(path, llm=None, config=settings) as mem:
            print(f"by words and {mem.embedder.name}" if mem.embedder else "by words only: there is no embedder", file=sys.stderr)
            for conversation in parse_conversation(data, origin=str(arguments.data)):
                mem.load(conversation.turns, user_id=str(conversation.user_id))
            drained(mem)
            if followed:
                made = sum(mem.relate(user, kinds=["message"]) for user in samples)
                print(f"{made} links of at least {arguments.link_strength}", file=sys.stderr)
                follow(path, followed)
            for user, questions in samples.items():
                for question in questions:
                    wanted = set(evidence_of(question.get("evidence")))
                    if not wanted:
                        continue
                    for name in sets:
                        started = time.perf_counter()
                        hits = mem.search(question["question"], user_id=user, kinds=["message"], limit=20, weights=name)
                        times[name].append((time.perf_counter() - started) * 1000)
                        found = [hit.fact.source_turn_id for hit in whole(mem, hits)]
                        results[name].setdefault(user, []).append((int(question["category"]), judge(found, wanted)))
            if arguments.held_out:
                results |= (without := held_out(mem, samples))
                times |= {name: [0.0] for name in without}
    report = {name: summary(one, times[name]) for name, one in results.items()}
    print(json.dumps(report, indent=1) if arguments.json else table(report))
    if arguments.chart:
        chart(report, arguments.chart)


def follow(path: Path, weights: Mapping[str, float]) -> None:
    """Add weight sets like `default` that follow links as well."""
    with closing(sqlite3.connect(path)) as shell, shell:
        for name, weight in weights.items():
            shell.execute(
                "insert or replace into weights (name, feature, value) "
                "select :name, feature, value from weights where name = 'default' union all select :name, 'linked', :weight",
                {"name": name, "weight": weight},
            )
    shell.close()


def held_out(mem: memdb.Memory, samples: Mapping[str, list[dict[str, object]]]) -> dict[str, dict[str, list[tuple[int, Scores]]]]:
    """What the features of `default` reach with weights fitted without the conversation they are measured on, by where the fit begins."""
    shipped = {feature: value for feature, value in mem.weights("default").items() if feature in FITTED}
    asked: dict[str, list[tuple[int, set[str], list[str], list[list[float]]]]] = {}
    for user, questions in samples.items():
        for question in questions:
            wanted = set(evidence_of(question.get("evidence")))
            if wanted:
                hits = mem.search(str(question["question"]), user_id=user, kinds=["message"], limit=300, weights="default")
                parts = [[hit.parts[feature] for feature in shipped] for hit in hits]
                turns = [hit.fact.source_turn_id for hit in whole(mem, hits)]
                asked.setdefault(user, []).append((int(str(question["category"])), wanted, turns, parts))
    alike = {feature: float(feature in ALIKE) for feature in shipped}
    begun = {"default, fitted on the others": shipped, "the same, from equal weights": alike}
    return {name: left_out_each(asked, start) for name, start in begun.items()}


def left_out_each(
    asked: Mapping[str, list[tuple[int, set[str], list[str], list[list[float]]]]], start: Mapping[str, float]
) -> dict[str, list[tuple[int, Scores]]]:
    """What weights fitted to all users but one reach on that one, of the parts of the hits of each question."""
    results: dict[str, list[tuple[int, Scores]]] = {}
    for left_out in asked:
        examples = [
            Example(
                group=user,
                parts=array("d", (part for row in parts for part in row)),
                gains=array("d", (turn in wanted for turn in turns)),
                relevant=len(wanted),
            )
            for user, questions in asked.items()
            for _, wanted, turns, parts in questions
            if user != left_out
        ]
        weights = list(tune(examples, start=start, anchor="lexical", held_out=0.0).weights.values())
        for category, wanted, turns, parts in asked[left_out]:
            scores = [sum(weight * part for weight, part in zip(weights, row, strict=True)) for row in parts]
            ranked = [turns[place] for place in sorted(range(len(turns)), key=lambda place: -scores[place])]
            results.setdefault(left_out, []).append((category, judge(ranked[:20], wanted)))
    return results


def summary(by_user: dict[str, list[tuple[int, Scores]]], times: list[float]) -> dict[str, object]:
    """What one weight set reached: overall with intervals, by category, and its time."""
    answerable = [[one for category, one in scores if category != 5] for scores in by_user.values()]
    flat = [one for part in answerable for one in part]
    categories = {}
    for number, label in CATEGORIES.items():
        of_kind = [one for scores in by_user.values() for category, one in scores if category == number]
        if of_kind:
            categories[label] = {metric: round(mean(of_kind, metric), 1) for metric in MEASURES} | {"questions": len(of_kind)}
    overall = {metric: [round(mean(flat, metric), 1), *(round(end, 1) for end in interval(answerable, metric))] for metric in MEASURES}
    return {"questions": len(flat), "overall": overall, "categories": categories, "median_ms": round(statistics.median(times), 1)}


def table(report: Mapping[str, Mapping[str, object]]) -> str:
    """The report as Markdown."""
    lines = ["| categories 1–4 | " + " | ".join(MEASURES) + " | median ms |", "|---" * (len(MEASURES) + 2) + "|"]
    for name, one in report.items():
        overall = one["overall"]
        assert isinstance(overall, dict)
        lines.append(f"| {name} | " + " | ".join(f"{overall[metric][0]}" for metric in MEASURES) + f" | {one['median_ms']} |")
    lines += ["", "| any@10 (95 %) | " + " | ".join([*CATEGORIES.values(), "1–4"]) + " |", "|---" * (len(CATEGORIES) + 2) + "|"]
    for name, one in report.items():
        categories, overall = one["categories"], one["overall"]
        assert isinstance(categories, dict)
        assert isinstance(overall, dict)
        cells = [str(categories[label]["any@10"]) if label in categories else "" for label in CATEGORIES.values()]
        value, low, high = overall["any@10"]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {value} ({low}–{high}) |")
    return "\n".join([*lines, "", *by_category(report)])


def by_category(report: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Every measure of every set by category, and overall with its 95 % interval, as the lines of a table."""
    lines = ["| weight set | questions | | " + " | ".join(MEASURES) + " |", "|---" * (len(MEASURES) + 3) + "|"]
    for name, one in report.items():
        categories, overall = one["categories"], one["overall"]
        assert isinstance(categories, dict)
        assert isinstance(overall, dict)
        for label, reached in categories.items():
            lines.append(f"| {name} | {label} | {reached['questions']} | " + " | ".join(str(reached[metric]) for metric in MEASURES) + " |")
        cells = [f"{value} ({low}–{high})" for value, low, high in (overall[metric] for metric in MEASURES)]
        lines.append(f"| {name} | 1–4 | {one['questions']} | " + " | ".join(cells) + " |")
    return lines


def chart(report: Mapping[str, Mapping[str, object]], path: Path) -> None:
    """Draw any@10 by category, a bar for each weight set, with its 95 % interval over the categories 1 to 4."""
    import matplotlib

    matplotlib.use("svg" if path.suffix == ".svg" else "agg")
    matplotlib.rcParams["svg.hashsalt"] = "memdb"  # the same figures give the same file
    from matplotlib import pyplot

    labels = [*CATEGORIES.values(), "1–4"]
    figure, axes = pyplot.subplots(figsize=(9, 3.6), layout="constrained")
    width = 0.8 / len(report)
    for number, (name, one) in enumerate(report.items()):
        categories, overall = one["categories"], one["overall"]
        assert isinstance(categories, dict)
        assert isinstance(overall, dict)
        value, low, high = overall["any@10"]
        heights = [categories.get(label, {"any@10": 0})["any@10"] for label in CATEGORIES.values()] + [value]
        places = [place + (number - (len(report) - 1) / 2) * width for place in range(len(labels))]
        axes.bar(places, heights, width, label=name)
        axes.errorbar([places[-1]], [value], yerr=[[value - low], [high - value]], color="black", capsize=2, linewidth=1)
    axes.set_xticks(range(len(labels)), labels)
    axes.set_ylabel("evidence among the first ten, %")
    axes.set_ylim(0, 100)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.legend(ncols=len(report), loc="upper center", bbox_to_anchor=(0.5, -0.1), frameon=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else {})


if __name__ == "__main__":
    main()
