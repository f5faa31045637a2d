"""Expressions over plain data: a subset of expr-lang, parsed by hand and walked under a limit of steps.

Nothing but a closed table of functions can be called, and nothing but plain data is read: there is no way
from an expression to the host. The same expression on the same data gives the same answer: there is no clock.
"""

from runtime.core.expr.program import Program, compile_expression

__all__ = ["Program", "compile_expression"]
