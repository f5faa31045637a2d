"""A Lua machine on a thread of its own, so that the event loop stays free whatever Lua does.

The thread is a daemon: a program whose Lua hangs inside C can still end. Outputs are delivered in batches on
this thread; who listens hands them on. Code born at run time never runs here: it belongs into a jailed child.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

from runtime.core.clock import Clock, SystemClock
from runtime.core.errors import PermissionDenied
from runtime.lua.library import Library
from runtime.lua.machine import Machine, MachineLimits
from runtime.lua.messages import Become, Exited, Input, Interrupt, Kill, Output, Spawn

_LONGEST_WAIT = 3600.0
_log = logging.getLogger("runtime.lua")


class LuaThread:
    """Runs one `Machine`; `post` and `interrupt` may be called from any thread."""

    def __init__(
        self,
        name: str,
        library: Library,
        deliver: Callable[[list[Output]], None],
        limits: MachineLimits | None = None,
        *,
        clock: Clock | None = None,
    ) -> None:
        """`deliver` is called on the Lua thread with each batch of outputs; it must not block."""
        self._deliver = deliver
        self._clock = clock or SystemClock()
        self._machine = Machine(library, limits=limits, clock=self._clock)
        self._inputs: SimpleQueue[tuple[Input, ...] | None] = SimpleQueue()  # None: end
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def post(self, *inputs: Input) -> None:
        """Hand inputs to the machine, in order; an `Interrupt` or a `Kill` also reaches what runs now."""
        for item in inputs:
            if isinstance(item, Interrupt):
                self._machine.interrupt(item.task)
            elif isinstance(item, Kill):
                self._machine.kill(item.task)
        self._inputs.put(inputs)

    def stop(self, timeout: float = 1.0) -> bool:
        """Ask the thread to end after what it does now; return whether it did within `timeout` seconds."""
        self._inputs.put(None)
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def set_epoch(self, epoch: int) -> None:
        """Tell the machine, at once, that policies changed: see `Machine.set_epoch`."""
        self._machine.set_epoch(epoch)

    def heartbeat(self) -> float | None:
        """Return the seconds since Lua last gave a sign of life; None when it is not running.

        Running Lua code gives one each 20 ms of CPU time; more than a second means a call that no hook sees.
        """
        return self._machine.heartbeat()

    def running(self) -> tuple[str, str]:
        """Return the entry whose code runs, and where it was seen last; see `Machine.running`."""
        return self._machine.running()

    def _run(self) -> None:
        due: float | None = None
        while True:
            batch = self._wait(due)
            if batch is None:
                return
            outputs, due = self._machine.step(_trusted(batch, self._refuse))
            self._hand_on(outputs)

    def _wait(self, due: float | None) -> list[Input] | None:
        """Wait for inputs or until `due`; None when the thread is to end."""
        rest = None if due is None else min(max(due - self._clock.monotonic(), 0), _LONGEST_WAIT)
        batch: list[Input] = []
        with contextlib.suppress(Empty):
            inputs = self._inputs.get_nowait() if rest == 0 else self._inputs.get(timeout=rest)
            while inputs is not None:
                batch.extend(inputs)
                inputs = self._inputs.get_nowait()
            return None
        return batch

    def _refuse(self, spawn: Spawn | Become) -> None:
        message = f"`{spawn.program.entry}` was made at run time: it runs in a jailed child only"
        self._hand_on([Exited(spawn.task, None, PermissionDenied(message))])

    def _hand_on(self, outputs: list[Output]) -> None:
        if not outputs:
            return
        try:
            self._deliver(outputs)
        except Exception:
            _log.exception("what listens to the Lua thread `%s` failed", self._thread.name)


def _trusted(batch: Sequence[Input], refuse: Callable[[Spawn | Become], None]) -> list[Input]:
    kept: list[Input] = []
    for item in batch:
        if isinstance(item, Spawn | Become) and item.program.origin == "runtime":
            refuse(item)
        else:
            kept.append(item)
    return kept
