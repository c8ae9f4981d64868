"""How far a probability can be trusted: what it is made of, how it is fitted, and how it is measured."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from memdb.answers import Hit, Hits, Question
from memdb.asked_keys import has_question
from memdb.records import Record
from memdb.unspaced import shared_by_forms, words_of
from memdb.untold import what_tells

BY_MEANING, BY_WORDS = "calibration", "calibration-words"
"""The weight sets that tell how probable an answer is, where meaning took part in finding it, and where words alone tell."""
JUDGING = (BY_MEANING, BY_WORDS)
MEASURED_WITH = "all-MiniLM-L6-v2"
"""The embedder that `BY_MEANING` was fitted with: how near another puts things to each other says something else."""

_LOOKED_AT = 5  # the first hits: an answer that stands lower is no answer
_CONSIDERED = 16  # hits among which who is asked about and others are told apart: as many as a context holds
_MEANING = ("cosine", "window", "both", "match")
_NEARNESS = ("lexical", "cosine", "window", "match")
_BY_MEANING_ONLY = ("match", "window", "coverage", "relevance", "confidence", "margin")  # by words alone they add nothing to the others
_LEAD = 5.0  # a lead of a fifth of all that nearness can give says all that it can say
_ENDINGS = ("'s", "ing", "ed", "es", "s")  # the longer before what it ends in
_ECHO = 0.5  # as much as this a hit asks the same, and is no answer
_ROUNDS = 60
_RIDGE = 1.0
_BINS = 10  # of equal width, from 0 to 1

_EACH_OTHER = ("user", "assistant")  # what the one says of a matter speaks for the other's having said something of it, not against

EVIDENCE = (
    "bias", "match", "window", "coverage", "actor", "rival", "relevance", "confidence", "margin", "named", "both", "out_of_vocabulary",
    "lead", "topics", "asks", "score",
)  # fmt: skip
"""What tells whether the memory holds an answer: columns of the sets of `JUDGING` in `weights`, under the same names.

