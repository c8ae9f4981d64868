"""memory.md: written from the file for people to read; what they change there is asked about, never taken and never lost."""

from __future__ import annotations

import errno
import glob
import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import get_ident

from memdb import stored
from memdb.beliefs import beliefs_about
from memdb.config import Config
from memdb.database import Database
from memdb.disk import UNFINISHED, to_disk, write
from memdb.errors import ConflictError, InputError, StoreError
from memdb.keys import normalise, predicate_of, slug
from memdb.reading import read_consent
from memdb.recording import Origin, action_hash_of, read_fact
from memdb.records import DECIDABLE, LIVE, Action, Candidate, Case, Category, Consent, Fact, Predicate, Turn, by_the_clock
from memdb.steps.apply import apply
from memdb.steps.compare import Edit, compare
from memdb.steps.extract import extract
from memdb.steps.gate import gate
from memdb.steps.project import Page, project
from memdb.times import EVER, to_text, utc_now
from memdb.wording import value_behind

_ACCOUNT = "an account tells what was said, and is no belief; write what is so as a line of its own"
_LONGEST_NAME = 100  # a name of ASCII signs; file systems take 255 bytes


@dataclass(frozen=True, slots=True)
class Edits:
    """What was changed by hand in memory.md: the pending facts that it became, and what may not be kept, each as its key and the reason."""

    offered: tuple[Fact, ...] = ()
    refused: tuple[str, ...] = ()


class _Overtaken(Exception):
    """Ends a transaction: another process has written the page meanwhile, perhaps because something on it was forgotten."""


def read_page(db: Database, *, user_id: str, now: datetime, config: Config) -> tuple[Edits, str]:
    """Return what was changed by hand in memory.md, and the page's text: of one that nobody touched, as it would be written now."""
    page = project(db, user_id=user_id, now=now, said_by=EVER, zone=config.zone, max_lines=config.page_max_lines)
    if not config.memory_page:
        return Edits(), page.text
    path = page_path(db, user_id)
    found = _read(path)
    if found is None or _is_known(db, found, user_id=user_id):
        return Edits(), page.text
    return _offer(db, found, page, user_id=user_id, now=now, config=config), found


def write_page(db: Database, *, user_id: str, now: datetime, config: Config, asks: bool = True) -> tuple[Edits, Path, Page]:
    """Write memory.md anew and return what had been changed in it by hand, the path, and the page.

    With `asks` False what was changed by hand is written over: it was asked about before, and what it said may have been forgotten since.
    """
    before = db.one("page.written", user_id=user_id)
    path = page_path(db, user_id)
    found = _read(path) if asks else None
    page = project(db, user_id=user_id, now=now, said_by=EVER, zone=config.zone, max_lines=config.page_max_lines)
    edits = Edits() if found is None else _offer(db, found, page, user_id=user_id, now=now, config=config)
    try:
        with db.durably(), db.transaction():  # a page that is ahead of the file would be taken for an edit
            if db.one("page.written", user_id=user_id) != before:
                raise _Overtaken
            # of what is left, where some was just forgotten
            page = project(db, user_id=user_id, now=now, said_by=EVER, zone=config.zone, max_lines=config.page_max_lines)
            db.run(
                "page.put",
                user_id=user_id,
                name=path.name,
                page=page.text,
                found=found or "",
                lines=json.dumps(page.lines, ensure_ascii=False),
                now=to_text(utc_now()),
            )
    except ConflictError:  # another user's first page took the name in this very moment, and this one's gets another
        if page_path(db, user_id) == path:
            raise
        return write_page(db, user_id=user_id, now=now, config=config, asks=asks)
    except _Overtaken:
        return write_page(db, user_id=user_id, now=now, config=config, asks=asks)
    if found != page.text:
        _replace(path, page.text)
        latest = db.one("page.written", user_id=user_id)
        if latest is None:  # the user was forgotten while the page was on its way
            path.unlink(missing_ok=True)
        elif latest["page"] != page.text:
            _replace(path, str(latest["page"]))
    return edits, path, page


