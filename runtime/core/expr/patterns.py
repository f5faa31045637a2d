"""The regular expressions of `matches`: RE2, so that no pattern takes more than linear time."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from runtime.core.errors import Invalid

MAX_PATTERN = 4096  # characters
_MEMORY = 1024 * 1024  # bytes


@lru_cache(256)
def regular_expression(pattern: object) -> Any:
    """Return the compiled pattern; raise Invalid with RE2's reason."""
    import re2

    if not isinstance(pattern, str):
        raise Invalid("`matches` needs a pattern as a string")
    if len(pattern) > MAX_PATTERN:
        raise Invalid(f"pattern of {len(pattern)} characters is over the limit of {MAX_PATTERN}")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return re2.compile(pattern, options)
    except (re2.error, ValueError) as error:
        cause = error.args[0] if error.args else error
        words = cause.decode("utf-8", "replace") if isinstance(cause, bytes) else str(cause)
        raise Invalid(f"invalid regular expression `{pattern[:80]}`: {words}") from None
