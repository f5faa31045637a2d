"""The commands `store.*`: values by key, in the stores that the project declares, as policy allows each key.

A value that was kept twice has two versions; who writes with the version that was read loses no other write.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from runtime.core.errors import AlreadyExists, Conflict, Invalid, NotFound
from runtime.core.values import Value
from runtime.core.wire import pack
from runtime.lua.dispatch import Caller, Handler, Immediate
from runtime.registry.snapshot import Snapshot
from runtime.security.guard import Guard
from runtime.services.arguments import argument, text
from runtime.services.stores import KIND, MemoryStore, Stores

MOST_ITEMS = 1000  # of a page, and how many it has where the script says nothing
LONGEST = 10 * 365 * 24 * 3600.0  # seconds
MAX_KEY = 4096  # characters
_OPTIONS = ("ttl", "only_if_absent", "if_version")


class StoreCommands:
    """Answers `store.*` from `stores`."""

    def __init__(self, guard: Guard, snapshot: Callable[[], Snapshot], stores: Stores) -> None:
        self._guard = guard
        self._snapshot = snapshot
        self._stores = stores

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {
            "store.get": Immediate(self._open),
            "store.info": Immediate(self._info),
            "store.key.get": Immediate(self._get),
            "store.key.set": Immediate(self._set),
            "store.key.delete": Immediate(self._delete),
            "store.key.has": Immediate(self._has),
            "store.key.list": Immediate(self._list),
        }

    def _open(self, caller: Caller, args: list[Any]) -> object:
        id = text(argument(args), "store id")
        self._guard.require(caller.context, "store.get", id)
        self._store(caller, id)
        return {"id": id}

    def _info(self, caller: Caller, args: list[Any]) -> object:
        id = text(argument(args), "store id")
        self._guard.require(caller.context, "store.info", id)
        self._store(caller, id)
        abilities = dict.fromkeys(("list", "versioned", "conditional_put", "ttl"), True)
        return {"id": id, "backend": "memory", "consistency": "local", "durable": False, **abilities}

    def _get(self, caller: Caller, args: list[Any]) -> object:
        store, key = self._key(caller, "store.key.get", args)
        kept = store.entry(key)
        if kept is None:
            raise NotFound(f"key not found: `{key}`", details={"key": key}, retryable=False)
        return {"key": key, "value": kept[0], "version": kept[1]}

    def _set(self, caller: Caller, args: list[Any]) -> object:
        store, key = self._key(caller, "store.key.set", args)
        value: Value = argument(args, 2)
        if value is None:
            raise Invalid("value must not be nil")
        options = _options(argument(args, 3), _OPTIONS)
        only_if_absent, if_version = options.get("only_if_absent") is True, options.get("if_version")
        if only_if_absent and if_version is not None:
            raise Invalid("options `only_if_absent` and `if_version` exclude each other")
        kept = store.entry(key)
        if only_if_absent and kept is not None:
            raise AlreadyExists(f"key exists: `{key}`", details={"key": key}, retryable=False)
        if if_version is not None and (kept is None or kept[1] != if_version):
            raise Conflict(f"key `{key}` was changed: read it again", details={"key": key}, retryable=True)
        store.set(key, value, _seconds(options.get("ttl")), len(key) + len(pack(value)))
        entry = store.entry(key)
        return {"key": key, "value": value, "version": entry[1] if entry else ""}

    def _delete(self, caller: Caller, args: list[Any]) -> bool:
        store, key = self._key(caller, "store.key.delete", args)
        return store.delete(key)

    def _has(self, caller: Caller, args: list[Any]) -> bool:
        store, key = self._key(caller, "store.key.has", args)
        return store.entry(key) is not None

    def _list(self, caller: Caller, args: list[Any]) -> object:
        id, options = (
            text(argument(args), "store id"),
            _options(argument(args, 1), ("prefix", "after", "limit")),
        )
        prefix, after = options.get("prefix", ""), options.get("after", "")
        limit = options.get("limit", MOST_ITEMS)
        if not isinstance(prefix, str) or not isinstance(after, str):
            raise Invalid("options `prefix` and `after` must be strings")
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise Invalid("option `limit` must be a whole number from 1 on")
        self._guard.require(caller.context, "store.key.list", id, {"prefix": prefix})
        store, limit = self._store(caller, id), min(limit, MOST_ITEMS)
        every = store.keys()
        keys = [key for key in every if key.startswith(prefix) and key > after]
        items = [
            {"key": key, "value": kept[0], "version": kept[1]}
            for key in keys[:limit]
            if (kept := store.entry(key)) is not None
        ]
        cursor = keys[:limit][-1] if items else after
        return {"items": items, "cursor": cursor, "has_more": len(keys) > limit}

    def _key(self, caller: Caller, action: str, args: list[Any]) -> tuple[MemoryStore, str]:
        id, key = text(argument(args), "store id"), text(argument(args, 1), "key")
        if not 0 < len(key) <= MAX_KEY:
            raise Invalid(f"key must have 1 to {MAX_KEY} characters")
        self._guard.require(caller.context, action, id, {"key": key})
        return self._store(caller, id), key

    def _store(self, caller: Caller, id: str) -> MemoryStore:
        entry = self._snapshot().get(id)
        if entry is None or entry.kind != KIND:
            what = f"it is a `{entry.kind}`" if entry else "there is no such entry"
            known = [each.id for each in self._snapshot().kind(KIND)]
            what += self._guard.meant(caller.context, "store.get", id, known)
            raise NotFound(f"store not found: `{id}`: {what}", details={"id": id}, retryable=False)
        return self._stores.get(entry)


def _options(value: Any, known: tuple[str, ...]) -> dict[str, Any]:
    if value is None or value == []:
        return {}
    if not isinstance(value, dict):
        raise Invalid("options must be a table")
    for name in value:
        if name not in known:
            raise Invalid(f"option `{name}` is unknown: expected {', '.join(known)}")
    return value


def _seconds(ttl: Any) -> float | None:
    if ttl is None or ttl == 0:
        return None
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or not math.isfinite(ttl) or ttl < 0:
        raise Invalid("ttl must be a number of seconds, 0 for no end")
    return min(float(ttl), LONGEST)
