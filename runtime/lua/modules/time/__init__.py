"""The module `time`: times, durations, zones, sleeping and timers, with Go's layouts and names.

Its Lua code is in several files, each one subject; they are joined into one chunk, each as a function of the
host and a table that they share.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from runtime.core.values import Value
from runtime.lua.module import module_from_folder
from runtime.lua.modules.time.durations import format_duration, parse_duration
from runtime.lua.modules.time.layout import format_time, parse_time
from runtime.lua.modules.time.zones import load_location, offset_at

PARTS = ("shared", "calendar", "locations", "durations", "times", "timers")


def remainder(seconds: int, nanosecond: int, step: int) -> Value:
    """Return what is left of a time since the year 1 after whole steps of `step` nanoseconds."""
    return (seconds * 1_000_000_000 + nanosecond) % step


def _joined(table: str) -> str:
    folder = Path(__file__).parent
    sources = [(folder / f"{name}.lua").read_text(encoding="utf-8") for name in PARTS]
    calls = "".join(f"(function(...)\n{source}end)(host, T);\n" for source in sources)
    return f"local host, T = ..., {{}};\n{calls}return (function(...)\n{table}end)(host, T)\n"


_TABLE = module_from_folder(
    __file__,
    functions={
        "format_time": format_time,
        "parse_time": parse_time,
        "format_duration": format_duration,
        "parse_duration": parse_duration,
        "load_location": load_location,
        "offset_at": offset_at,
        "remainder": remainder,
    },
    page="lua/core/time",
    summary="The current time in any zone, dates, durations, formats, sleeping, timers and tickers.",
    classes=("time", "nondeterministic"),
)
MODULE = replace(_TABLE, lua=_joined(_TABLE.lua))
