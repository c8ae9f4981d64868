"""What people tell of themselves in constructions of their own, and what only looks alike.

Those of `FITTED` were in view when the constructions were written. Of `LOOKS_ALIKE`, the first twelve were written before and not looked at.
"""

from __future__ import annotations

import pytest

import memdb
from memdb.plainly import granted, plain_clause, plain_sentence

FITTED = [
    ("what's a good day trip from Lyon, where I live?", "user.lives_in", "Lyon"),
    ("I'm living out in Cork these days, with two flatmates", "user.lives_in", "Cork"),
    ("my partner and i both work at the hospital", "partner.works_at", "the hospital"),
    ("I'm lactose intolerant and so is my brother", "brother.intolerant_to", "lactose"),
    ("the cat, Miso, has been sick all day", "user.pet", "cat called Miso"),
    ("every friday night i play poker with the lads", "user.plays", "poker"),
    ("flying freaks me out", "user.afraid_of", "flying"),
    ("I've got a brother in Perth named Colin", "brother.lives_in", "Perth"),
    ("I have two older brothers", "user.siblings", "two older brothers"),
    ("I have no siblings", "user.siblings", "no siblings"),
    ("I wish my dog Taz could talk", "user.pet", "dog called Taz"),
    ("I'm no fan of opera", "user.dislikes", "opera"),
    ("I have a passion for old maps", "user.likes", "old maps"),
    ("I was taken on as a cook", "user.works_as", "cook"),
    ("I'm originally from Delhi, currently in Frankfurt", "user.lives_in", "Frankfurt"),
    ("I play chess, my wife tennis", "wife.plays", "tennis"),
    ("write a birthday poem for my daughter Mia, she's turning 9", "user.daughter", "Mia"),
    ("so um my husband Leo he's um a baker", "husband.works_as", "baker"),
    ("I live in Hull, my mum in Leeds and my brother in York", "mother.lives_in", "Leeds"),
    ("Marcus here. 34. Divorced, bus driver out of the east garage", "user.works_as", "bus driver"),
    ("I sing in a choir on Tuesday nights", "user.member_of", "choir"),
    ("Our Lisa, that's my daughter, lives in York", "daughter.lives_in", "York"),
    ("two girls, Chloe and Maddie", "user.has_children", "two girls"),
    ("tom. 52. plumber. mostly bathrooms", "user.name", "Tom"),
    ("tom. 52. plumber. mostly bathrooms", "user.works_as", "plumber"),
    ("Huw. Fifty-eight, Welsh, divorced", "user.age", "fifty-eight"),
    ("it's martha again by the way", "user.name", "Martha"),
    ("Rosalind Finch, consultant dentist at the Royal Free, mother of three", "user.works_at", "the Royal Free"),
    ("About me: Anna, nurse in Leeds, 34", "user.works_as", "nurse"),
    ("I'm a nurse. Work at Guy's.", "user.works_at", "Guy's"),
    ("don't do seafood", "user.avoids", "seafood"),
    ("seeing a lady called sue", "user.partner", "Sue"),
    ("Priya and I have been friends for years", "user.friend", "Priya"),
    ("I'm a nurse, been in Berlin six years", "user.lives_in", "Berlin"),
    ("I've worked at Boots 12 years", "user.works_at", "Boots"),
    ("I'm Alex, 29, trans guy, software dev in Austin", "user.works_as", "software dev"),
    ("I said Leeds earlier but we've moved to Wakefield now", "user.lives_in", "Wakefield"),
    ("I've no car", "user.owns", "car"),
    ("I've got no kids", "user.has_children", "no children"),
    ("I'm 45, two teenagers, mortgage", "user.has_children", "two teenagers"),
    ("Could you draft an email to my landlord, Mr Okafor? The boiler is dead.", "user.landlord", "Mr Okafor"),
    ("i am maria from brazil", "user.name", "Maria"),
    ("Nope, still single.", "user.relationship", "single"),
    ("I've been told I'm prediabetic", "user.has_condition", "prediabetes"),
    ("I'm a recovering alcoholic", "user.avoids", "alcohol"),
    ("I usually get up about half past six", "user.gets_up_at", "half past six"),
    ("I work the 12 to 8 shift", "user.working_hours", "12 to 8"),
    ("Besides English I speak Greek", "user.speaks", "Greek"),
    ("I'm an IT manager", "user.works_as", "IT manager"),
    ("I am having two daughters", "user.has_children", "two daughters"),
    ("any walks round Matlock, where we live?", "user.lives_in", "Matlock"),
    ("what should I eat, I'm vegan", "user.diet", "vegan"),
    ("how do i get fit i work nights", "user.shift", "night shift"),
    ("can you suggest a present, we have two kids", "user.has_children", "two kids"),
    ("do you know any podcasts, I drive a lorry", "user.works_as", "lorry driver"),
    ("I'm Vietnamese so fish sauce is everything", "user.nationality", "Vietnamese"),
    ("I'm Siobhan by the way", "user.name", "Siobhan"),
    ("I'm a nurse, living just outside Cork", "user.lives_in", "near Cork"),
]
OPENINGS = [
    "just to say",
    "worth mentioning:",
    "it might be worth saying",
    "as I may have told you,",
    "as you probably know",
    "meant to tell you",
    "I should probably mention",
    "I ought to say",
    "you should know",
    "to tell you the truth",
    "truth be told",
    "if I'm being honest",
    "in all honesty",
    "I'm not going to lie,",
    "needless to say",
    "as it happens",
    "as a matter of fact",
    "the problem is",
    "thing is",
    "it's just that",
    "if it helps,",
    "in case it's relevant",
    "for reference,",
    "obviously",
    "mind you",
    "you see",
    "mate",
    "y'all",
]
KNOWN_WORDS = [
    *((f"I'm {origin}", "user.nationality", origin) for origin in ("Yemeni", "Sri Lankan", "South Korean", "Kuwaiti", "Gujarati", "Lao")),
    *((f"I'm a {origin}", "user.nationality", origin) for origin in ("Scot", "Dane", "Kiwi", "New Zealander")),
    *((f"I'm {faith}", "user.religion", faith) for faith in ("Church of England", "Ismaili", "Unitarian", "Mennonite")),
    *(
        (f"I'm a {job}", "user.works_as", job)
        for job in ("cartoonist", "letting agent", "piano tuner", "team leader", "stonemason", "cabbie")
    ),
    *(
        (f"I've got a {thing}", "user.owns", thing)
        for thing in ("Samsung", "log burner", "Chromebook", "heat pump", "Thermomix", "gas cooker")
    ),
    *((f"I take {pill} every day", "user.takes", pill) for pill in ("fish oil", "ezetimibe", "zinc", "multivitamins", "B12")),
    *((f"I have {illness}", "user.has_condition", illness) for illness in ("hot flushes", "RSI", "a hiatus hernia", "flat feet")),
    *((f"I have a {pet}", "user.pet", pet) for pet in ("rottie", "alsatian", "British shorthair", "shiba inu", "corn snake")),
    *((f"I play {game}", "user.plays", game) for game in ("bingo", "boules", "five-a-side")),
]
LOOKS_ALIKE = [
    "Tom. What a name.",
    "Paris. 3 days. Any tips?",
    "hi it's Mia, my daughter, she has a fever",
    "vegan, high-protein dinner ideas",
    "Luna the cat is a great book",
    "politics makes me sick",
    "I have a sister. Moved to Leeds last week.",
    "I play for fun",
    "I'm a Leo woman",
    "My parents are in Spain",
    "would you say I'm a good cook?",
    "my phone died",
    "Elvis isn't dead",
    "I'm afraid I can't come on friday",
    "he's hoping to get promoted",
    "they moved to Dublin in the 90s",
    "the meeting was moved to Turin",
    "she is vegan and allergic to soy",
    "if I had a dog I'd call it Taz",
    "does caffeine make asthma worse?",
    "the restaurant serves halal meat",
    "we ate at a Thai restaurant",
    "I had no idea where I live matters",
    "Should I give my son Calpol?",
    "I live in a dream where I was born rich",
    "We lost my mother in the supermarket",
    "My depression is over",
    "I never get into trouble",
    "I'm up at 3 because of the baby",
    "I know some French people",
    "we had a boy named Noah in our class",
    "I start crying on Monday mornings",
    "use they/them for the customer",
    "being a vegan must be hard, i guess",
    "I read a lot of emails today",
    "We ended up in Paris for the weekend",
    "I call London home page",
    "no problem for me",
    "I was employed by Airbus",
    "Volvo hired me to paint a wall",
    "no time for us, sorry",
    "the people I love",
    "I sold the car and got a cold",
    "I sold the sofa and took a taxi home",
    "It was a nice day, but the film I hate",
    "I told my wife she is a nurse at heart",
    "Tom, 34, lives in Leeds",
    "Tom, 34, was arrested on Monday",
    "I worked at home for years",
    "I worked for two hours",
    "two dogs, a big one and a small one",
    "My boss let me go home early",
    "a guy named as heir",
    "how do I get from my house in Spain to Bilbao?",
    "what does I am vegan mean, I am curious",
    "do you know if I live in Rome, I live in doubt",
    "I'm on a call for cancer research",
    "How would you say it in French, I live in Paris",
    "why do people think I'm lazy, I work nights",
    "is this right, I am vegan and I live in Rome",
    "how does this sound, I live in Rome",
    "what would I do, I have two kids?",
    "what if I had a dog, I have two kids",
    "my son's teacher, Miss Honey, is lovely",
    "my daughter's coach, Mr Hill, is a dentist",
    "I left my job at Deloitte",
    "My first job at Tesco taught me a lot",
    "when I started my job at Google I was twenty",
    "if I left my job at Google I'd be broke",
    "my role at home",
    "we moved everything to Bristol",
    "I moved all my stuff to London",
    "I moved my books to Bob's place",
    "I've been in love for 10 years",
    "I've been in hospital for two weeks",
    "I've been in Leeds for the weekend",
    "I only have one kidney",
    "I've only got a minute",
    "should I sell my Kindle?",
    "my PS5 was stolen",
    "my old iPad is dead",
    "Is it ok that I'm late?",
    "Does it matter that I have a cold?",
    "do you mind that I'm asking?",
    "I can't take criticism",
    "I passed out from the heat",
    "I am belonging to no one",
    "obviously I love queueing",
    "mate I work with is vegan",
    "guys I work with are vegan",
    "I told him I was vegan but I'm not",
    "I said I lived in Leeds but it's a lie",
    "despite my efforts I am fat",
    "I need to stress that I am busy",
    "the fact that I live here is irrelevant",
    "my neighbour has a heat pump",
    "I love IT",
    "finishing my degree was hard",
    "I met a guy yesterday, working at Google",
    "One of my clients, a vet, is great",
]
CORRECTED = [
    ("My sister's name is Ana.", "no wait, it's Anna with two n's", "user.sister", "Anna"),
    ("I'm 34.", "oops, I'm 35 actually", "user.age", "35"),
    ("I'm allergic to nuts.", "correction: only to peanuts", "user.allergic_to", "peanuts"),
    ("I drive a Mazda.", "that's wrong, it's a Hyundai", "user.drives", "Hyundai"),
    ("My birthday is May 4.", "no, may 14", "user.birthday", "may 14"),
    ("I live in Oslo.", "I'm Tom, actually", "user.lives_in", "Oslo"),
    ("I live in Nice.", "it's actually July", "user.lives_in", "Nice"),
]


