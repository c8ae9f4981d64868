"""Chinese, Japanese and Korean are found by their words, although no space tells these apart."""

from __future__ import annotations

import re
import unicodedata
from itertools import count as count_from
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import memdb
from memdb.files import migrations
from memdb.unspaced import quoted, words_in, words_of
from tests.test_retrieve import Tell

ANY_FIXTURE = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
LETTERS = "々ぁァー㐀一龥가힣豈ｦ𠀀" + "aé1 。,’'٣ไ"

_PLAIN = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)

SAID = [
    "我住在上海。我对花生过敏。",
    "我的女儿叫莉莉。",
    "私は東京に住んでいます。",
    "犬の名前はポチです。",
    "저는 서울에 살고 있어요.",
    "I use iPhone手机 a lot.",
]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("花生", 0),
        ("我对什么过敏?", 0),
        ("我女儿叫什么?", 1),
        ("東京", 2),
        ("どこに住んでいますか", 2),
        ("犬", 3),
        ("서울", 4),
        ("手机", 5),
        ("iphone", 5),
    ],
)
def test_a_word_is_found_within_its_sentence(query: str, found: int, tell: Tell) -> None:
    mem = tell(*SAID)
    hits = mem.search(query, user_id="ana", weights="lexical-only", kinds=["message"])
    assert hits[0].fact.value_text == SAID[found]


def test_letters_in_another_order_are_another_word(tell: Tell) -> None:
    mem = tell("我住在上海。")
    assert not mem.search("海上", user_id="ana", weights="lexical-only")


def test_it_is_found_by_the_words_around_it_too(mem: memdb.Memory) -> None:
    mem.observe("你最喜欢的城市是哪里。", "我最喜欢北京。", user_id="ana")
    hits = mem.search("城市", user_id="ana")
    assert {hit.fact.value_text for hit in hits} == {"你最喜欢的城市是哪里。", "我最喜欢北京。"}


def test_what_is_changed_and_forgotten_is_found_no_more(mem: memdb.Memory) -> None:
    fact_id = mem.remember("花生过敏", user_id="ana", key="user.note").fact_id
    connection = mem._store.database().connection
    connection.execute("update facts set value_text = '牛奶过敏' where fact_id = ?", (fact_id,))
    assert mem.search("牛奶", user_id="ana")
    assert not mem.search("花生", user_id="ana")
    mem.forget("ana")
    assert not mem.search("牛奶", user_id="ana")


def test_many_at_once_are_found_as_one_is(mem: memdb.Memory) -> None:
    mem.remember_many([{"value_text": text, "user_id": "ana", "key": "user.note"} for text in SAID])
    assert mem.search("花生", user_id="ana")[0].fact.value_text == SAID[0]


def test_what_is_alike_in_these_letters_is_linked(mem: memdb.Memory) -> None:
    first, second = (mem.remember(text, user_id="ana", key="user.note").fact_id for text in ("我每天早上喝咖啡", "我每天晚上喝咖啡"))
    mem.relate("ana")
    assert [link.fact.fact_id for link in mem.links(second)] == [first]


@given(st.text(alphabet=LETTERS, max_size=30))
def test_a_run_of_letters_is_taken_apart_and_nothing_is_lost(word: str) -> None:
    parts = words_in(word)
    assert set("".join(parts)) == set(word)
    assert all(part in word for part in parts)


@ANY_FIXTURE
@example(text="\\\u3040")
@given(text=st.one_of(_PLAIN, st.text(alphabet=LETTERS, min_size=1), st.text(alphabet=LETTERS, min_size=250, max_size=600)))
def test_the_index_has_the_letters_that_a_question_asks_for(text: str, mem: memdb.Memory) -> None:
    mem.observe("Hello.", user_id="ana", turn_id="t")
    connection = mem._store.database().connection
    connection.execute("update facts set value_text = ?", (text,))
    [(body,)] = connection.execute("select body from fact_words").fetchall()
    asked = quoted(text)[1:-1].replace("\\", " ")  # which the index has no more than a space
    assert re.sub(" +", " ", str(body).replace("\\", " ")).strip(" ") == re.sub(" +", " ", asked).strip(" ")


def test_a_file_of_before_is_indexed_anew(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "m.db", embedder=None) as mem:
        mem.observe("我对花生过敏。", "The weather is fine.", user_id="ana")
        mem.drain()
        connection = mem._store.database().connection
        connection.execute(
            "insert or replace into facts_fts (rowid, body, reply, context, date) select id, value_text, '', '', '' from facts"
        )
        assert not mem.search("花生", user_id="ana")
        connection.execute(dict(migrations())[31].replace("drop view fact_words;", "drop view fact_words; drop view fact_text;"))
        assert mem.search("花生", user_id="ana")[0].fact.value_text == "我对花生过敏。"


