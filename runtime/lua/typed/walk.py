"""Every node of a tree, in the order of the source; trees may be deep, so nothing recurses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runtime.lua.typed.nodes import Function


def parts(root: Any, *, into_functions: bool = True) -> Iterator[Any]:
    """Give every node of `root`, itself included, types with them; functions whole, or as a node alone."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, list | tuple):
            stack.extend(reversed(node))
            continue
        names = getattr(type(node), "__slots__", None)
        if names is None:
            continue
        yield node
        if into_functions or not isinstance(node, Function):
            stack.extend(getattr(node, name) for name in reversed(names))
