"""Where a journal in SQLite ends: kept from append to append, and read anew once somebody else wrote."""

from __future__ import annotations

import sqlite3

from runtime.journal import tables
from runtime.journal.branches import Forks
from runtime.journal.chain import Row
from runtime.journal.events import Head
from runtime.journal.tables import End

MOST = 1024  # ends that are kept


class Ends:
    """The last seq and the ends that the next appends follow; who calls holds the write transaction."""

    def __init__(self) -> None:
        self.last_seq = 0
        self._ends: dict[tuple[str, str], End] = {}
        self._version = -1

    def look(self, connection: sqlite3.Connection) -> None:
        """Read the end of the journal, unless nobody but this connection wrote since the last look."""
        version: int = connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._ends.clear()
            self.last_seq = tables.last_seq(connection)
            self._version = version

    def of(self, connection: sqlite3.Connection, branch: str, stream: str, forks: Forks | None) -> End:
        """Return what the next event of a stream on a branch follows."""
        end = self._ends.get((branch, stream))
        return tables.end_of(connection, branch, stream, forks) if end is None else end

    def took(self, rows: list[Row], stream: int | None) -> None:
        """Note the rows of an append that is committed, and the id of their stream."""
        if rows:
            last = rows[-1]
            self.last_seq = last.seq
            if len(self._ends) >= MOST:
                self._ends.clear()
            self._ends[last.branch, last.stream] = End(stream, Head(last.position, last.hash))

    def forget(self) -> None:
        """Read everything anew at the next look."""
        self._version = -1
