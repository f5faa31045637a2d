"""ActiveGraph's side of `bench/journal.py`: the operations that both have, where it can be imported.

It is no dependency: install `activegraph` beside this project to compare, else its column stays empty.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

LOAD = """
import resource, sys, time
from activegraph import Runtime
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
runtime = Runtime.load(sys.argv[1], run_id=sys.argv[2])
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base)
"""


def is_there() -> bool:
    """Return whether ActiveGraph can be imported."""
    return find_spec("activegraph") is not None


def emit_seconds(path: Path, payloads: Sequence[Any]) -> float:
    """Return the seconds in which a graph on disk takes these events, one by one."""
    from activegraph import Graph, Runtime
    from activegraph.core.event import Event

    graph = Graph()
    Runtime(graph, persist_to=str(path))
    time_ = "2026-01-02T03:04:05.000006Z"
    events = [
        Event(f"bench_{index}", "message.added", payload, "host", timestamp=time_)
        for index, payload in enumerate(payloads)
    ]
    start = time.perf_counter()
    for event in events:
        graph.emit(event)
    return time.perf_counter() - start


class History:
    """A run of `number` events over a thousand objects, in the file `path`."""

    def __init__(self, path: Path, number: int) -> None:
        from activegraph import Graph, Runtime

        self.path = path
        graph = Graph()
        self.runtime = Runtime(graph, persist_to=str(path))
        objects = [graph.add_object("entry", {"v": 0}).id for _ in range(min(1_000, number))]
        for index in range(number - len(objects)):
            graph.patch_object(objects[index % len(objects)], {"v": index})

    def load(self) -> tuple[float, int]:
        """Return the seconds and the KiB that a new process needs to load it."""
        arguments = [sys.executable, "-c", LOAD, str(self.path), self.runtime.run_id]
        seconds, kib = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.split()
        return float(seconds), int(kib)

    def branch(self) -> dict[str, float]:
        """Return the seconds of a fork, of its difference and of its promotion, with 20 objects on it."""
        last = self.runtime.graph.events[-1].id
        times: dict[str, float] = {}

        def timed(name: str, work: Callable[[], Any]) -> Any:
            start = time.perf_counter()
            result = work()
            times[name] = time.perf_counter() - start
            return result

        fork = timed("fork", lambda: self.runtime.fork(at_event=last))
        for index in range(20):
            fork.graph.add_object("entry", {"v": index})
        timed("diff", lambda: self.runtime.diff(fork))
        timed("promote of 20", lambda: self.runtime.promote(fork))
        return times
