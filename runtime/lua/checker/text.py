"""A type as its author would write it, cut short where it is long."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.lua.checker.types import (
    NIL,
    Array,
    Basic,
    Field,
    Fresh,
    Function,
    Intersection,
    Literal,
    Named,
    Parameter,
    Record,
    Type,
    TypeValue,
    Union,
    union,
)

MAX_PARTS, MAX_DEPTH, MAX_TEXT = 8, 3, 120


def show(found: Type) -> str:
    """Return the type in backticks, at most MAX_TEXT characters of it."""
    text = _text(found, 0)
    return f"`{text}`" if len(text) <= MAX_TEXT else f"`{text[: MAX_TEXT - 3]}...`"


def _text(found: Type, depth: int) -> str:
    if depth > MAX_DEPTH and not isinstance(found, Basic | Literal | Named):
        return "..."
    match found:
        case Basic(name) | Parameter(name):
            return name
        case Literal(kind, text):
            return f'"{text}"' if kind == "string" else text
        case Array(element, readonly):
            return ("readonly " if readonly else "") + "{" + _text(element, depth + 1) + "}"
        case Record():
            return _record(found, depth + 1)
        case Fresh():
            return _fresh(found, depth + 1)
        case Function():
            return _function(found, depth + 1)
        case Union(members):
            return _union(members, depth)
        case Intersection(members):
            return _joined((_text(each, depth + 1) for each in members), " & ")
        case Named(alias, arguments):
            given = _joined((_text(each, depth + 1) for each in arguments), ", ")
            return f"{alias.name}<{given}>" if given else alias.name
        case TypeValue(inner):
            return f"type {_text(inner, depth + 1)}"


def _fresh(table: Fresh, depth: int) -> str:
    if table.items and not table.fields:
        return "{" + _text(union(table.items), depth) + "}"
    return "{" + _joined((f"{name}: {_text(value, depth)}" for name, value in table.fields), ", ") + "}"


def _record(record: Record, depth: int) -> str:
    parts = [_field(each, depth) for each in record.fields[: MAX_PARTS + 1]]
    if record.key is not None and record.value is not None:
        parts.append(f"[{_text(record.key, depth)}]: {_text(record.value, depth)}")
    return ("readonly " if record.readonly else "") + "{" + _joined(parts, ", ") + "}"


def _field(field: Field, depth: int) -> str:
    mark = "?" if field.optional else ""
    return f"{'readonly ' if field.readonly else ''}{field.name}{mark}: {_text(field.type, depth)}"


def _function(function: Function, depth: int) -> str:
    parts = [_text(each, depth) for each in function.parameters]
    if function.variadic is not None:
        parts.append(f"...{_text(function.variadic, depth)}")
    if function.returns is None:
        result = "any"
    elif len(function.returns) == 1:
        result = _text(function.returns[0], depth)
    else:
        result = f"({_joined((_text(each, depth) for each in function.returns), ', ')})"
    return f"({_joined(parts, ', ')}) -> {result}"


def _union(members: tuple[Type, ...], depth: int) -> str:
    rest = [each for each in members if each != NIL]
    if len(rest) == 1 and len(rest) < len(members):
        inner = _text(rest[0], depth + 1)
        return f"({inner})?" if isinstance(rest[0], Function | Intersection) else f"{inner}?"
    return _joined((_text(each, depth + 1) for each in members), " | ")


def _joined(parts: Iterable[str], separator: str) -> str:
    found = list(parts)
    return separator.join(found if len(found) <= MAX_PARTS else [*found[:MAX_PARTS], "..."])
