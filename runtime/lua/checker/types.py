"""What a value may be. Types are immutable and compared by content; named ones are opened when looked into.

`size` bounds what is built from types: a type that would be larger than MAX_SIZE becomes `any`, so that no
source makes the checker work without end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

MAX_SIZE = 2000
MAX_MEMBERS = 48  # of a union that the checker builds
MAX_FLAT = 5000  # of one that an author writes
MAX_OPENED = 40  # names that lead to names


@dataclass(frozen=True, slots=True)
class Basic:
    """A type by its name: `any`, `unknown`, `never`, `nil`, `string`, `table` and so on."""

    name: str
    size: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """One value; `kind` is `string`, `integer`, `number` or `boolean`, `text` the value as data."""

    kind: str
    text: str
    size: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class Array:
    """A list of elements."""

    element: Type
    readonly: bool = False
    size: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", 1 + self.element.size)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record."""

    name: str
    type: Type
    optional: bool = False
    readonly: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """Named fields, and what stands under other keys where `key` and `value` are given.

    One without fields is a map. `open`: it may have any other field besides (a module's table).
    """

    fields: tuple[Field, ...] = ()
    key: Type | None = None
    value: Type | None = None
    readonly: bool = False
    open: bool = False
    size: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        rest = (self.key.size if self.key else 0) + (self.value.size if self.value else 0)
        object.__setattr__(self, "size", 1 + rest + sum(1 + each.type.size for each in self.fields))

    def field(self, name: str) -> Field | None:
        """Return the field `name`."""
        return next((each for each in self.fields if each.name == name), None)


