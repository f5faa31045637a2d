"""Changes of the registry as events on the system `registry`, for whoever may subscribe to it.

They tell of what is in force already: `registry.begin`, one `entry.create`, `entry.update` or `entry.delete`
for each operation in order, `registry.commit`. Who hears of an entry is told its id and kind; to read it,
policy is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.registry.entry import Change

SYSTEM = "registry"


def announce(publish: Callable[[str, str, str, Any], object]) -> Callable[[Change], None]:
    """Return the listener that calls `publish(system, kind, path, data)` for each part of a change."""

    def listen(change: Change) -> None:
        version = {"version": change.version, "origin": str(change.origin)}
        publish(SYSTEM, "registry.begin", SYSTEM, version)
        for op in change.ops:
            entry = op.entry if op.entry.kind else change.before.get(op.entry.id)
            data = {"id": op.entry.id, "kind": entry.kind if entry else "", **version}
            publish(SYSTEM, f"entry.{op.kind}", op.entry.id, data)
        publish(SYSTEM, "registry.commit", SYSTEM, version)

    return listen
