"""One condition of a policy: a field, an operator, and a value or another field.

What can never hold is refused when it is read: an unknown field or operator, a text where a number is needed,
a regular expression that RE2 does not take. So a deny is not lost to a slip of the pen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.core.errors import Invalid
from runtime.core.values import Value
from runtime.security.fields import Facts, Field
from runtime.security.operators import OPERATORS, ConditionError, compare, number
from runtime.security.wording import expected, quoted, shown, type_name

KEYS = ("field", "operator", "value", "value_from")
_MISSING = object()
_OTHER_NAMES = {
    "=": "eq",
    "==": "eq",
    "is": "eq",
    "equals": "eq",
    "!=": "ne",
    "not": "ne",
    "<": "lt",
    "<=": "lte",
    ">": "gt",
    ">=": "gte",
    "not_in": "nin",
    "regex": "matches",
}

Complain = Callable[..., None]  # (message, *path of the culprit)


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """`field operator wanted`, where `wanted` is a value, a compiled RE2 or (a Field) another field."""

    field: Field
    operator: str
    wanted: Any

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields that the condition reads."""
        return (self.field, self.wanted) if isinstance(self.wanted, Field) else (self.field,)

    @property
    def text(self) -> str:
        """The condition in one line, such as `meta.kind eq "function.lua"`."""
        wanted = self.wanted
        if isinstance(wanted, Field):
            return f"{self.field.path} {self.operator} {wanted.path}"
        pattern = getattr(wanted, "pattern", None)
        if isinstance(pattern, bytes):
            pattern = pattern.decode("utf-8", "replace")
        return f"{self.field.path} {self.operator} {quoted(wanted if pattern is None else pattern)}"

    def why_not(self, facts: Facts) -> str:
        """Say that it does not hold, and what was found."""
        found = [
            f"{path} is {'not there' if facts[path] is None else quoted(facts[path])}"
            for path in dict.fromkeys(field.path for field in self.fields)
        ]
        return f"{self.text} does not hold ({', '.join(found)})"

    def holds(self, facts: Facts) -> bool:
        """Whether the condition holds; a comparison that has no meaning does not."""
        wanted = facts[self.wanted.path] if isinstance(self.wanted, Field) else self.wanted
        try:
            return compare(self.operator, facts[self.field.path], wanted)
        except ConditionError:
            return False


def read_condition(raw: object, complain: Complain) -> Condition | None:
    """Return the condition that `raw` (plain data) declares.

    Returns None after `complain(message, *path)` for each fault.
    """
    if not isinstance(raw, Mapping):
        complain(f"must be a map of field, operator and value or value_from, not {type_name(raw)}")
        return None
    unknown = [key for key in raw if key not in KEYS]
    for key in unknown:
        complain(f"unknown key `{shown(key)}`, {expected(str(key), KEYS)}", key)
    field = _field(raw, "field", complain)
    operator = _operator(raw, complain)
    wanted = _wanted(raw, operator, complain)
    if unknown or field is None or operator is None or wanted is _MISSING:
        return None
    return Condition(field, operator, wanted)


def _field(raw: Mapping[str, Value], key: str, complain: Complain) -> Field | None:
    path = raw.get(key)
    if path is None or path == "":
        complain(f"{key} is required", key)
    elif not isinstance(path, str):
        complain(f"{key} must be a string, not {type_name(path)}", key)
    else:
        try:
            return Field(path)
        except Invalid as error:
            complain(error.message, key)
    return None


def _operator(raw: Mapping[str, Value], complain: Complain) -> str | None:
    operator = raw.get("operator")
    if operator is None or operator == "":
        complain("operator is required", "operator")
    elif not isinstance(operator, str) or operator not in OPERATORS:
        meant = expected(_OTHER_NAMES.get(str(operator), str(operator)), OPERATORS)
        complain(f"invalid operator: {shown(operator)}; {meant}", "operator")
    else:
        return operator
    return None


def _wanted(raw: Mapping[str, Value], operator: str | None, complain: Complain) -> Any:
    value, value_from = raw.get("value"), raw.get("value_from")
    if value is None and value_from in (None, ""):
        complain("value or value_from is required")
        return _MISSING
    if value is not None and value_from is not None:
        complain("value and value_from exclude each other", "value_from")
        return _MISSING
    if value is None:
        return _wanted_field(raw, operator, complain)
    fault = _never_holds(operator, value)
    if fault:
        complain(fault, "value")
        return _MISSING
    if operator in ("matches", "nmatches"):
        return _expression(str(value), complain)
    return value


def _wanted_field(raw: Mapping[str, Value], operator: str | None, complain: Complain) -> Any:
    if operator in ("matches", "nmatches"):
        complain(
            f"{operator} takes a regular expression in `value`; value_from can not give one", "value_from"
        )
        return _MISSING
    field = _field(raw, "value_from", complain)
    return _MISSING if field is None else field


def _never_holds(operator: str | None, value: Value) -> str | None:
    kind = type_name(value)
    if operator in ("lt", "gt", "lte", "gte") and number(value) is None:
        return f"value of {operator} must be a number, not {kind}"
    if operator in ("in", "nin") and not isinstance(value, list | tuple | str):
        return f"value of {operator} must be a list or a string, not {kind}"
    if operator in ("exists", "nexists") and not isinstance(value, bool):
        return f"value of {operator} must be true or false, not {kind}"
    if operator in ("matches", "nmatches") and not isinstance(value, str):
        return f"value of {operator} must be a regular expression as a string, not {kind}"
    return None


def _expression(pattern: str, complain: Complain) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False  # RE2 writes to stderr by itself
    try:
        return re2.compile(pattern, options)
    except (re2.error, ValueError) as error:
        cause = error.args[0] if error.args else error
        words = cause.decode("utf-8", "replace") if isinstance(cause, bytes) else str(cause)
        complain(f"invalid regular expression `{shown(pattern)}`: {shown(words)}", "value")
        return _MISSING
