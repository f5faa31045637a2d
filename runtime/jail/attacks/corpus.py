"""Runs the hostile corpus: each attack in a child of its own, and what came of it.

An attack has won where it says so, and in no other way: a child that is killed, an error and silence are
refusals. Where the jail itself can not start that is an error and no refusal.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from runtime.core.errors import Error, Unavailable
from runtime.jail.child import Jail, Killed
from runtime.jail.launcher import START, Child, worker_command
from runtime.jail.level import Level
from runtime.jail.limits import JailLimits
from runtime.jail.zygote import ZygoteLauncher
from runtime.lua.library import Library
from runtime.lua.program import Program, link

LIMITS = JailLimits(wall_clock=10.0, cpu=1)
"""Of one attack; short, since several do nothing but run on."""

ENTRY = "attacks:tool"


@dataclass(frozen=True, slots=True)
class Attack:
    """One file of the corpus; `marks` are the `name: text` lines at its head."""

    name: str
    source: str
    marks: dict[str, str]

    @property
    def wants(self) -> str:
        """What it is after."""
        return self.marks["wants"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one attack: `ending` is won, refused, killed or one of the other reasons of `Killed`."""

    kind: str
    attack: Attack
    ending: str
    detail: str

    @property
    def won(self) -> bool:
        """Whether it got what it wanted."""
        return self.ending == "won"


@dataclass(frozen=True, slots=True)
class _Source:
    """An entry born at run time, as far as linking reads it."""

    id: str
    data: Any
    kind: str = "function.lua"
    origin: str = "runtime"


def native() -> list[Attack]:
    """Return the probes for a child whose Lua is broken, by name."""
    return _attacks("native", ".probe", "#")


def lua() -> list[Attack]:
    """Return the attacks written in Lua, by name."""
    return _attacks("lua", ".lua", "--")


async def run(*, library: Library | None = None) -> AsyncIterator[Outcome]:
    """Yield the outcome of every attack; raise Unavailable where no jailed child can start."""
    async for outcome in run_native(native()):
        yield outcome
    async for outcome in run_lua(lua(), library or Library.discover()):
        yield outcome


async def run_native(attacks: list[Attack], *, bare: bool = False) -> AsyncIterator[Outcome]:
    """Yield what native `attacks` reach inside the nets, or with `bare` in a child that has none."""
    start = START.replace("jail.worker", "jail.attacks.subject")
    command = worker_command(start=start.replace("main()", "main(bare=True)") if bare else start)
    launcher = ZygoteLauncher(command, cold=_Nothing())
    field = _Range("native", Library([]), launcher, Level.BASIC if bare else Level.FULL)
    program = _program(
        "return 1", Library([])
    )  # the subject takes the source of the probe from the arguments
    try:
        with _facts() as facts:
            for attack in attacks:
                await launcher.ready()
                yield await field.attempt(attack, program, [attack.source, facts])
    finally:
        launcher.close()


async def run_lua(attacks: list[Attack], library: Library) -> AsyncIterator[Outcome]:
    """Yield what `attacks` in Lua reach through the whole of the jail."""
    launcher = ZygoteLauncher()
    field = _Range("lua", library, launcher, Level.FULL)
    try:
        for attack in attacks:
            modules = [name.strip() for name in attack.marks.get("modules", "").split(",") if name.strip()]
            program = _program(attack.source, library, modules)
            yield await field.attempt(attack, program, [])
    finally:
        launcher.close()


class _Range:
    """A jail in which attacks are tried, and what it had to kill."""

    def __init__(self, kind: str, library: Library, launcher: ZygoteLauncher, level: Level) -> None:
        self._kind = kind
        self._killed: list[Killed] = []
        self._jail = Jail(
            library, launcher=launcher, limits=LIMITS, on_killed=self._killed.append, level=level
        )

    async def attempt(self, attack: Attack, program: Program, args: list[Any]) -> Outcome:
        """Return what comes of one attack; raise Unavailable where the jail can not start."""
        self._killed.clear()
        try:
            value = await self._jail.call(program, args, _answer)
        except Error as error:
            if self._killed and self._killed[0].reason in ("start", "nets"):
                raise
            return Outcome(self._kind, attack, _ending(self._killed), error.message)
        if isinstance(value, dict) and "won" in value:
            won, what = bool(value["won"]), value.get("what")
        else:
            won, what = bool(value), value
        return Outcome(self._kind, attack, "won" if won else "refused", str(what or "nothing came of it"))


async def _answer(_command: str, _args: list[Any]) -> tuple[Any, ...]:
    return (None,)


def _ending(killed: list[Killed]) -> str:
    if not killed:
        return "refused"
    return "killed" if killed[0].reason == "system_call" else killed[0].reason


def _program(body: str, library: Library, modules: list[str] | None = None) -> Program:
    source = f"return {{ handler = function(...)\n{body}\nend }}"
    data = {"source": source, "method": "handler", "modules": modules or []}
    return link(_Source(ENTRY, data), lambda _: None, library)


class _Nothing:
    """Stands where another launcher would: what the subject can not run, nobody runs."""

    async def launch(self, _limits: JailLimits) -> Child:
        raise Unavailable("no jailed child can start", details={"part": "jail"})


@contextlib.contextmanager
def _facts() -> Iterator[dict[str, Any]]:
    """Give things that are worth an attack: files, a server on this machine, a local socket, this process."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="attacks-")))
        for name in ("secret", "victim", "moved", "journal.db"):
            (folder / name).write_text("canary")
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        name = f"attacks-{os.getpid()}"
        facts: dict[str, Any] = {
            "folder": str(folder),
            "file": str(folder / "secret"),
            "victim": str(folder / "victim"),
            "journal": str(folder / "journal.db"),
            "pid": os.getpid(),
            "port": server.getsockname()[1],
            "name": name,
        }
        if sys.platform == "linux":
            local = stack.enter_context(socket.socket(socket.AF_UNIX))
            local.bind(f"\0{name}")
            local.listen()
        target = ctypes.create_string_buffer(b"canary")
        yield {**facts, "address": ctypes.addressof(target)}


def _attacks(folder: str, suffix: str, comment: str) -> list[Attack]:
    place = resources.files("runtime.jail.attacks").joinpath(folder)
    files = (each for each in place.iterdir() if each.name.endswith(suffix))
    return [_read(each, suffix, comment) for each in sorted(files, key=lambda each: each.name)]


def _read(file: Traversable, suffix: str, comment: str) -> Attack:
    source = file.read_text(encoding="utf-8")
    marks = re.findall(rf"^{comment} (\w+): (.*)$", source, re.MULTILINE)
    return Attack(file.name.removesuffix(suffix), source, dict(marks))
