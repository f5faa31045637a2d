"""Whether a value of one type may stand where another type is expected.

Fields and elements that may be changed must have the same type on both sides (readonly ones may be narrower);
parameters of functions are compared the other way round. A fresh table fits what its parts fit. Where a
comparison takes more than MAX_STEPS, the answer is yes: nothing is said that is not known.
"""

from __future__ import annotations

from runtime.lua.checker.faults import MISMATCH, NIL_VALUE, READONLY, Fault
from runtime.lua.checker.generics import freed
from runtime.lua.checker.types import (
    ANY,
    BOOLEAN,
    ERROR,
    FALSE,
    FUNCTION,
    INTEGER,
    NEVER,
    NIL,
    NUMBER,
    STRING,
    TABLE,
    TRUE,
    UNKNOWN,
    USERDATA,
    Array,
    Basic,
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
    accepts_nil,
    members,
    opened,
    optional,
    widened,
    without_nil,
)

MAX_STEPS = 5000
MAX_DEPTH = 60
CHANGED = "it may be changed there, so the types must be the same, or `readonly`"


def fits(source: Type, target: Type) -> bool:
    """Whether a value of `source` may stand where `target` is expected."""
    return fault(source, target) is None


def fault(source: Type, target: Type) -> Fault | None:
    """Return why a value of `source` may not stand where `target` is expected; None where it may."""
    return Relation().relate(source, target)


