"""From the types that a source writes to what they mean, by the block in which they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from runtime.lua.checker.types import (
    ANY,
    BASICS,
    FUNCTION,
    NIL,
    TABLE,
    Alias,
    Array,
    Field,
    Function,
    Intersection,
    Literal,
    Named,
    Parameter,
    Record,
    Type,
    opened,
    optional,
    union,
)
from runtime.lua.typed import type_nodes as nodes
from runtime.lua.typed.nodes import Block, Constant, Expression, TypeAlias

_ESCAPE = re.compile(r"\\(z\s*|x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|[0-9]{1,3}|\r\n|\n\r|[\s\S])")
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\r\n": "\n"}


@dataclass(slots=True)
class Types:
    """The types that a block knows by name."""

    parent: Types | None = None
    names: dict[str, Alias | Parameter] = field(default_factory=dict)

    def find(self, name: str) -> Alias | Parameter | None:
        """Return the type `name` of this block or one around it."""
        scope: Types | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None


class Annotations:
    """Reads the types of one source.

    `outside` gives the types of a library by the name of the value that holds it; `typeof` the type of an
    expression where it stands.
    """

    def __init__(
        self,
        outside: Callable[[str], Mapping[str, Alias]],
        typeof: Callable[[Expression], Type],
    ) -> None:
        self._outside = outside
        self._typeof = typeof

    def block(self, block: Block, parent: Types | None) -> Types:
        """Return the types of a block; each is read when somebody asks, so that it may use a later one."""
        types = Types(parent)
        for statement in block.statements:
            if isinstance(statement, TypeAlias):
                types.names[statement.name] = self._alias(statement, types)
        return types

    def generics(
        self, generics: Sequence[nodes.Generic], parent: Types
    ) -> tuple[tuple[Parameter, ...], Types]:
        """Return type parameters, and the types of what stands behind them."""
        if not generics:
            return (), parent
        types = Types(parent)
        found = []
        for each in generics:
            constraint = None if each.constraint is None else self.read(each.constraint, types)
            parameter = Parameter(each.name, each.at, constraint)
            types.names[each.name] = parameter
            found.append(parameter)
        return tuple(found), types

    def _alias(self, statement: TypeAlias, types: Types) -> Alias:
        parameters, inner = self.generics(statement.generics, types)
        return Alias(statement.name, parameters, lambda: self.read(statement.type, inner))

    def read(self, node: nodes.Type, types: Types) -> Type:
        """Return what an annotation means; a name that nobody knows is `any`."""
        match node:
            case nodes.NamedType():
                return self._named(node, types)
            case nodes.LiteralType(_, text):
                return NIL if text == "nil" else literal(text)
            case nodes.ArrayType(_, element):
                return Array(self.read(element, types))
            case nodes.OptionalType(_, inner):
                return optional(self.read(inner, types))
            case nodes.VariadicType(_, inner) | nodes.ValidatedType(_, inner):
                return self.read(inner, types)
            case nodes.ReadonlyType(_, inner):
                return _readonly(self.read(inner, types))
            case nodes.UnionType(_, members):
                return union(self.read(member, types) for member in members)
            case nodes.IntersectionType(_, members):
                return Intersection(tuple(self.read(member, types) for member in members))
            case nodes.RecordType():
                return self._record(node, types)
            case nodes.FunctionType():
                return self._function(node, types)
            case nodes.TypeOf(_, value):
                return self._typeof(value)

    def returns(self, written: Sequence[nodes.Type], types: Types) -> tuple[tuple[Type, ...], Type | None]:
        """Return the types of a list of returns, and that of any further ones."""
        if written and isinstance(written[-1], nodes.VariadicType):
            return tuple(self.read(each, types) for each in written[:-1]), self.read(written[-1], types)
        return tuple(self.read(each, types) for each in written), None

    def _named(self, node: nodes.NamedType, types: Types) -> Type:
        name = node.name
        found = types.find(name)
        if isinstance(found, Parameter):
            return found
        if found is None and "." in name:
            base, _, inner = name.rpartition(".")
            found = self._outside(base).get(inner)
        if found is None:
            return FUNCTION if name == "function" else BASICS.get(name, ANY)
        assert isinstance(found, Alias)
        arguments = [self.read(each, types) for each in node.arguments][: len(found.generics)]
        arguments += [each.constraint or ANY for each in found.generics[len(arguments) :]]
        return Named(found, tuple(arguments))

    def _record(self, node: nodes.RecordType, types: Types) -> Type:
        fields = tuple(
            Field(each.name, self.read(each.type, types), each.optional, each.readonly)
            for each in node.fields
        )
        if node.key is None or node.value is None:
            return Record(fields) if fields else TABLE
        return Record(fields, self.read(node.key, types), self.read(node.value, types))

    def _function(self, node: nodes.FunctionType, types: Types) -> Type:
        generics, inner = self.generics(node.generics, types)
        returns, rest = self.returns(node.returns, inner)
        return Function(
            tuple(self.read(each, inner) for _, each in node.parameters),
            None if node.variadic is None else self.read(node.variadic, inner),
            returns,
            rest,
            generics,
            method=bool(node.parameters) and node.parameters[0][0] == "self",
        )


def _readonly(found: Type) -> Type:
    inner = opened(found)
    return replace(inner, readonly=True) if isinstance(inner, Array | Record) else found


def literal(text: str) -> Type:
    """Return the type of a constant as Lua writes it."""
    if text in ("true", "false"):
        return Literal("boolean", text)
    if text[0] in "\"'[":
        return Literal("string", unquoted(text))
    return _number(text)


def constant(node: Constant) -> Type:
    """Return the type of a constant in an expression; `...` is `any`."""
    if node.kind == "nil":
        return NIL
    return ANY if node.kind == "..." else literal(node.text)


def _number(text: str) -> Type:
    bare = text.lstrip("-").lower()
    try:
        if bare.startswith("0x"):
            if "." in bare or "p" in bare:
                return Literal("number", repr(float.fromhex(text)))
            return Literal("integer", str(int(text, 16)))
        if bare.isdigit() and int(bare) < 2**63:
            return Literal("integer", str(int(text)))
        return Literal("number", repr(float(text)))
    except (ValueError, OverflowError):
        return BASICS["number"]


def unquoted(text: str) -> str:
    """Return what a string of Lua says; bytes that it names by number are characters of that number."""
    if text[0] == "[":
        level = text.index("[", 1) + 1
        return text[level:-level].removeprefix("\n")
    return _ESCAPE.sub(_escaped, text[1:-1])


def _escaped(match: re.Match[str]) -> str:
    found = match[1]
    if found[0] in "zu":
        return "" if found[0] == "z" else chr(min(int(found[2:-1], 16), 0x10FFFF))
    if found[0] == "x":
        return chr(int(found[1:], 16))
    return chr(min(int(found), 255)) if found[0].isdigit() else _LETTERS.get(found, found)
