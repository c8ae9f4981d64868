"""Whose a remembered thing is, that of who asks ("Am I vegan?") or another's ("she's vegan"), and whether it names whom they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from memdb.answers import Hits
from memdb.asked_keys import rules
from memdb.called import called, names_of
from memdb.capitals import is_a_name
from memdb.english_rules import relatives
from memdb.records import Fact
from memdb.stop_words import STOP_WORDS

_USER = "user"
_LONGEST = 4_000  # characters of a message; who writes more speaks of many things
_WORD = re.compile(r"[^\W_]+")
_CHILDREN = ("youngest", "eldest", "oldest")  # as parents call them
_ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
_LEAST = 5  # letters that two words have in common, of which one goes on: "diabetes" and "diabetic"


class Told(NamedTuple):
    """How many words of a question stand in what a text tells of its writer, and in what it tells of others."""

    own: int
    of_others: int


class Whose(NamedTuple):
    """The fact ids of the hits that tell only of others what the user asks of themselves and theirs, and whether nothing tells as much of
    these.
    """

    of_others: tuple[str, ...] = ()
    only: bool = False


def whose(hits: Hits) -> Whose:
    """Return which hits tell of others what the user asks of themselves and theirs: "Am I vegan?", her sister is."""
    question = hits.question
    if question.language != "English" or question.participants or not asks_of_own(question.text):
        return Whose()
    relations, facts = set(called().relations.values()), [hit.fact for hit in hits if hit.fact.kind == "fact"]
    names = {_subject(fact) for fact in facts} - {_USER} - relations
    names |= {fact.object for fact in facts if fact.key.rpartition(".")[2] in relations}
    said = (hit.fact for hit in hits if hit.fact.kind != "message" or hit.fact.source == "user_message")
    told = {fact.fact_id: told_in(fact.value_text.replace("User's ", "my "), question.text, names=names) for fact in said}
    of_others = tuple(fact_id for fact_id, one in told.items() if one.of_others and not one.own)
    most = max((told[fact_id].of_others for fact_id in of_others), default=0)
    return Whose(of_others, only=most > max((one.own for one in told.values()), default=0))


def nameless(hits: Hits) -> frozenset[str]:
    """Return the fact ids of the hits that name nobody who is meant, where a question asks for the name of a relative and none is held."""
    question = hits.question
    asks = hits.unheld and not question.participants and all(_is_relative(key.rpartition(".")[2]) for key, _ in question.keys)
    relative = relative_in(question.text) if asks else None
    if relative is None:
        return frozenset()
    facts = [hit.fact for hit in hits if hit.fact.kind == "fact"]
    others = {fact.object.lower() for fact in facts if fact.key.rpartition(".")[2] in {"name", *called().relations.values()}}
    return frozenset(
        hit.fact.fact_id for hit in hits if not names_one(hit.fact.value_text.replace("User's ", "my "), relative, besides=others)
    )


def names_one(text: str, relative: re.Pattern[str], *, besides: Iterable[str] = (), of_anybody: bool = False) -> bool:
    """Return whether a sentence that speaks of a relative of its writer, or the next ("That's Beth"), names somebody, `besides` others.

    Where it may be a relative `of_anybody`, whose it is does not count.
    """
    sentences = sentences_of(text)
    for sentence, goes_on in zip(sentences, [*sentences[1:], ""], strict=True):
        if any(of_anybody or found["whose"] is None for found in relative.finditer(sentence.lower())):
            more = _compiled("introduces").match(goes_on.lower())
            if _names_in(sentence, relative).difference(besides) or (more and _names_in(goes_on, relative).difference(besides)):
                return True
    return False


def sentences_of(text: str) -> list[str]:
    """Return the sentences of what somebody wrote, with straight apostrophes."""
    return _compiled("ends").split(text[:_LONGEST].replace("’", "'").strip())


def anybodys(predicate: str) -> re.Pattern[str]:
    """Return whoever is held under a predicate, by all that they are called."""
    return _called_alike(predicate.replace("_", " "))


def asks_of_own(text: str) -> bool:
    """Return whether a question in English asks what is so of who asks, and of nobody beside ("anybody"), or of somebody of theirs."""
    plain = _plain(text)
    alone = _compiled("oneself").search(plain) is not None and _compiled("not_alone").search(plain) is None
    return alone or relative_in(plain) is not None


def relative_in(question: str) -> re.Pattern[str] | None:
    """The one relative, friend or pet of theirs that a question asks of, whatever they are called; None where there is not exactly one."""
    found = {one["who"] for one in _compiled("of_mine").finditer(_plain(question))}
    return _called_alike(found.pop()) if len(found) == 1 else None


def told_in(text: str, question: str, *, names: Iterable[str] = ()) -> Told:
    """Return how much a user's words tell of what they ask, of themselves and theirs, and of others.

    Where the question asks of "my sister", what tells of her is of others if she is somebody else's ("his sister"). Where it asks of "I", a
    part of a sentence is of others if it is said of "she", "my sister" or one of `names`, whom the question does not name, and says nothing
    of "I" or "me"; so is what goes on with it without saying of whom, and what is quoted. A sentence that asks tells nothing of oneself.
    """
    if relative := relative_in(question):
        mine = {found["whose"] is None for found in relative.finditer(_plain(text[:_LONGEST]))}
        return Told(own=int(True in mine), of_others=int(False in mine))
    asked = {_stem(word) for word in _WORD.findall(_plain(question)) if word not in STOP_WORDS}
    named = (one["name"] for one in _compiled("name").finditer(text[:_LONGEST]))
    begins = (one["name"] for one in _compiled("begins").finditer(text[:_LONGEST]) if is_a_name(one["name"].lower()))
    others = [name.lower() for name in {*names, *named, *begins} if re.search(rf"\b{re.escape(name)}\b", question, re.IGNORECASE) is None]
    own, of_others, of_another = set[str](), set[str](), False
    quoted = _compiled("quoted").findall(plain := _plain(text[:_LONGEST]))
    for sentence in (*quoted, *_compiled("ends").split(_compiled("quoted").sub(" ", plain))):
        for part in (sentence,) if sentence in quoted else _parts(sentence):
            goes_on = of_another and _compiled("says").search(part) is None
            of_another = sentence in quoted or goes_on or _is_of_another(part, others)
            words = {_stem(word) for word in _WORD.findall(part)}
            found = {one for one in asked if any(_is_alike(one, word) for word in words)}
            if not of_another:  # "the dog" is the one that was just told of
                found -= {one for one in found & of_others if re.search(rf"\bthe {re.escape(one)}", part)}
            if of_another:
                of_others |= found
            elif not sentence.endswith("?") and (_compiled("own").search(part) or _compiled("neither").search(part) is None):
                own |= found
    return Told(len(own), len(of_others))


def _subject(fact: Fact) -> str:
    return fact.key.rpartition(".")[0].replace("_", " ")


def _is_relative(predicate: str) -> bool:
    """Whether who is held under a predicate is one man or woman: a sister, an ex-wife."""
    return predicate in relatives() or (predicate.startswith("ex_") and predicate.removeprefix("ex_") in called().relations.values())


@cache
def _called_alike(noun: str) -> re.Pattern[str]:
    """Whoever is somebody's, by all that they are called, and `whose` they are where they are not the writer's."""
    nouns = "|".join(map(re.escape, names_of(noun)))
    return re.compile(rf"(?P<whose>\b(?:[^\W_]+'s|[^\W_]+s'|his|her|their) (?:(?!my\b|our\b)[a-z]+ )?)?\b(?:{nouns})s?\b")


def _parts(sentence: str) -> list[str]:
    """What a sentence tells in passing ("Arne, who's afraid of mice, and I …"), what else it tells, and what oneself does upon that."""
    rest = _compiled("leads").sub("", sentence)
    aside = [found for found in _compiled("aside").finditer(rest) if not found["own"]]
    for found in reversed(aside):
        rest = f"{rest[: found.start()]}{rest[found.end() :]}"
    return [*(found["told"] for found in aside), *_compiled("upon_it").split(rest)]


def _names_in(sentence: str, relative: re.Pattern[str]) -> set[str]:
    """The names in a sentence, in small letters, but for those of places and of other relatives ("my brother Wout")."""
    cased = (one for one in _compiled("name").finditer(sentence) if one["of"] is None or relative.fullmatch(one["of"].lower()))
    words = _WORD.findall(sentence.lower())
    return {one["name"].lower() for one in cased} | set(filter(is_a_name, words if sentence.islower() else words[:1]))


def _is_of_another(sentence: str, names: Iterable[str]) -> bool:
    return _compiled("own").search(sentence) is None and _of("|".join(map(re.escape, names))).search(sentence) is not None


@lru_cache(maxsize=256)
def _of(names: str) -> re.Pattern[str]:
    return re.compile(_compiled("another").pattern.replace("{name}", f"(?:{names or '(?!)'})"))


def _plain(text: str) -> str:
    return text.lower().replace("’", "'").strip()


def _stem(word: str) -> str:
    """A word without its ending: "studying", "studies" and "study" are the same."""
    bare = _ENDING.sub("", word) if len(word) > 3 else word
    return f"{bare[:-1]}i" if bare.endswith("y") and len(bare) > 3 else bare


def _is_alike(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) >= _LEAST and (one.startswith(other) or other.startswith(one)))


@cache
def _compiled(name: str) -> re.Pattern[str]:
    """A pattern of rules/asked.toml, in which {relative} stands for whoever is somebody's."""
    nouns = sorted({*called().relations, *called().attributes["person"], *_CHILDREN}, key=len, reverse=True)
    return re.compile(rules().whose[name].replace("{relative}", f"(?:{'|'.join(map(re.escape, nouns))})"))
