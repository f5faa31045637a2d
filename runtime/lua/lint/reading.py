"""A source as the rules read it: its tree, what its names mean, and what stands behind an expression.

`target` follows `json.encode`, `require("json").encode` and `local encode = json.encode` alike to a field of
a module, of an imported library or of the sandbox, as long as nothing in between is written again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from runtime.lua.lint.names import Names, resolve
from runtime.lua.lint.signatures import Signature
from runtime.lua.lint.surface import Fields
from runtime.lua.typed.nodes import (
    Assign,
    Binary,
    Call,
    Constant,
    Expression,
    FunctionStatement,
    If,
    Index,
    Member,
    Name,
    Repeat,
    Unary,
    While,
)
from runtime.lua.typed.parser import Tree
from runtime.lua.typed.walk import parts

SANDBOX = ""
"""The root of what every script has."""
_STEPS = 16  # from name to name
_SHORT = re.compile(r"""(['"])([\w.:/-]*)\1""")


@dataclass(frozen=True, slots=True)
class Fault:
    """A finding before it has a place in a file: its code, the offset in the source, what is wrong."""

    code: str
    at: int
    message: str


@dataclass(frozen=True, slots=True)
class Around:
    """What a source finds around it.

    `declared` are the aliases of its own entry, `reached` those of all that it imports as well: alias to the
    name of a module or the id of a library. `fields` gives what a target offers, None where that is not
    known; `signature` how a module's function is called; `modules` are the names that an entry may declare.
    `defined` are the globals that its libraries write, `extended` the targets to which they give fields;
    where one of them is `open`, other globals may be there.
    """

    sandbox: Fields
    declared: Mapping[str, str]
    reached: Mapping[str, str]
    fields: Callable[[str], Fields | None]
    signature: Callable[[str, str], Signature | None]
    modules: frozenset[str] = frozenset()
    defined: frozenset[str] = frozenset()
    extended: frozenset[str] = frozenset()
    open: bool = False


@dataclass(slots=True)
class Reading:
    """One source. `asked` are the offsets of names and fields that are only asked whether they are there."""

    tree: Tree
    around: Around
    names: Names = field(init=False)
    asked: set[int] = field(default_factory=set)
    extended: set[str] = field(default_factory=set)
    """The targets that get fields here which they did not have."""

    def __post_init__(self) -> None:
        self.names = resolve(self.tree.block)
        for node in parts(self.tree.block):
            self._ask(node)
            if isinstance(node, Assign | FunctionStatement):
                self._extend(node.targets if isinstance(node, Assign) else [node.target])

    def target(self, value: Expression | None) -> tuple[str, str] | None:
        """Return (target, path in it) of what `value` is, None where that is not plain to see."""
        path: list[str] = []
        for _ in range(_STEPS):
            match value:
                case Member(_, inner, name):
                    path.insert(0, name)
                    value = inner
                case Name(at) if (variable := self.names.meaning.get(at)) is not None:
                    if variable.kind != "local" or variable.writes:
                        return None
                    value = variable.value
                case Name(_, name):
                    return self._global(name, path)
                case Call():
                    name = required(value) or ""
                    found = self.around.declared.get(name) or self.around.reached.get(name)
                    return (found, ".".join(path)) if found and self._is_global(value.function) else None
                case _:
                    return None
        return None

    def is_global(self, value: Expression, name: str) -> bool:
        """Whether `value` is the sandbox's own `name`."""
        return isinstance(value, Name) and value.name == name and self._is_global(value)

    def where(self, at: int, seen: int) -> str:
        """Say where the offset `at` is, seen from the offset `seen`: the same in any file."""
        away = self.tree.source.place(seen).line - self.tree.source.place(at).line
        if not away:
            return "on the same line"
        return f"{abs(away)} line{'s' if abs(away) > 1 else ''} {'above' if away > 0 else 'below'}"

    def _is_global(self, value: Expression) -> bool:
        return (
            isinstance(value, Name)
            and value.at not in self.names.meaning
            and value.name not in self.names.defined
            and value.name not in self.around.reached
        )

    def _global(self, name: str, path: list[str]) -> tuple[str, str] | None:
        if name in self.names.defined or self.names.open:
            return None
        found = self.around.reached.get(name)
        if found is not None:
            return found, ".".join(path)
        return (SANDBOX, ".".join((name, *path))) if name in self.around.sandbox else None

    def _extend(self, written: Iterable[Expression]) -> None:
        for each in written:
            found = self.target(each.object) if isinstance(each, Member | Index) else None
            if found is not None:
                self.extended.add(found[0])

    def _ask(self, node: object) -> None:
        match node:
            case If(_, branches):
                self.asked.update(condition.at for condition, _ in branches)
            case While() | Repeat():
                self.asked.add(node.condition.at)
            case Unary(_, "not", operand):
                self.asked.add(operand.at)
            case Binary(_, "and" | "or", left, right):
                self.asked.update((left.at, right.at) if node.at in self.asked else (left.at,))
            case Binary(_, "==" | "~=", left, Constant(_, "nil")) | Binary(
                _, "==" | "~=", Constant(_, "nil"), left
            ):
                self.asked.add(left.at)
            case Call(_, Name(_, "type" | "tostring" | "pcall"), "", [argument, *_]):
                self.asked.add(argument.at)


def required(call: Expression | None) -> str | None:
    """Return the name in `require("name")`, None for anything else."""
    match call:
        case Call(_, Name(_, "require"), "", [Constant(_, "string", text)]) if found := _SHORT.fullmatch(
            text
        ):
            return found[2]
    return None
