"""Reads the hostile programs of this folder: one Lua file a case, whose first lines say what becomes of it.

    -- expect: OUTCOME                in a trusted Lua state, beside a neighbour
    -- limit: SECONDS                 of running there (0.1 unless said)
    -- jail: OUTCOME                  in a jailed child, where that is another than `expect`
    -- modules: NAME, ...             which the entry declares, in the jail
    -- containment: trusted | jail    where only one of the two promises what is tested

An OUTCOME is one of

    value JSON             it ends with this value
    error KIND [TEXT]      it ends with an error of this kind whose message holds TEXT
    timeout                it is stopped at its limit: in a jail its child is killed at the wall clock
    killed REASON          the host ended its child, for that reason
    contained              it ends with any error, or with the value "contained"

A case that talks to the module `host`, which only the engine's tests have, is run in a trusted state alone.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.core.errors import Error, Timeout

FOLDER = Path(__file__).parent
TRUSTED, JAIL = "trusted", "jail"
_MARK = re.compile(r"-- (expect|limit|jail|modules|containment): *(.*)")


@dataclass(frozen=True, slots=True)
class Case:
    """One file; `marks` are its directives."""

    name: str
    source: str
    marks: dict[str, str]

    @property
    def kind(self) -> str:
        """The folder that it is in."""
        return self.name.partition("/")[0]

    @property
    def limit(self) -> float:
        """Seconds of running in a trusted state."""
        return float(self.marks.get("limit", "0.1"))

    @property
    def modules(self) -> list[str]:
        """What its entry declares in a jail."""
        return [name.strip() for name in self.marks.get("modules", "").split(",") if name.strip()]

    def runs_in(self, containment: str) -> bool:
        """Whether it tests a promise of `containment`."""
        only = self.marks.get("containment") or (TRUSTED if "host." in self.source else None)
        return only in (None, containment)

    def expected(self, containment: str) -> str:
        """What must become of it there."""
        found = self.marks.get("jail") if containment == JAIL else None
        return found or self.marks["expect"]


def read_cases() -> list[Case]:
    """Return every case, by name."""
    return [_read(path) for path in sorted(FOLDER.rglob("*.lua"))]


def _read(path: Path) -> Case:
    source = path.read_text(encoding="utf-8")
    marks: dict[str, str] = {}
    for line in source.splitlines():
        if not line.startswith("--"):
            break
        if found := _MARK.fullmatch(line):
            marks[found[1]] = found[2].strip()
    return Case(f"{path.parent.name}/{path.stem}", source, marks)


def fault(expected: str, value: Any, error: Error | None, reason: str = "") -> str | None:
    """Return how the end of a case differs from what was expected; `reason` is why its child was ended."""
    outcome, _, rest = expected.partition(" ")
    found = f"{error.kind}: {error.message[:300]}" if error is not None else f"the value {value!r:.300}"
    found += f" (killed: {reason})" if reason else ""
    if outcome == "value":
        good = error is None and value == json.loads(rest)
    elif outcome == "error":
        kind, _, text = rest.partition(" ")
        good = error is not None and str(error.kind) == kind and text in str(error) and not reason
    elif outcome == "timeout":
        good = isinstance(error, Timeout) and reason in ("", "wall_clock")
    elif outcome == "killed":
        good = error is not None and reason == rest
    else:
        assert outcome == "contained", expected
        good = error is not None or value == "contained"
    return None if good else f"expected {expected}, found {found}"
