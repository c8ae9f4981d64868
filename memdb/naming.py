"""What names nobody ("my mum came"), where a question asks for the name of a relative that was never told."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memdb.answers import Hits
from memdb.called import called
from memdb.capitals import is_a_name
from memdb.english_rules import relatives
from memdb.of_others import compiled, of_me, relative_in, sentences_of

_WORD = re.compile(r"[^\W_]+")


def nameless(hits: Hits) -> frozenset[str]:
    """Return the fact ids of the hits that name nobody who is meant, where a question asks for the name of a relative and none is held."""
    question = hits.question
    asks = hits.unheld and not question.participants and all(_is_relative(key.rpartition(".")[2]) for key, _ in question.keys)
    relative = relative_in(question.text) if asks else None
    if relative is None:
        return frozenset()
    facts = [hit.fact for hit in hits if hit.fact.kind == "fact"]
    others = {fact.object.lower() for fact in facts if fact.key.rpartition(".")[2] in {"name", *called().relations.values()}}
    return frozenset(hit.fact.fact_id for hit in hits if not names_one(of_me(hit.fact.value_text), relative, besides=others))


def names_one(text: str, relative: re.Pattern[str], *, besides: Iterable[str] = (), of_anybody: bool = False) -> bool:
    """Return whether a sentence that speaks of a relative of its writer, or the next ("That's Beth"), names somebody, `besides` others.

    Where it may be a relative `of_anybody`, whose it is does not count.
    """
    sentences = sentences_of(text)
    for sentence, goes_on in zip(sentences, [*sentences[1:], ""], strict=True):
        if any(of_anybody or found["whose"] is None for found in relative.finditer(sentence.lower())):
            more = compiled("introduces").match(goes_on.lower())
            if _names_in(sentence, relative).difference(besides) or (more and _names_in(goes_on, relative).difference(besides)):
                return True
    return False


def _names_in(sentence: str, relative: re.Pattern[str]) -> set[str]:
    """The names in a sentence, in small letters, but for those of places and of other relatives ("my brother Wout")."""
    cased = (one for one in compiled("name").finditer(sentence) if one["of"] is None or relative.fullmatch(one["of"].lower()))
    words = _WORD.findall(sentence.lower())
    return {one["name"].lower() for one in cased} | set(filter(is_a_name, words if sentence.islower() else words[:1]))


def _is_relative(predicate: str) -> bool:
    """Whether who is held under a predicate is one man or woman: a sister, an ex-wife."""
    return predicate in relatives() or (predicate.startswith("ex_") and predicate.removeprefix("ex_") in called().relations.values())
