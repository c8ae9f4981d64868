"""A text made plain, and cut into the sentences of it that are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memdb.english_rules import compiled, rules

BLANKS = re.compile(r"\s{2,}")
LONGEST_SENTENCE = 400  # what is longer is no sentence that somebody said
READ_WHOLE = 100_000
"""So many characters of a text are read whole: a hundred minutes of talking."""

_READ_BEHIND = 100_000  # and behind them so many of sentences in which somebody speaks of themselves, or that go on with one
_GO_ON = 2  # sentences
# what is typed at full width, between Chinese or Japanese; but English behind such a colon is more often spoken of than said
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) != "\uff1a"} | {0x3000: " ", 0x3001: ","}
PLAIN = str.maketrans(
    _WIDE | {"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u00b4": "'", "`": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "}
)
_EMOJI = re.compile(  # but for a face that rolls its eyes or stands on its head: such words are not meant
    "(?![\U0001f643\U0001f644])[\U0001f000-\U0001faff\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d]|(?<![\\w:])[:;]-?[)(DPp/|]"
)
_HESITATION = re.compile(r"(?<!\S)(?:uh+|uhm+|um+|erm+)\b[,.…]*(?=\s)", re.IGNORECASE)  # as a voice is written down
_QUOTED = re.compile(
    r"""'''.*?(?:'''|\Z)|"[^"\n]{1,400}"|(?<!\w)'(?:[^'\n]|'(?=\w)){1,300}'(?!\w)|^[ \t]*>[^\n]*|https?://\S+""", re.DOTALL | re.MULTILINE
)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|im|my|we|me)\b|[.!?,]|(?:\S+\s+){6}", re.IGNORECASE)
CONTRACTED = re.compile(
    r"\b[a-z]{1,12}'[a-z]{1,2}\b|\b(?:im|ive|hes|shes|theyre|theyve|weve|youre|youve|dont|doesnt|didnt|isnt|arent|cant|cannot|wont|wasnt|werent|wouldnt|couldnt"
    r"|shouldnt|hasnt|hadnt|thats|whats|havent|gonna|wanna|gotta|bday|fave?|aint|iam|dnt|luvs?|hav|h8|teh|cuz|coz|becuase|becasue"
    r"|alergic|allergc|allegic|vegeterian|vegitarian|tmr(?:o?w)?|tomoz|tomorow|tommorr?ow|2mo(?:ro|rrow)|tonite|2nite|(?-i:esp)|e\.g|hvae|ahve|giv|heres|bestfriends?|tryna|rly)\b"
    r"|\bits(?= (?:(?:an?|the|my|so|not|really|too|just|like|on \w+ \d|on the \d)\b"
    r"|(?:hard|tough|great|good|nice|fun|cool|amazing|awesome|peaceful|important|sad|weird|funny|beautiful|lovely|annoying|exhausting"
    r"|stressful|difficult|easy|expensive)(?:$| (?:and|but|so|because|to|for|that|when|how|in|do)\b)))"
    r"|(?-i:(?<!\bthe )(?<!\ban )(?<!\ba )\bur?(?=$|[ ,.?!])(?! of\b)"
    r"|\br(?:(?<=\bwe r)|(?<=\bthey r)|(?<=\byou r)|(?<=\bu r)|(?= (?:u|you|we|they)\b))(?= ))"
    r"|2(?:(?<=\bmoved 2)|(?<=\bmoving 2)|(?<=\bused 2)|(?<=\bgoing 2)|(?<=\ballergic 2)|(?<=\balergic 2))"
    r"(?= (?!times\b|\w+[^aiu]s\b)[a-z])"
    r"|@(?:(?<=\bwork @)|(?<=\bworks @)|(?<=\bworking @)|(?<=\bjob @))(?= ?\w)"
    r"|\bw/?(?:(?<=\blive w)|(?<=\blive w/)|(?<=\bliving w)|(?<=\bliving w/)|(?<=\bwork w)|(?<=\bwork w/))(?= (?:my|our|an?|the) )",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"(?P<words>[^\W\d_][\w']*(?:[ -][^\W\d_][\w']*){1,5}) \((?P<short>[A-Z][A-Za-z]{1,5})\)(?!\w)")
