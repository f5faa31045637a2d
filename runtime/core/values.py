"""Plain data: the only thing that crosses a boundary (Lua, journal, child process, provider)."""

from __future__ import annotations

from typing import TypeAlias, Union

Value: TypeAlias = Union[  # noqa: UP007 - a recursive alias needs the string form on 3.11
    None, bool, int, float, str, bytes, "list[Value]", "dict[str, Value]"
]
