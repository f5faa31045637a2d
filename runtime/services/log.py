"""Log lines of Lua code: structured, masked, and bounded; they go to the host's log under the entry's id."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from runtime.core.redact import Redactor
from runtime.lua.dispatch import Caller, Handler
from runtime.services.arguments import argument, shown

MAX_LINE = 8192
_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warn": logging.WARNING, "error": logging.ERROR}


class LogCommands:
    """Answers `logger.log` and what `print` says."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {"logger.log": self._log, "logger.print": self._print}

    async def _log(self, caller: Caller, args: list[Any]) -> bool:
        line = self._redactor.value(argument(args))
        fields = line.get("fields") if isinstance(line, dict) else None
        text = shown(line.get("message", "") if isinstance(line, dict) else line)
        if fields:
            text += " " + json.dumps(fields, ensure_ascii=False, default=shown, sort_keys=True)
        name = shown(line.get("name") or "") if isinstance(line, dict) else ""
        level = _LEVELS.get(str(line.get("level")) if isinstance(line, dict) else "", logging.INFO)
        logger = logging.getLogger("lua." + caller.entry.replace(":", "."))
        logger.log(level, "%s", f"{name + ': ' if name else ''}{text}"[:MAX_LINE])
        return True

    async def _print(self, caller: Caller, args: list[Any]) -> bool:
        return await self._log(caller, [{"message": argument(args)}])
