"""What the registry costs: `python bench/registry.py [--entries N] [--held N] [--rounds N]`, medians.

The parse is given as a ratio to PyYAML's bare CSafeLoader on the same text in the same run, so it can be
compared between machines. One change and one search are timed in a registry that already holds many entries.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import yaml

from runtime.core.clock import SystemClock
from runtime.journal.memory import MemoryJournal
from runtime.journal.sqlite import SqliteJournal
from runtime.registry.assemble import Tree, assemble
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.registry import Registry

ENTRY = """  - name: tool_{index}
    kind: function.lua
    meta:
      type: tool
      title: Tool {index}
      comment: 'Does the thing number {index}: quickly'
      tags: [bench, t{tag}]
      input_schema: {{type: object, properties: {{value: {{type: string}}}}}}
    source: |
      local function handler(args)
        return {{ value = args.value, number = {index} }}
      end
      return {{ handler = handler }}
    method: handler
    modules: [json, time]
    imports:
      lib: bench.lib:shared
"""


def median(rounds: int, work: Callable[[], object]) -> float:
    """Return the median of `rounds` runs in seconds."""
    times = []
    for _ in range(rounds):
        gc.collect()
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def write_tree(folder: Path, count: int) -> str:
    """Write `count` entries as one file and return its text."""
    body = "".join(ENTRY.format(index=index, tag=index % 50) for index in range(count))
    text = f'version: "1.0"\nnamespace: bench\nentries:\n{body}'
    (folder / "_index.yaml").write_text(text)
    return text


def bench_parse(count: int, rounds: int) -> list[Entry]:
    """Print what parsing and checking cost, and return the entries."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = write_tree(folder, count)
        bare = median(rounds, lambda: yaml.load(text, yaml.CSafeLoader))
        found: list[Entry] = []

        def ours() -> None:
            found[:] = assemble([Tree(folder, folder)])

        full = median(rounds, ours)
    print(f"parse {count:,} entries, bare CSafeLoader          {bare * 1e3:9.1f} ms")
    print(
        f"parse, link and validate {count:,} with places     {full * 1e3:9.1f} ms   {full / bare:.2f} x bare"
    )
    return found


def bench_load(entries: list[Entry], rounds: int) -> None:
    """Print what a first and an unchanged load into a journal on disk cost, and the fold at a start."""
    with tempfile.TemporaryDirectory() as name:
        paths = iter(Path(name) / f"{number}.db" for number in range(1_000))

        def first() -> None:
            journal = SqliteJournal(next(paths))
            Registry(journal, SystemClock()).load(entries)
            journal.close()

        print(f"first load of {len(entries):,} into SQLite          {median(rounds, first) * 1e3:9.1f} ms")
        journal = SqliteJournal(Path(name) / "0.db")
        fold = median(rounds, lambda: Registry(journal, SystemClock()))
        print(f"fold of {len(entries):,} from SQLite                {fold * 1e3:9.1f} ms")
        registry = Registry(journal, SystemClock())
        again = median(rounds, lambda: registry.load(entries))
        print(f"load of {len(entries):,} without a difference       {again * 1e3:9.1f} ms")
        journal.close()


def bench_held(count: int, rounds: int) -> None:
    """Print what one change, one read and one search cost among `count` entries."""
    registry = Registry(MemoryJournal(), SystemClock())
    registry.load(
        [
            Entry(
                f"n{index % 1000}:e{index}",
                "registry.entry",
                {"type": f"t{index % 2000}"},
                {"v": 0},
                Origin.FILE,
            )
            for index in range(count)
        ]
    )
    number = iter(range(1_000_000))

    def change() -> None:
        entry = Entry("n1:e1", "registry.entry", {"type": "t1"}, {"v": next(number)})
        registry.apply([Op("update", entry)], actor="bench", origin=Origin.RUNTIME)

    searches = {
        "find by meta.type": {"meta.type": "t7"},
        "find by .ns and .kind": {".ns": "n7", ".kind": "registry.*"},
        "find without an index": {"^meta.type": "t7"},
    }
    print(f"one change among {count:,}                    {median(rounds * 20, change) * 1e3:9.3f} ms")
    for name, criteria in searches.items():
        view = registry.current
        cost = median(rounds, lambda view=view, criteria=criteria: view.find(criteria))  # type: ignore[misc]
        print(f"{name:<24} among {count:,}     {cost * 1e3:9.3f} ms   {len(view.find(criteria))} found")
    reads = median(rounds, lambda: [registry.current.get("n1:e1") for _ in range(1_000)])
    print(f"get                                           {reads * 1e3:9.3f} us")


def main() -> None:
    """Run everything with the sizes given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--held", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    entries = bench_parse(options.entries, options.rounds)
    bench_load(entries, options.rounds)
    bench_held(options.held, options.rounds)


if __name__ == "__main__":
    main()
