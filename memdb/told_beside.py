"""What a sentence tells of somebody in passing: a name told afterwards, an age in between, and who "she" is.

Each is put where it is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from memdb.called import called
from memdb.capitals import is_a_name
from memdb.english_rules import compiled, filled_in, relation_words, rules


def with_name(sentence: str, before: str = "") -> str | None:
    """Return a sentence with the name that is told in it ("…, and his name is Rex") beside who has it, where it is clear who that is.

    That may be somebody of the sentence `before`, which is returned with it then.
    """
    several = compiled(rules().phrase["named_several"]).match(sentence) if before else None
    if several is not None:
        whose = {found["who"].lower() for found in _in_plural().finditer(before)}
        alone = len(whose) == 1 and whose.issuperset(found["who"].lower() for found in _somebody().finditer(before))
        return f"my {next(iter(whose))} are called {several['names']}{sentence[several.end() :]}" if alone else None
    if before and (aged := compiled(rules().phrase["aged_several"]).match(sentence)):
        told_of = compiled(rules().phrase["children_told"]).fullmatch(before)
        each = compiled(r"(?P<name>{name}) is (?P<age>{age_in_digits})").sub(r"\g<name> (\g<age>)", aged["each"])
        return f"I have {told_of['kids']}, {each}" if told_of else None
    named = compiled(rules().phrase["named"]).search(sentence)
    if named is None or bool(before) != (named.start() == 0):
        return None
    if compiled(rules().block["reported"]).match(sentence[: named.start()]):
        return None  # "My son says his name is Batman"
    told, pronoun = before or sentence[: named.start()], next(filter(None, named.group("whose", "who", "whom"))).lower()
    kept = [found for found in _somebody().finditer(told) if _may_be(found["who"].lower(), pronoun)]
    if before and not kept and compiled(rules().phrase["found_somebody"]).fullmatch(told):
        return f"I have a partner called {named['name']}{sentence[named.end() :]}"
    if len(kept) != 1 or compiled(rules().phrase["besides"]).search(told, kept[0].end()):
        return None
    if named["whom"] and _has_a_name(kept[0]["who"].lower()):
        return None  # "My boss hired someone. They've named her Director"
    end = kept[0].end()
    return f"{told[:end]}{' ' if kept[0]['whose'] else ' called '}{named['name']}{told[end:]}{sentence[named.end() :]}"


def last_with_somebody(told: str) -> str:
    """Return the last sentence of a text that tells of a relative or a pet without a name, or only "my wife" of it; "" for none."""
    for sentence in reversed(re.split(r"(?<=[.!?…])\s+|\n", told)):
        if "?" in sentence:
            continue
        found = list(_somebody().finditer(sentence))
        if found or _in_plural().search(sentence):
            return found[0].group() if len(found) == 1 and found[0]["whose"] else sentence.strip(" .!…")
    return ""


_SCHOOL = re.compile(  # "goes to Hill Primary" names nobody
    r"\b(?P<at>(?:in|at|to|from|near) )(?:[A-Z][\w'-]* ){1,4}"
    r"(?:Primary|Secondary|Elementary|Grammar|High|Infants|Juniors|Nursery|Kindergarten|School|Academy|College|University)\b"
)


@cache
def _nobody_else() -> re.Pattern[str]:
    """What has a capital and is nobody beside who is spoken of: a language, or who introduces themselves."""
    no_name, name = filled_in(r"\b(?:{nationality}|{language})\b"), r"(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
    return re.compile(rf"{no_name}|\b(?:my name is|i am|call me) {name}", re.IGNORECASE)


def _may_be(noun: str, pronoun: str) -> bool:
    """Whether a pronoun may stand for a relative or an animal."""
    groups, relations = rules().groups, called().relations
    if pronoun[0] == "i":
        return relations.get(noun, noun) in groups["pets"] or noun not in relations
    same, other = (groups["he"], groups["she"]) if pronoun in ("he", "his", "him") else (groups["she"], groups["he"])
    return noun in same or noun not in other


def _has_a_name(noun: str) -> bool:
    """Whether somebody has had a name for long, so that nobody names them any more: a boss or a sister, but no child or pet."""
    relation = called().relations.get(noun)
    return relation is not None and relation not in (*rules().groups["young"], *rules().groups["pets"])


_OWNED = re.compile(r"\b(?:my|our|your|have|got|adopted)\b", re.IGNORECASE)  # behind which somebody may stand who is somebody's


def spoken_of(said: str, pronoun: str, people: Mapping[str, str]) -> tuple[str, str]:
    """Return whom "he" or "she" stands for after what was said: what they are to the user, and their name where it was told.

    `people` are those who are known by name, each with what they are. ("", "") where nobody was spoken of who may be meant, or more than
    one, or somebody of whom nothing is known.
    """
    if _OWNED.search(said) is None and not any(name in said for name in people):
        return "", ""
    groups, relations = rules().groups, called().relations
    meant: dict[str, tuple[str, set[str]]] = {}

    def read(found: re.Match[str]) -> str:
        words = (found["proper"] or "").split()
        known = next((word for word in map(_without_s, words) if word in people), "")
        if words and not known:
            return found.group()
        noun = (people[known] if known else found["who"]).lower()
        if noun in groups[pronoun]:
            mine = known or (found["whose"] and not _FORMER.search(found.group()))
            meant.setdefault(relations.get(noun, noun) if mine else "", (noun, set()))[1].update({known or found["name"] or ""} - {""})
        return " " if len(words) < 2 or known == words[0] else f"{words[0]} "

    rest, another = _SCHOOL.sub(r"\g<at>", _mentioned().sub(read, said)), compiled(rules().phrase["somebody_else"])
    if len(meant) != 1 or "" in meant or (another.search(rest) and another.search(_nobody_else().sub(" ", rest))):
        return "", ""
    ((noun, names),) = meant.values()
    return (noun, next(iter(names), "")) if len(names) < 2 else ("", "")


_FORMER = re.compile(r"\b(?:ex|former|previous|birth|biological) ", re.IGNORECASE)  # "my ex wife" is no wife


def with_name_beside(sentence: str) -> str:
    """Return a sentence with a name beside who has it: "my friend from school, Tom," and "Tom, my friend," are "my friend Tom"."""
    patterns = (*((_placed(), _beside()) if sentence.count(",") > 1 else ()), *(_in_brackets() if "(" in sentence else ()))
    for pattern in patterns:
        sentence = pattern.sub(_named_beside, sentence)
    return sentence


def _named_beside(found: re.Match[str]) -> str:
    """Who somebody is, with their name: "my friend Tom", "I have a friend called Tom,"."""
    had = found["who"][:2].lower() in ("i ", "we")
    return f"{found['who']} called {found['name']}," if had else f"{found['who']} {found['name']}"


def with_apostrophes(sentence: str) -> str:
    """Return a sentence with the apostrophe that was left out behind a relative who has somebody or something: "my wifes sister"."""
    return _owned().sub(r"\g<who>'s", sentence) if _ENDS_IN_S.search(sentence) else sentence


_ENDS_IN_S = re.compile(r"\b(?:my|our) (?:[\w-]+ )?[\w-]+s [a-z]", re.IGNORECASE)  # "my wifes sister", and much else


def with_pronouns_named(sentence: str, said: str) -> str:
    """Return a sentence that tells a name, or who somebody is, said of whom was spoken of: "his name is Nils", "she's my aunt".

    "His name is Nils" is "he is called Nils", unless there is an animal; "she" who is an aunt is the only one named in what was `said`.
    """
    whose = _NAME_OF.search(sentence) if " name is " in sentence else None
    if whose and not compiled(_AN_ANIMAL).search(f"{said} {sentence[: whose.start()]}"):  # "she got a puppy. Her name is Luna"
        sentence = f"{sentence[: whose.start()]}{'he' if whose[1].lower() == 'his' else 'she'} is called {sentence[whose.end() :]}"
    found = _is_mine().search(sentence) if " is my " in sentence or " is our " in sentence else None
    if found is None:
        return sentence
    told = f"{said} {sentence[: found.start()]}"
    named = {
        _without_s(one["name"]) for one in _PROPER.finditer(told) if one["within"] is not None or is_a_name(_without_s(one["name"]).lower())
    }
    names = [name for name in named if not compiled("{month}|{weekday}").fullmatch(name)]
    if len(names) != 1 or not is_a_name(names[0].lower()):
        return sentence
    return f"{sentence[: found.start()]}{'; ' if found.start() else ''}{names[0]}{sentence[found.end('who') :]}"


def of_themselves(sentence: str, said: str, people: Mapping[str, str]) -> str:
    """Return a sentence in which somebody tells of themselves as what is so: "my aunt told me she is vegan" is "my aunt is vegan".

    Only where nobody else was spoken of in what was `said` before: "she" may be another then. `people` are those who are known by name.
    """
    if _PRONOUN_TOLD.search(sentence) is None or (found := compiled(rules().phrase["of_themselves"]).match(sentence)) is None:
        return sentence
    noun = (found["rel"] or people.get(found["known"] or "", "")).lower()
    pronoun = found["pron"].lower()
    if noun not in rules().groups[pronoun] or noun in rules().groups["young"]:
        return sentence  # a child says that he is Batman
    if said.strip() and spoken_of(said, pronoun, people)[0] != noun:
        return sentence
    who = found["known"] or f"{found['my']} {found['rel']}{' ' + found['name'] if found['name'] else ''}"
    return f"{found['lead']}{who} {sentence[found.end() :]}"


_PRONOUN_TOLD = re.compile(r"\b(?:tells|told|mentioned|announced|know|admitted)\b.{0,20} (?:she|he) ", re.IGNORECASE)
_AN_ANIMAL = r"\b(?:an?|my|our|the|new) (?:\w+ )?{animal}\b"
_NAME_OF = re.compile(r"\b(his|her) name is (?=[A-Z])", re.IGNORECASE)
_PROPER = re.compile(r"(?:(?P<within>(?<=[\w,] )(?<!\bin )(?<!\bfrom )(?<!\bto ))|)\b(?P<name>[A-Z][a-z][\w'-]+)")


def with_age(sentence: str) -> str:
    """Return a sentence with ages in between said by themselves: "my son (8) loves …" is "my son is 8, my son loves …"."""
    sentence = _ages_behind().sub(_in_turn, sentence)
    sentence = _aged().sub(lambda found: f"{found['who']} is {found['age']}, {found['who']}", sentence)
    sentence = _aged_before().sub(lambda found: f"{found['my']} {found['who']} is {found['age']}, {found['my']} {found['who']}", sentence)
    if " who" in sentence:
        sentence = _each_who().sub(_named_by_one, sentence)
    return _several().sub(_one_by_one, _had().sub(_each_aged, sentence))


def _in_turn(found: re.Match[str]) -> str:
    """Names with the ages that follow them in the same order: "Leo and Sam, they are 4 and 7" is "Leo (4) and Sam (7)"."""
    names, ages = _NAME.findall(found["names"]), _AGE.findall(found["ages"])
    if len(names) != len(ages):
        return found.group()
    each = iter(ages)
    return found["who"] + _NAME.sub(lambda name: f"{name.group()} ({next(each)})", found["names"])


_NAME, _AGE = re.compile(r"[A-Z][\w-]+"), re.compile(r"\d+")


@cache
def _ages_behind() -> re.Pattern[str]:
    """Children by their names, and behind them their ages."""
    return re.compile(
        r"\b(?P<who>(?:kids|children|twins|girls|boys|sons|daughters)(?:,|:| called| named)? )"
        r"(?P<names>[A-Z][\w-]+(?:, [A-Z][\w-]+)*,? and [A-Z][\w-]+)"
        r",? (?:(?:they|who) are (?:now )?|aged )(?P<ages>\d{1,2}(?:, \d{1,2})*,? and \d{1,2})(?=$|[,.;!?]| and\b)"
    )


def _named_by_one(found: re.Match[str]) -> str:
    """Children of whom each is told something: "two sons, Jan who's 9 and Piet who …" is "two sons, my son Jan is 9 and my son Piet …"."""
    kind = found["kind"].lower()
    one = {"daughters": "daughter", "girls": "daughter", "sons": "son", "boys": "son", "sisters": "sister", "brothers": "brother"}
    each = f"my {one.get(kind, kind.removesuffix('s') if kind not in ('kids', 'children', 'twins') else 'child')}"
    told = _WHO_IS.sub(lambda who: f"{who['joint']}{each} {who['name']}{who['does']}", f", {found['told']}")
    return f"{found['have']}{found['kind']}{told}"


_WHO_IS = re.compile(r"(?P<joint>,? and |, )(?P<name>[A-Z][\w'-]+),? who(?P<does> (?:is|has|was|will|can|does|[a-z]+(?:s|ed)|went|got) )")


def _each_aged(found: re.Match[str]) -> str:
    """Children who are had, each with an age: "a 6-year-old son", "a son, 6," and "a son (6)" are "a son, my son is 6"."""
    each = list(_one_aged().finditer(found["each"]))
    if len({one["kin"].lower() for one in each}) < len(each) or not all(one["age"] or one["later"] for one in each):
        return found.group()  # of two sons, which is which?
    pets = rules().groups["pets"]
    bare = _one_aged().sub(
        lambda one: f"a {one['kin']}{one['called'] if called().relations[one['kin'].lower()] in pets else ''}", found["each"]
    )
    bare = bare.replace(", and ", " and ")
    ages = (f", my {one['kin']}{' ' + one['name'] if one['name'] else ''} is {one['age'] or one['later']}" for one in each)
    return f"{found['have']}{bare}{''.join(ages)}"


def _one_by_one(found: re.Match[str]) -> str:
    """Children who are listed by their names: "two kids, Tom (6) and Mia (9)" is "two kids, my child Tom is 6, my child Mia is 9"."""
    kind = found["kind"].lower()
    one_of = {"girls": "daughter", "boys": "son", "grandchildren": "grandchild", "grandkids": "grandchild"}
    child = one_of.get(kind) or (kind[:-1] if kind[:-1] in _LISTED_KIN else "child")
    listed = list(_listed().finditer(found["list"]))
    if len({one["name"] for one in listed}) < len(listed):
        return found.group()  # "Grade 6 and Grade 9"
    if kind in ("dogs", "cats"):  # what their names are is read as it stands
        return f"{found['have']}{found['kind']}, {' and '.join(one['name'] for one in listed)}"
    whose = next(iter(found["have"].lower().split()), "my")
    mine = whose in ("my", "our", "the")
    unsure = child == "child" or (mine and (kind in ("boys", "girls") or child not in ("daughter", "son")))  # these may be dogs
    if whose in _NUMBERS and found.end() < len(found.string):
        return found.group()  # "Two boys, Tom 6 and Max 7, share nine apples"
    if child == "child" and whose in ("i", "we") and not any(one["age"] for one in listed):
        return f"{found['have']}{found['kind']}, {', '.join(one['name'] for one in listed[:-1])} and {listed[-1]['name']}"
    told = whose in _NUMBERS or (mine and kind in ("kids", "children")) or kind not in ("kids", "children", "boys", "girls", "twins")
    known = sum(is_a_name(one["name"].lower()) for one in listed) if told else 0
    if unsure and 2 * known < len(listed) and not all(one["age"] for one in listed):
        return found.group()
    each = [f"my {child} {one['name']} is {one['age']}" if one["age"] else f"my {child} is called {one['name']}" for one in listed]
    names = [f"my children are called {' and '.join(one['name'] for one in listed)}"] if child == "child" else []
    they = "; they" if whose in ("my", "our", "the") and found.string[found.end() : found.end() + 1] in (",", " ") else ""
    who = "I have " if whose in _NUMBERS and found.start() == 0 else ""
    return f"{who}{found['have']}{found['kind']}, {', '.join(names + each)}{they}"  # all of them, not the last, do what follows


_NUMBERS = frozenset(("two", "three", "four"))
_LISTED_KIN = frozenset(
    ("daughter", "son", "sister", "brother", "niece", "nephew", "grandson", "granddaughter", "grandchild", "stepson", "stepdaughter")
)


@cache
def _placed() -> re.Pattern[str]:
    """A relative, where they are found, and their name: "my neighbour on the next plot, Winston, says"."""
    where = r"(?-i:(?:from|at|on|in|across|upstairs|downstairs|next door)(?: [a-z'-]+){0,4})"
    no_name = rf"(?-i:I)\b|(?:{rules().macros['month']}|{rules().macros['weekday']})\b"
    return re.compile(
        rf"(?P<who>\b(?:my|our|(?:i|we) have an?) (?:[\w-]+ )??(?:{relation_words()})) {where}, (?:called |named )?(?!{no_name})"
        r"(?P<name>(?-i:[A-Z][a-z][\w'-]*(?: [A-Z][\w'-]+)?)),(?! (?:and|or) )",
        re.IGNORECASE,
    )


@cache
def _beside() -> re.Pattern[str]:
    """A name, and who has it, who is no other in a list: "Tom, my brother, says", "our Tom, that's my brother, says"."""
    return re.compile(
        r"(?:^|(?<=, )|(?<=\band )|(?<=\bwith )|(?<=\bby )|(?<=\bcalled )|(?<=\bmet )|(?<=\bsaw ))(?:our )?"
        rf"(?!{filled_in('{no_caller}')}\b)(?P<name>(?-i:[A-Z][a-z][\w'-]*)), (?:(?:that|he|she|who) is )?"
        rf"(?P<who>(?:my|our) (?:[\w-]+ )??(?:{relation_words()})),"
        r"(?= (?!(?:and|or) (?!(?:i|we|he|she|they)\b)|(?-i:[A-Z])|who\b|my\b|our\b))",
        re.IGNORECASE,
    )


@cache
def _in_brackets() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A name and who has it, the one in brackets: "Jess (my wife)", "my wife (Jess)"."""
    who, name = rf"(?P<who>(?:my|our) (?:[\w-]+ )??(?:{relation_words()}))", r"(?P<name>(?-i:[A-Z][a-z][\w'-]*))"
    no_name = filled_in("(?!(?:{no_caller}|{month}|{weekday})\\b)")
    return (
        re.compile(rf"\b{no_name}{name} \({who}(?:, (?:his|her|their) [\w-]+)?\)", re.IGNORECASE),
        re.compile(rf"\b{who} \((?:called |named )?{no_name}{name}\)", re.IGNORECASE),
    )


