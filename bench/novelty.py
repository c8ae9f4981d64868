"""What a cosine knows of novelty: pairs of sentences that say the same, and pairs that do not, and how near MiniLM finds them.

    python bench/novelty.py [--from 0.92]

The pairs were made by hand, for the question which of them a memory may take for one fact.
"""

from __future__ import annotations

import argparse

from memdb.embed import MiniLM
from memdb.keys import says_the_same

SAME = """
User works at Google | User is employed by Google
User works as doctor | User works as physician
User likes soccer | User likes football
User likes jazz | User likes jazz music
User likes jazz | User loves jazz
User likes jazz | User enjoys jazz
User lives in Lisbon | User's home is Lisbon
User lives in Lisbon | User is living in Lisbon
User lives in Lisbon | User resides in Lisbon
User lives in NYC | User lives in New York City
User has a dog called Bica | User owns a dog named Bica
User has a dog called Bica | User's dog is Bica
User enjoys running | User loves to run
User is allergic to peanuts | User has a peanut allergy
User is a vegetarian | User does not eat meat
User has the hobby of chess | User plays chess
User is married to Rui | User's husband is Rui
User works as nurse | User is a nurse
User plays the guitar | User plays guitar
User goes running every morning | User runs each morning
User enjoys jazz | User is fond of jazz
User lives in Lisbon | User is based in Lisbon
User owns a Volvo | User has a Volvo
User is afraid of spiders | User has a fear of spiders
User works at Google | User has a job at Google
User plays tennis on Sundays | User has tennis on Sundays
User has a cat called Miso | User's cat is called Miso
User is vegetarian | User eats vegetarian food
"""

DIFFERENT = """
User lives in Berlin | User lives in Munich
User lives in Lisbon | User lives in Porto
User likes cats | User likes dogs
User likes red wine | User likes white wine
User is allergic to nuts | User is not allergic to nuts
User is allergic to peanuts | User is allergic to hazelnuts
User is allergic to peanuts | User is allergic to nuts
User is vegan | User is vegetarian
User likes jazz | User dislikes jazz
User likes jazz | User does not like jazz
User was born in Lisbon | User lives in Lisbon
User speaks German | User studies German
User wants a dog | User has a dog
User's mother is ill | User's father is ill
User has 2 cats | User has 3 cats
User is aged 34 | User is aged 35
User's wife is called Ana | User's daughter is called Ana
User is left-handed | User is right-handed
User prefers hot weather | User prefers cold weather
User likes tea | User likes green tea
User has a sister called Maria | User has a sister called Marta
User works at Google | User worked at Google
User plans flying to Rome | User plans flying from Rome
User drinks coffee in the morning | User drinks coffee in the evening
User wants to quit smoking | User quit smoking
User takes ibuprofen 200 mg | User takes ibuprofen 400 mg
User is flying to Rome on Monday | User is flying to Rome on Tuesday
User lent Rui 50 euros | Rui lent User 50 euros
User's mother lives in Porto | User lives in Porto
User can swim | User cannot swim
User hates mornings | User loves mornings
User always locks the door | User never locks the door
User has a son | User has a daughter
User drives an electric car | User drives a car
User works night shifts | User works day shifts
User is single | User is married
User prefers window seats | User prefers aisle seats
User takes sugar in coffee | User takes coffee without sugar
User dislikes spicy food | User avoids spicy food
User moved to Lisbon | User lives in Lisbon
User is afraid of flying | User likes flying
User is moving out of Porto | User is moving to Porto
User bought a house in Porto | User sold a house in Porto
User lent Rui 50 euros | User borrowed 50 euros from Rui
User teaches Portuguese | User learns Portuguese
User loves swimming | User hates swimming
User started a diet | User stopped a diet
User arrives on Friday | User leaves on Friday
User owns a car | User rents a car
User rents a flat in Lisbon | User owns a flat in Lisbon
User rents a flat in Lisbon | User lets a flat in Lisbon
User is hiring a nanny | User is a nanny
User won the match against Braga | User lost the match against Braga
User trusts Rui | User distrusts Rui
User married Ana | User divorced Ana
User is married to Ana | User is divorced from Ana
User accepted the job at Google | User declined the job at Google
User applied for a job at Google | User got a job at Google
User works at Google | User has worked at Google
User works at Google | User wants to work at Google
User works at Google | User quit Google
User supports Benfica | User opposes Benfica
User sent the parcel to Rui | User received the parcel from Rui
User hopes to visit Japan | User visited Japan
User plans to visit Japan | User visited Japan
User remembers the wifi code | User forgot the wifi code
User likes jazz | User used to like jazz
User smokes | User used to smoke
User prefers tea over coffee | User prefers coffee over tea
User manages Rui | Rui manages User
User is taller than Rui | User is shorter than Rui
User increased the dose of metformin | User reduced the dose of metformin
User needs glasses | User wears glasses
User attends yoga on Tuesdays | User teaches yoga on Tuesdays
User has a meeting with Rui | User cancelled a meeting with Rui
User drives a Volvo | User owns a Volvo
User is learning Portuguese | User studies Portuguese
User prefers aisle seats | User likes aisle seats
"""


def main() -> None:
    """Print the pairs that are as near as a repetition must be, and how many of each sort there are."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--from", dest="least", type=float, default=0.92, help="from this cosine on, sentences count as near")
    least = parser.parse_args().least
    embedder = MiniLM()
    for name, text in (("same", SAME), ("different", DIFFERENT)):
        pairs = [tuple(line.split(" | ")) for line in text.strip().splitlines()]
        ones, others = (embedder.embed([pair[side] for pair in pairs]) for side in (0, 1))
        cosines = (ones * others).sum(axis=1)
        near = [(float(cosine), pair) for cosine, pair in zip(cosines, pairs, strict=True) if cosine >= least]
        taken = sum(says_the_same(*pair) for _, pair in near)
        print(f"{name}: {len(near)} of {len(pairs)} pairs are nearer than {least}, {taken} of them have the same words")
        for cosine, (one, other) in sorted(near, reverse=True):
            print(f"  {cosine:.3f}  {one} | {other}")


if __name__ == "__main__":
    main()
