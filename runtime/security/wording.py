"""How a complaint about a policy is worded: what was given, what was expected, the nearest name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from runtime.core.nearest import did_you_mean

_SHOWN = 80  # characters of the user's text in a message

TYPE_NAMES = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    bytes: "bytes",
}


def shown(value: object) -> str:
    """Return `value` as one short line in which a mark, a blank or a control character can be seen."""
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    cut = text[:_SHOWN] + ("..." if len(text) > _SHOWN else "")
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in cut)


def quoted(value: object) -> str:
    """Return `value` as it stands in JSON, in one short line."""
    return shown(json.dumps(value, default=_plain, ensure_ascii=False))


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


def type_name(value: object) -> str:
    """Return what `value` is in the words of a YAML author."""
    for cls in type(value).__mro__:
        if cls in TYPE_NAMES:
            return TYPE_NAMES[cls]
    return "a map" if isinstance(value, Mapping) else "a list"


def expected(word: str, allowed: Iterable[str]) -> str:
    """Return "expected one of `a`, `b`" and, where one of them is near to `word`, "did you mean `a`?"."""
    names = list(allowed)
    text = ("expected one of " if len(names) > 1 else "expected ") + ", ".join(f"`{each}`" for each in names)
    return text + did_you_mean(word, names)
