"""What runs a program that is not trusted, as the table of tasks sees it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from runtime.core.values import Value
from runtime.lua.program import Program

TRUSTED = ("file", "module")
"""The origins whose programs share a Lua state with others."""


class Confine(Protocol):
    """Runs a program that is not trusted; see `runtime.jail.child.Jail.call`."""

    async def __call__(
        self,
        program: Program,
        args: Sequence[Any],
        dispatch: Callable[[str, list[Any]], Awaitable[tuple[Any, ...]]],
        *,
        values: Mapping[str, Value],
        info: Mapping[str, Value],
    ) -> Any:
        """Return what the program returns; raise its Error, or the reason why it was ended."""
