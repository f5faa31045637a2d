"""The kernel as bytecode: the files of `kernel` in the order in which they build on each other."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from runtime.lua.guard import guarded_kernel
from runtime.lua.state import new_lua

FILES = (
    *("base", "objects", "traces", "errors", "encode", "decode", "copy"),
    *("limits", "timers", "coroutines", "scheduler"),
    *("channels", "subscriptions", "retire", "cost", "matcher", "patterns", "strings", "tables"),
    *("grants", "started", "host", "sandbox", "types", "type_checks", "type_order", "type_values"),
    *("modules", "programs", "step"),
)

_FOLDER = Path(__file__).parent / "kernel"


@cache
def kernel() -> tuple[bytes, ...]:
    """Return the compiled files in order; loading one costs a fifth of parsing it for each state."""
    return tuple(map(_compiled, FILES))


@cache
def _compiler() -> Any:
    return new_lua(0).eval(b"function(s, n) return string.dump(assert(load(s, n, 't'))) end")


def _compiled(name: str) -> bytes:
    source = _FOLDER.joinpath(f"{name}.lua").read_text(encoding="utf-8")
    place = "kernel"
    if name in ("matcher", "patterns"):  # the one part that may be stopped like a script
        source, place = guarded_kernel(source), "patterns"
    return bytes(_compiler()(source.encode(), f"=[{place}]/{name}.lua".encode()))