Asked about the words of one of several who speak by name (`named`), it is whose words were found (`rival`), how far the best of what that
one said, or others said of that one, stands before the best of all else (`lead`, -1 to 1), how much of what is asked about stands in one
hit of that one (`topics`), how many of the first only ask (`asks`), and how much the first scores (`score`); asked anything else, as a
user asks an assistant, whether words and meaning found the same (`both`), and what was never spoken of (`out_of_vocabulary`). By words
alone, these and `actor` are of how near the words are, `topics` are looked for whatever is asked, and what is in `_BY_MEANING_ONLY` is 0.
"""


class Bin(Record):
    """Some answers of like probability: their mean, how often they were right, and how many they are."""

    probability: float
    right: float
    count: int


class Calibration(Record):
    """How well probabilities fit what was so. `ece` and `brier` are the less the better, `auc` the more.

    Of what was fitted, `weights` is the set that holds it, and `threshold` the probability below which the memory abstains.
    """

    questions: int
    ece: float
    brier: float
    auc: float
    bins: tuple[Bin, ...]
    weights: str | None = None
    threshold: float | None = None


def judging_set(hits: Hits) -> str:
    """Return the weight set by which it is told how probable an answer among these is."""
    return BY_MEANING if hits.embedder == MEASURED_WITH else BY_WORDS


def evidence_of(hits: Hits, *, judged_by: str | None = None) -> dict[str, float]:
    """Return what the best hits of a question say about whether they answer it, each part in about 0..1; to the set `judged_by`, if not
    to theirs.

    What only asks the same is none of them, nor what is of something else. By words, meaning counts nothing though it took part, so that
    whatever embedder ranked them, hits say much the same.
    """
    by_words = (judged_by or judging_set(hits)) == BY_WORDS
    near = "lexical" if by_words else "match"
    other = elsewhere(hits)
    answering = [hit for hit in hits if hit.parts.get("echo", 0.0) < _ECHO and hit.fact.fact_id not in other]
    considered = sorted(answering, key=lambda hit: -hit.score)[:_CONSIDERED]
    first = considered[:_LOOKED_AT]
    question = hits.question
    asked = _forms(question, question.terms)

    def best(feature: str, *, ours: bool | None = None) -> float:
        among = [hit for hit in first if ours is None or bool(hit.parts.get("actor")) == ours]
        return max((hit.parts.get(feature, 0.0) for hit in among), default=0.0)

    said = [_told(question, hit.fact.value_text) for hit in considered]
    scores = [hit.score for hit in first]
    top = max(first, key=lambda hit: hit.priority or 0.0, default=None)
    actor = question.actor if question.actor not in _EACH_OTHER else None
    named = actor is not None
    own = [_is_of(hit, actor) for hit in considered]
    shares = [_share(hit, by_words=by_words) for hit in considered]
    topics = _forms(question, question.topics) - (_forms(question, [actor]) if actor is not None else set())
    evidence = {
        "bias": 1.0,
        "match": best("match"),
        "window": best("window"),
        "coverage": _covered(asked, said[:_LOOKED_AT]),
        "actor": best(near, ours=True) if named else best(near),
        "rival": best(near, ours=False) if named else 0.0,
        "relevance": (top.relevance or 0.0) if top else 0.0,
        "confidence": (top.confidence_now or 0.0) if top else 0.0,
        "margin": (scores[0] - scores[-1]) / max(abs(scores[0]), 1e-9) if scores else 0.0,
        "named": float(named),
        "both": 0.0 if named else max((hit.parts.get("lexical", 0.0) * hit.parts.get(near, 0.0) for hit in first), default=0.0),
        "out_of_vocabulary": 0.0 if named else hits.out_of_vocabulary,
        "lead": _lead(shares, own) if named else 0.0,
        "topics": _covered(topics, [words for words, is_own in zip(said, own, strict=True) if is_own]) if named or by_words else 0.0,
        "asks": sum(hit.parts.get("is_question", 0.0) for hit in first) / _LOOKED_AT if named else 0.0,
        "score": shares[0] if named and shares else 0.0,
    }
    return {name: 0.0 if by_words and name in _BY_MEANING_ONLY else part for name, part in evidence.items()}


def _covered(asked: set[str], said: Sequence[set[str]]) -> float:
    """How much of what is asked stands in one of several texts at most."""
    return max((len(asked & words) / len(asked) for words in said), default=0.0) if asked else 0.0


def _is_of(hit: Hit, actor: str | None) -> bool:
    """Whether somebody said it, or it is said of them: who is spoken to, is named before a pause ("Thanks, Ana!")."""
    if actor is None or hit.parts.get("actor"):
        return True
    return re.search(rf"\b{re.escape(actor)}(?:['’]s|\s+\w)", hit.fact.value_text, re.IGNORECASE) is not None


def _share(hit: Hit, *, by_words: bool) -> float:
    """How much a hit scores, as a share of what words and meaning can give; that it is of who is asked about does not count."""
    scale = sum(max(0.0, hit.weights.get(feature, 0.0)) for feature in _NEARNESS) or 1.0
    passed_over = ("actor", *_MEANING) if by_words else ("actor",)
    return (hit.score - hit.factor * sum(hit.weights.get(part, 0.0) * hit.parts.get(part, 0.0) for part in passed_over)) / scale


def _lead(shares: Sequence[float], own: Sequence[bool]) -> float:
    ours, others = (
        max((share for share, is_own in zip(shares, own, strict=True) if is_own is wanted), default=0.0) for wanted in (True, False)
    )
    return max(-1.0, min(1.0, _LEAD * (ours - others)))


def elsewhere(hits: Hits) -> frozenset[str]:
    """Return the fact ids of those hits that are of something else than the question, which asks for what has keys of its own.

    Where nothing is held under these, what is held under another such key is no answer ("What is my cat called?", a dog is known), nor is
    the message that says hardly more than that; nor is what shares no topic with a question in another language than English, as MiniLM,
    which has read English only, finds all that is said in one alike. Where it can be seen by its form whether something tells what is asked
    of a person, that decides (`untold.what_tells`).
    """
    if not hits.unheld:
        return frozenset()
    tells = what_tells(hits)
    asked = {key for key, _ in hits.question.keys}
    facts = [hit.fact for hit in hits if hit.fact.kind == "fact" and (hit.fact.key in asked or has_question(hit.fact.key))]
    said: dict[str, int] = {}
    for fact in facts:
        said[fact.source_turn_id] = max(said.get(fact.source_turn_id, 0), len(fact.source_excerpt))
    messages = (hit.fact for hit in hits if hit.fact.kind == "message" and hit.fact.source_turn_id in said)
    told = (message for message in messages if 2 * said[message.source_turn_id] >= len(message.value_text))
    other = {fact.fact_id for fact in (*facts, *told) if not tells.get(fact.fact_id)}
    if hits.embedder == MEASURED_WITH and hits.question.language != "English":
        other.update(hit.fact.fact_id for hit in hits if not topics_told(hits.question, hit.fact.value_text))
    return frozenset(other.union(fact_id for fact_id, is_told in tells.items() if not is_told))


def topics_told(question: Question, text: str) -> float:
    """Return how much of what a question asks about a text speaks of, in whatever forms: 0 is nothing, 1 is all."""
    topics = _forms(question, question.topics)
    return _covered(topics, [_told(question, text)]) if topics else 1.0


def _forms(question: Question, words: Iterable[str]) -> set[str]:
    """Words of a question as `_told` gives them."""
    return {word.casefold() if question.by_beginning else _stem(word) for word in words}


def _told(question: Question, text: str) -> set[str]:
    """The words of a text without their endings; or where those of the question are sought by how they begin, which of them it has."""
    words = words_of(text)
    if not question.by_beginning:
        return set(map(_stem, words))
    sought = {word: shared_by_forms(word) for word in _forms(question, (*question.terms, *question.topics))}
    return {word for word, shared in sought.items() if (word in words if shared is None else any(one.startswith(shared) for one in words))}


def _stem(word: str) -> str:
    """An English word without its ending, in small letters, so that “calls” and “called” are the same."""
    plain = word.casefold()
    if plain.endswith(_ENDINGS):
        return next(plain.removesuffix(ending) for ending in _ENDINGS if plain.endswith(ending)) or plain
    return plain


def probability_of(evidence: Mapping[str, float], weights: Mapping[str, float]) -> float | None:
    """Return the probability that the memory holds the answer, or None while nothing is fitted."""
    if not weights:
        return None
    return _logistic(sum(weights.get(name, 0.0) * part for name, part in evidence.items()))


def fit(evidence: Sequence[Mapping[str, float]], right: Sequence[bool]) -> dict[str, float]:
    """Return the weights of a logistic regression with a ridge, by Newton's method."""
    rows = [[one.get(name, 0.0) for name in EVIDENCE] for one in evidence]
    size = len(EVIDENCE)
    weights = [0.0] * size
    for _ in range(_ROUNDS):
        slope = [-_RIDGE * weight * (place > 0) for place, weight in enumerate(weights)]
        bend = [[_RIDGE * (one == other) * (one > 0) + 1e-9 * (one == other) for other in range(size)] for one in range(size)]
        for row, label in zip(rows, right, strict=True):
            guess = _logistic(sum(weight * part for weight, part in zip(weights, row, strict=True)))
            for one in range(size):
                slope[one] += (label - guess) * row[one]
                for other in range(size):
                    bend[one][other] += guess * (1 - guess) * row[one] * row[other]
        step = _solve(bend, slope)
        weights = [weight + change for weight, change in zip(weights, step, strict=True)]
        if max(abs(change) for change in step) < 1e-8:
            break
    return dict(zip(EVIDENCE, (round(weight, 4) for weight in weights), strict=True))


