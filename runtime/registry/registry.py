"""The registry: immutable snapshots, and changesets that are applied together or not at all.

A changeset is planned by the rules, checked by kinds and by those who registered a check, written to the
journal at the expected position, and only then put in force by one assignment. Whatever refuses it leaves
everything as it was and a `registry.rejected` behind. Readers take `current` and never wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from runtime.core.clock import Clock
from runtime.core.collector import no_collection
from runtime.core.errors import Conflict, Error, Internal, Invalid, NotFound
from runtime.core.redact import Redactor
from runtime.core.values import Value
from runtime.journal.events import Draft, Event, Journal
from runtime.registry import history, planning
from runtime.registry.checks import Check, Checks, refuse_secrets
from runtime.registry.entry import Change, Entry, Op, Origin
from runtime.registry.handlers import Handler, Handlers, Step
from runtime.registry.history import Version
from runtime.registry.listeners import Listener, Listeners, Refused
from runtime.registry.planning import Plan
from runtime.registry.reconcile import LoadReport, aside_ops, difference, set_aside
from runtime.registry.snapshot import Snapshot, Stage, Store
from runtime.registry.versions import WayBack, way_back


class Registry:
    """The entries of one project, as a projection of the stream `registry` of `journal`.

    `redactor` is the one that the journal masks with (its own by default): a run-time entry that it would
    mask is refused. Applying is safe from any thread, one changeset at a time.
    """

    def __init__(self, journal: Journal, clock: Clock, *, redactor: Redactor | None = None) -> None:
        self.report = LoadReport()
        """What the last `load` did."""
        self._journal = journal
        self._clock = clock
        self._redactor = redactor or getattr(journal, "redactor", None) or Redactor()
        self._lock = threading.RLock()
        self._staging = False
        self._checks = Checks()
        self._handlers = Handlers()
        self._listeners = Listeners()
        self._store = Store()
        self._tick = 0
        self._current = Snapshot(self._store, 0, 0)
        self._views = {0: self._current}
        self._versions: list[Version] = []
        self._digests: dict[str, str] = {}
        self._aside: dict[str, Entry] = {}
        self._position = 0
        with no_collection():
            self._fold()

    @property
    def current(self) -> Snapshot:
        """The view of the newest version."""
        return self._current

    def at(self, version: int) -> Snapshot:
        """Return the view of a version (0: before the first change); raise NotFound for one never made."""
        view = self._views.get(version)
        if view is None:
            raise NotFound(f"version not found: v{version}; the newest is v{self._current.version}")
        return view

    def versions(self) -> list[Version]:
        """Return all versions, oldest first."""
        return list(self._versions)

    def check_with(self, check: Check) -> None:
        """Call `check(entry, snapshot)` for every written entry of a changeset before it is in force.

        The snapshot holds the registry as it would be; an Error that the check raises refuses the whole.
        """
        self._checks.add(check)

    def handle(self, kind: str, handler: Handler) -> None:
        """Call `handler(step)` for each operation on an entry of `kind` before it is in force.

        It does what the operation means and returns what undoes that, or None; an Error that it raises
        rejects the whole changeset, and whatever was accepted before is undone.
        """
        self._handlers.add(kind, handler)

    def fault_of(self, entry: Entry, view: Snapshot) -> Error | None:
        """Return what the kind of `entry` or a registered check finds wrong with it in `view`."""
        return self._checks.fault_of(entry, view)

    def way_back(self, version: int) -> WayBack:
        """Return what leads from now to the run-time entries of `version`; raise NotFound without one."""
        return way_back(self._current, self.at(version))

    def subscribe(self, listener: Listener, refused: Refused | None = None) -> None:
        """Call `listener` with each change once it is in force, in order; what it raises is logged.

        `refused(ops, origin, error)` hears of each changeset that was refused.
        """
        self._listeners.add(listener, refused)

    def apply(
        self,
        ops: Sequence[Op],
        *,
        actor: str,
        origin: Origin,
        base: int | None = None,
        cause: int | None = None,
        beside: Draft | None = None,
    ) -> Snapshot:
        """Apply all of `ops` or none, and return the new view.

        `base` is the version that the caller saw; `beside` is an event that is written together with the
        change. Raises Invalid, Conflict or NotFound by the rules of `planning`, Conflict (retryable) when
        `base` is not the current version, what a check raised, and what the journal raised.
        """
        if not ops:
            raise Invalid("no changes to apply")
        with self._changing():
            before = self._current
            with self._recorded(ops, origin, actor, cause):
                if base is not None and base != before.version:
                    raise _moved({"base": base, "version": before.version})
                plan = planning.plan(ops, origin, before.get)
                if origin is Origin.RUNTIME:
                    refuse_secrets(plan.written(), self._redactor)
                if plan.ops:
                    written = plan.written()
                    drafts = [beside] if beside else []
                    self._commit(
                        [plan], lambda _, view: self._checks.require(written, view), actor, cause, drafts
                    )
            return self._current

    def rehearse(self, ops: Sequence[Op], *, actor: str, origin: Origin, cause: int | None = None) -> None:
        """Raise whatever `apply` would raise for `ops` now, and change nothing.

        For those who ask a person before they apply: nobody is asked about what can not be put in force.
        """
        if not ops:
            raise Invalid("no changes to apply")
        with self._changing(), self._recorded(ops, origin, actor, cause):
            plan = planning.plan(ops, origin, self._current.get)
            if origin is Origin.RUNTIME:
                refuse_secrets(plan.written(), self._redactor)
            stage = Stage(self._store, self._tick)
            self._staging = True
            try:
                stage.write(plan.final())
                self._checks.require(plan.written(), stage.view(self._current.version + 1))
            finally:
                stage.take_down()
                self._tick = stage.tick
                self._staging = False

    def load(
        self, entries: Iterable[Entry], actor: str = "loader", *, tolerated: Container[str] = ()
    ) -> Snapshot:
        """Bring the file and module layers to `entries`, all or nothing, one version for each; see `report`.

        Every declared entry but those of the ids in `tolerated` is checked. Run-time entries survive; one
        that no longer passes is kept aside.
        """
        started = self._clock.monotonic()
        aside: dict[str, tuple[Entry, Error]] = {}
        with self._changing():
            found = difference(entries, self._current, lambda entry_id: self._digests.get(entry_id, ""))

            def check(stage: Stage, view: Snapshot) -> None:
                aside.update(set_aside(stage, view.version, self._aside.values(), self._checks.fault_of))
                checked = [entry for entry in found.declared if entry.id not in tolerated]
                self._checks.require(checked, stage.view(view.version))

            before, waiting = self._current, self._aside
            with self._recorded([op for plan in found.plans for op in plan.ops], Origin.FILE, actor, None):
                self._commit(found.plans, check, actor, None)
            for entry in found.unchanged:
                self._store.adopt(entry)
            self._aside = {entry_id: entry for entry_id, (entry, _) in aside.items()}
            if moved := aside_ops(before, self._current, waiting, self._aside):
                self._listeners.queue(
                    Change(self._current.version, Origin.RUNTIME, actor, moved, before, self._current)
                )
            found.report.aside = {entry_id: error for entry_id, (_, error) in aside.items()}
            found.report.seconds = self._clock.monotonic() - started
            self.report = found.report
            return self._current

    # ---- a changeset under way; the lock is held

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._lock:
            if self._staging:
                raise Internal("a check can not change the registry while it checks a change")
            yield
            self._listeners.deliver()

    @contextmanager
    def _recorded(self, ops: Sequence[Op], origin: Origin, actor: str, cause: int | None) -> Iterator[None]:
        try:
            yield
        except Error as error:
            draft = history.rejected(ops, origin, actor, error, cause)
            with suppress(Error):  # the caller wants to know what was refused, not that nobody could note it
                position = self._journal.append(history.STREAM, [draft])[-1].position
                if position == self._position + 1:  # else somebody else wrote, and that must stay noticed
                    self._position = position
            self._listeners.refused(ops, origin, error)
            raise

    def _commit(
        self,
        plans: list[Plan],
        check: Callable[[Stage, Snapshot], None],
        actor: str,
        cause: int | None,
        beside: Sequence[Draft] = (),
    ) -> None:
        """Stage, check, write to the journal, put in force; whatever fails takes the stage down again."""
        before = self._current
        stage = Stage(self._store, self._tick)
        views: list[Snapshot] = []
        self._staging = True
        try:
            for number, plan in enumerate(plans, start=before.version + 1):
                stage.write(plan.final())
                views.append(stage.view(number))
            check(stage, stage.view(before.version + len(plans)))
            with self._handlers.accepting(_steps(plans, before)):
                events = self._append(plans, actor, cause, beside)
        except BaseException:
            stage.take_down()
            raise
        finally:
            self._tick = stage.tick  # a tick is never used again, not even that of a refused change
            self._staging = False
        self._put_in_force(plans, views, stage.view(before.version + len(plans)), events)

    def _append(
        self, plans: list[Plan], actor: str, cause: int | None, beside: Sequence[Draft]
    ) -> list[Event]:
        drafts: list[Draft] = []
        for number, plan in enumerate(plans, start=self._current.version + 1):
            drafts += history.applied(plan, number, actor, cause, self._digest_of)
        if not drafts:
            return []
        drafts += beside
        durable = any(plan.origin is Origin.RUNTIME for plan in plans)
        try:
            events = self._journal.append(history.STREAM, drafts, expected=self._position, durable=durable)
        except Conflict as conflict:
            raise _moved(conflict.details) from conflict
        self._position = events[-1].position
        return events

    def _digest_of(self, entry_id: str) -> str:
        """Return the digest of what `entry_id` is now, as it was before the journal masked it."""
        have = self._current.get(entry_id)
        return (self._digests.get(entry_id) or have.digest) if have else ""

    def _put_in_force(
        self, plans: list[Plan], views: list[Snapshot], after: Snapshot, events: list[Event]
    ) -> None:
        before = self._current
        for plan, view in zip(plans, views, strict=True):
            event = events[-1]  # appended together: one time, one actor
            version = Version(view.version, view.version - 1, event.time, event.actor, plan.origin)
            self._versions.append(version)
            self._views[view.version] = view
            self._digests.update((entry.id, entry.digest) for entry in plan.written())
            self._aside = {key: entry for key, entry in self._aside.items() if key not in plan.final()}
            self._listeners.queue(Change(view.version, plan.origin, event.actor, plan.ops, before, after))
        self._views[after.version] = after
        self._current = after

    def _fold(self) -> None:
        versions, self._position = history.read(self._journal)
        stage = Stage(self._store, 0)
        for folded in versions:
            stage.write(folded.entries)
            view = stage.view(folded.version.id)
            self._versions.append(folded.version)
            self._digests.update(folded.digests)
            self._views[view.version] = view
            self._current = view
        self._tick = stage.tick


def _steps(plans: Sequence[Plan], before: Snapshot) -> Iterator[Step]:
    """Yield what the operations of `plans` do, one after the other, from the view `before` on."""
    now: dict[str, Entry | None] = {}
    for plan in plans:
        for op in plan.ops:
            entry_id = op.entry.id
            was = now[entry_id] if entry_id in now else before.get(entry_id)
            now[entry_id] = None if op.kind == "delete" else op.entry
            yield Step(op, was, now[entry_id])


def _moved(details: dict[str, Value]) -> Conflict:
    return Conflict(
        "registry changed during apply; take a new snapshot and retry", retryable=True, details=details
    )
