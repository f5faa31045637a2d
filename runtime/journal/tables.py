"""The statements on the tables of a journal in SQLite; who calls holds the connection and its transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

from runtime.journal.branches import STREAM, Forks, Segment
from runtime.journal.chain import GENESIS, Row
from runtime.journal.events import MAIN, Damaged, Head

COLUMNS = ", ".join(Row._fields)
_INSERT = f"INSERT INTO events ({COLUMNS}) VALUES ({', '.join('?' * len(Row._fields))})"
_KEEP_HEAD = (
    "INSERT INTO heads (branch, stream, position, hash) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (branch, stream) DO UPDATE SET position = excluded.position, hash = excluded.hash"
)
_START = Head(0, GENESIS)
SEQ, POSITION = (Row._fields.index(name) for name in ("seq", "position"))


def insert(connection: sqlite3.Connection, rows: list[Row]) -> None:
    """Write `rows`, all of one stream of one branch, and keep its head."""
    if rows:
        last = rows[-1]
        connection.executemany(_INSERT, rows)
        connection.execute(_KEEP_HEAD, (last.branch, last.stream, last.position, last.hash))


def take_out(connection: sqlite3.Connection, seq: int) -> None:
    """Remove the payload of an event, and overwrite where it was (see `secure_delete` in `database`)."""
    connection.execute("UPDATE events SET payload = NULL WHERE seq = ?", (seq,))


def last_seq(connection: sqlite3.Connection) -> int:
    """Return the seq of the last event, 0 where there is none."""
    return connection.execute("SELECT max(seq) FROM events").fetchone()[0] or 0


def select(
    segment: Segment, stream: str | None, types: Collection[str], last: int
) -> tuple[str, list[Any], int]:
    """Return the query for the events of a segment up to the seq `last`, its values, and its column of order.

    Two values are missing at its end: what to read behind in that column, and how many. A stream is read
    along its index, by position; else the order is that of seqs.
    """
    upto = last if segment.upto is None else min(last, segment.upto)
    conditions: list[str] = ["seq <= ?", "branch = ?"]
    values: list[Any] = [upto, segment.branch]
    if stream is not None:
        conditions.append("stream = ?")
        values.append(stream)
    elif segment.streams is not None:
        conditions.append(f"stream IN ({', '.join('?' * len(segment.streams))})")
        values += sorted(segment.streams)
    if types:
        conditions.append(f"type IN ({', '.join('?' * len(types))})")
        values += sorted(types)
    key = SEQ if stream is None else POSITION
    order = Row._fields[key]
    where = " AND ".join([*conditions, f"{order} > ?"])
    return f"SELECT {COLUMNS} FROM events WHERE {where} ORDER BY {order} LIMIT ?", values, key


def all_rows(connection: sqlite3.Connection, stream: str | None) -> Iterator[Row]:
    """Return every row by seq, or those of one stream in all branches."""
    if stream is None:
        return map(Row._make, connection.execute(f"SELECT {COLUMNS} FROM events ORDER BY seq"))
    branches = [branch for branch, found in heads(connection) if found == stream]
    conditions = [f"branch IN ({', '.join('?' * len(branches))}) AND stream = ?"]
    if any(branch != MAIN for branch in branches):  # the forks say what a branch follows
        conditions.append(f"branch = '{MAIN}' AND stream = '{STREAM}'")
    query = f"SELECT {COLUMNS} FROM events WHERE ({') OR ('.join(conditions)}) ORDER BY seq"
    return map(Row._make, connection.execute(query, (*branches, stream)))


def heads(connection: sqlite3.Connection) -> dict[tuple[str, str], Head]:
    """Return the kept heads by branch and stream."""
    rows = connection.execute("SELECT branch, stream, position, hash FROM heads")
    return {(branch, stream): _head(position, hash_) for branch, stream, position, hash_ in rows}


def head_of(connection: sqlite3.Connection, branch: str, stream: str, forks: Forks | None) -> Head:
    """Return what the next event of `stream` on `branch` follows: its last, or a parent's at the cut."""
    query = "SELECT position, hash FROM heads WHERE branch = ? AND stream = ?"
    row = connection.execute(query, (branch, stream)).fetchone()
    if row:
        return _head(*row)
    return forks.start(branch, stream, partial(head_at, connection)) if forks else _START


def head_at(connection: sqlite3.Connection, branch: str, stream: str, upto: int) -> Head:
    """Return the last event that `branch` itself has in `stream` up to the seq `upto`, in few steps."""
    # Each alone is one step into the index, both together would read all of it.
    low, high = (
        connection.execute(
            f"SELECT {bound}(position) FROM events WHERE branch = ? AND stream = ?", (branch, stream)
        ).fetchone()[0]
        for bound in ("min", "max")
    )
    if low is None:
        return _START
    at = "SELECT seq, position, hash FROM events WHERE branch = ? AND stream = ? AND position = ?"
    best = _START
    while low <= high:
        middle = (low + high) // 2
        row = connection.execute(at, (branch, stream, middle)).fetchone()
        if row is None:
            return best  # a hole: the verification says so
        if row[0] <= upto:
            best, low = _head(*row[1:]), middle + 1
        else:
            high = middle - 1
    return best


def heads_of(connection: sqlite3.Connection, segment: Segment) -> dict[str, Head]:
    """Return the heads that the streams of `segment` have at its end."""
    found = {stream for branch, stream in heads(connection) if branch == segment.branch}
    wanted = found if segment.streams is None else found & segment.streams
    last = last_seq(connection) if segment.upto is None else segment.upto
    at_end = {stream: head_at(connection, segment.branch, stream, last) for stream in sorted(wanted)}
    return {stream: head for stream, head in at_end.items() if head.position}


def _head(position: object, hash_: object) -> Head:
    # SQLite keeps any type in any column, so a file that somebody edited may hold what we never wrote.
    if type(position) is not int or type(hash_) is not str:
        raise Damaged("the head of a stream is no position and hash: restore a copy of the journal")
    return Head(position, hash_)
