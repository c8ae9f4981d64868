"""Whatever is said and decided, in whatever order, some things hold of every memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memdb
from memdb.embed import HashingEmbedder
from memdb.errors import InputError
from memdb.records import EVER, Status

SAID = (
    "I live in Porto.", "I live in Lisbon until June.", "I live in Lisbon.", "I moved to Lisbon last week.", "Actually, I live in Faro.",
    "I'm staying in Rome this week.", "I no longer live in Porto.", "I've lived in Leeds since November.", "I meant Braga.", "Forget that I live in Porto.", "I work at Bosch.",
    "I start at Google in March.", "I left Bosch.", "I'm vegetarian.", "From next month I'll be vegan.", "I'm not vegetarian any more.",
    "I like coffee.", "I don't like coffee any more.", "I'm allergic to nuts.", "I'm not allergic to nuts.", "My sister is called Eva.",
    "Remind me to call Rita tomorrow.", "I called Rita.", "No, that was wrong.", "Thanks!",
    "Sorry, Faro.", "Not any more.", "My sister lives in Rome.", "She moved to Oslo.", "Let's role play.", "Stop the role play.",
    "I've lived in Porto since 2019.", "I moved to Faro in 2020.", "I've been vegetarian since May.", "I live in Porto until March.", "I'm not vegetarian.",
    "I'll be living in Braga from next month.", "I won't be living in Braga after all.", "From April I'll be living in Faro.", "I'm not moving to Faro.",
)  # fmt: skip
Step = Callable[[memdb.Memory, datetime, int], object]


def any_fact(mem: memdb.Memory, place: int) -> str:
    facts = mem.facts("ana", statuses=[*EVER, "uncertain"])
    return facts[place % len(facts)].fact_id if facts else "none"


def said(text: str) -> Step:
    return lambda mem, now, place: mem.observe(
        text, "Do you live in Porto?", user_id="ana", turn_id=f"t{place}", session_id="s", timestamp=now
    )


STEPS: tuple[Step, ...] = (
    lambda mem, now, place: mem.confirm(any_fact(mem, place), now=now),
    lambda mem, now, place: mem.reject(any_fact(mem, place), now=now),
    lambda mem, now, place: mem.end(any_fact(mem, place), valid_to=now - timedelta(days=place % 3), now=now),
    lambda mem, now, place: mem.doubt(any_fact(mem, place), now=now),
    lambda mem, now, place: mem.undo(user_id="ana", turn_id=f"t{place // 2}", now=now),
    lambda mem, now, place: mem.remember("Lives in Braga", object="Braga", key="user.lives_in", user_id="ana", timestamp=now),
    lambda mem, now, place: mem.write([{"text": "Lives in Faro", "confidence": 0.9}], user_id="ana", timestamp=now),
    lambda mem, now, place: mem.maintain(now=now),
    lambda mem, now, place: mem.compact(now=now),
    lambda mem, now, place: mem.forget("ana", key="user.lives_in"),
    lambda mem, now, place: mem.drain(),
)

NEVER_SO = {
    "two values of what has one, both to last": """
        select a.key, a.value_text, b.value_text
        from facts a
        join facts b on b.user_id = a.user_id and b.key = a.key and b.id > a.id
        join predicates p on 'user.' || p.predicate = a.key and p.cardinality = 'one'
        where a.kind = 'fact' and b.kind = 'fact' and a.status = 'active' and b.status = 'active' and a.valid_to is null and b.valid_to is null
          and a.value_json ->> 'polarity' is not 'negative' and b.value_json ->> 'polarity' is not 'negative'
        """,
    "what gave way and lasts into what has one value, was said later, and began later": """
        select a.record, b.record
        from fact_ever a
        join fact_ever b on b.user_id = a.user_id and b.key = a.key and b.valid_from > a.valid_from and b.valid_from < a.valid_to
        join predicates p on 'user.' || p.predicate = a.key and p.cardinality = 'one'
        where a.kind = 'fact' and b.kind = 'fact' and a.status = 'superseded'
          and (b.status = 'superseded' and b.valid_from < b.valid_to or b.status = 'active' and b.valid_to is null)
          and b.record ->> 'last_mentioned_at' > a.record ->> 'last_mentioned_at'
          and a.record ->> '$.value_json.polarity' is not 'negative' and b.record ->> '$.value_json.polarity' is not 'negative'
        """,
    "what ended before it began": "select key, value_text from facts where valid_to < valid_from",
    "a history that ends otherwise": """
        select f.key, f.value_text, f.status, h.operation
        from facts f
        join fact_history h on h.id = (select max(id) from fact_history where fact_id = f.fact_id)
        where f.kind <> 'message' and h.after ->> 'status' <> f.status
        """,
    "something alive without a vector": """
        select key, value_text from facts
        where status in ('active', 'pending_confirmation') and id not in (select rowid from facts_vec) and id not in (select id from outbox)
        """,
    "a vector of nothing": "select rowid from facts_vec where abs(rowid) not in (select id from facts)",
    "a link to nothing": "select * from links where source_id not in (select fact_id from facts) or target_id not in (select fact_id from facts)",
    "a turn that was not thought about": "select turn_id, status, error from turns where status not in ('done', 'undone')",
}


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(st.tuples(st.sampled_from([*map(said, SAID), *STEPS]), st.sampled_from([0, 0, -1, 1, 24, 24 * 40])), max_size=30))
def test_some_things_hold_whatever_is_said_and_decided(steps: list[tuple[Step, int]]) -> None:
    now = datetime(2025, 1, 1, 9, tzinfo=UTC)
    with memdb.open(":memory:", embedder=HashingEmbedder(16), llm=None, config={"worker": False, "timezone": "UTC"}) as mem:
        for place, (step, hours) in enumerate(steps):
            now += timedelta(hours=hours)
            try:
                step(mem, now, place)
            except (InputError, memdb.NotFoundError):
                continue  # what cannot be decided is told
        assert mem.drain()
        shell = mem._store.database().connection
        assert {what: rows for what, sql in NEVER_SO.items() if (rows := shell.execute(sql).fetchall())} == {}
        shell.execute("insert into facts_fts (facts_fts) values ('integrity-check')")


def test_what_comes_late_and_gives_way_lasts_until_what_was_said_next() -> None:
    with fresh() as mem:
        newest = mem.remember("Porto", object="Porto", key="user.lives_in", user_id="ana", timestamp="2025-01-01T12:00:00Z")
        mem.remember("Lisbon", object="Lisbon", key="user.lives_in", user_id="ana", timestamp="2025-01-01T11:00:00Z")
        mem.reject(newest.fact_id, now="2025-01-01T10:00:00Z")
        late = mem.remember("Faro", object="Faro", key="user.lives_in", user_id="ana", timestamp="2025-01-01T10:00:00Z")
        mem.remember("Braga", object="Braga", key="user.lives_in", user_id="ana", timestamp="2025-01-01T12:00:00Z")
        assert str(mem.fact(late.fact_id).valid_to) == "2025-01-01 11:00:00+00:00"


def fresh(**settings: object) -> memdb.Memory:
    return memdb.open(":memory:", embedder=HashingEmbedder(16), llm=None, config={"worker": False, "timezone": "UTC", **settings})


def live(mem: memdb.Memory, steps: list[tuple[Step, int]]) -> datetime:
    """Take the steps, some hours before each, and return when the last one was."""
    now = datetime(2025, 1, 1, 9, tzinfo=UTC)
    for place, (step, hours) in enumerate(steps):
        now += timedelta(hours=hours)
        with suppress(InputError, memdb.NotFoundError):
            step(mem, now, place)
    assert mem.drain()
    return now


HOURS = st.sampled_from([0, 1, 24, 24 * 40])
KEPT_UP = STEPS[7:9]  # maintained, and compacted
ANYTHING = st.lists(st.tuples(st.sampled_from([*map(said, SAID), *STEPS]), HOURS), max_size=15)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(steps=ANYTHING, last=st.sampled_from(SAID))
def test_undoing_what_was_said_last_leaves_what_was_there_before(steps: list[tuple[Step, int]], last: str) -> None:
    with fresh() as mem:
        now = live(mem, steps)

        def believed() -> list[tuple[object, ...]]:
            facts = mem.facts("ana", statuses=["active", "pending_confirmation", "uncertain"], now=now)
            return [
                (one.fact_id, one.status, one.valid_from, one.valid_to, one.confidence, one.seen_count, one.value_json) for one in facts
            ]

        before = believed()
        mem.observe(last, "Do you live in Porto?", user_id="ana", turn_id="last", session_id="s", timestamp=now)
        mem.drain()
        mem.undo(user_id="ana", turn_id="last", now=now)
        assert believed() == before


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(steps=ANYTHING, last=st.sampled_from(SAID), rejected=st.integers(0, 3), undone=st.booleans())
def test_what_is_taken_back_leaves_the_same_where_the_archive_had_it(
    steps: list[tuple[Step, int]], last: str, rejected: int, undone: bool
) -> None:
    def left(*, archived: bool) -> list[tuple[object, ...]]:
        with fresh(archive_after_days=0) as mem:
            now = live(mem, [step for step in steps if step[0] not in KEPT_UP])
            mem.observe(last, "Do you live in Porto?", user_id="ana", turn_id="last", session_id="s", timestamp=now)
            mem.drain()
            if archived:
                mem.compact(now=now)
            if undone:
                mem.undo(user_id="ana", turn_id="last", now=now)
            else:
                believed = sorted(mem.facts("ana", now=now), key=lambda one: (one.value_text, one.valid_from, one.confidence))
                mem.reject(believed[rejected].fact_id, now=now) if rejected < len(believed) else None
            facts = mem.facts("ana", statuses=["active", "pending_confirmation", "uncertain"], now=now)
            return sorted((one.status, one.value_text, one.valid_from, str(one.valid_to), one.confidence, one.seen_count) for one in facts)

    assert left(archived=True) == left(archived=False)


STATED: tuple[Step, ...] = (
    *(
        lambda mem, now, place, value=value, key=key: mem.remember(value, object=value, key=key, user_id="ana", timestamp=now)
        for value in ("Porto", "Lisbon")
        for key in ("user.lives_in", "user.likes")
    ),
    lambda mem, now, place: mem.end(any_fact(mem, place), now=now),
    lambda mem, now, place: mem.compact(now=now),
    lambda mem, now, place: mem.maintain(now=now),
)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(earlier=st.lists(st.tuples(st.sampled_from(STATED), HOURS), max_size=10), later=st.lists(st.sampled_from(STATED), max_size=10))
def test_what_was_true_then_stays_true_of_then(earlier: list[tuple[Step, int]], later: list[Step]) -> None:
    with fresh() as mem:
        then = live(mem, earlier)

        def held() -> list[tuple[str, str]]:
            return sorted((fact.key, fact.value_text) for fact in mem.facts("ana", as_of=then))

        before = held()
        for place, step in enumerate(later, start=1):
            with suppress(InputError, memdb.NotFoundError):
                step(mem, then + timedelta(days=place), place)
        assert held() == before


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(steps=ANYTHING, wanted=st.sampled_from([None, "active", "superseded", "expired", "pending_confirmation", "uncertain"]))
def test_a_search_finds_what_it_may_find_and_nothing_of_anybody_else(steps: list[tuple[Step, int]], wanted: Status | None) -> None:
    with fresh() as mem:
        now = live(mem, steps)
        for user in ("ana", "Ana", "an*", "ana "):
            hits = mem.search("Where do I live, in Porto or Lisbon?", user_id=user, statuses=wanted and [wanted], limit=100, now=now)
            assert {hit.fact.user_id for hit in hits} <= {"ana"} & {user}
            assert {hit.fact.status for hit in hits} <= ({wanted} if wanted else {"active", "pending_confirmation"})
