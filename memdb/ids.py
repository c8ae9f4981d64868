"""Ids that follow from what they stand for: made again, it is the same row, never a second one."""

from __future__ import annotations

import json
import uuid

from pydantic import JsonValue

FACTS = uuid.UUID("6d656d64-6200-5000-8000-000000000000")
MESSAGES = uuid.UUID("6d656d64-6d00-5000-8000-000000000000")
MEMORIES = uuid.UUID("6d656d64-6500-5000-8000-000000000000")  # in the first person, their segments and their patterns
EPISODES = uuid.UUID("6d656d64-7500-5000-8000-000000000000")
ACCOUNTS = uuid.UUID("6d656d64-7300-5000-8000-000000000000")


def id_of(among: uuid.UUID, *parts: JsonValue | list[str]) -> str:
    """Return the id of what these parts tell from all others of its sort."""
    return str(uuid.uuid5(among, json.dumps(parts)))
