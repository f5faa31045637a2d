"""Opens what lies below Lua: the project, the journal and the registry, for a host or only to read.

A host holds the lease of the state folder; readers take nothing and write nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from runtime.bundled import COMPONENTS, bundled_root
from runtime.core.clock import Clock, SystemClock
from runtime.core.errors import (
    AlreadyExists,
    Conflict,
    Error,
    Invalid,
    Many,
    NotFound,
    PermissionDenied,
    Unavailable,
)
from runtime.core.nearest import did_you_mean
from runtime.core.redact import Redactor
from runtime.core.values import Value
from runtime.journal import types
from runtime.journal.events import MAIN, Damaged, Draft, Journal
from runtime.journal.lease import Lease
from runtime.journal.memory import MemoryJournal
from runtime.journal.sqlite import SqliteJournal
from runtime.journal.state import JOURNAL, prepare_state_dir
from runtime.registry.adjust import Adjustments
from runtime.registry.assemble import Tree, assemble
from runtime.registry.code_frame import add_frames
from runtime.registry.entry import Entry, Origin
from runtime.registry.history import STREAM
from runtime.registry.lenient import assemble_leniently, tolerated
from runtime.registry.project import Project, open_project
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot, Stage, Store
from runtime.registry.trust import FILE as TRUST_FILE
from runtime.registry.trust import TrustFile
from runtime.security.model import FILE as MODEL_FILE
from runtime.security.model import shipped_model

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """Which project, and where its state lies; None means as found from the working folder."""

    project: Path | None = None
    state: Path | None = None


def user_settings(environment: Mapping[str, str]) -> Path:
    """Return where the user's own settings lie."""
    base = environment.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "runtime" / "config.yaml"


def find_project(
    place: Place,
    environment: Mapping[str, str],
    *,
    overrides: tuple[str, ...] = (),
    write: bool = False,
) -> Project:
    """Return the project that `place` names or that the working folder belongs to; raise NotFound."""
    return open_project(
        Path.cwd(),
        project=place.project,
        state=place.state,
        environment=environment,
        user_settings=user_settings(environment),
        overrides=overrides,
        write=write,
        guarded={MODEL_FILE: shipped_model()},
        trust=TrustFile(user_settings(environment).with_name(TRUST_FILE)),
    )


def load_entries(project: Project) -> list[Entry]:
    """Return the entries of the bundled components and of the project, linked and checked.

    Raises Many with every fault of every file, also where a file declares a namespace of a component, or
    needs one that is not there.
    """
    entries = assemble(_trees(project), Adjustments.of(project.settings))
    faults = [*_taken_namespaces(entries), *_missing_components(entries, project), *_not_installed(project)]
    if faults:
        raise faults[0] if len(faults) == 1 else Many(faults)
    return entries


def _trees(project: Project) -> list[Tree]:
    root = bundled_root()
    trees = [Tree(root / component, root, Origin.MODULE, {"module": component}) for component in COMPONENTS]
    return trees + [Tree(folder, project.root) for folder in project.src_dirs]


def _load_leniently(registry: Registry, project: Project) -> Snapshot:
    """Load what can be had of `project`; `registry.report.left_out` tells the rest."""
    loaded = assemble_leniently(_trees(project), Adjustments.of(project.settings))
    if fatal := [*_taken_namespaces(loaded.entries), *_not_installed(project)]:
        raise Many(fatal)
    stage = Stage(Store(), 0)
    stage.write({entry.id: entry for entry in loaded.entries})
    view = stage.view(0)
    faults = tolerated(loaded.entries, lambda entry: registry.fault_of(entry, view))
    snapshot = registry.load(loaded.entries, tolerated=faults)
    registry.report.left_out = [
        *loaded.warnings,
        *_missing_components(loaded.entries, project),
        *faults.values(),
    ]
    return snapshot


def load_project(registry: Registry, project: Project) -> Snapshot:
    """Load the entries of `project` into `registry` and return what is in force.

    Raises Many for whatever is wrong with what the files say, also where they name what is not there: that is
    a fault of the files, and not of the one who runs them.
    """
    return _load(project, lambda: _load_now(registry, project))


def read_project(project: Project) -> Callable[[Registry], Snapshot]:
    """Read the files of `project` and return what puts them in force; each raises as `load_project` does.

    A lenient project is read when it is put in force: what it may leave out depends on the registry's checks.
    """
    if project.settings.get("loader.lenient", False):
        return lambda registry: load_project(registry, project)
    entries = _load(project, lambda: load_entries(project))
    return lambda registry: _load(project, lambda: registry.load(entries))


def _load_now(registry: Registry, project: Project) -> Snapshot:
    if project.settings.get("loader.lenient", False):
        return _load_leniently(registry, project)
    return registry.load(load_entries(project))


def _load(project: Project, work: Callable[[], T]) -> T:
    """Return what `work` returns; a fault of the files is Many, with the lines that it is about."""
    try:
        return work()
    except (NotFound, Conflict, AlreadyExists, PermissionDenied) as error:
        add_frames(error, project.root)
        raise Many([error]) from error
    except Error as error:
        add_frames(error, project.root)
        raise


def _taken_namespaces(entries: list[Entry]) -> list[Error]:
    bundled = {component.replace("/", ".") for component in COMPONENTS}
    return [
        Invalid(
            f"namespace `{entry.namespace}` belongs to a component of the runtime: choose another",
            place=entry.place,
        )
        for entry in entries
        if entry.origin is not Origin.MODULE
        and any(entry.namespace == each or entry.namespace.startswith(each + ".") for each in bundled)
    ]


