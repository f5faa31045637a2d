"""What two branches made of the registry since they were one, and how one is brought into the other.

Only the events behind the common past are read: each recorded operation says what it replaced. Bringing over
is a change like any other, with the same checks, and it is all or nothing: one conflict, and nothing is
written but that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.core.errors import Conflict, Error, Invalid, NotFound
from runtime.core.values import Value
from runtime.journal import types
from runtime.journal.branches import STREAM, Fork
from runtime.journal.events import Draft, Event, Journal
from runtime.registry import history
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.references import references
from runtime.registry.registry import Registry

GONE = ""
"""The digest of what is not there."""


@dataclass(slots=True)
class Net:
    """What became of one id on a branch: the digest of what was there at the cut, and what is there now."""

    was: str | None
    entry: Entry | None = None
    digest: str = GONE
    origin: Origin = Origin.RUNTIME

    @property
    def change(self) -> str:
        """`create`, `update` or `delete`; empty where everything is as it was."""
        if self.digest == self.was:
            return ""
        return "delete" if self.entry is None else "update" if self.was else "create"


@dataclass(frozen=True, slots=True)
class Difference:
    """One id that two branches left in different states; a side without a change is None."""

    id: str
    left: Net | None
    right: Net | None

    @property
    def conflict(self) -> bool:
        """Whether both changed it, and not to the same."""
        return self.left is not None and self.right is not None and self.left.digest != self.right.digest


@dataclass(slots=True)
class Promotion:
    """What bringing a branch over did or would do; what files declare stays behind."""

    branch: str
    ops: tuple[Op, ...] = ()
    declared: tuple[str, ...] = ()
    conflicts: dict[str, str] = field(default_factory=dict)


def net_changes(journal: Journal, after: int) -> dict[str, Net]:
    """Return what the branch `journal` made of each id behind the seq `after`, without what is as it was."""
    return {entry_id: net for entry_id, net in sorted(_ends(journal, after).items()) if net.change}


def _ends(journal: Journal, after: int) -> dict[str, Net]:
    """Return what became of every id that was touched behind the seq `after`."""
    found: dict[str, Net] = {}
    for event in journal.read(history.STREAM, after=after, types=[types.REGISTRY_APPLIED]):
        for entry_id, entry, digest, was, origin in history.operations(event):
            net = found.setdefault(entry_id, Net(was))
            net.entry, net.digest, net.origin = entry, digest, origin
    return found


def differences(journal: Journal, left: str, right: str) -> list[Difference]:
    """Return the ids that `left` and `right` have in different states, by id; raise NotFound for a branch."""
    one, other = journal.on(left), journal.on(right)
    cut = journal.forks().common(left, right)
    if cut is None:
        return []
    ours, theirs = net_changes(one, cut), net_changes(other, cut)
    every = (Difference(each, ours.get(each), theirs.get(each)) for each in sorted({*ours, *theirs}))
    return [
        each for each in every if not (each.left and each.right and each.left.digest == each.right.digest)
    ]


def check_cut(journal: Journal, at: int) -> None:
    """Raise Invalid where a fork behind the event `at` would cut one change of the registry in two."""
    event = _event(journal, at)
    last = event
    for each in (
        journal.on(event.branch).read(history.STREAM, after=at) if event.stream == history.STREAM else ()
    ):
        if not _belongs(each, event):
            break
        last = each
    if last is not event:
        raise Invalid(
            f"event {at} is a part of a change that ends with event {last.seq}: fork there",
            details={"event": at, "last": last.seq},
        )


def promotion(registry: Registry, journal: Journal, branch: str) -> Promotion:
    """Return what bringing `branch` into `journal`, its parent, would do; `registry` is that of `journal`."""
    fork = _fork_of(journal, branch)
    wanted = _ends(journal.on(branch), fork.at)
    here = _ends(journal, fork.at)
    brought = _brought(journal, fork)
    ops: list[Op] = []
    declared: list[str] = []
    conflicts: dict[str, str] = {}
    for entry_id, net in sorted(wanted.items()):
        have = registry.current.get(entry_id)
        ours = here[entry_id].digest if entry_id in here else net.was
        base = brought.get(entry_id, net.was)  # what both knew last
        if net.digest in (base, ours):
            continue  # the branch left it alone since, or it is there already
        if net.origin is not Origin.RUNTIME:
            declared.append(entry_id)
        elif ours != base:
            conflicts[entry_id] = "both changed it since they were one"
        elif have is not None and have.origin is not Origin.RUNTIME:
            conflicts[entry_id] = f"a {have.origin} declares it now"
        else:
            ops += _operations(net, have)
    conflicts |= _orphans(registry, {op.entry.id for op in ops if op.kind == "delete"}, set(wanted))
    return Promotion(branch, tuple(ops), tuple(declared), conflicts)


def promote(registry: Registry, journal: Journal, branch: str, *, actor: str) -> Promotion:
    """Bring the net change of `branch` into `journal`; nothing is written where nothing is left to bring.

    Raises Conflict, with each id and why under `conflicts`, where one part can not be brought over; that is
    recorded as `promote.conflicted`, and nothing else is written.
    """
    fork = _fork_of(journal, branch)
    found = promotion(registry, journal, branch)
    if not found.conflicts and found.ops:
        marker = _marker(journal, fork, found)
        try:
            registry.apply(
                found.ops,
                actor=actor,
                origin=Origin.RUNTIME,
                beside=Draft(types.PROMOTE_APPLIED, marker, actor),
            )
        except Error as error:
            found.conflicts["*"] = error.message
    if found.conflicts:
        refused: dict[str, Value] = {"branch": branch, "conflicts": {**found.conflicts}}
        journal.append(STREAM, [Draft(types.PROMOTE_CONFLICTED, refused, actor)])
        first = next(iter(found.conflicts.items()))
        raise Conflict(
            f"branch `{branch}` can not be brought over, nothing was changed: `{first[0]}`: {first[1]}",
            retryable=False,
            details={"branch": branch, "conflicts": {**found.conflicts}},
        )
    return found


def _event(journal: Journal, seq: int) -> Event:
    for branch in ("main", *journal.forks().by_name):
        for event in journal.on(branch).read(after=seq - 1, limit=1):
            if event.seq == seq:
                return event
    raise NotFound(f"no event {seq} in the journal")


def _fork_of(journal: Journal, branch: str) -> Fork:
    forks = journal.forks()
    forks.check(branch)
    fork = forks.by_name.get(branch)
    here = getattr(journal, "branch", "main")
    if fork is None or fork.parent != here:
        parent = f"its parent is `{fork.parent}`" if fork else "it is nobody's branch"
        raise Invalid(f"branch `{branch}` can not be brought into `{here}`: {parent}")
    return fork


def _marker(journal: Journal, fork: Fork, found: Promotion) -> dict[str, Value]:
    last = max(
        (event.seq for event in journal.on(fork.name).read(history.STREAM, after=fork.at)), default=fork.at
    )
    entries: dict[str, Value] = {}
    for op in found.ops:
        entries[op.entry.id] = GONE if op.kind == "delete" else op.entry.digest
    return {"branch": fork.name, "at": fork.at, "upto": last, "entries": entries}


def _brought(journal: Journal, fork: Fork) -> Mapping[str, str]:
    """Return what each id was made by earlier promotions of the same branch."""
    found: dict[str, str] = {}
    for event in journal.read(history.STREAM, after=fork.at, types=[types.PROMOTE_APPLIED]):
        payload: Any = event.payload
        if isinstance(payload, dict) and payload.get("branch") == fork.name:
            found.update(payload.get("entries") or {})
    return found


def _operations(net: Net, have: Entry | None) -> Iterator[Op]:
    if net.entry is None:
        if have is not None:
            yield Op("delete", have)
    elif have is not None and have.kind == net.entry.kind:
        yield Op("update", net.entry)
    else:
        if have is not None:
            yield Op("delete", have)
        yield Op("create", net.entry)


def _orphans(registry: Registry, deleted: set[str], touched: set[str]) -> dict[str, str]:
    """Return the deleted ids that something needs which the branch did not touch."""
    if not deleted:
        return {}
    needed: dict[str, str] = {}
    for entry in registry.current.entries():
        for each in references(entry) & deleted if entry.id not in touched else ():
            needed[each] = f"`{entry.id}` needs it"
    return needed


def _belongs(event: Event, earlier: Event) -> bool:
    """Whether both events of the registry's stream are parts of one change."""
    if earlier.type != types.REGISTRY_APPLIED:
        return False
    if event.type == types.PROMOTE_APPLIED:
        return event.position == earlier.position + 1
    both: list[Any] = [event.payload, earlier.payload]
    return event.type == types.REGISTRY_APPLIED and all(
        isinstance(each, dict) and each.get("version") == both[0].get("version") for each in both
    )
