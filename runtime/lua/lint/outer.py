"""Rules on what a source takes from around it: requires, globals, and the fields of modules and libraries."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.core.nearest import did_you_mean
from runtime.lua.lint import codes
from runtime.lua.lint.reading import SANDBOX, Fault, Reading, required
from runtime.lua.typed.nodes import Call, Expression, Member, Name
from runtime.lua.typed.walk import parts


def undeclared(reading: Reading) -> Iterator[Fault]:
    """Find each `require("name")` of what the entry declares neither as module nor as import."""
    around = reading.around
    for node in parts(reading.tree.block):
        if not isinstance(node, Call) or not reading.is_global(node.function, "require"):
            continue
        name = required(node)
        if name is None or name in around.declared or name in around.sandbox:
            continue
        there = name in around.modules
        where = "`modules`" if there else "`imports`"
        hint = "" if there else did_you_mean(name, [*around.declared, *around.modules])
        message = f"`{name}` is required and not declared: add it to the {where} of the entry{hint}"
        yield Fault(codes.UNDECLARED, node.at, message)


def undefined(reading: Reading) -> Iterator[Fault]:
    """Find each global that is read and defined by nobody, and each that the sandbox refuses."""
    names, around = reading.names, reading.around
    refused = {name for name, kind in around.sandbox.items() if kind == "refused"}
    for name in names.globals:
        if name.name in names.defined or name.name in around.reached or name.name in around.defined:
            continue
        if name.name in refused:
            yield Fault(codes.UNDEFINED, name.at, f"`{name.name}` is not available in the sandbox")
        elif not (name.name in around.sandbox or name.at in reading.asked or names.open or around.open):
            yield Fault(codes.UNDEFINED, name.at, f"`{name.name}` is not defined{_remedy(reading, name)}")


def _remedy(reading: Reading, missing: Name) -> str:
    names, around, name = reading.names, reading.around, missing.name
    if name in around.modules:
        return f": add `{name}` to the `modules` of the entry"
    for each in names.variables:
        if each.name == name:
            return f": what is declared {reading.where(each.at, missing.at)} is not visible here"
    known = {each for each in around.sandbox if each and "." not in each}
    known.update(around.reached, names.defined, (each.name for each in names.variables))
    return did_you_mean(name, sorted(known)) or ": declare it with `local`, or import what defines it"


def unknown_fields(reading: Reading) -> Iterator[Fault]:
    """Find each field of a module or of a library that it does not have."""
    for node in parts(reading.tree.block):
        if isinstance(node, Member) and node.at not in reading.asked:
            yield from _missing(reading, node.object, node.name, node.at)
        elif isinstance(node, Call) and node.method:
            yield from _missing(reading, node.function, node.method, node.function.at)


def _missing(reading: Reading, owner: Expression, name: str, at: int) -> Iterator[Fault]:
    found = reading.target(owner)
    if found is None or (isinstance(owner, Name) and owner.at in reading.asked):
        return
    target, path = found
    if ":" in target and (target in reading.extended or target in reading.around.extended):
        return
    fields = reading.around.sandbox if target == SANDBOX else reading.around.fields(target)
    if fields is None or fields.get(path) != "table":
        return
    whole = f"{path}.{name}" if path else name
    if whole in fields:
        return
    prefix = f"{path}." if path else ""
    near = [each.removeprefix(prefix) for each in fields if each.startswith(prefix)]
    hint = did_you_mean(name, [each for each in near if each and "." not in each])
    subject = ".".join(filter(None, (target, path)))
    yield Fault(codes.UNKNOWN_FIELD, at, f"`{subject}` has no field `{name}`{hint}")
