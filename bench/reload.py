"""How long a save takes to its effect: `python bench/reload.py [--entries N] [--rounds N]`, medians.

A project of N entries in 20 files is followed; one file after the other is saved with one changed value, by
a rename as most editors do, and the time is taken until the registry holds it. `reload.settle` is the
default, 50 ms of it.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from runtime.core.clock import SystemClock
from runtime.journal.sqlite import SqliteJournal
from runtime.registry.assemble import Tree, assemble
from runtime.registry.entry import Change, Entry
from runtime.registry.registry import Registry
from runtime.reload.look import Places, take_look
from runtime.reload.reloader import Applied, Reloader

FILES = 20
SETTLE = 0.05


def text_of(file: int, count: int, value: int) -> str:
    """Return the text of one file with `count` entries, the first of which holds `value`."""
    entries = (
        f"  - name: e{index}\n    kind: registry.entry\n    meta: {{type: bench, tags: [a, b]}}\n"
        f"    value: {value if index == 0 else 0}\n"
        for index in range(count)
    )
    return f"namespace: bench.f{file}\nentries:\n" + "".join(entries)


class Source:
    """The project that is followed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.registry = Registry(SqliteJournal(root / "journal.db"), SystemClock())

    def places(self) -> Places:
        return Places(self.root, (self.root / "src",))

    def read(self) -> list[Entry]:
        return assemble([Tree(self.root / "src", self.root)])

    def apply(self, read: list[Entry]) -> Applied:
        self.registry.load(read)
        return Applied(self.registry.current.version, updated=tuple(self.registry.report.updated))


async def measure(root: Path, entries: int, rounds: int) -> list[float]:
    """Return the seconds from each save to its effect."""
    (root / "src").mkdir()
    for file in range(FILES):
        (root / "src" / f"f{file}.yaml").write_text(text_of(file, entries // FILES, 0))
    source = Source(root)
    seen = take_look(source.places())
    source.apply(source.read())
    changed = asyncio.Event()

    def heard(_change: Change) -> None:
        changed.set()

    source.registry.subscribe(heard)
    nothing: Any = lambda *_: None  # noqa: E731
    reloader = Reloader(source, settle=SETTLE, seen=seen, record=nothing, tell=nothing)
    task = asyncio.create_task(reloader.run())
    await reloader.following.wait()
    times: list[float] = []
    for turn in range(1, rounds + 1):
        file = root / "src" / f"f{turn % FILES}.yaml"
        fresh = file.with_suffix(".yaml.tmp")
        fresh.write_text(text_of(turn % FILES, entries // FILES, turn))
        changed.clear()
        started = time.perf_counter()
        fresh.replace(file)
        await changed.wait()
        times.append(time.perf_counter() - started)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return times


def main() -> None:
    """Print the median and the slowest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        times = asyncio.run(measure(Path(folder), options.entries, options.rounds))
    print(
        f"save to effect, {options.entries:,} entries   median {statistics.median(times) * 1e3:7.1f} ms   "
        f"slowest {max(times) * 1e3:7.1f} ms"
    )


if __name__ == "__main__":
    main()
