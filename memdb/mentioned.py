"""Whom one has who is spoken of by the way: "my husband and I went to Rome" is said by somebody who is married."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import tzinfo

from memdb.called import called
from memdb.claims import Circumstances, Held, facts_in, of_owner, owner_of
from memdb.clause import Clause
from memdb.english import clauses
from memdb.english_rules import compiled, rules
from memdb.keys import canonical_key
from memdb.records import Candidate, Predicate, Turn
from memdb.sentences import PLAIN

_SURELY = 0.75  # at most, since it was not said


def mentioned_in(
    turn: Turn, found: Collection[Candidate], *, predicates: Mapping[str, Predicate], zone: tzinfo, held: Held, once: Held
) -> Iterator[Candidate]:
    """Find whom a turn takes for granted that the one who speaks has, where nothing that was `found` in it tells, or ends, as much.

    `held` tells what is believed and `once` what was: who has said that they are divorced, and whose dog has died, may still speak of them.
    """
    owner, mentioned = owner_of(turn), compiled(rules().phrase["mentioned"])
    if owner is None or mentioned.search(turn.user_input.translate(PLAIN)) is None:
        return
    here = Circumstances(turn.timestamp, zone, True, owner, turn.user_input, predicates, {}, held)
    told, perhaps_not = {one.key for one in found}, compiled(rules().phrase["mentioned_once"])
    lost = compiled(rules().phrase["mentioned_lost"])
    for clause in clauses(turn.user_input, at=turn.timestamp, zone=zone):
        if clause.negative or clause.former or clause.guessed or perhaps_not.search(clause.text) or lost.search(clause.excerpt):
            continue
        for somebody in mentioned.finditer(clause.text):
            word = somebody["who"].lower()
            keys = [canonical_key(owner.slug, key) for key in rules().mentioned[word].unless]
            theirs = f"{of_owner(called().relations.get(word, word), here).slug}."
            if not any(key in keys or key.startswith(theirs) for key in told) and not [*held(keys), *once(keys)]:
                facts = list(_said(rules().mentioned[word].says, clause, here))
                told.update(one.key for one in facts)
                yield from facts


def _said(plainly: str, clause: Clause, here: Circumstances) -> Iterator[Candidate]:
    """The facts that a clause takes for granted, which says `plainly` what it does not say itself."""
    for said in clauses(plainly, at=here.at, zone=here.zone):
        for one in facts_in(replace(said, excerpt=clause.excerpt), here):
            if not one.negated:
                yield one.model_copy(update={"confidence": min(one.confidence, _SURELY)})
