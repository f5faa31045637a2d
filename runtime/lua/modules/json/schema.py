"""JSON Schema checks that a hostile schema can not turn into a trap.

Regular expressions run on RE2, references never leave the schema, and the number of keyword steps is
bounded, so a check ends soon whatever the schema says. An empty Lua table is an object and an array at once:
it carries no sign of which was meant.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from datetime import datetime
from functools import lru_cache
from typing import Any

from runtime.core.errors import Error, Invalid
from runtime.core.values import Value
from runtime.lua.modules.json.decode import decode

MAX_SCHEMA_BYTES = 64 * 1024
MAX_STEPS = 200_000
_ARRAY_KEYWORDS = frozenset(
    {"required", "enum", "examples", "allOf", "anyOf", "oneOf", "prefixItems", "type"}
)
_NAMED_SCHEMAS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_FORMATS = ("email", "ipv4", "ipv6", "date", "uuid")
_steps: ContextVar[list[int]] = ContextVar("schema_steps")


class EmptyTable(dict[str, Value]):
    """An empty Lua table: passes for `{}` and for `[]`."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict | list) and not other

    __hash__ = None

    def __getitem__(self, key: Any) -> Any:
        return [] if isinstance(key, slice) else super().__getitem__(key)


def validate(schema: Value, data: Value) -> Value:
    """Return True when `data` matches `schema` (a table, or the JSON text of one).

    Raises Invalid that says where the data does not match and why, or what is wrong with the schema.
    """
    return _run(_validator(schema), _with_empty_tables(data))


def validate_string(schema: Value, text: Value) -> Value:
    """As `validate`, for data that the caller has as JSON text; there an empty object is only an object."""
    validator = _validator(schema)
    try:
        data = decode(text)
    except Error as error:
        raise Invalid(f"data is not valid JSON: {error.message}", retryable=False) from None
    return _run(validator, data)


def _run(validator: Any, data: Value) -> Value:
    token = _steps.set([0])
    try:
        error = next(iter(validator.iter_errors(data)), None)
    except RecursionError:
        message = "schema or data is nested too deeply, or a `$ref` refers to itself"
        raise Invalid(message, retryable=False) from None
    except Error:
        raise
    except Exception as problem:  # what the library raises for an unresolvable reference or an odd schema
        raise Invalid(f"schema can not be applied: {_first_line(problem)}", retryable=False) from None
    finally:
        _steps.reset(token)
    if error is None:
        return True
    path = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    raise Invalid(
        f"validation failed at ${path}: {_first_line(error)}",
        retryable=False,
        details={"path": f"${path}", "keyword": str(error.validator)},
    )


def _validator(schema: Value) -> Any:
    if isinstance(schema, str | bytes):
        try:
            schema = decode(schema)
        except Error as error:
            raise Invalid(f"schema is not valid JSON: {error.message}", retryable=False) from None
    if not isinstance(schema, dict | bool):
        raise Invalid("schema must be a table or a JSON text that holds an object", retryable=False)
    plain = _plain_schema(_with_empty_tables(schema))
    text = json.dumps(plain, sort_keys=True)
    if len(text) > MAX_SCHEMA_BYTES:
        raise Invalid(f"schema of {len(text)} bytes is over the limit of {MAX_SCHEMA_BYTES}", retryable=False)
    return _compiled(text)


@lru_cache(maxsize=128)
def _compiled(text: str) -> Any:
    from jsonschema.exceptions import SchemaError
    from referencing import Registry

    schema = json.loads(text)
    cls, formats = _validator_class()
    try:
        cls.check_schema(schema)
    except SchemaError as error:
        raise Invalid(f"schema compilation failed: {_first_line(error)}", retryable=False) from None
    except RecursionError:
        raise Invalid("schema is nested too deeply", retryable=False) from None
    return cls(schema, format_checker=formats, registry=Registry())


@lru_cache(maxsize=1)
def _validator_class() -> tuple[Any, Any]:
    from jsonschema import Draft202012Validator, FormatChecker, validators

    types = Draft202012Validator.TYPE_CHECKER.redefine(
        "array", lambda _checker, item: isinstance(item, list | EmptyTable)
    )
    keywords: dict[str, Any] = dict(Draft202012Validator.VALIDATORS)
    keywords.update(pattern=_pattern, patternProperties=_pattern_properties, uniqueItems=_unique_items)
    keywords.update(additionalProperties=_additional_properties, unevaluatedProperties=_not_supported)
    counted = {name: _counted(check) for name, check in keywords.items()}
    formats = FormatChecker(formats=_FORMATS)
    formats.checks("date-time")(_is_date_time)
    extend: Callable[..., Any] = validators.extend
    return extend(Draft202012Validator, validators=counted, type_checker=types), formats


