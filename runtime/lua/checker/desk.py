"""Where the checker stands in a source: what is known here, in which function, and what was found so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from runtime.lua.checker import builtins
from runtime.lua.checker.access import read
from runtime.lua.checker.annotations import Annotations, Types
from runtime.lua.checker.environment import Environment, Interface
from runtime.lua.checker.faults import Fault
from runtime.lua.checker.flow import Key, State
from runtime.lua.checker.relate import Relation
from runtime.lua.checker.types import ANY, NIL, Alias, Named, Type, TypeValue, widened
from runtime.lua.checker.variables import Variable, variables
from runtime.lua.lint.finding import Finding
from runtime.lua.typed.nodes import (
    Call,
    Constant,
    Expression,
    Index,
    Member,
    Name,
    NonNil,
    Paren,
    Table,
    TableField,
)
from runtime.lua.typed.parser import Tree

MAX_FINDINGS = 200
MAX_STEPS = 500_000


class Spent(Exception):
    """A source took more work than there is for one, or has more findings than anybody reads."""


@dataclass(slots=True)
class Frame:
    """The function that is being checked.

    `returns` is None where it has no annotation; `typed`: it has an annotation of its own, so what its
    constants say counts.
    """

    at: int = -1
    returns: tuple[Type, ...] | None = None
    rest: Type | None = None
    typed: bool = False


@dataclass(slots=True)
class Values:
    """What a list of expressions gives: types, and `rest` for any number of further ones (None: no more)."""

    types: list[Type] = field(default_factory=list)
    rest: Type | None = None

    def at(self, index: int) -> Type:
        """Return the type of the value at `index`."""
        if index < len(self.types):
            return self.types[index]
        return NIL if self.rest is None else self.rest


class Desk(ABC):
    """The base of the checker. `state` is None where the source is never reached: nothing is said there."""

    def __init__(self, tree: Tree, environment: Environment) -> None:
        self.tree = tree
        self.environment = environment
        self.variables = variables(tree.block)
        self.known: dict[Variable, Type] = {}  # what a variable is, before anything is narrowed
        self.state: State | None = State()
        self.frame = Frame(typed=-1 in self.variables.typed)
        self.types = Types()
        self.findings: dict[tuple[str, int], Finding] = {}
        self.annotations = Annotations(self._outside, self._typeof)
        self.steps = 0

    @abstractmethod
    def infer(self, node: Expression) -> Type: ...

    @abstractmethod
    def call(self, node: Call) -> Values: ...

    @property
    def here(self) -> State:
        """What is known here; nothing where this is never reached."""
        return self.state if self.state is not None else State()

    def report(self, code: str, message: str, at: int) -> None:
        """Note a finding at the offset `at`, once for each code and place."""
        if self.state is None or (code, at) in self.findings:
            return
        if len(self.findings) >= MAX_FINDINGS:
            raise Spent
        place = self.tree.source.place(at)
        self.findings[code, at] = Finding(code, "error", message, place, self.environment.entry)

    def step(self, count: int = 1) -> None:
        """Count pieces of work; raise Spent where they were too many."""
        self.steps += count
        if self.steps > MAX_STEPS:
            raise Spent

    def fits(self, given: Type, wanted: Type) -> bool:
        """Whether a value of `given` may stand where `wanted` is expected."""
        relation = Relation()
        found = relation.relate(given, wanted)
        self.step(relation.steps)
        return found is None

    def expect(self, given: Type, wanted: Type, node: Expression, what: str = "") -> bool:
        """Report where a value of `given` does not fit `wanted`; `what` is said in front."""
        relation = Relation()
        found = relation.relate(given, wanted)
        self.step(relation.steps + 1)
        if found is None:
            return True
        inner, found = _inside(node, found)
        self.report(found.code, f"{what}{found.message}", start(inner))
        return False

    def base(self, variable: Variable) -> Type:
        """Return the type of a variable where nothing has narrowed it."""
        return self.known.get(variable, ANY)

    def peek(self, node: Expression) -> Type:
        """Return the type of a variable or a field that is read already, and say nothing; else `any`."""
        while isinstance(node, Paren):
            node = node.inner
        if isinstance(node, Name):
            variable = self.variables.names.get(node.at)
            if variable is None:
                return self.global_(node.name)
            return self.here.facts.get((variable, ()), self.base(variable))
        key = self.key(node)
        if key is not None and key in self.here.facts:
            return self.here.facts[key]
        if isinstance(node, Member):
            return read(self.peek(node.object), node.name)[0]
        return ANY

    def key(self, node: Expression) -> Key | None:
        """Return the key under which the facts of a variable or a field in it are kept."""
        names: list[str] = []
        while True:
            match node:
                case Paren(_, inner) | NonNil(_, inner):
                    node = inner
                case Member(_, inner, name):
                    names.append(name)
                    node = inner
                case Index(_, inner, Constant(_, "string" | "number", text)):
                    names.append(f"[{text}]" if text[0] not in "\"'" else text[1:-1])
                    node = inner
                case Name(at):
                    variable = self.variables.names.get(at)
                    return None if variable is None else (variable, tuple(reversed(names)))
                case _:
                    return None
            if len(names) > 8:
                return None

    def is_global(self, node: Expression, name: str) -> bool:
        """Whether an expression is Lua's own `name`, or a local that always holds it."""
        if not isinstance(node, Name) or name in self.environment.aliases:
            return False
        variable = self.variables.names.get(node.at)
        if variable is None:
            return node.name == name
        return variable.constant and isinstance(variable.value, Name) and self.is_global(variable.value, name)

    def global_(self, name: str) -> Type:
        """Return the type of a name that is no local."""
        if name in self.environment.aliases:
            return self.environment.aliases[name].value
        alias = self.types.find(name)
        if isinstance(alias, Alias):
            return TypeValue(Named(alias, tuple(each.constraint or ANY for each in alias.generics)))
        return builtins.GLOBALS.get(name, ANY)

    def library(self, node: Expression) -> Interface | None:
        """Return the library that an expression holds: an alias, or a local that was required."""
        match node:
            case Name(at, name):
                variable = self.variables.names.get(at)
                if variable is None:
                    return self.environment.aliases.get(name)
                return self._required(variable)
            case Call(_, Name(_, "require"), "", [Constant(_, "string", text)]):
                return self.environment.aliases.get(text.strip("\"'"))
        return None

    def _required(self, variable: Variable) -> Interface | None:
        if not variable.constant or variable.value is None:
            return None
        if isinstance(variable.value, Name) and self.variables.names.get(variable.value.at) is variable:
            return None
        return self.library(variable.value)

    def _outside(self, base: str) -> Mapping[str, Alias]:
        # The name in a type has no node of its own: the nearest variable of that name stands for it.
        for variable in self.variables.called(base):
            found = self._required(variable)
            if found is not None:
                return found.types
        library = self.environment.aliases.get(base)
        return library.types if library is not None else {}

    def _typeof(self, value: Expression) -> Type:
        kept, self.state = self.state, None
        found = widened(self.infer(value))
        self.state = kept
        if isinstance(value, Name) and (variable := self.variables.names.get(value.at)) is not None:
            return widened(self.base(variable))
        return found


def start(node: Expression) -> int:
    """Return the offset of the first character of an expression."""
    while True:
        match node:
            case Member(_, inner) | Index(_, inner):
                node = inner
            case _:
                left = getattr(node, "left", None) or getattr(node, "value", None)
                if left is None:
                    return node.at
                node = left


def _inside(node: Expression, found: Fault) -> tuple[Expression, Fault]:
    """Follow the path of a fault into the table that is written there."""
    path = list(found.path)
    while path and isinstance(node, Table):
        inner = _field(node, path[0])
        if inner is None:
            break
        node = inner.value
        path.pop(0)
    return node, found


def _field(table: Table, name: str) -> TableField | None:
    position = 0
    for each in table.fields:
        if not each.name and each.key is None:
            position += 1
        own = each.name or (str(position) if each.key is None else "")
        if own == name or (isinstance(each.key, Constant) and each.key.text.strip("\"'") == name):
            return each
    return None
