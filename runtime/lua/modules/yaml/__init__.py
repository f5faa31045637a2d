"""The module `yaml`: the core types of YAML 1.2, read by the same reader as the project's own files.

`NO`, `on`, `1:30`, `0755` and dates are strings; keys written twice, tags, keys that are no strings and alias
bombs are errors with line and column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from runtime.core.errors import Error, Internal, Invalid, Many
from runtime.core.values import Value
from runtime.lua.module import module_from_folder
from runtime.registry.yaml import parse, plain_scalar

_NUMBER_OF_1_1 = re.compile(r"[-+]?(?:0[0-7_]+|0b[01_]+|[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?)")
_WORDS_OF_1_1 = frozenset({"y", "n", "yes", "no", "on", "off"})


class _Writer(yaml.SafeDumper):
    """Quotes whatever either version of YAML reads as something else than the string."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)


def _write_text(writer: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text and not re.search(r"[ \t]\n|^\s|[\x00-\x08\x0b-\x1f\x7f]", text) else None
    if not style and not text.isprintable():
        style = '"'
    elif not style and not _is_plain(text):
        style = "'"
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _is_plain(text: str) -> bool:
    return (
        text != ""
        and isinstance(plain_scalar(text), str)
        and text.lower() not in _WORDS_OF_1_1
        and not _NUMBER_OF_1_1.fullmatch(text)
    )


def _write_float(writer: yaml.SafeDumper, number: float) -> yaml.ScalarNode:
    return writer.represent_scalar("tag:yaml.org,2002:float", repr(number))


_Writer.add_representer(str, _write_text)
_Writer.add_representer(float, _write_float)


def encode(data: object, options: object = None) -> Value:
    """Return `data` (a table) as YAML text.

    `options` may hold `field_order` (names that stand first in every map) and `sort_unordered` (the others by
    name). Raises Invalid for what is no table, Internal for what YAML's core types can not say.
    """
    if not isinstance(data, dict | list):
        raise Invalid("data must be a table", retryable=False)
    order, sort = _read_options(options)
    text = yaml.dump(
        _arranged(data, order, sort),
        Dumper=_Writer,
        default_flow_style=False,
        allow_unicode=True,
        sort_keys=False,
        width=10_000,
    )
    return str(text)


def _read_options(options: object) -> tuple[dict[str, int], bool]:
    if options is None or options in ([], {}):
        return {}, False
    if not isinstance(options, Mapping):
        raise Invalid("options must be a table", retryable=False)
    for name in options:
        if name not in ("field_order", "sort_unordered"):
            raise Invalid(f"unknown option `{name}`: expected field_order or sort_unordered", retryable=False)
    fields = options.get("field_order") or []
    if not isinstance(fields, Iterable) or not all(isinstance(field, str) for field in fields):
        raise Invalid("field_order must be an array of strings", retryable=False)
    return {field: place for place, field in enumerate(fields)}, options.get("sort_unordered") is True


def _arranged(value: Any, order: Mapping[str, int], sort: bool) -> Any:
    if isinstance(value, bytes):
        raise Internal("a string that is not valid UTF-8 has no YAML form: encode it first", retryable=False)
    if isinstance(value, float) and not math.isfinite(value):
        raise Internal("NaN and infinity have no core YAML form", retryable=False)
    if isinstance(value, list):
        return [_arranged(item, order, sort) for item in value]
    if isinstance(value, dict):
        # Lua has no order of fields, so the names decide where nothing else does.
        last = len(order)
        keys = sorted(value, key=lambda key: (order.get(key, last), key if sort or key not in order else ""))
        return {key: _arranged(value[key], order, sort) for key in keys}
    if isinstance(value, Error):
        return value.to_value()
    return value


def decode(text: object) -> Value:
    """Return the value of the one YAML document in `text`.

    Raises Invalid for what is no string or empty, Internal with line and column for what is no good YAML.
    """
    if not isinstance(text, str | bytes):
        raise Invalid("input must be a string", retryable=False)
    if isinstance(text, bytes):
        raise Internal("input is not valid UTF-8", retryable=False)
    if not text:
        raise Invalid("input is empty: expected a YAML text", retryable=False)
    try:
        return parse(text, "yaml")
    except Many as many:
        raise Internal(f"{many.errors[0]} (and {len(many.errors) - 1} more)", retryable=False) from None
    except Error as error:
        raise Internal(str(error), retryable=False) from None


MODULE = module_from_folder(
    __file__,
    functions={"encode": encode, "decode": decode},
    page="lua/data/yaml",
    summary="YAML text to tables and back, by the core rules of YAML 1.2.",
    classes=("encoding", "deterministic"),
)
