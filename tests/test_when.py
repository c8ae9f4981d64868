import calendar
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memdb
from memdb import when
from memdb.dates import ATOMS, Prefer
from memdb.when import TimeSpan, find_times

LISBON = ZoneInfo("Europe/Lisbon")
WEDNESDAY = datetime(2025, 5, 14, 15, 0, tzinfo=UTC)


def spans(text: str, prefer: Prefer = "future") -> list[tuple[str, str, str, str]]:
    """What is found, as (words, role, first day, day after the last)."""
    found = find_times(text, at=WEDNESDAY, zone=LISBON, prefer=prefer)
    return [(span.text, span.role, _day(span.begins), _day(span.ends)) for span in found]


def _day(instant: datetime) -> str:
    local = instant.astimezone(LISBON)
    assert (local.hour, local.minute) == (0, 0)
    return local.date().isoformat()


@pytest.mark.parametrize(
    ("text", "prefer", "day"),
    [
        ("the movers come on the 20th", "future", "2025-05-20"),
        ("it's been moved to the 9th, same time", "future", "2025-06-09"),
        ("done by the 31st", "future", "2025-05-31"),
        ("we met on the 20th", "past", "2025-04-20"),
        ("since the 31st", "past", "2025-03-31"),
        ("it ends on the 14th", "future", "2025-05-14"),
        ("a hospital appointment on the 20th for my back", "future", "2025-05-20"),
        ("they come on the 20th to fix it", "future", "2025-05-20"),
    ],
)
def test_a_day_by_its_number_alone_is_the_nearest_of_that_number(text: str, prefer: Prefer, day: str) -> None:
    assert [begins for _, _, begins, _ in spans(text, prefer)] == [day]


@pytest.mark.parametrize(
    "text", ["on the 14th floor", "to the 3rd time", "by the 20th century", "on the 2nd attempt", "the 14th was nice", "on the 32nd"]
)
def test_a_number_of_anything_else_is_no_day(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("in the first week of March", "2025-03-01", "2025-03-08"),
        ("tmrw at 9", "2025-05-15", "2025-05-16"),
        ("tommorow", "2025-05-15", "2025-05-16"),
        ("2moro", "2025-05-15", "2025-05-16"),
        ("tonite", "2025-05-14", "2025-05-15"),
        ("the last week of May", "2024-05-25", "2024-06-01"),
        ("the first two days of May", "2025-05-01", "2025-05-03"),
        ("the last three days of the month", "2025-05-29", "2025-06-01"),
        ("the second weekend in April", "2025-04-12", "2025-04-14"),
        ("on the last Friday of April", "2025-04-25", "2025-04-26"),
        ("the first Monday in May 2024", "2024-05-06", "2024-05-07"),
        ("in the second half of March", "2025-03-16", "2025-04-01"),
        ("the first half of 2024", "2024-01-01", "2024-07-01"),
        ("the last quarter of last year", "2024-10-01", "2025-01-01"),
        ("in Q1 2024", "2024-01-01", "2024-04-01"),
        ("in Q3", "2024-07-01", "2024-10-01"),
        ("in early February", "2025-02-01", "2025-02-11"),
        ("mid-January", "2025-01-11", "2025-01-21"),
        ("late May", "2024-05-22", "2024-06-01"),
        ("in late 2023", "2023-09-01", "2024-01-01"),
        ("early last summer", "2024-06-01", "2024-07-01"),
        ("late last week", "2025-05-09", "2025-05-12"),
        ("earlier this week", "2025-05-12", "2025-05-15"),
        ("later this month", "2025-05-14", "2025-06-01"),
        ("the 3rd of last month", "2025-04-03", "2025-04-04"),
        ("on Monday last week", "2025-05-05", "2025-05-06"),
        ("last week on Friday", "2025-05-09", "2025-05-10"),
        ("a year ago today", "2024-05-14", "2024-05-15"),
        ("a week before Christmas", "2024-12-18", "2024-12-19"),
        ("the day after Christmas", "2024-12-26", "2024-12-27"),
        ("in the week before Easter", "2025-04-13", "2025-04-20"),
        ("the week after 12 March", "2025-03-13", "2025-03-20"),
        ("on the Friday before Easter", "2025-04-18", "2025-04-19"),
        ("the weekend before Easter", "2025-04-12", "2025-04-14"),
        ("the weekend after Easter", "2025-04-26", "2025-04-28"),
        ("two days after 28 February 2024", "2024-03-01", "2024-03-02"),
    ],
)
def test_a_part_of_a_month_or_year_is_that_part_and_what_lies_from_a_day_lies_there(text: str, first: str, after: str) -> None:
    assert [(begins, ends) for *_, begins, ends in spans(text, "past")] == [(first, after)]


