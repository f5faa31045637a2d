"""The hostile programs of tests/hostile as tools born at run time, each in a real child of a real zygote."""

from __future__ import annotations

import asyncio
from typing import Any

from jail_parts import LIBRARY, program

from runtime.core.errors import Error
from runtime.jail.child import Jail, Killed
from runtime.jail.limits import MEGABYTE, JailLimits
from runtime.jail.zygote import ZygoteLauncher
from tests.hostile.hostile_cases import JAIL, Case, fault, read_cases

CASES = [case for case in read_cases() if case.runs_in(JAIL)]
AT_ONCE = 3
LIMITS = JailLimits(wall_clock=30.0, memory=32 * MEGABYTE)
SHORT = JailLimits(wall_clock=0.25, memory=16 * MEGABYTE)
"""Of cases that run on: what ends them is the wall clock."""
INFO = {"id": "app:test", "pid": "{app:host|0x1}", "host": "app:host"}
DECLARED = ("env.get", "funcs.call")


async def _tried(case: Case, launcher: ZygoteLauncher) -> str | None:
    """Return what is wrong with the end of a case."""
    killed: list[Killed] = []
    undeclared: list[str] = []
    heard: list[str] = []

    async def dispatch(name: str, args: list[Any]) -> tuple[Any, ...]:
        heard.append(name)
        if name != "logger.print" and name not in DECLARED:
            undeclared.append(name)
        return (args,)

    expected = case.expected(JAIL)
    limits = SHORT if expected in ("timeout", "killed wall_clock") else LIMITS
    jail = Jail(LIBRARY, launcher=launcher, on_killed=killed.append)
    value, error = None, None
    try:
        value = await jail.call(program(case.source, case.modules), [], dispatch, info=INFO, limits=limits)
    except Error as raised:
        error = raised
    await jail.settled()
    if undeclared or len(heard) > limits.host_calls:
        return f"the host heard {undeclared} and {len(heard)} commands in all"
    return fault(expected, value, error, killed[0].reason if killed else "")


def test_hostile_lua_in_a_jail_ends_as_its_file_says() -> None:
    found: dict[str, str] = {}

    async def main() -> None:
        launcher, room = ZygoteLauncher(), asyncio.Semaphore(AT_ONCE)
        zygote = await launcher.ready()

        async def attempt(case: Case) -> None:
            async with room:
                if (wrong := await _tried(case, launcher)) is not None:
                    found[case.name] = wrong

        try:
            await asyncio.gather(*map(attempt, CASES))
            assert (await launcher.ready()).pid == zygote.pid, "the zygote is the one of the beginning"
            jail = Jail(LIBRARY, launcher=launcher)
            assert await jail.call(program("return ..."), ["well"], _nobody) == "well"
        finally:
            launcher.close()

    asyncio.run(main())
    assert found == {}


async def _nobody(name: str, _args: list[Any]) -> tuple[Any, ...]:
    raise AssertionError(f"`{name}` was asked for")


def test_there_are_enough_cases_in_the_jail() -> None:
    assert len(CASES) >= 120
    kinds = {case.kind for case in CASES}
    assert {"escape", "cpu", "memory", "values", "coroutines", "errors", "neighbours", "deputy"} <= kinds
