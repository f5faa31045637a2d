"""Branches in the file: they are there after a restart, and whatever is changed in them is found."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from runtime.journal import types
from runtime.journal.events import Draft
from runtime.journal.sqlite import SqliteJournal


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "journal.db"
    with closing(SqliteJournal(file)) as journal:
        for number in range(5):
            journal.append("a", [Draft(types.MESSAGE_ADDED, number)])
        journal.fork("one", 3)
        journal.on("one").append("a", [Draft(types.MESSAGE_ADDED, "own"), Draft(types.MESSAGE_ADDED, "more")])
        assert journal.verify().ok
    yield file


def test_a_branch_is_there_after_a_restart(path: Path) -> None:
    with closing(SqliteJournal(path)) as journal:
        branch = journal.on("one")
        assert [event.payload for event in branch.read("a")] == [0, 1, 2, "own", "more"]
        (event,) = branch.append("a", [Draft(types.MESSAGE_ADDED, "again")])
        assert event.position == 6
        assert journal.verify().ok


STREAM = "stream IN (SELECT id FROM streams"
CHANGES = {
    "the cut is moved": "UPDATE events SET payload = replace(payload, ':3,', ':2,') WHERE seq = 6",
    "the fork is gone": f"DELETE FROM events WHERE {STREAM} WHERE name = 'branches')",
    "an event of the branch is gone": (
        f"DELETE FROM events WHERE {STREAM} WHERE branch = 'one') AND position = 4"
    ),
    "an event of the branch is another's": "UPDATE streams SET branch = 'two' WHERE branch = 'one'",
    "the head of the branch is gone": "DELETE FROM streams WHERE branch = 'one'",
    "the prefix is changed": "UPDATE events SET payload = '7' WHERE seq = 2",
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_in_a_branch_is_found(path: Path, change: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(CHANGES[change]).rowcount > 0
        connection.commit()
    with closing(SqliteJournal.open_read_only(path)) as journal:
        assert not journal.verify().ok


def test_a_fork_and_its_first_event_take_no_longer_in_a_long_journal(tmp_path: Path) -> None:
    with closing(SqliteJournal(tmp_path / "journal.db")) as journal:
        for _ in range(20):
            journal.append("a", [Draft(types.MESSAGE_ADDED, None)] * 500)
        steps: list[str] = []
        journal._connection.set_progress_handler(lambda: steps.append("") and 0, 100)
        journal.fork("one", 5)
        journal.on("one").append("a", [Draft(types.MESSAGE_ADDED, None)])
        assert (
            len(steps) < 50
        )  # hundreds of instructions of SQLite; one for each event would be 10,000 and more
