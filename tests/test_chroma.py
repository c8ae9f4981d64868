"""The client interface of chromadb on a mem.db: what an application written for Chroma relies on."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import sqlite3
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import apsw
import numpy as np
import paula
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memdb
import memdb.interfaces.chroma as chroma
from memdb import files
from memdb.collection_types import Metadata
from memdb.driver import APPLICATION_ID
from memdb.embed import HashingEmbedder
from memdb.interfaces.chroma.configuration import CreateConfiguration
from memdb.interfaces.chroma.types import Embeddings, Include, Where, WhereDocument
from memdb.nearest import Space

RECORD_TABLES = ("collection_records", "collection_vectors", "collection_metadata")
ALL: Include = ["embeddings", "documents", "metadatas", "uris"]


@chroma.register_embedding_function
class Hashing(chroma.EmbeddingFunction[chroma.Documents]):
    """memdb's hashing embedder by chromadb's protocol; questions are embedded backwards, to be told apart."""

    def __init__(self, dimension: int = 32) -> None:
        self.embedder = HashingEmbedder(dimension)

    def __call__(self, input: list[str]) -> Embeddings:
        return self.embedder.embed(input)

    @staticmethod
    def name() -> str:
        return "hashing"

    def get_config(self) -> dict[str, object]:
        return {"dimension": self.embedder.dimension}

    @classmethod
    def build_from_config(cls, config: dict[str, object]) -> Hashing:
        return cls(int(str(config["dimension"])))

    def default_space(self) -> Space:
        return "cosine"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[chroma.ClientAPI]:
    with chroma.PersistentClient(tmp_path / "mem.db", chroma.Settings(allow_reset=True)) as client:
        yield client


@pytest.fixture
def points(client: chroma.ClientAPI) -> chroma.Collection:
    """Five points on a line, with metadata of every type and documents."""
    collection = client.create_collection("points", embedding_function=None)
    collection.add(
        ids=list("abcde"),
        embeddings=[[float(place), 0.0] for place in range(5)],
        metadatas=[{"n": 1, "t": "x"}, {"n": 2.5, "t": "y"}, {"n": True}, {"n": [1, 2]}, None],
        documents=["a cat", "a Cat", "50%_off", "", None],
    )
    return collection


def ids(collection: chroma.Collection, where: Where | None = None, where_document: WhereDocument | None = None) -> str:
    return "".join(collection.get(where=where, where_document=where_document, include=[])["ids"])


# clients and collections


def test_collections_live_in_the_same_file_as_the_memory(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        mem.remember("Ana lives in Lisbon.", user_id="ana")
        with chroma.PersistentClient(tmp_path / "mem.db") as client:
            client.create_collection("notes")
        assert [fact.value_text for fact in mem.facts("ana")] == ["Ana lives in Lisbon."]
    assert [path.name for path in tmp_path.iterdir()] == ["mem.db"]


def test_a_folder_of_chromadb_s_own_collections_is_told_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "chroma.sqlite3").touch()
    for _ in range(2):
        with chroma.PersistentClient(tmp_path) as client:
            assert client.list_collections() == []
    (told,) = caplog.messages
    assert told.startswith(f"{tmp_path} has collections of chromadb itself, which are not read")


def test_a_folder_holds_a_file_of_its_own(tmp_path: Path) -> None:
    with chroma.PersistentClient(str(tmp_path / "chroma")) as client:
        client.create_collection("notes")
    assert (tmp_path / "chroma" / "mem.db").is_file()


def test_what_was_written_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    with chroma.PersistentClient(tmp_path / "mem.db") as client:
        client.create_collection("notes", metadata={"hnsw:space": "ip", "x": 1.5}).add(ids="a", embeddings=[1, 2], documents="hello")
    with chroma.PersistentClient(tmp_path / "mem.db") as client:
        notes = client.get_collection("notes")
        assert notes.metadata == {"hnsw:space": "ip", "x": 1.5}
        assert notes.configuration_json["hnsw"]["space"] == "ip"
        assert notes.query(query_embeddings=[3, 4])["distances"] == [[-10.0]]


def test_ephemeral_clients_see_the_same_until_the_last_one_closes() -> None:
    first, second = chroma.EphemeralClient(), chroma.Client()
    made = first.create_collection("notes")
    assert second.get_collection("notes") == made
    first.close()
    second.close()
    with chroma.EphemeralClient() as third:
        assert third.list_collections() == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("persistent", [True, False], ids=["a file", "a temporary one"])
def test_a_forked_process_opens_clients_of_its_own_and_leaves_those_of_the_other_alone(tmp_path: Path, persistent: bool) -> None:
    code = f"""
import os, sys
import memdb.interfaces.chroma as chroma
open = lambda: chroma.PersistentClient(sys.argv[1]) if {persistent} else chroma.EphemeralClient()
client = open()
points = client.create_collection("points", embedding_function=None)
points.add(["a"], embeddings=[[1.0, 2.0]])
if pid := os.fork():
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    points.add(["b"], embeddings=[[2.0, 1.0]])
    print(points.count())
else:
    own = open().get_or_create_collection("points", embedding_function=None)
    own.add(["c"], embeddings=[[2.0, 2.0]])
    client.close()
    print(own.count())