@cache
def _owned() -> re.Pattern[str]:
    alone = "|".join(word for word in relation_words().split("|") if not word.endswith(("s", "kid", "parent", "child", r"in\-law")))
    return re.compile(rf"\b(?P<who>(?:my|our) (?:[\w-]+ )??(?:{alone}))s(?= {filled_in(rules().phrase['owned'])})", re.IGNORECASE)


@cache
def _is_mine() -> re.Pattern[str]:
    """Who says of "she" that she is a relative, and nothing else."""
    return re.compile(
        rf"(?:^|[,;] (?:(?:and|but|so) )?|\s(?:and|but|so|because) )(?P<who>she|he) is (?:my|our) (?:[\w-]+ )??(?:{relation_words()})"
        r"(?=$|,| (?:from|at)\b)",
        re.IGNORECASE,
    )


@cache
def _in_plural() -> re.Pattern[str]:
    """Children or pets who are several, and none of whom is named: "my twins", "two cats"."""
    return re.compile(
        r"\b(?:my|our|two|three|four) (?:[\w-]+ )?"
        r"(?P<who>kids|children|twins|daughters|sons|girls|boys|dogs|cats|kittens|puppies|rabbits|sisters|brothers)\b"
        r"(?!'|,? (?:called |named )?(?-i:[A-Z]))",
        re.IGNORECASE,
    )


