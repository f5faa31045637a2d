"""What others have to say about an entry before it is in force: the Lua floor compiles it, the security floor
reads its policy. A check that fails in any way refuses.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from runtime.core.errors import Error, Internal, Invalid, Many
from runtime.core.redact import Redactor
from runtime.registry import kinds
from runtime.registry.entry import Entry
from runtime.registry.snapshot import Snapshot

Check = Callable[[Entry, Snapshot], None]

_log = logging.getLogger(__name__)


class Checks:
    """The registered checks, in the order of their registration."""

    def __init__(self) -> None:
        self._checks: list[Check] = []

    def add(self, check: Check) -> None:
        """Ask `check` from now on."""
        self._checks.append(check)

    def require(self, entries: Iterable[Entry], view: Snapshot) -> None:
        """Raise the fault of any of `entries` in `view`, Many for several."""
        errors = [error for entry in entries if (error := self._asked(entry, view))]
        if errors:
            raise errors[0] if len(errors) == 1 else Many(errors)

    def fault_of(self, entry: Entry, view: Snapshot) -> Error | None:
        """Return what is wrong with `entry` in `view`, by its kind or by a check; None when nothing is."""
        errors = kinds.check(entry)
        return errors[0] if errors else self._asked(entry, view)

    def _asked(self, entry: Entry, view: Snapshot) -> Error | None:
        for check in self._checks:
            try:
                check(entry, view)
            except Error as error:
                error.place = error.place or entry.place
                error.details.setdefault("entry", entry.id)
                return error
            except Exception as error:
                _log.exception("check of `%s` failed", entry.id)
                return Internal(f"check of `{entry.id}` failed: {type(error).__name__}", place=entry.place)
        return None


def refuse_secrets(entries: Iterable[Entry], redactor: Redactor) -> None:
    """Raise Invalid for an entry of which the journal would mask a part: it would come back maimed."""
    for entry in entries:
        value = entry.to_value()
        if redactor.value(value) != value:
            message = f"entry `{entry.id}` holds what looks like a secret; keep it in an env.variable"
            raise Invalid(message, details={"id": entry.id})
