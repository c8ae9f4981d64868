import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memdb
from memdb import stored
from memdb.called import called
from memdb.config import Config
from memdb.earnest import in_earnest
from memdb.english_rules import filled_in, rules
from memdb.errors import InputError
from memdb.keys import canonical_key, is_canonical, normalise, predicate_of
from memdb.records import Candidate, Predicate, Turn
from memdb.steps.extract import MOST_FACTS, extract
from memdb.store import Store

LISBON = ZoneInfo("Europe/Lisbon")
WEDNESDAY = datetime(2025, 5, 14, 15, 0, tzinfo=UTC)
EXAMPLES = [example for read in (rules().pattern, rules().plainly) for one in read for example in one.examples]
NOTHING = (Path(__file__).parent / "not_facts.txt").read_text(encoding="utf-8").splitlines()
DATA = Path(memdb.__file__).parent / "data"


@pytest.fixture(scope="module")
def predicates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Predicate]]:
    store = Store(tmp_path_factory.mktemp("vocabulary") / "mem.db", Config.model_validate({}), vectors=False)
    yield stored.predicates(store.database())
    store.close()


def read(
    text: str,
    predicates: Mapping[str, Predicate],
    *,
    speaker: str | None = None,
    at: datetime = WEDNESDAY,
    held: tuple[str, str] | None = None,
) -> list[Candidate]:
    turn = Turn(id=1, turn_id="t1", user_id="u1", speaker=speaker, user_input=text, timestamp=at)
    return extract(turn, predicates=predicates, zone=LISBON, held=lambda keys: [held] if held and held[0] in keys else [])


def answer(asked: str, text: str, predicates: Mapping[str, Predicate]) -> list[Candidate]:
    turn = Turn(id=1, turn_id="t1", user_id="u1", user_input=text, timestamp=WEDNESDAY)
    return extract(turn, predicates=predicates, zone=LISBON, asked=asked)


def one(text: str, predicates: Mapping[str, Predicate], *, speaker: str | None = None) -> Candidate:
    (candidate,) = read(text, predicates, speaker=speaker)
    return candidate


def said(candidates: list[Candidate]) -> list[tuple[str, str, bool]]:
    return [(candidate.key, candidate.object, candidate.negated) for candidate in candidates]


def test_what_a_clause_begins_with_where_nothing_marks_it_is_told_by_its_first_word() -> None:
    phrase = rules().phrase
    ways = "|".join(phrase[name] for name in ("begins_unmarked", "begins_or_narrows", "begins_to_bid"))
    begins = re.compile(filled_in(rf"(?<=\w) (?=(?:{ways})(?!\w))(\w+)"))
    texts = (re.sub(r"[^\w' ]", "", text).lower() for text in (*NOTHING, *(text for text, _, _ in EXAMPLES)))
    first = {word for text in texts for word in begins.findall(text)}
    assert len(first) > 20
    assert [word for word in first if re.fullmatch(phrase["begins_so"], word) is None] == []


@pytest.mark.parametrize(("text", "key", "value"), EXAMPLES)
def test_every_pattern_reads_its_examples(text: str, key: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    assert (key, value) in [(candidate.key, candidate.object) for candidate in read(text, predicates)]


@pytest.mark.parametrize(("asked", "text", "key", "value"), [example for one in rules().answer for example in one.examples])
def test_a_short_answer_says_what_was_asked(asked: str, text: str, key: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    found = answer(asked, text, predicates)
    assert (key, value) in [(candidate.key, candidate.object) for candidate in found]
    assert all(candidate.excerpt in text for candidate in found)
    assert not answer("", text, predicates) or key == "user.nickname"


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ("Are you vegetarian?", "Yes.", [("user.diet", "vegetarian", False)]),
        ("Are you allergic to nuts?", "No, I'm not.", [("user.allergic_to", "nuts", True)]),
        ("Do you live in Porto?", "Yes, I do!", [("user.lives_in", "Porto", False)]),
        ("So do you like jazz?", "yep", [("user.likes", "jazz", False)]),
        ("How are you, and where do you live?", "Porto", [("user.lives_in", "Porto", False)]),
        ("Do you have a dog?", "Yes", [("user.pet", "dog", False)]),
        ("Are you allergic to nuts?", "No.", [("user.allergic_to", "nuts", True)]),
        ("So you're a nurse?", "Yes", [("user.works_as", "nurse", False)]),
        ("You live in Porto, right?", "yep", [("user.lives_in", "Porto", False)]),
        ("You live in Porto, right?", "No.", [("user.lives_in", "Porto", True)]),
        ("You're vegan, aren't you?", "I am", [("user.diet", "vegan", False)]),
        ("Ok, so you have a dog?", "yes!", [("user.pet", "dog", False)]),
        ("Do you drink coffee?", "never", [("user.avoids", "coffee", False), ("user.likes", "coffee", True)]),
        ("Is your wife a nurse?", "yes, she is", [("wife.works_as", "nurse", False)]),
        ("Is your son allergic to nuts?", "Yes.", [("son.allergic_to", "nuts", False)]),
        ("Is your husband German?", "no, he isn't", [("husband.nationality", "German", True)]),
        ("You like olives, right?", "Yep, they're the best snack there is.", [("user.likes", "olives", False)]),
        ("You live in Porto, right?", "Yes, totally.", [("user.lives_in", "Porto", False)]),
        ("You own a pony? What is she called?", "Clover", [("user.pet", "pony called Clover", False)]),
    ],
)
def test_yes_and_no_say_what_was_asked(
    asked: str, text: str, expected: list[tuple[str, str, bool]], predicates: Mapping[str, Predicate]
) -> None:
    assert said(answer(asked, text, predicates)) == expected


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("Where do you live?", "Why do you ask?"),
        ("Do you like olives?", "Yes, they are but not often."),
        ("Do you have a favourite author?", "Not really."),
        ("Do you have a favourite author?", "Hard to say."),
        ("Have you seen Borgen?", "No, not yet."),
        ("Which university did you attend?", "None, I left at 16."),
        ("You own a dog? What is he called?", "I'd rather not say."),
        ("Where do you live?", "I'd rather not say."),
        ("Where do you live?", "Nowhere you know, to be honest, since we travel all year"),
        ("What's your name? And where do you live?", "Porto"),
        ("How old are you, and where do you work?", "42, at Siemens"),
        ("Are you married, and do you live in Porto?", "Yes"),
        ("Where do you work?", "42"),
        ("What's your name?", "No."),
        ("What's your name?", "Guess!"),
        ("What's your name in the game?", "Elara"),
        ("Where do you live in your dream?", "Lisbon"),
        ("Where do you live as this character?", "Lisbon"),
        ("Where do you work?", "Nowhere"),
        ("What's your name?", "Batman"),
        ("You are not vegan, right?", "Yes"),
        ("You like tea or coffee?", "Yes"),
        ("So you're looking for a job?", "Yes"),
        ("You have any pets?", "Yes"),
        ("What should I call you?", "Captain"),
        ("What do you do for a living?", "As little as possible"),
        ("Do you have any allergies?", "No"),
        ("Do you have any allergies?", "Not that I know of."),
        ("Do you want a reminder?", "Yes"),
        ("Do you think I should go?", "Yes"),
        ("Are you sure?", "Yes"),
        ("Are you vegetarian?", "Sometimes"),
        ("What is the capital of Portugal?", "Lisbon"),
        ("Your name is Bob. Right?", "Yes"),
        ("Here is the recipe.", "Peanuts"),
        ("How old is your company?", "34"),
        ("What are your hobbies?", "Cool idea, Sam! I love it."),
        ("Is your son in bed?", "Yes"),
        ("Is your wife vegan too?", "Yes"),
        ("Is your wife happy?", "Yes"),
        ("Are you married?", "Not yet"),
        ("Who do you live with?", "Nobody"),
        ("Where do you live?", "my own place"),
        ("What do you do?", "My brother asks that, too"),
    ],
)
def test_what_is_no_answer_says_nothing(asked: str, text: str, predicates: Mapping[str, Predicate]) -> None:
    assert answer(asked, text, predicates) == []


@given(asked=st.text(max_size=80), text=st.text(max_size=80))
def test_any_question_and_any_answer_are_safe(asked: str, text: str, predicates: Mapping[str, Predicate]) -> None:
    answer(asked, text, predicates)
    answer(asked + "?", text, predicates)


@pytest.mark.parametrize(
    "asked",
    [
        "Übersetze bitte:",
        "Traduis en français :",
        "¿Puedes traducir esto?\n",
        "Переведи на русский:",
        "请翻译\uff1a",
        "英語の文法を見て\n",
        "번역해 주세요:",
    ],
)
def test_a_text_to_translate_says_nothing(asked: str, predicates: Mapping[str, Predicate]) -> None:
    assert not read(f"{asked} I live in Paris and I'm allergic to nuts. I love tea.", predicates)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("I have a really bad allergy to bees", "user.allergic_to", "bees"),
        ("I'm blind", "user.has_condition", "blindness"),
        ("I have anxiety and insomnia", "user.has_condition", "anxiety"),
        ("I'm vegan now", "user.diet", "vegan"),
        ("I went vegan for my health last year", "user.diet", "vegan"),
        ("my sisters name is Kate", "user.sister", "Kate"),
        ("my wifes vegan", "wife.diet", "vegan"),
        ("my dads allergic to nuts", "father.allergic_to", "nuts"),
        ("my sons a doctor in York", "son.works_as", "doctor"),
        ("my dogs name is Rex", "user.pet", "dog called Rex"),
        ("my mums birthday is 5 June", "mother.birthday", "5 June"),
        ("um so yeah I live in uh Manchester", "user.lives_in", "Manchester"),
        ("I'm Brazilian living in Ireland", "user.nationality", "Brazilian"),
        ("I am basically from Jaipur", "user.hometown", "Jaipur"),
        ("My good name is Arjun", "user.name", "Arjun"),
        ("my native place is Madurai", "user.hometown", "Madurai"),
        ("I shifted to Pune last month", "user.lives_in", "Pune"),
        ("its my birthday tomorrow", "user.birthday", "15 May"),
        ("I speak Marathi", "user.speaks", "Marathi"),
        ("ppl call me DJ", "user.nickname", "DJ"),
        ("Howdy, name's Earl", "user.name", "Earl"),
        ("I already told you I'm vegan!", "user.diet", "vegan"),
        ("I've been sober since 2018", "user.avoids", "alcohol"),
        ("I'm on keto", "user.diet", "keto"),
        ("I can't do dairy", "user.avoids", "dairy"),
        ("I can't digest garlic", "user.avoids", "garlic"),
        ("I go to the gym on Mondays and Thursdays", "user.habit", "go to the gym on Mondays and Thursdays"),
        ("my mate Dave lives in Hull", "dave.lives_in", "Hull"),
        ("I'm driving a Fiat now", "user.drives", "Fiat"),
        ("I drive an old Fiat to work", "user.drives", "Fiat"),
        ("My manager Dana is great", "user.boss", "Dana"),
        ("I'm off sugar", "user.avoids", "sugar"),
        ("I gave up chocolate for good", "user.avoids", "chocolate"),
        ("I quit coffee a year ago", "user.avoids", "coffee"),
        ("I gave up on meat", "user.avoids", "meat"),
        ("I live near Bath", "user.lives_in", "near Bath"),
        ("I'm 50", "user.age", "50"),
        ("I walked my dog Rex", "user.pet", "dog called Rex"),
        ("I miss walking with my dog Rex", "user.pet", "dog called Rex"),
        ("My late aunt Rose taught me", "user.aunt", "Rose"),
        ("i get up at four thirty every morning", "user.gets_up_at", "four thirty"),
        ("i'm in my second year of law at leeds", "user.studies_at", "Leeds"),
        ("I'm saving up for a one-way ticket to Quito", "user.saves_for", "a one-way ticket to Quito"),
        ("I'm a vicar, and every Friday night I run a choir", "user.habit", "run a choir every Friday night"),
        ("I'm seven months pregnant", "user.pregnant", "pregnant"),
        ("We have two greyhounds", "user.pet", "two greyhounds"),
        ("I'm cooking for nine on Friday, two of them are vegan", "user.plans", "cooking for nine"),
    ],
)
def test_the_same_words_without_what_limits_them_are_a_fact(text: str, key: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    assert (key, value) in [(found.key, found.object) for found in read(text, predicates)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My sister who lives in Cork works at Shell", {("sister.lives_in", "Cork"), ("sister.works_at", "Shell")}),
        ("My mum who is 80 lives in Bath", {("mother.age", "80"), ("mother.lives_in", "Bath")}),
        ("My brother who works at Shell was promoted", {("brother.works_at", "Shell")}),
        ("I hate mushrooms, dad will eat anything", {("user.dislikes", "mushrooms")}),
        ("I hate mushrooms, dad eats anything", {("user.dislikes", "mushrooms")}),
        ("I love pizza and pasta is ok", {("user.likes", "pizza")}),
        ("I like tea, cake and pasta", {("user.likes", "tea"), ("user.likes", "cake"), ("user.likes", "pasta")}),
        (
            "I like action, crime and comedy films",
            {("user.likes", "action films"), ("user.likes", "crime films"), ("user.likes", "comedy films")},
        ),
        ("I like sunny and warm weather", {("user.likes", "sunny weather"), ("user.likes", "warm weather")}),
        ("I like board games and history books", {("user.likes", "board games"), ("user.likes", "history books")}),
        ("I enjoy listening to Anna Maria Holt's Little Nocturnes", {("user.likes", "listening to Anna Maria Holt's Little Nocturnes")}),
        ("We're going to Rome, Florence and Naples next month", {("user.plans", "going to Rome, Florence and Naples")}),
        ("I love the sea and the mountains", {("user.likes", "the sea"), ("user.likes", "the mountains")}),
        ("I like The Beatles and The Kinks", {("user.likes", "The Beatles"), ("user.likes", "The Kinks")}),
        ("I love hiking, and the mountains are near", {("user.likes", "hiking")}),
        ("I'm into electronic and rock music", {("user.likes", "electronic music"), ("user.likes", "rock music")}),
        ("I like garlic and Thai food", {("user.likes", "garlic"), ("user.likes", "Thai food")}),
        ("I like the friendship and hope part", set()),
        ("I love the sea and love swimming", {("user.likes", "the sea"), ("user.likes", "swimming")}),
        ("my husband and I live in different cities", set()),
        ("Great, another day in paradise. I simply adore spreadsheets", set()),
        ("Great, another win! I just love football", {("user.likes", "football")}),
        ("We picked up a terrier pup yesterday, called Pepper", {("user.pet", "dog called Pepper")}),
        ("My manager is Dev now", {("user.boss", "Dev")}),
        ("My manager is a dev", {("boss.works_as", "dev")}),
        ("hiii im zoe im 15", {("user.name", "Zoe"), ("user.age", "15")}),
        ("Cat's called Kaiser", {("user.pet", "cat called Kaiser")}),
        ("I live with Parkinson's", {("user.has_condition", "Parkinson's")}),
    ],
)
def test_what_is_said_next_is_no_part_of_it(text: str, expected: set[tuple[str, str]], predicates: Mapping[str, Predicate]) -> None:
    assert {(found.key, found.object) for found in read(text, predicates)} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm 34 and vegan", {("user.age", "34"), ("user.diet", "vegan")}),
        ("I'm vegan and allergic to nuts", {("user.diet", "vegan"), ("user.allergic_to", "nuts")}),
        ("I'm allergic to nuts and vegan", {("user.diet", "vegan"), ("user.allergic_to", "nuts")}),
        ("I'm a nurse and vegan", {("user.works_as", "nurse"), ("user.diet", "vegan")}),
        ("My son is 5 and allergic to penicillin", {("son.age", "5"), ("son.allergic_to", "penicillin")}),
        (
            "My wife is 34, vegan and allergic to nuts and eggs",
            {("wife.age", "34"), ("wife.diet", "vegan"), ("wife.allergic_to", "nuts"), ("wife.allergic_to", "eggs")},
        ),
        ("I'm married and happy", {("user.relationship", "married")}),
        ("I'm vegan and gluten-free", {("user.diet", "vegan")}),
        ("I'm vegan and vegetarian", {("user.diet", "vegan")}),
        ("I'm learning Spanish and German", {("user.learning", "Spanish"), ("user.learning", "German")}),
        (
            "my son Tom is six and he's allergic to eggs",
            {("user.son", "Tom"), ("son.age", "six"), ("son.allergic_to", "eggs")},
        ),
        ("My husband Tom and I are both vegan", {("user.husband", "Tom"), ("user.diet", "vegan"), ("husband.diet", "vegan")}),
        ("me and my sister are both allergic to cats", {("user.allergic_to", "cats"), ("sister.allergic_to", "cats")}),
        (
            "I live with my wife and two kids in Hull",
            {("user.lives_with", "their wife"), ("user.lives_with", "two kids"), ("user.lives_in", "Hull")},
        ),
        (
            "I speak Dutch at home, French at work and Greek with my mum",
            {("user.speaks", "Dutch"), ("user.speaks", "French"), ("user.speaks", "Greek")},
        ),
        ("I'm 32 and still live with my parents lol", {("user.age", "32"), ("user.lives_with", "their parents")}),
        ("We're both 34", {("user.age", "34")}),
        ("I teach maths at Leeds Grammar School", {("user.teaches", "maths"), ("user.works_at", "Leeds Grammar School")}),
        ("My cake is vegan and 34", set()),
        ("My son's teacher is vegan and 34", set()),
    ],
)
def test_what_one_is_beside_another_thing_is_told_apart(
    text: str, expected: set[tuple[str, str]], predicates: Mapping[str, Predicate]
) -> None:
    assert {(fact.key, fact.object) for fact in read(text, predicates)} == expected


