"""What a short answer says, read together with the question that it answers."""

from __future__ import annotations

import re

from memdb.english import BLANKS, CONTRACTED, LONGEST_SENTENCE, PLAIN, expand, masked, sentences
from memdb.english_rules import compiled, rules

_LONGEST_ANSWER = 8  # words
_QUESTION = re.compile(r"[^.!?\n]*\?")
_TWO = re.compile(  # "How old are you, and where do you work?"
    r"\b(?:(?:what|where|who|when|which|how old)\b|(?:(?<!how )are|do|have|did|were) you\b|is your\b).*"
    r"(?:,|\band|\bor)\s+(?:what|where|who|when|which|how|(?:are|do|have|did|were) you|is your)\b",
    re.IGNORECASE,
)
_YOURS = re.compile(r"\b(?:your|yours|you|yourself)\b", re.IGNORECASE)
_MINE = {"your": "my", "yours": "mine", "you": "me", "yourself": "myself"}


def spelled_out(asked: str, text: str) -> str | None:
    """Return what a text states as an answer to what was asked right before, as a sentence of its own; None if it is no such answer.

    "Where do you live?", "In Porto" is "I live in Porto". Only one short sentence answers, and only one question is answered.
    """
    questions = [CONTRACTED.sub(expand, found.strip()) for found in _QUESTION.findall(asked[-LONGEST_SENTENCE:].translate(PLAIN))]
    first = next(((text[start:end], mark) for start, end, mark in sentences(masked(text)) if text[start:end].strip()), None)
    if len(questions) != 1 or _TWO.search(questions[0]) or first is None or "?" in first[1]:
        return None
    question, said = questions[0], CONTRACTED.sub(expand, BLANKS.sub(" ", first[0].translate(PLAIN)).strip(" ,."))
    phrase = rules().phrase
    if compiled(phrase["made_up"]).search(question):
        return None
    if told := compiled(phrase["yes_or_no"]).fullmatch(question) or compiled(phrase["told"]).fullmatch(question):
        agreed, denied = (compiled(phrase[word]).fullmatch(said) for word in ("yes", "no"))
        verb = {"are": "am", "have": "have"}.get(told["verb"].lower(), "do")
        rest = _YOURS.sub(lambda found: _MINE[found.group().lower()], told["rest"])
        if agreed or denied:
            return f"I {verb} not {rest}" if denied else f"I {rest}" if verb == "do" else f"I {verb} {rest}"
    said = compiled(phrase["filler"]).sub("", said)
    if not said or len(said.split()) > _LONGEST_ANSWER or compiled(phrase["no_answer"]).match(said):
        return None
    for answer in rules().answer:
        if found := compiled(answer.asks).search(question):
            bare = compiled(answer.strip).sub("", said, count=1) if answer.strip else said
            return answer.says.format(answer=bare.lower() if answer.lower else bare, **found.groupdict()) if bare else None
    return None
