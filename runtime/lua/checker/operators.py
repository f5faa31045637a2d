"""What operators make of their operands, and which they do not take.

Each answer is a type and what is wrong, as (code, message), or None. A table, userdata or `any` may have
metamethods: nothing is said about it.
"""

from __future__ import annotations

from runtime.lua.checker.access import Answer, Problem
from runtime.lua.checker.faults import NIL_VALUE, OPERATOR, REMEDY
from runtime.lua.checker.text import show
from runtime.lua.checker.types import (
    ANY,
    BOOLEAN,
    ERROR,
    FUNCTION,
    INTEGER,
    NIL,
    NUMBER,
    STRING,
    UNKNOWN,
    Basic,
    Function,
    Literal,
    Type,
    members,
)

ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "^"})
BITWISE = frozenset({"&", "|", "~", "<<", ">>"})
COMPARISON = frozenset({"<", ">", "<=", ">="})


def base(member: Type) -> Type:
    """Return the kind of a literal, anything else as it is."""
    return Basic(member.kind) if isinstance(member, Literal) else member


def binary(operator: str, left: Type, right: Type) -> Answer:
    """Return the type of `left operator right` for arithmetic, bitwise operators, `..` and comparisons."""
    if operator in COMPARISON:
        return BOOLEAN, _compared(operator, left, right)
    text = operator == ".."
    wrong = _operand(operator, left, text) or _operand(operator, right, text)
    if wrong is not None:
        return STRING if text else NUMBER, wrong
    plain = (STRING, NUMBER, INTEGER, ERROR) if text else (NUMBER, INTEGER)
    sides = [base(member) for side in (left, right) for member in members(side)]
    if not all(side in plain for side in sides):
        return ANY, None
    if text:
        return STRING, None
    if operator in BITWISE or (operator not in "/^" and all(side == INTEGER for side in sides)):
        return INTEGER, None
    return NUMBER, None


def unary(operator: str, operand: Type) -> Answer:
    """Return the type of `-x`, `~x` and `#x`."""
    if operator != "#":
        result, wrong = binary("-" if operator == "-" else "~", operand, operand)
        return result, wrong
    for member in members(operand):
        if member == NIL:
            return INTEGER, _nil("#", operand)
        if base(member) in (NUMBER, INTEGER, BOOLEAN, FUNCTION) or isinstance(member, Function):
            return INTEGER, (OPERATOR, f"`#` is applied to {show(operand)}: expected a string or a table")
    return INTEGER if ANY not in members(operand) else ANY, None


def _operand(operator: str, found: Type, text: bool) -> Problem | None:
    """Return what is wrong with an operand; a string that reads as a number is one to arithmetic."""
    expected = "a string or a number" if text else "a number"
    for member in members(found):
        kind = base(member)
        if member == NIL:
            return _nil(operator, found)
        refused = kind in (BOOLEAN, FUNCTION, UNKNOWN) or isinstance(member, Function)
        if kind == STRING and not text:
            refused = not (isinstance(member, Literal) and _is_number(member.text))
        if refused:
            hint = ": narrow it first" if kind == UNKNOWN else f": expected {expected}"
            return OPERATOR, f"`{operator}` is applied to {show(found)}{hint}"
    return None


def _nil(operator: str, found: Type) -> Problem:
    if found == NIL:
        return NIL_VALUE, f"`{operator}` is applied to nil"
    return NIL_VALUE, f"`{operator}` is applied to {show(found)}, which may be nil: {REMEDY}"


def _is_number(text: str) -> bool:
    bare = text.strip()
    try:
        return bool(bare) and (bare[:3].lower().lstrip("-").startswith("0x") or float(bare) is not None)
    except ValueError:
        return False


def _compared(operator: str, left: Type, right: Type) -> Problem | None:
    for side in (left, right):
        for member in members(side):
            if member == NIL:
                return _nil(operator, side)
            if base(member) in (BOOLEAN, FUNCTION, UNKNOWN) or isinstance(member, Function):
                hint = ": narrow it first" if member == UNKNOWN else ": expected two numbers or two strings"
                return OPERATOR, f"`{operator}` is applied to {show(side)}{hint}"
    kinds = [{base(member) for member in members(side)} for side in (left, right)]
    numbers = {NUMBER, INTEGER}
    for one, other in (kinds, kinds[::-1]):
        if one <= numbers and other == {STRING}:
            return (
                OPERATOR,
                f"`{operator}` compares {show(left)} with {show(right)}: expected two of one kind",
            )
    return None
