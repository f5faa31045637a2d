"""A failure as people read it: what went wrong, and under it the lines of the user's Lua that led there."""

from __future__ import annotations

from runtime.core.errors import Error, Kind
from runtime.core.text import visible

MAX_LINES = 12
_FAULTS = (Kind.INTERNAL, Kind.UNKNOWN)


def failure(error: Error) -> str:
    """Return `error` as text; a fault of the code has its stack, a refusal or a lack has none."""
    lines = [f"error: {error}"]
    if error.kind in _FAULTS:
        lines += [f"    at {visible(line)}" for line in error.stack[:MAX_LINES]]
        if len(error.stack) > MAX_LINES:
            lines.append(f"    and {len(error.stack) - MAX_LINES} more")
    return "\n".join(lines)
