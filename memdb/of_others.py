"""What is told of others ("she's vegan") where the question is of who asks, or of somebody of theirs ("Am I vegan?")."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from memdb.answers import Hits
from memdb.asked_keys import rules
from memdb.called import called, names_of
from memdb.capitals import is_a_name
from memdb.cues import ENDING
from memdb.records import Fact, is_oneself
from memdb.stop_words import STOP_WORDS

LONGEST = 4_000
"""Characters that are read of a message: who writes more speaks of many things."""

_USER = "user"
_UNDER_NO_KEY = "user.note"  # what is stated without a key may tell of anybody
_OF_USER = re.compile(r"\b(?:User|[Tt]he user)['’]s ")
_YOU = re.compile(r"\byou(?:r|rs|rself)?\b", re.IGNORECASE)  # who says so tells of whom they speak to
_WORD = re.compile(r"[^\W_]+")
_CHILDREN = ("youngest", "eldest", "oldest")  # as parents call them
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
    told = {fact.fact_id: told_in(_as_told(fact), question.text, names=names) for fact in said}
    told |= {fact_id: Told(0, sum(told[fact_id])) for fact_id in _said_by_others(hits) & told.keys()}
    held = {hit.fact.fact_id for hit in hits if hit.is_asked_for}
    of_others = tuple(fact_id for fact_id, one in told.items() if one.of_others and not one.own and fact_id not in held)
    most = max((told[fact_id].of_others for fact_id in of_others), default=0)
    return Whose(of_others, only=most > max((one.own for one in told.values()), default=0))


def sentences_of(text: str) -> list[str]:
    """Return the sentences of what somebody wrote, with straight apostrophes."""
    return compiled("ends").split(text[:LONGEST].replace("’", "'").strip())


def of_me(text: str) -> str:
    """Return what is told of the user's in the user's own words: "User's dog" is my dog, and so is that of the user."""
    return _OF_USER.sub("my ", text)


def anybodys(predicate: str) -> re.Pattern[str]:
    """Return whoever is held under a predicate, by all that they are called."""
    return _called_alike(predicate.replace("_", " "))


def asks_of_own(text: str) -> bool:
    """Return whether a question in English asks what is so of who asks, and of nobody beside ("anybody"), or of somebody of theirs."""
    plain = _plain(text)
    alone = compiled("oneself").search(plain) is not None and compiled("not_alone").search(plain) is None
    return alone or relative_in(plain) is not None


def relative_in(question: str) -> re.Pattern[str] | None:
    """The one relative, friend or pet of theirs that a question asks of, whatever they are called; None where there is not exactly one."""
    found = {one["who"] for one in compiled("of_mine").finditer(_plain(question))}
    return _called_alike(found.pop()) if len(found) == 1 else None


def told_in(text: str, question: str, *, names: Iterable[str] = ()) -> Told:
    """Return how much a user's words tell of what they ask, of themselves and theirs, and of others.

    Where the question asks of "my sister", what tells of her is of others if she is somebody else's ("his sister"). Where it asks of "I", a
    part of a sentence is of others if it is said of "she", "my sister" or one of `names`, whom the question does not name, and says nothing
    of "I" or "me"; so is what goes on with it without saying of whom, and what is quoted. A sentence that asks tells nothing of oneself.
    """
    if relative := relative_in(question):
        mine = {found["whose"] is None for found in relative.finditer(_plain(text[:LONGEST]))}
        return Told(own=int(True in mine), of_others=int(False in mine))
    asked, plain = _telling(question), _plain(text[:LONGEST])
    if not _alike(asked, _stems(plain)):
        return Told(0, 0)
    named = (one["name"] for one in compiled("capital").finditer(text[:LONGEST]))
    begins = (one["name"] for one in compiled("begins").finditer(text[:LONGEST]) if is_a_name(one["name"].lower()))
    others = [name.lower() for name in {*names, *named, *begins} if re.search(rf"\b{re.escape(name)}\b", question, re.IGNORECASE) is None]
    own, of_others, of_another = set[str](), set[str](), False
    quoted = compiled("quoted").findall(plain)
    for sentence in (*quoted, *compiled("ends").split(compiled("quoted").sub(" ", plain))):
        for part in (sentence,) if sentence in quoted else _parts(sentence):
            goes_on = of_another and compiled("says").search(part) is None
            of_another = sentence in quoted or goes_on or _is_of_another(part, others)
            found = _alike(asked, _stems(part))
            if not of_another:  # "the dog" is the one that was just told of
                found -= {one for one in found & of_others if re.search(rf"\bthe {re.escape(one)}", part)}
            if of_another:
                of_others |= found
            elif not sentence.endswith("?") and (compiled("own").search(part) or compiled("neither").search(part) is None):
                own |= found
    return Told(len(own), len(of_others))


@cache
def compiled(name: str) -> re.Pattern[str]:
    """Return a pattern of the section `whose` of rules/asked.toml, in which {relative} stands for whoever is somebody's, and {capital} for
    a name.
    """
    nouns = sorted({*called().relations, *called().attributes["person"], *_CHILDREN}, key=len, reverse=True)
    pattern = rules().whose[name].replace("{capital}", rules().whose["capital"])
    return re.compile(pattern.replace("{relative}", f"(?:{'|'.join(map(re.escape, nouns))})"))


@lru_cache(maxsize=16)
def _telling(question: str) -> frozenset[str]:
    """The words of a question that tell something, without their endings."""
    return frozenset(_stem(word) for word in _WORD.findall(_plain(question)) if word not in STOP_WORDS)


def _as_told(fact: Fact) -> str:
    """The words of a fact as the user would say it: of the user an application may tell by name, under a key of theirs or by the name that
    they have as a user.
    """
    told = of_me(fact.value_text)
    subject = compiled("subject").match(told) if fact.kind == "fact" else None
    if subject is None:
        return told
    is_own = fact.key.startswith(f"{_USER}.") and fact.key != _UNDER_NO_KEY
    return f"I{told[subject.end() :]}" if is_own or subject[0].casefold() == fact.user_id.casefold() else told


def _said_by_others(hits: Hits) -> set[str]:
    """The messages in which somebody else tells of themselves, where the user speaks in others."""
    messages = [hit.fact for hit in hits if hit.fact.kind == "message"]
    others = {fact.fact_id for fact in messages if not is_oneself(fact.speaker, fact.user_id) and _YOU.search(fact.value_text) is None}
    return others if any(is_oneself(fact.speaker, fact.user_id) for fact in messages) else set()


def _subject(fact: Fact) -> str:
    return fact.key.rpartition(".")[0].replace("_", " ")


@cache
def _called_alike(noun: str) -> re.Pattern[str]:
    """Whoever is somebody's, by all that they are called, and `whose` they are where they are not the writer's."""
    nouns = "|".join(map(re.escape, names_of(noun)))
    return re.compile(rf"(?P<whose>\b(?:[^\W_]+'s|[^\W_]+s'|his|her|their) (?:(?!my\b|our\b)[a-z]+ )?)?\b(?:{nouns})s?\b")


def _parts(sentence: str) -> list[str]:
    """What a sentence tells in passing ("Arne, who's afraid of mice, and I …"), what else it tells, and what oneself does upon that."""
    rest = compiled("leads").sub("", sentence)
    aside = [found for found in compiled("aside").finditer(rest) if not found["own"]]
    for found in reversed(aside):
        rest = f"{rest[: found.start()]}{rest[found.end() :]}"
    return [*(found["told"] for found in aside), *compiled("upon_it").split(rest)]


def _is_of_another(sentence: str, names: Iterable[str]) -> bool:
    return compiled("own").search(sentence) is None and _of("|".join(map(re.escape, names))).search(sentence) is not None


@lru_cache(maxsize=256)
def _of(names: str) -> re.Pattern[str]:
    return re.compile(compiled("another").pattern.replace("{name}", f"(?:{names or '(?!)'})"))


def _plain(text: str) -> str:
    return text.lower().replace("’", "'").strip()


def _stems(plain: str) -> set[str]:
    return set(map(_stem, _WORD.findall(plain)))


def _stem(word: str) -> str:
    """A word without its ending: "studying", "studies" and "study" are the same."""
    bare = ENDING.sub("", word) if len(word) > 3 else word
    return f"{bare[:-1]}i" if bare.endswith("y") and len(bare) > 3 else bare


def _alike(asked: frozenset[str], words: set[str]) -> set[str]:
    """Those of the words asked for that are among the others, or of which one is the beginning of the other."""
    long = tuple(word for word in words if len(word) >= _LEAST)
    rest = (one for one in asked - words if len(one) >= _LEAST)
    return set(asked & words).union(one for one in rest if one.startswith(long) or any(word.startswith(one) for word in long))
