"""Lua that gives no sign of life: noticed, named, and told of once; what it holds up is in the host's hands.

Running Lua gives a sign every few milliseconds. One step that takes seconds - a function of C, a round of the
collector, a function of the host - is stopped by nobody: a Lua thread is not killed. But the program goes on,
and who reads the notice knows whose code it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

HUNG_SECONDS = 2.0
LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Silence:
    """Lua on `host` gave its last sign of life `seconds` ago, in the code of `entry`.

    `doing` is where it was seen last; both are empty where they are not known.
    """

    host: str
    seconds: float
    entry: str = ""
    doing: str = ""

    def __str__(self) -> str:
        who = f"`{self.entry}`" if self.entry else "Lua"
        seen = f", last seen at {self.doing}" if self.doing else ""
        return (
            f"{who} holds up the host `{self.host}` for {self.seconds:.0f} s, in one step that no limit can "
            f"stop{seen}: what else runs there waits; Ctrl-C or SIGTERM end the program all the same"
        )


class Heartbeat:
    """Looks at the hosts twice a second; who listens hears once of each that hangs."""

    def __init__(
        self,
        silences: Callable[[], list[Silence]],
        *,
        hung_seconds: float = HUNG_SECONDS,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._silences = silences
        self._hung_seconds = hung_seconds
        self._look_seconds = look_seconds
        self._listeners: list[Callable[[Silence], None]] = []
        self._hung: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None

    def listen(self, listener: Callable[[Silence], None]) -> None:
        """Let `listener` hear, once each time, of a host that hangs."""
        self._listeners.append(listener)

    def start(self) -> None:
        """Look from now on; needs a running event loop."""
        self._timer = asyncio.get_running_loop().call_later(self._look_seconds, self._look)

    def stop(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def hung(self) -> frozenset[str]:
        """The hosts that hang, as far as anybody has looked."""
        return frozenset(self._hung)

    def _look(self) -> None:
        self.start()
        found = {each.host: each for each in self._silences() if each.seconds >= self._hung_seconds}
        for host in found.keys() - self._hung:
            for listener in self._listeners:
                listener(found[host])
        self._hung = set(found)
