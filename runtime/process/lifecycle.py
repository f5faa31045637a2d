"""What an entry says about its life: when it starts, after what, and what follows a failure."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.core.ids import qualify
from runtime.registry.entry import Entry
from runtime.registry.known_settings import seconds


@dataclass(frozen=True, slots=True)
class Restart:
    """Seconds before a service that failed starts again: at first, at most; how they grow and spread.

    `max_attempts` counts restarts between two stable runs; 0 is any number.
    """

    initial_delay: float = 1.0
    max_delay: float = 90.0
    backoff_factor: float = 2.0
    jitter: float = 0.1
    max_attempts: int = 0

    def delay(self, attempt: int) -> float:
        """Return the seconds to wait before the restart of that number, which starts at 1."""
        try:
            grown = min(self.max_delay, self.initial_delay * self.backoff_factor ** min(attempt - 1, 64))
        except OverflowError:
            grown = self.max_delay
        return grown * (1 + self.jitter * random.uniform(-1, 1))

    def gives_up(self, attempt: int) -> bool:
        """Whether the restart of that number is one too many."""
        return bool(self.max_attempts) and attempt > self.max_attempts


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The life of one service; times are in seconds.

    A run of `stable_threshold` makes earlier failures forgotten. Where `required` is set a service that can
    not be started at all keeps the run from starting.
    """

    auto_start: bool = False
    stop_timeout: float = 10.0
    stable_threshold: float = 5.0
    required: bool = True
    restart: Restart = Restart()


def read_lifecycle(entry: Entry) -> Lifecycle:
    """Return the lifecycle of an entry that passed its schema."""
    given: Any = entry.fields.get("lifecycle") or {}
    restart: Any = given.get("restart") or {}
    plain = Restart()
    return Lifecycle(
        auto_start=given.get("auto_start") is True,
        stop_timeout=_duration(given, "stop_timeout", 10.0),
        stable_threshold=_duration(given, "stable_threshold", 5.0),
        required=given.get("startup", "required") == "required",
        restart=Restart(
            initial_delay=_duration(restart, "initial_delay", plain.initial_delay),
            max_delay=_duration(restart, "max_delay", plain.max_delay),
            backoff_factor=restart.get("backoff_factor", plain.backoff_factor),
            jitter=restart.get("jitter", plain.jitter),
            max_attempts=restart.get("max_attempts", plain.max_attempts),
        ),
    )


def requirements(entry: Entry) -> tuple[str, ...]:
    """Return the full ids of what must run before `entry`: `requires`, and `depends_on`, its old name."""
    given: Any = entry.fields.get("lifecycle")
    if not isinstance(given, Mapping):
        return ()
    names = (*(given.get("requires") or ()), *(given.get("depends_on") or ()))
    return tuple(dict.fromkeys(qualify(str(name), entry.namespace) for name in names))


def _duration(holder: Mapping[str, Any], name: str, default: float) -> float:
    """A number is in nanoseconds, as the peer writes it; a text is a duration."""
    value = holder.get(name)
    if value is None:
        return default
    return seconds(value) if isinstance(value, str) else value / 1e9
