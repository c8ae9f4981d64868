"""What a bench is to measure is measured whole, or not at all: with every vector, and by meaning wherever there is an embedder."""

from __future__ import annotations

import memdb


def drained(mem: memdb.Memory) -> None:
    """Wait until everything is thought about and embedded; end the bench if it is not."""
    if not mem.drain():
        raise SystemExit("Not every vector could be made.")


def whole(mem: memdb.Memory, hits: memdb.Hits) -> memdb.Hits:
    """Return the hits; end the bench if there is an embedder and they were found by words alone all the same, as while it loads."""
    if mem.embedder is not None and hits.degraded:
        raise SystemExit(f"{hits.degraded}.")
    return hits
