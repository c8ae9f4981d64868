"""What a page of an SQLite file still holds of rows that were moved to another: copies that nobody reads and deleting does not find."""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

TREES = {2: 12, 5: 12, 10: 8, 13: 8}
"""The pages that hold rows or keys, by their first byte, and how long their header is."""

_HEADER = Struct(">BHHH")
_BLOCK = Struct(">HH")
_FIRST = 100  # bytes of the file's own header on its first page
_RESERVED = 20  # where it tells of bytes that another program keeps on each page
_AUTO_VACUUM = slice(52, 56)  # and where of pages that say where others are
_PAGES = 2**25  # in a larger file, the number that a page of no tree begins with may look like a tree's
_LARGEST = 65_536


def is_told_apart(header: bytes, pages: int) -> bool:
    """Whether the first byte of a page tells whether it holds rows or keys, in a file with this header and so many pages."""
    return pages < _PAGES and not header[_RESERVED] and not any(header[_AUTO_VACUUM])


def remains(page: bytes, *, first: bool = False) -> Iterator[tuple[int, int]]:
    """Where there are such bytes in a page, from and to: between its pointers and its rows, and in the gaps that deleted rows left."""
    at = _FIRST if first else 0
    kind, block, rows, begins = _HEADER.unpack_from(page, at)
    if kind not in TREES:
        return
    gap = at + TREES[kind] + 2 * rows
    parts = [(gap, begins or _LARGEST)]
    while block and block + _BLOCK.size <= len(page):
        following, size = _BLOCK.unpack_from(page, block)
        parts.append((block + _BLOCK.size, block + size))
        if following <= block:  # they stand in order
            break
        block = following
    for start, end in parts:
        if gap <= start < end <= len(page) and any(page[start:end]):
            yield start, end
