"""Durations as text, `1h30m`, in Go's notation; as numbers they are whole nanoseconds of 64 bits."""

from __future__ import annotations

import re

from runtime.core.errors import Invalid
from runtime.core.values import Value

_UNITS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_PART = re.compile(r"(\d{0,19})(?:\.(\d{0,18}))?(ns|us|µs|μs|ms|s|m|h)")
_MAX_TEXT = 128


def parse_duration(text: str) -> Value:
    """Return the nanoseconds of a text such as `1h30m`, `-1.5s` or `0`; raise Invalid with the units."""
    body = text.lstrip("+-") if isinstance(text, str) else ""
    wrong = Invalid(
        f"invalid duration `{str(text)[:_MAX_TEXT]}`: expected a text such as `1h30m`, `1.5s` or `500ms` "
        "(units ns, us, ms, s, m, h)",
        retryable=False,
    )
    if not body or len(body) > _MAX_TEXT or len(text) - len(body) > 1:
        raise wrong
    if body == "0":
        return 0
    total, at = 0, 0
    while at < len(body):
        part = _PART.match(body, at)
        if not part or not (part[1] or part[2]):
            raise wrong
        unit = _UNITS[part[3]]
        total += int(part[1] or 0) * unit
        if part[2]:
            total += int(part[2]) * unit // 10 ** len(part[2])
        at = part.end()
    if total >= 2**63:
        raise Invalid(f"duration `{text}` does not fit in 64 bits of nanoseconds", retryable=False)
    return -total if text[0] == "-" else total


def format_duration(nanoseconds: int) -> Value:
    """Return the shortest text in Go's notation, such as `1h30m0s`, `1.5s`, `2ms` or `0s`."""
    if nanoseconds == 0:
        return "0s"
    sign, rest = ("-" if nanoseconds < 0 else ""), abs(nanoseconds)
    if rest < 1_000_000_000:
        name = "ns" if rest < 1_000 else "µs" if rest < 1_000_000 else "ms"
        return f"{sign}{_decimal(rest, _UNITS[name])}{name}"
    minutes, rest = divmod(rest, _UNITS["m"])
    hours, minutes = divmod(minutes, 60)
    shown = f"{_decimal(rest, _UNITS['s'])}s"
    if hours or minutes:
        shown = f"{minutes}m{shown}"
    return f"{sign}{hours}h{shown}" if hours else sign + shown


def _decimal(value: int, unit: int) -> str:
    whole, rest = divmod(value, unit)
    fraction = f"{rest:0{len(str(unit)) - 1}d}".rstrip("0") if unit > 1 else ""
    return f"{whole}.{fraction}" if fraction else str(whole)
