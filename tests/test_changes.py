"""Things that people change: what takes the place of what, and what stands beside it, is another's, or is not yet so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import memdb
from memdb.config import Config
from memdb.english_rules import attribute_of, rules
from memdb.keys import predicate_of
from memdb.observer import read_predicates
from memdb.store import Store

Tell = Callable[..., memdb.Memory]
EXCHANGED = [example for one in rules().exchange for example in one.examples]


def believed(mem: memdb.Memory) -> dict[str, list[str]]:
    held: dict[str, list[str]] = {}
    for fact in mem.facts("ana", statuses=["active"], now="2025-06-01T10:00:00Z"):
        held.setdefault(fact.key, []).append(fact.object)
    return held


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
    ],
)
def test_what_is_beside_it_anothers_or_not_yet_so_changes_nothing(before: str, text: str, tell: Tell) -> None:
    held = believed(tell(before))
    after = believed(tell(text))
    assert held
    assert {key: after.get(key, [])[: len(values)] for key, values in held.items()} == held


def test_what_one_goes_back_to_is_found_by_what_was_so_once(tell: Tell) -> None:
    tell("My browser is Firefox.", "I switched from Firefox to Chrome.")
    assert believed(tell("I've gone back to Porto.")) == {"user.browser": ["Chrome"]}
    assert believed(tell("I've gone back to Firefox.")) == {"user.browser": ["Firefox"]}


def test_of_what_is_exchanged_nothing_is_said_where_it_is_believed_nowhere(tell: Tell) -> None:
    assert believed(tell("I switched from Benfica to Sporting.")) == {}


def test_of_what_one_has_one_of_there_is_one_value(tmp_path: Path) -> None:
    store = Store(tmp_path / "mem.db", Config.model_validate({}), vectors=False)
    predicates = read_predicates(store.database())
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
