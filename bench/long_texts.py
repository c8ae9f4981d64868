"""How well what stands in long texts is found, where they are read in pieces and where only their beginnings are.

    python bench/long_texts.py
    python bench/long_texts.py --together 4

The conversations of `chats/`, each pasted as one message, or several of a person together, and the same questions: is the message that
the answer stands in among the first ones found? MiniLM, with each text read in pieces of 256 tokens, as memdb does, and with the first
256 tokens of it alone. And how much of the answer does a prompt of 600 tokens hold, which has no room for all of a message: how many of the
answer's words that the question has not, where the part of a message that bears on the question is shown, as memdb does, and where its
beginning is?
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from chats import ENDING, FOLDER, Person, read
from whole import drained, whole

import memdb
from memdb import Question
from memdb.embed import MiniLM
from memdb.passages import passage
from memdb.steps import inject
from memdb.stop_words import STOP_WORDS
from memdb.unspaced import words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SETS = ("vector-only", "default")
TOPS = (1, 3, 5)
TOKENS = 600


class Beginnings:
    """MiniLM, which reads only the beginning of a text."""

    name, dimension = MiniLM.name, MiniLM.dimension

    def __init__(self, whole: MiniLM) -> None:
        self._whole = whole

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text."""
        return self._whole.embed_beginnings(texts)


def main() -> None:
    """Load everybody twice, ask, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="these people, separated by commas")
    parser.add_argument("--together", type=int, default=1, help="conversations in a message")
    arguments = parser.parse_args()
    everybody = sorted(path.name.removesuffix(ENDING) for path in FOLDER.glob(f"*{ENDING}"))
    people = [read(FOLDER, name) for name in (arguments.only.split(",") if arguments.only else everybody)]
    pasted = [together(person, arguments.together) for person in people]
    lengths = [len(text.split()) for texts in pasted for text in texts.values()]
    print(f"{len(lengths)} messages of {len(people)} people, {statistics.median(lengths):.0f} words each (median).\n")
    print("| what is read | weight set | " + " | ".join(f"any@{top}" for top in TOPS) + " |")
    print("|---" * (2 + len(TOPS)) + "|")
    model = MiniLM()
    for name, embedder in (("the first 256 tokens", Beginnings(model)), ("all, in pieces", model)):
        with (
            tempfile.TemporaryDirectory() as folder,
            memdb.open(Path(folder) / "mem.db", embedder=embedder, llm=None, config={"worker": False, "record_retrievals": False}) as mem,
        ):
            for person, texts in zip(people, pasted, strict=True):
                mem.load([{"text": text, "turn_id": turn} for turn, text in texts.items()], user_id=person.name)
            drained(mem)
            for weights in SETS:
                places = [place for person in people for place in found(mem, person, weights, arguments.together)]
                shares = (100 * sum(place <= top for place in places) / len(places) for top in TOPS)
                print(f"| {name} | {weights} | " + " | ".join(f"{share:.1f}" for share in shares) + " |", flush=True)
            if embedder is model:
                told = {
                    shown: [share for person in people for share in answered(mem, person, part)]
                    for shown, part in (("the beginning", beginning), ("the part that bears on the question", passage))
                }
    print(f"\n| shown of a message | of the answer in a prompt of {TOKENS} tokens |\n|---|---|")
    for shown, parts in told.items():
        print(f"| {shown} | {100 * statistics.mean(parts):.1f} |")


def together(person: Person, count: int) -> dict[str, str]:
    """What a person and the assistant said, so many conversations in a text, by a name for each."""
    texts: dict[str, list[str]] = {}
    for message in person.messages:
        texts.setdefault(named(str(message["session_id"]), count), []).append(f"{message['role']}: {message['content']}")
    return {name: "\n".join(lines) for name, lines in texts.items()}


def named(session: str, count: int) -> str:
    """The name of the text that a conversation stands in."""
    return f"text {(int(session) - 1) // count}"


def found(mem: memdb.Memory, person: Person, weights: str, count: int) -> list[int]:
    """At which place the first text stands that holds part of each question's answer, counted from 1."""
    said = {str(message["turn_id"]): named(str(message["session_id"]), count) for message in person.messages}
    places = []
    for asked in person.asked:
        if wanted := {said[turn] for turn in asked.evidence}:
            now = f"{asked.day}T12:00:00Z"
            hits = mem.search(asked.question, user_id=person.name, kinds=["message"], limit=max(TOPS), weights=weights, now=now)
            turns = [hit.fact.source_turn_id in wanted for hit in whole(mem, hits)]
            places.append(turns.index(True) + 1 if True in turns else max(TOPS) + 1)
    return places


def beginning(text: str, asked: Question | None, *, most: int) -> str:
    """The beginning of a text, whatever is asked."""
    return passage(text, None, most=most)


def answered(mem: memdb.Memory, person: Person, part: Callable[..., str]) -> list[float]:
    """Which share of the words of each answer that are not in its question stand in a prompt, where this is shown of a long message."""
    shares = []
    for asked in person.asked:
        if wanted := telling(asked.answer) - telling(asked.question):
            with patch.object(inject, "passage", part):
                made = mem.context(asked.question, user_id=person.name, max_tokens=TOKENS, now=f"{asked.day}T12:00:00Z")
            shares.append(len(wanted & telling(made.text)) / len(wanted))
    return shares


def telling(text: str) -> set[str]:
    """The words of a text that are no grammar."""
    return {word.casefold() for word in words_of(text)} - STOP_WORDS


if __name__ == "__main__":
    main()
