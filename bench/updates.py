"""What is found first when something was said, and later something else: what is so now, or what was so once.

    python bench/updates.py

Each line of `updates.txt` is a person who tells something and, a month later, that it is otherwise, among small talk that has nothing to do
with it, and asks how it is and how it was. Rules read what is said; no model is asked. A hit counts for the sentence it was learned from,
or is. What is so now is believed where that was learned and what was so before is believed no longer; of the lines of the last group,
which sound like a change and are none, where what was said first is believed still and nothing else.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from whole import drained, whole

import memdb
from memdb import Fact

TALK = [
    "The weather is lovely today.", "I had soup for lunch.", "The train was late again.", "I watched a film about whales.",
    "Can you recommend a book?", "My neighbour is painting his fence.", "It rained the whole weekend.", "The meeting took two hours.",
]  # fmt: skip
SETS = (
    "default",
    "default without knowledge_update",
    "default without outdated",
    "default without former",
    "default without keyed",
    "mem-skill",
    "vector-only",
    "lexical-only",
)
OLD, NEW, NOW = "2025-03-01T10:00:00Z", "2025-04-01T10:00:00Z", "2025-04-20T10:00:00Z"
WITHIN = 3
NO_CHANGE = "nothing changed"


@dataclass
class Person:
    """What somebody says, and what is to be made of it; `was` and `is_now` are patterns of what was and is believed, "-" for nothing."""

    group: str
    user: str
    old: str
    new: str
    present: str
    past: str = ""
    was: str = ""
    is_now: str = ""


def people(path: Path) -> list[Person]:
    """Read the lines of a file, group by group."""
    found, group = list[Person](), ""
    for line in filter(None, path.read_text(encoding="utf-8").splitlines()):
        if line.startswith("["):
            group = line.strip("[]")
        elif not line.startswith("#"):
            old, new, present, *more = (part.strip() for part in line.split("|"))
            told = ["", *more] if group == NO_CHANGE else more
            found.append(Person(group, f"user{len(found)}", old, new, present, *told))
    return found


def is_said(pattern: str, fact: Fact) -> bool:
    """Whether a fact says this, by its key, its value or its day."""
    day = f" {fact.event_time:%-d %B}" if fact.event_time is not None else ""
    return (
        pattern != "-" and re.search(rf"(?i)(?:\b|(?=\W))(?:{pattern.replace('/', '|')})", f"{fact.key} {fact.value_text}{day}") is not None
    )


def is_right(mem: memdb.Memory, person: Person) -> bool:
    """Whether what is so now is what is believed."""
    learned = [fact for fact in mem.facts(person.user, statuses=["active", "pending_confirmation"], now=NOW) if fact.kind == "fact"]
    if person.group == NO_CHANGE:
        return any(is_said(person.was, fact) for fact in learned) and not any(is_said(person.is_now, fact) for fact in learned)
    ever = mem.facts(person.user, statuses=["active", "pending_confirmation", "uncertain", "superseded", "expired", "archived"], now=NOW)
    still = [fact for fact in learned if is_said(person.was, fact) and not is_said(person.is_now, fact)]
    told = any(fact.kind == "fact" and fact.source_turn_id == "old" for fact in ever)
    return told and not still and (person.is_now == "-" or any(is_said(person.is_now, fact) for fact in learned))


def first_told(mem: memdb.Memory, question: str, person: Person, weights: str) -> list[str]:
    """The turns of the hits for a question, "old", "new" or others, the best first."""
    hits = mem.search(question, user_id=person.user, now=NOW, weights=weights)
    return [hit.fact.source_turn_id for hit in whole(mem, hits)]


def percent(count: int, of: int) -> str:
    """A share in per cent, or a dash."""
    return f"{100 * count / of:.0f}" if of else "–"


def main() -> None:
    """Tell everything, ask everything, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--wrong", action="store_true", help="print who is not understood, and whose question about now finds something else first"
    )
    arguments = parser.parse_args()
    told = people(Path(__file__).with_name("updates.txt"))
    changed = [person for person in told if person.group != NO_CHANGE]
    unchanged = [person for person in told if person.group == NO_CHANGE]
    with (
        tempfile.TemporaryDirectory() as folder,
        memdb.open(Path(folder) / "mem.db", llm=None, config={"worker": False, "record_retrievals": False}) as mem,
    ):
        usual = mem.weight_sets()["default"]
        mem.set_weights({name: {**usual, left_out: 0.0} for name in SETS if (left_out := name.partition(" without ")[2])})
        for person in told:
            mem.observe(person.old, user_id=person.user, turn_id="old", timestamp=OLD)
            mem.observe(person.new, user_id=person.user, turn_id="new", timestamp=NEW)
            for place, text in enumerate(TALK):
                mem.observe(text, user_id=person.user, turn_id=f"talk{place}", timestamp=f"2025-03-{place * 3 + 4:02}T18:00:00Z")
        drained(mem)
        print(
            "| weight set | now: the new first | now: the old first | then: the old first | among three | nothing changed: the old first |"
        )
        print("|---|---|---|---|---|---|")
        answered = set[str]()
        for name in SETS:
            first = {person.user: first_told(mem, person.present, person, name)[:1] for person in told}
            once = [first_told(mem, person.past, person, name) for person in changed]
            then = [percent(sum("old" in told[:count] for told in once), len(changed)) for count in (1, WITHIN)]
            shares = [
                percent(sum(first[person.user] == [turn] for person in changed), len(changed)) for turn in ("new", "old")
            ]  # fmt: skip
            kept = percent(sum(first[person.user] == ["old"] for person in unchanged), len(unchanged))
            print(f"| {name} | {' | '.join(shares)} | {' | '.join(then)} | {kept} |")
            if name == "default":
                answered = {person.user for person in told if first[person.user] == ["old" if person in unchanged else "new"]}
        print("\n| `default`, by who it is | people | what is so now is believed | and found first |")
        print("|---|---|---|---|")
        right = {person.user for person in told if person.was and is_right(mem, person)}
        for group in dict.fromkeys(person.group for person in told):
            those = [person for person in told if person.group == group]
            known = [person for person in those if person.was]
            believed = percent(sum(person.user in right for person in known), len(known))
            print(f"| {group} | {len(those)} | {believed} | {percent(sum(person.user in answered for person in those), len(those))} |")
        if arguments.wrong:
            for person in told:
                faults = ["believed otherwise"] if person.was and person.user not in right else []
                faults += [] if person.user in answered else ["not found first"]
                if faults:
                    print(f"<!-- {person.old} | {person.new}: {', '.join(faults)} -->")
        print(
            f"\nPer cent of {len(changed)} people, and of {len(unchanged)} with whom nothing changed; by words and {mem.stats().embedder}."
        )


if __name__ == "__main__":
    main()
