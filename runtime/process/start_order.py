"""In which order services start: after what they require, also where other kinds stand in between.

A service requires what its `lifecycle` names, and its host; a required entry that is no service hands on what
it requires itself. What a service or its process merely refers to starts before it too, where that closes no
ring; a ring of requirements is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from runtime.core.errors import Invalid
from runtime.core.ids import qualify
from runtime.process.lifecycle import requirements
from runtime.registry.entry import Entry
from runtime.registry.references import references
from runtime.registry.snapshot import Snapshot

KIND = "process.service"

_Edges = Callable[[Entry], Iterable[str]]


def needs(service: Entry, view: Snapshot) -> list[Entry]:
    """Return the services that `service` requires, the nearest of each way."""
    return list(_reached(service, view, _required))


def start_order(roots: Iterable[Entry], view: Snapshot) -> list[Entry]:
    """Return `roots` and the services that they require, each after those; raise Invalid for a ring."""
    found: dict[str, Entry] = {}
    waits: dict[str, list[str]] = {}
    path: list[str] = []

    def visit(entry: Entry) -> None:
        if entry.id in path:
            ring = " -> ".join([*path[path.index(entry.id) :], entry.id])
            raise Invalid(f"services require each other in a ring: {ring}", place=entry.place)
        if entry.id in found:
            return
        path.append(entry.id)
        required = needs(entry, view)
        waits[entry.id] = [each.id for each in required]
        for each in required:
            visit(each)
        path.pop()
        found[entry.id] = entry

    for root in roots:
        visit(root)
    for entry in found.values():
        for each in _reached(entry, view, references):
            if each.id in found and not _leads(each.id, entry.id, waits):
                waits[entry.id].append(each.id)
    return [found[entry_id] for entry_id in _after_each_other(waits)]


def _required(entry: Entry) -> Iterator[str]:
    yield from requirements(entry)
    host = entry.fields.get("host")
    if entry.kind == KIND and isinstance(host, str):
        yield qualify(host, entry.namespace)


def _reached(service: Entry, view: Snapshot, edges: _Edges) -> Iterator[Entry]:
    """Yield the services that `edges` lead to, without going on behind one."""
    seen, ahead = {service.id}, [service]
    while ahead:
        for entry_id in edges(ahead.pop()):
            entry = view.get(entry_id)
            if entry is None or entry_id in seen:
                continue
            seen.add(entry_id)
            if entry.kind == KIND:
                yield entry
            else:
                ahead.append(entry)


def _leads(start: str, end: str, waits: dict[str, list[str]]) -> bool:
    seen, ahead = {start}, [start]
    while ahead:
        here = ahead.pop()
        if here == end:
            return True
        new = [each for each in waits[here] if each not in seen]
        seen.update(new)
        ahead += new
    return False


def _after_each_other(waits: dict[str, list[str]]) -> list[str]:
    placed: dict[str, None] = {}

    def place(entry_id: str) -> None:
        if entry_id not in placed:
            for each in waits[entry_id]:
                place(each)
            placed[entry_id] = None

    for entry_id in waits:
        place(entry_id)
    return list(placed)