def threshold_of(probabilities: Sequence[float], right: Sequence[bool]) -> float:
    """Return below which probability to abstain: the least that tells right from wrong as well as any, by balanced accuracy.

    As well as the best is what is within one standard error of it, so that no more right answers are left out than the data calls for.
    """
    rights, wrongs = sum(right), len(right) - sum(right)
    places = sorted({round(probability, 2) for probability in probabilities})
    found = []
    for place in places:
        kept = sum(was and probability >= place for probability, was in zip(probabilities, right, strict=True)) / max(1, rights)
        left = sum(not was and probability < place for probability, was in zip(probabilities, right, strict=True)) / max(1, wrongs)
        error = math.sqrt(kept * (1 - kept) / max(1, rights) + left * (1 - left) / max(1, wrongs)) / 2
        found.append(((kept + left) / 2, error, place))
    best, error, _ = max(found)
    return min(place for balanced, _, place in found if balanced >= best - error)


def measure(probabilities: Sequence[float], right: Sequence[bool]) -> Calibration:
    """Return how well probabilities fit what was so, in bins of equal width."""
    pairs = list(zip(probabilities, right, strict=True))
    shelves: list[list[tuple[float, bool]]] = [[] for _ in range(_BINS)]
    for probability, was in pairs:
        shelves[min(_BINS - 1, int(probability * _BINS))].append((probability, was))
    filled = [
        Bin(probability=sum(one for one, _ in shelf) / len(shelf), right=sum(was for _, was in shelf) / len(shelf), count=len(shelf))
        for shelf in shelves
        if shelf
    ]
    count = max(1, len(pairs))
    return Calibration(
        questions=len(pairs),
        ece=sum(shelf.count * abs(shelf.probability - shelf.right) for shelf in filled) / count,
        brier=sum((probability - was) ** 2 for probability, was in pairs) / count,
        auc=_auc(pairs),
        bins=tuple(filled),
    )


def _auc(pairs: Sequence[tuple[float, bool]]) -> float:
    """The chance that one that is right is given more than one that is wrong, by ranks; ties count half."""
    ordered = sorted(pairs)
    positives = sum(was for _, was in ordered)
    if positives in (0, len(ordered)):
        return 0.5
    ranks, place = 0.0, 0
    while place < len(ordered):
        end = place
        while end < len(ordered) and ordered[end][0] == ordered[place][0]:
            end += 1
        ranks += (place + end + 1) / 2 * sum(was for _, was in ordered[place:end])
        place = end
    return (ranks - positives * (positives + 1) / 2) / (positives * (len(ordered) - positives))


def _solve(matrix: list[list[float]], vector: list[float]) -> list[float]:
    """Solve a small symmetric system by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, vector, strict=True)]
    size = len(rows)
    for place in range(size):
        pivot = max(range(place, size), key=lambda one: abs(rows[one][place]))
        rows[place], rows[pivot] = rows[pivot], rows[place]
        for other in range(size):
            if other != place:
                ratio = rows[other][place] / rows[place][place]
                rows[other] = [mine - ratio * theirs for mine, theirs in zip(rows[other], rows[place], strict=True)]
    return [row[-1] / row[place] for place, row in enumerate(rows)]


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))
