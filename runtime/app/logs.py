"""Where log lines go: to standard error, masked, and only when somebody asked to see them."""

from __future__ import annotations

import json
import logging

from runtime.core.redact import Redactor


class _Masked(logging.Formatter):
    """Formats a record as text or as one JSON object, without any secret."""

    def __init__(self, redactor: Redactor, as_json: bool) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")
        self._redactor = redactor
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        if not self._as_json:
            return self._redactor.text(super().format(record))
        line = {"level": record.levelname.lower(), "logger": record.name, "message": record.getMessage()}
        return self._redactor.text(json.dumps(line, ensure_ascii=False))


def set_up_logs(redactor: Redactor, *, verbose: bool, encoding: str, silent: bool = False) -> None:
    """Send records to standard error: from info on when `verbose`, none when `silent`, else errors."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Masked(redactor, encoding == "json"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.CRITICAL + 1 if silent else logging.INFO if verbose else logging.ERROR)
    for name in ("httpx2", "httpcore2", "openai", "casbin"):  # they log requests and rules
        logging.getLogger(name).setLevel(logging.WARNING if verbose else logging.ERROR)
