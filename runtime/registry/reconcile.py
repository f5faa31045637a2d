"""What files and modules declare now against what the registry holds: the difference, one plan per origin.

Entries of the file and module layers are what this start's loader says and nothing else: what it does not say
is deleted, whatever the journal claims. Run-time entries stay, unless a file or module declares the same id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from runtime.core.errors import Error, Internal, Many
from runtime.registry import kinds, planning
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.loader import without_duplicates
from runtime.registry.snapshot import Snapshot, Stage


@dataclass(slots=True)
class LoadReport:
    """What a load did, by ids.

    `replaced`: run-time entries that a file or module took over. `aside`: run-time entries that are kept in
    the journal and out of force, because they no longer pass the checks. `cycles`: ids that name each other.
    `left_out`: what a lenient loader did without. `passed`: files without `namespace`, which declare nothing.
    """

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    aside: dict[str, Error] = field(default_factory=dict)
    cycles: list[tuple[str, ...]] = field(default_factory=list)
    left_out: list[Error] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(slots=True)
class Difference:
    """The plans that bring the registry to what is declared, modules first.

    `declared` are the entries in the form that their kinds want, `unchanged` those that no plan touches.
    """

    declared: list[Entry]
    plans: list[planning.Plan]
    unchanged: list[Entry]
    report: LoadReport


def difference(entries: Iterable[Entry], held: Snapshot, digest_of: Callable[[str], str]) -> Difference:
    """Compare the declared `entries` with what is `held`.

    Raises Many for ids that are declared twice and entries that break the schema of their kind.
    `digest_of` gives the digest of an entry's content as it was before the journal masked it.
    """
    declared = _conforming(entries)
    report = LoadReport()
    unchanged: list[Entry] = []
    ops: dict[Origin, list[Op]] = {Origin.MODULE: [], Origin.FILE: []}
    for entry in declared:
        if entry.origin not in ops:
            raise Internal(f"entry `{entry.id}` of origin `{entry.origin}` can not be loaded from files")
        have = held.get(entry.id)
        if have and have.origin is entry.origin and _same(entry, have, digest_of):
            unchanged.append(entry)
        else:
            ops[entry.origin] += _change(entry, have, report)
    present = {entry.id for entry in declared}
    for have in held.entries():
        if have.id not in present and have.origin is not Origin.RUNTIME:
            ops[have.origin].append(Op("delete", have))
            report.deleted.append(have.id)
    plans = [planning.plan(part, origin, held.get) for origin, part in ops.items() if part]
    report.cycles = [cycle for one in plans for cycle in one.cycles]
    return Difference(declared, plans, unchanged, report)


def _conforming(entries: Iterable[Entry]) -> list[Entry]:
    declared, errors = without_duplicates(entries)
    declared, broken = kinds.conform_all(declared)
    if errors or broken:
        raise Many([*errors, *broken])
    return declared


def _same(entry: Entry, have: Entry, digest_of: Callable[[str], str]) -> bool:
    return entry.same_content(have) or (entry.kind == have.kind and entry.digest == digest_of(entry.id))


def _change(entry: Entry, have: Entry | None, report: LoadReport) -> list[Op]:
    if have is None:
        report.created.append(entry.id)
        return [Op("create", entry)]
    if have.origin is Origin.RUNTIME:
        report.replaced.append(entry.id)
    report.updated.append(entry.id)
    if have.kind == entry.kind:
        return [Op("update", entry)]
    return [Op("delete", have), Op("create", entry)]


def set_aside(
    stage: Stage, version: int, waiting: Iterable[Entry], fault_of: Callable[[Entry, Snapshot], Error | None]
) -> dict[str, tuple[Entry, Error]]:
    """Take the run-time entries that have a fault out of the staged registry, and return them with it.

    Those `waiting` from an earlier load get another chance where their id is free. What goes may be missed by
    others, so it is asked again until nothing more goes.
    """
    view = stage.view(version)
    back = {entry.id: entry for entry in waiting if entry.id not in view}
    if back:
        stage.write(back)
    aside: dict[str, tuple[Entry, Error]] = {}
    while True:
        view = stage.view(version)
        faults: dict[str, tuple[Entry, Error]] = {}
        for entry in view.entries():
            if entry.origin is Origin.RUNTIME and (error := fault_of(entry, view)):
                faults[entry.id] = entry, error
        if not faults:
            return aside
        aside |= faults
        stage.write(dict.fromkeys(faults))


def aside_ops(
    before: Snapshot, after: Snapshot, waiting: Mapping[str, Entry], aside: Mapping[str, Entry]
) -> tuple[Op, ...]:
    """Return what listeners must hear of a change of what is set aside: what went and what came back."""
    gone = [Op("delete", entry) for entry_id, entry in aside.items() if entry_id in before]
    back = [Op("create", entry) for entry_id, entry in waiting.items() if after.get(entry_id) == entry]
    return (*gone, *back)
