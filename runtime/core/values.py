"""Plain data: the only thing that crosses a boundary (Lua, journal, child process, provider)."""

from __future__ import annotations

from typing import TypeAlias, Union

Value: TypeAlias = Union[bool, int, float, str, bytes, "list[Value]", "dict[str, Value]", None]