def believed(mem: memdb.Memory, *turns: str) -> set[tuple[str, str | None]]:
    mem.consent("me", sensitive_topics="keep")
    for turn in turns:
        mem.observe(turn, "I see.", user_id="me")
    mem.drain()
    return {(fact.key, fact.object) for fact in mem.facts("me") if fact.kind == "fact"}


@pytest.mark.parametrize(("text", "key", "value"), FITTED)
def test_a_construction_of_its_own_is_read_as_the_plain_one(mem: memdb.Memory, text: str, key: str, value: str) -> None:
    assert (key, value) in believed(mem, text)


@pytest.mark.parametrize("text", LOOKS_ALIKE)
def test_what_only_looks_alike_is_not_believed(mem: memdb.Memory, text: str) -> None:
    assert believed(mem, text) == set()


@pytest.mark.parametrize("opening", OPENINGS)
def test_what_only_opens_a_sentence_hides_nothing(mem: memdb.Memory, opening: str) -> None:
    assert believed(mem, f"{opening} I'm vegan") == {("user.diet", "vegan")}


@pytest.mark.parametrize(("text", "key", "value"), KNOWN_WORDS)
def test_who_says_what_they_are_or_have_is_understood_in_words_that_are_seldom(mem: memdb.Memory, text: str, key: str, value: str) -> None:
    assert believed(mem, text) == {(key, value)}