@pytest.mark.parametrize(
    ("text", "role", "first", "after"),
    [
        ("since late 2019", "since", "2019-09-01", "2025-05-15"),
        ("until mid-June", "until", "2025-05-14", "2025-06-21"),
        ("by the end of 2026", "by", "2026-12-31", "2027-01-01"),
        ("from the second week of June", "from", "2025-06-08", "2025-06-15"),
        ("for two weeks before Christmas", "by", "2025-12-25", "2025-12-26"),
        ("the fifth Monday of June", "point", "2025-06-01", "2025-07-01"),
        ("two weeks after the wedding", "", "", ""),
        ("in the third quarter of the game", "", "", ""),
        ("I woke up too late in March", "point", "2026-03-01", "2026-04-01"),
    ],
)
def test_parts_keep_their_preposition_and_other_parts_are_none(text: str, role: str, first: str, after: str) -> None:
    assert (role, first, after) in [found[1:] for found in spans(text)] or (not role and spans(text) == [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I have 10 and 12 June", "12 June"),
        ("June 5 to 7pm", "June 5"),
        ("June 10 to 12 people came", "June 10"),
        ("the score was 3:1 to 12 June", "12 June"),
        ("12 to 3 June", "3 June"),
        ("June 12 to 3", "June 12"),
        ("June 12 to 35", "June 12"),
        ("0-3 June", "3 June"),
        ("until June 10 to 12", "until June 10"),
    ],
)
def test_a_number_beside_a_date_is_a_day_only_where_it_can_be_meant(text: str, words: str) -> None:
    assert [found[0] for found in spans(text)] == [words]


