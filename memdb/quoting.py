"""Texts of people as they stand in a prompt: no text can pass for a part of it, nor end what it stands in."""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"<(?=[|\uff5c])|<(?=/?(?:s|bos|eos|pad|unk|mask|cls|sep|think(?:ing)?|tool_call|tool_response|start_of_turn|end_of_turn|start_header_id"
    r"|end_header_id|eot_id|system|user|assistant)>)|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|AVAILABLE_TOOLS|TOOL_RESULTS)\])|<(?=</?SYS>>)",
    re.IGNORECASE,
)  # what the templates of models part messages with; servers read it wherever it stands
_UNSEEN = re.compile("(?<!\U0001f3f4)(?<![\U000e0000-\U000e007f])[\U000e0000-\U000e007f]+")  # letters that no screen shows, but in flags


def in_short(text: str, *, most: int | None = None) -> str:
    """Return a text on one line, cut to so many characters: what is stored can forge no heading and no second line."""
    flat = " ".join(text.split())
    return flat if most is None or len(flat) <= most else flat[: most - 1].rstrip() + "…"


def one_line(text: str, *, most: int | None = None) -> str:
    """Return a text as `in_short` does, in which nothing parts messages: for a model, it is no turn of a conversation of its own either."""
    return in_short(_apart(text), most=most)


def quoted(text: str) -> str:
    """Return a text of any number of lines as a quotation: each line begins with ">", whatever a line ends with."""
    return "\n".join(f"> {line}".rstrip() for line in _apart(text).splitlines()) or ">"


def unquoted(text: str) -> str:
    """Return a text without the marks of a quotation, as it stands where it was quoted from."""
    return re.sub(r"^> ?", "", text, flags=re.MULTILINE)


def in_marks(text: str) -> str:
    """Return a text on one line between quotation marks, which it cannot end: those within are single ones."""
    return f"“{one_line(text).translate(_SINGLE)}”"


_SINGLE = str.maketrans({"“": "\u2018", "”": "\u2019"})


def _apart(text: str) -> str:
    return _UNSEEN.sub("", _CONTROL.sub(r"\g<0> ", text))
