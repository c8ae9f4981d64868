"""The same calls to chromadb itself and to memdb's client interface: the same results, and the same kinds of errors.

Where the two differ on purpose, no call here goes: chromadb 1.5.9 takes a filter's 2.5 for 2 when it meets whole numbers, counts every id
given to `delete` as deleted, orders equally near records as its index happens to, lists collections in the order of their random ids, makes databases
of tenants that do not exist, answers fewer questions than were asked when the embedding function gives fewer vectors, and shows metadata
that was not asked for beside URIs.
"""

from __future__ import annotations

import ctypes
import inspect
import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from copy import deepcopy
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from typing import Any, Literal, NamedTuple, cast
from uuid import UUID

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memdb
import memdb.interfaces.chroma as chroma

chromadb = pytest.importorskip("chromadb")
pytestmark = pytest.mark.slow

Answer = tuple[str, object]
Call = tuple[str, Mapping[str, object]]
NUMBERS = itertools.count()
ALL = ["embeddings", "documents", "metadatas", "uris"]
SHOWN = ["documents", "metadatas", "uris", "distances"]
LASTING = ("already exists", "Error finding id", "Schema is malformed")  # internal errors of chromadb's that no waiting mends


class Pair(NamedTuple):
    """A client of each."""

    theirs: chroma.ClientAPI  # in truth chromadb's, which it stands for
    ours: chroma.ClientAPI


class Pairs:
    """A pair for many tests, then another: chromadb keeps an index of some 3 MB for each collection until it is closed, deleted or not.

    Ours is on a file. chromadb waits for the disk longer than it reckons, so that its own is in memory, but for the test that calls whatever
    can be called.
    """

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory, self._open, self._uses, self._test = factory, ExitStack(), 0, ""

    def of(self, test: str, *, both_on_disk: bool = False) -> Pair:
        """Return the pair for a test of this name."""
        if self._test != test or self._uses == 60:
            self.close()
            folder, settings = self._factory.mktemp("chroma"), chromadb.config.Settings(anonymized_telemetry=False)
            on_disk = partial(chromadb.PersistentClient, str(folder / "theirs"))
            theirs = (on_disk if both_on_disk else chromadb.EphemeralClient)(settings=settings)
            self._open.callback(theirs.close)
            self._pair = Pair(theirs, self._open.enter_context(chroma.PersistentClient(folder / "ours")))
            self._test, self._uses = test, 0
        self._uses += 1
        return self._pair

    def close(self) -> None:
        self._open.close()
        with suppress(AttributeError):  # only glibc has it, and only glibc keeps so much of what was freed
            ctypes.CDLL(None).malloc_trim(0)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pairs]:
    with closing(Pairs(tmp_path_factory)) as pairs:
        yield pairs


@pytest.fixture
def pair(pairs: Pairs, request: pytest.FixtureRequest) -> Pair:
    return pairs.of(request.function.__name__)


@pytest.fixture
def collections(pair: Pair) -> tuple[chroma.Collection, chroma.Collection]:
    return fresh(pair)


def fresh(pair: Pair, space: str = "l2") -> tuple[chroma.Collection, chroma.Collection]:
    name = f"collection-{next(NUMBERS)}"
    made = [client.create_collection(name, metadata={"hnsw:space": space}, embedding_function=None) for client in pair]
    return made[0], made[1]


def answer(act: Callable[[], object]) -> tuple[Answer, list[str]]:
    """What a call gave, or the names of the error it raised."""
    try:
        return ("result", act()), []
    except Exception as error:
        return ("error", type(error).__name__), [kind.__name__ for kind in type(error).__mro__]


def their_answer(act: Callable[[], object]) -> Answer:
    """What chromadb gave; where its own database was busy it is asked again, for then it answers."""
    for pause in (0, 0.1, 0.5, 2):
        try:
            return "result", act()
        except Exception as error:
            if type(error).__name__ != "InternalError" or any(words in str(error) for words in LASTING):
                return "error", type(error).__name__
        time.sleep(pause)
    return answer(act)[0]


def same(theirs: Callable[[], object], ours: Callable[[], object], what: object = None) -> None:
    """Both give the same, or refuse with the same kind of error."""
    kind, value = their_answer(theirs)
    (own_kind, own_value), own_errors = answer(ours)
    assert own_kind == kind, (what, value, own_value)
    if kind == "error":
        assert value in own_errors, (what, value, own_errors)
    else:
        assert plain(own_value) == plain(value), what


def plain(value: object) -> object:
    """A result as what can be compared: arrays as lists, and no more digits than 32-bit floats share."""
    if isinstance(value, np.ndarray):
        return [np.shape(value), plain(value.tolist())]
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return float(f"{value:.4g}") if abs(value) > 1e-5 else 0.0
    return value


def same_hits(theirs: Callable[[], object], ours: Callable[[], object], what: object) -> None:
    """Both find records at the same distances, and what stands beside them is each record's own."""
    kind, value = their_answer(theirs)
    (own_kind, own_value), own_errors = answer(ours)
    assert own_kind == kind, (what, value, own_value)
    if kind == "error":
        assert value in own_errors, (what, value, own_errors)
        return
    result, own = cast("dict[str, list[list[object]]]", value), cast("dict[str, list[list[object]]]", own_value)
    assert own.keys() == result.keys()
    for place, (distances, own_distances) in enumerate(zip(result["distances"], own["distances"], strict=True)):
        assert own_distances == pytest.approx(distances, rel=1e-4, abs=1e-5), what
        by_id, own_by_id = beside(result, place), beside(own, place)
        shared = by_id.keys() & own_by_id.keys()
        assert {name: by_id[name] for name in shared} == {name: own_by_id[name] for name in shared}, what
        far = own_distances[-1] if own_distances else None
        assert {name for name in by_id.keys() ^ own_by_id.keys()} <= {
            name
            for found in (result, own)
            for name, distance in zip(found["ids"][place], found["distances"][place], strict=True)
            if distance == pytest.approx(far, rel=1e-4, abs=1e-5)
        }, what


def bool_of(act: Callable[[], object]) -> bool:
    return bool(act())


def beside(result: dict[str, list[list[object]]], place: int) -> dict[object, object]:
    columns = [plain(result[name][place]) for name in ("documents", "metadatas", "uris")]
    return dict(zip(result["ids"][place], zip(*cast("list[list[object]]", columns), strict=True), strict=True))


# random operations

# No whole number here is a broken one cut short: see above.
WHOLE = st.sampled_from([1, 3, -4, 10**6, 2**53 + 2])
BROKEN = st.sampled_from([2.5, 0.25, 3.0, -7.75, 1e300])
TEXTS = st.sampled_from(["", "x", "abc", "O'Neill", "Zoë", "日本", "a%b_c"])
SCALARS = st.one_of(WHOLE, BROKEN, TEXTS, st.booleans())
LISTS = st.one_of(*(st.lists(kind, min_size=1, max_size=3) for kind in (WHOLE, BROKEN, TEXTS, st.booleans())))
KEYS = st.sampled_from(["k", "l", "Ä key", "chroma:x"])
DOCUMENTS = st.sampled_from(["", "a cat", "A Cat", "cats\nand dogs", "50%_off", "日本語のネコ", "naïve", "\t", 'it\'s "so"'])
IDS = st.sampled_from(["a", "b", "c", "d", "ü", "id with spaces"])
POINTS = st.lists(st.sampled_from([-2.0, -0.5, 0.25, 1.0, 3.0]), min_size=3, max_size=3)
WRONG_POINTS = st.lists(st.just(1.0), min_size=2, max_size=2)


def metadatas(*, none: bool) -> st.SearchStrategy[object]:
    values = st.one_of(SCALARS, LISTS, st.none()) if none else st.one_of(SCALARS, LISTS)
    return st.one_of(st.none(), st.dictionaries(KEYS, values, min_size=1, max_size=3))


def comparisons() -> st.SearchStrategy[dict[str, object]]:
    orders = st.tuples(st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), st.one_of(WHOLE, BROKEN))
    equals = st.tuples(st.sampled_from(["$eq", "$ne", "$contains", "$not_contains"]), SCALARS)
    members = st.tuples(st.sampled_from(["$in", "$nin"]), LISTS)
    comparison = st.one_of(orders, equals, members).map(lambda pair: dict([pair]))
    return st.tuples(KEYS, st.one_of(comparison, SCALARS)).map(lambda pair: dict([pair]))