@pytest.mark.parametrize(
    ("text", "key", "told"),
    [
        ("My mother-in-law lives in Faro", "mother_in_law.lives_in", "User's mother-in-law lives in Faro"),
        ("My brother in law works at Bosch", "brother_in_law.works_at", "User's brother-in-law works at Bosch"),
        ("My stepdaughter is 5", "stepdaughter.age", "User's stepdaughter is aged 5"),
        ("Rui is my brother-in-law", "user.brother_in_law", "User has a brother-in-law called Rui"),
        ("I have a stepson called Leo", "user.stepson", "User has a stepson called Leo"),
        ("My parents live in Faro", "parents.lives_in", "User's parents live in Faro"),
        ("My in-laws are vegan", "in_laws.diet", "User's in-laws eat vegan"),
        ("My grandparents studied at Yale", "grandparents.studied_at", "User's grandparents studied at Yale"),
        ("My parents don't speak English", "parents.speaks", "User's parents do not speak English"),
        ("My mother-in-law moved in with us", "user.lives_with", "User lives with their mother-in-law"),
        ("My parents are learning coding from me", "parents.learning", "User's parents are learning coding"),
    ],
)
def test_relatives_by_marriage_and_several_at_once_are_spoken_of(
    text: str, key: str, told: str, predicates: Mapping[str, Predicate]
) -> None:
    assert [(one.key, one.value_text) for one in read(text, predicates)] == [(key, told)]


@pytest.mark.parametrize("word", ["e.g.", "for example"])
def test_what_is_named_as_an_example_is_no_thing_of_its_own(word: str, predicates: Mapping[str, Predicate]) -> None:
    assert said(read(f"i love thai food, {word} pad thai", predicates)) == [("user.likes", "thai food", False)]


@pytest.mark.parametrize("word", ["esp", "especially", "particularly"])
def test_what_is_liked_most_is_liked_too(word: str, predicates: Mapping[str, Predicate]) -> None:
    found = said(read(f"i love thai food, {word} pad thai", predicates))
    assert found == [("user.likes", "thai food", False), ("user.likes", "pad thai", False)]


@pytest.mark.parametrize("when", ["in autumn", "when it rains", "the last part", "my mum's", "on Sundays", "outdoors", "small ones"])
def test_when_and_of_what_something_is_liked_most_is_nothing_liked(when: str, predicates: Mapping[str, Predicate]) -> None:
    assert {one.object for one in read(f"I love hiking, especially {when}", predicates)} <= {"hiking"}


def test_when_the_next_thing_happens_does_not_bound_the_first(predicates: Mapping[str, Predicate]) -> None:
    found = {one.key: one for one in read("My sister who lives in Cork is getting married in September", predicates)}
    assert set(found) == {"sister.lives_in", "sister.plans"}
    assert found["sister.lives_in"].valid_to is None


def test_a_car_that_is_driven_for_a_weekend_is_not_ones_own(predicates: Mapping[str, Predicate]) -> None:
    assert said(read("I'm driving a Tesla this weekend", predicates)) == [("user.plans", "driving a Tesla", False)]


def test_what_is_so_during_the_week_does_not_end_with_this_week(predicates: Mapping[str, Predicate]) -> None:
    (found,) = read("I live in Leeds during the week", predicates)
    assert (found.object, found.valid_to) == ("Leeds", None)


@pytest.mark.parametrize("text", ["I gave up chocolate for Lent.", "I quit coffee for a week once.", "I quit coffee shops."])
def test_what_is_left_out_for_a_while_is_not_avoided(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert "user.avoids" not in [found.key for found in read(text, predicates)]


@pytest.mark.parametrize(
    "text",
    [
        "Remember this: I live in Leeds",
        "Make a note: I live in Leeds",
        "Put this in your notes: I live in Leeds",
        "Can you write this down: I live in Leeds",
        "My friend told me: try somewhere else. I live in Leeds",
        "Could you please remember that I live in Leeds",
        "Please answer this question - I live in Leeds",
        "Quick intro about me: I live in Leeds.",
        "You're great and I live in Leeds",
        "Dear Claude, I live in Leeds",
        "It's my wife's birthday. I live in Leeds",
        "Send me a message if I forget. I live in Leeds.",
        "It's my daughter's laptop that won't start. I live in Leeds",
        "Found this in my garden: a snake. I live in Leeds",
        "Is this too much rice for two? I live in Leeds",
        "Hi, I'm typing this with one hand. I live in Leeds",
    ],
)
def test_what_one_says_oneself_is_no_text_to_work_on(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert [(found.key, found.object) for found in read(text, predicates)] == [("user.lives_in", "Leeds")]


@pytest.mark.parametrize(
    "text",
    [
        "Subject: Meeting\n\nHi Tom,\nI live in Leeds and I work at Acme. See you on Monday.",
        "Hi Tom,\n\nI am moving to Berlin next month.\n\nBest regards,\nJane\n\nWhat should I answer?",
        "My landlord sent this email, what do I answer?\nHi, I am moving to Spain in May. I live in Bath.",
        "Hello Mr Hill,\nmy name is Jane and I live in Leeds.\nCheers,\nJane",
        "Found this on a forum, what would you answer?\n\nI (34F) live with my husband in Dallas. He works as a pilot.",
        "Is this a scam?\n\nHello dear, my name is Linda Carter, I am a soldier based in Syria. I have two children.",
        "Continue the story.\n\nI woke up in a hospital. My name is Daniel. I live in Boston.",
    ],
)
def test_a_letter_says_nothing_of_who_shows_it(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert read(text, predicates) == []


def test_what_is_taken_back_in_the_next_sentence_is_not_so(predicates: Mapping[str, Predicate]) -> None:
    assert read("I told you I have a cat. Well, I lied, I don't.", predicates) == []
    assert read("My horse is called Thunder. Well, not mine, I ride her at weekends.", predicates) == []


@pytest.mark.parametrize("word", ["Lonely", "Heartbroken", "Hungover", "Unemployed", "Left-handed"])
def test_a_mood_with_a_capital_is_no_name(word: str, predicates: Mapping[str, Predicate]) -> None:
    assert "user.name" not in [found.key for found in read(f"What a day. I'm {word}", predicates)]
    assert [found.object for found in read("What a day. I'm Ahmed", predicates)] == ["Ahmed"]


def test_what_is_said_otherwise_is_left_out_no_more(predicates: Mapping[str, Predicate]) -> None:
    assert {found.object for found in read("I can't have gluten, or rather I can but then I feel awful.", predicates)} == {"gluten"}
    told = {found.key: found.object for found in read("I can't eat spicy food any more, gastritis.", predicates)}
    assert (told["user.avoids"], told["user.has_condition"]) == ("spicy food", "gastritis")


def test_who_moves_from_job_to_job_moves_house_to_none(predicates: Mapping[str, Predicate]) -> None:
    told = [(found.key, found.object) for found in read("I don't work there any more, I moved to Lidl in spring", predicates)]
    assert ("user.works_at", "Lidl") in told
    assert "user.lives_in" not in [key for key, _ in told]


def test_dad_behind_somebody_elses_dad_is_not_ones_own(predicates: Mapping[str, Predicate]) -> None:
    text = "My son got hurt. I say no, his dad says yes. Dad lives in Coventry with his new wife."
    assert "father.lives_in" not in [found.key for found in read(text, predicates)]
    assert one("We talked a lot about his work. Dad lives in Coventry.", predicates).key == "father.lives_in"


def test_who_was_she_is_not_he_in_the_next_sentence(predicates: Mapping[str, Predicate]) -> None:
    told = read("My friend Anna lives in Paris. She's a nurse. He loves football, her son I mean.", predicates)
    assert [(found.key, found.object) for found in told if found.predicate == "likes"] == []
    assert ("anna.works_as", "nurse") in [(found.key, found.object) for found in told]


@pytest.mark.parametrize("who", ["ex wife", "birth mother", "former boss"])
def test_she_who_was_somebodys_once_is_not_so_still(who: str, predicates: Mapping[str, Predicate]) -> None:
    assert read(f"My {who} moved away. She lives in Hull and she has a boat", predicates) == []
    assert read(f"My {who.split()[1]} moved away. She lives in Hull", predicates) != []


def test_a_message_may_be_signed(predicates: Mapping[str, Predicate]) -> None:
    text = "Hi Claude,\nI live in Leeds. Any tips for Saturday?\nThanks,\nJane"
    assert [(found.key, found.object) for found in read(text, predicates)] == [("user.lives_in", "Leeds")]


def test_english_may_be_typed_at_full_width(predicates: Mapping[str, Predicate]) -> None:
    text = "My name is 张伟。I work at \uff2e\uff34\uff34\uff0cand I like 寿司、ラーメン and 焼肉\uff01"
    assert {candidate.object for candidate in read(text, predicates)} == {"张伟", "NTT", "寿司", "ラーメン", "焼肉"}
    assert not read("他说\uff1aI live in Porto。Do I live in Porto\uff1f", predicates)


@pytest.mark.parametrize("besides", ["", "Hi! ", "Oh, one more thing: ", "Thanks! "])
def test_an_order_that_stands_alone_is_meant_for_good(besides: str, predicates: Mapping[str, Predicate]) -> None:
    assert one(f"{besides}Please don't use emojis.", predicates).object == "emojis"


@pytest.mark.parametrize("reason", [", they annoy me", " because I'm dyslexic", ", English isn't my first language"])
def test_an_order_may_stand_beside_its_reason(reason: str, predicates: Mapping[str, Predicate]) -> None:
    found = {candidate.key: candidate.object for candidate in read(f"Please don't use emojis{reason}.", predicates)}
    assert found["user.does_not_want"] == "emojis"


@pytest.mark.parametrize("what", ["asthma", "type 1 diabetes", "high blood pressure"])
def test_what_one_has_had_for_long_is_had(what: str, predicates: Mapping[str, Predicate]) -> None:
    found = one(f"I've had {what} since I was nine.", predicates)
    assert (found.key, found.object) == ("user.has_condition", what)


@pytest.mark.parametrize("request_", ["Give me a slogan. ", "Can you sum this up? ", "Make it funny, and "])
def test_an_order_beside_a_request_is_meant_for_that_request(request_: str, predicates: Mapping[str, Predicate]) -> None:
    assert read(f"{request_}Don't use emojis.", predicates) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("my name is dmitri i live in tbilisi i teach piano", {"name": "Dmitri", "lives_in": "Tbilisi", "teaches": "piano"}),
        ("im 64 retired plumber i have a cat her name is mishka", {"age": "64", "works_as": "retired plumber", "pet": "cat called Mishka"}),
        ("i live in hull my boss is called petra shes from berlin", {"lives_in": "Hull", "boss": "Petra", "boss.hometown": "Berlin"}),
        ("made dinner i am vegan now", {"diet": "vegan"}),
        ("saw the doctor i have diabetes", {"has_condition": "diabetes"}),
        ("had lunch i don't eat meat", {"avoids": "meat"}),
        ("quit smoking i run every morning", {"habit": "run every morning"}),
        ("i live in lodz with my dog bruno hes 9 and got asthma can i run with him", {"lives_in": "Lodz", "dog.has_condition": "asthma"}),
        ("i work at aldi no sorry i work at lidl now i start at 6", {"works_at": "lidl"}),
        ("i have two kids nina and omar they are 4 and 6 do u have ideas", {"nina.age": "4", "omar.age": "6"}),
        ("im based in cork 38 married to siobhan we want to move", {"age": "38", "lives_in": "Cork"}),
        ("i wanted to ask about my mother she's 81 and lives alone in Porto", {"mother.age": "81", "mother.lives_in": "Porto"}),
    ],
)
def test_a_clause_that_nothing_marks_begins_with_its_subject_and_its_verb(
    text: str, wanted: dict[str, str], predicates: Mapping[str, Predicate]
) -> None:
    found = {candidate.key.removeprefix("user."): candidate.object for candidate in read(text, predicates)}
    assert wanted.items() <= found.items()


@pytest.mark.parametrize("text", NOTHING)
def test_what_states_no_fact_gives_none(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert read(text, predicates) == []


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("I live in Porto and got this letter from the council. Can you translate it?", "user.lives_in", "Porto"),
        ("I live in Porto. Is that correct?", "user.lives_in", "Porto"),
        ("I'm allergic to nuts. How do I say that in Polish?", "user.allergic_to", "nuts"),
        ("I'm vegan. Can you translate that for the waiter?", "user.diet", "vegan"),
        ("I live in Porto (from Monday to Friday).", "user.lives_in", "Porto"),
        ("I live in Porto according to my passport", "user.lives_in", "Porto"),
        ("I work as a nurse. That's what my mum always wanted.", "user.works_as", "nurse"),
        ("I'm a teacher. How many words should a child know?", "user.works_as", "teacher"),
        ("I'm vegan. Make it a burger.", "user.diet", "vegan"),
        ("1) I live in Porto. 2) I'm vegan. Suggest a restaurant.", "user.diet", "vegan"),
        ("I got a cat, which turned out to be a girl", "user.pet", "cat"),
        ("Today's update: I live in Porto", "user.lives_in", "Porto"),
        ("My family's situation: my son is vegan", "son.diet", "vegan"),
        ("Update: Hi all, I live in Porto", "user.lives_in", "Porto"),
        ("This message is for you: I moved to Hull", "user.lives_in", "Hull"),
        ("True story: I live in Porto", "user.lives_in", "Porto"),
        ("My biggest challenge: I'm a nurse", "user.works_as", "nurse"),
        ("Where I'm at right now: I live in Porto", "user.lives_in", "Porto"),
        ("Something about my day: I work at Siemens", "user.works_at", "Siemens"),
        ("I should add: I live in Porto", "user.lives_in", "Porto"),
        ("Medical history: I'm allergic to penicillin", "user.allergic_to", "penicillin"),
        ("Before we start: I'm allergic to penicillin", "user.allergic_to", "penicillin"),
        ("Housing: I live in Porto", "user.lives_in", "Porto"),
        ("Sleep: I take melatonin", "user.takes", "melatonin"),
        ("Honest answer: I don't like jazz", "user.dislikes", "jazz"),
        ("Just to be clear: I'm vegan", "user.diet", "vegan"),
        ("Good to know: I'm vegan", "user.diet", "vegan"),
        ("Why I ask: I'm vegan", "user.diet", "vegan"),
        ("What you should know: I'm vegan", "user.diet", "vegan"),
        ("As I said: I'm vegan", "user.diet", "vegan"),
        ("Like I told you before: I'm vegan", "user.diet", "vegan"),
        ("I told you, I live in Hull.", "user.lives_in", "Hull"),
        ("I've told you that I'm a vegan.", "user.diet", "vegan"),
        ("I already said, I work at Bosch.", "user.works_at", "Bosch"),
        ("I keep telling you, I live in Hull.", "user.lives_in", "Hull"),
        ("I believe I mentioned that I'm diabetic.", "user.has_condition", "diabetes"),
        ("Not sure if it matters: I'm vegan", "user.diet", "vegan"),
        ("P.S.: I moved to Hull", "user.lives_in", "Hull"),
        ("PS I have a dog", "user.pet", "dog"),
        ("N.B. I'm vegan", "user.diet", "vegan"),
        ("Edit: I moved to Hull", "user.lives_in", "Hull"),
        ("TLDR I moved to Hull", "user.lives_in", "Hull"),
        ("To clarify: I live in Hull", "user.lives_in", "Hull"),
        ("Bottom line: I moved to Hull", "user.lives_in", "Hull"),
        ("Write a cover letter. I'm a line cook.", "user.works_as", "line cook"),
        ("Write a bio for my LinkedIn. I'm a nurse with ten years in ICU and I live in Leeds", "user.works_as", "nurse"),
        ("I'm a plumber. Can you write me a cover letter?", "user.works_as", "plumber"),
        ("Draft a cover letter for a barista job. I speak Spanish.", "user.speaks", "Spanish"),
        ("Help me write my wedding speech. My wife is called Ana.", "user.wife", "Ana"),
        ("Write an email to my boss Dave. I'm allergic to nuts.", "user.allergic_to", "nuts"),
        ("Write a toast. My brother Tom is getting married in May.", "user.brother", "Tom"),
        ("I'm in Leicester, so anything with a GMT time works", "user.staying_in", "Leicester"),
        ("what's on this weekend? I'm over in Leicester", "user.staying_in", "Leicester"),
        ("I live in Porto. I wish I had more time.", "user.lives_in", "Porto"),
        ("I live in Porto. Sure, why not.", "user.lives_in", "Porto"),
    ],
)
def test_what_is_meant_is_read_whatever_stands_around_it(text: str, key: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    assert (key, value) in [(candidate.key, candidate.object) for candidate in read(text, predicates)]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("I'm seeing my dentist tomorrow", "user.plans", "seeing their dentist"),
        ("I'm calling the doctor on Friday", "user.plans", "calling the doctor"),
        ("I'm seeing Dr Brown on Monday", "user.plans", "seeing Dr Brown"),
        ("I'm seeing Anna on Friday", "user.plans", "seeing Anna"),
        ("I've been seeing Tom since March", "user.partner", "Tom"),
        ("I'm seeing a guy called Luke", "user.partner", "Luke"),
        ("I'm the head chef at Nobu", "user.works_as", "head chef"),
        ("I'm the manager of a shop", "user.works_as", "manager"),
    ],
)
def test_whom_one_meets_is_neither_a_partner_nor_a_job(text: str, key: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    assert (key, value) in [(found.key, found.object) for found in read(text, predicates)]
    assert not {"user.partner", "user.works_as"} & {found.key for found in read(text, predicates)} - {key}


@pytest.mark.parametrize(
    ("text", "values"),
    [("I was born in 1987-88", []), ("I was born on 03/05/1990", []), ("I have a meeting on June 1 at 10:30.", ["meeting at 10:30"])],
)
def test_a_date_or_a_time_is_read_whole_or_not_at_all(text: str, values: list[str], predicates: Mapping[str, Predicate]) -> None:
    assert [candidate.object for candidate in read(text, predicates)] == values


@pytest.mark.parametrize(
    ("text", "how"), [("I was raised Catholic.", "Catholic"), ("I grew up in foster care.", "in foster care"), ("I was adopted", "adopted")]
)
def test_how_one_was_brought_up_is_neither_what_one_believes_in_nor_where_one_is_from(
    text: str, how: str, predicates: Mapping[str, Predicate]
) -> None:
    assert [(one.key, one.object) for one in read(text, predicates)] == [("user.upbringing", how)]


def test_every_pattern_has_an_example() -> None:
    assert [pattern.match for pattern in rules().pattern if not pattern.examples] == []


def test_every_key_of_the_rules_is_in_the_vocabulary(predicates: Mapping[str, Predicate]) -> None:
    keys = {key for pattern in rules().pattern for key in (pattern.key, *(also.key for also in pattern.also))}
    related = {*called().relations.values()} - {*rules().groups["pets"], *rules().groups["several"]}
    families = tuple(f"{family}_" for family in ("favourite", "usual"))  # one predicate for all of their kind
    assert {key for key in keys if "{" not in key and not key.startswith(families)} | related <= predicates.keys()


# what a candidate holds


def test_a_candidate_says_whom_what_and_where_it_stands(predicates: Mapping[str, Predicate]) -> None:
    found = one("Hello! I live in Lisbon. How are you?", predicates)
    assert found == Candidate(
        key="user.lives_in",
        value_text="User lives in Lisbon",
        object="Lisbon",
        category="identity",
        confidence=0.92,
        excerpt="I live in Lisbon",
        value_json={"subject": "user", "predicate": "lives_in", "object": "Lisbon"},
    )


def test_a_named_speaker_is_the_subject(predicates: Mapping[str, Predicate]) -> None:
    found = one("I like pottery", predicates, speaker="Caroline")
    assert (found.key, found.value_text) == ("caroline.likes", "Caroline likes pottery")


@pytest.mark.parametrize("speaker", ["user", "User", "u1", None])
def test_the_user_is_user_by_whatever_name(speaker: str | None, predicates: Mapping[str, Predicate]) -> None:
    assert one("I like pottery", predicates, speaker=speaker).key == "user.likes"


def test_a_speaker_of_any_script_has_a_key(predicates: Mapping[str, Predicate]) -> None:
    assert is_canonical(one("I like pottery", predicates, speaker="张伟").key)


def test_the_assistant_states_nothing_about_the_user(predicates: Mapping[str, Predicate]) -> None:
    assert read("I live in Lisbon", predicates, speaker="assistant") == []


def test_the_answer_of_the_assistant_is_not_read(predicates: Mapping[str, Predicate]) -> None:
    turn = Turn(id=1, turn_id="t1", user_id="u1", user_input="Thanks", assistant_response="I live in Lisbon", timestamp=WEDNESDAY)
    assert extract(turn, predicates=predicates, zone=LISBON) == []


def test_a_relative_is_known_by_the_relation(predicates: Mapping[str, Predicate]) -> None:
    found = read("My sister Anna lives in Porto. She works as a vet.", predicates)
    assert said(found) == [
        ("sister.lives_in", "Porto", False), ("user.sister", "Anna", False), ("sister.works_as", "vet", False)
    ]  # fmt: skip
    assert found[0].value_text == "User's sister lives in Porto"


def test_a_relative_of_a_named_speaker_is_not_the_users(predicates: Mapping[str, Predicate]) -> None:
    found = one("My sister lives in Porto", predicates, speaker="Caroline")
    assert (found.key, found.value_text) == ("caroline_sister.lives_in", "Caroline's sister lives in Porto")


def test_a_friend_is_known_by_name(predicates: Mapping[str, Predicate]) -> None:
    found = read("My best friend Tom works at Airbus", predicates)
    assert said(found) == [("tom.works_at", "Airbus", False), ("user.friend", "Tom", False)]


def test_a_friend_without_a_name_has_no_facts(predicates: Mapping[str, Predicate]) -> None:
    assert read("My friend lives in Berlin", predicates) == []


def test_two_facts_in_a_sentence_are_two(predicates: Mapping[str, Predicate]) -> None:
    assert said(read("I live in Lisbon and work as a nurse", predicates)) == [
        ("user.lives_in", "Lisbon", False), ("user.works_as", "nurse", False)
    ]  # fmt: skip


def test_a_list_is_several_facts(predicates: Mapping[str, Predicate]) -> None:
    assert [found.object for found in read("I like jazz, blues and rock and roll", predicates)] == ["jazz", "blues", "rock and roll"]


@pytest.mark.parametrize(
    "text", ["I’m allergic to nuts", "im allergic to nuts", "i'm really allergic to nuts!!", "I AM ALLERGIC TO nuts\n"]
)
def test_spelling_and_capitals_do_not_matter(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert said(read(text, predicates)) == [("user.allergic_to", "nuts", False)]


def test_a_name_without_capitals_is_given_them_and_trusted_less(predicates: Mapping[str, Predicate]) -> None:
    found, known = one("i live in oakshott", predicates), one("i live in porto", predicates)
    assert (found.object, found.confidence) == ("Oakshott", 0.82)
    assert (known.object, known.confidence) == ("Porto", 0.92)


def test_american_and_british_favourites_have_one_key(predicates: Mapping[str, Predicate]) -> None:
    american, british = one("My favorite color is red", predicates), one("my favourite colour is red", predicates)
    assert american.key == british.key == "user.favourite_colour"
    assert american.value_text == "User has the favourite colour red"


# how sure, and how explicit


@pytest.mark.parametrize("hedge", ["I think", "Maybe", "I guess", "probably"])
def test_a_hedge_lowers_the_confidence(hedge: str, predicates: Mapping[str, Predicate]) -> None:
    assert one(f"{hedge} I'm allergic to cats", predicates).confidence < 0.7


def test_a_condition_lowers_the_confidence(predicates: Mapping[str, Predicate]) -> None:
    assert one("I'm going to Lisbon next week if it stops raining", predicates).confidence < 0.7


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Faro", "Actually I live in Faro", "I live in Faro now", "Yes, I still live in Faro", "That's right, I live in Faro",
        "No, I live in Faro", "We've just moved from Porto to Faro",
    ],
)  # fmt: skip
def test_a_stated_change_or_confirmation_is_explicit(text: str, predicates: Mapping[str, Predicate]) -> None:
    found = one(text, predicates)
    assert (found.object, found.explicit) == ("Faro", True)


