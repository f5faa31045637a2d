"""A project: the folder with `wippy.lock` or `.wippy.yaml`, its settings, its lock and its folders."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from runtime.core.errors import NotFound, Place, Unavailable
from runtime.registry import yaml
from runtime.registry.lockfile import FILE as LOCK_FILE
from runtime.registry.lockfile import Lock, read_lock, write_lock
from runtime.registry.root_files import read_root_file
from runtime.registry.settings import Settings, from_environment, from_overrides, read_file
from runtime.registry.trust import Demand, TrustFile, is_trusted

SETTINGS_FILE = ".wippy.yaml"
INDEX_FILE = "_index.yaml"
STATE_FOLDER = ".runtime"
STATE_VARIABLE = "RUNTIME_STATE_DIR"

NO_PROJECT = (
    'no project here; create `.wippy.yaml` (with the line `version: "1.0"`) and `src/_index.yaml` (with a '
    "`namespace` and `entries`), or name a project with `--project DIR`"
)


@dataclass(frozen=True, slots=True)
class Project:
    """An opened project. `lock_written`: the lock was missing and was made now."""

    root: Path
    settings: Settings
    lock: Lock
    state_dir: Path
    lock_written: bool = False
    demand: Demand = field(default_factory=Demand)
    trusted: bool = False
    """Whether the user trusts exactly what `demand` holds."""

    @property
    def src_dirs(self) -> list[Path]:
        """The folders of the project's own sources: `src`, then those of the replacements."""
        dirs = [self.root / self.lock.src]
        for replacement in self.lock.replacements:
            folder = self.root / replacement.path
            dirs.append(folder / "src" if (folder / "src").is_dir() else folder)
        return [Path(os.path.normpath(path)) for path in dirs]


def open_project(
    start: Path,
    *,
    project: Path | None = None,
    state: Path | None = None,
    environment: Mapping[str, str] | None = None,
    user_settings: Path | None = None,
    overrides: Iterable[str] = (),
    write: bool = True,
    guarded: Mapping[str, str] | None = None,
    trust: TrustFile | None = None,
) -> Project:
    """Open the project at or above `start`, or exactly `project` (`--project`).

    `state` is `--state`, `environment` defaults to the process's, `overrides` are texts `section.key=value`,
    `write` says whether a missing lock is written. `guarded` are files that count only where they are as
    they ship (name: text) or are trusted; `trust` is the user's record. Raises NotFound where there is no
    project or no source, Invalid or Many for settings and locks that are not valid, and what `is_trusted`
    raises.
    """
    env = os.environ if environment is None else environment
    root = _named(project) if project else find_root(start)
    settings = Settings()
    if user_settings and user_settings.is_file():
        settings.add(read_file(_text_of(user_settings, str(user_settings.name)), user_settings.name), "user")
    own = read_root_file(root, SETTINGS_FILE)
    if own is not None:
        settings.add(read_file(yaml.decode(own, SETTINGS_FILE), SETTINGS_FILE), "project")
    demand = Demand(tuple(settings.looser), tuple(_differing(root, guarded or {})))
    trusted = is_trusted(demand, root, trust, env)
    if trusted:
        settings.trust_project()
    settings.add(from_environment(env), "environment")
    settings.add(from_overrides(overrides), "override")
    lock, written = _lock(root, write)
    chosen = state or (Path(env[STATE_VARIABLE]) if env.get(STATE_VARIABLE) else root / STATE_FOLDER)
    return Project(root, settings, lock, chosen.resolve(), written, demand, trusted)


def find_root(start: Path) -> Path:
    """Return the nearest folder at or above `start` that is a project, else `start` when it holds sources."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / LOCK_FILE).is_file() or (folder / SETTINGS_FILE).is_file():
            return folder
    if (start / INDEX_FILE).is_file() or (start / "src" / INDEX_FILE).is_file():
        return start
    raise NotFound(NO_PROJECT)


def _differing(root: Path, guarded: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, shipped in guarded.items():
        own = read_root_file(root, name)
        if own is not None and own != shipped.encode("utf-8"):
            yield name, f"sha256:{hashlib.sha256(own).hexdigest()}"


def _named(folder: Path) -> Path:
    if not folder.is_dir():
        raise NotFound(f"project folder `{folder}` does not exist")
    return folder.resolve()


def _lock(root: Path, write: bool) -> tuple[Lock, bool]:
    lock = read_lock(root)
    if lock is not None:
        return lock, False
    if (root / "src").is_dir():
        lock = Lock(src="./src")
    elif (root / INDEX_FILE).is_file():
        lock = Lock(src=".")
    else:
        raise NotFound(NO_PROJECT)
    if not write:
        raise NotFound(f"`{LOCK_FILE}` is missing; run once without --locked and --frozen to write it")
    write_lock(root, lock)
    return lock, True


def _text_of(path: Path, shown: str) -> str:
    try:
        return yaml.decode(path.read_bytes(), shown)
    except OSError as error:
        raise Unavailable(f"can not read settings: {error.strerror}", place=Place(shown)) from None
