"""`memdb demo`: the main job on a conversation, told as it happens; the file stays behind."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

import memdb
from memdb import Change, Fact, Hit, Hits, InputError, Memory, Stats
from memdb.conversations import Conversation, Exchange, Question, read_conversation
from memdb.disk import files_of
from memdb.interfaces import work
from memdb.interfaces.show import Told, clean, entries, mind, share, tell, value_of
from memdb.times import to_utc

SHIPPED = Path(__file__).resolve().parent.parent / "data" / "demo.json"
"""The conversation that ships with memdb."""

QUERIES = (
    ("what is believed, and how sure", "select key, object, confidence from fact where status = 'active' order by key"),
    ("the words that a belief rests on", "select key, object, source_turn_id, source_excerpt from fact limit 10"),
    ("what changed, and why", "select changed_at, key, operation, reason from fact_history order by id"),
    ("one key through time", "select valid_from, valid_to, object, status from fact where key = '{key}' order by valid_from"),
)
"""Statements for any SQLite shell, shown at the end: what they do, and the SQL, `{key}` being the key that changed most."""

_WIDTH = 100
_BAR = 24
_PARTS = 3  # of a score, named one by one
_PAINT = (("█", "green"), ("▓", "blue"), ("▒", "magenta"), ("░", "dim"))
_HITS = 3
_QUESTIONS = 6
_CONTEXT_TOKENS = 240
_KEY = 24  # letters of a key that stand in one line, which those of the vocabulary do


def run(conversation: Path | None, *, sample: str | None, path: Path, embedder: str | None, pause: float, force: bool) -> None:
    """Play a conversation into a new file at `path` and show what becomes of it, with `pause` seconds between turns.

    Raises:
        InputError: the conversation cannot be used, or `path` holds something that is not this demo's own and `force` is not set.
    """
    chosen = _choose(conversation or SHIPPED, sample)
    user = chosen.user_id or "user"
    work.make_room(path, lambda memory: _is_own(memory, chosen, user), force=force)
    zone_setting = {"timezone": chosen.timezone} if chosen.timezone else {}
    with memdb.open(path, config=zone_setting, embedder=embedder) as memory:
        tale = _Tale(memory, chosen, user=user, pause=pause)
        tale.tell()
    tale.end(path)


class _Tale:
    """The telling: each part prints one section."""

    def __init__(self, memory: Memory, conversation: Conversation, *, user: str, pause: float) -> None:
        self.memory, self.turns, self.questions, self.user, self.pause = memory, conversation.turns, conversation.questions, user, pause
        self.zone: tzinfo = memory.config.zone
        self.screen = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
        if self.screen.width > _WIDTH + 20:
            self.screen.width = _WIDTH + 20
        self.times: dict[str, float] = {}
        self.stats: Stats | None = None
        self.liveliest = "user.name"

    def tell(self) -> None:
        """Tell the whole of it but the end, which needs the file closed."""
        embedder = self.memory.embedder
        self.title(
            f"{_counted(len(self.turns), 'turn')} of {self.user}",
            f"meaning by {embedder.name}" if embedder else "words only: no embedder, so nothing is searched by meaning",
        )
        self.memory.consent(self.user, sensitive_topics="keep")
        self.print(
            Text(f"{self.user} lets sensitive topics be remembered (memdb consent); else each such fact would wait for a yes.", style="dim")
        )
        turn_ids = self.observe()
        self.learned(turn_ids)
        now = self.last_time()
        self.beliefs(now)
        self.profile(now)
        self.ask(now)
        self.context(now)
        self.stats = self.memory.stats()

    # the turns

    def observe(self) -> list[str]:
        """Observe every turn, wait for the worker, and return the turns' ids in order."""
        took: list[float] = []
        turn_ids: list[str] = []
        with self.timed("all turns taken, thought about and embedded"):
            for turn in self.turns:
                start = perf_counter()
                turn_ids.append(work.observe(self.memory, turn, user_id=self.user))
                took.append(perf_counter() - start)
            finished = work.drain(self.memory)
        if took:
            self.times["observe, one turn safely on disk (median)"] = median(took)
        if not finished:
            self.print(Text("Some vectors could not be made; searching goes on by words.", style="yellow"))
        return turn_ids

    def learned(self, turn_ids: Sequence[str]) -> None:
        """Tell what each turn changed; turns that taught nothing are counted."""
        self.heading("What was learned, turn by turn")
        changes = self.memory.history(user_id=self.user)
        by_turn = _by_turn(changes, self.memory, self.user, turn_ids)
        quiet = 0
        session: str | None = None
        for turn, turn_id in zip(self.turns, turn_ids, strict=True):
            told = tell(by_turn.get(turn_id, []))
            if not told:
                quiet += 1
                continue
            if turn.session_id is not None and turn.session_id != session:
                session = turn.session_id
            self.print(self.turn(turn, turn_id, quiet), *[self.event(one) for one in told], Text())
            quiet = 0
            sleep(self.pause)
        if quiet:
            self.print(Text(f"… and {_counted(quiet, 'turn')} that taught nothing", style="dim"))
        counts = Counter(one.look.word for one in tell(changes))
        self.print(Text(", ".join(f"{count} {word}" for word, count in counts.most_common()) or "Nothing was learned.", style="bold"))
        moved = {change.key for change in changes if change.operation == "supersede"}
        lively = Counter(change.key for change in changes if change.key in moved or not moved)
        self.liveliest = next((key for key, _count in lively.most_common()), self.liveliest)

    def turn(self, turn: Exchange, turn_id: str, quiet: int) -> RenderableType:
        """One line of who spoke when, and the words."""
        head = Text.assemble(
            (self.day(turn.timestamp), "bold"), (f"  {turn_id}" + (f" · {turn.session_id}" if turn.session_id else ""), "dim")
        )
        if quiet:
            head.append(f"   ({_counted(quiet, 'turn')} before it taught nothing)", style="dim")
        speaker = f"{turn.speaker}: " if turn.speaker else ""
        return Group(head, _indented(Text(" "), Text(f"{clean(speaker)}“{clean(' '.join(turn.text.split()))}”", style="italic")))

    def event(self, told: Told) -> RenderableType:
        """What changed: before, after, how sure, and why."""
        value = told.after
        if told.change.operation == "expire":
            value = f"{told.before} ends"
        elif told.before and told.before != told.after:
            value = f"{told.before} → {told.after}"
        sure = share(told.confidence_after)
        if told.look.word == "confirmed" and told.confidence_before is not None:
            sure = f"{share(told.confidence_before)} → {sure}"
        said = Text.assemble((f"{told.key}  ", "bold"), clean(value), (f"  {sure}", "cyan"), (f"  {clean(told.reason)}", "dim"))
        return _indented(Text(f"    {told.look.sign} {told.look.word:<10}", style=told.look.style), said)

    # what is held

    def beliefs(self, now: datetime) -> None:
        """Tell the final facts, how sure, and since when."""
        self.heading(f"What is believed on {self.day(now)}")
        held = self.memory.facts(self.user, now=now)
        facts = [fact for fact in held if fact.kind != "episode"]
        table = _table("key", "value", "confidence", "since", "said", "turn", keys=[fact.key for fact in facts])
        for fact in facts:
            value = Text(clean(value_of(fact)))
            if fact.status != "active":
                value.append(f"  ({fact.status.replace('_', ' ')})", style="bright_yellow")
            until = f" – {self.day(fact.valid_to)}" if fact.valid_to else ""
            table.add_row(
                fact.key,
                value,
                _bar(fact.confidence, 10, "cyan"),
                self.day(fact.valid_from) + until,
                f"{fact.seen_count}×",
                fact.source_turn_id,
            )
        self.print(table if facts else Text("Nothing."))
        if accounts := len(held) - len(facts):
            self.print(Text(f"and {_counted(accounts, 'account')} of what was said (memdb facts --kinds episode)", style="dim"))

    def profile(self, now: datetime) -> None:
        """Tell the profile, and the changes of mind."""
        self.heading("The profile")
        with self.timed("profile"):
            profile = self.memory.profile(self.user, now=now)
        sections: dict[str, list[str]] = defaultdict(list)
        for section, entry in entries(profile):
            sections[section].append(clean(f"{entry.text} ({share(entry.confidence)})"))
        table = _table("section", "held")
        for section, held in sections.items():
            table.add_row(section.replace("_", " "), " · ".join(held))
        if profile.recent_changes:
            lines = [f"{self.day(one.changed_at)}  {one.key}: {mind(one)}" for one in profile.recent_changes]
            table.add_row("recent changes", clean("\n".join(lines)))
        self.print(table)
        changed = [one for one in tell(self.memory.history(user_id=self.user)) if one.look.word in ("superseded", "expired", "rejected")]
        if not changed:
            return
        self.heading("What changed, and why")
        table = _table("when", "key", "before", "after", "why", keys=[one.key for one in changed])
        for one in changed:
            after = one.after if one.look.word == "superseded" else one.look.word
            table.add_row(self.day(one.change.changed_at), one.key, clean(one.before), clean(after), clean(one.reason))
        self.print(table)

    # questions

    def ask(self, now: datetime) -> None:
        """Ask the conversation's questions, those of earlier days of what was true then, and show how each hit came by its score."""
        if not self.questions:
            return
        asked = self.questions[:_QUESTIONS] if len(self.questions) > 2 * _QUESTIONS else self.questions
        self.heading("Questions")
        took: list[float] = []
        answered = 0
        for question in asked:
            at = to_utc(question.at, zone=self.zone) if question.at else now
            hits = self.memory.search(question.ask, user_id=self.user, limit=_HITS, now=at, as_of=at if at < now else None)
            took.append(hits.elapsed_ms / 1000)
            place = next((place for place, hit in enumerate(hits, start=1) if _answers(hit, question)), None)
            answered += place is not None
            self.print(*self.answer(question, hits, place, at), Text())
            sleep(self.pause)
        judged = [question for question in asked if question.expect or question.evidence]
        if judged:
            rest = "" if len(asked) == len(self.questions) else f" (the first of {len(self.questions)})"
            self.print(Text(f"{answered} of {len(judged)} questions have their answer among the first {_HITS} hits{rest}", style="bold"))
        self.times["search (median)"] = median(took)

    def answer(self, question: Question, hits: Hits, place: int | None, at: datetime) -> Iterator[RenderableType]:
        """The question, what was expected, and the hits with the parts of their scores."""
        yield Text.assemble((clean(question.ask), "bold"), (f"   asked on {self.day(at)}", "dim"))
        if question.expect:
            found = f"found in hit {place}" if place else f"not among the first {_HITS}"
            yield Text.assemble("  expected: ", clean(question.expect), ("  " + found, "green" if place else "red"))
        if hits.degraded and self.memory.embedder is not None:
            yield Text(f"  {hits.degraded}", style="yellow")
        largest = max((sum(value for value in hit.contributions.values() if value > 0) for hit in hits), default=1.0) or 1.0
        for number, hit in enumerate(hits, start=1):
            said = f"{hit.fact.speaker}: {hit.fact.value_text}" if hit.fact.kind == "message" else hit.fact.value_text
            words = Text.assemble(clean(" ".join(said.split())), (f"  {self.day(hit.fact.valid_from)}", "dim"))
            if number == place:
                words.append("  ✓", style="bold green")
            yield _indented(Text.assemble((f"  {number}. {hit.score:5.3f}", "bold"), (f" {hit.fact.kind:<9}", "cyan")), words)
            yield _stack(hit, largest)

    def context(self, now: datetime) -> None:
        """Show a prompt context and how it keeps to its budget."""
        ask = self.questions[0].ask if self.questions else (self.turns[-1].text if self.turns else "")
        self.heading("Memory made ready for a prompt")
        with self.timed("context"):
            made = self.memory.context(ask, user_id=self.user, max_tokens=_CONTEXT_TOKENS, now=now)
        self.print(Text.assemble("for: ", (clean(ask), "bold")))
        self.print(Panel(Text(clean(made.text)), box=box.SIMPLE, padding=(0, 1)))
        dropped = f", {_counted(len(made.dropped), 'line')} dropped to keep to it" if made.dropped else ""
        used = made.tokens / made.max_tokens if made.max_tokens else 0.0
        self.print(
            Text.assemble(_bar(used, _BAR, "green", label=""), f" {made.tokens} of {made.max_tokens} tokens ({made.tokenizer}){dropped}")
        )
        if made.question:
            self.print(Text.assemble("worth asking the user: ", (clean(made.question), "bold")))

    # the end

    def end(self, path: Path) -> None:
        """Tell what the file holds, how long things took, and how to look into it."""
        self.heading("What stays behind")
        stats = self.stats
        assert stats is not None
        files = [file for file in files_of(path) if file.exists()]
        sizes = _table("", "")
        sizes.show_header = False
        sizes.add_row("file", f"{path}, {_bytes(sum(file.stat().st_size for file in files))}")
        sizes.add_row("rows", ", ".join(f"{count} {kind}" for kind, count in sorted(stats.rows_by_kind.items())))
        sizes.add_row("facts", ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in sorted(stats.facts_by_status.items())))
        sizes.add_row("vectors", f"{stats.vectors} by {stats.embedder}" if stats.embedder else "none")
        for name, seconds in self.times.items():
            sizes.add_row(name, _duration(seconds))
        if stats.observer_latency_p50 is not None and stats.observer_latency_p95 is not None:
            slow = f"median {_duration(stats.observer_latency_p50 / 1000)}, p95 {_duration(stats.observer_latency_p95 / 1000)}"
            why = "; all came at once, while the embedder was loading" if stats.embedder else "; all came at once"
            sizes.add_row("from a turn's arrival to its facts", slow + why)
        self.print(sizes)
        self.print(Text("Open it with any SQLite shell (3.38 or newer), for example:", style="bold"))
        file = shlex.quote(str(path))
        for what, sql in QUERIES:
            self.line(Text(f"  -- {what}", style="dim"))
            self.line(Text(f'  sqlite3 {file} "{sql.format(key=self.liveliest)}"'))
        self.print(Text("or go on with it:", style="bold"))
        ask = self.questions[0].ask if self.questions else "What changed?"
        program = _program()
        self.line(Text(f"  {program} search {shlex.quote(clean(ask))} --user {shlex.quote(self.user)} --db {file}"))
        self.line(Text(f"  {program} history --user {shlex.quote(self.user)} --db {file}"))

    # how it looks

    def print(self, *things: RenderableType) -> None:
        """Print things one under the other."""
        for thing in things:
            self.screen.print(thing)

    def line(self, text: Text) -> None:
        """Print one line as it is, to be copied, however long."""
        self.screen.print(text, soft_wrap=True)

    def title(self, text: str, below: str) -> None:
        """Print the head of the tale."""
        self.print(Rule(Text(f"memdb: {text}", style="bold"), characters="═", style="cyan"), Text(below, style="dim", justify="center"))

    def heading(self, text: str) -> None:
        """Print the head of a section."""
        self.print(Text(), Rule(Text(text, style="bold"), align="left", style="cyan"))

    def day(self, value: date | str | None) -> str:
        """A day in the user's time zone, or nothing."""
        return f"{to_utc(value, zone=self.zone).astimezone(self.zone):%d %b %Y}".lstrip("0") if value else ""

    def last_time(self) -> datetime:
        """The moment after the last turn."""
        times = [to_utc(turn.timestamp, zone=self.zone) for turn in self.turns if turn.timestamp]
        return max(times) + timedelta(seconds=1) if times else to_utc(datetime.now(self.zone))

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Take the time of the body, in seconds."""
        start = perf_counter()
        yield
        self.times[name] = perf_counter() - start


def _choose(path: Path, sample: str | None) -> Conversation:
    found = read_conversation(path)
    names = [conversation.user_id or "user" for conversation in found]
    if sample is not None and sample not in names:
        raise InputError(f"{path} holds no conversation {sample!r}; it holds {', '.join(names)}.")
    return found[names.index(sample) if sample else 0]


def _is_own(memory: Memory, conversation: Conversation, user: str) -> bool:
    """Whether a memory holds nothing but this conversation."""
    words = {turn.text for turn in conversation.turns} | {turn.assistant for turn in conversation.turns}
    messages = memory.facts(user, kinds=["message"])
    turns = {message.source_turn_id for message in messages}
    return (
        memory.stats().users <= bool(messages)
        and all(message.value_text in words for message in messages)
        and all(fact.source_turn_id in turns or fact.source == "inferred" for fact in memory.facts(user))
    )


def _by_turn(changes: Sequence[Change], memory: Memory, user: str, turn_ids: Sequence[str]) -> dict[str, list[Change]]:
    """Changes by the turn that brought them about. What runs out by itself does so at a later turn than the one that the history names."""
    at: dict[datetime, str] = {}
    for fact in memory.facts(user, kinds=["message"]):
        at.setdefault(fact.created_at, fact.source_turn_id)
    sorted_out: dict[str, list[Change]] = defaultdict(list)
    known = set(turn_ids)
    for change in changes:
        turn = at.get(change.changed_at, change.turn_id) if change.operation == "expire" else change.turn_id
        sorted_out[turn if turn in known else change.turn_id].append(change)
    return sorted_out


def _program() -> str:
    """How the command is called from here: by its name, or by its path where the shell would not find it."""
    beside = Path(sys.executable).parent / "memdb"
    if shutil.which("memdb") or not beside.exists():
        return "memdb"
    return shlex.quote(os.path.relpath(beside))


def _answers(hit: Hit, question: Question) -> bool:
    """Whether a hit holds the answer: it comes from the turn that gives it, or says what is expected."""
    if question.evidence:
        return hit.fact.source_turn_id in question.evidence
    return bool(question.expect) and str(question.expect).casefold() in _all_text(hit.fact).casefold()


def _all_text(fact: Fact) -> str:
    return f"{fact.value_text}\n{fact.source_excerpt}\n{fact.object}"


def _stack(hit: Hit, largest: float) -> RenderableType:
    """A bar of the parts of a score, the most first, and beside it their numbers; the smallest are taken together."""
    ranked = sorted(((name, value) for name, value in hit.contributions.items() if value), key=lambda part: -abs(part[1]))
    parts = ranked[:_PARTS]
    if rest := ranked[_PARTS:]:
        parts.append((f"{len(rest)} more", sum(value for _name, value in rest)))
    bar, legend, so_far = Text(), Text(), 0.0
    for (name, value), (sign, colour) in zip(parts, _PAINT, strict=False):
        so_far += max(value, 0.0)
        bar.append(sign * (round(_BAR * so_far / largest) - len(bar)), style=colour)
        legend.append(f" {sign} ", style=colour).append(f"{name} {value:.3f}")
    bar.pad_right(max(0, _BAR - len(bar)))
    return _indented(Text.assemble("     ", bar), legend)


def _bar(value: float, cells: int, colour: str, *, label: str | None = None) -> Text:
    full = max(0, min(cells, round(value * cells)))
    shown = f" {value:.2f}" if label is None else label
    return Text.assemble(("█" * full, colour), ("░" * (cells - full), "dim"), shown)


def _indented(first: Text, second: Text) -> Table:
    """Two texts side by side, the second wrapping below itself."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(first, second)
    return grid


def _table(*columns: str, keys: Sequence[str] = ()) -> Table:
    table, longest = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold"), max(map(len, keys), default=0)
    for column in columns:
        table.add_column(column, overflow="fold", min_width=min(longest, _KEY) if column == "key" else None)
    return table


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _bytes(number: int) -> str:
    return f"{number / 1024:,.0f} KiB" if number < 1 << 20 else f"{number / (1 << 20):,.1f} MiB"


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
