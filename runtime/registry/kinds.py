"""The kinds of entry and the one validator that loader, changesets and lint share.

A kind that this runtime implements owns a JSON Schema (`schemas/<kind>.json` over `{meta, data}`): unknown
fields of its data are errors. `meta` is free but for what the schema types; the peer's other kinds are inert.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from runtime.core.errors import Error, Invalid, Many
from runtime.core.nearest import did_you_mean
from runtime.registry.complaints import complaints
from runtime.registry.entry import Entry
from runtime.registry.frozen import thaw
from runtime.registry.inert import INERT, REFUSED

_FOLDER = files("runtime.registry") / "schemas"
_COMMON = "common.json#/$defs/"
POLICIES = ("security.policy", "security.policy.expr")


@cache
def implemented() -> tuple[str, ...]:
    """Return the kinds that own a schema, sorted."""
    names = (item.name.removesuffix(".json") for item in _FOLDER.iterdir() if item.name.endswith(".json"))
    return tuple(sorted(name for name in names if name != "common"))


def is_inert(kind: str) -> bool:
    """Whether entries of `kind` load without anything that runs them."""
    return kind in INERT


@cache
def schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of an implemented kind, complete in itself; raise Invalid for any other kind."""
    if kind not in implemented():
        raise unknown_kind(kind)
    common = json.loads((_FOLDER / "common.json").read_text("utf-8"))["$defs"]
    result: dict[str, Any] = _inlined(json.loads((_FOLDER / f"{kind}.json").read_text("utf-8")), common)
    return result


def unknown_kind(kind: str, entry: Entry | None = None) -> Error:
    """Return the error for a kind that is not implemented and not inert."""
    subject = f"`{entry.id}`: kind `{kind}`" if entry else f"kind `{kind}`"
    place = entry.place_of("kind") if entry else None
    if kind in REFUSED:
        return Invalid(f"{subject} is not available: {REFUSED[kind]}", place=place)
    hint = did_you_mean(kind, [*implemented(), *sorted(INERT)]) or "; expected a kind such as `function.lua`"
    return Invalid(f"{subject} is unknown{hint}", place=place)


def check(entry: Entry) -> list[Error]:
    """Return what is wrong with `entry` by the rules of its kind, each with the place of its field."""
    if entry.kind in INERT:
        return []
    if entry.kind not in implemented():
        return [unknown_kind(entry.kind, entry)]
    document = {"meta": entry.meta, "data": entry.data}
    validator = _validator(entry.kind)
    if validator.is_valid(document):
        return []
    return complaints(entry, list(validator.iter_errors(document)), schema(entry.kind))


def conform(entry: Entry) -> Entry:
    """Return `entry` as its kind wants it; raise Invalid, or Many with everything that is wrong.

    A scalar that YAML read as another type is kept as it was written where the schema says string: `version:
    1.10` is the text `1.10`. Not so in a policy: what decides about others is never guessed at.
    """
    if not check(entry):
        return entry
    entry = entry if entry.kind in POLICIES else _kept_as_written(entry)
    errors = check(entry)
    if not errors:
        return entry
    raise errors[0] if len(errors) == 1 else Many(errors)


def conform_all(entries: Iterable[Entry]) -> tuple[list[Entry], list[Error]]:
    """Return those of `entries` that conform, and everything that is wrong with the others."""
    good: list[Entry] = []
    errors: list[Error] = []
    for entry in entries:
        try:
            good.append(conform(entry))
        except Many as many:
            errors += many.errors
        except Error as error:
            errors.append(error)
    return good, errors


def _kept_as_written(entry: Entry) -> Entry:
    if entry.declaration is None or entry.kind not in implemented():
        return entry
    document = {"meta": thaw(entry.meta), "data": thaw(entry.data)}
    for violation in _validator(entry.kind).iter_errors(document):
        path = list(violation.instance_path)
        if violation.kind.name != "type" or "string" not in violation.kind.types or not path[1:]:
            continue
        written = entry.declaration.text_of(tuple(path))
        if written and isinstance(violation.instance, int | float):
            parent: Any = document
            for part in path[:-1]:
                parent = parent[part]
            parent[path[-1]] = written
    return replace(entry, meta=document["meta"], data=document["data"])


@cache
def _validator(kind: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.validator_for(schema(kind))


def _inlined(part: Any, common: dict[str, Any]) -> Any:
    if isinstance(part, list):
        return [_inlined(item, common) for item in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _inlined(common[part["$ref"].removeprefix(_COMMON)], common)
    return {key: _inlined(item, common) for key, item in part.items()}
