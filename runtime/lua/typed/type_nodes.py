"""The types of a typed source. `at` is the offset of a node's first character."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from typing import TypeAlias as Alias

if TYPE_CHECKING:
    from runtime.lua.typed.nodes import Expression


@dataclass(slots=True)
class NamedType:
    """`string`, `User`, `inner.Inner`, `Box<string>`."""

    at: int
    name: str
    arguments: list[Type]


@dataclass(slots=True)
class LiteralType:
    """A type of one value; `text` is the value as Lua writes it."""

    at: int
    text: str


@dataclass(slots=True)
class FieldType:
    """A named field of a record."""

    at: int
    name: str
    type: Type
    optional: bool
    readonly: bool


@dataclass(slots=True)
class RecordType:
    """`{name: T, age?: U}`; `key` and `value` are those of `[K]: V`, if it has one."""

    at: int
    fields: list[FieldType]
    key: Type | None
    value: Type | None


@dataclass(slots=True)
class ArrayType:
    """`{T}` or `T[]`."""

    at: int
    element: Type


@dataclass(slots=True)
class OptionalType:
    """`T?`."""

    at: int
    inner: Type


@dataclass(slots=True)
class UnionType:
    """`A | B`."""

    at: int
    members: list[Type]


@dataclass(slots=True)
class IntersectionType:
    """`A & B`."""

    at: int
    members: list[Type]


@dataclass(slots=True)
class ReadonlyType:
    """`readonly T`."""

    at: int
    inner: Type


@dataclass(slots=True)
class FunctionType:
    """`(a: T, U, ...V) -> R`; the names of parameters are kept where there are any."""

    at: int
    generics: list[Generic]
    parameters: list[tuple[str, Type]]
    variadic: Type | None
    returns: list[Type]


@dataclass(slots=True)
class VariadicType:
    """`...T` at the end of a list of returns."""

    at: int
    inner: Type


@dataclass(slots=True)
class TypeOf:
    """`typeof(expression)`."""

    at: int
    value: Expression


@dataclass(slots=True)
class Validator:
    """`@name(arguments)`; arguments are literals as Lua writes them."""

    at: int
    name: str
    arguments: list[str]


@dataclass(slots=True)
class ValidatedType:
    """A type with validators."""

    at: int
    inner: Type
    validators: list[Validator]


@dataclass(slots=True)
class Generic:
    """A type parameter and what it must be."""

    at: int
    name: str
    constraint: Type | None


Type: Alias = (
    NamedType
    | LiteralType
    | RecordType
    | ArrayType
    | OptionalType
    | UnionType
    | IntersectionType
    | ReadonlyType
    | FunctionType
    | VariadicType
    | TypeOf
    | ValidatedType
)
