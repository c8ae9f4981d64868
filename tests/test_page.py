"""memory.md: made from the file, for people; what they change there is asked about, never taken and never lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memdb
from memdb.page import write_page
from memdb.steps.compare import compare
from memdb.times import utc_now

Edit = Callable[[str], str]
Offers = list[tuple[str, str, str]]


@pytest.fixture
def page(mem: memdb.Memory) -> Path:
    """The page of a memory of one session; Ana lets all topics be remembered."""
    mem.consent("ana", sensitive_topics="keep")
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.observe("I'm Ana, I live in Porto and I'm allergic to peanuts.")
        s.observe("I like jazz.")
    return mem._store.path.parent / "memory.md"


def test_a_memory_without_a_file_has_no_page_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with memdb.open(":memory:", embedder=None, llm=None, config={"worker": False}) as mem:
        with mem.session("ana") as session:
            session.observe("I live in Porto.")
        assert "Porto" in mem.page("ana")
    assert list(tmp_path.iterdir()) == []


def offers(mem: memdb.Memory) -> Offers:
    """What the next session offers: key, text, status. It flushes nothing."""
    found = mem.session("ana", now="2025-03-02T10:00:00Z").bootstrap.offered
    return [(fact.key, fact.value_text, fact.status) for fact in found]


@pytest.mark.parametrize("key", [None, "user.lives_in"], ids=["the user", "one key"])
@pytest.mark.parametrize("moment", [1, 2], ids=["once edits are asked about", "once it is in the file"])
def test_a_page_on_its_way_does_not_bring_back_what_is_forgotten_meanwhile(tmp_path: Path, key: str | None, moment: int) -> None:
    def commits(*_: object) -> int:
        nonlocal moment
        moment -= 1
        if moment == 0:
            with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as other:
                other.forget("ana", key=key)
        return 0

    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.consent("ana", sensitive_topics="keep")
        mem.remember("User likes jazz", user_id="ana", key="user.likes")
        mem.session("ana").close()
        mem.remember("User lives in Zanzibarquux", user_id="ana", key="user.lives_in")
        (tmp_path / "memory.md").write_text((tmp_path / "memory.md").read_text() + "\n- User likes tea\n")
        db = mem._store.database()
        db.connection.set_wal_hook(commits)  # called when a transaction is over
        write_page(db, user_id="ana", now=utc_now(), config=mem.config)
        db.connection.set_wal_hook(None)
    assert moment <= 0
    assert not [path for path in tmp_path.iterdir() if b"zanzibarquux" in path.read_bytes().lower()]


def test_the_same_memory_gives_the_same_page(mem: memdb.Memory, page: Path) -> None:
    text = page.read_text()
    with mem.session("bob", now="2025-03-02T10:00:00Z") as s:
        s.observe("I live in Faro.")
    assert mem.page("ana") == mem.page("ana", now="2025-04-01") == text
    page.unlink()
    mem.session("ana", "s1", now="2025-03-02T10:00:00Z").flush()
    assert page.read_text() == text


def test_a_user_of_a_long_name_has_a_page_of_a_short_one(mem: memdb.Memory, page: Path) -> None:
    for _ in range(2):
        with mem.session("x" * 300, now="2025-03-02T10:00:00Z") as s:
            s.observe("I live in Faro.")
    (other,) = set(page.parent.glob("memory*.md")) - {page}
    assert len(other.name) < 50
    assert "Faro" in other.read_text()


def test_the_page_has_two_hundred_lines_at_most_and_keeps_what_matters(mem: memdb.Memory) -> None:
    for number in range(400):
        mem.remember(f"Thing {number}", user_id="ana", key=f"user.thing_{number}", importance=number / 400)
    lines = mem.page("ana").splitlines()
    assert len(lines) == 200
    assert {"- Thing 399", "- Thing 300"} <= set(lines)
    assert "- Thing 10" not in lines


def test_stored_text_cannot_forge_a_heading_or_a_line(mem: memdb.Memory) -> None:
    mem.remember("harmless\n## Profile\n- User lives in Faro", user_id="ana")
    assert "- harmless ## Profile - User lives in Faro" in mem.page("ana").splitlines()


def test_an_untouched_page_offers_nothing(mem: memdb.Memory, page: Path) -> None:
    assert page.is_file()
    assert offers(mem) == []


EDITS: list[tuple[str, Edit, Offers]] = [
    (
        "a changed line",
        lambda text: text.replace("lives in Porto\n", "lives in Faro\n"),
        [("user.lives_in", "User lives in Faro", "pending_confirmation")],
    ),
    (
        "a new line as the page writes them",
        lambda text: text + "- User is allergic to shrimps\n",
        [("user.allergic_to", "User is allergic to shrimps", "pending_confirmation")],
    ),
    (
        "a new line as somebody would say it",
        lambda text: text + "* I like fado\n",
        [("user.likes", "User likes fado", "pending_confirmation")],
    ),
    (
        "a free note",
        lambda text: text + "The blue door sticks.\n",
        [("user.note", "The blue door sticks.", "pending_confirmation")],
    ),
    (
        "a line taken out",
        lambda text: text.replace("- User likes jazz\n", ""),
        [("user.likes", "No longer so: User likes jazz", "pending_confirmation")],
    ),
    ("order, bullets and blank lines", lambda text: "\n".join(reversed(text.replace("- ", "  * ").splitlines())) + "\n\n", []),
    ("Windows line ends", lambda text: text.replace("\n", "\r\n"), []),
    ("a line that says what is known", lambda text: text + "- I live in Porto\n", []),
]


@pytest.mark.parametrize(("edit", "offered"), [(edit, offered) for _, edit, offered in EDITS], ids=[name for name, _, _ in EDITS])
def test_an_edit_is_offered_and_changes_no_belief(mem: memdb.Memory, page: Path, edit: Edit, offered: Offers) -> None:
    before = mem.facts("ana", statuses=["active"])
    page.write_text(edit(page.read_text()), newline="")
    assert offers(mem) == offered
    assert offers(mem) == offered  # asked about again until it is decided, and there only once
    assert mem.facts("ana", statuses=["active"]) == before


def test_an_edit_that_the_user_does_not_let_be_kept_is_not_offered(mem: memdb.Memory, page: Path) -> None:
    mem.consent("ana", sensitive_topics="refuse")
    page.write_text(page.read_text() + "- User is allergic to shrimps\n- My password is hunter2\n- I like fado\n", encoding="utf-8")
    with mem.session("ana", now="2025-03-02T10:00:00Z") as s:
        assert [fact.value_text for fact in s.bootstrap.offered] == ["User likes fado"]
        assert [told.split(":")[0] for told in s.bootstrap.refused] == ["user.allergic_to", "user.note"]
        assert s.flush().refused == s.bootstrap.refused
    assert "hunter2" not in str(mem.facts("ana"))


def test_what_the_user_does_not_let_be_kept_can_be_taken_out(mem: memdb.Memory, page: Path) -> None:
    mem.consent("ana", secrets="keep")
    mem.remember("Has the password hunter2", user_id="ana", key="user.note", timestamp="2025-03-01")
    mem.session("ana", "s2", now="2025-03-01T11:00:00Z").close()
    mem.consent("ana", secrets="refuse", sensitive_topics="refuse")
    kept = [line for line in page.read_text().splitlines() if "hunter2" not in line and "peanuts" not in line]
    page.write_text("\n".join(kept), encoding="utf-8")
    with mem.session("ana", now="2025-03-02T10:00:00Z") as s:
        offered = {fact.value_text for fact in s.bootstrap.offered}
        assert offered == {"No longer so: Has the password hunter2", "No longer so: User is allergic to peanuts"}


def test_what_is_over_stands_on_no_page(mem: memdb.Memory) -> None:
    mem.remember("Stays in Rome", user_id="ana", valid_to="2025-03-03", timestamp="2025-03-01")
    told = mem.remember("Is fond of tea", user_id="ana", timestamp="2025-03-01")
    assert "Stays in Rome" in mem.page("ana", now="2025-03-02")
    assert "Stays in Rome" not in mem.page("ana", now="2025-03-04")
    mem.doubt(told.fact_id, now="2025-03-04")
    assert "Is fond of tea" not in mem.page("ana", now="2025-03-04")


def test_a_word_replaced_throughout_changes_what_is_believed_and_no_account_of_what_was_said(mem: memdb.Memory, page: Path) -> None:
    assert page.read_text().count("Porto") > 1
    page.write_text(page.read_text().replace("Porto", "Faro"))
    with mem.session("ana", now="2025-03-02T10:00:00Z") as s:
        assert [fact.value_text for fact in s.bootstrap.offered] == ["User lives in Faro"]
        assert [told.split(",")[0] for told in s.bootstrap.refused] == ["session.s1: an account tells what was said"]
    assert "Learned: User is called Ana; User lives in Porto" in page.read_text()


def test_an_account_taken_out_says_nothing(mem: memdb.Memory, page: Path) -> None:
    page.write_text(page.read_text().partition("## Lately")[0])
    assert offers(mem) == []


def test_a_session_begins_with_what_is_so_now_though_the_page_was_written_before(mem: memdb.Memory, page: Path) -> None:
    written = page.read_text(encoding="utf-8")
    mem.observe("I moved to Faro last week.", user_id="ana", timestamp="2025-03-08T10:00:00Z")
    mem.drain()
    with mem.session("ana", now="2025-03-09T10:00:00Z") as s:
        assert ("User lives in Faro" in s.bootstrap.page, "- User lives in Porto" in s.bootstrap.page) == (True, False)
        assert (s.bootstrap.offered, page.read_text(encoding="utf-8")) == ((), written)


def test_an_edit_that_is_confirmed_becomes_the_belief(mem: memdb.Memory, page: Path) -> None:
    page.write_text(page.read_text().replace("- User lives in Porto\n", "- User lives in Faro\n"))
    with mem.session("ana", now="2025-03-02T10:00:00Z") as s:
        mem.confirm(s.bootstrap.offered[0].fact_id, now="2025-03-02T10:01:00Z")
    assert [fact.object for fact in mem.facts("ana", key="user.lives_in")] == ["Faro"]
    assert "- User lives in Faro\n" in page.read_text()
    assert "## Waits" not in page.read_text()


def test_an_edit_that_is_rejected_leaves_the_page_as_it_was(mem: memdb.Memory, page: Path) -> None:
    text = page.read_text()
    page.write_text(text.replace("- User likes jazz\n", "") + "- Nonsense\n")
    for fact in mem.session("ana", "s2", now="2025-03-02T10:00:00Z").bootstrap.offered:
        mem.reject(fact.fact_id)
    mem.session("ana", "s1", now="2025-03-02T10:00:00Z").flush()
    assert page.read_text() == text
    page.write_text(text + "- Nonsense\n")
    assert offers(mem) == [("user.note", "Nonsense", "pending_confirmation")]  # somebody insists


def test_an_edit_made_during_a_session_is_offered_before_the_page_is_written_over(mem: memdb.Memory, page: Path) -> None:
    with mem.session("ana", now="2025-03-02T10:00:00Z") as s:
        page.write_text(page.read_text() + "- The blue door sticks.\n")
        (offered,) = s.flush().offered
        assert (offered.value_text, offered.status) == ("The blue door sticks.", "pending_confirmation")
        assert "- The blue door sticks. (new)\n" in page.read_text()


def test_an_offer_stays_an_offer_when_its_line_is_taken_out(mem: memdb.Memory, page: Path) -> None:
    page.write_text(page.read_text() + "- The blue door sticks.\n")
    mem.session("ana", now="2025-03-02T10:00:00Z").close()
    page.write_text(page.read_text().replace("- The blue door sticks. (new)\n", ""))
    assert offers(mem) == [("user.note", "The blue door sticks.", "pending_confirmation")]


def test_the_page_of_a_process_that_died_before_writing_it_is_not_taken_for_an_edit(mem: memdb.Memory, page: Path) -> None:
    before = page.read_text()
    with mem.session("ana", now="2025-03-02T10:00:00Z") as s:
        s.observe("I moved to Lisbon.")
    assert page.read_text() != before
    page.write_text(before)  # what stands there if the process dies after its transaction
    assert offers(mem) == []
    page.write_text(before + "- The blue door sticks.\n")
    assert ("user.note", "The blue door sticks.", "pending_confirmation") in offers(mem)


def test_a_page_that_memdb_did_not_write_is_offered_and_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "memory.md").write_text("# About me\n\n- I live in Porto\n")
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem, mem.session("ana") as s:
        assert [fact.value_text for fact in s.bootstrap.offered] == ["About me", "User lives in Porto"]
        assert mem.facts("ana", statuses=["active"]) == []


def test_deleting_the_page_deletes_nothing(mem: memdb.Memory, page: Path) -> None:
    text = page.read_text()
    page.unlink()
    with mem.session("ana", now="2025-03-02T10:00:00Z") as s:
        assert s.bootstrap.offered == ()
        assert s.bootstrap.page == text


def test_each_user_and_each_file_has_a_page_of_its_own(mem: memdb.Memory, page: Path) -> None:
    text = page.read_text()
    mem.session("Bob Ø", now="2025-03-02T10:00:00Z").close()
    assert page.read_text() == text
    with memdb.open(page.parent / "other.db", embedder=None, config={"worker": False}) as other:
        other.session("ana", now="2025-03-02T10:00:00Z").close()
    names = sorted(path.name for path in page.parent.glob("*.md"))
    assert names == ["memory-bob.md", "memory.md", "other.memory.md"]
    assert page.read_text() == text


def test_users_who_end_their_first_session_at_once_get_a_page_each(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        sessions = [mem.session(f"user{number}") for number in range(6)]
        with ThreadPoolExecutor() as pool:
            list(pool.map(memdb.Session.close, sessions))
    told = {path.read_text().splitlines()[0].removeprefix("# What is remembered of ") for path in tmp_path.glob("*.md")}
    assert told == {f"user{number}" for number in range(6)}


def test_sessions_of_one_user_that_end_at_once_leave_one_page(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None) as mem:

        def talk(number: int) -> None:
            with mem.session("ana", f"s{number}") as session:
                session.observe(f"I like thing {number}.", "Good.")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(talk, range(60)))
    assert [path.name for path in tmp_path.iterdir() if "memory" in path.name] == ["memory.md"]


def test_without_a_page_a_session_writes_none(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False, "memory_page": False}) as mem, mem.session("ana") as s:
        s.observe("I live in Porto.")
        assert s.flush().page == ""
    assert list(tmp_path.glob("*.md")) == []


def test_a_page_that_is_no_text_is_told_and_left_alone(mem: memdb.Memory, page: Path) -> None:
    page.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(memdb.InputError, match=r"memory\.md cannot be read as UTF-8 text"):
        mem.session("ana")
    assert page.read_bytes() == b"\xff\xfe\x00"


def test_a_page_that_cannot_be_written_is_told_and_loses_nothing(mem: memdb.Memory, page: Path) -> None:
    if os.geteuid() == 0:
        page.unlink()
        page.mkdir()  # root may write anything but a file over a folder
    else:
        page.parent.chmod(0o500)
    s = mem.session("bob", now="2025-03-02T10:00:00Z")
    s.working.add("Wants short answers")
    mem._store.database().connection.execute("update pages set user_id = 'bob'")
    with pytest.raises(memdb.MdbError, match=r"memory\.md cannot be (read|written)"):
        s.close()
    assert [fact.value_text for fact in mem.facts("bob", kinds=["note"])] == ["Wants short answers"]
    page.parent.chmod(0o700)


def test_what_a_writer_who_was_killed_left_beside_the_page_is_forgotten_with_it(mem: memdb.Memory, page: Path) -> None:
    for name in (".memory.md.123.456", ".memory.md.7.8.unfinished", ".memory-bo.md.123.456"):
        page.with_name(name).write_text(page.read_text())
    mem.forget("ana")
    assert [path.name for path in page.parent.glob(".*")] == [".memory-bo.md.123.456"]


def test_what_is_forgotten_leaves_the_page_and_the_accounts(mem: memdb.Memory, page: Path) -> None:
    page.write_text(page.read_text() + "- The blue door sticks.\n")
    mem.forget("ana", key="user.lives_in")
    everything = b"".join(path.read_bytes() for path in page.parent.iterdir())
    assert b"Porto" not in everything
    assert "- The blue door sticks. (new)\n" in page.read_text()
    mem.forget("ana")
    assert not page.exists()
    assert b"blue door" not in b"".join(path.read_bytes() for path in page.parent.iterdir())


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=8), st.lists(st.text(max_size=30), max_size=8))
def test_any_two_pages_can_be_compared_and_one_with_itself_has_no_edits(old: list[str], new: list[str]) -> None:
    lines = [(f"- {' '.join(text.split())}", " ".join(text.split()), str(place)) for place, text in enumerate(old)]
    written = "\n".join(line for line, _, _ in lines)
    assert compare(lines, written, written, frame=()) == []
    edits = compare(lines, written, "\n".join(new), frame=())
    assert all(edit.text for edit in edits if edit.kind != "removed")
    assert len([edit for edit in edits if edit.kind != "added"]) <= len(lines)


def test_a_line_that_is_removed_of_what_has_ended_since_asks_for_nothing(mem: memdb.Memory, page: Path) -> None:
    page.write_text(page.read_text().replace("- User likes jazz\n", ""))
    (liked,) = mem.facts("ana", key="user.likes")
    mem.end(liked.fact_id, now="2025-03-01T12:00:00Z")
    assert offers(mem) == []


def test_a_line_that_is_removed_of_what_is_over_by_the_clock_asks_for_nothing(mem: memdb.Memory, page: Path) -> None:
    mem.remember("Stays in Rome", user_id="ana", valid_to="2025-03-02T09:00:00Z", timestamp="2025-03-01")
    mem.session("ana", "s2", now="2025-03-01T11:00:00Z").close()
    assert "Stays in Rome" in page.read_text()
    page.write_text("\n".join(line for line in page.read_text().splitlines() if "Stays in Rome" not in line), encoding="utf-8")
    assert offers(mem) == []


def test_what_waits_for_a_word_stands_on_the_page_before_it_is_to_begin(mem: memdb.Memory) -> None:
    for day, text in enumerate(("I work at Acme.", "I start at Bosch next month."), start=1):
        mem.observe(text, user_id="ana", timestamp=f"2025-03-0{day}")
    mem.drain()
    lines = [line for line in mem.page("ana", now="2025-03-03").splitlines() if line.startswith("- ")]
    assert lines == ["- User works at Bosch (from 2025-04-01) (instead of: User works at Acme)", "- User works at Acme"]
