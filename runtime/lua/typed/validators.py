"""What validators of types ask of the host: patterns on RE2, whose time is linear in the text."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from runtime.core.errors import Invalid

MAX_PATTERN = 4096  # bytes


def matches(pattern: str | bytes, text: str | bytes) -> bool:
    """Return whether `pattern` matches somewhere in `text`; raise Invalid where it is no pattern."""
    raw = isinstance(pattern, bytes) or isinstance(text, bytes)
    return _compiled(_bytes(pattern), raw).search(_bytes(text)) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: bytes, raw: bool) -> Any:
    import re2

    if len(pattern) > MAX_PATTERN:
        raise Invalid(f"pattern of {len(pattern)} bytes: expected at most {MAX_PATTERN}")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 8 * 1024 * 1024
    if raw:
        options.encoding = re2.Options.Encoding.LATIN1
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise Invalid(f"`{pattern.decode('utf-8', 'replace')}` is no pattern: {text}") from None


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
