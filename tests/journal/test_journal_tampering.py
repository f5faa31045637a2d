"""Whoever edits the real file is found out: each case changes it behind the journal's back with plain SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from runtime.core.canonical import digest
from runtime.journal import types
from runtime.journal.chain import Row, event_hash
from runtime.journal.events import Damaged, Draft
from runtime.journal.sqlite import SqliteJournal
from runtime.journal.tables import all_rows

FORGED = digest(b'{"n":"forged"}')


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A journal of six events: stream `a` has seq 1, 2, 4, 6 and stream `b` has 3, 5."""
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path)
    for seq, stream in enumerate("aababa", start=1):
        journal.append(stream, [Draft(types.MESSAGE_ADDED, {"n": str(seq)}, cause=seq - 1 or None)])
    yield path
    journal.close()


def tamper(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def problems(path: Path) -> str:
    with closing(SqliteJournal.open_read_only(path)) as journal:
        found = journal.verify()
    assert found.ok is not bool(found.problems)
    return "\n".join(found.problems)


def test_an_untouched_journal_has_no_problems(path: Path) -> None:
    assert problems(path) == ""


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (
            'UPDATE events SET payload = \'{"n":"x"}\' WHERE seq = 4',
            "event 4 (stream `a`, position 3): the payload",
        ),
        (
            "UPDATE events SET payload = payload || ' ' WHERE seq = 4",
            "event 4 (stream `a`, position 3): the payload",
        ),
        (
            "UPDATE events SET payload = CAST(payload AS BLOB) WHERE seq = 4",
            "event 4: a column holds data of another",
        ),
        (
            "UPDATE events SET payload = NULL WHERE seq = 4",
            "event 4: the payload is gone and no `journal.redacted`",
        ),
        ("UPDATE events SET actor = 'owner' WHERE seq = 2", "event 2 (stream `a`, position 2): the hash"),
        ("UPDATE events SET time = '2020' WHERE seq = 2", "event 2 (stream `a`, position 2): the hash"),
        (
            "UPDATE events SET type = 'tool.loaded' WHERE seq = 2",
            "event 2 (stream `a`, position 2): the hash",
        ),
        (
            "UPDATE events SET type = 'made.up' WHERE seq = 2",
            "event 2 (stream `a`, position 2): unknown type `made.up`",
        ),
        ("UPDATE events SET cause = NULL WHERE seq = 5", "event 5 (stream `b`, position 2): the hash"),
        (
            "UPDATE events SET cause = 6 WHERE seq = 5",
            "event 5 (stream `b`, position 2): cause 6 is no earlier event",
        ),
        (f"UPDATE events SET hash = '{FORGED}' WHERE seq = 4", "event 4 (stream `a`, position 3): the hash"),
        (f"UPDATE events SET hash = '{FORGED}' WHERE seq = 6", "event 6 (stream `a`, position 4): the hash"),
        (
            "UPDATE events SET position = 9 WHERE seq = 4",
            "event 4 (stream `a`, position 9): follows position 2",
        ),
        ("UPDATE events SET position = 'x' WHERE seq = 4", "event 4: a column holds data of another type"),
        ("UPDATE streams SET name = 'c' WHERE name = 'b'", "event 3 (stream `c`, position 1): the hash"),
        ("UPDATE streams SET branch = 'other'", "event 1 (stream `a`, position 1): the hash"),
        ("UPDATE events SET stream = 9 WHERE seq = 3", "event 3: the stream that it belongs to is gone"),
        ("UPDATE events SET stream = 'x' WHERE seq = 3", "event 3: the stream that it belongs to is gone"),
        (
            "UPDATE events SET stream = 1, position = 7 WHERE seq = 5",
            "event 5 (stream `a`, position 7): follows position 3",
        ),
        ("DELETE FROM events WHERE seq = 4", "event 4 is missing"),
        ("DELETE FROM events WHERE seq IN (2, 3, 4)", "events 2 to 4 are missing"),
        ("DELETE FROM events WHERE seq = 1", "event 1 is missing"),
        (
            "DELETE FROM events WHERE seq = 6",
            "stream `a` of branch `main` ends at position 3 but its head says 4",
        ),
        ("DELETE FROM events", "stream `b` of branch `main` ends at position 0 but its head says 2"),
        (f"UPDATE streams SET hash = '{FORGED}' WHERE name = 'b'", "the head of stream `b` of branch `main`"),
        ("DELETE FROM streams WHERE name = 'b'", "event 3: the stream that it belongs to is gone"),
        ("UPDATE streams SET position = 'x'", "the head of a stream is no position and hash"),
    ],
)
def test_an_edit_is_found_and_its_place_named(path: Path, statement: str, found: str) -> None:
    tamper(path, statement)
    assert found in problems(path)


