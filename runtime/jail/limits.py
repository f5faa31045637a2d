"""What one jailed call may use: every net is independent, and the first that is reached ends the call."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class JailLimits:
    """`wall_clock` and `cpu` in seconds, sizes in bytes; `host_calls` counts commands, answered or refused,
    and `events` what those write into the journal.

    `memory` bounds the Lua heap and `address_space` the whole child. `argument_bytes` bounds one command's
    arguments, `output_bytes` the result and, counted for themselves, all lines that it says, `reply_bytes`
    all that the host answers during one call. At most `commands_at_once` run at a time, and the host takes no
    more commands while those that are not answered hold more than `held_bytes` of arguments.
    """

    wall_clock: float = 30.0
    cpu: int = 10
    memory: int = 64 * MEGABYTE
    address_space: int = 256 * MEGABYTE
    open_files: int = 16
    host_calls: int = 1000
    events: int = 1000
    commands_at_once: int = 16
    held_bytes: int = 2 * MEGABYTE
    argument_bytes: int = MEGABYTE
    output_bytes: int = MEGABYTE
    reply_bytes: int = 64 * MEGABYTE
    stderr_bytes: int = 4096
