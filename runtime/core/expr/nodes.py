"""The tree of an expression: one sort of node, never changed once made, bounded in depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runtime.core.errors import Invalid

MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Node:
    """A node of `kind`: its `parts` are evaluated, `value` is what belongs to it; `at` is an offset.

    literal (value), name (value), pointer (value: `#`, `#acc`, `#index`), member (target, key; value: whether
    optional), chain (body), slice (target, low, high), unary (x; value: operator), binary (left, right;
    value: operator), conditional (test, then, otherwise), array (items), map (key, value, ...), call
    (arguments; value: name), predicate (body), let (value, body; value: name), nothing.
    """

    kind: str
    at: int
    parts: tuple[Node, ...] = ()
    value: Any = None
    depth: int = 1


def node(kind: str, at: int, *parts: Node, value: Any = None) -> Node:
    """Return a node over `parts`; raise Invalid where the tree would be deeper than MAX_DEPTH."""
    depth = 1 + max((part.depth for part in parts), default=0)
    if depth > MAX_DEPTH:
        raise Invalid(f"expression is nested deeper than {MAX_DEPTH} levels: split it")
    return Node(kind, at, parts, value, depth)
