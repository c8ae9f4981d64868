"""Whose words follow a label: "Bob: I live in Leeds" is what Bob says, "Quick update: I moved to Leeds" the user's own."""

from __future__ import annotations

import re

from memdb.english_rules import compiled, rules

_LABELLED = re.compile(  # whose text may begin with whom it is for, or as whom it is said: "Template: Dear team, I ..."
    r"[\W\d]*(?P<label>[^\W\d][^:\n]{0,60}?)\s?:\W*(?:(?:dear|hi|hello|hey|as an?) [\w' -]{1,30},? )?(?:i|my|we|our)\b", re.IGNORECASE
)


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
    return compiled(block["own_label"]).search(label) is None and _without_leads(label) != ""


def _without_leads(label: str) -> str:
    """A label without what may lead into anything that one says: nothing is left of "Ok, so"."""
    leads = rules().leads
    while label:
        found = compiled(f"(?:{'|'.join(leads[name] for name in leads if name != 'separator')})(?:{leads['separator']}|$)").match(label)
        if found is None or not found.end():
            break
        label = label[found.end() :]
    return label
