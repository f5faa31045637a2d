"""The order in which the operations of one changeset are applied.

First deletes, those that depend on others before what they depend on; then creates and updates, the other way
round. Ties go by id. A cycle is named and then broken at its smallest id: order is a courtesy to those who
react to changes, not a condition.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from runtime.registry.entry import Entry, Op
from runtime.registry.references import references


@dataclass(frozen=True, slots=True)
class Ordered:
    """Operations in order, and the cycles that were found: ids, each naming the next, the last the first."""

    ops: tuple[Op, ...]
    cycles: tuple[tuple[str, ...], ...]


def ordered(ops: Iterable[Op], current: Callable[[str], Entry | None]) -> Ordered:
    """Return `ops` in the order of application; `current` gives the entry that a delete takes away."""
    deletes: dict[str, Op] = {}
    writes: dict[str, Op] = {}
    for op in ops:
        (deletes if op.kind == "delete" else writes)[op.entry.id] = op
    gone = {entry_id: current(entry_id) or op.entry for entry_id, op in deletes.items()}
    first, cycles_of_deletes = sort(gone)
    then, cycles_of_writes = sort({entry_id: op.entry for entry_id, op in writes.items()})
    return Ordered(
        (*(deletes[entry_id] for entry_id in reversed(first)), *(writes[entry_id] for entry_id in then)),
        tuple(cycles_of_deletes + cycles_of_writes),
    )


def sort(entries: dict[str, Entry]) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the ids, each after those that it names (ties by id), and the cycles among them."""
    waits = {entry_id: references(entry) & entries.keys() for entry_id, entry in entries.items()}
    needed_by: dict[str, list[str]] = {entry_id: [] for entry_id in entries}
    for entry_id, needs in waits.items():
        for need in needs:
            needed_by[need].append(entry_id)
    ready = [entry_id for entry_id, needs in waits.items() if not needs]
    heapq.heapify(ready)
    result: list[str] = []
    cycles: list[tuple[str, ...]] = []
    left = set(entries)
    while left:
        if not ready:
            cycles.append(_cycle(waits, min(left)))
            broken = min(cycles[-1])
            waits[broken] = set()
            ready.append(broken)
        done = heapq.heappop(ready)
        left.discard(done)
        result.append(done)
        for dependent in needed_by[done]:
            if dependent in left and done in waits[dependent]:
                waits[dependent].discard(done)
                if not waits[dependent]:
                    heapq.heappush(ready, dependent)
    return result, cycles


def _cycle(waits: dict[str, set[str]], start: str) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    path: list[str] = []
    entry_id = start
    while entry_id not in seen:
        seen[entry_id] = len(path)
        path.append(entry_id)
        entry_id = min(waits[entry_id])
    return tuple(path[seen[entry_id] :])