_DOES = r"(?= (?:is|was|has|had|will|can|does|did|just|also|[a-z]+(?:s|ed)|went|got|came)\b)"


@cache
def _aged() -> re.Pattern[str]:
    """A relative with their age in between: "my son (8) loves", "my sister Ana, 34, lives"."""
    who = rf"\b(?:my|our) (?:[\w-]+ )??(?:{relation_words()})(?:,? (?-i:[A-Z][\w'-]+))?"
    return re.compile(
        rf"(?P<who>{who})(?: ?\(|, )(?:aged? )?(?P<age>\d{{1,3}})(?: years? old| ?[fm](?=\)))?(?:\),?|,){_DOES}",
        re.IGNORECASE,
    )


_AGED = r"(?P<age>\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)(?:[- ](?:years?|yrs?)[- ]old|[- ]?yo) "


@cache
def _aged_before() -> re.Pattern[str]:
    """A relative with their age before: "my 6-year-old son Leo loves"."""
    return re.compile(
        rf"(?:(?<=^)|(?<=[,;] )|(?<=\band )|(?<=\bbut )|(?<=\bso ))(?P<my>my|our) {_AGED}"
        rf"(?P<who>(?:{relation_words()})(?: (?-i:[A-Z][\w'-]+))?){_DOES}",
        re.IGNORECASE,
    )


