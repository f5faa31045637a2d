"""One tree of errors: each has a kind, says what to do, and crosses every boundary as plain data.

Messages are lower case without a full stop, quote the user's input in backticks, and say what was
expected and what to do. A file error carries its `Place`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from runtime.core.values import Value


class Kind(StrEnum):
    """The kinds of error, in Lua the same strings."""

    NOT_FOUND = "NotFound"
    ALREADY_EXISTS = "AlreadyExists"
    INVALID = "Invalid"
    PERMISSION_DENIED = "PermissionDenied"
    UNAVAILABLE = "Unavailable"
    INTERNAL = "Internal"
    CANCELED = "Canceled"
    CONFLICT = "Conflict"
    TIMEOUT = "Timeout"
    RATE_LIMITED = "RateLimited"
    UNKNOWN = ""


MAX_STACK, MAX_STACK_LINE = 40, 400
_PLACE = re.compile(r"(?P<path>.+?):(?P<line>[1-9][0-9]{0,8})(?::(?P<column>[1-9][0-9]{0,8}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file: `path` relative to the project, 1-based `line` and `column` (0 = unknown)."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.path
        return f"{self.path}:{self.line}:{self.column}" if self.column else f"{self.path}:{self.line}"

    @classmethod
    def parse(cls, text: str) -> Place:
        """Return the place that `str` wrote as `text`."""
        match = _PLACE.fullmatch(text)
        if match is None:
            return cls(text)
        return cls(match["path"], int(match["line"]), int(match["column"] or 0))


class Error(Exception):
    """Base of all errors that the runtime raises on purpose.

    `retryable` is None when nothing is known. `details` is plain data (for example `action`, `resource`).
    """

    kind: ClassVar[Kind] = Kind.UNKNOWN

    def __init__(
        self,
        message: str,
        *,
        retryable: bool | None = None,
        details: Mapping[str, Value] | None = None,
        place: Place | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.retryable = retryable
        self.details: dict[str, Value] = dict(details or {})
        self.place = place
        self.frame: tuple[str, ...] = ()
        """The lines of the file around `place`, for people; not part of the error as data."""
        self.stack: tuple[str, ...] = ()
        """Where it was raised in Lua, innermost first, as `path:line in name`; at most MAX_STACK."""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message

    def to_value(self) -> dict[str, Value]:
        """Return the error as plain data: {kind, message, retryable?, details?, place?, stack?}."""
        value: dict[str, Value] = {"kind": str(self.kind), "message": self.message}
        if self.retryable is not None:
            value["retryable"] = self.retryable
        if self.details:
            value["details"] = self.details
        if self.place:
            value["place"] = str(self.place)
        if self.stack:
            value["stack"] = list(self.stack)
        return value


class NotFound(Error):
    """The named thing does not exist."""

    kind = Kind.NOT_FOUND


class AlreadyExists(Error):
    """The name is taken."""

    kind = Kind.ALREADY_EXISTS


class Invalid(Error):
    """The input breaks a rule."""

    kind = Kind.INVALID


class PermissionDenied(Error):
    """No policy allows it, or one denies it."""

    kind = Kind.PERMISSION_DENIED


class Unavailable(Error):
    """A credential, a provider, a network or a part is not to be had now."""

    kind = Kind.UNAVAILABLE


class Internal(Error):
    """A fault inside the runtime or the application's code."""

    kind = Kind.INTERNAL


class Canceled(Error):
    """Somebody ended the work on purpose."""

    kind = Kind.CANCELED


class Conflict(Error):
    """The base of a change is not what was expected."""

    kind = Kind.CONFLICT


class Timeout(Error):
    """A deadline passed."""

    kind = Kind.TIMEOUT


class RateLimited(Error):
    """The other side asks to slow down."""

    kind = Kind.RATE_LIMITED


class Many(Invalid):
    """Several errors of one pass (all files of a load), each with its own place, in order; none is a Many.

    `details` holds them as plain data under `errors`.
    """

    def __init__(self, errors: list[Error]) -> None:
        self.errors: list[Error] = []
        for error in errors:
            self.errors += error.errors if isinstance(error, Many) else [error]
        values: list[Value] = [error.to_value() for error in self.errors]
        super().__init__("\n".join(str(error) for error in self.errors), details={"errors": values})


BY_KIND: dict[str, type[Error]] = {
    str(cls.kind): cls
    for cls in (
        NotFound,
        AlreadyExists,
        Invalid,
        PermissionDenied,
        Unavailable,
        Internal,
        Canceled,
        Conflict,
        Timeout,
        RateLimited,
        Error,
    )
}


def _text(value: Value) -> str:
    """Return a message, which from Lua may be any bytes; what is no text in them is replaced."""
    return (
        value.decode("utf-8", "replace")
        if isinstance(value, bytes)
        else value
        if isinstance(value, str)
        else ""
    )


def from_value(value: Mapping[str, Value]) -> Error:
    """Build an error from the plain data of `Error.to_value`; an unknown kind becomes a plain `Error`."""
    cls = BY_KIND.get(str(value.get("kind") or ""), Error)
    details = value.get("details")
    retryable = value.get("retryable")
    place = value.get("place")
    error = cls(
        _text(value.get("message")),
        retryable=retryable if isinstance(retryable, bool) else None,
        details=details if isinstance(details, dict) else None,
        place=Place.parse(place) if isinstance(place, str) and place else None,
    )
    error.stack = _stack(value.get("stack"))
    return error


def _stack(value: Value) -> tuple[str, ...]:
    """Return the lines of a stack, which from a child may be anything; what is no line is left out."""
    lines = value[:MAX_STACK] if isinstance(value, list) else []
    return tuple(text[:MAX_STACK_LINE] for line in lines if (text := _text(line)))
