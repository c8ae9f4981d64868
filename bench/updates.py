"""What is found first when something was said, and later something else: what is so now, or what was so once.

    python bench/updates.py

Each line of `TOLD` is a person who tells something and, a month later, that it is otherwise, among small talk that has nothing to do with
it; the last two parts ask how it is and how it was. Rules read what is said; no model is asked. The lines were written by hand before
anything was measured; the rules were mended then by the first thirty, and later by the kinds of wording that the others showed to be
missing. A hit counts for the sentence it was learned from, or is.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import memdb

TOLD = """
I live in Porto. | I moved to Braga. | Where do I live? | Where did I live before?
I work at Bosch. | I started a new job at Siemens. | Where do I work? | Where did I work before?
I'm a teacher. | I'm a nurse now, I changed careers. | What is my job? | What was my job before?
My favourite colour is blue. | My favourite colour is green now. | What is my favourite colour? | What was my favourite colour before?
I'm vegetarian. | I'm not vegetarian any more. | Am I vegetarian? | Was I ever vegetarian?
My girlfriend is called Marta. | Marta and I broke up. | Do I have a girlfriend? | What was my girlfriend called?
I love jazz. | I don't like jazz any more. | Do I like jazz? | Did I use to like jazz?
I drive a Volvo. | I sold the Volvo and bought a Tesla. | What car do I drive? | What car did I drive before?
I study physics. | I switched from physics to mathematics. | What do I study? | What did I study before?
I have a cat called Mimi. | Mimi died last week. | Do I have a cat? | What was my cat called?
I'm single. | I got married on Saturday. | Am I single? | Was I single before?
I'm 34 years old. | I turned 35 today. | How old am I? | How old was I before?
I play tennis every week. | I gave up tennis. | Do I play tennis? | What sport did I use to play?
I'm learning Spanish. | I stopped learning Spanish, I'm learning Italian now. | What am I learning? | What did I learn before?
My boss is called Rui. | My new boss is called Carla. | Who is my boss? | Who was my boss before?
I smoke. | I quit smoking. | Do I smoke? | Did I use to smoke?
I live with my parents. | I moved out of my parents' house. | Who do I live with? | Who did I live with before?
We live in Lisbon with our two cats. | We've just moved to Coimbra. | Which city do we live in? | Which city did we live in before?
I'm allergic to nuts. | I'm no longer allergic to nuts. | Am I allergic to nuts? | Was I ever allergic to nuts?
My gym is Holmes Place. | I go to Fitness Hut now. | Which gym do I go to? | Which gym did I go to before?
I support Benfica. | I support Sporting now. | Which club do I support? | Which club did I support before?
I take ibuprofen for my back. | I don't take ibuprofen any more. | Do I take ibuprofen? | Did I ever take ibuprofen?
My phone is an iPhone. | I have a Pixel phone now. | What phone do I have? | What phone did I have before?
I'm working on Atlas. | I finished Atlas, I'm working on Hermes now. | What am I working on? | What was I working on before?
I drink coffee every morning. | I switched from coffee to tea. | What do I drink in the morning? | What did I drink in the morning before?
My doctor is Dr Silva. | My new doctor is Dr Costa. | Who is my doctor? | Who was my doctor before?
I'm unemployed. | I got a job at Nokia. | Where do I work? | Was I unemployed?
My sister lives in Madrid. | My sister moved to Paris. | Where does my sister live? | Where did my sister live before?
I prefer the window seat. | I prefer the aisle seat now. | Which seat do I prefer? | Which seat did I prefer before?
I go to bed at ten. | I go to bed at midnight now. | When do I go to bed? | When did I go to bed before?
I'm with Vodafone for my phone. | I've just switched from Vodafone to Orange. | Which operator am I with? | Which one was I with before?
My therapist is called Ruth. | I stopped seeing Ruth, my therapist is Simon now. | Who is my therapist? | Who was my therapist before?
I usually take the 8:15 train. | I take the 7:40 train these days. | Which train do I take? | Which train did I take before?
I do yoga on Mondays. | I do yoga on Thursdays now. | On which day do I do yoga? | On which day did I do yoga before?
My son plays the trumpet. | My son swapped the trumpet for the drums. | What does my son play? | What did my son play before?
My wife works at the hospital. | My wife left the hospital, she's at a clinic now. | Where does my wife work? | Where did she work before?
I have brown hair. | I dyed my hair blonde. | What colour is my hair? | What colour was my hair before?
I pay 40 euros a month for the gym. | The gym costs me 55 euros a month now. | How much do I pay for the gym? | How much was the gym before?
I shop at Aldi. | I've switched from Aldi to Mercadona. | Where do I shop? | Where did I shop before?
I sleep in the front bedroom. | I sleep in the back bedroom now. | Which bedroom do I sleep in? | Which bedroom did I sleep in before?
I read the Guardian. | I've cancelled the Guardian, I read the Times instead. | Which newspaper do I read? | Which one did I read before?
My daughter is in year five. | My daughter is in year six now. | Which year is my daughter in? | Which year was my daughter in before?
I play the violin in an orchestra. | I left the orchestra and joined a quartet. | Which group do I play in? | Where did I play before?
We go on holiday to the Algarve every summer. | We go to Galicia in the summer now. | Where do we go in summer? | Where did we go before?
I use Outlook at work. | We moved from Outlook to Gmail at work. | Which e-mail do I use at work? | Which e-mail did I use at work before?
My landlord is Mr Costa. | The flat was sold, our new landlord is Mrs Lima. | Who is my landlord? | Who was my landlord before?
I wear a size 40. | I've lost weight, I wear a size 38 now. | What size do I wear? | What size did I wear before?
I take the car to work. | I sold the car and go to work by bike. | How do I get to work? | How did I get to work before?
I'm a waitress. | I've been promoted to shift manager. | What is my job? | What was my job before?
I get up at six. | Since the baby I get up at five. | When do I get up? | When did I get up before?
My best friend is Carla. | Carla and I fell out, my best friend is Joana now. | Who is my best friend? | Who was my best friend before?
I drink two coffees a day. | I'm down to one coffee a day. | How many coffees do I drink a day? | How many coffees did I drink before?
I'm in the chess club. | I quit the chess club and joined the debating society. | Which club am I in? | Which club was I in before?
My car is insured with AXA. | I've insured the car with Zurich now. | Who is my car insured with? | Who was my car insured with before?
I support Ajax. | I can't stand Ajax any more, I'm for Feyenoord. | Which club do I support? | Which club did I support before?
I'm studying to be a vet. | I've changed course, I'm studying to be a teacher. | What am I studying to be? | What was I going to be?
My desk is by the window. | They moved my desk next to the kitchen. | Where is my desk? | Where was my desk before?
I go to Dr Amaral for my eyes. | My optician is Dr Neves now. | Who is my optician? | Who was my optician before?
I'm on the night shift. | I've been put on the morning shift. | Which shift am I on? | Which shift was I on before?
I have an Android phone. | I've gone over to an iPhone. | What phone do I have? | What phone did I have before?
""".strip()

TALK = [
    "The weather is lovely today.", "I had soup for lunch.", "The train was late again.", "I watched a film about whales.",
    "Can you recommend a book?", "My neighbour is painting his fence.", "It rained the whole weekend.", "The meeting took two hours.",
]  # fmt: skip
SETS = ("default", "default without knowledge_update", "default without outdated", "mem-skill", "vector-only", "lexical-only")
OLD, NEW, NOW = "2025-03-01T10:00:00Z", "2025-04-01T10:00:00Z", "2025-04-20T10:00:00Z"
WITHIN = 3


def main() -> None:
    """Tell everything, ask everything, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wrong", action="store_true", help="print the questions about now that the default set does not answer first")
    arguments = parser.parse_args()
    people = [[part.strip() for part in line.split("|")] for line in TOLD.splitlines()]
    with (
        tempfile.TemporaryDirectory() as folder,
        memdb.open(Path(folder) / "mem.db", llm=None, config={"worker": False, "record_retrievals": False}) as mem,
    ):
        usual = mem.weight_sets()["default"]
        mem.set_weights({SETS[1]: {**usual, "knowledge_update": 0.0}, SETS[2]: {**usual, "outdated": 0.0}})
        for number, (old, new, _, _) in enumerate(people):
            user = f"user{number}"
            mem.observe(old, user_id=user, turn_id="old", timestamp=OLD)
            mem.observe(new, user_id=user, turn_id="new", timestamp=NEW)
            for place, text in enumerate(TALK):
                mem.observe(text, user_id=user, turn_id=f"talk{place}", timestamp=f"2025-03-{place * 3 + 4:02}T18:00:00Z")
        mem.drain()
        print("| weight set | now: the new first | now: the old first | then: the old among three |")
        print("|---|---|---|---|")
        for name in SETS:
            new_first = old_first = then = 0
            for number, (_, _, present, past) in enumerate(people):
                turns = [hit.fact.source_turn_id for hit in mem.search(present, user_id=f"user{number}", now=NOW, weights=name)]
                new_first += turns[:1] == ["new"]
                old_first += turns[:1] == ["old"]
                hits = mem.search(past, user_id=f"user{number}", now=NOW, weights=name)
                then += "old" in [hit.fact.source_turn_id for hit in hits[:WITHIN]]
                if arguments.wrong and name == "default" and turns[:1] != ["new"]:
                    print(f"<!-- {present} {turns[:3]} -->")
            print(f"| {name} | " + " | ".join(f"{100 * count / len(people):.0f}" for count in (new_first, old_first, then)) + " |")
        print(f"\nPer cent of {len(people)} people; by words and {mem.stats().embedder}.")


if __name__ == "__main__":
    main()
