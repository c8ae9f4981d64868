"""Names are understood where their writer left out the capitals, and where a question or a request takes them for granted."""

from __future__ import annotations

import pytest

import memdb

from .test_retractions import after


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("my sister lena is 29", {("user.sister", "Lena"), ("sister.age", "29")}),
        ("my boss karen is driving me nuts", {("user.boss", "Karen")}),
        ("My wife sara works at Siemens", {("user.wife", "Sara"), ("wife.works_at", "Siemens")}),
        ("me and my flatmate jess are vegan", {("user.flatmate", "Jess"), ("user.diet", "vegan")}),
        ("my dog rufus is a 7 yr old beagle", {("user.pet", "dog called Rufus")}),
        ("we have two cats, miso and pickle, and miso needs a diet", {("user.pet", "cat called Miso"), ("user.pet", "cat called Pickle")}),
        ("our cleaner rosa comes on mondays", {("user.cleaner", "Rosa")}),
        ("our office manager dana is great", {("user.office_manager", "Dana")}),
        ("My accountant Paul is lovely", {("user.accountant", "Paul")}),
        ("hi im joão", {("user.name", "João")}),
        ("i just got a job at siemens", {("user.works_at", "Siemens")}),
        ("my kids go to oakfield primary", {("children.studies_at", "Oakfield Primary")}),
        ("i support arsenal", {("user.supports", "arsenal")}),
        ("i use arch btw", {("user.uses", "arch")}),
        ("my brother emyr has the next farm", {("user.brother", "Emyr")}),
        ("my cousin ifeoma is a nurse", {("user.cousin", "Ifeoma"), ("ifeoma.works_as", "nurse")}),
        ("wife is carys", {("user.wife", "Carys")}),
        ("gwilym, 63, sheep farmer", {("user.name", "Gwilym"), ("user.age", "63"), ("user.works_as", "sheep farmer")}),
        ("got a cat named qwerty", {("user.pet", "cat called Qwerty")}),
        ("i have a friend called zebulon", {("user.friend", "Zebulon")}),
        ("van's a transit custom", {("user.drives", "Transit Custom")}),
        ("i bought a van for the long drives", {("user.owns", "van")}),
        (
            "divorced, two grown up kids, chloe and ryan",
            {
                ("user.relationship", "divorced"),
                ("user.has_children", "two grown up kids"),
                ("user.child", "Chloe"),
                ("user.child", "Ryan"),
            },
        ),
        ("Our au pair, Lucía, is from Valencia", {("user.au_pair", "Lucía")}),
        ("my boy ezra turned sixteen", {("user.son", "Ezra"), ("son.age", "sixteen")}),
    ],
)
def test_a_name_typed_without_its_capital_is_a_name(mem: memdb.Memory, said: str, facts: set[tuple[str, str]]) -> None:
    assert after(mem, said) == facts


@pytest.mark.parametrize(
    ("asked", "fact"),
    [
        ("What should I get my wife Sara for her birthday?", ("user.wife", "Sara")),
        ("can you write an email to my boss karen about my raise", ("user.boss", "Karen")),
        ("can you draft an email to my landlord mr okafor", ("user.landlord", "Mr Okafor")),
        ("Is my neighbour Dave allowed to park there?", ("user.neighbour", "Dave")),
        ("should i give my dog rufus ibuprofen", ("user.pet", "dog called Rufus")),
    ],
)
def test_who_is_named_in_a_question_or_a_request_is_known_from_it(mem: memdb.Memory, asked: str, fact: tuple[str, str]) -> None:
    assert after(mem, asked) == {fact}


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("i'm in leicester", "Leicester"),
        ("im in manchester at the moment", "Manchester"),
        ("we're in new york until friday", "New York"),
        ("i'm in nottingham near the castle", "Nottingham"),
        ("I'm in Kirkwall until Sunday", "Kirkwall"),
        ("I'm in Silver Spring", "Silver Spring"),
        ("I'm in Berlin, can you debug this function?", "Berlin"),
        # … and what one is in that is none
        ("i'm in london traffic", ""),
        ("i'm in boston consulting", ""),
        ("i'm in pyjamas", ""),
        ("I'm in Rotary", ""),
        ("I'm in Parliament on Tuesday for the debate", ""),
        ("I'm in Apex Legends right now", ""),
        ("I'm in Diamond II right now", ""),
        ("I'm in Tarkov, which loot is best?", ""),
        ("I'm in Calc, how do I sort a spreadsheet?", ""),
    ],
)
def test_where_one_is_may_be_typed_small_and_is_a_place(mem: memdb.Memory, said: str, place: str) -> None:
    assert {value for key, value in after(mem, said) if key == "user.staying_in"} == ({place} if place else set())


@pytest.mark.parametrize(
    "said",
    [
        "my dog food is expensive and my cat tree broke",
        "Should I email my boss Monday?",
        "Can I teach my son Spanish?",
        "Should I give my son Calpol?",
        "Write a story where my brother Tom is a wizard",
        "Translate: what should I get my wife Sara?",
        "Act as my sister Lena",
        "my late husband Tom loved jazz",
        "My dentist Karen moved away",
        "My old tutor Anna was strict",
        "Our vet Charlie has retired",
        "my barber mark is nice",
        "i got a job at last",
        "i'm in love with coffee",
        "i'm in a relationship with food",
        "i got a job at the shop",
        "the only thing my son eats is pasta",
        "what my brother cooks is great",
    ],
)
def test_what_only_looks_like_a_name_is_none(mem: memdb.Memory, said: str) -> None:
    assert [(key, value) for key, value in after(mem, said) if value is not None and value[:1].isupper()] == []


def test_a_list_of_as_many_words_that_are_no_names_names_nobody(mem: memdb.Memory) -> None:
    assert after(mem, "we have two cats, black and white") == {("user.pet", "two cats")}
