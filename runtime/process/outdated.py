"""Processes that asked for it (`upgradable`) hear when their code is no longer what the registry holds.

They see to it themselves, as a rule by `process.upgrade`; who did not ask runs on what it was started with.
"""

from __future__ import annotations

from runtime.core.ids import qualify
from runtime.process.task import Task
from runtime.process.tasks import Tasks
from runtime.process.ties import EVENTS, OUTDATED
from runtime.registry.entry import Change, Entry
from runtime.registry.snapshot import Snapshot


def closure(task: Task) -> set[str]:
    """Return the ids of the entries whose code `task` runs: its own and those of its libraries."""
    if task.program is None:
        return {task.caller.entry}
    return {task.program.main.id, *(chunk.id for chunk in task.program.libraries)}


def tell_outdated(tasks: Tasks, change: Change) -> list[Task]:
    """Tell the processes that asked for it of the part of `change` that is their code; return them."""
    changed = {op.entry.id for op in change.ops}
    told = []
    for task in tasks.processes():
        if task.upgradable and (own := closure(task) & changed):
            sources = sorted(_affected(own, closure(task), change.after))
            tasks.notify(task, EVENTS, tasks.ties.event(OUTDATED, "", sources=sources))
            told.append(task)
    return told


def _affected(changed: set[str], ids: set[str], view: Snapshot) -> set[str]:
    """Return `changed` and those of `ids` that import one of them, near or far."""
    found = set(changed)
    while more := {
        entry_id
        for entry_id in ids - found
        if (entry := view.get(entry_id)) is not None and not found.isdisjoint(_imports(entry))
    }:
        found |= more
    return found


def _imports(entry: Entry) -> set[str]:
    imports = entry.fields.get("imports")
    values = imports.values() if isinstance(imports, dict) else ()
    return {qualify(value, entry.namespace) for value in values if isinstance(value, str)}
