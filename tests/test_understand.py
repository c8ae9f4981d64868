"""What a question is taken to ask for, and what that does to the ranking."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memdb
from memdb import cues
from memdb.answers import Question
from memdb.asked_times import BEFORE_DATE, spans_of, times_of
from memdb.embed import HashingEmbedder
from memdb.steps import understand as reading
from memdb.times import to_utc
from memdb.unspaced import words_of

NOW = "2025-06-10T12:00:00Z"


@pytest.fixture
def talk(mem: memdb.Memory) -> memdb.Memory:
    """A conversation of three people, one of whom has a name that is a word."""
    for speaker in ("Ana Silva", "Bob", "Will"):
        mem.load([{"speaker": speaker, "text": f"Hello, I'm {speaker}.", "timestamp": "2025-03-01"}], user_id="them")
    mem.observe("I like figs.", "You should try dates.", user_id="me")
    mem.drain()
    return mem


def asked(mem: memdb.Memory, query: str, user: str = "them") -> Question:
    return mem.search(query, user_id=user, now=NOW).question


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Where did Ana travel?", ("travel",)),
        ("What is Bob's job?", ("job",)),
        ("What is my sister's name?", ("sister", "name")),
        ("Bob", ("bob",)),
        ("What will they do?", ("what", "will", "they", "do")),
        ("Gdzie mieszka moja siostra?", ("mieszka", "siostra")),
        ("Hol lakik a nővérem?", ("hol", "lakik", "nővérem")),
        ("", ()),
    ],
)
def test_the_telling_words_are_kept(talk: memdb.Memory, query: str, terms: tuple[str, ...]) -> None:
    assert asked(talk, query).terms == terms


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        ("What did I do on September 3?", ["2024-09-03T04:00", "2023-09-03T04:00", "2022-09-03T04:00"]),
        ("What did I do in June?", ["2025-06-01T04:00", "2024-06-01T04:00", "2023-06-01T04:00"]),
        ("What did I do in December?", ["2024-12-01T05:00", "2023-12-01T05:00", "2022-12-01T05:00"]),
        ("What did we do at Easter?", ["2025-04-20T04:00", "2024-03-31T04:00", "2023-04-09T04:00"]),
        ("What did we do on 29 February?", ["2024-02-29T05:00", "2020-02-29T05:00", "2016-02-29T05:00"]),
    ],
)
def test_a_day_without_a_year_may_be_that_day_of_any_year_by_the_user_s_clocks(tmp_path: Path, query: str, begins: list[str]) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False, "timezone": "America/New_York"}) as mem:
        times = asked(mem, query).times
    assert [f"{time:%Y-%m-%dT%H:%M}" for time, _ in times[:3]] == begins
    assert len(times) == 11


@pytest.mark.parametrize(
    ("query", "meaning"),
    [
        ("Where did Ana travel?", "Where did travel?"),
        ("What is Bob's job?", "What is job?"),
        ("Bob?", "Bob"),
        ("What will they do?", "What will they do?"),
        ("Where does Carla live?", "Where does Carla live?"),
    ],
)
def test_names_of_those_who_speak_are_left_out_of_the_meaning(talk: memdb.Memory, query: str, meaning: str) -> None:
    assert asked(talk, query).meaning == meaning


@pytest.mark.parametrize("name", ["ana", "Ana"])
def test_who_speaks_by_the_id_of_the_user_is_meant_by_i(mem: memdb.Memory, name: str) -> None:
    mem.load([{"speaker": who, "text": f"I planted {what}."} for who, what in ((name, "tulips"), ("Bob", "leeks"))], user_id="ana")
    mem.drain()
    hits = mem.search("What did I plant?", user_id="ana", kinds=["message"])
    assert {hit.fact.speaker: hit.parts["actor"] for hit in hits} == {name: 1.0, "Bob": 0.0}


@pytest.mark.parametrize(
    ("query", "actor"),
    [
        ("Where did Ana travel?", "Ana Silva"),
        ("where did ana silva travel", "Ana Silva"),
        ("What did Ana and Bob plan?", None),
        ("Where will they go?", None),
        ("Where did Will go?", "Will"),
        ("What did I say?", None),
    ],
)
def test_the_one_who_is_asked_about_is_known(talk: memdb.Memory, query: str, actor: str | None) -> None:
    assert asked(talk, query).actor == actor


@pytest.mark.parametrize(
    ("query", "actor"),
    [
        ("What do I like?", "user"),
        ("What did you suggest to me?", "assistant"),
        ("What's my name?", "user"),
        ("What is good?", None),
        ("Which app was it you told me about?", "assistant"),
        ("How long did your recipe say it bakes?", "assistant"),
        ("Can you suggest a book?", "user"),
        ("What would you give a friend of ours?", "user"),
        ("Could you remind me what you’d recommended?", "assistant"),
    ],
)
def test_the_user_and_the_assistant_are_meant_by_i_and_you(talk: memdb.Memory, query: str, actor: str | None) -> None:
    assert asked(talk, query, "me").actor == actor


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        ("When did Ana move?", "time"), ("How long has she lived there?", "time"), ("On what date was it?", "time"),
        ("How many dogs has Bob?", "number"), ("Who is her doctor?", "person"), ("Where does Bob work?", "place"),
        ("Which city is it?", "place"), ("Why did Bob leave?", "reason"), ("Tell me about Bob", "other"), ("", "other"),
    ],
)  # fmt: skip
def test_what_would_answer_is_known(talk: memdb.Memory, query: str, intent: str) -> None:
    assert asked(talk, query).intent == intent


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ("Did Ana see New York?", ("new york",)),
        ('Who said "give it back"?', ("give it back",)),
        ("Has Bob read The Lord of the Rings?", ("lord of the rings",)),
        ("What did Bob do in March?", ()),
        ("New York " * 2_000, ()),  # a text in capitals, and no name
    ],
)
def test_what_belongs_together_is_a_phrase(talk: memdb.Memory, query: str, phrases: tuple[str, ...]) -> None:
    assert asked(talk, query).phrases == phrases


def test_times_in_the_question_are_resolved_against_now(talk: memdb.Memory) -> None:
    assert asked(talk, "What did Ana do yesterday?").times == ((datetime(2025, 6, 9, tzinfo=UTC), datetime(2025, 6, 10, tzinfo=UTC)),)
    [(begins, ends)] = asked(talk, "What did Ana do in March 2024?").times
    assert (begins, ends) == (datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 4, 1, tzinfo=UTC))


def test_a_month_without_a_year_may_be_of_any_recent_year(talk: memdb.Memory) -> None:
    years = {begins.year for begins, _ in asked(talk, "What did Ana do in March?").times}
    assert {2025, 2024, 2020} <= years


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("What did Ana do yesterday?", ("09 June 2025",)),
        ("What happened three days ago?", ("07 June 2025",)),
        ("What did I do on Friday?", ("06 June 2025",)),
        ("What do I have on Friday?", ("06 June 2025", "13 June 2025")),
        ("What happened last weekend?", ("07 June 2025", "08 June 2025")),
        ("What happened last week?", tuple(f"{day:02} June 2025" for day in range(2, 9))),
        ("What did we do last month?", ("May 2025",)),
        ("Where did I live last year?", ("2024",)),
        ("What did I do two months ago?", ("April 2025",)),
        ("What did I do a few years ago?", ("2022",)),
        ("What did I do two weeks ago?", tuple(f"{day:02} May 2025" for day in range(24, 31))),
        ("Where was Ana in the week before 16 November 2023?", tuple(f"{day:02} November 2023" for day in range(9, 16))),
        ("What did Ana do in the first week of March?", tuple(f"{day:02} March 2025" for day in range(1, 8))),
        ("What did Ana do in mid-January?", tuple(f"{day} January 2025" for day in range(11, 21))),
        ("What did Ana do at the end of May?", tuple(f"{day} May 2025" for day in range(25, 32))),
        ("What did Ana do at the end of last year?", ("December 2024",)),
        ("What did Ana do in the first quarter of 2024?", ("January 2024", "February 2024", "March 2024")),
        ("What did Ana do in the first quarter?", ("January 2025", "February 2025", "March 2025")),
        ("Who led in the first quarter of the game?", ()),
        ("What did Ana do on the first Monday of May?", ("05 May 2025",)),
        ("What did Ana do on Monday last week?", ("02 June 2025",)),
        ("What did Ana do a year ago today?", ("10 June 2024",)),
        ("What did Ana do the day after Christmas?", ("26 December 2024",)),
        ("What happened on New Year's Eve?", ("31 December 2024",)),
        ("What did Ana do at Christmas 2023?", ("25 December 2023",)),
        ("What did Ana do two weeks before Christmas?", tuple(f"{day:02} December 2024" for day in range(8, 15))),
        ("What did Ana do on 2025-06-05?", ("05 June 2025",)),
        ("What did Ana do on 5 June?", ("05 June 2025",)),
        ("What happened in 1850?", ()),
        ("What did Ana do in March?", ()),
        ("What did Ana do in 2024?", ()),
        ("What has Ana done since yesterday?", ()),
        ("What did Ana do before last Friday?", ()),
        ("What does Ana do every Friday?", ()),
        ("Where does Ana live?", ()),
    ],
)
def test_the_days_that_words_do_not_name_are_looked_for_as_the_index_writes_them(
    talk: memdb.Memory, query: str, days: tuple[str, ...]
) -> None:
    assert asked(talk, query).days == days


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("What did Ana buy three days ago?", ("buy",)),
        ("Who likes Friday Night Lights?", ("likes", "friday", "night", "lights")),
        ("What happened on 2025-06-05?", ("2025", "06", "05")),
        ("What topics did we talk about on June 5th?", ("june", "5th")),
        ("What did we discuss last Friday?", ("friday",)),
        ("What did we say about pottery last Friday?", ("say", "pottery", "friday")),
        ("What did I read two months ago?", ("read", "two", "months", "ago")),
        ("What did I do yesterday?", ()),
        ("Yesterday", ()),
    ],
)
def test_what_is_found_by_its_day_is_no_word(talk: memdb.Memory, query: str, terms: tuple[str, ...]) -> None:
    assert asked(talk, query).terms == terms


@pytest.mark.parametrize(
    ("query", "topics"),
    [
        ("What happened yesterday?", ()),
        ("What did Ana say on Monday?", ()),
        ("What did Ana buy three days ago?", ("buy",)),
        ("Who likes Sunday school?", ("likes", "school")),
        ("Where did Ana travel?", ("travel",)),
    ],
)
def test_what_a_question_is_about_is_more_than_when(talk: memdb.Memory, query: str, topics: tuple[str, ...]) -> None:
    assert asked(talk, query).topics == topics


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=120) | st.text(alphabet="Ana Bob\"'’?()*-.5 März中", max_size=60))
def test_any_text_is_understood_somehow(query: str, talk: memdb.Memory) -> None:
    question = asked(talk, query)
    assert question.meaning or not question.text
    assert len(question.terms) <= 64
    assert Question.model_validate(question.model_dump(), strict=True) == question, "what was read is not checked when it is made"
    assert set(vars(question)) == set(Question.model_fields)


# what it does to the ranking


def said(mem: memdb.Memory, *lines: tuple[str, str, str]) -> None:
    mem.load(({"speaker": who, "text": text, "timestamp": when, "session_id": when} for who, text, when in lines), user_id="them")
    mem.drain()


def test_the_words_of_the_one_asked_about_come_first(mem: memdb.Memory) -> None:
    said(mem, ("Bob", "I went to the lake.", "2025-03-01"), ("Ana", "I went to the lake.", "2025-03-01"))
    for who in ("Ana", "Bob"):
        assert mem.search(f"Did {who} go to the lake?", user_id="them", kinds=["message"])[0].fact.speaker == who


def test_a_question_counts_less_than_its_answer(mem: memdb.Memory) -> None:
    said(mem, ("Bob", "Which lake was it, the big lake?", "2025-03-01"), ("Ana", "The big lake, it was the lake.", "2025-03-02"))
    first, second = mem.search("big lake", user_id="them", kinds=["message"])
    assert (first.parts["is_question"], second.parts["is_question"]) == (0.0, 1.0)


def test_what_only_reacts_counts_less_than_what_tells(mem: memdb.Memory) -> None:
    said(mem, ("Bob", "Wow, the lake!", "2025-03-01"), ("Ana", "By the lake.", "2025-03-02"))
    reacts = {hit.fact.value_text: hit.contributions["is_reaction"] for hit in mem.search("the lake", user_id="them", kinds=["message"])}
    assert reacts["Wow, the lake!"] < reacts["By the lake."] == 0.0


@pytest.mark.parametrize("text", ["That's the lake!", "That’s the lake!", "Great!! The lake", "yeah… the lake", "COOL, the lake"])
def test_a_reaction_is_told_by_its_first_word(mem: memdb.Memory, text: str) -> None:
    said(mem, ("Ana", text, "2025-03-01"))
    assert mem.search("lake", user_id="them", kinds=["message"])[0].parts["is_reaction"] == 1.0


@pytest.mark.parametrize("text", ["Greatness of the lake", "The lake was great", "¡Genial, el lago! lake", "すごい、湖 lake", "lake"])
def test_other_words_and_languages_are_no_reactions(mem: memdb.Memory, text: str) -> None:
    said(mem, ("Ana", text, "2025-03-01"))
    assert mem.search("lake", user_id="them", kinds=["message"])[0].parts["is_reaction"] == 0.0


def test_a_message_that_tells_a_number_counts_more(mem: memdb.Memory) -> None:
    said(mem, ("Ana", "The lake is some metres deep.", "2025-03-01"), ("Ana", "The lake is 40 metres deep.", "2025-03-01"))
    first, second = mem.search("How deep is the lake?", user_id="them", kinds=["message"])
    assert first.fact.value_text == "The lake is 40 metres deep."
    assert (first.parts["has_number"], second.parts["has_number"]) == (1.0, 0.0)


def test_asked_when_what_tells_a_time_comes_first(mem: memdb.Memory) -> None:
    said(mem, ("Ana", "We went to the lake, all of us.", "2025-03-01"), ("Ana", "We went to the lake last week.", "2025-03-02"))
    assert mem.search("When did they go to the lake?", user_id="them", kinds=["message"])[0].parts["has_time"] == 1.0
    assert {hit.parts["has_time"] for hit in mem.search("Did they go to the lake?", user_id="them", kinds=["message"])} == {0.0}


def test_a_date_in_the_question_prefers_what_was_said_or_happened_then(mem: memdb.Memory) -> None:
    said(mem, *(("Ana", "We went to the lake.", f"2025-0{month}-15") for month in range(1, 7)))
    hits = mem.search("the lake in March 2025", user_id="them", kinds=["message"])
    assert hits[0].fact.valid_from.month == 3
    assert hits[0].parts["date"] == 1.0
    assert all(hit.parts["date"] < 0.2 for hit in hits[1:])


def diary(mem: memdb.Memory) -> None:
    """Five lines a day for sixty days until the day before `NOW`, each day's like the others'."""
    for day in range(60):
        when = datetime(2025, 6, 9, 9, tzinfo=UTC) - timedelta(days=day)
        lines = (
            "We went to the market",
            "I saw Bob at the lake",
            "I read a book",
            "My mother called",
            "It rained",
        )
        mem.load([{"text": line, "timestamp": when + timedelta(hours=hour)} for hour, line in enumerate(lines)], user_id="me")
    mem.drain()


@pytest.mark.parametrize("embedded", [False, True])
def test_what_was_said_on_a_day_is_found_by_where_it_lies_from_today(tmp_path: Path, embedded: bool) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64) if embedded else None, llm=None, config={"worker": False}) as mem:
        diary(mem)
        for query, day in (
            ("What happened yesterday?", "09"),
            ("Where did we go on Saturday?", "07"),
            ("What did I say 3 days ago?", "07"),
        ):
            hits = mem.search(query, user_id="me", now=NOW, limit=5)
            assert [hit.fact.valid_from.strftime("%d %B") for hit in hits] == [f"{day} June"] * 5, query


def test_what_was_told_of_a_day_is_found_by_it_whenever_it_was_told(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        diary(mem)
        mem.observe("The day before yesterday I ran a marathon.", user_id="me", timestamp="2025-06-09T20:00:00Z")
        mem.drain()
        for query in ("What did I do 3 days ago?", "What did I do yesterday?"):
            said = [hit.fact.value_text for hit in mem.search(query, user_id="me", now=NOW, kinds=["message"])]
            assert "The day before yesterday I ran a marathon." in said


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I have a dentist appointment on Friday.", "2025-06-13"),
        ("I booked a table for Friday.", "2025-06-13"),
        ("On Friday I booked a table.", "2025-06-06"),
        ("And on Friday evening, my sister finally booked the flights.", "2025-06-06"),
        ("On Friday I'm booked for a massage.", "2025-06-13"),
        ("On Friday I have a massage booked.", "2025-06-13"),
        ("It was fun. We're going to Faro in July!", "2025-07-01"),
        ("We went to Faro on Friday.", "2025-06-06"),
        ("Friday was great! We're going again.", "2025-06-06"),
        ("In July we went to Faro.", "2024-07-01"),
        ("I have seen her on Monday.", "2025-06-09"),
        ("Yesterday I ran, and I'm tired.", "2025-06-09"),
    ],
)
def test_a_message_tells_of_the_last_friday_or_of_the_next(mem: memdb.Memory, text: str, day: str) -> None:
    mem.observe(text, user_id="me", timestamp=NOW)
    mem.drain()
    [told] = mem.facts("me", kinds=["message"])
    assert told.event_time is not None
    assert f"{told.event_time:%Y-%m-%d}" == day


@pytest.mark.parametrize(
    ("text", "first", "others"),
    [
        ("I saw Ana on Monday and we'll meet again on Friday.", "2025-06-09", ["2025-06-13"]),
        ("On Monday I saw Ana; on Friday, we'll go out.", "2025-06-09", ["2025-06-13"]),
        ("I met Ana on Monday, and Bob on Friday.", "2025-06-09", ["2025-06-06"]),
        ("I talked to Ana and we'll meet on Friday.", "2025-06-13", []),
        ("We'll meet on Friday and on Sunday.", "2025-06-13", ["2025-06-15"]),
        ("We hiked last weekend.", "2025-06-07", ["2025-06-08"]),
        ("I'm in Faro until Saturday.", "2025-06-10", ["2025-06-14"]),
        ("We stayed for two weeks in March.", "2025-03-01", []),
        ("Every Monday I swim, and yesterday I ran; today I rest.", "2025-06-09", []),
        (" ".join(f"I ran on {day} May." for day in range(1, 9)), "2025-05-01", ["2025-05-02", "2025-05-03", "2025-05-04"]),
    ],
)
def test_a_message_keeps_the_days_of_which_it_tells(mem: memdb.Memory, text: str, first: str, others: list[str]) -> None:
    mem.observe(text, user_id="me", timestamp=NOW)
    mem.drain()
    [told] = mem.facts("me", kinds=["message"])
    assert told.event_time is not None
    assert f"{told.event_time:%Y-%m-%d}" == first
    assert told.value_json == ({"also_on": others} if others else None)


def test_a_message_is_found_by_every_day_of_which_it_tells(tmp_path: Path) -> None:
    told = "I saw Ana on Saturday and we'll meet again on Friday."
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        diary(mem)
        mem.observe(told, user_id="me", timestamp="2025-06-09T20:00:00Z")
        mem.drain()
        for query, now in (("What did I do on Friday?", "2025-06-16"), ("What did I do on Saturday?", "2025-06-10")):
            assert told in [hit.fact.value_text for hit in mem.search(query, user_id="me", now=f"{now}T12:00:00Z", kinds=["message"])]


def test_the_days_of_a_message_change_with_it_and_go_with_it(mem: memdb.Memory) -> None:
    mem.observe("I saw Ana on Monday and we'll meet again on Friday.", user_id="me", timestamp=NOW)
    mem.drain()
    connection = mem._store.database().connection
    found = "select count(*) from facts_fts where facts_fts match 'date : \"{} june 2025\"' and rowid = (select id from message_traits)"
    assert connection.execute(found.format(13)).get == 1
    connection.execute("update facts set value_json = json_object('also_on', json_array('2025-06-20')) where kind = 'message'")
    assert [connection.execute(found.format(day)).get for day in (13, 20)] == [0, 1]
    mem.forget("me")
    assert connection.execute(found.format(20)).get == 0


@pytest.fixture
def conversations(mem: memdb.Memory) -> memdb.Memory:
    """Three, the last of them today; in the first somebody speaks of one before it."""
    for day, text in (("04-10", "We talked about my knee last time."), ("05-20", "The roof is leaking again."), ("06-10", "Good morning!")):
        mem.observe(text, user_id="me", timestamp=f"2025-{day}T09:00:00Z")
    mem.drain()
    return mem


@pytest.mark.parametrize(
    "query",
    ["What did we talk about last time?", "What did I tell you in our previous chat?", "Where did we leave off?", "When did we last talk?",
     "What did I say the last time we spoke?", "Last time we talked I told you something, what was it?", "What was our last conversation about?"],
)  # fmt: skip
def test_the_last_conversation_is_the_one_before_today(conversations: memdb.Memory, query: str) -> None:
    hits = conversations.search(query, user_id="me", now=NOW, kinds=["message"])
    assert hits.question.days == ("20 May 2025",)
    assert hits[0].fact.value_text == "The roof is leaking again."
    assert conversations.search(query, user_id="somebody else", now=NOW).question.days == ()


@pytest.mark.parametrize(
    "query",
    ["Remind me where I parked", "can you remind me where I parked?", "I can’t remember where I parked", "Did I tell you where I parked?"],
)
def test_what_leads_into_a_question_is_no_part_of_it(mem: memdb.Memory, query: str) -> None:
    mem.remember("Parked at the multi-storey, level 5", user_id="me")
    hits = mem.search(query, user_id="me")
    assert (hits.question.terms, hits.question.intent, hits.question.meaning.rstrip("?")) == (("parked",), "place", "where I parked")
    assert [hit.fact.value_text for hit in hits] == ["Parked at the multi-storey, level 5"]


@pytest.mark.parametrize("query", ["Remind me to call Rita", "I remember the sea", "ok, cool", "Do you know Rita?"])
def test_what_leads_into_no_question_is_searched_for(mem: memdb.Memory, query: str) -> None:
    assert mem.search(query, user_id="me").question.meaning == query


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("Who did I lend the tent to?", "I lent it to Felix"),
        ("What did I break?", "My phone is broken"),
        ("Which fee was paid?", "I have to pay the hygienist"),
    ],
)
def test_an_irregular_verb_is_found_in_its_other_forms(mem: memdb.Memory, query: str, said: str) -> None:
    mem.remember(said, user_id="me")
    assert [hit.fact.value_text for hit in mem.search(query, user_id="me")] == [said]


@pytest.mark.parametrize(
    "query",
    ["What did we talk about in our first conversation?", "What was our very first chat about?", "When did we first talk?",
     "What did I tell you the first time we talked?", "What did you say when we first met?", "What did I say in my first chat with you?"],
)  # fmt: skip
def test_the_first_conversation_is_that_of_the_first_day(conversations: memdb.Memory, query: str) -> None:
    hits = conversations.search(query, user_id="me", now=NOW, kinds=["message"])
    assert hits.question.days == ("10 April 2025",)
    assert hits[0].fact.value_text == "We talked about my knee last time."
    assert conversations.search(query, user_id="somebody else", now=NOW).question.days == ()


@pytest.mark.parametrize(
    "query",
    ["When was the first time I talked about Japan?", "What did my wife wear when we first met?", "What was our first conversation with Marta?",
     "What did we say in our first conversation about Rome?", "How was my first talk at the library?"],
)  # fmt: skip
def test_what_else_was_first_is_no_conversation(conversations: memdb.Memory, query: str) -> None:
    assert conversations.search(query, user_id="me", now=NOW).question.days == ()


@pytest.mark.parametrize(
    "query",
    ["When was the last time I talked about Japan?", "What did I order last time?", "Who won last time?", "How was my last session at the gym?",
     "What did I say the last time I was in Faro?", "What was in the last chat with Marta?", "What did I say at the end?"],
)  # fmt: skip
def test_what_else_was_last_is_no_conversation(conversations: memdb.Memory, query: str) -> None:
    assert conversations.search(query, user_id="me", now=NOW).question.days == ()


def test_what_else_the_last_conversation_was_about_is_no_time(conversations: memdb.Memory) -> None:
    question = conversations.search("What did we say in our last conversation about March?", user_id="me", now=NOW).question
    assert (question.days, len(question.times)) == (("20 May 2025",), 1)
    assert "march" in question.topics


@pytest.fixture
def today(mem: memdb.Memory) -> memdb.Memory:
    """Two days of a conversation, each with what resembles a question more than the last message does."""
    for at, text, reply in (
        ("09T09", "The thing I told you was a secret.", "You just told me."),
        ("10T07", "Good morning!", "What did you say first?"),
        ("10T08", "My first lamp broke.", "I just suggest a new one."),
        ("10T09", "In March it rained", "Rain is wet"),
    ):
        mem.observe(text, reply, user_id="me", timestamp=f"2025-06-{at}:00:00Z")
    mem.drain()
    return mem


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("What was the last thing I told you?", "In March it rained"),
        ("What did I just tell you?", "In March it rained"),
        ("What did I tell you last?", "In March it rained"),
        ("What was my last message?", "In March it rained"),
        ("What did you just say?", "Rain is wet"),
        ("What did I say first today?", "Good morning!"),
        ("What was the last thing I said yesterday?", "The thing I told you was a secret."),
        ("What was the very first thing I ever told you?", "The thing I told you was a secret."),
        ("What was the first thing you said on Monday?", "You just told me."),
    ],
)
def test_what_was_said_last_or_first_is_found_by_its_place(today: memdb.Memory, query: str, text: str) -> None:
    for minute, role in enumerate(("tool", "system"), 1):  # what they put into a chat is none of the talk
        today.observe("You are a helpful assistant", user_id="me", speaker=role, timestamp=f"2025-06-10T09:0{minute}:00Z")
        today.observe("You are a helpful assistant", user_id="me", speaker=role, timestamp=f"2025-06-09T08:0{minute}:00Z")
    today.observe(query, user_id="me", timestamp="2025-06-10T11:00:00Z")  # the question may be kept before it is searched for
    today.drain()
    hits = today.search(query, user_id="me", now=NOW)
    assert (hits[0].fact.value_text, hits[0].parts["position"]) == (text, 1.0)
    assert hits.question.terms == ()


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("What did I tell you in the last hour?", ["In March it rained"]),
        (
            "What did we talk about in the last three hours?",
            ["Rain is wet", "In March it rained", "I just suggest a new one.", "My first lamp broke."],
        ),
        ("What did I tell you an hour ago?", ["In March it rained"]),
        ("What did you say about two hours ago?", ["I just suggest a new one."]),
        ("What did I say this morning?", ["In March it rained", "My first lamp broke.", "Good morning!"]),
        ("What did I tell you yesterday morning?", ["The thing I told you was a secret."]),
        ("What have I told you so far in this conversation?", ["In March it rained", "My first lamp broke."]),
        ("What did I tell you earlier?", ["In March it rained", "My first lamp broke."]),
        ("What did I say at the beginning of this conversation?", ["My first lamp broke.", "In March it rained"]),
        ("What did I tell you this afternoon?", []),
        ("What did I tell you about the lamp an hour ago?", []),
        ("What did Marta do this morning?", []),
        ("What did I say an eternity of hours ago?", []),
    ],
)
def test_what_was_said_at_some_time_of_a_day_or_in_this_conversation_is_found_by_that(
    mem: memdb.Memory, query: str, texts: list[str]
) -> None:  # fmt: skip
    for session, at, text, reply in (
        ("a", "09T09:00", "The thing I told you was a secret.", "You just told me."),
        ("a", "10T07:00", "Good morning!", "What did you say first?"),
        ("b", "10T08:00", "My first lamp broke.", "I just suggest a new one."),
        ("b", "10T09:15", "In March it rained", "Rain is wet"),
        ("b", "10T10:00", query, ""),
    ):
        mem.observe(text, reply, user_id="me", session_id=session, timestamp=f"2025-06-{at}:00Z")
    mem.drain()
    hits = mem.search(query, user_id="me", now="2025-06-10T10:05:00Z", kinds=["message"])
    connection = mem._store.database().connection
    assert [connection.execute("select value_text from facts where id = ?", (id,)).get for id in hits.question.said] == texts
    assert [hit.fact.value_text for hit in hits][: len(texts[:1])] == texts[:1]


def test_what_happened_since_we_last_spoke_is_no_longer_ago(conversations: memdb.Memory) -> None:
    [(begins, ends)] = conversations.search("What happened since we last spoke?", user_id="me", now=NOW).question.times
    assert (f"{begins:%m-%d}", ends) == ("05-20", to_utc(NOW))


@pytest.mark.parametrize(
    ("query", "order"),
    [("What was the last thing I told you about the lamp?", "last"), ("What did I just buy?", None), ("Did I just tell you that?", None),
     ("What did I say last week?", None), ("What did you say first aid was?", None), ("I just told you what I like.", None)],
)  # fmt: skip
def test_what_is_asked_for_by_more_than_its_place_is_found_by_that(today: memdb.Memory, query: str, order: str | None) -> None:
    question = today.search(query, user_id="me", now=NOW).question
    assert (question.said, question.order) == ((), order)


def test_of_a_question_for_the_last_word_on_something_that_is_what_is_looked_for(today: memdb.Memory) -> None:
    hits = today.search("What was the last thing I told you about the lamp?", user_id="me", now=NOW, kinds=["message"])
    assert (hits.question.terms, hits[0].fact.value_text) == (("lamp",), "My first lamp broke.")


def test_what_was_lately_is_preferred_to_what_was_long_ago(mem: memdb.Memory) -> None:
    for day in ("2025-05-28", "2024-05-28", "2023-05-28"):
        mem.observe(f"I bought a lamp of {day[:4]}.", user_id="me", timestamp=f"{day}T09:00:00Z")
    mem.drain()
    for query in ("What have I bought lately?", "Which lamp have I recently bought?", "Did I buy a lamp in recent weeks?"):
        said = [hit.fact.value_text for hit in mem.search(query, user_id="me", now=NOW, kinds=["message"])]
        assert (said[0], len(said)) == ("I bought a lamp of 2025.", 3)
    assert mem.search("What did I do most recently?", user_id="me", now=NOW).question.times == ()
    assert mem.search("What is my sister working on lately?", user_id="me", now=NOW).question.present


def test_a_birthday_is_a_day_where_it_is_known(mem: memdb.Memory) -> None:
    question = "What did I do on my birthday?"
    assert mem.search(question, user_id="me", now=NOW).question.days == ()
    mem.observe("My birthday is on 12 May", user_id="me", timestamp="2025-01-01T09:00:00Z")
    mem.drain()
    assert mem.search(question, user_id="me", now=NOW).question.days == ("12 May 2025",)
    assert mem.search("What is planned for my next birthday?", user_id="me", now=NOW).question.days == ("12 May 2026",)
    assert mem.search("What did I do the day before my birthday?", user_id="me", now=NOW).question.days == ("11 May 2025",)


def test_a_day_is_the_user_s_own(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "timezone": "Pacific/Auckland"}) as mem:
        mem.load(
            [{"text": f"Line {hour}", "timestamp": f"2025-06-09T{hour:02}:00:00Z"} for hour in (11, 13)], user_id="me"
        )  # 23:00 and 01:00
        mem.drain()
        hits = mem.search("What happened yesterday?", user_id="me", now="2025-06-10T18:00:00Z")  # the morning of the 11th
        assert [hit.fact.value_text for hit in hits] == ["Line 13"]


def test_that_something_was_said_on_the_day_is_no_answer_to_a_question_about_more(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        diary(mem)
        decisions = {}
        for query in ("What happened yesterday?", "What did my mother do yesterday?", "What did the dentist say yesterday?"):
            verdict = mem.assess(query, user_id="me", now=NOW).verdict
            decisions[query] = verdict and verdict.decision
        assert list(decisions.values()) == ["answer", "answer", "abstain"]


def test_an_answer_is_found_by_the_question_before_it(mem: memdb.Memory) -> None:
    turns = (("Bob", "Where did you adopt the puppy?"), ("Ana", "In Faro."))
    mem.load(({"speaker": who, "text": text, "session_id": "s"} for who, text in turns), user_id="them")
    mem.drain()
    hits = mem.search("Where did Ana adopt the puppy?", user_id="them", kinds=["message"])
    assert {hit.fact.value_text: hit.parts["lexical"] > 0 for hit in hits}["In Faro."]
    assert [hit.fact.value_text for hit in mem.search("puppy", user_id="them", weights="lexical-only")] == [
        "Where did you adopt the puppy?"
    ]


def test_who_speaks_is_read_from_the_index_however_many_messages_there_are(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.load(({"speaker": f"S{number % 300}", "text": "x"} for number in range(600)), user_id="them")
        rows = mem._store.database().all("understand.participants", user_id="them")
        assert 100 <= len(rows) <= 200  # in a crowd of hundreds a name tells much, and is left in


def test_an_assistant_s_numbers_tell_nothing(mem: memdb.Memory) -> None:
    mem.observe("Which lakes are deep?", "1. Baikal 2. Tanganyika 3. the Caspian lake", user_id="them", turn_id="t1")
    mem.drain()
    by = {hit.fact.speaker: hit.parts["has_number"] for hit in mem.search("lake", user_id="them", kinds=["message"])}
    assert by["assistant"] == 0.0


def test_the_numbers_of_a_system_or_a_tool_tell_nothing(mem: memdb.Memory) -> None:
    mem.load([{"speaker": role, "text": "The lake is 40 metres deep."} for role in ("system", "Tool", "Ana")], user_id="them")
    by = {hit.fact.speaker: hit.parts["has_number"] for hit in mem.search("lake", user_id="them", kinds=["message"])}
    assert by == {"system": 0.0, "Tool": 0.0, "Ana": 1.0}


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("When was the last time I went running?", "last"),
        ("When did I last see the dentist?", "last"),
        ("What have I read most recently?", "last"),
        ("What was the last film I watched?", "last"),
        ("Which was my latest job?", "last"),
        ("When did we first meet?", "first"),
        ("When was the first time I went to Faro?", "first"),
        ("What did I do last week?", None),
        ("What did I buy last May?", None),
        ("What is my last name?", None),
        ("Where did we go last?", "last"),
        ("What did she cook for the first time?", None),
        ("What was my first job?", None),
        ("What were the last two books I read?", None),
        ("When did I first and last see her?", None),
        ("Where do I live?", None),
    ],
)
def test_it_is_told_whether_the_first_or_the_last_is_wanted(talk: memdb.Memory, query: str, order: str | None) -> None:
    assert asked(talk, query).order == order


@pytest.mark.parametrize("embedded", [False, True])
def test_the_last_and_the_first_of_what_fits_come_first(tmp_path: Path, embedded: bool) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64) if embedded else None, llm=None, config={"worker": False}) as mem:
        texts = ("I went running in the park", "My mother called", "I went running in the rain", "It rained", "I went running by the river")
        for week, text in enumerate((*texts, "I bought shoes", "When did I last go running?")):
            when = datetime(2025, 2, 1, 9, tzinfo=UTC) + timedelta(weeks=week)
            mem.observe(text, user_id="me", session_id=str(week), timestamp=when)
        mem.observe("I'm going running in the dunes tomorrow.", user_id="me", timestamp="2025-06-10T09:00:00Z")  # that is to come
        mem.drain()
        for query, text in (("When was the last time I went running?", texts[4]), ("When was the first time I went running?", texts[0])):
            hits = mem.search(query, user_id="me", now=NOW, kinds=["message"])
            assert (hits[0].fact.value_text, hits[0].parts["position"]) == (text, 1.0)
        assert {hit.parts["position"] for hit in mem.search("When did I go running?", user_id="me", now=NOW)} == {0.0}


@pytest.mark.parametrize("embedded", [False, True])
def test_asked_what_is_so_now_what_tells_of_a_change_comes_first(tmp_path: Path, embedded: bool) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64) if embedded else None, llm=None, config={"worker": False}) as mem:
        texts = ("I take the 8:15 train", "I take the 7:40 train now", "I take the 7:20 train now", "It rains now")
        for week, text in enumerate((*texts, "Which train do I take now?")):
            when = datetime(2025, 2, 1, 9, tzinfo=UTC) + timedelta(weeks=week)
            mem.observe(text, user_id="me", session_id=str(week), timestamp=when)
        mem.drain()
        hits = mem.search("Which train do I take?", user_id="me", now=NOW, kinds=["message"])
        counted = {hit.fact.value_text: hit.parts["knowledge_update"] for hit in hits}
        assert hits[0].fact.value_text == texts[2]
        assert {text: counted.get(text, 0.0) for text in texts} == dict(zip(texts, (0.0, 0.0, 1.0, 0.0), strict=True))
        for query in ("Which train did I take?", "When did I last take the train?", "trains"):
            assert {hit.parts["knowledge_update"] for hit in mem.search(query, user_id="me", now=NOW)} == {0.0}, query


@pytest.mark.parametrize(
    ("text", "speaker", "tells"),
    [
        ("I'm at Siemens now.", None, 2),
        ("Now, I am at Siemens", "Ana", 2),
        ("We've MOVED!", None, 2),
        ("I don't smoke any more;", None, 2),
        ("I took the bus yesterday, but I'm on a new train now.", None, 2),
        ("I know nothing of snow, nor of newts.", None, 1),
        ("J'habite à Lyon, mais je travaille ici", None, 1),
        ("Ich arbeite jetzt bei Bosch.", None, 2),
        ("Ich habe kein Auto mehr.", None, 2),
        ("Je ne fume plus.", None, 2),
        ("Je n’ai plus de voiture.", None, 2),
        ("Ya no fumo.", None, 2),
        ("Não bebo mais café.", None, 2),
        ("Non bevo più caffè.", None, 2),
        ("Ik rook niet meer.", None, 2),
        ("J'habite plus près du parc.", None, 1),
        ("Mi jefe ya vive en Madrid.", None, 1),
        ("Gosto mais de chá.", None, 1),
        ("Mi piace di più il tè, prima di cena corro.", None, 1),
        ("Ik woon dicht bij het meer.", None, 1),
        ("Ich wohne hier.", None, 1),
        ("Gestern bin ich mit dem Bus gefahren.", None, 0),
        ("Il y a deux ans, j'étais à Rome.", None, 0),
        ("Ayer fui en autobús.", None, 0),
        ("Ontem fui de autocarro.", None, 0),
        ("Due anni fa ero a Roma.", None, 0),
        ("Gisteren nam ik de bus.", None, 0),
        ("word " * 300 + "now", None, 1),
        ("I took the bus yesterday.", None, 0),
        ("I'd move if I had the money", None, 0),
        ("I also speak Spanish", None, 0),
        ("Are you at Siemens now?", None, None),
        ("You are at Siemens now.", "assistant", None),
        *[("The user is at Siemens now.", role, None) for role in ("System", "developer", "tool", "function", "Assistant")],
    ],
)
def test_what_a_message_tells_of_a_change_is_seen_by_its_words(
    mem: memdb.Memory, text: str, speaker: str | None, tells: int | None
) -> None:
    mem.load([{"text": text, "speaker": speaker}], user_id="them")
    rows = mem._store.database().connection.execute("select tells_update from message_updates").fetchall()
    assert rows == ([] if tells is None else [(tells,)])


def test_words_that_tell_a_change_can_be_put_into_the_file_and_taken_out(mem: memdb.Memory) -> None:
    mem.load([{"text": "As of late I'm at Siemens.", "speaker": None}, {"text": "I once quit.", "speaker": None}], user_id="them")
    connection = mem._store.database().connection
    tells = "select tells_update from message_updates order by id"
    assert connection.execute(tells).fetchall() == [(1,), (2,)]
    connection.execute("insert into update_cues (says, language, cue) values (2, 'en', ' as of late ')")
    connection.execute("delete from update_cues where cue = ' quit '")
    assert connection.execute(tells).fetchall() == [(2,), (0,)]


@pytest.mark.parametrize(
    ("later", "counts"), [("I take the 7:40 train", True), ("I took the 7:40 train yesterday", False), ("The trains are late now", False)]
)
def test_asked_of_the_user_the_last_of_what_fits_counts(mem: memdb.Memory, later: str, counts: bool) -> None:
    mem.observe("I take the 8:15 train", user_id="me", timestamp="2025-02-01T09:00:00Z")
    mem.observe(later, user_id="me", timestamp="2025-03-01T09:00:00Z")
    mem.drain()
    parts = {
        hit.fact.value_text: hit.parts["knowledge_update"] for hit in mem.search("Which train do I take?", user_id="me", kinds=["message"])
    }
    assert parts == {"I take the 8:15 train": 0.0, later: float(counts)}


ASKS = [*reading._INTENTS.values(), BEFORE_DATE, cues._PAST, cues._CHANGE]
PARTS = sorted(
    {part for pattern in ASKS for part in re.findall(r"[A-Za-z']{2,}|[?,.]", pattern.pattern)} | {"I", "moved", "Ana", "any more"}
)


@given(st.lists(st.sampled_from(PARTS), max_size=6).map(" ".join), st.sampled_from([str, str.upper, str.title]))
def test_whatever_asks_for_something_has_one_of_the_words_that_ask(text: str, written: Callable[[str], str]) -> None:
    asks = not reading._ASKING.isdisjoint(words_of(written(text)))
    assert asks or not any(pattern.search(written(text)) for pattern in ASKS)


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("What did I eat the day before yesterday?", "2026-03-16", "2026-03-16"),
        ("What did I tell you last night?", "2026-03-17", "2026-03-17"),
        ("What did I say this morning?", "2026-03-18", "2026-03-18"),
        ("What am I doing tonight?", "2026-03-18", "2026-03-18"),
        ("What did I do the night before last?", "2026-03-16", "2026-03-16"),
        ("What did I do a week ago today?", "2026-03-11", "2026-03-11"),
        ("What did I do a week ago yesterday?", "2026-03-10", "2026-03-10"),
        ("What do I have a week from tomorrow?", "2026-03-26", "2026-03-26"),
        ("What did I do on Friday?", "2026-03-13", "2026-03-13"),
        ("What do I have on Friday?", "2026-03-20", "2026-03-20"),
        ("What did I do over the weekend?", "2026-03-14", "2026-03-15"),
        ("What did I do the weekend before last?", "2026-03-07", "2026-03-08"),
        ("What did I do the week before last?", "2026-03-02", "2026-03-08"),
        ("What is on the week after next?", "2026-03-30", "2026-04-05"),
        ("What did I do the month before last?", "2026-01-01", "2026-01-31"),
        ("Where did I go the year before last?", "2024-01-01", "2024-12-31"),
        ("What happened on the 3rd?", "2026-03-03", "2026-03-03"),
        ("What did I do on the 25th?", "2026-02-25", "2026-02-25"),
        ("What did I do on the 31st?", "2026-01-31", "2026-01-31"),
        ("What do I have on the 25th?", "2026-03-25", "2026-03-25"),
        ("What did I do in the last few days?", "2026-03-15", "2026-03-18"),
        ("What did I say in the past couple of weeks?", "2026-03-04", "2026-03-18"),
        ("What did I do since Christmas?", "2025-12-25", "2026-03-18"),
        ("What have I read so far this year?", "2026-01-01", "2026-12-31"),
        ("Where did I go in the summer of 2023?", "2023-06-01", "2023-08-31"),
        ("What did I do on Good Friday?", "2025-04-18", "2025-04-18"),
        ("What did I do on Easter Monday 2024?", "2024-04-01", "2024-04-01"),
        ("What did I do on Boxing Day?", "2025-12-26", "2025-12-26"),
        ("What did I do between Easter and Whitsun?", "2025-04-20", "2025-06-08"),
    ],
)
def test_a_question_means_these_days(query: str, first: str, last: str) -> None:
    zone, now = ZoneInfo("Europe/Berlin"), datetime(2026, 3, 18, 9, tzinfo=UTC)  # a Wednesday
    times = times_of(spans_of(query, now=now, zone=zone), now=now, zone=zone)
    days = [tuple(f"{at.astimezone(zone):%Y-%m-%d}" for at in (begins, ends - timedelta(seconds=1))) for begins, ends in times]
    assert (first, last) in days[:2]


@pytest.mark.parametrize(
    "query",
    ["Who lives on the 3rd floor?", "What is on the 2nd page?", "Who came in on the 1st try?", "What did I do on the 32nd?", "Who was on the 5th of them?",
     "What did I say on the 3.5th?"],
)  # fmt: skip
def test_what_else_is_counted_is_no_day(query: str) -> None:
    assert spans_of(query, now=to_utc(NOW), zone=UTC) == []


def test_the_week_before_last_is_another_where_it_says_of_what() -> None:
    spans = spans_of("What did I do the week before last Christmas?", now=to_utc(NOW), zone=UTC)
    assert [span.text for span in spans] == ["the week before last Christmas"]


ECHOES = {"What is my dog called?", "Hi! What is my dog called?"}
TOLD = ["I have a dog called Bica.", "Bica is my dog. What is your dog called?", "My dog is called what? Bica.", "The sea is salt."]


@pytest.mark.parametrize("embedder", [None, "hashing-384"])
def test_what_only_asked_the_same_before_is_hardly_an_answer(tmp_path: Path, embedder: str | None) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"worker": False}) as mem:
        for day, text in enumerate([*sorted(ECHOES), *TOLD], 1):
            mem.observe(text, user_id="me", timestamp=f"2025-03-{day:02}", session_id=str(day))
        mem.drain()
        hits = mem.search("What is my dog called?", user_id="me", now=NOW, kinds=["message"])
        assert {hit.fact.value_text for hit in hits if hit.parts["echo"] > 0} == ECHOES  # found all the same
        assert {hit.parts["lexical"] for hit in hits if hit.parts["echo"] > 0} == {0.0}  # or all others would be measured by their words
        assert {hit.fact.value_text for hit in hits[:3]} == set(TOLD[:3])


def test_an_answer_in_vain_counts_as_what_it_answers_and_one_that_tells_something_does_not(mem: memdb.Memory) -> None:
    for day, reply in enumerate(["I don't know, sorry.", "Your dog is called Bica.", "You haven’t told me yet."], 1):
        mem.observe("What is my dog called?", reply, user_id="me", timestamp=f"2025-03-{day:02}", session_id=str(day))
    mem.observe("Why is the sea salt?", "I don't know.", user_id="me", timestamp="2025-03-09", session_id="9")
    mem.drain()
    hits = mem.search("What is my dog called?", user_id="me", now=NOW, limit=50)
    echoes = {hit.fact.value_text: hit.parts["echo"] > 0 for hit in hits if hit.fact.speaker == "assistant"}
    assert {text for text, is_echo in echoes.items() if is_echo} == {"I don't know, sorry.", "You haven’t told me yet."}
    assert hits[0].fact.value_text == "Your dog is called Bica."


@pytest.mark.parametrize(
    ("question", "vain", "told"),
    [
        ("Wie heißt mein Hund?", "Das hast du mir noch nicht gesagt.", "Dein Hund heißt Bica."),
        ("Comment s'appelle mon chien ?", "Tu ne me l’as pas encore dit.", "Ton chien s'appelle Bica."),
        ("¿Cómo se llama mi perro?", "Todavía no me lo has dicho.", "Tu perro se llama Bica."),
        ("Como se chama o meu cão?", "Não me lembro, desculpa.", "O teu cão chama-se Bica."),
        ("Come si chiama il mio cane?", "Non me l'hai ancora detto.", "Il tuo cane si chiama Bica."),
        ("Hoe heet mijn hond?", "Ik heb geen idee.", "Je hond heet Bica."),
    ],
)
def test_an_answer_in_vain_is_known_in_other_languages(mem: memdb.Memory, question: str, vain: str, told: str) -> None:
    for day, reply in enumerate((vain, told), 1):
        mem.observe(question, reply, user_id="me", timestamp=f"2025-03-{day:02}", session_id=str(day))
    mem.drain()
    hits = mem.search(question, user_id="me", now=NOW, kinds=["message"])
    assert {hit.fact.value_text: hit.parts["echo"] > 0 for hit in hits if hit.fact.speaker == "assistant"} == {vain: True, told: False}


def test_the_same_question_is_found_where_its_set_does_not_mind(mem: memdb.Memory) -> None:
    mem.observe("What is my dog called?", user_id="me", timestamp="2025-03-01")
    mem.drain()
    (hit,) = mem.search("What is my dog called?", user_id="me", now=NOW, weights="mem-skill")
    assert (hit.parts["echo"], hit.parts["lexical"]) == (0.0, 1.0)


def test_what_was_asked_a_moment_ago_is_told_by_its_words_until_it_has_a_vector(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder="hashing-384", config={"worker": False}) as mem:
        mem.observe("I have a dog called Bica.", user_id="me", timestamp="2025-03-01")
        mem.drain()
        mem.observe("What is my dog called?", user_id="me", timestamp="2025-03-02")
        hits = mem.search("What is my dog called?", user_id="me", now=NOW, kinds=["message"])
        assert [(hit.fact.value_text, hit.parts["echo"]) for hit in hits] == [
            ("I have a dog called Bica.", 0.0),
            ("What is my dog called?", 1.0),
        ]
