"""What the fields of a value are: read, set, and by computed key.

Each answer is a type and what is wrong with asking, as (code, message), or None.
"""

from __future__ import annotations

from runtime.lua.checker.builtins import ERROR_METHODS, STRING_METHODS
from runtime.lua.checker.faults import MISMATCH, NIL_VALUE, READONLY, REMEDY, UNKNOWN_FIELD
from runtime.lua.checker.relate import fault, fits
from runtime.lua.checker.text import show
from runtime.lua.checker.types import (
    ANY,
    BOOLEAN,
    ERROR,
    FUNCTION,
    INTEGER,
    NEVER,
    NIL,
    NUMBER,
    STRING,
    UNKNOWN,
    Array,
    Basic,
    Function,
    Intersection,
    Literal,
    Parameter,
    Record,
    Type,
    members,
    optional,
    union,
)

Problem = tuple[str, str]
Answer = tuple[Type, Problem | None]
_WITHOUT_FIELDS = (NUMBER, INTEGER, BOOLEAN, FUNCTION)


def is_simple(found: Type) -> bool:
    """Whether no value of the type is a table, nil or something unknown."""
    return all(
        isinstance(each, Literal | Function) or each in (NUMBER, INTEGER, BOOLEAN, STRING, FUNCTION)
        for each in members(found)
    )


def read(found: Type, name: str) -> Answer:
    """Return the type of the field or method `name` of a value."""
    results, lacking, nil = [], False, False
    for member in members(found):
        if member == NIL:
            nil = True
            continue
        own = _own(member, name)
        lacking = lacking or own is None
        if own is not None:
            results.append(own)
    if nil:
        return union(results) if results else ANY, (NIL_VALUE, _nil_text(f"`{name}`", found))
    if not results:
        if found == NEVER:
            return ANY, None
        return ANY, (UNKNOWN_FIELD, f"{show(found)} has no field `{name}`{_near(found, name)}")
    return union([*results, NIL] if lacking else results), None


def _nil_text(what: str, found: Type) -> str:
    if found == NIL:
        return f"{what} is asked of nil"
    return f"{what} is asked of {show(found)}, which may be nil: {REMEDY}"


def _near(found: Type, name: str) -> str:
    import difflib

    names = [each.name for member in members(found) if isinstance(member, Record) for each in member.fields]
    near = difflib.get_close_matches(name, names, n=1) if len(names) <= 500 else []
    return f": did you mean `{near[0]}`" if near else ""


def _own(member: Type, name: str) -> Type | None:
    """Return the type of the field of one member of a union; None where it has none."""
    match member:
        case Literal(kind):
            return STRING_METHODS.get(name) if kind == "string" else None
        case Function():
            return None
        case Record():
            return _of_record(member, name)
        case Parameter(constraint=constraint):
            return ANY if constraint is None else read(constraint, name)[0]
        case Intersection(parts):
            own = [found for part in parts if (found := _own(part, name)) is not None]
            return own[0] if own else None
        case Basic():
            if member == STRING:
                return STRING_METHODS.get(name)
            if member == ERROR:
                return ERROR_METHODS.get(name, ANY)
            return None if member in _WITHOUT_FIELDS else ANY
    return ANY


def _of_record(record: Record, name: str) -> Type | None:
    own = record.field(name)
    if own is not None:
        return optional(own.type) if own.optional else own.type
    if record.key is not None and record.value is not None and fits(Literal("string", name), record.key):
        return record.value
    return ANY if record.open else None


def read_key(found: Type, key: Type) -> Answer:
    """Return the type of `value[key]` for a key that is computed."""
    if (
        isinstance(key, Literal)
        and key.kind == "string"
        and not any(isinstance(member, Array) for member in members(found))
    ):
        return read(found, key.text)
    results = []
    for member in members(found):
        if member == NIL:
            return ANY, (NIL_VALUE, _nil_text("an element", found))
        if member in _WITHOUT_FIELDS or isinstance(member, Function):
            return ANY, (UNKNOWN_FIELD, f"{show(member)} has no elements")
        wrong = _wrong_key(member, key)
        if wrong is not None:
            return ANY, wrong
        if isinstance(member, Array):
            results.append(member.element)
        elif isinstance(member, Record) and not member.fields and member.value is not None:
            results.append(member.value)
        else:
            results.append(ANY)
    return union(results) if results else ANY, None


def _wrong_key(member: Type, key: Type) -> Problem | None:
    wanted: Type | None = None
    if isinstance(member, Array):
        wanted = NUMBER
    elif isinstance(member, Record) and not member.fields and not member.open:
        wanted = member.key
    if wanted is None or key in (UNKNOWN, NIL):
        return None
    found = fault(key, wanted)
    if found is None or found.code == NIL_VALUE:
        return None
    return MISMATCH, f"{show(member)} has keys of type {show(wanted)}, found {show(key)}"


def write(found: Type, name: str) -> Answer:
    """Return what the field `name` of a value may be set to."""
    each = members(found)
    if len(each) != 1:
        if NIL in each:
            return ANY, (NIL_VALUE, _nil_text(f"`{name}`", found))
        return ANY, None
    member = each[0]
    if not isinstance(member, Record):
        own, problem = read(member, name)
        return ANY, problem if own == ANY else (
            UNKNOWN_FIELD,
            f"{show(member)} has no fields that can be set",
        )
    own_field = member.field(name)
    if own_field is None:
        return _write_rest(found, member, name)
    if member.readonly or own_field.readonly:
        return ANY, (READONLY, f"`{name}` of {show(found)} is readonly: it can not be set")
    return optional(own_field.type) if own_field.optional else own_field.type, None


def _write_rest(found: Type, record: Record, name: str) -> Answer:
    if record.readonly:
        return ANY, (READONLY, f"{show(found)} is readonly: `{name}` can not be set")
    if record.key is not None and record.value is not None and fits(Literal("string", name), record.key):
        return optional(record.value), None
    if record.open:
        return ANY, None
    return ANY, (UNKNOWN_FIELD, f"{show(found)} has no field `{name}`{_near(record, name)}")


def write_key(found: Type, key: Type) -> Answer:
    """Return what `value[key]` may be set to, for a key that is computed."""
    if isinstance(key, Literal) and key.kind == "string":
        return write(found, key.text)
    each = members(found)
    if len(each) != 1 or not isinstance(each[0], Array | Record):
        return ANY, read_key(found, key)[1]
    member = each[0]
    if member.readonly:
        return ANY, (READONLY, f"{show(found)} is readonly: its elements can not be set")
    result, problem = read_key(found, key)
    return optional(result), problem
