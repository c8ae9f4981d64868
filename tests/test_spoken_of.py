"""Whom "she" and "he" stand for, also where they were named in what was said before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memdb
from memdb.told_beside import last_with_somebody, spoken_of

from .test_retractions import after


@pytest.mark.parametrize(
    ("turns", "fact"),
    [
        (("My sister lives in Porto", "She moved to Braga last week"), ("sister.lives_in", "Braga")),
        (("My sister Ana visited", "Oh, and she's a nurse"), ("sister.works_as", "nurse")),
        (("I have a brother", "he lives in Rome"), ("brother.lives_in", "Rome")),
        (("My mum and my dad came", "He lives in Rome"), ("father.lives_in", "Rome")),
        (("What should I get my wife?", "She loves gardening"), ("wife.likes", "gardening")),
        (("A: How is your sister?", "She moved to Leeds"), ("sister.lives_in", "Leeds")),
        (("Ana is my sister", "Ana called", "She lives in Rome"), ("sister.lives_in", "Rome")),
        (("My wife is a nurse", "Her name is Ana"), ("user.wife", "Ana")),
        (("We got a dog!", "His name is Bruno"), ("user.pet", "dog called Bruno")),
        (("My sister Ana lives in Porto. My sister Eva is a nurse. She lives in Rome",), ("eva.lives_in", "Rome")),
        (("My friend Tom lives in Leeds. He is a nurse",), ("tom.works_as", "nurse")),
        (("I visited my sister. She lives in Rome",), ("sister.lives_in", "Rome")),
        (("I look after my mum, she has dementia",), ("mother.has_condition", "dementia")),
        (("I called my brother because he has asthma",), ("brother.has_condition", "asthma")),
        (("I met Ms Oldham", "my wife Ana says hi. she's a nurse"), ("wife.works_as", "nurse")),
        (("My neighbour on the next plot, Winston, says hi",), ("user.neighbour", "Winston")),
        (("My friend from school, Tom, lives in Leeds",), ("tom.lives_in", "Leeds")),
        (("My twins turn four on Saturday", "They're called Milo and Bea"), ("user.child", "Bea")),
        (("We have two cats. Their names are Miso and Pickle.",), ("user.pet", "cat called Pickle")),
        (("We have a baby. We named her Vega",), ("user.child", "Vega")),
        (("I'm Sara and I write to my grandson in Spanish", "He is eleven"), ("grandson.age", "eleven")),
        (("I met someone. His name's Andre, he's a baker",), ("user.partner", "Andre")),
        (("I'm seeing somebody new, his name is Emre, he's a nurse",), ("partner.works_as", "nurse")),
        (("We have two kids, a boy and a girl. Hamza is 9 and Zoya is 6",), ("zoya.age", "6")),
        (("The eldest, Tom, is 17 and learning to drive",), ("tom.age", "17")),
        (("My friend is called Tom and he is a vet",), ("tom.works_as", "vet")),
        (("My flatmate is called Elif. Elif works at Aldi",), ("elif.works_at", "Aldi")),
        (("We got a puppy, Theo named him Waffles",), ("user.pet", "dog called Waffles")),
        (("My colleague Sameer told me he is allergic to peanuts",), ("sameer.allergic_to", "peanuts")),
        (("My sister is called Ana", "Ana told me she is vegan now"), ("sister.diet", "vegan")),
        (("my father died in 2019. He was a railway engineer",), ("father.works_as", "former railway engineer")),
        (("My parents are here for two weeks. They live in Porto",), ("parents.lives_in", "Porto")),
    ],
)
def test_who_was_spoken_of_is_meant(mem: memdb.Memory, turns: tuple[str, ...], fact: tuple[str, str]) -> None:
    assert fact in after(mem, *turns)


@pytest.mark.parametrize(
    ("said", "pronoun", "who"),
    [
        ("My sister Ana called.", "she", ("sister", "Ana")),
        ("My sister is called Ana.", "she", ("sister", "Ana")),
        ("My sister Ana and my sister Eva called.", "she", ("", "")),
        ("My sister called my sister Eva.", "she", ("sister", "Eva")),
        ("Rui called.", "he", ("husband", "Rui")),
        ("Hello! Rui Silva called.", "he", ("husband", "Rui")),
        ("Then Rui called my mum.", "he", ("husband", "Rui")),
        ("Rui called my mum.", "she", ("mum", "")),
        ("Rui's mum called.", "she", ("", "")),
        ("Rui is my husband, Rui is my boss.", "he", ("", "")),
        ("My best old friend Tom called.", "he", ("friend", "Tom")),
        ("Hello.", "she", ("", "")),
    ],
)
def test_who_is_meant_after_a_text(said: str, pronoun: str, who: tuple[str, str]) -> None:
    assert spoken_of(said, pronoun, {"Rui": "husband"}) == who


def test_what_somebody_was_once_is_no_news_where_it_is_known_what_they_are(mem: memdb.Memory) -> None:
    believed = after(mem, "My father is a plumber", "My father was a fisherman")
    assert {value for key, value in believed if key == "father.works_as"} == {"plumber"}


@pytest.mark.parametrize(
    "said",
    [
        "My mum was a nurse in the play",
        "My sister was a doctor for a day at the fair",
        "My dad was a student nurse when we met",
        "My friend has two kids. Hamza is 9 and Zoya is 6",
        "I'm seeing someone about my knee. His name is Dr Roth",
        "The eldest, they say, is always spoiled",
        "I lost my job and my cat in the same week",
        "I died three times last night to that boss, and my horse too",
    ],
)
def test_what_was_played_or_is_of_others_is_not_believed(mem: memdb.Memory, said: str) -> None:
    assert after(mem, said) == set()


def test_where_only_one_is_meant_a_change_is_believed_at_once(mem: memdb.Memory) -> None:
    after(mem, "My sister lives in Porto", "She moved to Braga last week")
    assert [(fact.object, fact.status) for fact in mem.facts("ana", key="sister.lives_in")] == [("Braga", "active")]
    after(mem, "My mum lives in Faro, near her friend Eva. She moved to Leeds last week")
    assert {
        (fact.object, fact.status) for fact in mem.facts("ana", key="mother.lives_in", statuses=["active", "pending_confirmation"])
    } == {
        ("Faro", "active"),
        ("Leeds", "pending_confirmation"),
    }


@pytest.mark.parametrize(
    "said",
    [
        "I told my mum about the nurse. She lives in Rome",
        "My sister met a guy. He lives in Rome",
        "I had lunch with my mum and my sister. She lives in Rome",
        "Emma told my brother off. He lives in Rome",
        "I miss my ex. She lives in Rome",
    ],
)
def test_where_it_is_not_sure_who_is_meant_nothing_is_said(mem: memdb.Memory, said: str) -> None:
    assert not [key for key, value in after(mem, said) if value == "Rome"]


@pytest.mark.parametrize(
    "said",
    [
        "My friend in Leeds, England, is sick",
        "I have two girls and a son. They're called Ana, Bea and Max",
        "my new baby is a Kawasaki",
        "My boss hired someone. They've named her Director",
        "My manager was promoted. They've named him Vice President",
    ],
)
def test_who_is_not_named_has_no_name(mem: memdb.Memory, said: str) -> None:
    wrong = ("England", "Ana", "Max", "Kawasaki", "Director", "Vice President")
    assert not {value for key, value in after(mem, said) if value in wrong}


@pytest.mark.parametrize(
    "turns",
    [
        ("I saw Anna with my sister",),
        ("My mum and my sister came",),
        ("I have two sisters",),
        ("My sister has a new boss",),
        ("My sister's friend came",),
        ("My sister lives with Anna",),
        ("Anna called my sister",),
        ("My sister saw her doctor",),
        ("My brother lives in Porto",),
        ("My sister called", "A: How is your mother?"),
        ("My sister called", "A: Did Anna answer?"),
        ("My sister called", "Nice weather"),
        ("My sister called", "I talked to Anna."),
        ("How is your sister?",),
        ("My sister called", "Write a story about Eva."),
        ("A: My sister is a bot, too",),
        ("I love Shakira",),
    ],
)
@pytest.mark.parametrize("said", ["She lives in Rome", "I think she lives in Rome"])
def test_where_another_may_be_meant_nothing_is_believed(mem: memdb.Memory, turns: tuple[str, ...], said: str) -> None:
    assert "Rome" not in {value for _, value in after(mem, *turns, said)}


@pytest.mark.parametrize(
    "said", ["Does she live in Rome?", "If she lived in Rome I'd go", "I saw Eva there. She lives in Rome", "Who is she?"]
)
def test_what_is_not_said_of_her_is_not_believed(mem: memdb.Memory, said: str) -> None:
    before = after(mem, "My sister called")
    assert after(mem, said) == before


def test_a_name_that_may_be_the_cats_is_nobodys(mem: memdb.Memory) -> None:
    assert "Luna" not in str(after(mem, "My girlfriend has a cat. She's called Luna", "My girlfriend has a cat", "She's called Luna"))


def test_only_what_the_same_person_said_in_the_same_session_counts(mem: memdb.Memory) -> None:
    mem.observe("My sister called", user_id="ana", session_id="other")
    mem.observe("My sister called", user_id="ana", session_id="s", speaker="Tom")
    assert after(mem, "She lives in Rome") == set()


@given(said=st.text(max_size=200), pronoun=st.sampled_from(["he", "she"]))
def test_any_text_is_safe(said: str, pronoun: str) -> None:
    for text in (said, f"My sister {said}", f"{said} my wife Ana's"):
        spoken_of(text, pronoun, {"Ana": "wife"})
        last_with_somebody(text)


@pytest.mark.parametrize(
    "said",
    [
        "Rui left Bosch",
        "Rui just quit his job",
        "Rui lost his job",
        "Rui no longer works at Bosch",
        "Rui found a job at Efacec",
        "Rui's quit his job",
        "rui quit his job",
        "lol rui's lost his job",
    ],
)
def test_who_is_known_by_name_changes_by_name(mem: memdb.Memory, said: str) -> None:
    assert ("brother.works_at", "Bosch") in after(mem, "My brother Rui works at Bosch")
    assert ("brother.works_at", "Bosch") not in after(mem, said)


@pytest.mark.parametrize(
    "said",
    [
        "Rui left early",
        "Rui lost his keys",
        "Rui had a great idea",
        "Rui never left Bosch",
        "Rui found a cat",
        "Rui's job is boring",
        "Rui's left foot hurts",
        "Rui left Bosch a message",
        "rui's boss quit his job",
    ],
)
def test_what_somebody_known_by_name_does_besides_changes_nothing(mem: memdb.Memory, said: str) -> None:
    known = after(mem, "My brother Rui works at Bosch")
    assert after(mem, said) == known


def test_a_name_without_its_capital_may_be_a_word(mem: memdb.Memory) -> None:
    known = after(mem, "My brother Mark works at Bosch")
    assert after(mem, "mark quit his job") == known


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("My mum thinks we're mad. She lives in York", ("mother.lives_in", "York")),
        ("My wife Aoife says hi", ("user.wife", "Aoife")),
        ("My brother Alan keeps saying I should move to Spain", ("user.brother", "Alan")),
        ("my uncle Pete reckons it will rain", ("user.uncle", "Pete")),
        ("My boss Stefan said I'm lazy", ("user.boss", "Stefan")),
    ],
)
def test_whose_words_are_told_is_known(mem: memdb.Memory, said: str, value: tuple[str, str]) -> None:
    assert after(mem, said) == {value}


@pytest.mark.parametrize(
    "said",
    [
        "My mum told me about Ana. She lives in Rome",
        "My mum told my aunt. She lives in Rome",
        "My mum told her friend. She lives in Rome",
        "My mum says she lives in Rome",
        "My brother Tom told me she lives in Rome",
        "I spoke to my aunt. My mum told me she lives in Rome",
        "My son told me he lives in Rome",
        "My brother Tom left. I have a new friend, Ana, and she lives in Rome",
        "Did my wife Aoife say she lives in Rome?",
    ],
)
def test_what_they_tell_of_another_is_not_said_of_them(mem: memdb.Memory, said: str) -> None:
    assert "Rome" not in {value for _, value in after(mem, said)}


def test_a_name_that_somebody_claims_is_none(mem: memdb.Memory) -> None:
    assert after(mem, "My son says his name is Batman") == set()


@pytest.mark.parametrize("said", ["We had to say goodbye to Murphy at Christmas", "Murphy crossed the rainbow bridge"])
def test_a_pet_that_is_said_goodbye_to_is_no_more(mem: memdb.Memory, said: str) -> None:
    assert after(mem, "I have a dog called Murphy") == {("user.pet", "dog called Murphy")}
    assert after(mem, said) == set()


@pytest.mark.parametrize(
    ("known", "said", "held"),
    [
        ("My granddaughter Poppy goes to Oakfield Primary.", "She's started at Hillside High!", "granddaughter.studies_at"),
        ("My sister Ana lives in Porto.", "She moved to Braga", "sister.lives_in"),
    ],
)
def test_who_is_spoken_of_after_weeks_may_be_the_only_one_who_is_known_which_is_asked(
    mem: memdb.Memory, known: str, said: str, held: str
) -> None:
    mem.observe(known, user_id="ana", timestamp="2025-01-05")
    mem.observe(said, user_id="ana", timestamp="2025-01-20")
    mem.drain()
    believed, waits = mem.facts("ana", key=held)
    assert {believed.status, waits.status} == {"active", "pending_confirmation"}
    question = mem.context("How is she?", user_id="ana", now="2025-01-21").question
    assert question is not None
    assert believed.value_text in question
    assert waits.value_text in question


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("My granddaughter Poppy goes to Oakfield Primary. My sister Ana is lovely.", "She's started at Hillside High!"),
        ("My granddaughter Poppy goes to Oakfield Primary.", "He's started at Hillside High!"),
        ("My granddaughter Poppy goes to Oakfield Primary.", "She loves pizza"),
        ("My granddaughter Poppy goes to Oakfield Primary.", "Karen called. She's started at Hillside High!"),
    ],
)
def test_who_is_spoken_of_after_weeks_and_may_be_anybody_is_nobody(mem: memdb.Memory, known: str, said: str) -> None:
    mem.observe(known, user_id="ana", timestamp="2025-01-05")
    mem.drain()
    before = {fact.fact_id for fact in mem.facts("ana", kinds=["fact"])}
    mem.observe(said, user_id="ana", timestamp="2025-01-20")
    mem.drain()
    assert {fact.fact_id for fact in mem.facts("ana", kinds=["fact"])} == before


@pytest.mark.parametrize(
    ("turns", "fact"),
    [
        (("My flatmate Luca is loud", "the other one, Sofia, just laughs. she studies law"), ("luca.studies", "law")),
        (("My sister Lien has a new boyfriend, Pieter, works at Bosch",), ("sister.works_at", "Bosch")),
        (("My sister Lien met a vet and has a boyfriend, lives in Rome",), ("sister.lives_in", "Rome")),
    ],
)
def test_what_is_said_of_whom_nobody_knew_before_is_not_told_of_who_was_known(
    mem: memdb.Memory, turns: tuple[str, ...], fact: tuple[str, str]
) -> None:
    assert fact not in after(mem, *turns)


def test_who_has_something_goes_on_with_what_they_do(mem: memdb.Memory) -> None:
    assert ("sister.works_at", "Bosch") in after(mem, "My sister has two cats, works at Bosch")


def test_who_was_a_wife_is_believed_to_be_one_no_more(mem: memdb.Memory) -> None:
    believed = after(mem, "I miss my wife, my late wife Ilona")
    assert ("wife.life", "died") in believed
    assert "user.wife" not in {key for key, _ in believed}


@pytest.mark.parametrize(
    ("turns", "fact"),
    [
        (("My wife and I went to Rome",), ("user.relationship", "married")),
        (("I could not have done it without my husband and kids",), ("user.has_children", "children")),
        (("My girlfriend took me to the opera",), ("user.relationship", "in a relationship")),
        (("My cat keeps scratching the sofa, any tips?",), ("user.pet", "cat")),
        (("I took my kids to the zoo", "I have two kids"), ("user.has_children", "two kids")),
        (("I have two sons", "I took my kids to the zoo"), ("user.has_children", "two sons")),
        (("I took my children out", "I have a son and a daughter"), ("user.has_children", "a son and a daughter")),
        (("My boyfriend and I went out", "I'm engaged"), ("user.relationship", "engaged")),
        (("My girlfriend and I went out", "We got married last week"), ("user.relationship", "married")),
        (("We got divorced last week", "My wife and I met for coffee"), ("user.relationship", "divorced")),
    ],
)
def test_whom_one_has_who_is_spoken_of_by_the_way_is_known(mem: memdb.Memory, turns: tuple[str, ...], fact: tuple[str, str]) -> None:
    assert [(key, value) for key, value in after(mem, *turns) if key == fact[0]] == [fact]


@pytest.mark.parametrize(
    "said",
    [
        "I miss my wife",
        "If my husband calls, tell him I'm out",
        "What would my wife say?",
        "I want you to be my wife",
        "My brother's wife called",
        "My ex-wife called",
        "My future husband will be tall",
        "When I was a kid my dog ran away",
        "Write a poem about my cat",
        "In my novel, my husband is a spy",
        "My friend said my wife is nice",
        "Here is a photo of my horse painting",
        "This is in memory of my cat Tom",
        "I would marry my girlfriend",
    ],
)
def test_whom_one_may_not_have_is_not_known(mem: memdb.Memory, said: str) -> None:
    assert not {key for key, _ in after(mem, said)} & {"user.relationship", "user.pet", "user.has_children"}


def test_one_who_is_known_by_what_is_told_of_them_is_not_told_again(mem: memdb.Memory) -> None:
    assert after(mem, "My wife loves jazz") == {("wife.likes", "jazz")}
