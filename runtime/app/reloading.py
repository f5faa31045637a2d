"""The project of a running host as the reloader reads it again, and what a reload can not change is said."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from runtime.app.opening import Opened, find_project, read_project
from runtime.app.opening import Place as Where
from runtime.app.options import Options
from runtime.core.values import Value
from runtime.journal.events import Draft
from runtime.registry.known_settings import KNOWN, seconds
from runtime.registry.project import Project
from runtime.reload.look import Look, Places, take_look
from runtime.security.model import FILE, accept_model, project_model
from runtime.services.terminal import Terminal

if TYPE_CHECKING:
    from runtime.reload.reloader import Applied

STREAM = "host"
READ_ANEW = frozenset({"override", "disable.namespaces", "disable.entries", "disable.meta", "loader.lenient"})
"""Settings that count at the next reload; the others were handed to parts that hold them."""


def look_at(project: Project) -> Look:
    """Return the state of the files of `project`; to be taken before they are read."""
    return take_look(_places(project))


class ProjectSource:
    """Reads the project again as it was opened: same folder, flags and environment."""

    def __init__(self, opened: Opened, options: Options) -> None:
        self._registry = opened.registry
        self._project = opened.project
        self._model = project_model(opened.project.root)
        self._options = options

    def places(self) -> Places:
        """See `Source.places`."""
        return _places(self._project)

    def read(self) -> Callable[[], Applied]:
        """See `Source.read`; the project is opened anew, so its settings and its lock count too."""
        where = Where(self._project.root, self._options.state)
        project = find_project(where, self._options.environment, overrides=self._options.settings)
        model = accept_model(project_model(project.root))
        load = read_project(project)

        def apply() -> Applied:
            load(self._registry)
            notices = [*_later(self._project, project)]
            if model != self._model:
                notices.append(f"notice: `{FILE}` was changed and is accepted: it counts from the next start")
            self._project, self._model = project, model
            return self._applied(notices)

        return apply

    def apply(self, read: Callable[[], Applied]) -> Applied:
        """See `Source.apply`."""
        return read()

    def _applied(self, notices: list[str]) -> Applied:
        from runtime.reload.reloader import Applied

        report = self._registry.report
        for entry_id, why in report.aside.items():
            notices.append(f"notice: run-time entry `{entry_id}` is kept aside: {why}")
        changed = (tuple(report.created), tuple(report.updated), tuple(report.deleted))
        return Applied(self._registry.current.version, *changed, tuple(notices))


def keep_reloading(
    opened: Opened, options: Options, terminal: Terminal, seen: Look, ready: asyncio.Event
) -> asyncio.Task[None]:
    """Start to follow the files once `ready` is set; `seen` is the look from before they were first read."""

    def record(type: str, payload: dict[str, Value]) -> None:
        opened.journal.append(STREAM, [Draft(type, payload, "loader")])

    async def run() -> None:
        await ready.wait()
        # The library that watches is slow to import, and nobody who starts a program should wait for it.
        module = await asyncio.to_thread(importlib.import_module, "runtime.reload.reloader")
        reloader = module.Reloader(
            ProjectSource(opened, options),
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
    for notice in after.settings.notices:
        if notice not in before.settings.notices:
            yield f"notice: {notice}"
