"""What a short text says, read together with what it answers or goes on with: a question, what was said of the user, or a list."""

from __future__ import annotations

import re

from memdb.english_rules import compiled, rules
from memdb.sentences import BLANKS, CONTRACTED, LONGEST_SENTENCE, PLAIN, expand, masked, sentences

_LONGEST_ANSWER = 8  # words
_LONGEST_REPLY = 2_000  # characters
_LONGEST_ADDITION = 80
_QUESTION = re.compile(r"[^.!?\n]*\?")
_TWO = re.compile(  # "How old are you, and where do you work?"
    r"\b(?:(?:what|where|who|when|which|how old)\b|(?:(?<!how )are|do|have|did|were) you\b|is your\b).*"
    r"(?:,|\band|\bor)\s+(?:what|where|who|when|which|how|(?:are|do|have|did|were) you|is your)\b",
    re.IGNORECASE,
)
_ITS_NAME = re.compile(  # "You own a pony? What is she called?"
    r"\byou (?:have |do |got |just |recently )*(?:have|got|own|adopted) an? (?:[a-z]+ )?"
    r"(?P<who>dog|cat|puppy|kitten|rabbit|parrot|horse|pony|hamster|tortoise)\b[^?\n]{0,80}[.?!] (?:and |so )?"
    r"what (?:is (?:his|her|its|their) name|(?:is|are) (?:he|she|it|they) called)\b[^?\n]{0,20}\?",
    re.IGNORECASE,
)
_YOURS = re.compile(r"\b(?:your|yours|you|yourself)\b", re.IGNORECASE)
_STILL_AT = re.compile(r"^still at (?=[A-Z])")  # a firm
_OF_LATE = re.compile(r"^(?:just|recently|already|finally|actually|really) ", re.IGNORECASE)
_DONE = {  # what changes something; of other deeds nothing is believed
    "move": "moved", "relocate": "relocated", "start": "started", "quit": "quit", "leave": "left", "become": "became", "stop": "stopped",
    "switch": "switched", "buy": "bought", "sell": "sold", "get": "got", "adopt": "adopted", "join": "joined", "marry": "married",
}  # fmt: skip
_MINE = {"your": "my", "yours": "mine", "you": "me", "yourself": "myself"}


def spelled_out(asked: str, text: str) -> str | None:
    """Return what a text states as an answer to what was asked right before, as a sentence of its own; None if it is no such answer.

    "Where do you live?", "In Porto" is "I live in Porto". Only one short sentence answers, and only one question is answered.
    """
    before = asked[-LONGEST_SENTENCE:].translate(PLAIN)
    if "name" in before or "called" in before:
        before = _ITS_NAME.sub(r"What is your \g<who>'s name?", CONTRACTED.sub(expand, before))
    questions = [CONTRACTED.sub(expand, found.strip()) for found in _QUESTION.findall(before)] if "?" in before else []
    if len(questions) != 1 or _TWO.search(questions[0]):
        return None
    first = next(((text[start:end], mark) for start, end, mark in sentences(masked(text)) if text[start:end].strip()), None)
    if first is None or "?" in first[1]:
        return None
    question, said = questions[0], CONTRACTED.sub(expand, BLANKS.sub(" ", first[0].translate(PLAIN)).strip(" ,."))
    phrase = rules().phrase
    if compiled(phrase["made_up"]).search(question):
        return None
    if told := compiled(phrase["yes_or_no"]).fullmatch(question) or compiled(phrase["told"]).fullmatch(question):
        agreed, denied = (compiled(phrase[word]).fullmatch(said) for word in ("yes", "no"))
        if told["verb"].lower() != "have":  # "Have you seen it?", "Yes, it's a favourite" says more
            agreed = agreed or compiled(phrase["yes_it_is"]).fullmatch(said)
        verb = {"are": "am", "have": "have"}.get(told["verb"].lower(), "do")
        rest = _YOURS.sub(lambda found: _MINE[found.group().lower()], _STILL_AT.sub("still working at ", told["rest"]))
        if told["verb"].lower() == "did":
            return _as_done(rest) if agreed and not denied else None
        if agreed or denied:
            return f"I {verb} not {rest}" if denied else f"I {rest}" if verb == "do" else f"I {verb} {rest}"
    if told := compiled(phrase["yes_or_no_of"]).fullmatch(question):  # "Is your wife vegan?"
        for word, verb in (("yes", "is"), ("no", "is not")):
            if compiled(phrase[word]).fullmatch(said):
                return f"my {told['who']} {verb} {told['rest']}"
    said = compiled(phrase["filler"]).sub("", said)
    if not said or len(said.split()) > _LONGEST_ANSWER:
        return None
    none = compiled(phrase["no_answer"]).match(said) is not None
    for answer in rules().answer:
        if found := compiled(answer.asks).search(question):
            if none if answer.needs is None else not compiled(answer.needs).match(said):
                continue
            bare = compiled(answer.strip).sub("", said, count=1) if answer.strip else said
            return answer.says.format(answer=bare.lower() if answer.lower else bare, **found.groupdict()) if bare else None
    return None


def _as_done(rest: str) -> str | None:
    """What somebody says who did what they were asked about: "Did you move to Braga?" """
    verb, _, more = _OF_LATE.sub("", rest).partition(" ")
    past = _DONE.get(verb.lower())
    return f"I {past} {more}" if past and more else None


def asks_leave(asked: str) -> bool:
    """Tell whether what was said last asks whether what was said before it may be remembered: "Shall I remember this?"."""
    return "?" in asked and compiled(rules().phrase["asks_leave"]).search(CONTRACTED.sub(expand, asked[-LONGEST_SENTENCE:])) is not None


def added_in(text: str) -> str:
    """Return what a text adds to a list, if it does nothing else ("and eggs"), as it is written; "" if it is no such text."""
    found = compiled(rules().added.says).fullmatch(masked(text).strip(" \n.!")) if len(text) < _LONGEST_ADDITION else None
    more = found["more"] if found else ""
    return "" if compiled(rules().added.no_more).search(more) else more


def said_of_user(text: str) -> tuple[list[str], bool]:
    """Return what a text says of the user, in the user's words, and whether it says little else.

    "Since you live in Porto, …" says "I live in Porto", and "As a vegan, …" "I am a vegan", among other things; "I remember that you're
    vegan." says nothing else. What asks a question is left to its answer: ([], False).
    """
    if len(text) > _LONGEST_REPLY:
        return [], False
    told = CONTRACTED.sub(expand, BLANKS.sub(" ", masked(text))).strip()
    if "?" in told or "¤" in told:
        return [], False
    found = list(compiled(rules().phrase["said_of_user"]).finditer(told))
    claims = [
        f"I am {one['role'].strip()}" if one["role"] else _FIRST.sub(lambda each: _AS_I[each.group().lower()], one["claim"], count=1)
        for one in found
    ]
    spoken = [_YOURS.sub(lambda each: _MINE[each.group().lower()], claim) for claim in claims]
    return spoken, len(found) == 1 and found[0]["alone"] is not None


_FIRST = re.compile(r"^you (?:are|have|do|can)\b|^you\b|^your\b", re.IGNORECASE)
_AS_I = {"you are": "I am", "you have": "I have", "you do": "I do", "you can": "I can", "you": "I", "your": "my"}
