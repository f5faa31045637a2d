"""What a program says is heard in order and whole, also when it is killed, and so is what its child says."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from jail_parts import Yard, crafted, program, run

from runtime.core.errors import Error, Internal, Invalid, Timeout
from runtime.jail.level import Level
from runtime.jail.limits import JailLimits
from runtime.jail.zygote import ZygoteLauncher

COUNTED = [f"line {number}" for number in range(1, 201)]
SAYS = "for number = 1, 200 do print('line ' .. number) end "


async def _call(
    launcher: ZygoteLauncher | None, body: str, limits: JailLimits, **options: Any
) -> tuple[list[str], Error | None, list[str]]:
    """Return what was said, the error, and why the child was ended."""
    lines: list[str] = []

    async def hear(name: str, args: list[Any]) -> tuple[Any, ...]:
        if name == "logger.print":
            await asyncio.sleep(0)  # a listener that takes its time
            lines.append(args[0])
        return (True,)

    yard = Yard(limits, launcher)
    try:
        await yard.jail.call(program(body, ["env"]), [], hear, **options)
    except Error as error:
        return lines, error, yard.reasons
    return lines, None, yard.reasons


WAYS = [True, False]


def heard(body: str, limits: JailLimits, forked: bool) -> tuple[list[str], Error | None, list[str]]:
    found: list[tuple[list[str], Error | None, list[str]]] = []

    async def test() -> None:
        launcher = ZygoteLauncher() if forked else None
        if launcher is not None:
            await launcher.ready()
        try:
            found.append(await _call(launcher, body, limits))
        finally:
            if launcher is not None:
                launcher.close()

    run(test)
    return found[0]


@pytest.mark.parametrize("forked", WAYS)
def test_what_was_said_before_a_loop_is_heard_when_the_wall_clock_ends_it(forked: bool) -> None:
    lines, error, reasons = heard(SAYS + "while true do end", JailLimits(wall_clock=1.0), forked)
    assert isinstance(error, Timeout)
    assert reasons == ["wall_clock"]
    assert lines == COUNTED


def test_what_was_said_is_heard_when_the_limit_of_cpu_ends_it() -> None:
    lines, error, reasons = heard(SAYS + "while true do end", JailLimits(cpu=1), True)
    assert isinstance(error, Timeout)
    assert reasons == ["cpu"]
    assert lines == COUNTED


def test_what_was_said_is_heard_when_memory_ends_it() -> None:
    lines, error, _ = heard(SAYS + "local t = {} while true do t = {t, {}} end", JailLimits(), True)
    assert isinstance(error, Internal)
    assert lines == COUNTED


def test_what_was_said_is_heard_when_the_program_fails() -> None:
    lines, error, _ = heard(SAYS + "error('no')", JailLimits(), True)
    assert "no" in str(error)
    assert lines == COUNTED


def test_a_line_goes_out_while_the_program_runs() -> None:
    async def test() -> None:
        said = asyncio.Event()

        async def hear(_name: str, _args: list[Any]) -> tuple[Any, ...]:
            said.set()
            return ()

        yard = Yard()
        call = asyncio.create_task(yard.jail.call(program("print('here') while true do end"), [], hear))
        await said.wait()
        assert not call.done()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    run(test)


def test_lines_and_calls_keep_their_order() -> None:
    order: list[str] = []

    async def hear(name: str, args: list[Any]) -> tuple[Any, ...]:
        order.append(f"{name} {args[0]}")
        return (True,)

    body = """
      local done = channel.new(1)
      coroutine.spawn(function() env.get("A") print("after A") done:send(true) end)
      coroutine.spawn(function() print("beside") end)
      done:receive()
      print("last")
    """

    async def test() -> None:
        await Yard().jail.call(program(body, ["env"]), [], hear)

    run(test)
    assert order == ["env.get A", "logger.print beside", "logger.print after A", "logger.print last"]


def test_who_says_more_than_the_net_of_output_allows_is_ended() -> None:
    limits = JailLimits(output_bytes=10_000)
    lines, error, reasons = heard("while true do print(('x'):rep(1000)) end", limits, True)
    assert isinstance(error, Invalid)
    assert "what it says takes more than 10000 bytes" in error.message
    assert reasons == ["size"]
    assert lines == ["x" * 1000] * 9


@pytest.mark.parametrize("name", ["a_crash_with_words.py", "a_kill_with_words.py"])
def test_the_words_of_a_dead_child_are_in_its_error(name: str) -> None:
    async def test() -> None:
        yard = Yard(JailLimits(wall_clock=5.0), crafted(name), Level.BASIC)
        with pytest.raises(Error) as caught:
            await yard.jail.call(program("return 1", ["env"]), [], _true)
        assert "the last words" in str(caught.value.details["stderr"])

    run(test)


async def _true(_name: str, _args: list[Any]) -> tuple[Any, ...]:
    return (True,)
