"""One finding of the linter or of the type checker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runtime.core.errors import Place

Level = Literal["error", "warning", "hint"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong where.

    `code` is stable and documented (`E0001` types, `W0001` rules, `P0001` what does not parse); `entry` is
    the id of the registry entry, "" where there is none; `place` is in the user's file.
    """

    code: str
    level: Level
    message: str
    place: Place
    entry: str = ""
