"""Settings come from defaults, memdb.toml, the environment and arguments, each over the one before; what cannot be used is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

import memdb
from memdb.config import load_config
from memdb.daytime import machine_zone
from memdb.store import Store


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "mem.db"


def write_toml(database: Path, text: str) -> None:
    (database.parent / "memdb.toml").write_text(text, encoding="utf-8")


def test_without_any_setting_the_defaults_hold(database: Path) -> None:
    assert load_config(database) == memdb.Config()


def test_memdb_toml_beside_the_file_is_read(database: Path) -> None:
    write_toml(database, 'synchronous = "FULL"\nprofile_every_turns = 7\n')
    with memdb.open(database, embedder=None) as mem:
        assert (mem.config.synchronous, mem.config.profile_every_turns) == ("FULL", 7)


@pytest.mark.parametrize("text", ["embed_batch = " + "9" * 5000, "embed_batch = " + "[" * 100_000], ids=["digits", "brackets"])
def test_toml_that_nobody_can_read_is_told_in_one_sentence(database: Path, text: str) -> None:
    write_toml(database, text)
    with pytest.raises(memdb.ConfigError, match=r"memdb\.toml cannot be read as TOML"):
        load_config(database)


def test_toml_as_some_editors_save_it_is_read(database: Path) -> None:
    (database.parent / "memdb.toml").write_bytes(b"\xef\xbb\xbfembed_batch = 7\r\n")
    assert load_config(database).embed_batch == 7


def test_the_environment_goes_over_toml_and_arguments_over_both(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_toml(database, "embed_batch = 1\nrecent_changes = 1\ncontext_max_tokens = 1\n")
    monkeypatch.setenv("MEMDB_RECENT_CHANGES", "2")
    monkeypatch.setenv("MEMDB_CONTEXT_MAX_TOKENS", "2")
    config = load_config(database, {"context_max_tokens": 3})
    assert (config.embed_batch, config.recent_changes, config.context_max_tokens) == (1, 2, 3)


def test_a_whole_config_is_taken_as_it_is(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDB_RECENT_CHANGES", "2")
    write_toml(database, "embed_batch = 1\n")
    given = memdb.Config(timezone="Europe/Lisbon")
    assert load_config(database, given) is given


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {"minimum_importance": 0.2},
            r"Settings 'minimum_importance' \(0\.2\) and 'archive_threshold' \(0\.1\) contradict each other",
        ),
        (
            {"hot_days": 100},
            r"Settings 'hot_days' \(100\) and 'warm_days' \(90\) contradict each other: lower the first or raise the second\.",
        ),
        ({"assert_confidence": 0.5}, r"'hedge_confidence' \(0\.6\) and 'assert_confidence' \(0\.5\)"),
        ({"retry_base_seconds": 9, "retry_max_seconds": 8}, "'retry_base_seconds'.*'retry_max_seconds'"),
        ({"max_segment_duration_minutes": 1}, "'min_segment_duration_minutes'.*'max_segment_duration_minutes'"),
        ({"minimum_importance": 0.6, "max_importance": 0.5}, "'minimum_importance'.*'max_importance'"),
    ],
)
def test_a_least_above_its_most_is_refused(database: Path, settings: dict[str, float], told: str) -> None:
    for given in (settings, memdb.Config.model_validate(settings)):
        with pytest.raises(memdb.ConfigError, match=told):
            memdb.open(database, config=given)
    assert not database.exists()


def test_two_settings_are_compared_wherever_either_comes_from(database: Path) -> None:
    write_toml(database, "hot_days = 100\n")
    assert load_config(database, {"warm_days": 100}).hot_days == 100


@pytest.mark.parametrize(("setting", "pragma"), [("NORMAL", 1), ("FULL", 2)])
def test_synchronous_reaches_sqlite(database: Path, setting: str, pragma: int) -> None:
    store = Store(database, load_config(database, {"synchronous": setting}), vectors=False)
    assert store.database().connection.execute("pragma synchronous").fetchall() == [(pragma,)]
    assert store.database().connection.execute("pragma journal_mode").fetchall() == [("wal",)]
    store.close()


def test_settings_that_are_no_table_and_a_zone_that_is_none_are_told_in_words(database: Path) -> None:
    with pytest.raises(memdb.ConfigError, match=r"^The settings from the arguments cannot be used: give a dict"):
        memdb.open(database, config="worker")  # type: ignore[arg-type]
    with pytest.raises(memdb.ConfigError, match="cannot be used: unknown time zone 'Mars'"):
        memdb.open(database, config={"timezone": "Mars"})


def test_an_unknown_name_is_refused_wherever_it_stands(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(memdb.ConfigError, match="'worke' from the arguments cannot be used: it is not a setting"):
        memdb.open(database, config={"worke": False})
    monkeypatch.setenv("MEMDB_WORKE", "1")
    with pytest.raises(memdb.ConfigError, match="'worke' from the environment cannot be used"):
        memdb.open(database)
    write_toml(database, "worke = false\n")
    with pytest.raises(memdb.ConfigError, match=r"'worke' from .*memdb\.toml cannot be used"):
        memdb.open(database)
    assert not database.exists()


@pytest.mark.parametrize(
    ("told", "zone"),
    [
        ("America/Chicago", "America/Chicago"),
        (":Europe/Lisbon", "Europe/Lisbon"),
        ("/usr/share/zoneinfo/posix/Asia/Tokyo", "Asia/Tokyo"),
        ("<-03>3", "UTC"),
        ("../../etc/passwd", "UTC"),
        ("Etc/UTC", "UTC"),
        ("\u2603", "UTC"),
        ("", "UTC"),
    ],
)
def test_the_time_zone_is_the_machine_s_by_its_name_unless_it_is_set(
    database: Path, monkeypatch: pytest.MonkeyPatch, told: str, zone: str
) -> None:
    monkeypatch.setenv("TZ", told)
    assert load_config(database).timezone == zone
    assert load_config(database, {"timezone": "Asia/Kolkata"}).timezone == "Asia/Kolkata"


def test_without_tz_the_files_of_the_machine_name_its_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ")
    link, named, folder = tmp_path / "localtime", tmp_path / "timezone", tmp_path / "zoneinfo" / "Europe"
    assert machine_zone(link, named) == "UTC"
    named.write_text("Europe/Madrid\n", encoding="utf-8")
    assert machine_zone(link, named) == "Europe/Madrid"
    folder.mkdir(parents=True)
    (folder / "Lisbon").touch()
    link.symlink_to(folder / "Lisbon")
    assert machine_zone(link, named) == "Europe/Lisbon"
    for target, zone in ((tmp_path / "zoneinfo" / "Mars" / "Olympus", "Europe/Madrid"), (tmp_path / "zoneinfo" / "Etc" / "UTC", "UTC")):
        link.unlink()
        link.symlink_to(target)
        assert machine_zone(link, named) == zone


def test_what_happens_in_the_evening_of_the_machine_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/Chicago")
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.event("Rui watered the ferns", user_id="home", timestamp="2026-03-02T19:00:00-06:00")
        (fact,) = mem.narrate(now="2026-03-05T00:00:00Z")
    assert fact.value_text.startswith("On Monday evening")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("synchronous", "OFF"),
        ("busy_timeout_ms", -1),
        ("worker", "perhaps"),
        ("first_confidence", 1.5),
        ("timezone", "Mars/Olympus"),
        ("timezone", "../../etc/passwd"),
        ("timezone", ""),
        ("embed_batch", 0),
        ("lease_seconds", float("nan")),
        ("max_segment_duration_minutes", float("inf")),
        ("event_buffer_minutes", 1e300),
        ("generation_cooldown_seconds", 1e300),
        ("delete_archived_after_days", 1e9),
        ("hot_days", True),
        ("generation_burst", False),
    ],
)
def test_a_value_out_of_range_is_refused_by_name(database: Path, name: str, value: object) -> None:
    with pytest.raises(memdb.ConfigError, match=f"Setting '{name}' from the arguments cannot be used: "):
        load_config(database, {name: value})


@pytest.mark.parametrize("text", ["synchronous = ", "\x00", "= 1"])
def test_broken_toml_is_one_clear_sentence(database: Path, text: str) -> None:
    write_toml(database, text)
    with pytest.raises(memdb.ConfigError, match=r"memdb\.toml cannot be read as TOML .*; mend it or move it away\."):
        memdb.open(database)


def test_the_options_of_the_command_line_are_not_settings(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDB_DB", "elsewhere.db")
    monkeypatch.setenv("MEMDB_USER", "ana")
    assert load_config(database) == memdb.Config()


def test_a_config_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        memdb.Config().worker = False  # type: ignore[misc]


def test_a_list_is_written_with_commas_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDB_LINK_KINDS", "fact, message")
    assert load_config(tmp_path / "mem.db").link_kinds == ("fact", "message")


@pytest.mark.parametrize("name", [name for name, field in memdb.Config.model_fields.items() if field.annotation in (int, float)])
def test_no_number_is_larger_than_what_can_be_reckoned_with(name: str) -> None:
    with pytest.raises(memdb.ConfigError, match=f"'{name}' from the arguments cannot be used: give a number of .* or less"):
        load_config(Path("mem.db"), {name: 10**23})


def test_a_kind_to_link_that_is_not_there_is_refused_at_once_and_not_by_the_end_of_a_session(database: Path) -> None:
    for _ in ("a new file", "one that is there"):
        with pytest.raises(memdb.ConfigError, match="Setting 'link_kinds' cannot be used: there is no kind 'fcat'; the kinds are"):
            memdb.open(database, embedder=None, config={"link_kinds": ["note", "fcat"]})
        memdb.open(database, embedder=None, config={"link_kinds": ["note", "message"], "worker": False}).close()


def test_a_rival_weight_set_that_is_not_there_is_refused_at_once(database: Path) -> None:
    with pytest.raises(memdb.InputError, match="There is no weight set 'nope'; the sets are"):
        memdb.open(database, embedder=None, config={"rival_weights": "nope"})
    memdb.open(database, embedder=None, config={"rival_weights": "priority", "worker": False}).close()


def test_a_threshold_of_nothing_archives_nothing_and_contradicts_nothing(database: Path) -> None:
    assert load_config(database, {"minimum_importance": 0.2, "archive_threshold": 0}).archive_threshold == 0
