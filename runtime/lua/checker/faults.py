"""What can be wrong, by code, and the words for it; a code never changes its meaning."""

from __future__ import annotations

from dataclasses import dataclass, replace

from runtime.lua.checker.text import show
from runtime.lua.checker.types import NIL, Type

MISMATCH = "E0001"
"""A value has not the type that is expected where it goes."""
NIL_VALUE = "E0002"
"""Nil, or what may be nil, stands where a value is needed."""
UNKNOWN_FIELD = "E0003"
"""A field or method is read or set that the type does not have."""
ARGUMENTS = "E0004"
"""A function is called with too few or too many arguments."""
NOT_CALLABLE = "E0005"
"""What is called is no function."""
RETURNS = "E0006"
"""A function may end without what it says it returns, or returns too much."""
OPERATOR = "E0007"
"""An operator does not work on a value of this type."""
READONLY = "E0008"
"""What is readonly is changed, or given to what may change it."""

REMEDY = "check it with `if`, or give it a default with `or`"
_ADVICE = "check it with `if`, give it a default with `or`, or let the type end in `?`"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a value does not fit: `path` are the fields on the way to what does not.

    `missing` is the name of a field that is not there, `hint` what may help.
    """

    code: str
    source: Type
    target: Type
    path: tuple[str, ...] = ()
    missing: str = ""
    hint: str = ""

    def under(self, name: str) -> Fault:
        """Return the fault as that of the value that holds it under `name`."""
        return replace(self, path=(name, *self.path))

    @property
    def message(self) -> str:
        """What was expected, what was found, and where there is a remedy, the remedy."""
        return (f"in `{'.'.join(self.path)}`: " if self.path else "") + self._said()

    def _said(self) -> str:
        source, target = show(self.source), show(self.target)
        if self.missing:
            return f"field `{self.missing}` of {target} is missing: add it, or make it optional with `?`"
        if self.code == NIL_VALUE:
            if self.source == NIL:
                return f"expected {target}, found `nil`: give it a value, or let the type end in `?`"
            return f"expected {target}, found {source}, which may be nil: {_ADVICE}"
        if self.code == READONLY:
            return (
                f"expected {target}, found {source}, which must not be changed: make what takes it readonly"
            )
        if source == "`unknown`":
            return f"expected {target}, found `unknown`: narrow it first, with `type(...)` or `T:is(...)`"
        return f"expected {target}, found {source}" + (f": {self.hint}" if self.hint else "")
