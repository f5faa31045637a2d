"""What `jail.level` means: the nets that `full` requires, and what is said where one of them is off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from enum import StrEnum
from typing import NamedTuple

from runtime.core.errors import Unavailable


class Level(StrEnum):
    """`full` runs nothing where a required net is off; `basic` runs with those that the system has."""

    FULL = "full"
    BASIC = "basic"


REQUIRED = (
    *("session", "host", "no_dump", "no_new_privs", "landlock", "seccomp"),
    *("cpu", "address_space", "file_size", "open_files", "core", "processes"),
)
OPTIONAL = ("network", "user", "landlock_tcp", "landlock_scopes")
"""Put up where the system permits them."""


class Nets(NamedTuple):
    """The nets of a child as it told them before it had read its task: those on, and why others are off."""

    on: tuple[str, ...]
    off: Mapping[str, str]

    def missing(self) -> list[str]:
        """Return the required nets that are not on, in order."""
        return [net for net in REQUIRED if net not in self.on]


Agree = Callable[[Collection[str]], Awaitable[bool]]
"""Asks the owner whether code born at run time may run without these nets."""


class NetsMissing(Unavailable):
    """A call did not run because of `missing`; of this class only where the host itself says so."""

    def __init__(self, message: str, missing: list[str]) -> None:
        super().__init__(message, details={"part": "jail", "missing": [*missing]})
        self.missing = missing


def refusal(nets: Nets) -> NetsMissing:
    """Return the error of a call that does not run because of what is missing."""
    missing = nets.missing()
    reasons = ", ".join(f"`{net}` ({nets.off.get(net) or 'not told'})" for net in missing)
    return NetsMissing(
        f"code born at run time does not run here: the jail lacks {reasons}; "
        "see `runtime doctor`, or set `jail.level: basic` in your own settings",
        missing,
    )
