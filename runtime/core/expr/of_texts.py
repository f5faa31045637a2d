"""Functions of strings; lengths and positions count characters."""

from __future__ import annotations

import base64
import binascii
import json
import math
from decimal import Decimal
from typing import Any

from runtime.core.bounds import check_bounds
from runtime.core.errors import Error, Invalid
from runtime.core.expr.arguments import array, integer, text
from runtime.core.expr.limits import Budget
from runtime.core.expr.semantics import checked, type_of


def to_string(budget: Budget, value: Any) -> str:
    """Return a string, a number or a boolean as a string."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        budget.make(400)
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    if value is None:
        return "nil"
    raise Invalid(f"`string` can not write {type_of(value)}: use `toJSON`")


def upper(budget: Budget, value: Any) -> str:
    """Return the string in capitals."""
    return _made(budget, text("upper", value).upper())


def lower(budget: Budget, value: Any) -> str:
    """Return the string in small letters."""
    return _made(budget, text("lower", value).lower())


def trim(budget: Budget, value: Any, signs: Any = None) -> str:
    """Return the string without white space, or without `signs`, at both ends."""
    found = text("trim", value)
    return _made(budget, found.strip() if signs is None else found.strip(text("trim", signs)))


def trim_prefix(budget: Budget, value: Any, prefix: Any = " ") -> str:
    """Return the string without `prefix`."""
    return _made(budget, text("trimPrefix", value).removeprefix(text("trimPrefix", prefix)))


def trim_suffix(budget: Budget, value: Any, suffix: Any = " ") -> str:
    """Return the string without `suffix`."""
    return _made(budget, text("trimSuffix", value).removesuffix(text("trimSuffix", suffix)))


def _made(budget: Budget, value: str) -> str:
    budget.make(len(value))
    return value


def split(budget: Budget, value: Any, separator: Any, limit: Any = -1) -> list[str]:
    """Return the parts between separators, at most `limit` where it is not negative."""
    whole, mark, most = text("split", value), text("split", separator), integer("split", limit)
    budget.make(len(whole) + 1)
    if most == 0:
        return []
    if not mark:
        return list(whole) if most < 0 or most >= len(whole) else [*whole[: most - 1], whole[most - 1 :]]
    return whole.split(mark, -1 if most < 0 else most - 1)


def split_after(budget: Budget, value: Any, separator: Any, limit: Any = -1) -> list[str]:
    """Return the parts, each with the separator that ends it."""
    parts = split(budget, value, separator, limit)
    budget.make(len(parts) * len(separator))
    return [*(each + separator for each in parts[:-1]), *parts[-1:]]


def replace(budget: Budget, value: Any, old: Any, new: Any, limit: Any = -1) -> str:
    """Return the string with `old` replaced by `new`, at most `limit` times where it is not negative."""
    whole, before, after = text("replace", value), text("replace", old), text("replace", new)
    most = integer("replace", limit)
    times = whole.count(before) if most < 0 else min(most, whole.count(before))
    budget.make(len(whole) + times * len(after))
    return whole.replace(before, after, times)


def repeat(budget: Budget, value: Any, times: Any) -> str:
    """Return the string `times` times."""
    whole, count = text("repeat", value), integer("repeat", times)
    if count < 0:
        raise Invalid("`repeat` needs a number that is not negative")
    budget.make(len(whole) * count)
    return whole * count


def join(budget: Budget, value: Any, separator: Any = "") -> str:
    """Return the strings of an array as one."""
    parts = [text("join", each) for each in array("join", value, budget)]
    budget.make(sum(map(len, parts)) + len(parts) * len(text("join", separator)))
    return str(separator).join(parts)


def index_of(_budget: Budget, value: Any, part: Any) -> int:
    """Return where `part` is first found, from 0, or -1."""
    return text("indexOf", value).find(text("indexOf", part))


def last_index_of(_budget: Budget, value: Any, part: Any) -> int:
    """Return where `part` is last found, from 0, or -1."""
    return text("lastIndexOf", value).rfind(text("lastIndexOf", part))


def has_prefix(_budget: Budget, value: Any, prefix: Any) -> bool:
    """Whether the string begins with `prefix`."""
    return text("hasPrefix", value).startswith(text("hasPrefix", prefix))


def has_suffix(_budget: Budget, value: Any, suffix: Any) -> bool:
    """Whether the string ends with `suffix`."""
    return text("hasSuffix", value).endswith(text("hasSuffix", suffix))


def to_json(budget: Budget, value: Any) -> str:
    """Return the value as JSON, indented by two blanks, names in order."""
    try:
        check_bounds(value)
        found = json.dumps(
            value, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True, default=_plain
        )
    except (Error, ValueError, TypeError):
        raise Invalid("`toJSON` can not write this value") from None
    return _made(budget, found)


def _plain(value: Any) -> Any:
    return dict(value.items())  # a map that is no dict; whatever else raises


def from_json(budget: Budget, value: Any) -> Any:
    """Return the value that JSON writes; numbers out of range and constants such as NaN are errors."""
    found = text("fromJSON", value)
    budget.make(len(found))
    try:
        read = json.loads(found, parse_constant=_refuse, parse_int=_integer, parse_float=_float)
        check_bounds(read)
    except (Error, ValueError, RecursionError):
        raise Invalid("`fromJSON` can not read this text") from None
    return read


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _integer(digits: str) -> int | float:
    return checked(int(digits)) if len(digits) <= 20 else _float(digits)


def _float(digits: str) -> int | float:
    return checked(float(digits))


def to_base64(budget: Budget, value: Any) -> str:
    """Return the UTF-8 of a string in base64."""
    found = text("toBase64", value)
    budget.make(6 * len(found))
    try:
        return base64.b64encode(found.encode("utf-8")).decode()
    except UnicodeEncodeError:
        raise Invalid("`toBase64` needs valid unicode") from None


def from_base64(budget: Budget, value: Any) -> str:
    """Return the string whose UTF-8 is written in base64."""
    found = text("fromBase64", value)
    budget.make(len(found))
    try:
        return base64.b64decode(found, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        raise Invalid("`fromBase64` can not read this text") from None
