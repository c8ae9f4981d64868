"""Things that people change: what takes the place of what, and what stands beside it, is another's, or is not yet so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

import memdb
from memdb import stored
from memdb.called import attribute_of
from memdb.config import Config
from memdb.english_rules import rules
from memdb.keys import predicate_of
from memdb.store import Store

Tell = Callable[..., memdb.Memory]
ENDED = [example for one in rules().ending for example in one.examples]
OTHERWISE = [
    *(example for moved in rules().moved for example in moved.examples),
    *(example for wording in rules().wording for example in wording.examples),
    *rules().changed_to.examples,
]
EXCHANGED = [*(example for one in rules().exchange for example in one.examples), *rules().swap.examples]


def believed(mem: memdb.Memory) -> dict[str, list[str]]:
    return believed_on(mem, "2025-06-01")


def believed_on(mem: memdb.Memory, day: str) -> dict[str, list[str]]:
    held: dict[str, list[str]] = {}
    for fact in mem.facts("ana", statuses=["active"], now=f"{day}T10:00:00Z"):
        held.setdefault(fact.key, []).append(fact.object)
    return held


@pytest.mark.parametrize(
    ("text", "drives"),
    [
        *[(said, []) for said in ("i dont have a car anymore as you know", "We no longer own a car, we cycle.", "I don't drive any more.")],
        *[(said, []) for said in ("i sold the fiat", "i've sold my fiat", "Sold the Fiat yesterday")],
        *[(said, ["Fiat 500"]) for said in ("I don't drive to work any more", "I no longer drive at night", "i sold my honda")],
        *[
            (said, ["Fiat 500"])
            for said in ("My sister no longer has a car", "I don't have a car key any more", "if i no longer have a car")
        ],
        *[(said, ["Fiat 500"]) for said in ("i haven't sold the fiat", "my dad sold the fiat", "i sold the fiat shares")],
    ],
)
def test_who_has_no_car_any_more_drives_none(text: str, drives: list[str], tell: Tell) -> None:
    assert believed(tell("i drive a red fiat 500", text)).get("user.drives", []) == drives


@pytest.mark.parametrize(
    ("text", "habits"),
    [
        ("I gave up tennis", []),
        ("I've swapped tennis for padel", []),
        ("I gave up tennis for a week", ["play tennis on Mondays"]),
        ("my sister gave up tennis", ["play tennis on Mondays"]),
    ],
)
def test_what_is_given_up_ends_on_its_days_as_well(text: str, habits: list[str], tell: Tell) -> None:
    assert believed(tell("I play tennis on Mondays", text)).get("user.habit", []) == habits


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I live in Leeds.", "moved to york on the monopoly board"),
        ("My number is 07700 900123.", "changed my phone plan, it's 12 quid now"),
        ("My number is 07700 900123.", "my sister changed her number, it's 07700 900999 now"),
        ("I live at 14 Mill Lane.", "the surgery's moved, new address is 3 Church Street"),
        ("I'm allergic to nuts.", "it's not nuts I'm worried about, it's the price"),
        ("My rent is 850 a month.", "my sister's landlord put the rent up to 950"),
        ("My rent is 850 a month.", "if the landlord puts the rent up to 950 I'm leaving"),
        ("I take metformin.", "the doctor might swap metformin for ozempic"),
        ("I work at HSBC.", "I've been at Glastonbury since Thursday"),
        ("I'm single.", "Matt proposed to Jess on the beach"),
        ("I don't use Twitter.", "Twitter is back again"),
        ("My alarm is set for six.", "I set my alarm for four tomorrow"),
        ("I get up at six.", "I've started getting up at seven this week"),
        ("My rent is 950 euros a month.", "my sister pays 1050 euros rent now"),
        ("My address is 12 Mill Lane.", "my aunt has moved to 4 Church Road"),
        ("I'm 34.", "I've lost 6 kilos, I'm 88 now"),
        ("I avoid chocolate.", "the chocolate is now in the cupboard"),
        ("I don't eat pork.", "I eat pork now and then"),
        ("I shop at Tesco.", "Tesco was closed so I went to Aldi"),
        ("My gym is PureGym.", "PureGym was packed so I went to Costa"),
        ("I bank with Barclays.", "my brother has been with Monzo since January"),
        ("My car insurance is with Admiral.", "my mum says Aviva was cheaper"),
        ("I use Notion.", "my colleague does everything in Obsidian now"),
        ("My doctor is Dr Amin.", "They gave me Dr Boyle instead of Dr Amin today"),
        ("My boss is Colin.", "Colin has handed over to me for the afternoon"),
        ("My sister is Ana.", "Ana and Rui got married on the show last night"),
        ("I don't drink alcohol.", "my husband has started having wine again"),
        ("I have a dentist appointment on 2 June.", "mum's dentist cancelled"),
        ("My driving test is on 14 May.", "Lena's driving test got pushed back to 28 May"),
        ("I work from home.", "no more working from home for Tom"),
        ("I vote Labour.", "my dad's never voting Labour again"),
        ("I'm 39.", "turned 40 pages in one go"),
        ("My son is called Oscar.", "we had another boy round for tea, he's called Felix"),
        ("I work at Apple.", "Left Apple TV on all night"),
        ("I live in Leeds.", "moved to tears by that film"),
        ("I live in Leeds.", "My brother called. Moved to York last week"),
        ("I'm a teacher.", "I'm not teaching on Fridays any more"),
        ("I'm on the night shift.", "back on days until next week"),
        ("I live in Leeds.", "left Leeds at nine, back in York by ten"),
        ("My nickname is Tommy.", "don't send Tommy the list anymore"),
    ],
)
def test_what_only_sounds_like_such_a_change_changes_nothing(before: str, text: str, tell: Tell) -> None:
    held = believed(tell(before))
    after = believed(tell(text))
    assert {key: after[key] for key in held} == held


def test_news_that_is_announced_is_read_without_an_i(tell: Tell) -> None:
    mem = tell("I'm Kate, 29, and I work at Apple.", "update: left Apple, turned 30")
    assert believed(mem) == {"user.name": ["Kate"], "user.age": ["30"]}


def test_who_is_together_with_somebody_again_is_single_no_more(tell: Tell) -> None:
    mem = tell("I have a boyfriend called Joe.", "Joe and I broke up.", "me and Joe are back together btw")
    assert believed(mem) == {"user.partner": ["Joe"]}


@pytest.mark.parametrize(
    ("before", "text", "key", "values"),
    [
        # with whom one is
        ("I'm single", "I'm seeing someone new, his name is Tom", "user.relationship", []),
        ("I'm single", "I have a partner, Tom", "user.relationship", []),
        ("I'm single", "My sister has a partner called Tom", "user.relationship", ["single"]),
        ("I'm single", "I'm seeing a therapist called Tom", "user.relationship", ["single"]),
        ("My husband is called Paul", "We separated in January", "user.husband", []),
        ("My husband is called Paul", "We separated in January", "user.relationship", ["separated"]),
        ("My husband is called Paul", "We separated the whites from the colours", "user.husband", ["Paul"]),
        ("My husband is called Paul", "My parents separated in January", "user.husband", ["Paul"]),
        ("I'm married to Ana", "We're getting divorced", "user.plans", ["getting divorced"]),
        ("I'm married to Ana", "I'm going through a divorce", "user.plans", ["getting divorced"]),
        ("I'm married to Ana", "We're not getting divorced", "user.plans", []),
        ("I'm married to Ana", "My parents are getting divorced", "user.plans", []),
        ("I'm married to Ana", "Are we getting divorced?", "user.plans", []),
        # at what one is
        ("I work at Acme", "They made me head of marketing", "user.works_as", ["head of marketing"]),
        ("I work at Acme", "They might make me head of marketing", "user.works_as", []),
        ("I work at Acme", "My boss was promoted to director", "boss.works_as", ["director"]),
        # what one has
        ("I subscribe to The Economist", "I've cancelled my subscription to the Economist", "user.subscribes_to", []),
        ("I subscribe to The Economist", "Should I cancel my subscription to the Economist?", "user.subscribes_to", ["The Economist"]),
        ("My phone provider is EE", "I switched from EE to giffgaff", "user.mobile_provider", ["giffgaff"]),
        ("My phone provider is EE", "I switched to giffgaff", "user.mobile_provider", ["giffgaff"]),
        ("My phone provider is EE", "My brother switched from EE to giffgaff", "user.mobile_provider", ["EE"]),
    ],
)
def test_with_whom_and_at_what_one_is_changes(before: str, text: str, key: str, values: list[str], tell: Tell) -> None:
    assert believed(tell(before, text)).get(key, []) == values


@pytest.mark.parametrize(
    "text", ["we're back together haha, it was just a fight", "We got back together!", "I'm back with Joe", "Joe and I got engaged!"]
)
def test_who_was_parted_from_one_alone_is_together_with_that_one_again(text: str, tell: Tell) -> None:
    after = believed(tell("I have a boyfriend called Joe.", "Joe and I broke up.", text))
    assert after.pop("user.relationship", ["engaged"]) == ["engaged"]
    assert after == {"user.partner": ["Joe"]}


def test_with_which_of_two_one_is_together_again_is_not_guessed(tell: Tell) -> None:
    mem = tell("My boyfriend is Joe.", "Joe and I broke up.", "My boyfriend is Max.", "Max and I broke up.", "We're back together!")
    assert "user.partner" not in believed(mem)


def test_the_last_day_of_an_outing_tells_of_no_job(tell: Tell) -> None:
    mem = tell("Last day at Disneyland!")
    assert mem.facts("ana", statuses=["active", "expired", "superseded"], kinds=["fact"]) == []


@pytest.mark.parametrize("text", ["My last day at Disneyland is on Friday", "Last day at Glastonbury tomorrow"])
def test_the_last_day_of_an_outing_to_come_tells_of_no_job_either(text: str, tell: Tell) -> None:
    assert "user.works_at" not in believed_on(tell(text), "2025-03-01")


def test_who_has_got_a_job_was_not_out_of_work_for_that(tell: Tell) -> None:
    mem = tell("I work at Acme.", "I GOT THE JOB")
    assert [fact.object for fact in mem.facts("ana", statuses=["active", "expired"])] == ["Acme"]


@pytest.mark.parametrize("text", ["I'm not at Acme anymore, obviously", "I'm no longer at Acme", "I'm not at Acme any more"])
def test_who_is_at_a_firm_no_longer_works_there_no_more(text: str, tell: Tell) -> None:
    assert believed(tell("I work at Acme.", text)) == {}


@pytest.mark.parametrize("text", ["I'm not at Acme today", "I'm not at Acme until Monday"])
def test_who_is_at_a_firm_not_today_still_works_there(text: str, tell: Tell) -> None:
    assert believed(tell("I work at Acme.", text)) == {"user.works_at": ["Acme"]}


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("My mother-in-law Breda lives with us.", "Breda moved out, she's in her own flat now"),
        ("My father in law Bob lives with us.", "Bob has moved out"),
        ("I live with my sister Ana.", "Ana moved to Berlin last week"),
    ],
)
def test_who_has_moved_away_lives_with_one_no_more(before: str, text: str, tell: Tell) -> None:
    assert "user.lives_with" not in believed(tell(before, text))


@pytest.mark.parametrize("text", ["Ana and I moved to Berlin", "Ana hasn't moved to Berlin", "Ana moved to Berlin with me"])
def test_who_moved_along_still_lives_with_one(text: str, tell: Tell) -> None:
    assert believed(tell("I live with my sister Ana.", text))["user.lives_with"] == ["their sister"]


@pytest.mark.parametrize("text", ["I've been with Monzo since January", "We're Monzo customers now", "I left Barclays for Monzo"])
def test_whose_customer_one_is_by_now_takes_the_place_of_the_one_before(text: str, tell: Tell) -> None:
    assert believed(tell("I bank with Barclays.", text))["user.bank"] == ["Monzo"]


@pytest.mark.parametrize(
    "text",
    ["Dairy's fine again, the doctor says", "I can eat dairy again", "I've reintroduced dairy", "I eat everything now, dairy included"],
)
def test_what_one_may_eat_again_one_avoids_no_more(text: str, tell: Tell) -> None:
    assert believed(tell("I avoid dairy.", text)) == {}


@pytest.mark.parametrize(
    "text", ["I've knocked yoga on the head", "I pulled the plug on yoga", "I've had to give yoga up because of my back"]
)
def test_what_is_done_on_days_is_known_by_its_name(text: str, tell: Tell) -> None:
    assert believed(tell("I go to yoga on Tuesdays.", text)) == {}


def test_the_insurance_of_one_thing_is_not_that_of_another(tell: Tell) -> None:
    after = believed(tell("My car insurance is with Admiral.", "We moved our home insurance to Aviva"))
    assert after == {"user.car_insurance": ["Admiral"], "user.home_insurance": ["Aviva"]}


def test_who_turns_out_not_to_be_allergic_after_all_is_not_asked_again(tell: Tell) -> None:
    assert believed(tell("I'm allergic to nuts.", "They tested me, turns out I'm not allergic to nuts after all")) == {}


def test_what_began_after_the_other_was_said_last_is_a_change(mem: memdb.Memory) -> None:
    mem.observe("I live in Leeds.", "Ok.", user_id="ana", timestamp="2025-03-01T10:00:00Z")
    mem.observe("I've been living in York since May.", "Ok.", user_id="ana", timestamp="2025-11-01T10:00:00Z")
    mem.drain()
    assert [(fact.object, fact.status) for fact in mem.facts("ana", key="user.lives_in")] == [("York", "active")]


def test_what_began_before_the_other_was_said_is_asked_about(mem: memdb.Memory) -> None:
    mem.observe("I live in Leeds.", "Ok.", user_id="ana", timestamp="2025-08-01T10:00:00Z")
    mem.observe("I've been living in York since May.", "Ok.", user_id="ana", timestamp="2025-11-01T10:00:00Z")
    mem.drain()
    assert sorted(fact.status for fact in mem.facts("ana", key="user.lives_in")) == ["active", "pending_confirmation"]


@pytest.mark.parametrize(
    ("before", "text", "key", "value"),
    [
        ("My brother Tom works at Siemens.", "Siemens let Tom go.", "brother.works_at", ""),
        ("My brother Tom works at Siemens.", "Tom's boss is at Bosch now.", "brother.works_at", "Siemens"),
        ("I work at Siemens.", "Siemens let Tom go.", "user.works_at", "Siemens"),
        ("My son Leo is a waiter.", "Leo's no longer a waiter.", "son.works_as", ""),
        ("I drive a Golf.", "Somebody bought the Golf.", "user.drives", ""),
        ("My wife teaches French.", "My wife doesn't teach any more.", "wife.teaches", ""),
        ("I teach French.", "I don't teach on Fridays any more.", "user.teaches", "French"),
        ("We're renovating the kitchen.", "The kitchen's finally done.", "user.working_on", ""),
        ("We're renovating the kitchen.", "The kitchen is done in blue.", "user.working_on", "renovating the kitchen"),
        ("We're renovating the kitchen.", "The kitchen is ready to be painted.", "user.working_on", "renovating the kitchen"),
        ("I drive a Golf.", "Somebody bought the Golf a beer.", "user.drives", "Golf"),
        ("I take metformin.", "I've been weaned off metformin.", "user.takes", ""),
        ("I take metformin.", "My mum has been weaned off metformin.", "user.takes", "metformin"),
        ("I'm single.", "Nora and I are together on the project.", "user.relationship", "single"),
    ],
)
def test_what_is_over_is_read_in_the_words_of_the_day(before: str, text: str, key: str, value: str, tell: Tell) -> None:
    assert believed(tell(before, text)).get(key, []) == ([value] if value else [])


def test_how_much_of_the_one_medicine_is_known_by_it(tell: Tell) -> None:
    mem = tell("I take 20 mg of citalopram.", "they upped it to 40mg")
    assert believed(mem)["user.dose_of_citalopram"] == ["40mg"]


@pytest.mark.parametrize(("before", "text", "key", "value"), EXCHANGED)
def test_what_takes_the_place_of_something_is_found_by_what_is_over(before: str, text: str, key: str, value: str, tell: Tell) -> None:
    assert believed(tell(before, text)) == {key: [value]}


@pytest.mark.parametrize(
    ("before", "text", "key", "value"),
    [
        ("I support Benfica.", "I support Sporting now.", "user.supports", "Sporting"),
        ("I support Benfica.", "These days I support Sporting.", "user.supports", "Sporting"),
        ("My gym is Holmes Place.", "I go to Fitness Hut now.", "user.gym", "Fitness Hut"),
        ("My gym is Holmes Place.", "I switched gyms, I'm at The Yard now.", "user.gym", "The Yard"),
        ("My phone is an iPhone.", "I have a Pixel phone now.", "user.mobile", "Pixel"),
        ("My dentist is Dr Silva.", "My new dentist is Dr Costa.", "user.dentist", "Dr Costa"),
        ("My dentist is Dr Silva.", "We changed our dentist to Dr. Costa.", "user.dentist", "Dr. Costa"),
        ("My coach is Pete.", "Pete isn't my coach any more, it's Dan now.", "user.coach", "Dan"),
        ("I work at Bosch.", "I left Bosch, I'm at Acme now.", "user.works_at", "Acme"),
        ("My bank is Barclays.", "I left Barclays, I'm with Monzo now.", "user.bank", "Monzo"),
        ("My favourite band is Radiohead.", "My favourite band used to be Radiohead, now it's Muse.", "user.favourite_band", "Muse"),
        ("I support Benfica.", "Benfica isn't my team any more, it's Sporting.", "user.supports", "Sporting"),
        ("I work at Bosch.", "I'm now at Meta.", "user.works_at", "Meta"),
        ("I work at Bosch.", "I changed jobs, I'm at Acme now.", "user.works_at", "Acme"),
        ("I prefer the window seat.", "I prefer the aisle seat now.", "user.favourite_seat", "aisle"),
        ("I prefer tea to coffee.", "I prefer coffee to tea now.", "user.prefers", "coffee to tea"),
        ("I drive to work.", "I've started cycling to work.", "user.commutes", "by bike"),
        ("My hairdresser is Nuno.", "I changed hairdressers, mine is Vera now.", "user.hairdresser", "Vera"),
        ("I prefer mornings for meetings.", "I prefer afternoons for meetings now.", "user.prefers", "afternoons for meetings"),
        ("I drive to work.", "I cycle to work now.", "user.commutes", "by bike"),
        ("I work nights.", "I work days now.", "user.shift", "day shift"),
        ("I go to the gym twice a week.", "I go to the gym three times a week now.", "user.habit", "go to the gym three times a week"),
        ("My son goes to Hill School.", "My son goes to Park School now.", "son.studies_at", "Park School"),
        ("I live near Manchester.", "I moved to Manchester.", "user.lives_in", "Manchester"),
        ("I'm a Chelsea fan.", "I've become an Arsenal supporter.", "user.supports", "Arsenal"),
        ("My team is Leeds.", "I can't stand Leeds any more, I'm for Everton.", "user.supports", "Everton"),
        ("I take the 8:15 train to work.", "I get the 7.50 train these days.", "user.usual_train", "7.50"),
        ("My desk is by the lifts.", "They've moved my desk next to the printer.", "user.desk", "next to the printer"),
        ("I'm a size 10 in shoes.", "I take a size 11 in shoes now.", "user.shoe_size", "11"),
        ("I work nights.", "I've gone over to days.", "user.shift", "day shift"),
        ("I work days.", "They've put me on the night shift.", "user.shift", "night shift"),
        ("We do our shopping at Tesco.", "We shop at Lidl these days, it's cheaper.", "user.shops_at", "Lidl"),
        ("My son is in year three.", "My son has moved up to year four.", "son.school_year", "year four"),
        ("I take the car to work.", "I sold the car and go to work by bike.", "user.commutes", "by bike"),
        ("My dentist is Dr Young.", "I've changed dentists, I go to Dr Marsh now.", "user.dentist", "Dr Marsh"),
        ("I go to Dr Amaral for my eyes.", "My optician is Dr Neves now.", "user.optician", "Dr Neves"),
        ("My car is insured with AXA.", "I've insured the car with Zurich now.", "user.car_insurance", "Zurich"),
        ("My daughter studies law.", "My daughter's dropped law and does history now.", "daughter.studies", "history"),
        ("My rent is 900 euros a month.", "My rent has gone up to 1000 euros a month.", "user.rent", "1000 euros a month"),
        ("I pay 40 euros a month for the gym.", "The gym costs me 55 euros a month now.", "user.pays_for_gym", "55 euros a month"),
        ("I go swimming twice a week.", "I only go swimming once a week now.", "user.habit", "go swimming once a week"),
        ("I go to the gym twice a week.", "I'm going to the gym four times a week now.", "user.habit", "go to the gym four times a week"),
        ("I drink two coffees a day.", "I'm down to one coffee a day.", "user.coffee_a_day", "one"),
        ("I take two sugars in my tea.", "I've cut down to one sugar in my tea.", "user.usual_tea", "with one sugar"),
        ("I work four days a week.", "I've gone up to five days a week.", "user.working_time", "five days a week"),
        ("I take 20 mg of citalopram.", "My citalopram's been upped to 40 mg.", "user.dose_of_citalopram", "40 mg"),
        ("I take sertraline.", "My doctor switched me to fluoxetine.", "user.takes", "fluoxetine"),
        ("I have a Netflix subscription.", "I cancelled Netflix and got Disney Plus.", "user.subscribes_to", "Disney Plus"),
        ("I read the Guardian.", "I've cancelled the Guardian, I read the Times instead.", "user.newspaper", "Times"),
        ("I'm saving up for a car.", "I'm saving up for a boat instead.", "user.saves_for", "a boat"),
        ("I'm learning German.", "I've switched to learning Dutch.", "user.learning", "Dutch"),
        ("I play the piano.", "I play the cello instead.", "user.plays", "cello"),
        ("My husband is a chef.", "My husband's retrained as a paramedic.", "husband.works_as", "paramedic"),
        ("I'm studying to be a vet.", "I'm studying to be a teacher.", "user.training_as", "teacher"),
        ("My manager is Helen.", "Helen's left, so Dave is my manager now.", "user.boss", "Dave"),
        ("I get up at six.", "Since the baby I get up at five.", "user.gets_up_at", "five"),
        ("My sister lives in Rome.", "My sister's moved to Paris.", "sister.lives_in", "Paris"),
        ("I work from home.", "I'm back in the office these days.", "user.works_from", "the office"),
        ("I start work at nine.", "I start work at eight now.", "user.starts_work_at", "eight"),
        ("My piano lesson is on Wednesdays.", "My piano lesson has moved to Saturdays.", "user.day_of_piano_lesson", "Saturdays"),
        ("I'm with EDF for my electricity.", "I've switched electricity to Octopus.", "user.energy_supplier", "Octopus"),
        ("My son goes swimming twice a week.", "My son only goes swimming once a week now.", "son.habit", "goes swimming once a week"),
        (
            "My son goes to Oakwood primary school.",
            "My son's at Hillcrest secondary school now.",
            "son.studies_at",
            "Hillcrest secondary school",
        ),
        ("My parents live in Spain.", "My parents have come back to England for good.", "parents.lives_in", "England"),
        ("I'm a nurse.", "I'm a nurse and a teacher.", "user.works_as", "nurse and a teacher"),
        ("I live in Leeds.", "Moved to York last week!", "user.lives_in", "York"),
        ("I live in Leeds.", "finally moved down to york", "user.lives_in", "York"),
        ("I work at Bosch.", "i got a job at siemens", "user.works_at", "Siemens"),
        ("I'm 39.", "turned 40 on saturday, big party", "user.age", "40"),
        ("I live in Leeds.", "we're in york now, moved at the weekend", "user.lives_in", "York"),
        ("My email is ana@b.pt.", "My email is now ana@c.pt", "user.email", "ana@c.pt"),
        ("My pronouns are she/her.", "I use they/them now", "user.pronouns", "they/them"),
        ("I eat keto.", "I switched from keto to mediterranean", "user.diet", "mediterranean"),
        ("My sister lives in Leeds.", "London didn't work out so she's back in Leeds", "sister.lives_in", "Leeds"),
        ("I'm a nurse.", "I'm not nursing anymore, I'm a florist", "user.works_as", "florist"),
        ("My brother Tom works at Siemens.", "Tom's at Bosch now.", "brother.works_at", "Bosch"),
        ("My brother Tom works at Siemens.", "Tom has been hired by Bosch.", "brother.works_at", "Bosch"),
        ("I'm a junior developer.", "I've been made head chef.", "user.works_as", "head chef"),
        ("I'm a junior developer.", "I left development to become a teacher.", "user.works_as", "teacher"),
        ("I'm single.", "Nora and I made it official.", "user.partner", "Nora"),
        ("My sister Ana is engaged.", "Ana and Rui tied the knot on Saturday.", "sister.relationship", "married"),
        ("I play the flute.", "I've switched to the harp.", "user.plays", "harp"),
        ("I live in Leeds.", "Leeds got too expensive so I'm in York now.", "user.lives_in", "York"),
        ("My daughter Lea is in year 5.", "Lea started year 6 on Monday.", "daughter.school_year", "year 6"),
        ("My email is kim@old.example.", "Please use kim@new.example from now on.", "user.email", "kim@new.example"),
        ("My email is kim@old.example.", "My sister said: use kim@new.example from now on.", "user.email", "kim@old.example"),
        ("My landlady is Mrs Okafor.", "Our landlord is now a Mr Brandt.", "user.landlord", "Mr Brandt"),
        ("I'm working on a novel.", "The novel I'm reading is finished.", "user.working_on", "a novel"),
    ],
)
def test_what_is_said_to_be_otherwise_now_takes_the_place_of_what_was_so(before: str, text: str, key: str, value: str, tell: Tell) -> None:
    assert believed(tell(before, text))[key] == [value]


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I support Benfica.", "I also support Braga."),
        ("I support Benfica.", "I might switch from Benfica to Sporting."),
        ("I support Benfica.", "Should I switch from Benfica to Sporting?"),
        ("I support Benfica.", "I would never switch from Benfica to Sporting."),
        ("I support Benfica.", "My brother switched from Benfica to Sporting."),
        ("I support Benfica.", "We switched from Benfica to Sporting for one evening."),
        ("I support Benfica.", "I support Sporting now, just kidding."),
        ("My gym is Holmes Place.", "My gym is closed now."),
        ("My gym is Holmes Place.", "I went to Fitness Hut with a friend."),
        ("My gym is Holmes Place.", "My sister's gym is Fitness Hut."),
        ("My dentist is Paula.", "My dentist is Portuguese."),
        ("My dentist is Paula.", "I need a new dentist."),
        ("I work at Bosch.", "I'm at Starbucks now."),
        ("I work at Bosch.", "I'm at Siemens today for a meeting."),
        ("I work at Bosch.", "I left Porto, I'm at Gatwick now."),
        ("I work at Bosch.", "I used to be unemployed."),
        ("I drive to work.", "I sometimes cycle to work."),
        ("I drive to work.", "I cycle to work in summer."),
        ("I drive to work.", "I cycle to work when it's sunny."),
        ("I play tennis.", "I gave up tennis for a month."),
        ("I take ibuprofen.", "I replaced ibuprofen with yoga."),
        ("I smoke.", "I stopped smoking for two weeks."),
        ("I support Benfica.", "He switched from Benfica to Sporting."),
        ("My dentist is Paula.", "I changed my dentist appointment to Friday."),
        ("I run on Sundays.", "I also run on Saturdays now."),
        ("I prefer the window seat.", "I took the aisle seat yesterday."),
        ("I get up at 6.", "I get up at 9 at weekends."),
        ("I don't smoke.", "I used to smoke."),
        ("I smoke.", "I want to quit smoking."),
        ("I study physics.", "I'm thinking about switching from physics to mathematics."),
        ("I work at Bosch.", "I'm at Spotify now, playing jazz."),
        ("I work at Bosch.", "I'm at Google now for a meeting."),
        ("I support Chelsea.", "My brother's become an Arsenal supporter."),
        ("I take the 8:15 train.", "I take the 8:45 train tomorrow."),
        ("I live in Leeds.", "I want to sell the car and live in Spain."),
        ("I shop at Aldi.", "I shop at Lidl when Aldi is closed."),
        ("I shop at Aldi.", "I also shop at Lidl now."),
        ("I pay 40 euros a month for the gym.", "The flat next door costs 1100 euros a month."),
        ("My rent is 900 euros a month.", "My rent might go up to 1000 euros a month."),
        ("My son is in year three.", "My son was in year two last year."),
        ("I take metformin and ibuprofen.", "My doctor switched me to insulin."),
        ("I have a Netflix subscription.", "I got a Samsung and cancelled Spotify."),
        ("I drink two coffees a day.", "I drank one coffee today."),
        ("I'm learning German.", "I switched to learning to cook."),
    ],
)
def test_what_is_beside_it_anothers_or_not_yet_so_changes_nothing(before: str, text: str, tell: Tell) -> None:
    held = believed(tell(before))
    after = believed(tell(text))
    assert held
    assert {key: after.get(key, [])[: len(values)] for key, values in held.items()} == held


@pytest.mark.parametrize(
    ("before", "text", "day"),
    [
        ("The wedding is in June.", "We've put the wedding off until September.", "2025-09-01"),
        ("The wedding is in June.", "The wedding's been moved to September.", "2025-09-01"),
        ("My driving test is on 3 June.", "My driving test got postponed from 3 June to 24 June.", "2025-06-24"),
        ("I have a dentist appointment on 3 June.", "I've moved the appointment to 10 June.", "2025-06-10"),
        ("My exam is on 19 June.", "They've brought the exam forward to 12 June.", "2025-06-12"),
        ("We're getting married on 12 June.", "We've moved the wedding to 19 June.", "2025-06-19"),
        ("My viva is on 12 June.", "My viva was moved to 19 June.", "2025-06-19"),
        ("I have a driving test on 14 May.", "driving test got pushed back to 28 May", "2025-05-28"),
        ("I have an exam on 12 May.", "exam's on the 19th of May now", "2025-05-19"),
        ("My exam is on 12 June.", "Lena's exam has been moved to 19 June.", "2025-06-12"),
        ("The wedding is on 12 June.", "We nearly put the wedding off until September.", "2025-06-12"),
        ("My exam is on 12 June.", "The exam was moved to a bigger room.", "2025-06-12"),
    ],
)
def test_what_is_put_off_is_one_plan_with_another_day(before: str, text: str, day: str, tell: Tell) -> None:
    planned = [fact for fact in tell(before, text).facts("ana", now="2025-03-10") if fact.key == "user.plans"]
    assert [str(fact.event_time.date()) for fact in planned if fact.event_time] == [day]


@pytest.mark.parametrize(
    ("before", "text", "day"),
    [
        ("My exam is on 12 June.", "The exam was moved to Friday.", "2025-06-13"),
        ("My exam is on 12 June.", "They pushed the exam back to Tuesday.", "2025-06-17"),
        ("I have a dentist appointment on 12 June.", "the dentist brought it forward to Monday", "2025-06-09"),
        ("I have a dentist appointment on 12 June.", "moved it to Friday", "2025-06-13"),
        ("I'm meeting my tutor on 12 June.", "she can't do thursday so it's friday", "2025-06-13"),
        ("I have a job interview on 12 June.", "they want to see me Friday instead", "2025-06-13"),
        ("We're flying to Malta on 21 June.", "we're flying a day later now, the 22nd", "2025-06-22"),
        ("We're going to Rome in May.", "we're going to Rome in July now", "2025-07-01"),
    ],
)
def test_what_is_put_off_to_a_weekday_is_on_the_one_next_to_its_day(before: str, text: str, day: str, tell: Tell) -> None:
    planned = [fact for fact in tell(before, text).facts("ana", now="2025-03-10") if fact.key == "user.plans"]
    assert [str(fact.event_time.date()) for fact in planned if fact.event_time] == [day]


@pytest.mark.parametrize(
    ("before", "text", "plan"),
    [
        ("I'm moving to Canada in June.", "canada is on hold for now", "moving to Canada"),
        ("We're getting married in August.", "We've had to postpone the wedding, we don't have a date.", "getting married"),
        ("My operation is on 2 April.", "The operation's been postponed indefinitely.", "operation"),
        ("We're going to Lisbon in April.", "Lisbon's postponed, no new date yet", "going to Lisbon"),
        ("We're going to Lisbon in April.", "it's on hold", "going to Lisbon"),
        ("We're going to Lisbon in April.", "we've put it off indefinitely", "going to Lisbon"),
    ],
)
def test_what_is_put_off_without_a_day_is_still_planned_for_none(before: str, text: str, plan: str, tell: Tell) -> None:
    planned = [fact for fact in tell(before, text).facts("ana", now="2025-03-10") if fact.key == "user.plans"]
    assert [(fact.object, fact.event_time, fact.valid_to) for fact in planned] == [(plan, None, None)]


@pytest.mark.parametrize(
    "text",
    [
        "they put me on hold for an hour at TAP",
        "the council put the roadworks on hold",
        "my friend's trip is on hold",
        "we haven't postponed Lisbon",
        "should we postpone Lisbon?",
        "if we postponed Lisbon, would we get our money back?",
        "we nearly put Lisbon on hold",
    ],
)
def test_what_else_is_put_off_or_is_not_leaves_a_plan_on_its_day(text: str, tell: Tell) -> None:
    planned = [fact for fact in tell("We're going to Lisbon in April.", text).facts("ana", now="2025-03-10") if fact.key == "user.plans"]
    assert [str(fact.event_time.date()) for fact in planned if fact.event_time] == ["2025-04-01"]


@pytest.mark.parametrize(
    ("text", "plan", "day"),
    [
        ("We were supposed to go to Japan in April but pushed it to May.", "going to Japan", "2025-05-01"),
        ("I was due to fly out on the 15th, it's now the 18th", "flying out", "2025-03-18"),
        ("I was supposed to see my mum on Friday but she moved it to Sunday", "seeing their mum", "2025-03-02"),
    ],
)
def test_what_was_to_be_on_one_day_is_on_another(text: str, plan: str, day: str, tell: Tell) -> None:
    (planned,) = (fact for fact in tell(text).facts("ana", now="2025-03-02") if fact.key == "user.plans")
    assert planned.event_time
    assert (planned.object, str(planned.event_time.date())) == (plan, day)


@pytest.mark.parametrize("text", ["I was supposed to call Tom on Monday", "I was meant to sleep at 10 but stayed up until 2"])
def test_what_was_only_to_be_is_no_plan(text: str, tell: Tell) -> None:
    assert "user.plans" not in believed(tell(text))


@pytest.mark.parametrize(
    "texts", [["I stop working at Acme at the end of April."], ["I work at Acme.", "i stop working there at the end of april"]]
)
def test_who_stops_working_somewhere_works_there_until_then(texts: list[str], tell: Tell) -> None:
    (works,) = tell(*texts).facts("ana", key="user.works_at", now="2025-03-10")
    assert works.valid_to
    assert (works.object, str(works.valid_to.date())) == ("Acme", "2025-05-01")


@pytest.mark.parametrize(
    ("text", "away"), [("I'm on leave until the 20th", "on leave"), ("I'm signed off until the end of the month", "signed off")]
)
def test_who_is_on_leave_for_a_time_is_away(text: str, away: str, tell: Tell) -> None:
    assert believed_on(tell(text), "2025-03-10")["user.away"] == [away]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("The wedding's been pushed to June.", "2025-06-01", "2025-06-30"),
        ("The wedding's been pushed back until next year.", "2026-01-01", "2026-12-31"),
        ("The wedding was moved from May to September.", "2025-09-01", "2025-09-30"),
        ("The wedding's been pushed to 14 June.", "2025-06-14", "2025-06-14"),
    ],
)
def test_what_is_put_off_to_a_month_or_a_year_is_some_day_of_it(text: str, first: str, last: str, tell: Tell) -> None:
    mem = tell("The wedding is in May.", text)
    (plan,) = mem.facts("ana", key="user.plans", now="2025-03-10")
    assert plan.event_time
    assert plan.valid_to
    assert (f"{plan.event_time:%Y-%m-%d}", f"{plan.valid_to - timedelta(days=1):%Y-%m-%d}") == (first, last)


@pytest.mark.parametrize(("before", "text", "key"), ENDED)
def test_what_is_believed_by_a_name_is_over_when_that_is_said_to_be(before: str, text: str, key: str, tell: Tell) -> None:
    said = believed(tell(before))[key]
    assert said[0] not in believed(tell(text)).get(key, [])


@pytest.mark.parametrize(("before", "text", "key", "value"), OTHERWISE)
def test_what_is_believed_is_found_to_be_another_now(before: str, text: str, key: str, value: str, tell: Tell) -> None:
    assert believed(tell(before, text))[key] == [value]


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("My manager is Helen.", "Helen's gone, Marcus is my manager now.", {"user.boss": ["Marcus"]}),
        ("My energy supplier is Bulb.", "Bulb went under and we got put on Octopus.", {"user.energy_supplier": ["Octopus"]}),
        ("My nanny is Elsa.", "Elsa handed in her notice, we've hired Bridget.", {"user.nanny": ["Bridget"]}),
        ("My favourite pub is the Fox.", "The Fox closed down, we drink at the Swan now.", {"user.favourite_pub": ["the Swan"]}),
        ("I work at Nokia.", "Nokia is history, I'm badging in at Ericsson every morning.", {"user.works_at": ["Ericsson"]}),
        ("My laptop is a Dell.", "The Dell went to my nephew, I type on a MacBook.", {"user.laptop": ["MacBook"]}),
        ("I'm subscribed to Netflix.", "Pulled the plug on Netflix, Mubi is plenty.", {"user.subscribes_to": ["Mubi"]}),
        ("My flatmate is Joel.", "Joel moved out and Priya moved in.", {"user.flatmate": ["Priya"]}),
        ("I use Vim.", "Vim's a thing of the past. Helix all the way.", {"user.uses": ["Helix"]}),
        ("I'm learning German.", "Gave up on German, on to Dutch.", {"user.learning": ["Dutch"]}),
        ("My dentist is Dr Weber.", "No more Dr Weber for me, only Dr Khan from now on.", {"user.dentist": ["Dr Khan"]}),
        ("I play the violin.", "The violin is history, the cello now.", {"user.plays": ["cello"]}),
        ("I go to PureGym.", "Turns out PureGym wasn't for me, Ironworks it is.", {"user.gym": ["Ironworks"]}),
        ("We're going to Crete this summer.", "We've cancelled Crete, Malta it is.", {"user.plans": ["going to Malta"]}),
        ("I work at Siemens.", "I've left Siemens, Sarah is in charge.", {}),
        ("I work at Siemens.", "I've left Siemens, Sarah's in.", {}),
        ("My girlfriend is Lea.", "Lea left me, Netflix from now on.", {"user.relationship": ["single"]}),
        ("We have a dog called Rex.", "Rex died, Netflix now.", {}),
        ("My nanny is Ingrid.", "Ingrid quit, over to the grandparents.", {}),
        ("My nanny is Ingrid.", "Ingrid quit and Netflix took over.", {}),
        ("My nanny is Ingrid.", "Ingrid quit and Maja took over.", {"user.nanny": ["Maja"]}),
        ("I'm training for the Berlin marathon.", "I've run the marathon.", {}),
        ("I'm training for the Berlin marathon.", "I ran the Paris marathon.", {"user.working_on": ["training for the Berlin marathon"]}),
        ("I'm learning German.", "Gave up on German, on to Netflix.", {}),
    ],
)
def test_who_says_what_is_over_goes_on_with_what_is_so_instead(before: str, text: str, after: dict[str, list[str]], tell: Tell) -> None:
    assert believed(tell(before, text)) == after


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("My band is called The Larks.", "Tom's band split up last weekend."),
        ("My band is called The Larks.", "If The Larks split up I'd be heartbroken."),
        ("My band is called The Larks.", "The Larks nearly split up over the drummer."),
        ("My band is called The Larks.", "The Larks split the bill."),
        ("My boss is Helen.", "Helen's gone for lunch."),
        ("My boss is Helen.", "Helen's gone."),
        ("I'm learning German.", "German was cancelled, the teacher is ill."),
        ("My boss is Helen.", "Helen moved on to the next slide."),
        ("My boss is Helen.", "Is Helen gone?"),
        ("My boss is Helen.", "Helen got fired up about the budget."),
        ("My gym is Ironworks.", "That's me done with Ironworks for today."),
        ("My gym is Ironworks.", "I'm back from Ironworks."),
        ("My phone is a Pixel 6.", "My phone died."),
        ("My phone is a Pixel 6.", "I dropped the Pixel in the sink, it's fine."),
        ("I drive a Saab.", "The Saab died on the motorway but the AA got it going."),
        ("I drive a Saab.", "I sold my Saab shares."),
        ("I work at Bosch.", "Bosch made my friend redundant."),
        ("I work at Bosch.", "Bosch let me go to the conference."),
        ("I drink two coffees a day.", "No more coffee for me today, thanks."),
        ("I'm learning piano.", "I gave up piano for Lent."),
        ("I'm saving for a trip to Japan.", "Japan is off the charts beautiful."),
        ("I go to yoga on Tuesdays.", "They've moved the bins to Fridays."),
        ("I go to yoga on Tuesdays.", "Yoga's been moved to Wednesday this week only."),
        ("I run 5k every morning.", "We're up to 20k followers."),
        ("My alarm is set for six.", "Can you set my alarm for five?"),
        ("My alarm is set for six.", "Alarm's set for five tomorrow, early flight."),
        ("I'm with EE.", "My boss went with Giffgaff in the end."),
        ("I shop at Tesco.", "I went to Lidl yesterday."),
        ("I use Spotify.", "I switched Spotify to dark mode."),
        ("I live on my own.", "I live with regret."),
        ("I'm engaged to Tom.", "We called it a night."),
        ("My landlord is Mr Ahmed.", "The new landlord in the film is Mr Novak."),
        ("I'm a vegetarian.", "Back to meat prices, they're mad."),
        ("My cat is called Miso.", "The neighbour's cat passed away."),
    ],
)
def test_what_only_sounds_as_if_it_were_over_ends_nothing(before: str, text: str, tell: Tell) -> None:
    said = believed(tell(before))
    assert said
    assert believed(tell(text)) == said


def test_what_is_over_of_two_by_one_name_ends_neither(tell: Tell) -> None:
    said = believed(tell("My gym is Pulse Camden.", "My bank is Pulse Savings."))
    assert believed(tell("Pulse is history.")) == said


def test_what_one_has_given_up_is_over_for_the_one_who_has(tell: Tell) -> None:
    assert believed(tell("I'm learning Dutch.", "My sister is learning Dutch.", "My sister has given up on Dutch.")) == {
        "user.learning": ["Dutch"]
    }


def test_what_one_goes_back_to_is_found_by_what_was_so_once(tell: Tell) -> None:
    tell("My browser is Firefox.", "I switched from Firefox to Chrome.")
    assert believed(tell("I've gone back to Porto.")) == {"user.browser": ["Chrome"]}
    assert believed(tell("I've gone back to Firefox.")) == {"user.browser": ["Firefox"]}


def test_of_what_is_exchanged_nothing_is_said_where_it_is_believed_nowhere(tell: Tell) -> None:
    assert believed(tell("I switched from Benfica to Sporting.")) == {}


def test_of_what_one_has_one_of_there_is_one_value(tmp_path: Path) -> None:
    store = Store(tmp_path / "mem.db", Config.model_validate({}), vectors=False)
    predicates = stored.predicates(store.database())
    store.close()
    held = [predicate_of(f"user.{predicate}", predicates) for predicate in attribute_of().values()]
    assert {one.cardinality for one in held} == {"one"}


def test_what_waited_for_leave_gives_way_to_what_waits_for_it_now(mem: memdb.Memory) -> None:
    mem.observe("I bank with Santander.", user_id="ana", timestamp="2025-03-01")
    mem.observe("I bank with Monzo now.", user_id="ana", timestamp="2025-03-10")
    mem.drain()
    held = {
        fact.object: fact.status
        for fact in mem.facts("ana", key="user.bank", statuses=["expired", "pending_confirmation"], now="2025-03-11")
    }
    assert held == {"Santander": "expired", "Monzo": "pending_confirmation"}


@pytest.mark.parametrize(
    ("before", "text", "key"),
    [
        ("I work at Acme.", "finally handed in my badge at Acme, feels weird", "user.works_at"),
        ("I work at Acme.", "i resigned from acme this morning lol", "user.works_at"),
        ("I work at Acme.", "They fired me from Acme today.", "user.works_at"),
        ("I work as a chef.", "My days as a chef are over.", "user.works_as"),
        ("I eat keto.", "dropped keto, it made me miserable", "user.diet"),
        ("I'm vegetarian.", "I eat meat again these days.", "user.diet"),
        ("I drive a Volvo.", "the volvo got written off in a crash, driving a rental for now", "user.drives"),
        ("I have a dog called Luna.", "gave Luna to my brother, he has a farm", "user.pet"),
        ("My girlfriend is Lea.", "lea and i split", "user.partner"),
        ("My girlfriend is Lea.", "Lea is my ex now, it's for the best.", "user.partner"),
        ("I love sushi.", "I can't stand sushi any more.", "user.likes"),
        ("I wear glasses.", "had laser surgery, no glasses needed anymore", "user.habit"),
        ("I go to church on Sundays.", "dont go to church any more, lost my faith", "user.habit"),
        ("I study law.", "dropped out of law school", "user.studies"),
        ("My gym is Ironworks.", "I'm in the choir in May, and that's me done with Ironworks.", "user.gym"),
    ],
)
def test_what_is_over_is_over_in_whatever_words(before: str, text: str, key: str, tell: Tell) -> None:
    assert key not in believed(tell(before, text))


@pytest.mark.parametrize(
    "text", ["We moved to Porto last week.", "We're not moving to Porto after all.", "We won't be moving there after all."]
)
def test_what_was_considered_is_so_no_more_once_it_is_decided(text: str, tell: Tell) -> None:
    assert "user.considers" in believed(tell("We're thinking of moving to Porto."))
    assert "user.considers" not in believed(tell(text))


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I might retire.", "I retired last week"),
        ("I'm thinking of getting a dog.", "We're getting a dog next week"),
        ("I'm thinking of learning Italian.", "I'm learning Italian"),
        ("I'm thinking of retiring.", "I decided not to retire"),
        ("I'm thinking of retiring.", "I won't retire after all"),
        ("I'm thinking of retiring.", "I'm not going to retire"),
        ("I'm thinking of getting a dog.", "We got a dog"),
        ("I'm thinking of getting a dog.", "We've given up on getting a dog"),
        ("We're thinking of opening a shop in York.", "We opened the shop today"),
        ("I'm thinking of learning Italian.", "I started learning Italian"),
        ("I'm thinking of leaving Acme.", "I left Acme"),
        ("I'm thinking of studying law.", "I've decided against studying law"),
        ("I'm thinking of taking early retirement.", "I took early retirement"),
        ("I'm thinking of quitting my job.", "I quit my job today"),
    ],
)
def test_what_was_considered_ends_by_its_verb(before: str, text: str, tell: Tell) -> None:
    assert "user.considers" in believed(tell(before))
    assert "user.considers" not in believed(tell(text))


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I'm thinking of retiring.", "I'm not retiring yet"),
        ("I'm thinking of retiring.", "I won't retire until May"),
        ("I'm thinking of retiring.", "My dad retired"),
        ("I'm thinking of retiring.", "If I retired I'd be bored"),
        ("I'm thinking of retiring.", "I talked to my boss about retiring"),
        ("I'm thinking of getting a dog.", "I got a job at Aldi"),
        ("I'm thinking of learning Italian.", "I learnt some Italian as a kid"),
        ("We're thinking of opening a shop.", "I opened the window"),
        ("I'm thinking of moving to Porto.", "I moved to Leeds"),
    ],
)
def test_what_is_done_otherwise_is_considered_still(before: str, text: str, tell: Tell) -> None:
    assert "user.considers" in believed(tell(before, text))


@pytest.mark.parametrize(
    ("before", "text", "key"),
    [
        ("I want to run a marathon.", "I ran the marathon!", "user.wants"),
        ("I want to move to Porto.", "We moved to Porto", "user.wants"),
        ("I want a new bike.", "I bought a new bike today", "user.wants"),
        ("I'm looking for a new job.", "I got a job at Aldi", "user.wants"),
        ("I want to buy a new flat in Hull.", "I bought a flat", "user.wants"),
        ("I want to get a dog.", "I decided not to get a dog", "user.wants"),
        ("I'm trying to give up smoking.", "I've given up smoking", "user.wants"),
        ("I'm planning to open a shop.", "We opened the shop", "user.plans"),
        ("I'm planning to open a shop.", "We decided against opening the shop", "user.plans"),
        ("I'm saving up for a car.", "I bought a car", "user.saves_for"),
        ("My sister wants a dog.", "My sister got a dog", "sister.wants"),
    ],
)
def test_what_was_wanted_or_planned_is_so_no_more_once_it_has_come(before: str, text: str, key: str, tell: Tell) -> None:
    assert key in believed(tell(before))
    assert key not in believed(tell(text))


@pytest.mark.parametrize(
    ("before", "text", "key"),
    [
        ("I want to run a marathon.", "I ran to the shop", "user.wants"),
        ("I want a new bike.", "I bought a new phone", "user.wants"),
        ("I want to learn Italian.", "I'm not learning Italian", "user.wants"),
        ("I want to visit Japan.", "I visited Japan last year", "user.wants"),
        ("I want to move to Rome.", "I lived in Rome for two years", "user.wants"),
        ("I'm planning to open a shop.", "I'm not opening it until May", "user.plans"),
        ("I'm saving up for a car.", "My sister bought a car", "user.saves_for"),
        ("My sister wants a dog.", "My brother got a dog", "sister.wants"),
    ],
)
def test_what_was_wanted_or_planned_stays_where_something_else_has_come(before: str, text: str, key: str, tell: Tell) -> None:
    assert key in believed(tell(before, text))


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("I'm moving to York", ["moving to York"]),
        ("big news: moving to York with my wife", ["moving to York"]),
        ("We're going to move to York", ["to move to York"]),
        ("I'm starting at Acme soon", ["starting at Acme"]),
        ("I'm starting my new job at Acme shortly", ["starting at Acme"]),
        *[(said, []) for said in ("I might be moving to York", "thinking of moving to York", "Am I moving to York?")],
        *[(said, []) for said in ("One more winter like this and I'm moving to York", "I'm moving to Monday mornings", "I'm starting at Level 2")],
    ],
)  # fmt: skip
def test_what_is_coming_is_planned_before_it_has_a_day(text: str, plan: list[str], tell: Tell) -> None:
    after = believed(tell("I live in Hull. I work at Tesco.", text))
    assert (after.get("user.plans", []), after["user.lives_in"], after["user.works_at"]) == (plan, ["Hull"], ["Tesco"])


@pytest.mark.parametrize(
    ("plan", "text", "key", "value"),
    [
        ("I'm moving to York", "I've moved!", "user.lives_in", "York"),
        ("We're relocating to York", "The move's done, finally", "user.lives_in", "York"),
        ("We're moving to York", "I live in York", "user.lives_in", "York"),
        ("I'm moving to York", "We're in Leeds now", "user.lives_in", "Hull"),
        ("I'm moving to York", "have we moved?", "user.lives_in", "Hull"),
        ("I'm starting at Acme", "I work at Acme", "user.works_at", "Acme"),
        ("I'm starting at Acme", "It was my first day at Acme", "user.works_at", "Acme"),
        ("My brother is moving to York", "He moved to York", "brother.lives_in", "York"),
    ],
)
def test_what_was_coming_is_so_and_planned_no_more_once_it_has_come(plan: str, text: str, key: str, value: str, tell: Tell) -> None:
    after = believed(tell("I live in Hull. I work at Tesco.", plan, text))
    assert after[key] == [value]
    assert not (value in ("York", "Acme") and (after.get("user.plans") or after.get("brother.plans")))


@pytest.mark.parametrize("text", ["We're not moving after all", "The move is off"])
def test_a_move_without_a_day_that_is_off_is_planned_no_more(text: str, tell: Tell) -> None:
    after = believed(tell("I live in Hull. I'm moving to York.", text))
    assert after == {"user.lives_in": ["Hull"]}


def test_what_was_so_once_is_found_at_the_time_that_was_told(tell: Tell) -> None:
    mem = tell("I worked at Aldi from 2010 to 2019.")
    found = {year: [fact.object for fact in mem.facts("ana", as_of=f"{year}-05-01")] for year in (2008, 2015, 2021)}
    assert found == {2008: [], 2015: ["Aldi"], 2021: []}


@pytest.mark.parametrize(
    ("before", "text", "key", "value"),
    [
        ("I work at Tesco.", "quit tesco, couldnt take it anymore, now at aldi", "user.works_at", "Aldi"),
        ("I live in Ghent.", "sold the house in Ghent, living in Bruges now", "user.lives_in", "Bruges"),
        ("I live in Hamburg.", "We left Hamburg for good, got a little house near Kiel now.", "user.lives_in", "Kiel"),
        ("I live in Turin.", "Back in Naples for good.", "user.lives_in", "Naples"),
        ("I bank with Barclays.", "closed my barclays account, banking with monzo now", "user.bank", "Monzo"),
        ("I'm a junior developer.", "they bumped me up to senior developer today!!", "user.works_as", "senior developer"),
        ("I study at Oxford.", "I transferred from Oxford to Durham.", "user.studies_at", "Durham"),
        ("I support Benfica.", "It used to be Benfica but now it's Sporting.", "user.supports", "Sporting"),
        ("I play tennis.", "no more tennis, squash now", "user.plays", "squash"),
        ("I drive a Golf.", "I swapped my Golf for a Polo.", "user.drives", "Polo"),
        ("I'm married.", "as of last week i'm officially divorced", "user.relationship", "divorced"),
        ("I rent in Oslo until June.", "In April I'm moving to Rome.", "user.lives_in", "Rome"),
        ("I live in Oslo.", "I'm moving to Rome next month for a new job.", "user.lives_in", "Rome"),
        ("I'm vegan.", "not vegan any more btw, just vegetarian", "user.diet", "vegetarian"),
        ("I'm learning Spanish.", "I quit Spanish, French instead", "user.learning", "French"),
        ("I take metformin.", "The doctor switched me from metformin to ozempic.", "user.takes", "ozempic"),
        ("I drive a Golf.", "We have a new car, a Polo.", "user.drives", "Polo"),
        ("My son Leo is 5.", "leo's 6 now, can you believe it", "son.age", "6"),
        ("We shop at Tesco on Fridays.", "We switched from Tesco to Morrisons.", "user.habit", "shop at Morrisons on Fridays"),
        ("My husband is called Rui.", "My husband and I separated last week", "user.relationship", "separated"),
    ],
)
def test_what_is_so_instead_is_believed_in_whatever_words(before: str, text: str, key: str, value: str, tell: Tell) -> None:
    assert [one.casefold() for one in believed(tell(before, text))[key]] == [value.casefold()]


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I live in Leeds.", "The meeting is in York now, not Leeds."),
        ("I live in Leeds.", "I'm out of Leeds for the weekend."),
        ("I live in Leeds.", "i've settled in nicely"),
        ("I live in Leeds.", "I think I'm moving to York in May."),
        ("I live in Leeds.", "I'm moving to York in May for three weeks."),
        ("I live in Leeds.", "I'm moving to Slack next week."),
        ("I work at Acme.", "I almost resigned from Acme."),
        ("I work at Acme.", "I never resigned from Acme."),
        ("I work at Acme.", "Nokia nearly hired me."),
        ("I work at Acme.", "My contract with Acme was renewed."),
        ("I work at Acme.", "my friend goes: i quit acme, now im at amd"),
        ("My girlfriend is Lea.", "Lea and I split the bill."),
        ("My girlfriend is Lea.", "Lea and I are over the moon."),
        ("My husband is Greg.", "I lost my husband Greg to football again."),
        ("My husband is Greg.", "Greg died in Stranger Things."),
        ("My sister is Rita.", "My sister just died inside."),
        ("My mother is Helen.", "mum passed on the recipe"),
        ("My mother is Helen.", "My mum is no longer with us on the family plan."),
        ("My dog is called Rex.", "Rex is gone for a walk."),
        ("My dog is called Rex.", "Rex lives with my brother on weekends."),
        ("I play tennis.", "The tennis days are Tuesdays."),
        ("I love sushi.", "I can't stand sushi chefs who shout."),
        ("I'm married to Ines.", "i got divorced once before, in my twenties"),
        ("My boss is Karen.", "Karen isn't my type."),
        ("I support Arsenal.", "it's half time now, not Arsenal"),
        ("My dog is called Rex.", "Rex died in Fallout and I nearly cried"),
        ("My dog is called Rex.", "put Rex down, he's heavy"),
        ("My cat is called Misty.", "we put Misty down on the sofa"),
        ("My husband is Peter.", "Peter died in the last episode of that show."),
        ("My sister Kim is single.", "Kim got married in Animal Crossing."),
        ("I play tennis.", "The tennis is over, Alcaraz won."),
        ("I play football.", "football's over, we won 3-1"),
        ("I drive a Passat.", "I wrecked the Passat in Forza, total loss"),
        ("My son Leo is 5.", "Leo's 6 foot now."),
        ("I'm flying to Tokyo in July.", "The Tokyo trip is off to a good start."),
        ("My daughter goes to Hill Primary.", "My daughter broke her leg, she's at St Mary's now."),
        ("My daughter goes to Hill Primary.", "She's at Grandma's now."),
    ],
)
def test_what_only_sounds_over_goes_on(before: str, text: str, tell: Tell) -> None:
    known = believed(tell(before))
    assert {key: values for key, values in believed(tell(before, text)).items() if key in known} == known


def test_who_died_in_a_film_leaves_nobody_widowed(tell: Tell) -> None:
    assert "user.relationship" not in believed(
        tell("My husband is Peter.", "Peter died in the final season of that show, and in the last episode of it.")
    )


def test_she_who_was_just_spoken_of_is_at_another_school_now(tell: Tell) -> None:
    assert believed(tell("My daughter goes to Hill Primary.", "she's at St Mary's now"))["daughter.studies_at"] == ["St Mary's"]


def test_a_sister_who_would_have_died_is_none_that_one_has(tell: Tell) -> None:
    assert "user.sister" not in believed(tell("My brother is Tom.", "My sister Rita would have died."))


@pytest.mark.parametrize(
    "again", ["The move's been pushed to June", "I'm moving to Rotterdam in June now", "Our move got delayed until June."]
)
def test_a_change_that_is_put_off_begins_later_and_ends_nothing_before(tell: Tell, again: str) -> None:
    mem = tell("I live in Hull", "I'm moving to Rotterdam in April", again)
    homes = [mem.facts("ana", key="user.lives_in", as_of=day)[0].object for day in ("2025-05-01", "2025-06-10")]
    assert homes == ["Hull", "Rotterdam"]


def test_a_change_that_is_told_less_exactly_is_not_put_off(tell: Tell) -> None:
    mem = tell("I live in Hull", "I'm moving to Rotterdam on 12 July", "I'm moving to Rotterdam in July")
    assert [fact.object for fact in mem.facts("ana", key="user.lives_in", as_of="2025-07-05")] == ["Hull"]


def test_a_move_that_is_off_ends_the_plan_and_leaves_the_home(tell: Tell) -> None:
    mem = tell("I live in Hull", "I'm moving to Rotterdam in April", "The move's off, sadly")
    assert [fact.object for fact in mem.facts("ana", key="user.lives_in", as_of="2025-05-01")] == ["Hull"]
    assert mem.facts("ana", key="user.plans", now="2025-03-04") == []


def test_a_car_that_died_on_the_road_is_driven_no_more(tell: Tell) -> None:
    assert tell("I drive an old Volvo", "well the volvo died on the motorway").facts("ana", key="user.drives", now="2025-03-05") == []


@pytest.mark.parametrize("said", ["Band split up. Gutted.", "band's split up, sadly", "The band broke up last week."])
def test_a_band_that_split_up_is_nobodys(tell: Tell, said: str) -> None:
    assert tell("I play bass in a covers band called The Lampposts", said).facts("ana", key="user.band", now="2025-03-05") == []


@pytest.mark.parametrize(
    "said", ["Nokia withdrew the offer", "The Nokia job fell through, so I stay", "I'm not going to work at Nokia after all"]
)
def test_a_job_that_one_was_to_have_and_does_not_get_is_believed_no_more(tell: Tell, said: str) -> None:
    assert "user.works_at" in believed(tell("I start at Nokia in May"))
    assert "user.works_at" not in believed(tell("I start at Nokia in May", said))


def test_what_a_firm_takes_back_that_is_no_job_ends_none(tell: Tell) -> None:
    assert believed(tell("I work at Nokia", "Nokia cancelled my subscription"))["user.works_at"] == ["Nokia"]


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I love jazz.", "I'm so done with jazz"),
        ("I like Taylor Swift.", "I've had enough of taylor swift"),
        ("I like golf.", "golf does nothing for me these days"),
        ("I like golf.", "lost my love for golf"),
        ("I like golf.", "golf isn't really my thing any more"),
        ("I love whisky.", "whisky doesn't agree with me any more"),
    ],
)
def test_what_one_has_gone_off_is_liked_no_more(before: str, text: str, tell: Tell) -> None:
    assert "user.likes" in believed(tell(before))
    assert "user.likes" not in believed(tell(text))


@pytest.mark.parametrize(
    ("text", "likes"),
    [("I've warmed to jazz", ["jazz"]), ("I've come round to jazz", ["jazz"]), ("I don't mind jazz any more", [])],
)
def test_what_one_has_come_to_like_is_disliked_no_more(text: str, likes: list[str], tell: Tell) -> None:
    after = believed(tell("I hate jazz.", text))
    assert "user.dislikes" not in after
    assert after.get("user.likes", []) == likes


@pytest.mark.parametrize(
    "text",
    [
        "My mum used to love sushi, now she can't stand it",
        "I used to love her, now I can't stand her",
        "do you think 'I used to love sushi, now I can't stand it' is a good line?",
        "In the film she used to love sushi, now she can't stand it",
    ],
)
def test_what_others_have_gone_off_is_no_dislike(text: str, tell: Tell) -> None:
    assert not believed(tell(text)).keys() & {"user.dislikes", "user.likes"}


def test_both_of_two_pets_are_gone(tell: Tell) -> None:
    assert "user.pet" not in believed(tell("I have two goldfish.", "both goldfish died"))


@pytest.mark.parametrize("text", ["I broke my leg when I was six", "I sprained my ankle when I was at school", "I broke my phone at work"])
def test_what_one_has_broken_long_ago_is_no_condition(text: str, tell: Tell) -> None:
    assert "user.has_condition" not in believed(tell(text))


def test_who_was_transferred_to_another_department_works_in_that(tell: Tell) -> None:
    assert believed(tell("I work in HR.", "I transferred to the marketing department"))["user.works_in"] == ["marketing"]


def test_who_left_to_join_another_works_there(tell: Tell) -> None:
    assert believed(tell("I work at Google.", "left Google to join a startup called Lumen"))["user.works_at"] == ["Lumen"]


@pytest.mark.parametrize(("before", "plans"), [("I live in Leeds.", ["having a baby"]), ("My sister is pregnant.", [])])
def test_whose_baby_is_due_is_told_by_who_was_spoken_of(before: str, plans: list[str], tell: Tell) -> None:
    assert believed_on(tell(before, "baby is due in July"), "2025-03-10").get("user.plans", []) == plans


@pytest.mark.parametrize(("text", "employment"), [("went part time in january", "part-time"), ("I've gone part time", "part-time")])
def test_who_went_part_time_works_so(text: str, employment: str, tell: Tell) -> None:
    assert believed(tell(text))["user.employment"] == [employment]


def test_since_when_a_medicine_is_taken_is_not_when_it_will_be(tell: Tell) -> None:
    (takes,) = tell("started metformin in january").facts("ana", key="user.takes", now="2025-03-10")
    assert (takes.object, str(takes.valid_from.date())) == ("metformin", "2025-01-01")


@pytest.mark.parametrize(
    ("before", "text", "pets"),
    [
        ("My sister has a dog called Rex", "My sister's dog Rex died", []),
        ("My friend Ana has a cat called Miso", "Ana's cat passed away", []),
        ("My mum has a cat called Tilly", "Mum's cat passed away", []),
        ("My brother Tom has a dog called Rex", "Rex had to be put down", []),
        ("My sister has a dog called Rex", "My sister is so sad, her dog died", []),
        ("My sister has a dog called Rex", "We lost Rex yesterday", []),
        ("My sister has a dog called Rex", "My sister's dog Rex nearly died", ["dog called Rex"]),
        ("My sister has a dog called Rex", "My brother's dog died", ["dog called Rex"]),
        ("My sister has a dog called Rex", "My friend Rex died", ["dog called Rex"]),
        ("My sister has a dog called Rex. My friend is called Rex", "Rex died", ["dog called Rex"]),
        ("My sister has a dog called Rex", "her dog died", ["dog called Rex"]),
        ("My sister has a dog called Rex. I have a dog called Rex", "My dog Rex died", ["dog called Rex"]),
    ],
)
def test_the_pet_of_somebody_one_knows_is_theirs_no_more_once_it_died(before: str, text: str, pets: list[str], tell: Tell) -> None:
    after = believed(tell(before, text))
    assert [pet for key, values in after.items() if key.endswith(".pet") for pet in values] == pets


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("I run three times a week", "only running once a week now", {"user.habit": ["run once a week"]}),
        ("I run three times a week", "running's down to once a week", {"user.habit": ["run once a week"]}),
        ("I meditate daily", "Meditating just once a week now", {"user.habit": ["meditate once a week"]}),
        ("I run three times a week", "only running once this week", {"user.habit": ["run three times a week"]}),
        ("I run three times a week", "I'm thinking of only running once a week now", {"user.habit": ["run three times a week"]}),
        ("I watch TV every evening", "I'm just watching the news every morning now", {"user.habit": ["watch TV every evening"]}),
        ("My budget is 500 euros", "upped the budget to 700 euros", {"user.budget": ["700 euros"]}),
        ("My budget is 500 euros", "I had to cut my budget to 400 euros", {"user.budget": ["400 euros"]}),
        ("My budget is 500 euros", "Should I raise my budget to 700 euros?", {"user.budget": ["500 euros"]}),
        ("My budget is 500 euros", "My sister raised her budget to 700 euros", {"user.budget": ["500 euros"]}),
        ("I have two kids", "I'm a mum of three now", {"user.has_children": ["three children"]}),
        ("I'm writing a novel", "the novel is finished!", {}),
        ("I'm renovating the kitchen", "kitchen's finally finished", {}),
        ("I'm reading Dune", "Dune done!", {}),
        ("I'm doing a course in pottery", "The pottery course has finished", {}),
        ("I'm writing a novel", "the novel is nearly finished", {"user.working_on": ["writing a novel"]}),
        ("I'm writing a novel", "When the novel is finished I'll rest", {"user.working_on": ["writing a novel"]}),
        ("I'm writing a novel", "The first chapter is finished", {"user.working_on": ["writing a novel"]}),
        ("I'm writing a novel", "My sister's novel is finished", {"user.working_on": ["writing a novel"]}),
    ],
)
def test_what_is_done_is_over_and_what_is_more_or_less_is_so_many_now(
    before: str, text: str, after: dict[str, list[str]], tell: Tell
) -> None:
    assert believed(tell(before, text)) == after


@pytest.mark.parametrize(
    ("before", "text", "key", "values"),
    [
        ("My sister had a baby girl", "they've named her Maeve", "sister.daughter", ["Maeve"]),
        ("My brother has a new son", "They named him Theo", "brother.son", ["Theo"]),
        ("My sister got a kitten", "she's calling it Pixel", "sister.pet", ["cat called Pixel"]),
        ("My friend Jo had a baby", "Jo is tired. They've named her Maeve", "jo.child", []),
        ("My sister had a baby girl", "they might name her Maeve", "sister.daughter", []),
        ("My sister had a baby girl", "should they name her Maeve?", "sister.daughter", []),
        ("My sister likes tea", "they've named her Maeve", "sister.daughter", []),
    ],
)
def test_how_somebody_who_was_just_told_of_is_called_may_come_next(before: str, text: str, key: str, values: list[str], tell: Tell) -> None:
    assert believed(tell(before, text)).get(key, []) == values


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("My day off is Wednesday", "my day off is Friday now", {"user.habit": ["having Fridays off"]}),
        ("I have Wednesdays off", "They've moved my day off to Thursday", {"user.habit": ["having Thursdays off"]}),
        ("I have Wednesdays off", "I've got Fridays off now", {"user.habit": ["having Fridays off"]}),
        ("I have Wednesdays off", "My day off this week is Friday", {"user.habit": ["having Wednesdays off"]}),
        ("I have Wednesdays off", "Is my day off Friday now?", {"user.habit": ["having Wednesdays off"]}),
        ("I have Wednesdays off", "I don't have Fridays off", {"user.habit": ["having Wednesdays off"]}),
        ("I have two kids", "We just had our third child", {"user.has_children": ["three kids"]}),
        ("I have two kids", "Our third was born this morning", {"user.has_children": ["three kids"]}),
        ("I have two kids", "baby number three is here!", {"user.has_children": ["three kids"]}),
        ("I have two kids", "I gave birth to our third", {"user.has_children": ["three kids"]}),
        ("I have two kids", "I had my third yesterday", {"user.has_children": ["two kids"]}),
        ("I have two kids", "our third parcel arrived", {"user.has_children": ["two kids"]}),
        ("I have two kids", "We want a third child", {"user.has_children": ["two kids"]}),
        ("I have three kids", "Our third child was born yesterday", {"user.has_children": ["three kids"]}),
    ],
)
def test_one_day_off_takes_the_place_of_another_and_one_child_more_is_counted(
    before: str, text: str, after: dict[str, list[str]], tell: Tell
) -> None:
    assert believed(tell(before, text)) == after
