"""The session of a run: the stream that its events belong to, and the few events that the run itself
writes.
"""

from __future__ import annotations

from collections.abc import Mapping

from runtime.core.errors import Error
from runtime.core.ids import new_id
from runtime.core.values import Value
from runtime.jail.child import Killed
from runtime.journal import types
from runtime.journal.events import Draft, Journal
from runtime.process.task import Task
from runtime.security.guard import Denial


class Session:
    """One run of one command, as the journal tells it."""

    def __init__(self, journal: Journal) -> None:
        self.id = new_id()
        self.stream = f"session:{self.id}"
        self._journal = journal

    def record(self, event: str, payload: Mapping[str, Value], actor: str = "host") -> None:
        """Write one event of the host."""
        self._journal.append(self.stream, [Draft(event, dict(payload), actor)])

    def started(self, command: str, entry: str, actor: str, settings: Mapping[str, Value]) -> None:
        """Write that the run begins: which command for whom, and the settings that matter for reading it."""
        self.record(types.SESSION_STARTED, {"command": command, "entry": entry, **settings}, actor or "host")

    def denied(self, denial: Denial) -> None:
        """Write that policy refused an operation."""
        self.record(types.POLICY_DENIED, {**denial.to_value(), "why": denial.why}, denial.actor or "host")

    def killed(self, killed: Killed) -> None:
        """Write that a jailed child was ended from outside."""
        self.record(types.JAIL_KILLED, killed.to_value())

    def spawned(self, task: Task) -> None:
        """Write that a process started."""
        self.record(types.PROCESS_SPAWNED, {"pid": task.id, "entry": task.caller.entry, "host": task.host})

    def exited(self, task: Task, error: Error | None) -> None:
        """Write that a process ended, and with which error."""
        payload: dict[str, Value] = {"pid": task.id, "entry": task.caller.entry}
        if error is not None:
            payload["error"] = error.to_value()
        self.record(types.PROCESS_EXITED, payload)

    def ended(self, code: int, whose: str, error: str = "") -> None:
        """Write how the run ended, and whose the exit code is."""
        payload: dict[str, Value] = {"code": code, "whose": whose}
        if error:
            payload["error"] = error
        self.record(types.RUN_ENDED, payload)
        self.record(types.SESSION_ENDED, {"code": code})
