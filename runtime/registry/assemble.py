"""From the folders of a project and its modules to one checked set of entries, or to every fault at once.

The order is: read all files, find double ids, adjust (see `adjust`), link requirements, check kinds. A later
step goes on with what the earlier ones could read, and stays silent where its complaint would only follow
from one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from runtime.core.errors import Error, Many, Place
from runtime.core.values import Value
from runtime.registry import kinds
from runtime.registry.adjust import NONE, Adjustments
from runtime.registry.entry import Entry, Origin
from runtime.registry.link import try_link
from runtime.registry.loader import read_tree, without_duplicates


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder to load: places in it are relative to `project`; `meta` is merged over that of each entry."""

    src: Path
    project: Path
    origin: Origin = Origin.FILE
    meta: Mapping[str, Value] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list, compare=False)
    """The files that were read and declare nothing, since they have no `namespace`; filled by who reads."""


def assemble(trees: Iterable[Tree], adjustments: Adjustments = NONE) -> list[Entry]:
    """Return the entries of all `trees`, linked and in the form that their kinds want.

    Raises Many with every fault of every file, in the order of their places, and NotFound for a folder that
    is not there.
    """
    entries, errors = try_assemble(trees, adjustments)
    if errors:
        raise Many(errors)
    return entries


def try_assemble(
    trees: Iterable[Tree], adjustments: Adjustments = NONE, broken: list[Entry] | None = None
) -> tuple[list[Entry], list[Error]]:
    """Return those entries that have no fault, and every fault, in the order of their places.

    Entries that are not of their kind's shape are added to `broken`. Raises NotFound for a folder that is
    not there.
    """
    entries: list[Entry] = []
    errors: list[Error] = []
    for tree in trees:
        found, bad = read_tree(
            tree.src, project=tree.project, origin=tree.origin, meta=tree.meta, passed=tree.passed
        )
        entries += found
        errors += bad
    entries, doubled = without_duplicates(entries)
    errors += doubled
    unread = bool(errors)
    entries, unmade = adjustments.before_linking(entries)
    entries, unlinked = try_link(entries)
    entries, _ = adjustments.override(entries)
    if not unread:  # what can not be linked or overridden may stand in a file that could not be read
        errors += [*unmade, *unlinked]
    good, misshapen = kinds.conform_all(entries)
    if misshapen and broken is not None:
        shaped = {entry.id for entry in good}
        broken += [entry for entry in entries if entry.id not in shaped]
    return good, sorted([*errors, *misshapen], key=_by_place)


def _by_place(error: Error) -> tuple[str, int, int]:
    place = error.place or Place("")
    return place.path, place.line, place.column
