"""What one likes, dislikes or avoids, parted into its things: adjectives before one noun are no list, nor is what narrows a thing down."""

from __future__ import annotations

import re
from functools import cache

from memdb.english_rules import compiled, rules

_BLANK = " "
LIST = re.compile(r"\s*(?:,\s*(?:and\s|or\s|&\s)?|\s(?:and|or|&|\+)\s|\s/\s)\s*", re.IGNORECASE)
"""What stands between the objects of a list."""

_OR = re.compile(r"\bor\b", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\s(?:about|with|without|of|between|for|from|like|in|on|at|by|as|near|around|among|under|over|during)\s", re.IGNORECASE
)
_OF_KINDS = r"music|food|cuisine|dishes|films|movies|books|novels|stories|shows|games|art|literature|languages|restaurants|cars|wines?"
_HEAD = re.compile(rf"(?<=\w) (?:{_OF_KINDS})$", re.IGNORECASE)
_HEAD_OF_BOTH = re.compile(rf"(?<=\w) (?:{_OF_KINDS}|genres|products|clothes|sports)$", re.IGNORECASE)
_KIND = re.compile(
    r"(?!(?:music|comics?|traffic|garlic|magic)$)[a-z]+(?:ic|al|ish|ese|[aei]an|ern)", re.IGNORECASE
)  # how a thing is, not what
_SORT = re.compile(  # what a film, a book or a game is of: alone it would be another thing
    r"action|adventure|comedy|crime|detective|disaster|drama|fantasy|horror|love|mystery|romance|sci-?fi|science fiction|spy|superhero"
    r"|thriller|war|board|card|computer|strategy|video",
    re.IGNORECASE,
)
_OF_A_SORT = re.compile(r" (?:films|movies|books|novels|stories|shows|games)$", re.IGNORECASE)
_HOW = (
    r"(?:hot|warm|cold|iced|sweet|sour|spicy|salty|big|small|long|short|bright|dark|light|sunny|rainy|windy|mild|dry|humid|old|new|fast|slow"
    r"|red|white|green|blue|black)"
)
_ALSO_HOW = re.compile(rf"(?:\w+ing )?{_HOW}", re.IGNORECASE)
_HEAD_OF_HOW = re.compile(rf"{_HOW}( [a-z-]+)$", re.IGNORECASE)  # "water", in "hot or cold water"
_ANYBODY = re.compile(r"(?:people|any(?:one|body|thing)|those|things) ?$", re.IGNORECASE)  # of whom alone more is told
_MAY_BE_HOW = re.compile(r"[a-z]+(?<!s)")
_VERB = re.compile(r"\b(?:is|are|was|has|have|does?|can|will|would|makes?|gives?|gets?|i|it|they|we|me|us)\b", re.IGNORECASE)
_PLURAL = re.compile(r"(?:\w*[^\Wsui]s|people|children|men|women)$", re.IGNORECASE)


def things(text: str, *, shunned: bool) -> list[str]:
    """Return the things that a text names: "opera or jazz" are two, but "stiff, starched collars" and "walks that are wet or dull" one.

    Where they are `shunned`, what may be meant of all of them keeps them together: who dislikes "painted mugs or plates" may like plates.
    """
    items, marks = LIST.split(text), LIST.findall(text)
    narrowed = compiled(rules().phrase["narrowed"]).search(text)
    if not all(items):
        return items
    if len(items) == 1:
        return [text]
    if narrowed:
        *items, last = LIST.split(text[: narrowed.start()])
        apart = _ANYBODY.match(last) or (len(items) > 1 and not shunned)  # "tea, jazz and films that are sad"
        return [*items, f"{last}{text[narrowed.start() :]}"] if apart else [text]
    if marks[-1].strip() != "," and (each := with_head(items)) != items:
        return each
    groups = _complements_joined(_adjectives_joined(items, marks, shunned=shunned), shunned=shunned)
    if shunned and len(groups) == 2 and _may_be_one(groups):
        return [text]
    return _each_to_do([item for _, item in groups])


def _each_to_do(items: list[str]) -> list[str]:
    """The items, each that one likes to do with its "to": "to sit down and play the harp"."""
    if not items[0].startswith("to "):
        return items
    one_word = len(items[0].split()) == 2  # "to hike and fish", but not "to eat meat and fish"
    return [f"to {item}" if _to_do().match(item) and (one_word or _BLANK in item) else item for item in items]


@cache
def _to_do() -> re.Pattern[str]:
    return compiled(r"(?:{done_with}|hike|dance|sing|draw|write|bake|garden|knit|sew|ski|sail|surf|explore|relax|meet|hang out)(?= |$)")


