"""How deep and how large plain data may be: one rule for the wire, the journal and every digest.

The check walks level by level and never recurses, so a cycle, a tower of lists and a small value that repeats
itself a billion times are all refused in bounded time, before anything that recurses sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from runtime.core.errors import Error, Invalid

MAX_DEPTH = 128
MAX_NODES = 1_000_000

SCALARS: frozenset[type] = frozenset({type(None), bool, int, float, str, bytes})


def check_bounds(value: object) -> None:
    """Raise Invalid when `value` is nested deeper than MAX_DEPTH or holds more than MAX_NODES values."""
    level = [value] if type(value) not in SCALARS else []
    nodes = 1
    for _ in range(MAX_DEPTH):
        if not level:
            return
        following: list[object] = []
        for item in level:
            inner = item if type(item) is list else _children(item)
            nodes += len(inner)
            if nodes > MAX_NODES:
                raise Invalid(f"value holds more than {MAX_NODES} values: split it or refer to it by hash")
            for child in inner:
                if type(child) not in SCALARS:
                    following.append(child)
        level = following
    if level:
        raise Invalid(f"value is nested deeper than {MAX_DEPTH} levels (or contains itself): flatten it")


def _children(item: object) -> Collection[object]:
    if isinstance(item, dict):
        return item.values()
    if isinstance(item, list | tuple):
        return item
    if isinstance(item, Mapping):
        return item.values()
    return (item.details,) if isinstance(item, Error) else ()


def locate(value: object, fault: Callable[[object], str | None]) -> str | None:
    """Return `reason at path` of the first item that `fault` gives a reason for, or None.

    For messages only: it is called once something has failed, on a value that `check_bounds` has accepted.
    """
    for path, item in _walk(value):
        reason = fault(item)
        if reason is not None:
            return f"{reason} at `{path}`" if path else reason
    return None


def _walk(value: object) -> Iterator[tuple[str, object]]:
    stack: list[tuple[str, object]] = [("", value)]
    while stack:
        path, item = stack.pop()
        yield path, item
        if isinstance(item, Mapping):
            pairs = [(_step(path, key), child) for key, child in item.items()]
        elif isinstance(item, list | tuple):
            pairs = [(f"{path}[{index}]", child) for index, child in enumerate(item)]
        elif isinstance(item, Error):
            pairs = [(_step(path, "details"), item.details)]
        else:
            continue
        stack.extend(reversed(pairs))


def _step(path: str, key: object) -> str:
    text = key if isinstance(key, str) else repr(key)
    name = text.encode("utf-8", "backslashreplace").decode()
    return f"{path}.{name[:80]}" if path else name[:80]
