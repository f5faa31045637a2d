"""What the journal costs: appends, reading and verifying beside plain SQLite, and branches of a long history.

    python bench/journal.py [--events 100000] [--rounds 5]

Each figure is the median of the rounds, and stands beside plain `sqlite3` work on the same rows and the same
table in the same run: the ratio says what masking, canonical JSON, digests and the chain cost.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path

from runtime.core.clock import SystemClock
from runtime.core.values import Value
from runtime.journal import types
from runtime.journal.chain import Row
from runtime.journal.database import open_database
from runtime.journal.events import Draft
from runtime.journal.sqlite import SqliteJournal
from runtime.registry.branching import differences, promote
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.registry import Registry

ONE_BY_ONE = 2_000
BATCH = 100
INSERT = f"INSERT INTO events ({', '.join(Row._fields)}) VALUES ({', '.join('?' * len(Row._fields))})"


def drafts(number: int) -> list[Draft]:
    """Return messages as a conversation has them: some words, a role, a number."""
    return [
        Draft(
            types.MESSAGE_ADDED,
            {"role": "assistant", "content": f"message {index}: the tool said that it is nine", "n": index},
        )
        for index in range(number)
    ]


def rows_of(path: Path) -> list[Row]:
    """Return the rows of a journal, for the plain inserts."""
    with closing(sqlite3.connect(path)) as connection:
        return [Row._make(row) for row in connection.execute(f"SELECT {', '.join(Row._fields)} FROM events")]


def journal_seconds(path: Path, events: list[Draft], size: int, durable: bool) -> float:
    """Return the seconds that it takes to append `events` in batches of `size`."""
    with closing(SqliteJournal(path)) as journal:
        start = time.perf_counter()
        for at in range(0, len(events), size):
            journal.append("session:bench", events[at : at + size], durable=durable)
        return time.perf_counter() - start


def plain_seconds(path: Path, rows: list[Row], size: int, durable: bool) -> float:
    """Return the seconds that plain inserts of `rows` take, in transactions of `size`."""
    with closing(open_database(path)) as connection:
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        start = time.perf_counter()
        for at in range(0, len(rows), size):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(INSERT, rows[at : at + size])
            connection.execute("COMMIT")
        return time.perf_counter() - start


def compare(
    name: str, number: int, rounds: int, ours: Callable[[], float], plain: Callable[[], float]
) -> None:
    """Print the medians of both, taken in turns so a busy machine slows both."""
    pairs = [(ours(), plain()) for _ in range(rounds)]
    a, b = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"{name:<34} {number / a:>11,.0f}/s   plain {number / b:>11,.0f}/s   ratio {a / b:5.2f}")


def bench_appends(fresh: Iterator[Path], rounds: int) -> None:
    """Compare appends one by one and in batches, with and without waiting for the disk."""
    events = drafts(ONE_BY_ONE)
    first = next(fresh)
    journal_seconds(first, events, BATCH, durable=False)
    rows = rows_of(first)
    for name, size, durable in (
        ("append one by one, NORMAL", 1, False),
        ("append one by one, FULL", 1, True),
        (f"append in batches of {BATCH}, NORMAL", BATCH, False),
        (f"append in batches of {BATCH}, FULL", BATCH, True),
    ):
        ours = partial(journal_seconds, events=events, size=size, durable=durable)
        plain = partial(plain_seconds, rows=rows, size=size, durable=durable)
        compare(name, len(events), rounds, lambda f=ours: f(next(fresh)), lambda f=plain: f(next(fresh)))


def bench_reading(path: Path, number: int, rounds: int) -> None:
    """Compare reading and verifying a long journal with plain selects of the same rows."""
    journal_seconds(path, drafts(number), BATCH, durable=False)
    with closing(SqliteJournal.open_read_only(path)) as journal:

        def read() -> None:
            assert sum(1 for _ in journal.read()) == number

        def verify() -> None:
            assert journal.verify().ok

        def fetch() -> None:
            assert len(rows_of(path)) == number

        compare(f"read {number:,} events", number, rounds, lambda: seconds(read), lambda: seconds(fetch))
        compare(f"verify {number:,} events", number, rounds, lambda: seconds(verify), lambda: seconds(fetch))


def bench_branches(path: Path, number: int, rounds: int) -> None:
    """Print what branches cost behind `number` changes of a registry, with 20 changes on each."""
    with closing(SqliteJournal(path)) as journal:
        registry = Registry(journal, SystemClock())
        held = [Entry(f"app:held{index}", "registry.entry") for index in range(1_000)]
        registry.apply([Op("create", entry) for entry in held], actor="bench", origin=Origin.RUNTIME)
        ops: list[list[Value]] = [
            [
                {
                    "kind": "update",
                    "id": each.id,
                    "entry": each.to_value(),
                    "was": each.digest,
                    "digest": each.digest,
                }
            ]
            for each in held
        ]
        for version in range(2, number + 1, BATCH):
            drafts = [
                Draft(
                    types.REGISTRY_APPLIED,
                    {"version": version + each, "origin": "runtime", "ops": ops[(version + each) % len(ops)]},
                )
                for each in range(BATCH)
            ]
            journal.append("registry", drafts)
        last = journal.streams()["registry"].position
        times: dict[str, list[float]] = {"load": [], "fork": [], "diff": [], "promote of 20": []}
        for turn in range(rounds):
            start = time.perf_counter()
            registry = Registry(journal, SystemClock())
            times["load"].append(time.perf_counter() - start)
            name = f"b{turn}"
            times["fork"].append(seconds(lambda name=name: journal.fork(name, last)))  # type: ignore[misc]
            branch = Registry(journal.on(name), SystemClock())
            born = [Entry(f"app:{name}.{index}", "registry.entry") for index in range(20)]
            branch.apply([Op("create", entry) for entry in born], actor="bench", origin=Origin.RUNTIME)
            times["diff"].append(seconds(lambda name=name: differences(journal, "main", name)))  # type: ignore[misc]
            times["promote of 20"].append(
                seconds(lambda name=name, held=registry: promote(held, journal, name, actor="bench"))  # type: ignore[misc]
            )
        for what, each in times.items():
            print(f"{what:<14} behind {last:,} changes {statistics.median(each) * 1e3:>11,.2f} ms")


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds that `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Run all comparisons in a temporary folder."""
    parser = argparse.ArgumentParser(description="What the journal costs beside plain SQLite.")
    parser.add_argument("--events", type=int, default=100_000, help="length of the journal that is read")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of which the median is printed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fresh = (Path(folder) / f"{number}.db" for number in count())
        bench_appends(fresh, options.rounds)
        bench_reading(next(fresh), options.events, options.rounds)
        bench_branches(next(fresh), options.events, options.rounds)


if __name__ == "__main__":
    main()