@pytest.mark.parametrize("pet", ["my cat is Persian", "my dog is Maltese"])
def test_a_pet_has_no_nationality(mem: memdb.Memory, pet: str) -> None:
    assert not any(key.endswith(".nationality") for key, _ in believed(mem, pet))


@pytest.mark.parametrize(
    ("to_do", "news", "left"),
    [
        ("I need to book the dentist", "booked the dentist", None),
        ("I need to book the dentist", "I've finally booked the dentist for Monday", None),
        ("I have to call the bank", "I called the bank this morning", None),
        ("I need to pay the plumber", "I paid the plumber", None),
        ("I need to pay the plumber", "I called the plumber", "pay the plumber"),
        ("I need to pay the plumber", "I haven't paid the plumber", "pay the plumber"),
        ("I need to buy milk", "my brother bought milk", "buy milk"),
    ],
)
def test_what_was_to_do_is_over_once_it_is_done(mem: memdb.Memory, to_do: str, news: str, left: str | None) -> None:
    held = believed(mem, to_do, news)
    assert {value for key, value in held if key == "user.needs_to"} == ({left} if left else set())


@pytest.mark.parametrize(
    ("told", "news", "left"),
    [
        ("my dog Rex is 9", "Rex died", set()),
        ("my cat Tom is 12", "we had to put Tom down", set()),
        ("my cat is 4 and my dog is 9", "my dog died", {("cat.age", "4")}),
        ("my dog Rex is 9", "my dog Rex is ill", {("dog.age", "9"), ("user.pet", "dog called Rex")}),
    ],
)
def test_with_a_pet_goes_what_was_told_of_it(mem: memdb.Memory, told: str, news: str, left: set[tuple[str, str]]) -> None:
    assert believed(mem, told, news) == left