@pytest.mark.parametrize("text", ["I live in Faro", "Well, I live in Faro right now", "By the way, I live in Faro"])
def test_a_plain_statement_is_not_explicit(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert not one(text, predicates).explicit


def test_a_corrected_name_replaces_the_wrong_one(predicates: Mapping[str, Predicate]) -> None:
    found = read("Sorry, my name is Anna, not Ana.", predicates)
    assert said(found) == [("user.name", "Anna", False), ("user.name", "Ana", True)]
    assert all(candidate.explicit for candidate in found)


def test_a_correction_that_does_not_say_of_what_is_less_sure(predicates: Mapping[str, Predicate]) -> None:
    assert read("Actually it's Anna, not Ana", predicates)[0].confidence == 0.75


# as people write in chats


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("i'm living in chicago rn lol", "Chicago"),
        ("i live in london atm", "London"),
        ("I live in Berlin any tips for bars", "Berlin"),
        ("i live in berlin looking for a gym", "Berlin"),
        ("i live in berlin w/ my wife", "Berlin"),
        ("I live in Frankfurt am Main", "Frankfurt am Main"),
        ("i'm working as a waiter atm", "waiter"),
        ("i work at google formerly at meta", "google"),
        ("I work for J.P. Morgan", "J.P. Morgan"),
        ("I work at AT&T", "AT&T"),
        ("my name is bob nice to meet you", "Bob"),
        ("I'm allergic to cats unfortunately", "cats"),
        ("i'm allergic to cats smh", "cats"),
        ("I'm allergic to cats, help", "cats"),
        ("I'm allergic to cats and want a pet any ideas", "cats"),
        ("i like pizza cuz its cheesy", "pizza"),
        ("i like pizza alot", "pizza"),
        ("i like pizza more than pasta", "pizza"),
        ("I don't like cilantro, tastes like soap", "cilantro"),
        ("I'm allergic to penicillin, keep that in mind", "penicillin"),
        ("I'm allergic to eggs, please update my profile", "eggs"),
        ("I'm allergic to nuts, trust me", "nuts"),
        ("I hate olives and keep that in mind", "olives"),
        ("I like tea, make a note", "tea"),
        ("I love sushi, guess what", "sushi"),
        ("I love tennis, full stop", "tennis"),
        ("I like tea, mind you", "tea"),
        ("My name is Will", "Will"),
        ("my name is may", "May"),
    ],
)
def test_a_value_ends_where_the_talk_goes_on(text: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    assert [candidate.object for candidate in read(text, predicates)] == [value]


def test_what_is_taken_back_in_the_next_breath_is_not_said(predicates: Mapping[str, Predicate]) -> None:
    found = read("I like jazz. I live in Paris. Sorry, I mean never mind. I work at Siemens.", predicates)
    assert said(found) == [("user.likes", "jazz", False), ("user.works_at", "Siemens", False)]


def test_what_is_had_besides_has_its_name_too(predicates: Mapping[str, Predicate]) -> None:
    assert said(read("I have a dog named Rex and a cat named Luna", predicates)) == [
        ("user.pet", "dog called Rex", False), ("user.pet", "cat called Luna", False)
    ]  # fmt: skip
    assert read("My sister's friend has a dog named Rex and a cat named Luna", predicates) == []


def test_a_denial_after_and_is_a_clause_of_its_own(predicates: Mapping[str, Predicate]) -> None:
    assert said(read("I like tea and don't like coffee", predicates)) == [("user.likes", "tea", False), ("user.dislikes", "coffee", False)]


@pytest.mark.parametrize(
    "what", ["Muslim", "Catholic", "Hindu", "Republican", "Catalan", "Sudanese", "Gay", "Deaf", "INTJ", "Aquarius", "African American"]
)
def test_what_one_is_with_a_capital_is_no_name(what: str, predicates: Mapping[str, Predicate]) -> None:
    for text in (f"I'm {what}, so no pork for me.", f"I'm {what}.", f"My boss is {what}."):
        assert [one for one in said(read(text, predicates)) if one[0] in ("user.name", "user.boss")] == []


@pytest.mark.parametrize(
    "name",
    [
        "Brian",
        "Adrian Smith",
        "Sean",
        "Jean",
        "Dean",
        "Manish",
        "Therese",
        "Leo",
        "Susan",
        "JJ",
        "Christian Bale",
        "Ahmed",
        "Mable",
        "Clive",
        "Ming",
        "King",
        "Grace",
    ],
)
def test_a_name_may_end_as_an_origin_does(name: str, predicates: Mapping[str, Predicate]) -> None:
    assert said(read(f"I'm {name}, nice to meet you.", predicates)) == [("user.name", name, False)]


@pytest.mark.parametrize(
    "text",
    [
        "I like coffee a bit more these days.",
        "I like coffee more and more",
        "I like coffee very much indeed",
        "I like coffee much more now",
        "I like coffee a little",
    ],
)
def test_how_much_something_is_liked_is_no_part_of_it(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert said(read(text, predicates)) == [("user.likes", "coffee", False)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "My wife and I live in Oslo with our daughter Eva, who's allergic to eggs",
            ["user.lives_in", "user.lives_with", "user.daughter", "daughter.allergic_to"],
        ),
        ("My wife visited my mother, who is allergic to cats", ["mother.allergic_to"]),
        ("My brother, who is a nurse, lives in Oslo", ["brother.works_as", "brother.lives_in"]),
        ("I live with my brother, who is a nurse, and work at Siemens", ["user.lives_with", "brother.works_as", "user.works_at"]),
        ("My wife Clara is a nurse who loves jazz", ["wife.works_as", "user.wife", "wife.likes"]),
        ("My dad lives in Oslo with his wife, who is a nurse", ["father.lives_in"]),
        ("My wife works with a man who is vegan", []),
    ],
)
def test_who_is_whoever_was_named_last(text: str, expected: list[str], predicates: Mapping[str, Predicate]) -> None:
    assert [candidate.key for candidate in read(text, predicates)] == expected


@pytest.mark.parametrize(
    ("text", "unsure"),
    [
        ("I'm allergic to nuts, I think", True),
        ("I'm allergic to nuts, probably", True),
        ("I'm allergic to nuts, probably because of my mother", False),
    ],
)
def test_a_doubt_may_come_after_what_it_doubts(text: str, unsure: bool, predicates: Mapping[str, Predicate]) -> None:
    [candidate] = read(text, predicates)
    assert (candidate.object, candidate.confidence < 0.7) == ("nuts", unsure)


def test_what_is_said_anew_holds(predicates: Mapping[str, Predicate]) -> None:
    assert said(read("I live in Paris. Sorry, I mean I live in Rome.", predicates))[-1] == ("user.lives_in", "Rome", False)


def test_what_a_fence_encloses_is_not_said(predicates: Mapping[str, Predicate]) -> None:
    assert read("```\nI live in Rome\nmy name is Bob\n```", predicates) == []


@pytest.mark.parametrize(
    "text",
    [
        "Bob: I live in Paris\nAnn: cool, I live in Rome",
        "[10:32] Bob: I love sushi",
        "Bob (10:32): I love sushi\nAnn (10:33): me too",
        "User: hello there\nAssistant: I live in the cloud, I love sushi",
        "User: I live in Rome, how far is Pisa?\nAssistant: 360 km.\n\nContinue this chat log",
        "Human: I am a vegan dentist called Carl.\n\nAI: Noted, Carl.\nHuman: And I love jazz.",
        "From: Bob Smith\nTo: Ann\nHi, I'm Bob and I work at IBM.",
        "Here's a poem I found\nI love the sea",
        "Can you check this for errors? I live in Leeds and I works as a teacher.",
        "Review this paragraph: My name is Jane. I was born in Ohio.",
    ],
)
def test_what_others_wrote_is_not_said(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert read(text, predicates) == []


def test_who_shows_a_conversation_says_their_own_part_of_it(predicates: Mapping[str, Predicate]) -> None:
    assert said(read("Bob: I live in Oslo\nMe: I live in Porto", predicates)) == [("user.lives_in", "Porto", False)]


def test_a_label_is_nobody_who_speaks(predicates: Mapping[str, Predicate]) -> None:
    assert said(read("Diet: I'm vegan.\nHome: I live in Leeds.", predicates)) == [
        ("user.diet", "vegan", False), ("user.lives_in", "Leeds", False)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "label",
    [
        "Quick update",
        "Ok, so here's the thing",
        "The thing is",
        "First of all",
        "Honestly",
        "Full disclosure",
        "Dietary needs",
        "PS",
        "My bio",
        "Hey Evan, some big news",
        "I have to say two things",
    ],
)
def test_a_label_of_ones_own_leads_into_what_one_says(label: str, predicates: Mapping[str, Predicate]) -> None:
    assert said(read(f"{label}: I'm vegan", predicates)) == [("user.diet", "vegan", False)]


def test_a_list_of_what_one_is_is_read_line_by_line(predicates: Mapping[str, Predicate]) -> None:
    lines = "About me:\n- I'm a nurse\n- I live in Leeds\n* I'm vegan"
    assert [found.object for found in read(lines, predicates)] == ["nurse", "Leeds", "vegan"]
    assert read("- Where do you live?\n- I live in Rome.", predicates) == []  # as a dialogue is printed


def test_what_stands_below_somebody_elses_line_is_ones_own(predicates: Mapping[str, Predicate]) -> None:
    assert said(read("Bob: I live in Oslo. I like rain.\nI live in Porto", predicates)) == [("user.lives_in", "Porto", False)]


def test_a_question_may_follow_without_a_full_stop(predicates: Mapping[str, Predicate]) -> None:
    (found,) = read("i live in leeds what should i do this weekend", predicates)
    assert (found.object, found.valid_from, found.valid_to) == ("Leeds", None, None)
    assert one("im vegan can you suggest lunch", predicates).object == "vegan"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("I live near the beach in Cascais", "Cascais"),
        ("I live by myself in Leeds", "Leeds"),
        ("I live in the suburbs of Paris", "Paris"),
        ("I live on the Isle of Wight", "the Isle of Wight"),
    ],
)
def test_where_in_a_town_one_lives_is_no_part_of_its_name(text: str, place: str, predicates: Mapping[str, Predicate]) -> None:
    assert [fact for fact in said(read(text, predicates)) if fact[0] == "user.lives_in"] == [("user.lives_in", place, False)]


