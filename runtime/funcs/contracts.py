"""The commands `contract.*`: what a contract promises, who keeps it, and calls of its methods.

A definition names methods; a binding says, for each contract that it implements, which function keeps which
method. A method runs as its caller, narrowed like any call, with the values that its instance was opened
with. Everything is read from the registry as it is at the call, so a binding can be changed under an open
instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from runtime.core.errors import Invalid, NotFound
from runtime.core.ids import qualify
from runtime.core.nearest import did_you_mean
from runtime.core.values import Value
from runtime.funcs.calls import FunctionCalls
from runtime.lua.dispatch import Caller, Handler
from runtime.process.authority import read_actor, read_scope, read_values
from runtime.process.task import Start
from runtime.registry.entry import Entry
from runtime.registry.frozen import thaw
from runtime.registry.snapshot import Snapshot
from runtime.security.actor import Context
from runtime.security.guard import Guard
from runtime.security.narrowing import narrow

DEFINITION = "contract.definition"
BINDING = "contract.binding"
_NUMBERS: tuple[Callable[[str], Value], ...] = (int, float)


@dataclass(frozen=True, slots=True)
class Kept:
    """A contract that a binding keeps: functions by method, and the context values that it needs."""

    contract: str
    methods: Mapping[str, str]
    default: bool
    context_required: tuple[str, ...]


class ContractCommands:
    """Answers `contract.*`."""

    def __init__(self, calls: FunctionCalls, guard: Guard, snapshot: Callable[[], Snapshot]) -> None:
        self._calls = calls
        self._guard = guard
        self._snapshot = snapshot

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {
            "contract.get": self._get,
            "contract.find_implementations": self._find,
            "contract.builder": self._builder,
            "contract.open": self._open,
            "contract.call": self._call,
            "contract.cancel": self._calls.cancel,
        }

    async def _get(self, caller: Caller, args: list[Any]) -> dict[str, Any]:
        wanted = _id(args[0] if args else None, "contract")
        self._guard.require(caller.context, "contract.get", wanted)
        entry = self._definition(caller, wanted)
        return {"id": entry.id, "methods": [thaw(method) for method in _methods(entry)]}

    async def _find(self, caller: Caller, args: list[Any]) -> list[str]:
        wanted = _id(args[0] if args else None, "contract")
        self._guard.require(caller.context, "contract.implementations", wanted)
        return [
            entry.id
            for entry in self._snapshot().kind(BINDING)
            if any(kept.contract == wanted for kept in kept_by(entry))
        ]

    async def _builder(self, caller: Caller, args: list[Any]) -> bool:
        self._start(caller, args[0] if args and isinstance(args[0], dict) else {}, asked=True)
        return True

    async def _open(self, caller: Caller, args: list[Any]) -> dict[str, Any]:
        wanted = args[0] if args and isinstance(args[0], dict) else {}
        contract, binding = wanted.get("contract"), wanted.get("binding")
        if binding is None:
            binding = self._default_of(caller, _id(contract, "contract"))
        binding = _id(binding, "binding")
        self._guard.require(caller.context, "contract.open", binding)
        entry = self._binding(caller, binding)
        kept = list(kept_by(entry))
        if contract is not None and all(each.contract != contract for each in kept):
            raise NotFound(f"binding `{binding}` does not implement contract `{contract}`")
        start = self._start(caller, wanted)
        for name in (name for each in kept for name in each.context_required):
            if name not in start.values:
                raise Invalid(f"binding `{binding}` needs the context value `{name}`")
        return {
            "binding": entry.id,
            "contracts": [each.contract for each in kept],
            "methods": sorted({name for each in kept for name in each.methods}),
        }

    async def _call(self, caller: Caller, args: list[Any]) -> Any:
        wanted = args[0] if args and isinstance(args[0], dict) else {}
        binding, method = _id(wanted.get("binding"), "binding"), wanted.get("method")
        if not isinstance(method, str) or not method:
            raise Invalid("method name required")
        self._guard.require(caller.context, "contract.call", method, {"binding": binding})
        self._guard.require(caller.context, "contract.open", binding)  # a child may name one it never opened
        entry = self._binding(caller, binding)
        functions = {name: target for kept in kept_by(entry) for name, target in kept.methods.items()}
        if method not in functions:
            meant = did_you_mean(method, functions)
            raise NotFound(f"binding `{binding}` has no method `{method}`{meant}", details={"method": method})
        work = self._calls.invoke(
            caller, functions[method], args[1:], self._start(caller, wanted), wanted.get("options")
        )
        return await self._calls.cancellable(caller, wanted.get("key"), work)

    def _start(self, caller: Caller, wanted: Mapping[str, Any], *, asked: bool = False) -> Start:
        given, query = read_values(wanted.get("context")), wanted.get("query")
        if (
            asked and given is not None
        ):  # values at `open` are part of opening; a wrapper that carries some asks
            self._guard.require(caller.context, "contract.context", "context")
        values = {**caller.values, **(read_query(query) if isinstance(query, str) else {}), **(given or {})}
        wished = Context(read_actor(wanted.get("actor")), read_scope(wanted.get("scope")))
        return Start(
            narrow(self._guard, caller.context, wished, "contract.security"),
            values,
            caller.session,
            caller.cause,
        )

    def _definition(self, caller: Caller, entry_id: str) -> Entry:
        entry = self._snapshot().get(entry_id)
        if entry is None or entry.kind != DEFINITION:
            meant = self._meant(caller, "contract.get", entry_id, DEFINITION)
            raise NotFound(f"contract `{entry_id}` not found{meant}", details={"id": entry_id})
        return entry

    def _binding(self, caller: Caller, entry_id: str) -> Entry:
        entry = self._snapshot().get(entry_id)
        if entry is None or entry.kind != BINDING:
            meant = self._meant(caller, "contract.open", entry_id, BINDING)
            raise NotFound(f"binding `{entry_id}` not found{meant}", details={"id": entry_id})
        return entry

    def _meant(self, caller: Caller, action: str, wanted: str, kind: str) -> str:
        names = [entry.id for entry in self._snapshot().kind(kind)]
        return self._guard.meant(caller.context, action, wanted, names)

    def _default_of(self, caller: Caller, contract: str) -> str:
        self._definition(caller, contract)
        for entry in self._snapshot().kind(BINDING):
            if any(kept.contract == contract and kept.default for kept in kept_by(entry)):
                return entry.id
        raise NotFound(f"contract `{contract}` has no default binding", details={"id": contract})


def kept_by(binding: Entry) -> Iterator[Kept]:
    """Yield the contracts that `binding` keeps, ids in full."""
    declared: Any = binding.fields.get("contracts") or ()
    for each in declared:
        methods: Mapping[str, str] = each.get("methods") or {}
        yield Kept(
            qualify(each["contract"], binding.namespace),
            {name: qualify(target, binding.namespace) for name, target in methods.items()},
            each.get("default") is True,
            tuple(each.get("context_required") or ()),
        )


def check_binding(entry: Entry, snapshot: Snapshot) -> None:
    """Raise NotFound where a binding names a contract, method or function that is not there."""
    if entry.kind != BINDING:
        return
    for index, kept in enumerate(kept_by(entry)):
        at: tuple[str | int, ...] = ("data", "contracts", index)
        place = entry.place_of(*at, "contract")
        definition = snapshot.get(kept.contract)
        if definition is None or definition.kind != DEFINITION:
            known = [each.id for each in snapshot.kind(DEFINITION)]
            meant = did_you_mean(kept.contract, known)
            raise NotFound(f"contract `{kept.contract}` of `{entry.id}` is not there{meant}", place=place)
        names = {method["name"] for method in _methods(definition)}
        for name, target in kept.methods.items():
            place = entry.place_of(*at, "methods", name)
            if name not in names:
                meant = did_you_mean(name, names)
                raise NotFound(f"contract `{kept.contract}` has no method `{name}`{meant}", place=place)
            if target not in snapshot:
                meant = did_you_mean(target, [each.id for each in snapshot.kind("function.lua")])
                raise NotFound(f"function `{target}` of method `{name}` is not there{meant}", place=place)
        if missing := sorted(names - set(kept.methods)):
            raise Invalid(
                f"`{entry.id}` does not keep method `{missing[0]}` of `{kept.contract}`",
                place=entry.place_of(*at),
            )


def read_query(text: str) -> dict[str, Value]:
    """Return the values of a query: `true` and `false`, whole and other numbers are read as such."""
    return {name: _read(value) for name, value in parse_qsl(text, keep_blank_values=True, max_num_fields=100)}


def _read(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    for number in _NUMBERS:
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _methods(definition: Entry) -> list[Any]:
    methods: Any = definition.fields.get("methods") or []
    return list(methods)


def _id(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise Invalid(f"{what} ID required")
    namespace, colon, name = value.partition(":")
    if not colon or not namespace or not name:
        raise Invalid(f"invalid {what} ID `{value}`: expected namespace:name")
    return value
