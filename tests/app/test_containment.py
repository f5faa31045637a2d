"""The level of the jail comes from the settings, is said where it is weak, and the owner can be asked."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.app.containment import contain
from runtime.core.errors import Error
from runtime.jail.child import Jail
from runtime.jail.launcher import Child, ColdLauncher
from runtime.jail.level import NetsMissing
from runtime.jail.limits import JailLimits
from runtime.jail.zygote import ZygoteLauncher
from runtime.lua.library import Library
from runtime.lua.program import Chunk, Program
from runtime.registry.settings import Settings
from runtime.services.terminal import Terminal

# A child that tells of no net at all, and answers where it is given a task.
BARE = """
import struct, os, msgpack
def send(kind, *fields):
    body = msgpack.packb(list(fields))
    os.write(1, struct.pack(">BI", kind, len(body)) + body)
def receive():
    os.read(0, struct.unpack(">BI", os.read(0, 5))[1])
receive()
send(4, [], {})
receive()
send(7, "it ran", None)
"""


class Bare(ZygoteLauncher):
    """Starts children without nets."""

    async def launch(self, limits: JailLimits) -> Child:
        command = list(ColdLauncher().command)
        start = command.index("-c") + 1
        command[start] = f"import sys; sys.path += sys.argv[1:]\n{BARE}"
        return await ColdLauncher(command).launch(limits)


def settings(level: str | None) -> Settings:
    found = Settings()
    if level:
        found.add([("jail.level", level, None)], "user")
    return found


def called(
    tmp_path: Path, level: str | None, typed: str, agrees: Callable[[str], bool] | None
) -> tuple[str, str]:
    """Return what two calls in a jail without nets came to, and what the terminal showed."""
    shown = tmp_path / "shown"
    read, write = os.pipe()
    os.write(write, typed.encode())
    os.close(write)
    program = Program("app:x", "main", (), Chunk("", "return 1", "=x", "main"), (), (), "runtime").with_key()

    async def call(jail: Jail) -> str:
        try:
            return str(await jail.call(program, [], _nothing))
        except NetsMissing:
            return "refused"

    async def main() -> str:
        with shown.open("wb") as errors:
            terminal = Terminal(read, errors.fileno(), errors.fileno())
            jail = contain(Library.discover(), settings(level), Bare(), lambda _: None, terminal, agrees)
            return f"{await call(jail)}, {await call(jail)}"

    try:
        return asyncio.run(main()), shown.read_text()
    finally:
        os.close(read)


async def _nothing(name: str, _args: list[object]) -> tuple[object, ...]:
    raise Error(f"`{name}` is not there")


@pytest.mark.parametrize(
    ("level", "typed", "asked", "found"),
    [
        (None, "y\n", False, "refused, refused"),
        ("full", "y\n", False, "refused, refused"),
        ("full", "y\n", True, "it ran, it ran"),
        ("full", "n\ny\n", True, "refused, refused"),
        ("full", "", True, "refused, refused"),
        ("basic", "", False, "it ran, it ran"),
    ],
)
def test_where_nets_are_missing_it_runs_only_with_the_owner_s_word(
    tmp_path: Path, level: str | None, typed: str, asked: bool, found: str
) -> None:
    came, shown = called(tmp_path, level, typed, (lambda answer: answer == "y") if asked else None)
    assert came == found
    assert shown.count("[y/N]") == (1 if asked else 0)
    assert ("lacks: session, host" in shown) is asked
    assert ("jail.level is basic" in shown) is (level == "basic")
