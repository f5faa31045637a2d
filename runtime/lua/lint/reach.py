"""The rule on what is never reached: statements behind one that always leaves its block."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.lua.lint import codes
from runtime.lua.lint.reading import Fault, Reading
from runtime.lua.typed.nodes import (
    Block,
    CallStatement,
    Constant,
    Do,
    Function,
    If,
    Jump,
    Repeat,
    Return,
    Statement,
    TypeAlias,
    While,
)
from runtime.lua.typed.walk import parts


def unreachable(reading: Reading) -> Iterator[Fault]:
    """Find the first statement of each block that nothing leads to."""
    walk = _Walk(reading)
    for node in parts(reading.tree.block):
        if isinstance(node, Block):
            yield from walk.block(node)


class _Walk:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._ends: dict[int, bool] = {}  # by the offset of a block or statement

    def block(self, block: Block) -> Iterator[Fault]:
        gone: Statement | None = None
        for statement in block.statements:
            if isinstance(statement, Jump) and statement.kind == "label":
                gone = None
            elif gone is not None and not isinstance(statement, TypeAlias):
                where = self._reading.where(gone.at, statement.at)
                message = f"this is never reached: the statement {where} always leaves"
                yield Fault(codes.UNREACHABLE, statement.at, message)
                return
            elif self._leaves(statement):
                gone = statement

    def _leaves(self, statement: Statement) -> bool:
        known = self._ends.get(statement.at)
        if known is None:
            known = self._ends[statement.at] = self._found(statement)
        return known

    def _found(self, statement: Statement) -> bool:
        match statement:
            case Return() | Jump(_, "break" | "goto"):
                return True
            case CallStatement(_, call):
                return self._reading.is_global(call.function, "error") and not call.method  # type: ignore[union-attr]
            case Do(_, body):
                return self._block_leaves(body)
            case If(_, branches, otherwise):
                return (
                    otherwise is not None
                    and all(self._block_leaves(body) for _, body in branches)
                    and self._block_leaves(otherwise)
                )
            case While(_, Constant(_, "true"), body):
                return not _breaks(body)
            case Repeat(_, body, Constant(_, "false")):
                return not _breaks(body)
            case _:
                return False

    def _block_leaves(self, block: Block) -> bool:
        left = False
        for statement in block.statements:
            if isinstance(statement, Jump) and statement.kind == "label":
                left = False
            left = left or self._leaves(statement)
        return left


def _breaks(body: Block) -> bool:
    """Whether something in a loop may leave it and go on behind it; a `break` of a loop inside counts too."""
    return any(
        isinstance(node, Jump) and node.kind in ("break", "goto")
        for node in parts(body, into_functions=False)
        if not isinstance(node, Function)
    )
