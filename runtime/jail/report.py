"""Which nets hold on this machine: a child is started as a call would start it, and asked.

Nothing here is concluded from the system's name or version; what a child could not put up is off, with the
reason that the system gave.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Any

from runtime.core.errors import Unavailable
from runtime.jail.child import Jail
from runtime.jail.launcher import Launcher
from runtime.jail.level import OPTIONAL, REQUIRED, Level
from runtime.jail.limits import MEGABYTE, JailLimits
from runtime.jail.zygote import ZygoteLauncher
from runtime.lua.library import Library
from runtime.lua.program import Chunk, Program

_LIMITS = JailLimits()

FROM_OUTSIDE = (
    *("process", "protocol", "wall_clock", "environment", "descriptors"),
    *("host_calls", "events", "output"),
)
"""What the host does itself, on every platform."""

ABOUT = {
    "process": "one child for each call, which ends with it",
    "protocol": "only the commands of the declared modules, checked and bounded by the host",
    "wall_clock": "the process group is killed when the time is over",
    "environment": "closed: no variable of the host",
    "descriptors": "closed: three pipes",
    "host_calls": f"at most {_LIMITS.host_calls} calls to the host, {_LIMITS.commands_at_once} at once",
    "events": f"at most {_LIMITS.events} events in the journal",
    "output": f"at most {_LIMITS.output_bytes // MEGABYTE} MB of result and as much of lines",
    "session": "a session and process group of its own",
    "host": "it dies with the host",
    "no_dump": "no dump, and no look into it for others of its user",
    "no_new_privs": "nothing that it runs gains rights",
    "landlock": "no path can be opened",
    "landlock_tcp": "no TCP, also where sockets could be made",
    "landlock_scopes": "no signal and no local socket reaches out",
    "seccomp": "an allow-list of system calls; any other one kills it",
    "network": "a network namespace with nothing in it",
    "user": "no user's rights and no capability",
    "cpu": "limit of CPU time",
    "address_space": "limit of memory",
    "file_size": "no file grows",
    "open_files": "limit of descriptors",
    "core": "no core file",
    "processes": "no process can be made",
}


@dataclass(frozen=True, slots=True)
class Net:
    """One net: whether `full` requires it, whether it is on, and if not why."""

    name: str
    on: bool
    required: bool
    why: str

    def to_value(self) -> dict[str, Any]:
        """Return {net, on, required, about, why} as plain data."""
        return {
            "net": self.name,
            "on": self.on,
            "required": self.required,
            "about": ABOUT[self.name],
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All nets of this machine; `way` is how its children come to be, `zygote` or `cold`."""

    nets: tuple[Net, ...]
    way: str

    @property
    def missing(self) -> list[str]:
        """The required nets that are off."""
        return [net.name for net in self.nets if net.required and not net.on]

    @property
    def level(self) -> Level:
        """The level that can be had here."""
        return Level.BASIC if self.missing else Level.FULL

    def to_value(self) -> dict[str, Any]:
        """Return {level, missing, way, system, nets} as plain data."""
        return {
            "level": str(self.level),
            "missing": self.missing,
            "way": self.way,
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            "nets": [net.to_value() for net in self.nets],
        }


async def examine(launcher: Launcher | None = None) -> Report:
    """Return the nets of a child of `launcher`, else of a zygote; raise Unavailable where none starts."""
    way = "cold"
    zygote = ZygoteLauncher()
    try:
        if launcher is None:
            try:
                await zygote.ready()
                way = "zygote"
            except Unavailable:
                way = "cold"
        jail = Jail(Library.discover(), launcher=launcher or zygote, level=Level.BASIC)
        await jail.call(_nothing(), [], _refuse)
    finally:
        zygote.close()
    told = jail.nets
    assert told is not None  # the call has ended well, and it can not before they are told
    nets = [Net(name, True, True, "") for name in FROM_OUTSIDE]
    for name in (*REQUIRED, *OPTIONAL):
        on = name in told.on
        nets.append(Net(name, on, name in REQUIRED, "" if on else told.off.get(name) or "not told"))
    return Report(tuple(nets), way)


def _nothing() -> Program:
    chunk = Chunk("", "return { main = function() end }", "=report", "main")
    return Program("report", "main", (), chunk, (), (), "runtime").with_key()


async def _refuse(name: str, _args: list[Any]) -> tuple[Any, ...]:
    raise Unavailable(f"`{name}` is not there for a report")
