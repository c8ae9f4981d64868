"""Which of many patterns may fit a text: none that does is left out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdb.english_rules import Pattern, finder, needs, rules
from memdb.fitting import Needs, by_fragments, fragments, held


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        ("live in", ["live", "in"]),
        ("(?:reside|work)s? in", ["resi work", "in"]),
        ("(?:(?:have|has) )?(?:just )?moved", ["move"]),
        ("colou?r", ["colo"]),
        ("a?bbey", ["bbey"]),
        ("(?:now )*quit", ["quit"]),
        ("(?:tea ){2}", ["tea"]),
        ("(?:bark)?meow|dog", ["meow dog"]),
        ("x{0,2}yawn", ["yawn"]),
        ("zebra{1,2}", ["zebr"]),
        (r"^\b(?!no(?:body|one))(?=.*cheese)(?<!butter)am", ["chee", "am"]),
        ("(?-i:[A-C])xylo", ["xylo"]),
        (r"(?P<o>\d+|twenty) dogs?", ["dog"]),
        (r"\(it\) is a (?P<what>piano|viola) of (?P=what)", ["pian viol", "it", "is", "of"]),
        (r"[)|(]goats|barns", ["goat barn"]),
        ("{size}{size}? (?:shoe|coat)", ["coat shoe", "big tiny"]),
        ("{size}? coat", ["coat"]),
        ("SQL Server", ["serv", "sql"]),
        ("(?P<x>oak)?(?(x)elm|ash) tree", ["tree"]),
        ("red blue pink grey green", ["blue", "pink", "grey", "gree"]),
    ],
)
def test_it_is_told_what_a_text_must_hold(pattern: str, needed: list[str]) -> None:
    found = fragments(pattern, macro=lambda name: (frozenset({"big", "tiny"}),) if name == "size" else ())
    assert found == tuple(frozenset(one.split()) for one in needed)


def _fragments(pattern: str) -> Needs:
    return fragments(pattern, macro=lambda name: ())


@pytest.mark.parametrize(
    "pattern", ["", "lamp?|a?", "(?:oak|)b*", "^$", "oak||elm", "(?!oak)", r"\d+ \w", "{none}", "(?P<x>oak)?(?(x)elm|ash)"]
)
def test_what_may_match_much_needs_nothing(pattern: str) -> None:
    assert _fragments(pattern) == ()


def test_what_would_be_found_in_every_text_is_not_asked_for() -> None:
    assert _fragments("[a-z](?:to|in|at|on|of|or|is)") == ()


_LETTERS = st.text("abK", min_size=1, max_size=4)
_PATTERNS = st.recursive(
    _LETTERS | st.sampled_from([r"\b", "[ab]", ".", r"\w"]),
    lambda parts: st.one_of(
        st.lists(parts, min_size=1, max_size=3).map("".join),
        st.lists(parts, min_size=1, max_size=3).map(lambda several: f"(?:{'|'.join(several)})"),
        st.tuples(parts, st.sampled_from(["?", "*", "+", "{0,1}", "{2}", "??"])).map(lambda both: f"(?:{both[0]}){both[1]}"),
        parts.map(lambda part: f"(?={part})"),
        parts.map(lambda part: f"(?!{part})"),
    ),
    max_leaves=8,
)


@given(_PATTERNS, st.text("abkK\u212a ", max_size=8))
def test_whatever_a_pattern_matches_holds_one_of_its_fragments(pattern: str, text: str) -> None:
    if re.search(pattern, text, re.IGNORECASE):
        assert all(needed & held(text) for needed in _fragments(pattern))


def _parts() -> set[str]:
    texts = {text for rule in rules().pattern for text, *_ in rule.examples}
    return texts | {text[place.end() :] for text in texts for place in re.finditer(r"\b(?:I am|I'm|I|my|My) ", text)}


def test_no_rule_is_left_out_where_it_matches() -> None:
    every = rules().pattern
    fitting = by_fragments(every, needing=lambda rule: needs(rule.match), made_ready=lambda rule: rule)

    def fits(rule: Pattern, text: str) -> bool:
        return finder(rule)(text) is not None

    for text in _parts():
        assert [rule for rule in every if fits(rule, text)] == [rule for rule in fitting(text) if fits(rule, text)]


def test_few_rules_are_tried_with_a_text() -> None:
    fitting = by_fragments(rules().pattern, needing=lambda rule: needs(rule.match), made_ready=lambda rule: rule)
    parts = _parts()
    assert sum(len(fitting(text)) for text in parts) < len(parts) * len(rules().pattern) / 40


def test_no_macro_has_alternatives_of_its_own_which_would_be_those_of_what_it_stands_in() -> None:
    for name, macro in rules().macros.items():
        depth = 0
        for token in re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]", macro):
            depth += (token == "(") - (token == ")")
            assert token != "|" or depth, name


def test_a_letter_of_another_alphabet_may_be_the_same_as_one_of_the_pattern() -> None:
    for pattern, text in (("so", "\u017fo"), ("milk", "m\u0131l\u212a"), ("mill", "m\u0130ll")):
        assert re.match(pattern, text, re.IGNORECASE)
        assert _fragments(pattern) == (frozenset({pattern}),)
        assert pattern in held(text)


def test_what_fits_no_text_is_never_made_ready() -> None:
    wanted: list[str] = []
    fitting = by_fragments(["so", "live", "also", ".*"], needing=_fragments, made_ready=wanted.append)
    assert (fitting("So it is"), fitting("so"), wanted) == ([None, None], [None, None], ["so", ".*"])


def test_what_may_match_is_tried_in_its_order() -> None:
    fitting = by_fragments(["quit", ".", "sold", "left", "it .*quit", "quit.* all"], needing=_fragments, made_ready=str.upper)
    assert fitting("I sold it and quit") == ["QUIT", ".", "SOLD", "IT .*QUIT"]
    assert fitting("I stayed") == ["."]
