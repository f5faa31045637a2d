"""How a run ends, decided in one place: signal, refused provider, the process, what waits, done."""

from __future__ import annotations

from dataclasses import dataclass, field

from runtime.core.errors import Error
from runtime.core.values import Value

UNAVAILABLE = 7
WAITING = 8


@dataclass(slots=True)
class Outcome:
    """The latch of one run: what the floors below noticed, kept until the end.

    `signal_code` is 130 or 143 when a signal ended the run, `asked_code` what a process asked for. `fatal` is
    a refusal by the provider that no later request of this run could change. `pending` are the ids of changes
    that wait for the owner.
    """

    signal_code: int | None = None
    asked_code: int | None = None
    fatal: Error | None = None
    pending: list[str] = field(default_factory=list)

    def refuse(self, error: Error) -> None:
        """Note a refusal by the provider; the first one counts."""
        self.fatal = self.fatal or error

    def wait_for_owner(self, entry_id: str) -> None:
        """Note that a change waits for the owner."""
        if entry_id not in self.pending:
            self.pending.append(entry_id)

    def code(self, process: int) -> tuple[int, str]:
        """Return the exit code of the run for that of the process, and whose it is."""
        if self.signal_code is not None:
            return self.signal_code, "signal"
        if self.asked_code is not None:
            return self.asked_code, "process"
        if self.fatal is not None:
            return UNAVAILABLE, "provider"
        if process:
            return process, "process"
        if self.pending:
            return WAITING, "owner"
        return 0, "process"


def process_code(value: Value) -> int:
    """Return the exit code that a process's result means: a number itself, true 0, false 1, all else 0."""
    if isinstance(value, bool):
        return 0 if value else 1
    if isinstance(value, int | float) and abs(value) < 2**31:
        return int(value) & 0xFF
    return 0
