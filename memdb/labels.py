"""Whose words follow a label: "Bob: I live in Leeds" is what Bob says, "Quick update: I moved to Leeds" the user's own."""

from __future__ import annotations

import re

from memdb.english_rules import compiled, rules
from memdb.stop_words import STOP_WORDS

_LABELLED = re.compile(  # whose text may begin with whom it is for, or as whom it is said: "Template: Dear team, I ..."
    r"[\W\d]*(?P<label>[^\W\d][^:\n]{0,60}?)\s?:\W*(?:(?:dear|hi|hello|hey|as an?) [\w' -]{1,30},? )?(?:i|my|we|our)\b", re.IGNORECASE
)

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def is_anothers(sentence: str) -> bool:
    """Tell whether a sentence begins with a label, and "I" behind it is not the one who writes.

    What is not known as a label of one's own is taken for somebody else's: a name, a part, a text to work on.
    """
    found = _LABELLED.match(sentence)
    if found is None:
        return False
    label, block = found["label"], rules().block
    if compiled(block["label"]).fullmatch(label):
        return False
    if any(compiled(block[name]).search(label) for name in ("others_label", "shown_label")) and not label.endswith("for you"):
        return True
    return not _is_ones_own(label) and _without_leads(label) != ""


def without_label(sentence: str) -> str:
    """A sentence without a label of one's own that would make a question or a report of it: "Why I ask: I'm vegan"."""
    found = _LABELLED.match(sentence)
    leads = found is not None and compiled(rules().block["led_label"]).match(found["label"]) is not None
    return sentence[found.end("label") :].lstrip(" :") if found is not None and leads else sentence


def _is_ones_own(label: str) -> bool:
    """Whether a label announces what its writer says. That "I" or "my" is in it does not tell, where it is not understood as a whole."""
    block = rules().block
    if compiled(block["own_label"]).search(label) is not None or compiled(block["about_oneself"]).match(label) is not None:
        return True
    if compiled(block["own_words"]).search(label) is None:
        return False
    left = compiled(block["label_words"]).sub("", label)
    return all(word.lower() in STOP_WORDS for word in _WORD.findall(left))


def _without_leads(label: str) -> str:
    """A label without what may lead into anything that one says: nothing is left of "Ok, so"."""
    leads = rules().leads
    while label:
        found = compiled(f"(?:{'|'.join(leads[name] for name in leads if name != 'separator')})(?:{leads['separator']}|$)").match(label)
        if found is None or not found.end():
            break
        label = label[found.end() :]
    return label
