"""The programs that Lua states may start by themselves, each under a number that is short to say."""

from __future__ import annotations

from collections import OrderedDict

from runtime.lua.program import Program

MAX_PROGRAMS = 4096
"""Far more than are allowed at a time; a number that was forgotten starts nothing."""


class AllowedPrograms:
    """The table of numbers and programs; what was allowed longest ago goes first."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._programs: OrderedDict[int, Program] = OrderedDict()
        self._last = 0

    def number_of(self, program: Program) -> int:
        """Return the number of `program`, a new one where it has none."""
        known = self._numbers.get(program.key)
        if known is not None:
            return known
        self._last += 1
        self._numbers[program.key] = self._last
        self._programs[self._last] = program
        if len(self._programs) > MAX_PROGRAMS:
            _, forgotten = self._programs.popitem(last=False)
            del self._numbers[forgotten.key]
        return self._last

    def get(self, number: int) -> Program | None:
        """Return the program of that number."""
        return self._programs.get(number)
