"""Changes of the registry as events on the system `registry`, for whoever may subscribe to it.

They tell of what is decided already: `registry.begin`, for each operation in order one `entry.create`,
`entry.update` or `entry.delete` and its `entry.accept`, then `registry.commit`. A changeset that was refused
has an `entry.reject` where one entry is to blame, and ends with `registry.discard`. Who hears of an entry is
told its id and kind; to read it, policy is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.core.errors import Error
from runtime.registry.entry import Change, Op, Origin

SYSTEM = "registry"

Publish = Callable[[str, str, str, Any], object]


class Announcer:
    """Tells of changes by `publish(system, kind, path, data)`."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish

    def changed(self, change: Change) -> None:
        """Tell of a change that is in force."""
        common = {"version": change.version, "origin": str(change.origin)}
        self._publish(SYSTEM, "registry.begin", SYSTEM, common)
        for op in change.ops:
            entry = op.entry if op.entry.kind else change.before.get(op.entry.id)
            data = {"id": op.entry.id, "kind": entry.kind if entry else "", **common}
            self._publish(SYSTEM, f"entry.{op.kind}", op.entry.id, data)
            self._publish(SYSTEM, "entry.accept", op.entry.id, data)
        self._publish(SYSTEM, "registry.commit", SYSTEM, common)

    def refused(self, ops: Sequence[Op], origin: Origin, error: Error) -> None:
        """Tell of a changeset that was refused, and why."""
        why = {"origin": str(origin), "error": {"kind": error.kind, "message": error.message}}
        self._publish(SYSTEM, "registry.begin", SYSTEM, {"origin": str(origin)})
        for op in ops:
            data = {"id": op.entry.id, "kind": op.entry.kind, "origin": str(origin)}
            self._publish(SYSTEM, f"entry.{op.kind}", op.entry.id, data)
        blamed = error.details.get("entry")
        if isinstance(blamed, str):
            self._publish(SYSTEM, "entry.reject", blamed, {"id": blamed, **why})
        self._publish(SYSTEM, "registry.discard", SYSTEM, why)