@cache
def _one_aged() -> re.Pattern[str]:
    return re.compile(
        rf"an? (?:{_AGED})?(?P<kin>{relation_words()})\b(?P<called>,? (?:(?:called|named) )?(?P<name>(?-i:[A-Z][\w'-]+))|)"
        r"(?:(?: ?\(|,? )(?:aged? )?(?P<later>\d{1,2})(?: ?(?:years? old|yo)\b)?\)?)?",
        re.IGNORECASE,
    )


@cache
def _had() -> re.Pattern[str]:
    """Children or pets who are had, with their ages: "I have a 6-year-old son and a 3-year-old daughter"."""
    one = _unnamed(_one_aged())
    return re.compile(
        rf"\b(?P<have>(?:i|we) (?:also )?(?:have(?: got)?|got) )(?P<each>{one}(?:,? and {one}|, {one})*)(?=\s*(?:$|[,;]))", re.IGNORECASE
    )


@cache
def _each_who() -> re.Pattern[str]:
    """Relatives or pets who are had, and the first of whom something is told."""
    return re.compile(
        r"\b(?P<have>(?:i|we) (?:also )?(?:have|have got|got) (?:[\w-]+ ){1,3}?)"
        r"(?P<kind>kids|children|daughters|sons|girls|boys|twins|sisters|brothers|dogs|cats)(?:,|:|,? (?:called|named)) "
        r"(?P<told>(?-i:[A-Z][\w'-]+),? who .+)",
        re.IGNORECASE | re.DOTALL,
    )