@ANY_FIXTURE
@given(text=st.lists(st.text(alphabet=LETTERS, min_size=1), min_size=2, max_size=5).map("\0".join))
def test_what_follows_a_nul_is_in_the_index(text: str, mem: memdb.Memory) -> None:
    mem.observe("Hello.", user_id="ana", turn_id="t")
    connection = mem._store.database().connection
    connection.execute("update facts set value_text = ?", (text,))
    [(body,)] = connection.execute("select body from fact_words").fetchall()
    assert re.sub(" +", " ", str(body)).strip(" ") == re.sub(" +", " ", quoted(text.replace("\0", " "))[1:-1]).strip(" ")


@pytest.mark.parametrize("said", ["我住在上海。\0我对花生过敏。", "\0\0我对花生过敏", 'a \\ "b"\0\n\\u0000花生'])
def test_a_word_behind_a_nul_is_found(said: str, tell: Tell) -> None:
    mem = tell(said)
    assert [hit.fact.value_text for hit in mem.search("花生", user_id="ana", weights="lexical-only", kinds=["message"])] == [said]


def test_a_word_behind_a_nul_in_a_file_of_before_is_found(tell: Tell) -> None:
    connection = tell("我住在上海。\0我对花生过敏。")._store.database().connection
    connection.execute("delete from facts_fts; insert into facts_fts (rowid, body) select id, '我' from facts")
    connection.execute(dict(migrations())[34])
    assert connection.execute("select count(*) from facts_fts where facts_fts match '\"花 生\"'").fetchall() == [(1,)]


def test_a_long_text_is_taken_apart_in_few_steps(tell: Tell) -> None:
    connection = tell("我对花生过敏。" * 1000)._store.database().connection
    taken = count_from(0)
    connection.set_progress_handler(lambda: next(taken) < 0, 100)
    connection.execute("select length(body) from fact_words").fetchall()
    assert next(taken) * 100 / 7000 < 40


def test_what_stands_behind_a_million_letters_is_taken_apart_as_well(tell: Tell) -> None:
    connection = tell("I live in Porto.")._store.database().connection
    connection.execute("update facts set value_text = ? where kind = 'message'", ("b漢" * 550_000,))
    [(body,)] = connection.execute("select w.body from fact_words w join facts f using (id) where f.kind = 'message'").fetchall()
    assert body == "b 漢 " * 550_000


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Die Hauptstraße ist lang.", "hauptstraße"),
        ("İstanbul çok güzel.", "İstanbul"),
        ("Une table réservée.", unicodedata.normalize("NFD", "réservée")),
        ("저는 서울에 살고 있어요.", unicodedata.normalize("NFD", "서울")),
        ("मैं दिल्ली में रहता हूँ।", "दिल्ली"),
        ("من می‌خواهم بروم.", "می‌خواهم"),
    ],
)
def test_a_word_with_marks_is_one_word(text: str, query: str, tell: Tell) -> None:
    mem = tell(text, "दवा लो। Le rez-de-chaussée, la serve.")
    hits = mem.search(query, user_id="ana", weights="lexical-only", kinds=["message"])
    assert [hit.fact.value_text for hit in hits] == [text]
    assert len(hits.question.terms) == 1


def test_what_stands_between_two_marks_is_a_word_of_thai(tell: Tell) -> None:
    mem = tell("ผมอยู่กรุงเทพ")
    assert mem.search("เมืองกรุงเทพ", user_id="ana", weights="lexical-only")


@given(st.text(st.characters(max_codepoint=127)))
def test_words_of_ascii_are_letters_and_digits(text: str) -> None:
    assert words_of(text) == re.findall("[a-z0-9]+", text.lower())


def test_a_longer_message_and_a_number_are_seen_in_any_script(tell: Tell) -> None:
    mem = tell("好的。", "我住在上海、在一家很大的医院里当护士。", "รหัสห้องของฉันคือ ๔๒ และฉันทำงานที่โรงพยาบาล", "عندي ٣ قطط")
    rows = mem._store.database().connection.execute("select length * 1000, has_number from message_traits order by id").fetchall()
    short, long, thai, _ = (int(str(length).partition(".")[0]) for length, _ in rows)
    assert short < 400 < min(long, thai)
    assert [has for _, has in rows] == [0, 0, 1, 1]