@pytest.mark.parametrize(("said", "correction", "key", "value"), CORRECTED)
def test_a_slip_is_put_right_in_many_words(mem: memdb.Memory, said: str, correction: str, key: str, value: str) -> None:
    assert [found for found in believed(mem, said, correction) if found[0] == key] == [(key, value)]


def test_what_is_no_more_is_over(mem: memdb.Memory) -> None:
    assert believed(mem, "I wear glasses.", "I had laser surgery, so no more glasses for me.") == set()


TAKES_IRON = ("user.takes", "iron")


@pytest.mark.parametrize(
    ("news", "over"),
    [
        ("Doctor says I can stop taking the iron", True),
        ("My GP's stopped the iron altogether now, I'm so pleased", True),
        ("no more iron, thank god", True),
        ("Doctor says I can stop taking the iron if it gets better", False),
        ("If the doctor says I can stop taking the iron I'll be glad", False),
        ("Has the doctor said I can stop taking the iron?", False),
    ],
)
def test_a_medicine_is_over_when_the_doctor_says_so_and_not_only_if(mem: memdb.Memory, news: str, over: bool) -> None:
    assert (TAKES_IRON in believed(mem, "I take iron", news)) is not over


@pytest.mark.parametrize(
    ("known", "news", "was", "now"),
    [
        ("I work for Lunar", "They let me go on Friday", ("user.works_at", "Lunar"), None),
        ("I work for Lunar", "My boss let me go to the dentist", None, ("user.works_at", "Lunar")),
        ("I drive a Ford", "I sold the Ford finally got a Ram 2500 diesel", ("user.drives", "Ford"), ("user.drives", "Ram 2500")),
        (
            "my brother is an accountant",
            "my brother trained as an accountant but now works as a baker",
            ("brother.works_as", "accountant"),
            ("brother.works_as", "baker"),
        ),
        ("My husband is a joiner", "My husband used to be a joiner", ("husband.works_as", "joiner"), None),
    ],
)
def test_a_change_is_read_in_its_own_construction(
    mem: memdb.Memory, known: str, news: str, was: tuple[str, str] | None, now: tuple[str, str] | None
) -> None:
    held = believed(mem, known, news)
    assert was not in held
    assert now is None or now in held


def test_what_is_plain_already_stays_as_it_is() -> None:
    text = "I live in Porto with my wife and our two cats"
    assert plain_clause(text) == plain_sentence(text) == text
    assert list(granted(text)) == []
