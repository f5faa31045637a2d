"""The module `expr`: expressions over tables, in a subset of expr-lang, without Lua being run."""

from __future__ import annotations

from collections.abc import Mapping

from runtime.core.errors import Error, Internal, Invalid
from runtime.core.expr import Program, compile_expression
from runtime.core.values import Value
from runtime.lua.module import module_from_folder


def check(expression: object, known: object = None) -> Value:
    """Return true when `expression` can be run; with `known`, a table of examples, only over names in it.

    Raises Invalid for an empty text, Internal with line and column for one that is no expression.
    """
    program = _compiled(expression)
    if isinstance(known, Mapping):
        for path in program.paths():
            if path[0] not in known and path[0] != "$env":
                raise Internal(f"compile failed: unknown name `{path[0]}`", retryable=False)
    return True


def evaluate(expression: object, environment: object = None) -> Value:
    """Return the value of `expression` over the names of `environment`; a name that is not there is nil.

    Raises Invalid for an empty text, Internal for one that is no expression or has no value.
    """
    program = _compiled(expression)
    names = environment if isinstance(environment, Mapping) else {}
    try:
        value: Value = program.run(names)
    except Error as error:
        raise Internal(f"eval failed: {error.message}", retryable=False) from None
    return value


def _compiled(expression: object) -> Program:
    if not isinstance(expression, str):
        raise Internal("compile failed: the expression is not valid UTF-8", retryable=False)
    if not expression:
        raise Invalid("expression cannot be empty", retryable=False)
    try:
        return compile_expression(expression)
    except Error as error:
        raise Internal(f"compile failed: {error.message}", retryable=False) from None


MODULE = module_from_folder(
    __file__,
    functions={"check": check, "evaluate": evaluate},
    page="lua/dynamic/expression",
    summary="Expressions over tables: comparisons, arithmetic, predicates over lists, functions.",
    classes=("deterministic",),
)
