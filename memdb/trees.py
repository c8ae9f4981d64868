"""What the pages of an SQLite file hold, read without SQLite and past whatever is damaged: rows, and where some are missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from mmap import mmap
from struct import Struct, error, unpack_from
from typing import NamedTuple

_MAGIC = b"SQLite format 3\0"
_HEADER = Struct(">BHHHB")
_NUMBER = Struct(">I")
_FIRST = 100  # bytes of the file's own header on its first page
_USUAL_SIZE = 4096
_INSIDE, _LEAVES = (5, 2), (13, 10)  # pages of tables, and of indexes and tables without row ids
_DEEPEST = 20
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_LOG_MAGIC = (0x377F0682, 0x377F0683)
_LOG_HEADER, _FRAME_HEADER = 32, 24
_RUN_OF_ZEROS = "\0" * 16  # a text may hold some
_SCHEMA = ("table", "index", "view", "trigger")


class Garbled(bytes):
    """A text that is no UTF-8."""


Value = int | float | str | bytes | None


class Entry(NamedTuple):
    """A row as it lies on a page, or a line of an index, which has no `rowid` of its own. `torn`: what it says is not to be trusted.

    `blank`: all that speaks against it is that its last page is empty, which is as it should be where it ends with room kept free.
    """

    rowid: int | None
    values: tuple[Value, ...]
    torn: bool
    blank: bool = False


Key = tuple[tuple[int, int | float | bytes], ...] | int


class Part(NamedTuple):
    """The entries of one page, and between which keys they lie; `entries` is None where the page cannot be what should stand there."""

    page: int
    above: Key | None
    up_to: Key | None
    entries: list[Entry] | None


class Object(NamedTuple):
    """A table or an index, and the page where it begins; `sql` is None where that cannot be read."""

    kind: str
    name: str
    root: int
    sql: str | None


class Pages:
    """The pages of a file, those in its write-ahead log before those in itself."""

    def __init__(self, file: bytes | mmap, log: bytes = b"") -> None:
        self._file, self._log = file, log
        told = int.from_bytes(file[16:18], "big") if file[:16] == _MAGIC else 0
        of_log = _NUMBER.unpack_from(log, 8)[0] if len(log) >= _LOG_HEADER else 0
        self.size = next((size for size in (65536 if told == 1 else told, of_log) if _is_size(size)), _USUAL_SIZE)
        self._logged = dict(_logged(log, self.size))
        self.count = max([len(file) // self.size, *self._logged])
        head = self._raw(1)
        self.application_id = _NUMBER.unpack_from(head, 68)[0] if head is not None and head[:16] == _MAGIC else None
        # as many as there were before the file was cut off, whose other pages lead to those that are gone
        self._ever = (
            max(self.count, _NUMBER.unpack_from(head, 28)[0]) if self.application_id is not None and head is not None else self.count
        )
        self._usable = self.size - (head[20] if head is not None and head[:16] == _MAGIC and head[20] <= 32 else 0)

    def parts(self, root: int, *, keyed: bool, plain: bool = True) -> Iterator[Part]:
        """Go through a tree from its root: each page that holds entries, and each that should, but is damaged.

        `keyed` is whether it is an index, or a table without row ids. Where its keys are not `plain`, they stand in an order of their own,
        falling or by a collation, and nothing is told by it.
        """
        yield from self._walk(root, keyed, plain, None, None, set(), 0)

    def part(self, page: int, *, keyed: bool, plain: bool = True) -> Part | None:
        """Return the entries of a page that nothing leads to, if it is one that holds them."""
        found = self._node(page)
        if found is None or found.kind not in ((_LEAVES[1], _INSIDE[1]) if keyed else (_LEAVES[0],)):
            return None
        if plain and not _fits(found, None, None):
            return None
        return Part(page, None, None, found.entries)

    def schema(self) -> list[Object] | None:
        """Return the tables and indexes; where the schema's own pages are damaged, what the others say of it; None where they disagree."""
        parts = [*self.parts(1, keyed=False)]
        if any(part.entries is None for part in parts):
            parts += [part for page in range(1, self.count + 1) if (part := self.part(page, keyed=False)) and _tells_schema(part)]
        found: dict[str, Object] = {}
        for one in (one for part in parts for entry in part.entries or () if (one := _object(entry))):
            if found.setdefault(one.name, one).root != one.root:
                return None
        return list(found.values())

    def _walk(
        self, page: int, keyed: bool, plain: bool, above: Key | None, up_to: Key | None, seen: set[int], depth: int
    ) -> Iterator[Part]:
        found = self._node(page) if page not in seen and depth < _DEEPEST else None
        may_stand = found is not None and found.kind in (_INSIDE[keyed], _LEAVES[keyed]) and (not plain or _fits(found, above, up_to))
        if found is None or not may_stand or (depth and not found.keys):  # only a whole table that is empty has a page without entries
            yield Part(page, above, up_to, None)
            return
        seen.add(page)
        if found.entries:
            yield Part(page, above, up_to, found.entries)
        keys = [*found.keys, up_to] if plain else [None] * len(found.children)
        for child, key in zip(found.children, keys, strict=True) if found.children else ():
            yield from self._walk(child, keyed, plain, above, key, seen, depth + 1)
            above = key

    def _node(self, page: int) -> _Node | None:
        raw = self._raw(page)
        if raw is None:
            return None
        try:
            return self._parsed(raw[: self._usable], _FIRST if page == 1 else 0)
        except (error, IndexError, ValueError):  # something leads beyond the page
            return None

    def _parsed(self, page: bytes, at: int) -> _Node | None:
        kind, _, count, _, _ = _HEADER.unpack_from(page, at)
        if kind not in (*_INSIDE, *_LEAVES):
            return None
        inside = kind in _INSIDE
        begins = at + (12 if inside else 8)
        places = unpack_from(f">{count}H", page, begins)
        node = _Node(kind, [], [], [])
        taken = [(0, begins + 2 * count)]
        for place in places:
            at_cell = place
            if inside:
                node.children.append(self._child(page, at_cell))
                at_cell += 4
            rowid = size = None
            if kind != 5:
                size, at_cell = _varint(page, at_cell)
            if kind in (5, 13):
                rowid, at_cell = _varint(page, at_cell)
                rowid -= (rowid >> 63) << 64
            if size is None:
                node.keys.append(rowid)
            else:
                payload, at_cell, whole, blank = self._payload(page, at_cell, size, table=kind == 13)
                entry = _entry(rowid, payload, whole, blank)
                node.entries.append(entry)
                node.keys.append(rowid if rowid is not None else None if entry.torn else _key(entry.values))
            taken.append((place, at_cell))
        if inside:
            node.children.append(self._child(page, at + 8))
        taken.sort()
        if taken[-1][1] > len(page) or any(one[1] > other[0] for one, other in pairwise(taken)):
            return None
        return node

    def _child(self, page: bytes, at: int) -> int:
        (child,) = _NUMBER.unpack_from(page, at)
        if not 2 <= child <= self._ever:
            raise ValueError(child)
        return int(child)

    def _payload(self, page: bytes, at: int, size: int, *, table: bool) -> tuple[bytes, int, bool, bool]:
        """The bytes of an entry, where its cell ends, whether they are whole, and if its last page is empty; what is missing is zeros."""
        room = self._usable
        if size > self._ever * room:
            raise ValueError(size)
        least = (room - 12) * 32 // 255 - 23
        most = room - 35 if table else (room - 12) * 64 // 255 - 23
        local = size
        if size > most:
            local = least + (size - least) % (room - 4)
            local = local if local <= most else least
        if at + local > len(page):
            raise ValueError(at)
        payload, at, whole, blank = page[at : at + local], at + local, True, False
        if local < size:
            (following,) = _NUMBER.unpack_from(page, at)
            parts, left, at = [payload], size - local, at + 4
            while left > 0 and whole:
                raw = self._raw(following) if following else None
                if raw is None:
                    whole = False
                    break
                (following,) = _NUMBER.unpack_from(raw)
                part = raw[4 : min(room, 4 + left)]
                left -= len(part)
                whole = (following == 0) == (left == 0)
                blank = whole and not any(raw)
                parts.append(part)
            parts.append(bytes(left))
            payload = b"".join(parts)
        return payload, at, whole, blank

    def _raw(self, page: int) -> bytes | None:
        if (at := self._logged.get(page)) is not None:
            return self._log[at : at + self.size]
        raw = self._file[(page - 1) * self.size : page * self.size]
        return raw if len(raw) == self.size else None


