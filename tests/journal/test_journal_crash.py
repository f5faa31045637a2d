"""A real process dies in the middle of its appends: what it was told to be written is there, whole."""

from __future__ import annotations

import signal
from contextlib import closing
from pathlib import Path

import pytest
from journal_process import child, line

from runtime.journal import types
from runtime.journal.events import Draft
from runtime.journal.sqlite import SqliteJournal


@pytest.mark.parametrize("acknowledged", [1, 50, 333])
def test_every_acknowledged_event_survives_sigkill_and_no_append_is_torn(
    tmp_path: Path, acknowledged: int
) -> None:
    path = tmp_path / "journal.db"
    last = 0
    with child("append", path) as process:
        for _ in range(acknowledged):
            last = int(line(process))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        last = int((process.stdout.read().split() or [last])[-1])
    with closing(SqliteJournal(path)) as journal:
        found = journal.verify()
        assert found.ok, found.problems
        assert found.events >= last >= acknowledged
        _assert_whole_appends(journal)
        (event,) = journal.append("s0", [Draft(types.RUN_ENDED)])
        assert event.seq == found.events + 1
        assert journal.verify().ok


def _assert_whole_appends(journal: SqliteJournal) -> None:
    """The child's append number n has n % 4 + 1 events; each that is there at all is complete."""
    sizes: dict[int, int] = {}
    for event in journal.read():
        assert isinstance(event.payload, dict)
        number = event.payload["number"]
        assert isinstance(number, int)
        sizes[number] = sizes.get(number, 0) + 1
    assert sizes == {number: number % 4 + 1 for number in range(len(sizes))}


def test_a_request_whose_host_died_is_open_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path)
    (request,) = journal.append("s", [Draft(types.TOOL_REQUESTED, {"tool": "x"})], durable=True)
    with closing(SqliteJournal.open_read_only(path)) as other:  # the first host never closes
        assert other.open_requests() == [request]
    journal.close()


def test_a_reader_in_another_process_sees_whole_appends_while_the_writer_writes(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with child("append", path) as process:
        line(process)
        with closing(SqliteJournal.open_read_only(path)) as journal:
            seen = 0
            for _ in range(20):
                line(process)
                found = journal.verify()
                assert found.ok, found.problems
                assert found.events >= seen
                seen = found.events
                _assert_whole_appends(journal)
