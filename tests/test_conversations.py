import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memdb import InputError
from memdb.conversations import Conversation, parse_conversation, read_conversation

SAMPLE = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_2_date_time": "12:05 am on 1 June, 2023",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "Hello again."}],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a photo of a dog", "query": "golden retriever puppy"},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Sweet."},
        ],
        "session_3_date_time": "3:00 pm on 2 July, 2023",
    },
    "qa": [
        {"question": "What did Ana show?", "answer": "a dog", "evidence": ["D1:1; D1:2"], "category": 4},
        {"question": "What did Ben show?", "adversarial_answer": "a dog", "evidence": ["D1:1"], "category": 5},
    ],
}


def parse(document: object) -> list[Conversation]:
    return parse_conversation(json.dumps(document), origin="talk.json")


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_conversation(text, origin="talk.json")
    return str(caught.value)


def test_a_list_of_messages_is_one_conversation_in_its_order() -> None:
    (conversation,) = parse([{"text": "one", "speaker": "Ana"}, {"text": "two", "session_id": "s1", "turn_id": "t2"}])
    assert [turn.text for turn in conversation.turns] == ["one", "two"]
    assert (conversation.turns[0].speaker, conversation.turns[1].turn_id, conversation.user_id) == ("Ana", "t2", None)


def test_json_lines_read_like_a_list() -> None:
    (conversation,) = parse_conversation('{"text": "one"}\r\n\r\n{"text": "two"}\r\n', origin="talk.jsonl")
    assert [turn.text for turn in conversation.turns] == ["one", "two"]


