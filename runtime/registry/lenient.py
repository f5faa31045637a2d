"""The lenient loader: what can not be read or understood is left out, and that is said with its place.

A file that can not be read is skipped, the last of two equal ids wins, unknown fields are dropped, and an
entry that is not of its kind's shape goes. One that does not link or parse stays; who calls it gets the
fault. Policies are never taken leniently: what a lost one would have refused is not known. So a fault in an
entry of `security.*`, or in a file that speaks of one, is as fatal as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from runtime.core.errors import Error, Invalid, Many
from runtime.registry import kinds
from runtime.registry.adjust import NONE, Adjustments
from runtime.registry.assemble import Tree
from runtime.registry.entry import Entry, Origin
from runtime.registry.frozen import thaw
from runtime.registry.link import try_link
from runtime.registry.loader import read_tree

STRICT_KINDS = "security."

FaultOf = Callable[[Entry], Error | None]


@dataclass(slots=True)
class Loaded:
    """What could be loaded, and one warning for each thing that was left out."""

    entries: list[Entry]
    warnings: list[Error] = field(default_factory=list)


def assemble_leniently(trees: Iterable[Tree], adjustments: Adjustments = NONE) -> Loaded:
    """Return the entries of all `trees` that can be had; raise Many for what may not be left out."""
    found: dict[str, Entry] = {}
    warnings: list[Error] = []
    fatal: list[Error] = []
    for tree in trees:
        entries, errors = read_tree(
            tree.src, project=tree.project, origin=tree.origin, meta=tree.meta, passed=tree.passed
        )
        for entry in entries:
            if entry.id in found:
                warnings.append(_doubled(found[entry.id], entry))
            found[entry.id] = entry
        for error in errors:
            (fatal if _may_hide_policy(tree, error) else warnings).append(error)
    adjusted, unmade = adjustments.before_linking(found.values())
    fatal += unmade
    linked, unlinked = try_link(adjusted)
    linked, _ = adjustments.override(linked)
    warnings += unlinked
    kept: list[Entry] = []
    for entry in linked:
        good, errors = _conformed(entry)
        if good is not None:
            kept.append(good)
        (fatal if errors and good is None and is_strict(entry) else warnings).extend(errors)
    if fatal:
        raise Many(fatal)
    return Loaded(kept, warnings)


def tolerated(entries: Iterable[Entry], fault_of: FaultOf) -> dict[str, Error]:
    """Return the faults of those of `entries` that may stay in force with one; their callers get it.

    Faults of what may not be taken leniently are for the load itself to raise.
    """
    return {entry.id: error for entry in entries if not is_strict(entry) and (error := fault_of(entry))}


def is_strict(entry: Entry) -> bool:
    """Whether `entry` may not be left out: a component of the runtime, or of the kinds of security."""
    return entry.origin is Origin.MODULE or entry.kind.startswith(STRICT_KINDS)


def _doubled(first: Entry, last: Entry) -> Error:
    at = first.place_of("name") or "elsewhere"
    return Invalid(
        f"entry `{last.id}` is declared twice, first at {at}: the last one counts",
        place=last.place_of("name"),
    )


def _may_hide_policy(tree: Tree, error: Error) -> bool:
    if tree.origin is Origin.MODULE or error.place is None:
        return True
    try:
        return b"security." in (tree.project / error.place.path).read_bytes()
    except OSError:
        return True


def _conformed(entry: Entry) -> tuple[Entry | None, list[Error]]:
    """Return `entry` as its kind wants it, without its unknown fields, or None; and what is wrong with it."""
    good, errors = kinds.conform_all([entry])
    if good or is_strict(entry):
        return (good[0] if good else None), errors
    known = set(kinds.schema(entry.kind)["properties"]["data"]["properties"]) if _has_schema(entry) else set()
    data: Any = thaw(entry.data)
    if not known or not isinstance(data, dict):
        return None, errors
    kept = {key: value for key, value in data.items() if key in known}
    good, _ = kinds.conform_all([replace(entry, data=kept)])
    return (good[0] if good else None), errors


def _has_schema(entry: Entry) -> bool:
    return entry.kind in kinds.implemented()
