"""The state that the files of a project are in, as a look at the file system tells it.

Events only say that it is time for a look. Files of editors that are no part of a project are in no look:
they may come and go without a trace.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})
ROOT_FILES = (".wippy.yaml", "wippy.lock", "policies.conf")

_TEMPORARY = re.compile(
    r"\.|#|.*~$|.*\.(sw[a-p]|tmp|temp|bak|orig|part|log)$|.*___jb_(tmp|old)___$|[0-9]+$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Places:
    """Where a project's files are: `root` with its settings, and the folders of its sources."""

    root: Path
    folders: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of a file from another without reading it."""

    modified: int
    changed: int
    size: int
    node: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Look:
    """The files that were there, by path."""

    files: Mapping[str, Stamp]

    def changed_since(self, earlier: Look) -> list[str]:
        """Return the paths that came, went or changed, sorted."""
        before, now = self.files, earlier.files
        return sorted(path for path in {*before, *now} if before.get(path) != now.get(path))

    def emptied_since(self, earlier: Look) -> list[str]:
        """Return the files that held something and are empty now: saves under way, or cut off."""
        return sorted(path for path, now in self.files.items() if not now.size and _held(earlier, path))

    def gone_since(self, earlier: Look) -> list[str]:
        """Return the files that held something and are not there now."""
        return sorted(path for path, was in earlier.files.items() if was.size and path not in self.files)


def _held(look: Look, path: str) -> bool:
    was = look.files.get(path)
    return was is not None and was.size > 0


def is_temporary(name: str) -> bool:
    """Whether a file of this name is one that editors leave beside the one that is edited, or is hidden."""
    return _TEMPORARY.match(name) is not None


def take_look(places: Places) -> Look:
    """Return the state of the project's files now; folders that are not there hold none."""
    found: dict[str, Stamp] = {}
    for name in ROOT_FILES:
        _add(found, places.root / name)
    for folder in places.folders:
        for path in _files(str(folder)):
            _add(found, path)
    return Look(found)


def _files(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as items:
            inside = list(items)
    except OSError:
        return
    for item in inside:
        if item.is_dir(follow_symlinks=False):
            if not item.name.startswith(".") and item.name not in SKIPPED_FOLDERS:
                yield from _files(item.path)
        elif not is_temporary(item.name):
            yield item.path


def _add(found: dict[str, Stamp], path: str | Path) -> None:
    try:
        status = Path(path).stat()
    except OSError:
        return
    if stat.S_ISREG(status.st_mode):
        node = (status.st_dev, status.st_ino)
        found[str(path)] = Stamp(status.st_mtime_ns, status.st_ctime_ns, status.st_size, node)
