"""One bad tool schema refuses one tool, never every request: it is checked at registration and when sent.

Checked is what providers refuse or what never ends: the root is an object with properties and nothing that
chooses between schemas, arrays say what their items are, references stay inside the schema and do not loop,
size and depth are bounded, and the rest is what JSON Schema 2020-12 says a schema is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from runtime.core.errors import Error
from runtime.llm.plain import clean
from runtime.llm.request import Tool

MAX_SIZE = 32_000  # characters of the schema as JSON
MAX_DEPTH = 24
MAX_PROPERTIES = 512
TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")

MAX_PROBLEMS = 10
MAX_MESSAGE = 200
META_SCHEMA = "https://json-schema.org/draft/2020-12/schema"

# What the strictest provider refuses beside `type` and `properties` of the root.
_NOT_AT_ROOT = ("anyOf", "oneOf", "allOf", "not", "enum")
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_LIST = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMES = ("required", "enum", "examples")
_MAP = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")


def check_tool_schema(schema: object) -> list[str]:
    """Return what is wrong with the input schema of a tool, in words for its author; empty if it is good."""
    if not isinstance(schema, Mapping):
        return ["the schema must be an object"]
    try:
        schema = sendable_schema(schema)
    except Error as error:
        return [f"the schema can not be sent: {error.message}"]
    text = json.dumps(schema, ensure_ascii=False)
    if len(text) > MAX_SIZE:
        return [f"the schema has {len(text)} characters: at most {MAX_SIZE} are accepted"]
    problems: list[str] = []
    if schema.get("type") != "object":
        problems.append('the root must have `"type": "object"`')
    if not isinstance(schema.get("properties"), Mapping):
        problems.append("the root must have `properties` (empty for a tool without input)")
    problems += [
        f"the root must not have `{key}`: write one object out" for key in _NOT_AT_ROOT if key in schema
    ]
    problems += _Walk(schema).problems()
    return problems[:MAX_PROBLEMS] or _meta_problems(schema)


def sendable_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return `schema` as JSON that a provider reads as it was meant: an empty Lua table is a list or a map.

    Raises Invalid where it is no plain data or too deep.
    """
    repaired = _repaired(clean(schema))
    return repaired if isinstance(repaired, dict) else {}


def sendable_tools(tools: list[Tool]) -> tuple[list[Tool], dict[str, str]]:
    """Return the tools that a provider takes, and for each other one, by name, what is wrong with it."""
    good: list[Tool] = []
    dropped: dict[str, str] = {}
    for tool in tools:
        problems = check_tool_schema(tool.schema) if tool.schema else []
        if problems:
            dropped[tool.name] = "; ".join(problems)
        elif any(other.name == tool.name for other in good):
            dropped[tool.name] = "another tool has this name"
        else:
            good.append(tool)
    return good, dropped


def _repaired(part: Any) -> Any:
    if part == []:
        return {}
    if not isinstance(part, dict):
        return part
    return {key: _repaired_value(key, value) for key, value in part.items()}


def _repaired_value(key: str, value: Any) -> Any:
    if key in _LIST or (key == "items" and isinstance(value, list) and value):
        return [_repaired(each) for each in value] if isinstance(value, list) else _empty(value, [])
    if key in _MAP:
        if isinstance(value, dict):
            return {name: _repaired(each) for name, each in value.items()}
        return _empty(value, {})
    if key in _ONE:
        return _repaired(value)
    return _empty(value, []) if key in _NAMES else value


def _empty(value: Any, meant: Any) -> Any:
    return meant if value in ([], {}) else value


def _meta_problems(schema: Mapping[str, Any]) -> list[str]:
    """Return where `schema` is not what JSON Schema says that a schema is."""
    found: dict[str, None] = {}
    for error in _meta_schema().iter_errors(schema):
        path = ".".join(map(str, error.instance_path))
        found[f"`{path}`: {error.message[:MAX_MESSAGE]}" if path else error.message[:MAX_MESSAGE]] = None
        if len(found) >= MAX_PROBLEMS:
            break
    return list(found)


@cache
def _meta_schema() -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator({"$ref": META_SCHEMA}, validate_formats=True)


