"""From the operations that somebody asked for to the net effect on each entry, by the documented rules.

Operations count in the order given. A create needs a free id, an update and a delete one that is there; an
update keeps the kind. What is deleted and created again in one changeset may change its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from runtime.core.errors import Conflict, Error, Invalid, Many, NotFound
from runtime.core.ids import check_id, split_id
from runtime.core.values import Value
from runtime.registry import kinds
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.order import ordered


@dataclass(frozen=True, slots=True)
class Plan:
    """The net operations of one changeset in order; a delete carries the entry that goes."""

    origin: Origin
    ops: tuple[Op, ...]
    cycles: tuple[tuple[str, ...], ...] = ()

    def written(self) -> list[Entry]:
        """Return the entries that are created or updated."""
        return [op.entry for op in self.ops if op.kind != "delete"]

    def final(self) -> dict[str, Entry | None]:
        """Return what each touched id is afterwards (None: gone)."""
        after: dict[str, Entry | None] = {}
        for op in self.ops:
            after[op.entry.id] = None if op.kind == "delete" else op.entry
        return after


def plan(ops: Iterable[Op], origin: Origin, current: Callable[[str], Entry | None]) -> Plan:
    """Return the net effect of `ops`, each written entry in the form that its kind wants.

    Raises Conflict, NotFound or Invalid for an operation against the rules, Many for several faults.
    """
    before: dict[str, Entry | None] = {}
    after: dict[str, Entry | None] = {}
    deleted: set[str] = set()
    errors: list[Error] = []
    for op in ops:
        entry_id = check_id(op.entry.id)
        if entry_id not in before:
            before[entry_id] = after[entry_id] = current(entry_id)
        _check(op, after[entry_id])
        if op.kind == "delete":
            deleted.add(entry_id)
            after[entry_id] = None
            continue
        good, bad = kinds.conform_all([replace(op.entry, origin=origin)])
        after[entry_id] = good[0] if good else op.entry
        errors += bad
    if errors:
        raise errors[0] if len(errors) == 1 else Many(errors)
    return _ordered(_net(before, after), origin, current)


def _ordered(ops: list[Op], origin: Origin, current: Callable[[str], Entry | None]) -> Plan:
    result = ordered(ops, current)
    return Plan(origin, result.ops, result.cycles)


def _net(before: dict[str, Entry | None], after: dict[str, Entry | None]) -> list[Op]:
    ops: list[Op] = []
    for entry_id, new in after.items():
        old = before[entry_id]
        if old and new and old.kind == new.kind:
            ops.append(Op("update", new))
            continue
        if old:
            ops.append(Op("delete", old))
        if new:
            ops.append(Op("create", new))
    return ops


def _check(op: Op, have: Entry | None) -> None:
    entry = op.entry
    details: dict[str, Value] = {"id": entry.id}
    if op.kind == "create" and have:
        raise Conflict(f"entry already exists: {_shown(entry)}", details=details)
    if op.kind == "update" and not have:
        raise NotFound(f"entry does not exist: {_shown(entry)}", details=details)
    if op.kind == "delete" and not have:
        raise NotFound(f"cannot delete non-existent entry: {_shown(entry)}", details=details)
    if op.kind == "update" and have and have.kind != entry.kind:
        message = f"cannot change entry kind from {have.kind} to {entry.kind} for {_shown(entry)}"
        raise Invalid(message, details=details)
    if op.kind != "delete" and not entry.kind:
        raise Invalid("entry must have kind field", details=details)


def _shown(entry: Entry) -> str:
    namespace, name = split_id(entry.id)
    return f"{{ns: {namespace}, name: {name}}}"
