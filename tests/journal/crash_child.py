"""The other process of the crash test: it works on a registry, branches and sessions, and dies at one write.

python crash_child.py PATH N LOG    does the script; at the N-th write it is killed before, inside or after
the commit

Each finished step is a line in LOG, flushed to the disk before the next one begins: so what is in LOG was
acknowledged.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

from runtime.core.clock import SystemClock
from runtime.journal import types
from runtime.journal.events import Draft
from runtime.journal.sqlite import SqliteJournal
from runtime.registry.branching import promote
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.registry import Registry

STEPS = 70


def entry(name: str, value: int) -> Entry:
    return Entry(f"app:{name}", "registry.entry", {}, {"value": value})


class Killed:
    """A connection that kills this process at its N-th statement that writes."""

    def __init__(self, connection: sqlite3.Connection, at: int) -> None:
        self._connection = connection
        self._left = at

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, statement: str, *values: Any) -> Any:
        self._count(statement)
        return self._connection.execute(statement, *values)

    def executemany(self, statement: str, values: Any) -> Any:
        self._count(statement)
        return self._connection.executemany(statement, values)

    def _count(self, statement: str) -> None:
        if statement.startswith(("BEGIN", "INSERT", "UPDATE", "COMMIT")):
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def script(journal: SqliteJournal, say: Any) -> None:
    """Write at least 200 times: sessions, changes, forks, promotions, a redaction now and then."""
    main = Registry(journal, SystemClock())
    for step in range(STEPS):
        main.apply([Op("create", entry(f"m{step}", step))], actor="me", origin=Origin.RUNTIME)
        say(f"create m{step}")
        (request,) = journal.append("session:1", [Draft(types.TOOL_REQUESTED, {"n": step})], durable=True)
        say(f"request {request.seq}")
        journal.append("session:1", [Draft(types.TOOL_RESPONDED, {"n": step}, cause=request.seq)])
        say(f"answer {request.seq}")
        if step % 7 == 3:
            name = f"b{step}"
            journal.fork(name, request.seq)
            say(f"fork {name}")
            branch = Registry(journal.on(name), SystemClock())
            branch.apply(
                [Op("create", entry(f"{name}.{n}", n)) for n in range(20)], actor="me", origin=Origin.RUNTIME
            )
            say(f"branched {name}")
            promote(main, journal, name, actor="me")
            say(f"promoted {name}")
        if step % 10 == 9:
            journal.redact(request.seq)
            say(f"redacted {request.seq}")


def main(path: str, at: int, log: str) -> None:
    journal = SqliteJournal(path)
    journal._connection = Killed(journal._connection, at)  # type: ignore[assignment]
    with Path(log).open("a", encoding="utf-8", buffering=1) as out:
        script(journal, lambda text: out.write(text + "\n"))
        out.write("end\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
