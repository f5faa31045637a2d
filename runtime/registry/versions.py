"""What lies between two versions of the registry, and the way back to an earlier one.

Going back is a new change: history only grows. It concerns what was made at run time; what files and modules
declare is theirs to change, and is named instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class WayBack:
    """The operations that lead to an earlier version, and the ids of declared entries that stay."""

    ops: tuple[Op, ...]
    declared: tuple[str, ...]


def delta(before: Snapshot, after: Snapshot) -> list[Op]:
    """Return the operations that turn `before` into `after`, by id; a delete carries the entry that goes."""
    ops: list[Op] = []
    old = {entry.id: entry for entry in before.entries()}
    new = {entry.id: entry for entry in after.entries()}
    for entry_id in sorted({*old, *new}):
        ops += _between(old.get(entry_id), new.get(entry_id))
    return ops


def way_back(current: Snapshot, target: Snapshot) -> WayBack:
    """Return what leads from `current` to what `target` holds of run-time entries."""
    ops: list[Op] = []
    declared: list[str] = []
    for op in delta(current, target):
        now, then = current.get(op.entry.id), target.get(op.entry.id)
        at_run_time = [each.origin is Origin.RUNTIME for each in (now, then) if each is not None]
        if all(at_run_time):
            ops.append(op)
        elif op.entry.id not in declared:
            declared.append(op.entry.id)
    return WayBack(tuple(ops), tuple(declared))


def _between(old: Entry | None, new: Entry | None) -> list[Op]:
    if old and new:
        if old is new or (old.origin is new.origin and old.same_content(new)):
            return []
        if old.kind == new.kind:
            return [Op("update", new)]
    ops = [Op("delete", old)] if old else []
    return [*ops, Op("create", new)] if new else ops
