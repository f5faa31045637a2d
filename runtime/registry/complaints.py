"""Violations of a JSON Schema, said in the words of the house and at the place of the field."""

from __future__ import annotations

from typing import Any

from runtime.core.errors import Error, Invalid
from runtime.core.nearest import did_you_mean
from runtime.registry.entry import Entry
from runtime.registry.field_paths import show

_NAMES = {
    "object": "a map",
    "array": "a list",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


def complaints(entry: Entry, violations: list[Any], schema: dict[str, Any]) -> list[Error]:
    """Return one Invalid per violated rule, each with the place of its field, in the order of the file."""
    errors: list[Error] = []
    suggested: set[tuple[str | int, ...]] = set()
    missing: list[tuple[tuple[str | int, ...], Error]] = []
    for violation in violations:
        path = tuple(violation.instance_path)
        rule = _subschema(schema, list(violation.schema_path)[:-1])
        match violation.kind.name:
            case "additionalProperties":
                for key in violation.kind.unexpected:
                    hint = did_you_mean(key, list(rule["properties"]))
                    if hint:
                        suggested.add((*path, hint.split("`")[1]))
                    errors.append(_unknown(entry, (*path, key), hint, list(rule["properties"])))
            case "required":
                field = (*path, violation.kind.property)
                message = (
                    f"field `{show(field)}` is missing; expected {_expected(rule, violation.kind.property)}"
                )
                missing.append((field, _error(entry, path, message)))
            case _:
                errors.append(_error(entry, path, _broken(violation, path, rule)))
    errors += [error for field, error in missing if field not in suggested]
    return sorted(errors, key=lambda error: (error.place.line, error.place.column) if error.place else (0, 0))


def _error(entry: Entry, path: tuple[str | int, ...], message: str) -> Error:
    details = {"id": entry.id, "kind": entry.kind, "field": show(path)}
    return Invalid(f"`{entry.id}`: {message}", place=entry.place_of(*path), details=details)


def _unknown(entry: Entry, path: tuple[str | int, ...], hint: str, known: list[str]) -> Error:
    if not hint:
        names = ", ".join(f"`{name}`" for name in sorted(known))
        hint = f"; expected one of {names}" if names else "; no field is expected here"
    return _error(entry, path, f"field `{show(path)}` is unknown to kind `{entry.kind}`{hint}")


def _broken(violation: Any, path: tuple[str | int, ...], rule: dict[str, Any]) -> str:
    field, value, kind = f"field `{show(path)}`", violation.instance, violation.kind
    wanted = rule.get("description")
    if rule.get("writeOnly"):  # JSON Schema's word for what is a secret
        return f"{field} must be {wanted}"
    match kind.name:
        case "type":
            return f"{field} must be {_type_names(kind.types)}, got {_shown(value)}"
        case "enum":
            options = [str(option) for option in rule["enum"]]
            choices = ", ".join(f"`{option}`" for option in options)
            return f"{field} is {_shown(value)}; expected one of {choices}" + did_you_mean(
                str(value).lower(), options
            )
        case "minLength":
            return f"{field} must not be empty"
        case "minItems":
            return f"{field} must have at least {kind.limit} item{'s' if kind.limit > 1 else ''}"
        case "uniqueItems":
            return f"{field} holds the same item twice"
        case "minimum":
            return f"{field} is {_shown(value)}; expected at least {kind.limit}"
        case "maximum":
            return f"{field} is {_shown(value)}; expected at most {kind.limit}"
        case "propertyNames":
            return f"{field} has the key `{kind.error.instance}`; expected {wanted}"
        case "anyOf":
            return f"{field} needs {wanted}"
        case _:
            return f"{field} is {_shown(value)}; expected {wanted or 'something else'}"


def _expected(rule: dict[str, Any], name: str) -> str:
    wanted = rule.get("properties", {}).get(name, {})
    if "enum" in wanted:
        return " or ".join(f"`{option}`" for option in wanted["enum"])
    types = wanted.get("type")
    if types is None:
        return "a value"
    return str(wanted.get("description") or _type_names([types] if isinstance(types, str) else types))


def _type_names(types: list[str]) -> str:
    return " or ".join(_NAMES[name] for name in types)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str):
        return f"`{value}`" if len(value) <= 60 else f"`{value[:57]}...`"
    if isinstance(value, int | float):
        return f"the number `{value}`"
    return "a map" if isinstance(value, dict) else "a list" if isinstance(value, list) else "nothing"


def _subschema(schema: Any, path: list[str | int]) -> dict[str, Any]:
    for part in path:
        schema = schema[part]
    return schema if isinstance(schema, dict) else {}
