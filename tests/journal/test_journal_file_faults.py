"""A file or folder that can not be a journal is refused with the place, what is wrong, and the way out."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from journal_process import child, line

from runtime.core.errors import Error, Invalid, NotFound, Unavailable
from runtime.journal import types
from runtime.journal.database import APPLICATION_ID, SCHEMA_VERSION
from runtime.journal.events import Damaged, Draft
from runtime.journal.sqlite import SqliteJournal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    with closing(SqliteJournal(path)) as journal:
        for number in range(200):
            journal.append("ab"[number % 2], [Draft(types.MESSAGE_ADDED, "x" * 300)])
    return path


def no_database(path: Path) -> None:
    path.write_bytes(b"this is no database\n" * 500)


def other_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
        connection.commit()


def newer_schema(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")


def older_schema(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION - 1}")


def other_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE events ADD COLUMN extra TEXT")


def truncated_header(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:60])


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))
    path.symlink_to(path.with_name("elsewhere.db"))


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("spoil", "error", "says"),
    [
        (no_database, Damaged, "no journal: move it away"),
        (other_database, Damaged, "database of something else"),
        (newer_schema, Invalid, "newer runtime (version 3 of its schema; this one knows 2): update"),
        (older_schema, Invalid, "earlier runtime (version 1 of its schema; this one reads 2): move it"),
        (other_tables, Damaged, "somebody changed them"),
        (truncated_header, Damaged, "journal.db"),
        (a_folder, Invalid, "must be a plain file"),
        (a_link, Invalid, "must be a plain file"),
        (a_pipe, Invalid, "must be a plain file"),
    ],
)
def test_what_is_no_journal_is_refused_and_left_as_it_is(
    path: Path, spoil: Callable[[Path], None], error: type[Error], says: str
) -> None:
    spoil(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(error) as caught:
        SqliteJournal(path)
    assert says in str(caught.value)
    assert caught.value.place is not None and caught.value.place.path.endswith("journal.db")
    assert before is None or path.read_bytes() == before


@pytest.mark.parametrize("spoil", [no_database, other_database, newer_schema, other_tables, a_folder])
def test_a_reader_refuses_them_too(path: Path, spoil: Callable[[Path], None]) -> None:
    spoil(path)
    with pytest.raises(Error) as caught:
        SqliteJournal.open_read_only(path)
    assert caught.value.place is not None


def test_a_reader_makes_no_journal(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="`runtime run` writes one"):
        SqliteJournal.open_read_only(tmp_path / "journal.db")
    assert list(tmp_path.iterdir()) == []


def test_a_reader_can_not_write(path: Path) -> None:
    with closing(SqliteJournal.open_read_only(path)) as journal, pytest.raises(Invalid, match="reading only"):
        journal.append("a", [Draft(types.RUN_ENDED)])


@pytest.mark.parametrize("part", [0.3, 0.6, 0.95])
def test_a_file_that_was_cut_off_is_damage_with_a_place(path: Path, part: float) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * part)])
    with pytest.raises(Damaged) as caught, closing(SqliteJournal(path)) as journal:
        list(journal.read())
    assert "journal.db" in str(caught.value)


@pytest.mark.parametrize("part", [0.1, 0.3, 0.6, 0.95])
def test_a_file_that_was_cut_off_never_verifies(path: Path, part: float) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * part)])
    try:
        journal = SqliteJournal.open_read_only(path)
    except Damaged:
        return  # too little is left to open it
    with closing(journal):
        assert "the file is damaged" in journal.verify().problems[0]


@pytest.mark.parametrize("page", [2, 5, 9])
def test_a_block_of_zeros_in_the_middle_is_found_by_verification(path: Path, page: int) -> None:
    data = bytearray(path.read_bytes())
    data[page * 4096 : (page + 1) * 4096] = bytes(4096)
    path.write_bytes(data)
    with closing(SqliteJournal.open_read_only(path)) as journal:
        found = journal.verify()
    assert not found.ok
    assert "the file is damaged" in found.problems[0]


def test_an_empty_file_becomes_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.touch()
    with closing(SqliteJournal(path)) as journal:
        journal.append("a", [Draft(types.RUN_ENDED)])
        assert journal.verify().ok


def test_the_file_and_its_log_are_for_the_owner_alone_also_when_they_were_not(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with closing(SqliteJournal(path)) as journal:
        journal.append("a", [Draft(types.RUN_ENDED)])
        assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}
    path.chmod(0o644)
    SqliteJournal(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_journal_carries_its_mark_and_version_and_writes_ahead(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize("name", ["missing/journal.db", "file/journal.db"])
def test_a_folder_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match="`--state DIR`") as caught:
        SqliteJournal(tmp_path / name)
    assert caught.value.place is not None and caught.value.place.path.endswith(name)


def test_a_folder_that_may_not_be_written_is_said_to_be(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    if os.geteuid() == 0:  # who may write every folder but this one
        folder = Path("/proc/self")
    with pytest.raises(Unavailable, match="`--state DIR`") as caught:
        SqliteJournal(folder / "journal.db")
    assert str(folder) in str(caught.value.place)


def test_a_disk_that_refuses_is_said_to_and_the_journal_goes_on_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with child("full", path) as process:
        refusal = line(process)
        assert refusal.startswith("Unavailable: ")
        assert "journal.db" in refusal and "nothing was written" in refusal
        written = int(line(process))
        assert written > 2
        assert line(process) == str((True, written))


def test_a_lock_of_another_process_is_waited_for_and_then_said(path: Path) -> None:
    with closing(SqliteJournal(path)) as journal, closing(sqlite3.connect(path)) as other:
        journal._connection.execute("PRAGMA busy_timeout = 50")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="another process") as caught:
            journal.append("a", [Draft(types.RUN_ENDED)])
        assert caught.value.retryable
        other.rollback()
        journal.append("a", [Draft(types.RUN_ENDED)])


def test_two_connections_that_make_the_journal_at_once_make_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with closing(SqliteJournal(path)) as one, closing(SqliteJournal(path)) as other:
        one.append("a", [Draft(types.RUN_ENDED)])
        other.append("a", [Draft(types.RUN_ENDED)], expected=1)
        assert one.verify() == other.verify()
