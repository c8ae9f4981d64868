"""A form that somebody fills in about themselves: "Name: Ana / City: Porto / Job: nurse"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from memdb.english_rules import compiled, rules
from memdb.keys import normalise
from memdb.sentences import PLAIN

_LONGEST = 1_000  # characters
_FEWEST = 2  # fields
_FIELD = re.compile(r"[-*•·–\s]*(?P<label>[^\W\d_][\w' -]{1,24}?)\s*[:=]\s*(?P<value>\S.{0,99})")


def filled_in(text: str, asked: str, names: Callable[[], Iterable[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Return what the fields of a form say, each as a sentence and as it is written; [] where a text is no form, or of somebody else.

    A form is one's own if that is said, or if it gives a name, an age or a birthday, is no card and nobody else was `asked` about; but not
    if its name is another than is known: `names` reads that, with its key. Where it is not said whose it is, every field must be known, and
    nothing else be said: a character in a game has a class and a level, and a text to work on comes with a request.
    """
    plain, form = text[: _LONGEST + 1].translate(PLAIN).strip(), rules().form
    if len(plain) > _LONGEST or "?" in plain or ":" not in plain.replace("=", ":"):
        return []
    led = compiled(form.lead).match(plain)
    fields = list(_fields(plain[led.end() :] if led else plain))
    labels = {label for label, _, _ in fields}
    own = led is not None or (_is_of_a_person(labels) and compiled(form.of_others).search(asked) is None)
    known = labels & form.fields.keys()
    if len(known) < _FEWEST or len(labels) < len(fields) or (labels != known and (led is None or "" in labels)) or not own:
        return []
    if any(label in (*form.names, "age") and compiled(form.no_value).fullmatch(value) for label, value, _ in fields):
        return []  # "Name: my cat", "Age: 3"
    called = {word for _, name in names() for word in normalise(name).split()}
    given = [set(normalise(value).split()) for label, value, _ in fields if label in form.names]
    if called and any(called.isdisjoint(name) for name in given):
        return []
    return [(form.fields[label].format(value), written) for label, value, written in fields if label in known]


def _is_of_a_person(labels: set[str]) -> bool:
    """Whether fields tell of a person who fills them in, and are no card of somebody or something else: "Name: Ana, Phone: …"."""
    form = rules().form
    if labels.isdisjoint(form.personal):
        return False
    return not labels.isdisjoint(form.born) or (labels.isdisjoint(form.card) and not labels <= {*form.names, *form.places})


def _fields(form: str) -> Iterator[tuple[str, str, str]]:
    """The fields of a form, each with its label, its value and both as they are written; an empty label where there is none."""
    for written in compiled(rules().form.between).split(form):
        if written.strip():
            found = _FIELD.fullmatch(written.strip())
            yield (found["label"].lower(), found["value"].strip(" .,"), written.strip()) if found else ("", "", written)
