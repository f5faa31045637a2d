"""Type parameters: which types the arguments of a call give them, and types with others in their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from runtime.lua.checker.types import (
    ANY,
    Array,
    Fresh,
    Function,
    Intersection,
    Named,
    Parameter,
    Record,
    Type,
    TypeValue,
    Union,
    bounded,
    keep,
    members,
    opened,
    settled,
    union,
    widened,
)

Bindings = Mapping[Parameter, Type]
MAX_DEPTH = 24


def substitute(found: Type, known: Bindings, depth: int = 0) -> Type:
    """Return `found` with its type parameters replaced; a type that grows without bound becomes `any`."""
    if depth > MAX_DEPTH:
        return ANY

    def inner(part: Type) -> Type:
        return substitute(part, known, depth + 1)

    match found:
        case Parameter():
            return known.get(found, found)
        case Array():
            found = replace(found, element=inner(found.element))
        case Record():
            fields = tuple(replace(each, type=inner(each.type)) for each in found.fields)
            key, value = found.key and inner(found.key), found.value and inner(found.value)
            found = replace(found, fields=fields, key=key, value=value)
        case Union(parts):
            return union(inner(part) for part in parts)
        case Intersection(parts):
            found = Intersection(tuple(inner(part) for part in parts))
        case Named(alias, arguments) if arguments:
            found = Named(alias, tuple(inner(part) for part in arguments))
        case TypeValue(part):
            found = TypeValue(inner(part))
        case Function():
            found = replace(
                found,
                parameters=tuple(inner(part) for part in found.parameters),
                variadic=found.variadic and inner(found.variadic),
                returns=None if found.returns is None else tuple(inner(part) for part in found.returns),
                rest=found.rest and inner(found.rest),
            )
    return bounded(found)


def freed(function: Function) -> Function:
    """Return a generic function as one that takes and gives anything where its parameters stand."""
    if not function.generics:
        return function
    found = substitute(replace(function, generics=()), dict.fromkeys(function.generics, ANY))
    return found if isinstance(found, Function) else Function(annotated=False)


class Inference:
    """Finds what the parameters of one call are; the first arguments decide, later ones widen."""

    def __init__(self, generics: tuple[Parameter, ...]) -> None:
        self._generics = set(generics)
        self.known: dict[Parameter, Type] = {}

    def learn(self, wanted: Type, given: Type, depth: int = 0) -> None:
        """Take from an argument of the type `given` what the parameter `wanted` says."""
        if depth > MAX_DEPTH:
            return
        if isinstance(wanted, Parameter):
            if wanted in self._generics:
                self._bind(wanted, given)
            return
        if isinstance(wanted, Named) and isinstance(given, Named) and wanted.alias is given.alias:
            for mine, other in zip(wanted.arguments, given.arguments, strict=False):
                self.learn(mine, other, depth + 1)
            return
        wanted = opened(wanted)
        if isinstance(wanted, Union):
            self._one_of(wanted, given, depth)
            return
        for member in members(given):
            self._part(wanted, member, depth + 1)

    def _bind(self, parameter: Parameter, given: Type) -> None:
        given = settled(widened(given))
        before = self.known.get(parameter)
        self.known[parameter] = given if before is None else union((before, given))

    def _one_of(self, wanted: Union, given: Type, depth: int) -> None:
        fixed = {member for member in wanted.members if not isinstance(member, Parameter)}
        rest = keep(given, lambda member: member not in fixed)
        for member in wanted.members:
            self.learn(member, rest, depth + 1)

    def _part(self, wanted: Type, given: Type, depth: int) -> None:
        match wanted, given:
            case Array(mine), Array(other):
                self.learn(mine, other, depth)
            case Array(mine), Fresh(items=items):
                for item in items:
                    self.learn(mine, item, depth)
            case Record(), Record() | Fresh():
                self._record(wanted, given, depth)
            case Function(), Function():
                self._function(wanted, freed(given), depth)

    def _record(self, wanted: Record, given: Record | Fresh, depth: int) -> None:
        pairs = (
            {each.name: each.type for each in given.fields}
            if isinstance(given, Record)
            else dict(given.fields)
        )
        for each in wanted.fields:
            if each.name in pairs:
                self.learn(each.type, pairs.pop(each.name), depth)
        if wanted.key is None or wanted.value is None:
            return
        if isinstance(given, Record) and given.key is not None and given.value is not None:
            self.learn(wanted.key, given.key, depth)
            self.learn(wanted.value, given.value, depth)
        for name, value in pairs.items():
            from runtime.lua.checker.types import Literal

            self.learn(wanted.key, Literal("string", name), depth)
            self.learn(wanted.value, value, depth)

    def _function(self, wanted: Function, given: Function, depth: int) -> None:
        for mine, other in zip(wanted.parameters, given.parameters, strict=False):
            if other != ANY:
                self.learn(mine, other, depth)
        for mine, other in zip(wanted.returns or (), given.returns or (), strict=False):
            self.learn(mine, other, depth)
