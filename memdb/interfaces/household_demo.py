"""`memdb demo --household`: four weeks in a home, what is remembered of them in the first person, and how that fades."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from time import perf_counter

from rich import box
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

import memdb
from memdb import Event, Fact, Hit, Memory
from memdb.interfaces import work
from memdb.interfaces.household import Household, household_events, household_questions, read_household
from memdb.interfaces.show import clean

_WIDTH = 100
_FIRST = date(2025, 3, 3)
_DAYS = 28
_SHOWN = 6
_BAR = 30
_USER = "silva"


def run(*, path: Path, embedder: str | None, force: bool) -> None:
    """Live through four weeks of the household into a new file at `path`, and show what is remembered; the file stays behind.

    Raises:
        InputError: `path` holds something that is not this demo's own and `force` is not set.
    """
    house = read_household()
    events = list(household_events(house, first=_FIRST, days=_DAYS))
    work.make_room(path, lambda memory: _is_own(memory, events), force=force)
    config = {"timezone": house.timezone, "persona_household": house.household, "worker": False, "generation_burst": len(events)}
    with memdb.open(path, config=config, embedder=embedder, llm="auto") as memory:
        tale = _Tale(memory, house, events)
        tale.tell()
    tale.fading(path)
    tale.file(path)


class _Tale:
    """The telling: each part prints one section."""

    def __init__(self, memory: Memory, house: Household, events: list[Event]) -> None:
        self.memory, self.house, self.events = memory, house, events
        self.zone = memory.config.zone
        self.end = datetime.combine(_FIRST + timedelta(days=_DAYS), datetime.min.time(), self.zone)
        self.screen = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)

    def tell(self) -> None:
        """Tell what happened and what became of it."""
        title = f"memdb: {_DAYS} days of {self.house.household}"
        self.screen.print(Rule(Text(title, style="bold"), characters="═", style="cyan"))
        memories = self.live()
        self.first(memories)
        self.nights(memories)
        self.patterns()
        self.questions()

    def live(self) -> list[Fact]:
        """Take every event, tell every segment, and embed."""
        started = perf_counter()
        for event in self.events:
            self.memory.event(**{name: value for name, value in event.model_dump().items() if name != "turn_id"})
        taken = perf_counter() - started
        memories = self.memory.narrate(now=self.end)
        told = perf_counter() - started - taken
        self.say(f"{len(self.events)} events taken in {taken:.1f} s, {len(memories)} memories told of them in {told:.1f} s.")
        return memories

    def first(self, memories: list[Fact]) -> None:
        """Show the first memories beside the events that they were made of."""
        self.heading("How events become memories")
        for memory in memories[:_SHOWN]:
            for event in self.memory.sources(memory.fact_id).events:
                self.screen.print(Text(f"    {event.timestamp.astimezone(self.zone):%a %H:%M}  {event.description}", style="dim"))
            self.screen.print(_memory(memory), Text(), sep="\n")

    def nights(self, memories: list[Fact]) -> None:
        """Do the nightly maintenance of the four weeks."""
        self.heading("The nights")
        tried = self.memory.maintain(now=self.end, dry_run=True)
        self.say(
            f"A dry run says: {tried.consolidated} memories would go into {tried.patterns} patterns, {tried.archived} would be archived."
        )
        started = perf_counter()
        done = self.memory.maintain(now=self.end)
        took = perf_counter() - started
        self.say(
            f"{done.nights} nights made up for in {took:.1f} s: {done.consolidated} memories went into patterns, "
            f"{done.archived} faded into the archive, {done.deleted} were deleted."
        )
        active = self.memory.facts(_USER, kinds=["narrative"])
        counts = Counter(str(fact.memory_type) for fact in active)
        self.say(f"{len(self.events)} events → {len(memories)} memories → {len(active)} that are alive: {_counted(counts)}.")
        self.memory.drain()

    def patterns(self) -> None:
        """Show what was learned from what happens again and again."""
        self.heading("What was learned from repetition")
        patterns = self.memory.facts(_USER, key="household.pattern")
        for pattern in sorted(patterns, key=lambda fact: -fact.seen_count)[:_SHOWN]:
            self.screen.print(_memory(pattern))

    def questions(self) -> None:
        """Ask, and show what comes to mind and what it rests on."""
        self.heading("Questions")
        asked = household_questions(self.house, self.events)
        found = 0
        for place, question in enumerate(asked):
            hits = self.memory.recall(question.ask, user_id=_USER, now=self.end)
            answer = next(
                (hit for hit in hits if question.event_ids & {one.event_id for one in self.memory.sources(hit.fact.fact_id).events}), None
            )
            found += answer is not None
            if place % 6 == 0:
                self.answer(question.ask, hits[0] if hits else None, right=answer is not None and answer is hits[0])
        limit = self.memory.config.max_memories_per_retrieval
        self.say(f"{found} of {len(asked)} questions have their answer among the {limit} memories recalled.")

    def answer(self, ask: str, hit: Hit | None, *, right: bool) -> None:
        """One question and the memory that came to mind first."""
        self.screen.print(Text(ask, style="bold"))
        if hit is None:
            self.screen.print(Text("    nothing comes to mind", style="yellow"))
            return
        added = ", ".join(f"{name} {value:.2f}" for name, value in hit.contributions.items())
        mark = Text(" ✓" if right else "", style="bold green")
        self.screen.print(Text.assemble(f"    {clean(hit.fact.value_text)}", mark))
        self.screen.print(Text(f"    {hit.score:.2f} = {added}", style="dim"))

    def fading(self, path: Path) -> None:
        """Show how many memories are alive as the months go by and nothing new happens; the file must be closed."""
        self.heading("If nothing more happened")
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for column in ("after", "alive", "", "by type"):
            table.add_column(column)
        with TemporaryDirectory() as folder:  # in a copy: what is lived through here has not happened
            copy = Path(folder) / "mem.db"
            copyfile(path, copy)
            with memdb.open(copy, config=self.memory.config, embedder=None, llm=None) as later:
                most = max(1, len(later.facts(_USER, kinds=["narrative"])))
                for days in (0, 30, 60, 90, 180, 270):
                    later.maintain(now=self.end + timedelta(days=days))
                    alive = later.facts(_USER, kinds=["narrative"])
                    counts = Counter(str(fact.memory_type) for fact in alive)
                    bar = Text("█" * round(_BAR * len(alive) / most), style="green")
                    table.add_row(f"{days} days", str(len(alive)), bar, _counted(counts) or "none")
        self.screen.print(table)

    def file(self, path: Path) -> None:
        """Tell what stays behind, and how to look into it."""
        self.heading("What stays behind")
        file = shlex.quote(str(path))
        self.say(f"{path}, {path.stat().st_size / 1024:,.0f} KiB. For example:")
        for line in (
            f"""sqlite3 {file} "select memory_type, effective_importance, content from narrative where not archived order by 2 desc" """,
            f"""sqlite3 {file} "select timestamp, description from events order by timestamp limit 20" """,
            f"""memdb recall "what music does Joana like?" --user {_USER} --db {file} --now {self.end:%Y-%m-%d}""",
        ):
            self.screen.print(Text(f"  {line.strip()}"), soft_wrap=True)

    def heading(self, text: str) -> None:
        """Print the head of a section."""
        self.screen.print(Text(), Rule(Text(text, style="bold"), align="left", style="cyan"))

    def say(self, text: str) -> None:
        """Print a sentence."""
        self.screen.print(Text(clean(text)))


def _memory(fact: Fact) -> Text:
    return Text.assemble((f"  {fact.memory_type:<12}", "cyan"), (f"{fact.effective_importance:.2f}  ", "bold"), clean(fact.value_text))


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def _is_own(memory: Memory, events: list[Event]) -> bool:
    """Whether a memory holds nothing but this household."""
    known, stats = {event.event_id for event in events}, memory.stats()
    held = memory.facts(_USER, kinds=["narrative"], statuses=["active", "archived"])
    ids = {event.event_id for fact in held for event in memory.sources(fact.fact_id).events}
    return (
        memory.users().keys() <= {_USER}
        and set(stats.rows_by_kind) <= {"narrative"}
        and sum(stats.rows_by_kind.values()) == len(held)
        and ids <= known
    )  # fmt: skip
