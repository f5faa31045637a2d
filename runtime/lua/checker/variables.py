"""Which variable each name of a source means, and what happens to it: where it is assigned, and from where.

A variable that is never assigned after its declaration keeps what is known of it, also inside of functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.lua.typed.nodes import (
    Assign,
    Block,
    CallStatement,
    Cast,
    Declared,
    Do,
    Expression,
    Function,
    FunctionStatement,
    GenericFor,
    If,
    Index,
    Jump,
    Local,
    LocalFunction,
    Member,
    Name,
    NumericFor,
    Repeat,
    Return,
    Statement,
    TypeAlias,
    While,
)
from runtime.lua.typed.type_nodes import Type


@dataclass(eq=False, slots=True)
class Variable:
    """A local. `assigned` counts what sets it after its declaration, `afar` that from another function.

    `value` is the expression of its declaration, where one stands for it alone.
    """

    name: str
    owner: int  # the function that declares it, by the offset of it; -1 is the chunk
    declared: Declared | None = None
    value: Expression | None = None
    assigned: int = 0
    afar: bool = False
    members: dict[str, list[Expression | None]] = field(default_factory=dict)  # what its fields are set to

    @property
    def constant(self) -> bool:
        """Whether it always has the value of its declaration."""
        return self.assigned == 0


@dataclass(slots=True)
class Loop:
    """What a loop changes: the variables it assigns, and those whose fields it sets; `leaves`: by `break`."""

    assigned: set[Variable] = field(default_factory=set)
    members: set[Variable] = field(default_factory=set)
    leaves: bool = False


@dataclass(slots=True)
class Variables:
    """`names`: the variable of each name by its offset; a global has none. `declared`: by the id of its node.

    `loops` are by the offset of their statement. `jumps` are the functions
    that have a label, `typed` those with an annotation of their own.
    """

    names: dict[int, Variable] = field(default_factory=dict)
    declared: dict[int, Variable] = field(default_factory=dict)
    loops: dict[int, Loop] = field(default_factory=dict)
    jumps: set[int] = field(default_factory=set)
    typed: set[int] = field(default_factory=set)

    def called(self, name: str) -> list[Variable]:
        """Return the variables of one name in the order of the source."""
        return [each for each in self.declared.values() if each.name == name]

    def of(self, declared: Declared | LocalFunction) -> Variable:
        """Return the variable that a node declares."""
        return self.declared[id(declared)]


class _Scope:
    __slots__ = ("names", "parent")

    def __init__(self, parent: _Scope | None) -> None:
        self.parent = parent
        self.names: dict[str, Variable] = {}

    def find(self, name: str) -> Variable | None:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None


def variables(block: Block) -> Variables:
    """Return what the names of a whole source mean."""
    binder = _Binder()
    binder.block(block, _Scope(None))
    return binder.found


class _Binder:
    """One walk in the order of the source; expressions are walked without recursion."""

    def __init__(self) -> None:
        self.found = Variables()
        self._owner = -1
        self._loops: list[Loop] = []

    def block(self, block: Block, scope: _Scope) -> None:
        for statement in block.statements:
            self._statement(statement, scope)

    def _statement(self, statement: Statement, scope: _Scope) -> None:
        match statement:
            case Local(_, names, values):
                self._walk(values, scope)
                for index, declared in enumerate(names):
                    alone = index < len(values) and not (
                        index == len(values) - 1 and len(names) > len(values)
                    )
                    self._declare(declared, scope, values[index] if alone else None)
            case LocalFunction(_, name, function):
                variable = Variable(name, self._owner, value=function)
                scope.names[name] = variable
                self.found.declared[id(statement)] = variable
                self._function(function, scope)
            case FunctionStatement(_, target, method, function):
                self._walk([target], scope)
                self._set(target, scope, function, method)
                self._function(function, scope)
            case Assign(_, targets, values):
                self._walk([*targets, *values], scope)
                for index, target in enumerate(targets):
                    alone = index < len(values) and (index < len(values) - 1 or len(targets) == len(values))
                    self._set(target, scope, values[index] if alone else None, "")
            case CallStatement(_, call):
                self._walk([call], scope)
            case Return(_, values):
                self._walk(values, scope)
            case Jump(_, kind, _):
                self._jump(kind)
            case TypeAlias(type=type_):
                self._walk([type_], scope)
            case _:
                self._compound(statement, scope)

    def _compound(self, statement: Statement, scope: _Scope) -> None:
        match statement:
            case Do(_, body):
                self.block(body, _Scope(scope))
            case If(_, branches, otherwise):
                for condition, body in branches:
                    self._walk([condition], scope)
                    self.block(body, _Scope(scope))
                if otherwise is not None:
                    self.block(otherwise, _Scope(scope))
            case While(at, condition, body):
                with_loop = self._enter(at)
                self._walk([condition], scope)
                self.block(body, _Scope(scope))
                self._leave(with_loop)
            case Repeat(at, body, condition):
                inner = _Scope(scope)
                with_loop = self._enter(at)
                self.block(body, inner)
                self._walk([condition], inner)
                self._leave(with_loop)
            case NumericFor(at, name, values, body):
                self._for(at, [name], values, body, scope)
            case GenericFor(at, names, values, body):
                self._for(at, names, values, body, scope)

    def _for(
        self, at: int, names: list[Declared], values: Sequence[Expression], body: Block, scope: _Scope
    ) -> None:
        self._walk(values, scope)
        inner = _Scope(scope)
        loop = self._enter(at)
        for declared in names:
            self._declare(declared, inner, None)
        self.block(body, inner)
        self._leave(loop)

    def _enter(self, at: int) -> Loop:
        loop = self.found.loops[at] = Loop()
        self._loops.append(loop)
        return loop

    def _leave(self, loop: Loop) -> None:
        self._loops.pop()
        if self._loops:  # what an inner loop changes the outer one changes too
            self._loops[-1].assigned |= loop.assigned
            self._loops[-1].members |= loop.members

    def _jump(self, kind: str) -> None:
        if kind == "break":
            if self._loops:
                self._loops[-1].leaves = True
            return
        self.found.jumps.add(self._owner)
        for loop in self._loops:
            loop.leaves = True

    def _declare(self, declared: Declared, scope: _Scope, value: Expression | None) -> None:
        variable = Variable(declared.name, self._owner, declared, value)
        if declared.type is not None:
            self.found.typed.add(self._owner)
            self._walk([declared.type], scope)
        scope.names[declared.name] = variable
        self.found.declared[id(declared)] = variable

    def _function(self, function: Function, scope: _Scope) -> None:
        inner = _Scope(scope)
        outer, loops = self._owner, self._loops
        self._owner, self._loops = function.at, []
        if function.returns is not None:
            self.found.typed.add(function.at)
        for declared in function.parameters:
            self._declare(declared, inner, None)
        self.block(function.body, inner)
        self._owner, self._loops = outer, loops

    def _set(self, target: Expression, scope: _Scope, value: Expression | None, method: str) -> None:
        """Note that `target`, or the method `method` of it, is set to `value`."""
        if isinstance(target, Name) and not method:
            variable = scope.find(target.name)
            if variable is not None:
                variable.assigned += 1
                variable.afar = variable.afar or variable.owner != self._owner
                if self._loops:
                    self._loops[-1].assigned.add(variable)
            return
        base, name = target, method
        if not method and isinstance(target, Member):
            base, name = target.object, target.name
        elif not method and isinstance(target, Index):
            base, name = target.object, "[]"
        if isinstance(base, Name) and (variable := scope.find(base.name)) is not None:
            variable.members.setdefault(name, []).append(value)
        while isinstance(base, Member | Index):
            base = base.object
        if isinstance(base, Name) and self._loops and (variable := scope.find(base.name)) is not None:
            self._loops[-1].members.add(variable)

    def _walk(self, values: Sequence[Expression | Type], scope: _Scope) -> None:
        for node in _nodes(values):
            if isinstance(node, Function):
                self._function(node, scope)
            elif isinstance(node, Cast):
                self.found.typed.add(self._owner)
            elif isinstance(node, Name) and (variable := scope.find(node.name)) is not None:
                self.found.names[node.at] = variable


def _nodes(root: Any) -> Iterator[Any]:
    """Give every node of `root` in the order of the source; functions are given and not entered."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, list | tuple):
            stack.extend(reversed(node))
        elif (names := getattr(type(node), "__slots__", None)) is not None:
            yield node
            if not isinstance(node, Function):
                stack.extend(getattr(node, name) for name in reversed(names))
