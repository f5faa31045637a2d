"""The commands of the Lua module `io`: only code that runs on a terminal host has a terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from runtime.core.errors import Unavailable
from runtime.lua.dispatch import Caller, Handler
from runtime.services.arguments import argument, shown, table, whole
from runtime.services.terminal import Terminal


class TerminalCommands:
    """Answers `io.*` for callers on the terminal host `host`."""

    def __init__(self, terminal: Terminal, host: str) -> None:
        self._terminal = terminal
        self._host = host

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {
            "io.available": self._available,
            "io.write": self._write,
            "io.flush": self._available,  # what is written is out at once
            "io.readline": self._readline,
            "io.read": self._read,
            "io.raw": self._raw,
            "io.args": self._args,
            "io.is_terminal": self._is_terminal,
        }

    def _check(self, caller: Caller) -> None:
        if caller.host != self._host or caller.origin == "runtime":
            raise Unavailable(
                "no terminal context: only a process on a terminal host has one", retryable=False
            )

    async def _available(self, caller: Caller, _args: list[Any]) -> bool:
        self._check(caller)
        return True

    async def _write(self, caller: Caller, args: list[Any]) -> bool:
        self._check(caller)
        wanted = table(argument(args))
        stream = "stderr" if wanted.get("stream") == "stderr" else "stdout"
        self._terminal.write(shown(wanted.get("text", "")), stream)
        return True

    async def _readline(self, caller: Caller, args: list[Any]) -> str | None:
        self._check(caller)
        if args and isinstance(args[0], str):
            # Not a write of its own before: a Ctrl-C in between would find nothing that it could interrupt.
            self._terminal.write(args[0])
        return await self._terminal.readline()

    async def _read(self, caller: Caller, args: list[Any]) -> str | None:
        self._check(caller)
        return await self._terminal.read(max(1, whole(argument(args), "count")))

    async def _raw(self, caller: Caller, _args: list[Any]) -> bool:
        self._check(caller)
        raise Unavailable(f"raw input is not available in this version on {sys.platform}", retryable=False)

    async def _args(self, caller: Caller, _args: list[Any]) -> list[str]:
        self._check(caller)
        return list(self._terminal.args)

    async def _is_terminal(self, caller: Caller, _args: list[Any]) -> bool:
        self._check(caller)
        return self._terminal.interactive
