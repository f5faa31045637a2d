"""Upkeep of a project's journal by its owner: taking a payload out, and making a long journal short."""

from __future__ import annotations

import os

from runtime.app.opening import Place, find_project, open_journal_to_read
from runtime.app.owner import OWNER, ask
from runtime.core.clock import SystemClock
from runtime.core.redact import Redactor
from runtime.journal.compaction import Compacted, compact
from runtime.journal.events import Draft, Event
from runtime.journal.lease import Lease
from runtime.journal.sqlite import SqliteJournal
from runtime.journal.state import JOURNAL
from runtime.registry import history
from runtime.registry.entry import Op, Origin
from runtime.registry.planning import Plan
from runtime.registry.registry import Registry


def redact_event(place: Place, seq: int) -> Event:
    """Take the payload of the event `seq` out, and return the event that says so; see `Journal.redact`."""
    with open_journal_to_read(place):  # where there is none, none is made
        pass
    return Event(**ask(place, "redact", {"seq": seq}))


def compact_journal(place: Place) -> Compacted:
    """Archive the journal of a project and begin a new one; see `compact`."""
    project = find_project(place, os.environ)
    with open_journal_to_read(place):
        pass
    with Lease(project.state_dir):
        path = project.state_dir / JOURNAL
        journal = SqliteJournal(path)
        try:
            snapshot = _snapshot(Registry(journal, SystemClock()))
        finally:
            journal.close()
        return compact(path, {history.STREAM: snapshot} if snapshot else {}, actor=OWNER, redactor=Redactor())


def _snapshot(registry: Registry) -> list[Draft]:
    """Return the events that make every run-time entry of `registry`, also of those that are kept aside."""
    born = [entry for entry in registry.current.entries() if entry.origin is Origin.RUNTIME]
    if not born:
        return []
    plan = Plan(Origin.RUNTIME, tuple(Op("create", entry) for entry in born))
    return history.applied(plan, registry.current.version, OWNER, None, lambda _entry_id: "")