def test_a_chat_as_language_models_take_it_is_read_with_its_roles_as_speakers() -> None:
    parts = [{"type": "text", "text": "Nice."}, {"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "Where?"}]
    (conversation,) = parse([{"role": "user", "content": "one"}, {"role": "assistant", "content": parts}])
    assert [(turn.speaker, turn.text) for turn in conversation.turns] == [("user", "one"), ("assistant", "Nice.\nWhere?")]


CALLS = [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]
CHAT = [
    {"role": "user", "content": "I live in Porto. Will it rain?"},
    {"role": "assistant", "content": None, "tool_calls": CALLS, "refusal": None},
    {"role": "tool", "tool_call_id": "c1", "name": "weather", "content": "Rain at nine."},
    {"role": "assistant", "content": "Take an umbrella.", "annotations": []},
]


@pytest.mark.parametrize("document", [CHAT, {"messages": CHAT}, {"turns": CHAT}])
def test_a_chat_that_calls_tools_is_read_without_the_calls(document: object) -> None:
    (conversation,) = parse(document)
    assert [turn.text for turn in conversation.turns] == ["I live in Porto. Will it rain?", "Rain at nine.", "Take an umbrella."]


def test_a_line_may_hold_a_whole_chat() -> None:
    (conversation,) = parse_conversation(f"{json.dumps({'messages': CHAT})}\n" * 2, origin="talk.jsonl")
    assert len(conversation.turns) == 6


def test_one_object_alone_is_one_message() -> None:
    assert [turn.text for turn in parse({"text": "one"})[0].turns] == ["one"]


def test_turns_keep_the_answer_the_zone_and_the_questions() -> None:
    turn = {"turn_id": "t1", "user": "I live in Lisbon.", "assistant": "Noted.", "timestamp": "2025-03-01T09:00:00"}
    (conversation,) = parse(
        {"user_id": "ana", "timezone": "Europe/Lisbon", "turns": [turn], "questions": [{"ask": "Where?", "expect": "Lisbon"}]}
    )
    assert (conversation.turns[0].text, conversation.turns[0].assistant) == ("I live in Lisbon.", "Noted.")
    assert (conversation.user_id, conversation.timezone, conversation.questions[0].expect) == ("ana", "Europe/Lisbon", "Lisbon")


def test_turns_without_an_offset_are_of_the_zone_that_their_file_names() -> None:
    turns = [{"user": "I am at home.", "timestamp": moment} for moment in ("2025-07-01T09:00:00", "2025-07-01T09:00:00+00:00")]
    (conversation,) = parse({"timezone": "Asia/Tokyo", "turns": turns})
    assert [turn.timestamp for turn in conversation.turns] == [datetime(2025, 7, 1, hour, tzinfo=UTC) for hour in (0, 9)]


def test_locomo_sessions_come_in_the_order_of_their_numbers() -> None:
    (conversation,) = parse([SAMPLE])
    assert [turn.turn_id for turn in conversation.turns] == ["D1:1", "D1:2", "D2:1"]
    assert [turn.session_id for turn in conversation.turns] == ["session_1", "session_1", "session_2"]
    assert conversation.user_id == "conv-1"


def test_a_single_locomo_sample_needs_no_list_around_it() -> None:
    assert parse(SAMPLE) == parse([SAMPLE])


def test_locomo_dates_are_read_and_messages_of_a_session_follow_each_other() -> None:
    times = [turn.timestamp for turn in parse([SAMPLE])[0].turns]
    assert times == [datetime(2023, 5, 8, 13, 56), datetime(2023, 5, 8, 13, 56, 5), datetime(2023, 6, 1, 0, 5)]


def test_a_picture_is_kept_by_its_caption_and_never_by_the_search_that_found_it() -> None:
    (conversation,) = parse([SAMPLE])
    assert conversation.turns[0].text == "Look! [image: a photo of a dog]"
    assert "retriever" not in conversation.model_dump_json()


def test_only_answerable_locomo_questions_are_kept_with_the_turns_that_answer_them() -> None:
    (question,) = parse([SAMPLE])[0].questions
    assert (question.ask, question.expect, question.evidence) == ("What did Ana show?", "a dog", ("D1:1", "D1:2"))


@pytest.mark.parametrize(
    "moment", ["13:56 pm on 8 May, 2023", "0:10 am on 8 May, 2023", "1:56 pm on 31 June, 2023", "1:56 pm on 8 Mai, 2023"]
)
def test_a_time_that_never_was_names_its_field(moment: str) -> None:
    conversation = {"session_1_date_time": moment, "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "Hi."}]}
    assert "field conversation.session_1_date_time" in refusal(json.dumps([{"conversation": conversation}]))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "is empty"),
        ("hello", "line 1"),
        ('{"text": "a"}\n{"text": }', "line 2"),
        ('{"text": ' + "9" * 5000 + "}", "cannot be read as JSON (a number is too long)"),
        ('{"text": "a"}\n{"text": ' + "9" * 5000 + "}", "line 2 cannot be read as JSON (a number is too long)"),
        ('{"text": "a"}\n' + "[" * 100_000, "line 2 cannot be read as JSON (its lists and objects lie too deep"),
        ('{"text": "a"}\n\n{"speaker": "b"}', "line 3: field text is missing"),
        ('[\n {"text": "a"}\n {"text": "b"}]', "line 3"),
        ('[{"text": "a"}, 3]', "message 2: this is a number"),
        ('[{"text": ""}]', "message 1: field text is empty"),
        ('[{"role": "user", "content": null}]', "message 1: field content is empty"),
        ('{"messages": [{"text": "a"}, 3]}', "line 1, message 2: this is a number"),
        ('[{"role": "user", "name": "Rita", "content": "a"}]', "field name is not known"),
        ('[{"text": "a", "timestamp": "yesterday"}]', "message 1: field timestamp"),
        ('[{"text": "a", "timestamp": 1700000000}]', "message 1: field timestamp cannot be used (write a time like"),
        ('[{"text": "a", "turn_id": ""}]', "message 1: field turn_id is empty"),
        ('[{"text": "a", "speaker": " "}]', "message 1: field speaker is empty"),
        ('[{"text": "a", "mood": "good"}]', "field mood is not known"),
        ('[{"text": "a", "content": "b"}]', "field content is not known"),
        ('[{"role": "tool", "content": 5}]', "message 1: field content cannot be used"),
        ('[{"role": "user", "content": [{"type": "image_url"}]}]', "message 1: field content is empty"),
        ('{"turns": [{"user": "a", "assistant": "b"}]}', "turn 1: field turn_id is missing"),
        ('{"turns": {}}', "field turns is an object"),
        ('{"timezone": "Mars/Olympus", "turns": []}', "field timezone cannot be used (unknown time zone 'Mars/Olympus'"),
        ('{"turns": [], "questions": [{"ask": "x", "at": "then"}]}', "question 1: field at"),
        ('[{"conversation": {"session_1": "x"}}]', "field conversation.session_1 is text"),
        ('[{"conversation": {"session_1": [{"text": 1}], "session_1_date_time": "2023-05-08T13:56:00"}}]', "session_1.0.text is a number"),
        ('[{"conversation": {"session_1": [{"text": "a"}]}}]', "field conversation.session_1_date_time is missing"),
        ("3", "holds a single value"),
        ("[" * 100_000, "cannot be read as JSON"),
        ("1" * 5_000, "cannot be read as JSON"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_place(text: str, place: str) -> None:
    message = refusal(text)
    assert place in message
    assert message.startswith("talk.json")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '[{"text": "I live in Porto.", "text": "I live in Lisbon."}]',
            "said.json cannot be read as JSON ('text' stands twice in one object)",
        ),
        ('{"text": "a"}\n{"text": "a", "role": "user", "role": "x"}', "said.json, line 2 cannot be read as JSON ('role' stands twice"),
        ('[{"text": "a", "timestamp": NaN}]', "said.json cannot be read as JSON (NaN is no number)"),
    ],
    ids=["whole", "line", "NaN"],
)
def test_what_says_two_things_at_once_is_refused(text: str, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        parse_conversation(text, origin="said.json")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[{"text": "fine"}, {"text": "half \\ud83d"}]', "talk.json, message 2: field text holds half a surrogate pair at position 5"),
        ('{"text": "fine"}\n{"text": "x", "speaker": "\\ud83d"}', "talk.json, line 2: field speaker holds half"),
        ('{"turns": [{"user": "x", "assistant": "\\ud83d", "turn_id": "t"}]}', "talk.json, turn 1: field assistant holds half"),
        ('{"user_id": "\\ud83d", "turns": []}', "talk.json: field user_id holds half"),
    ],
)
def test_half_a_surrogate_pair_is_told_with_its_place(text: str, place: str) -> None:
    assert refusal(text).startswith(place)


def test_a_file_that_is_not_there_is_told_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no file .*nothing\.json"):
        read_conversation(tmp_path / "nothing.json")


def test_a_folder_and_a_file_of_bytes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes.json").write_bytes(b'[{"text": "\xff"}]')
    with pytest.raises(InputError, match="is a folder"):
        read_conversation(tmp_path)
    with pytest.raises(InputError, match=r"is not UTF-8 text \(.*\); convert it first\."):
        read_conversation(tmp_path / "bytes.json")


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / "talk.json").write_bytes('[{"text": "olá"}]'.encode("utf-8-sig"))
    assert read_conversation(tmp_path / "talk.json")[0].turns[0].text == "olá"