def _not_installed(project: Project) -> list[Error]:
    """Return an error for each pinned module: nothing is silently run without what its lock promises."""
    replaced = {replacement.module for replacement in project.lock.replacements}
    return [
        Unavailable(
            f"module `{module.name}` is pinned, and this version installs no modules: name a folder of it "
            "under `replacements`",
            place=project.lock.place,
        )
        for module in project.lock.modules
        if module.name not in replaced and module.name not in COMPONENTS
    ]


def _missing_components(entries: list[Entry], project: Project) -> list[Error]:
    here = [*COMPONENTS, *(replacement.module for replacement in project.lock.replacements)]
    return [
        NotFound(
            f"component `{entry.fields.get('component')!s}` is not here; there are {', '.join(here)}"
            f"{did_you_mean(str(entry.fields.get('component')), here)}",
            place=entry.place_of("data", "component"),
        )
        for entry in entries
        if entry.kind == "ns.dependency" and entry.fields.get("component") not in here
    ]


@dataclass(slots=True)
class Opened:
    """The open project of a host."""

    project: Project
    journal: Journal
    registry: Registry
    redactor: Redactor
    clock: Clock
    branch: str
    lost: list[str]
    """One line for each request that an earlier run left without an answer."""


def open_host(
    stack: ExitStack,
    place: Place,
    environment: Mapping[str, str],
    *,
    ephemeral: bool = False,
    write_lock: bool = True,
    overrides: tuple[str, ...] = (),
    branch: str = MAIN,
) -> Opened:
    """Open the project as its host until `stack` closes; entries are not loaded yet.

    Raises NotFound without a project or `branch`, Conflict while another host runs, Invalid and Unavailable.
    """
    project = find_project(place, environment, overrides=overrides, write=write_lock)
    redactor, clock = Redactor(), SystemClock()
    whole: Journal
    if ephemeral:
        whole = stack.enter_context(closing(MemoryJournal(redactor=redactor)))
    else:
        whole = open_journal_to_write(stack, project, redactor)
    journal = whole.on(branch)
    return Opened(project, journal, Registry(journal, clock), redactor, clock, branch, _close_lost(whole))


def open_journal_to_write(
    stack: ExitStack, project: Project, redactor: Redactor | None = None
) -> SqliteJournal:
    """Hold the state folder of `project` until `stack` closes, and return its journal.

    Raises Conflict while another host runs, Damaged for a journal that is not this user's or was changed.
    """
    state = prepare_state_dir(project.state_dir)
    stack.enter_context(Lease(state))
    _refuse_foreign(state / JOURNAL)
    journal = stack.enter_context(closing(SqliteJournal(state / JOURNAL, redactor=redactor)))
    _check_unchanged(journal)
    return journal


def _refuse_foreign(path: Path) -> None:
    """Raise Invalid for a journal that this program did not write for this user: it always writes mode 0600.

    A cloned or unpacked project may bring a journal, and with it code that nobody here consented to.
    """
    if not path.exists():
        return
    found = path.stat()
    if stat.S_IMODE(found.st_mode) & 0o077 or found.st_uid != os.getuid():
        raise Damaged(
            f"`{path.name}` in the state folder was not written by this user's runtime (its owner or mode "
            "differ): if it is yours, `chmod 600` it; else start anew with `--state DIR`",
        )


def _check_unchanged(journal: Journal) -> None:
    """Raise Damaged where the registry's stream is not what was written: run-time code comes from it."""
    found = journal.verify(STREAM)
    if not found.ok:
        raise Damaged(
            f"the journal was changed: {found.problems[0]}; nothing runs from it: restore a copy, or start "
            "anew with `--state DIR`",
        )


def _close_lost(journal: Journal) -> list[str]:
    """Answer what a crash left open, so that it is reported once and never run again."""
    lost = []
    for event in journal.open_requests():
        failed = types.ANSWERS[event.type][1]
        payload = event.payload if isinstance(event.payload, dict) else {}
        what = payload.get("id") or payload.get("model") or event.type
        lost.append(
            f"{event.type} {event.seq} of {event.time} (`{what!s}`) has no answer: the run was cut off; "
            "whether it took effect is unknown, and it is not run again"
        )
        error: dict[str, Value] = {
            "kind": "Unavailable",
            "message": "the run was cut off before the answer; outcome unknown",
        }
        draft = Draft(failed, {"error": error, "lost": True}, cause=event.seq)
        journal.on(event.branch).append(event.stream, [draft])
    return lost


def open_journal_to_read(place: Place) -> AbstractContextManager[SqliteJournal]:
    """Return the journal of a project, for reading; raise NotFound where there is none yet."""
    project = find_project(place, os.environ)
    path = project.state_dir / JOURNAL
    if not path.exists():
        raise NotFound(f"no journal in `{project.state_dir.name}` yet: it is made by the first run")
    return closing(SqliteJournal.open_read_only(path))


class _AsWritten(SystemClock):
    """A clock that can be held at the time of an event."""

    time: datetime | None = None

    def now(self) -> datetime:
        """Return the held time, else the true one."""
        return self.time or super().now()


def open_registry_to_read(place: Place) -> Registry:
    """Return the registry as it would be at the next start: files, components and run-time entries.

    Works on a copy in memory, so nothing is written and a running host is not disturbed.
    """
    project = find_project(place, os.environ)
    clock = _AsWritten()
    copy = MemoryJournal(clock=clock)
    path = project.state_dir / JOURNAL
    if path.exists():
        with closing(SqliteJournal.open_read_only(path)) as journal:
            for event in journal.read("registry", types=[types.REGISTRY_APPLIED]):
                clock.time = datetime.fromisoformat(event.time)
                copy.append("registry", [Draft(event.type, event.payload, event.actor)])
    clock.time = None
    registry = Registry(copy, SystemClock())
    load_project(registry, project)
    return registry
