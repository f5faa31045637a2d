"""A Lua machine on a thread of its own, so that the event loop stays free whatever Lua does.

The thread is a daemon: a program whose Lua hangs inside C can still end. Outputs are delivered in batches on
this thread; who listens hands them on. Code born at run time never runs here: it belongs into a jailed child.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence

from runtime.core.clock import Clock, SystemClock
from runtime.core.errors import PermissionDenied
from runtime.lua.library import Library
from runtime.lua.machine import Machine, MachineLimits
from runtime.lua.messages import Become, Exited, Input, Interrupt, Kill, Output, Spawn

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
        self._inputs: deque[Input] = deque()
        self._changed = threading.Condition()
        self._stopping = False
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
        with self._changed:
            self._inputs.extend(inputs)
            self._changed.notify()

    def stop(self, timeout: float = 1.0) -> bool:
        """Ask the thread to end after what it does now; return whether it did within `timeout` seconds."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
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
        with self._changed:
            while not self._inputs and not self._stopping:
                rest = None if due is None else due - self._clock.monotonic()
                if rest is not None and rest <= 0:
                    break
                self._changed.wait(rest)
            if self._stopping:
                return None
            batch = list(self._inputs)
            self._inputs.clear()
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