@pytest.mark.parametrize("text", ["I live alone.", "I live on my own.", "I live by myself"])
def test_who_lives_alone_does_not_live_in_a_place_of_that_name(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert said(read(text, predicates)) == [("user.lives", "alone", False)]


@pytest.mark.parametrize("text", ["I live near Bristol", "We live just outside Bristol.", "I'm living not far from Bristol"])
def test_who_lives_near_a_town_does_not_live_in_it(text: str, predicates: Mapping[str, Predicate]) -> None:
    found = one(text, predicates)
    assert (found.key, found.object, found.value_text) == ("user.lives_in", "near Bristol", "User lives near Bristol")


def test_a_country_in_capitals_is_nobody(predicates: Mapping[str, Predicate]) -> None:
    assert one("I work remotely for a US company", predicates).object == "a US company"


@pytest.mark.parametrize(
    ("text", "count"), [("I've been a nurse", 0), ("I've been a nurse for two years", 1), ("I've always been vegan", 1)]
)
def test_what_one_has_been_one_may_be_no_more(text: str, count: int, predicates: Mapping[str, Predicate]) -> None:
    assert len(read(text, predicates)) == count


def test_no_more_than_the_first_facts_of_a_long_list_are_read(predicates: Mapping[str, Predicate]) -> None:
    assert len(read(", ".join(f"I like x{number}" for number in range(2000)), predicates)) == MOST_FACTS


# what is not so, or no longer


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("I don't live in Porto any more", "user.lives_in", "Porto"),
        ("I no longer work at Google", "user.works_at", "Google"),
        ("I used to live in Porto", "user.lives_in", "Porto"),
        ("I used to really love westerns, but I've moved on", "user.likes", "westerns"),
        ("I'm not vegetarian", "user.diet", "vegetarian"),
        ("I stopped running", "user.hobby", "running"),
        ("I quit my job", "user.works_as", ""),
        ("We broke up", "user.partner", ""),
        ("I'm not allergic to cats", "user.allergic_to", "cats"),
    ],
)
def test_what_ended_is_negated_and_names_what_is_denied(text: str, key: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    assert (key, value, True) in said(read(text, predicates))


def test_quitting_is_a_fact_and_ends_another(predicates: Mapping[str, Predicate]) -> None:
    assert said(read("I quit coffee", predicates)) == [("user.avoids", "coffee", False), ("user.likes", "coffee", True)]


def test_not_liking_is_disliking(predicates: Mapping[str, Predicate]) -> None:
    assert said(read("I don't like olives", predicates)) == [("user.dislikes", "olives", False)]


@pytest.mark.parametrize("text", ["I no longer love olives", "I don't love olives any more", "I stopped liking olives"])
def test_who_likes_a_thing_no_more_need_not_dislike_it(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert said(read(text, predicates)) == [("user.likes", "olives", True)]


@pytest.mark.parametrize("text", ["I'm 34, no kidding", "I'm 34, not joking", "I'm 34 I swear"])
def test_what_one_says_to_be_believed_says_nothing_more(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert said(read(text, predicates)) == [("user.age", "34", False)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("my sister shes a nurse in leeds", [("sister.works_as", "nurse", False)]),
        (
            "My friend Sam is allergic to nuts and hes coming for dinner",
            [("user.friend", "Sam", False), ("sam.allergic_to", "nuts", False)],
        ),
        ("My wife is a nurse and shes vegan", [("wife.works_as", "nurse", False), ("wife.diet", "vegan", False)]),
        ("I wasnt born yesterday", []),
    ],
)
def test_an_apostrophe_may_be_left_out(text: str, wanted: list[tuple[str, str, bool]], predicates: Mapping[str, Predicate]) -> None:
    assert said(read(text, predicates)) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "I got a job at Nokia but I'm staying at Bosch",
        "I got a job at Nokia, but I decided to stay",
        "I got a job at Nokia! I'll keep working at Bosch though",
        "I've got a job at Nokia, though I'm not leaving Bosch",
        "I got a job at Nokia on top of my job at Bosch",
    ],
)
def test_who_stays_in_a_job_has_no_new_one(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert "Nokia" not in [found.object for found in read(text, predicates)]


@pytest.mark.parametrize(
    "text", ["I got a job at Nokia, I'm staying at the Hilton for a week", "I got a job at Nokia but my wife is staying at Bosch"]
)
def test_who_stays_elsewhere_or_is_another_has_a_new_job(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert ("user.works_at", "Nokia", False) in said(read(text, predicates))


def test_a_denial_that_is_itself_a_fact_has_negative_polarity(predicates: Mapping[str, Predicate]) -> None:
    found = one("I don't speak French", predicates)
    assert (found.negated, found.value_text) == (False, "User does not speak French")
    assert found.value_json == {"subject": "user", "predicate": "speaks", "object": "French", "polarity": "negative"}


# when


def test_a_temporary_state_ends(predicates: Mapping[str, Predicate]) -> None:
    found = one("For this week I'm staying in Berlin", predicates)
    assert (found.temporary, found.valid_to) == (True, datetime(2025, 5, 18, 23, 0, tzinfo=UTC))


def test_a_state_with_an_end_is_temporary_whatever_it_is(predicates: Mapping[str, Predicate]) -> None:
    found = one("I'm vegan until Easter", predicates)
    assert (found.key, found.object, found.temporary) == ("user.diet", "vegan", True)
    assert found.valid_to == datetime(2026, 4, 5, 23, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["My grandmother, who lives in Porto, turns 90 in May", "My sister, who lives in Porto, comes over on Sunday"]
)
def test_when_what_goes_on_happens_is_no_time_of_what_is_said_in_between(text: str, predicates: Mapping[str, Predicate]) -> None:
    lives = one(text, predicates)
    assert (lives.object, lives.valid_to) == ("Porto", None)


def test_what_is_listed_of_somebody_in_between_belongs_to_what_is_said(predicates: Mapping[str, Predicate]) -> None:
    found = read("My sister, who likes cats, dogs and birds, lives in York", predicates)
    assert {one.object for one in found} == {"cats", "dogs", "birds", "York"}


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("We got a puppy last week. His name is Bruno!", "user.pet", "dog called Bruno"),
        ("We got a puppy from the shelter. Her name is Luna.", "user.pet", "dog called Luna"),
        ("We have a dog and his name's Rex", "user.pet", "dog called Rex"),
        ("I have a cat.\nWe called her Mimi.", "user.pet", "cat called Mimi"),
        ("My son got a dog. Its name is Rex.", "son.pet", "dog called Rex"),
        ("I have a sister, her name is Ana, and she lives in Porto", "user.sister", "Ana"),
        ("My brother works at Bosch. His name is Tom.", "user.brother", "Tom"),
        ("My brother works at Bosch. His name is Tom.", "brother.works_at", "Bosch"),
        ("I've got a new baby girl, her name is Ines", "user.daughter", "Ines"),
    ],
)
def test_a_name_told_afterwards_is_the_name_of_who_was_spoken_of(
    text: str, key: str, value: str, predicates: Mapping[str, Predicate]
) -> None:  # fmt: skip
    (found,) = [candidate for candidate in read(text, predicates) if candidate.key == key]
    assert found.object == value
    assert found.excerpt in text


def test_two_who_are_had_have_each_their_name(predicates: Mapping[str, Predicate]) -> None:
    found = said(read("I have a sister, Ana, and a brother, Tom", predicates))
    assert found == [("user.sister", "Ana", False), ("user.brother", "Tom", False)]


