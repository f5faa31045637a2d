"""What calls give, whether their arguments fit, and what holds once they have returned."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.lua.checker import builtins
from runtime.lua.checker.access import is_simple, read
from runtime.lua.checker.applying import Applying, Arguments
from runtime.lua.checker.conditions import truthy
from runtime.lua.checker.desk import Values, start
from runtime.lua.checker.faults import (
    MISMATCH,
    NIL_VALUE,
    NOT_CALLABLE,
    READONLY,
)
from runtime.lua.checker.flow import Key
from runtime.lua.checker.text import show
from runtime.lua.checker.types import (
    ANY,
    ERROR,
    FALSE,
    INTEGER,
    NIL,
    Array,
    Function,
    Record,
    Type,
    TypeValue,
    accepts_nil,
    members,
    opened,
    optional,
    union,
)
from runtime.lua.typed.nodes import Call, Constant, Expression, Member, Name

_KEEPING = frozenset({"type", "tostring", "tonumber", "ipairs", "pairs", "select", "print", "rawequal"})
_ADDING = {"insert": True, "remove": False, "sort": False}


class Calls(Applying):
    """Reads calls."""

    def values(self, nodes: Sequence[Expression]) -> Values:
        """Return the types of a list of expressions; the last one may give several."""
        found = Values()
        for index, node in enumerate(nodes):
            last = index == len(nodes) - 1
            if last and isinstance(node, Call):
                several = self.call(node)
                return Values([*found.types, *several.types], several.rest)
            if last and isinstance(node, Constant) and node.kind == "...":
                return Values(found.types, ANY)
            found.types.append(self.infer(node))
        return found

    def call(self, node: Call) -> Values:
        """Return what a call gives."""
        self.step()
        if node.method:
            return self._method(node)
        special = self._special(node)
        if special is not None:
            return special
        callee = self.infer(node.function)
        given = self.values(node.arguments)
        result = self._called(callee, node, given, None)
        if not (isinstance(node.function, Name) and node.function.name in _KEEPING):
            self._forget()
        return result

    def _method(self, node: Call) -> Values:
        owner = self.infer(node.function)
        given = self.values(node.arguments)
        if isinstance(owner, TypeValue):
            return Values([optional(owner.type), optional(ERROR)]) if node.method == "is" else Values([], ANY)
        callee, problem = read(owner, node.method)
        if problem is not None and (self.frame.typed or not is_simple(owner)):
            self.report(*problem, start(node))
            return Values([], ANY)
        result = self._called(callee, node, given, owner)
        self._forget()
        return result

    def _called(self, callee: Type, node: Call, given: Values, owner: Type | None) -> Values:
        """Return what calling a `callee` with `given` gives; `owner` is what a method is called on."""
        results = []
        for member in members(callee):
            if member == NIL:
                remedy = ": check it with `if` first" if callee != NIL else ""
                said = f"{show(callee)} is called" + (", which may be nil" if remedy else "")
                self.report(NIL_VALUE, said + remedy, start(node.function))
                return Values([], ANY)
            if isinstance(member, TypeValue):
                results.append(Values([member.type]))
            elif isinstance(member, Function):
                results.append(self.apply(member, Arguments.of(node, given, member, owner)))
            elif is_simple(member):
                if self.frame.typed:
                    self.report(
                        NOT_CALLABLE, f"{show(callee)} is called: expected a function", start(node.function)
                    )
                return Values([], ANY)
            else:
                results.append(Values([], ANY))
        if len(results) == 1:
            return results[0]
        return Values([], ANY)

    def _forget(self) -> None:
        """A call may set any field, and any variable that functions set: keep only that they are not nil."""
        if self.state is None or not self.state.facts:
            return

        def fades(key: Key) -> bool:
            return (bool(key[1]) or key[0].afar) and accepts_nil(self.here.facts[key])

        self.state = self.state.without(fades)

    def _special(self, node: Call) -> Values | None:
        """Return what a call of Lua's own functions gives that depends on its arguments."""
        function = node.function
        if isinstance(function, Member):
            return self._table_function(node, function)
        if not isinstance(function, Name):
            return None
        arguments = node.arguments
        cast = builtins.CASTS.get(function.name)
        if cast is not None and self.is_global(function, function.name):
            self.values(arguments)
            return Values([cast])
        if self.is_global(function, "assert") and arguments:
            return self._assert(arguments)
        if self.is_global(function, "setmetatable") and arguments:
            given = self.values(arguments)
            return Values(
                [
                    ANY
                    if is_simple(given.at(0)) or not isinstance(opened(given.at(0)), Record | Array)
                    else given.at(0)
                ]
            )
        if self.is_global(function, "tonumber"):
            self.values(arguments)
            return Values([], ANY)
        if self.is_global(function, "require") and len(arguments) == 1:
            library = self.library(node)
            return Values([library.value if library is not None else ANY])
        return None

    def _assert(self, arguments: Sequence[Expression]) -> Values:
        if len(arguments) == 1 and isinstance(arguments[0], Call):
            several = self.call(arguments[0])
            state = self._validated(arguments[0], self.state)
            first = several.at(0)
            self.state = None if first in (NIL, FALSE) else state
            return Values([truthy(first), *several.types[1:]], several.rest)
        found, yes, no = self.condition(arguments[0])
        self.state = no if no is not None else yes
        if len(arguments) > 1:
            self.values(arguments[1:])
        self.state = yes
        return Values([truthy(found)])

    def _table_function(self, node: Call, function: Member) -> Values | None:
        """Check what `table.insert(list, value)` puts into a list, and that a readonly one is not changed."""
        if not self.is_global(function.object, "table") or function.name not in _ADDING or not node.arguments:
            return None
        given = self.values(node.arguments)
        lists = members(given.at(0))
        if len(lists) != 1 or not isinstance(lists[0], Array):
            return Values([], ANY)
        array = lists[0]
        if array.readonly:
            message = f"{show(given.at(0))} is readonly: `table.{function.name}` can not change it"
            self.report(READONLY, message, start(node.arguments[0]))
        elif _ADDING[function.name] and len(node.arguments) in (2, 3) and given.rest is None:
            self.expect(given.types[-1], array.element, node.arguments[-1], "element: ")
        return Values([optional(array.element)] if function.name == "remove" else [], ANY)

    def iterated(self, nodes: Sequence[Expression], count: int) -> list[Type]:
        """Return the types of the `count` variables of `for ... in nodes`."""
        first = nodes[0]
        if len(nodes) == 1 and isinstance(first, Call) and len(first.arguments) == 1 and not first.method:
            for name in ("ipairs", "pairs"):
                if self.is_global(first.function, name):
                    given = self.infer(first.arguments[0])
                    return self._pairs(given, first.arguments[0], name)[:count]
        given = self.values(nodes).at(0)
        inner = opened(given)
        if is_simple(inner) and not isinstance(inner, Function):
            if self.frame.typed:
                self.report(NOT_CALLABLE, f"{show(given)} is no iterator: expected a function", start(first))
            return []
        if isinstance(inner, Function) and inner.returns and not inner.generics:
            keys = union(each for each in members(inner.returns[0]) if each != NIL)
            return [keys, *inner.returns[1:]][:count]
        return []

    def _pairs(self, given: Type, node: Expression, name: str) -> list[Type]:
        keys: list[Type] = []
        values: list[Type] = []
        for member in members(given):
            if member == NIL:
                remedy = "check it with `if` first, or give a default with `or`"
                self.report(
                    NIL_VALUE,
                    f"`{name}` is called with {show(given)}, which may be nil: {remedy}",
                    start(node),
                )
                return []
            if is_simple(member):
                if self.frame.typed:
                    self.report(
                        MISMATCH, f"`{name}` is called with {show(given)}: expected a table", start(node)
                    )
                return []
            if isinstance(member, Array):
                keys.append(INTEGER)
                values.append(member.element)
            elif isinstance(member, Record) and not member.fields and member.key and member.value:
                keys.append(INTEGER if name == "ipairs" else member.key)
                values.append(member.value)
            else:
                keys.append(INTEGER if name == "ipairs" else ANY)
                values.append(ANY)
        return [union(keys), union(values)] if keys else []