def logic(leaves: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[dict[str, object]]:
    def grow(parts: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[dict[str, object]]:
        branches = st.tuples(st.sampled_from(["$and", "$or"]), st.lists(parts, min_size=2, max_size=3))
        return branches.map(lambda pair: dict([pair]))

    return st.recursive(leaves, grow, max_leaves=4)


CONTAINS = st.tuples(
    st.sampled_from(["$contains", "$not_contains"]), st.sampled_from(["cat", "Cat", "%", "_", "a", "日本", "ï", "\n", "'"])
)
PATTERNS = [
    "c.t",
    "(?i)CAT",
    "^$",
    r"\bcats?\b",
    "(?s)s.and",
    r"\p{Han}+",
    "[[:upper:]]",
    r"\d{2}%",
    "a|日",
    "(",
    "(?=a)",
    r"\s$",
    "ï",
    "(?i)Ï",
]
REGEX = st.tuples(st.sampled_from(["$regex", "$not_regex"]), st.sampled_from(PATTERNS))
WHERE = logic(comparisons())
WHERE_DOCUMENT = logic(st.one_of(CONTAINS, REGEX).map(lambda pair: dict([pair])))
FILTERS = {"where": st.none() | WHERE, "where_document": st.none() | WHERE_DOCUMENT}
SOME_IDS = st.lists(IDS, min_size=1, max_size=4)


# What is drawn from is made once: to make it anew for each draw takes longer than to draw, and than what is then done with it.
POINTS_GIVEN = st.one_of(*[POINTS] * 6, WRONG_POINTS)
SOME_POINTS = st.lists(POINTS, min_size=1, max_size=2)
METADATAS = {none: metadatas(none=none) for none in (True, False)}
DOCUMENT_OR_NONE, URI_OR_NONE = st.none() | DOCUMENTS, st.none() | st.just("file:x")
WRITES = st.sampled_from(["add", "upsert", "update", "add"])
READS = st.sampled_from(["get", "query", "query", "get", "peek", "count", "delete"])
SOME_IDS_OR_NONE, INCLUDED = st.none() | SOME_IDS, st.lists(st.sampled_from(ALL), unique=True)
LIMIT, OFFSET, MOST_DELETED = st.none() | st.integers(-1, 4), st.none() | st.integers(0, 3), st.none() | st.integers(0, 2)
RESULTS, PEEKED, EITHER = st.integers(1, 8), st.integers(0, 3), st.booleans()


@cache
def as_many(many: int, kind: st.SearchStrategy[object]) -> st.SearchStrategy[list[object]]:
    return st.lists(kind, min_size=many, max_size=many)


@cache
def as_many_or_none(many: int, kind: st.SearchStrategy[object]) -> st.SearchStrategy[list[object] | None]:
    return st.none() | as_many(many, kind)


@st.composite
def writes(draw: st.DrawFn) -> Call:
    name, ids = draw(WRITES), draw(SOME_IDS)
    given: dict[str, object] = {"ids": ids}
    if name != "update" or draw(EITHER):
        given["embeddings"] = draw(as_many(len(ids), POINTS_GIVEN))
        given["documents"] = draw(as_many_or_none(len(ids), DOCUMENT_OR_NONE))
    given["metadatas"] = draw(as_many_or_none(len(ids), METADATAS[name != "add"]))
    given["uris"] = draw(as_many_or_none(len(ids), URI_OR_NONE))
    return name, given


@st.composite
def reads(draw: st.DrawFn) -> Call:
    name = draw(READS)
    filters = {key: draw(strategy) for key, strategy in FILTERS.items()}
    ids = draw(SOME_IDS_OR_NONE)
    if name == "get":
        page = {"limit": draw(LIMIT), "offset": draw(OFFSET)}
        return name, {"ids": ids, "include": draw(INCLUDED), **filters, **page}
    if name == "query":
        points = draw(SOME_POINTS)
        return name, {"query_embeddings": points, "ids": ids, "n_results": draw(RESULTS), "include": SHOWN, **filters}
    if name == "delete":
        return name, {"ids": ids, **filters, "limit": draw(MOST_DELETED)}
    return name, {"limit": draw(PEEKED)} if name == "peek" else {}


OPERATIONS = st.lists(cast("st.SearchStrategy[Call]", st.one_of(writes(), reads())), min_size=3, max_size=14)


@given(st.sampled_from(["l2", "cosine", "ip"]), OPERATIONS)
@settings(max_examples=250, suppress_health_check=list(HealthCheck))
def test_any_calls_give_the_same(pairs: Pairs, space: str, calls: list[Call]) -> None:
    pair = pairs.of("test_any_calls_give_the_same", both_on_disk=True)
    theirs, ours = fresh(pair, space)
    everything: Call = ("get", {"include": ["documents", "metadatas", "uris"]})
    for name, arguments in [*calls, everything, ("count", {})]:
        act, own_act = partial(getattr(theirs, name), **arguments), partial(getattr(ours, name), **arguments)
        if name == "query":
            same_hits(act, own_act, (name, arguments))
        elif name == "delete" and arguments["where"] is None and arguments["where_document"] is None:
            same(partial(bool_of, act), partial(bool_of, own_act), (name, arguments))
        else:
            same(act, own_act, (name, arguments))


# random filters on a collection of many kinds

VALUES = [
    1,
    3,
    -4,
    1.0,
    2.5,
    0.25,
    True,
    False,
    "",
    "x",
    "abc",
    "1",
    [1, 3],
    [1.0, 2.5],
    ["x", "1"],
    [True],
    10**6,
    2**53 + 2,
    1e300,
    "Zoë",
]
TEXTS_STORED = ["a cat", "A Cat", "cats\nand dogs", "50%_off", "日本語のネコ", "naïve", "", None, "it's", "c_t", "dog\tcat"]


@pytest.fixture
def many(pair: Pair) -> tuple[chroma.Collection, chroma.Collection]:
    made = fresh(pair)
    size = 3 * len(VALUES)
    metadata = [{"k": VALUES[n % len(VALUES)], "l": VALUES[n * 7 % len(VALUES)]} if n % 9 else None for n in range(size)]
    documents = [TEXTS_STORED[n % len(TEXTS_STORED)] for n in range(size)]
    for collection in made:
        collection.add(
            ids=[f"id{n}" for n in range(size)],
            embeddings=[[float(n), float(n % 5)] for n in range(size)],
            metadatas=metadata,  # type: ignore[arg-type]
            documents=documents,
        )
    return made


@given(st.fixed_dictionaries(FILTERS))
@settings(max_examples=400, suppress_health_check=list(HealthCheck))
def test_any_filter_lets_the_same_through(many: tuple[chroma.Collection, chroma.Collection], filters: dict[str, object]) -> None:
    gets = [partial(collection.get, include=[], **filters) for collection in many]  # type: ignore[arg-type]
    same(gets[0], gets[1], filters)
    queries = [partial(collection.query, query_embeddings=[20.4, 2.1], include=SHOWN, **filters) for collection in many]  # type: ignore[arg-type]
    same_hits(queries[0], queries[1], filters)


# single calls, most of them wrong

V = [[1.0, 2.0]]
CALLS: list[Call] = [
    *(("get", {"include": include}) for include in [[], ALL, None, "documents", ("documents",), ["distances"], ["data"], ["x"], [5]]),
    *(("get", {"limit": limit, "include": []}) for limit in [0, 1, 2**32 - 1, 2**32, -1, "1", 1.0, True, np.int64(1)]),
    *(("get", {"offset": offset, "include": []}) for offset in [0, 1, 99, -1, "1", 0.0, [], np.array([1, 2])]),
    *(("get", {"ids": ids}) for ids in [[], ["a", "a"], "a", ["zz"], [5], 5, ("a",), ["c", "a"], ["\ud800"]]),
    *(("get", {"where": where}) for where in [{}, [], "x", {"n": None}, {"n": [1]}, {1: 1}, {"": 1}, {"$x": 1}, {"n": {}}, {"a": 1, "b": 2}]),
    *(("get", {"where": {"n": {operator: 1}}}) for operator in ["$eq", "$like", "$in", "$and", "$contains", "$not", "$regex", "eq"]),
    *(("get", {"where": {"n": {"$gt": value}}}) for value in [True, "x", None, float("nan"), float("inf"), [1], 2**64, 10**400]),
    *(("get", {"where": {"n": {operator: value}}}) for operator in ["$eq", "$ne", "$contains"] for value in [2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, -(10**400), "\ud800"]),
    *(("get", {"where_document": {operator: "\ud800"}}) for operator in ["$contains", "$not_contains", "$regex"]),
    *(("get", {"where": {"n": {"$in": values}}}) for values in [[], [None], [[1]], [1, "x"], [1, True], [1, 1.0], (1, 2), "ab", [2**64], [1, 2**64], [2.5, np.float64(1)], [10**400], [np.int64(1)], [b"x"]]),
    *((method, {"where": {"\ud800": 1}}) for method in ("get", "delete")),
    *(("get", {"where": {"$and": parts}}) for parts in [[], [{"n": 1}], {"n": 1}, [{"n": 1}, 5], [{"n": 1}, {"$x": 1}], [{"n": 1}, {"n": 1}]]),
    *(("get", {"where": {key: {"$eq": "a doc"}}}) for key in ["#document", "chroma:document", "#id", "chroma:uri"]),
    *(("get", {"where": {"#document": {"$contains": text}}}) for text in ["doc", "", 5, "Doc"]),
    *(("get", {"where": {"#document": value}}) for value in ["a doc", 5, 1.5, True, None, ["a doc"]]),
    *(("get", {"where": {"#document": {operator: value}}}) for operator in ["$ne", "$gt", "$lte", "$contains", "$regex"] for value in ["a doc", 5, 1.5, True, ["a doc"], [5]]),
    *(("get", {"where": {"#document": {operator: values}}}) for operator in ["$in", "$nin"] for values in [["a doc"], [5], [True], [1.5, 2.5]]),
    ("get", {"where": {"$or": [{"#document": {"$ne": 5}}, {"n": 1}]}}),
    ("delete", {"where": {"#document": {"$ne": 5}}}),
    ("get", {"where": {"n": {"$eq": [np.int64(1)]}}}),
    *(("get", {"where": {"n": {"$in": [value]}}, "limit": 2**32}) for value in [b"x", 2**64]),
    *(("query", {"query_embeddings": V, "where": {"n": {"$in": [value]}}, "n_results": 2**32}) for value in [b"x", 2**64]),
    *(("delete", {"where": {"n": {"$in": [value]}}, "limit": 2**32}) for value in [b"x", 2**64]),
    ("get", {"ids": ["\ud800"], "where": {"n": {"$in": [b"x"]}}, "offset": 2**32}),
    ("delete", {"ids": ["\ud800"], "where": {"n": {"$in": [b"x"]}}}),
    ("query", {"query_embeddings": V, "ids": ["\ud800"], "where": {"n": {"$in": [b"x"]}}}),
    *(("get", {"where_document": where}) for where in [{}, "x", {"$contains": ""}, {"$contains": 5}, {"$x": "x"}, {"$or": [{"$contains": "a"}]}]),
    *(("get", {"where_document": {"$regex": pattern}}) for pattern in ["(", "(?=a)", r"(a)\1", r"\Z", r"\Aa doc\z", "(?x) d o c", "[a-z&&[^x]]oc"]),
    *(("query", {"query_embeddings": vectors}) for vectors in [V, V[0], [], [[]], [["x"]], "x", 5, [[1.0]], [[1.0, 2.0], [1.0]], [None], [[True, False]]]),
    *(("query", {"query_embeddings": V, "n_results": number}) for number in [0, -1, 1.5, "1", True, 99, 2**32 - 1, 2**32, None]),
    *(("query", {"query_embeddings": V, "ids": ids}) for ids in [[], ["zz"], ["a", "zz"], ["a", "a"], "a", [5], ["\ud800"]]),
    ("query", {}),
    ("query", {"query_texts": ["x"], "query_uris": ["y"]}),
    ("query", {"query_uris": "x"}),
    *(("query", {"query_embeddings": V, "include": include}) for include in [[], [*ALL, "distances"], None, ["x"]]),
    *(("delete", {"ids": ids}) for ids in [None, [], ["a", "a"], ["\ud800"]]),
    *(("delete", {"ids": ids, "limit": 1}) for ids in [None, ["a"]]),
    ("delete", {"where": {}}),
    *(("delete", {"where": {"n": 1}, "limit": limit}) for limit in ["1", True, -1, 0, 1, 1.5, 2**32 - 1, 2**32, 2**70]),
    *(("peek", {"limit": limit}) for limit in [0, 1, -1, None, "x"]),
    *(
        (method, {"ids": ids, "embeddings": V})
        for method in ("add", "update", "upsert")
        for ids in ["n", ["n"], [], [""], [5], None, ["n", "n"], ["n", "m"], ("n",), ["\ud800"], ["a\0b"]]
    ),
    *(
        (method, {"ids": ["a"], "embeddings": vectors})
        for method in ("add", "update", "upsert")
        for vectors in [V[0], [], [[]], [["x"]], [[True]], [None], "x", 5, [[1, "x"]], [(1, 2)], (1, 2), [[float("nan"), 1.0]], [[1e300, 1.0]]]
    ),
    *(
        (method, {"ids": ["n"], "embeddings": vectors})
        for method in ("add", "upsert")
        for vectors in [np.array(V), np.array(V[0]), np.array(V, dtype=np.int32), [np.zeros((2, 2)), [1.0, 2.0]], [np.array(V[0], dtype=np.float16)], np.zeros((0, 2)), np.array(3.0)]
    ),
    *(
        (method, {"ids": ["a"], "embeddings": V, "metadatas": metadata})
        for method in ("add", "update", "upsert")
        for metadata in [
            {"x": 1}, [{}], [{"x": {"y": 1}}], [{"x": []}], [{"x": [1, "x"]}], [{"x": [1, True]}], [{1: 1}], [{"": 1}], [{"$x": 1}], [{"#x": 1}],
            [{"chroma:document": "x"}], [{"x": 2**63}], [{"x": -(2**63)}], [{"x": 10**400}], [{"x": float("inf")}], [None], [{"x": None}],
            [{"x": np.float64(1)}], [{"x": np.int64(1)}], [{"x": [1, 2**63]}], [{"x": "\ud800"}], [{"x": ["\ud800"]}], [{"\ud800": 1}],
            [{"chroma:uri": "file:b"}],
        ]
    ),
    *(
        (method, {"ids": ["a"], "embeddings": V, "documents": documents})
        for method in ("add", "update", "upsert")
        for documents in ["x", [5], [None], ["\ud800"], ["x", "y"], [], ("x",)]
    ),
    *(
        (method, {"ids": ids, "embeddings": vectors, "metadatas": metadata})  # two mistakes at once: the same one is told
        for method in ("add", "update", "upsert")
        for ids, vectors, metadata in [
            ([""], V, [{"x": 10**400}]), (["n"], [np.array([1, 2], dtype=np.uint8)], ["x"]), (["n", "m"], [[1.0, 2.0], np.array(V[0])], [None]),
            (["n"], V, [{"": 1, "x": "\ud800"}]), ([""], V, [{"\ud800": 1}]),
            ([5], [np.zeros((1, 2))], [None]), (["n"], [np.zeros((1, 2))], [{"x": (1,)}]),
        ]
    ),
    *(("modify", {"name": name, "configuration": {"hnsw": {}, "spann": {}}}) for name in ["b", "other-name", "a b"]),
    *((method, {"ids": ["n"], "metadatas": {"x": 1}}) for method in ("add", "update", "upsert")),
    *((method, {"ids": ["n"]}) for method in ("add", "update", "upsert")),
    *(("add", {"ids": ["n", "m"], "embeddings": V * 2, "uris": uris}) for uris in ["x", ["x", None], ["x", 5], []]),
    *(
        (method, {"ids": ["n", "m", "a"], "embeddings": V * 3, "metadatas": [{"chroma:uri": "file:n", "k": 1}, None, {"chroma:uri": "y"}], "uris": uris})
        for method in ("add", "update", "upsert")
        for uris in [None, ["file:other", None, None]]
    ),
    *(
        (method, {"ids": ["n", "a"], "embeddings": V * 2, "metadatas": [{"chroma:uri": value, "k": 1}] * 2, "uris": uris})
        for method in ("update", "upsert")
        for value in [None, 5, [1.5]]
        for uris in [None, [None, "file:other"], ["file:other", None]]
    ),
    *(("modify", {"name": name}) for name in ["\ud800abc", "ab", "a b", "", "192.168.1.1", "a..b", "x" * 513]),
    *(("modify", {"metadata": metadata}) for metadata in [{}, {"x": 1}, {"x": 2**63}, {"x": 1, "y": None}, {"#x": None}, {"": None}, {"x": None}, {"hnsw:space": "ip"}, {"x": {"y": 1}}, {"$x": 1}]),
    *(("modify", {"configuration": {"hnsw": hnsw}}) for hnsw in [{"ef_search": 7}, {"ef_search": "x"}, {"ef_search": np.int64(7)}, {"x": {1}}, {"space": "ip"}, {"x": 1}, [], "x"]),
    *(("modify", {"configuration": {"spann": spann}}) for spann in [{}, {"search_nprobe": 5}, {"foo": 1}, {"space": "ip"}, None, "x", b"x"]),
    ("modify", {"configuration": {"spann": {}, "hnsw": {}}}),
    ("fork", {"new_name": "x"}),
    ("fork_count", {}),
    ("get_indexing_status", {}),
    ("search", {"searches": []}),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0]} {str(call[1])[:60]!a}")
def test_one_call_gives_the_same(collections: tuple[chroma.Collection, chroma.Collection], call: Call) -> None:
    name, arguments = call
    for collection in collections:
        collection.add(
            ids=["a", "b", "c"],
            embeddings=[[1.0, 2.0], [0.0, 5.0], [9.0, 1.0]],
            metadatas=[{"n": 1}, {"n": "x", "l": [1, 2]}, None],
            documents=["a doc", None, "Doc"],
            uris=["file:a", None, None],
        )
    theirs, ours = collections
    same(partial(getattr(theirs, name), **arguments), partial(getattr(ours, name), **arguments), call)
    same(partial(state, theirs), partial(state, ours), call)


def state(collection: chroma.Collection) -> object:
    records = collection.get(include=["embeddings", "documents", "metadatas", "uris"])
    return [records, collection.count(), collection.metadata, collection.configuration_json["hnsw"]]


HNSW: list[object] = [
    *[{"ef_search": np.int64(5)}, {"x": b"x"}],
    *[None, {}, {"space": "l2"}, {"space": "ip"}, {"space": None}, {"ef_search": 100}, {"ef_search": 50}, {"ef_search": 2**64}],
    *[{"batch_size": 100}, {"batch_size": 99}, {"resize_factor": None}, [], "x", 5],
]
TWICE_WRONG: list[dict[str, Any]] = [
    *({"metadata": {"x": None}, "configuration": {"hnsw": {}, "spann": {}}}, {"metadata": {"x": None}, "schema": "x"}),
    *({"metadata": {"x": None}, "name": 5}, {"metadata": {"x": None}, "get_or_create": 1}, {"metadata": {"x": None}, "name": "a b"}),
    *({"metadata": {"#x": 1}, "name": "\ud800"}, {"metadata": {"#x": 1}, "configuration": {"hnsw": {"x": 1}}}),
    *({"metadata": {"hnsw:M": "x"}, "configuration": {index: {}}} for index in ("hnsw", "spann")),
    *({"metadata": {"hnsw:M": "x"}, "name": 5}, {"metadata": {"hnsw:M": "x"}, "schema": 5}),
    *({"embedding_function": 5, "metadata": {"hnsw:M": "x"}}, {"embedding_function": 5, "name": 5}),
    *({"embedding_function": 5, "metadata": []}, {"embedding_function": 5, "configuration": [1]}),
]
"""Of two mistakes at once, the same one is told."""

SPANN: list[object] = [None, {}, {"space": "ip"}, {"space": None}, {"ef_search": 9}, {"foo": 1}, [], "x"]
CREATIONS: list[Mapping[str, object]] = [
    *TWICE_WRONG,
    *(
        {"metadata": metadata}
        for metadata in [{}, {"x": None}, {"x": {}}, {1: 1}, {"": 1}, {"$x": 1}, {"x": 1, "y": 2.5, "z": True, "t": "ä"}]
    ),
    *(
        {"metadata": {key: value}}
        for key, value in [
            *[("hnsw:space", "cosine"), ("hnsw:space", "L2"), ("hnsw:M", "x"), ("hnsw:x", 1), ("x", 2**63), ("x", 10**400)],
            *[("x", np.int64(1)), ("x", np.bool_(True)), ("x", np.float32(1.5)), ("x", "\ud800"), ("\ud800", 1)],
            *[("x", Decimal("1.5")), ("x", Fraction(1, 2)), ("x", np.array(3)), ("x", np.array([3])), ("x", b"3"), ("x", 1j)],
        ]
    ),
    *(
        {"configuration": {"hnsw": hnsw}}
        for hnsw in [{"space": "ip"}, {"space": "x"}, {"x": 1}, {"ef_search": -1}, {"ef_search": 5}, {}, None, {"resize_factor": 2}]
    ),
    {"configuration": {"spann": {"space": "ip"}, "hnsw": {"space": "ip"}}},
    {"configuration": {"hnsw": {"space": "ip"}}, "metadata": {"hnsw:space": "cosine"}},
    *(
        {"configuration": configuration, "metadata": metadata}
        for metadata in [{"hnsw:space": "ip", "hnsw:M": 9}, {"hnsw:M": 9}]
        for configuration in [
            {},
            *(
                {"hnsw": hnsw}
                for hnsw in [None, {}, {"space": "l2"}, {"ef_search": 7}, {"ef_search": 100}, {"space": None, "ef_search": 5}]
            ),
            *({"spann": spann} for spann in [{}, {"space": "cosine"}, {"search_nprobe": 5}]),
        ]
    ),
    *({"metadata": {"x": value}} for value in [np.int64(1), np.float32(1.5), np.bool_(True)]),
    *(
        {"configuration": configuration, "metadata": metadata}
        for configuration in [*({"hnsw": hnsw} for hnsw in HNSW), *({"spann": spann} for spann in SPANN)]
        for metadata in [None, {"hnsw:space": "cosine"}, {"hnsw:space": "cosine", "hnsw:search_ef": 50}]
    ),
    *({"metadata": {"hnsw:sync_threshold": 1}, "configuration": {"hnsw": hnsw}} for hnsw in [None, {}, {"ef_search": 7}]),
    *({"metadata": {f"hnsw:{name}": value}} for name in ["sync_threshold", "batch_size", "M"] for value in [0, 1, 2, 1.5, True]),
    {"configuration": []},
    *({"get_or_create": value} for value in [True, None, 1, "x", np.bool_(False)]),
    *({"name": name} for name in ["ab", "a b", "", 5, None, "1.2.3.4", "a..b", "-abc", "abc-", "1.2", "a" * 512]),
]


@pytest.mark.parametrize("arguments", CREATIONS, ids=lambda arguments: f"{str(arguments)[:60]!a}")
def test_a_collection_is_made_the_same(pair: Pair, arguments: Mapping[str, object]) -> None:
    for function in (None, Near()):
        given = {"name": f"made-{next(NUMBERS)}", "embedding_function": function, **arguments}
        same(partial(made, pair.theirs, given), partial(made, pair.ours, given), given)


class Near(chroma.EmbeddingFunction[chroma.Documents]):
    """An embedding function that wants cosines."""

    def __call__(self, input: list[str]) -> list[list[float]]:
        """Give each the same."""
        return [[1.0, 2.0] for _ in input]

    @staticmethod
    def name() -> str:
        """Return its name."""
        return "near"

    def get_config(self) -> dict[str, object]:
        """Return nothing."""
        return {}

    @classmethod
    def build_from_config(cls, config: dict[str, object]) -> Near:
        """Make it again."""
        return cls()

    def default_space(self) -> Literal["cosine"]:
        """Return the distance that it wants."""
        return "cosine"


@pytest.mark.parametrize("hnsw", [{"max_neighbors": 3}, {"ef_search": 5, "max_neighbors": 4}, {"ef_search": None}, {"num_threads": 3}, {}])
def test_settings_are_changed_the_same(pair: Pair, hnsw: dict[str, object]) -> None:
    def changed(client: chroma.ClientAPI) -> object:
        collection = client.create_collection(name, embedding_function=None)
        collection.modify(configuration={"hnsw": dict(hnsw)})
        return client.get_collection(name, embedding_function=None).configuration_json["hnsw"]

    name = f"changed-{next(NUMBERS)}"
    same(partial(changed, pair.theirs), partial(changed, pair.ours), hnsw)


def made(client: chroma.ClientAPI, arguments: dict[str, object]) -> object:
    collection = client.create_collection(**deepcopy(arguments))  # type: ignore[arg-type]
    found = client.get_collection(collection.name, embedding_function=None)
    found.add(ids="a", embeddings=[3.0, 4.0])
    return [
        found.query(query_embeddings=[6.0, 8.0])["distances"],
        found.name,
        found.metadata,
        found.configuration_json,
        json.dumps(found.configuration_json["hnsw"], sort_keys=True),
        found == collection,
        found.tenant,
        found.database,
        repr(found),
    ]


@pytest.mark.parametrize("changes", [{}, {"metadata": {"k": 1}}, {"metadata": {}}, {"configuration": {}}, {"name": "other"}], ids=repr)
def test_what_is_gone_is_modified_the_same(pair: Pair, changes: dict[str, Any]) -> None:
    gone = []
    for client in in_a_database(pair, f"database-{next(NUMBERS)}"):
        gone.append(client.create_collection("gone", embedding_function=None))
        client.delete_collection("gone")
    theirs, ours = gone
    same(partial(theirs.modify, **changes), partial(ours.modify, **changes))
    assert (ours.name, ours.metadata) == (theirs.name, theirs.metadata)


@pytest.mark.parametrize("name", [None, 1, b"x", ["a"], "\ud800", "", "ab", "é", "🦊"], ids=ascii)
@pytest.mark.parametrize("method", ["get_collection", "delete_collection", "set_tenant", "set_database"])
def test_a_name_that_is_none_is_refused_the_same(pair: Pair, method: str, name: Any) -> None:
    same(partial(getattr(pair.theirs, method), name), partial(getattr(pair.ours, method), name))


@pytest.mark.parametrize("wrong", [None, 5, b"abc", "\ud800", "é", "nobody's"], ids=ascii)
@pytest.mark.parametrize("method", ["create_tenant", "get_tenant", "create_database", "get_database", "delete_database"])
def test_a_tenant_or_database_that_is_none_is_refused_the_same(pair: Pair, method: str, wrong: Any) -> None:
    theirs, ours = (getattr(client, "_admin_client", None) or chroma.AdminClient(client.get_settings()) for client in pair)
    if wrong != "nobody's" or not method.startswith("create"):
        same(partial(getattr(theirs, method), wrong), partial(getattr(ours, method), wrong))
    if "database" in method and (method != "create_database" or not isinstance(wrong, str)):  # of no tenant: see above
        same(partial(getattr(theirs, method), "database", wrong), partial(getattr(ours, method), "database", wrong))


def test_who_works_is_told_the_same(pair: Pair) -> None:
    theirs, ours = (asdict(client.get_user_identity()) for client in pair)
    assert ours == theirs


def test_creating_what_exists_asks_nothing_of_the_function(pair: Pair) -> None:
    """`get_or_create_collection` does."""

    def seen(client: chroma.ClientAPI) -> list[Answer]:
        client.create_collection(name, embedding_function=Near())
        again = partial(client.create_collection, name, embedding_function=Letters(), get_or_create=True)
        other = partial(client.get_or_create_collection, name, embedding_function=Letters())
        return [answer(partial(bool_of, act))[0] for act in (again, other)]

    name = f"asks-{next(NUMBERS)}"
    assert seen(pair.theirs) == [("result", True), ("error", "ValueError")]
    assert seen(pair.ours) == [("result", True), ("error", "InputError")]


TOLD_ALIKE: list[Call] = [
    ("get_database", {"name": "ab"}),
    ("set_database", {"database": "ab"}),
    ("delete_database", {"name": "missing"}),
    ("get_collection", {"name": "missing"}),
    ("get_collection_by_id", {"id": UUID(int=5)}),
    ("add", {"ids": ["n", "m"], "embeddings": [[1.0], np.zeros(0)]}),
    ("add", {"ids": ["n"], "embeddings": [[1.0]], "uris": [5]}),
    ("add", {"ids": ["n"], "embeddings": [np.zeros((1, 2))]}),
    ("query", {"query_embeddings": [np.zeros((1, 2))]}),
    ("query", {"query_embeddings": [np.zeros((1, 2))], "n_results": 0}),
    ("query", {"query_embeddings": [[1.0, 2.0]], "where": {"\ud800": 1}}),
    ("modify", {"metadata": {"#x": 1}}),
    *(("modify", {"name": name}) for name in [5, "a", "a b", "a..b", "192.168.1.1"]),
    *(("modify", {"metadata": metadata}) for metadata in [{}, "x", {1: 2}, {"x": {"y": 1}}, {"hnsw:space": "ip"}]),
    *(("add", {"ids": ids, "embeddings": V}) for ids in [[1], ["a", "a"], [], {"a": 1}, None, [""]]),
    *(("upsert", {"ids": ["a"], "embeddings": vectors}) for vectors in [[], [["x", "y"]], "x", [[float("nan"), 1.0]]]),
    *(("update", {"ids": ["a"], "metadatas": metadata}) for metadata in [[{}], [{"x": [1, "x"]}], [{"x": b"x"}], [{"chroma:document": "x"}]]),
    *(("get", {"where": where}) for where in [{}, "x", {"$and": []}, {"$and": [{"x": 1}]}, {"x": {"$foo": 1}}, {"x": {"$gt": "x"}}, {"x": {"$in": []}}]),
    *(("get", {"where_document": where}) for where in [{}, {"$contains": ""}, {"$contains": 5}, {"$eq": "x"}, {"$or": [{"$contains": "x"}]}]),
    *(("get", {"include": include}) for include in [["distances"], ["foo"], None, "x"]),
    *(("query", {"query_embeddings": V, "n_results": number}) for number in [0, -1, "x", None, 2**40]),
    ("query", {}),
    *(("delete", {}), ("delete", {"ids": ["a"], "limit": 1}), ("delete", {"where": {"x": 1}, "limit": -1}), ("delete", {"where": {"x": 1}, "limit": "x"})),
]  # fmt: skip


@pytest.mark.parametrize("call", TOLD_ALIKE, ids=lambda call: f"{call[0]} {str(call[1])[:60]!a}")
def test_an_error_is_told_in_the_same_words(pair: Pair, call: Call) -> None:
    name, arguments = call
    told = []
    for client, collection in zip(pair, fresh(pair), strict=True):
        admin = getattr(client, "_admin_client", None) or chroma.AdminClient(client.get_settings())
        owner = next(owner for owner in (client, collection, admin) if hasattr(owner, name))
        with pytest.raises(Exception) as raised:  # noqa: PT011  # of whichever kind
            getattr(owner, name)(**arguments)
        told.append(str(raised.value))
    assert told[1] == told[0]


@pytest.mark.parametrize("name", ["create_collection", "get_or_create_collection", "get_collection", "delete_collection"])
def test_of_a_database_that_is_gone_the_same_is_told(pair: Pair, name: str) -> None:
    database, told = f"gone-{next(NUMBERS)}", []
    for client in pair:
        admin = getattr(client, "_admin_client", None) or chroma.AdminClient(client.get_settings())
        admin.create_database(database)
        client.set_database(database)
        admin.delete_database(database)
        with pytest.raises(Exception) as raised:  # noqa: PT011  # of whichever kind
            getattr(client, name)("letters")
        client.set_database("default_database")
        told.append((type(raised.value).__name__, str(raised.value)))
    assert told[1] == told[0]


def test_a_name_that_is_taken_is_refused_the_same(pair: Pair) -> None:
    """Both keep their names; one's own is not taken."""
    (first_theirs, first_ours), (theirs, ours) = fresh(pair), fresh(pair)
    same(lambda: theirs.modify(name=first_theirs.name), lambda: ours.modify(name=first_ours.name))
    with pytest.raises(chroma.errors.UniqueConstraintError, match="already exists"):
        ours.modify(name=first_ours.name)
    assert [one.name for one in (first_ours, ours)] == [one.name for one in (first_theirs, theirs)]
    same(lambda: theirs.modify(name=theirs.name), lambda: ours.modify(name=ours.name))
    names = [sorted(one.name for one in client.list_collections()) for client in pair]
    assert names[0] == names[1]


# the client: random operations, and handles of what is gone

NAMES = st.sampled_from(["one", "two", "three", "ab", "a b", "1.2.3.4"])
PAGES = st.fixed_dictionaries({"limit": st.none() | st.integers(-1, 4), "offset": st.none() | st.integers(-1, 4)})
COLLECTION_METADATA = st.none() | st.dictionaries(st.sampled_from(["k", "l"]), SCALARS, min_size=0, max_size=2)


@st.composite
def client_calls(draw: st.DrawFn) -> Call:
    name = draw(
        st.sampled_from(
            ["create", "create", "get_or_create", "get", "delete", "list", "count", "rename", "describe", "use", "get_by_id", "get_again"]
        )
    )
    match name:
        case "create" | "get_or_create":
            return name, {"name": draw(NAMES), "metadata": draw(COLLECTION_METADATA)}
        case "rename":
            return name, {"name": draw(NAMES), "new": draw(NAMES)}
        case "describe":
            return name, {"name": draw(NAMES), "metadata": draw(COLLECTION_METADATA)}
        case "list":
            return name, draw(PAGES)
        case "count":
            return name, {}
        case _:
            return name, {"name": draw(NAMES)}


class Hand:
    """A client, and every handle it ever gave: of collections that are gone or have another name by now, too."""

    def __init__(self, client: chroma.ClientAPI) -> None:
        self.client, self.handles = client, dict[str, chroma.Collection]()

    def do(self, call: str, arguments: Mapping[str, object]) -> object:
        name = str(arguments.get("name"))
        metadata = cast("Mapping[str, str] | None", arguments.get("metadata"))
        match call:
            case "create" | "get_or_create":
                make = self.client.create_collection if call == "create" else self.client.get_or_create_collection
                self.handles[name] = make(name, metadata=metadata, embedding_function=None)
                return shown(self.handles[name])
            case "get":
                self.handles[name] = self.client.get_collection(name, embedding_function=None)
                return shown(self.handles[name])
            case "delete":
                self.client.delete_collection(name)
                return None
            case "list":
                found = self.client.list_collections(**arguments)  # type: ignore[arg-type]
                return (
                    len(found)
                    if any(page is not None for page in arguments.values())
                    else sorted(map(shown, found), key=lambda one: str(one[0]))
                )
            case "count":
                return self.client.count_collections()
        handle = self.handles.get(name)
        if handle is None:
            return None
        match call:
            case "rename":
                handle.modify(name=str(arguments["new"]))
            case "describe":
                handle.modify(metadata=metadata)
            case "use":
                handle.upsert("id", embeddings=[1.0, 2.0])
                return [
                    handle.count(),
                    handle.get()["ids"],
                    handle.query(query_embeddings=[1.0, 2.0])["ids"],
                    bool(handle.delete(ids=["id"])),
                ]
            case "get_by_id":
                return shown(self.client.get_collection_by_id(handle.id, embedding_function=None))
        return shown(handle)


def shown(collection: chroma.Collection) -> list[object]:
    return [
        collection.name,
        collection.metadata,
        collection.tenant,
        collection.database,
        repr(collection),
        collection.configuration_json["hnsw"],
    ]


@given(st.lists(client_calls(), min_size=3, max_size=20))
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
def test_any_calls_to_a_client_give_the_same(pairs: Pairs, calls: list[Call]) -> None:
    pair = pairs.of("test_any_calls_to_a_client_give_the_same")
    database = f"database-{next(NUMBERS)}"
    hands = [Hand(client) for client in in_a_database(pair, database)]
    for name, arguments in calls:
        same(partial(hands[0].do, name, arguments), partial(hands[1].do, name, arguments), (name, arguments))
    same(partial(hands[0].do, "list", {}), partial(hands[1].do, "list", {}), calls)


def in_a_database(pair: Pair, name: str) -> list[chroma.ClientAPI]:
    """Both clients, on a new database."""
    for client in pair:
        admin = getattr(client, "_admin_client", None) or chroma.AdminClient(client.get_settings())
        admin.create_database(name)
        client.set_database(name)
    return list(pair)


# schemas

Step = tuple[str, str | None, Mapping[str, object], str | None]
INVERTED = [f"{kind}InvertedIndexConfig" for kind in ("String", "Int", "Float", "Bool")]
VECTORS: list[Any] = [
    *[{}, {"space": "l2"}, {"space": "ip"}, {"space": "cosine", "embedding_function": None}, {"embedding_function": Near()}],
    *[{"source_key": "x"}, {"hnsw": {"ef_search": 9}}, {"hnsw": {"ef_search": 100, "num_threads": 1}}, {"spann": {"ef_search": 9}}],
    *[{"hnsw": {"ef_search": 9}, "spann": {}}, {"hnsw": {"batch_size": 1}}, {"hnsw": {"ef_search": -1}}, {"spann": {"search_nprobe": 64}}],
]
INDEX_KEYS = st.sampled_from([None, None, "k", "l", "Ä key"])
STRANGE_KEYS = st.sampled_from([None, "k", "#document", "#embedding", "#x", "", "chroma:x", "embedding_function", "num_threads", "spann"])
STRANGE_CONFIGS = st.sampled_from([None, "FtsIndexConfig", "SparseVectorIndexConfig", "VectorIndexConfig", "HnswIndexConfig", *INVERTED])
ACTS = st.sampled_from(["create_index", "delete_index"])
NONE_SAID: Mapping[str, object] = {}
STEPS: st.SearchStrategy[Step] = st.one_of(
    *[st.tuples(st.just("delete_index"), st.sampled_from(INVERTED), st.just(NONE_SAID), INDEX_KEYS)] * 3,
    st.tuples(st.just("create_index"), st.sampled_from(INVERTED), st.just(NONE_SAID), INDEX_KEYS),
    st.tuples(ACTS, st.just("FtsIndexConfig"), st.just(NONE_SAID), st.just("#document")),
    st.tuples(st.just("create_index"), st.just("VectorIndexConfig"), st.sampled_from(VECTORS), st.none()),
    st.tuples(ACTS, STRANGE_CONFIGS, st.just(NONE_SAID), STRANGE_KEYS),
)
SAID = st.fixed_dictionaries(
    {},
    optional={
        "configuration": st.sampled_from([None, {"hnsw": {"space": "l2"}}, {"hnsw": {"space": "ip"}}, {"hnsw": {"num_threads": 1}}]),
        "metadata": st.sampled_from([{"x": 1}, {"hnsw:space": "cosine"}, {"hnsw:space": "l2"}]),
        "embedding_function": st.sampled_from([None, Near()]),
    },
)


def stepped(module: Any, steps: list[Step]) -> tuple[Any, list[object]]:
    """A schema of chromadb's or of ours, made step by step, and what became of each."""
    schema, told = module.Schema(), list[object]()
    for act, name, given_settings, key in steps:
        config = None if name is None else getattr(module, name)(**given_settings)
        (kind, value), _ = answer(partial(getattr(schema, act), config, key))
        told.append(value is schema if kind == "result" else value.replace("InputError", "ValueError"))  # type: ignore[attr-defined]
    return schema, told


@pytest.fixture(scope="module")
def known_functions() -> Iterator[None]:
    """Both know by name the function that the schemas name."""
    chroma.register_embedding_function(Near)
    chromadb.utils.embedding_functions.register_embedding_function(Near)
    yield
    del chroma.utils.embedding_functions.known_embedding_functions["near"]
    chromadb.utils.embedding_functions.known_embedding_functions.pop("near")


def of_schema(client: chroma.ClientAPI, name: str) -> object:
    collection = client.get_collection(name, embedding_function=None)
    model: Any = collection.get_model()
    return [model.serialized_schema, collection.configuration_json, collection.schema.serialize_to_json(), collection.metadata]


@pytest.mark.usefixtures("known_functions")
@given(st.lists(STEPS, max_size=5), SAID, OPERATIONS)
@settings(max_examples=300, suppress_health_check=list(HealthCheck))
def test_collections_of_any_schema_give_the_same(pair: Pair, steps: list[Step], said: dict[str, Any], calls: list[Call]) -> None:
    schemas = [stepped(module, steps) for module in (chromadb, chroma)]
    assert schemas[1][1] == schemas[0][1], steps
    assert plain(schemas[1][0].serialize_to_json()) == plain(schemas[0][0].serialize_to_json()), steps
    name = f"schema-{next(NUMBERS)}"
    function = {key: value for key, value in said.items() if key == "embedding_function"}
    rest = {key: value for key, value in said.items() if key not in function}
    makes = [
        partial(client.create_collection, name, schema=schema, **deepcopy(rest), **function)
        for client, (schema, _) in zip(pair, schemas, strict=True)
    ]
    same(partial(bool_of, makes[0]), partial(bool_of, makes[1]), (steps, said))
    if pair.ours.count_collections() and answer(partial(pair.ours.get_collection, name, embedding_function=None))[0][0] == "error":
        return
    same(partial(of_schema, pair.theirs, name), partial(of_schema, pair.ours, name), (steps, said))
    theirs, ours = (client.get_collection(name, embedding_function=None) for client in pair)
    for call, arguments in calls:
        act, own_act = partial(getattr(theirs, call), **arguments), partial(getattr(ours, call), **arguments)
        if call == "query":
            same_hits(act, own_act, (steps, call, arguments))
        elif call == "delete" and arguments["where"] is None and arguments["where_document"] is None:
            same(partial(bool_of, act), partial(bool_of, own_act), (steps, call, arguments))
        else:
            same(act, own_act, (steps, call, arguments))
    same(partial(of_schema, pair.theirs, name), partial(of_schema, pair.ours, name), (steps, said, calls))


def off(kind: str, index: str, **more: object) -> dict[str, object]:
    return {kind: {index: {"enabled": False, **more}}}


def on(kind: str, index: str, **config: object) -> dict[str, object]:
    return {kind: {index: {"enabled": True, "config": config}}}


TOLD: list[Any] = [
    *[{}, {"defaults": {}}, {"keys": {}}, {"keys": {"": {}}}, {"keys": {"k": {}}}, {"keys": {"k": {"int": {}}}}, {"keys": {"#x": {}}}],
    *({"defaults": types} for types in [off("int", "int_inverted_index"), on("string", "fts_index"), on("float_list", "vector_index")]),
    *({"defaults": on("float_list", "vector_index", space=space)} for space in ["l2", "x"]),
    *({"defaults": off("float_list", "vector_index", config=config)} for config in [{"space": "ip"}, {"x": 1}, {"embedding_function": {"type": "known", "name": "unheard-of", "config": {}}}]),
    *({"defaults": types} for types in [on("sparse_vector", "sparse_vector_index"), off("sparse_vector", "sparse_vector_index", config={"bm25": True})]),
    *({"keys": {key: on("string", "fts_index")}} for key in ["k", "#document"]),
    *({"keys": {key: off("string", "fts_index")}} for key in ["k", "#document"]),
    *({"keys": {key: on("float_list", "vector_index")}} for key in ["k", "#document", "#embedding"]),
    {"keys": {"k": off("float_list", "vector_index", config={"spann": {"ef_search": 5}})}},
    *({"keys": {key: on("string", "string_inverted_index")}} for key in ["k", "#document", "#embedding"]),
    *({"keys": {"#embedding": on("float_list", "vector_index", **config)}} for config in [{"source_key": "x"}, {"source_key": "#document"}, {"space": "ip"}, {"source_key": "#document", "space": "ip"}]),
    *({"keys": {key: on("int", "int_inverted_index")}} for key in ["embedding_function", "num_threads", "spann", "hnsw", "space"]),
    {"keys": {"#embedding": off("float_list", "vector_index")}},
    {"keys": {"#document": on("int", "int_inverted_index")}},
    *({"keys": {"k": on("sparse_vector", "sparse_vector_index", **config)}} for config in [{}, {"source_key": "x"}, {"source_key": "#x"}]),
    {"keys": {key: on("sparse_vector", "sparse_vector_index") for key in "kl"}},
    *({"cmek": cmek} for cmek in [None, {"gcp": "x"}, {"gcp": 5}, {"aws": "x"}, {"gcp": "projects/p/locations/l/keyRings/r/cryptoKeys/k"}]),
    *({"defaults": {"bool": {"bool_inverted_index": index}}} for index in [{}, {"enabled": "x"}, {"enabled": None}, {"enabled": False, "config": {"x": 1}}]),
]  # fmt: skip


@pytest.mark.parametrize("told", TOLD, ids=lambda told: f"{str(told)[:80]!a}")
@pytest.mark.parametrize("said", [{}, {"metadata": {"hnsw:space": "ip"}}, {"embedding_function": None}], ids=str)
def test_a_schema_read_from_json_gives_the_same(pair: Pair, told: dict[str, object], said: dict[str, Any]) -> None:
    name = f"told-{next(NUMBERS)}"

    def found(module: Any, client: chroma.ClientAPI) -> object:
        schema = module.Schema.deserialize_from_json(told)
        client.create_collection(name, schema=schema, **said).add(
            ids=["a", "b"],
            embeddings=[[1.0, 2.0], [3.0, 4.0]],
            metadatas=[{"k": 1, "l": "x"}, {"k": True, "m": [2.5]}],
            documents=["x", None],
        )
        return [of_schema(client, name), schema.serialize_to_json()]

    same(partial(found, chromadb, pair.theirs), partial(found, chroma, pair.ours), told)
    if name in {collection.name for collection in pair.ours.list_collections()}:
        theirs, ours = (client.get_collection(name, embedding_function=None) for client in pair)
        wheres: list[Any] = [
            {"k": 1},
            {"k": "x"},
            {"k": True},
            {"m": {"$contains": 2.5}},
            {"#document": {"$contains": "x"}},
            {"#embedding": "x"},
        ]
        for where in wheres:
            same(partial(theirs.get, where=where), partial(ours.get, where=where), (told, where))


INDEXED: list[Step] = [
    ("delete_index", "IntInvertedIndexConfig", {}, None),
    ("create_index", "IntInvertedIndexConfig", {}, "on"),
    ("delete_index", "StringInvertedIndexConfig", {}, "s"),
    ("delete_index", "FloatInvertedIndexConfig", {}, "f"),
    ("delete_index", "BoolInvertedIndexConfig", {}, None),
    ("delete_index", "FtsIndexConfig", {}, "#document"),
]
REFUSED: list[Any] = [
    *[{"i": 1}, {"i": 9.5}, {"i": "x"}, {"i": True}, {"on": 3}, {"on": {"$gt": 2}}, {"on": True}, {"s": "x"}, {"s": 5}, {"t": "y"}, {"f": 2.5}],
    *[{"i": {operator: [1, 2]}} for operator in ("$in", "$nin")],
    *[{"li": {operator: value}} for operator in ("$contains", "$not_contains") for value in (1, 1.5, "x")],
    *[{"$or": [{"t": "y"}, {"i": 1}]}, {"$and": [{"t": "y"}, {"$or": [{"t": "y"}, {"s": "x"}]}]}, {"$and": [{"s": "x"}, {"i": 1}]}],
    *[{"i": 2**70}, {"new": 1}, {"new": "x"}, {"#id": "x"}, {"#id": 1}, {"#document": "x"}, {"chroma:document": "doc"}, {"chroma:uri": 1}],
    *[{"#document": {operator: "x"}} for operator in ("$contains", "$not_contains")],
]  # fmt: skip


@pytest.mark.parametrize(
    "where", [*REFUSED, {"$contains": "x"}, {"$not_regex": "x"}, {"$or": [{"$contains": "x"}, {"$regex": "x"}]}], ids=str
)
@pytest.mark.parametrize("method", ["get", "query", "delete"])
def test_what_is_not_indexed_is_refused_in_the_same_words(pair: Pair, method: str, where: Mapping[str, Any]) -> None:
    name = f"refused-{next(NUMBERS)}"
    answers = []
    for module, client in zip((chromadb, chroma), pair, strict=True):
        collection = client.create_collection(name, schema=stepped(module, INDEXED)[0], embedding_function=None)
        metadata: Any = {"i": 1, "on": 3, "s": "x", "t": "y", "f": 2.5, "li": [1]}
        collection.add(ids=["a", "b"], embeddings=[[1.0, 2.0]] * 2, metadatas=[metadata, None], documents=["doc", None])
        given: dict[str, Any] = {"where" if where in REFUSED else "where_document": where}
        if method == "query":
            given["query_embeddings"] = [[1.0, 2.0]]
        try:
            answers.append(plain(getattr(collection, method)(**given)))
        except ValueError as error:
            answers.append(str(error).replace("errror", "error"))
        except Exception as error:
            answers.append(str(error).replace("errror", "error"))
    assert answers[1] == answers[0]


def test_what_a_collection_learns_changes_and_keeps_is_the_same(pair: Pair) -> None:
    name = f"learns-{next(NUMBERS)}"

    def lived(module: Any, client: chroma.ClientAPI) -> object:
        schema = stepped(module, INDEXED)[0].create_index(module.VectorIndexConfig(space="ip", hnsw=module.HnswIndexConfig(ef_search=9)))
        made = client.create_collection(name, schema=schema)
        seen: list[object] = [of_schema(client, name)]
        mixed: Any = {
            "i": 1,
            "s": "x",
            "f": 2.5,
            "b": True,
            "l": [1, 2],
            "big": 2**70,
            "chroma:x": 1,
            "nan": float("nan"),
            "bigs": [1, 2**70],
        }
        for act in (
            partial(made.add, ids=["a"], embeddings=[[1.0, 2.0]], metadatas=[mixed], documents=["x"], uris=["u"]),
            partial(made.add, ids=["a"], embeddings=[[1.0, 2.0]], metadatas=[{"passed over": 1}]),
            partial(made.update, ids=["a", "zz"], metadatas=[{"i": None, "none": None, "s": 5}, {"nobody": 1}]),
            partial(made.upsert, ids=["a", "b"], embeddings=[[1.0, 2.0]] * 2, metadatas=[{"u": ["x"]}, {"u": 1}]),
            partial(made.delete, ids=["a"]),
            partial(made.modify, configuration={"hnsw": {"num_threads": 3, "batch_size": 7, "max_neighbors": 5}}),
            partial(made.modify, configuration={"embedding_function": module.utils.embedding_functions.DefaultEmbeddingFunction()}),
            partial(made.modify, metadata={"y": 1}),
            partial(client.get_or_create_collection, name, schema=module.Schema().create_index(module.VectorIndexConfig(space="cosine"))),
            partial(client.get_or_create_collection, name, schema=module.Schema().create_index(module.SparseVectorIndexConfig(), "x")),
            partial(client.get_or_create_collection, name, metadata={"hnsw:space": "l2"}, schema=schema),
            partial(client.create_collection, name, schema=schema),
        ):
            seen.append([answer(partial(bool_of, act))[0][0], of_schema(client, name)])
        seen.append(made.query(query_embeddings=[[3.0, 4.0]])["distances"])
        (listed,) = [one for one in client.list_collections() if one.name == name]
        return [*seen, listed.schema.serialize_to_json()]

    theirs, ours = cast("list[Any]", lived(chromadb, pair.theirs)), cast("list[Any]", lived(chroma, pair.ours))
    for their, own in zip(theirs, ours, strict=True):
        assert plain(own) == plain(their)


CONFIGS: list[Any] = [
    *(("VectorIndexConfig", given) for given in [{"space": "x"}, {"x": 1}, {"embedding_function": 5}, {"embedding_function": lambda x: x}]),
    *(("VectorIndexConfig", {"source_key": key}) for key in ["#x", 5, "#document", "x"]),
    *(("VectorIndexConfig", {"hnsw": hnsw}) for hnsw in [{"ef_search": 3}, {"x": 3}, 5]),
    *(("HnswIndexConfig", given) for given in [{"x": 1}, {"ef_search": "3"}, {"ef_search": 3.5}, {"resize_factor": 2}]),
    *(("SpannIndexConfig", given) for given in [{"x": 1}, {"quantize": 1}, {"search_rng_factor": 1}, {"ef_search": None}]),
    *(("SparseVectorIndexConfig", given) for given in [{"algorithm": "x"}, {"embedding_function": 5}, {"x": 1}, {"bm25": True}]),
    *((name, {"x": 1}) for name in ["FtsIndexConfig", *INVERTED]),
    *(("Cmek", {"provider": "x", "resource": "y"}) for _ in "x"),
    *(("Key", {"name": name}) for name in ["x", "#x"]),
    *(("SparseVector", {"indices": indices, "values": values}) for indices, values in [([1, 2], [0.5, 1]), ([2, 1], [1, 1]), ([1, 1], [1, 1]), ([1], [1, 2]), ([-1], [1]), ((1,), [1]), ([1], ["x"]), ([1.5], [1]), ([], [])]),
    *(("SparseVector", {"indices": [1], "values": [1.0], "labels": labels}) for labels in [None, ["x"], ["x", "y"], "x", []]),
]  # fmt: skip


@pytest.mark.parametrize(
    "call", CONFIGS, ids=lambda call: f"{call[0]} {str(call[1]).partition(' at 0x')[0][:60]!a}"
)  # the same in every run
def test_a_part_of_a_schema_is_made_the_same(call: tuple[str, dict[str, Any]]) -> None:
    def parts(module: Any) -> object:
        made = getattr(module, call[0])(**call[1])
        if hasattr(made, "model_dump"):
            return {key: value for key, value in made.model_dump().items() if key != "embedding_function"}
        return made.to_dict() if call[0] == "SparseVector" else str(vars(made))

    same(partial(parts, chromadb), partial(parts, chroma), call)


def test_a_schema_s_constants_and_new_parts_are_the_same() -> None:
    theirs, ours = chromadb.Schema(), chroma.Schema()
    assert ours.serialize_to_json() == theirs.serialize_to_json()
    assert [key.name for key in (chroma.K.ID, chroma.K.DOCUMENT, chroma.Key.EMBEDDING, chroma.Key.METADATA, chroma.Key.SCORE)] == [
        key.name for key in (chromadb.K.ID, chromadb.K.DOCUMENT, chromadb.Key.EMBEDDING, chromadb.Key.METADATA, chromadb.Key.SCORE)
    ]
    for name in chroma.api.types.__all__:
        if name.isupper():
            assert getattr(chroma.api.types, name) == getattr(chromadb.api.types, name) or name in ("URI", "ID")
    for kind in ("ValueTypes", "StringValueType", "FtsIndexType", "Schema"):
        own, their = (inspect.signature(getattr(module.api.types, kind)) for module in (chroma, chromadb))
        assert list(own.parameters) == list(their.parameters)


SPARSE: list[Any] = [
    *[{"#type": "sparse_vector", "indices": [1], "values": [2.0]}, {"#type": "sparse_vector", "indices": [2, 1], "values": [1.0, 1.0]}],
    *[{"#type": "sparse_vector"}, {"#type": "x"}, {"indices": [1], "values": [1.0]}, [{"#type": "sparse_vector"}]],
]


@pytest.mark.parametrize("value", [None, *SPARSE], ids=str)
@pytest.mark.parametrize("method", ["add", "update", "upsert", "modify", "get"])
def test_sparse_vectors_are_refused_the_same(pair: Pair, method: str, value: Any) -> None:
    theirs, ours = fresh(pair)

    def act(module: Any, collection: chroma.Collection) -> object:
        metadata = {"x": module.SparseVector([1], [1.0]) if value is None else value, "y": 1}
        match method:
            case "modify":
                return bool_of(partial(collection.modify, metadata=metadata))
            case "get":
                return collection.get(where={"x": metadata["x"]})
            case _:
                return getattr(collection, method)(ids=["a"], embeddings=[[1.0, 2.0]], metadatas=[metadata])

    same(partial(act, chromadb, theirs), partial(act, chroma, ours), (method, value))
    same(partial(state, theirs), partial(state, ours), (method, value))


# what embeds documents


class Letters:
    """A point for each text: its length and its first letter. It fails where the text says so."""

    def __init__(self, dimension: int = 2) -> None:
        self._dimension = dimension

    def __call__(self, input: list[str]) -> list[np.ndarray[tuple[int], np.dtype[np.float32]]]:
        if "fail" in input:
            raise KeyError("no such text")
        given = input[:-1] if "too few" in input else input
        return [np.array([len(text), ord(text[:1] or " "), *[0] * (self._dimension - 2)], np.float32) for text in given]

    def embed_query(self, input: list[str]) -> list[np.ndarray[tuple[int], np.dtype[np.float32]]]:
        return self(input)

    @staticmethod
    def name() -> str:
        return "letters"

    def get_config(self) -> dict[str, object]:
        return {"dimension": self._dimension}

    @staticmethod
    def build_from_config(config: dict[str, int]) -> Letters:
        return Letters(config["dimension"])

    def default_space(self) -> str:
        return "l2"

    def supported_spaces(self) -> list[str]:
        return ["cosine", "l2", "ip"]

    def validate_config_update(self, old: dict[str, object], new: dict[str, object]) -> None:
        pass

    @staticmethod
    def validate_config(config: dict[str, object]) -> None:
        pass

    @staticmethod
    def is_legacy() -> bool:
        return False


def load(uris: list[str | None]) -> object:
    return ["".join([cast(str, uri), "!"]) for uri in uris]  # a None is an error of its own


EMBEDDED: list[Call] = [
    *((name, {"ids": ["a", "n"], "documents": ["new", "text"]}) for name in ("add", "update", "upsert")),
    *((name, {"ids": ["a"], "documents": documents}) for name in ("add", "update", "upsert") for documents in [["fail"], ["too few"], [None], [""], "x"]),
    *((name, {"ids": ["a"], "images": images}) for name in ("add", "update", "upsert") for images in [[np.zeros((2, 2))], ["x"], []]),
    *((name, {"ids": ["n"], "uris": uris}) for name in ("add", "update", "upsert") for uris in [["file:n"], "file:n", ["fail"], []]),
    ("add", {"ids": ["n"], "documents": ["x"], "uris": ["file:n"]}),
    ("add", {"ids": ["n"], "documents": ["x"], "images": [np.zeros((2, 2))]}),
    ("update", {"ids": ["a"], "metadatas": [{"x": 1}]}),
    ("update", {"ids": ["zz"], "documents": ["nobody"]}),
    ("upsert", {"ids": ["a"], "metadatas": [{"x": 1}]}),
    *(("query", {"query_texts": texts}) for texts in ["one", ["one"], ["one", "three"], [], [None], [5], ["fail"], ""]),
    ("query", {"query_images": [np.zeros((2, 2))]}),
    *(("query", {"query_uris": uris}) for uris in ["file:a", ["file:a"], []]),
    ("query", {"query_texts": ["one"], "query_embeddings": [[1.0, 2.0]]}),
    ("get", {"include": ["data"]}),
    ("get", {"include": ["data", "uris"]}),
    ("query", {"query_texts": "one", "include": ["data", "metadatas", "distances"]}),
    ("query", {"query_texts": "one", "include": ["data", "uris", "metadatas", "distances"]}),
    ("peek", {}),
]  # fmt: skip


@pytest.mark.parametrize("loads", [False, True], ids=["no loader", "loader"])
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("call", EMBEDDED, ids=lambda call: f"{call[0]} {str(call[1])[:60]!a}")
def test_what_is_embedded_gives_the_same(pair: Pair, call: Call, dimension: int, loads: bool) -> None:
    name, arguments = call
    made = []
    number = next(NUMBERS)
    for client in pair:
        collection = client.create_collection(
            f"letters-{number}",
            embedding_function=Letters(dimension),
            data_loader=load if loads else None,
        )
        collection.add(ids=["a", "b", "c"], embeddings=[[3.0, 111.0], [3.0, 116.0], [5.0, 116.0]], documents=["one", None, "three"])
        made.append(collection)
    theirs, ours = made
    calls = [partial(getattr(collection, name), **deepcopy(arguments)) for collection in made]  # chromadb adds to a list that it is given
    same(calls[0], calls[1], call)
    same(partial(state, theirs), partial(state, ours), call)


def test_functions_are_written_as_chromadb_writes_its_own(pair: Pair) -> None:
    """They say what they take and give, as in its documentation."""

    def lived(module: Any, client: chroma.ClientAPI) -> object:
        class Lengths(module.EmbeddingFunction[module.Documents]):  # type: ignore[misc]
            def __call__(self, input: Any) -> Any:
                return [np.array([len(text), 1.0], dtype=np.float32) for text in input]

        class Sparse(module.SparseEmbeddingFunction[module.Documents]):  # type: ignore[misc]
            pass

        class Loader(module.api.types.DataLoader[module.api.types.Loadable]):  # type: ignore[misc]
            def __call__(self, uris: Any) -> Any:
                return [None if uri is None else len(uri) for uri in uris]

        made = client.create_collection(f"written-{next(NUMBERS)}", embedding_function=Lengths(), data_loader=Loader())
        made.add(ids=["a", "b"], documents=["one", "three"], uris=["file:a", None])
        return [made.query(query_texts="four", include=["documents", "distances", "data"]), Sparse.__name__]

    same(partial(lived, chromadb, pair.theirs), partial(lived, chroma, pair.ours))


def test_an_embedding_function_of_chromadb_s_is_found_under_our_name_too() -> None:
    from memdb.interfaces.chroma.utils.embedding_functions import OllamaEmbeddingFunction

    assert OllamaEmbeddingFunction is chromadb.utils.embedding_functions.OllamaEmbeddingFunction
    assert not hasattr(chroma.utils.embedding_functions, "NoSuchFunction")


def test_an_embedding_function_that_only_chromadb_knows_is_made_again(pair: Pair) -> None:
    """As a process that did not make the collection finds it."""
    chromadb.utils.embedding_functions.known_embedding_functions["letters"] = Letters
    for client in pair:
        client.create_collection(f"of-letters-{next(NUMBERS)}", embedding_function=Letters()).add(ids=["a"], documents=["one"])
    chroma.utils.embedding_functions.known_embedding_functions.pop("letters")
    found = [client.list_collections()[-1].query(query_texts=["one"])["distances"] for client in pair]
    assert found == [[[0.0]], [[0.0]]]


# tenants and databases

PLACES = st.sampled_from(["alpha", "beta", "ab", "default_tenant", "default_database", "missing", ""])


@st.composite
def admin_calls(draw: st.DrawFn) -> Call:
    name = draw(st.sampled_from(["create_tenant", "get_tenant", "create_database", "get_database", "delete_database", "list_databases"]))
    match name:
        case "create_tenant" | "get_tenant":
            return name, {"name": draw(PLACES)}
        case "list_databases":
            return name, {"tenant": draw(PLACES)}
        case _:
            return name, {"name": draw(PLACES), "tenant": draw(PLACES)}


@given(st.lists(admin_calls(), min_size=3, max_size=15))
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
def test_any_calls_about_tenants_and_databases_give_the_same(pair: Pair, calls: list[Call]) -> None:
    mark = f"-{next(NUMBERS)}"

    def marked(arguments: Mapping[str, object]) -> dict[str, object]:
        return {
            key: value if len(str(value)) < 3 or str(value).startswith("default") else f"{value}{mark}" for key, value in arguments.items()
        }

    admins = [getattr(client, "_admin_client", None) or chroma.AdminClient(client.get_settings()) for client in pair]
    for name, arguments in calls:
        if name == "delete_database" and arguments == {"name": "default_database", "tenant": "default_tenant"}:
            continue  # the other tests are in it
        if (
            name == "create_database"
            and answer(partial(admins[1].get_tenant, str(marked({"name": arguments["tenant"]})["name"])))[0][0] == "error"
        ):
            continue  # see above
        theirs, ours = (partial(told, getattr(admin, name), marked(arguments)) for admin in admins)
        same(theirs, ours, (name, arguments))


def told(act: Callable[..., object], arguments: Mapping[str, object]) -> object:
    """What a call tells, ids left out, and of lists only what these calls made."""
    found = act(**arguments)
    if isinstance(found, list | tuple):
        return (
            sorted(str(getattr(one, "name", None) or one["name"]) for one in found)
            if "alpha" in str(arguments) or "beta" in str(arguments)
            else bool(found)
        )
    return {key: value for key, value in dict(found).items() if key != "id"} if isinstance(found, Mapping) else found is None


# names

THEIR_ERRORS: dict[str, Any] = {
    name: kind for name, kind in vars(chromadb.errors).items() if isinstance(kind, type) and issubclass(kind, Exception)
}


@pytest.mark.parametrize("name", sorted(set(THEIR_ERRORS) - {"ChromaError"}))
def test_every_error_of_chromadb_is_there_with_its_code_and_name(name: str) -> None:
    theirs, own = THEIR_ERRORS[name]("what happened"), getattr(chroma.errors, name)("what happened")
    assert (own.code(), own.name(), own.message()) == (theirs.code(), theirs.name(), theirs.message())
    assert isinstance(own, chroma.errors.ChromaError)
    assert isinstance(own, memdb.MdbError)


def test_errors_are_known_by_the_same_names_over_http() -> None:
    assert {key: kind.__name__ for key, kind in chroma.errors.error_types.items()} == {
        key: kind.__name__ for key, kind in chromadb.errors.error_types.items()
    }


def test_every_name_of_chromadb_is_there_but_for_its_cloud_s() -> None:
    assert {name for name in chromadb.__all__ if not hasattr(chroma, name)} == {"Knn", "Rrf", "Search", "TokenTransportHeader"}
    assert [name for name in chroma.api.types.__all__ if not hasattr(chromadb.api.types, name)] == []
    assert chroma.__version__ == chromadb.__version__
    assert chroma.config.DEFAULT_TENANT == chromadb.config.DEFAULT_TENANT
    assert chroma.utils.embedding_functions.DefaultEmbeddingFunction is chroma.DefaultEmbeddingFunction


@pytest.mark.parametrize(
    "given",
    [{"migrations": "apply"}, {"chroma_memory_limit_bytes": 5}, {"chroma_client_auth_provider": "x"}, {"allow_reset": True}],
    ids=str,
)
def test_settings_take_what_chromadb_s_take(given: dict[str, Any]) -> None:
    theirs, ours = chromadb.config.Settings(**given), chroma.config.Settings(**given)
    for name in given:
        same(partial(getattr, theirs, name), partial(getattr, ours, name))
        same(partial(theirs.__getitem__, name), partial(ours.__getitem__, name))
        same(partial(theirs.require, name), partial(ours.require, name))
    same(partial(theirs.require, "chroma_server_http_port"), partial(ours.require, "chroma_server_http_port"))
    same(partial(theirs.require, "nothing"), partial(ours.require, "nothing"))


@pytest.mark.parametrize("value", ["true", "false", "FALSE", "1", "0", "no", "maybe", "", 0, 1, 2, True, False], ids=repr)
@pytest.mark.parametrize("name", ["allow_reset", "is_persistent"])
def test_a_setting_that_is_told_in_words_is_read_the_same(name: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it is told: "false" allows nothing."""
    told: dict[str, Any] = {name: value}
    denied: dict[str, Any] = {name: False}
    same(lambda: chromadb.config.Settings(**told)[name], lambda: chroma.config.Settings(**told)[name])
    monkeypatch.setenv(name.upper(), str(value))
    same(lambda: chromadb.config.Settings()[name], lambda: chroma.config.Settings()[name])
    same(lambda: chromadb.config.Settings(**denied)[name], lambda: chroma.config.Settings(**denied)[name])


@pytest.mark.parametrize("kind", ["Collection", "ClientAPI", "AdminClient"])
def test_methods_have_chromadb_s_signatures(kind: str) -> None:
    theirs = {"Collection": chromadb.Collection, "ClientAPI": chromadb.api.client.Client, "AdminClient": chromadb.api.client.AdminClient}[
        kind
    ]
    skipped = {"from_system", "get_chroma_cloud_api_key_from_clients", "clear_system_cache"}  # of chromadb's own parts, and its cloud's
    public = [name for name in dir(theirs) if not name.startswith("_") and callable(getattr(theirs, name)) and name not in skipped]
    assert public
    for name in public:
        parameters, own = (inspect.signature(getattr(owner, name)).parameters for owner in (theirs, getattr(chroma, kind)))
        assert list(own) == list(parameters), name
        assert {key: one.kind for key, one in own.items()} == {key: one.kind for key, one in parameters.items()}, name
        assert {key: plain_default(one) for key, one in own.items()} == {key: plain_default(one) for key, one in parameters.items()}, name


def plain_default(parameter: inspect.Parameter) -> object:
    return parameter.default if isinstance(parameter.default, str | int | list | None) else "an object"
