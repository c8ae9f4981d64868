"""The chain that gets an answer ready: what is asked of a memory tier by tier, judged, made to differ, and put into a prompt."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from memdb import checks, stored
from memdb.answers import Context, Doubt, Hit, Hits, Question, Section
from memdb.awaited import patiently
from memdb.bulk import usable
from memdb.calibration import judging_set
from memdb.config import Config
from memdb.database import listed
from memdb.embed import Embedder, choose_tokenizer
from memdb.errors import InputError
from memdb.filters import Narrowed, Sifted
from memdb.notebook import Notebook
from memdb.outside import OutsideIndex
from memdb.records import EVER, LIVE, Status, Tier
from memdb.steps.clarify import clarify
from memdb.steps.diversify import diversify
from memdb.steps.inject import inject
from memdb.steps.judge import judge
from memdb.steps.materialize import materialize
from memdb.steps.retrieve import retrieve
from memdb.steps.suffice import suffice
from memdb.steps.understand import understand
from memdb.store import Store
from memdb.times import end_of, instant, to_text
from memdb.tokens import Tokenizer
from memdb.vectors import VectorCache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

CONTEXT_HITS = 16
"""How many hits a context holds where nobody says."""

_WARM: Sequence[Tier] = ("hot", "warm")


class Answering:
    """How one open memory is asked: with which embedder, by which weight set and which settings; what it gives is noted. For all threads.

    `weights` names the set that ranks where a question names none; `patient` is `embedder`, waited for only so long.
    """

    def __init__(
        self,
        store: Store,
        config: Config,
        embedder: Embedder | None,
        *,
        notebook: Notebook,
        weights: str,
        index: OutsideIndex | None,
    ) -> None:
        self._store, self._config, self._notebook, self._index = store, config, notebook, index
        self.weights = weights
        self.cache = VectorCache(config.vector_cache_mb)
        self.embedder, self.patient = embedder, patiently(embedder, config)

    def change_embedder(self, embedder: Embedder) -> None:
        """Ask with another embedder from now on."""
        before, self.embedder, self.patient = self.patient, embedder, patiently(embedder, self._config)
        if before is not None:
            before.close()

    @property
    def tokenizer(self) -> Tokenizer:
        """What the tokens of a context are counted with."""
        return choose_tokenizer(self.embedder)

    def forget(self, user_id: str) -> None:
        """Let go of the vectors that are kept in memory of a user, and of the last texts that were embedded."""
        self.cache.forget(user_id)
        if self.patient is not None:
            self.patient.forget()

    def close(self) -> None:
        """Let go of the embedder's threads."""
        if self.patient is not None:
            self.patient.close()

    def weights_for(self, user_id: str) -> str:
        """The weight set that ranks for a user: with `config.rival_weights` every other user, the same one each time, gets the rival."""
        rival = self._config.rival_weights
        return rival if rival and zlib.crc32(user_id.encode("utf-8", "replace")) % 2 else self.weights

    def search(
        self,
        query: str,
        *,
        user_id: str,
        limit: int,
        narrowed: Narrowed,
        as_of: datetime | None,
        weights: str | None,
        statuses: Sequence[Status] | None,
        goal: str | None,
        judged: bool,
        vector: ArrayLike | None,
        now: datetime,
        said_by: datetime,
        record: bool,
    ) -> Hits:
        """Return what bears on a question, best first; `Memory.search` explains the arguments."""
        sifted = self._sift(narrowed, statuses)
        if weights is not None:
            checks.text(weights, "weights")
        question = self._understood(query, user_id=user_id, now=now, said_by=said_by)
        ranking = weights or self.weights_for(user_id)
        hits = self._retrieve(
            question,
            user_id=user_id,
            weights=ranking,
            limit=checks.count(limit, "limit"),
            sifted=sifted,
            as_of=question.as_of if as_of is None else as_of,
            statuses=statuses,
            goal=checks.searchable(goal, "goal") if goal is not None else None,
            judged=checks.truth(judged, "judged"),
            vector=None if vector is None else usable([vector], 1, embedder=self.embedder)[0],
            now=now,
        )
        if checks.truth(record, "record"):
            self._notebook.note(query, hits, user_id=user_id, weights=ranking, at=now)
        return hits

    def recall(self, query: str, *, user_id: str, limit: int | None, narrowed: Narrowed, now: datetime) -> Hits:
        """Return the first-person memories that bear on a question, best first; `Memory.recall` explains the arguments."""
        config, ranking = self._config, "first-person"
        sifted = self._sift(narrowed, None)
        age, score = sifted.get("max_age_days"), sifted.get("min_score")
        sifted["kinds"] = ["narrative"]
        sifted["min_age_minutes"] = config.event_buffer_minutes
        sifted["max_age_days"] = (config.max_age_days if age is None else age) or None
        sifted["min_score"] = config.importance_threshold if score is None else score
        hits = self._retrieve(
            self._understood(query, user_id=user_id, now=now),
            user_id=user_id,
            weights=ranking,
            limit=config.max_memories_per_retrieval if limit is None else checks.count(limit, "limit"),
            sifted=sifted,
            as_of=None,
            statuses=("active",),
            now=now,
        )
        self._notebook.note(query, hits, user_id=user_id, weights=ranking, at=now)
        return hits

    def assess(
        self,
        query: str,
        *,
        user_id: str,
        limit: int,
        now: datetime,
        said_by: datetime,
        goal: str | None = None,
        as_of: datetime | None = None,
        statuses: Sequence[Status] | None = None,
        narrowed: Narrowed | None = None,
        record: bool = False,
    ) -> Hits:
        """Return what a context would be made of, judged; it is noted only to `record` it, for what is measured is not recalled."""
        sifted = self._sift(narrowed or {}, statuses)
        question = self._understood(query, user_id=user_id, now=now, said_by=said_by)
        if as_of is not None:
            question = question.model_copy(update={"as_of": as_of})
        hits, _ = self._weigh(question, user_id=user_id, goal=goal, now=now, said_by=said_by, statuses=statuses, sifted=sifted)
        hits[:] = self._diverse(hits, limit=limit)
        if record:
            self._notebook.note(query, hits, user_id=user_id, weights=self.weights_for(user_id), at=now)
        return hits

    def context(
        self,
        query: str,
        *,
        user_id: str,
        max_tokens: int | None,
        limit: int,
        goal: str | None,
        system: str,
        narrowed: Narrowed,
        now: datetime,
        said_by: datetime,
    ) -> tuple[Context, Callable[[], None]]:
        """Make a context, and return it with what notes that it was given: a session may need another, shorter one."""
        db, config, limit = self._store.database(), self._config, checks.count(limit, "limit")
        budget = config.context_max_tokens if max_tokens is None else checks.count(max_tokens, "max_tokens")
        sifted = self._sift(narrowed, None)
        question = self._understood(query, user_id=user_id, now=now, said_by=said_by)
        hits, doubts = self._weigh(question, user_id=user_id, goal=goal, now=now, said_by=said_by, sifted=sifted)
        held = materialize(db, user_id=user_id, now=now, said_by=said_by, config=config, others=False, tags=sifted.get("tags"))
        if not hits and any(bound is not None for bound in sifted.values()):
            held = held.model_copy(update={"soft_preferences": {}})  # which stand in for what is found only where all is looked at
        result = inject(
            held,
            self._diverse(hits, limit=limit),
            kinds=stored.kinds(db),
            sections={one.section: one for one in stored.rows_as(Section, db, db.all("sections.all"))},
            system=checks.text(system, "system"),
            verdict=hits.verdict,
            max_tokens=budget,
            tokenizer=self.tokenizer,
            now=now,
            said_by=said_by,
            config=config,
            asked=question,
            question=(hits.verdict and hits.verdict.question) or next((doubt.question for doubt in doubts if doubt.worth), None),
            disputed={doubt.against for doubt in doubts if doubt.against},
            degraded=hits.degraded,
        )
        shown = {item.fact_id for item in result.items}
        hits[:] = [hit for hit in hits if hit.fact.fact_id in shown]
        weights, tokens = self.weights_for(user_id), result.tokens
        return result, partial(self._notebook.note, query, hits, user_id=user_id, weights=weights, at=now, prompt_tokens=tokens)

    def _understood(self, query: str, *, user_id: str, now: datetime, said_by: datetime | None = None) -> Question:
        asked, user = checks.searchable(query), checks.name(user_id, "user_id")
        return understand(self._store.database(), asked, user_id=user, now=now, said_by=said_by, zone=self._config.zone)

    def _sift(self, narrowed: Narrowed, statuses: Sequence[Status] | None) -> Sifted:
        """What is looked at only, checked, and its times read."""
        checks.lists(
            kinds=narrowed.get("kinds"),
            statuses=statuses,
            categories=narrowed.get("categories"),
            memory_types=narrowed.get("memory_types"),
            tags=narrowed.get("tags"),
            must=narrowed.get("must"),
            participants=narrowed.get("participants"),
            tiers=narrowed.get("tiers"),
        )
        must = narrowed.get("must")
        checks.terms(must)
        begins, ends = self._stretch(narrowed.get("since"), narrowed.get("until"))
        return {
            **narrowed,
            "must": None if must is None else tuple(must),
            "since": begins,
            "until": ends,
            "min_age_minutes": checks.age(narrowed.get("min_age_minutes"), "min_age_minutes"),
            "max_age_days": checks.age(narrowed.get("max_age_days"), "max_age_days"),
            "min_score": checks.bound(narrowed.get("min_score"), "min_score"),
        }

    def _stretch(self, since: date | str | None, until: date | str | None) -> tuple[datetime | None, datetime | None]:
        """From when on and before when."""
        zone = self._config.zone
        begins = None if since is None else instant(since, "since", zone=zone)
        if until is None:
            return begins, None
        said, ends = instant(until, "until", zone=zone), end_of(until, zone=zone)
        if begins and (ends < begins or ends == begins != said):
            # the day before ends as the next begins
            raise InputError(f"until is {until}, before since, {since}; give the earlier time as since.")
        return begins, ends

    def _retrieve(
        self,
        question: Question,
        *,
        user_id: str,
        weights: str,
        limit: int,
        sifted: Sifted,
        as_of: datetime | None,
        statuses: Sequence[Status] | None,
        now: datetime,
        goal: str | None = None,
        judged: bool = False,
        vector: NDArray[np.float32] | None = None,
    ) -> Hits:
        return retrieve(
            self._store.database(),
            question,
            user_id=user_id,
            embedder=self.patient,
            now=now,
            config=self._config,
            sifted=sifted,
            statuses=(EVER if as_of or question.past else LIVE) if statuses is None else statuses,
            as_of=as_of,
            weights=weights,
            limit=limit,
            vector=vector,
            goal=goal,
            judged=judged,
            cache=self.cache,
            index=self._index,
        )

    def _weigh(
        self,
        question: Question,
        *,
        user_id: str,
        goal: str | None,
        now: datetime,
        said_by: datetime,
        statuses: Sequence[Status] | None = None,
        sifted: Sifted | None = None,
    ) -> tuple[Hits, list[Doubt]]:
        """Ask the hot and the warm first, and the cold too if that is not enough; return what was found, with a verdict on it, and what
        is in doubt.
        """
        db, config = self._store.database(), self._config
        aim = checks.searchable(goal, "goal") if goal is not None else None
        ranking = self.weights_for(user_id)
        first_person = stored.weights(db, "first-person")
        asked = (sifted or {}).get("tiers")
        has_cold = asked is None and db.tuples(
            "scan.aside", user_id=user_id, tiers=listed(_WARM), hot_days=config.hot_days, warm_days=config.warm_days, now=to_text(now)
        )
        for tiers in (_WARM, None) if has_cold else (asked,):  # or the second answer would be the first once more
            hits = self._retrieve(
                question,
                user_id=user_id,
                weights=ranking,
                limit=config.context_candidates,
                sifted={**(sifted or {}), "tiers": tiers},
                as_of=question.as_of,
                statuses=statuses,
                goal=aim,
                judged=True,
                now=now,
            )
            hits[:] = [hit for hit in hits if hit.fact.kind != "narrative" or _may_come_to_mind(hit, first_person, now, config)]
            doubts = clarify(db, hits, user_id=user_id, now=now, said_by=said_by, config=config)
            hits.verdict = judge(hits, doubts=doubts, calibration=stored.weights(db, judging_set(hits)), config=config)
            if suffice(hits, config=config):
                break
        return hits, doubts

    def _diverse(self, hits: Sequence[Hit], *, limit: int) -> list[Hit]:
        """Those of the hits that say different things, and no more first-person memories than `recall` gives."""
        config, most = self._config, {"narrative": self._config.max_memories_per_retrieval}
        return diversify(self._store.database(), hits, limit=limit, balance=config.context_balance, most=most)


def _may_come_to_mind(hit: Hit, weights: Mapping[str, float], now: datetime, config: Config) -> bool:
    """Whether a first-person memory is as old, as young, and as much to the point as one that `recall` gives."""
    fact = hit.fact
    age = now - max(fact.created_at, fact.last_mentioned_at or fact.created_at)
    is_fresh = not config.max_age_days or age <= timedelta(days=config.max_age_days)
    is_settled = now - fact.created_at >= timedelta(minutes=config.event_buffer_minutes)
    score = sum(weights.get(feature, 0.0) * part for feature, part in hit.parts.items())
    return is_fresh and is_settled and score >= config.importance_threshold
