"""Whether the arguments of one call fit one function, and what it gives for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from runtime.lua.checker.conditions import Conditions
from runtime.lua.checker.desk import Values, start
from runtime.lua.checker.faults import ARGUMENTS
from runtime.lua.checker.generics import Inference, substitute
from runtime.lua.checker.relate import fault
from runtime.lua.checker.types import (
    ANY,
    NEVER,
    Function,
    Type,
    accepts_nil,
    opened,
)
from runtime.lua.typed.nodes import Call, Expression


@dataclass(slots=True)
class Arguments:
    """What one call passes: `shift` is 1 where the first is what a method is called on."""

    call: Call
    types: list[Type]
    rest: Type | None
    shift: int = 0

    @classmethod
    def of(cls, call: Call, given: Values, function: Function, owner: Type | None) -> Arguments:
        """A function of a record that does not speak of its owner is called with the others alone."""
        types = list(given.types)
        if owner is not None and (function.method or len(types) < len(function.parameters)):
            return cls(call, [owner, *types], given.rest, 1)
        return cls(call, types, given.rest)

    def node(self, index: int) -> Expression | None:
        """Return the expression that gives the argument at `index`, where one gives it alone."""
        own, nodes = index - self.shift, self.call.arguments
        return nodes[own] if 0 <= own < len(nodes) else None

    def place(self, index: int) -> Expression:
        """Return what to point at for the argument at `index`."""
        nodes: Sequence[Expression] = self.call.arguments
        return self.node(index) or (nodes[-1] if nodes else self.call)

    def label(self, index: int) -> str:
        """Return how messages name the argument at `index`."""
        return f"argument {index - self.shift + 1}: "


class Applying(Conditions):
    """Applies functions."""

    def apply(self, function: Function, given: Arguments) -> Values:
        """Return what `function` gives for its arguments, and report those that do not fit."""
        if function.generics:
            function = self._instance(function, given)
        self._arity(function, given)
        for index in range(given.shift, len(given.types)):
            wanted = function.variadic
            if index < len(function.parameters):
                wanted = function.parameters[index]
            if wanted is not None:
                self.expect(given.types[index], wanted, given.place(index), given.label(index))
        for index, what in function.ensures:
            node = given.node(index)
            if node is not None and index < len(given.types):
                self.ensure(node, given.types[index], what)
        if function.returns is None:
            return Values([], ANY)
        if function.returns and opened(function.returns[0]) == NEVER:
            self.state = None
        return Values(list(function.returns), function.rest)

    def _arity(self, function: Function, given: Arguments) -> None:
        if not function.annotated:
            return
        expected, found, shift = len(function.parameters), len(given.types), given.shift
        needed = expected
        while needed and accepts_nil(function.parameters[needed - 1]):
            needed -= 1
        at = start(given.call.function)
        if found < needed and given.rest is None:
            what = f"expected {'at least ' if needed < expected else ''}{needed - shift}"
            self.report(ARGUMENTS, f"too few arguments: {what}, found {found - shift}", at)
        elif found > expected and function.variadic is None:
            message = f"too many arguments: expected {expected - shift}, found {found - shift}"
            self.report(ARGUMENTS, message, at)

    def _instance(self, function: Function, given: Arguments) -> Function:
        """Return a generic function for the arguments that it gets; what they leave open is any."""
        inference = Inference(function.generics)
        for index, found in enumerate(given.types):
            if index < len(function.parameters):
                inference.learn(function.parameters[index], found)
            elif function.variadic is not None:
                inference.learn(function.variadic, found)
        for parameter in function.generics:
            known = inference.known.get(parameter)
            if known is None:
                inference.known[parameter] = parameter.constraint or ANY
            elif parameter.constraint is not None and (wrong := fault(known, parameter.constraint)):
                index = next(
                    (i for i, each in enumerate(function.parameters) if each == parameter), given.shift
                )
                self.report(wrong.code, given.label(index) + wrong.message, start(given.place(index)))
                inference.known[parameter] = ANY
        instance = substitute(replace(function, generics=()), inference.known)
        return instance if isinstance(instance, Function) else Function(annotated=False)
