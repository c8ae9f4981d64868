"""Whether what somebody likes, avoids or cannot have is found when they ask for something else: the preferences of PrefEval.

    python bench/preferences.py --data PrefEval/benchmark_dataset

The set (github.com/amazon-science/PrefEval) has a thousand preferences in twenty areas, from food to vehicles, and of each a request that
is answered badly by who does not know it; few of its words stand in the request. Each person here has one preference of each area, and
tells them in one of two ways: in a line by itself, with the beginnings of other people's chats in between, or by the way, in a chat about
something else. After all of it, they make their requests. Rules read what is said; no model is asked.
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

import numpy as np
from numpy.typing import NDArray
from recall import mean
from whole import drained, whole

import memdb
from memdb.embed import MiniLM
from memdb.metrics import judge

PLAIN, BY_THE_WAY = "in a line by itself", "by the way"
NO_PREFERENCE = "default without preference"
SETS = f"lexical-only,vector-only,mem-skill,{NO_PREFERENCE},default"
SHOWN = ("any@1", "any@5", "any@10", "any@20", "nDCG@10", "MRR")
BEGINNING = 6  # exchanges of another's chat
TOKENS = (150, 300, 600)
START = datetime(2026, 3, 1, 9, tzinfo=UTC)
NOW = (START + timedelta(days=60)).isoformat()
Exchange = tuple[str, str]
Chats = Sequence[Sequence[Exchange]]


class Preference(NamedTuple):
    """What is preferred, the request it matters to, the chat it is mentioned in, and its area."""

    said: str
    request: str
    chat: list[Exchange]
    area: str


class Asked(NamedTuple):
    """A request of one person, and the exchange in which they told what matters to it."""

    user: str
    preference: Preference
    told: str


class OnceEach:
    """An embedder that makes the vector of each text once, since everybody has the same chats in between."""

    def __init__(self) -> None:
        self._made: dict[str, NDArray[np.float32]] = {}
        self._embedder = MiniLM()
        self.name, self.dimension = self._embedder.name, self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text."""
        new = list(dict.fromkeys(text for text in texts if text not in self._made))
        self._made.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._made[text] for text in texts]) if texts else np.empty((0, self.dimension), np.float32)


def preferences(folder: Path) -> list[list[Preference]]:
    """The preferences of everybody, one of each area that has so many."""
    areas = []
    for path in sorted((folder / "explicit_preference").glob("*.json")):
        ways = json.loads((folder / "implicit_preference" / "persona-driven" / path.name).read_text(encoding="utf-8"))
        areas.append([read(plain, way, path.stem) for plain, way in zip(json.loads(path.read_text(encoding="utf-8")), ways, strict=True)])
    if not areas:
        raise SystemExit(f"There is no explicit_preference/*.json in {folder}; give PrefEval's folder benchmark_dataset.")
    return [[area[place] for area in areas if place < len(area)] for place in range(max(map(len, areas)))]


def read(plain: dict[str, str], way: dict[str, dict[str, dict[str, str]]], area: str) -> Preference:
    """A preference as the files tell it."""
    chat = [(turn["user"], turn["assistant"]) for turn in way["conversation"].values()]
    return Preference(plain["preference"].strip(' "'), plain["question"].strip(' "'), chat, area)


def others(folder: Path) -> Chats:
    """The beginnings of other people's chats."""
    chats = [chat["conversation"] for chat in json.loads((folder / "filtered_inter_turns.json").read_text(encoding="utf-8"))]
    texts = [[message["content"] for message in chat][: 2 * BEGINNING] for chat in chats]
    return [list(zip(chat[::2], chat[1::2], strict=False)) for chat in texts]


def words(text: str) -> set[str]:
    """The beginnings of the longer words of a text."""
    return {word[:5] for word in re.findall(r"[a-z]{4,}", text.lower())}


def told_in(preference: Preference, way: str, between: Sequence[Exchange]) -> tuple[list[Exchange], int]:
    """The exchanges in which a preference is told, and the place of the one that tells it: that with most of its words."""
    if way == PLAIN:
        return [(preference.said, ""), *between], 0
    wanted = words(preference.said)
    return preference.chat, max(range(len(preference.chat)), key=lambda place: len(wanted & words(preference.chat[place][0])))


