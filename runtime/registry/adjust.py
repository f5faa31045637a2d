"""What settings change of the entries that files declare: overrides of single fields, and entries left out.

The order is: override, leave out, link, override again, so that an override also wins over what linking
filled in. An override may not make a component of the runtime run other code: it is trusted with more than a
project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from runtime.core.errors import Error, Invalid, NotFound, Place
from runtime.core.nearest import did_you_mean
from runtime.core.values import Value
from runtime.registry.entry import Entry, Origin, same
from runtime.registry.field_paths import set_field
from runtime.registry.settings import Settings

_CHOICE = re.compile(r"\(([^()]*)\)")
_LUA = ".lua"


@dataclass(frozen=True, slots=True)
class Adjustments:
    """`overrides` by `namespace:name:path`; `place` is where they were written."""

    overrides: Mapping[str, Value] = field(default_factory=dict)
    namespaces: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    place: Place | None = None

    @classmethod
    def of(cls, settings: Settings) -> Adjustments:
        """Return what `settings` say; raise Invalid for a pattern or key that has no meaning."""
        origin = settings.origin("override")
        empty: dict[str, Value] = {}
        found = cls(
            settings.get("override", empty),
            tuple(map(str, settings.get("disable.namespaces", []))),
            tuple(map(str, settings.get("disable.entries", []))),
            settings.get("disable.meta", empty),
            origin.place if origin else None,
        )
        for pattern in found.entries:
            if ":" not in pattern:
                raise Invalid(f"invalid pattern `{pattern}` in `disable.entries`: expected namespace:name")
        return found

    def before_linking(self, entries: Iterable[Entry]) -> tuple[list[Entry], list[Error]]:
        """Return the entries that stay, overridden, and every override that could not be made."""
        changed, errors = self.override(entries)
        return [entry for entry in changed if not self.leaves_out(entry)], errors

    def override(self, entries: Iterable[Entry]) -> tuple[list[Entry], list[Error]]:
        """Return all `entries`, overridden, and every override that could not be made."""
        by_id = {entry.id: entry for entry in entries}
        errors: list[Error] = []
        for key, value in self.overrides.items():
            try:
                entry_id, path = _read_key(key)
                if entry_id not in by_id:
                    raise NotFound(f"no entry found for {entry_id}{did_you_mean(entry_id, by_id)}")
                by_id[entry_id] = _overridden(by_id[entry_id], path, value)
            except Error as error:
                error.message = f"override `{key}`: {error.message}"
                error.place = error.place or self.place
                errors.append(error)
        return list(by_id.values()), errors

    def leaves_out(self, entry: Entry) -> bool:
        """Whether a pattern leaves `entry` out."""
        return (
            any(_matches(pattern, entry.namespace) for pattern in self.namespaces)
            or any(_matches_id(pattern, entry) for pattern in self.entries)
            or any(_has(entry.meta.get(name), wanted) for name, wanted in self.meta.items())
        )


NONE = Adjustments()


def _read_key(key: str) -> tuple[str, str]:
    parts = key.split(":", 2)
    if len(parts) != 3 or not all(parts):
        missing = "first" if len(parts) < 2 else "second"
        raise Invalid(f"missing {missing} ':' separator (expected namespace:entry:path)")
    return f"{parts[0]}:{parts[1]}", parts[2]


def _overridden(entry: Entry, path: str, value: Value) -> Entry:
    changed = set_field(entry, path, value)
    runs_code = entry.kind.endswith(_LUA) or changed.kind.endswith(_LUA)
    if entry.origin is Origin.MODULE and (runs_code or changed.kind != entry.kind):
        raise Invalid(
            f"`{entry.id}` belongs to a component of the runtime: its code and kind stay as they are"
        )
    return changed


def _has(have: Value, wanted: Any) -> bool:
    choices = wanted if isinstance(wanted, list) else [wanted]
    items = have if isinstance(have, list) else [have]
    return any(same(item, choice) for item in items for choice in choices)


def _matches_id(pattern: str, entry: Entry) -> bool:
    namespace, _, name = pattern.partition(":")
    return _matches(namespace, entry.namespace) and _matches(name, entry.name)


def _matches(pattern: str, text: str) -> bool:
    return _compiled(pattern).fullmatch(text) is not None


@lru_cache(256)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return the expression of a pattern: `*` is one segment, `**` any number of them, `(a|b)` a choice."""
    text = ""
    for index, segment in enumerate(pattern.split(".")):
        dot = r"\." if index else ""
        if segment == "**":
            text += rf"(?:{dot}[^.]+)*" if index else r"(?:[^.]+(?:\.[^.]+)*)?"
        else:
            text += dot + "".join(_segment(segment))
    if pattern.startswith("**."):  # none at all also takes the dot away
        text = rf"(?:{text}|{_compiled(pattern[3:]).pattern})"
    return re.compile(text)


def _segment(segment: str) -> Iterable[str]:
    end = 0
    for choice in _CHOICE.finditer(segment):
        yield _glob(segment[end : choice.start()])
        yield "(?:" + "|".join(map(_glob, choice[1].split("|"))) + ")"
        end = choice.end()
    yield _glob(segment[end:])


def _glob(text: str) -> str:
    return "[^.]*".join(map(re.escape, text.split("*")))