@pytest.mark.parametrize(
    "text",
    [
        "My boss has a dog. His name is Rex.",  # whose?
        "My brother works with Ben. His name is Tom.",
        "We have a dog and the vet is great, his name is Tom.",
        "We got a puppy for my daughter. Her name is Luna.",
        "My girlfriend is from Rome. His name is Ugo.",
        "I have a sister. Its name is Rex.",
        "Do you have a dog? His name is Rex.",
        "If I had a dog. His name is Rex.",
        "I met a man at the bar. His name is Tom.",
    ],
)
def test_a_name_that_may_be_of_another_is_nobodys(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert not {"Rex", "Tom", "Luna", "Ugo"} & {word for candidate in read(text, predicates) for word in candidate.object.split()}


@pytest.mark.parametrize(
    "text", ["My sister Ana (34) lives in Porto", "My sister Ana, 34, lives in Porto", "My sister Ana (aged 34) lives in Porto"]
)
def test_an_age_in_between_is_of_whom_it_follows(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert {("sister.age", "34", False), ("sister.lives_in", "Porto", False), ("user.sister", "Ana", False)} == set(
        said(read(text, predicates))
    )


def test_what_was_given_for_another_thing_is_owned_no_more(predicates: Mapping[str, Predicate]) -> None:
    found = said(read("I swapped my iPhone for a Pixel", predicates))
    assert found[0] == ("user.owns", "Pixel", False)
    assert {("user.owns", "iPhone", True), ("user.uses", "iPhone", True), ("user.drives", "iPhone", True)} == set(found[1:])
    assert not read("I swapped my Tuesday for a Friday", predicates)


def test_a_lasting_state_has_no_end(predicates: Mapping[str, Predicate]) -> None:
    found = one("I've lived in Ghent since 2019", predicates)
    assert (found.temporary, found.valid_from, found.valid_to) == (False, datetime(2019, 1, 1, tzinfo=UTC), None)


def test_a_future_start_is_the_beginning_of_validity(predicates: Mapping[str, Predicate]) -> None:
    found = one("From next month I'll work at Bosch", predicates)
    assert (found.key, found.valid_from) == ("user.works_at", datetime(2025, 5, 31, 23, 0, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("From Monday I'm staying in Berlin for two weeks", "2025-05-19", "2025-06-02"),
        ("I'm staying in Berlin for two weeks from Monday", "2025-05-19", "2025-06-02"),
        ("From tomorrow I'll be staying in Berlin for three days", "2025-05-15", "2025-05-18"),
        ("I'm vegan for three days from tomorrow", "2025-05-15", "2025-05-18"),
        ("Starting tomorrow, I'm staying with my sister in Berlin for a week", "2025-05-15", "2025-05-22"),
        ("Next week I'm staying in Berlin for three days", "2025-05-19", "2025-05-26"),
        ("From Monday I'm staying in Berlin until Friday", "2025-05-19", "2025-05-24"),
        ("From 10 June I'm staying in Berlin until 20 June", "2025-06-10", "2025-06-21"),
        ("From August I'm working at Bosch for six months", "2025-08-01", "2026-02-01"),
        ("From October I'll be living in Rome for three months", "2025-10-01", "2026-01-01"),
    ],
)
def test_what_is_to_last_for_a_time_lasts_from_when_it_begins(
    text: str, begins: str, ends: str, predicates: Mapping[str, Predicate]
) -> None:
    found = one(text, predicates)
    assert found.temporary
    assert [f"{at.astimezone(LISBON):%Y-%m-%d %H:%M}" for at in (found.valid_from, found.valid_to) if at] == [
        f"{begins} 00:00",
        f"{ends} 00:00",
    ]


def test_what_ends_on_a_day_that_is_told_has_begun(predicates: Mapping[str, Predicate]) -> None:
    found = one("I'm staying in Berlin for five days, back on Monday", predicates)
    assert (found.valid_from, str(found.valid_to)[:10]) == (None, "2025-05-18")


COMING = [
    ("From June on I'll be vegan", "2025-05-31", "vegan"),
    ("From June onwards, I'll be vegan", "2025-05-31", "vegan"),
    ("From the first of June I'll be vegan", "2025-05-31", "vegan"),
    ("From Monday on I'm vegan", "2025-05-18", "vegan"),
    ("Starting Monday, I'm working at Bosch", "2025-05-18", "Bosch"),
    ("Starting in June I work at Bosch", "2025-05-31", "Bosch"),
    ("Beginning next month we live in Leeds", "2025-05-31", "Leeds"),
    ("As of next month we live in Leeds", "2025-05-31", "Leeds"),
    ("With effect from 1 June I work at Bosch", "2025-05-31", "Bosch"),
    ("Come September, I'll be working at Bosch", "2025-08-31", "Bosch"),
    ("I'll be teaching at Leeds University come September", "2025-08-31", "Leeds University"),
    ("Come September my son will be studying at Leeds University", "2025-08-31", "Leeds University"),
    ("By June I'll be living in Leeds", "2025-05-31", "Leeds"),
]


@pytest.mark.parametrize(("text", "day", "value"), COMING)
def test_what_is_to_come_begins_when_the_sentence_says(text: str, day: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    found = one(text, predicates)
    assert (found.object, f"{found.valid_from:%Y-%m-%d %H}", found.valid_to) == (value, f"{day} 23", None)


@pytest.mark.parametrize("when", ["soon", "one day", "by then", "eventually", "at some point"])
def test_what_will_be_at_no_day_that_is_told_is_not_so_yet(when: str, predicates: Mapping[str, Predicate]) -> None:
    assert not read(f"I'll be living in Leeds {when}", predicates)
    assert not read(f"{when}, I'll be vegan".capitalize(), predicates)


@pytest.mark.parametrize(
    "text",
    [
        "I'll be teaching Spanish",
        "I'll be learning the cello with a friend",
        "She's my boss, so I'll be working at Nokia",
        "My brother will be studying chemistry",
        "We'll be living in Cork until August",
        "I'll be taking insulin",
        "Soon I'll be a pensioner and I'll be living in Faro",
    ],
)
def test_what_will_be_without_a_day_is_not_so_yet(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert not read(text, predicates)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I'll be teaching Spanish from June", "2025-05-31"),
        ("I'll be teaching Spanish this autumn", "2025-08-31"),
        ("I'll be teaching Spanish now", ""),
    ],
)
def test_what_will_be_begins_on_its_day(text: str, day: str, predicates: Mapping[str, Predicate]) -> None:
    found = one(text, predicates)
    assert (found.key, found.object, f"{found.valid_from or '':%Y-%m-%d}" if found.valid_from else "") == ("user.teaches", "Spanish", day)


@pytest.mark.parametrize("text", ["From now on I'm vegan", "As of right now I'm vegan", "From here on, I'll be vegan"])
def test_what_is_so_from_now_on_is_a_change(text: str, predicates: Mapping[str, Predicate]) -> None:
    found = one(text, predicates)
    assert (found.key, found.object, found.explicit, found.valid_from) == ("user.diet", "vegan", True, None)


def test_what_is_so_as_of_a_month_that_was_is_so_already(predicates: Mapping[str, Predicate]) -> None:
    assert one("As of March I live in Leeds", predicates).valid_from == datetime(2025, 3, 1, tzinfo=UTC)


def test_a_change_begins_when_it_happened(predicates: Mapping[str, Predicate]) -> None:
    assert one("I moved to Lisbon on 3 March", predicates).valid_from == datetime(2025, 3, 3, tzinfo=UTC)


def test_a_plan_has_the_time_of_its_event(predicates: Mapping[str, Predicate]) -> None:
    found = one("I'm flying to Rome next Friday", predicates)
    assert (found.key, found.object) == ("user.plans", "flying to Rome")
    assert (found.event_time, found.valid_to) == (datetime(2025, 5, 22, 23, tzinfo=UTC), datetime(2025, 5, 23, 23, tzinfo=UTC))


def test_what_is_considered_has_the_time_for_which_it_is(predicates: Mapping[str, Predicate]) -> None:
    found = one("We're thinking of moving to Porto next year", predicates)
    assert (found.key, found.object) == ("user.considers", "moving to Porto")
    assert found.valid_to == datetime(2027, 1, 1, tzinfo=UTC)


def test_what_is_over_is_no_plan(predicates: Mapping[str, Predicate]) -> None:
    assert read("I'm flying high since last Friday", predicates) == []


# any text


FRAGMENTS = st.sampled_from(
    "I|I'm|my sister|lives|live in|Lisbon|and|work as a nurse|love|jazz|,|.|!|?|'|\"|not|never|from|next Friday|until|allergic to"
    "|peanuts|called|Anna|the|a|who|she|used to|because|if|said|I’m|😀|\n|(|)|-|:|don't|any more|at|for two weeks".split("|")
)
ANY_TEXT = st.one_of(st.text(max_size=200), st.lists(FRAGMENTS, max_size=30).map(" ".join))


@settings(max_examples=300)
@given(text=ANY_TEXT, speaker=st.sampled_from([None, "Caroline", "Žofie X", "张伟"]))
def test_any_text_gives_well_formed_candidates(text: str, speaker: str | None, predicates: Mapping[str, Predicate]) -> None:
    for found in read(text, predicates, speaker=speaker):
        assert found.excerpt
        assert found.excerpt in text
        assert re.fullmatch(r"[a-z0-9_]+\.[a-z0-9_]+", found.key)
        assert 0 <= found.confidence <= 1
        assert found.object or found.negated
        assert found.valid_from is None or found.valid_to is None or found.valid_from < found.valid_to


@pytest.mark.parametrize(
    "text",
    [
        "", " \n\t", "😀" * 50_000, "'" * 100_000, "I like a, " * 10_000, "my sister Anna and " * 5_000, "a," * 50_000,
        "\n" * 2_000_000, "gpt" + "-" * 2_000_000, "a\n" * 300_000, "I have lived there for two years. " * 20_000,
        "Friday is my last day. " * 20_000, "my sister: yes\n" * 30_000,
    ],
)  # fmt: skip
def test_hostile_text_gives_at_most_a_few_facts(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert len(read(text, predicates, held=("user.works_at", "Bosch"))) <= 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Porto", [("user.lives_in", "Porto", False)]),
        ("I am 34. Sorry, 35", [("user.age", "35", False)]),
        ("Ana loves tea", [("sister.likes", "tea", False)]),
    ],
)
def test_what_one_says_oneself_is_found_in_the_midst_of_a_log(
    text: str, expected: list[tuple[str, str, bool]], predicates: Mapping[str, Predicate]
) -> None:
    log = "2026-11-03 10:00:00 INFO worker-3 the request took 12 ms.\n" * 20_000
    assert said(read(f"{log}{text}.\n{log}", predicates, held=("user.sister", "Ana"))) == expected


def test_the_same_turn_gives_the_same_facts(predicates: Mapping[str, Predicate]) -> None:
    text = "I live in Lisbon, I like jazz and my sister Anna lives in Porto"
    assert read(text, predicates) == read(text, predicates)


def test_the_demo_conversation_states_all_that_is_expected_of_it(predicates: Mapping[str, Predicate]) -> None:
    demo, expected = (json.loads((DATA / name).read_text(encoding="utf-8")) for name in ("demo.json", "demo_expected.json"))
    turns = [(turn["user"], datetime.fromisoformat(turn["timestamp"]).astimezone(UTC)) for turn in demo["turns"]]
    stated = {(found.key, found.object) for text, at in turns for found in read(text, predicates, at=at) if not found.negated}
    stated |= {("dog.afraid_of", "the trams")}  # of "Bica", who is known by name from an earlier turn
    refined = {("user.works_as", "physiotherapist")}  # became "head physiotherapist"
    assert stated - refined == {(fact["key"], fact["object"]) for fact in expected}


def test_the_demo_conversation_runs_forward_in_time() -> None:
    turns = json.loads((DATA / "demo.json").read_text(encoding="utf-8"))["turns"]
    times = [datetime.fromisoformat(turn["timestamp"]) for turn in turns]
    assert times == sorted(times)
    assert times[-1] - times[0] > timedelta(days=200)


# keys


@pytest.mark.parametrize(
    ("key", "like", "label"),
    [
        ("user.favourite_colour", "favourite", "has the favourite colour"),
        ("user.lives_in", "lives_in", "lives in"),
        ("user.shoe_size", None, "has the shoe size"),
        ("user.office_manager", None, "has the office manager"),
        ("user.budget_for_trip", "budget_for", "has a budget for the trip"),
        ("user.jazz_band", None, "is in the jazz band"),
    ],
)
def test_an_unknown_predicate_behaves_like_the_longest_known_one(
    key: str, like: str | None, label: str, predicates: Mapping[str, Predicate]
) -> None:
    found = predicate_of(key, predicates)
    expected = (predicates[like].category, predicates[like].cardinality) if like else ("other", "one")
    assert ((found.category, found.cardinality), found.label) == (expected, label)


def test_a_key_without_end_is_looked_up_by_its_beginning(predicates: Mapping[str, Predicate]) -> None:
    asked: list[str] = []

    class Watched(dict[str, Predicate]):
        def get(self, key: str, default: object = None) -> Predicate | None:  # type: ignore[override]
            asked.append(key)
            return super().get(key)

    found = predicate_of(f"user.favourite_{'very_' * 5_000}dear_one", Watched(predicates))
    assert found.cardinality == predicates["favourite"].cardinality
    assert sum(map(len, asked)) < 1_000


@pytest.mark.parametrize(
    ("left", "right"), [("The UK", "uk"), ("a nurse!", "Nurse"), ("St. Mary’s", "st marys"), ("  rock &  roll", "rock roll")]
)
def test_objects_that_mean_the_same_compare_equal(left: str, right: str) -> None:
    assert normalise(left) == normalise(right)


@pytest.mark.parametrize(("left", "right"), [("C++", "C#"), ("Porto", "Lisbon"), ("😀", "😎")])
def test_objects_that_differ_compare_unequal(left: str, right: str) -> None:
    assert normalise(left) != normalise(right)


@given(st.text(min_size=1).filter(str.strip))
def test_any_name_makes_a_canonical_key(name: str) -> None:
    assert is_canonical(canonical_key(name, "lives in"))


def test_a_blank_name_makes_no_key() -> None:
    with pytest.raises(InputError, match="make no key"):
        canonical_key(" ", "name")


def test_what_one_is_allergic_to_in_a_list_is_no_nationality(predicates: Mapping[str, Predicate]) -> None:
    allergies = ["nuts", "shellfish", "kiwi"]
    assert said(read("I'm allergic to nuts, shellfish and kiwi", predicates)) == [("user.allergic_to", one, False) for one in allergies]
    assert said(read("I have a severe walnut and egg allergy", predicates)) == [
        ("user.allergic_to", "walnut", False),
        ("user.allergic_to", "eggs", False),
    ]


def test_initials_behind_a_name_are_no_part_of_what_is_said(predicates: Mapping[str, Predicate]) -> None:
    assert one("I like air traffic control (ATC) tapes", predicates).object == "air traffic control tapes"
    assert one("I work at Acme (Leeds)", predicates).object == "Acme"


@pytest.mark.parametrize(
    "text",
    [
        "I don't play tennis much",
        "I don't play tennis very often any more",
        "I don't play tennis on Sundays",
        "I don't play tennis at night",
        "I don't speak German very well",
        "I don't like coffee without milk",
        "I don't like coffee before bed",
        "I don't work at Siemens on Fridays",
        "I don't drink coffee after 6pm",
        "I never drink before noon",
        "I don't eat fish very often",
        "I don't eat much meat",
    ],
)
def test_what_is_not_done_then_or_not_much_is_not_denied(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert not read(text, predicates)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't like coffee in the morning", [("user.dislikes", "coffee in the morning", False)]),
        ("I don't like coffee very much", [("user.dislikes", "coffee", False)]),
        ("I don't eat gluten at all", [("user.avoids", "gluten", False), ("user.likes", "gluten", True)]),
        ("I don't play tennis any more", [("user.plays", "tennis", True)]),
        ("I don't play tennis after all", [("user.plays", "tennis", True)]),
    ],
)
def test_what_is_denied_as_a_whole_is(text: str, expected: list[tuple[str, str, bool]], predicates: Mapping[str, Predicate]) -> None:
    assert said(read(text, predicates)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We moved to Lisbon but came back",
        "I moved to Lisbon, then moved back home",
        "I moved to Lisbon and then returned to Porto",
        "I moved to Lisbon as a child",
        "I started at Siemens but left again",
    ],
)
def test_what_was_over_again_is_not_so(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert "Lisbon" not in {candidate.object for candidate in read(text, predicates)}
    assert "Siemens" not in {candidate.object for candidate in read(text, predicates)}


def test_what_began_in_childhood_may_be_over(predicates: Mapping[str, Predicate]) -> None:
    assert (
        one("I moved to Lisbon when I was five", predicates).confidence
        < 0.7
        < one("I moved to Lisbon when I got the job", predicates).confidence
    )
    assert one("I don't like coffee when it's cold", predicates).confidence < 0.7
    assert said(read("I moved to Lisbon and went back to school", predicates)) == [("user.lives_in", "Lisbon", False)]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Just moved to Leeds!", "user.lives_in", "Leeds"),
        ("hiya, just moved to leeds from manchester", "user.lives_in", "Leeds"),
        ("been vegan since 2019", "user.diet", "vegan"),
        ("Hi! Got a new job at the BBC, so happy", "user.works_at", "the BBC"),
        ("got a puppy called Nala", "user.pet", "dog called Nala"),
        ("Working as a nurse in Hull", "user.works_as", "nurse"),
        ("Learning Spanish and German", "user.learning", "German"),
        ("based in Leeds, work at BP", "user.works_at", "BP"),
        ("Planning to visit Japan in October", "user.plans", "to visit Japan"),
        ("starting a new job at Google next month", "user.plans", "starting a new job at Google"),
        ("new address is 12 Moor Lane, Leeds", "user.address", "12 Moor Lane, Leeds"),
        ("new number is 07700 900999", "user.phone", "07700 900999"),
        ("mum's birthday is on 14 March", "mother.birthday", "14 March"),
        ("Grandma is 80", "grandmother.age", "80"),
        ("dad loves jazz", "father.likes", "jazz"),
        ("not a fan of horror films", "user.dislikes", "horror films"),
        ("quit smoking in march and put on eight kilos", "user.avoids", "smoking"),
    ],
)
def test_who_says_i_may_be_left_out(text: str, key: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    candidates = read(text, predicates)
    assert (key, value) in [(candidate.key, candidate.object) for candidate in candidates]
    assert candidates[0].confidence < 0.9 or candidates[0].explicit
    assert candidates[0].excerpt in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i'm anna, living in porto, working at siemens", {("name", "Anna"), ("lives_in", "Porto"), ("works_at", "siemens")}),
        ("I'm Anna, working at Siemens", {("name", "Anna"), ("works_at", "Siemens")}),
        ("I'm a 34 year old nurse living in Leeds", {("age", "34"), ("works_as", "nurse"), ("lives_in", "Leeds")}),
        ("I'm a 34-year-old woman from Leeds", {("age", "34"), ("hometown", "Leeds")}),
        ("I'm a 45 yo teacher", {("age", "45"), ("works_as", "teacher")}),
        ("I (34F) live in Leeds", {("age", "34"), ("lives_in", "Leeds")}),
        ("I (M32) live in Leeds", {("age", "32"), ("lives_in", "Leeds")}),
        ("as a nurse I work long shifts", {("works_as", "nurse")}),
        ("As a vegetarian living in Texas, I struggle", {("diet", "vegetarian"), ("lives_in", "Texas")}),
        ("As a father of two I have no time", {("has_children", "two children")}),
        ("hi, Anna here", {("name", "Anna")}),
        ("Hello, this is Maria", {("name", "Maria")}),
        ("Myself Rajesh, working as a clerk", {("name", "Rajesh"), ("works_as", "clerk")}),
        ("am having peanut allergy", {("allergic_to", "peanuts")}),
        ("lactose intolerant since birth", {("intolerant_to", "lactose")}),
        ("Dad of two here", {("has_children", "two children")}),
        ("Born and raised in Chicago", {("hometown", "Chicago")}),
        ("I'm from Kerala, living in Dubai", {("hometown", "Kerala"), ("lives_in", "Dubai")}),
        ("me and my gf live in Hull", {("lives_in", "Hull"), ("lives_with", "their partner")}),
        ("As someone with ADHD I struggle", {("has_condition", "ADHD")}),
        ("As someone who lives in Leeds, I know the rain", {("lives_in", "Leeds")}),
        ("Hi, Nurse here", {("works_as", "nurse")}),
        ("type 1 diabetic here", {("has_condition", "type 1 diabetes")}),
        ("I am working with TCS as a software engineer", {("works_as", "software engineer")}),
        ("We emigrated to Canada", {("lives_in", "Canada")}),
        ("I am born and brought up in Delhi", {("hometown", "Delhi")}),
        ("I have a cat and a dog", {("pet", "cat"), ("pet", "dog")}),
        ("My wife is vegan but I'm not", {("wife.diet", "vegan")}),
        ("Husband works at BP", {("husband.works_at", "BP")}),
        ("im vegan im from leeds", {("diet", "vegan"), ("hometown", "Leeds")}),
        ("my name is anna i live in leeds", {("name", "Anna"), ("lives_in", "Leeds")}),
        ("my names anna", {("name", "Anna")}),
        ("Call me Mr. Brown", {("nickname", "Mr. Brown")}),
        ("I'm 100% vegan", {("diet", "vegan")}),
        ("my husband and me live in Hull", {("lives_in", "Hull"), ("lives_with", "their husband")}),
        ("I have a wife and two kids", {("has_children", "two kids")}),
        ("my vegan sister Ana is visiting", {("sister", "Ana"), ("sister.diet", "vegan")}),
        ("I'm cooking for my diabetic father tonight", {("father.has_condition", "diabetes")}),
        ("My retired parents moved to Spain", {("parents.works_as", "retired"), ("parents.lives_in", "Spain")}),
    ],
)
def test_people_introduce_themselves_in_passing(text: str, expected: set[tuple[str, str]], predicates: Mapping[str, Predicate]) -> None:
    assert {(found.key.removeprefix("user."), found.object) for found in read(text, predicates) if not found.negated} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "We have two kids, Tom (6) and Mia (9)",
            {"user.has_children": "two kids", "user.child": "Mia", "tom.age": "6", "mia.age": "9"},
        ),
        ("dad of two (Tom, 6 and Mia, 9)", {"user.has_children": "two children", "user.child": "Mia", "tom.age": "6", "mia.age": "9"}),
        ("I have two daughters: Ana and Rita", {"user.has_children": "two daughters", "user.daughter": "Rita"}),
        (
            "I have a 6 year old son Leo and a 3 year old daughter",
            {"user.has_children": "a son and a daughter", "user.son": "Leo", "son.age": "6", "daughter.age": "3"},
        ),
        ("My 6-year-old son loves Lego", {"son.age": "6", "son.likes": "Lego"}),
        ("our 2yo son loves trains", {"son.age": "2", "son.likes": "trains"}),
        ("my six-year-old son Leo loves Lego", {"user.son": "Leo", "son.age": "six", "son.likes": "Lego"}),
        ("My lil sis plays football", {"sister.plays": "football"}),
        ("My step-dad works at Bosch", {"stepfather.works_at": "Bosch"}),
        ("My husband (36M) works at BP", {"husband.age": "36", "husband.works_at": "BP"}),
        ("I have two dogs, Rex (6) and Bo (9)", {"user.pet": "dog called Bo"}),
        ("my sister has two kids, Tom (6) and Mia (9)", {"sister.has_children": "two kids"}),
        ("I have two kids, Grade 6 and Grade 9", {"user.has_children": "two kids"}),
        ("I have a 6 year old son and a 3 year old son", {}),
    ],
)
def test_children_are_listed_with_their_names_and_ages(text: str, expected: dict[str, str], predicates: Mapping[str, Predicate]) -> None:
    assert {found.key: found.object for found in read(text, predicates)} == expected


