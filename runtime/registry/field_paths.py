"""Paths to a field of an entry, as overrides and requirement targets write them: `meta.x`, `.data.y`, `z`.

A leading dot is ignored; `kind` is the kind; a first part `meta` or `data` chooses the tree, anything else is
a field of the data. Missing maps are made on the way; what stands in the way and is no map is replaced.
"""

from __future__ import annotations

from dataclasses import replace

from runtime.core.errors import Invalid
from runtime.core.values import Value
from runtime.registry.entry import Entry
from runtime.registry.frozen import thaw

APPEND = "+="


def show(path: tuple[str | int, ...]) -> str:
    """Return `path` as people write it: `modules[0]`, `policy.effect`, `meta.command`."""
    parts = path[1:] if path and path[0] == "data" else path
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "data"


def set_field(entry: Entry, path: str, value: Value) -> Entry:
    """Return `entry` with `value` at `path`; with the suffix `+=` the value is added to the list there, once.

    Raises Invalid for an empty path, an empty part, and for `+=` on something that is no list.
    """
    target, append = (path[: -len(APPEND)].rstrip(), True) if path.endswith(APPEND) else (path, False)
    parts = target.strip().removeprefix(".").split(".")
    if not all(parts):
        raise Invalid(f"invalid path `{path}`: expected names with dots between, such as `meta.title`")
    if parts == ["kind"]:
        if append or not isinstance(value, str) or not value:
            raise Invalid("`kind` takes one string")
        return replace(entry, kind=value)
    tree = parts.pop(0) if parts[0] in ("meta", "data") else "data"
    root: dict[str, Value] = {tree: thaw(entry.meta if tree == "meta" else entry.data)}
    _set_in(root, [tree, *parts], value, append, target)
    if tree == "meta":
        meta = root["meta"]
        if not isinstance(meta, dict):
            raise Invalid("`meta` must be a map")
        return replace(entry, meta=meta)
    return replace(entry, data=root["data"])


def _set_in(root: dict[str, Value], parts: list[str], value: Value, append: bool, shown: str) -> None:
    node = root
    for part in parts[:-1]:
        below = node.get(part)
        if not isinstance(below, dict):
            below = {}
            node[part] = below
        node = below
    last = parts[-1]
    if not append:
        node[last] = value
        return
    items = node.get(last)
    if items is None:
        items = []
        node[last] = items
    if not isinstance(items, list):
        raise Invalid(f"cannot append to non-array at path: {shown}")
    if value not in items:
        items.append(value)
