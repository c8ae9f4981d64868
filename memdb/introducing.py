"""How people introduce themselves, written out: "I'm Anna, living in Porto" is "I am Anna, I am living in Porto"."""

from __future__ import annotations

import re
from functools import cache

from memdb.capitals import is_a_name
from memdb.english_rules import compiled, relation_words, rules

_AS_SOMEONE = {  # "as someone with ADHD, I …"
    "who is": "am",
    "who has": "have",
    "who lives": "live",
    "who works": "work",
    "with": "have",
    "living": "am living",
    "working": "am working",
}
_ADVICE = re.compile(r"\b(?:me to|i (?:should|must|have to|need to))\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d\d")
_SO_LONG = re.compile(  # "I've been married 20 years", "I've worked at Boots 12 years", "…, been vegan 5 years"
    r"(?P<been>(?:\b(?:have|has) (?:been|lived|worked|taught|played|owned|smoked|volunteered)|(?:^|, |\b(?:i|we) )been) "
    r"(?:(?!for\b)[\w'-]+ ){0,4}?(?!(?:for|about|around|over|nearly|almost)\b)[\w'-]+) "
    r"(?=(?:\d+|two|three|four|five|six|seven|eight|nine|ten|\w+teen|\w+ty(?:-\w+)?) (?:years|months|decades)\b)",
    re.IGNORECASE,
)
_LONG = re.compile(r" (?:years|months|decades)\b")
_AT_ONCE = 4  # "…, living in Porto, working at Siemens": one after the other


def introduced(sentence: str) -> str:
    """Return a sentence with what it says of its writer in passing as clauses of their own."""
    phrase = rules().phrase
    sentence = compiled(phrase["announced"]).sub("", sentence, count=1)
    if " is " in sentence:
        sentence = compiled(phrase["it_is"]).sub(_if_a_name, sentence, count=1)
    sentence = compiled(phrase["myself"]).sub("I am ", compiled(phrase["greeted"]).sub(_greeting, sentence), count=1)
    sentence = compiled(phrase["please"]).sub(lambda found: f"{found['then']}, ", sentence)
    sentence = compiled(phrase["run_on"]).sub(lambda found: f"{found['said']}, ", sentence)
    sentence = _together().sub(lambda found: f"{found['before']}{found['who'] or found['other']} and I ", sentence)
    sentence = _with_what_they_are(sentence)
    if " are both " in sentence:
        sentence = compiled(phrase["both"]).sub(
            lambda found: f"{found['before']}{found['who']} is {found['what']}, {found['who']} and I are both {found['what']}", sentence
        )
    if _LONG.search(sentence):
        sentence = _SO_LONG.sub(r"\g<been> for ", sentence)
    if "used to" in sentence:
        sentence = compiled(phrase["lives_instead"]).sub(lambda found: f"{found['before']}now {found['who']} live in ", sentence)
    if _ADVICE.search(sentence):
        sentence = compiled(phrase["advised"]).sub("I have to avoid ", sentence)
    if _DIGITS.search(sentence):
        sentence = compiled(phrase["letter"]).sub(lambda found: f"{found['hi']}I am {found['age']},", sentence)
        sentence = compiled(phrase["aged"]).sub(lambda found: f"I am {found['age']}", sentence)
        sentence = compiled(phrase["brief"]).sub(_one_by_one, sentence)
    sentence = compiled(phrase["own_age"]).sub(lambda found: f"I am {found['age'] or found['years']}, I", sentence)
    sentence = compiled(phrase["as_one"]).sub(lambda found: f"{found['before']}I am {found['what']}, ", sentence)
    sentence = compiled(phrase["as_someone"]).sub(
        lambda found: f"{found['before']}I {_AS_SOMEONE[found['how'].lower()]} {found['what']}, ", sentence
    )
    sentence = compiled(phrase["years_old"]).sub(lambda found: f"{found['who']} {found['age']}, {found['who']} a", sentence)
    for _ in range(_AT_ONCE):
        again = compiled(phrase["doing"]).sub(
            lambda found: f"{found['who']} {found['what'].rstrip(' ,')}, {found['who']} ", sentence, count=1
        )
        if again == sentence:
            break
        sentence = again
    return sentence


