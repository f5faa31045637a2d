"""What expressions give."""

from __future__ import annotations

from abc import abstractmethod

from runtime.lua.checker import operators
from runtime.lua.checker.access import Problem, is_simple, read, read_key
from runtime.lua.checker.annotations import Types, constant
from runtime.lua.checker.calls import Calls
from runtime.lua.checker.desk import Frame, start
from runtime.lua.checker.faults import NIL_VALUE, RETURNS
from runtime.lua.checker.flow import join
from runtime.lua.checker.summaries import ensures
from runtime.lua.checker.text import show
from runtime.lua.checker.types import (
    ANY,
    NEVER,
    Fresh,
    Function,
    Type,
    accepts_nil,
    opened,
    union,
    without_nil,
)
from runtime.lua.typed import nodes

MAX_FIELDS = 4000  # of a table whose fields are told apart


class Expressions(Calls):
    """Reads expressions."""

    def infer(self, node: nodes.Expression) -> Type:
        """Return the type of an expression's first value, and report what is wrong in it."""
        self.step()
        match node:
            case nodes.Constant():
                return constant(node)
            case nodes.Name():
                return self._name(node)
            case nodes.Member() | nodes.Index() | nodes.Call():
                return self._suffixes(node)
            case nodes.Binary():
                return self._binary(node)
            case nodes.Unary(_, "not", _):
                return self._split(node)
            case nodes.Unary(at, operator, operand):
                given = self.infer(operand)
                if operator == "-" and isinstance(operand, nodes.Constant) and operand.kind == "number":
                    return constant(nodes.Constant(at, "number", f"-{operand.text}"))
                return self._answer(operators.unary(operator, given), at)
            case nodes.Paren(_, inner):
                return self.infer(inner)
            case nodes.Cast(_, value, written):
                self.infer(value)
                return self.annotations.read(written, self.types)
            case nodes.NonNil(_, value):
                return without_nil(self.infer(value))
            case nodes.Table():
                return self._table(node)
            case nodes.Function():
                return self.function(node)

    def _split(self, node: nodes.Expression) -> Type:
        found, yes, no = self.condition(node)
        self.state = join(yes, no)
        return found

    def _name(self, node: nodes.Name) -> Type:
        variable = self.variables.names.get(node.at)
        if variable is None:
            return self.global_(node.name)
        return self.here.facts.get((variable, ()), self.base(variable))

    def _suffixes(self, node: nodes.Expression) -> Type:
        """Read `a.b.c`; chains lean to the left, so the first is read first, without recursion."""
        spine: list[nodes.Expression] = []
        inner = node
        while isinstance(inner, nodes.Member | nodes.Index):
            spine.append(inner)
            inner = inner.object
        found = self._one(inner)
        while spine:
            step = spine.pop()
            if isinstance(step, nodes.Member):
                found = self._read(step, found, *read(found, step.name))
            elif isinstance(step, nodes.Index):
                key = self.infer(step.key)
                found = self._read(step, found, *read_key(found, key))
        return found

    def _one(self, node: nodes.Expression) -> Type:
        if not isinstance(node, nodes.Call):
            return self.infer(node)
        found = self.call(node).at(0)
        return NEVER if self.state is None else found

    def _read(self, node: nodes.Expression, owner: Type, found: Type, problem: Problem | None) -> Type:
        key = self.key(node)
        if key is not None and (fact := self.here.facts.get(key)) is not None:
            return fact
        if problem is not None and (self.frame.typed or not is_simple(owner)):
            self.report(*problem, start(node))
        return found

    def _binary(self, node: nodes.Binary) -> Type:
        if node.operator in ("and", "or", "==", "~="):
            return self._split(node)
        spine: list[nodes.Binary] = []
        left: nodes.Expression = node
        while isinstance(left, nodes.Binary) and left.operator not in ("and", "or", "==", "~="):
            spine.append(left)
            left = left.left
        found = self.infer(left)
        while spine:
            step = spine.pop()
            right = self.infer(step.right)
            found = self._answer(operators.binary(step.operator, found, right), step.at)
        return found

    def _answer(self, answer: tuple[Type, Problem | None], at: int) -> Type:
        found, problem = answer
        if problem is not None and (self.frame.typed or problem[0] == NIL_VALUE):
            self.report(*problem, at)
        return found

    def _table(self, table: nodes.Table) -> Type:
        fields: dict[str, Type] = {}
        items: list[Type] = []
        keyed: list[tuple[Type, Type]] = []
        more = False
        last = len(table.fields) - 1
        for index, each in enumerate(table.fields):
            if each.name:
                fields[each.name] = self.infer(each.value)
            elif each.key is not None:
                key = self.infer(each.key)
                value = self.infer(each.value)
                if isinstance(each.key, nodes.Constant) and each.key.kind == "string":
                    fields[getattr(key, "text", "")] = value
                else:
                    keyed.append((key, value))
            elif index == last and isinstance(each.value, nodes.Call | nodes.Constant):
                several = self.values([each.value])
                items += several.types
                more = several.rest is not None
            else:
                items.append(self.infer(each.value))
        if len(table.fields) > MAX_FIELDS:
            fields, items, keyed, more = {}, [union(items)] if items else [], [], True
        return Fresh(tuple(fields.items()), tuple(items), tuple(keyed), more)

    def signature(self, node: nodes.Function) -> tuple[Function, Types, list[Type]]:
        """Return the type of a function, the types in it, and what its parameters are inside of it."""
        generics, inner = self.annotations.generics(node.generics, self.types)
        parameters: list[Type] = []
        variadic: Type | None = None
        inside: list[Type] = []
        for each in node.parameters:
            found = ANY if each.type is None else self.annotations.read(each.type, inner)
            inside.append(found)
            if each.name == "...":
                variadic = found
            else:
                parameters.append(found)
        returns: tuple[Type, ...] | None = None
        rest: Type | None = None
        if node.returns is not None:
            returns, rest = self.annotations.returns(node.returns, inner)
        annotated = any(each.type is not None for each in node.parameters)
        first = node.parameters[0] if node.parameters else None
        method = first is not None and first.name == "self"
        function = Function(
            tuple(parameters), variadic, returns, rest, generics, annotated, method, ensures(node)
        )
        return function, inner, inside

    def function(self, node: nodes.Function) -> Function:
        """Check the body of a function and return its type."""
        function, inner, inside = self.signature(node)
        self.body(node, function, inner, inside)
        return function

    def body(self, node: nodes.Function, function: Function, inner: Types, inside: list[Type]) -> None:
        """Check the body of a function of the type `function`."""
        kept = self.state, self.frame, self.types
        self.frame = Frame(node.at, function.returns, function.rest, node.at in self.variables.typed)
        self.state = None if self.state is None else self.state.inside()
        self.types = inner
        for each, found in zip(node.parameters, inside, strict=True):
            self.known[self.variables.of(each)] = found
        self.block(node.body)
        if self.state is not None:
            self._ends(node, function.returns)
        self.state, self.frame, self.types = kept

    def _ends(self, node: nodes.Function, returns: tuple[Type, ...] | None) -> None:
        """Report a function whose end is reached although it says that it returns something."""
        if not returns:
            return
        first = opened(returns[0])
        if first == NEVER:
            self.report(
                RETURNS, "the function says that it never returns, and its end is reached", node.body.end
            )
        elif not all(accepts_nil(each) for each in returns):
            wanted = ", ".join(show(each) for each in returns)
            message = f"the end is reached without a `return`: the function says that it returns {wanted}"
            self.report(RETURNS, message, node.body.end)

    @abstractmethod
    def block(self, block: nodes.Block) -> None: ...
