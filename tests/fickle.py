"""A scripted model that reads well and decides wildly, always the same way for the same prompt; run as a program, it drains a file.

python -m tests.fickle FILE
"""

from __future__ import annotations

import json
import re
import sys
import zlib

import memdb
from memdb.llm import ContextTooLong, LanguageModel, ModelRequest, ScriptedModel
from memdb.quoting import unquoted

READS: tuple[tuple[str, str, dict[str, object]], ...] = (
    (r"I live in (\w+)", "user.lives_in", {}),
    (r"I moved to (\w+)", "user.lives_in", {"explicit": True}),
    (r"I don't live in (\w+) any more", "user.lives_in", {"negated": True}),
    (r"I like (\w+)", "user.likes", {}),
    (r"I hate (\w+)", "user.dislikes", {}),
    (r"I don't like (\w+) any more", "user.likes", {"negated": True}),
    (r"favourite colour is (\w+)", "user.favourite_colour", {}),
    (r"staying in (\w+)", "user.staying_in", {"valid_to": "next Friday", "temporary": True}),
)
TYPES = ("insert", "update", "supersede", "expire", "noop", "mark_pending_confirmation")


def think(request: ModelRequest) -> str | Exception:
    """Answer by what the prompt says, and by chance that follows from it."""
    chance = zlib.crc32(request.user.encode())
    if chance % 13 == 0:
        return memdb.ModelUnavailable("The model is out; call again.")
    if chance % 11 == 0:
        return "let me think about it"
    if "memory auditor" in request.system:
        return json.dumps({"actions": decisions(request.user, chance)})
    text = unquoted(request.user.rpartition("\n\n")[2])
    if len(text) > 450:
        return ContextTooLong("The prompt is too long; split it.")
    return json.dumps({"facts": facts(text)})


def facts(text: str) -> list[dict[str, object]]:
    return [
        {
            "key": key,
            "object": found[1],
            "excerpt": found[0],
            "value_text": f"User {key.partition('.')[2]} {found[1]}",
            "confidence": 0.9,
            **more,
        }
        for pattern, key, more in READS
        for found in re.finditer(pattern, text)
    ]


def decisions(prompt: str, chance: int) -> list[dict[str, object]]:
    shown, asked = (re.findall(rf"^({short}\d+) \|", prompt, re.MULTILINE) for short in "fc")
    targets = [*shown, *shown, *shown, None, "f99"]
    return [
        {
            "candidate": short,
            "target_fact_id": targets[(chance >> place) % len(targets)],
            "reason": f"by chance {chance % 97}",
            "type": TYPES[(chance >> (3 + place)) % len(TYPES)],
            "confidence_delta": (chance >> 5) % 5 / 10 - 0.1,
        }
        for place, short in enumerate(asked)
    ]


def fickle() -> LanguageModel:
    return LanguageModel(ScriptedModel(think), name="fickle", attempts=2, backoff=0)


if __name__ == "__main__":
    with memdb.open(sys.argv[1], embedder="hashing-16", llm=fickle()) as mem:
        print("open", flush=True)
        sys.stdin.readline()
        sys.exit(not mem.drain(60))