@pytest.mark.parametrize(
    "text",
    [
        "Moved to trash",
        "Moved to the next room",
        "Been there, done that",
        "Working as a nurse is hard",
        "Living in Paris is expensive",
        "Living in Munich: a guide",
        "Living in Munich\n\nThe city has many parks.",
        "Learning Spanish is fun",
        "Studying abroad",
        "Moving to Lisbon?",
        "Working at height training",
        "Learning rate too high",
        "Learning curve",
        "Based in fact, this is wrong",
        "Based in part on your answer",
        "Quit smoking",
        "Vegan lasagne ideas please",
        "Live in the moment",
        "My brother called. Moved to Leeds last week.",
        "Turned 40 degrees today",
        "Dad jokes are the best",
        "Mum said I should eat more",
        "Starting at the beginning, can you explain?",
        "New address is wrong",
        "Not really a fan of the ending you wrote",
    ],
)
def test_what_only_looks_as_if_i_were_left_out_says_nothing(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert not [candidate for candidate in read(text, predicates) if candidate.key != "user.brother"]


@pytest.mark.parametrize(
    "text",
    ["I like history ones", "I am Apollo, 13 was unlucky", "we got to see the northern lights", "I got a job at an interesting time"],
)
def test_what_stands_for_something_else_is_no_object(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert {candidate.key for candidate in read(text, predicates)} <= {"user.name"}


def test_who_says_we_expect_a_baby_may_be_either_parent(predicates: Mapping[str, Predicate]) -> None:
    assert one("We're expecting a baby in August", predicates).key == "user.plans"
    assert one("My wife is expecting", predicates).key == "wife.pregnant"


@pytest.mark.parametrize(("said", "text"), [("in 1950", "was born in 1950"), ("on 3 May 1950", "was born on 3 May 1950")])
def test_who_was_born_in_a_year_was_born_in_it(said: str, text: str, predicates: Mapping[str, Predicate]) -> None:
    assert one(f"My dad was born {said}", predicates).value_text == f"User's father {text}"


@pytest.mark.parametrize("asked", ["What does your brother do?", "Tell me about your sister.", "And where is she now?"])
def test_who_is_left_out_is_not_the_user_where_another_was_asked_about(asked: str, predicates: Mapping[str, Predicate]) -> None:
    assert not answer(asked, "Moved to Leeds and working as a nurse", predicates)
    assert not answer(asked, "Working as a nurse", predicates)
    assert answer("How was your week?", "Moved to Leeds", predicates)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I freelance as an illustrator, mostly for children's books", [("user.works_as", "illustrator")]),
        ("I work as a designer for mobile apps", [("user.works_as", "designer")]),
        ("I'm working as a translator for books and films", [("user.works_as", "translator")]),
        ("I'm a designer for mobile apps", [("user.works_as", "designer")]),
        ("I got a job as an illustrator for children's books", [("user.works_as", "illustrator")]),
        ("I've started as a consultant for small companies", [("user.works_as", "consultant")]),
        ("I love my job as a writer for travel magazines", [("user.works_as", "writer")]),
        ("My job is translator for magazines", [("user.works_as", "translator")]),
        ("I'm a nurse for the NHS", [("user.works_as", "nurse"), ("user.works_at", "the NHS")]),
        ("I work as a nurse for the NHS", [("user.works_as", "nurse"), ("user.works_at", "the NHS")]),
        ("I work as a driver for Harrods", [("user.works_as", "driver"), ("user.works_at", "Harrods")]),
        ("I work as a cook for a chain of hotels", [("user.works_as", "cook"), ("user.works_at", "a chain of hotels")]),
    ],
)
def test_what_the_work_is_for_is_an_employer_where_it_may_be_one(
    text: str, wanted: list[tuple[str, str]], predicates: Mapping[str, Predicate]
) -> None:
    assert [(found.key, found.object) for found in read(text, predicates)] == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("We live in Cork, I mean Galway", [("user.lives_in", "Galway", False)]),
        ("We live in Cork. No wait, Galway.", [("user.lives_in", "Galway", False)]),
        ("I live in Cork - sorry, no, in Galway", [("user.lives_in", "Galway", False)]),
        ("I'm 51, sorry, 52", [("user.age", "52", False)]),
        ("I'm 51. Oops, 52!", [("user.age", "52", False)]),
        ("My son is called Jon, no, John", [("user.son", "John", False)]),
        ("We have three dogs, no, four", [("user.pet", "four dogs", False)]),
        ("We have three dogs, I mean cats", [("user.pet", "three cats", False)]),
        ("My mum, I mean my aunt Rosa, lives in Faro", [("user.aunt", "Rosa", False), ("rosa.lives_in", "Faro", False)]),
        ("I'm a baker, or rather a chef", [("user.works_as", "chef", False)]),
        ("I'm allergic to milk, sorry, I mean eggs", [("user.allergic_to", "eggs", False)]),
        ("I take aspirin, no, paracetamol", [("user.takes", "paracetamol", False)]),
        ("I'm vegan, no wait, vegetarian", [("user.diet", "vegetarian", False)]),
        ("I speak Danish, I mean Dutch, and I play the cello", [("user.speaks", "Dutch", False), ("user.plays", "cello", False)]),
    ],
)
def test_what_is_put_right_in_the_same_breath_is_read_as_meant(
    text: str, wanted: list[tuple[str, str, bool]], predicates: Mapping[str, Predicate]
) -> None:
    found = read(text, predicates)
    assert said(found) == wanted
    assert all(candidate.excerpt in text for candidate in found)


def test_a_day_is_put_right_in_the_same_breath(predicates: Mapping[str, Predicate]) -> None:
    for text in ("My flight to Rome is on Sunday, sorry, Monday", "My flight to Rome is on Sunday. No, wait, Monday."):
        assert one(text, predicates).event_time == datetime(2025, 5, 18, 23, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I love jazz, I mean really love it", "jazz"),
        ("I love Cork, I mean who doesn't", "Cork"),
        ("I live in Cork. Sorry, Ben!", "Cork"),
        ("I live in Cork, sorry, Ben", "Cork"),
        ("I live in Cork, no, really", "Cork"),
        ("I live in Cork. No.", "Cork"),
        ("I live in Cork, wait, why do you ask?", "Cork"),
        ("I'm allergic to milk, sorry, what about you?", "milk"),
    ],
)
def test_what_only_looks_like_a_correction_changes_nothing(text: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    assert [candidate.object for candidate in read(text, predicates)] in ([value], [])


def test_what_one_has_not_got_is_not_put_right(predicates: Mapping[str, Predicate]) -> None:
    assert not read("I have no cats, no dogs", predicates)


@pytest.mark.parametrize(
    "text",
    [
        "Born in Cork but grew up in Malta",
        "I was born in Cork and raised in Malta",
        "I was born in Cork. I grew up in Malta.",
        "I grew up in Malta, but I was born in Cork",
        "I was born in Cork, but I was brought up in Malta",
    ],
)
def test_who_was_born_elsewhere_comes_from_where_they_grew_up(text: str, predicates: Mapping[str, Predicate]) -> None:
    found = {(found.key, found.object) for found in read(text, predicates)}
    assert found - {("user.born_in", "Cork")} == {("user.hometown", "Malta")}


def test_where_one_was_born_is_known_wherever_somebody_grew_up(predicates: Mapping[str, Predicate]) -> None:
    for text in (
        "I was born in Cork and my wife grew up in Malta",
        "I was born in Cork and grew up there",
        "I was born in Cork and grew up in the nineties",
    ):
        assert ("user.born_in", "Cork", False) in said(read(text, predicates))
    assert ("user.birthday", "1990", False) in said(read("I was born in 1990 and grew up in Malta", predicates))


NAME_CITY_JOB = [("user.name", "Ines", False), ("user.lives_in", "Cork", False), ("user.works_as", "baker", False)]


@pytest.mark.parametrize(
    "text",
    [
        "Name: Ines\nCity: Cork\nJob: baker",
        "Name: Ines / City: Cork / Job: baker",
        "Name: Ines, City: Cork, Job: baker",
        "Sure! Here's my info:\n- Name: Ines\n- City: Cork\n- Job: baker",
        "About me: Name: Ines; Location: Cork; Occupation: baker.",
    ],
)
def test_a_form_that_one_fills_in_is_read(text: str, predicates: Mapping[str, Predicate]) -> None:
    found = read(text, predicates)
    assert said(found) == NAME_CITY_JOB
    assert all(candidate.excerpt in text and candidate.confidence < 0.9 for candidate in found)


@pytest.mark.parametrize(
    "text",
    [
        "City: Cork",
        "City: Cork / Job: baker",
        "Name:\nCity:\nJob:",
        "Name: Ines\nCity: Cork\nWrite a bio of her",
        "Name: Ines\nClass: ranger\nAge: 51",
        "Can you check this form? Name: Ines / City: Cork",
        "Patient\nName: Ines\nAge: 51",
        "Name: Ines\nName: Ben\nAge: 51",
    ],
)
def test_what_is_no_form_of_ones_own_says_nothing(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert not read(text, predicates)


def test_a_form_about_somebody_else_who_was_asked_about_says_nothing(predicates: Mapping[str, Predicate]) -> None:
    assert not answer("Tell me about your character.", "Name: Ines\nAge: 51", predicates)
    assert not answer("What are the patient's details?", "Name: Ines\nAge: 51", predicates)
    assert answer("What are your details?", "Name: Ines\nAge: 51", predicates)


@pytest.mark.parametrize(("known", "number"), [("Ines", 2), ("Ines Lopes", 2), ("Ben", 0)])
def test_a_form_with_another_name_than_is_known_is_somebody_elses(known: str, number: int, predicates: Mapping[str, Predicate]) -> None:
    turn = Turn(id=1, turn_id="t1", user_id="u1", user_input="Name: Ines / Age: 51", timestamp=WEDNESDAY)
    held = [("user.name", known)]
    assert len(extract(turn, predicates=predicates, zone=LISBON, held=lambda keys: [one for one in held if one[0] in keys])) == number


@given(ANY_TEXT)
def test_any_form_is_safe(predicates: Mapping[str, Predicate], text: str) -> None:
    for found in read(f"About me: Name: {text}\nAge: 51", predicates):
        assert found.excerpt


@pytest.mark.parametrize(
    "text",
    [
        "I'm filling in as chef",
        "I'm studying the timetable",
        "My interview is not on Monday",
        "Our exam is never on a Friday",
        "I got a job at Nokia but turned it down",
        "I was over the moon, I found a job at Nokia but I didn't take it",
        "I joined Nokia but quit after two months",
        "I'm on sick leave",
        "I'm on maternity leave since March",
        "I start at Hyde Park and run home",
        "We start with Greek on Monday",
    ],
)
def test_what_is_not_so_or_not_for_long_makes_no_fact(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert not [found for found in read(text, predicates) if not found.negated]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("My sister is a vet student", ("sister.studies", "veterinary medicine", False)),
        ("I'm a nurse", ("user.works_as", "nurse", False)),
        ("I'm studying the cello", ("user.studies", "the cello", False)),
        ("My interview is on Monday", ("user.plans", "interview", False)),
        ("I can't stand football any more", ("user.dislikes", "football", False)),
        ("I got a job at Nokia and left the old one", ("user.works_at", "Nokia", False)),
        ("My husband works for himself", ("husband.works_as", "self-employed", False)),
        ("I'm freelancing since May", ("user.works_as", "freelance", False)),
        ("I've been put on beta blockers", ("user.takes", "beta blockers", False)),
        ("I've been prescribed insulin twice a day", ("user.takes", "insulin", False)),
        ("The doctor took me off insulin", ("user.takes", "insulin", True)),
        ("My GP moved me from ibuprofen to paracetamol", ("user.takes", "ibuprofen", True)),
        ("I've stopped my antihistamines", ("user.takes", "antihistamines", True)),
        ("We sold the van", ("user.owns", "van", True)),
        ("We had a baby girl on Sunday", ("user.pregnant", "", True)),
        ("My sister had a miscarriage", ("sister.pregnant", "", True)),
        ("My daughter had her baby last night", ("daughter.pregnant", "", True)),
        ("My husband Tom passed away last year", ("user.relationship", "widowed", False)),
        ("They called off their wedding, we called off our engagement", ("user.relationship", "engaged", True)),
        ("I'm dating somebody new", ("user.relationship", "single", True)),
        ("My rabbit was put down", ("user.pet", "rabbit", True)),
        ("We gave our cat Miso away", ("user.pet", "cat Miso", True)),
        ("I've started having cheese", ("user.diet", "vegan", True)),
        ("We eat seafood again", ("user.diet", "vegetarian", True)),
    ],
)
def test_how_things_are_and_how_they_end_is_heard(text: str, wanted: tuple[str, str, bool], predicates: Mapping[str, Predicate]) -> None:
    assert wanted in said(read(text, predicates))


@pytest.mark.parametrize(
    "text",
    [
        "We had a baby shower",
        "I had the baby monitor fixed",
        "My wife died laughing",
        "My wife's plant died",
        "My husband's mother passed away last year",
        "We called off the wedding cake",
        "I'm seeing someone about my knee",
        "My dog put her head down",
        "My cat was put down for a nap",
        "We put our dog to sleep in the hall",
        "We had a baby in the building",
        "We cancelled our wedding dinner",
        "I stopped my antihistamines for two days",
        "I stopped insulin for the scan",
        "Our GP took me off statins for a month",
        "I've been prescribed antibiotics twice",
        "I gave my cat a bath",
        "I eat cheese now and then",
        "I eat vegan cheese now",
        "I stopped the music",
    ],
)
def test_what_only_looks_like_an_end_ends_nothing_that_is_so(text: str, predicates: Mapping[str, Predicate]) -> None:
    ended = {"user.pregnant", "user.relationship", "user.pet", "user.diet", "user.takes"}
    assert not [found for found in read(text, predicates) if found.key in ended]


@pytest.mark.parametrize(
    ("text", "day"), [("I start at Nokia on 2 June", "2025-06-01"), ("My son starts work at Nokia next month", "2025-05-31")]
)
def test_a_job_begins_on_the_day_one_starts(text: str, day: str, predicates: Mapping[str, Predicate]) -> None:
    found = one(text, predicates)
    assert (found.key.partition(".")[2], found.object, f"{found.valid_from:%Y-%m-%d}") == ("works_at", "Nokia", day)


def test_who_is_on_leave_until_some_day_still_is_what_they_are(predicates: Mapping[str, Predicate]) -> None:
    found = one("I'm on maternity leave until September", predicates)
    assert (found.key, found.temporary) == ("user.works_as", True)
    assert said(read("I'm on sick leave from Nokia", predicates)) == [("user.works_at", "Nokia", False)]


@pytest.mark.parametrize(
    "text",
    [
        "My surname is spelled with a K and my name is pronounced Keer",
        "I stopped drinking wine at lunch",
        "We gave up eating meat on weekdays",
        "I cut out sugar before bed",
        "We bought a laptop for our son",
        "I've bought a van for Ben",
    ],
)
def test_what_is_so_at_some_times_or_for_somebody_else_is_not_so_of_oneself(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert not [found for found in read(text, predicates) if not found.negated]


@pytest.mark.parametrize("text", ["I quit med school in May", "I gave up my doctorate", "My sister quit uni because of the fees"])
def test_who_quits_what_they_study_studies_no_more(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert [found.key.partition(".")[2] for found in read(text, predicates) if found.negated] == ["studies", "studies_at"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I stopped drinking wine", ("user.avoids", "wine", False)),
        ("I bought a van for the long drives", ("user.owns", "van", False)),
        ("We sold our cottage in Wales", ("user.owns", "cottage", True)),
    ],
)
def test_what_is_given_up_bought_or_sold_for_good_is_heard(
    text: str, wanted: tuple[str, str, bool], predicates: Mapping[str, Predicate]
) -> None:
    assert wanted in said(read(text, predicates))


@pytest.mark.parametrize("text", ["I live in Cork, no, Galway is not far", "We moved to Cork, wait, Galway has better pubs"])
def test_what_goes_on_after_no_is_not_put_right(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert {found.object for found in read(text, predicates)} <= {"Cork"}


@pytest.mark.parametrize(
    "text",
    [
        "Name: Luna\nAge: 4\nDiet: vegan",
        "Name: my parrot\nAge: 30",
        "Name: Kelly Ltd\nAge: 51\nCity: Cork",
        "Name: Ines\nPhone: 021 555 0123",
        "Name: Ines, City: Cork, Company: Nokia",
        "Name: Ines / Job: baker / Email: ines@example.org",
    ],
)
def test_a_card_of_somebody_or_of_a_pet_says_nothing_of_oneself(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert not read(text, predicates)
    assert text.startswith("Name: Ines") == bool(read(f"About me:\n{text}", predicates))


def test_who_remarried_is_married(predicates: Mapping[str, Predicate]) -> None:
    found = read("My wife died in 2010 and I remarried in 2015", predicates)
    assert [one.object for one in found if one.key == "user.relationship"] == ["widowed", "married"]


@pytest.mark.parametrize("text", ["We start at Brighton Pier on Saturday", "I'm seeing someone on Friday"])
def test_where_or_whom_one_only_meets_is_no_job_and_no_partner(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert not read(text, predicates)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I'm a stay at home mum to three", [("user.works_as", "stay at home mum", False)]),
        ("I hate mushrooms with a passion", [("user.dislikes", "mushrooms", False)]),
        ("I stopped taking metformin for a week before the operation", []),
        ("I stopped taking metformin", [("user.takes", "metformin", True)]),
        ("We got a third cat", []),
        ("I finally got a job!", [("user.works_as", "unemployed", True)]),
        ("I got a job done", []),
    ],
)
def test_everyday_sentences_say_no_more_than_they_say(
    text: str, wanted: list[tuple[str, str, bool]], predicates: Mapping[str, Predicate]
) -> None:
    assert said(read(text, predicates)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("We have a dog, a cat and three goldfish.", {"pet=dog", "pet=cat", "pet=three goldfish"}),
        ("I've got two cats and a dog", {"pet=two cats", "pet=dog"}),
        ("I have a dog named Rex, a cat named Luna and a hamster", {"pet=dog called Rex", "pet=cat called Luna", "pet=hamster"}),
        ("I own a cat, a snake and two parrots", {"pet=cat", "pet=snake", "pet=two parrots"}),
        ("I have a wife, two kids and a dog", {"has_children=two kids", "pet=dog"}),
        ("I have a son, a daughter and a dog", {"has_children=a son, a daughter", "pet=dog"}),
        ("I have a car and a boat", {"owns=car", "owns=boat"}),
        ("We had a dog, a cat and a rabbit when I was a kid", set()),
        ("I saw a dog, a cat and three ducks", set()),
        ("I want to draw a dog, a cat and a horse", set()),
    ],
)
def test_all_that_is_had_is_read_from_a_list(text: str, wanted: set[str], predicates: Mapping[str, Predicate]) -> None:
    found = {f"{one.key.partition('.')[2]}={one.object}" for one in read(text, predicates) if not one.negated}
    assert found == wanted


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("moved 2 berlin last month", "user.lives_in", "Berlin"),
        ("Im allergic 2 shellfish", "user.allergic_to", "shellfish"),
        ("im alergic to peanuts", "user.allergic_to", "peanuts"),
        ("i luv pizza", "user.likes", "pizza"),
        ("i dnt like coffee", "user.dislikes", "coffee"),
        ("i does'nt like fish", "user.dislikes", "fish"),
        ("i h8 mushrooms", "user.dislikes", "mushrooms"),
        ("i hav a dog", "user.pet", "dog"),
        ("i work @ tesco", "user.works_at", "tesco"),
        ("iam vegeterian", "user.diet", "vegetarian"),
        ("idk i kinda like jazz", "user.likes", "jazz"),
        ("ngl i hate running", "user.dislikes", "running"),
        ("ur wrong i live in bath", "user.lives_in", "Bath"),
        ("nah i moved to bath", "user.lives_in", "Bath"),
        ("yea im married", "user.relationship", "married"),
        ("pronouns are they/them", "user.pronouns", "they/them"),
        ("off to Spain tomorrow!", "user.plans", "going to Spain"),
        ("Got a new kitten, she's called Pixel", "user.pet", "cat called Pixel"),
    ],
)
def test_words_are_read_as_they_are_typed(text: str, key: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    assert (key, value) in [(one.key, one.object) for one in read(text, predicates)]


@pytest.mark.parametrize(
    "text", ["I moved 2 boxes yesterday", "I moved 2 years ago", "I work @ home", "We moved 2 flats down", "nah im good"]
)
def test_a_number_is_no_preposition(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert read(text, predicates) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I used to live in Dublin but now I'm in Galway", ("user.lives_in", "Galway", False)),
        ("I was born on 3 May 1990 in Faro", ("user.born_in", "Faro", False)),
        ("I was born in Chennai but raised in Dubai", ("user.born_in", "Chennai", False)),
        ("I live in a small village called Ashwell", ("user.lives_in", "Ashwell", False)),
        ("I'm married with two kids", ("user.has_children", "two kids", False)),
        ("I've had asthma since childhood", ("user.has_condition", "asthma", False)),
        ("I work four days a week as a physio", ("user.works_as", "physio", False)),
        ("I'm starting at Siemens on Monday", ("user.works_at", "Siemens", False)),
        ("I've just found out I'm pregnant!", ("user.pregnant", "pregnant", False)),
        ("I was told I'm allergic to kiwi", ("user.allergic_to", "kiwi", False)),
        ("I'm the only vegetarian in my family", ("user.diet", "vegetarian", False)),
        ("I've always wanted to learn Spanish", ("user.wants", "to learn Spanish", False)),
        ("I took up knitting during lockdown", ("user.hobby", "knitting", False)),
        ("I don't like bowling itself", ("user.dislikes", "bowling", False)),
        ("I got a puppy! Her name's Coco and she's adorable.", ("user.pet", "dog called Coco", False)),
        ("I have a friend called Tom who lives in Oslo", ("tom.lives_in", "Oslo", False)),
        ("I have a sister who lives in Oslo", ("sister.lives_in", "Oslo", False)),
        ("I have a cousin named Ben who is a vet and lives in Bath", ("ben.lives_in", "Bath", False)),
        ("I gave my piano away", ("user.owns", "piano", True)),
        ("my car got totaled", ("user.owns", "car", True)),
        ("I stopped collecting stamps", ("user.hobby", "collecting stamps", True)),
    ],
)
def test_more_ways_of_saying_it_are_read(text: str, wanted: tuple[str, str, bool], predicates: Mapping[str, Predicate]) -> None:
    assert wanted in said(read(text, predicates))


