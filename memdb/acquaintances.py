"""Who is known by name, what they are to the one who knows them, and under whose keys it is held what is told of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from memdb.called import called
from memdb.english_rules import rules
from memdb.keys import canonical_key, is_same, slug, without_accents

_USER = "user"
OWN_NAMES = (f"{_USER}.name", f"{_USER}.nickname")
"""The keys that hold what the user is called."""


@lru_cache(maxsize=256)
def name_keys(subject: str) -> Mapping[str, str]:
    """Return the keys under which the names of somebody's people and pets are held, each with what they are; "" for a pet of any sort."""
    pets = rules().groups["pets"]
    people = {canonical_key(subject, relation): relation for relation in called().relations.values() if relation not in pets}
    return MappingProxyType({**people, canonical_key(subject, "pet"): ""})


def known_by_name(subject: str, held: Iterable[tuple[str, str]]) -> tuple[dict[str, str], dict[str, str]]:
    """Return those who are known to somebody by name, each with what they are, but not who may be one of two; and who was named first of
    each, of what is `held` under `name_keys`, the newest first.
    """
    keys, pets = name_keys(subject), rules().groups["pets"]
    found: dict[str, set[str]] = {}
    first: dict[str, str] = {}
    for key, value in held:
        relation, name = keys[key], value
        if not relation:
            relation, _, name = value.partition(" called ")
        elif name:
            first[relation] = name
        if name and (keys[key] or relation in pets):
            for short in {name, name.split()[0]}:
                found.setdefault(short, set()).add(relation)
    known = {name: next(iter(relations)) for name, relations in found.items() if len(relations) == 1}
    plain = Counter(without_accents(name) for name in found)
    typed = {bare: known[name] for name in known if plain[bare := without_accents(name)] == 1}  # "Zoe", of who has a daughter Zoë
    return known | typed, first


def held_elsewhere(
    keys: Iterable[tuple[str, str | None]], held: Iterable[tuple[str, str]], speakers: Iterable[str]
) -> tuple[tuple[str, str | None], ...]:
    """Return the other keys of what is asked for, of whom the user knows by name and who speaks in the memory: what the user tells of "my
    brother" Karel is held under the brother's keys, and what Karel Berg says of himself under those of Karel Berg.

    `held` is what is held under the names of the user's people, `keys` the keys that are asked for.
    """
    known = list(held)
    subject_of, same = subjects(known), dict[str, list[str]]()
    for _, name in known:
        says = [slug(one) for one in speakers if name.casefold() in {part.casefold() for part in (one, *one.split()[:1])}]
        if len(says) == 1 and subject_of.get(name, _USER) not in (_USER, *says):
            same.setdefault(subject_of[name], []).extend(says)
            same.setdefault(says[0], []).append(subject_of[name])
    parts = [(*key.rpartition(".")[::2], value) for key, value in keys]
    found = ((canonical_key(other, predicate), value) for subject, predicate, value in parts for other in same.get(subject, ()))
    return tuple(dict.fromkeys(found))


def subjects(held: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return those whom the user knows by name, and the user, each with the subject of the keys under which it is held what is told of
    them.

    That is what they are to the user ("son"), or their name where it is told of one of several: of a friend, of the second of two sons.
    """
    theirs, own = list[tuple[str, str]](), list[str]()
    for key, name in held:
        if key in OWN_NAMES:
            own += [name, *name.split()[:1]]
        else:
            theirs.append((key, name))
    people, first = known_by_name(_USER, theirs)
    by_name = rules().groups["by_name"]
    return dict.fromkeys((*own, *map(without_accents, own)), _USER) | {
        name: slug(name) if relation in by_name or not is_same(name.split()[0], first.get(relation, name).split()[0]) else relation
        for name, relation in people.items()
    }
