"""What is said of where somebody lives or works without its name: "I've lived here for ten years", "my last day is Friday"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from memdb.english_rules import compiled, rules
from memdb.sentences import BLANKS, CONTRACTED, LONGEST_SENTENCE, expand, masked, sentences_read

_SAID = re.compile(
    r"(?:^|, |\b(?:and|but|so|well|yes|because|since) )(?:i|we) (?:(?:have (?:now |already |only |actually |just )?"
    r"(?P<state>lived|been living|worked|been working|been))|(?P<change>(?:only |just |first |originally )?"
    r"(?:moved|started(?: working)?|began|began working|got hired))) (?P<at>here|there)"
    r"(?P<when> (?:since|for|in|on|last|this|at|back in|around|about|over|an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+)\b"
    r"[^,;]*)",
    re.IGNORECASE,
)
AT_A_PLACE = re.compile(r"\b(?:here|there)\b", re.IGNORECASE)
_NEAR = 4_000  # characters before "there", in which the place is looked for
_LIVES = "lives_in"
_WORKS = "works_at"
_TODAY = {"it": "today", "this": "today"}  # "it's my last day"
_LAST = re.compile(r"\b(?:last|there)\b", re.IGNORECASE)
_LAST_DAY = re.compile(
    r"\bmy (?:very |actual )?last (?:working )?day\b|\bi\b[^.?!]{1,25} (?:stop|finish|quit|leav)\w*(?: working)? there\b"
    r"|^i (?:stop|finish|quit|leav)\w*(?: working)? there\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\b(?:start(?:s|ing)?|begin(?:s|ning)?|first)\b", re.IGNORECASE)
_FIRST_DAY = (
    r"(?:^|, |\b(?:and|but|so|well) )(?:(?:i|we) (?:(?:will|am|are|be) ){0,2}(?:start|begin|starting|beginning)"
    r"|(?:my |the )?(?:first day|start(?:ing)? date) (?:is|will be))(?: work)?(?: there)?(?: on| from)?"
    r" (?P<when>(?:(?:in|next|the|this|coming) ){0,2}(?:{weekday}|{month}(?: \d{1,2}(?:st|nd|rd|th)?)?"
    r"|\d{1,2}(?:st|nd|rd|th)?(?: of)? {month}|week|month|tomorrow))"
    r"(?=$|,| (?:and|but|so)\b)"
)
_NAMED = re.compile(
    r"\b(?:in|at|to|for|from|of|about|with|near|around|joined|left) (?P<place>(?:the )?(?-i:[A-Z])\w.*?|(?:an?|my|our|the) \w.*?)"
    r"(?=[.,;!?]|$| (?:and|but|for|since|i) )",
    re.IGNORECASE,
)


def at_its_place(text: str, places: Mapping[str, str], near: str) -> Iterator[tuple[str, str]]:
    """Yield what a text says of when somebody came to a place, with the place's name, each with the sentence that says it.

    `places` are where the speaker is known to live ("lives_in") and to work ("works_at"), where that is one place. "There", and "I've been
    here", mean the place that was named last, in `near`, which was said right before, or with it.
    """
    plain = masked(text)
    for start, end, mark, _ in sentences_read(plain):
        if not AT_A_PLACE.search(plain, start, end):
            continue
        said = CONTRACTED.sub(expand, BLANKS.sub(" ", plain[start:end]).strip())
        found = _SAID.search(said[:LONGEST_SENTENCE]) if "?" not in mark else None
        if found is None:
            continue
        verb = (found["state"] or found["change"]).lower()
        lives = {_LIVES: "liv" in verb or "moved" in verb, _WORKS: "liv" not in verb and "moved" not in verb}
        means = {name for name in places if lives[name]} if verb != "been" else set(places)
        if verb == "been" or found["at"].lower() == "there":
            named = [one["place"] for one in _NAMED.finditer(f"{near}. {plain[max(0, start - _NEAR) : start]}. {said[: found.start()]}")]
            means = {name for name in means if named and _is_called(named[-1], places[name])}
        if len(means) != 1:
            continue
        (name,) = means
        if name == _LIVES:
            stated = f"I moved to {places[name]}" if "moved" in verb else f"I have lived in {places[name]}"
        else:
            stated = f"I have worked at {places[name]}" if found["state"] else f"I started at {places[name]}"
        yield f"{stated}{found['when']}", text[start:end].strip()


def last_day_there(text: str, places: Mapping[str, str], near: str) -> Iterator[tuple[str, str]]:
    """Yield what a text says of the last day of a job, with the employer's name, each with the sentence that says it.

    It may be the last day of a holiday or a course as well: where such a thing is spoken of, in the text or in `near`, which was said right
    before it, "my last day" is that of a job only if it is said to be one of work.
    """
    phrase, plain = rules().phrase, masked(text)
    if _WORKS not in places or _LAST_DAY.search(plain) is None:
        return
    elsewhere = cache(lambda: compiled(phrase["other_last_day"]).search(f"{near} {plain}"))
    for start, end, mark, _ in sentences_read(plain):
        if not _LAST.search(plain, start, end):
            continue
        said = CONTRACTED.sub(expand, BLANKS.sub(" ", plain[start:end]).strip())
        found = compiled(phrase["last_day"]).search(said[:LONGEST_SENTENCE]) if "?" not in mark else None
        if found is None:
            continue
        if not (found["then"] or found["there"] or found["no_more"]) and elsewhere():
            continue
        verb = (found["is"] or found["be"] or "").strip().removeprefix("'s") or "is"
        when = found["day"] or found["when"] or found["on"]
        yield f"My last day at {places[_WORKS]} {verb} {_TODAY.get(when.lower(), when)}", text[start:end].strip()


def first_day_there(text: str, place: str) -> Iterator[tuple[str, str]]:
    """Yield when a text says that a job begins which it says one has found at a place, each with the sentence that says so."""
    plain = masked(text)
    for start, end, mark, _ in sentences_read(plain):
        if "?" in mark or not _FIRST.search(plain, start, end):
            continue
        said = CONTRACTED.sub(expand, BLANKS.sub(" ", plain[start:end]).strip())
        if found := compiled(_FIRST_DAY).search(said[:LONGEST_SENTENCE]):
            on = "" if found["when"].lower().startswith(("in ", "next ", "this ", "tomorrow")) else "on "
            yield f"My new job at {place} starts {on}{found['when']}", text[start:end].strip()


def _is_called(named: str, place: str) -> bool:
    """Whether what is named last is a place that is known."""
    return named.casefold().removeprefix("the ").startswith(place.casefold().removeprefix("the "))