@pytest.mark.parametrize(
    ("text", "role", "first", "after"),
    [
        ("today", "point", "2025-05-14", "2025-05-15"),
        ("tonight", "point", "2025-05-14", "2025-05-15"),
        ("this morning", "point", "2025-05-14", "2025-05-15"),
        ("tomorrow", "point", "2025-05-15", "2025-05-16"),
        ("tomorrow evening", "point", "2025-05-15", "2025-05-16"),
        ("yesterday", "point", "2025-05-13", "2025-05-14"),
        ("the day before yesterday", "point", "2025-05-12", "2025-05-13"),
        ("the day after tomorrow", "point", "2025-05-16", "2025-05-17"),
        ("on Friday", "point", "2025-05-16", "2025-05-17"),
        ("this Friday", "point", "2025-05-16", "2025-05-17"),
        ("next Friday", "point", "2025-05-23", "2025-05-24"),
        ("last Friday", "point", "2025-05-09", "2025-05-10"),
        ("last Wednesday", "point", "2025-05-07", "2025-05-08"),
        ("on Wednesday", "point", "2025-05-21", "2025-05-22"),
        ("this week", "point", "2025-05-12", "2025-05-19"),
        ("next week", "point", "2025-05-19", "2025-05-26"),
        ("last week", "point", "2025-05-05", "2025-05-12"),
        ("this weekend", "point", "2025-05-17", "2025-05-19"),
        ("last weekend", "point", "2025-05-10", "2025-05-12"),
        ("next month", "point", "2025-06-01", "2025-07-01"),
        ("last month", "point", "2025-04-01", "2025-05-01"),
        ("this year", "point", "2025-01-01", "2026-01-01"),
        ("last year", "point", "2024-01-01", "2025-01-01"),
        ("for this week", "for", "2025-05-14", "2025-05-19"),
        ("for the next three days", "for", "2025-05-14", "2025-05-17"),
        ("for two weeks", "for", "2025-05-14", "2025-05-28"),
        ("for the past 3 years", "for", "2022-05-14", "2025-05-14"),
        ("until Friday", "until", "2025-05-14", "2025-05-17"),
        ("on Friday 27 June", "point", "2025-06-27", "2025-06-28"),
        ("on Friday, June the 27th", "point", "2025-06-27", "2025-06-28"),
        ("until Fri 27 June", "until", "2025-05-14", "2025-06-28"),
        ("by Sunday the 29th of June", "by", "2025-06-29", "2025-06-30"),
        ("on Friday the 27th", "point", "2025-06-27", "2025-06-28"),
        ("since Friday 2 May", "since", "2025-05-02", "2025-05-15"),
        ("last Fri 9 May", "point", "2025-05-09", "2025-05-10"),
        ("from Friday 27 June to Sunday 29 June", "point", "2025-06-27", "2025-06-30"),
        ("until the end of March", "until", "2025-05-14", "2026-04-01"),
        ("until March", "until", "2025-05-14", "2026-03-01"),
        ("through June", "until", "2025-05-14", "2025-07-01"),
        ("until Easter", "until", "2025-05-14", "2026-04-06"),
        ("by 12 June", "by", "2025-06-12", "2025-06-13"),
        ("by the end of the month", "by", "2025-05-31", "2025-06-01"),
        ("2025-06-01", "point", "2025-06-01", "2025-06-02"),
        ("25/12/2025", "point", "2025-12-25", "2025-12-26"),
        ("13.06.2025", "point", "2025-06-13", "2025-06-14"),
        ("12 May", "point", "2026-05-12", "2026-05-13"),
        ("May 12th, 2025", "point", "2025-05-12", "2025-05-13"),
        ("the 3rd of June", "point", "2025-06-03", "2025-06-04"),
        ("29 February", "point", "2028-02-29", "2028-03-01"),
        ("in March", "point", "2026-03-01", "2026-04-01"),
        ("March 2024", "point", "2024-03-01", "2024-04-01"),
        ("in two weeks", "point", "2025-05-28", "2025-05-29"),
        ("three days ago", "point", "2025-05-11", "2025-05-12"),
        ("a couple of weeks ago", "point", "2025-04-30", "2025-05-01"),
        ("since 2019", "since", "2019-01-01", "2025-05-15"),
        ("since March", "since", "2025-03-01", "2025-05-15"),
        ("in 2022", "point", "2022-01-01", "2023-01-01"),
        ("from next month", "from", "2025-06-01", "2025-07-01"),
        ("from June on", "from", "2025-06-01", "2025-07-01"),
        ("from Friday onwards", "from", "2025-05-16", "2025-05-17"),
        ("from the first of June on", "from", "2025-06-01", "2025-06-02"),
        ("starting in June", "from", "2025-06-01", "2025-07-01"),
        ("beginning from Monday", "from", "2025-05-19", "2025-05-20"),
        ("as of next month", "from", "2025-06-01", "2025-07-01"),
        ("as of March", "from", "2025-03-01", "2025-04-01"),
        ("as of June", "from", "2025-06-01", "2025-07-01"),
        ("with effect from the 1st of next month", "from", "2025-06-01", "2025-06-02"),
        ("come September", "from", "2025-09-01", "2025-10-01"),
        ("starting from 1 June until 15 June", "point", "2025-06-01", "2025-06-16"),
        ("after Easter", "from", "2026-04-06", "2026-04-07"),
        ("from 2015 to 2019", "point", "2015-01-01", "2020-01-01"),
        ("between March and May", "point", "2026-03-01", "2026-06-01"),
        ("between 10 and 12 June", "point", "2025-06-10", "2025-06-13"),
        ("10-12 June", "point", "2025-06-10", "2025-06-13"),
        ("from the 3rd to the 5th of June 2024", "point", "2024-06-03", "2024-06-06"),
        ("June 10 to 12", "point", "2025-06-10", "2025-06-13"),
        ("June 10-12, 2024", "point", "2024-06-10", "2024-06-13"),
        ("between June 10 and 12", "point", "2025-06-10", "2025-06-13"),
        ("in July and August", "point", "2025-07-01", "2025-09-01"),
        ("for July and August", "point", "2025-07-01", "2025-09-01"),
        ("on Thursday and Friday", "point", "2025-05-15", "2025-05-17"),
        ("from 1 June until 15 June", "point", "2025-06-01", "2025-06-16"),
        ("last summer", "point", "2024-06-01", "2024-09-01"),
        ("summer of 2022", "point", "2022-06-01", "2022-09-01"),
        ("at Christmas", "point", "2025-12-25", "2025-12-26"),
    ],
)
def test_a_phrase_means_these_days(text: str, role: str, first: str, after: str) -> None:
    (found,) = spans(f"well, {text}!")
    assert found[1:] == (role, first, after)
    assert found[0] in text