def test_what_turns_out_is_said_to_have_changed(predicates: Mapping[str, Predicate]) -> None:
    (ended,) = read("Turns out I'm not allergic to eggs after all!", predicates)
    assert (ended.negated, ended.explicit) == (True, True)
    (lives,) = read("No I don't, I live in York.", predicates)
    assert lives.explicit


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("I've quit smoking twice", "user.avoids"),
        ("I've quit drinking three times already", "user.avoids"),
        ("I moved to dark mode", "user.lives_in"),
        ("I moved to strike that", "user.lives_in"),
        ("I've moved over to tea now", "user.lives_in"),
        ("i moved to oat milk", "user.lives_in"),
        ("I like option B", "user.likes"),
        ("I'm engaged with work right now", "user.relationship"),
        ("I'm six feet under", "user.height"),
        ("I collect the kids at 3", "user.hobby"),
        ("We collect tickets at the door", "user.hobby"),
        ("I'm off to bed in a minute", "user.plans"),
        ("I'm off to Tesco on Friday", "user.plans"),
        ("My house is in shambles", "user.lives_in"),
        ("I met a man called Tom who lives in Oslo", "tom.lives_in"),
        ("My parents split up when I was ten", "parents.relationship"),
        ("My dog almost died", "user.pet"),
        ("My friend's bike got stolen", "user.owns"),
        ("My bike was stolen but I got it back", "user.owns"),
        ("I moved out when I was 18", "user.lives_with"),
        ("I moved out and came straight back", "user.lives_with"),
        ("I've always loved my wife", "user.likes"),
        ("I was told I'm too loud", "user.has_condition"),
    ],
)
def test_what_sounds_like_a_fact_and_is_none(text: str, key: str, predicates: Mapping[str, Predicate]) -> None:
    assert key not in {one.key for one in read(text, predicates)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I'm Ana, 34, a nurse from Porto, living in Leeds with my husband", {("works_as", "nurse"), ("lives_in", "Leeds"), ("age", "34")}),
        ("I'm a data scientist, mum of two, and I hate mornings", {("works_as", "data scientist"), ("has_children", "two children")}),
        ("I'm 41M, divorced, two kids every other weekend", {("age", "41"), ("relationship", "divorced")}),
        ("I'm vegan and a nurse", {("diet", "vegan"), ("works_as", "nurse")}),
        ("I'm a teacher and a writer", {("works_as", "teacher and a writer")}),
        ("My doctor told me to avoid salt", {("avoids", "salt")}),
        ("I fly to Japan on Tuesday", {("plans", "going to Japan")}),
        ("I told you I'm vegan!", {("diet", "vegan")}),
        ("My son is allergic to nuts, any snack ideas?", {("allergic_to", "nuts")}),
        ("I'm vegan, got any good recipes?", {("diet", "vegan")}),
        ("Any ideas welcome, I'm vegan.", {("diet", "vegan")}),
        ("My step mom is a realtor", {("works_as", "realtor")}),
        ("You said I live in Leeds but I live in Hull", {("lives_in", "Hull")}),
    ],
)
def test_each_thing_that_is_said_at_once_is_read(text: str, wanted: set[tuple[str, str]], predicates: Mapping[str, Predicate]) -> None:
    found = {(one.key.partition(".")[2], one.object) for one in read(text, predicates)}
    assert wanted <= found
    assert not {value for key, value in found if key in ("lives_in", "works_as")} - {value for _, value in wanted}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("no longer vegan btw", ("user.diet", "vegan", True)),
        ("not vegan anymore", ("user.diet", "vegan", True)),
        ("quit being vegan", ("user.diet", "vegan", True)),
        ("stopped eating meat", ("user.avoids", "meat", False)),
        ("I stopped going to the gym", ("user.habit", "go to the gym", True)),
    ],
)
def test_who_ends_something_may_leave_out_who(text: str, wanted: tuple[str, str, bool], predicates: Mapping[str, Predicate]) -> None:
    assert wanted in said(read(text, predicates))


@pytest.mark.parametrize(
    "text",
    [
        "I stopped playing tennis for a week",
        "I stopped going to the gym for a month",
        "No, longer ones please",
        "no longer interested",
        "I feel like I'm 80",
        "My doctor told me to avoid salt for two weeks",
        "I fly to Lisbon every month",
        "My mum says I live in a dump but she loves Leeds",
    ],
)
def test_what_is_so_for_a_while_or_in_a_way_is_no_fact(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert read(text, predicates) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("My kids are allergic to nuts", [("children.allergic_to", "nuts", False)]),
        ("Our twins are vegan", [("children.diet", "vegan", False)]),
        ("My children live in Canada", [("children.lives_in", "Canada", False)]),
        ("our two kids live with me", [("user.has_children", "two kids", False), ("user.lives_with", "their kids", False)]),
        ("My kids are called Tom and Lily", [("user.child", "Tom", False), ("user.child", "Lily", False)]),
        ("My kids are 4 and 7", []),
        ("My parents are called Ana and Rui", []),
        ("My kids' school is in Leeds", []),
        ("My kids are my world", []),
    ],
)
def test_children_are_spoken_of_together(text: str, found: list[tuple[str, str, bool]], predicates: Mapping[str, Predicate]) -> None:
    assert said(read(text, predicates)) == found


def test_what_is_said_of_children_together_is_told_of_them(predicates: Mapping[str, Predicate]) -> None:
    assert one("My kids are allergic to nuts", predicates).value_text == "User's children are allergic to nuts"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mum loves orchids but dad's allergic to pollen", {("mother.likes", "orchids"), ("father.allergic_to", "pollen")}),
        ("My mum lives in Leeds and dad lives in Hull", {("mother.lives_in", "Leeds"), ("father.lives_in", "Hull")}),
        ("I live with mum and dad works in Leeds", set()),
        ("his mum is a nurse and dad is a teacher", set()),
        ("Tom's brother is a vet and dad is a doctor", set()),
    ],
)
def test_dad_beside_what_one_says_of_ones_own_is_ones_own(
    text: str, expected: set[tuple[str, str]], predicates: Mapping[str, Predicate]
) -> None:
    assert {(key, value) for key, value, _ in said(read(text, predicates))} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("haha april fools, I'm 25", {("user.age", "25")}),
        ("Just kidding, I live in Porto", {("user.lives_in", "Porto")}),
        ("I'm vegan, jk", set()),
        ("I'm vegan jk", set()),
        ("I am 99 years old, april fools", set()),
        ("I'm the boss, I own Siemens, just kidding", set()),
        ("Call me Max. Just kidding, I'm Tom.", {("user.name", "Tom")}),
        ("I live on the moon, in Porto! haha just joking, I live in Leeds", {("user.lives_in", "Leeds")}),
        ("I'm a nurse. just kidding", set()),
    ],
)
def test_what_is_said_after_a_joke_is_confessed_is_meant_and_not_before(
    text: str, expected: set[tuple[str, str]], predicates: Mapping[str, Predicate]
) -> None:
    assert {(key, value) for key, value, _ in said(read(text, predicates))} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hey, new here. im nadia, my cousin Bram is a baker", {("user.name", "Nadia"), ("user.cousin", "Bram"), ("bram.works_as", "baker")}),
        ("im marco btw", {("user.name", "Marco")}),
        ("hi im dave 45 from hull", {("user.name", "Dave"), ("user.age", "45"), ("user.hometown", "Hull")}),
        ("im kate 31 living in bath", {("user.name", "Kate"), ("user.age", "31"), ("user.lives_in", "Bath")}),
        ("I'm Ana Reis, 29, nurse from Porto", {("user.name", "Ana Reis"), ("user.age", "29"), ("user.works_as", "nurse"), ("user.hometown", "Porto")}),
        ("I'm 34, divorced, two kids", {("user.age", "34"), ("user.relationship", "divorced"), ("user.has_children", "two kids")}),
        ("31M, software engineer, based in Oslo", {("user.age", "31"), ("user.works_as", "software engineer"), ("user.lives_in", "Oslo")}),
        ("I'm Tom, from Siemens", {("user.name", "Tom")}),
        ("31F, cold outside", set()),
        ("i am number 10 in line", set()),
    ],
)  # fmt: skip
def test_who_introduces_themselves_in_brief_says_each_thing(
    text: str, expected: set[tuple[str, str]], predicates: Mapping[str, Predicate]
) -> None:
    assert {(key, value) for key, value, _ in said(read(text, predicates))} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My son is allergic to dust. He's 7 and his name is Nils", {("son.allergic_to", "dust"), ("son.age", "7"), ("user.son", "Nils")}),
        ("my sisters car is red. her name is Carmen", {("user.sister", "Carmen")}),
        ("Linh, my wife, works at Bosch", {("user.wife", "Linh"), ("wife.works_at", "Bosch")}),
        ("Priya's birthday is March 3, she's my best friend from uni", {("user.friend", "Priya")}),
        ("I met Tom yesterday. He's my cousin", {("user.cousin", "Tom")}),
        ("I met Tom and Xiomara yesterday. She's my cousin", set()),
        ("My boyfriend has a brother. His name is Rex", set()),
        ("my wifes sister Dolores is staying with us, shes a dentist", set()),
        ("I invited Tom, my sister, and Ana", set()),
    ],
)
def test_whose_name_it_is_and_who_somebody_is_may_be_said_afterwards(
    text: str, expected: set[tuple[str, str]], predicates: Mapping[str, Predicate]
) -> None:
    assert {(key, value) for key, value, _ in said(read(text, predicates))} == expected


def test_a_form_that_is_ones_own_may_have_fields_that_say_nothing(predicates: Mapping[str, Predicate]) -> None:
    found = read("About me:\n- name: Ines\n- star sign: leo\n- hates: coriander", predicates)
    assert [(key, value) for key, value, _ in said(found)] == [("user.name", "Ines"), ("user.dislikes", "coriander")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sold the van! Bought a used Fiat Panda from my uncle", {("user.drives", "Fiat Panda")}),
        ("Moved to Leeds. Started working at Aldi.", {("user.lives_in", "Leeds"), ("user.works_at", "Aldi")}),
        ("Moved to Leeds. My sister hates it. Got a cat called Miso", {("user.lives_in", "Leeds")}),
        ("Getting married to Ines in Leeds!", {("user.partner", "Ines"), ("user.relationship", "engaged")}),
        (
            "I work nights at Oakfield as a nurse",
            {("user.shift", "night shift"), ("user.works_at", "Oakfield"), ("user.works_as", "nurse")},
        ),
        ("I grew up in Malmö, Swedish citizen since 2004", {("user.hometown", "Malmö"), ("user.nationality", "Swedish")}),
        ("I come from R, so python is new to me", set()),
        ("I'm from Mars apparently", set()),
        ("I'm writing a story: I'm a detective in Chicago. I have a dog called Ruff.", set()),
        ("Here's my cousin's bio: I'm a designer based in Lyon. I love jazz.", set()),
    ],
)
def test_what_is_told_briefly_is_read_and_what_is_no_place_or_nobody_is_not(
    text: str, expected: set[tuple[str, str]], predicates: Mapping[str, Predicate]
) -> None:
    assert {(one.key, one.object) for one in read(text, predicates) if not one.negated} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm allergic to nuts, suggest a snack", {("user.allergic_to", "nuts")}),
        ("I hate mushrooms, plan a menu without them", {("user.dislikes", "mushrooms")}),
        ("I love hiking, find me a trail", {("user.likes", "hiking")}),
        ("I don't eat meat, only fish", {("user.avoids", "meat")}),
        ("I don't drink coffee, tea only", {("user.avoids", "coffee")}),
        ("I can't have gluten, doctor's orders", {("user.avoids", "gluten")}),
        ("I'm allergic to nuts, eggs and milk", {("user.allergic_to", "nuts"), ("user.allergic_to", "eggs"), ("user.allergic_to", "milk")}),
        (
            "I'm a nurse, and as my wife is coeliac, find me a recipe",
            {("user.works_as", "nurse"), ("wife.has_condition", "coeliac disease")},
        ),
        ("Book a table for six, and given that my husband is vegan, somewhere nice", {("husband.diet", "vegan")}),
        ("perfect im allergic to cashews so none of that", {("user.allergic_to", "cashews")}),
    ],
)
def test_what_is_asked_for_or_had_instead_is_no_part_of_what_is_told(
    text: str, expected: set[tuple[str, str]], predicates: Mapping[str, Predicate]
) -> None:
    assert {(one.key, one.object) for one in read(text, predicates) if not one.negated} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("any gift ideas for my sister, who loves orchids?", {("sister.likes", "orchids")}),
        ("one of my guests is my aunt Vera, who is diabetic", {("user.aunt", "Vera"), ("vera.has_condition", "diabetes")}),
        ("can you suggest a wine for my father-in-law, who lives in Bordeaux?", {("father_in_law.lives_in", "Bordeaux")}),
        ("I have an older sister, Ines, who lives in Porto", {("user.sister", "Ines"), ("sister.lives_in", "Porto")}),
        ("I visited my sister, a vet, last week", {("sister.works_as", "vet")}),
        ("I met my husband, a good cook, in 2001", set()),
        ("imagine my sister, who is a pirate, came along", set()),
        ("write a story about my sister, who is a nurse", set()),
        ("who is my sister, who knows?", set()),
    ],
)
def test_what_is_told_of_somebody_with_who_holds_whatever_is_asked(
    text: str, expected: set[tuple[str, str]], predicates: Mapping[str, Predicate]
) -> None:
    assert {(one.key, one.object) for one in read(text, predicates)} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my brother Tom Smith is a nurse", {("user.brother", "Tom Smith"), ("brother.works_as", "nurse")}),
        ("My neighbour Mrs Kelly is a retired nurse", {("user.neighbour", "Mrs Kelly"), ("mrs_kelly.works_as", "retired nurse")}),
        ("my mother's a teacher and lives in Bath", {("mother.works_as", "teacher"), ("mother.lives_in", "Bath")}),
        ("my son's teacher is Italian and lives in Bath", set()),
        ("Jess (my wife) is coeliac", {("user.wife", "Jess"), ("wife.has_condition", "coeliac disease")}),
        ("my boss (Karen) is a vegan", {("user.boss", "Karen"), ("boss.diet", "vegan")}),
        ("Paris (my sister lives in Rome)", {("sister.lives_in", "Rome")}),
        ("my son is eleven and mad about ice hockey", {("son.age", "eleven"), ("son.likes", "ice hockey")}),
        ("my grandma is 84 and beats everyone at cards", {("grandmother.age", "84")}),
        ("my son is two and a half", set()),
        ("Papa's 68 and lives in Pune", {("father.age", "68")}),
        (
            "We have two sons, Jan who's 12 and Piet, who plays the cello",
            {("user.has_children", "two sons"), ("user.son", "Jan"), ("user.son", "Piet"), ("son.age", "12"), ("piet.plays", "cello")},
        ),
        (
            "Tom here, nurse, divorced, 41",
            {("user.name", "Tom"), ("user.works_as", "nurse"), ("user.relationship", "divorced"), ("user.age", "41")},
        ),
        ("hi, anna, teacher from Cork", {("user.name", "Anna"), ("user.works_as", "teacher"), ("user.hometown", "Cork")}),
        ("hey, maya here, 29", {("user.name", "Maya"), ("user.age", "29")}),
        ("the kids, Ana (9) and Leo (6), sing", {("user.child", "Ana"), ("user.child", "Leo"), ("ana.age", "9"), ("leo.age", "6")}),
        ("my brother's doing a PhD in Cork", set()),
        ("I'm Chelsea, nice to meet you", {("user.name", "Chelsea")}),
        ("Hi Claude, nurse here", set()),
        ("Snow here, too", set()),
    ],
)
def test_who_is_named_and_told_of_at_once(text: str, expected: set[tuple[str, str]], predicates: Mapping[str, Predicate]) -> None:
    assert {(one.key, one.object) for one in read(text, predicates) if not one.negated} == expected


