"""A compiled expression: parsed once, run as often as wanted, by any thread at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from runtime.core.errors import Invalid
from runtime.core.expr.evaluation import Evaluation
from runtime.core.expr.limits import SIZE, STEPS, Budget
from runtime.core.expr.nodes import Node
from runtime.core.expr.parser import Parser

KEPT = 1000  # compiled expressions
LONGEST_KEPT = 1000  # characters


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A compiled expression and its text."""

    text: str
    tree: Node

    def run(self, environment: Mapping[str, Any], *, steps: int = STEPS, size: int = SIZE) -> Any:
        """Return the value over `environment` (plain data); a name that is not there is nil.

        Raises Invalid where the expression has no value, or spends more than `steps` or `size`.
        """
        try:
            return Evaluation(environment, Budget(steps, size)).value(self.tree)
        except RecursionError:
            raise Invalid("the data is nested too deep for this expression") from None

    def paths(self) -> Iterator[tuple[str, ...]]:
        """Yield what the expression reads by name: `actor.meta.role` as ("actor", "meta", "role")."""
        yield from _paths(self.tree, frozenset())


def _paths(node: Node, own: frozenset[str]) -> Iterator[tuple[str, ...]]:
    steps: list[str] = []
    inner = node
    while (
        inner.kind == "member" and inner.parts[1].kind == "literal" and isinstance(inner.parts[1].value, str)
    ):
        steps.append(inner.parts[1].value)
        inner = inner.parts[0]
    if inner.kind == "name":
        if inner.value not in own:
            yield (inner.value, *reversed(steps))
        return
    if node.kind == "let":
        yield from _paths(node.parts[0], own)
        yield from _paths(node.parts[1], own | {node.value})
        return
    for part in node.parts:
        yield from _paths(part, own)


def compile_expression(text: str) -> Program:
    """Return the program of `text`; raise Invalid with line and column where it is none."""
    if not text.strip():
        raise Invalid("expression cannot be empty")
    return _kept(text) if len(text) <= LONGEST_KEPT else Program(text, Parser(text).parse())


@lru_cache(KEPT)
def _kept(text: str) -> Program:
    return Program(text, Parser(text).parse())
