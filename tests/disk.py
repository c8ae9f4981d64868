"""A disk that keeps account of what is done to the files of a folder, and tells how they may be found where a process or the power ended."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

import apsw
import pytest

SECTOR = 512


class Deed(NamedTuple):
    """What was done to a file: written at a place, cut to a length, synced, made, removed, given another name; or something was told."""

    what: str
    name: str
    at: int = 0
    data: bytes = b""
    to: str = ""


class Disk(apsw.VFS):
    """Watches a folder from the beginning of the `with` to its end: SQLite as the file system that it works on, Python by its audit events."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"disk-{id(self)}", "", makedefault=True)
        self._folder, self._patch = folder, pytest.MonkeyPatch()
        self._before = {path.name: path.read_bytes() for path in folder.iterdir()}
        self._known: dict[str, bytes] = {}  # what Python wrote
        self.deeds: list[Deed] = []

    def __enter__(self) -> Self:
        fsync = os.fsync

        def synced(descriptor: int) -> None:
            fsync(descriptor)
            path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
            self._look()
            self.deeds.append(Deed("sync", path.name if path != self._folder else ""))

        self._patch.setattr("os.fsync", synced)
        _watching.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._look()
        _watching.remove(self)
        self._patch.undo()
        self.unregister()

    def tell(self, what: str) -> None:
        """Note that something was told to whoever uses the memory."""
        self._look()
        self.deeds.append(Deed("tell", what))

    def told(self, at: int) -> set[str]:
        """What was told before a moment."""
        return {deed.name for deed in self.deeds[:at] if deed.what == "tell"}

    def cuts(self, chance: random.Random, *, at_most: int) -> Iterator[tuple[int, dict[str, bytes]]]:
        """How the folder may be found at some of its moments, and which: as a killed process leaves it, and as a power cut does, once with
        nothing that was not synced, once with some of it, in any order and torn.

        Of what is only written or synced, so many moments are looked at; beside them all where something is told, removed, or gets another name.
        """
        steps = [at for at, deed in enumerate(self.deeds) if deed.what != "write"]
        steps += chance.sample(range(len(self.deeds)), min(len(steps), len(self.deeds)))
        chosen = {len(self.deeds), *chance.sample(steps, min(at_most, len(steps)))}
        state = _State(self._before)
        for at, deed in enumerate([*self.deeds, Deed("end", "")]):
            before = self.deeds[at - 1].what if at else ""
            if at in chosen or deed.what in ("remove", "rename") or before in ("tell", "rename"):
                for taken in (lambda: 1.0, lambda: 0.0, chance.random):
                    yield at, state.found(chance, taken)
            state.do(deed)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> _File:
        """Open a file as SQLite does, and keep account of what is done to it; passing ones have no name."""
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is not None:
            self._known.pop(os.path.basename(path), None)
            if not os.path.exists(path):
                self.note("make", path)
        return _File(self, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        """Delete a file."""
        super().xDelete(filename, syncdir)
        self.note("remove", filename)
        if syncdir:
            self.note("sync", str(self._folder))

    def note(self, what: str, path: str, at: int = 0, data: bytes = b"", to: str = "") -> None:
        """Keep account of one deed."""
        if path == str(self._folder):
            self.deeds.append(Deed(what, ""))
        elif os.path.dirname(path) == str(self._folder):
            self.deeds.append(Deed(what, os.path.basename(path), at, data, os.path.basename(to)))

    def python(self, event: str, given: tuple[object, ...]) -> None:
        """Hear what Python is about to do."""
        path = str(given[0]) if given else ""
        if os.path.dirname(path) != str(self._folder):
            return
        self._look()
        if event == "open" and isinstance(given[2], int) and given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            if not os.path.exists(path):
                self.note("make", path)
            self._known.setdefault(os.path.basename(path), b"")
        elif event == "os.remove" and os.path.lexists(path):
            self.note("remove", path)
            self._known.pop(os.path.basename(path), None)
        elif event == "os.rename" and os.path.lexists(path):
            self.note("rename", path, to=str(given[1]))
            self._known.pop(os.path.basename(path), None)

    def _look(self) -> None:
        """See what Python has written since."""
        for name, known in self._known.items():
            if (path := self._folder / name).exists() and (held := path.read_bytes()) != known:
                self.note("cut", str(path), len(held))
                self.note("write", str(path), 0, held)
                self._known[name] = held


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, path: str | None, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk, self._path = disk, path or ""
        super().__init__("unix", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._disk.note("write", self._path, offset, bytes(data))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._disk.note("cut", self._path, newsize)

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._disk.note("sync", self._path)


class FullDisk(apsw.VFS):
    """A disk that is full, or fails, while it is told so: then no log gets longer than so many bytes."""

    def __init__(self) -> None:
        super().__init__(f"full-{id(self)}", "", makedefault=True)
        self._most: int | None = None
        self._refusal: type[apsw.Error] = apsw.FullError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.unregister()

    @contextmanager
    def full(self, *, at: int) -> Iterator[None]:
        """Have it full where a log has this length."""
        self._most = at
        try:
            yield
        finally:
            self._most = None

    @contextmanager
    def failing(self, *, at: int) -> Iterator[None]:
        """Have it write nothing where a log has this length, as a disk that fails."""
        self._refusal = apsw.IOError
        try:
            with self.full(at=at):
                yield
        finally:
            self._refusal = apsw.FullError

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        """Open a file as SQLite does, and see to what is written to a log."""
        return _Log(self, name, flags) if flags[0] & apsw.SQLITE_OPEN_WAL else apsw.VFSFile("unix", name, flags)

    def make_room(self, end: int) -> None:
        """Refuse what would make a log longer than it may be."""
        if self._most is not None and end > self._most:
            raise self._refusal("nothing is written")


class _Log(apsw.VFSFile):
    def __init__(self, disk: FullDisk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        super().__init__("unix", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        self._disk.make_room(offset + len(data))
        super().xWrite(data, offset)


class _Inode:
    def __init__(self, held: bytes) -> None:
        self.held = bytearray(held)
        self.waiting: list[Deed] = []

    def settle(self) -> None:
        """Have on the disk what was written."""
        for deed in self.waiting:
            _write(self.held, deed)
        self.waiting = []

    def found(self, chance: random.Random, taken: Callable[[], float]) -> bytes:
        """What may have reached the disk: all that was synced, and of what was not, by chance, all, some sectors or nothing."""
        held = bytearray(self.held)
        for deed in self.waiting:
            share = taken()
            for start in range(0, max(len(deed.data), 1), SECTOR):
                if share > 0.6 or (share > 0.3 and chance.random() < 0.5):
                    _write(held, deed._replace(at=deed.at + start, data=deed.data[start : start + SECTOR]))
        return bytes(held)


class _State:
    """The files as they are for who works on them, and the names on the disk, which may be those of a while ago."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._now = {name: _Inode(held) for name, held in files.items()}
        self._on_disk = dict(self._now)
        self._waiting: list[tuple[Deed, _Inode | None]] = []

    def do(self, deed: Deed) -> None:
        """Do what was done."""
        inode = self._now.get(deed.name)
        if deed.what == "sync":
            if inode is not None:
                inode.settle()
            named = [place for place, (_, one) in enumerate(self._waiting, start=1) if not deed.name or one is inode]
            for one, of in self._waiting[
                : max(named, default=0)
            ]:  # a file that is on the disk has its name there, and all before it theirs
                _name(self._on_disk, one, of)
            del self._waiting[: max(named, default=0)]
        elif deed.what in ("write", "cut") and inode is not None:
            inode.waiting.append(deed)
        elif deed.what in ("make", "remove", "rename"):
            of = _Inode(b"") if deed.what == "make" else inode
            self._waiting.append((deed, of))
            _name(self._now, deed, of)

    def found(self, chance: random.Random, taken: Callable[[], float]) -> dict[str, bytes]:
        """What may be found; names in the order in which they were given."""
        names = dict(self._on_disk)
        for deed, of in self._waiting[: round(taken() * len(self._waiting))]:
            _name(names, deed, of)
        return {name: inode.found(chance, taken) for name, inode in names.items()}


def _write(held: bytearray, deed: Deed) -> None:
    held.extend(bytes(max(deed.at - len(held), 0)))
    if deed.what == "cut":
        del held[deed.at :]
    else:
        held[deed.at : deed.at + len(deed.data)] = deed.data


def _name(names: dict[str, _Inode], deed: Deed, inode: _Inode | None) -> None:
    if deed.what != "make":
        names.pop(deed.name, None)
    if deed.what != "remove" and inode is not None:
        names[deed.to or deed.name] = inode


_watching: list[Disk] = []


def _heard(event: str, given: tuple[object, ...]) -> None:
    if _watching and event in ("open", "os.remove", "os.rename"):
        one = _watching[-1]
        _watching.remove(one)  # what it does itself is not heard
        try:
            one.python(event, given)
        finally:
            _watching.append(one)


sys.addaudithook(_heard)
