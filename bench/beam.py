"""What is found again of long chats of a user and an assistant, by the ability that a question asks for: the chats of BEAM.

    python bench/beam.py --data BEAM/chats/100K
    python bench/beam.py --data BEAM/chats/500K --only 1,2,3

The set (github.com/mohammadtavakoli78/BEAM) has chats of 100,000 tokens and more, about code, essays, money, health or law, in which the
assistant's answers are long and every message is about much the same; and twenty questions of each chat, two for each of ten abilities, of
which nine name the messages that hold the answer.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from recall import Scores, interval, mean
from whole import drained, whole

import memdb
from memdb.metrics import MEASURES, judge

SETS = "lexical-only,vector-only,mem-skill,default"
MARK = re.compile(r"\s*->->\s*[\d,)\s]*$")  # how the set numbers what the user says


class Asked(NamedTuple):
    """A question: the chat it is of, its ability, and the messages that hold the answer."""

    chat: str
    ability: str
    question: str
    evidence: tuple[str, ...]


def numbers(value: object) -> Iterator[str]:
    """The numbers of messages in what the set gives as a question's sources, which are lists, or lists by name."""
    if isinstance(value, int):
        yield str(value)
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers(part)


def messages(chat: Path) -> list[dict[str, object]]:
    """The messages of a chat, in order, five minutes apart; a batch is a session, on the day that it names."""
    said: list[dict[str, object]] = []
    day = datetime(2024, 1, 1, tzinfo=UTC)
    for batch in json.loads((chat / "chat.json").read_text(encoding="utf-8")):
        turns = [message for turn in batch["turns"] for message in (turn if isinstance(turn, list) else [turn])]
        named = next((turn["time_anchor"] for turn in turns if turn.get("time_anchor")), None)
        day = datetime.strptime(named, "%B-%d-%Y").replace(tzinfo=UTC) if named else day + timedelta(days=1)
        for place, message in enumerate(turns):
            at = (day + timedelta(hours=8, minutes=5 * place)).isoformat()
            content = MARK.sub("", message["content"])
            told = {"role": message["role"], "content": content, "turn_id": str(message["id"])}
            said.append({**told, "timestamp": at, "session_id": str(batch["batch_number"])})
    return said


def questions(chat: Path) -> Iterator[Asked]:
    """The questions of a chat that name where their answer stands."""
    asked = json.loads((chat / "probing_questions" / "probing_questions.json").read_text(encoding="utf-8"))
    for ability, several in asked.items():
        for one in several:
            evidence = tuple(dict.fromkeys(numbers(one.get("source_chat_ids"))))
            if evidence:
                yield Asked(chat.name, ability, one["question"], evidence)


def main() -> None:
    """Load every chat, ask, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of BEAM's chats, such as chats/100K")
    parser.add_argument("--only", help="these chats, separated by commas")
    parser.add_argument("--weights", default=SETS, help="weight sets, separated by commas")
    parser.add_argument("--db", type=Path, help="keep the loaded memory here, and use it again")
    parser.add_argument("--misses", action="store_true", help="also print the questions of which `default` misses evidence among ten")
    arguments = parser.parse_args()
    only = arguments.only.split(",") if arguments.only else None
    chats = [path.parent for path in arguments.data.glob("*/chat.json") if only is None or path.parent.name in only]
    if not chats:
        raise SystemExit(f"There is no */chat.json in {arguments.data}; give a folder of BEAM's, such as chats/100K.")
    chats.sort(key=lambda chat: int(chat.name))
    sets = arguments.weights.split(",")
    results: dict[str, dict[str, list[tuple[str, Scores]]]] = {name: {} for name in sets}
    with (
        tempfile.TemporaryDirectory() as folder,
        memdb.open(arguments.db or Path(folder) / "mem.db", llm=None, config={"worker": False, "record_retrievals": False}) as mem,
    ):
        told = {chat.name: messages(chat) for chat in chats}
        for name, said in told.items():
            mem.load(said, user_id=name)
        drained(mem)
        for chat in chats:
            said = told[chat.name]
            now = str(said[-1]["timestamp"])
            by_turn = {str(message["turn_id"]): message for message in said}
            for asked in questions(chat):
                for name in sets:
                    hits = mem.search(asked.question, user_id=chat.name, kinds=["message"], limit=20, weights=name, now=now)
                    found = [hit.fact.source_turn_id or "" for hit in whole(mem, hits)]
                    scores = judge(found, asked.evidence)
                    results[name].setdefault(chat.name, []).append((asked.ability, scores))
                    if arguments.misses and name == "default" and scores["rec@10"] < 1:
                        print(missed(asked, found, by_turn))
    print(tables(results))
    print(f"\n{sum(map(len, told.values())):,} messages of {len(chats)} chats.")


def of(by_chat: dict[str, list[tuple[str, Scores]]], ability: str | None = None) -> list[Scores]:
    """The scores of all chats, of one ability."""
    return [scores for one in by_chat.values() for its, scores in one if ability in (None, its)]


def tables(results: dict[str, dict[str, list[tuple[str, Scores]]]]) -> str:
    """The results as Markdown: all questions, then each ability."""
    lines = ["| weight set | " + " | ".join(MEASURES) + " |", "|---" * (len(MEASURES) + 1) + "|"]
    lines += [f"| {name} | " + " | ".join(f"{mean(of(by), measure):.1f}" for measure in MEASURES) + " |" for name, by in results.items()]
    abilities = sorted({ability for by in results.values() for one in by.values() for ability, _ in one})
    for measure in ("any@10", "rec@10"):
        lines += ["", f"| {measure} (95 %) | " + " | ".join(name.replace("_", " ") for name in abilities) + " | all |"]
        lines.append("|---" * (len(abilities) + 2) + "|")
        for name, by in results.items():
            low, high = interval([[scores for _, scores in one] for one in by.values()], measure)
            cells = [f"{mean(of(by, ability), measure):.1f}" for ability in abilities]
            lines.append(f"| {name} | " + " | ".join(cells) + f" | {mean(of(by), measure):.1f} ({low:.1f}–{high:.1f}) |")
    return "\n".join(lines)


def missed(asked: Asked, found: Sequence[str], said: dict[str, dict[str, object]]) -> str:
    """A question, where its evidence stands, and what stands first."""
    lines = [f"\n[{asked.chat} {asked.ability}] {asked.question}"]
    told = {turn: " ".join(str(message["content"]).split())[:240] for turn, message in said.items()}
    lines += [f"   {found.index(turn) + 1 if turn in found else '–':>3} {turn}: {told.get(turn, '?')}" for turn in asked.evidence]
    lines += [f"     > {turn}: {told[turn][:160]}" for turn in found[:5]]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
