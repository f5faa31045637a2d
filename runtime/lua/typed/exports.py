"""What a source gives to those who run it, where that is plain to see: which method is surely missing.

A chunk gives a function, or a table with the method. Where its last word is a table of names, a local table
that is used for nothing but its fields, or something that is neither, what it lacks is known; all else is
left to the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from runtime.lua.typed import nodes
from runtime.lua.typed.parser import parse

_PLAIN = (nodes.Constant, nodes.Table)
"""What is surely no function."""


def missing_method(source: str, name: str, method: str) -> str | None:
    """Return what `source` gives in words where that has surely no function `method`, else None.

    `name` names the source in errors. Raises Invalid where it is no typed Lua.
    """
    if _is_likely(source, method):
        return None
    block = parse(source, name).block
    returns = [each for each in _statements(block) if isinstance(each, nodes.Return)]
    if not returns:
        return "it returns nothing"
    return _said_of(block, returns[0], method) if _is_last(block, returns) else None


def offered(block: nodes.Block) -> dict[str, bool] | None:
    """Return the fields of the table that a source returns, and of each whether it may be a function.

    None where that is not plain to see.
    """
    returns = [each for each in _statements(block) if isinstance(each, nodes.Return)]
    if not _is_last(block, returns) or not returns[0].values:
        return None
    value = _bare(returns[0].values[0])
    if isinstance(value, nodes.Table):
        return _fields(value)
    return _of_local(block, value) if isinstance(value, nodes.Name) else None


def _is_last(block: nodes.Block, returns: list[nodes.Return]) -> bool:
    """Whether the source has one `return`, at its end."""
    return len(returns) == 1 and bool(block.statements) and returns[0] is block.statements[-1]


def _is_likely(source: str, method: str) -> bool:
    """Whether the method is seen at a glance; a mistake here is found when the method is called."""
    word = re.escape(method)
    return bool(
        re.search(rf"\breturn\s*\{{(?:[^{{}}]*[,;\s])?{word}\s*=(?!=)", source)
        or re.search(rf"\bfunction\s+\w+[.:]{word}\s*\(|\b\w+\.{word}\s*=(?!=)", source)
    )


def _said_of(block: nodes.Block, returned: nodes.Return, method: str) -> str | None:
    if not returned.values:
        return "it returns nothing"
    value = _bare(returned.values[0])
    if isinstance(value, nodes.Constant) and value.text != "...":
        return f"it returns {value.text[:40]}"
    if isinstance(value, nodes.Table):
        return _lacks(_fields(value), method)
    if isinstance(value, nodes.Name):
        return _lacks(_of_local(block, value), method)
    return None


def _bare(value: nodes.Expression) -> nodes.Expression:
    while isinstance(value, nodes.Paren | nodes.Cast | nodes.NonNil):
        value = value.inner if isinstance(value, nodes.Paren) else value.value
    return value


def _lacks(found: dict[str, bool] | None, method: str) -> str | None:
    """`found` tells of each name whether it may be a function; None where nobody knows."""
    if found is None or found.get(method):
        return None
    if method in found:
        return f"`{method}` of the table that it returns is no function"
    names = ", ".join(f"`{each}`" for each in sorted(found)) or "nothing"
    return f"the table that it returns has {names}"


def _fields(table: nodes.Table) -> dict[str, bool] | None:
    found: dict[str, bool] = {}
    for field in table.fields:
        if field.name:
            found[field.name] = not isinstance(_bare(field.value), _PLAIN)
        elif field.key is not None:
            if not isinstance(field.key, nodes.Constant):
                return None
            found[field.key.text[1:-1]] = not isinstance(_bare(field.value), _PLAIN)
    return found


def _of_local(block: nodes.Block, name: nodes.Name) -> dict[str, bool] | None:
    """Return the fields of a local table that is declared once, at the top, and used for nothing else."""
    found: dict[str, bool] | None = None
    for statement in block.statements:
        if not isinstance(statement, nodes.Local):
            continue
        for declared, value in zip(statement.names, statement.values, strict=False):
            if declared.name == name.name:
                if found is not None or not isinstance(_bare(value), nodes.Table):
                    return None
                found = _fields(_bare(value))  # type: ignore[arg-type]
                if found is None:
                    return None
    if found is None:
        return None
    for node in _walk(block):
        if isinstance(node, nodes.Member) and _is(node.object, name):
            found.setdefault(node.name, True)
        elif isinstance(node, nodes.FunctionStatement) and node.method and _is(node.target, name):
            found[node.method] = True
    return found if _uses(block, name) == _plain_uses(block, name) + 1 else None


def _uses(block: nodes.Block, name: nodes.Name) -> int:
    return sum(_is(node, name) for node in _walk(block))


def _plain_uses(block: nodes.Block, name: nodes.Name) -> int:
    """Return how often the local stands before a dot or a colon of a method's definition."""
    return sum(
        (isinstance(node, nodes.Member) and _is(node.object, name))
        or (isinstance(node, nodes.FunctionStatement) and bool(node.method) and _is(node.target, name))
        or (isinstance(node, nodes.Call) and bool(node.method) and _is(node.function, name))
        for node in _walk(block)
    )


def _is(node: Any, name: nodes.Name) -> bool:
    return isinstance(node, nodes.Name) and node.name == name.name


def _statements(block: nodes.Block) -> Iterator[nodes.Statement]:
    """Yield the statements of a chunk, those inside its functions left out."""
    for node in _walk(block, functions=False):
        if isinstance(node, nodes.Statement):
            yield node


def _walk(node: Any, *, functions: bool = True) -> Iterator[Any]:
    ahead = [node]
    while ahead:
        here = ahead.pop()
        if isinstance(here, list | tuple):
            ahead += here
        elif is_dataclass(here) and not isinstance(here, type):
            yield here
            if functions or not isinstance(here, nodes.Function):
                ahead += [getattr(here, field.name) for field in fields(here)]