@dataclass(frozen=True, slots=True)
class Fresh:
    """A table that is just being written: it fits whatever its parts fit.

    `items` are its values at the next places, `keyed` its computed (key, value); `more`: there may be others.
    """

    fields: tuple[tuple[str, Type], ...] = ()
    items: tuple[Type, ...] = ()
    keyed: tuple[tuple[Type, Type], ...] = ()
    more: bool = False
    size: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        keyed = sum(key.size + value.size for key, value in self.keyed)
        sizes = sum(value.size for _, value in self.fields) + sum(item.size for item in self.items)
        object.__setattr__(self, "size", 1 + keyed + sizes)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A type parameter; `at` tells those of one name apart."""

    name: str
    at: int
    constraint: Type | None = field(default=None, compare=False)
    size: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class Function:
    """A function. `returns` is None where nobody wrote what it returns.

    `required` and arity are only asked of one that is `annotated`. `ensures` are (position of the parameter,
    `truthy`, `nil` or `not nil`): what holds once it has returned.
    """

    parameters: tuple[Type, ...] = ()
    variadic: Type | None = None
    returns: tuple[Type, ...] | None = None
    rest: Type | None = None
    generics: tuple[Parameter, ...] = ()
    annotated: bool = True
    method: bool = False
    ensures: tuple[tuple[int, str], ...] = ()
    size: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        parts = [*self.parameters, *(self.returns or ())]
        parts += [each for each in (self.variadic, self.rest) if each is not None]
        object.__setattr__(self, "size", 1 + sum(part.size for part in parts))


@dataclass(frozen=True, slots=True)
class Union:
    """One of several; made by `union`."""

    members: tuple[Type, ...]
    size: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", 1 + sum(member.size for member in self.members))


@dataclass(frozen=True, slots=True)
class Intersection:
    """All of several; records are merged into one."""

    members: tuple[Type, ...]
    size: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", 1 + sum(member.size for member in self.members))


@dataclass(eq=False, slots=True)
class Alias:
    """A `type` statement: its name, its parameters and, once somebody asks, what it stands for."""

    name: str
    generics: tuple[Parameter, ...] = ()
    read: Callable[[], Type] | None = None
    type: Type | None = None
    opened: dict[tuple[Type, ...], Type] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Named:
    """A type by the name that its author gave it, with its arguments."""

    alias: Alias
    arguments: tuple[Type, ...] = ()
    size: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", 1 + sum(each.size for each in self.arguments))


@dataclass(frozen=True, slots=True)
class TypeValue:
    """The value that a `type` statement makes: it is called to cast, and has `is`."""

    type: Type
    size: int = field(default=1, compare=False)


Type: TypeAlias = (
    Basic | Literal | Array | Record | Fresh | Parameter | Function | Union | Intersection | Named | TypeValue
)

ANY, UNKNOWN, NEVER, NIL = Basic("any"), Basic("unknown"), Basic("never"), Basic("nil")
STRING, NUMBER, INTEGER, BOOLEAN = Basic("string"), Basic("number"), Basic("integer"), Basic("boolean")
TABLE, FUNCTION, THREAD = Basic("table"), Basic("function"), Basic("thread")
USERDATA, ERROR = Basic("userdata"), Basic("error")
TRUE, FALSE = Literal("boolean", "true"), Literal("boolean", "false")
BASICS = {
    each.name: each
    for each in (
        *(ANY, UNKNOWN, NEVER, NIL, STRING, NUMBER, INTEGER, BOOLEAN),
        *(TABLE, FUNCTION, THREAD, USERDATA, ERROR),
    )
}


def bounded(found: Type) -> Type:
    """Return `found`, or `any` where it has grown too large."""
    return found if found.size <= MAX_SIZE else ANY


def union(types: Iterable[Type]) -> Type:
    """Return the type of a value that has one of `types`."""
    members: dict[Type, None] = {}
    for each in types:
        for member in each.members if isinstance(each, Union) else (each,):
            if member == ANY:
                return ANY
            if member != NEVER:
                members[member] = None
    if UNKNOWN in members:
        return UNKNOWN
    if TRUE in members and FALSE in members:
        members[BOOLEAN] = None
    found = [each for each in members if not (isinstance(each, Literal) and Basic(each.kind) in members)]
    if NUMBER in members:
        found = [each for each in found if each != INTEGER and getattr(each, "kind", "") != "integer"]
    if not found:
        return NEVER
    if len(found) > MAX_MEMBERS:
        return ANY
    return found[0] if len(found) == 1 else bounded(Union(tuple(found)))


def optional(found: Type) -> Type:
    """Return the type of `found` or nil."""
    return union((found, NIL))


def opened(found: Type) -> Type:
    """Return what a name stands for, records that are intersected as one; `any` where names lead nowhere."""
    from runtime.lua.checker.generics import substitute

    for _ in range(MAX_OPENED):
        if isinstance(found, Intersection):
            return _merged(found)
        if not isinstance(found, Named):
            return found
        alias, arguments = found.alias, found.arguments
        if arguments not in alias.opened:
            if alias.type is None:
                alias.type = ANY  # a name that stands for itself
                alias.type = alias.read() if alias.read else ANY
            known = dict(zip(alias.generics, arguments, strict=False))
            alias.opened[arguments] = substitute(alias.type, known) if known else alias.type
        found = alias.opened[arguments]
    return ANY


def _merged(found: Intersection) -> Type:
    records: list[Record] = []
    others: list[Type] = []
    for member in found.members:
        inner = ANY if member is found else opened(member)
        if isinstance(inner, Record):
            records.append(inner)
        elif inner != ANY:
            others.append(inner)
    fields: dict[str, Field] = {}
    for each in (each for record in records for each in record.fields):
        before = fields.get(each.name)
        fields[each.name] = each if before is None or before.optional else before
    merged: list[Type] = []
    if records:
        keyed = next((record for record in records if record.key is not None), Record())
        readonly = all(record.readonly for record in records)
        merged.append(Record(tuple(fields.values()), keyed.key, keyed.value, readonly))
    if not others:
        return merged[0] if merged else ANY
    whole = (*merged, *others)
    return whole[0] if len(whole) == 1 else bounded(Intersection(whole))


def members(found: Type) -> tuple[Type, ...]:
    """Return what a value of the type may be, names opened; `any` where that is too much."""
    found = opened(found)
    if not isinstance(found, Union):
        return (found,)
    flat: list[Type] = []
    stack = list(reversed(found.members))
    seen = {found}
    while stack:
        member = opened(stack.pop())
        if isinstance(member, Union):
            if member not in seen and len(seen) < MAX_OPENED:  # one that holds itself adds nothing
                seen.add(member)
                stack.extend(reversed(member.members))
        else:
            flat.append(member)
    return tuple(flat) if len(flat) <= MAX_FLAT else (ANY,)


def keep(found: Type, test: Callable[[Type], bool]) -> Type:
    """Return `found` without the members that fail `test`; itself where all pass."""
    left: list[Type] = []
    for part in found.members if isinstance(found, Union) else (found,):
        each = members(part)
        kept = [member for member in each if test(member)]
        left += [part] if len(kept) == len(each) else kept
    return (
        found
        if left == [found] or (isinstance(found, Union) and tuple(left) == found.members)
        else union(left)
    )


def accepts_nil(found: Type) -> bool:
    """Whether nil is of the type."""
    return any(member in (NIL, ANY, UNKNOWN) for member in members(found))


def may_be_nil(found: Type) -> bool:
    """Whether the type says that its value may be nil."""
    return any(member == NIL for member in members(found))


def without_nil(found: Type) -> Type:
    """Return the type without nil."""
    return keep(found, lambda member: member != NIL)


def widened(found: Type) -> Type:
    """Return the type of a variable that begins with a value of `found`: literals become their kind."""
    if isinstance(found, Literal):
        return Basic(found.kind)
    if isinstance(found, Union):
        return union(widened(member) for member in found.members)
    return settled(found)


def settled(found: Type) -> Type:
    """Return the type that a fresh table has once it is bound to a type parameter."""
    if not isinstance(found, Fresh):
        return found
    if found.keyed or found.more:
        return TABLE
    if found.items:
        return TABLE if found.fields else bounded(Array(union(widened(each) for each in found.items)))
    if not found.fields:
        return TABLE
    return bounded(Record(tuple(Field(name, widened(value)) for name, value in found.fields)))
