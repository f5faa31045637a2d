"""Requirements get their values: what a module leaves open, those who depend on it fill in.

An `ns.requirement` names targets (an entry and a path in it); a parameter of an `ns.dependency` supplies the
value, else the default. A bare parameter matches a requirement of the component's own namespace or module; an
id matches exactly. The project's own dependencies win over those that modules bring.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from runtime.core.errors import Conflict, Error, Invalid, Many, NotFound
from runtime.core.ids import qualify
from runtime.core.nearest import did_you_mean
from runtime.core.values import Value
from runtime.registry.entry import Entry, same
from runtime.registry.field_paths import set_field

REQUIREMENT = "ns.requirement"
DEPENDENCY = "ns.dependency"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value that one dependency supplies; `own` when the dependency is the project's and not a module's."""

    dependency: Entry
    component: str
    name: str
    value: Value
    own: bool

    def fills(self, requirement: Entry) -> bool:
        """Whether this parameter is meant for `requirement`."""
        if ":" in self.name:
            return self.name == requirement.id
        module = requirement.meta.get("module")
        home = self.component.replace("/", ".")
        return self.name == requirement.name and (requirement.namespace == home or module == self.component)


def link(entries: Iterable[Entry]) -> list[Entry]:
    """Return `entries` with every requirement filled in; raise Many with all that can not be linked."""
    linked, errors = try_link(entries)
    if errors:
        raise Many(errors)
    return linked


def try_link(entries: Iterable[Entry]) -> tuple[list[Entry], list[Error]]:
    """Return `entries` linked as far as it goes, and every fault.

    A requirement or dependency that breaks its schema is passed over: the check of kinds reports it.
    """
    by_id = {entry.id: entry for entry in entries}
    parameters = [one for entry in by_id.values() if entry.kind == DEPENDENCY for one in _parameters(entry)]
    errors: list[Error] = []
    for requirement in [entry for entry in by_id.values() if entry.kind == REQUIREMENT]:
        try:
            value = _value(requirement, parameters)
        except Error as error:
            errors.append(error)
            continue
        for index, target in enumerate(_maps(requirement.fields.get("targets"))):
            try:
                changed = _fill(requirement, target, value, by_id)
                by_id[changed.id] = changed
            except Error as error:
                error.place = requirement.place_of("data", "targets", index)
                errors.append(error)
    return list(by_id.values()), errors


def _parameters(dependency: Entry) -> list[Parameter]:
    component = dependency.fields.get("component")
    own = "module" not in dependency.meta
    return [
        Parameter(dependency, str(component), str(item["name"]), item["value"], own)
        for item in _maps(dependency.fields.get("parameters"))
        if "name" in item and "value" in item
    ]


def _maps(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _value(requirement: Entry, parameters: list[Parameter]) -> Value:
    given = [parameter for parameter in parameters if parameter.fills(requirement)]
    given = [parameter for parameter in given if parameter.own] or given
    details: dict[str, Value] = {"requirement": requirement.id}
    if not given:
        if "default" in requirement.fields:
            return requirement.fields["default"]
        message = (
            f"requirement `{requirement.id}` has no value available: no dependency parameter found and no "
            f"default value specified; add `{requirement.name}` to the parameters of the ns.dependency"
        )
        raise Invalid(message, place=requirement.place, details=details)
    if any(not same(parameter.value, given[0].value) for parameter in given):
        who = ", ".join(f"`{parameter.dependency.id}`" for parameter in given)
        message = (
            f"parameter conflict for `{requirement.id}`: multiple dependencies define different values: {who}"
        )
        place = given[1].dependency.place_of("data", "parameters")
        raise Conflict(message, place=place, details=details)
    return given[0].value


def _fill(requirement: Entry, target: dict[str, Any], value: Value, by_id: dict[str, Entry]) -> Entry:
    name, path = target.get("entry"), target.get("path")
    if not isinstance(name, str) or not isinstance(path, str):
        return requirement
    entry_id = qualify(name, requirement.namespace)
    if entry_id not in by_id:
        meant = did_you_mean(entry_id, by_id)
        raise NotFound(
            f"requirement `{requirement.id}`: no matching entries found for target `{entry_id}`{meant}"
        )
    try:
        return set_field(by_id[entry_id], path, value)
    except Invalid as error:
        raise Invalid(f"requirement `{requirement.id}`: {error.message}") from error
