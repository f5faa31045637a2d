"""The journal in a SQLite file: what `append` has returned survives the death of the process.

One transaction an append, in WAL mode: a reader never waits for the writer and never sees half an append. A
power cut can take the last appends, but none that was asked to be durable, and never part of one.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from runtime.core.clock import Clock, SystemClock
from runtime.core.errors import Invalid
from runtime.core.redact import Redactor
from runtime.journal import chain, requests
from runtime.journal.chain import Row
from runtime.journal.database import (
    IS_REQUEST,
    explained,
    is_damage,
    open_database,
    open_database_read_only,
    place,
)
from runtime.journal.events import MAIN, Damaged, Draft, Event, Head, Verification
from runtime.journal.verify import Verifier

_SqlRow: TypeAlias = tuple[Any, ...]

PAGE = 512
"""Events that a reader takes at a time, so it holds neither the lock nor memory for long."""

_COLUMNS = ", ".join(Row._fields)
_INSERT = f"INSERT INTO events ({_COLUMNS}) VALUES ({', '.join('?' * len(Row._fields))})"
_KEEP_HEAD = (
    "INSERT INTO heads (branch, stream, position, hash) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (branch, stream) DO UPDATE SET position = excluded.position, hash = excluded.hash"
)


class SqliteJournal:
    """A journal in the file `path`; one host at a time should write it (see `Lease`), many may read."""

    def __init__(
        self,
        path: Path | str,
        *,
        clock: Clock | None = None,
        redactor: Redactor | None = None,
        read_only: bool = False,
    ) -> None:
        """Open or make the journal; raise as `open_database` does."""
        self.path = Path(path)
        self.redactor = redactor or Redactor()
        self._clock = clock or SystemClock()
        self._read_only = read_only
        self._lock = threading.Lock()
        self._durable = False
        self._connection = (open_database_read_only if read_only else open_database)(self.path)

    @classmethod
    def open_read_only(cls, path: Path | str) -> SqliteJournal:
        """Open a journal that is there, for reading; raise NotFound where there is none."""
        return cls(path, read_only=True)

    def append(
        self, stream: str, drafts: Sequence[Draft], *, expected: int | None = None, durable: bool = False
    ) -> list[Event]:
        """See `Journal.append`."""
        if self._read_only:
            raise Invalid("the journal is opened for reading only", place=place(self.path))
        sealed = chain.seal(stream, drafts, self.redactor)
        with self._lock, explained(self.path):
            self._set_durable(durable)
            with self._transaction():
                head = self._head_of(stream)
                chain.check_expected(stream, head, expected)
                last_seq: int = self._connection.execute("SELECT max(seq) FROM events").fetchone()[0] or 0
                rows = chain.link(
                    sealed, head, branch=MAIN, stream=stream, last_seq=last_seq, clock=self._clock
                )
                if rows:
                    self._connection.executemany(_INSERT, rows)
                    self._connection.execute(_KEEP_HEAD, (MAIN, stream, rows[-1].position, rows[-1].hash))
        return [chain.event_of(row, item.payload) for row, item in zip(rows, sealed, strict=True)]

    def read(
        self,
        stream: str | None = None,
        *,
        after: int = 0,
        types: Collection[str] = (),
        limit: int | None = None,
    ) -> Iterator[Event]:
        """See `Journal.read`; raise Damaged at the first event that can not be read."""
        conditions, values = ["seq <= ?"], [self._rows("SELECT max(seq) FROM events")[0][0] or 0]
        if stream is not None:
            conditions.append("branch = ? AND stream = ?")
            values += [MAIN, stream]
        if types:
            conditions.append(f"type IN ({', '.join('?' * len(types))})")
            values += sorted(types)
        # A stream is read along its index, where positions and seqs have the same order.
        order = "seq" if stream is None else "position"
        query = f"SELECT {_COLUMNS} FROM events WHERE {' AND '.join(conditions)} AND seq > ? ORDER BY {order}"
        return self._pages(f"{query} LIMIT ?", values, after, limit)

    def streams(self) -> dict[str, Head]:
        """See `Journal.streams`."""
        return {stream: head for (_, stream), head in self._heads().items()}

    def head(self) -> str:
        """See `Journal.head`."""
        return chain.journal_head(self._heads())

    def verify(self, stream: str | None = None) -> Verification:
        """See `Journal.verify`; reads one state of the file through a connection of its own."""
        verifier = Verifier(stream)
        heads: dict[tuple[str, str], Head] = {}
        with closing(open_database_read_only(self.path)) as connection:
            try:
                connection.execute("BEGIN")
                if stream is None:
                    for (finding,) in connection.execute("PRAGMA quick_check(10)"):
                        if finding != "ok":
                            verifier.problem(f"the file is damaged: {finding}")
                    events = connection.execute(f"SELECT {_COLUMNS} FROM events ORDER BY seq")
                else:
                    query = f"SELECT {_COLUMNS} FROM events WHERE branch = ? AND stream = ? ORDER BY position"
                    events = connection.execute(query, (MAIN, stream))
                verifier.rows(map(Row._make, events))
                heads = _read_heads(connection.execute("SELECT branch, stream, position, hash FROM heads"))
            except Damaged as error:
                verifier.problem(error.message)
            except sqlite3.Error as error:
                if not is_damage(error):
                    with explained(self.path):
                        raise
                verifier.problem(f"the file is damaged, what follows can not be read: {error}")
        return verifier.finish(heads)

    def open_requests(self) -> list[Event]:
        """See `Journal.open_requests`."""
        found = self._rows(f"SELECT seq, type, cause FROM events WHERE {IS_REQUEST} ORDER BY seq")
        query = f"SELECT {_COLUMNS} FROM events WHERE seq = ?"
        return [self._event(row) for seq in requests.open_requests(found) for row in self._rows(query, seq)]

    def close(self) -> None:
        """See `Journal.close`."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk may have ended it already
                self._connection.execute("ROLLBACK")
            raise

    def _set_durable(self, durable: bool) -> None:
        if durable != self._durable:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable

    def _head_of(self, stream: str) -> Head:
        query = "SELECT position, hash FROM heads WHERE branch = ? AND stream = ?"
        row = self._connection.execute(query, (MAIN, stream)).fetchone()
        return _head(*row) if row else Head(0, chain.GENESIS)

    def _heads(self) -> dict[tuple[str, str], Head]:
        return _read_heads(self._rows("SELECT branch, stream, position, hash FROM heads"))

    def _rows(self, query: str, *values: object) -> list[_SqlRow]:
        with self._lock, explained(self.path):
            return self._connection.execute(query, values).fetchall()

    def _pages(self, query: str, values: list[Any], after: int, limit: int | None) -> Iterator[Event]:
        left = limit
        while left is None or left > 0:
            size = PAGE if left is None else min(PAGE, left)
            page = self._rows(query, *values, after, size)
            for row in page:
                yield self._event(row)
            if len(page) < size:
                return
            after = page[-1][0]
            left = None if left is None else left - size

    def _event(self, row: _SqlRow) -> Event:
        try:
            return chain.read_event(Row._make(row))
        except Damaged as error:
            error.place = place(self.path)
            raise


def _read_heads(rows: Iterable[_SqlRow]) -> dict[tuple[str, str], Head]:
    return {(branch, stream): _head(position, hash_) for branch, stream, position, hash_ in rows}


def _head(position: object, hash_: object) -> Head:
    # SQLite keeps any type in any column, so a file that somebody edited may hold what we never wrote.
    if type(position) is not int or type(hash_) is not str:
        raise Damaged("the head of a stream is no position and hash: restore a copy of the journal")
    return Head(position, hash_)
