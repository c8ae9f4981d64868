"""Which of many patterns may fit a text: none that does is left out."""

from __future__ import annotations

import re

import pytest

from memdb.english_rules import Pattern, filled_in, finder, is_at_the_beginning, rules
from memdb.fitting import beginnings, by_beginning, by_hint


@pytest.mark.parametrize(
    ("pattern", "begins"),
    [
        ("live in", "lL"),
        ("(?:live|work)s? in", "lLwW"),
        ("(?:(?:have|has) )?(?:just )?moved", "hHjJmM"),
        ("(?:now )*am", "nNaA"),
        ("(?:ab)?c|d", "aAcCdD"),
        ("x{0,2}y", "xXyY"),
        ("x{1,2}y", "xX"),
        (r"^\b(?!no)(?=.*\?)(?<!x)am", "aA"),
        ("(?-i:[A-C])x", "ABC"),
        ("[a-c]", "abcABC"),
        (r"(?P<o>\d+|two)", "0123456789tT"),
        (r"\(it\)", "("),
        (r"[)|(]a|b", None),
        (r"(?:[(]a)?b", None),
    ],
)
def test_it_is_told_with_what_a_pattern_begins(pattern: str, begins: str | None) -> None:
    assert beginnings(pattern) == (frozenset(begins) if begins is not None else frozenset(map(chr, range(128))))


@pytest.mark.parametrize("pattern", ["", "a?", "(?:a|)b*", "^$", "a||b", r"(?=a)"])
def test_what_may_match_nothing_may_begin_with_anything(pattern: str) -> None:
    assert beginnings(pattern) is None


def test_no_rule_is_left_out_where_it_matches() -> None:
    texts = {text for rule in rules().pattern for text, *_ in rule.examples}
    parts = {text[place.end() :] for text in texts for place in re.finditer(r"^|\b(?:I am|I'm|I|my|My) ", text)}
    anchored = [rule for rule in rules().pattern if is_at_the_beginning(rule)]
    fitting = by_beginning(((rule, filled_in(rule.match)) for rule in anchored), made_ready=lambda rule: rule)
    assert len(parts) > len(texts) > len(anchored) / 2

    def fits(rule: Pattern, text: str) -> bool:
        return finder(rule)(text) is not None

    for text in parts:
        assert [rule for rule in anchored if fits(rule, text)] == [rule for rule in fitting(text) if fits(rule, text)]


def test_a_letter_of_another_alphabet_may_be_the_same_as_one_of_the_pattern() -> None:
    fitting = by_beginning([("says", "so"), ("lives", "live")], made_ready=str.upper)
    assert re.match("so", "\u017fo", re.IGNORECASE)
    assert fitting("\u017fo") == ("SAYS", "LIVES")


def test_what_cannot_begin_as_any_text_did_is_never_made_ready() -> None:
    wanted: list[str] = []
    fitting = by_beginning([("says", "so"), ("lives", "live")], made_ready=wanted.append)
    assert (fitting("so it is"), fitting("so"), wanted) == ((None,), (None,), ["says"])


def test_what_shares_a_hint_is_tried_in_its_order_and_what_has_none_always() -> None:
    fitting = by_hint([("a", frozenset({"quit", "lef"})), ("b", None), ("c", frozenset({"sol"})), ("d", frozenset())])
    assert fitting(frozenset({"sol", "lef"})) == ["a", "b", "c"]
    assert fitting(frozenset()) == ["b"]