_IN_YEARS = r"\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen"


@cache
def _listed() -> re.Pattern[str]:
    """A name in a list and the age that is told with it: "Tom (6)", "Tom, who is 6", "Tom he's six", "Tom has 6 years"."""
    return re.compile(
        r"(?P<name>(?-i:(?:O')?[A-Z][\w-]+))"
        r"(?:(?:,? ?\(?(?:,? ?(?:who|he|she) is (?:now )?| is (?:now )?|,? ?(?:who )?has (?=\w+(?: years|$|[,;]))|aged? )?|'s )"
        rf"(?P<age>(?<=[ (])(?:{_IN_YEARS}))(?! (?:and a half|months|weeks))(?: (?:years|yrs)(?: old)?)?\b\)?)?",
        re.IGNORECASE,
    )


@cache
def _several() -> re.Pattern[str]:
    """One's children by their names: "I have two daughters: Ana and Rita", "dad of two (Tom, 6 and Mia, 9)"."""
    kin = "|".join((*(f"{kin}s" for kin in sorted(_LISTED_KIN, key=len, reverse=True)), "grandchildren", "grandkids"))
    one = _unnamed(_listed())
    return re.compile(
        rf"(?P<have>\b(?:i|we) have(?: got)? (?:[\w-]+ ){{1,3}}?|\b(?:my|our) (?=(?:kids|children|{kin}|boys|girls|twins) are\b)"
        rf"|\b(?:my|our|the) (?=(?:kids|children|{kin}|twins)(?:,|:| (?:called|named)) )"
        rf"|\b(?:my|our) (?=(?:two |three )?(?:{kin}|kids|boys|girls),? (?-i:[A-Z]))(?:two |three )?"
        r"|(?:\bi am an? |^\W*)(?:[\w-]+ )?(?:dad|mum|mom|mother|father|parent) (?:of|to) "
        r"|^\W*(?=(?:kids|children) are )"
        rf"|(?:^|(?<=[,;] ))(?:two|three|four) (?:[\w-]+ ){{0,2}}?(?=(?:kids|children|{kin}|boys|girls)(?:[:,] | \()))"
        rf"(?P<kind>kids|children|{kin}|girls|boys|twins|dogs|cats|two|three|four|five)"
        rf"(?: are)?(?:,|:)? ?(?:called |named )?\(?(?P<list>{one}(?:(?:,? (?:and|&|then|and then) |, (?:then )?){one})+)"
        r"(?:,? (?:all|both)\b[^()]*(?=\)))?\)?"
        r"(?=\s*(?:$|[,;)])|(?<=\)) [a-z])",
        re.IGNORECASE,
    )


