"""What may be over of what is believed, by its name and the words around it: what is sure is over, what is not is asked about."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memdb
from memdb.english_rules import rules

Tell = Callable[..., memdb.Memory]
SURE = [example for one in rules().surmise for example in one.examples]


def believed(mem: memdb.Memory, *statuses: memdb.Status) -> list[tuple[str, str]]:
    facts = mem.facts("ana", statuses=statuses or ["active"], kinds=["fact"], now="2025-06-01T10:00:00Z")
    return [(fact.key, fact.object) for fact in facts]


@pytest.mark.parametrize(("before", "text", "key", "value"), SURE)
def test_what_is_said_to_be_over_by_its_name_is_over(before: str, text: str, key: str, value: str, tell: Tell) -> None:
    assert [object_ for known, object_ in believed(tell(before, text)) if known == key] == ([value] if value else [])


@pytest.mark.parametrize(
    ("before", "text", "doubted"),
    [
        ("I take metformin.", "They've put me on insulin instead of metformin.", "metformin"),
        ("I'm lactose intolerant.", "Lactose doesn't bother me any longer.", "lactose"),
        ("I have a cat called Tiger.", "Tiger didn't make it.", "cat called Tiger"),
        ("My husband is Carl.", "I'm divorcing Carl.", "Carl"),
        ("My wife is called Lena.", "I had lunch with my ex-wife Lena.", "Lena"),
        ("My boss is Carl.", "My former boss Carl called.", "Carl"),
        ("I play badminton.", "I've hung up my badminton racket.", "badminton"),
        ("I don't eat pork.", "I eat pork.", "pork"),
        ("I don't drink coffee.", "I drink a lot of coffee, mostly at work.", "coffee"),
        ("I'm allergic to strawberries.", "I eat strawberries every day.", "strawberries"),
        ("I'm learning German.", "German was too hard, I quit.", "German"),
        ("My phone is a Nokia.", "I've thrown out the Nokia.", "Nokia"),
        ("I play the violin.", "Haven't touched the violin in years.", "violin"),
        ("I use Windows.", "I'm a Mac person now.", "Windows"),
        ("I read the Guardian.", "I've gone over to the Times.", "Times"),
    ],
)
def test_what_may_be_over_is_asked_about_and_believed_until_then(before: str, text: str, doubted: str, tell: Tell) -> None:
    said = believed(tell(before))
    mem = tell(text)
    assert set(said) <= set(believed(mem))
    assert doubted in [value for _, value in believed(mem, "pending_confirmation")]


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I work at Tesco.", "If Tesco ever let me go I'd try Aldi."),
        ("My ex-girlfriend is called Lea.", "My ex-girlfriend Lea and I share a dog."),
        ("I work at Tesco.", "My sister parted ways with Tesco."),
        ("I don't eat pork.", "When I eat pork I get a rash."),
        ("I don't eat pork.", "If I eat pork, my mother cries."),
        ("I don't eat pork.", "I eat pork-free sausages."),
        ("I don't eat pork.", "My wife eats pork."),
        ("I don't eat pork.", "I eat pork only in dreams."),
        ("I don't eat pork.", "Do I eat pork?"),
        ("I'm dating Becky.", "Becky and I are done with the painting."),
        ("My wife is called Lena.", "My ex-wife Maria called Lena."),
        ("My husband is Carl.", "My sister's ex-husband Carl called."),
        ("I have a cat called Tiger.", "Tiger didn't make it to the sofa."),
        ("I have a dog called Bruno.", "We've lost Bruno's lead."),
        ("I drive a BMW.", "I left the BMW at the station."),
        ("I drive a Golf.", "I dropped the Golf off at the garage."),
        ("I drive a Volvo.", "I'd never trade the Volvo in for a Tesla."),
        ("I play the piano.", "I've shut the piano lid."),
        ("I play badminton.", "Badminton's over, we're in the pub."),
        ("I study biology.", "Biology's cancelled, the teacher is ill."),
        ("I study biology.", "I dropped my biology book in the bath."),
        ("My bank is Lloyds.", "Lloyds closed at five so I missed it."),
        ("My bank is Lloyds.", "I left Lloyds without my card."),
        ("I support Everton.", "Everton are finished, we'll go down."),
        ("I use Netflix.", "Netflix cancelled my favourite show."),
        ("I use Spotify.", "Spotify lost my playlist."),
        ("I use Spotify.", "I switched Spotify to dark mode."),
        ("I use Chrome.", "Chrome crashed so I used Firefox."),
        ("I use Chrome.", "Chrome is now as slow as Firefox."),
        ("I wear glasses.", "I've lost my glasses."),
        ("I'm learning Spanish.", "I never gave up on Spanish."),
        ("I'm with Three.", "We've moved to a house with three bathrooms."),
        ("My bank is Barclays.", "I opened an account with Monzo, too."),
        ("I'm on a keto diet.", "They say keto's out of fashion."),
        ("My hobby is pottery.", '"Pottery is not for me," she said.'),
        ("I'm learning German.", "Everyone at work has dropped German, it's Dutch now."),
        ("I'm learning German.", "My brother finds German hard, so he's doing Dutch now."),
        ("My gym is PureGym.", "PureGym closed early so Netflix it is."),
        ("My hobby is climbing.", "Too wet for climbing, so yoga it is."),
        ("My hobby is climbing.", "The climbing club is full, so it's wine now."),
        ("I shop at Tesco.", "Tesco was shut so it's Aldi instead."),
        ("I drive a Golf.", "The Golf is in the garage, so I take the train to work now."),
        ("I play the violin.", "I played the cello instead of the violin."),
        ("My vet is Mrs Jansen.", "We took the dog to Mr Bakker instead of Mrs Jansen today."),
        ("My nanny is Ingrid.", "Ingrid left early so Marta looks after the kids."),
        ("My flatmate is Kenji.", "Kenji went out, Netflix it is."),
        ("My favourite food is lasagne.", "Has ramen ever beaten lasagne?"),
    ],
)
def test_what_only_names_it_raises_no_doubt(before: str, text: str, tell: Tell) -> None:
    said = believed(tell(before))
    assert said
    mem = tell(text)
    assert set(said) <= set(believed(mem))
    assert believed(mem, "pending_confirmation") == []
