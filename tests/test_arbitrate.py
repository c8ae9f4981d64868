"""What becomes of a belief: a table of conversations and what a careful listener concludes from them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import apsw
import pytest

import memdb
from memdb.config import Config
from memdb.recording import Origin, action_hash_of
from memdb.records import RELIABILITY, Action, Candidate, Fact, Source, Status
from memdb.steps.apply import apply
from memdb.steps.guard import guard

Tell = Callable[..., memdb.Memory]
A, P, S, X = "active", "pending_confirmation", "superseded", "expired"
LISBON3 = ("I live in Lisbon.", "I live in Lisbon.", "I live in Lisbon.")

# what it is, what the last turn does by its operations in history, what is said, what is held in the end
CASES: list[tuple[str, str, tuple[str, ...], list[tuple[str, str, str]]]] = [
    # said once
    ("a place", "insert", ("I live in Porto.",), [("user.lives_in", "Porto", A)]),
    ("a name", "insert", ("My name is Ana.",), [("user.name", "Ana", A)]),
    ("work", "insert", ("I work as a nurse.",), [("user.works_as", "nurse", A)]),
    ("an employer", "insert", ("I work at Siemens.",), [("user.works_at", "Siemens", A)]),
    ("an allergy", "insert", ("I'm allergic to peanuts.",), [("user.allergic_to", "peanuts", A)]),
    ("a liking", "insert", ("I love jazz.",), [("user.likes", "jazz", A)]),
    ("a dislike", "insert", ("I hate queues.",), [("user.dislikes", "queues", A)]),
    ("a diet", "insert", ("I'm vegetarian.",), [("user.diet", "vegetarian", A)]),
    ("a favourite", "insert", ("My favourite colour is green.",), [("user.favourite_colour", "green", A)]),
    ("a sister", "insert insert", ("My sister Clara lives in Braga.",), [("sister.lives_in", "Braga", A), ("user.sister", "Clara", A)]),
    # two in one turn
    ("two facts", "insert insert", ("I live in Porto and work as a nurse.",),
     [("user.lives_in", "Porto", A), ("user.works_as", "nurse", A)]),
    ("a list", "insert insert insert", ("I like jazz, blues and rock.",),
     [("user.likes", "blues", A), ("user.likes", "jazz", A), ("user.likes", "rock", A)]),
    # said again
    ("repeated", "noop", ("I live in Porto.", "I live in Porto."), [("user.lives_in", "Porto", A)]),
    ("repeated in other case", "noop", ("I live in Porto.", "i live in porto"), [("user.lives_in", "Porto", A)]),
    ("liked twice", "noop", ("I like jazz.", "I love jazz."), [("user.likes", "jazz", A)]),
    ("confirmed", "noop", ("I live in Porto.", "Yes, I still live in Porto."), [("user.lives_in", "Porto", A)]),
    ("the same plan", "noop", ("I have a dentist appointment on 5 June.",) * 2, [("user.plans", "dentist appointment", A)]),
    # refined
    ("more exactly", "update", ("I work as a physiotherapist.", "I work as a head physiotherapist."),
     [("user.works_as", "head physiotherapist", A)]),
    ("less exactly", "noop", ("I work as a head physiotherapist.", "I work as a physiotherapist."),
     [("user.works_as", "head physiotherapist", A)]),
    ("with its state", "update", ("I live in Atlanta.", "I live in Atlanta, GA."), [("user.lives_in", "Atlanta, GA", A)]),
    ("with a second name", "update", ("My wife is called Rita.", "My wife is called Rita Maria."), [("user.wife", "Rita Maria", A)]),
    # words before a name make it another
    ("from New York to York", "supersede insert", ("I live in New York.", "I moved to York."),
     [("user.lives_in", "New York", S), ("user.lives_in", "York", A)]),
    ("from York to New York", "supersede insert", ("I live in York.", "I moved to New York."),
     [("user.lives_in", "New York", A), ("user.lives_in", "York", S)]),
    ("in small letters", "supersede insert", ("I live in New York.", "i moved to york"),
     [("user.lives_in", "New York", S), ("user.lives_in", "York", A)]),
    ("in small letters and longer", "supersede insert", ("I live in York.", "i moved to new york"),
     [("user.lives_in", "New York", A), ("user.lives_in", "York", S)]),
    ("in small letters, to what may be no town", "mark_pending_confirmation", ("I live in York.", "i moved to oakshott"),
     [("user.lives_in", "Oakshott", P), ("user.lives_in", "York", A)]),
    ("New Mexico in passing", "mark_pending_confirmation", ("I'm from Mexico.", "I'm from New Mexico."),
     [("user.hometown", "Mexico", A), ("user.hometown", "New Mexico", P)]),
    ("a second name alone", "mark_pending_confirmation", ("My wife is called Rita Maria.", "My wife is called Maria."),
     [("user.wife", "Maria", P), ("user.wife", "Rita Maria", A)]),
    ("not in York", "", ("I live in New York.", "I don't live in York any more."), [("user.lives_in", "New York", A)]),
    # changed, and said to have changed
    ("moved", "supersede insert", ("I live in Porto.", "I moved to Lisbon."),
     [("user.lives_in", "Lisbon", A), ("user.lives_in", "Porto", S)]),
    ("moved though well known", "supersede insert", (*LISBON3, "We moved to Faro last week."),
     [("user.lives_in", "Faro", A), ("user.lives_in", "Lisbon", S)]),
    ("moved twice", "supersede insert", ("I live in Porto.", "I moved to Lisbon.", "I moved to Faro."),
     [("user.lives_in", "Faro", A), ("user.lives_in", "Lisbon", S), ("user.lives_in", "Porto", S)]),
    ("moved and back", "supersede insert", ("I live in Porto.", "I moved to Lisbon.", "I moved back to Porto."),
     [("user.lives_in", "Lisbon", S), ("user.lives_in", "Porto", A), ("user.lives_in", "Porto", S)]),
    ("a corrected name", "supersede insert", ("I'm Sophia.", "Actually, my name is Sofia, not Sophia."),
     [("user.name", "Sofia", A), ("user.name", "Sophia", S)]),
    ("a colour that is new", "supersede insert", ("My favourite colour is green.", "My favourite colour is blue now."),
     [("user.favourite_colour", "blue", A), ("user.favourite_colour", "green", S)]),
    ("a new job", "supersede insert", ("I work at Siemens.", "I got a job at Bosch."),
     [("user.works_at", "Bosch", A), ("user.works_at", "Siemens", S)]),
    ("a sister who moved", "supersede insert", ("My sister lives in Braga.", "My sister moved to Faro."),
     [("sister.lives_in", "Braga", S), ("sister.lives_in", "Faro", A)]),
    # contradicted, and not said to have changed
    ("a colour once", "supersede insert", ("My favourite colour is green.", "My favourite colour is blue."),
     [("user.favourite_colour", "blue", A), ("user.favourite_colour", "green", S)]),
    ("a colour well known", "mark_pending_confirmation",
     ("My favourite colour is green.", "My favourite colour is green.", "My favourite colour is blue."),
     [("user.favourite_colour", "blue", P), ("user.favourite_colour", "green", A)]),
    ("a place in passing", "mark_pending_confirmation", ("I live in Porto.", "I live in Braga."),
     [("user.lives_in", "Braga", P), ("user.lives_in", "Porto", A)]),
    ("a place well known", "mark_pending_confirmation", (*LISBON3, "I live in Braga."),
     [("user.lives_in", "Braga", P), ("user.lives_in", "Lisbon", A)]),
    ("a name in passing", "mark_pending_confirmation", ("My name is Ana.", "My name is Anna."),
     [("user.name", "Ana", A), ("user.name", "Anna", P)]),
    ("work in passing", "mark_pending_confirmation", ("I work as a nurse.", "I work as a pilot."),
     [("user.works_as", "nurse", A), ("user.works_as", "pilot", P)]),
    # resolved by a later turn
    ("the old one again", "noop reject", (*LISBON3, "I live in Braga.", "I live in Lisbon."),
     [("user.lives_in", "Braga", X), ("user.lives_in", "Lisbon", A)]),
    ("the new one plainly", "supersede confirm", ("I live in Porto.", "I live in Braga.", "I moved to Braga."),
     [("user.lives_in", "Braga", A), ("user.lives_in", "Porto", S)]),
    ("the new one in passing stays pending", "noop", ("I live in Porto.", "I live in Braga.", "I live in Braga."),
     [("user.lives_in", "Braga", P), ("user.lives_in", "Porto", A)]),
    ("low risk is settled by saying it again", "supersede confirm",
     ("My favourite colour is green.",) * 2 + ("My favourite colour is blue.",) * 2,
     [("user.favourite_colour", "blue", A), ("user.favourite_colour", "green", S)]),
    ("another new one plainly", "supersede reject insert", ("I live in Porto.", "I live in Braga.", "I moved to Faro."),
     [("user.lives_in", "Braga", X), ("user.lives_in", "Faro", A), ("user.lives_in", "Porto", S)]),
    ("a third place in passing waits once", "mark_pending_confirmation", ("I live in Porto.", "I live in Lisbon.", "I live in Madrid."),
     [("user.lives_in", "Lisbon", P), ("user.lives_in", "Madrid", P), ("user.lives_in", "Porto", A)]),
    ("of three places the third, plainly", "supersede reject confirm",
     ("I live in Porto.", "I live in Lisbon.", "I live in Madrid.", "I moved to Madrid."),
     [("user.lives_in", "Lisbon", X), ("user.lives_in", "Madrid", A), ("user.lives_in", "Porto", S)]),
    ("of three places the first again", "noop reject reject",
     ("I live in Porto.", "I live in Lisbon.", "I live in Madrid.", "I live in Porto."),
     [("user.lives_in", "Lisbon", X), ("user.lives_in", "Madrid", X), ("user.lives_in", "Porto", A)]),
    # of high risk, however little is known
    ("an income in passing", "mark_pending_confirmation", ("I earn 3000 euros a month.", "I earn 4000 euros a month."),
     [("user.income", "3000 euros a month", A), ("user.income", "4000 euros a month", P)]),
    ("an age in passing", "mark_pending_confirmation", ("I'm 30 years old.", "I'm 31 years old."),
     [("user.age", "30", A), ("user.age", "31", P)]),
    ("a divorce said plainly", "supersede insert", ("I'm married.", "I'm divorced now."),
     [("user.relationship", "divorced", A), ("user.relationship", "married", S)]),
    ("an unsure move", "mark_pending_confirmation", ("I live in Porto.", "I think I moved to Lisbon."),
     [("user.lives_in", "Lisbon", P), ("user.lives_in", "Porto", A)]),
    ("an allergy overcome", "expire", ("I'm allergic to peanuts.", "I'm no longer allergic to peanuts."),
     [("user.allergic_to", "peanuts", X)]),
    # ended
    ("studies dropped", "expire", ("I'm learning Dutch.", "I stopped learning Dutch."), [("user.learning", "Dutch", X)]),
    ("no longer liked", "expire", ("I love coffee.", "I don't like coffee any more."), [("user.likes", "coffee", X)]),
    ("stopped working", "expire", ("I work at Siemens.", "I no longer work at Siemens."), [("user.works_at", "Siemens", X)]),
    ("not there any more", "expire", ("I live in Porto.", "I don't live in Porto any more."), [("user.lives_in", "Porto", X)]),
    ("a hobby dropped", "expire", ("I've taken up rowing.", "I dropped rowing."), [("user.hobby", "rowing", X)]),
    ("what was never said is kept as over", "insert", ("I no longer work at Siemens.",), [("user.works_at", "Siemens", X)]),
    ("another thing ends", "expire", ("I like jazz.", "I like tea.", "I don't like tea any more."),
     [("user.likes", "jazz", A), ("user.likes", "tea", X)]),
    ("more of them now", "supersede insert", ("I have two cats.", "We have three cats now."),
     [("user.pet", "three cats", A), ("user.pet", "two cats", S)]),
    ("dogs beside cats", "insert", ("I have two cats.", "We have two dogs now."),
     [("user.pet", "two cats", A), ("user.pet", "two dogs", A)]),
    # the opposite
    ("liked, then hated", "supersede insert", ("I like jazz.", "I hate jazz."), [("user.dislikes", "jazz", A), ("user.likes", "jazz", S)]),
    ("hated, then liked", "supersede insert", ("I hate jazz.", "I love jazz now."),
     [("user.dislikes", "jazz", S), ("user.likes", "jazz", A)]),
    ("one of three hated", "supersede insert noop", ("I like jazz, tea and figs.", "I hate tea and love figs."),
     [("user.dislikes", "tea", A), ("user.likes", "figs", A), ("user.likes", "jazz", A), ("user.likes", "tea", S)]),
    ("wanted, then not", "supersede insert", ("I want a dog.", "I don't want a dog any more."),
     [("user.does_not_want", "a dog", A), ("user.wants", "a dog", S)]),
    ("another hated", "insert", ("I like jazz.", "I hate blues."), [("user.dislikes", "blues", A), ("user.likes", "jazz", A)]),
    # for a time
    ("a stay is no move, and is over by now", "insert", ("I live in Porto.", "For this week I'm staying in Berlin."),
     [("user.lives_in", "Porto", A), ("user.staying_in", "Berlin", "expired")]),
    ("a diet for a time", "insert", ("I'm vegetarian.", "Until Easter I'm vegan."),
     [("user.diet", "vegan", A), ("user.diet", "vegetarian", A)]),
    # sets grow
    ("two allergies", "insert", ("I'm allergic to peanuts.", "I'm allergic to shrimp."),
     [("user.allergic_to", "peanuts", A), ("user.allergic_to", "shrimp", A)]),
    ("two languages", "insert", ("I speak Dutch.", "I speak German too."), [("user.speaks", "Dutch", A), ("user.speaks", "German", A)]),
    # everybody has a life of their own
    ("three homes", "insert", ("My sister Clara lives in Braga.", "My brother Rui lives in Faro.", "I live in Porto."),
     [("brother.lives_in", "Faro", A), ("sister.lives_in", "Braga", A), ("user.brother", "Rui", A), ("user.lives_in", "Porto", A),
      ("user.sister", "Clara", A)]),
    # no facts at all
    ("a question", "", ("Do I live in Porto?",), []),
    ("a question without its mark", "", ("do you know if I live in Porto",), []),
    ("a condition", "", ("If I lived in Porto, I would eat fish.",), []),
    ("a wish", "", ("I would love to live in Porto.",), []),
    ("a quotation", "", ("She said \"I live in Porto\".",), []),
    ("a request", "", ("Write a story in which I live in Porto.",), []),
    ("chit-chat", "", ("What a day!", "Thanks, that helps.", "Ha, good one."), []),
    ("a language that is not read", "", ("Jag bor i Köln och gillar jazz.",), []),
    ("a language that is read", "insert insert", ("Ich wohne in Köln und mag Jazz.",),
     [("user.lives_in", "Köln", "active"), ("user.likes", "Jazz", "active")]),
    ("a maybe", "", ("Maybe I live in a simulation.",), []),
    ("sarcasm", "", ("Yeah right, as if I love herbal tea.",), []),
    ("of somebody else", "", ("Her boss lives in Porto.",), []),
    ("nothing", "", (".", "…", "🙂"), []),
    # what an end is about
    ("no longer some of them", "mark_pending_confirmation", ("I'm allergic to nuts.", "I'm no longer allergic to pine nuts."),
     [("user.allergic_to", "nuts", A), ("user.allergic_to", "pine nuts", P)]),
    ("no longer any of them", "expire", ("I'm allergic to pine nuts.", "I'm no longer allergic to nuts."),
     [("user.allergic_to", "pine nuts", X)]),
    ("the one that says the same", "expire", ("I'm allergic to nuts.", "I'm allergic to pine nuts.", "I'm no longer allergic to nuts."),
     [("user.allergic_to", "nuts", X), ("user.allergic_to", "pine nuts", A)]),
    ("no longer more than is known of one", "expire", ("I work as a nurse.", "I no longer work as a head nurse."),
     [("user.works_as", "nurse", X)]),
    ("one of two dogs", "mark_pending_confirmation", ("I have a dog called Rex.", "I have a dog called Max.", "My dog died."),
     [("user.pet", "dog", P), ("user.pet", "dog called Max", A), ("user.pet", "dog called Rex", A)]),
    ("the one by its name", "expire", ("i have a dog called rex", "i have a dog called max", "my dog rex died"),
     [("user.pet", "dog called Max", A), ("user.pet", "dog called Rex", X)]),
    ("a boat house is no house", "mark_pending_confirmation", ("I own a house.", "I sold my boat house."),
     [("user.owns", "boat house", P), ("user.owns", "house", A)]),
    ("in small letters", "expire", ("i live in london", "i don't live in london anymore"), [("user.lives_in", "London", X)]),
    ("left a firm in small letters", "expire", ("i work at google", "i left google"), [("user.works_at", "google", X)]),
    ("went home early", "", ("I work at Volvo.", "I left Volvo early today."), [("user.works_at", "Volvo", A)]),
    ("went on a trip", "", ("I live in Porto.", "I left Porto this morning by train."), [("user.lives_in", "Porto", A)]),
    ("one instead of another", "insert expire", ("I take metformin.", "I take insulin instead of metformin."),
     [("user.takes", "insulin", A), ("user.takes", "metformin", X)]),
    ("a wife no more", "supersede insert expire", ("I'm married.", "My wife is called Rita.", "We got divorced."),
     [("user.relationship", "divorced", A), ("user.relationship", "married", S), ("user.wife", "Rita", X)]),
    ("in love again", "expire insert", ("I'm single.", "I'm dating Rui."),
     [("user.partner", "Rui", A), ("user.relationship", "single", X)]),
    ("meat again", "expire", ("I'm vegan.", "I eat meat again."), [("user.diet", "vegan", X)]),
    ("fish again, as the doctor wants it", "insert expire", ("I'm vegan.", "My doctor says my iron is low, so I'm eating fish again."),
     [("user.diet", "vegan", X), ("user.has_condition", "low iron", A)]),
    ("what another says of themselves", "", ("I live in Porto.", "Ben said I am tired, so I moved to Faro."), [("user.lives_in", "Porto", A)]),
    ("a dislike overcome", "expire", ("I hate coffee.", "I drink coffee again."), [("user.dislikes", "coffee", X)]),
    # who is named in passing is who they are, whatever it is that they do not do
    ("a sister who eats no gluten", "noop insert", ("My sister Anna is a nurse.", "My sister Anna can't have gluten, what can I bake for her?"),
     [("sister.avoids", "gluten", A), ("sister.works_as", "nurse", A), ("user.sister", "Anna", A)]),
    ("sons who eat no fish", "noop noop", ("My sons Leo and Max are loud.", "My sons Leo and Max don't eat fish."),
     [("user.son", "Leo", A), ("user.son", "Max", A)]),
    ("a friend with whom one lived", "", ("My friend Tom is nice.", "I used to live with my friend Tom."), [("user.friend", "Tom", A)]),
    ("a flatmate who moved out", "expire", ("I'm sharing a flat with two girls, Niamh and Orla.", "Niamh moved out yesterday."),
     [("user.flatmate", "Niamh", X), ("user.flatmate", "Orla", A)]),
    ("a child that is born", "expire", ("I'm pregnant!", "She's here! Little Aurora, born on the 2nd of March."), [("user.pregnant", "pregnant", X)]),
    ("a child that is not born yet", "", ("I'm pregnant!", "The baby kicks at night."), [("user.pregnant", "pregnant", A)]),
    # what a pet is called
    ("a dog gets its name", "update", ("I have a dog.", "My dog is called Rex."), [("user.pet", "dog called Rex", A)]),
    ("a puppy gets its name", "update", ("I have a dog called Rex.", "I got a puppy!", "His name is Bobi."), [("user.pet", "dog called Bobi", A), ("user.pet", "dog called Rex", A)]),
    ("a puppy beside a dog", "insert", ("I have a dog called Rex.", "I got a puppy!"), [("user.pet", "dog called Rex", A), ("user.pet", "puppy", A)]),
    ("a dog whose name is known", "noop", ("I have a dog called Rex.", "I have a dog."), [("user.pet", "dog called Rex", A)]),
    # said to be new
    ("now at the beginning", "supersede insert", ("I'm a teacher.", "Now I'm a chef."),
     [("user.works_as", "chef", A), ("user.works_as", "teacher", S)]),
    ("older now", "supersede insert", ("I'm 32.", "I'm 33 now."), [("user.age", "32", S), ("user.age", "33", A)]),
    ("a new wife", "supersede insert", ("My wife is called Ann.", "My new wife is called Jo."),
     [("user.wife", "Ann", S), ("user.wife", "Jo", A)]),
    ("a new address", "supersede insert", ("My address is 5 Elm St.", "My new address is 7 Oak St."),
     [("user.address", "5 Elm St", S), ("user.address", "7 Oak St", A)]),
    ("that was wrong", "supersede insert", ("I live in London.", "That's wrong, I live in Leeds."),
     [("user.lives_in", "Leeds", A), ("user.lives_in", "London", S)]),
    ("back to the bottle", "expire", ("I don't drink.", "I started drinking again."), [("user.avoids", "alcohol", X)]),
    ("out of work", "insert mark_pending_confirmation", ("I work at Lidl.", "I'm unemployed."),
     [("user.works_as", "unemployed", A), ("user.works_at", "", P), ("user.works_at", "Lidl", A)]),
    ("a job quit", "expire expire", ("I work as a nurse at Siemens.", "I quit my job yesterday."),
     [("user.works_as", "nurse", X), ("user.works_at", "Siemens", X)]),
    ("a job lost there", "expire", ("I work as a nurse at Siemens.", "I lost my job at Siemens."),
     [("user.works_as", "nurse", A), ("user.works_at", "Siemens", X)]),
    ("an earlier job lost", "insert", ("I work as a nurse at Siemens.", "I lost my job at Nokia."),
     [("user.works_as", "nurse", A), ("user.works_at", "Nokia", X), ("user.works_at", "Siemens", A)]),
    ("one job of several", "insert mark_pending_confirmation", ("I work at Siemens.", "I gave up my job as a waiter."),
     [("user.works_as", "waiter", X), ("user.works_at", "", P), ("user.works_at", "Siemens", A)]),
    ("what one was before is no end of where one works", "insert", ("I work at Siemens.", "I used to work as a chef."),
     [("user.works_as", "chef", X), ("user.works_at", "Siemens", A)]),
    ("what one is not is no end of where one works", "", ("I work at Siemens.", "I'm not a doctor, but my head hurts."),
     [("user.works_at", "Siemens", A)]),
    ("the same work elsewhere before", "insert", ("I work at Google as a nurse.", "I used to work at Siemens as a nurse."),
     [("user.works_as", "nurse", A), ("user.works_at", "Google", A), ("user.works_at", "Siemens", X)]),
    ("not as that", "insert", ("I work at Google, not as a nurse.",), [("user.works_at", "Google", A)]),
    ("what one studied before is no end of where one studies", "insert", ("I'm a student at Leiden University.", "I used to study law."),
     [("user.studies", "law", X), ("user.studies_at", "Leiden University", A)]),
    ("retired", "supersede insert expire", ("I work as a nurse at Siemens.", "I retired last month."),
     [("user.works_as", "nurse", S), ("user.works_as", "retired", A), ("user.works_at", "Siemens", X)]),
    ("between jobs and in work again", "insert expire", ("I'm between jobs.", "I got a job at Lidl."),
     [("user.works_as", "unemployed", X), ("user.works_at", "Lidl", A)]),
    ("a birth", "expire", ("I'm pregnant.", "I gave birth to Lily on Monday!"), [("user.pregnant", "pregnant", X)]),
    ("an earlier birth", "mark_pending_confirmation", ("I'm pregnant.", "I gave birth to Lily in 2019."),
     [("user.pregnant", "", P), ("user.pregnant", "pregnant", A)]),
    ("went to bed early", "", ("I work at Siemens.", "I retired early last night."), [("user.works_at", "Siemens", A)]),
    ("retired from a sport", "", ("I work at Siemens.", "I retired from football."), [("user.works_at", "Siemens", A)]),
    ("a nickname no more", "insert expire", ("Call me Annie.", "Please don't call me Annie any more."),
     [("user.does_not_want", "to be called Annie", A), ("user.nickname", "Annie", X)]),
    ("a nickname for today", "", ("Call me Annie.", "Please don't call me Annie today."), [("user.nickname", "Annie", A)]),
    # an end long ago, of what may have begun anew
    ("left long ago", "mark_pending_confirmation", ("I work at Siemens.", "I left Siemens in 2012."),
     [("user.works_at", "Siemens", A), ("user.works_at", "Siemens", P)]),
    ("left long ago, told twice", "noop", ("I work at Siemens.", "I left Siemens in 2012.", "I left Siemens in 2012."),
     [("user.works_at", "Siemens", A), ("user.works_at", "Siemens", P)]),
    ("left long ago and again", "expire reject", ("I work at Siemens.", "I left Siemens in 2012.", "I left Siemens last week."),
     [("user.works_at", "Siemens", X), ("user.works_at", "Siemens", X)]),
    ("an earlier dog", "mark_pending_confirmation", ("I have a dog called Rex.", "My dog died in 2010."),
     [("user.pet", "dog", P), ("user.pet", "dog called Rex", A)]),
    ("a first degree", "insert mark_pending_confirmation", ("I study law.", "I graduated from MIT in 2005."),
     [("user.studied_at", "MIT", A), ("user.studies", "", P), ("user.studies", "law", A)]),
    ("a move long ago, told twice", "noop", ("I live in Lisbon.", "I moved to Rome in 2010.", "I moved to Rome in 2010."),
     [("user.lives_in", "Lisbon", A), ("user.lives_in", "Rome", P)]),
    ("one of two dogs, told twice", "noop", ("I have a dog called Rex.", "I have a dog called Max.", "My dog died.", "My dog died."),
     [("user.pet", "dog", P), ("user.pet", "dog called Max", A), ("user.pet", "dog called Rex", A)]),
    ("in work again", "insert expire", ("I'm unemployed.", "I got a job at Lidl."),
     [("user.works_as", "unemployed", X), ("user.works_at", "Lidl", A)]),
    ("a new name", "supersede insert", ("My name is Ana.", "I changed my name to Eva."),
     [("user.name", "Ana", S), ("user.name", "Eva", A)]),
    # people by their names
    ("a daughter by her name", "insert", ("Our daughter is called Lily.", "Lily is allergic to peanuts."),
     [("daughter.allergic_to", "peanuts", A), ("user.daughter", "Lily", A)]),
    ("in the next sentence", "insert insert insert", ("My wife Clara is a nurse. Clara is allergic to cats.",),
     [("user.wife", "Clara", A), ("wife.allergic_to", "cats", A), ("wife.works_as", "nurse", A)]),
    ("by the first name", "insert", ("My sister is called Anna Silva.", "Anna is a nurse."),
     [("sister.works_as", "nurse", A), ("user.sister", "Anna Silva", A)]),
    ("one of several children", "insert insert", ("My kids are called Tom and Lily.", "Tom has a peanut allergy and he is vegan."),
     [("tom.allergic_to", "peanuts", A), ("tom.diet", "vegan", A), ("user.child", "Lily", A), ("user.child", "Tom", A)]),
    ("a second sister", "insert insert", ("My sister Anna lives in Oslo.", "My sister Eva lives in Rome."),
     [("eva.lives_in", "Rome", A), ("sister.lives_in", "Oslo", A), ("user.sister", "Anna", A), ("user.sister", "Eva", A)]),
    ("two sisters at once", "insert insert insert insert", ("My sister Anna lives in Oslo and my sister Eva lives in Rome.",),
     [("eva.lives_in", "Rome", A), ("sister.lives_in", "Oslo", A), ("user.sister", "Anna", A), ("user.sister", "Eva", A)]),
    ("each of two sisters by her name", "supersede insert",
     ("My sister Anna lives in Oslo.", "My sister Eva lives in Rome.", "Anna moved to Paris.", "Eva moved to Faro."),
     [("eva.lives_in", "Faro", A), ("eva.lives_in", "Rome", S), ("sister.lives_in", "Oslo", S), ("sister.lives_in", "Paris", A),
      ("user.sister", "Anna", A), ("user.sister", "Eva", A)]),
    ("a change by name", "supersede insert", ("My friend Ana lives in Faro.", "Ana moved to Porto."),
     [("ana.lives_in", "Faro", S), ("ana.lives_in", "Porto", A), ("user.friend", "Ana", A)]),
    ("nobody knows whose name it is", "", ("I live in Porto.", "Clara is vegan."), [("user.lives_in", "Porto", A)]),
    ("two have that name", "", ("My wife is called Clara.", "My friend is called Clara.", "Clara is vegan."),
     [("user.friend", "Clara", A), ("user.wife", "Clara", A)]),
    ("a name that begins a question", "", ("My son is called Will.", "Will you come?"), [("user.son", "Will", A)]),
    # how to answer, and what is done every day
    ("another language", "supersede insert", ("Always answer in French.", "From now on, answer in English."),
     [("user.answers_in", "English", A), ("user.answers_in", "French", S)]),
    ("allowed again", "expire", ("Please don't use emojis.", "You can use emojis again."), [("user.does_not_want", "emojis", X)]),
    ("up later", "supersede insert", ("I get up at 6.", "I get up at 7 now."), [("user.gets_up_at", "6", S), ("user.gets_up_at", "7", A)]),
    ("no longer every week", "expire", ("I go to the gym every Monday.", "I no longer go to the gym."),
     [("user.habit", "go to the gym every Monday", X)]),
    ("switched", "insert expire", ("I use Windows.", "I switched from Windows to Linux."),
     [("user.uses", "Linux", A), ("user.uses", "Windows", X)]),
    ("switched to another of its sort", "insert expire", ("I use Windows.", "I switched to Linux."),
     [("user.uses", "Linux", A), ("user.uses", "Windows", X)]),
    ("the car is sold", "expire", ("I drive a Honda Civic.", "I sold my car."), [("user.drives", "Honda Civic", X)]),
    ("the Honda is sold", "expire", ("I drive a Honda Civic.", "I sold the Honda."), [("user.drives", "Honda Civic", X)]),
    ("vegan no more", "expire", ("I'm vegan.", "I stopped being vegan."), [("user.diet", "vegan", X)]),
    ("moved out", "expire", ("I live in London.", "I moved out of London."), [("user.lives_in", "London", X)]),
    ("through with it", "insert expire expire", ("I study law at Oxford.", "I graduated from Oxford."),
     [("user.studied_at", "Oxford", A), ("user.studies", "law", X), ("user.studies_at", "Oxford", X)]),
]  # fmt: skip


@pytest.mark.parametrize(("operations", "turns", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_careful_listener_concludes(operations: str, turns: tuple[str, ...], expected: list[tuple[str, str, str]], tell: Tell) -> None:
    mem = tell(*turns)
    held = mem.facts("ana", statuses=("active", "pending_confirmation", "superseded", "expired"), now="2025-03-10")
    assert sorted((fact.key, fact.object, fact.status) for fact in held) == sorted(expected)
    last = f"t{len(turns) - 1}"
    assert " ".join(change.operation for change in mem.history(user_id="ana") if change.turn_id == last) == operations


def test_that_a_long_list_says_more_than_was_read_is_noted(tell: Tell) -> None:
    mem = tell(", ".join(f"I like x{number}" for number in range(600)))
    assert len(mem.facts("ana")) == 500
    assert [note.why for note in mem.turns("ana")[0].notes] == ["it states 500 facts; what else it says stands in the message only"]


def test_that_a_text_is_too_long_to_be_read_whole_is_noted(tell: Tell) -> None:
    passed_over, read = (
        "lorem ipsum " * 20 + ". ",
        "I live in Porto" + " lorem ipsum" * 20 + ". ",
    )  # so many words a sentence are read sooner
    notes = tell(passed_over * 450 + read * 400).turns("ana")[0].notes
    assert [note.why for note in notes] == ["it is too long to be read whole; what else it says stands in the message only"]


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (("I live in São Paulo.", "I live in Sao Paulo."), [("São Paulo", "active", 2)]),
        (("I live in Sao Paulo.", "I live in São Paulo."), [("São Paulo", "active", 2)]),
        (("I work at Nestle.", "I work at Nestlé."), [("Nestlé", "active", 2)]),
        (("I live in Sao Paulo.", "I meant São Paulo."), [("São Paulo", "active", 2)]),
        (("My name is José.", "No, it's Jose."), [("Jose", "active", 2)]),
        (("I like crème brûlée.", "I don't like creme brulee any more."), [("crème brûlée", "expired", 1)]),
        (("Ich wohne in Köln", "ich wohne nicht mehr in Koln"), [("Köln", "expired", 1)]),
        (("I have two brothers, Hà and Hạ.",), [("Hà", "active", 1), ("Hạ", "active", 1)]),
        (("I have a brother called Hà.", "I have a brother called Hạ."), [("Hà", "active", 1), ("Hạ", "active", 1)]),
        (("I live in Йошкар.", "I live in Иошкар."), [("Йошкар", "active", 1), ("Иошкар", "pending_confirmation", 1)]),
    ],
)
def test_a_value_without_its_accents_is_the_same_value(turns: tuple[str, ...], kept: list[tuple[str, str, int]], tell: Tell) -> None:
    facts = tell(*turns).facts("ana", statuses=["active", "pending_confirmation", "superseded", "expired"], kinds=["fact"])
    assert [(one.object, one.status, one.seen_count) for one in facts if one.key != "user.siblings"] == kept


@pytest.mark.parametrize(
    ("turns", "held"),
    [
        (("Our daughter is called Zoë.", "Zoe is allergic to nuts."), ["daughter.allergic_to"]),
        (("My brother is called Jose.", "José lives in Braga."), ["brother.lives_in"]),
        (("My brother José lives in Braga.", "My brother Jose is a nurse."), ["brother.lives_in", "brother.works_as"]),
        (("My dog is called Chloé.", "Chloe's 9 years old."), ["dog.age"]),
        (("I have two daughters, Zoë and Ana.", "Zoe is 9.", "Ana is 12."), ["ana.age", "daughter.age"]),
        (("My brother is called Jose.", "My friend is called José.", "José is a nurse."), ["jose.works_as"]),
        (("I have two brothers, Hà and Hạ.", "Ha is a nurse."), []),
        (("My brother is called Hạ.", "Hà is a nurse."), []),
    ],
)
def test_whoever_is_known_by_name_is_so_without_its_accents(turns: tuple[str, ...], held: list[str], tell: Tell) -> None:
    assert [fact.key for fact in tell(*turns).facts("ana") if not fact.key.startswith("user.")] == held


@pytest.mark.parametrize("asked", ["How old is Zoe?", "how old is zoë?"])
def test_whoever_is_known_by_name_is_asked_of_without_its_accents(asked: str, tell: Tell) -> None:
    mem = tell("My daughter Zoë is 9.", "I like jazz.")
    assert mem.search(asked, user_id="ana", kinds=["fact"])[0].fact.key == "daughter.age"
    verdict = mem.context(asked, user_id="ana").verdict
    assert verdict is not None
    assert verdict.decision == "answer"


@pytest.mark.parametrize("held", [0, 1_200])
def test_what_is_stated_without_its_accents_is_the_same_however_much_is_held(held: int, mem: memdb.Memory) -> None:
    mem.remember_many({"value_text": f"Likes tune {n}", "user_id": "ana", "key": "user.likes", "object": f"tune {n}"} for n in range(held))
    for said in ("crème brûlée", "Creme Brulee", "phở bò", "pho bo"):
        mem.remember(f"User likes {said}", user_id="ana", key="user.likes", object=said)
    assert [fact.object for fact in mem.facts("ana", key="user.likes")][held:] == ["crème brûlée", "phở bò"]


@pytest.mark.parametrize(("times", "confidence"), [(1, 0.40), (2, 0.70), (3, 0.85), (4, 0.925), (5, 0.9625)])
def test_confidence_begins_low_and_closes_half_the_gap(times: int, confidence: float, tell: Tell) -> None:
    [fact] = tell(*["I live in Porto."] * times).facts("ana")
    assert fact.confidence == confidence  # to the last digit: a sum of fractions would leave 0.9249999999999999
    assert fact.seen_count == times


@pytest.mark.parametrize(
    ("turns", "confidence"),
    [(("I moved to Lisbon last month.",), 0.40), (("I live in Porto.", "I moved to Lisbon."), 0.70), (("I moved to Lisbon.",) * 2, 0.70)],
)
def test_a_change_counts_as_confirmed_only_where_something_was_held(turns: tuple[str, ...], confidence: float, tell: Tell) -> None:
    [fact] = tell(*turns).facts("ana")
    assert fact.confidence == pytest.approx(confidence)


def test_what_an_application_states_is_one_confirmation_ahead(mem: memdb.Memory) -> None:
    assert place(mem, "Porto", "2025-03-01").confidence == pytest.approx(0.70)


def test_what_is_only_for_a_time_ends_by_itself(tell: Tell) -> None:
    mem = tell("I live in Porto.", "For this week I'm staying in Berlin.")
    assert [fact.object for fact in mem.facts("ana", now="2025-03-02T12:00:00Z")] == ["Porto", "Berlin"]
    assert [fact.object for fact in mem.facts("ana", now="2025-03-20")] == ["Porto"]
    assert "Berlin" not in {hit.fact.object for hit in mem.search("staying", user_id="ana", now="2025-03-20", kinds=["fact"])}


def test_confirming_a_pending_fact_ends_what_it_contradicted(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Braga.")
    [pending] = mem.facts("ana", statuses=("pending_confirmation",))
    confirmed = mem.confirm(pending.fact_id)
    assert (confirmed.status, confirmed.confidence) == ("active", 0.7)
    assert [fact.object for fact in mem.facts("ana")] == ["Braga"]


@pytest.mark.parametrize("kept", ["Porto", "Lisbon", "Madrid"])
def test_confirming_one_of_three_settles_all(kept: str, tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Lisbon.", "I live in Madrid.")
    madrid = next(fact for fact in mem.facts("ana") if fact.object == "Madrid")
    db = mem._store.database()
    assert [str(row["record"]).count("Madrid") for row in db.all("believe.contradicted_by", fact_id=madrid.fact_id)] == [0, 0]
    mem.confirm(next(fact.fact_id for fact in mem.facts("ana") if fact.object == kept))
    assert [(fact.object, fact.status) for fact in mem.facts("ana")] == [(kept, A)]
    assert {change.operation for change in mem.history(user_id="ana")} >= {"confirm", "reject"}


@pytest.mark.parametrize(
    ("then", "why"),
    [
        ("I moved to Rome.", "said to have changed: 'Porto' gives way to 'Rome'"),
        ("I live in Porto.", "said again: 'Porto'"),
    ],
)
def test_what_waited_is_rejected_for_what_was_said_then(then: str, why: str, tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Braga.", then)
    [rejected] = [change for change in mem.history(user_id="ana") if change.operation == "reject"]
    assert rejected.before is not None
    assert (rejected.before.object, rejected.reason) == ("Braga", why)


def test_confirming_what_was_doubted_ends_what_took_its_place(mem: memdb.Memory) -> None:
    atlanta = place(mem, "Atlanta", "2025-03-01")
    mem.doubt(atlanta.fact_id, now="2025-03-02")
    seattle = place(mem, "Seattle", "2025-03-03")
    mem.confirm(atlanta.fact_id, now="2025-03-04")
    assert [(fact.object, fact.status) for fact in mem.facts("ana")] == [("Atlanta", A)]
    assert [change.operation for change in mem.history(fact_id=seattle.fact_id)] == ["insert", "supersede"]


def test_what_is_doubted_and_said_again_is_the_same_fact(mem: memdb.Memory) -> None:
    atlanta = place(mem, "Atlanta", "2025-03-01")
    mem.doubt(atlanta.fact_id, now="2025-03-02")
    assert place(mem, "atlanta", "2025-03-03").fact_id == atlanta.fact_id
    (fact,) = mem.facts("ana", statuses=["active", "uncertain", "pending_confirmation"])
    assert (fact.status, fact.seen_count) == (A, 2)


def test_what_is_doubted_and_said_again_in_passing_stays_doubted_where_the_risk_is_high(tell: Tell) -> None:
    mem = tell("I live in Porto.", "My favourite colour is green.")
    for fact in mem.facts("ana"):
        mem.doubt(fact.fact_id)
    tell("I live in Porto.", "My favourite colour is green.")
    held = mem.facts("ana", statuses=["active", "uncertain"])
    assert {(fact.object, fact.status) for fact in held} == {("Porto", "uncertain"), ("green", A)}


def test_confirming_what_is_only_for_a_time_displaces_nothing(mem: memdb.Memory) -> None:
    place(mem, "Porto", "2025-03-01")
    stay = mem.remember(
        "User lives in Berlin", user_id="ana", key="user.lives_in", object="Berlin", timestamp="2025-03-02", valid_to="2030-01-01"
    )
    mem.confirm(stay.fact_id, now="2025-03-03")
    assert [fact.object for fact in mem.facts("ana", now="2025-03-04")] == ["Porto", "Berlin"]


def place(mem: memdb.Memory, name: str, day: str, *, valid_from: str | None = None) -> Fact:
    return mem.remember(f"User lives in {name}", user_id="ana", key="user.lives_in", object=name, timestamp=day, valid_from=valid_from)


def test_rejecting_a_pending_fact_leaves_the_old_one(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Braga.")
    [pending] = mem.facts("ana", statuses=("pending_confirmation",))
    rejected = mem.reject(pending.fact_id)
    assert (rejected.status, rejected.valid_to) == ("expired", rejected.valid_from)
    assert [fact.object for fact in mem.facts("ana")] == ["Porto"]


def homes(mem: memdb.Memory, *statuses: Status) -> list[str]:
    return [fact.object for fact in mem.facts("ana", key="user.lives_in", statuses=statuses or ("active",))]


def test_what_a_rejected_fact_had_replaced_stands_again(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.", "I moved to Faro.")
    before = mem.facts("ana", statuses=("superseded",))
    for wrong, right in (("Faro", "Lisbon"), ("Lisbon", "Porto")):
        [home] = mem.facts("ana", key="user.lives_in")
        assert home.object == wrong
        mem.reject(home.fact_id)
        assert homes(mem) == [right]
    [porto] = mem.facts("ana")
    assert (porto.valid_to, porto.confidence) == (None, before[0].confidence)
    assert [change.operation for change in mem.history(fact_id=porto.fact_id)] == ["insert", "supersede", "update"]
    assert mem.drain()
    assert mem.search("Porto", user_id="ana", kinds=["fact"])[0].fact.fact_id == porto.fact_id
    mem.reject(porto.fact_id)
    assert homes(mem) == []


def test_what_was_replaced_by_a_confirmed_doubt_stands_again_when_that_is_rejected(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Braga.")
    [braga] = mem.facts("ana", statuses=("pending_confirmation",))
    mem.confirm(braga.fact_id)
    assert homes(mem) == ["Braga"]
    mem.reject(braga.fact_id)
    assert homes(mem) == ["Porto"]


def test_what_waits_to_replace_a_rejected_fact_waits_to_replace_the_one_before(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.", "I live in Braga.")
    [lisbon] = mem.facts("ana", statuses=("active",))
    mem.reject(lisbon.fact_id)
    assert (homes(mem), homes(mem, "pending_confirmation")) == (["Porto"], ["Braga"])
    asked = mem.context("Where do I live?", user_id="ana").question
    assert asked is not None
    assert "Porto" in asked
    assert "Braga" in asked
    mem.confirm(mem.facts("ana", statuses=("pending_confirmation",))[0].fact_id)
    assert homes(mem) == ["Braga"]


def test_what_had_waited_to_replace_it_waits_again(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Braga.", "I live in Faro.", "I don't live in Porto.")
    braga = mem.facts("ana", statuses=("pending_confirmation",))[0]
    waited = homes(mem, "pending_confirmation")
    mem.confirm(braga.fact_id)
    assert (homes(mem), homes(mem, "pending_confirmation")) == (["Braga"], [])
    mem.reject(braga.fact_id)
    assert (homes(mem), homes(mem, "pending_confirmation")) == (["Porto"], [name for name in waited if name != "Braga"])
    mem.undo(user_id="ana", turn_id=mem.history(fact_id=braga.fact_id)[-1].turn_id)
    assert (homes(mem), homes(mem, "pending_confirmation")) == (["Braga"], [])


def test_what_was_changed_since_does_not_stand_again(mem: memdb.Memory) -> None:
    for text, day in (("I live in Porto.", "03-01"), ("I moved to Lisbon.", "06-01"), ("I moved to Faro.", "05-01")):  # which came late
        mem.observe(text, user_id="ana", timestamp=f"2025-{day}")
    mem.drain()
    mem.reject(mem.facts("ana")[0].fact_id)
    assert (homes(mem), sorted(homes(mem, "superseded"))) == ([], ["Faro", "Porto"])


def test_nothing_stands_again_beside_what_is_believed_by_then(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Braga.", "Forget that I live in Porto.")
    [braga] = mem.facts("ana")
    mem.confirm(braga.fact_id)
    mem.undo(user_id="ana", turn_id="t2")
    mem.reject(braga.fact_id)
    assert homes(mem) == ["Porto"]


def test_a_rejection_is_taken_back_as_a_whole(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.")
    [lisbon] = mem.facts("ana")
    mem.reject(lisbon.fact_id)
    mem.undo(user_id="ana", turn_id=mem.history(fact_id=lisbon.fact_id)[-1].turn_id)
    assert (homes(mem), homes(mem, "superseded")) == (["Lisbon"], ["Porto"])


# (what was said, when) in the order it arrives → (key, object, status, true from, true until) in the end
NEVER = "never"
Held = tuple[str, str, str, str, str]
LATE: list[tuple[str, list[tuple[str, str]], list[Held]]] = [
    ("an older home", [("I moved to Lisbon.", "06-01"), ("I live in Porto.", "03-01")],
     [("user.lives_in", "Lisbon", A, "06-01", ""), ("user.lives_in", "Porto", S, "03-01", "06-01")]),
    ("a home between two", [("I live in Porto.", "03-01"), ("I moved to Lisbon.", "06-01"), ("I moved to Faro.", "05-01")],
     [("user.lives_in", "Faro", S, "05-01", "06-01"), ("user.lives_in", "Lisbon", A, "06-01", ""),
      ("user.lives_in", "Porto", S, "03-01", "05-01")]),
    ("a home between four",
     [("I live in Porto.", "03-01"), ("I moved to Lisbon.", "06-01"), ("I moved to Faro.", "05-01"), ("I moved to Braga.", "04-01")],
     [("user.lives_in", "Braga", S, "04-01", "05-01"), ("user.lives_in", "Faro", S, "05-01", "06-01"),
      ("user.lives_in", "Lisbon", A, "06-01", ""), ("user.lives_in", "Porto", S, "03-01", "04-01")]),
    ("a home since before the last move",
     [("I live in Porto.", "03-01"), ("I moved to Lisbon.", "05-01"), ("I moved to Faro in April.", "06-01")],
     [("user.lives_in", "Faro", A, "04-01", ""), ("user.lives_in", "Lisbon", S, "05-01", NEVER),
      ("user.lives_in", "Porto", S, "03-01", "04-01")]),
    ("said again since", [("I live in Porto.", "01-01"), ("I live in Porto.", "06-01"), ("I moved to Lisbon.", "03-01")],
     [("user.lives_in", "Lisbon", S, "03-01", "06-01"), ("user.lives_in", "Porto", A, "06-01", ""),
      ("user.lives_in", "Porto", S, "01-01", "03-01")]),
    ("before one that is true since long ago", [("I have lived in Lisbon since 2019.", "06-01"), ("I live in Porto.", "03-01")],
     [("user.lives_in", "Lisbon", A, "2019-01-01", ""), ("user.lives_in", "Porto", S, "03-01", "06-01")]),
    ("an older dislike", [("I like jazz.", "06-01"), ("I hate jazz.", "03-01")],
     [("user.dislikes", "jazz", S, "03-01", "06-01"), ("user.likes", "jazz", A, "06-01", "")]),
    ("an older end", [("I work at Siemens.", "06-01"), ("I no longer work at Siemens.", "03-01")],
     [("user.works_at", "Siemens", A, "06-01", "")]),
    ("an older repetition refutes nothing newer",
     [("I live in Porto.", "03-01"), ("I live in Braga.", "06-01"), ("I live in Porto.", "05-01")],
     [("user.lives_in", "Braga", P, "06-01", ""), ("user.lives_in", "Porto", A, "03-01", "")]),
    # what is only doubted holds nothing up
    ("a move before a doubt", [("I live in Porto.", "03-01"), ("I live in Braga.", "06-01"), ("I moved to Faro.", "05-01")],
     [("user.lives_in", "Braga", P, "06-01", ""), ("user.lives_in", "Faro", A, "05-01", ""),
      ("user.lives_in", "Porto", S, "03-01", "05-01")]),
    ("an older home before a doubt", [("I live in Porto.", "04-01"), ("I live in Braga.", "06-01"), ("I moved to Faro.", "03-01")],
     [("user.lives_in", "Braga", P, "06-01", ""), ("user.lives_in", "Faro", S, "03-01", "04-01"),
      ("user.lives_in", "Porto", A, "04-01", "")]),
    # in order, but true since before
    ("since 2019 in passing", [("I live in Porto.", "03-01"), ("I've lived in Lisbon since 2019.", "06-01")],
     [("user.lives_in", "Lisbon", P, "2019-01-01", ""), ("user.lives_in", "Porto", A, "03-01", "")]),
    ("a move in 2019 said now", [("I live in Porto.", "03-01"), ("I moved to Lisbon in 2019.", "06-01")],
     [("user.lives_in", "Lisbon", P, "2019-01-01", ""), ("user.lives_in", "Porto", A, "03-01", "")]),
    ("a move since then", [("I live in Porto.", "03-01"), ("I moved to Lisbon in April.", "06-01")],
     [("user.lives_in", "Lisbon", A, "04-01", ""), ("user.lives_in", "Porto", S, "03-01", "04-01")]),
    ("a move shortly before", [("I live in Porto.", "06-01"), ("I moved to Lisbon last week.", "06-02")],
     [("user.lives_in", "Lisbon", A, "05-26", ""), ("user.lives_in", "Porto", S, "06-01", NEVER)]),
    # what was pending and is refuted was never true
    ("a refuted one", [("I live in Porto.", "03-01"), ("I live in Braga.", "04-01"), ("I moved to Faro.", "05-01")],
     [("user.lives_in", "Braga", X, "04-01", NEVER), ("user.lives_in", "Faro", A, "05-01", ""),
      ("user.lives_in", "Porto", S, "03-01", "05-01")]),
    ("a denied one", [("I live in Porto.", "03-01"), ("I live in Braga.", "04-01"), ("I don't live in Braga.", "05-01")],
     [("user.lives_in", "Braga", X, "04-01", NEVER), ("user.lives_in", "Porto", A, "03-01", "")]),
    # what has an end ends
    ("a plan is over", [("I have a dentist appointment on 5 June.", "06-01"), ("Hello.", "06-10")],
     [("user.plans", "dentist appointment", X, "06-01", "06-06")]),
    ("a stay ends", [("I'm staying in Berlin until 20 June.", "06-01"), ("Hello.", "07-01")],
     [("user.staying_in", "Berlin", X, "06-01", "06-21")]),
    # what is so for a time, beside something that lasts
    ("a home for a time, said again in passing",
     [("I live in Faro.", "04-01"), ("I live in Lisbon until June.", "04-02"), ("I live in Lisbon.", "05-01"), ("Hello.", "08-01")],
     [("user.lives_in", "Faro", A, "04-01", ""), ("user.lives_in", "Lisbon", X, "04-02", "06-01")]),
    ("a home for a time that becomes one for good",
     [("I live in Faro.", "04-01"), ("I live in Lisbon until June.", "04-02"), ("I moved to Lisbon.", "05-01")],
     [("user.lives_in", "Faro", S, "04-01", "05-01"), ("user.lives_in", "Lisbon", A, "05-01", ""),
      ("user.lives_in", "Lisbon", X, "04-02", "05-01")]),
    ("a home for a time that may become one for good",
     [("I live in Faro.", "04-01"), ("I live in Lisbon until June.", "04-02"), ("I think I moved to Lisbon.", "05-01"),
      ("Hello.", "08-01")],
     [("user.lives_in", "Faro", A, "04-01", ""), ("user.lives_in", "Lisbon", P, "05-01", ""),
      ("user.lives_in", "Lisbon", X, "04-02", "06-01")]),
    ("the only home, for a time at first", [("I live in Lisbon until June.", "04-02"), ("I now live in Lisbon for good.", "05-01")],
     [("user.lives_in", "Lisbon", A, "04-02", "")]),
    ("a home for a time is spoken of meanwhile", [("I live in Lisbon until June.", "04-02"), ("I live in Lisbon.", "05-01"), ("Hello.", "08-01")],
     [("user.lives_in", "Lisbon", X, "04-02", "06-01")]),
    ("until when is said later", [("I live in Lisbon.", "04-02"), ("I live in Lisbon until June.", "05-01"), ("Hello.", "08-01")],
     [("user.lives_in", "Lisbon", X, "04-02", "06-01")]),
    ("a diet of many years is kept this week, too", [("I'm vegan.", "04-02"), ("I'm vegan this week.", "05-01")],
     [("user.diet", "vegan", A, "04-02", "")]),
    ("since when is said later", [("I live in Lisbon.", "04-02"), ("I've lived in Lisbon since 2019.", "05-01")],
     [("user.lives_in", "Lisbon", A, "2019-01-01", "")]),
    ("a move is dated later", [("I live in Lisbon.", "04-02"), ("I moved to Lisbon in 2019.", "05-01")],
     [("user.lives_in", "Lisbon", A, "2019-01-01", "")]),
    ("since when is corrected", [("I've lived in Lisbon since 2019.", "04-02"), ("I've lived in Lisbon since March 2017.", "05-01")],
     [("user.lives_in", "Lisbon", A, "2017-03-01", "")]),
    ("since when is said less exactly", [("I've lived in Lisbon since 4 May 2019.", "04-02"), ("I've lived in Lisbon since 2019.", "05-01")],
     [("user.lives_in", "Lisbon", A, "2019-05-04", "")]),
    ("since when is later than what was said before", [("I live in Lisbon.", "04-02"), ("I've lived in Lisbon since May.", "06-01")],
     [("user.lives_in", "Lisbon", A, "04-02", "")]),
    ("since when is before another home", [("I live in Faro.", "04-02"), ("I moved to Lisbon.", "06-01"),
      ("I've lived in Lisbon since 2019.", "07-01")],
     [("user.lives_in", "Lisbon", A, "06-01", ""), ("user.lives_in", "Faro", S, "04-02", "06-01")]),
    ("since when shortens what was before", [("I live in Faro.", "04-02"), ("I moved to Lisbon.", "06-01"),
      ("I've lived in Lisbon since May.", "07-01")],
     [("user.lives_in", "Lisbon", A, "05-01", ""), ("user.lives_in", "Faro", S, "04-02", "05-01")]),
    ("what somebody has had for years", [("I've had a dog since 2020.", "04-02"), ("I play chess.", "04-03"),
      ("I've been playing chess since 2019.", "05-01")],
     [("user.pet", "dog", A, "2020-01-01", ""), ("user.plays", "chess", A, "2019-01-01", "")]),
    ("a former girlfriend", [("My girlfriend Lena works at Bosch.", "04-02"), ("Lena and I broke up.", "04-20")],
     [("user.partner", "Lena", X, "04-02", "04-20"), ("partner.works_at", "Bosch", X, "04-02", "04-20"),
      ("user.relationship", "single", A, "04-20", "")]),
    ("a former girlfriend who was not named", [("My girlfriend works at Bosch.", "04-02"), ("My girlfriend dumped me.", "04-20")],
     [("partner.works_at", "Bosch", X, "04-02", "04-20"), ("user.relationship", "single", A, "04-20", "")]),
    ("a new boss lives elsewhere", [("My boss Ana lives in Porto.", "04-02"), ("My new boss is Rui and he lives in Braga.", "04-20")],
     [("user.boss", "Ana", S, "04-02", "04-20"), ("boss.lives_in", "Porto", X, "04-02", "04-20"),
      ("user.boss", "Rui", A, "04-20", ""), ("boss.lives_in", "Braga", A, "04-20", "")]),
    ("a boss whose name is said in full", [("My boss is Ana.", "04-02"), ("My boss lives in Porto.", "04-03"), ("My boss is Ana Silva.", "04-20")],
     [("user.boss", "Ana Silva", A, "04-02", ""), ("boss.lives_in", "Porto", A, "04-03", "")]),
    ("a boss who is spelled anew", [("My boss is Ana.", "04-02"), ("My boss lives in Porto.", "04-03"), ("My boss is Anna.", "04-20")],
     [("user.boss", "Ana", S, "04-02", "04-20"), ("user.boss", "Anna", A, "04-20", ""), ("boss.lives_in", "Porto", A, "04-03", "")]),
    ("a job that is to end", [("I work at Bosch.", "04-02"), ("I'm leaving Bosch at the end of April.", "04-03"), ("Hello.", "08-01")],
     [("user.works_at", "Bosch", X, "04-02", "05-01"), ("user.plans", "leaving Bosch", X, "04-03", "05-01")]),
    ("the last day of a job", [("I work at Bosch.", "04-02"), ("My last day at Bosch is 30 April.", "04-03"), ("Hello.", "08-01")],
     [("user.works_at", "Bosch", X, "04-02", "05-01")]),
    ("a last day to come", [("I work at Bosch.", "04-02"), ("Wednesday is my last day at Bosch.", "04-03"), ("Hello.", "08-01")],
     [("user.works_at", "Bosch", X, "04-02", "04-10")]),
    ("a last day gone by", [("I work at Bosch.", "03-02"), ("Wednesday was my last day at Bosch.", "04-03"), ("Hello.", "08-01")],
     [("user.works_at", "Bosch", X, "03-02", "04-02")]),
    ("a last day elsewhere", [("I work at Bosch.", "03-02"), ("My last day at Volvo was Wednesday.", "04-03"), ("Hello.", "08-01")],
     [("user.works_at", "Bosch", A, "03-02", ""), ("user.works_at", "Volvo", X, "04-02", "never")]),
    ("a job that was to end goes on", [("I work at Bosch.", "04-02"), ("My last day at Bosch is 30 April.", "04-03"),
      ("I'm staying at Bosch after all.", "04-04")],
     [("user.works_at", "Bosch", A, "04-02", "")]),
    ("a job is not left", [("I work at Bosch.", "04-02"), ("I'm leaving Bosch at the end of April.", "04-03"), ("I'm not leaving Bosch.", "04-04")],
     [("user.works_at", "Bosch", A, "04-02", ""), ("user.plans", "leaving Bosch", X, "04-03", "04-04")]),
    ("nobody works at a hotel", [("I'm staying at Hilton.", "04-02"), ("I'm not leaving Netflix.", "04-03"), ("I'm leaving Porto in May.", "04-04"), ("Hello.", "08-01")],
     [("user.plans", "leaving Porto", X, "04-04", "06-01")]),
    ("a friend among others", [("My friend Ana lives in Porto.", "04-02"), ("I have a new friend, Rui.", "04-20")],
     [("user.friend", "Ana", A, "04-02", ""), ("ana.lives_in", "Porto", A, "04-02", ""), ("user.friend", "Rui", A, "04-20", "")]),
    ("a late turn beside what is to come", [("I live in Lisbon.", "04-02"), ("I'll be living in Braga from next month.", "04-03"),
      ("I'll be living in Braga from next month.", "04-06"), ("I live in Porto.", "04-05"), ("Hello.", "08-01")],
     [("user.lives_in", "Lisbon", X, "04-02", "05-01"), ("user.lives_in", "Braga", A, "05-01", ""), ("user.lives_in", "Porto", P, "04-05", "")]),
    ("what is to come does not end before it begins", [("I live in Lisbon.", "04-02"), ("I'll be living in Braga from June.", "04-03"),
      ("I live in Braga until May.", "04-04"), ("Hello.", "08-01")],
     [("user.lives_in", "Lisbon", X, "04-02", "06-01"), ("user.lives_in", "Braga", A, "06-01", "")]),
    ("what somebody became", [("I work as a nurse.", "04-02"), ("I became a doctor in March.", "04-20")],
     [("user.works_as", "nurse", S, "04-02", NEVER), ("user.works_as", "doctor", A, "03-01", "")]),
    ("since when one does one of many things", [("I play the piano.", "04-02"), ("I have a dog.", "04-02"),
      ("I work at Bosch.", "04-02"), ("I joined Bosch in 2012.", "05-01")],
     [("user.plays", "piano", A, "04-02", ""), ("user.pet", "dog", A, "04-02", ""), ("user.works_at", "Bosch", A, "2012-01-01", "")]),
    ("what is to come is not to be after all", [("I live in Lisbon.", "04-02"), ("I'll be living in Porto from next month.", "04-03"),
      ("I won't be living in Porto after all.", "04-04")],
     [("user.lives_in", "Lisbon", A, "04-02", ""), ("user.lives_in", "Porto", X, "05-01", NEVER)]),
    ("a move is called off", [("I live in Lisbon.", "04-02"), ("I'll be living in Porto from next month.", "04-03"),
      ("I'm not moving to Porto any more.", "04-04")],
     [("user.lives_in", "Lisbon", A, "04-02", ""), ("user.lives_in", "Porto", X, "05-01", NEVER)]),
    ("a diet is called off", [("I'm vegetarian.", "04-02"), ("From next month I'll be vegan.", "04-03"), ("I won't go vegan.", "04-04")],
     [("user.diet", "vegetarian", A, "04-02", ""), ("user.diet", "vegan", X, "05-01", NEVER)]),
    ("what is not so now may be so then", [("I live in Lisbon.", "04-02"), ("I'll be living in Porto from next month.", "04-03"),
      ("I don't live in Porto.", "04-04"), ("Hello.", "08-01")],
     [("user.lives_in", "Lisbon", X, "04-02", "05-01"), ("user.lives_in", "Porto", A, "05-01", "")]),
    ("another move instead", [("I live in Lisbon.", "04-02"), ("I'll be living in Porto from next month.", "04-03"),
      ("I'll be living in Braga from next month.", "04-04"), ("Hello.", "08-01")],
     [("user.lives_in", "Lisbon", X, "04-02", "05-01"), ("user.lives_in", "Porto", X, "05-01", NEVER),
      ("user.lives_in", "Braga", A, "05-01", "")]),
    ("nobody was to live there", [("I live in Lisbon.", "04-02"), ("I'm not moving to Lisbon.", "04-03"), ("I won't be living there.", "04-03")],
     [("user.lives_in", "Lisbon", A, "04-02", "")]),
    ("an end that is to come", [("I live in Lisbon.", "04-02"), ("I won't be living in Lisbon from June.", "04-03"),
      ("I work at Bosch.", "04-03"), ("I won't be working at Bosch next week.", "04-04"), ("Hello.", "08-01")],
     [("user.lives_in", "Lisbon", X, "04-02", "06-01"), ("user.works_at", "Bosch", A, "04-03", "")]),
    ("one of many for a time", [("I like jazz.", "04-01"), ("For this month I like blues.", "04-02"), ("I like blues.", "04-03")],
     [("user.likes", "blues", A, "04-02", ""), ("user.likes", "jazz", A, "04-01", "")]),
]  # fmt: skip


@pytest.mark.parametrize(("turns", "expected"), [case[1:] for case in LATE], ids=[case[0] for case in LATE])
def test_what_counts_is_when_it_was_said(turns: list[tuple[str, str]], expected: list[Held], mem: memdb.Memory) -> None:
    for place, (text, day) in enumerate(turns):
        mem.observe(text, user_id="ana", turn_id=f"t{place}", timestamp=f"2025-{day}")
    mem.drain()
    assert mem.stats().turns_by_status == {"done": len(turns)}
    held = []
    for fact in mem.facts("ana", statuses=("active", "pending_confirmation", "superseded", "expired")):
        ends = "" if fact.valid_to is None else NEVER if fact.valid_to == fact.valid_from else f"{fact.valid_to:%m-%d}"
        held.append((fact.key, fact.object, fact.status, f"{fact.valid_from:%Y-%m-%d}".removeprefix("2025-"), ends))
    assert sorted(held) == sorted(expected)


def test_a_doubt_is_one_of_what_was_said_before_it_but_came_later(mem: memdb.Memory) -> None:
    for text, day in (("I live in Porto.", "03-01"), ("I live in Braga.", "06-01"), ("I moved to Faro.", "05-01")):
        mem.observe(text, user_id="ana", timestamp=f"2025-{day}")
    mem.drain()
    (doubt,) = mem.facts("ana", statuses=["pending_confirmation"])
    assert "Faro" in (mem.context("Where do I live?", user_id="ana", now="2025-06-02").question or "")
    mem.confirm(doubt.fact_id, now="2025-06-02")
    assert [fact.object for fact in mem.facts("ana", now="2025-06-02")] == ["Braga"]


def test_what_was_to_begin_after_something_else_was_said_never_was(mem: memdb.Memory) -> None:
    place(mem, "Lisbon", "2025-06-01")
    never = place(mem, "Porto", "2025-03-01", valid_from="2025-07-01")
    assert (never.status, never.valid_to) == ("superseded", never.valid_from)


def test_the_past_is_told_as_it_was(mem: memdb.Memory) -> None:
    mem.observe("I moved to Lisbon.", user_id="ana", timestamp="2025-06-01")
    mem.observe("I live in Porto.", user_id="ana", timestamp="2025-03-01")
    mem.drain()
    assert [fact.object for fact in mem.facts("ana")] == ["Lisbon"]
    assert [fact.object for fact in mem.facts("ana", as_of="2025-04-01")] == ["Porto"]


def test_a_late_repetition_does_not_turn_back_the_last_mention(mem: memdb.Memory) -> None:
    for day in ("2025-06-01", "2025-03-01"):
        mem.observe("I live in Porto.", user_id="ana", timestamp=day)
    mem.drain()
    [fact] = mem.facts("ana")
    assert (fact.seen_count, f"{fact.last_mentioned_at:%Y-%m-%d}") == (2, "2025-06-01")


def test_a_late_turn_does_not_turn_back_the_last_change(mem: memdb.Memory) -> None:
    for day in ("2025-06-01", "2025-07-01", "2025-04-01"):
        mem.observe("I love jazz.", user_id="ana", timestamp=day)
    mem.observe("I live in Porto.", user_id="ana", timestamp="2025-06-01")
    mem.observe("I live in Porto, in Foz.", user_id="ana", timestamp="2025-05-01")
    mem.drain()
    changed = {fact.key: f"{fact.updated_at:%Y-%m-%d}" for fact in mem.facts("ana")}
    assert changed == {"user.likes": "2025-07-01", "user.lives_in": "2025-06-01"}


def test_since_long_ago_is_news_all_the_same(tell: Tell) -> None:
    mem = tell("My favourite band is Blur.", "My favourite band is Pulp since 2019.")
    [fact] = mem.facts("ana", statuses=("active",))
    assert fact.key == "user.favourite_band"
    assert "Pulp" in fact.object


def test_every_change_is_recorded_with_before_and_after(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Porto.", "I moved to Lisbon.", "I don't live in Lisbon any more.")
    told = [
        (change.operation, change.before and change.before.object, change.after and change.after.object)
        for change in mem.history(user_id="ana")
    ]
    assert told == [
        ("insert", None, "Porto"),
        ("noop", "Porto", "Porto"),
        ("supersede", "Porto", "Porto"),
        ("insert", None, "Lisbon"),
        ("expire", "Lisbon", "Lisbon"),
    ]
    assert all(change.turn_id and change.action_hash and change.reason for change in mem.history(user_id="ana"))


def said(**changes: object) -> Candidate:
    given: dict[str, object] = {
        "key": "user.lives_in", "value_text": "User lives in Faro", "object": "Faro", "category": "identity",
        "confidence": 0.95, "excerpt": "Faro", "explicit": True,
    }  # fmt: skip
    return Candidate.model_validate(given | changes)


def colour(**changes: object) -> Candidate:
    return said(key="user.favourite_colour", value_text="blue", object="blue", category="soft_preference", **changes)


@pytest.mark.parametrize(
    ("candidate", "outcome"),
    [
        (said(), "supersede"),
        (said(explicit=False), "mark_pending_confirmation"),
        (said(confidence=0.89), "mark_pending_confirmation"),
        (said(confidence=0.5), "mark_pending_confirmation"),
    ],
    ids=["plain", "in passing", "not quite sure", "unsure"],
)
def test_identity_changes_only_when_it_is_said_plainly(candidate: Candidate, outcome: str, tell: Tell) -> None:
    known: Fact = tell("I live in Porto.").facts("ana")[0]
    proposed = Action(type="supersede", key=candidate.key, target_fact_id=known.fact_id, reason="test", candidate=candidate)
    assert guard(proposed, known, predicates={}, config=Config()).type == outcome


@pytest.mark.parametrize(
    ("candidate", "times", "outcome"),
    [
        (colour(explicit=False), 1, "supersede"),
        (colour(explicit=False), 2, "mark_pending_confirmation"),
        (colour(), 4, "supersede"),
        (colour(confidence=0.69), 1, "mark_pending_confirmation"),
        (colour(confidence=0.70, explicit=False), 1, "supersede"),
    ],
    ids=["little known", "well known", "well known but said plainly", "unsure", "just sure enough"],
)
def test_low_risk_yields_unless_it_is_well_known(candidate: Candidate, times: int, outcome: str, tell: Tell) -> None:
    [known] = tell(*["My favourite colour is green."] * times).facts("ana")
    proposed = Action(type="supersede", key=candidate.key, target_fact_id=known.fact_id, reason="test", candidate=candidate)
    assert guard(proposed, known, predicates={}, config=Config()).type == outcome


def test_one_denial_of_something_well_known_is_a_doubt_and_no_end(tell: Tell) -> None:
    mem = tell(*["I'm allergic to nuts."] * 3, "I'm not allergic to nuts.")
    assert [(fact.status, fact.denies) for fact in mem.facts("ana")] == [("active", False), ("pending_confirmation", True)]
    question = mem.context("What shall I cook?", user_id="ana", now="2025-03-10").question
    assert (
        question
        == "Which is right now: “User is allergic to nuts”, as held so far, or “No longer so: User is allergic to nuts”, as said since?"
    )


def test_a_denial_said_again_makes_its_doubt_surer_and_no_second_one(tell: Tell) -> None:
    mem = tell("I'm allergic to nuts.", "I'm not allergic to nuts.", "I'm not allergic to nuts.")
    assert [(fact.status, fact.denies, fact.seen_count) for fact in mem.facts("ana")] == [
        ("active", False, 1), ("pending_confirmation", True, 2),
    ]  # fmt: skip
    tell("I'm not allergic to nuts any more.")
    assert mem.facts("ana") == []


def test_a_doubt_that_names_nothing_tells_what_it_doubts(tell: Tell) -> None:
    mem = tell("I work at Siemens.", "I left the job.")
    question = mem.context("Where do I work?", user_id="ana", now="2025-03-10").question
    assert (
        question == "Which is right now: “User works at Siemens”, as held so far, or “No longer so: User works at Siemens”, as said since?"
    )


def test_the_reason_of_a_change_tells_both_sides_where_the_value_is_the_same(tell: Tell) -> None:
    mem = tell("I hate coffee.", "I like coffee now.")
    assert {change.reason for change in mem.history(user_id="ana", turn_id="t1")} == {
        "said to have changed: 'User dislikes coffee' gives way to 'User likes coffee'"
    }


RISKY = [
    f"user.{name}"
    for name in ("investments", "stocks", "credit_card_limit", "rent", "monthly_rent", "insurance", "tax_rate", "payment_method", "wealth",
                 "budget", "date_of_birth", "surname", "full_name", "gender", "passport_country", "disease", "blood_pressure",
                 "birth_date", "current_city", "employer", "job_title", "home_address", "spouse", "earnings", "diagnosis", "ssn", "national_id",
                 "drivers_license", "race", "sexual_orientation", "visa_status", "native_language", "kids", "next_of_kin", "billing_address",
                 "account_number", "paycheck", "bonus", "child_support", "inheritance", "monthly_expenses", "condition", "sleep_disorder",
                 "prescription", "dentist", "chronic_condition", "migraine", "smoking", "inhaler", "dietary_restriction", "hourly_rate", "payday",
                 "wallet", "postcode", "zip_code", "e_mail", "username", "license_plate", "student_id")
]  # fmt: skip


@pytest.mark.parametrize(
    "key", ["user.salary", "user.credit_limit", "user.account_balance", "user.cancer_type", "user.insulin_dose", *RISKY]
)
def test_a_key_that_no_vocabulary_knows_is_of_high_risk_by_its_words(key: str, mem: memdb.Memory) -> None:
    mem.consent("ana", secrets="keep")
    known = mem.remember("User has 20", user_id="ana", key=key, object="20", confidence=0.4)
    candidate = said(key=key, value_text="User has 30", object="30", category="other", explicit=False)
    proposed = Action(type="supersede", key=key, target_fact_id=known.fact_id, reason="test", candidate=candidate)
    assert guard(proposed, known, predicates={}, config=Config()).type == "mark_pending_confirmation"


@pytest.mark.parametrize(
    "key",
    [
        "user.favourite_city",
        "user.dream_job",
        "user.last_country_visited",
        "user.current_project",
        "user.dog_food",
        "user.shares_flat_with",
        "user.instagram_account",
        "user.different_hobby",
        "user.race_result",
        "user.file_name",
        "user.air_conditioning",
        "user.weather_conditions",
        "user.zip_up_hoodie",
        "user.back_of_the_drawer",
        "user.project_status",
    ],
)
def test_a_key_of_no_such_words_is_of_no_high_risk(key: str, mem: memdb.Memory) -> None:
    known = mem.remember("User has 20", user_id="ana", key=key, object="20", confidence=0.4)
    proposed = Action(type="supersede", key=key, target_fact_id=known.fact_id, reason="test", candidate=said(
        key=key, value_text="User has 30", object="30", category="other", explicit=False))  # fmt: skip
    assert guard(proposed, known, predicates={}, config=Config()).type == "supersede"


def test_a_plain_denial_ends_and_a_vague_one_asks(tell: Tell) -> None:
    [known] = tell("I live in Porto.").facts("ana")
    for confidence, outcome in ((0.95, "expire"), (0.85, "mark_pending_confirmation"), (0.5, "mark_pending_confirmation")):
        denial = said(object="Porto", negated=True, confidence=confidence)
        proposed = Action(type="expire", key=denial.key, target_fact_id=known.fact_id, reason="test", candidate=denial)
        assert guard(proposed, known, predicates={}, config=Config()).type == outcome


def test_what_is_too_uncertain_to_refine_something_of_high_risk_makes_it_no_surer(tell: Tell) -> None:
    [known] = tell("I live in Porto.").facts("ana")
    more = said(object="Porto, Portugal", value_text="User lives in Porto, Portugal", confidence=0.5)
    proposed = Action(
        type="update", key=more.key, target_fact_id=known.fact_id, reason="test", candidate=more, new_value_text="x", confidence_delta=0.3
    )
    allowed = guard(proposed, known, predicates={}, config=Config())
    assert (allowed.type, allowed.confidence_delta) == ("noop", 0.0)


@pytest.mark.parametrize(("times", "status"), [(3, P), (4, A)])
def test_what_is_of_high_risk_and_said_in_passing_waits_until_it_is_nearly_certain(times: int, status: str, tell: Tell) -> None:
    mem = tell("I live in Porto.", *["I live in Braga."] * times)
    assert [fact.status for fact in mem.facts("ana") if fact.object == "Braga"] == [status]


@pytest.mark.parametrize(("delta", "outcome"), [(0.09, "noop"), (0.1, "update")])
def test_what_is_of_high_risk_waits_up_to_nine_tenths(delta: float, outcome: str, tell: Tell) -> None:
    [waiting] = tell("I live in Porto.", "I live in Braga.").facts("ana", statuses=["pending_confirmation"])
    again = said(object="Braga", value_text="User lives in Braga", explicit=False)
    proposed = Action(type="update", key=again.key, target_fact_id=waiting.fact_id, reason="test", candidate=again, confidence_delta=delta)
    assert guard(proposed, waiting.model_copy(update={"confidence": 0.8}), predicates={}, config=Config()).type == outcome


def test_an_insert_needs_no_leave() -> None:
    proposed = Action(type="insert", key="user.lives_in", reason="test", candidate=said(confidence=0.1))
    assert guard(proposed, None, predicates={}, config=Config()) is proposed


def test_the_same_action_of_the_same_turn_is_applied_once(tell: Tell) -> None:
    mem = tell("I live in Porto.")
    [known] = mem.facts("ana")
    db = mem._store.database()
    origin = Origin(user_id="ana", turn_id="t9", now=datetime(2025, 4, 1, tzinfo=UTC))
    move = Action(type="supersede", key="user.lives_in", target_fact_id=known.fact_id, reason="test", candidate=said())
    with db.transaction():
        ids = [apply(db, move, origin=origin, predicates={}, config=Config()) for _ in range(3)]
    assert [fact.fact_id for fact in mem.facts("ana")] == ids[:1]
    assert ids[1:] == [None, None]
    assert [change.operation for change in mem.history(user_id="ana")] == ["insert", "supersede", "insert"]


def test_what_is_not_committed_never_happened(tell: Tell) -> None:
    mem = tell("I live in Porto.")
    db = mem._store.database()
    before = mem.history()
    move = Action(type="insert", key="user.lives_in", reason="test", candidate=said())
    origin = Origin(user_id="ana", turn_id="t9", now=datetime(2025, 4, 1, tzinfo=UTC))

    def interrupted() -> None:
        with db.transaction():
            apply(db, move, origin=origin, predicates={}, config=Config())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert mem.history() == before
    assert [fact.object for fact in mem.facts("ana")] == ["Porto"]


@pytest.mark.parametrize("statement", ["update fact_history set reason = ''", "delete from fact_history"])
def test_the_history_cannot_be_rewritten(statement: str, tell: Tell) -> None:
    mem = tell("I live in Porto.")
    with pytest.raises(apsw.ConstraintError, match="append-only"):
        mem._store.database().connection.execute(statement)


def test_while_somebody_is_forgotten_another_s_history_cannot_be_rewritten(tell: Tell) -> None:
    mem = tell("I live in Porto.")
    db = mem._store.database().connection
    db.execute("insert into erasures (user_id, key) values ('bea', null)")
    for statement in ("update fact_history set reason = ''", "delete from fact_history"):
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            db.execute(statement)


def test_confirming_and_rejecting_are_for_what_is_live(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.")
    [old] = mem.facts("ana", statuses=("superseded",))
    for decide in (mem.confirm, mem.reject):
        with pytest.raises(memdb.InputError, match="is superseded"):
            decide(old.fact_id)


def test_confirming_again_and_again_never_passes_certainty(tell: Tell) -> None:
    [fact] = tell("I live in Porto.").facts("ana")
    mem = tell()
    for expected in (0.7, 0.85, 0.925):
        assert mem.confirm(fact.fact_id).confidence == expected
    for _ in range(60):
        assert mem.confirm(fact.fact_id).confidence <= 1.0


def test_rejecting_an_active_fact_leaves_its_rival_to_be_confirmed(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Braga.")
    [porto] = mem.facts("ana", statuses=("active",))
    mem.reject(porto.fact_id)
    [braga] = mem.facts("ana")
    assert (braga.object, braga.status) == ("Braga", "pending_confirmation")
    assert mem.confirm(braga.fact_id).status == "active"
    assert mem.facts("ana", as_of="2025-03-01T12:00:00Z") == []


def test_a_turn_out_of_two_facts_changes_only_what_it_speaks_of(tell: Tell) -> None:
    mem = tell("I live in Porto and work as a nurse.", "I moved to Lisbon.")
    held = {fact.key: (fact.object, fact.source_turn_id) for fact in mem.facts("ana")}
    assert held == {"user.lives_in": ("Lisbon", "t1"), "user.works_as": ("nurse", "t0")}


# sources


@pytest.mark.parametrize(
    ("first", "then", "held"),
    [
        ("user_message", "user_message", "Faro"),
        ("user_message", "tool", "Faro"),
        ("web_scraped", "user_message", "Faro"),
        ("inferred", "web_scraped", "Faro"),
        ("user_message", "web_scraped", "Porto"),
        ("user_message", "inferred", "Porto"),
        ("tool", "inferred", "Porto"),
    ],
)
def test_what_is_newer_holds_unless_its_source_is_clearly_less_reliable(mem: memdb.Memory, first: Source, then: Source, held: str) -> None:
    for day, (place, source) in enumerate((("Porto", first), ("Faro", then), ("Faro", then)), start=1):
        mem.remember(f"User lives in {place}", user_id="ana", key="user.lives_in", object=place, source=source, timestamp=f"2025-03-0{day}")
    (believed,) = mem.facts("ana", statuses=["active"])
    question = mem.context("Where do I live?", user_id="ana", now="2025-03-04").question
    assert (believed.object, bool(question)) == (held, held == "Porto")


def test_what_the_web_says_again_and_again_waits_for_the_user(mem: memdb.Memory) -> None:
    for day, (name, source) in enumerate(
        (("green", "user_message"), ("blue", "web_scraped"), ("blue", "web_scraped"), ("blue", "web_scraped")), start=1
    ):
        mem.remember(f"Likes {name}", user_id="ana", key="user.favourite_colour", object=name, source=source, timestamp=f"2025-03-0{day}")  # type: ignore[arg-type]
    assert [(fact.object, fact.status, fact.seen_count) for fact in mem.facts("ana")] == [("green", A, 1), ("blue", P, 3)]


@pytest.mark.parametrize(
    ("source", "object"),
    [
        ("user_message", "Fiat"),
        ("tool", "Fiat"),
        ("system", "Volvo"),
        ("inferred", "Volvo"),
        ("assistant_message", "Volvo"),
        ("web_scraped", "Volvo"),
    ],
)
def test_what_the_user_says_goes_before_what_a_clearly_less_reliable_source_said(mem: memdb.Memory, source: Source, object: str) -> None:
    mem.remember(
        "User drives a Fiat", user_id="ana", key="user.drives", object="Fiat", source=source, confidence=0.9, timestamp="2025-03-01"
    )
    mem.observe("I drive a Volvo.", user_id="ana", timestamp="2025-03-02")
    mem.drain()
    assert [fact.object for fact in mem.facts("ana", statuses=["active"])] == [object]


@pytest.mark.parametrize("source", ["tool", "inferred", "web_scraped"])
def test_where_somebody_lives_is_asked_about_whoever_said_otherwise(mem: memdb.Memory, source: Source) -> None:
    mem.remember(
        "User lives in Porto", user_id="ana", key="user.lives_in", object="Porto", source=source, confidence=0.9, timestamp="2025-03-01"
    )
    mem.observe("I live in Faro.", user_id="ana", timestamp="2025-03-02")
    mem.drain()
    assert {fact.object: fact.status for fact in mem.facts("ana")} == {"Porto": "active", "Faro": "pending_confirmation"}


def confirm(mem: memdb.Memory, fact: memdb.Fact) -> None:
    mem.confirm(fact.fact_id)


def say(mem: memdb.Memory, _: memdb.Fact) -> None:
    mem.observe("I drive a Fiat.", user_id="ana", turn_id="t", timestamp="2025-03-02")
    mem.drain()


def say_more(mem: memdb.Memory, _: memdb.Fact) -> None:
    mem.remember("User drives a red Fiat", user_id="ana", key="user.drives", object="red Fiat", timestamp="2025-03-02", turn_id="t")


@pytest.mark.parametrize("status", ["active", "uncertain"])
@pytest.mark.parametrize("act", [confirm, say, say_more])
def test_what_the_user_confirms_is_as_reliable_as_the_user(
    mem: memdb.Memory, act: Callable[[memdb.Memory, memdb.Fact], None], status: str
) -> None:
    guessed = mem.remember(
        "User drives a Fiat", user_id="ana", key="user.drives", object="Fiat", source="web_scraped", confidence=0.8, timestamp="2025-03-01"
    )
    if status == "uncertain":
        mem.doubt(guessed.fact_id)
    act(mem, guessed)
    assert [fact.source for fact in mem.facts("ana", statuses=["active"])] == ["user_message"]
    mem.remember("User drives a Volvo", user_id="ana", key="user.drives", object="Volvo", source="inferred", timestamp="2025-03-03")
    assert "Volvo" not in [fact.object for fact in mem.facts("ana", statuses=["active"])]


def test_what_is_taken_back_leaves_a_fact_as_reliable_as_before(mem: memdb.Memory) -> None:
    guessed = mem.remember(
        "User drives a Fiat", user_id="ana", key="user.drives", object="Fiat", source="web_scraped", timestamp="2025-03-01"
    )
    say(mem, guessed)
    mem.undo(user_id="ana", turn_id="t")
    assert mem.fact(guessed.fact_id).source == "web_scraped"


def test_a_less_reliable_source_that_says_it_too_changes_nothing_of_whose_word_it_is(mem: memdb.Memory) -> None:
    said = mem.remember("User drives a Fiat", user_id="ana", key="user.drives", object="Fiat", source="tool", timestamp="2025-03-01")
    mem.remember("User drives a Fiat", user_id="ana", key="user.drives", object="Fiat", source="web_scraped", timestamp="2025-03-02")
    assert (mem.fact(said.fact_id).source, mem.fact(said.fact_id).seen_count) == ("tool", 2)


def test_what_the_web_said_holds_once_the_user_says_it(mem: memdb.Memory) -> None:
    for day, (place, source) in enumerate((("Porto", "user_message"), ("Faro", "web_scraped"), ("Faro", "user_message")), start=1):
        mem.remember(f"User lives in {place}", user_id="ana", key="user.lives_in", object=place, source=source, timestamp=f"2025-03-0{day}")  # type: ignore[arg-type]
    assert [fact.object for fact in mem.facts("ana", statuses=["active"])] == ["Faro"]


@pytest.mark.parametrize("source", RELIABILITY)
def test_the_ranking_believes_a_source_as_far_as_the_guard_does(mem: memdb.Memory, source: Source) -> None:
    mem.remember("Likes jazz", user_id="ana", key="user.likes", source=source)
    assert mem.search("jazz", user_id="ana")[0].parts["source_reliability"] == RELIABILITY[source]


# what is to come


COMING: list[tuple[str, tuple[tuple[str, str], ...], list[tuple[str, str]]]] = [
    ("a change", (("I'm vegetarian.", "01-01"), ("From next month I'll be vegan.", "04-10")), [("vegetarian", "vegetarian"), ("vegan", "vegan")]),
    ("said in between",
     (("I'm vegetarian.", "01-01"), ("From next month I'll be vegan.", "04-10"), ("I'm vegetarian.", "04-15")),
     [("vegetarian", "vegetarian"), ("vegan", "vegan")]),
    ("said only then",
     (("From next month I'll be vegan.", "04-10"), ("I'm vegetarian.", "04-15")),
     [("vegetarian", "vegetarian"), ("vegan", "vegan")]),
    ("changed otherwise",
     (("I'm vegetarian.", "01-01"), ("From next month I'll be vegan.", "04-10"), ("I've become a pescatarian.", "04-15")),
     [("pescatarian", "pescatarian"), ("pescatarian", "pescatarian")]),
]  # fmt: skip


@pytest.mark.parametrize(("turns", "expected"), [case[1:] for case in COMING], ids=[case[0] for case in COMING])
def test_what_is_to_change_is_so_until_then(turns: list[tuple[str, str]], expected: list[tuple[str, str]], mem: memdb.Memory) -> None:
    for text, day in turns:
        mem.observe(text, user_id="ana", timestamp=f"2025-{day}T10:00:00Z")
    mem.drain()
    for day, (held, then) in zip(("2025-04-20", "2025-05-02"), expected, strict=True):
        assert [entry.value for entry in mem.profile("ana", now=day).hard_preferences["user.diet"]] == [held]
        assert [fact.object for fact in mem.facts("ana", key="user.diet", as_of=day)] == [then]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_what_comes_in_late_is_weighed_against_the_archive_too(mem: memdb.Memory, order: tuple[int, ...]) -> None:
    said = (("I live in Rome.", "2024-01-01"), ("I moved to Bern.", "2024-03-01"), ("I moved to Oslo.", "2024-06-01"))
    for text, day in (said[place] for place in order):
        mem.observe(text, user_id="ana", timestamp=day)
        mem.drain()
        mem.compact(now="2030-01-01")
    then = [mem.facts("ana", key="user.lives_in", as_of=day) for day in ("2024-02-01", "2024-04-01", "2024-07-01")]
    assert [[fact.object for fact in held] for held in then] == [["Rome"], ["Bern"], ["Oslo"]]


def test_a_known_home_is_dated_back_though_the_one_before_lies_in_the_archive(mem: memdb.Memory) -> None:
    said = (("I live in Rome.", "2024-01-01"), ("I moved to Oslo.", "2024-06-01"), ("I moved to Oslo in April 2024.", "2024-09-01"))
    for text, day in said:
        mem.observe(text, user_id="ana", timestamp=day)
        mem.drain()
        mem.compact(now="2030-01-01")
    assert [fact.object for fact in mem.facts("ana", key="user.lives_in", as_of="2024-05-01")] == ["Oslo"]


def test_what_is_confirmed_before_it_begins_ends_nothing_before_it_begins(tell: Tell) -> None:
    mem = tell("I live in Lisbon.", "I think I'll be living in Porto from next month.")
    (porto,) = mem.facts("ana", statuses=["pending_confirmation"])
    mem.confirm(porto.fact_id, now="2025-03-03")
    homes = [mem.profile("ana", now=day).identity["user.lives_in"][0].value for day in ("2025-03-04", "2025-04-02")]
    assert homes == ["Lisbon", "Porto"]
    mem.observe("Hello.", user_id="ana", timestamp="2025-04-03")
    mem.drain()
    held = mem.facts("ana", statuses=["active", "expired", "superseded"])
    assert [(fact.object, fact.status) for fact in held] == [("Lisbon", X), ("Porto", A)]


@pytest.mark.parametrize("sooner", ["I live in Braga now.", "I live in Braga.", "I moved to Braga yesterday."])
def test_what_was_to_come_may_be_so_sooner(tell: Tell, sooner: str) -> None:
    mem = tell("I live in Porto.", "From May I'll be living in Braga.", sooner)
    assert [(fact.object, fact.confidence) for fact in mem.facts("ana", key="user.lives_in", now="2025-03-05")] == [("Braga", 0.85)]
    assert mem.facts("ana", key="user.lives_in", as_of="2025-03-01T12:00:00Z")[0].object == "Porto"


@pytest.mark.parametrize("later", ["I moved to Lisbon.", "Actually, I live in Lisbon."])
def test_what_comes_in_later_was_said_later_though_the_clock_was_ahead(mem: memdb.Memory, later: str) -> None:
    ahead = datetime.now(UTC) + timedelta(hours=2)
    mem.observe("I live in Porto. I like jam.", user_id="ana", timestamp=ahead)
    mem.observe(later, user_id="ana")
    mem.observe("I don't like jam any more.", user_id="ana")
    mem.drain()
    assert [fact.object for fact in mem.facts("ana", now=ahead)] == ["Lisbon"]


def test_what_is_said_again_is_so_from_now_on_though_the_clock_was_ahead(mem: memdb.Memory) -> None:
    for at in (datetime.now(UTC) + timedelta(days=365), None):
        mem.observe("I like jam.", user_id="ana", timestamp=at)
        mem.drain()
    assert [entry.value for entry in mem.profile("ana").soft_preferences["user.likes"]] == ["jam"]


@pytest.mark.parametrize("days", [1, 365, 3650])
def test_what_was_said_counts_also_while_the_clock_is_behind_what_it_was(mem: memdb.Memory, days: int) -> None:
    ahead = datetime.now(UTC) + timedelta(days=days)
    mem.consent("ana", sensitive_topics="keep")
    for said in ("My name is Ana.", "I'm allergic to nuts.", "I work at Bosch.", "I have a dog called Rex.", "Remind me to call Bob."):
        mem.observe(said, user_id="ana", timestamp=ahead)
    mem.observe("From next month I'll be living in Porto.", user_id="ana", timestamp=ahead)
    mem.drain()
    held = mem.profile("ana")
    assert {**held.identity, **held.hard_preferences}.keys() >= {"user.name", "user.works_at", "user.pet"}
    assert [task.value for task in held.current_tasks] == ["call Bob"]
    assert [entry.value for entry in held.sensitive_topics] == ["nuts"]
    for text in (mem.page("ana"), mem.context("Which pet do I have?", user_id="ana").text, str(mem.session("ana").bootstrap)):
        assert [words in text for words in ("Rex", "call Bob", "(from")] == [True, True, False]
    assert "Porto" not in str(held)
    assert mem.profile("ana", now=ahead - timedelta(hours=1)).identity == {}


def test_the_last_change_is_told_first_also_while_the_clock_is_behind_what_it_was(mem: memdb.Memory) -> None:
    ahead = datetime.now(UTC) + timedelta(days=2)
    told = []
    for text, at in (
        ("I live in Porto.", ahead),
        ("I moved to Faro.", ahead + timedelta(hours=1)),
        ("I moved to Rome.", None),
        ("I moved to Oslo.", None),
    ):
        mem.observe(text, user_id="ana", timestamp=at)
        mem.drain()
        told.append([str(one.after).removeprefix("User lives in ") for one in mem.profile("ana").recent_changes])
    assert told == [[], ["Faro"], ["Rome", "Faro"], ["Oslo", "Rome", "Faro"]]
    assert mem.profile("ana", now=ahead - timedelta(days=4)).recent_changes == []


@pytest.mark.parametrize("question", ["What did I say last?", "What did I just tell you?"])
def test_what_was_said_last_is_told_also_while_the_clock_is_behind_what_it_was(question: str, mem: memdb.Memory) -> None:
    ahead = datetime.now(UTC) + timedelta(days=2)
    for text, at in (("My cat sleeps.", ahead), ("My dog barks.", ahead + timedelta(hours=1)), ("My parrot sings.", None)):
        mem.observe(text, user_id="ana", timestamp=at)
        mem.drain()
        assert mem.search(question, user_id="ana", limit=1)[0].fact.value_text == text
        assert mem.explain(question, user_id="ana", limit=1).hits[0].fact.value_text == text
    assert "parrot" in mem.context("What did I say last?", user_id="ana").text


def test_this_conversation_is_the_last_one_also_while_the_clock_is_behind_what_it_was(mem: memdb.Memory) -> None:
    ahead = datetime.now(UTC) + timedelta(days=2)
    for text, session, at in (("My cat sleeps.", "one", ahead), ("My dog barks.", "two", ahead - timedelta(hours=1))):
        mem.observe(text, user_id="ana", session_id=session, timestamp=at)
        mem.drain()
    found = mem.search("What did I say in this conversation?", user_id="ana")
    assert [hit.fact.value_text for hit in found if hit.fact.kind == "message"][:1] == ["My dog barks."]


def test_what_waits_is_none_that_is_to_come_while_the_clock_is_behind_what_it_was(mem: memdb.Memory) -> None:
    ahead = datetime.now(UTC) + timedelta(days=2)
    for text in ("I live in Porto.", "I live in Faro."):
        mem.observe(text, user_id="ana", timestamp=ahead)
        mem.drain()
    assert str(mem.context("Where do I live?", user_id="ana").question).endswith("or “User lives in Faro”, as said since?")
    assert "(from" not in str(mem.session("ana").bootstrap)


def test_what_is_so_now_refutes_no_doubt_about_what_is_to_come(tell: Tell) -> None:
    mem = tell("I live in Lisbon.", "I think I'll be living in Porto from next month.", "I live in Lisbon.")
    assert [(fact.object, fact.status) for fact in mem.facts("ana", now="2025-03-04")] == [("Lisbon", A), ("Porto", P)]
    assert "(from 2025-04-01)" in str(mem.context("Where do I live?", user_id="ana", now="2025-03-04").question)


def test_an_application_states_what_is_so_beside_what_is_to_come(mem: memdb.Memory) -> None:
    place(mem, "Porto", "2025-03-10", valid_from="2025-06-01")
    place(mem, "Lisbon", "2025-03-20", valid_from="2020-01-01")
    held = [(fact.object, fact.status, fact.confidence) for fact in mem.facts("ana", now="2025-03-21")]
    assert held == [("Lisbon", A, 0.7), ("Porto", A, 0.7)]
    homes = [mem.profile("ana", now=day).identity["user.lives_in"][0].value for day in ("2025-04-01", "2025-07-01")]
    assert homes == ["Lisbon", "Porto"]


def test_what_an_application_states_of_the_future_ends_nothing_before_it_begins(mem: memdb.Memory) -> None:
    place(mem, "Lisbon", "2025-03-01")
    place(mem, "Porto", "2025-03-10", valid_from="2025-06-01")
    place(mem, "Faro", "2025-03-20", valid_from="2025-09-01")
    days = ("2025-04-01", "2025-07-01", "2025-10-01")
    assert [mem.profile("ana", now=day).identity["user.lives_in"][0].value for day in days] == ["Lisbon", "Porto", "Faro"]


@pytest.mark.parametrize("later", ["2025-04-11", "2025-05-03"])
def test_a_change_that_is_to_come_is_taken_back_with_its_turn(mem: memdb.Memory, later: str) -> None:
    said = (("I'm vegetarian.", "2025-01-01"), ("From next month I'll be vegan.", "2025-04-10"), ("Hello.", later))
    for turn, (text, day) in enumerate(said):
        mem.observe(text, user_id="ana", turn_id=f"t{turn}", timestamp=day)
    mem.drain()
    mem.undo(user_id="ana", turn_id="t1", now=later)
    assert [(fact.object, fact.valid_to) for fact in mem.facts("ana", now="2025-06-01")] == [("vegetarian", None)]


@pytest.mark.parametrize("end", ["I moved to Rome.", "I live in Rome now."])
def test_a_change_ends_early_what_was_to_last_for_a_time(tell: Callable[..., memdb.Memory], end: str) -> None:
    mem = tell("I live in Porto until June.", end)
    assert [fact.object for fact in mem.facts("ana", key="user.lives_in", now="2025-03-05")] == ["Rome"]


@pytest.mark.parametrize(
    "turns",
    [
        ["I live in Faro.", "For the summer I live in Berlin.", "I moved to Porto."],  # what is so for a time beside what lasts
        ["For this week I live in Berlin.", "I live in Porto."],  # what lasts, told beside what is so for a time
    ],
)
def test_what_is_so_for_a_time_stays_beside_what_lasts(tell: Callable[..., memdb.Memory], turns: list[str]) -> None:
    mem = tell(*turns)
    assert {fact.object for fact in mem.facts("ana", now="2025-03-02") if fact.key in ("user.lives_in", "user.staying_in")} == {
        "Porto",
        "Berlin",
    }


def test_what_is_stated_takes_the_place_of_what_was_to_last_for_a_time(mem: memdb.Memory) -> None:
    mem.remember("Ana works at Bosch", user_id="ana", key="user.works_at", object="Bosch", valid_to="2025-12-01", timestamp="2025-03-01")
    mem.remember("Ana works at Nokia", user_id="ana", key="user.works_at", object="Nokia", timestamp="2025-03-02")
    assert [fact.object for fact in mem.facts("ana", key="user.works_at", now="2025-03-03")] == ["Nokia"]


def test_a_decision_is_named_as_it_always_was_so_that_a_retry_after_an_upgrade_is_known() -> None:
    assert action_hash_of("end", "é", 1, None, ["b", {"z": 1, "a": 2}]) == "b361f172e0b2b312fd838e1f301f5c67"


def test_what_waited_was_last_mentioned_when_it_was_confirmed(mem: memdb.Memory) -> None:
    for month, place in ((3, "Porto"), (4, "Faro")):
        mem.observe(f"I live in {place}.", user_id="ana", turn_id=f"t{month}", timestamp=f"2025-0{month}-01T10:00:00Z")
        mem.drain()
    (waits,) = mem.facts("ana", key="user.lives_in", statuses=["pending_confirmation"])
    mem.confirm(waits.fact_id, now="2025-06-01")
    (faro,) = mem.facts("ana", key="user.lives_in")
    assert (faro.object, f"{faro.last_mentioned_at:%m}", f"{faro.updated_at:%m}") == ("Faro", "06", "06")


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("My dad is sixty-six.", "My dad is 66."),
        ("I'm 33.", "I am thirty-three."),
        ("My son is eleven.", "My son is 11."),
        ("I have two cats.", "I have 2 cats."),
    ],
)
def test_a_number_in_words_is_the_same_in_digits(mem: memdb.Memory, first: str, again: str) -> None:
    for said in (first, again):
        mem.observe(said, user_id="u")
        mem.drain()
    [fact] = [fact for fact in mem.facts(user_id="u") if fact.kind == "fact"]
    assert (fact.status, fact.seen_count) == ("active", 2)


def test_another_number_is_another_value_however_long_it_is(mem: memdb.Memory) -> None:
    for said in ("My son is eleven.", "My son is 12.", f"I have {'9' * 5_000} cats.", f"I have {'9' * 5_001} cats."):
        mem.observe(said, user_id="u")
        mem.drain()
    assert {fact.object for fact in mem.facts(user_id="u") if fact.key == "son.age"} == {"eleven", "12"}


def test_what_is_so_now_lasts_until_the_first_of_what_is_to_come_begins(tell: Callable[..., memdb.Memory]) -> None:
    mem = tell("I'll be living in Lisbon from June.", "I'll be living in Faro from September.", "I live in Porto.")
    begun = {fact.object: (fact.valid_from, fact.valid_to) for fact in mem.facts("ana", key="user.lives_in", now="2025-04-01")}
    assert sorted(begun, key=lambda place: begun[place][0]) == ["Porto", "Lisbon", "Faro"]
    assert (begun["Porto"][1], begun["Lisbon"][1], begun["Faro"][1]) == (begun["Lisbon"][0], begun["Faro"][0], None)
