"""Everything that is due at once: the nights, what is to be told and noted, and what is to be tidied up; or a rehearsal of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from functools import partial

from memdb.answers import Maintained
from memdb.config import Config
from memdb.database import Database
from memdb.keeper import reinforce
from memdb.llm import LanguageModel
from memdb.narrator import Narrator
from memdb.nights import next_night, take_night
from memdb.store import Store
from memdb.tidying import bring_together, tidy
from memdb.upkeep import take_upkeep


def maintain(
    store: Store,
    config: Config,
    *,
    narrator: Narrator | None,
    llm: LanguageModel | None,
    user_id: str | None,
    now: datetime,
    rehearsed: Mapping[str, tuple[int, datetime]] | None = None,
) -> Maintained:
    """Do what is due for a user, or for everybody, and return how much it was; see `Memory.maintain`.

    Where it is only `rehearsed`, that is done in a copy in memory, and so is the reinforcing of the memories given there as recalled.
    """
    work = partial(_maintain, config=config, narrator=narrator, llm=llm, user_id=user_id, now=now)
    if rehearsed is None:
        return work(store)
    with closing(store.copied()) as copy:
        db = copy.database()
        with db.transaction():
            reinforce(db, rehearsed, config=config)
        return work(copy).model_copy(update={"dry_run": True})


def _maintain(
    store: Store, *, config: Config, narrator: Narrator | None, llm: LanguageModel | None, user_id: str | None, now: datetime
) -> Maintained:  # fmt: skip
    db = store.database()
    done: list[Maintained] = []
    while user_id is None and (night := next_night(db, config, now=now)):
        done.append(take_night(store, config, narrator, now=night, scheduled=True))
    done.append(take_night(store, config, narrator, user_id=user_id, now=now, scheduled=False))
    counted = ("processed", "archived", "deleted", "consolidated", "patterns")
    total = {name: sum(getattr(one, name) for one in done) for name in counted}
    total["nights"] = sum(one.nights for one in done[:-1])
    return _keep_up(db, user_id=user_id, now=now, config=config, llm=llm).model_copy(update=total)


def _keep_up(
    db: Database, *, user_id: str | None, now: datetime, config: Config, llm: LanguageModel | None
) -> Maintained:  # fmt: skip
    """Do what is due of everything but first-person memories. A model is asked outside any transaction."""
    episodes = notes = 0
    while done := take_upkeep(db, user_id=user_id, now=now, config=config, llm=llm):
        episodes, notes = episodes + done.episodes, notes + done.notes
    merged = bring_together(db, user_id=user_id, now=now, config=config)
    return tidy(db, user_id=user_id, now=now, config=config).model_copy(update={"episodes": episodes, "notes": notes, "merged": merged})
