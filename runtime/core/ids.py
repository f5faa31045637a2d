"""Entry ids are `namespace:name`; ids of runs and sessions are UUIDs of version 7, sortable by time."""

from __future__ import annotations

import os
import re
import time
import uuid

from runtime.core.errors import Invalid

_NAMESPACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_\-]*(\.[A-Za-z0-9_][A-Za-z0-9_\-]*)*")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_\-.]*")


def split_id(entry_id: str) -> tuple[str, str]:
    """Return (namespace, name) of `namespace:name`; without a colon the namespace is empty."""
    namespace, colon, name = entry_id.partition(":")
    return (namespace, name) if colon else ("", entry_id)


def qualify(reference: str, namespace: str) -> str:
    """Return `reference` with `namespace` in front where it has none of its own."""
    return reference if ":" in reference else f"{namespace}:{reference}"


def check_id(entry_id: str) -> str:
    """Return `entry_id` when it is a well-formed `namespace:name`, else raise Invalid."""
    namespace, name = split_id(entry_id)
    if _NAMESPACE.fullmatch(namespace) and _NAME.fullmatch(name):
        return entry_id
    raise Invalid(
        f"invalid id `{entry_id}`: expected `namespace:name` of letters, digits, `_`, `-` and `.`",
    )


def new_id() -> str:
    """Return a new UUID of version 7 (RFC 9562) as text."""
    milliseconds = time.time_ns() // 1_000_000
    raw = bytearray(milliseconds.to_bytes(6, "big") + os.urandom(10))
    raw[6] = (raw[6] & 0x0F) | 0x70
    raw[8] = (raw[8] & 0x3F) | 0x80
    return str(uuid.UUID(bytes=bytes(raw)))