@pytest.mark.parametrize("text", ["They come Friday.", "Please come Friday", "Will you come Friday?"])
def test_who_comes_on_a_day_does_not_say_that_something_begins(text: str) -> None:
    assert [(words, role) for words, role, *_ in spans(text)] == [("Friday", "point")]


def test_from_a_month_on_one_s_own_is_no_longer_phrase() -> None:
    assert [words for words, *_ in spans("from June on my own")] == ["from June"]


def test_before_something_ends_is_one_phrase() -> None:
    told = [words for words, *_ in spans("a race before the year ends, and another before the summer is over")]
    assert told == ["before the year ends", "before the summer is over"]


def test_as_of_a_month_that_is_to_come_is_the_next_one() -> None:
    assert [found[2:] for found in spans("As of March I'll be in Leeds")] == [("2026-03-01", "2026-04-01")]


@pytest.mark.parametrize(
    ("text", "words", "first", "after"),
    [
        ("we marry in August next year", "in August next year", "2026-08-01", "2026-09-01"),
        ("we marry August next year", "August next year", "2026-08-01", "2026-09-01"),
        ("on 3 June of last year", "on 3 June of last year", "2024-06-03", "2024-06-04"),
        ("June 3rd, last year", "June 3rd, last year", "2024-06-03", "2024-06-04"),
        ("last year, in June", "last year, in June", "2024-06-01", "2024-07-01"),
        ("next year at Christmas", "next year at Christmas", "2026-12-25", "2026-12-26"),
        ("in the spring of next year", "in the spring of next year", "2026-03-01", "2026-06-01"),
        ("the first week of June next year", "the first week of June next year", "2026-06-01", "2026-06-08"),
        ("in mid-June next year", "in mid-June next year", "2026-06-11", "2026-06-21"),
        ("in Q3 next year", "in Q3 next year", "2026-07-01", "2026-10-01"),
        ("in June 5 years ago", "in June 5 years ago", "2020-06-01", "2020-07-01"),
        ("two years ago in May", "two years ago in May", "2023-05-01", "2023-06-01"),
        ("in July and August next year", "in July and August next year", "2026-07-01", "2026-09-01"),
        ("from May 3 to June 5, 2027", "from May 3 to June 5, 2027", "2027-05-03", "2027-06-06"),
        ("from December to February 2028", "from December to February 2028", "2027-12-01", "2028-03-01"),
        ("from July 2025 to June 2027", "from July 2025 to June 2027", "2025-07-01", "2027-07-01"),
    ],
)
def test_the_year_that_is_told_beside_a_date_is_its_year(text: str, words: str, first: str, after: str) -> None:
    for prefer in ("future", "past"):
        assert [(found[0], *found[2:]) for found in spans(text, prefer)] == [(words, first, after)]


