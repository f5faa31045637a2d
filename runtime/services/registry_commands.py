"""The commands of the Lua module `registry`: each read and each write asks policy for exactly the entry it
means.

A write passes, in this order: the form of its operations, policy for each entry, the gate (which may wait
for a person), policy and base once more, and the registry itself. What is applied is the very object that
was shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.core.canonical import canonical
from runtime.core.errors import Conflict, Invalid, NotFound
from runtime.core.ids import check_id
from runtime.lua.dispatch import Caller, Handler
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.gate import ChangeGate, Proposed
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot
from runtime.security.guard import Guard
from runtime.services.arguments import argument, shown, table, text, whole

MAX_OPS = 1000
_KINDS = ("create", "update", "delete")


class RegistryCommands:
    """Answers `registry.*` for Lua code."""

    def __init__(self, registry: Registry, guard: Guard, gate: ChangeGate) -> None:
        self._registry = registry
        self._guard = guard
        self._gate = gate

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {
            "registry.get": self._get,
            "registry.find": self._find,
            "registry.entries": self._entries,
            "registry.namespace": self._namespace,
            "registry.version": self._version,
            "registry.versions": self._versions,
            "registry.apply": self._apply,
            "registry.apply_version": self._apply_version,
            "registry.delta": self._delta,
        }

    async def _get(self, caller: Caller, args: list[Any]) -> dict[str, Any]:
        wanted = table(argument(args))
        entry_id = text(wanted.get("id"), "entry id")
        self._guard.require(caller.context, "registry.get", entry_id)
        return self._snapshot(wanted).require(entry_id).to_value()

    async def _find(self, caller: Caller, args: list[Any]) -> list[dict[str, Any]]:
        wanted = table(argument(args))
        criteria = table(wanted.get("filter"), "filter")
        return self._visible(caller, self._snapshot(wanted).find(criteria))

    async def _entries(self, caller: Caller, args: list[Any]) -> list[dict[str, Any]]:
        return self._visible(caller, self._snapshot(table(argument(args))).entries())

    async def _namespace(self, caller: Caller, args: list[Any]) -> list[dict[str, Any]]:
        wanted = table(argument(args))
        return self._visible(
            caller, self._snapshot(wanted).namespace(text(wanted.get("namespace"), "namespace"))
        )

    async def _version(self, _caller: Caller, args: list[Any]) -> dict[str, Any]:
        number = table(argument(args)).get("id")
        return self._describe(self._registry.current.version if number is None else whole(number, "version"))

    async def _versions(self, _caller: Caller, _args: list[Any]) -> list[dict[str, Any]]:
        return [self._describe(version.id) for version in self._registry.versions()]

    async def _apply(self, caller: Caller, args: list[Any]) -> dict[str, Any]:
        wanted = table(argument(args))
        ops = self._read_ops(wanted.get("ops"))
        return self._describe(await self._put_in_force(caller, ops, wanted.get("base_version")))

    async def _put_in_force(self, caller: Caller, ops: tuple[Op, ...], base: object) -> int:
        """Take `ops` through policy, the gate, policy again and the registry; return the version."""
        self._authorize(caller, ops)
        current = self._registry.current
        if base is not None and base != current.version:
            raise Conflict("registry changed during apply; take a new snapshot and retry", retryable=True)
        before = tuple(current.get(op.entry.id) for op in ops)
        for op, entry in zip(ops, before, strict=True):
            _check_declared(op, entry)
        actor = _actor(caller)
        # Nobody is asked about what could not be put in force anyway.
        self._registry.rehearse(ops, actor=actor, origin=Origin.RUNTIME, cause=caller.cause)
        await self._gate.admit(Proposed(ops, before, actor, caller.session, caller.cause))
        # The owner may have taken a while: what was true before the question is asked again.
        self._authorize(caller, ops)
        if any(self._registry.current.get(op.entry.id) != old for op, old in zip(ops, before, strict=True)):
            raise Conflict("the entry changed while consent was asked; read it again", retryable=True)
        return self._registry.apply(ops, actor=actor, origin=Origin.RUNTIME, cause=caller.cause).version

    async def _apply_version(self, caller: Caller, args: list[Any]) -> bool:
        self._guard.require(caller.context, "registry.apply_version", "")
        way = self._registry.way_back(whole(table(argument(args)).get("id"), "version"))
        if way.declared:
            raise Conflict(
                f"`{way.declared[0]}` is declared by a file or module now or was then: a version can not "
                "change what they declare",
                retryable=False,
                details={"ids": list(way.declared)},
            )
        if way.ops:
            await self._put_in_force(caller, way.ops, None)
        return True

    async def _delta(self, _caller: Caller, args: list[Any]) -> list[dict[str, Any]]:
        wanted = table(argument(args))
        old = {entry["id"]: entry for entry in _entry_tables(wanted.get("from"))}
        new = {entry["id"]: entry for entry in _entry_tables(wanted.get("to"))}
        ops = [{"kind": "entry.delete", "entry": old[each]} for each in sorted(old.keys() - new.keys())]
        for each in sorted(new):
            if each not in old:
                ops.append({"kind": "entry.create", "entry": new[each]})
            elif canonical(new[each]) != canonical(old[each]):
                ops.append({"kind": "entry.update", "entry": new[each]})
        return ops

    def _read_ops(self, value: Any) -> tuple[Op, ...]:
        if not isinstance(value, list) or not value:
            raise Invalid("no changes to apply")
        if len(value) > MAX_OPS:
            raise Invalid(f"a changeset holds at most {MAX_OPS} operations, this one has {len(value)}")
        ops = []
        for item in value:
            kind = item.get("kind") if isinstance(item, dict) else None
            if kind not in _KINDS:
                raise Invalid(f"an operation is one of {', '.join(_KINDS)}, not `{shown(kind)}`")
            entry = item.get("entry")
            if kind == "delete":
                ops.append(Op.delete(check_id(text(table(entry, "entry").get("id"), "entry id"))))
                continue
            ops.append(Op(kind, Entry.from_value(entry, Origin.RUNTIME)))
        return tuple(ops)

    def _authorize(self, caller: Caller, ops: tuple[Op, ...]) -> None:
        for op in ops:
            current = self._registry.current.get(op.entry.id)
            kind = op.entry.kind or (current.kind if current else "")
            kind_now = current.kind if current else kind
            for each in dict.fromkeys((kind, kind_now)):  # changing what is there needs the allow for it too
                self._guard.require(
                    caller.context, "registry.apply", op.entry.id, {"op": op.kind, "kind": each}
                )

    def _snapshot(self, wanted: Mapping[str, Any]) -> Snapshot:
        version = wanted.get("version")
        current = self._registry.current
        if version is None or version == current.version:
            return current
        return self._registry.at(whole(version, "version"))

    def _visible(self, caller: Caller, entries: list[Entry]) -> list[dict[str, Any]]:
        return [
            entry.to_value()
            for entry in entries
            if self._guard.check(caller.context, "registry.get", entry.id).allowed
        ]

    def _describe(self, number: int) -> dict[str, Any]:
        known = sorted(version.id for version in self._registry.versions())
        if number not in known:
            raise NotFound(f"version not found: {number}")
        at = known.index(number)
        return {
            "id": number,
            "previous": known[at - 1] if at else None,
            "next": known[at + 1] if at + 1 < len(known) else None,
        }


def _actor(caller: Caller) -> str:
    """Return who a change is written down for; without an actor, strict mode being off, what asked for it."""
    return caller.context.actor.id if caller.context.actor else caller.entry


def _check_declared(op: Op, entry: Entry | None) -> None:
    if entry is not None and entry.origin is not Origin.RUNTIME:
        raise Conflict(
            f"`{entry.id}` is declared by a {entry.origin}, which wins over a run-time {op.kind}",
            retryable=False,
        )


def _entry_tables(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(each, dict) and each.get("id") for each in value):
        raise Invalid("build_delta expects arrays of entries, each with an id")
    return value
