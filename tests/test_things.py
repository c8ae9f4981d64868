"""What one likes, dislikes, avoids and prefers: each thing by itself, and each with what narrows it down."""

from __future__ import annotations

import pytest

import memdb
from memdb.things import first_thing, things

WHOLE = [
    "stiff, starched collars",
    "loud and crowded trams",
    "smaller, quieter, and family-run campsites",
    "puzzles that are timed or scored",
    "soups containing leeks, celery or fennel",
    "wearing scarves or gloves",
    "painted mugs or plates",
    "maps or menus with tiny print",
    "art fairs or galleries",
    "country or folk music",
]
SEVERAL = [
    ("opera, ballet and mime", ["opera", "ballet", "mime"]),
    ("pop music or folk music", ["pop music", "folk music"]),
    ("queues and small talk", ["queues", "small talk"]),
    ("pickled, smoked fish and olives", ["pickled, smoked fish", "olives"]),
    ("painting murals and knitting", ["painting murals", "knitting"]),
    ("modern and classical music", ["modern music", "classical music"]),
]
TOLD = [
    ("I dislike stiff, starched collars", {("user.dislikes", "stiff, starched collars")}),
    ("I avoid campsites that don't take tents", {("user.avoids", "campsites that do not take tents")}),
    ("I avoid any soup containing leeks due to a bad stomach", {("user.avoids", "soup containing leeks")}),
    ("I avoid lifts when I'm alone", {("user.avoids", "lifts when they are alone")}),
    ("I hate bars where nobody sits down", {("user.dislikes", "bars where nobody sits down")}),
    ("I can't stand hosts who whisper", {("user.dislikes", "hosts who whisper")}),
    ("I dislike cartoons made before 1970", {("user.dislikes", "cartoons made before 1970")}),
    ("I avoid trams that are late or have no seats", {("user.avoids", "trams that are late or have no seats")}),
    ("I dislike augmented reality (AR) museums", {("user.dislikes", "augmented reality museums")}),
    ("I love songs that make me cry", {("user.likes", "songs that make them cry")}),
    ("I like to sit down and play the harp", {("user.likes", "to sit down"), ("user.likes", "to play the harp")}),
    ("I like to eat meat and fish", {("user.likes", "to eat meat"), ("user.likes", "fish")}),
    ("I love sleeping in and eating waffles", {("user.likes", "sleeping in"), ("user.likes", "eating waffles")}),
    ("I love farces for a good laugh", {("user.likes", "farces")}),
    ("I like comics usually", {("user.likes", "comics")}),
    ("Belgian beer is one of my favourites", {("user.likes", "Belgian beer")}),
    ("Goya's paintings are my passion", {("user.likes", "Goya's paintings")}),
    ("I like pubs that let prams in", {("user.likes", "pubs that let prams in")}),
    ("I prefer long, slow walks over running", {("user.prefers", "long, slow walks over running")}),
    ("I prefer ferries, even if they take longer", {("user.prefers", "ferries")}),
    ("I prefer to bake rather than buy bread", {("user.prefers", "to bake rather than buy bread")}),
    ("I prefer letters unless it's urgent", {("user.prefers", "letters unless it is urgent")}),
    ("I dislike mime and always avoid clowns", {("user.dislikes", "mime"), ("user.avoids", "clowns")}),
    ("I'm allergic to wool and avoid mittens", {("user.allergic_to", "wool"), ("user.avoids", "mittens")}),
    ("I have an irrational fear of geese", {("user.afraid_of", "geese")}),
    ("I avoid ponds due to a fear of geese", {("user.avoids", "ponds"), ("user.afraid_of", "geese")}),
    ("I love all things Danish", {("user.likes", "all things Danish")}),
    ("I strictly adhere to a low-salt diet", {("user.diet", "low-salt")}),
    ("My mum refuses to wear anything with zips", {("mother.avoids", "wearing anything with zips")}),
]


def believed(mem: memdb.Memory, *turns: str) -> set[tuple[str, str | None]]:
    mem.consent("me", sensitive_topics="keep")
    for turn in turns:
        mem.observe(turn, "I see.", user_id="me")
    mem.drain()
    return {(fact.key, fact.object) for fact in mem.facts("me") if fact.kind == "fact"}


@pytest.mark.parametrize("text", WHOLE)
def test_what_is_shunned_is_one_thing_where_a_part_would_say_more(text: str) -> None:
    assert things(text, shunned=True) == [text]


@pytest.mark.parametrize(("text", "each"), SEVERAL)
def test_a_list_of_things_is_parted(text: str, each: list[str]) -> None:
    assert things(text, shunned=True) == things(text, shunned=False) == each


def test_what_is_liked_is_told_apart_where_that_says_no_more() -> None:
    assert things("painted mugs or plates", shunned=False) == ["painted mugs", "plates"]


def test_a_comma_behind_a_noun_ends_a_thing() -> None:
    assert first_thing("trains, ferries make me ill") == "trains"
    assert first_thing("shady, airy tents over caravans") == "shady, airy tents over caravans"
    assert first_thing("a dry, sunny balcony, with or without plants") == "a dry, sunny balcony, with or without plants"


@pytest.mark.parametrize(("text", "facts"), TOLD)
def test_what_narrows_a_thing_down_is_kept(mem: memdb.Memory, text: str, facts: set[tuple[str, str]]) -> None:
    assert believed(mem, text) == facts


@pytest.mark.parametrize(
    ("told", "news", "left"),
    [
        ("I like loud, busy markets", "I dislike loud, busy markets", {("user.dislikes", "loud, busy markets")}),
        ("I dislike games that are long", "I like games that are long now", {("user.likes", "games that are long")}),
        ("I avoid hotels that have stairs", "I no longer avoid hotels that have stairs", set()),
        ("I like rum and raisin ice cream", "I don't like rum and raisin ice cream anymore", set()),
        ("I never wear ties", "I've started wearing ties", set()),
    ],
)
def test_a_change_of_taste_is_seen_in_the_whole_thing(mem: memdb.Memory, told: str, news: str, left: set[tuple[str, str]]) -> None:
    assert believed(mem, told, news) == left