@pytest.mark.parametrize("text", ["I may next year go to Rome", "we march next year", "I fall next year"])
def test_a_word_before_a_year_is_no_month_by_its_letters_alone(text: str) -> None:
    assert [found[0] for found in spans(text)] == ["next year"]


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("away from the 16th to the 18th", "2025-05-16", "2025-05-19"),
        ("away from the 30th until the 2nd", "2025-05-30", "2025-06-03"),
        ("away from the 3rd to the 5th of July", "2025-07-03", "2025-07-06"),
    ],
)
def test_days_from_one_number_to_another_are_those_between(text: str, first: str, after: str) -> None:
    assert [found[2:] for found in spans(text)] == [(first, after)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("a week on Friday", "2025-05-23"),
        ("two weeks from Friday", "2025-05-30"),
        ("the Friday before last", "2025-05-02"),
        ("twice a week on Friday", "2025-05-16"),
        ("for two weeks, from Friday", "2025-05-16"),
    ],
)
def test_so_many_weeks_from_a_day_is_another_day(text: str, day: str) -> None:
    assert [begins for _, _, begins, _ in spans(text)][-1] == day


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("on Friday", "2025-05-09", "2025-05-10"),
        ("12 June", "2024-06-12", "2024-06-13"),
        ("in March", "2025-03-01", "2025-04-01"),
        ("in November", "2024-11-01", "2024-12-01"),
        ("over the weekend", "2025-05-10", "2025-05-12"),
        ("for two weeks", "2025-04-30", "2025-05-14"),
        ("29 February", "2024-02-29", "2024-03-01"),
    ],
)
def test_what_is_told_of_the_past_lies_in_the_past(text: str, first: str, after: str) -> None:
    assert [found[2:] for found in spans(text, "past")] == [(first, after)]


