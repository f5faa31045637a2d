"""`runtime lint`: everything that is wrong with what a project says, found without running any of it.

What keeps the project from loading is found by the loader and the checks that a start asks; sources are read
by the rules of the linter, and by the type checker where `lua.type_system.enabled` says so. What an entry's
own findings tell already is not said again by the checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from runtime.app.lint_cache import LintCache, digest_of
from runtime.core.errors import Error, Many, NotFound, Place
from runtime.lua.lint.finding import Finding, Level
from runtime.registry.project import Project, open_project

CHECKED_KINDS = ("function.lua", "library.lua", "process.lua", "workflow.lua")


LEVELS: tuple[Level, ...] = ("error", "warning", "hint")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which findings somebody wants: the least grave `level`, patterns of namespaces (`app`, `app.*`) and
    codes (none: all), and whether those of the rules that apply on request only.
    """

    level: str = "warning"
    namespaces: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    rules: bool = False

    def has(self, namespace: str) -> bool:
        """Whether `namespace` is asked for."""
        return not self.namespaces or any(_matches(namespace, each) for each in self.namespaces)


@dataclass(frozen=True, slots=True)
class Linted:
    """The findings of a project, rules on request included, and its Lua entries: id to kind."""

    findings: list[Finding]
    entries: Mapping[str, str]

    def selected(self, wanted: Wanted) -> Linted:
        """Return what is `wanted`; a fault of a file that belongs to no entry always is."""
        from runtime.lua.lint.codes import RULES

        levels = LEVELS[: LEVELS.index(wanted.level) + 1]
        findings = [
            each
            for each in self.findings
            if each.level in levels
            and (not wanted.codes or each.code in wanted.codes)
            and (wanted.rules or each.code not in RULES or not RULES[each.code].on_request)
            and (not each.entry or wanted.has(each.entry.rpartition(":")[0]))
        ]
        entries = {id: kind for id, kind in self.entries.items() if wanted.has(id.rpartition(":")[0])}
        return Linted(findings, entries)


def open_to_lint(folder: Path | None, state: Path | None, environment: Mapping[str, str]) -> Project:
    """Return the project as far as its files are concerned; raise what is wrong with its settings or lock."""
    from runtime.app.opening import user_settings

    return open_project(
        Path.cwd(),
        project=folder,
        state=state,
        environment=environment,
        user_settings=user_settings(environment),
        write=True,
    )


def lint(project: Project, *, forget: bool = False) -> Linted:
    """Return all that is wrong with `project`; what an earlier run found is used unless `forget`."""
    cache = LintCache(project.state_dir)
    if forget:
        cache.clear()
    else:
        cache.read()
    key = digest_of(project)
    known = cache.whole(key)
    if known is not None:
        return Linted(*known)
    found, used = _Work(project, cache).run()
    cache.keep(key, found.findings, dict(found.entries), used)
    return found


class _Work:
    """One reading of a whole project."""

    def __init__(self, project: Project, cache: LintCache) -> None:
        self._project = project
        self._cache = cache

    def run(self) -> tuple[Linted, Iterable[str]]:
        """Return what was found, and the digests of the sources that were read."""
        from runtime.app.entry_checks import check_entries
        from runtime.app.loading import read_files
        from runtime.core.clock import SystemClock
        from runtime.journal.memory import MemoryJournal
        from runtime.lua.library import Library
        from runtime.lua.lint.codes import UNKNOWN_IMPORT
        from runtime.lua.lint.entries import EntryLinter
        from runtime.registry.entry import Origin
        from runtime.registry.registry import Registry
        from runtime.registry.settings import Settings
        from runtime.registry.snapshot import Stage, Store

        read = read_files(self._project)
        stage = Stage(Store(), 0)
        stage.write({entry.id: entry for entry in [*read.broken, *read.entries]})
        view = stage.view(0)
        # What is not there may stand in a file that nobody could read.
        unread = any("id" not in fault.details for fault in read.faults)
        library = Library.discover()
        linter = EntryLinter(
            library,
            view.get,
            libraries=lambda: [entry.id for entry in view.kind("library.lua")],
            types=bool(self._project.settings.get("lua.type_system.enabled", False)),
            kept=self._cache.sources,
        )
        registry = Registry(MemoryJournal(), SystemClock())
        check_entries(registry, library, Settings(), lambda _: None)
        findings = [each for fault in [*read.faults, *self._model()] for each in _of_error(fault, "")]
        broken = {entry.id for entry in read.broken}
        own = [entry for entry in view.entries() if entry.origin is Origin.FILE]
        told = set(broken)
        for entry in own:
            found = linter.findings(entry) if entry.kind in CHECKED_KINDS else []
            findings += [each for each in found if not (unread and each.code == UNKNOWN_IMPORT)]
            if any(each.level == "error" and each.code[0] in "PE" for each in found):
                told.add(entry.id)
        # A fault of a library is met by all that import it; it is said once, where it is.
        places = {each.place for each in findings}
        for entry in own:
            fault = None if entry.id in told else registry.fault_of(entry, view)
            if not (unread and isinstance(fault, NotFound)):
                findings += [each for each in _of_error(fault, entry.id) if each.place not in places]
        shown = {entry.id: entry.kind for entry in own if entry.kind in CHECKED_KINDS}
        return Linted(sorted(set(findings), key=_order), shown), linter.used

    def _model(self) -> list[Error]:
        """Return what is wrong with the project's own model of policies."""
        from runtime.security.model import accept_model, project_model, shipped_model

        try:
            model = project_model(self._project.root)
            if model != shipped_model():
                accept_model(model)
        except Error as error:
            return [error]
        return []


def _matches(namespace: str, pattern: str) -> bool:
    stem = pattern.removesuffix("*").removesuffix("*").removesuffix(".")
    return namespace == stem or (pattern.endswith((".*", ".**")) and namespace.startswith(f"{stem}."))


def _of_error(error: Error | None, entry_id: str) -> list[Finding]:
    from runtime.lua.lint import codes

    found = []
    for each in error.errors if isinstance(error, Many) else [error] if error else []:
        entry = entry_id or str(each.details.get("entry") or "")
        place = each.place or Place(entry or "wippy.lock")
        code = codes.POLICY if "polic" in each.message else codes.ENTRY
        found.append(Finding(code, "error", each.message, place, entry))
    return found


def _order(finding: Finding) -> tuple[str, int, str, int, int, str]:
    place = finding.place
    return finding.entry, LEVELS.index(finding.level), place.path, place.line, place.column, finding.code
