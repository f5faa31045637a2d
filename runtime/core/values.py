"""Plain data: the only thing that crosses a boundary (Lua, journal, child process, provider)."""

from __future__ import annotations

from typing import TypeAlias, Union

Value: TypeAlias = Union[bool, int, float, str, bytes, "list[Value]", "dict[str, Value]", None]


def is_unicode(text: str) -> bool:
    """Return whether `text` can be written as UTF-8, which a lone surrogate can not."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
