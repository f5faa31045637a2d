"""One step of the rehearsal: something said, and at most one call."""

from __future__ import annotations

from dataclasses import dataclass, field

from runtime.core.values import Value


@dataclass(frozen=True, slots=True)
class Step:
    """`text` and the call of `tool` with `arguments`; without a tool the text is the final answer."""

    text: str
    tool: str = ""
    arguments: dict[str, Value] = field(default_factory=dict)
