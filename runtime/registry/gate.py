"""The gate that every run-time change passes before it is applied, whoever made it and by whatever road.

The protocol lives below those who ask it; who decides (a question at the terminal, the governed loop) lives
on the evolution floor and is injected by the composition root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from runtime.registry.entry import Entry, Op


@dataclass(frozen=True, slots=True)
class Proposed:
    """One change as it would be applied: its operations, what each replaces, and who asks.

    `before` holds, in the order of `ops`, the entry that is in force now, or None.
    """

    ops: tuple[Op, ...]
    before: tuple[Entry | None, ...]
    actor: str
    session: str | None = None
    cause: int | None = None


class ChangeGate(Protocol):
    """Decides about a run-time change."""

    async def admit(self, change: Proposed) -> None:
        """Return when exactly this change may be applied.

        Raises PermissionDenied when it is refused and Unavailable when it waits for somebody; the message is
        for the one who asked and says what was not done.
        """