def of_oneself(sentence: str, *, then: str | None) -> str:
    """Return what a sentence that goes on about its writer says of them; the first is a name alone: "Tom." before "52. Bus driver in Hull".

    `then` is the text that follows a first sentence, None where the sentence is none. What does neither is returned as it is.
    """
    goes_on = compiled(rules().phrase["goes_on_about_oneself"])
    if then is not None:
        alone = _NAME_ALONE.fullmatch(sentence)
        named = (
            alone is not None
            and is_a_name(alone["first"].lower())
            and goes_on.match(_SENTENCE_ENDS.split(then.lstrip(" .!,\n"), maxsplit=1)[0])
        )
        return f"I am {' '.join(map(str.capitalize, sentence.split()))}" if named else sentence
    if not goes_on.match(sentence):
        return sentence
    return f"I am {sentence if compiled('{nationality}').match(sentence) else sentence[0].lower() + sentence[1:]}"


_SENTENCE_ENDS = re.compile(r"[.!?\n]")
_NAME_ALONE = re.compile(r"(?P<first>[^\W\d_]+)(?: [^\W\d_]+)?")


def _if_a_name(found: re.Match[str]) -> str:
    goes_on = "," if found.string.startswith(" ", found.end()) else ""
    name = found["name"] if found["name"][0].isupper() else found["name"].capitalize()
    return f"I am {name}{goes_on}" if is_a_name(name.lower()) else found.group()


def _one_by_one(found: re.Match[str]) -> str:
    """A name, an age and what else is told behind them without a comma, each after one: "I am dave 45 from hull"."""
    name = " ".join(word.title() if is_a_name(word) else word for word in found["name"].split())
    if not name[0].isupper() or compiled("{no_name}").match(name):
        return found.group()
    more = _MORE.sub(lambda piece: f", {piece['from'] or ''}{(piece['where'] or '').title()}{piece['state'] or ''}", found["more"])
    then = (", I am " if found["doing"] else ", I ") if found["then"] else ""
    return f"I am {name}, {found['age']}{more}{then}"


_MORE = re.compile(r",? (?:(?P<from>(?:from|living in|based in) )(?P<where>[\w'-]+)|(?P<state>[\w ]+))")


def _with_what_they_are(sentence: str) -> str:
    """A sentence with what relatives are told at its end: "my vegan sister is here" is "my sister is here, my sister is vegan"."""
    found = list(compiled(rules().phrase["described"]).finditer(sentence))
    if not found:
        return sentence
    each = (f", {one['my']} {one['who']} {'are' if one['who'].endswith('s') else 'is'} {one['state']}" for one in found)
    return compiled(rules().phrase["described"]).sub(lambda one: f"{one['my']} {one['who']}", sentence) + "".join(each)


def _greeting(found: re.Match[str]) -> str:
    """A greeting with the name that comes with it: "Hi, Anna here". Only there is its capital not merely the first of a sentence.

    Without a greeting ("Tom here, …"), or before what one is ("Hi, Tom, nurse in Leeds"), only what is known for a name is one.
    """
    if alone := found["first"] or found["bare"]:
        return f"{found['hi'] or ''}I am {alone.title()}" if is_a_name(alone.split()[0].lower()) else found.group()
    name = found["this"] or found["here"]
    none = compiled(rf"(?:{{occupation}}|{relation_words()}|{{no_name}}|{{no_caller}})\b")
    return found.group() if none.match(name) else f"{found['hi']}I am {name}"


@cache
def _together() -> re.Pattern[str]:
    """Oneself and another, as it is said: "me and my gf live in Hull"."""
    other = rf"(?:my|our) (?:[\w-]+ )??(?:{relation_words()})(?: (?-i:[A-Z][\w'-]+))?"
    return re.compile(
        rf"(?P<before>^|[,;!] ?|\b(?:so|and|but|because|since) )(?:me (?:and|&|n) (?P<who>{other})|(?P<other>{other}) (?:and|&|n) me) "
        rf"(?={rules().phrase['together_do']}\b)",
        re.IGNORECASE,
    )
