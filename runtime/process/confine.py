"""How a program that is not trusted is run, and what comes of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from runtime.core.errors import Canceled, Error, Internal, Unavailable
from runtime.core.values import Value
from runtime.lua.program import Program
from runtime.process.task import Task

_log = logging.getLogger(__name__)

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


async def outcome(
    confine: Confine | None, task: Task, program: Program, args: Sequence[Any], info: Mapping[str, Value]
) -> tuple[Any, Error | None]:
    """Return what `program` returns, and the Error with which it or the jail failed."""
    if confine is None:
        message = f"`{program.entry}` was made at run time and there is no jail to run it in"
        return None, Unavailable(message)
    try:
        return await confine(program, args, task.commands.run, values=task.caller.values, info=info), None
    except Error as error:
        return None, error
    except asyncio.CancelledError:
        return None, task.ending or canceled(task)
    except Exception:
        _log.exception("the jail failed for `%s`", program.entry)
        return None, Internal(f"`{program.entry}` could not be run")


def canceled(task: Task) -> Canceled:
    """Return what a task ends with whose run was canceled for no other reason."""
    return Canceled(f"`{task.caller.entry}` was canceled")
