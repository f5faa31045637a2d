"""The project of a running host as the reloader reads it again, and what a reload can not change is said."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from runtime.app.loading import read_project
from runtime.app.opening import Opened, find_project
from runtime.app.opening import Place as Where
from runtime.app.options import Options
from runtime.app.start_notices import passed_by
from runtime.app.trust import model_of
from runtime.core.values import Value
from runtime.journal.events import Draft
from runtime.registry.known_settings import KNOWN, seconds
from runtime.registry.project import Project
from runtime.reload.look import Look, Places, take_look
from runtime.security.engine import Engine
from runtime.security.model import FILE, accept_model
from runtime.services.terminal import Terminal

if TYPE_CHECKING:
    from runtime.reload.reloader import Applied

STREAM = "host"
READ_ANEW = frozenset({"override", "disable.namespaces", "disable.entries", "disable.meta", "loader.lenient"})
"""Settings that count at the next reload; the others were handed to parts that hold them."""

_SEE = "what was in force stays; see `runtime trust`"


def look_at(project: Project) -> Look:
    """Return the state of the files of `project`; to be taken before they are read."""
    return take_look(_places(project))


class ProjectSource:
    """Reads the project again as it was opened: same folder, flags and environment."""

    def __init__(self, opened: Opened, options: Options, engine: Engine) -> None:
        self._registry = opened.registry
        self._project = opened.project
        self._engine = engine
        self._options = options
        self._passed = opened.registry.report.passed

    def places(self) -> Places:
        """See `Source.places`."""
        return _places(self._project)

    def read(self) -> Callable[[], Applied]:
        """See `Source.read`; the project is opened anew: settings, lock and trust count too."""
        where = Where(self._project.root, self._options.state)
        project = find_project(where, self._options.environment, overrides=self._options.settings)
        model, refused = model_of(project)
        accept_model(model)
        load = read_project(project)

        def apply() -> Applied:
            load(self._registry)
            notices = [*_later(self._project, project), *_refused(self._project, project)]
            if not refused and model != self._engine.model:
                self._engine.use_model(model)
                notices.append(
                    f"notice: `{FILE}` was changed and accepted: policies are decided under it now"
                )
            self._project = project
            return self._applied(notices)

        return apply

    def apply(self, read: Callable[[], Applied]) -> Applied:
        """See `Source.apply`."""
        return read()

    def _applied(self, notices: list[str]) -> Applied:
        from runtime.reload.reloader import Applied

        report = self._registry.report
        if anew := [each for each in report.passed if each not in self._passed]:
            notices.append(f"notice: {passed_by(anew)}")
        self._passed = report.passed
        for entry_id, why in report.aside.items():
            notices.append(f"notice: run-time entry `{entry_id}` is kept aside: {why}")
        changed = (tuple(report.created), tuple(report.updated), tuple(report.deleted))
        return Applied(self._registry.current.version, *changed, tuple(notices))


def keep_reloading(
    opened: Opened, options: Options, terminal: Terminal, engine: Engine, seen: Look, ready: asyncio.Event
) -> asyncio.Task[None]:
    """Start to follow the files once `ready` is set; `seen` is the look from before they were first read.

    `engine` is what decides by the project's policies.
    """

    def record(type: str, payload: dict[str, Value]) -> None:
        opened.journal.append(STREAM, [Draft(type, payload, "loader")])

    async def run() -> None:
        await ready.wait()
        # The library that watches is slow to import, and nobody who starts a program should wait for it.
        module = await asyncio.to_thread(importlib.import_module, "runtime.reload.reloader")
        reloader = module.Reloader(
            ProjectSource(opened, options, engine),
            settle=seconds(opened.project.settings.get("reload.settle", "50ms")),
            seen=seen,
            record=record,
            tell=lambda text: terminal.notice(opened.redactor.text(text)),
        )
        await reloader.run()

    return asyncio.create_task(run(), name="reload")


def _places(project: Project) -> Places:
    return Places(project.root, tuple(project.src_dirs))


def _later(before: Project, after: Project) -> Iterator[str]:
    """Yield a notice for the settings that changed and count from the next start only."""
    changed = [
        key for key in KNOWN if key not in READ_ANEW and before.settings.get(key) != after.settings.get(key)
    ]
    if changed:
        named = ", ".join(f"`{key}`" for key in changed)
        yield f"notice: settings that count from the next start were changed: {named}"


def _refused(before: Project, after: Project) -> Iterator[str]:
    """Yield a notice for each thing that the project asks for anew and is not trusted with."""
    if after.trusted:
        return
    known = set() if before.trusted else {(each.key, str(each.value)) for each in before.demand.looser}
    for each in after.demand.looser:
        if (each.key, str(each.value)) not in known:
            where = f"{each.place}: " if each.place else ""
            yield f"notice: {where}`{each.key}` is looser than trusted and refused: {_SEE}"
    for name, digest in after.demand.files:
        if before.trusted or (name, digest) not in before.demand.files:
            yield f"notice: {name}: it is not trusted and refused: {_SEE}"
