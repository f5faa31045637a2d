"""The stack of a tool that failed in its child reaches the parent, and speaks of the tool alone."""

from __future__ import annotations

from typing import Any

import pytest
from jail_parts import TOOL, Yard, program, run

from runtime.core.errors import Error, Internal, NotFound

BODY = """  local function divide(a, b)
    return a // b
  end
  local result = divide(1, 0)
  return result"""


def test_a_tool_that_fails_in_a_child_tells_its_own_lines() -> None:
    async def test() -> None:
        with pytest.raises(Internal, match=f"^{TOOL}:3: ") as caught:
            await Yard().jail.call(program(BODY), [], _nobody)
        assert caught.value.stack == (f"{TOOL}:3 in divide", f"{TOOL}:5")

    run(test)


def test_what_a_tool_was_refused_is_told_at_its_line() -> None:
    async def refuse(name: str, args: list[Any]) -> tuple[Any, ...]:
        error = NotFound("no such function")
        error.stack = ("src/other.lua:7 in find",)
        raise error

    async def test() -> None:
        body = '  local _, err = funcs.call("app:other")\n  return err:stack()'
        found = await Yard().jail.call(program(body, ["funcs"]), [], refuse)
        assert found == f"no such function\nsrc/other.lua:7 in find\n{TOOL}:2"

    run(test)


async def _nobody(name: str, args: list[Any]) -> tuple[Any, ...]:
    raise Error(f"`{name}` is not there")
