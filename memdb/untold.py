"""Whether what was found tells what a question asks of one person: how old they are, where they live, what they are called."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise

from memdb.answers import Hits
from memdb.asked_keys import rules, somebody_in
from memdb.called import called, names_of
from memdb.english_rules import relation_words
from memdb.fitting import any_of
from memdb.naming import names_one
from memdb.of_others import anybodys, sentences_of

_USER = "user"
_SORTS = {
    "age": frozenset(("age", "birthday")),
    "place": frozenset(("lives_in", "hometown", "born_in", "staying_in")),
    "surname": frozenset(("surname", "maiden_name")),
}
"""The predicates of what is told by a form of its own: a number, a place, two names."""


def what_tells(hits: Hits) -> dict[str, bool]:
    """Return of each hit, by its fact id, whether it tells what a question asks of a person, where nothing is held under its keys; {} where
    that cannot be seen by its form.

    That Henrik is a son, or moved, does not tell how old he is; that his wife is from Cork does not tell where he lives.
    """
    question = hits.question
    if not hits.unheld or question.participants or question.language != "English":
        return {}
    subjects, asked = ({key.split(".")[place] for key, _ in question.keys} for place in (0, 1))
    sort = next((sort for sort, of in _SORTS.items() if asked <= of), "")
    if len(subjects) != 1 or subjects == {_USER} or not (sort or asked <= set(called().relations.values())):
        return {}
    subject, somebody = next(iter(subjects)), somebody_in(question.text, {})
    names = {hit.fact.object.split()[0] for hit in hits if hit.fact.key == f"{_USER}.{subject}" and hit.fact.object.split()}
    names |= {somebody.name} if somebody is not None else set()
    if not sort:
        relative, besides = anybodys(next(iter(asked))), {name.lower() for name in names}
        return {hit.fact.fact_id: names_one(hit.fact.value_text, relative, besides=besides, of_anybody=True) for hit in hits}
    who = frozenset(names.union(names_of(subject) if subject in called().relations.values() else [subject.replace("_", " ")]))
    return {hit.fact.fact_id: tells(hit.fact.value_text, who, sort) for hit in hits}


def tells(text: str, who: frozenset[str], sort: str) -> bool:
    """Return whether a text tells something of a sort ("age", "place", "surname") of somebody, by whom it names or goes on to speak of."""
    named, told = _named(who), _compiled(f"tells_{sort}")
    sentences = sentences_of(text)
    for before, sentence in pairwise(["", *sentences]):
        told_of = _compiled("reported").split(sentence)[0]
        found = named.search(told_of)
        goes_on = found is None and named.search(before) is not None and _compiled("goes_on").match(told_of.lower()) is not None
        if found is None and not goes_on:
            continue
        if sort == "surname":
            by_name = (name for name in who if not name.islower())  # not "son Henrik"
            if told.search(told_of.lower()) or any(re.search(rf"\b{re.escape(name)} [A-Z][a-z]", told_of) for name in by_name):
                return True
        elif told.search(named.sub("they", told_of)):
            return True
    return False


@lru_cache(maxsize=256)
def _named(who: frozenset[str]) -> re.Pattern[str]:
    """Somebody by name, but not whoever is theirs: "Alan's wife Maureen"."""
    return re.compile(rf"\b(?:{any_of(who)})\b(?!['’]s (?:\w+ )?(?:{relation_words()})\b)", re.IGNORECASE)


@cache
def _compiled(name: str) -> re.Pattern[str]:
    return re.compile(rules().whose[name])
