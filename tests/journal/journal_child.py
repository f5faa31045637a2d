"""The other process of a test: it takes the lease or appends, and reports each step as a line on stdout.

python journal_child.py append PATH     appends for ever, `seq` a line once the append has returned
python journal_child.py lease DIR       takes the lease, says `held`, and holds it until stdin ends
python journal_child.py fork DIR        takes the lease, forks a child that holds on, says its pid, and ends
python journal_child.py full PATH       appends until the disk refuses, then with room again
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from itertools import count

from runtime.core.errors import Error
from runtime.journal import types
from runtime.journal.events import Draft
from runtime.journal.lease import Lease
from runtime.journal.sqlite import SqliteJournal


def say(text: object) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def append(path: str) -> None:
    journal = SqliteJournal(path)
    for number in count():
        payload = {"number": number, "text": "x" * (number % 5000)}
        events = journal.append(
            f"s{number % 3}",
            [Draft(types.MESSAGE_ADDED, payload)] * (number % 4 + 1),
            durable=number % 10 == 0,
        )
        say(events[-1].seq)


def lease(folder: str) -> None:
    with Lease(folder):
        say("held")
        sys.stdin.read()


def fork(folder: str) -> None:
    Lease(folder)
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        os.write(writer, b"ready")
        sys.stdin.read()
        os._exit(0)
    os.read(reader, 5)
    say(pid)
    os.kill(os.getpid(), signal.SIGKILL)


def full(path: str) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    journal = SqliteJournal(path)
    written = len(journal.append("a", [Draft(types.MESSAGE_ADDED, "first")]))
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (256 * 1024, hard))
    try:
        while True:
            written += len(journal.append("a", [Draft(types.MESSAGE_ADDED, "x" * 3000)] * 3))
    except Error as error:
        say(f"{error.kind}: {error}")
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    written += len(journal.append("a", [Draft(types.MESSAGE_ADDED, "last")], expected=written))
    say(written)
    found = journal.verify()
    say((found.ok, found.events))


if __name__ == "__main__":
    {"append": append, "lease": lease, "fork": fork, "full": full}[sys.argv[1]](sys.argv[2])
