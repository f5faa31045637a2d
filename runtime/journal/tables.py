"""The statements on the tables of a journal in SQLite; who calls holds the connection and its transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from runtime.journal import noted
from runtime.journal.branches import STREAM, Forks, Segment
from runtime.journal.chain import GENESIS, Row, journal_head
from runtime.journal.events import MAIN, Damaged, Head

_OWN = "e.position, e.type, e.actor, e.time, e.cause, e.payload_digest, e.hash, e.payload"
_ALL = f"e.seq, s.branch, s.name, {_OWN}"
_INSERT = (
    "INSERT INTO events (seq, stream, position, type, actor, time, cause, payload_digest, hash, payload) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_BEGIN = "INSERT INTO streams (position, hash, branch, name) VALUES (?, ?, ?, ?)"
_MOVE = "UPDATE streams SET position = ?, hash = ? WHERE id = ?"
_START = Head(0, GENESIS)
SEQ, POSITION = (Row._fields.index(name) for name in ("seq", "position"))

# The order of a CROSS JOIN is kept, so the events come by seq and none is looked at beyond the limit.
ONE = f"SELECT {_ALL} FROM events AS e CROSS JOIN streams AS s ON s.id = e.stream WHERE e.seq = ?"
EVERY = (
    f"SELECT {_ALL} FROM events AS e CROSS JOIN streams AS s ON s.id = e.stream "
    "WHERE e.seq <= ? AND e.seq > ? ORDER BY e.seq LIMIT ?"
)


class End(NamedTuple):
    """Where a stream of a branch ends: the head that its next event follows, and its id, None without events.

    The head of a stream that has no events on its branch is the parent's at the cut.
    """

    id: int | None
    head: Head


def insert(connection: sqlite3.Connection, rows: Sequence[Row], stream: int | None) -> int | None:
    """Write `rows`, all of the stream with this id (None: make it), keep its head, and return its id."""
    if not rows:
        return stream
    last = rows[-1]
    if stream is None:
        begun = connection.execute(_BEGIN, (last.position, last.hash, last.branch, last.stream))
        stream = begun.lastrowid
    else:
        connection.execute(_MOVE, (last.position, last.hash, stream))
    if len(rows) == 1:
        connection.execute(_INSERT, (last[0], stream, *last[3:]))
    else:
        connection.executemany(_INSERT, [(row[0], stream, *row[3:]) for row in rows])
    return stream


def take_out(connection: sqlite3.Connection, seq: int) -> None:
    """Remove the payload of an event, and overwrite where it was (see `secure_delete` in `database`)."""
    connection.execute("UPDATE events SET payload = NULL WHERE seq = ?", (seq,))


def last_seq(connection: sqlite3.Connection) -> int:
    """Return the seq of the last event, 0 where there is none."""
    return connection.execute("SELECT max(seq) FROM events").fetchone()[0] or 0


def select(
    connection: sqlite3.Connection, segment: Segment, stream: str | None, types: Collection[str]
) -> tuple[str, list[Any], int]:
    """Return the query for the events of a segment, its values, and its column of order.

    Three values are missing at its end: the last seq, what to read behind in that column, and how many. A
    stream is read along its index, by position; else the order is that of seqs.
    """
    values: list[Any] = []
    if stream is not None:
        key, source = "e.position", f"SELECT e.seq, ?, ?, {_OWN} FROM events AS e WHERE e.stream = ?"
        values += (segment.branch, stream, _id_of(connection, segment.branch, stream))
    else:
        key = "e.seq"
        source = (
            f"SELECT {_ALL} FROM events AS e CROSS JOIN streams AS s ON s.id = e.stream WHERE s.branch = ?"
        )
        values.append(segment.branch)
        if segment.streams is not None:
            source += f" AND s.name IN ({', '.join('?' * len(segment.streams))})"
            values += sorted(segment.streams)
    if types:
        source += f" AND e.type IN ({', '.join('?' * len(types))})"
        values += sorted(types)
    query = f"{source} AND e.seq <= ? AND {key} > ? ORDER BY {key} LIMIT ?"
    return query, values, SEQ if stream is None else POSITION


def all_rows(connection: sqlite3.Connection, stream: str | None) -> Iterator[tuple[Any, ...]]:
    """Return what stands in every row by seq, or in those of one stream in all branches.

    The branch and the stream of an event whose stream is gone are None.
    """
    source = f"SELECT {_ALL} FROM events AS e LEFT JOIN streams AS s ON s.id = e.stream"
    if stream is None:
        return connection.execute(f"{source} ORDER BY e.seq")
    known = connection.execute("SELECT id, branch, name FROM streams").fetchall()
    wanted = {id: branch for id, branch, name in known if name == stream}
    if any(branch != MAIN for branch in wanted.values()):  # the forks say what a branch follows
        wanted |= {id: branch for id, branch, name in known if (branch, name) == (MAIN, STREAM)}
    marks = ", ".join("?" * len(wanted))
    return connection.execute(f"{source} WHERE e.stream IN ({marks}) ORDER BY e.seq", tuple(wanted))


def noted_at(connection: sqlite3.Connection, head: str) -> int | None:
    """Return the seq of the event after which the journal had `head`; see `noted.noted_at`."""
    if journal_head(heads(connection)) == head:
        return last_seq(connection)
    rows = connection.execute(
        "SELECT e.seq, s.branch, s.name, e.position, e.hash "
        "FROM events AS e CROSS JOIN streams AS s ON s.id = e.stream ORDER BY e.seq"
    )
    return noted.noted_at(rows, head)


def heads(connection: sqlite3.Connection) -> dict[tuple[str, str], Head]:
    """Return the kept heads by branch and stream."""
    rows = connection.execute("SELECT branch, name, position, hash FROM streams")
    return {(branch, stream): _head(position, hash_) for branch, stream, position, hash_ in rows}


def end_of(connection: sqlite3.Connection, branch: str, stream: str, forks: Forks | None) -> End:
    """Return where `stream` on `branch` ends: with its last event, or with a parent's at the cut."""
    query = "SELECT id, position, hash FROM streams WHERE branch = ? AND name = ?"
    row = connection.execute(query, (branch, stream)).fetchone()
    if row:
        return End(row[0], _head(*row[1:]))
    return End(None, forks.start(branch, stream, partial(head_at, connection)) if forks else _START)