def tell(mem: memdb.Memory, everybody: Sequence[Sequence[Preference]], way: str, chats: Chats) -> Iterator[Asked]:
    """Tell the memory all of it, a preference every other day, and return what is asked afterwards."""
    for number, person in enumerate(everybody):
        user = f"person{number}"
        mem.consent(user, sensitive_topics="keep")
        for day, preference in enumerate(person):
            exchanges, place = told_in(preference, way, chats[(number + day) % len(chats)])
            for minute, (said, answered) in enumerate(exchanges):
                at = START + timedelta(days=2 * day, minutes=minute)
                mem.observe(said, answered, user_id=user, session_id=f"{day}", turn_id=f"{day}.{minute}", timestamp=at.isoformat())
            yield Asked(user, preference, f"{day}.{place}")


def turns(found: Sequence[str | None]) -> list[str]:
    """The exchanges that what was found comes from, each once."""
    return list(dict.fromkeys(turn for turn in found if turn))


def shown(mem: memdb.Memory, asked: Asked, tokens: int) -> bool:
    """Whether a prompt for a request shows something of the exchange that matters to it."""
    prompt = mem.context(asked.preference.request, user_id=asked.user, max_tokens=tokens, now=NOW)
    return any(mem.fact(item.fact_id).source_turn_id == asked.told for item in prompt.items if item.fact_id)


def ranked(mem: memdb.Memory, asked: Sequence[Asked], weights: str, *, misses: bool = False) -> str:
    """The measures of one weight set, as cells of a table."""
    judged = []
    for request in asked:
        hits = mem.search(request.preference.request, user_id=request.user, limit=40, weights=weights, now=NOW)
        judged.append(judge(turns([hit.fact.source_turn_id for hit in whole(mem, hits)]), [request.told]))
        if misses and not judged[-1]["any@10"]:
            print(f"<!-- {request.preference.area}: {request.preference.said} | {request.preference.request} -->")
    return " | ".join(f"{mean(judged, measure):.1f}" for measure in SHOWN)


def prompted(mem: memdb.Memory, asked: Sequence[Asked]) -> str:
    """How often rules read something in what tells the preference, and how often it is shown, as cells of a table."""
    read = {
        (user, fact.source_turn_id)
        for user in {request.user for request in asked}
        for fact in mem.facts(user, now=NOW)
        if fact.kind == "fact"
    }
    shares = [mean([{"read": float((request.user, request.told) in read)} for request in asked], "read")]
    shares += [mean([{"shown": float(shown(mem, request, tokens))} for request in asked], "shown") for tokens in TOKENS]
    return " | ".join(f"{share:.1f}" for share in shares)


def main() -> None:
    """Tell everything in both ways, ask everything, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="PrefEval's folder benchmark_dataset")
    parser.add_argument("--weights", default=SETS, help="weight sets, separated by commas")
    parser.add_argument("--people", type=int, help="only the first so many")
    parser.add_argument("--misses", action="store_true", help="also print the requests of which `default` misses the preference among ten")
    arguments = parser.parse_args()
    everybody, chats = preferences(arguments.data)[: arguments.people], others(arguments.data)
    embedder = OnceEach()
    print(f"| told | weight set | {' | '.join(SHOWN)} |\n|---|---|{'---|' * len(SHOWN)}")
    rows = []
    for way in (PLAIN, BY_THE_WAY):
        with (
            tempfile.TemporaryDirectory() as folder,
            memdb.open(Path(folder) / "mem.db", embedder=embedder, llm=None, config={"worker": False, "record_retrievals": False}) as mem,
        ):
            asked = list(tell(mem, everybody, way, chats))
            drained(mem)
            usual = mem.weights("default")
            mem.set_weights({NO_PREFERENCE: {**usual, "preference": 0.0}})
            for name in arguments.weights.split(","):
                print(f"| {way} | {name} | {ranked(mem, asked, name, misses=arguments.misses and name == 'default')} |")
            for name in ("default", NO_PREFERENCE):
                mem.set_weights({"default": mem.weights(name)})
                rows.append(f"| {way} | {name} | {prompted(mem, asked)} |")
    print(f"\n| told | weight set | read by rules | {' | '.join(f'in a prompt of {tokens} tokens' for tokens in TOKENS)} |")
    print(f"|---|---|---|{'---|' * len(TOKENS)}")
    print("\n".join(rows))
    print(f"\nPer cent of {len(asked)} requests.")


if __name__ == "__main__":
    main()
