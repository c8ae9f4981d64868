"""Read a question before it is searched for: mem-skill's stage 1, "extract entities and intent from current input"."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Literal, NamedTuple

from memdb.acquaintances import OWN_NAMES, held_elsewhere, name_keys, subjects
from memdb.answers import Question
from memdb.asked_keys import asked_in, keys_abroad, keys_in, led_by, may_ask, says_whose, somebody_in
from memdb.asked_times import (
    BEFORE_DATE,
    KEPT,
    MOST_DAYS,
    birthdays_abroad,
    birthdays_in,
    days_abroad,
    days_of,
    lately_abroad,
    lately_in,
    spans_abroad,
    spans_of,
    times_of,
)
from memdb.asker import Asker
from memdb.claims_abroad import as_facts_say
from memdb.cues import (
    Said,
    asks_former,
    asks_past,
    asks_present,
    change_in,
    first_talk_in,
    last_talk_in,
    order_in,
    said_in,
    said_then_in,
)
from memdb.cues_abroad import (
    asks_former_abroad,
    asks_present_abroad,
    change_abroad,
    first_talk_abroad,
    last_talk_abroad,
    order_abroad,
    said_abroad,
)
from memdb.database import Database
from memdb.emotions import mood_of
from memdb.hyponyms import hypernyms_in
from memdb.keys import slug
from memdb.languages import Language, grammar_unread, language_of
from memdb.names import mention
from memdb.records import Intent, is_oneself, made, source_of
from memdb.stop_words import ONLY_ENGLISH, STOP_WORDS
from memdb.suggestions import asks_suggestion
from memdb.unspaced import words_of
from memdb.when import TimeSpan

_Days = dict[TimeSpan, list[str]]  # times, each with the days, months or years that it tells of

_LONGEST = 20_000  # characters that are read; what a question asks is said by then
_TALK = ("user_message", "assistant_message")  # whose words these are may be asked for
_EVERYWHERE = "user"  # facts begin with "User", so that the word tells none from another, also where nobody has spoken yet
_GRAMMAR = 1_000  # characters that are read for times, and in another language for what is asked
_MAX_TERMS = 64  # a question longer than this gains nothing and costs time
_MAX_PHRASES = 8
_LONGEST_NAME = 12  # words

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ACCENTED = re.compile(r"(?<!\w)[^\WA-Z]*[^\W\dA-Za-z]\w*")  # no English word has such a letter, but for names and a few others ("café")
_POSSESSIVE = re.compile(r"['’]s$")  # the index holds "sister's" as two words, and few texts have both
_ASKING = frozenset(
    """
    when how what which who whose whom where why before until till after since prior used previous previously former formerly past then time
    originally those once longer any anymore old did was were had
    """.split()
)
"""What asks for something, for what was, or from a change on, has one of these words; many a text has none."""

_LAST = frozenset("last latest newest previous recent recently left leave first earliest".split())
"""What asks for the last conversation, or for the last or first of what there was, has one of these words."""

_SAID = frozenset("last latest recent first just".split())
"""What asks for what was said last, or first, has one of these words."""

_THEN = frozenset("hour hours minute minutes morning afternoon evening night tonight earlier conversation chat session talk".split())
"""What asks for whatever was said at some time of a day, or in this conversation, has one of these words."""

_FORMERLY = frozenset("used use previous previously former formerly past then those originally longer before old".split())
"""What asks for what was so before has one of these words."""

_LATELY = frozenset("recently lately late recent".split())

_INTENTS: dict[Intent, re.Pattern[str]] = {
    "time": re.compile(
        r"^\W*(?:when|how long|since when|until when|(?:in |on |at )?(?:what|which) (?:day|date|month|year|time|season|week))\b"
        r"|\bwhen (?:did|does|do|was|were|is|are|will|has|have|had)\b",
        re.IGNORECASE,
    ),
    "number": re.compile(r"^\W*how (?:many|much|old|often|far|big|tall)\b|\bhow (?:many|much|old)\b", re.IGNORECASE),
    "person": re.compile(r"^\W*(?:who|whose|whom|with whom)\b|\bwho (?:did|does|do|was|were|is|are|will|has)\b", re.IGNORECASE),
    "place": re.compile(
        r"^\W*(?:from )?where\b|\bwhere (?:did|does|do|was|were|is|are|will|has|have)\b"
        r"|^\W*(?:in |to )?(?:what|which) (?:city|country|place|town|state)\b",
        re.IGNORECASE,
    ),
    "reason": re.compile(r"^\W*(?:why|how come|for what reason)\b", re.IGNORECASE),
}
_ASKING_FOR: dict[Intent, frozenset[str]] = {
    "time": frozenset(("when", "how", "what", "which")),
    "number": frozenset(("how",)),
    "person": frozenset(("who", "whose", "whom")),
    "place": frozenset(("where", "what", "which")),
    "reason": frozenset(("why", "how", "what")),
}
"""One of these words is in every question of that intent."""

_QUOTED = re.compile(r"[\"“”«»]([^\"“”«»]{2,80})[\"“”«»]")
_NAME, _NAME_ABROAD = (  # which of the letters that are not a–z are capitals, `_capitalised` tells
    re.compile(rf"(?<![\w'’])[^\W\d_a-z][\w'’-]*(?:[ \t]+(?:(?:{within})[ ])?[^\W\d_a-z][\w'’-]*)*")
    for within in ("of the|of|the|de|da|von|van", "de la|de los|de|da|do|dos|du|des|del|della|di|der|den|von|van")
)
_ASKS_USER = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
_ASKS_ASSISTANT = re.compile(  # for what it said; “Can you suggest …?” asks for something new, which what the user said bears on
    r"\b(?:did|had)(?:n't)? you\b"
    r"|\byou(?:'d|'ve)? (?:(?!can\b|could\b|would\b|will\b|should\b|do\b)\w+ )?(?:said|told|suggested|recommended|advised|explained"
    r"|mentioned|proposed|gave|given|sent|wrote|written|listed|taught|warned|drafted|described|pointed|showed|shared|offered|named)\b"
    r"|\byour (?:\w+ )?(?:advice|answer|explanation|idea|instructions|list|plan|recipe|recommendations?|suggestions?|tips?)\b",
    re.IGNORECASE,
)
_REQUESTS = re.compile(r"\b(?:can|could|would|will|do|have|are) you\b", re.IGNORECASE)
_NAMES_OF_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday weekend morning afternoon evening night".split())
"""What a band, a market or a club may be named after, too."""

_TALKED = frozenset(
    """
    happen happens happened happening say said saying tell told talk talked talking speak spoke spoken chat chatted chatting discuss
    discussed discussing mention mentioned conversation conversations discussion discussions topic topics subject subjects summary
    summarise summarize recap lot much anything something everything thing things
    """.split()
)
"""Words that ask for whatever was said, or happened: of what day, tells more."""

_ANYTHING = _TALKED | frozenset("go goes going went plan plans planned planning".split())
"""Words that ask for whatever there was on a day."""


class _Put(NamedTuple):
    """A question as it was put, its text as it is read, the words in it, and of those who speak in the memory, whom it names."""

    query: str
    text: str
    words: Sequence[str]
    participants: Sequence[str]
    named: Sequence[str]

    @property
    def names(self) -> set[str]:
        """The words by which those are called whom it names, and facts their user."""
        return {part.lower() for speaker in self.named for part in _called(speaker)} | {_EVERYWHERE}


class _Placed(NamedTuple):
    """The times of a question, whether it wants the first or the last, what messages for their place, and the words that ask for these."""

    spans: list[TimeSpan]
    order: Literal["first", "last"] | None
    said: list[int]
    asking: str = ""


def understand(db: Database, query: str, *, user_id: str, now: datetime, said_by: datetime | None = None, zone: tzinfo) -> Question:
    """Return what a question asks for: its telling words, the names and phrases in it, whose words are asked about, when, and what for.

    The people who speak in the memory are in every second line of it, so that their names tell little: they decide about `actor` and
    are left out of the words and of the meaning, unless nothing else is left. Everything here is a help: a text in a language that is
    not understood is searched for by all its words. What is read in other languages is in rules/languages. What was said until `said_by`,
    also later than `now`, counts as said.
    """
    text = unicodedata.normalize("NFC", query[:_LONGEST])
    speakers = [str(speaker) for (speaker,) in db.kept("understand.participants", user_id=user_id)]
    participants = [speaker for speaker in speakers if source_of(speaker) in _TALK]  # "system" is a word like any other
    put = _Put(query, text, words_of(text), participants, _named(text, participants))
    asker = Asker(db, user_id, now, said_by or now, zone)
    language = language_of(put.words) or asked_in(text, put.words)
    return _understood(put, asker) if language is None else _understood_abroad(put, language, asker)


def _understood(put: _Put, asker: Asker) -> Question:
    """Return what a question asks for that is in English, or in a language of which nothing but the words of grammar is read."""
    text, now, zone = put.text, asker.now, asker.zone
    grammar = grammar_unread(put.words)
    stop_words = STOP_WORDS if grammar is None else grammar
    names = put.names
    placed = _asked(put, asker)
    lately = lately_in(text, now=now, zone=zone) if not (_LATELY.isdisjoint(put.words) or placed.spans or placed.order) else None
    days = days_of(placed.spans, zone=zone)
    asked = text[led_by(text) :]
    counted = _counted(text, asked, placed, days)
    terms = _terms(put, placed, days, names=names, counted=counted, stop_words=stop_words)
    asks = not text.isascii() or not _ASKING.isdisjoint(put.words)
    times = times_of(placed.spans, now=now, zone=zone)
    since, as_of = asker.counts_from(change_in(text) if asks else None)
    former = asks and not times and not (text.isascii() and _FORMERLY.isdisjoint(put.words)) and asks_former(text)
    past = asks and (former or asks_past(text) or bool(BEFORE_DATE.search(text) and times))
    keys, told = _keys(put, asker)
    if told != text:  # what is held is told of "User's son", not of Henrik
        words = [word for word in words_of(told, contracted=True) if word.replace("’", "'") not in STOP_WORDS]
        terms = [bare for word in words if (bare := _POSSESSIVE.sub("", word)) not in names]
    actor = _actor(put, asker.user_id)
    values: dict[str, object] = {
        "text": put.query,
        "meaning": told if told != text else _without(asked, put.named) if put.named else asked,
        "terms": tuple(terms[:_MAX_TERMS]),
        "phrases": tuple(_phrases(text, names, stop_words=stop_words)[:_MAX_PHRASES]) if not placed.said else (),
        "topics": tuple(term for term in terms[:_MAX_TERMS] if term not in counted and term not in _ANYTHING),
        "participants": tuple(put.named),
        "actor": actor,
        "intent": _intent(asked, put.words) if asks else "other",
        "times": tuple([*times, *since] or ([(lately.begins, lately.ends)] if lately else [])),
        "days": _days_told(days),
        "past": past,
        "former": former,
        "present": not past and not times and asks_present(text),
        "as_of": as_of,
        "order": placed.order,
        "keys": keys,
        "hypernyms": hypernyms_in(text[:_GRAMMAR], put.words),
        "suggestion": grammar is None and actor != "assistant" and asks_suggestion(text[-_GRAMMAR:], put.words),
        "by_beginning": grammar is not None
        or (not text.isascii() and ONLY_ENGLISH.isdisjoint(put.words) and _ACCENTED.search(text) is not None),
        "said": tuple(placed.said),
        "mood": mood_of(text),
        "language": "English",
    }
    return made(Question, values)  # what was read is right, and needs no check


def _counted(text: str, asked: str, placed: _Placed, days: _Days) -> set[str]:
    """The words of a question that count for what they ask for: a time, the last or the first, or what leads into what is `asked`."""
    counted = {word for span in days if not KEPT.search(span.text) for word in words_of(span.text, contracted=True)}
    counted |= _LAST | {"time"} if placed.order else set()
    counted |= set(words_of(placed.asking, contracted=True)) if placed.asking else set()
    counted |= set(words_of(text[: -len(asked)])).difference(words_of(asked)) if asked != text else set()
    return counted


def _terms(
    put: _Put, placed: _Placed, days: _Days, *, names: set[str], counted: set[str], stop_words: frozenset[str]
) -> list[str]:  # fmt: skip
    """The words of a question that are searched for."""
    text, plain = put.text, put.words
    words = list(dict.fromkeys(words_of(text, contracted=True) if "'" in text or "’" in text else plain))
    telling = list(dict.fromkeys(_POSSESSIVE.sub("", word) for word in words if word.replace("’", "'") not in stop_words))
    terms = [word for word in telling if not placed.said and word not in names and (word not in counted or word in _NAMES_OF_DAYS)]
    timed = _NAMES_OF_DAYS.union(*(words_of(span.text) for span in days)) if days else _NAMES_OF_DAYS
    if days and timed | _TALKED >= set(terms):
        return [term for term in terms if term in timed]
    return terms or ([] if days else telling or words)


def _keys(put: _Put, asker: Asker) -> tuple[tuple[tuple[str, str | None], ...], str]:
    """The keys that hold what a question asks for, of the user, of who speaks, or else of whom the user knows by name; and the question as
    it is searched for: of Henrik's job as that of "my son", where that is held, and of the user's own, by name, as that of "User".
    """
    db, user_id, text, named = asker.db, asker.user_id, put.text, put.named
    names: list[tuple[str, str]] = []
    if may_ask(text, put.words):
        held = db.kept("understand.people", user_id=user_id, keys=json.dumps([*name_keys(_EVERYWHERE), *OWN_NAMES]))
        names = [(str(key), str(name)) for key, name in held]
    people: Mapping[str, str] = {} if named else subjects(names)
    keys = keys_in(text, put.words, named, user_id=user_id, people=people)
    others = [one for one in put.participants if source_of(one) == "user_message" and not is_oneself(one, user_id)]
    if keys and others:
        keys += held_elsewhere(keys, names, others)
    if named:
        return keys, _of_ones_own(put, keys, names, asker) if keys and not is_oneself(named[0], user_id) else text
    somebody = somebody_in(text, people, user_id=user_id, anybody=not says_whose(put.words)) if keys else None
    if somebody is None or somebody.subject == slug(somebody.name):
        return keys, text
    if not db.kept("understand.held", user_id=user_id, keys=json.dumps([key for key, _ in keys])):
        return keys, text
    told = "User" if somebody.subject == _EVERYWHERE else f"my {somebody.subject.replace('_', ' ')}"
    return keys, mention(somebody.name).sub(told, text)


def _of_ones_own(put: _Put, keys: Iterable[tuple[str, str | None]], names: Iterable[tuple[str, str]], asker: Asker) -> str:
    """A question of somebody who speaks, as it is searched for: of "my brother" where nothing is held of what they say of themselves, but
    the user knows them as that.
    """
    speaker = put.named[0]
    called = {part.casefold() for part in _called(speaker)}
    known = [key.rpartition(".")[2] for key, name in names if name.casefold() in called and key not in OWN_NAMES]
    own = [key for key, _ in keys if key.startswith(f"{slug(speaker)}.")]
    if not known or (own and asker.db.kept("understand.held", user_id=asker.user_id, keys=json.dumps(own))):
        return put.text
    part = next((part for part in _called(speaker) if mention(part).search(put.text)), speaker)
    return mention(part).sub(f"my {known[0].replace('_', ' ')}", put.text)


def _understood_abroad(put: _Put, language: Language, asker: Asker) -> Question:
    """Return what a question in another language asks for, as far as its words of grammar and its times tell."""
    text, words, named, now, zone = put.text, put.words, put.named, asker.now, asker.zone
    names = put.names
    straight = text[:_GRAMMAR].replace("’", "'")
    placed = _asked_abroad(straight, language, asker)
    lately = lately_abroad(straight, language, now=now, zone=zone) if not (placed.spans or placed.order) else None
    days = days_abroad(placed.spans, zone=zone)
    counted = {word for span in days if not KEPT.search(span.text) for word in words_of(text[span.start : span.end])}
    counted |= (set(language.of_place) if placed.order else set()) | (set(words_of(lately.text)) if lately else set())
    telling = [word for word in dict.fromkeys(words) if word not in language.stop_words]
    terms = [word for word in telling if not placed.said and word not in names and word not in counted]
    if not terms and not days:
        terms = telling or list(dict.fromkeys(words))
    facts = as_facts_say(words, language) if language.asks_user.search(straight) and not placed.said else []  # which are in English
    together = _phrases(text, names, stop_words=language.stop_words, name=_NAME_ABROAD)
    phrases = [phrase for phrase in together if len(set(words_of(phrase)) - language.stop_words) > 1]
    asks = (("assistant", language.asks_assistant), ("user", language.asks_user))
    speaks = {"user" if is_oneself(one, asker.user_id) else one for one in put.participants}
    actor = next((who for who, pattern in asks if who in speaks and pattern.search(straight)), None)
    times = times_of(placed.spans, now=now, zone=zone)
    since, as_of = asker.counts_from(change_abroad(straight, language))
    former = not times and asks_former_abroad(straight, language)
    past = former or bool(language.tells_past.search(straight)) or any(BEFORE_DATE.match(span.text) for span in placed.spans)
    return Question(
        text=put.query,
        meaning=_without(text, named) if named else put.query,
        terms=tuple(dict.fromkeys([*terms, *facts]))[:_MAX_TERMS],
        phrases=tuple(phrases[:_MAX_PHRASES]) if not placed.said else (),  # "Étais-je" is none
        topics=tuple(term for term in terms[:_MAX_TERMS] if term not in counted and term not in language.of_anything),
        participants=tuple(named),
        actor=(named[0] if len(named) == 1 else None) if named else actor,
        intent=next((intent for intent, pattern in language.asked_for.items() if pattern.search(straight)), "other"),
        times=tuple([*times, *since] or ([(lately.begins, lately.ends)] if lately else [])),
        days=_days_told(days),
        past=past,
        former=former,
        present=not past and not times and placed.order is None and asks_present_abroad(straight, language),
        as_of=as_of,
        order=placed.order,
        keys=keys_abroad(straight, language),
        suggestion=actor != "assistant" and asks_suggestion(straight, words, language.name),
        language=language.name,
        by_beginning=True,
        said=tuple(placed.said),
        mood=mood_of(text, language),
    )


def _days_told(days: _Days) -> tuple[str, ...]:
    """The days that a question is about, each once."""
    return tuple(dict.fromkeys(day for each in days.values() for day in each))[:MOST_DAYS]


def _asked(put: _Put, asker: Asker) -> _Placed:
    """When something was of which a question asks, and what it asks for by its place in time."""
    text, plain, now, zone = put.text, put.words, asker.now, asker.zone
    spans = spans_of(text[:_GRAMMAR], now=now, zone=zone)
    if "birthday" in plain and not spans:
        spans = birthdays_in(text, asker.born(), now=now, zone=zone)
    order = None
    if not _LAST.isdisjoint(plain):
        talk = _talk(text, asker)
        spans, order = talk or spans, None if talk else order_in(text)  # what else is named then is what was talked about
    if not _SAID.isdisjoint(plain) and (asked := said_in(_blanked(text, spans))) is not None:
        said, day = asker.said(asked, text, spans) if asked.alone else ([], [])
        return _Placed(day or spans, asked.order, said, text[asked.start : asked.end])
    if not _THEN.isdisjoint(plain) and (then := said_then_in(text)) is not None:
        said, day = asker.said_then(then, text)
        return _Placed(day or spans, then.order if day else order, said)
    return _Placed(spans, order, [])


def _talk(text: str, asker: Asker) -> list[TimeSpan]:
    """The day of the last conversation, all the time since, or the day of the first one, where a question speaks of it."""
    if (match := last_talk_in(text)) is not None:
        return asker.last_talk(match, since=match["since"] is not None)
    return asker.first_talk(match) if (match := first_talk_in(text)) is not None else []


def _asked_abroad(text: str, language: Language, asker: Asker) -> _Placed:
    """When something was of which a question in another language asks, and what it asks for by its place in time."""
    now, zone = asker.now, asker.zone
    spans = spans_abroad(text, language, now=now, zone=zone)
    if not spans and language.cue("birthday", text):
        spans = birthdays_abroad(text, language, asker.born(), now=now, zone=zone)
    if (talk := last_talk_abroad(text, language)) is not None:
        day = asker.last_talk(talk[0], since=talk[1])
        return _Placed(day, None, []) if day else _Placed(spans, order_abroad(_blanked(text, spans), language), [])
    if (match := first_talk_abroad(text, language)) is not None and (day := asker.first_talk(match)):
        return _Placed(day, None, [])
    if (asked := said_abroad(text, language)) is not None:
        said, day = asker.said(asked, text) if isinstance(asked, Said) else asker.said_then(asked, text)
        if day:
            return _Placed(day, asked.order, said)
    return _Placed(spans, order_abroad(_blanked(text, spans), language), [])


def _called(speaker: str) -> tuple[str, ...]:
    """The names somebody goes by: the whole and, of "Anna Maria Silva", the first."""
    first = speaker.split()[0] if speaker.split() else speaker
    return (speaker, first) if first != speaker else (speaker,)


def _named(text: str, participants: Sequence[str]) -> list[str]:
    named = []
    for speaker in participants:
        for name in _called(speaker):
            if len(name) > 1 and mention(name).search(text):
                named.append(speaker)
                break
    return named


def _intent(text: str, words: Sequence[str]) -> Intent:
    may = [intent for intent, telling in _ASKING_FOR.items() if not telling.isdisjoint(words)] if text.isascii() else _INTENTS
    return next((intent for intent in may if _INTENTS[intent].search(text)), "other")


def _without(text: str, named: Sequence[str]) -> str:
    for speaker in named:
        for name in _called(speaker):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", " ", text, flags=re.IGNORECASE)
    text = " ".join(text.split())
    return text if _WORD.search(text) else " ".join(named)


def _phrases(text: str, names: set[str], *, stop_words: frozenset[str], name: re.Pattern[str] = _NAME) -> list[str]:
    """Return what belongs together: quoted words, and runs of at least two capitalised ones ("New York")."""
    found = [match.group(1) for match in _QUOTED.finditer(text)]
    for run in (run for match in name.finditer(text) for run in _capitalised(match[0].split())):
        while run and (run[0].lower() in stop_words or run[0].lower() in names or _POSSESSIVE.sub("", run[0].lower()) in names):
            run = run[1:]  # "Did Anna see New York": a capital at the beginning of a sentence says nothing
        if len(run) <= _LONGEST_NAME:  # what is longer is a text in capitals, and such a phrase can take the index minutes
            found.append(" ".join(run))
    phrases = dict.fromkeys(" ".join(words_of(phrase, contracted=True)) for phrase in found)
    return [phrase for phrase in phrases if " " in phrase]


def _capitalised(words: Sequence[str]) -> list[list[str]]:
    """Words that stand in a row, parted where one begins with another letter than a–z that is no capital: "été", "сестра", "שלום"."""
    runs: list[list[str]] = [[]]
    for word in words:
        if word[0].isascii() or word[0].isupper():
            runs[-1].append(word)
        else:
            runs.append([])
    return runs


def _actor(put: _Put, user_id: str) -> str | None:
    if put.named:
        return put.named[0] if len(put.named) == 1 else None
    text, participants = put.text.replace("’", "'"), put.participants
    if "assistant" in participants and _ASKS_ASSISTANT.search(text):
        return "assistant"
    asks_user = _ASKS_USER.search(text) or ("assistant" in participants and _REQUESTS.search(text))
    return "user" if asks_user and any(is_oneself(one, user_id) for one in participants) else None


def _blanked(text: str, spans: Sequence[TimeSpan]) -> str:
    """The text without the words of the times in it."""
    for span in spans:
        text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
    return text
