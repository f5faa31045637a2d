"""The exit codes of interface.md, and which kind of error ends with which."""

from __future__ import annotations

from runtime.core.errors import Error, Kind
from runtime.journal.events import Damaged

DONE = 0
FAILED = 1
USAGE = 2
NOT_FOUND = 3
REFUSED = 4
CONFLICT = 5
INTEGRITY = 6
UNAVAILABLE = 7
WAITING = 8
INTERRUPTED = 130
TERMINATED = 143

_BY_KIND = {
    Kind.INVALID: USAGE,
    Kind.NOT_FOUND: NOT_FOUND,
    Kind.PERMISSION_DENIED: REFUSED,
    Kind.CONFLICT: CONFLICT,
    Kind.ALREADY_EXISTS: CONFLICT,
    Kind.UNAVAILABLE: UNAVAILABLE,
    Kind.TIMEOUT: UNAVAILABLE,
    Kind.RATE_LIMITED: UNAVAILABLE,
    Kind.CANCELED: INTERRUPTED,
}


def exit_code(error: Error) -> int:
    """Return the exit code that `error` ends the program with."""
    if isinstance(error, Damaged):
        return INTEGRITY
    return _BY_KIND.get(error.kind, FAILED)
