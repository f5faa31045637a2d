"""Which other entries an entry names: the edges of the order in which changes are applied.

The fields are the peer's (entry ids in `meta` and `data` under these names); a bare name stands for the
entry's own namespace. A name that is no entry is no edge, so it is safe to report too many.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runtime.core.ids import qualify
from runtime.registry.entry import Entry

_META = ("parent", "depends_on", "groups", "server", "router")
_DATA = (
    *("config", "groups", "host", "process", "func", "fs", "env", "storage", "storages", "store", "driver"),
    *("queue", "set", "server", "middleware", "token_store"),
)


def references(entry: Entry) -> set[str]:
    """Return the ids that `entry` names, itself left out."""
    found = {qualify(name, entry.namespace) for name in _named(entry)}
    found.discard(entry.id)
    return found


def _named(entry: Entry) -> Iterator[str]:
    meta, data = entry.meta, entry.fields
    for tree, names in ((meta, _META), (data, _DATA)):
        for key, value in tree.items():
            if key in names or key.endswith("_env"):
                yield from _strings(value)
    yield from _strings(_values(data.get("imports")))
    yield from _strings(_values(data.get("contracts")))
    lifecycle = data.get("lifecycle")
    for holder in data.values():
        if isinstance(holder, dict):
            yield from _strings(holder.get("depends_on"))
    if isinstance(lifecycle, dict):
        yield from _strings(lifecycle.get("requires"))
    for holder in (data, lifecycle):
        security = holder.get("security") if isinstance(holder, dict) else None
        if isinstance(security, dict):
            yield from _strings(security.get("policies"))
            yield from _strings(security.get("groups"))


def _values(value: Any) -> Any:
    return list(value.values()) if isinstance(value, dict) else value


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                yield item
            elif isinstance(item, dict):
                yield from (text for text in item.values() if isinstance(text, str))