def erase_page(db: Database, *, user_id: str, keep_name: bool) -> bool:
    """Remove a user's page as the last thing in the caller's transaction, and what the file remembers of it; return whether there was one.

    It goes before that is committed: who is killed between the two would otherwise leave a page of which nobody knows that it says what was
    forgotten. With `keep_name` it is to be written anew under its name.

    Raises:
        StoreError: it cannot be removed.
    """
    path = page_path(db, user_id)
    if not db.run("page.blank" if keep_name else "page.forget", user_id=user_id):
        return False
    try:
        for one in (path, *path.parent.glob(f".{glob.escape(path.name)}.*.*")):  # those that writers who were killed have left
            one.unlink(missing_ok=True)
        to_disk(path.parent)
    except OSError as error:
        told = f"{path} cannot be removed ({error}), so nothing was forgotten; make its folder writable and repeat it."
        raise StoreError(told) from error
    return True


def page_path(db: Database, user_id: str) -> Path:
    """Return where the page of a user lies: memory.md beside mem.db for the first user of the file, a name of their own for others."""
    written = db.one("page.written", user_id=user_id)
    if written is not None:
        return db.path.parent / str(written["name"])
    stem = "memory" if db.path.name == "mem.db" else f"{db.path.stem}.memory"
    for name in (f"{stem}.md", f"{stem}-{slug(user_id)}.md"):
        if len(name) <= _LONGEST_NAME and db.one("page.named", name=name) is None:
            return db.path.parent / name
    return db.path.parent / f"{stem}-{hashlib.sha256(user_id.encode()).hexdigest()[:12]}.md"


def _offer(db: Database, found: str, page: Page, *, user_id: str, now: datetime, config: Config) -> Edits:
    """Put edits into memory as pending facts, each once, and return those that still wait, and what may not be kept."""
    if _is_known(db, found, user_id=user_id):
        return Edits()
    written = db.one("page.written", user_id=user_id)
    before, lines, since = (
        (str(written["page"]), stored.value(db, written["lines"], user_id=user_id), str(written["written_at"])) if written else ("", [], "")
    )
    predicates = stored.predicates(db)
    consent = read_consent(db, user_id=user_id, config=config)
    offered: dict[str, Fact] = {}
    refused: list[str] = []
    with db.transaction():
        for edit in compare(lines, before, found, frame=page.frame):
            turn_id = f"memory.md-{action_hash_of(since, edit.kind, edit.text, edit.fact_id)}"
            target = read_fact(db, edit.fact_id) if edit.fact_id else None
            if edit.kind == "removed" and target is not None and target.status == "pending_confirmation":
                offered[target.fact_id] = target  # it waits for a word already
                continue
            if edit.kind == "removed" and target is not None and by_the_clock(target, now).status not in DECIDABLE:
                continue  # it has ended since the page was written
            if target is not None and target.kind == "episode":
                if edit.kind == "changed":
                    refused.append(f"{target.key}: {_ACCOUNT}")
                continue
            origin = Origin(user_id=user_id, turn_id=turn_id, now=now, kind=_kind(target))
            for action in _actions(db, edit, target, origin, predicates, config):
                said = action.candidate
                if said is not None and not said.negated and (why := _refusal(said, consent, predicates, config)):
                    refused.append(f"{said.key}: {why}")
                    continue
                apply(db, action, origin=origin, predicates=predicates, config=config)
            offered |= {fact.fact_id: fact for fact in _waiting(db, user_id, turn_id)}
    return Edits(tuple(offered.values()), tuple(refused))


def _is_known(db: Database, found: str, *, user_id: str) -> bool:
    """Whether a page says what memdb wrote, or what was asked about when it wrote."""
    written = db.one("page.written", user_id=user_id)
    return written is not None and found in (written["page"], written["found"])


def _refusal(said: Candidate, consent: Consent, predicates: Mapping[str, Predicate], config: Config) -> str | None:
    """Why the user does not let something be remembered, in whatever way it comes; None if they do."""
    notes = gate([Case(candidate=said, beliefs=())], consent=consent, predicates=predicates, config=config).notes
    return notes[0].why if notes else None


