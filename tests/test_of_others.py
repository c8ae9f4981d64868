"""What is told of somebody else is no answer to what a user asks of themselves."""

from __future__ import annotations

import pytest

import memdb
from memdb.of_others import asks_of_own, told_in

from .test_retractions import after


@pytest.mark.parametrize(
    "question",
    ["Am I vegan?", "do i vape", "What foods don't I like?", "Do I have a cat?", "How many have I run?", "What is my sister's name?"],
)
def test_a_question_asks_of_own(question: str) -> None:
    assert asks_of_own(question)


@pytest.mark.parametrize(
    "question",
    [
        "Is Ana vegan?",
        "Who do I know in Rome?",
        "Do I have a vegan sister?",
        "Should I avoid nuts?",
        "Do I need to avoid nuts?",
        "Where is my phone?",
        "Do my sister and my mum drive?",
    ],
)
def test_a_question_asks_of_others_too_or_what_to_do(question: str) -> None:
    assert not asks_of_own(question)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("she's vegan, poor thing", "Am I vegan?"),
        ("haha. he also vapes like a train", "Do I vape?"),
        ("My friend Gareth is a diabetic", "Do I have diabetes?"),
        ("I'm making soup. He doesn't like onions", "What foods don't I like?"),
        ("Tom plays the bass", "Do I play the bass?"),
        ("nice, dad plays chess", "Do I play chess?"),
        ("the other one laughs. she studies law", "What am I studying?"),
        ("Callum's sister Isla had a baby", "What is my sister's name?"),
        ("she's bringing her huge dog", "What is my dog called?"),
        ("my mum's brother came", "Who is my brother?"),
        ("Arne, who's afraid of mice, and I went up to the attic", "Am I afraid of mice?"),
        ("my flatmate Bo, who plays the tuba, and I share a kitchen", "Do I play the tuba?"),
        ("my sister is vegan so we ate lentils", "Am I vegan?"),
        ("I should say our youngest, Aoife, who's sixteen, is lactose intolerant so I'm cooking twice", "Am I lactose intolerant?"),
        ("he's allergic to everything. nuts, eggs, cats", "Am I allergic to nuts?"),
        ("she can't eat anything. no gluten, no dairy. it's hard", "Do I eat dairy?"),
        ("I think my brother is allergic to nuts", "Am I allergic to nuts?"),
        ("I cooked lentils because my sister is vegan", "Am I vegan?"),
        ("what can I cook, given that Nora is allergic to eggs?", "Am I allergic to eggs?"),
        ('the landlord writes "I have a dog who barks." So polite', "Do I have a dog?"),
        ("she's got a dog that hates me. I've bought the dog a steak", "Do I have a dog?"),
        ("also she has a dog that bit my bag", "Do I have a dog?"),
    ],
)
def test_what_others_are_and_do_is_told_of_others(said: str, question: str) -> None:
    own, of_others = told_in(said, question, names=["Tom"])
    assert of_others > own == 0


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("He's given up smoking. I never smoked myself", "Do I smoke?"),
        ("ordered the bench she wanted", "Did I order the bench?"),
        ("he climbs 7a. me 5b on a good day", "What grade do I climb?"),
        ("Bram speaks French, I never got it", "Do I speak French?"),
        ("Tom came to the party", "Did I see Tom at the party?"),
        ("My boss moved the meeting to Friday", "Do I have a meeting on Friday?"),
        ("She gave me a watch", "Did I get a watch?"),
        ("Callum's sister met my sis", "What is my sister's name?"),
        ("We have a dog, too", "What is my dog called?"),
        ("My knee surgery is on Monday", "When do I have surgery?"),
        ("I'm a nurse who is allergic to latex", "Am I allergic to latex?"),
        ("She smokes and I do too", "Do I smoke?"),
        ("I know I'm allergic to nuts", "Am I allergic to nuts?"),
        ("I've a cat. She loves the sofa", "Do I have a cat?"),
    ],
)
def test_what_also_speaks_of_oneself_is_not_told_of_others_alone(said: str, question: str) -> None:
    assert told_in(said, question, names=["Tom"]).own


@pytest.mark.parametrize("said", ["Is she vegan?", "a vegan cake for her"])
def test_a_sentence_that_only_asks_or_is_of_nobody_in_particular_tells_nothing(said: str) -> None:
    assert told_in(said, "Am I vegan?") == (0, 0)


@pytest.mark.parametrize("told", ["My sister is vegan", "My friend Tom is vegan", "Met Ana. She's vegan and brings chickpeas"])
def test_what_is_told_of_somebody_else_is_not_claimed_of_the_user(mem: memdb.Memory, told: str) -> None:
    after(mem, told)
    verdict = mem.context("Am I vegan?", user_id="ana").verdict
    assert verdict is not None
    assert (verdict.decision, verdict.reason) == ("abstain", "what was found is told of somebody else")


@pytest.mark.parametrize(("said", "decision"), [("I'm vegan", "abstain"), ("You're vegan, right?", "answer")])
def test_what_a_friend_says_of_themselves_is_not_claimed_of_the_user(mem: memdb.Memory, said: str, decision: str) -> None:
    mem.load([{"speaker": "Bob", "text": said}, {"speaker": "Ana", "text": "I cook every day."}], user_id="ana")
    mem.drain()
    verdict = mem.context("Am I vegan?", user_id="ana").verdict
    assert verdict is not None
    assert verdict.decision == decision


def test_what_is_told_of_both_is_claimed(mem: memdb.Memory) -> None:
    after(mem, "My sister is vegan", "I'm vegan, too")
    verdict = mem.context("Am I vegan?", user_id="ana").verdict
    assert verdict is not None
    assert verdict.decision == "answer"


def test_who_is_asked_about_is_told_of(mem: memdb.Memory) -> None:
    after(mem, "My sister is vegan")
    verdict = mem.context("Is my sister vegan?", user_id="ana").verdict
    assert verdict is not None
    assert verdict.decision == "answer"


@pytest.mark.parametrize(
    ("stated", "key", "question"),
    [
        ("Ana is vegan", "user.diet", "Am I vegan?"),
        ("She is vegan", "user.diet", "Am I vegan?"),
        ("Ana lives in Porto", "user.lives_in", "Where do I live?"),
        ("Ana owns a bicycle", "user.owns", "Do I have a bicycle?"),
        ("Tom owns a bicycle", "user.owns", "Do I have a bicycle?"),
        ("Ana is vegan", None, "Am I vegan?"),
        ("The user's doctor told them to avoid salt", None, "What did my doctor tell me?"),
        ("The user's mother is called Teresa", None, "What is my mother's name?"),
    ],
)
def test_what_an_application_states_of_the_user_by_name_is_told_of_the_user(
    mem: memdb.Memory, stated: str, key: str | None, question: str
) -> None:
    mem.remember(stated, user_id="ana", key=key)
    verdict = mem.context(question, user_id="ana").verdict
    assert verdict is not None
    assert verdict.decision == "answer"


def test_what_an_application_states_without_a_key_of_another_by_name_is_not(mem: memdb.Memory) -> None:
    mem.remember("Tom is vegan", user_id="ana")
    verdict = mem.context("Am I vegan?", user_id="ana").verdict
    assert verdict is not None
    assert verdict.reason == "what was found is told of somebody else"