_END = re.compile(r"[.!?…。]+|\n+")
_WHO_LISTENS = re.compile(r"\b(?:you|u|please|pls)\b", re.IGNORECASE)
_AND_ASKS = re.compile(r"(?:[,;]\s*(?:(?:and|also|so)\s+)?|\s+and\s+)(?=(?:can|could|would|will) (?:you|u)\b)", re.IGNORECASE)
_IS_ASKED = re.compile(
    r"\W*(?:do|does|did|is|are|was|were|am|can|could|would|will|should|shall|may|might|who|what|when|where|why|which|how|if|whether)\b",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(r"(?:\b(?:dr|mr|mrs|ms|st|prof|vs|e\.g|i\.e|esp|incl|jr|sr|no|approx)|(?<![\w'])[a-z])$", re.IGNORECASE)
_LABELLED = re.compile(
    r"^[ \t]*(?P<stamp>\[?\d[\d/.:, -]{3,20}(?: ?[AaPp][Mm])?\]?[ -]*)?"
    r"(?P<who>[A-Z][\w'-]{1,20}(?: [A-Z][\w'-]{1,20})?|I)(?P<when> [(\[]\d{1,2}[:.]\d\d[^()\[\]\n]{0,12}[)\]])?:[ \t]+\S[^\n]*",
    re.MULTILINE,
)
_ONESELF = ("me", "i", "user", "human")  # as who shows a conversation writes their own part of it


def masked(text: str, *, hesitation: bool = True) -> str:
    """Return the text, as long as it was, with plain apostrophes and without what is quoted, shown or drawn, and "um" if `hesitation`."""

    def hide(match: re.Match[str]) -> str:
        inside = match.group()
        if inside[0] in "\"'" and not inside.startswith("'''") and not _FIRST_PERSON.search(inside[1:-1]):
            return f" {inside[1:-1]} "  # a title
        return "\n".join("¤" * len(line) for line in inside.split("\n"))

    plain = text.translate(PLAIN)
    spoken = _HESITATION.sub(lambda match: " " * len(match.group()), plain) if hesitation else plain
    plain = _QUOTED.sub(hide, _EMOJI.sub(lambda match: "," * len(match.group()), spoken))
    labelled = list(_LABELLED.finditer(plain))
    lines = [line for line in labelled if _is_spoken(line)]
    shared = any(line["who"].casefold() in _ONESELF for line in labelled)
    if len(lines) > 1 or (lines and shared) or any(line["stamp"] or line["when"] for line in lines):  # a conversation, shown
        return _LABELLED.sub(lambda line: "¤" * len(line.group()) if _is_spoken(line) else line.group(), plain)
    return plain


def _is_spoken(line: re.Match[str]) -> bool:
    return compiled(rules().block["label"]).fullmatch(line["who"]) is None


def is_read_in_part(text: str) -> bool:
    """Return whether a text is so long that not even all of its sentences are read in which somebody speaks of themselves.

    Who pastes a log or a book has not said it. What they say themselves is found in it, wherever it stands: behind the first `READ_WHOLE`
    characters those sentences are read that say "I" or "my", or name somebody who is known, and two behind each, up to as many characters.
    """
    if len(text) <= READ_WHOLE:
        return False
    behind = sum(end - start for start, end, _, _ in _spoken(masked(text), ()) if start >= READ_WHOLE)
    return behind > _READ_BEHIND


def sentences_read(text: str, people: Iterable[str] = ()) -> Iterator[tuple[int, int, str, bool]]:
    """Yield the sentences of a text that are read (see `is_read_in_part`), and whether each follows upon the one read before it."""
    left = _READ_BEHIND
    for start, end, mark, follows in _spoken(text, people):
        left -= end - start if start >= READ_WHOLE else 0
        if left < 0:
            return
        yield start, end, mark, follows


def _spoken(text: str, people: Iterable[str]) -> Iterator[tuple[int, int, str, bool]]:
    """The first sentences of a text, and of the others those that speak of oneself or of `people`; and whether none was left out before."""
    speaks: re.Pattern[str] | None = None
    near, follows = 0, True
    for start, end, mark in sentences(text):
        if start >= READ_WHOLE:
            if speaks is None:
                names = "".join(f"|{re.escape(name)}" for name in people)
                speaks = re.compile(rf"(?<!\w)(?:i|my|mine|me|myself|we|our|ours|us|im|ive{names})(?!\w)", re.IGNORECASE)
            near = _GO_ON if speaks.search(text, start, end) else near - 1
            if near < 0:
                follows = False
                continue
        yield start, end, mark, follows
        follows = True


def sentences(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where each sentence begins and ends, and the mark it ends with.

    What one is asked to remember is said, and not asked: "Can you remember that I live in Porto?" begins at "I", and ends with a full stop,
    and "I live in Porto, can you remember that?" ends before it is asked.
    """
    to_keep, to_keep_this = compiled(rules().phrase["to_keep"]), compiled(rules().phrase["to_keep_this"])
    for start, end, mark in _written(text):
        if (kept := to_keep.match(text, start, end)) is not None:
            start, mark = kept.end(), mark.replace("?", ".")
        if _WHO_LISTENS.search(text, start, end):
            for asks in _AND_ASKS.finditer(text, start, end):
                if (kept := to_keep.match(text, asks.end(), end)) is not None and asks.start() > start:
                    yield start, asks.start(), "?" if _IS_ASKED.match(text, start) else "."
                    start, mark = kept.end(), mark.replace("?", ".")
            if (kept := to_keep_this.search(text, start, end)) is not None and not _IS_ASKED.match(text, start):
                end, mark = kept.start(), mark.replace("?", ".")
        yield start, end, mark


def _written(text: str) -> Iterator[tuple[int, int, str]]:
    """The sentences of a text as they were written."""
    start = 0
    for match in _END.finditer(text):
        follows = text[match.end() : match.end() + 1]
        if match.group() == "." and (follows.strip() or _ABBREVIATION.search(text[max(start, match.start() - 8) : match.start()])):
            continue
        yield from _pieces(text, start, match.start(), match.group())
        start = match.end()
    yield from _pieces(text, start, len(text), "")


def beginning(text: str) -> str:
    """Return the first sentence of a text, as it was written, without the mark that it ends with."""
    return next(text[start:end].strip() for start, end, _ in _written(text) if text[start:end].strip())


def _pieces(text: str, start: int, end: int, mark: str) -> Iterator[tuple[int, int, str]]:
    while end - start > LONGEST_SENTENCE:
        space = text.rfind(" ", start, start + LONGEST_SENTENCE)
        cut = space if space > start else start + LONGEST_SENTENCE
        yield start, cut, mark
        start = cut
    if start < end:
        yield start, end, mark


def without_initials(text: str) -> str:
    """Return a text without the initials of the words right before them: "the air traffic control (ATC) tapes"."""
    return _INITIALS.sub(lambda found: found["words"] if _are_initials(found) else found.group(), text) if "(" in text else text


def _are_initials(found: re.Match[str]) -> bool:
    short = found["short"].removesuffix("s").lower()
    words = re.split(r"[ -]", found["words"])[-len(short) :]
    return "".join(word[0] for word in words) == short


def expand(match: re.Match[str]) -> str:
    """Return a contraction written out: "I'm" is "I am", and "she's moved" is "she has moved"."""
    word = match.group()
    full = rules().expand.get(word.lower(), word)
    if word[-2:].lower() == "'s" and compiled(rules().phrase["has_done"]).match(match.string, match.end()):
        full = f"{word[:-2]} has"
    return full[:1].upper() + full[1:] if word[:1].isupper() else full