@pytest.mark.parametrize(
    "text",
    [
        "31 February", "2025-13-01", "2025-02-30", "in 9999 years", "12/06/2025", "I may go", "March on!", "every Friday", "twice a week",
        "Mondays are long", "I have 3 days left", "two weeks of rain", "1234567890", "at 5", "", "next", "the end of",
    ],
)  # fmt: skip
def test_what_names_no_day_is_left_out(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize(("year", "day"), [(2023, "2023-04-09"), (2024, "2024-03-31"), (2025, "2025-04-20"), (2026, "2026-04-05")])
def test_easter_is_where_the_calendar_has_it(year: int, day: str) -> None:
    assert spans(f"Easter {year}")[0][2] == day


def test_several_phrases_are_found_in_order() -> None:
    found = spans("On Friday I fly to Rome for two weeks, and by 12 June I must be back")
    assert [(words, role) for words, role, _, _ in found] == [("On Friday", "point"), ("for two weeks", "for"), ("by 12 June", "by")]


def test_positions_point_at_the_words() -> None:
    text = "we met on 3 July, three days ago"
    found = find_times(text, at=WEDNESDAY, zone=LISBON)
    assert [text[span.start : span.end] for span in found] == [span.text for span in found] == ["on 3 July", "three days ago"]


def test_a_day_begins_at_the_local_midnight() -> None:
    late = datetime(2025, 5, 14, 23, 30, tzinfo=UTC)  # already Thursday in Lisbon
    (span,) = find_times("tomorrow", at=late, zone=LISBON)
    assert span.begins == datetime(2025, 5, 15, 23, 0, tzinfo=UTC)


def test_a_day_on_which_the_clocks_change_has_its_own_length() -> None:
    (span,) = find_times("on 2025-03-30", at=WEDNESDAY, zone=LISBON)
    assert span.ends - span.begins == timedelta(hours=23)


@pytest.mark.parametrize("year", [1, 9999])
def test_the_edges_of_the_calendar_are_survived(year: int) -> None:
    for text in (
        "yesterday",
        "last year",
        "next month",
        "until the end of the year",
        "12 years ago",
        "in 12 years",
        "last weekend",
        "Easter",
    ):
        for day in (date(year, 1, 1), date(year, 12, 31)):
            at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
            assert all(isinstance(span, TimeSpan) for span in find_times(text, at=at, zone=UTC))


WORDS = st.sampled_from(
    "in on by for since until from to the a next last this end of Friday March 12 2025 31 February weeks days ago day before after two"
    " 2025-02-28 summer Easter weekend every between and may -".split()
)


MONTHS = [*calendar.month_name[1:], *calendar.month_abbr[1:]]
PARTS = sorted({*re.findall(r"[a-z]+", ATOMS.pattern.lower()), *MONTHS, "1st", "12", "2025", "2025-02-28", "31/12/2024", "weeks"})


@given(
    st.lists(st.sampled_from(PARTS), max_size=6), st.sampled_from([" ", "-", "  ", ", ", "_"]), st.sampled_from([str, str.upper, str.title])
)
def test_no_time_phrase_lacks_what_every_one_has(parts: list[str], between: str, written: Callable[[str], str]) -> None:
    text = written(between.join(parts))
    assert when.may_tell(text) or not ATOMS.search(text)


@given(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=25).map(" ".join)), st.sampled_from(["past", "future"]))
def test_any_text_gives_ordered_spans_that_last(text: str, prefer: Prefer) -> None:
    found = find_times(text, at=WEDNESDAY, zone=LISBON, prefer=prefer)
    assert all(span.begins < span.ends and text[span.start : span.end] == span.text for span in found)
    assert all(left.end <= right.start for left, right in pairwise(found))


@pytest.mark.parametrize(
    ("text", "prefer", "told"),
    [
        ("在5月6号我读了一本书", "past", [("5月6号", "2025-05-06")]),
        ("2024年12月31日と2025年1月2日に会った", "past", [("2024年12月31日", "2024-12-31"), ("2025年1月2日", "2025-01-02")]),
        ("5월 20일에 만나요", "future", [("5월 20일", "2025-05-20")]),
        ("on 3 May, 5月6日", "past", [("on 3 May", "2025-05-03"), ("5月6日", "2025-05-06")]),
        ("1823年5月6日", "past", []),
        ("13月40日, 2月31日, 3个月3日", "past", []),
    ],
)
def test_a_day_is_read_as_chinese_japanese_and_korean_write_it(text: str, prefer: Prefer, told: list[tuple[str, str]]) -> None:
    assert [(words, begins) for words, _, begins, _ in spans(text, prefer)] == told


def test_what_was_said_on_a_day_written_so_is_found_before_the_like_of_other_days(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        for day, bought in enumerate(("苹果", "西瓜", "葡萄", "香蕉", "草莓", "樱桃"), start=1):
            mem.observe(f"今天我买了{bought}", "真好", user_id="王峰", timestamp=f"2025-05-0{day}T10:00:00Z")
        found = mem.search("在5月3号我买了什么", user_id="王峰", now=WEDNESDAY, limit=2)
    assert {hit.fact.value_text for hit in found} == {"今天我买了葡萄", "真好"}


@pytest.mark.parametrize("query", ["在5月3号我买了什么", "5월 3일에 뭐 샀어?", "What did I buy on 3 May?"])
def test_a_day_without_a_year_may_be_that_of_years_ago(mem: memdb.Memory, query: str) -> None:
    times = mem.search(query, user_id="王峰", now=WEDNESDAY).question.times
    assert {begins.year for begins, _ in times} >= {2023, 2024, 2025}
    assert len(mem.search("在2023年5月3号我买了什么", user_id="王峰", now=WEDNESDAY).question.times) == 1