def _unnamed(pattern: re.Pattern[str]) -> str:
    """A pattern to be repeated in another, where no group may have a name twice."""
    return re.sub(r"\(\?P<\w+>", "(?:", pattern.pattern)


@cache
def _somebody() -> re.Pattern[str]:
    """A relative or a pet without a name."""
    who = f"{relation_words()}|{rules().macros['animal']}"
    return re.compile(
        rf"\b(?:an?|another|(?P<whose>my|our)) (?:[\w-]+ ){{0,2}}?(?P<who>{who})(?![\w-])(?!'s|,? (?:called |named )?(?-i:[A-Z]))",
        re.IGNORECASE,
    )


@cache
def _mentioned() -> re.Pattern[str]:
    """A relative or a pet, `whose` if it is the user's, with the name, or a name by itself."""
    name = r"[A-Z][\w'-]+(?:\ [A-Z][\w'-]+)?"
    return re.compile(
        rf"(?:\b(?P<whose>my|our|your|(?:i|we)\ (?:have|have\ got|got|adopted)\ (?:an?|one)|(?:(?<=^)|(?<=[.!?]\ ))(?:got|adopted)\ an?)"
        r"\ (?:[\w-]+\ ){0,2}?)?"
        rf"\b(?P<who>{relation_words()})(?![\w-])(?:,?\ (?:(?:is\ )?(?:called|named)\ )?(?P<name>(?-i:{name})(?<!'s)))?"
        rf"|\b(?-i:(?P<proper>{name}))",
        re.IGNORECASE,
    )


def _without_s(name: str) -> str:
    return name.removesuffix("'s")
