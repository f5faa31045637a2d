"""Which variable each name of a source means: its locals, by block as Lua has them, and its globals.

Types are names too: one that is used as a value, or that holds a value's name (`inner.Inner`), reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from runtime.lua.typed.nodes import (
    Assign,
    Block,
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
    Statement,
    TypeAlias,
    While,
)
from runtime.lua.typed.type_nodes import NamedType
from runtime.lua.typed.walk import parts

Kind = Literal["local", "parameter", "loop", "function", "type"]


@dataclass(slots=True)
class Variable:
    """A name that is declared at the offset `at`.

    `value` is the expression that it begins with, where it is one; `hides` the variable of an outer scope (or
    an earlier one of the same) that has its name.
    """

    name: str
    at: int
    kind: Kind
    value: Expression | None = None
    hides: Variable | None = None
    reads: int = 0
    writes: int = 0
    attribute: str = ""


@dataclass(slots=True)
class Names:
    """What the names of a source mean.

    `meaning` gives the variable of a `Name` by its offset, `globals` the names that mean none and are read,
    `assigned` those that are written. Where `open` is true globals may come from anywhere: the source has an
    `_ENV` of its own or hands its table of globals on.
    """

    variables: list[Variable] = field(default_factory=list)
    meaning: dict[int, Variable] = field(default_factory=dict)
    globals: list[Name] = field(default_factory=list)
    assigned: list[tuple[Name, bool]] = field(default_factory=list)
    """The name, and whether a `function` statement writes it."""
    open: bool = False

    @property
    def defined(self) -> set[str]:
        """The globals that the source defines."""
        return {name.name for name, _ in self.assigned}


def resolve(block: Block) -> Names:
    """Return what the names of a whole source mean."""
    names = Names()
    _Resolver(names).block(block, _Scope(None))
    return names


@dataclass(slots=True)
class _Scope:
    """The names of one block; blocks nest no deeper than the parser let them."""

    parent: _Scope | None
    names: dict[str, Variable] = field(default_factory=dict)

    def find(self, name: str) -> Variable | None:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None


class _Resolver:
    """One walk in the order of the source."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def block(self, block: Block, scope: _Scope) -> _Scope:
        """Read a block whose names go into `scope`, and return it."""
        for statement in block.statements:
            if isinstance(statement, TypeAlias):
                self._declare(Variable(statement.name, statement.at, "type"), scope)
        for statement in block.statements:
            self._statement(statement, scope)
        return scope

    def _statement(self, statement: Statement, scope: _Scope) -> None:
        match statement:
            case Local(_, names, values):
                self._read(values, scope)
                self._read([each.type for each in names], scope)
                for index, each in enumerate(names):
                    value = values[index] if index < len(values) else None
                    variable = Variable(each.name, each.at, "local", value, attribute=each.attribute)
                    self._declare(variable, scope)
            case LocalFunction(at, name, function):
                self._declare(Variable(name, at, "function", function), scope)
                self._function(function, scope)
            case FunctionStatement(_, target, method, function):
                self._write(target, scope, by_function=True, value=None if method else function)
                self._function(function, scope)
            case Assign(_, targets, values):
                self._read(values, scope)
                for target in targets:
                    self._write(target, scope)
            case Do() | While() | Repeat() | If() | NumericFor() | GenericFor():
                self._compound(statement, scope)
            case _:  # calls, returns, jumps and types
                self._read([statement], scope)

    def _compound(self, statement: Statement, scope: _Scope) -> None:
        match statement:
            case Do(_, body):
                self.block(body, _Scope(scope))
            case While(_, condition, body):
                self._read([condition], scope)
                self.block(body, _Scope(scope))
            case Repeat(_, body, condition):
                self._read([condition], self.block(body, _Scope(scope)))
            case If(_, branches, otherwise):
                for condition, body in branches:
                    self._read([condition], scope)
                    self.block(body, _Scope(scope))
                if otherwise is not None:
                    self.block(otherwise, _Scope(scope))
            case NumericFor(_, name, values, body):
                self._loop([name], values, body, scope)
            case GenericFor(_, names, values, body):
                self._loop(names, values, body, scope)

    def _loop(self, names: list[Declared], values: list[Expression], body: Block, scope: _Scope) -> None:
        self._read([*values, *(each.type for each in names)], scope)
        inner = _Scope(scope)
        for each in names:
            self._declare(Variable(each.name, each.at, "loop"), inner)
        self.block(body, inner)

    def _function(self, function: Function, scope: _Scope) -> None:
        self._read([each.type for each in function.parameters], scope)
        self._read([function.returns], scope)
        inner = _Scope(scope)
        for each in function.parameters:
            if each.name != "...":
                self._declare(Variable(each.name, each.at, "parameter"), inner)
        self.block(function.body, inner)

    def _declare(self, variable: Variable, scope: _Scope) -> None:
        variable.hides = scope.find(variable.name)
        scope.names[variable.name] = variable
        self._names.variables.append(variable)
        if variable.name == "_ENV":
            self._names.open = True

    def _read(self, roots: Sequence[object], scope: _Scope) -> None:
        for node in parts(roots, into_functions=False):
            if isinstance(node, Name):
                self._read_name(node, scope)
            elif isinstance(node, Function):
                self._function(node, scope)
            elif isinstance(node, NamedType):
                variable = scope.find(node.name.partition(".")[0])
                if variable is not None:
                    variable.reads += 1

    def _read_name(self, name: Name, scope: _Scope) -> None:
        variable = scope.find(name.name)
        if variable is not None:
            variable.reads += 1
            self._names.meaning[name.at] = variable
        elif name.name in ("_G", "_ENV"):
            self._names.open = True
        else:
            self._names.globals.append(name)

    def _write(
        self, target: Expression, scope: _Scope, *, by_function: bool = False, value: Expression | None = None
    ) -> None:
        if not isinstance(target, Name):
            self._read([target], scope)
            return
        variable = scope.find(target.name)
        if variable is None:
            self._names.assigned.append((target, by_function))
            return
        self._names.meaning[target.at] = variable
        if variable.value is None and variable.writes == 0 and value is not None:
            variable.value = value  # `local f` and then `function f() ... end`
        else:
            variable.writes += 1
