"""The registry's stream in the journal: how a changeset is written there, and how the stream is read back.

One version is one or more `registry.applied` events that were appended together. A payload that was redacted
leaves a version without known operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from runtime.core.errors import Error, Invalid
from runtime.core.values import Value
from runtime.journal.events import Draft, Event, Journal
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.planning import Plan

STREAM = "registry"
APPLIED = "registry.applied"
REJECTED = "registry.rejected"
MAX_OPS = 2_000  # in one event: its payload is bounded


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the registry; `time` in UTC as the journal writes it."""

    id: int
    previous: int
    time: str
    actor: str
    origin: Origin


@dataclass(slots=True)
class Folded:
    """One version as read back: what each id became (None: gone), and the digest of its content."""

    version: Version
    entries: dict[str, Entry | None] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)


def applied(
    plan: Plan, version: int, actor: str, cause: int | None, was: Callable[[str], str]
) -> list[Draft]:
    """Return the events that record `plan` as `version`; `was` gives the digest of what was there."""
    ops: list[Value] = [_recorded(op, was(op.entry.id)) for op in plan.ops]
    parts = [ops[start : start + MAX_OPS] for start in range(0, len(ops), MAX_OPS)]
    return [
        Draft(APPLIED, {"version": version, "origin": str(plan.origin), "ops": part}, actor, cause)
        for part in parts
    ]


def rejected(ops: Sequence[Op], origin: Origin, actor: str, error: Error, cause: int | None) -> Draft:
    """Return the event that records a refused changeset: which ids, and why; not their content."""
    named: list[Value] = [{"kind": op.kind, "id": op.entry.id} for op in ops[:MAX_OPS]]
    return Draft(REJECTED, {"origin": str(origin), "ops": named, "error": error.to_value()}, actor, cause)


def read(journal: Journal) -> tuple[list[Folded], int]:
    """Return every version in order, and the position of the stream."""
    versions: list[Folded] = []
    position = 0
    for event in journal.read(STREAM):
        position = event.position
        if event.type == APPLIED:
            _add(event, versions)
    return versions, position


def operations(event: Event) -> Iterator[tuple[str, Entry | None, str, str | None, Origin]]:
    """Yield what an applied event did: id, what it became, its digest, that of what it replaced, and origin.

    An empty digest stands for nothing there; None where an old event does not say what it replaced.
    """
    payload = event.payload if isinstance(event.payload, dict) else {}
    origin = Origin(str(payload.get("origin", Origin.RUNTIME)))
    ops = payload.get("ops")
    for op in ops if isinstance(ops, list) else []:
        if isinstance(op, dict):
            was = op.get("was", "" if op.get("kind") == "create" else None)
            for entry_id, entry, digest in _ops({"ops": [op]}, origin):
                yield entry_id, entry, digest, was if isinstance(was, str) else None, origin


def _recorded(op: Op, was: str) -> Value:
    value = op.to_value()
    if was:
        value["was"] = was
    if op.kind != "delete":
        value["digest"] = op.entry.digest
    return value


def _add(event: Event, versions: list[Folded]) -> None:
    payload = event.payload if isinstance(event.payload, dict) else {}
    last = versions[-1].version.id if versions else 0
    number = payload.get("version", last + 1)
    if not isinstance(number, int) or number < last:
        raise Invalid(f"event {event.seq} of the registry has version `{number!r}`, expected {last + 1}")
    if number != last or not versions:
        origin = Origin(str(payload.get("origin", Origin.RUNTIME)))
        versions.append(Folded(Version(number, last, event.time, event.actor, origin)))
    folded = versions[-1]
    for entry_id, entry, digest in _ops(payload, folded.version.origin):
        folded.entries[entry_id] = entry
        folded.digests[entry_id] = digest


def _ops(payload: dict[str, Value], origin: Origin) -> Iterator[tuple[str, Entry | None, str]]:
    ops = payload.get("ops")
    for op in ops if isinstance(ops, list) else []:
        if not isinstance(op, dict):
            continue
        if op.get("kind") == "delete":
            yield str(op.get("id")), None, ""
        else:
            entry = Entry.from_value(op.get("entry"), origin)
            yield entry.id, entry, str(op.get("digest", ""))
