"""The module `uuid`: versions 1, 3, 4, 5 and 7, and what can be read from an identifier."""

from __future__ import annotations

import os
import re
import uuid

from runtime.core.errors import Invalid
from runtime.core.ids import new_id
from runtime.core.values import Value
from runtime.lua.module import module_from_folder

_FORM = re.compile(
    r"(?:urn:uuid:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}", re.IGNORECASE
)
_GREGORIAN = 0x01B21DD213814000  # 100 ns intervals between 1582-10-15 and 1970-01-01
_NODE = int.from_bytes(os.urandom(6), "big") | (1 << 40)  # never the machine's own address


def _read(text: object, name: str = "input") -> uuid.UUID:
    if not isinstance(text, str):
        raise Invalid(f"{name} must be a string", retryable=False)
    if not _FORM.fullmatch(text):
        raise Invalid(
            f"invalid UUID format `{text[:64]}`: expected 32 hex digits, with hyphens or none",
            retryable=False,
        )
    return uuid.UUID(text)


def v1() -> Value:
    """Return a UUID of the time and a node id that is random for each run."""
    return str(uuid.uuid1(node=_NODE))


def v4() -> Value:
    """Return a random UUID."""
    return str(uuid.uuid4())


def v3(namespace: object, name: object) -> Value:
    """Return the UUID of a name in a namespace by MD5."""
    return _named(3, namespace, name)


def v5(namespace: object, name: object) -> Value:
    """Return the UUID of a name in a namespace by SHA-1."""
    return _named(5, namespace, name)


def _named(version: int, namespace: object, name: object) -> Value:
    space = _read(namespace, "namespace")
    if not isinstance(name, str):
        raise Invalid("name must be a string", retryable=False)
    return str(uuid.uuid3(space, name) if version == 3 else uuid.uuid5(space, name))


def validate(text: object) -> Value:
    """Return whether `text` is a UUID."""
    return isinstance(text, str) and _FORM.fullmatch(text) is not None


def version(text: object) -> Value:
    """Return the version number that a UUID carries."""
    return _read(text).int >> 76 & 0xF


def variant(text: object) -> Value:
    """Return RFC4122, NCS, Microsoft or Future."""
    top = _read(text).int >> 61 & 0x7
    if top < 4:
        return "NCS"
    return "RFC4122" if top < 6 else "Microsoft" if top == 6 else "Future"


def parse(text: object) -> Value:
    """Return {version, variant, timestamp? in seconds (1, 7), node? (1)}."""
    found = _read(text)
    info: dict[str, Value] = {"version": version(text), "variant": variant(text)}
    if info["version"] == 1:
        info["timestamp"] = (found.time - _GREGORIAN) // 10_000_000
        info["node"] = f"{found.node:012x}"
    elif info["version"] == 7:
        info["timestamp"] = (found.int >> 80) // 1000
    return info


def format_uuid(text: object, form: object = None) -> Value:
    """Return the UUID as `standard`, `simple` (no hyphens) or `urn`."""
    found = _read(text)
    if form is None or form == "standard":
        return str(found)
    if form == "simple":
        return found.hex
    if form == "urn":
        return found.urn
    raise Invalid(f"unsupported format `{form!s:.40}`: expected standard, simple or urn", retryable=False)


def v7() -> Value:
    """Return a UUID that sorts by the time of its making."""
    return new_id()


MODULE = module_from_folder(
    __file__,
    functions={
        "v1": v1,
        "v3": v3,
        "v4": v4,
        "v5": v5,
        "v7": v7,
        "validate": validate,
        "version": version,
        "variant": variant,
        "parse": parse,
        "format": format_uuid,
    },
    page="lua/security/uuid",
    summary="UUIDs of versions 1, 3, 4, 5 and 7: make, check, read and format them.",
    classes=("nondeterministic",),
)
