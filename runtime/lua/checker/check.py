"""From a tree to what is wrong in it, and to what it offers to those who import it.

Whatever parses is answered, in bounded time: a source that takes too much work is checked as far as it goes.
"""

from __future__ import annotations

from runtime.lua.checker.desk import Spent
from runtime.lua.checker.environment import Environment, Interface
from runtime.lua.checker.statements import Statements
from runtime.lua.checker.types import ANY, Alias, Field, Fresh, Function, Record, Type, TypeValue
from runtime.lua.lint.finding import Finding
from runtime.lua.typed.parser import Tree


def check(tree: Tree, environment: Environment) -> list[Finding]:
    """Return what is wrong in `tree`, in the order of the source; nothing for a source without types."""
    return examine(tree, environment)[0] if tree.spans else []


def interface(tree: Tree, environment: Environment) -> Interface:
    """Return what a library offers: the type of what it returns, and its types by name."""
    return examine(tree, environment)[1]


def examine(tree: Tree, environment: Environment) -> tuple[list[Finding], Interface]:
    """Return both at the price of one; raises nothing."""
    checker = Statements(tree, environment)
    try:
        checker.block(tree.block)
    except (Spent, RecursionError):
        checker.exported = ANY
    findings = sorted(checker.findings.values(), key=lambda each: (each.place.line, each.place.column))
    return findings, _interface(checker)


def _interface(checker: Statements) -> Interface:
    types: dict[str, Alias] = {}
    for name, found in checker.annotations.block(checker.tree.block, None).names.items():
        if isinstance(found, Alias):
            types[name] = found
    value = _value(checker.exported)
    for each in value.fields if isinstance(value, Record) else ():
        if isinstance(each.type, TypeValue) and each.name not in types:
            types[each.name] = Alias(each.name, type=each.type.type)
    return Interface(value, types)


def _value(found: Type) -> Type:
    """What a library returns may be filled by anybody: known are its functions and its types."""
    if isinstance(found, Fresh):
        kept = tuple(
            Field(name, each) for name, each in found.fields if isinstance(each, Function | TypeValue)
        )
        return Record(kept, open=True)
    return (
        found
        if isinstance(found, Function | TypeValue) or (isinstance(found, Record) and found.open)
        else ANY
    )
