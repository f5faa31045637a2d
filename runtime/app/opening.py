"""Opens what lies below Lua: the project, the journal and the registry, for a host or only to read.

A host holds the lease of the state folder; readers take nothing and write nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from runtime.core.clock import Clock, SystemClock
from runtime.core.errors import (
    NotFound,
)
from runtime.core.redact import Redactor
from runtime.core.values import Value
from runtime.journal import types
from runtime.journal.events import MAIN, Damaged, Draft, Journal
from runtime.journal.lease import Lease
from runtime.journal.memory import MemoryJournal
from runtime.journal.sqlite import SqliteJournal
from runtime.journal.state import JOURNAL, prepare_state_dir
from runtime.registry.history import STREAM
from runtime.registry.project import Project, open_project
from runtime.registry.registry import Registry
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
    from runtime.app.loading import load_project

    registry = Registry(copy, SystemClock())
    load_project(registry, project)
    return registry