def _counted(check: Callable[..., Iterator[Any] | None]) -> Callable[..., Iterator[Any] | None]:
    def step(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any] | None:
        count = _steps.get(None)
        if count is not None:
            # The weight stands for the length of `enum`, `required` and the like.
            count[0] += 1 + (len(value) if isinstance(value, list | dict) else 0)
            if count[0] > MAX_STEPS:
                message = f"validation took more than {MAX_STEPS} steps: simplify the schema"
                raise Invalid(message, retryable=False)
        return check(validator, value, instance, schema)

    return step


def _regexp(pattern: str) -> Any:
    from runtime.lua.modules.text.regexp import compiled

    return compiled(pattern.encode(), False)


def _pattern(validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if not validator.is_type(instance, "string"):
        return
    count = _steps.get(None)
    if count is not None:
        count[0] += len(instance) // 100
    if not _regexp(pattern).search(instance.encode()):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, subschema in patterns.items():
        expression = _regexp(pattern)
        for key, value in instance.items():
            if expression.search(key.encode()):
                yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if not validator.is_type(instance, "object"):
        return
    known = schema.get("properties", {})
    patterns = [_regexp(pattern) for pattern in schema.get("patternProperties", {})]
    extra = [
        key for key in instance if key not in known and not any(p.search(key.encode()) for p in patterns)
    ]
    if isinstance(allowed, dict):
        for key in extra:
            yield from validator.descend(instance[key], allowed, path=key)
    elif not allowed and extra:
        named = ", ".join(repr(key) for key in extra[:5])
        yield ValidationError(f"unexpected properties: {named}")


def _not_supported(_validator: Any, _value: Any, _instance: Any, _schema: Any) -> Iterator[Any]:
    # The library matches its patterns with `re`, which a schema can make run for ever.
    raise Invalid("`unevaluatedProperties` is not supported: use `additionalProperties`", retryable=False)


def _unique_items(validator: Any, unique: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if unique and validator.is_type(instance, "array"):
        seen = {json.dumps(_comparable(item), sort_keys=True) for item in instance}
        if len(seen) != len(instance):
            yield ValidationError("items are not unique")


def _comparable(item: Any) -> Any:
    # JSON Schema holds 1 and 1.0 for equal, but not 1 and true; json.dumps keeps the second apart already.
    if isinstance(item, float) and item.is_integer():
        return int(item)
    if isinstance(item, list):
        return [_comparable(child) for child in item]
    if isinstance(item, dict):
        return {key: _comparable(child) for key, child in item.items()}
    return item


def _is_date_time(text: object) -> bool:
    if not isinstance(text, str):
        return True
    try:
        return datetime.fromisoformat(text).tzinfo is not None and "T" in text.upper()
    except ValueError:
        return False


def _with_empty_tables(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_empty_tables(item) for key, item in value.items()} if value else EmptyTable()
    if isinstance(value, list):
        return [_with_empty_tables(item) for item in value]
    if isinstance(value, bytes):
        raise Invalid("a string in the value is not valid UTF-8", retryable=False)
    if isinstance(value, float) and not math.isfinite(value):
        raise Invalid("a number in the value is NaN or infinite", retryable=False)
    return value


def _plain_schema(schema: Any, keyword: str = "") -> Any:
    # In a schema the keyword tells what an empty table was meant to be.
    if isinstance(schema, EmptyTable):
        return [] if keyword in _ARRAY_KEYWORDS else {}
    if isinstance(schema, dict):
        names = keyword in _NAMED_SCHEMAS
        return {key: _plain_schema(item, "" if names else key) for key, item in schema.items()}
    if isinstance(schema, list):
        return [_plain_schema(item) for item in schema]
    return schema


def _first_line(problem: object) -> str:
    text = str(getattr(problem, "message", problem)).partition("\n")[0]
    return text if len(text) <= 300 else text[:300] + "..."