def _actions(
    db: Database, edit: Edit, target: Fact | None, origin: Origin, predicates: Mapping[str, Predicate], config: Config
) -> list[Action]:
    """What an edit would change, to be asked about: never more than a pending fact."""
    if edit.kind == "removed":
        if target is None:
            return []
        return [_pending(_candidate(target.key, target.value_text, target.object, target.category, gone=True), target)]
    if target is not None:
        return [_pending(_candidate(target.key, edit.text, _object(target, edit.text), target.category), target)]
    said = _said(edit.text, origin, predicates, config) or [_candidate("user.note", edit.text, edit.text, "other")]
    actions = []
    for candidate in said:
        found = beliefs_about(db, candidate, user_id=origin.user_id, now=origin.now, predicates=predicates, kind=None)
        beliefs = [fact for fact in found if fact.key == candidate.key and fact.status in LIVE]
        if any(normalise(belief.object) == normalise(candidate.object) for belief in beliefs):
            continue  # it is held already, or waits already
        single = predicate_of(candidate.key, predicates).cardinality == "one"
        actions.append(_pending(candidate, beliefs[0] if single and beliefs else None))
    return actions


def _said(text: str, origin: Origin, predicates: Mapping[str, Predicate], config: Config) -> list[Candidate]:
    """What a line says if it is written as the page's own are ("User lives in Faro"), or as somebody would say it ("I live in Faro")."""
    labels = sorted(
        ((one.label, name) for name, one in predicates.items() if one.label not in ("", "is", "has")), key=lambda pair: -len(pair[0])
    )
    for label, name in labels:
        if text.startswith(f"User {label} ") and (value := value_behind(label, text)):
            return [_candidate(f"user.{name}", text, value, predicates[name].category)]
    turn = Turn(id=0, turn_id=origin.turn_id, user_id=origin.user_id, user_input=text, assistant_response="", timestamp=origin.now)
    return [found for found in extract(turn, predicates=predicates, zone=config.zone) if not found.negated]


def _candidate(key: str, text: str, value: str, category: Category, *, gone: bool = False) -> Candidate:
    subject, _, predicate = key.partition(".")
    return Candidate(
        key=key,
        value_text=text,
        object=value,
        category=category,
        confidence=1.0,
        excerpt=text,
        value_json={"subject": subject, "predicate": predicate, "object": value},
        negated=gone,
        explicit=True,
    )


def _pending(candidate: Candidate, target: Fact | None) -> Action:
    return Action(
        type="mark_pending_confirmation",
        key=candidate.key,
        new_value_text=candidate.value_text,
        new_value_json=candidate.value_json,
        target_fact_id=target.fact_id if target else None,
        reason=f"{'removed' if candidate.negated else 'written'} by hand in memory.md",
        candidate=candidate,
    )


def _object(target: Fact, text: str) -> str:
    """The bare value in a changed text: what stands where the old value stood in the old text."""
    head, found, tail = target.value_text.partition(target.object)
    if found and head and text.startswith(head) and text.endswith(tail) and len(text) > len(head) + len(tail):
        return text[len(head) : len(text) - len(tail)].strip()
    return text


def _kind(target: Fact | None) -> str:
    return target.kind if target is not None and target.kind in ("fact", "task", "note") else "note" if target else "fact"


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as UTF-8 text ({error}); mend it or move it away.") from error


def _replace(path: Path, text: str) -> None:
    """Write a file so that whoever reads it sees the old one or the new one, also after a power cut."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.{get_ident()}{UNFINISHED}")
    try:
        write(beside, text.encode())
        with suppress(FileNotFoundError):  # who forgets something meanwhile takes it away, and writes the page
            beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        if error.errno == errno.ENOSPC:
            raise StoreError(f"There is no room for {path}; free some space and repeat it, or set memory_page = false.") from error
        raise StoreError(f"{path} cannot be written ({error}); make it and its folder writable, or set memory_page = false.") from error


def _waiting(db: Database, user_id: str, turn_id: str) -> list[Fact]:
    rows = db.all("page.offered", user_id=user_id, turn_id=turn_id)
    return stored.facts(db, rows)