def head_at(connection: sqlite3.Connection, branch: str, stream: str, upto: int) -> Head:
    """Return the last event that `branch` itself has in `stream` up to the seq `upto`, in few steps."""
    id = _id_of(connection, branch, stream)
    # Each alone is one step into the index, both together would read all of it.
    low, high = (
        connection.execute(f"SELECT {bound}(position) FROM events WHERE stream = ?", (id,)).fetchone()[0]
        for bound in ("min", "max")
    )
    if low is None:
        return _START
    at = "SELECT seq, position, hash FROM events WHERE stream = ? AND position = ?"
    best = _START
    while low <= high:
        middle = (low + high) // 2
        row = connection.execute(at, (id, middle)).fetchone()
        if row is None:
            return best  # a hole: the verification says so
        if row[0] <= upto:
            best, low = _head(*row[1:]), middle + 1
        else:
            high = middle - 1
    return best


def heads_of(connection: sqlite3.Connection, segment: Segment) -> dict[str, Head]:
    """Return the heads that the streams of `segment` have at its end."""
    kept = {stream: head for (branch, stream), head in heads(connection).items() if branch == segment.branch}
    if segment.streams is not None:
        kept = {stream: head for stream, head in kept.items() if stream in segment.streams}
    if segment.upto is None:
        return kept
    cut = {stream: head_at(connection, segment.branch, stream, segment.upto) for stream in kept}
    return {stream: head for stream, head in cut.items() if head.position}


def _id_of(connection: sqlite3.Connection, branch: str, stream: str) -> int | None:
    row = connection.execute(
        "SELECT id FROM streams WHERE branch = ? AND name = ?", (branch, stream)
    ).fetchone()
    return row[0] if row else None


def _head(position: object, hash_: object) -> Head:
    # SQLite keeps any type in any column, so a file that somebody edited may hold what we never wrote.
    if type(position) is not int or type(hash_) is not str:
        raise Damaged("the head of a stream is no position and hash: restore a copy of the journal")
    return Head(position, hash_)
