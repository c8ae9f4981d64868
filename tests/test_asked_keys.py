"""What is held under a key that a question asks for is found first; and what is not asked for is not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import memdb
from memdb.asked_keys import asked_in, keys_abroad, keys_in, rules
from memdb.called import called, names_of
from memdb.embed import HashingEmbedder
from memdb.interfaces.commands import app
from memdb.keys import slug
from memdb.languages import CODES, language
from memdb.unspaced import words_of

NOW = "2025-06-01T12:00:00Z"


def asked(question: str, named: tuple[str, ...] = ()) -> list[str]:
    """The keys of a question, with "=" and what the value must speak of."""
    found = keys_in(question, words_of(question), named, user_id="ana")
    return [key if value is None else f"{key}={value}" for key, value in found]


@pytest.mark.parametrize(("question", "keys"), [(one, list(keys)) for way in rules().asked for one, *keys in way.examples])
def test_each_way_of_asking_asks_for_its_keys(question: str, keys: list[str]) -> None:
    assert asked(question) == keys


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("hey, do you still remember where I live now?", ["user.lives_in"]),
        ("WHERE DO I LIVE", ["user.lives_in"]),
        ("where’s my desk", ["user.desk"]),
        ("Where did I work before?", ["user.works_at"]),
        ("Where do I live, and what is my job?", ["user.lives_in", "user.works_as"]),
        ("Who is my sister, and where does she live?", ["user.sister", "sister.lives_in"]),
        ("Who is my boss? What's my boss's name?", ["user.boss"]),
        ("What is my best friend's favorite band?", ["friend.favourite_band"]),
        ("How old is my older sister?", ["sister.age", "sister.birthday"]),
    ],
)
def test_a_question_asks_for_the_same_however_it_is_put(question: str, keys: list[str]) -> None:
    assert asked(question) == keys


@pytest.mark.parametrize(
    "question",
    [
        "Where did I live in 2010?",
        "Where do I work out?",
        "What do I do on Sundays?",
        "What did I do?",
        "What is my plan for Friday?",
        "Where does she live?",
        "Where do penguins live?",
        "What should I cook for my sister?",
        "I live in Porto.",
        "What does my car need?",
        "Where does § live? What is §'s job, and my own?",
        "",
    ],
)
def test_what_asks_for_more_or_for_nothing_of_the_kind_has_no_key(question: str) -> None:
    assert asked(question) == []


ABROAD = {
    "de": [
        ("Wo wohne ich?", "user.lives_in"),
        ("Weißt du noch, wo ich früher gewohnt habe?", "user.lives_in"),
        ("Wie heißt mein Hund?", "user.pet=dog"),
        ("Was mache ich beruflich?", "user.works_as"),
        ("wogegen bin ich denn allergisch", "user.allergic_to"),
        ("Wo wohnt meine Schwester?", "sister.lives_in"),
        ("Wo wohnt meine Schwester im Sommer?", None),
        ("Wie alt ist unsere Tochter?", "daughter.age"),
        ("Wissen Sie, wie meine Freundin heißt?", "user.partner"),
        ("Was ist meine Lieblingsfarbe?", "user.favourite_colour"),
        ("Erinnern Sie sich an mich?", "user.name"),
        ("was weisst du ueber mich", "user.name"),
        ("Wo wohne ich im Sommer?", None),
        ("Was mag ich an ihm?", None),
        ("Was kann ich nicht ausstehen?", "user.dislikes"),
        ("Was esse ich nicht?", "user.avoids"),
        ("Wovor habe ich Angst?", "user.afraid_of"),
        ("Was trinke ich lieber?", "user.prefers"),
    ],
    "fr": [
        ("Où est-ce que j’habite ?", "user.lives_in"),
        ("ou habitais-je avant", "user.lives_in"),
        ("Où travaille ma femme ?", "wife.works_at"),
        ("Tu te souviens de moi ?", "user.name"),
        ("Savez-vous quel est mon métier ?", "user.works_as"),
        ("Quelle est ma couleur préférée ?", "user.favourite_colour"),
        ("Comment s'appelle ma sœur ?", "user.sister"),
        ("Quel âge ai-je ?", "user.age"),
        ("Où est-ce que j'ai mangé ?", None),
        ("Où est-ce que je travaille le lundi ?", None),
        ("Qu'est-ce que je ne supporte pas ?", "user.dislikes"),
        ("Qu'est-ce que j'évite ?", "user.avoids"),
        ("De quoi ai-je peur ?", "user.afraid_of"),
    ],
    "es": [
        ("¿Dónde vivo ahora?", "user.lives_in"),
        ("donde vivia antes", "user.lives_in"),
        ("¿Sabes cuántos años tengo?", "user.age"),
        ("¿En qué trabajo?", "user.works_as"),
        ("¿Cuántos años tiene mi hija?", "daughter.age"),
        ("¿Te acuerdas de mí?", "user.name"),
        ("¿Qué sabe usted de mí?", "user.name"),
        ("¿Dónde vivo mejor que en Roma?", None),
        ("¿Qué compré?", None),
        ("¿Qué no soporto?", "user.dislikes"),
        ("¿A qué le tengo miedo?", "user.afraid_of"),
        ("¿Qué prefiero?", "user.prefers"),
    ],
    "it": [
        ("Dove lavoro?", "user.works_at"),
        ("Ti ricordi dove abitavo prima?", "user.lives_in"),
        ("Come si chiama il mio gatto?", "user.pet=cat"),
        ("A cosa sono allergica?", "user.allergic_to"),
        ("Dove abita mio fratello?", "brother.lives_in"),
        ("Ti ricordi di me?", "user.name"),
        ("Dove vivo meglio che a Roma?", None),
        ("Cosa ho comprato?", None),
        ("Cosa non sopporto?", "user.dislikes"),
        ("Cosa non mangio?", "user.avoids"),
        ("Di cosa ho paura?", "user.afraid_of"),
    ],
    "pt": [
        ("Onde é que eu moro?", "user.lives_in"),
        ("onde trabalhava antes", "user.works_at"),
        ("Como se chama a minha irmã?", "user.sister"),
        ("Quando é o aniversário da minha mãe?", "mother.birthday"),
        ("Lembras-te de mim?", "user.name"),
        ("Quantos anos eu tenho?", "user.age"),
        ("Onde moro melhor do que em Roma?", None),
        ("O que comprei?", None),
        ("Do que é que não gosto?", "user.dislikes"),
        ("O que evito?", "user.avoids"),
        ("De que tenho medo?", "user.afraid_of"),
    ],
    "nl": [
        ("Waar kan ik niet tegen?", "user.dislikes"),
        ("Wat vermijd ik?", "user.avoids"),
        ("Waar ben ik bang voor?", "user.afraid_of"),
        ("Wat drink ik het liefst?", "user.prefers"),
        ("Wat heb ik gekocht?", None),
    ],
}


@pytest.mark.parametrize(("code", "question", "key"), [(code, *each) for code, asked_so in ABROAD.items() for each in asked_so])
def test_questions_in_other_languages_ask_for_the_same_keys(code: str, question: str, key: str | None) -> None:
    found = [name if value is None else f"{name}={value}" for name, value in keys_abroad(question, language(code))]
    assert found[:1] == ([] if key is None else [key])


@pytest.mark.parametrize(
    ("question", "code"), [("Dove lavoro?", "it"), ("Soy vegano?", "es"), ("Where do I work?", None), ("Dove soap?", None)]
)
def test_a_question_that_no_grammar_tells_is_told_by_its_verb(question: str, code: str | None) -> None:
    assert asked_in(question, words_of(question)) is (language(code) if code else None)


def test_what_is_believed_comes_first_in_other_languages(mem: memdb.Memory) -> None:
    for day, text in enumerate(
        ["Ich wohne in Köln.", "Wo wohnen Leute, die gern wohnen?", "Ich bin nach Bonn gezogen.", "Wohnen ist teuer."], 1
    ):
        mem.observe(text, user_id="jo", timestamp=f"2025-03-0{day}")
    mem.drain()
    assert mem.search("Wo wohne ich?", user_id="jo", now=NOW)[0].fact.value_text == "User lives in Bonn"
    before = mem.search("Wo habe ich früher gewohnt?", user_id="jo", now=NOW)
    assert [hit.fact.value_text for hit in before if hit.parts["keyed"]] == ["User lives in Köln"]


def test_who_speaks_in_the_memory_is_asked_about_by_name() -> None:
    assert asked("Where does Rita Lima live?", ("Rita Lima",)) == ["rita_lima.lives_in"]
    assert asked("What's Rita's job?", ("Rita Lima",)) == ["rita_lima.works_as"]
    assert asked("Where does ana live?", ("ana",)) == ["user.lives_in"]
    assert asked("Where do Rita and Tom live?", ("Rita", "Tom")) == []


def known(question: str, people: dict[str, str]) -> list[str]:
    """The keys of a question whose user knows these by name."""
    return [key for key, _ in keys_in(question, words_of(question), (), user_id="ana", people=people)]


def test_whom_the_user_knows_is_asked_about_by_name() -> None:
    people = {"Henrik": "son", "Kavya": "kavya", "Will": "will"}
    assert known("Where does Henrik live?", people) == ["son.lives_in"]
    assert known("how old is henrik", people) == ["son.age", "son.birthday"]
    assert known("What is Kavya's job?", people) == ["kavya.works_as"]
    assert known("Where will I live?", people) == known("Where will I live?", {})
    assert known("Where do Henrik and Kavya live?", people) == []
    assert known("What's Bram's surname?", people) == ["bram.surname"]  # of whom nothing may be known
    assert known("What's Ana's surname?", people) == ["user.surname"]


def test_what_is_held_of_whom_one_names_comes_first(mem: memdb.Memory) -> None:
    for text in ("My son Henrik is a pilot", "My friend Kavya lives in Pune", "Henrik came for dinner", "Kavya called"):
        mem.observe(text, user_id="ana")
    mem.drain()
    assert mem.search("What does Henrik do?", user_id="ana")[0].fact.value_text == "User's son works as a pilot"
    assert mem.search("where does kavya live", user_id="ana")[0].fact.value_text == "Kavya lives in Pune"


@pytest.mark.parametrize(
    ("user_id", "name", "asked"),
    [
        ("ana", None, "Ana"),  # by the user's id
        ("u1", "My name is Ana.", "Ana"),
        ("u1", "My name is Ana.", "ana"),
        ("u1", "My name is Zoë Silva.", "Zoe"),
        ("u1", "Everybody calls me Nini.", "Nini"),
        ("u1", None, "the user"),
    ],
)
def test_the_user_is_asked_about_by_name(mem: memdb.Memory, user_id: str, name: str | None, asked: str) -> None:
    """An assistant asks its memory so: what is held of the user comes first, though it names nobody, and not that they are called so."""
    for text in (*filter(None, [name]), "I live in Porto.", "I work at Acme."):
        mem.observe(text, user_id=user_id)
    mem.drain()
    found = mem.search(f"Where does {asked} live?", user_id=user_id)
    assert (found[0].fact.value_text, found[0].is_asked_for) == ("User lives in Porto", True)
    verdict = mem.context(f"Where does {asked} live?", user_id=user_id).verdict
    assert verdict is not None
    assert verdict.decision != "abstain"


@pytest.mark.parametrize("asked", ["the user", "The user", "the User"])
def test_the_user_is_asked_about_as_an_assistant_calls_them_where_nobody_has_spoken(mem: memdb.Memory, asked: str) -> None:
    mem.remember("User drives a Fiat", user_id="u1", key="user.drives", object="a Fiat")
    assert [hit.is_asked_for for hit in mem.search(f"What car does {asked} have?", user_id="u1")] == [True]


def test_the_user_s_name_is_a_word_where_they_speak_of_themselves(mem: memdb.Memory) -> None:
    for text in ("My name is Rose.", "My favourite rose is Peace."):
        mem.observe(text, user_id="u1")
    mem.drain()
    assert [key for key, _ in mem.search("What is my favourite rose?", user_id="u1").question.keys] == ["user.favourite_rose"]


def test_whoever_else_the_user_knows_by_that_name_is_meant(mem: memdb.Memory) -> None:
    for text in ("My name is Ana Silva.", "My daughter Ana lives in Faro.", "I live in Porto."):
        mem.observe(text, user_id="u1")
    mem.drain()
    assert mem.search("Where does Ana live?", user_id="u1")[0].fact.object == "Faro"
    assert mem.search("Where does Ana Silva live?", user_id="u1")[0].fact.object == "Porto"


def test_of_two_sons_each_is_asked_about_under_his_own_keys(mem: memdb.Memory) -> None:
    for text in ("My son Henrik is a pilot", "My son Ole is a nurse"):
        mem.observe(text, user_id="ana")
        mem.drain()
    assert [mem.search(f"What does {name} do?", user_id="ana")[0].fact.object for name in ("Henrik", "Ole")] == ["pilot", "nurse"]


def test_when_something_planned_is_finds_the_plan_with_its_day(mem: memdb.Memory) -> None:
    for text in ("My knee operation is on 14 November", "They moved the operation to 3 December"):
        mem.observe(text, user_id="ana", timestamp="2025-06-01T10:00:00Z")
    mem.drain()
    first = mem.search("When is my operation?", user_id="ana", now="2025-06-02T10:00:00Z")[0].fact
    assert (first.object, f"{first.event_time:%d %B}") == ("knee operation", "03 December")


@pytest.mark.parametrize(("noun", "key"), [
    ("counsellor", "user.therapist"), ("trainer", "user.personal_trainer"), ("landlady", "user.landlord"), ("missus", "user.wife"), ("sis", "user.sister"),
    ("sister-in-law", "user.sister_in_law"), ("ISP", "user.internet_provider"), ("gran", "user.grandmother"), ("job", "user.works_as"),
])  # fmt: skip
def test_a_thing_is_asked_for_under_the_key_that_holds_it_whatever_it_is_called(noun: str, key: str) -> None:
    assert asked(f"Who is my {noun}?") == [key]


def test_who_is_asked_for_by_another_name_than_the_key_has_is_found(mem: memdb.Memory) -> None:
    mem.observe("My counsellor is Anna Reis.", user_id="ana")
    mem.drain()
    assert [hit.fact.key for hit in mem.search("Who is my counsellor?", user_id="ana") if hit.parts["keyed"]] == ["user.therapist"]


def test_the_kitten_is_found_by_whom_asks_for_the_cat(mem: memdb.Memory) -> None:
    mem.remember("User has a pet: kitten called Mimi", user_id="ana", key="user.pet")
    mem.remember("User has a pet: dog called Bica", user_id="ana", key="user.pet")
    mem.drain()
    found = mem.search("What is my cat called?", user_id="ana")
    assert [hit.fact.value_text for hit in found if hit.parts["keyed"]] == ["User has a pet: kitten called Mimi"]


def test_a_dog_is_found_by_its_breed(mem: memdb.Memory) -> None:
    mem.observe("We have a golden retriever, Simba, who sheds everywhere", user_id="ana")
    mem.drain()
    found = mem.search("What is my dog called?", user_id="ana")
    assert [hit.fact.value_text for hit in found if hit.parts["keyed"]] == ["User has a pet: golden retriever called Simba"]


@pytest.mark.parametrize(("word", "name"), [("mums", "mother"), ("cat", "kitten"), ("car", "drives"), ("gran", "nan"), ("sister", "sis")])
def test_what_else_a_thing_is_called_is_known(word: str, name: str) -> None:
    assert {word, name} <= {*names_of(word)}


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Meine Schwester heißt Lena.", "Weißt du, wie mein Bruder heißt?"),
        ("Ma sœur s'appelle Chloé.", "Comment s'appelle mon patron ?"),
        ("Mi hermana se llama Lucía.", "¿Tengo hijos?"),
        ("Mia sorella si chiama Zoe.", "Come si chiama mio fratello?"),
        ("A minha irmã chama-se Inês.", "Quantos anos tem o meu irmão?"),
    ],
)
def test_what_is_held_of_something_else_answers_no_question_in_another_language(mem: memdb.Memory, said: str, question: str) -> None:
    mem.observe(said, user_id="ana")
    mem.drain()
    verdict = mem.assess(question, user_id="ana").verdict
    assert verdict is not None
    assert verdict.decision == "abstain"


def test_every_predicate_that_is_asked_for_is_one(mem: memdb.Memory) -> None:
    known = {predicate for predicate, *_ in mem._store.database().tuples("believe.predicates")}
    of = {name for way in rules().asked for name in way.of} - {"{attr}", "{related}"}
    for spoken in (language(code) for code in CODES if language(code).questions is not None):
        keys = {key.partition("=")[0].rpartition(".")[2] for _, keys in spoken.asking for key in keys}
        relatives = {slug(called().relations.get(word, word)) for word in spoken.asked_of("relative").values()}
        of |= (keys - {"{relative}", "favourite_{favourite}"}) | relatives
    assert of <= known


@pytest.fixture(params=["vectors", "words"])
def told(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[memdb.Memory]:
    embedder = HashingEmbedder(64) if request.param == "vectors" else None
    with memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None) as mem:
        yield moved(mem)


def moved(mem: memdb.Memory) -> memdb.Memory:
    """Somebody with two pets who moved, and who asks and is asked about that."""
    for turn, day, text in [
        ("porto", "03-01", "I live in Porto."),
        ("dog", "03-02", "I have a dog called Rex."),
        ("cat", "03-03", "I have a cat called Mimi."),
        ("asks", "03-04", "Where do people live who like trams?"),
        ("braga", "04-01", "I moved to Braga."),
        ("says", "04-02", "My cousin asked me where I live and where people like me live."),
    ]:
        mem.observe(text, user_id="ana", turn_id=turn, timestamp=f"2025-{day}")
    mem.drain()
    return mem


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Where do I live?", "User lives in Braga"),
        ("Where did I live before?", "User lives in Porto"),
        ("What is my dog called?", "User has a pet: dog called Rex"),
        ("What is my cat called?", "User has a pet: cat called Mimi"),
    ],
)
def test_what_is_held_under_the_key_comes_first(told: memdb.Memory, question: str, first: str) -> None:
    hits = told.search(question, user_id="ana", now=NOW)
    assert hits[0].fact.value_text == first
    assert [hit.fact.value_text for hit in hits if hit.parts["keyed"]] == [first]


def test_what_was_so_at_a_time_counts_at_that_time(told: memdb.Memory) -> None:
    hits = told.search("Where do I live?", user_id="ana", now=NOW, as_of="2025-03-10")
    assert [hit.fact.value_text for hit in hits if hit.parts["keyed"]] == ["User lives in Porto"]


def test_asked_for_the_past_alone_both_count(told: memdb.Memory) -> None:
    hits = told.search("Where did I live?", user_id="ana", now=NOW)
    assert {hit.fact.value_text for hit in hits if hit.parts["keyed"]} == {"User lives in Porto", "User lives in Braga"}


def test_what_waits_for_a_yes_counts_as_well(mem: memdb.Memory) -> None:
    mem.remember("User lives in Braga", user_id="ana", key="user.lives_in")
    unsure = mem.remember("User lives in Faro", user_id="ana", key="user.lives_in", confidence=0.3)
    assert mem.fact(unsure.fact_id).status == "pending_confirmation"
    keyed = {hit.fact.value_text for hit in mem.search("Where do I live?", user_id="ana") if hit.parts["keyed"]}
    assert keyed == {"User lives in Braga", "User lives in Faro"}


def test_nothing_of_another_user_counts(told: memdb.Memory) -> None:
    told.remember("User lives in Faro", user_id="rui", key="user.lives_in")
    assert [hit.fact.user_id for hit in told.search("Where do I live?", user_id="ana", now=NOW) if hit.parts["keyed"]] == ["ana"]


def test_a_filter_leaves_out_what_is_held_as_well(told: memdb.Memory) -> None:
    hits = told.search("Where do I live?", user_id="ana", now=NOW, kinds=["message"])
    assert {hit.fact.kind for hit in hits} == {"message"}
    assert not any(hit.parts["keyed"] for hit in told.search("Where do I live?", user_id="ana", now=NOW, categories=["health"]))


def test_a_thing_of_another_kind_is_not_what_is_asked_for(mem: memdb.Memory) -> None:
    mem.observe("I have a dog called Rex.", user_id="ana", timestamp="2025-03-02")
    mem.drain()
    hits = mem.search("What is my cat called?", user_id="ana", now=NOW)
    assert ("user.pet", "cat") in hits.question.keys
    assert not any(hit.parts["keyed"] for hit in hits)


def test_it_is_scored_though_many_are_nearer(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None) as mem:
        mem.remember("Somewhere by the sea", user_id="ana", key="user.lives_in")
        for number in range(120):
            mem.remember(f"Where do I live, number {number}", user_id="ana", key=f"user.note_{number}")
        mem.drain(60)
        mem.set_weights({"sure": {**mem.weights("default"), "keyed": 5.0}})
        assert mem.search("Where do I live?", user_id="ana", weights="sure")[0].fact.value_text == "Somewhere by the sea"


def test_what_a_single_weight_would_change_is_told_of_it(told: memdb.Memory) -> None:
    usual = told.weight_sets()["default"]
    told.set_weights({"plain": {**usual, "keyed": 0.0}})
    [home] = [hit for hit in told.search("Where do I live?", user_id="ana", now=NOW, weights="plain") if hit.parts["keyed"]]
    assert home.contributions.get("keyed", 0.0) == 0.0
    assert home.fact.value_text == "User lives in Braga"


@pytest.mark.parametrize("weights", ["mem-skill", "vector-only", "lexical-only"])
def test_where_candidates_are_numbered_it_is_none_besides(tmp_path: Path, weights: str) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None) as mem:
        mem.remember("Somewhere by the sea", user_id="ana", key="user.lives_in")
        for number in range(30):
            mem.remember(f"where I live number {number}", user_id="ana", key=f"user.live_{number}")
        mem.drain()
        found = mem.search("Where do I live?", user_id="ana", weights=weights, limit=100)
        mem.set_weights({"other": {**mem.weights(weights), "keyed": 0.001}})
        again = mem.search("Where do I live?", user_id="ana", weights="other", limit=100)
        assert {hit.fact.fact_id for hit in found} == {hit.fact.fact_id for hit in again}


def test_explain_tells_the_keys(tmp_path: Path) -> None:
    path = str(tmp_path / "mem.db")
    with memdb.open(path, embedder=None, llm=None) as mem:
        mem.remember("User has a pet: cat called Mimi", user_id="ana", key="user.pet")
    told = CliRunner().invoke(app, ["explain", "What is my cat called?", "--user", "ana", "--embedder", "none", "--db", path])
    assert "user.pet (cat)" in told.output


@pytest.mark.parametrize("text", ["what is my " * 20_000, "where do my " + "a " * 60_000, "my'" * 50_000, " and what" * 30_000])
def test_no_text_takes_long(text: str) -> None:
    started = time.process_time()
    keys_in(text, words_of(text), [], user_id="ana")
    for length in range(100, 151):
        keys_in(text[:length], words_of(text[:length]), [], user_id="ana")
    assert time.process_time() - started < 5.0


@pytest.fixture
def acquainted(mem: memdb.Memory) -> memdb.Memory:
    """A user whose brother writes, too, and a friend who does not."""
    said = [
        ("Ana", "My brother Karel called. My friend Eva is a nurse."),
        ("Karel Berg", "I work at Bosch and I live in Ghent."),
        ("Ana", "My brother drives a Golf. My friend Tom Lima came, too."),
    ]
    mem.load([{"speaker": who, "text": text, "timestamp": f"2025-03-0{day}"} for day, (who, text) in enumerate(said, 1)], user_id="ana")
    mem.drain()
    return mem


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Who is Karel Berg in relation to me?", "User has a brother called Karel"),
        ("What's Karel Berg's relationship to me?", "User has a brother called Karel"),
        ("How do I know Karel?", "User has a brother called Karel"),
        ("How is Eva related to me?", "User has a friend called Eva"),
        ("What is my relationship with Tom Lima?", "User has a friend called Tom Lima"),
        ("Where does my brother work?", "Karel Berg works at Bosch"),
        ("What car does Karel Berg drive?", "User's brother drives a Golf"),
        ("In which city does Karel Berg live?", "Karel Berg lives in Ghent"),
    ],
)
def test_who_speaks_is_known_by_what_they_are_to_the_user(acquainted: memdb.Memory, question: str, first: str) -> None:
    hits = acquainted.search(question, user_id="ana", now=NOW, kinds=["fact"])
    assert (hits[0].fact.value_text, hits[0].is_asked_for) == (first, True)


ABOUT_ONESELF = [
    "What do you know about me?",
    "so, what do you still remember about me?",
    "Tell me everything you know about me.",
    "Can you please describe me?",
    "Do you know anything about me?",
    "Do you remember who I am?",
    "What have I told you so far?",
    "Was weißt du alles über mich?",
    "¿Qué sabes de mí?",
    "Qu'est-ce que tu sais sur moi ?",
    "Cosa sai di me?",
    "O que você sabe sobre mim?",
]


@pytest.mark.parametrize("embedder", [None, HashingEmbedder(32)], ids=["by words", "by meaning"])
def test_what_is_known_of_oneself_is_asked_for_as_a_whole(tmp_path: Path, embedder: HashingEmbedder | None) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, config={"worker": False}) as mem:
        mem.observe("I work as a nurse and I love jazz. It rained all day.", "What a day!", user_id="ana", timestamp="2025-05-01")
        mem.observe("It rained all day.", "What a day!", user_id="rui", timestamp="2025-05-01")
        mem.drain()
        for question in ABOUT_ONESELF:
            found = mem.search(question, user_id="ana", now=NOW, limit=2)
            assert {hit.fact.value_text for hit in found} == {"User works as a nurse", "User likes jazz"}, question
            told = [mem.context(question, user_id=user, now=NOW).verdict for user in ("ana", "rui")]
            assert [one and one.decision for one in told] == ["answer", "abstain"], question


@pytest.mark.parametrize("question", ["What do you recommend about me?", "Tell me about Porto.", "Can you help me?"])
def test_what_is_asked_for_beside_oneself_is_something_else(question: str) -> None:
    assert asked(question) == []