def test_a_forged_payload_with_a_fitting_digest_still_breaks_the_chain(path: Path) -> None:
    tamper(
        path, f"UPDATE events SET payload = '{{\"n\":\"forged\"}}', payload_digest = '{FORGED}' WHERE seq = 4"
    )
    assert "event 4 (stream `a`, position 3): the hash" in problems(path)


def test_a_forged_event_with_a_fitting_hash_breaks_at_the_next_one(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        rows = [Row._make(row) for row in all_rows(connection, None)]
    forged = rows[3]._replace(payload='{"n":"forged"}', payload_digest=FORGED)
    hash_ = event_hash(rows[1].hash, forged[:9])
    tamper(
        path,
        f"UPDATE events SET payload = '{forged.payload}', payload_digest = '{FORGED}' WHERE seq = 4",
        f"UPDATE events SET hash = '{hash_}' WHERE seq = 4",
    )
    assert problems(path).startswith("event 6 (stream `a`, position 4): the hash")


@pytest.mark.parametrize(("a", "b"), [(1, 2), (2, 4), (3, 5), (2, 3)])
def test_two_events_that_changed_places_are_found(path: Path, a: int, b: int) -> None:
    swapped = [
        f"UPDATE events SET seq = -1 WHERE seq = {a}",
        f"UPDATE events SET seq = {a} WHERE seq = {b}",
        f"UPDATE events SET seq = {b} WHERE seq = -1",
    ]
    tamper(path, *swapped)
    found = problems(path)
    assert f"event {a} " in found and f"event {b} " in found


def test_an_inserted_event_is_found(path: Path) -> None:
    tamper(
        path,
        "INSERT INTO events SELECT 7, stream, 5, type, actor, time, cause, payload_digest, hash, payload "
        "FROM events WHERE seq = 6",
    )
    found = problems(path)
    assert "event 7 (stream `a`, position 5): the hash" in found
    assert "ends at position 5 but its head says 4" in found


def test_a_journal_that_was_cut_back_with_its_heads_has_another_head_than_the_noted_one(path: Path) -> None:
    with closing(SqliteJournal.open_read_only(path)) as journal:
        noted = journal.verify().head
    tamper(
        path,
        "DELETE FROM events WHERE seq = 6",
        "UPDATE streams SET position = 3, hash = (SELECT hash FROM events WHERE seq = 4) WHERE name = 'a'",
    )
    with closing(SqliteJournal.open_read_only(path)) as journal:
        found = journal.verify()
    assert found.ok
    assert found.head != noted


def test_a_payload_that_was_taken_out_on_record_is_said_to_be_gone_and_no_problem(path: Path) -> None:
    tamper(path, "UPDATE events SET payload = NULL WHERE seq = 4")
    with closing(SqliteJournal(path)) as journal:
        journal.append("a", [Draft(types.JOURNAL_REDACTED, {"reason": "asked for"}, cause=4)])
        found = journal.verify()
        assert (found.ok, found.redacted) == (True, (4,))
        (gone,) = journal.read(after=3, limit=1)
        assert gone.payload is None
        assert gone.payload_digest == digest(b'{"n":"4"}')


def test_a_trigger_that_somebody_planted_never_runs(path: Path) -> None:
    tamper(path, "CREATE TRIGGER planted AFTER INSERT ON events BEGIN DELETE FROM streams; END")
    for opening in (SqliteJournal, SqliteJournal.open_read_only):
        with pytest.raises(Damaged, match="somebody changed them"):
            opening(path)


@pytest.mark.parametrize("payload", ["", "{", '{"$bytes":"*"}', "[" * 100_000])
def test_reading_an_event_whose_payload_is_garbage_names_the_event_and_the_file(
    path: Path, payload: str
) -> None:
    tamper(path, f"UPDATE events SET payload = '{payload}' WHERE seq = 4")
    with closing(SqliteJournal.open_read_only(path)) as journal:
        events = journal.read()
        assert [next(events).seq for _ in range(3)] == [1, 2, 3]
        with pytest.raises(Damaged, match="event 4 of stream `a`") as caught:
            next(events)
        assert caught.value.place is not None and caught.value.place.path.endswith("journal.db")


def test_text_that_is_not_utf_8_is_damage(path: Path) -> None:
    tamper(path, "UPDATE events SET actor = CAST(x'ff' AS TEXT) WHERE seq = 4")
    with closing(SqliteJournal.open_read_only(path)) as journal:
        with pytest.raises(Damaged):
            list(journal.read())
        assert not journal.verify().ok


def test_appending_after_a_forged_head_fails_and_writes_nothing(path: Path) -> None:
    tamper(path, "UPDATE streams SET position = 1 WHERE name = 'a'")
    with closing(SqliteJournal(path)) as journal:
        with pytest.raises(Damaged):
            journal.append("a", [Draft(types.MESSAGE_ADDED)])
        assert len(list(journal.read())) == 6