class _Walk:
    """One pass over a schema; `problems` says each with the path of the part that it is about."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._properties = 0

    def problems(self) -> list[str]:
        found = list(self._part(self._root, "", 0))
        if self._properties > MAX_PROPERTIES:
            found.append(f"the schema has {self._properties} properties: at most {MAX_PROPERTIES} may be")
        return found

    def _part(self, part: Any, path: str, depth: int) -> Iterator[str]:
        here = f"`{path}`" if path else "the root"
        if isinstance(part, bool):
            return
        if not isinstance(part, Mapping):
            yield f"{here} must be a schema (an object or a boolean)"
            return
        if depth > MAX_DEPTH:
            yield f"{here} is nested deeper than {MAX_DEPTH} levels"
            return
        yield from self._own(part, here, is_root=not path)
        for step, child in _children(part):
            yield from self._part(child, f"{path}.{step}" if path else step, depth + 1)

    def _own(self, part: Mapping[str, Any], here: str, *, is_root: bool) -> Iterator[str]:
        yield from _type_problems(part, here, is_root=is_root)
        yield from self._property_problems(part, here)
        if isinstance(reference := part.get("$ref"), str):
            yield from self._reference_problems(reference, here)

    def _property_problems(self, part: Mapping[str, Any], here: str) -> Iterator[str]:
        properties = part.get("properties")
        if properties is None:
            properties = {}
        elif not isinstance(properties, Mapping):
            yield f"`properties` of {here} must be an object"
            return
        self._properties += len(properties)
        for name in properties:
            if not isinstance(name, str) or not _PROPERTY.fullmatch(name):
                yield f"the property `{str(name)[:80]}` of {here} must match `{_PROPERTY.pattern}`"
        required = part.get("required")
        if required is None:
            return
        if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
            yield f"`required` of {here} must be a list of names"
            return
        for name in required:
            if name not in properties:
                yield f"{here} requires `{name}`, which is not among its properties"

    def _reference_problems(self, reference: str, here: str) -> Iterator[str]:
        waiting, seen = [reference], {reference}
        while waiting:
            current = waiting.pop()
            target = _resolve(self._root, current)
            if target is None:
                yield f"{here} refers to `{current}`, which is not in the schema"
                return
            for following in _references(target):
                if following == reference:
                    yield f"{here} refers to `{reference}`, which leads back to itself"
                    return
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)


def _type_problems(part: Mapping[str, Any], here: str, *, is_root: bool) -> Iterator[str]:
    kinds = part.get("type")
    names = kinds if isinstance(kinds, list) and kinds else [kinds]
    for name in names:
        if name is not None and name not in TYPES:
            yield f"{here} has the type `{str(name)[:40]}`: expected one of {', '.join(TYPES)}"
    if "array" in names and "items" not in part and "prefixItems" not in part:
        yield f"{here} is an array without `items`"
    free = "properties" in part or "additionalProperties" in part or "$ref" in part
    if "object" in names and not is_root and not free:
        yield f"{here} is an object without `properties`"
    if "enum" in part and (not isinstance(part["enum"], list) or not part["enum"]):
        yield f"`enum` of {here} must be a list with at least one value"


def _children(part: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key in _ONE:
        if key in part and not (key == "items" and isinstance(part[key], list) and part[key]):
            yield key, part[key]
    for key in (*_LIST, "items"):
        if isinstance(part.get(key), list):
            yield from ((f"{key}[{index}]", child) for index, child in enumerate(part[key]))
    for key in _MAP:
        if isinstance(part.get(key), Mapping):
            yield from ((f"{key}.{name}", child) for name, child in part[key].items())


def _references(part: Any, depth: int = 0) -> Iterator[str]:
    if not isinstance(part, Mapping) or depth > MAX_DEPTH:
        return
    if isinstance(reference := part.get("$ref"), str):
        yield reference
    for _, child in _children(part):
        yield from _references(child, depth + 1)


def _resolve(root: Mapping[str, Any], reference: str) -> Any:
    if not reference.startswith("#"):
        return None
    target: Any = root
    for step in reference[1:].strip("/").split("/") if len(reference) > 1 else ():
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(target, Mapping) and name in target:
            target = target[name]
        elif isinstance(target, list) and name.isdecimal() and int(name) < len(target):
            target = target[int(name)]
        else:
            return None
    return target
