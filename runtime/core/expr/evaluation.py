"""Walks the tree of one expression over one environment; every node is a step of the budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from runtime.core.errors import Invalid
from runtime.core.expr.functions import FUNCTIONS
from runtime.core.expr.limits import Budget
from runtime.core.expr.nodes import Node
from runtime.core.expr.semantics import BINARY, checked, cut, fetch, is_number, type_of


class _Short(Exception):
    """An optional member of nil: the whole chain is nil."""


class Evaluation:
    """One run: `environment` is what names stand for; a name that is not there is nil."""

    def __init__(self, environment: Mapping[str, Any], budget: Budget) -> None:
        self._environment = environment
        self._budget = budget
        self._locals: dict[str, Any] = {}
        self._pointers: dict[str, Any] = {}

    def value(self, node: Node) -> Any:
        """Return the value of `node`; raise Invalid where it has none or the budget is spent."""
        self._budget.step()
        return _EVALUATE[node.kind](self, node)

    def _values(self, node: Node) -> list[Any]:
        return [self.value(part) for part in node.parts]

    def literal(self, node: Node) -> Any:
        return node.value

    def nothing(self, _node: Node) -> None:
        return None

    def name(self, node: Node) -> Any:
        if node.value in self._locals:
            return self._locals[node.value]
        if node.value == "$env":
            return self._environment
        return self._environment.get(node.value)

    def pointer(self, node: Node) -> Any:
        return self._pointers.get(node.value)

    def member(self, node: Node) -> Any:
        target = self.value(node.parts[0])
        if target is None and node.value:
            raise _Short
        return fetch(target, self.value(node.parts[1]))

    def chain(self, node: Node) -> Any:
        try:
            return self.value(node.parts[0])
        except _Short:
            return None

    def slice(self, node: Node) -> Any:
        target, low, high = self._values(node)
        return cut(target, low, high, self._budget)

    def unary(self, node: Node) -> Any:
        value = self.value(node.parts[0])
        if node.value == "!":
            return not self._boolean(value, "`!`")
        if not is_number(value):
            raise Invalid(f"`{node.value}` needs a number, not {type_of(value)}")
        return checked(-value) if node.value == "-" else value

    def binary(self, node: Node) -> Any:
        operator, (left, right) = node.value, node.parts
        if operator == "&&":
            return self._condition(left, "`and`") and self._condition(right, "`and`")
        if operator == "||":
            return self._condition(left, "`or`") or self._condition(right, "`or`")
        if operator == "??":
            value = self.value(left)
            return self.value(right) if value is None else value
        return BINARY[operator](self.value(left), self.value(right), self._budget)

    def conditional(self, node: Node) -> Any:
        test, then, otherwise = node.parts
        return self.value(then if self._condition(test, "a condition") else otherwise)

    def array(self, node: Node) -> list[Any]:
        self._budget.make(len(node.parts))
        return self._values(node)

    def map(self, node: Node) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in zip(node.parts[::2], node.parts[1::2], strict=True):
            name = self.value(key)
            if not isinstance(name, str):
                raise Invalid(f"the key of a map must be a string, not {type_of(name)}")
            self._budget.make(1)
            made[name] = self.value(value)
        return made

    def call(self, node: Node) -> Any:
        return FUNCTIONS[node.value].work(self._budget, *self._values(node))

    def predicate(self, node: Node) -> Callable[..., Any]:
        body = node.parts[0]

        def ask(item: Any, index: int, gathered: Any = None) -> Any:
            outer, self._pointers = self._pointers, {"#": item, "#index": index, "#acc": gathered}
            try:
                return self.value(body)
            finally:
                self._pointers = outer

        return ask

    def let(self, node: Node) -> Any:
        value = self.value(node.parts[0])
        outer, self._locals = self._locals, {**self._locals, node.value: value}
        try:
            return self.value(node.parts[1])
        finally:
            self._locals = outer

    def _condition(self, node: Node, of: str) -> bool:
        return self._boolean(self.value(node), of)

    def _boolean(self, value: Any, of: str) -> bool:
        if not isinstance(value, bool):
            raise Invalid(f"{of} needs true or false, not {type_of(value)}")
        return value


_EVALUATE: Mapping[str, Callable[[Evaluation, Node], Any]] = {
    "literal": Evaluation.literal,
    "nothing": Evaluation.nothing,
    "name": Evaluation.name,
    "pointer": Evaluation.pointer,
    "member": Evaluation.member,
    "chain": Evaluation.chain,
    "slice": Evaluation.slice,
    "unary": Evaluation.unary,
    "binary": Evaluation.binary,
    "conditional": Evaluation.conditional,
    "array": Evaluation.array,
    "map": Evaluation.map,
    "call": Evaluation.call,
    "predicate": Evaluation.predicate,
    "let": Evaluation.let,
}
