"""What the journal keeps of a call: every value has a form there, a large one its beginning and its digest.

Numbers that JSON lacks and errors are tagged maps (`{"$number": "nan"}`, `{"$error": {...}}`); the journal
has its own tag for bytes. Secrets are masked before anything is cut, so no half of one stays behind.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from typing import Any

from runtime.core.canonical import digest
from runtime.core.errors import Error, from_value
from runtime.core.redact import Redactor
from runtime.core.values import Value

MAX_TEXT = 64 * 1024
"""Characters of JSON that one value may take in an event."""


def _text_of_bytes(item: object) -> object:
    return base64.b64encode(item).decode() if isinstance(item, bytes) else repr(item)


_COMPACT = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=_text_of_bytes)


def kept(name: str, value: Any, redactor: Redactor) -> dict[str, Value]:
    """Return `{name: value}`, or `{name_cut: {text, characters, digest}}` where the value is large."""
    try:
        masked = redactor.value(plain(value))
        text = _COMPACT.encode(masked)
    except (Error, ValueError, RecursionError) as error:
        return {f"{name}_cut": {"text": "", "reason": f"it has no form in the journal: {error}"}}
    if len(text) <= MAX_TEXT:
        return {name: masked}
    cut: dict[str, Value] = {
        "text": text[:MAX_TEXT],
        "characters": len(text),
        "digest": digest(text.encode("utf-8", "surrogatepass")),
    }
    return {f"{name}_cut": cut}


def original(value: Value) -> Any:
    """Return what `plain` made `value` of, as far as it says; an error comes back as one."""
    if isinstance(value, list):
        return [original(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1:
        tag, inside = next(iter(value.items()))
        if tag == "$number" and isinstance(inside, str):
            return float(inside)
        if tag == "$error" and isinstance(inside, Mapping):
            return from_value(inside)
    return {key: original(item) for key, item in value.items()}


def plain(value: Any) -> Value:
    """Return a copy of `value` (what the wire carries) in values that the journal takes."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"$number": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    if isinstance(value, Error):
        return {"$error": plain(value.to_value())}
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else repr(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    return {"$unknown": type(value).__name__}
