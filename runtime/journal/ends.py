"""Where a journal in SQLite ends: kept from append to append, and read anew once somebody else wrote."""

from __future__ import annotations

import sqlite3

from runtime.journal import tables
from runtime.journal.branches import Forks
from runtime.journal.chain import Row
from runtime.journal.events import Head

MOST = 1024  # heads that are kept


class Ends:
    """The last seq and the heads that the next appends follow; who calls holds the write transaction."""

    def __init__(self) -> None:
        self.last_seq = 0
        self._heads: dict[tuple[str, str], Head] = {}
        self._version = -1

    def look(self, connection: sqlite3.Connection) -> None:
        """Read the end of the journal, unless nobody but this connection wrote since the last look."""
        version: int = connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._heads.clear()
            self.last_seq = tables.last_seq(connection)
            self._version = version

    def head_of(self, connection: sqlite3.Connection, branch: str, stream: str, forks: Forks | None) -> Head:
        """Return what the next event of a stream on a branch follows."""
        head = self._heads.get((branch, stream))
        return tables.head_of(connection, branch, stream, forks) if head is None else head

    def took(self, rows: list[Row]) -> None:
        """Note the rows of an append that is committed."""
        if rows:
            last = rows[-1]
            self.last_seq = last.seq
            if len(self._heads) >= MOST:
                self._heads.clear()
            self._heads[last.branch, last.stream] = Head(last.position, last.hash)

    def forget(self) -> None:
        """Read everything anew at the next look."""
        self._version = -1