def first_thing(text: str) -> str:
    """Return what a text names up to the comma that ends it: one behind an adjective, or in a list that ends with "and", does not."""
    items, marks = LIST.split(text), LIST.findall(text)
    if len(items) == 1 or marks[-1].strip() != "," or not all(items):
        return text
    groups = _adjectives_joined(items, marks, shunned=_VERB.search(items[-1]) is None)
    last = next((place for place, (mark, _) in enumerate(groups) if mark.strip() == ","), len(groups))
    return "".join(f"{mark}{item}" for mark, item in groups[:last])


def with_head(items: list[str]) -> list[str]:
    """Return the objects of a list with the noun that the last has for all: "electronic and rock music", "hot or cold water"."""
    if len(items) == 1:
        return items
    if how := _HEAD_OF_HOW.fullmatch(items[-1]):
        return [f"{item}{how.group(1)}" if _ALSO_HOW.fullmatch(item) else item for item in items]
    head = _HEAD.search(items[-1])
    if head is None:
        return items
    kinds = (_KIND, _SORT) if _OF_A_SORT.match(head.group()) else (_KIND,)
    return [f"{item}{head.group()}" if any(kind.fullmatch(item) for kind in kinds) else item for item in items]


def _adjectives_joined(items: list[str], marks: list[str], *, shunned: bool) -> list[tuple[str, str]]:
    """The items, each with the mark before it, and adjectives with the noun that they stand before."""
    groups, waiting, before = list[tuple[str, str]](), "", ""
    noun = shunned and _has_a_noun(items[-1]) and _VERB.search(items[-1]) is None
    if noun and all(mark.strip() == "," and _may_be_how(item) for mark, item in zip(marks, items, strict=False)):
        return [("", "".join(f"{mark}{item}" for mark, item in zip(("", *marks), items, strict=True)))]  # "steep, rocky trails"
    for place, item in enumerate(items):
        mark = marks[place - 1] if place else ""
        if not waiting:
            before = mark
        waiting = f"{waiting}{mark}{item}" if waiting else item
        if place + 1 < len(items) and _is_adjective(item) and _has_a_noun(items[_noun_at(items, place)]):
            continue
        groups.append((before, waiting))
        waiting = ""
    return groups


def _may_be_how(item: str) -> bool:
    return _MAY_BE_HOW.fullmatch(item) is not None and compiled("{consumed}").fullmatch(item) is None


def _has_a_noun(item: str) -> bool:
    first, *rest = item.split() or [""]
    return bool(rest) and (not _is_adjective(item) or _is_adjective(first))  # "retro aesthetic", but not "a bit sad"


def _noun_at(items: list[str], place: int) -> int:
    """Where the first item stands, from a place on, that is no adjective: the last where all are."""
    return next((other for other in range(place, len(items)) if not _is_adjective(items[other])), len(items) - 1)


def _complements_joined(groups: list[tuple[str, str]], *, shunned: bool) -> list[tuple[str, str]]:
    """The items, and with "reading novels", or "books about bees", what it may be of, too: "reading novels or plays" is one thing."""
    joined = groups[:1]
    for mark, item in groups[1:]:
        if compiled(rules().phrase["no_thing"]).match(item):
            break
        known = joined[-1][1]
        doing = is_doing(known) and _BLANK in known
        if (doing or ((shunned or len(joined) == 1) and _PREPOSITION.search(known))) and not is_doing(item):
            joined[-1] = (joined[-1][0], f"{known}{mark}{item}")
        else:
            joined.append((mark, item))
    return joined


def _may_be_one(groups: list[tuple[str, str]]) -> bool:
    """Whether what stands before the first of two things, or behind the second, may be meant of both."""
    (_, first), (mark, second) = groups
    if _OR.search(mark) and _PREPOSITION.search(second):
        return True  # "maps or menus with tiny print"
    if _OR.search(mark) and _HEAD_OF_BOTH.search(second) and _MAY_BE_HOW.fullmatch(first.removeprefix("any ")):
        return True  # "country or folk music"
    how, *rest = first.split()
    if not rest or not (_PLURAL.search(first) and _PLURAL.search(second)) or rest[-1].casefold() == second.split()[-1].casefold():
        return False
    return _BLANK not in second or (_is_adjective(how) and not _is_adjective(second.split()[0]))  # "art fairs or galleries"


def _is_adjective(item: str) -> bool:
    """Whether an item ends with how a thing is, so that the thing is still to come: "learning in a quiet"."""
    return _adjective().fullmatch(item.split()[-1]) is not None if item.split() else False


def is_doing(item: str) -> bool:
    """Return whether an item begins with what one does: "reading novels"."""
    return compiled(rules().phrase["gerund"]).match(item) is not None


@cache
def _adjective() -> re.Pattern[str]:
    return compiled(rules().phrase["adjective"])
