"""From the files of a project to what is in force, or to every fault of every step at once: what can not be
read, what is not of its kind's shape, what does not link, what is no Lua and no policy.

Once something can not be read, what only follows from that is not said: a name that is not there may stand in
the file that nobody could read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from runtime.app.checks import LUA_KINDS
from runtime.bundled import COMPONENTS, bundled_root
from runtime.core.errors import (
    AlreadyExists,
    Conflict,
    Error,
    Internal,
    Invalid,
    Many,
    NotFound,
    PermissionDenied,
    Place,
    Unavailable,
)
from runtime.core.nearest import did_you_mean
from runtime.lua.program import check_syntax
from runtime.registry.adjust import Adjustments
from runtime.registry.assemble import Tree, try_assemble
from runtime.registry.code_frame import add_frames
from runtime.registry.entry import Entry, Origin
from runtime.registry.lenient import assemble_leniently, tolerated
from runtime.registry.project import Project
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot, Stage, Store
from runtime.security.policy import is_policy, read_policy

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Read:
    """What the files of a project say: entries without a fault, those of a wrong shape, and every fault."""

    entries: list[Entry]
    broken: list[Entry]
    faults: list[Error]
    passed: list[str]
    """The project's files that declare nothing."""


def load_project(registry: Registry, project: Project) -> Snapshot:
    """Load the entries of `project` into `registry` and return what is in force.

    Raises Many for whatever is wrong with what the files say, also where they name what is not there: that is
    a fault of the files, and not of the one who runs them.
    """
    return read_project(project)(registry)


def read_project(project: Project) -> Callable[[Registry], Snapshot]:
    """Read the files of `project` and return what puts them in force, which raises as `load_project` does.

    A lenient project is read when it is put in force: what it may leave out depends on the registry's checks.
    """
    if project.settings.get("loader.lenient", False):
        return lambda registry: _said(project, lambda: _load_leniently(registry, project))
    read = _said(project, lambda: read_files(project))
    return lambda registry: _said(project, lambda: _put_in_force(registry, read))


def read_files(project: Project) -> Read:
    """Return what the files of the bundled components and of the project say, linked and checked by kind."""
    broken: list[Entry] = []
    trees = _trees(project)
    entries, faults = try_assemble(trees, Adjustments.of(project.settings), broken)
    faults += [
        *_taken_namespaces(entries),
        *_missing_components(entries, project),
        *_not_installed(project),
    ]
    return Read(entries, broken, faults, _passed(trees))


def _passed(trees: Iterable[Tree]) -> list[str]:
    return [path for tree in trees if tree.origin is Origin.FILE for path in tree.passed]


def _put_in_force(registry: Registry, read: Read) -> Snapshot:
    if not read.faults:
        snapshot = registry.load(read.entries)
        registry.report.passed = read.passed
        return snapshot
    raise Many(sorted([*read.faults, *_more_faults(registry, read)], key=_by_place))


def _more_faults(registry: Registry, read: Read) -> Iterator[Error]:
    """Yield what the checks say of what could be read, but for what may follow from a fault that is known."""
    stage = Stage(Store(), 0)
    stage.write({entry.id: entry for entry in read.entries})
    view = stage.view(0)
    gone = [str(fault.details["id"]) for fault in read.faults if "id" in fault.details]
    unread = len(gone) < len(read.faults)
    for entry in read.entries:
        fault = registry.fault_of(entry, view)
        for each in fault.errors if isinstance(fault, Many) else [fault] if fault else []:
            follows = isinstance(each, NotFound) and (
                unread or any(f"`{name}`" in each.message for name in gone)
            )
            if not follows and not isinstance(each, Internal):
                yield each
    said = {str(fault.place) for fault in read.faults}
    for entry in read.broken:
        yield from (each for each in _own_faults(entry) if str(each.place) not in said)


def _own_faults(entry: Entry) -> list[Error]:
    """Return what is wrong with an entry of a wrong shape in the eyes of those who read its parts."""
    source = entry.fields.get("source")
    try:
        if is_policy(entry.kind):
            read_policy(entry)
        elif entry.kind in LUA_KINDS and isinstance(source, str):
            check_syntax(source, entry.source_place)
    except Many as many:
        return many.errors
    except Error as error:
        return [error]
    return []


def _by_place(error: Error) -> tuple[str, int, int]:
    place = error.place or Place("")
    return place.path, place.line, place.column


def _trees(project: Project) -> list[Tree]:
    root = bundled_root()
    trees = [Tree(root / component, root, Origin.MODULE, {"module": component}) for component in COMPONENTS]
    return trees + [Tree(folder, project.root) for folder in project.src_dirs]


def _load_leniently(registry: Registry, project: Project) -> Snapshot:
    """Load what can be had of `project`; `registry.report.left_out` tells the rest."""
    trees = _trees(project)
    loaded = assemble_leniently(trees, Adjustments.of(project.settings))
    if fatal := [*_taken_namespaces(loaded.entries), *_not_installed(project)]:
        raise Many(fatal)
    stage = Stage(Store(), 0)
    stage.write({entry.id: entry for entry in loaded.entries})
    view = stage.view(0)
    faults = tolerated(loaded.entries, lambda entry: registry.fault_of(entry, view))
    snapshot = registry.load(loaded.entries, tolerated=faults)
    registry.report.passed = _passed(trees)
    registry.report.left_out = [
        *loaded.warnings,
        *_missing_components(loaded.entries, project),
        *faults.values(),
    ]
    return snapshot


def _said(project: Project, work: Callable[[], T]) -> T:
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
