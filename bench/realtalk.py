"""REALTALK's conversations (github.com/danny911kr/REALTALK, `data/Chat_*.json`) as samples in LoCoMo's format.

Ten pairs of people wrote to each other for three weeks on their phones, most lines short, and what is told often spread over several. The
questions, with the messages that hold their answers, were written by others; those whose evidence is not among the messages are left out.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

Sample = dict[str, Any]


def samples(folder: Path) -> list[Sample]:
    """Return one sample a chat, named as its file is."""
    found = [_sample(path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("Chat_*.json"))]
    if not found:
        raise SystemExit(f"There is no Chat_*.json in {folder}; give REALTALK's folder data.")
    return found


def _sample(name: str, chat: Sample) -> Sample:
    conversation: Sample = {}
    said: set[str] = set()
    for session, at in [(key.removesuffix("_date_time"), value) for key, value in chat.items() if key.endswith("_date_time")]:
        conversation[f"{session}_date_time"] = datetime.strptime(at, "%d.%m.%Y, %H:%M:%S").isoformat()
        conversation[session] = [{**line, "text": line["clean_text"]} for line in chat[session]]
        said |= {line["dia_id"] for line in chat[session]}
    questions = [question | {"evidence": [one for one in question["evidence"] if one in said]} for question in chat["qa"]]
    return {"sample_id": name, "conversation": conversation, "qa": [question for question in questions if question["evidence"]]}
