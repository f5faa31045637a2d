"""The rules that apply only on request: what is unused, hidden, empty, global, or compared with itself."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.lua.lint import codes
from runtime.lua.lint.names import Variable
from runtime.lua.lint.reading import Fault, Reading, required
from runtime.lua.typed.nodes import (
    Binary,
    Block,
    Constant,
    Do,
    Expression,
    GenericFor,
    If,
    Member,
    Name,
    NumericFor,
    Repeat,
    While,
)
from runtime.lua.typed.walk import parts

_ALWAYS = {"==": "true", "<=": "true", ">=": "true", "~=": "false", "<": "false", ">": "false"}


def empty_blocks(reading: Reading) -> Iterator[Fault]:
    """Find the blocks of `if`, loops and `do` without a statement."""
    for node in parts(reading.tree.block):
        for word, block in _blocks(node):
            if not block.statements:
                yield Fault(codes.EMPTY_BLOCK, node.at, f"the block of `{word}` is empty")


def _blocks(node: object) -> Iterator[tuple[str, Block]]:
    match node:
        case If(_, branches, otherwise):
            yield from (("if" if not index else "elseif", body) for index, (_, body) in enumerate(branches))
            if otherwise is not None:
                yield "else", otherwise
        case While(_, _, body):
            yield "while", body
        case Repeat(_, body):
            yield "repeat", body
        case Do(_, body):
            yield "do", body
        case NumericFor() | GenericFor():
            yield "for", node.body


def global_assign(reading: Reading) -> Iterator[Fault]:
    """Find what writes a global that is not the sandbox's own."""
    for name, by_function in reading.names.assigned:
        if name.name not in reading.around.sandbox:
            wanted = "local function" if by_function else "local"
            yield Fault(
                codes.GLOBAL_ASSIGN, name.at, f"`{name.name}` is a global: declare it with `{wanted}`"
            )


def self_compare(reading: Reading) -> Iterator[Fault]:
    """Find comparisons of an expression with itself."""
    for node in parts(reading.tree.block):
        if isinstance(node, Binary) and node.operator in _ALWAYS and _same(node.left, node.right):
            result = _ALWAYS[node.operator]
            yield Fault(codes.SELF_COMPARE, node.at, f"a value is compared with itself: always {result}")


def _same(left: Expression, right: Expression) -> bool:
    while isinstance(left, Member) and isinstance(right, Member) and left.name == right.name:
        left, right = left.object, right.object
    match left, right:
        case Name(_, a), Name(_, b):
            return a == b
        case Constant(_, kind, a), Constant(_, other, b):
            return kind == other and a == b and kind != "..."
    return False


def unused(reading: Reading) -> Iterator[Fault]:
    """Find variables, parameters and requires that nobody reads; a name that begins with `_` is let be."""
    for each in reading.names.variables:
        if each.reads or each.name.startswith("_") or each.attribute == "close":
            continue
        if each.kind == "parameter":
            if each.name != "self":
                yield Fault(codes.UNUSED_PARAMETER, each.at, f"parameter `{each.name}` is never used")
        elif each.kind != "type":
            yield _unused(each)


def _unused(variable: Variable) -> Fault:
    if required(variable.value) is not None:
        return Fault(codes.UNUSED_IMPORT, variable.at, f"`{variable.name}` is required and never used")
    what = {"loop": "loop variable", "function": "function"}.get(variable.kind, "variable")
    return Fault(codes.UNUSED_VARIABLE, variable.at, f"{what} `{variable.name}` is never used")


def shadowed(reading: Reading) -> Iterator[Fault]:
    """Find names that hide another variable."""
    for each in reading.names.variables:
        if each.hides is None or each.name.startswith("_") or each.name == "self" or each.kind == "type":
            continue
        where = reading.where(each.hides.at, each.at)
        yield Fault(codes.SHADOWED, each.at, f"`{each.name}` hides the one declared {where}")
