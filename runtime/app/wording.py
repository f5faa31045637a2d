"""What the composition root shows to people goes through these; the command line says how it looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from runtime.core.values import Value
from runtime.evolution.consent import Question


@dataclass(frozen=True, slots=True)
class Wording:
    """`question` and `agrees` put a change to the owner; `model_line` says which model answers."""

    question: Callable[[Question], str]
    agrees: Callable[[str], bool]
    model_line: Callable[[Mapping[str, Value]], str]
