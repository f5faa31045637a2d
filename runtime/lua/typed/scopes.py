"""Which declaration a name in a type means, where it stands: by block, as Lua's own locals.

Types of a block are known in the whole of it, so that one may use a later one; values once they are declared.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from runtime.lua.typed.nodes import (
    Assign,
    Block,
    Call,
    CallStatement,
    Declared,
    Do,
    Expression,
    Function,
    FunctionStatement,
    GenericFor,
    If,
    Local,
    LocalFunction,
    Name,
    NumericFor,
    Repeat,
    Return,
    Statement,
    TypeAlias,
    While,
)
from runtime.lua.typed.type_nodes import Generic, Type
from runtime.lua.typed.walk import parts


@dataclass(slots=True)
class Scope:
    """The names of a block: `types` are its aliases and type parameters, `values` its locals so far."""

    parent: Scope | None = None
    types: dict[str, TypeAlias | Generic] = field(default_factory=dict)
    values: dict[str, Declared] = field(default_factory=dict)

    def type(self, name: str) -> tuple[TypeAlias | Generic, Scope] | None:
        """Return the type `name` and the scope that has it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.types:
                return scope.types[name], scope
            scope = scope.parent
        return None

    def value(self, name: str) -> tuple[Declared, Scope] | None:
        """Return the local `name` as it is declared so far, and the scope that has it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name], scope
            scope = scope.parent
        return None


@dataclass(slots=True)
class Binding:
    """What the names of a tree mean.

    `aliases` gives the scope of each `type` statement by its offset; `variables` the type and scope of the
    local that a `typeof` of a name means, by the offset of that name; `calls` are the calls `typeof(name)`
    among the values; `hidden` the offsets of the types whose name is a local already, which it stays.
    """

    aliases: dict[int, Scope] = field(default_factory=dict)
    variables: dict[int, tuple[Type, Scope]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    hidden: set[int] = field(default_factory=set)


def bind(block: Block) -> Binding:
    """Return what the names of a whole source mean."""
    binding = Binding()
    _Binder(binding).block(block, Scope())
    return binding


class _Binder:
    """One walk in the order of the source. Blocks nest no deeper than the parser let them."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding

    def block(self, block: Block, scope: Scope) -> None:
        for statement in block.statements:
            if isinstance(statement, TypeAlias):
                scope.types.setdefault(statement.name, statement)
        for statement in block.statements:
            self._statement(statement, scope)

    def _statement(self, statement: Statement, scope: Scope) -> None:
        match statement:
            case Local(_, names, values):
                self._values(values, scope)
                _declare(names, scope)
            case LocalFunction(at, name, function):
                _declare([Declared(at, name)], scope)
                self._function(function, scope)
            case FunctionStatement(_, target, _, function):
                self._values([target], scope)
                self._function(function, scope)
            case TypeAlias():
                self._alias(statement, scope)
            case Assign(_, targets, values):
                self._values([*targets, *values], scope)
            case CallStatement(_, call):
                self._values([call], scope)
            case Return(_, values):
                self._values(values, scope)
            case _:
                self._compound(statement, scope)

    def _compound(self, statement: Statement, scope: Scope) -> None:
        match statement:
            case Do(_, body):
                self.block(body, Scope(scope))
            case While(_, condition, body):
                self._values([condition], scope)
                self.block(body, Scope(scope))
            case Repeat(_, body, condition):
                inner = Scope(scope)
                self.block(body, inner)
                self._values([condition], inner)
            case If(_, branches, otherwise):
                for condition, body in branches:
                    self._values([condition], scope)
                    self.block(body, Scope(scope))
                if otherwise is not None:
                    self.block(otherwise, Scope(scope))
            case NumericFor(_, name, values, body):
                self._loop([name], values, body, scope)
            case GenericFor(_, names, values, body):
                self._loop(names, values, body, scope)

    def _loop(self, names: list[Declared], values: list[Expression], body: Block, scope: Scope) -> None:
        self._values(values, scope)
        inner = Scope(scope)
        _declare(names, inner)
        self.block(body, inner)

    def _function(self, function: Function, scope: Scope) -> None:
        inner = Scope(scope)
        inner.types.update({generic.name: generic for generic in function.generics})
        _declare(function.parameters, inner)
        self.block(function.body, inner)

    def _alias(self, alias: TypeAlias, scope: Scope) -> None:
        # A second type of the same name hides the first from here on.
        scope.types[alias.name] = alias
        self._binding.aliases[alias.at] = scope
        if scope.value(alias.name) is not None:
            self._binding.hidden.add(alias.at)
        for node in parts(alias.type):
            if isinstance(node, Name):
                self._variable(node, scope)

    def _variable(self, name: Name, scope: Scope) -> None:
        found = scope.value(name.name)
        if found is not None and found[0].type is not None:
            self._binding.variables[name.at] = (found[0].type, found[1])

    def _values(self, values: list[Expression], scope: Scope) -> None:
        """Look for functions and for `typeof(name)`; chains may be long, so nothing recurses."""
        for node in parts(values, into_functions=False):
            if isinstance(node, Function):
                self._function(node, scope)
            elif isinstance(node, Call):
                self._call(node, scope)

    def _call(self, call: Call, scope: Scope) -> None:
        match call:
            case Call(_, Name(_, "typeof"), "", [Name() as argument]) if scope.value("typeof") is None:
                self._variable(argument, scope)
                self._binding.calls.append(call)


def _declare(names: list[Declared], scope: Scope) -> None:
    for declared in names:
        scope.values[declared.name] = declared
