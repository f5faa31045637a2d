"""The tree of a typed source. `at` is the offset of a node's first character; `Source.place` gives its line
and column. Names and signs are kept as they are written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias as Alias

from runtime.lua.typed.type_nodes import Generic, Type

# Expressions ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Constant:
    """nil, true, false, `...`, a number or a string, as it is written."""

    at: int
    kind: str
    text: str


@dataclass(slots=True)
class Name:
    """A variable."""

    at: int
    name: str


@dataclass(slots=True)
class Member:
    """`object.name`."""

    at: int
    object: Expression
    name: str


@dataclass(slots=True)
class Index:
    """`object[key]`."""

    at: int
    object: Expression
    key: Expression


@dataclass(slots=True)
class Call:
    """`function(arguments)` or `function:method(arguments)`; `end` is the offset behind it."""

    at: int
    function: Expression
    method: str
    arguments: list[Expression]
    end: int


@dataclass(slots=True)
class Paren:
    """`(inner)`, which has one value."""

    at: int
    inner: Expression


@dataclass(slots=True)
class Cast:
    """`value :: type` or `value as type`."""

    at: int
    value: Expression
    type: Type


@dataclass(slots=True)
class NonNil:
    """`value!`."""

    at: int
    value: Expression


@dataclass(slots=True)
class Unary:
    """An operator before its operand."""

    at: int
    operator: str
    operand: Expression


@dataclass(slots=True)
class Binary:
    """An operator between two operands; `at` is the operator's."""

    at: int
    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True)
class TableField:
    """One item of a table: `name = value`, `[key] = value` or a value at the next place."""

    at: int
    name: str
    key: Expression | None
    value: Expression


@dataclass(slots=True)
class Table:
    """`{...}`."""

    at: int
    fields: list[TableField]


@dataclass(slots=True)
class Declared:
    """A name that is declared; `attribute` is `const`, `close` or empty."""

    at: int
    name: str
    type: Type | None = None
    attribute: str = ""


@dataclass(slots=True)
class Function:
    """A function's parameters (the last may be `...`), returns (None: not written) and body."""

    at: int
    generics: list[Generic]
    parameters: list[Declared]
    returns: list[Type] | None
    body: Block


# Statements -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Local:
    """`local a, b = ...`."""

    at: int
    names: list[Declared]
    values: list[Expression]


@dataclass(slots=True)
class Assign:
    """`a, b.c = ...`."""

    at: int
    targets: list[Expression]
    values: list[Expression]


@dataclass(slots=True)
class CallStatement:
    """A call for its effect."""

    at: int
    call: Expression


@dataclass(slots=True)
class Do:
    """`do ... end`."""

    at: int
    body: Block


@dataclass(slots=True)
class While:
    """`while condition do ... end`."""

    at: int
    condition: Expression
    body: Block


@dataclass(slots=True)
class Repeat:
    """`repeat ... until condition`; the condition sees the body's locals."""

    at: int
    body: Block
    condition: Expression


@dataclass(slots=True)
class If:
    """Branches of condition and body, and the body of `else`, if any."""

    at: int
    branches: list[tuple[Expression, Block]]
    otherwise: Block | None


@dataclass(slots=True)
class NumericFor:
    """`for name = first, last, step do ... end`; `bounds` holds two or three."""

    at: int
    name: Declared
    bounds: list[Expression]
    body: Block


@dataclass(slots=True)
class GenericFor:
    """`for names in values do ... end`."""

    at: int
    names: list[Declared]
    values: list[Expression]
    body: Block


@dataclass(slots=True)
class FunctionStatement:
    """`function target() ... end`; a method has `self` as its first parameter."""

    at: int
    target: Expression
    method: str
    function: Function


@dataclass(slots=True)
class LocalFunction:
    """`local function name() ... end`."""

    at: int
    name: str
    function: Function


@dataclass(slots=True)
class Return:
    """`return ...`."""

    at: int
    values: list[Expression]


@dataclass(slots=True)
class Jump:
    """`break`, `goto label` or `::label::` (kind `break`, `goto`, `label`)."""

    at: int
    kind: str
    label: str


@dataclass(slots=True)
class TypeAlias:
    """`type name<generics> = type`, from `at` to `end`."""

    at: int
    name: str
    generics: list[Generic]
    type: Type
    end: int


@dataclass(slots=True)
class Block:
    """Statements of one scope; `end` is the offset of what closes it."""

    at: int
    statements: list[Statement] = field(default_factory=list)
    end: int = 0


Expression: Alias = (
    Constant | Name | Member | Index | Call | Paren | Cast | NonNil | Unary | Binary | Table | Function
)
Statement: Alias = (
    Local
    | Assign
    | CallStatement
    | Do
    | While
    | Repeat
    | If
    | NumericFor
    | GenericFor
    | FunctionStatement
    | LocalFunction
    | Return
    | Jump
    | TypeAlias
)
