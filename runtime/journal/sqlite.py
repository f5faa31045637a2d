"""The journal in a SQLite file: what `append` has returned survives the death of the process.

One transaction an append, in WAL mode: a reader never waits for the writer and never sees half an append. A
power cut can take the last appends, but none that was asked to be durable, and never part of one.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from runtime.core.clock import Clock, SystemClock
from runtime.core.errors import Invalid, NotFound
from runtime.core.redact import Redactor
from runtime.journal import chain, requests, tables
from runtime.journal.branches import STREAM, BranchJournal, Fork, Forks, Segment, fork_draft
from runtime.journal.chain import Row
from runtime.journal.database import (
    IS_REQUEST,
    explain,
    explained,
    is_damage,
    open_database,
    open_database_read_only,
    place,
)
from runtime.journal.ends import Ends
from runtime.journal.events import MAIN, Damaged, Draft, Event, Head, Journal, Verification
from runtime.journal.redaction import redaction
from runtime.journal.verify import Verifier

_SqlRow: TypeAlias = tuple[Any, ...]

PAGE = 512
"""Events that a reader takes at a time, so it holds neither the lock nor memory for long."""

_WHOLE = Segment(MAIN, None, None)


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
        self._forked = (0, Forks())
        self._ends = Ends()
        self._connection = (open_database_read_only if read_only else open_database)(self.path)

    @classmethod
    def open_read_only(cls, path: Path | str) -> SqliteJournal:
        """Open a journal that is there, for reading; raise NotFound where there is none."""
        return cls(path, read_only=True)

    def append(
        self, stream: str, drafts: Sequence[Draft], *, expected: int | None = None, durable: bool = False
    ) -> list[Event]:
        """See `Journal.append`."""
        return self.append_on(MAIN, stream, drafts, expected=expected, durable=durable)

    def append_on(
        self, branch: str, stream: str, drafts: Sequence[Draft], *, expected: int | None, durable: bool
    ) -> list[Event]:
        """See `Backend.append_on`."""
        self._check_writable()
        sealed = chain.seal(stream, drafts, self.redactor)
        return self._write(branch, stream, sealed, expected=expected, durable=durable)

    def _write(
        self,
        branch: str,
        stream: str,
        sealed: list[chain.Sealed],
        *,
        expected: int | None = None,
        durable: bool = True,
        beside: Callable[[], object] | None = None,
    ) -> list[Event]:
        """Append in one transaction, with whatever `beside` does."""
        forks = self.forks() if branch != MAIN else None
        with self._lock:
            connection, ends = self._connection, self._ends
            try:
                self._set_durable(durable)
                connection.execute("BEGIN IMMEDIATE")
                ends.look(connection)
                if beside is not None:
                    beside()
                id, head = ends.of(connection, branch, stream, forks)
                chain.check_expected(stream, head, expected)
                rows = chain.link(
                    sealed, head, branch=branch, stream=stream, last_seq=ends.last_seq, clock=self._clock
                )
                id = tables.insert(connection, rows, id)
                connection.execute("COMMIT")
                ends.took(rows, id)
            except BaseException as error:
                self._roll_back()  # or read anew what is there, after an interruption behind the commit
                if isinstance(error, sqlite3.Error):
                    raise explain(error, self.path) from error
                raise
        return chain.written(rows)

    def _roll_back(self) -> None:
        self._ends.forget()
        try:
            if self._connection.in_transaction:  # a full disk may have ended it already
                self._connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise explain(error, self.path) from error

    def read(
        self,
        stream: str | None = None,
        *,
        after: int = 0,
        types: Collection[str] = (),
        limit: int | None = None,
    ) -> Iterator[Event]:
        """See `Journal.read`; raise Damaged at the first event that can not be read."""
        return self.read_segment(_WHOLE, stream, after=after, types=types, limit=limit)

    def read_segment(
        self, segment: Segment, stream: str | None, *, after: int, types: Collection[str], limit: int | None
    ) -> Iterator[Event]:
        """See `Backend.read_segment`."""
        with self._lock, explained(self.path):
            last = tables.last_seq(self._connection)
            query, values, key = tables.select(self._connection, segment, stream, types)
            if stream is not None and after > 0:
                after = tables.head_at(self._connection, segment.branch, stream, after).position
        values.append(last if segment.upto is None else min(last, segment.upto))
        return self._pages(query, values, after, limit, key)

    def read_all(self) -> Iterator[Event]:
        """Return the events of every branch that are there now, by seq."""
        with self._lock, explained(self.path):
            last = tables.last_seq(self._connection)
        return self._pages(tables.EVERY, [last], 0, None, tables.SEQ)

    def heads_of(self, segment: Segment) -> dict[str, Head]:
        """See `Backend.heads_of`."""
        with self._lock, explained(self.path):
            return tables.heads_of(self._connection, segment)

    def streams(self) -> dict[str, Head]:
        """See `Journal.streams`."""
        return {stream: head for (branch, stream), head in self._heads().items() if branch == MAIN}

    def head(self) -> str:
        """See `Journal.head`."""
        return chain.journal_head(self._heads())

    def forks(self) -> Forks:
        """See `Journal.forks`; kept until their stream has another position."""
        with self._lock, explained(self.path):
            position = tables.end_of(self._connection, MAIN, STREAM, None).head.position
        if position != self._forked[0]:
            self._forked = position, Forks(self.read(STREAM))
        return self._forked[1]

    def fork(
        self, name: str, at: int, *, streams: Collection[str] | None = None, actor: str = "host"
    ) -> Fork:
        """See `Journal.fork`."""
        found = self._rows(tables.ONE, at)
        if not found:
            raise NotFound(f"no event {at} in the journal")
        forks, position = self.forks(), self._forked[0]
        draft = fork_draft(name, self._event(found[0]), streams, forks, actor)
        self.append(STREAM, [draft], expected=position, durable=True)
        return self.forks().by_name[name]

    def redact(self, seq: int, *, actor: str = "host") -> Event:
        """See `Journal.redact`; no copy of the payload stays in the file or its log."""
        self._check_writable()
        found = self._rows(tables.ONE, seq)
        if not found:
            raise NotFound(f"no event {seq} in the journal")
        row = Row._make(found[0])
        draft = redaction(self._event(found[0]), row.payload is None, actor)
        sealed = chain.seal(row.stream, [draft], self.redactor)
        (event,) = self._write(
            row.branch, row.stream, sealed, beside=lambda: tables.take_out(self._connection, seq)
        )
        with self._lock, explained(self.path):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return event

    def on(self, branch: str) -> Journal:
        """See `Journal.on`."""
        self.forks().check(branch)
        return self if branch == MAIN else BranchJournal(self, branch)

    def verify(self, stream: str | None = None, *, noted: str | None = None) -> Verification:
        """See `Journal.verify`; reads one state of the file through a connection of its own."""
        heads: dict[tuple[str, str], Head] = {}
        with closing(open_database_read_only(self.path)) as connection:
            verifier = Verifier(stream, head_at=partial(tables.head_at, connection))
            seq = None
            try:
                connection.execute("BEGIN")
                if stream is None:
                    for (finding,) in connection.execute("PRAGMA quick_check(10)"):
                        if finding != "ok":
                            verifier.problem(f"the file is damaged: {finding}")
                verifier.rows(tables.all_rows(connection, stream))
                heads = tables.heads(connection)
                if noted is not None:
                    seq = tables.noted_at(connection, noted)
            except Damaged as error:
                verifier.problem(error.message)
            except sqlite3.Error as error:
                if not is_damage(error):
                    with explained(self.path):
                        raise
                verifier.problem(f"the file is damaged, what follows can not be read: {error}")
        return replace(verifier.finish(heads), noted_at=seq)

    def open_requests(self) -> list[Event]:
        """See `Journal.open_requests`."""
        found = self._rows(f"SELECT seq, type, cause FROM events WHERE {IS_REQUEST} ORDER BY seq")
        return [
            self._event(row) for seq in requests.open_requests(found) for row in self._rows(tables.ONE, seq)
        ]

    def close(self) -> None:
        """See `Journal.close`."""
        with self._lock:
            self._connection.close()

    def _set_durable(self, durable: bool) -> None:
        if durable != self._durable:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable

    def _check_writable(self) -> None:
        if self._read_only:
            raise Invalid("the journal is opened for reading only", place=place(self.path))

    def _heads(self) -> dict[tuple[str, str], Head]:
        with self._lock, explained(self.path):
            return tables.heads(self._connection)

    def _rows(self, query: str, *values: object) -> list[_SqlRow]:
        with self._lock, explained(self.path):
            return self._connection.execute(query, values).fetchall()

    def _pages(
        self, query: str, values: list[Any], after: int, limit: int | None, key: int
    ) -> Iterator[Event]:
        """Yield what `query` finds behind `after`, by the column `key`, a page at a time."""
        left = limit
        while left is None or left > 0:
            size = PAGE if left is None else min(PAGE, left)
            page = self._rows(query, *values, after, size)
            for row in page:
                yield self._event(row)
            if len(page) < size:
                return
            after = page[-1][key]
            left = None if left is None else left - size

    def _event(self, row: _SqlRow) -> Event:
        try:
            return chain.read_event(Row(*row))
        except Damaged as error:
            error.place = place(self.path)
            raise
