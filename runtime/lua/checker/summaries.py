"""What holds of its arguments once a function has returned, where its first statements say so.

`if x == nil then error(...) end` at the top of a function lets whoever called it know that x is not nil.
"""

from __future__ import annotations

from runtime.lua.typed.nodes import (
    Assign,
    Binary,
    Call,
    CallStatement,
    Constant,
    Expression,
    Function,
    If,
    Local,
    Name,
    Paren,
    Statement,
    Unary,
)

MAX_LOOKED_AT = 8


def ensures(function: Function) -> tuple[tuple[int, str], ...]:
    """Return (position, `truthy`, `nil` or `not nil`) of the parameters without which the function raises."""
    places = {each.name: index for index, each in enumerate(function.parameters)}
    found: dict[int, str] = {}
    for statement in function.body.statements[:MAX_LOOKED_AT]:
        match statement:
            case If(_, [(condition, body)], None) if body.statements and _raises(body.statements[-1]):
                told = _refused(condition)
                if told is not None and told[0] in places:
                    found[places[told[0]]] = told[1]
            case If() | Local() | CallStatement():
                continue
            case Assign(_, targets):
                for target in targets:
                    if isinstance(target, Name):
                        places.pop(target.name, None)
            case _:
                break
    return tuple(found.items())


def _raises(statement: Statement) -> bool:
    match statement:
        case CallStatement(_, Call(_, Name(_, "error"), "")):
            return True
    return False


def _refused(condition: Expression) -> tuple[str, str] | None:
    """Return what holds of which name where a condition does not."""
    match condition:
        case Paren(_, inner):
            return _refused(inner)
        case Unary(_, "not", Name(_, name)):
            return name, "truthy"
        case Binary(_, "==", Name(_, name), Constant(_, "nil")):
            return name, "not nil"
        case Binary(_, "~=", Name(_, name), Constant(_, "nil")):
            return name, "nil"
    return None