class _Node(NamedTuple):
    kind: int
    keys: list[Key | None]
    children: list[int]
    entries: list[Entry]


def _is_size(size: int) -> bool:
    return 512 <= size <= 65536 and not size & (size - 1)


def _fits(node: _Node, above: Key | None, up_to: Key | None) -> bool:
    """Whether the keys stand in their order, and between those that lead to the page."""
    keys = [above, *node.keys, up_to] if node.kind in (2, 10) else [above, *node.keys]
    known = [key for key in keys if key is not None]
    if any(one >= other for one, other in pairwise(known)):  # type: ignore[operator]
        return False
    return node.kind in (2, 10) or up_to is None or not node.keys or node.keys[-1] <= up_to  # type: ignore[operator]


def _varint(page: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(8):
        byte = page[at + place]
        value = value << 7 | byte & 127
        if byte < 128:
            return value, at + place + 1
    return value << 8 | page[at + 8], at + 9


def _entry(rowid: int | None, payload: bytes, whole: bool, blank: bool) -> Entry:
    try:
        values = _values(payload)
    except (error, IndexError, ValueError):
        return Entry(rowid, (), torn=True)
    return Entry(rowid, values, torn=blank or not whole, blank=blank)


def _values(payload: bytes) -> tuple[Value, ...]:
    begins, at = _varint(payload, 0)
    values: list[Value] = []
    place = begins
    while at < begins:
        kind, at = _varint(payload, at)
        size = (kind - 12) // 2 if kind >= 12 else 8 if kind == 7 else _INTEGERS.get(kind, 0)
        raw = payload[place : place + size]
        if len(raw) != size or kind in (10, 11):
            raise ValueError(kind)
        place += size
        values.append(_value(kind, raw))
    if at != begins or place != len(payload):
        raise ValueError(place)
    return tuple(values)


def _value(kind: int, raw: bytes) -> Value:
    if kind >= 12 and kind % 2:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return Garbled(raw)
    if kind >= 12:
        return raw
    if kind == 7:
        return float(unpack_from(">d", raw)[0])
    return None if kind == 0 else kind - 8 if kind in (8, 9) else int.from_bytes(raw, "big", signed=True)


def _key(values: Sequence[Value]) -> Key:
    """Values as SQLite orders them: nothing, numbers, texts, bytes."""
    return tuple(
        (0, 0)
        if value is None
        else (1, value)
        if isinstance(value, int | float)
        else (2, value.encode())
        if isinstance(value, str)
        else (2 if isinstance(value, Garbled) else 3, bytes(value))
        for value in values
    )


def is_zeroed(value: Value) -> bool:
    """Whether a text holds such a run of zeros as is left of what was lost on a disk."""
    return isinstance(value, str) and _RUN_OF_ZEROS in value


def _object(entry: Entry) -> Object | None:
    if len(entry.values) != 5:
        return None
    kind, name, _, root, sql = entry.values
    if kind not in _SCHEMA or not isinstance(name, str) or not isinstance(root, int):
        return None
    return Object(str(kind), name, root, sql if isinstance(sql, str) and not entry.torn else None)


def _tells_schema(part: Part) -> bool:
    return bool(part.entries) and all(_object(entry) for entry in part.entries or ())


def _logged(log: bytes, size: int) -> Iterator[tuple[int, int]]:
    """Which pages stand in a log, and where, up to the last transaction that is whole in it."""
    if len(log) < _LOG_HEADER or _NUMBER.unpack_from(log)[0] not in _LOG_MAGIC or _NUMBER.unpack_from(log, 8)[0] != size:
        return
    order = ">" if _NUMBER.unpack_from(log)[0] & 1 else "<"
    sums = _checked(log[:24], (0, 0), order)
    if sums != unpack_from(">II", log, 24):
        return
    waiting: list[tuple[int, int]] = []
    for at in range(_LOG_HEADER, len(log) - size - _FRAME_HEADER + 1, size + _FRAME_HEADER):
        page, committed, *_, first, second = unpack_from(">6I", log, at)
        body = at + _FRAME_HEADER
        sums = _checked(log[at : at + 8] + log[body : body + size], sums, order)
        if log[at + 8 : at + 16] != log[16:24] or sums != (first, second) or not page:
            return
        waiting.append((page, body))
        if committed:
            yield from waiting
            waiting.clear()


def _checked(part: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    one, other = sums
    words = iter(unpack_from(f"{order}{len(part) // 4}I", part))
    for first, second in zip(words, words, strict=True):
        one = one + first + other & 0xFFFFFFFF
        other = other + second + one & 0xFFFFFFFF
    return one, other
