"""Tool names fit the provider's rule at the wire only: inside the runtime a tool keeps the name that it has.

Providers accept `[a-zA-Z0-9_-]{1,64}`. A name that fits goes as it is; another gets its bad characters
replaced and a piece of its hash, so that two names never meet and a name is always written the same way.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

MAX_NAME = 64
HASH_DIGITS = 8

_FITS = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_BAD = re.compile(r"[^a-zA-Z0-9_-]+")


class WireNames:
    """The names of one request, both ways: those of the tools and those in the history."""

    def __init__(self, names: Iterable[str]) -> None:
        self._to_wire: dict[str, str] = {}
        self._from_wire: dict[str, str] = {}
        ordered = list(dict.fromkeys(names))
        # Names that fit are settled first: no shortened name may take one of theirs.
        for name in sorted(ordered, key=lambda item: _FITS.fullmatch(item) is None):
            wire = name if _FITS.fullmatch(name) else _shortened(name, self._from_wire)
            self._to_wire[name] = wire
            self._from_wire[wire] = name

    def wire(self, name: str) -> str:
        """Return the name to send for the tool `name`."""
        return self._to_wire.get(name) or (name if _FITS.fullmatch(name) else _shortened(name, {}))

    def name(self, wire: str) -> str:
        """Return the tool that the provider means; a name that nobody sent stays as it is."""
        return self._from_wire.get(wire, wire)


def _shortened(name: str, taken: dict[str, str]) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    stem = _BAD.sub("_", name).strip("_")[: MAX_NAME - HASH_DIGITS - 1] or "tool"
    digits = HASH_DIGITS
    while True:
        wire = f"{stem[: MAX_NAME - digits - 1]}_{digest[:digits]}"
        if wire not in taken or digits > MAX_NAME - 8:
            return wire
        digits += 4
