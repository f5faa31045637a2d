"""What a Lua state calls in Python: the functions of modules, packed arguments in, a packed answer out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.core.errors import Error, Internal, Unavailable
from runtime.core.wire import pack, unpack
from runtime.lua.typed.validators import matches

FAULT = pack([False, Internal("a function of the runtime failed")])
"""The answer of a function that raised something else than an `Error`."""
NO_ROOM = pack([False, Internal("an answer does not fit into the memory of the Lua state")])
NOT_LOADED = pack(
    [False, Unavailable("this function was not loaded: write the name of its module as it is, in the source")]
)
"""The answer where the functions of a module are not there, because no source names it."""


class Functions:
    """The functions that `find(module, function)` gives, and those of the kernel itself."""

    fault = FAULT
    no_room = NO_ROOM

    def __init__(self, find: Callable[[str, str], Callable[..., Any] | None]) -> None:
        self._find = find

    def call(self, name: str, packed: bytes) -> bytes:
        """Return [True, value] or [False, error], packed, of the function `name`, `module.function`."""
        module, _, function = name.rpartition(".")
        try:
            call = matches if name == "kernel.pattern" else self._find(module, function)
            if call is None:
                raise Internal(f"module `{module}` has no function `{function}`")
            return pack([True, call(*unpack(packed))])  # type: ignore[misc]
        except Error as error:
            return pack([False, error])