"""
    command = [sys.executable, "-c", code, str(tmp_path / "mem.db")]
    told = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, text=True, timeout=60)
    assert (told.stdout.split(), told.stderr) == (["2", "3"] if persistent else ["1", "2"], "")


def test_closing_twice_does_no_harm_and_a_closed_client_says_so(tmp_path: Path) -> None:
    client = chroma.PersistentClient(tmp_path)
    client.close()
    client.close()
    with pytest.raises(chroma.errors.InternalError, match=r"is closed"):
        client.count_collections()


@pytest.mark.parametrize("name", ["ab", "a b", "-abc", "abc-", "a..b", "192.168.1.1", "a" * 513, "é12", ""])
def test_a_bad_name_is_refused(client: chroma.ClientAPI, name: str) -> None:
    with pytest.raises(chroma.errors.InvalidArgumentError, match="Validation error: name: Expected a name"):
        client.create_collection(name)
    assert client.count_collections() == 0


def test_a_name_is_taken_once(client: chroma.ClientAPI) -> None:
    first = client.create_collection("notes", metadata={"x": 1})
    with pytest.raises(chroma.errors.InternalError, match=r"Collection \[notes\] already exists"):
        client.create_collection("notes")
    again = client.get_or_create_collection("notes", metadata={"x": 2})
    assert again.id == first.id
    assert again.metadata == {"x": 1}


def test_collections_are_listed_in_pages_in_the_order_they_were_made(client: chroma.ClientAPI) -> None:
    for name in ("one", "two", "three", "four"):
        client.create_collection(name)
    assert [collection.name for collection in client.list_collections(limit=2, offset=1)] == ["two", "three"]
    assert client.count_collections() == 4


def test_a_missing_collection_is_not_found(client: chroma.ClientAPI, points: chroma.Collection) -> None:
    client.delete_collection("points")
    with pytest.raises(chroma.errors.NotFoundError, match=r"Collection \[points\] does not exist"):
        client.get_collection("points")
    with pytest.raises(memdb.NotFoundError):
        client.get_collection_by_id(uuid.uuid4())
    for act in (points.count, points.get, points.peek, lambda: points.query(query_embeddings=[1, 2]), lambda: points.delete(ids="a")):
        with pytest.raises(chroma.errors.NotFoundError, match=r"Collection .* does not exist"):
            act()


def test_a_deleted_collection_leaves_no_rows(client: chroma.ClientAPI, points: chroma.Collection, tmp_path: Path) -> None:
    client.delete_collection(points.name)
    shell = sqlite3.connect(tmp_path / "mem.db")
    counts = [shell.execute(f"select count(*) from {table}").fetchone() for table in RECORD_TABLES]
    shell.close()
    assert counts == [(0,), (0,), (0,)]


@pytest.mark.parametrize("configuration", [{}, {"hnsw": {}}, {"hnsw": {"space": "l2"}}, {"hnsw": {"space": None}}])
def test_the_distance_in_the_metadata_counts_where_the_configuration_says_nothing_else(
    client: chroma.ClientAPI, configuration: CreateConfiguration
) -> None:
    made = client.create_collection("points", metadata={"hnsw:space": "ip"}, configuration=configuration, embedding_function=None)
    assert made.configuration_json["hnsw"]["space"] == "ip"


def test_modify_renames_and_replaces_the_metadata(client: chroma.ClientAPI, points: chroma.Collection) -> None:
    points.modify(name="dots", metadata={"y": "z"}, configuration={"hnsw": {"ef_search": 7}})
    found = client.get_collection("dots", embedding_function=None)
    assert found == points
    assert (found.name, found.metadata, found.configuration_json["hnsw"]["ef_search"]) == ("dots", {"y": "z"}, 7)
    with pytest.raises(ValueError, match="not supported"):
        points.modify(metadata={"hnsw:space": "l2"})


def test_metadata_of_which_nothing_is_left_is_none(client: chroma.ClientAPI, points: chroma.Collection) -> None:
    points.modify(metadata={"y": None})
    assert points.metadata == {"y": None}  # the handle shows what it was given, as in chromadb
    assert client.get_collection(points.name, embedding_function=None).metadata is None


def test_a_collection_s_metadata_holds_no_empty_list(client: chroma.ClientAPI) -> None:
    with pytest.raises(ValueError, match=r"^Empty lists are not allowed as metadata values$"):
        client.create_collection("lists", metadata={"a": []})  # type: ignore[dict-item]


def test_databases_keep_collections_apart(client: chroma.ClientAPI) -> None:
    settings = client.get_settings()
    with chroma.AdminClient(settings) as admin:
        admin.create_tenant("acme")
        admin.create_database("sales", tenant="acme")
        assert [database["name"] for database in admin.list_databases(tenant="acme")] == ["sales"]
        client.create_collection("notes")
        client.set_tenant("acme", "sales")
        assert client.count_collections() == 0
        client.create_collection("notes")
        admin.delete_database("sales", tenant="acme")
    with pytest.raises(chroma.errors.NotFoundError, match=r"Database \[sales\] not found"):
        client.set_tenant("acme", "sales")


PLACES = [(tenant, database) for tenant in ("default_tenant", "acme") for database in ("default_database", "sales")]
TOUCHED = ("acme", "sales", "notes")


@pytest.fixture
def full(client: chroma.ClientAPI) -> chroma.ClientAPI:
    """A file with two collections in each of four databases, all of the same names and ids; the client is of the last one."""
    with chroma.AdminClient(client.get_settings()) as admin:
        admin.create_tenant("acme")
        for tenant, database in PLACES[1:]:
            admin.create_database(database, tenant=tenant)
    for place, (tenant, database) in enumerate(PLACES):
        client.set_tenant(tenant, database)
        for name in ("drafts", "notes"):
            said = [*(f"{tenant} {database} {name} {one}" for one in ("tea", "rum")), "the same"]
            vectors, told = [[float(place), float(other)] for other in range(3)], [{"t": "x", "said": text} for text in said]
            client.create_collection(name, metadata={"of": said[0]}, embedding_function=None).add(
                ids=["a", "b", "c"], documents=said, embeddings=vectors, metadatas=cast("list[Metadata]", told), uris=[*said]
            )
    return client


def collections_of(client: chroma.ClientAPI) -> dict[tuple[str, str, str], tuple[object, ...]]:
    """What is told of every collection of a file, however it is asked."""
    told: dict[tuple[str, str, str], tuple[object, ...]] = {}
    for tenant, database in PLACES:
        with suppress(chroma.errors.NotFoundError):
            client.set_tenant(tenant, database)
            for one in client.list_collections():
                texts = [
                    one.get(where=where, where_document=containing)["documents"]
                    for where, containing in cast(
                        "list[tuple[Where | None, WhereDocument | None]]",
                        [
                            ({"t": {"$ne": "y"}}, None),
                            (None, {"$contains": "tea"}),
                            (None, {"$not_contains": "tea"}),
                            (None, {"$regex": "r.m"}),
                            ({"chroma:document": "the same"}, None),
                            ({"chroma:uri": "the same"}, None),
                        ],
                    )
                ]
                near = one.query(query_embeddings=[[0.0, 0.0]], n_results=9)
                kept = one.get(include=["documents", "metadatas", "uris"])
                told[tenant, database, one.name] = (one.id, one.metadata, one.count(), client.count_collections(), kept, texts, near)
    return told


ACTS: dict[str, Callable[[chroma.ClientAPI, chroma.Collection], object]] = {
    "drop": lambda client, notes: client.delete_collection("notes"),
    "rename": lambda client, notes: notes.modify(name="told", metadata={"of": "nothing"}),
    "add": lambda client, notes: notes.add(ids=["d"], documents=["tea"], embeddings=[[9.0, 9.0]], metadatas=[{"new": 1}]),
    "update": lambda client, notes: notes.update(ids=["a"], documents=["rum"], embeddings=[[9.0, 9.0]], metadatas=[{"t": "y"}]),
    "upsert": lambda client, notes: notes.upsert(ids=["a"], documents=["rum"], embeddings=[[9.0, 9.0]], metadatas=[{"t": "y"}]),
    "name a source": lambda client, notes: notes.update(ids=["a"], metadatas=[{"chroma:uri": 1}]),
    "delete by id": lambda client, notes: notes.delete(ids=["a"]),
    "delete by metadata": lambda client, notes: notes.delete(where={"t": {"$ne": "y"}}),
    "delete by document": lambda client, notes: notes.delete(where_document={"$contains": "tea"}),
}


@pytest.mark.parametrize("act", ACTS)
def test_what_is_done_to_one_collection_leaves_all_others_as_they_were(full: chroma.ClientAPI, act: str) -> None:
    before = collections_of(full)
    ACTS[act](full, full.get_collection("notes", embedding_function=None))
    after = collections_of(full)
    assert before.pop(TOUCHED) != after.pop(TOUCHED, None)
    if act in ("drop", "rename"):  # what it stood beside is told how many there are, or has a new neighbour
        before = {name: told[:3] + told[4:] for name, told in before.items()}
        after = {name: told[:3] + told[4:] for name, told in after.items() if name[2] != "told"}
    assert after == before


def test_a_collection_tells_of_its_own_records_alone(full: chroma.ClientAPI) -> None:
    for (tenant, database, name), (_, _, count, collections, _, texts, near) in collections_of(full).items():
        own = [*(f"{tenant} {database} {name} {one}" for one in ("tea", "rum")), "the same"]
        assert (count, collections, texts) == (3, 2, [own, own[:1], own[1:], own[1:2], own[2:], own[2:]])
        assert cast("chroma.QueryResult", near)["documents"] == [own]


def test_a_database_is_deleted_with_its_own_collections_alone(full: chroma.ClientAPI) -> None:
    before = collections_of(full)
    with chroma.AdminClient(full.get_settings()) as admin:
        admin.delete_database("sales", tenant="acme")
    assert collections_of(full) == {name: told for name, told in before.items() if name[:2] != ("acme", "sales")}


def test_a_collection_keeps_its_metadata_under_another_name(full: chroma.ClientAPI) -> None:
    notes = full.get_collection("notes", embedding_function=None)
    notes.modify(name="told")
    assert full.get_collection("told", embedding_function=None).metadata == notes.metadata == {"of": "acme sales notes tea"}


def test_a_database_of_no_tenant_is_not_made(full: chroma.ClientAPI) -> None:
    with chroma.AdminClient(full.get_settings()) as admin, pytest.raises(chroma.errors.NotFoundError, match=r"Tenant \[nobody\] not found"):
        admin.create_database("sales", tenant="nobody")


def test_the_first_vectors_fix_the_dimension_of_their_own_collection_alone(client: chroma.ClientAPI) -> None:
    one, other = (client.create_collection(name, embedding_function=None) for name in ("one", "other"))
    one.add(ids=["a"], embeddings=[[0.0, 1.0]])
    other.add(ids=["a"], embeddings=[[0.0, 1.0, 2.0]])
    assert (one.count(), other.count()) == (1, 1)


def test_after_a_reset_the_default_database_is_there_alone(full: chroma.ClientAPI) -> None:
    full.set_tenant("default_tenant", "default_database")
    full.reset()
    assert full.list_collections() == []
    assert full.create_collection("notes", embedding_function=None).count() == 0
    with chroma.AdminClient(full.get_settings()) as admin:
        assert [database["name"] for database in admin.list_databases()] == ["default_database"]
        with pytest.raises(chroma.errors.NotFoundError):
            admin.get_tenant("acme")


def test_an_admin_client_opens_the_file_that_a_client_of_that_folder_does(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with chroma.AdminClient(chroma.Settings(is_persistent=True, persist_directory=str(folder))) as admin:
        admin.create_database("sales")
    assert (folder / "mem.db").is_file()
    with chroma.PersistentClient(folder, database="sales") as client, chroma.AdminClient(client.get_settings()) as admin:
        assert [database["name"] for database in admin.list_databases()] == ["default_database", "sales"]


def test_reset_is_not_allowed_by_a_setting_that_says_false(tmp_path: Path) -> None:
    settings = chroma.Settings(allow_reset="false")  # type: ignore[arg-type]
    with chroma.PersistentClient(tmp_path, settings) as client, pytest.raises(chroma.errors.AuthorizationError, match="Reset is disabled"):
        client.reset()


@pytest.mark.parametrize(
    "told",
    [
        {"chroma_db_impl": "duckdb+parquet", "persist_directory": "somewhere"},
        {"chroma_api_impl": "rest", "chroma_server_host": "localhost"},
        {"chroma_api_impl": "chromadb.api.fastapi.FastAPI", "chroma_server_host": "localhost"},
    ],
    ids=lambda told: next(iter(told.values())),
)
def test_what_is_to_be_kept_elsewhere_is_not_lost_with_an_ephemeral_client(told: dict[str, Any]) -> None:
    with pytest.raises(memdb.InputError, match=re.escape("PersistentClient(path)")):
        chroma.Client(chroma.Settings(**told))


def test_an_embedding_function_that_there_is_none_of_is_told_with_what_brings_more() -> None:
    with pytest.raises(AttributeError, match=r"has no 'NoSuchFunction'; .* need chromadb: pip install chromadb"):
        _ = chroma.utils.embedding_functions.NoSuchFunction


def test_only_a_setting_that_has_a_value_can_be_required() -> None:
    settings = chroma.Settings(persist_directory="folder")
    assert settings.require("persist_directory") == "folder"
    with pytest.raises(ValueError, match="Missing required config value 'chroma_server_host'"):
        settings.require("chroma_server_host")


def test_a_client_of_no_settings_heeds_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"IS_PERSISTENT": "TRUE", "PERSIST_DIRECTORY": str(tmp_path / "told"), "ALLOW_RESET": "1"}.items():
        monkeypatch.setenv(name, value)
    with chroma.Client() as client:
        assert client.reset()
    assert (tmp_path / "told" / "mem.db").exists()


def test_reset_deletes_collections_but_no_facts(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem, chroma.PersistentClient(tmp_path / "mem.db") as client:
        mem.remember("Ana lives in Lisbon.", user_id="ana")
        client.create_collection("notes")
        with pytest.raises(chroma.errors.AuthorizationError, match="Reset is disabled"):
            client.reset()
        client.get_settings().allow_reset = True
        assert client.reset()
        assert client.list_collections() == []
        assert len(mem.facts("ana")) == 1


@pytest.mark.parametrize(
    ("space", "distances"),
    [
        ("l2", {"same": 0, "none": 25, "across": 50}),
        ("cosine", {"same": 0, "none": 1, "across": 1}),
        ("ip", {"same": -24, "none": 1, "across": 1}),
    ],
)
def test_distances_are_chromas(client: chroma.ClientAPI, space: str, distances: dict[str, float]) -> None:
    collection = client.create_collection("points", metadata={"hnsw:space": space}, embedding_function=None)
    collection.add(ids=["same", "none", "across"], embeddings=[[3, 4], [0, 0], [4, -3]])
    result = collection.query(query_embeddings=[3, 4])
    [found] = result["distances"] or [[]]
    assert dict(zip(result["ids"][0], found, strict=True)) == pytest.approx(distances)
    assert found == sorted(found)


@pytest.mark.parametrize(
    "configuration", [{"space": "euclid"}, {"ef_search": "x"}, {"ef_search": -1}, {"sharpness": 1}, {"resize_factor": float("nan")}]
)
def test_a_setting_that_cannot_be_is_refused(client: chroma.ClientAPI, configuration: dict[str, object]) -> None:
    with pytest.raises(chroma.errors.InvalidArgumentError):
        client.create_collection("points", configuration={"hnsw": configuration})
    assert client.count_collections() == 0


# writing


def test_adding_what_is_there_changes_nothing(points: chroma.Collection) -> None:
    points.add(ids=["a", "z"], embeddings=[[9, 9], [8, 8]], metadatas=[{"n": 9}, {"n": 8}])
    got = points.get(ids=["a", "z"], include=ALL)
    assert got["metadatas"] == [{"n": 1, "t": "x"}, {"n": 8}]
    assert np.array_equal(np.array(got["embeddings"]), [[0, 0], [8, 8]])


def test_update_passes_over_what_is_not_there(points: chroma.Collection) -> None:
    points.update(ids=["z", "a"], embeddings=[[7, 7], [6, 6]])
    assert points.count() == 5
    assert np.array_equal(np.array(points.get("a", include=["embeddings"])["embeddings"]), [[6, 6]])


def test_metadata_is_merged_and_none_takes_a_key_away(points: chroma.Collection) -> None:
    points.update(ids="a", metadatas={"n": None, "new": [True, False]})
    points.upsert(ids=["a", "d"], embeddings=[[0, 0], [3, 0]], metadatas=[None, {"n": 5}])
    assert points.get(ids=["a", "d"])["metadatas"] == [{"t": "x", "new": [True, False]}, {"n": 5}]
    assert points.get(ids=["a", "d"])["documents"] == ["a cat", ""]


def test_a_uri_that_is_set_to_none_in_the_metadata_is_taken_away(points: chroma.Collection) -> None:
    points.update("a", uris="file:a")
    points.update("a", metadatas={"chroma:uri": None})
    assert points.get("a", include=["uris"])["uris"] == [None]


def test_a_record_without_metadata_has_none(points: chroma.Collection) -> None:
    points.update(ids="a", metadatas={"n": None, "t": None})
    assert points.get(ids=["a", "e"])["metadatas"] == [None, None]


def test_metadata_comes_back_with_its_types(client: chroma.ClientAPI) -> None:
    collection = client.create_collection("types", embedding_function=None)
    metadata: Metadata = {"i": 2**63 - 1, "f": 0.1, "whole": 3.0, "b": False, "t": "ä\0'", "l": ["x", "x"], "fl": [1.0, 2.5], "bl": [True]}
    collection.add(ids="a", embeddings=[1], metadatas=metadata)
    (found,) = collection.get()["metadatas"] or [None]
    assert found == metadata
    assert {key: type(value) for key, value in (found or {}).items()} == {key: type(value) for key, value in metadata.items()}


def test_the_first_vectors_fix_the_dimension(client: chroma.ClientAPI) -> None:
    collection = client.create_collection("points", embedding_function=None)
    assert collection.query(query_embeddings=[1, 2, 3])["ids"] == [[]]
    collection.add(ids="a", embeddings=[1, 2])
    for act in (collection.add, collection.update, collection.upsert):
        with pytest.raises(chroma.errors.InvalidArgumentError, match="Collection expecting embedding with dimension of 2, got 3"):
            act(ids="b", embeddings=[1, 2, 3])
    with pytest.raises(chroma.errors.InvalidArgumentError, match="dimension"):
        collection.query(query_embeddings=[1, 2, 3])
    assert collection.count() == 1


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"ids": []}, ValueError, r"Non-empty lists are required for \['ids'\] in add\."),
        ({"ids": [1]}, ValueError, "Expected ID to be a str, got 1 in add"),
        ({"ids": [""]}, chroma.errors.InvalidArgumentError, "Empty ID"),
        ({"ids": ["x", "x"], "embeddings": [[1, 2], [1, 2]]}, chroma.errors.DuplicateIDError, "found duplicates of: x in add"),
        ({"embeddings": [[1, 2], [3, 4]]}, ValueError, "Unequal lengths for fields: ids: 1, embeddings: 2"),
        ({"embeddings": None}, ValueError, "Exactly one of images, documents, uris must be provided"),
        ({"embeddings": []}, ValueError, "Expected Embeddings to be non-empty"),
        ({"embeddings": [["x"]]}, ValueError, "Expected embeddings to be"),
        ({"embeddings": [[True]]}, ValueError, "Expected embeddings to be"),
        ({"embeddings": [[float("nan"), 1]]}, chroma.errors.InvalidArgumentError, "NaN or Infinity"),
        ({"embeddings": [[1e300, 1]]}, chroma.errors.InvalidArgumentError, "NaN or Infinity"),
        ({"ids": ["x", "y"], "embeddings": [[1, 2], [1, 2, 3]]}, chroma.errors.InvalidArgumentError, "Inconsistent dimensions"),
        ({"documents": [5]}, ValueError, "Expected document to be a str, got 5"),
        ({"documents": ["\ud800"]}, UnicodeEncodeError, "surrogates"),
        ({"metadatas": [{}]}, ValueError, "non-empty dict"),
        ({"metadatas": "x"}, AttributeError, r"'str' object has no attribute 'items' in add\."),
        ({"metadatas": [5]}, AttributeError, r"'int' object has no attribute 'items' in add\."),
        ({"metadatas": [{1: 1}]}, TypeError, "Expected metadata key to be a str"),
        ({"metadatas": [{"a": {"b": 1}}]}, ValueError, "Expected metadata value"),
        ({"metadatas": [{"a": []}]}, ValueError, "non-empty"),
        ({"metadatas": [{"a": [1, "x"]}]}, ValueError, "same type"),
        ({"metadatas": [{"a": [1.0, float("inf")]}]}, chroma.errors.InvalidArgumentError, "Invalid metadata at index 0"),
        ({"metadatas": [{"$a": 1}]}, chroma.errors.InvalidArgumentError, "Invalid metadata at index 0"),
        ({"metadatas": [{"a": None}]}, TypeError, "None"),
        ({"metadatas": [{"chroma:document": "x"}]}, ValueError, "reserved key"),
        ({"uris": [5]}, TypeError, "int"),
    ],
)
def test_a_bad_record_is_refused_and_nothing_is_written(
    points: chroma.Collection, arguments: dict[str, object], error: type[Exception], words: str
) -> None:
    before = points.get(include=["documents", "metadatas"])
    with pytest.raises(error, match=words):
        points.add(**({"ids": ["x"], "embeddings": [[1, 2]]} | arguments))  # type: ignore[arg-type]
    assert points.get(include=["documents", "metadatas"]) == before


def test_more_records_than_the_maximum_are_refused_at_once(client: chroma.ClientAPI) -> None:
    collection, most = client.create_collection("big", embedding_function=None), client.get_max_batch_size()
    with pytest.raises(chroma.errors.BatchSizeExceededError, match=f"greater than max batch size of {most}"):
        collection.add(ids=[str(n) for n in range(most + 1)], embeddings=np.zeros((most + 1, 2)))
    collection.add(ids=[str(n) for n in range(most)], embeddings=np.zeros((most, 2)))
    assert collection.count() == most


def test_delete_tells_how_many_records_went(points: chroma.Collection) -> None:
    assert points.delete(ids=["a", "zz"]) == {"deleted": 1}
    assert points.delete(where={"n": "no such"}) == {"deleted": 0}
    assert points.delete(where={"t": {"$ne": "x"}}, limit=2) == {"deleted": 2}
    assert ids(points) == "de"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [({}, ValueError), ({"ids": []}, ValueError), ({"ids": "a", "limit": 1}, ValueError), ({"where": {"n": 1}, "limit": "1"}, TypeError)],
)
def test_a_deletion_of_nothing_in_particular_is_refused(
    points: chroma.Collection, arguments: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error, match=r"limit|At least one|non-empty"):
        points.delete(**arguments)  # type: ignore[arg-type]
    assert points.count() == 5


# reading


def test_get_gives_columns_in_the_order_of_adding(points: chroma.Collection) -> None:
    points.delete(ids="a")
    points.add(ids="a", embeddings=[5, 5])
    got = points.get(ids=["a", "c", "b"])
    assert got["ids"] == ["b", "c", "a"]
    assert got["documents"] == ["a Cat", "50%_off", None]
    assert (got["embeddings"], got["uris"], got["data"], got["included"]) == (None, None, None, ["metadatas", "documents"])


def test_get_gives_pages(points: chroma.Collection) -> None:
    assert points.get(limit=2, offset=1, include=[])["ids"] == ["b", "c"]
    assert points.get(where={"n": {"$ne": 1}}, limit=2, offset=1, include=[])["ids"] == ["c", "d"]
    assert points.peek(1)["ids"] == ["a"]
    assert points.get(limit=0)["ids"] == []
    with pytest.raises(OverflowError):
        points.get(limit=-1)


def test_embeddings_are_an_array_of_two_dimensions(points: chroma.Collection) -> None:
    embeddings = points.get(ids=["b", "c"], include=["embeddings"])["embeddings"]
    assert isinstance(embeddings, np.ndarray)
    assert embeddings.shape == (2, 2)
    assert embeddings.dtype == np.float64


@pytest.mark.parametrize("include", [None, "documents", ["distances"], ["everything"], [5]])
def test_a_bad_include_is_refused(points: chroma.Collection, include: object) -> None:
    with pytest.raises(ValueError, match=r"[Ii]nclude"):
        points.get(include=include)  # type: ignore[arg-type]


def test_query_gives_one_list_a_question_nearest_first(points: chroma.Collection) -> None:
    result = points.query(query_embeddings=[[0.1, 0.0], [9.0, 0.0]], n_results=2)
    assert result["ids"] == [["a", "b"], ["e", "d"]]
    assert np.array(result["distances"]) == pytest.approx(np.array([[0.01, 0.81], [25, 36]]))
    assert result["documents"] == [["a cat", "a Cat"], [None, ""]]
    assert result["embeddings"] is None


def test_query_looks_only_at_what_fits(points: chroma.Collection) -> None:
    result = points.query(query_embeddings=[0, 0], where={"n": {"$ne": 1}}, where_document={"$contains": "a"}, n_results=9)
    assert result["ids"] == [["b"]]
    assert points.query(query_embeddings=[0, 0], ids=["d", "c"])["ids"] == [["c", "d"]]
    assert points.query(query_embeddings=[0, 0], ids=["d", "zz"], where={"n": {"$ne": 7}})["ids"] == [["d"]]
    with pytest.raises(chroma.errors.InternalError, match="Error finding id"):
        points.query(query_embeddings=[0, 0], ids=["d", "zz"])
    assert points.query(query_embeddings=[[0, 0]], where={"n": "none"}, include=["embeddings"])["ids"] == [[]]


def test_of_equally_near_records_the_older_come_first(client: chroma.ClientAPI) -> None:
    collection = client.create_collection("ties", embedding_function=None)
    collection.add(ids=[f"i{place}" for place in range(9)], embeddings=[[1, 1]] * 9)
    assert collection.query(query_embeddings=[1, 1], n_results=4)["ids"] == [["i0", "i1", "i2", "i3"]]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, ValueError, "At least one of"),
        ({"query_texts": ["x"], "query_uris": ["y"]}, ValueError, "Exactly one of"),
        ({"query_texts": ["x"]}, ValueError, "embedding function"),
        ({"query_uris": ["x"]}, ValueError, "data loader"),
        ({"query_embeddings": [1, 2], "n_results": 0}, TypeError, "cannot be negative, or zero"),
        ({"query_embeddings": [1, 2], "n_results": 1.5}, ValueError, "to be a int"),
        ({"query_embeddings": [1, 2], "ids": [5]}, TypeError, "int"),
        ({"query_embeddings": [[1, 2], [1]]}, ValueError, "Inconsistent dimensions"),
    ],
)
def test_a_bad_question_is_refused(points: chroma.Collection, arguments: dict[str, object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        points.query(**arguments)  # type: ignore[arg-type]


def test_changes_are_seen_by_the_next_query(points: chroma.Collection) -> None:
    assert points.query(query_embeddings=[0, 0], n_results=1)["ids"] == [["a"]]
    points.update(ids="e", embeddings=[0.0, 0.0])
    points.delete(ids="a")
    points.add(ids="z", embeddings=[0.5, 0])
    assert points.query(query_embeddings=[0, 0], n_results=3)["ids"] == [["e", "z", "b"]]


# filters


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ({"n": 1}, "a"),
        ({"n": 1.0}, "a"),
        ({"n": True}, "c"),
        ({"n": {"$ne": 1}}, "bcde"),
        ({"n": {"$gt": 1}}, "b"),
        ({"n": {"$gte": 1}}, "ab"),
        ({"n": {"$lt": 2.5}}, "a"),
        ({"n": {"$lte": 2.5}}, "ab"),
        ({"n": {"$in": [1, 7]}}, "a"),
        ({"n": {"$nin": [2.5]}}, "acde"),
        ({"n": {"$contains": 1}}, "d"),
        ({"n": {"$contains": 1.0}}, ""),
        ({"n": {"$not_contains": 2}}, "abce"),
        ({"none": 1}, ""),
        ({"none": {"$ne": 1}}, "abcde"),
        ({"t": "x' or 1=1 --"}, ""),
        ({"$and": [{"n": {"$gte": 1}}, {"t": {"$ne": "x"}}]}, "b"),
        ({"$or": [{"t": "x"}, {"$and": [{"n": {"$contains": 2}}, {"none": {"$nin": ["q"]}}]}]}, "ad"),
        ({"#document": {"$contains": "cat"}}, "a"),
        ({"#document": 5}, ""),
        ({"#document": {"$nin": [5]}}, "abcde"),
    ],
)
def test_filters_on_metadata(points: chroma.Collection, where: Where, found: str) -> None:
    assert ids(points, where) == found


@pytest.mark.parametrize(
    ("where_document", "found"),
    [
        ({"$contains": "cat"}, "a"),
        ({"$not_contains": "cat"}, "bcde"),
        ({"$contains": "%_"}, "c"),
        ({"$regex": "(?i)c(?-i)at"}, "ab"),
        ({"$not_regex": "^a"}, "cde"),
        ({"$regex": "^$"}, "d"),
        ({"$and": [{"$contains": "a"}, {"$or": [{"$contains": "Cat"}, {"$regex": r"\d"}]}]}, "b"),
    ],
)
def test_filters_on_documents(points: chroma.Collection, where_document: WhereDocument, found: str) -> None:
    assert ids(points, None, where_document) == found


@pytest.mark.parametrize(
    "where",
    [
        {},
        [],
        {"a": 1, "b": 2},
        {"n": None},
        {"n": [1]},
        {"n": {"$like": 1}},
        {"n": {"$gt": "x"}},
        {"n": {"$gt": True}},
        {"n": {"$gt": float("nan")}},
        {"n": {"$in": []}},
        {"n": {"$in": [1, "x"]}},
        {"n": {"$in": [1, True]}},
        {"$and": [{"n": 1}]},
        {"$not": 1},
        {"$contains": "x"},
    ],
)
def test_a_bad_filter_is_refused(points: chroma.Collection, where: Where) -> None:
    with pytest.raises(ValueError, match=r"where|Expected"):
        points.get(where=where)


@pytest.mark.parametrize(
    "where_document", [{}, {"$contains": ""}, {"$contains": 1}, {"$or": [{"$contains": "x"}]}, {"$regex": "("}, {"$regex": "(?=a)"}]
)
def test_a_bad_filter_of_documents_is_refused(points: chroma.Collection, where_document: WhereDocument) -> None:
    with pytest.raises(ValueError, match=r"Expected|Regex"):
        points.get(where_document=where_document)


@pytest.mark.parametrize("operator", ["$contains", "$not_contains", "$regex", "$not_regex"])
def test_a_filter_of_documents_that_is_no_text_is_refused(points: chroma.Collection, operator: str) -> None:
    with pytest.raises(chroma.errors.InvalidArgumentError, match="Invalid where document clause"):
        points.get(where_document={"$or": [{operator: "\ud800"}, {"$contains": "a"}]})


SIGNS = ["a", "b", "ab", "é", " ", "1", ".", "*", "+", "?", "^", "$", "{0}", "{2}", "{", "}", "|", "(", ")", "(?i)", "[ab]", "]"]
ESCAPES = ["\\", r"\b", r"\d", r"\w", r"\.", r"\*", r"\{", r"\ ", r"\x61", r"\pL", r"\z", r"\b{start}", r"\<"]
WRITTEN = ["", "a", "ab", "aab ab", "ABé", "a1 b2", "a.b*a{", "b", "é}", "[ab] (a|b)", "a\\b", "ab\0ab1"]


@given(st.lists(st.sampled_from([*SIGNS, *ESCAPES]), min_size=1, max_size=7).map("".join))
@settings(max_examples=1000, suppress_health_check=list(HealthCheck))
def test_a_regular_expression_finds_every_document_that_it_matches(written: chroma.Collection, pattern: str) -> None:
    try:
        matches = paula.Regex(pattern).is_match
    except ValueError:
        with pytest.raises(ValueError, match="Regex"):
            written.get(where_document={"$regex": pattern})
        return
    found = written.get(where_document={"$regex": pattern}, include=["documents"])
    assert found["documents"] == [text for text in WRITTEN if matches(text)]


@pytest.fixture
def written(client: chroma.ClientAPI) -> chroma.Collection:
    made = client.create_collection("written", embedding_function=None)
    made.add(ids=[str(place) for place in range(len(WRITTEN))], documents=list(WRITTEN), embeddings=[[1.0]] * len(WRITTEN))
    return made


def test_a_regular_expression_takes_linear_time(points: chroma.Collection) -> None:
    points.update(ids="a", documents="a" * 100_000, embeddings=[0, 0])
    assert ids(points, None, {"$regex": "(a*)*b"}) == ""


# embedding functions


def test_a_collection_remembers_its_embedding_function(client: chroma.ClientAPI) -> None:
    made = client.create_collection("notes", embedding_function=Hashing(16))
    made.add(ids=["a", "b"], documents=["the sea at night", "a bowl of soup"])
    found = client.get_collection("notes")
    assert found.configuration_json["embedding_function"] == {"type": "known", "name": "hashing", "config": {"dimension": 16}}
    assert found.configuration_json["hnsw"]["space"] == "cosine"
    assert found.query(query_texts="soup", n_results=1)["ids"] == [["b"]]
    found.update(ids="b", documents="a starry night at sea")
    assert found.query(query_texts="soup", n_results=1)["distances"] != made.query(query_texts="sea", n_results=1)["distances"]


def test_another_embedding_function_is_refused(client: chroma.ClientAPI) -> None:
    client.create_collection("notes", embedding_function=Hashing())

    class Other(Hashing):
        @staticmethod
        def name() -> str:
            return "other"

    with pytest.raises(ValueError, match="Embedding function conflict: new: other vs persisted: hashing"):
        client.get_collection("notes", embedding_function=Other())


def test_a_distance_that_does_not_suit_the_embedding_function_warns(client: chroma.ClientAPI) -> None:
    class Choosy(Hashing):
        def supported_spaces(self) -> list[Space]:
            return ["cosine"]

    with pytest.warns(UserWarning, match="space l2 is not supported by hashing"):
        client.create_collection("notes", embedding_function=Choosy(), metadata={"hnsw:space": "l2"})


def test_an_embedding_function_that_cannot_be_made_again_is_told_when_it_is_needed(client: chroma.ClientAPI) -> None:
    class Forgetful(Hashing):
        @staticmethod
        def name() -> str:
            return "forgetful"

        def get_config(self) -> dict[str, object]:
            return {}

    client.create_collection("notes", embedding_function=Forgetful())
    found = client.get_collection("notes")
    assert found.count() == 0
    with pytest.raises(ValueError, match="Could not build embedding function forgetful"):
        found.add(ids="a", documents="x")


def test_any_callable_with_a_parameter_named_input_embeds(client: chroma.ClientAPI) -> None:
    class Plain:
        def __call__(self, input: list[str]) -> Embeddings:
            return [[float(len(text)), 1.0] for text in input]

    collection = client.create_collection("plain", embedding_function=Plain())
    collection.add(ids=["a", "b"], documents=["x", "xxx"])
    assert collection.query(query_texts=["yyy"], n_results=1)["ids"] == [["b"]]


def test_an_embedding_function_of_another_shape_is_refused(client: chroma.ClientAPI) -> None:
    class Wrong:
        def __call__(self, texts: list[str]) -> Embeddings:
            return [[1.0] for _ in texts]

    class Short:
        def __call__(self, input: list[str]) -> Embeddings:
            return [[1.0]]

    with pytest.raises(ValueError, match="signature"):
        client.create_collection("notes", embedding_function=Wrong())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="1 vectors for 2 inputs"):
        client.create_collection("notes", embedding_function=Short()).add(ids=["a", "b"], documents=["x", "y"])
    assert client.get_collection("notes").count() == 0


def test_a_function_of_no_base_class_may_give_tuples(client: chroma.ClientAPI) -> None:
    class Tuples:
        def __call__(self, input: list[str]) -> Embeddings:
            return cast("Embeddings", tuple((float(len(text)), 1.0) for text in input))

    class Based(Tuples, chroma.EmbeddingFunction[chroma.Documents]):
        """The same with a base class, which takes lists alone."""

    notes = client.create_collection("notes", embedding_function=Tuples())
    notes.add(ids=["a", "b"], documents=["x", "xyz"])
    assert notes.query(query_texts=["abc"], n_results=1)["ids"] == [["b"]]
    with pytest.raises(ValueError, match="Expected embeddings to be"):
        client.create_collection("others", embedding_function=Based()).add(ids=["a"], documents=["x"])


def test_uris_are_loaded(client: chroma.ClientAPI) -> None:
    collection = client.create_collection(
        "uris", embedding_function=Hashing(), data_loader=lambda uris: [f"content of {uri}" for uri in uris]
    )
    collection.add(ids="a", uris="file:a")
    assert collection.get(include=["data", "uris"])["data"] == ["content of file:a"]
    asked: chroma.Include = ["data"]
    found = [collection.get(include=asked), collection.query(query_texts="a", include=asked)]
    assert [(each["uris"], each["included"]) for each in found] == [(["file:a"], ["data", "uris"]), ([["file:a"]], ["data", "uris"])]
    assert asked == ["data"]
    assert collection.get()["metadatas"] == [{}]


@pytest.mark.slow
def test_the_default_embedding_function_knows_what_words_mean(client: chroma.ClientAPI) -> None:
    collection = client.create_collection("notes")
    collection.add(ids=["a", "b"], documents=["The cat sleeps on the sofa.", "Interest rates rose again."])
    assert collection.query(query_texts=["a kitten resting"], n_results=1)["ids"] == [["a"]]


@pytest.mark.slow
def test_the_default_embedding_function_reads_the_first_256_tokens_of_a_text() -> None:
    start = "I live in Porto. " * 60
    whole, longer, shorter = np.asarray(chroma.DefaultEmbeddingFunction()([start, start + "She is allergic to peanuts.", start[:200]]))
    assert whole @ longer == pytest.approx(1.0, abs=1e-5)
    assert whole @ shorter < 0.9999


def test_what_only_hosted_chroma_can_is_not_implemented(points: chroma.Collection) -> None:
    for act in (points.fork_count, points.get_indexing_status, lambda: points.fork("x"), lambda: points.search([])):
        with pytest.raises(NotImplementedError):
            act()


# schemas


def indexed() -> chroma.Schema:
    """No filter by whole numbers but under one key, none in documents, and inner products."""
    return (
        chroma.Schema()
        .delete_index(chroma.IntInvertedIndexConfig())
        .create_index(chroma.IntInvertedIndexConfig(), key="n")
        .delete_index(chroma.FtsIndexConfig(), key=chroma.K.DOCUMENT)
        .create_index(chroma.VectorIndexConfig(space="ip", embedding_function=Hashing(8)))
    )


def test_what_a_schema_says_holds_when_the_file_is_opened_again(tmp_path: Path) -> None:
    with chroma.PersistentClient(tmp_path / "mem.db") as client:
        client.create_collection("notes", schema=indexed()).add(ids="a", documents="hello", metadatas={"n": 1, "m": 2})
    with chroma.PersistentClient(tmp_path / "mem.db") as client:
        notes = client.get_collection("notes")
        assert notes.configuration_json["hnsw"]["space"] == "ip"
        assert notes.query(query_texts="hello")["ids"] == [["a"]]
        assert notes.get(where={"n": 1})["ids"] == ["a"]
        with pytest.raises(chroma.errors.InvalidArgumentError, match="metadata key 'm' with type 'Int' because indexing is disabled"):
            notes.get(where={"$or": [{"n": 1}, {"m": 2}]})
        assert list(notes.schema.keys) == ["#document", "#embedding", "n", "m"]


@pytest.mark.parametrize(
    "filters", [{"where": {"m": 2}}, {"where_document": {"$contains": "h"}}, {"where": {"#document": {"$contains": "h"}}}]
)
def test_a_filter_that_needs_an_index_that_is_deleted_deletes_nothing(client: chroma.ClientAPI, filters: dict[str, Where]) -> None:
    notes = client.create_collection("notes", schema=indexed())
    notes.add(ids="a", documents="hello", metadatas={"m": 2})
    with pytest.raises(ValueError, match="indexing is disabled"):
        notes.delete(ids="a", where=filters.get("where"), where_document=filters.get("where_document"))
    with pytest.raises(ValueError, match="indexing is disabled"):
        notes.query(query_texts="hello", where=filters.get("where"), where_document=filters.get("where_document"))
    assert notes.count() == 1


def test_a_schema_and_a_configuration_cannot_both_be_unusual(client: chroma.ClientAPI) -> None:
    for said in ({"metadata": {"hnsw:space": "ip"}}, {"configuration": {"hnsw": {"ef_search": 5}}}, {"embedding_function": Hashing()}):
        with pytest.raises(chroma.errors.InvalidArgumentError, match="Cannot set both collection config and schema"):
            client.create_collection("notes", schema=indexed(), **said)
    made = client.create_collection("notes", schema=chroma.Schema(), embedding_function=Hashing(), metadata={"hnsw:space": "ip"})
    assert made.configuration_json["hnsw"]["space"] == "ip"
    assert isinstance(made.configuration["embedding_function"], Hashing)


def test_sparse_vectors_are_for_chromadb_s_cloud(client: chroma.ClientAPI, points: chroma.Collection) -> None:
    schema = chroma.Schema().create_index(chroma.SparseVectorIndexConfig(), key="words")
    with pytest.raises(chroma.errors.InvalidArgumentError, match="Sparse vector indexing is not enabled in local"):
        client.create_collection("notes", schema=schema)
    with pytest.raises(TypeError, match="is a sparse vector, which cannot be stored"):
        points.upsert(ids="a", embeddings=[1, 2], metadatas={"words": chroma.SparseVector([1], [0.5])})  # type: ignore[dict-item]
    assert points.count() == 5


def test_a_collection_from_before_schemas_has_the_one_it_would_have_now(tmp_path: Path) -> None:
    hnsw = {"space": "ip", "ef_construction": 100, "ef_search": 7, "max_neighbors": 16, "resize_factor": 1.2, "sync_threshold": 1000}
    function: dict[str, object] = {"type": "known", "name": "hashing", "config": {"dimension": 2, "nothing": None}}
    old = apsw.Connection(str(tmp_path / "mem.db"))
    for number, sql in files.migrations()[:26]:
        old.execute(sql)
        old.execute("insert or replace into meta values ('schema_version', ?)", (str(number),))
    old.execute(f"pragma application_id = {APPLICATION_ID}")
    told = (json.dumps({"hnsw": hnsw, "spann": None, "embedding_function": function}),)
    database = "'default_tenant', 'default_database'"
    old.execute(f"insert into collections values (1, '{uuid.uuid4()}', {database}, 'notes', ?, null, 2, 1, 0)", told)
    old.execute("insert into collection_records values (1, 1, 'a', 'doc', null), (2, 1, 'b', 'doc', null)")
    for record, key, place, kind, value in (
        *((1, "n", -1, "number", 1), (1, "m", -1, "number", 1.5), (1, "b", -1, "boolean", 1), (1, "chroma:x", -1, "number", 1)),
        *((2, "n", 0, "text", "x"), (2, "n", 1, "text", "y")),
    ):
        old.execute("insert into collection_metadata values (?, ?, ?, 1, ?, ?)", (record, key, place, kind, value))
    old.close()
    with chroma.PersistentClient(tmp_path / "mem.db") as client:
        notes = client.get_collection("notes")
        assert notes.configuration_json == {"hnsw": hnsw, "spann": None, "embedding_function": function}
        new = client.create_collection("new", metadata={"hnsw:space": "ip", "hnsw:search_ef": 7}, embedding_function=None)
        new.add(ids=["a", "b"], embeddings=[[1, 2], [1, 2]], metadatas=[{"n": 1, "m": 1.5, "b": True}, {"n": ["x"]}])
        expected = client.get_collection("new", embedding_function=None).get_model().serialized_schema
        for config in (expected["defaults"], expected["keys"]["#embedding"]):
            config["float_list"]["vector_index"]["config"]["embedding_function"] = function
        assert notes.get_model().serialized_schema == expected
        assert notes.get(where={"n": 1})["ids"] == ["a"]


# many at once


def test_threads_write_and_ask_at_once(client: chroma.ClientAPI) -> None:
    collection = client.create_collection("busy", embedding_function=None)
    failures: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            for turn in range(20):
                collection.add(ids=f"{thread}-{turn}", embeddings=[float(thread), float(turn)], metadatas={"thread": thread})
                found = collection.query(query_embeddings=[float(thread), float(turn)], n_results=1)
                assert found["ids"] == [[f"{thread}-{turn}"]]
                if turn % 2:
                    collection.delete(ids=f"{thread}-{turn}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert collection.count() == 60
    assert len(collection.get(where={"thread": 3})["ids"]) == 10


def add_some(path: Path, worker: int) -> None:
    with chroma.PersistentClient(path) as client:
        collection = client.get_or_create_collection("shared", embedding_function=None)
        for turn in range(20):
            collection.upsert(ids=[f"{worker}-{turn}", "last"], embeddings=[[worker, turn], [worker, turn]])


@pytest.mark.slow
def test_processes_write_the_same_collection(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=add_some, args=(tmp_path / "mem.db", number)) for number in range(4)]
    for worker in workers:
        worker.start()
    with chroma.PersistentClient(tmp_path / "mem.db") as client:
        collection = client.get_or_create_collection("shared", embedding_function=None)
        while any(worker.is_alive() for worker in workers):
            assert len(collection.query(query_embeddings=[0, 0], n_results=100)["ids"][0]) <= 81
        assert [worker.exitcode for worker in workers] == [0] * 4
        assert collection.count() == 81
        assert len(collection.query(query_embeddings=[0, 0], n_results=100)["ids"][0]) == 81


def add_until_killed(path: Path) -> None:
    with chroma.PersistentClient(path) as client:
        collection = client.get_or_create_collection("notes", embedding_function=None)
        for turn in range(100_000):
            collection.add(
                ids=[f"{turn}-{n}" for n in range(50)], embeddings=[[turn, n] for n in range(50)], metadatas=[{"n": n} for n in range(50)]
            )


@pytest.mark.slow
def test_a_killed_process_leaves_whole_batches(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=add_until_killed, args=(tmp_path / "mem.db",))
    process.start()
    with chroma.PersistentClient(tmp_path / "mem.db") as client:
        collection = client.get_or_create_collection("notes", embedding_function=None)
        while collection.count() < 200:
            assert process.is_alive()
        process.kill()
        process.join()
        count = collection.count()
        assert count % 50 == 0
        assert len(collection.get(where={"n": {"$gte": 0}}, include=[])["ids"]) == count
        assert len(collection.query(query_embeddings=[0, 0], n_results=10**6, include=[])["ids"][0]) == count


@pytest.mark.parametrize("count", [0, 3, 7])
def test_what_is_too_much_for_one_call_is_cut_into_batches(count: int) -> None:
    from memdb.interfaces.chroma.api.models.Collection import Collection
    from memdb.interfaces.chroma.utils.batch_utils import create_batches

    ids = [f"{number}" for number in range(count)]
    with chroma.EphemeralClient() as client:
        notes = client.create_collection("notes", embedding_function=Hashing())
        assert isinstance(notes, Collection)
        api = cast(chroma.api.ClientAPI, type("Few", (), {"get_max_batch_size": lambda _: 3})())
        batches = create_batches(api, ids=ids, documents=[f"document {one}" for one in ids], metadatas=[{"place": one} for one in ids])
        assert [len(batch[0]) for batch in batches] == {0: [0], 3: [3], 7: [3, 3, 1]}[count]
        for some, vectors, metadatas, documents in batches:
            if some:
                notes.add(ids=some, embeddings=vectors, metadatas=metadatas, documents=documents)
        assert notes.get(include=["documents"])["documents"] == [f"document {one}" for one in ids]