class Relation:
    """One comparison; `steps` is the work that it took.

    Pairs that are being compared, or were found to fit, are taken to fit.
    """

    def __init__(self) -> None:
        self.steps = 0
        self._depth = 0
        self._fitting: set[tuple[Type, Type]] = set()
        self._loose = 0  # inside of a comparison backwards, where numbers are all alike

    def relate(self, source: Type, target: Type) -> Fault | None:
        if source is target or target in (ANY, UNKNOWN) or source in (ANY, NEVER):
            return None
        self.steps += 1
        if self.steps > MAX_STEPS or self._depth > MAX_DEPTH:
            return None
        if isinstance(source, Basic | Literal) and isinstance(target, Basic | Literal):
            return self._simple(source, target)
        pair = (source, target)
        if pair in self._fitting:
            return None
        self._fitting.add(pair)
        self._depth += 1
        found = self._composite(source, target)
        self._depth -= 1
        if found is not None:
            self._fitting.discard(pair)
        return found

    def _composite(self, source: Type, target: Type) -> Fault | None:
        if isinstance(source, Named) and isinstance(target, Named) and source == target:
            return None
        inner, outer = opened(source), opened(target)
        if outer in (ANY, UNKNOWN) or inner in (ANY, NEVER):
            return None
        if isinstance(inner, Union):
            return self._each(source, inner, target)
        if isinstance(outer, Union):
            return self._one_of(inner, outer, target)
        if isinstance(outer, Intersection):
            found = (self.relate(inner, member) for member in outer.members)
            return next((each for each in found if each is not None), None)
        if isinstance(inner, Intersection):
            if any(self.relate(member, outer) is None for member in inner.members):
                return None
            return self._mismatch(source, target)
        if isinstance(inner, Parameter):
            return self._parameter(inner, outer, target)
        found_inside = self._plain(inner, outer)
        if found_inside is not None and not found_inside.path and not found_inside.missing:
            return Fault(found_inside.code, source, target, hint=found_inside.hint)
        if found_inside is not None and found_inside.missing and not found_inside.path:
            return Fault(found_inside.code, source, target, missing=found_inside.missing)
        return found_inside

    def _mismatch(self, source: Type, target: Type) -> Fault:
        return Fault(NIL_VALUE if source == NIL else MISMATCH, source, target)

    def _each(self, source: Type, inner: Union, target: Type) -> Fault | None:
        """Every member must fit; where only nil does not, that is the fault."""
        missing = False
        each = members(inner)
        self.steps += len(each)
        for member in each:
            if member == NIL:
                missing = self.relate(NIL, target) is not None
            elif self.relate(member, target) is not None:
                return Fault(MISMATCH, source, target)
        return Fault(NIL_VALUE, source, target) if missing else None

    def _one_of(self, source: Type, outer: Union, target: Type) -> Fault | None:
        each = members(outer)
        self.steps += len(each)
        faults = [(member, self.relate(source, member)) for member in each if member != NIL or source == NIL]
        if any(found is None for _, found in faults):
            return None
        if source == BOOLEAN and (TRUE in each or FALSE in each):
            if self.relate(TRUE, outer) is None and self.relate(FALSE, outer) is None:
                return None
            return self._mismatch(source, target)
        if source == NIL:
            return Fault(NIL_VALUE, source, target)
        told = [
            (member, found) for member, found in faults if found is not None and self._meant(source, member)
        ]
        if len(told) == 1 and (told[0][1].path or told[0][1].missing):
            return told[0][1]
        return self._mismatch(source, target)

    def _meant(self, source: Type, member: Type) -> bool:
        """Whether a fresh table is meant to be `member`: the fields that tell members apart are its own."""
        if not isinstance(source, Fresh):
            return False
        if not isinstance(member, Record):
            return False
        given = dict(source.fields)
        for each in member.fields:
            kinds = members(each.type)
            if all(isinstance(kind, Literal) for kind in kinds) and given.get(each.name) not in kinds:
                return False
        return True

    def _parameter(self, source: Parameter, outer: Type, target: Type) -> Fault | None:
        if source == outer:
            return None
        if source.constraint is not None and not isinstance(outer, Parameter):
            return self.relate(source.constraint, target)
        return Fault(MISMATCH, source, target)

    def _simple(self, source: Basic | Literal, target: Basic | Literal) -> Fault | None:
        if source == target or (isinstance(source, Literal) and Basic(source.kind) == target):
            return None
        if isinstance(target, Literal):
            number = _number(source) if isinstance(source, Literal) else None
            same = number is not None and number == _number(target)
            return None if same else self._mismatch(source, target)
        base: Type = Basic(source.kind) if isinstance(source, Literal) else source
        if base == INTEGER and target == NUMBER:
            return None
        if base == NUMBER and target == INTEGER:
            whole = isinstance(source, Literal) and (value := _number(source)) is not None and value % 1 == 0
            return None if whole or self._loose else self._mismatch(source, target)
        # A message may stand for an error; errors are userdata to `type`.
        allowed = {(STRING, ERROR), (ERROR, USERDATA)}
        return None if (base, target) in allowed else self._mismatch(source, target)

    def _plain(self, source: Type, target: Type) -> Fault | None:
        """Compare two types that are no names, unions or intersections."""
        if isinstance(source, Basic | Literal) and isinstance(target, Basic | Literal):
            return self._simple(source, target)
        if isinstance(source, Basic | TypeValue) or isinstance(target, Basic):
            return None if _opaque(source, target) else self._mismatch(source, target)
        match source, target:
            case Function(), Function():
                return self._function(freed(source), freed(target))
            case Fresh(), Array():
                return self._fresh_array(source, target)
            case Fresh(), Record():
                return self._fresh_record(source, target)
            case Array(), Array():
                return self._changed(source.element, target.element, source.readonly, target.readonly)
            case Record(), Record():
                return self._record(source, target)
            case Array(), Record():
                return self._array_as_map(source, target)
            case Record(), Array():
                return self._map_as_array(source, target)
        return self._mismatch(source, target)

    def _fresh_array(self, source: Fresh, target: Array) -> Fault | None:
        if source.fields:
            return Fault(MISMATCH, source, target)
        for index, item in enumerate(source.items, 1):
            found = self.relate(item, target.element)
            if found is not None:
                return found.under(str(index))
        return None

    def _fresh_record(self, source: Fresh, target: Record) -> Fault | None:
        given = dict(source.fields)
        for each in target.fields:
            if each.name in given:
                wanted = optional(each.type) if each.optional else each.type
                found = self.relate(given.pop(each.name), wanted)
                if found is not None:
                    return found.under(each.name)
            elif not (each.optional or accepts_nil(each.type) or source.keyed or source.more):
                return Fault(MISMATCH, source, target, missing=each.name)
        if target.key is None or target.value is None:
            return None
        pairs: list[tuple[Type, Type]] = [(Literal("string", name), value) for name, value in given.items()]
        pairs += [(Literal("integer", str(index)), item) for index, item in enumerate(source.items, 1)]
        for key, value in [*pairs, *source.keyed]:
            found = self.relate(key, target.key) or self.relate(without_nil(value), target.value)
            if found is not None:
                return found.under(key.text if isinstance(key, Literal) else "[...]")
        return None

    def _changed(self, source: Type, target: Type, was: bool, becomes: bool) -> Fault | None:
        """Compare what a table holds: `was` readonly in the source, `becomes` readonly in the target."""
        if was and not becomes:
            return Fault(READONLY, source, target)
        found = self.relate(source, target)
        if found is None and not becomes:
            self._loose += 1
            back = self.relate(widened(target), widened(source))
            self._loose -= 1
            found = None if back is None else Fault(MISMATCH, source, target, hint=CHANGED)
        return found

    def _record(self, source: Record, target: Record) -> Fault | None:
        if source.readonly and not target.readonly:
            return Fault(READONLY, source, target)
        for each in target.fields:
            found = self._field(source, target, each.name)
            if found is not None:
                return found
        if target.key is None or target.value is None:
            return None
        rest = [
            (Literal("string", each.name), each.type) for each in source.fields if not target.field(each.name)
        ]
        for key, value in rest:
            found = self.relate(key, target.key) or self.relate(value, optional(target.value))
            if found is not None:
                return found.under(key.text)
        if source.key is None or source.value is None:
            return None
        found = self.relate(source.key, target.key)
        return found or self._changed(source.value, target.value, source.readonly, target.readonly)

    def _field(self, source: Record, target: Record, name: str) -> Fault | None:
        wanted, given = target.field(name), source.field(name)
        assert wanted is not None
        if given is None:
            if wanted.optional or accepts_nil(wanted.type) or source.open:
                return None
            return Fault(MISMATCH, source, target, missing=name)
        inner = optional(given.type) if given.optional else given.type
        outer = optional(wanted.type) if wanted.optional else wanted.type
        if (
            wanted.optional and not given.optional
        ):  # who gets it may set it to nil, who gave it will not see it
            inner, outer = without_nil(inner), without_nil(outer)
        becomes = wanted.readonly or target.readonly
        found = self._changed(inner, outer, given.readonly and not target.readonly, becomes)
        return None if found is None else found.under(name)

    def _array_as_map(self, source: Array, target: Record) -> Fault | None:
        if any(not (each.optional or accepts_nil(each.type)) for each in target.fields):
            return self._mismatch(source, target)
        if target.key is None or target.value is None:
            return None
        found = self.relate(INTEGER, target.key)
        return found or self._changed(source.element, target.value, source.readonly, target.readonly)

    def _map_as_array(self, source: Record, target: Array) -> Fault | None:
        if source.open:
            return None
        if source.fields or source.key is None or source.value is None:
            return self._mismatch(source, target)
        if self.relate(INTEGER, source.key) is not None:
            return self._mismatch(source, target)
        return self._changed(source.value, target.element, source.readonly, target.readonly)

    def _function(self, source: Function, target: Function) -> Fault | None:
        for index, wanted in enumerate(source.parameters):
            if index < len(target.parameters):
                given = target.parameters[index]
            else:
                given = target.variadic if target.variadic is not None else NIL
            if self.relate(given, wanted) is not None and source.annotated:
                return Fault(MISMATCH, source, target)
        if source.returns is None or target.returns is None:
            return None
        for index, wanted in enumerate(target.returns):
            if index < len(source.returns):
                result: Type = source.returns[index]
            else:
                result = source.rest if source.rest is not None else NIL
            if self.relate(result, wanted) is not None:
                return Fault(MISMATCH, source, target)
        return None


def _opaque(source: Type, target: Type) -> bool:
    """Whether two types fit of which one says nothing of what is inside."""
    match source, target:
        case TypeValue(), _:
            return not isinstance(target, Basic | Literal) or target in (TABLE, USERDATA)
        case Basic(), Array() | Record() | Fresh():
            return source in (TABLE, USERDATA, ERROR)
        case Basic(), Function():
            return source in (FUNCTION, TABLE, USERDATA)
        case Function(), Basic():
            return target == FUNCTION
        case Array() | Record() | Fresh(), Basic():
            return target == TABLE
    return False


def _number(literal: Literal) -> float | None:
    if literal.kind not in ("integer", "number"):
        return None
    try:
        return float(literal.text)
    except (ValueError, OverflowError):
        return None