def test_who_has_died_is_told_with_their_name(predicates: Mapping[str, Predicate]) -> None:
    found = [one for one in read("I miss my wife, my late wife Ilona", predicates) if one.key == "wife.life"]
    assert [one.value_text for one in found] == ["User's wife Ilona has died"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my friend from work, lena, is vegan", ("lena.diet", "vegan")),
        ("my son (leo) is allergic to nuts", ("son.allergic_to", "nuts")),
        ("my brother jakub is 9", ("user.brother", "Jakub")),
        ("Our eldest, Maya (11), is allergic to sesame", ("maya.allergic_to", "sesame")),
        ("I have a colleague at work, Omar, who is vegan", ("omar.diet", "vegan")),
        ("I have three grandchildren: Ben, Kim and Isla", ("user.grandchild", "Isla")),
        ("We have three kids (Sam, Tess, and Ben, all grown up)", ("user.child", "Ben")),
        ("I'm in 10th grade and honestly i hate reading so keep it simple", ("user.dislikes", "reading")),
        ("I like tea. Mum is on warfarin. Any advice?", ("mother.takes", "warfarin")),
        ("I'm a German citizen and not married", ("user.nationality", "German")),
        ("For future answers: just show me the diff, I know the rest.", ("user.must_have", "only the diff")),
        ("Rewrite this:\n> I am sick of it.\n> Karen\n\nI'm a sales director at Northwind.", ("user.works_at", "Northwind")),
        ("I'd never manage, I love cheese far too much.", ("user.likes", "cheese")),
    ],
)
def test_what_is_said_by_the_way_in_a_long_message_is_read(
    text: str, expected: tuple[str, str], predicates: Mapping[str, Predicate]
) -> None:
    assert expected in [(one.key, one.object) for one in read(text, predicates)]


@pytest.mark.parametrize(
    "text",
    [
        "my boss at work, honestly, is great",
        "my brother also is fine",
        "NaN is not a number.",
        "In my novel, Dad is a spy.",
        "Here's the message:\n> I'm pregnant\nPretend you are my boss. I am a vet.",
        "Great, another reorg. Yeah, I totally love reporting to three bosses.",
        "I was thinking of moving to Lisbon but decided against it.",
        "I might leave early",
        "I'm thinking of moving there next year",
        "I'm considering moving the sofa",
        "Imagine I served in the army for six years.",
        "I have 26 years of experience",
        "I lost my new job at the library.",
        "a patient is a 54 year old man, he is diabetic and takes metformin",
    ],
)
def test_what_only_looks_like_what_is_said_by_the_way_is_none(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert [one.key for one in read(text, predicates) if not one.negated] == []


def test_of_several_who_are_listed_she_is_none(predicates: Mapping[str, Predicate]) -> None:
    found = read("My wife's name is Elaine, we have two kids (Kim and Lou). She's a nurse.", predicates)
    assert [one.key for one in found if one.object == "nurse"] in (["wife.works_as"], [])


def test_a_day_that_something_is_so_as_of_is_the_nearest(predicates: Mapping[str, Predicate]) -> None:
    found = one("I'm now head of sales as of May 1.", predicates)
    assert found.valid_from is not None
    assert found.valid_from.astimezone(LISBON).date().isoformat() == "2025-05-01"


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Can you remember that I prefer short answers, no bullet points please?", "user.prefers", "short answers"),
        ("hey can u remember i have a dog called rex", "user.pet", "dog called Rex"),
        ("Could you please note that my sister lives in Rome?", "sister.lives_in", "Rome"),
        ("Would you keep in mind that I'm vegan?", "user.diet", "vegan"),
        ("keep in mind I'm vegan when suggesting recipes", "user.diet", "vegan"),
        ("Remember that I'm vegan whenever you recommend restaurants", "user.diet", "vegan"),
        ("When you suggest recipes, remember that I'm vegan", "user.diet", "vegan"),
        ("Hi! Could you add to your memory that we live in Porto?", "user.lives_in", "Porto"),
        ("I'd like you to know that my name is Ana.", "user.name", "Ana"),
        ("Can you remember my name is Ana?", "user.name", "Ana"),
        ("Can you remember: I'm lactose intolerant?", "user.intolerant_to", "lactose"),
        ("pls remember my birthday is 4 May", "user.birthday", "4 May"),
        ("From now on remember I'm vegetarian.", "user.diet", "vegetarian"),
        ("Add this to your memory that we live in Porto.", "user.lives_in", "Porto"),
        ("Can you remember that Tom is my brother?", "user.brother", "Tom"),
        ("I work at Bosch, can you remember that please?", "user.works_at", "Bosch"),
        ("I hate olives and could you note that down for me?", "user.dislikes", "olives"),
        ("I live in Porto and can you remember that I hate olives?", "user.lives_in", "Porto"),
        ("I live in Porto and can you remember that I hate olives?", "user.dislikes", "olives"),
        ("You should know that I have a peanut allergy.", "user.allergic_to", "peanuts"),
        ("/remember I live in Porto", "user.lives_in", "Porto"),
        ("Can you call me Annie?", "user.nickname", "Annie"),
        ("Remember to call me Annie.", "user.nickname", "Annie"),
        ("Could you answer in French from now on?", "user.answers_in", "French"),
        ("Can you please stop using emojis?", "user.does_not_want", "emojis"),
    ],
)
def test_what_one_is_asked_to_remember_or_to_heed_is_said(text: str, key: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    assert (key, value, False) in said(read(text, predicates))


@pytest.mark.parametrize(
    "text",
    [
        "Can you remember my name?",
        "Can you remember where I live?",
        "Can you remember if I live in Porto?",
        "Do I live in Porto, can you remember that?",
        "If I lived in Porto, could you remember that?",
        "Can you remember that time I lived in Porto?",
        "Do you remember that I live in Porto?",
        "Can you remember that I told you to answer in French?",
        "You should know where I live.",
        "You should remember that I told you.",
        "Can you call me a taxi?",
        "Can you answer this in French?",
        "Could you write a poem, and never use the letter e?",
        "Remember to buy milk.",
    ],
)
def test_what_is_only_asked_or_meant_for_once_is_not_said(text: str, predicates: Mapping[str, Predicate]) -> None:
    assert read(text, predicates) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("I live in Manchester, PhD student in chemistry", "Manchester"),
        ("I live in Leeds, NHS nurse", "Leeds"),
        ("I live in London, UX designer at a bank", "London"),
        ("I live in Cork, CEO of a startup", "Cork"),
        ("I live in Atlanta, GA", "Atlanta, GA"),
        ("I live in Boston, MA with my wife", "Boston, MA"),
        ("I live in Berlin, Prenzlauer Berg", "Berlin, Prenzlauer Berg"),
        ("moved into the new flat in Hull with Ali yesterday", "Hull"),
    ],
)
def test_what_somebody_does_is_no_part_of_where_they_live(text: str, place: str, predicates: Mapping[str, Predicate]) -> None:
    assert [found.object for found in read(text, predicates) if found.key == "user.lives_in"] == [place]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("I am typing for a living, I work as a secretary.", "user.works_as"),
        ("I found this on Amazon: a lamp. I live in Hull.", "user.lives_in"),
        ("I saw this in a shop: two kettles. I live in Hull.", "user.lives_in"),
    ],
)
def test_who_types_or_found_a_thing_speaks_for_themselves(text: str, key: str, predicates: Mapping[str, Predicate]) -> None:
    assert key in {found.key for found in read(text, predicates)}


def test_what_a_model_reads_in_such_a_request_is_meant() -> None:
    assert in_earnest("Can you remember that I work at Bosch?", "I work at Bosch")
    assert not in_earnest("Can you tell me whether I work at Bosch?", "I work at Bosch")


@pytest.mark.parametrize(
    "text",
    [
        "My mum is a nurse. And then there's tita bing. she died in 2018.",
        "My mum is a nurse. And then there is Ingrid. She died in 2018.",
        "My mum is a nurse. My friend Rosa had cancer. She died in 2018.",
        "My girlfriend Ana is at work. The picture on my desk is a portrait of Granny Moss, who died in 2018.",
        "My girlfriend Ana is at work. This was the house of Joan Miró, who died in 1983.",
    ],
)
def test_nobody_is_believed_dead_who_is_only_guessed_to_be_meant(text: str, predicates: Mapping[str, Predicate]) -> None:
    gone = {found.key for found in read(text, predicates) if found.key.endswith(".life")}
    assert gone.isdisjoint({"mother.life", "girlfriend.life", "partner.life"})


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("My mum was ill for years. She died in 2019.", "mother.life"),
        ("My dad was in hospital. We went there every day. He died on Friday.", "father.life"),
        ("My mum was ill and there's no cure. She died in May.", "mother.life"),
        ("My abuela Pilar died in 2018.", "grandmother.life"),
        ("My nonno died in May.", "grandfather.life"),
    ],
)
def test_who_is_spoken_of_has_died(text: str, key: str, predicates: Mapping[str, Predicate]) -> None:
    assert key in {found.key for found in read(text, predicates)}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("I've been with Beatriz for 6 years.", "user.works_at"),
        ("my knee — I started at Clínica Sagrada back in week 9 after the fall.", "user.works_at"),
        ("I'm inviting everyone, Nuno, my mum, my brother, Sam, Rita next door, the man with the dog.", "user.brother"),
        ("My dad called. He lands on Sunday: AM 42 from LIS, at noon.", "father.hometown"),
        ("I jumped — like literally jumped on the chair — and screamed.", "user.likes"),
        ("I love Beatriz more, in a quiet way.", "user.likes"),
        ("I've started running with DEBUG=1 and keeping the log.", "user.hobby"),
        ("I started sketching how the new kitchen could be.", "user.hobby"),
        ("I started painting the fence.", "user.hobby"),
        ("I am going more often this summer.", "user.plans"),
        ("I wake up at 3 or 4am sometimes and read.", "user.gets_up_at"),
        ("I want to write down where we were.", "user.wants"),
        ("I want a snapshot of this week.", "user.wants"),
        ("I want a sanity check on this mail.", "user.wants"),
        ("I am writing it down so that nobody forgets.", "user.working_on"),
        ("I've been avoiding writing it up.", "user.avoids"),
    ],
)
def test_what_a_diary_says_in_passing_is_no_fact(text: str, key: str, predicates: Mapping[str, Predicate]) -> None:
    assert key not in {found.key for found in read(text, predicates)}


@pytest.mark.parametrize(
    ("text", "key", "values"),
    [
        ("I love rhubarb dude", "user.likes", {"rhubarb"}),
        ("I like curling toooo", "user.likes", {"curling"}),
        ("I love like salted crisps and dates", "user.likes", {"salted crisps", "dates"}),
        ("I don't like French films other than comedies", "user.dislikes", {"French films other than comedies"}),
        ("I love windy days as long as it stays dry", "user.likes", {"windy days"}),
        ('I love "The Wire" for its dialogue and slow pace', "user.likes", {"The Wire"}),
        ("I'm a sucker for fresh bread, either with butter or jam", "user.likes", {"fresh bread"}),
        ("I love rowing and its so calm out there", "user.likes", {"rowing"}),
        ("I like sparring, hearing your friends cheer and medals", "user.likes", {"sparring"}),
        ("I'm not a fan of drinking hot or warm milk", "user.dislikes", {"drinking hot milk", "warm milk"}),
        ("I like using lots of lemon to make it sharp", "user.likes", {"using lots of lemon"}),
        ("One of my favourite paintings is called Blue Horses", "user.likes", {"Blue Horses"}),
        ("Lisbon is one of my favourite cities in Europe to visit", "user.likes", {"Lisbon"}),
        ("My favourite pasta is actually orzo", "user.favourite_pasta", {"orzo"}),
        ("I study law here in Cardiff", "user.studies", {"law"}),
        ("I've got into folding paper as a hobby", "user.hobby", {"folding paper"}),
        ("We got a new puppy", "user.pet", {"puppy"}),
        ("Ohh i love handball!", "user.likes", {"handball"}),
        ("Hmmm i hate beetroot", "user.dislikes", {"beetroot"}),
        ("i lowkey love opera", "user.likes", {"opera"}),
        ("i said before i live alone", "user.lives", {"alone"}),
        ("am from Leeds, working in Bath", "user.hometown", {"Leeds"}),
        ("I'm learning the oboe from Ana", "user.learning", {"oboe"}),
        ("My nan brought me up in Hull", "user.upbringing", {"by their nan"}),
        ("I like to watch them after work", "user.likes", set[str]()),
        ("I enjoy playing now and then", "user.likes", set[str]()),
        ("I'd love to visit once more, perhaps in May", "user.wants", set[str]()),
        ("I adore themmm and i love himm", "user.likes", set[str]()),
        ("I'll bring you one the next time I'm in Naples", "user.staying_in", set[str]()),
        ("Every time I'm in Rome I eat gelato", "user.staying_in", set[str]()),
        ("my sister Asked for the recipe", "user.sister", set[str]()),
        ("At school I started going into a shell of my own", "user.hobby", set[str]()),
        ("I'm taking two pottery classes this term", "user.learning", set[str]()),
    ],
)
def test_what_is_said_in_a_chat_is_told_without_what_trails_it(
    text: str, key: str, values: set[str], predicates: Mapping[str, Predicate]
) -> None:
    assert {value for name, value, ended in said(read(text, predicates)) if name == key and not ended} == values


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("I've been with Deloitte for 5 years.", "user.works_at", "Deloitte"),
        ("I started at Siemens back in March.", "user.works_at", "Siemens"),
        ("I work at Zara.", "user.works_at", "Zara"),
        ("My brother, Hugo, lives in Faro.", "user.brother", "Hugo"),
        ("I've started running with my neighbour.", "user.hobby", "running"),
        ("I wake up at 5 every day.", "user.gets_up_at", "5"),
        ("I'm writing a novel about bees.", "user.working_on", "writing a novel about bees"),
        ("I want a tattoo.", "user.wants", "a tattoo"),
        ("My nonna Rosa lives in Bari.", "grandmother.lives_in", "Bari"),
    ],
)
def test_what_a_diary_says_outright_is_read(text: str, key: str, value: str, predicates: Mapping[str, Predicate]) -> None:
    assert (key, value, False) in said(read(text, predicates))
