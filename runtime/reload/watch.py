"""Being woken when something happens in the folders of a project, by the system where it can.

What woke is only a hint (see `look`). Kept beside it: which files are written to and not closed yet, and
which watched folders were replaced: a new folder of an old name is watched, and not the one that is gone.
"""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from watchdog import events as kinds
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from runtime.reload.look import SKIPPED_FOLDERS, Places

_log = logging.getLogger(__name__)

logging.getLogger("watchdog").setLevel(logging.CRITICAL)  # what it complains of is looked at again anyway
warnings.filterwarnings("ignore", module="watchdog")  # it warns of folders that it sees twice

_WAKING: list[type[FileSystemEvent]] = [
    kinds.FileModifiedEvent,
    kinds.FileClosedEvent,
    kinds.FileCreatedEvent,
    kinds.FileDeletedEvent,
    kinds.FileMovedEvent,
    kinds.DirCreatedEvent,
    kinds.DirDeletedEvent,
    kinds.DirMovedEvent,
]  # not those of opening and reading: looking at the files must not wake


@dataclass(slots=True)
class _Watched:
    node: tuple[int, int]
    real: str
    recursive: bool
    handle: Any


class Watch(FileSystemEventHandler):
    """Calls `wake` (from any thread) when something happens, until the system refuses to watch."""

    def __init__(self, wake: Callable[[], None], *, observer: Callable[[], Any] = Observer) -> None:
        self.reason = ""
        """Why nothing is watched and the files have to be looked at; empty while they are watched."""
        self._wake = wake
        self._make = observer
        self._observer: Any = None
        self._watched: dict[str, _Watched] = {}
        self._lock = threading.Lock()
        self._stale: set[str] = set()
        self._writing: set[str] = set()

    def follow(self, places: Places) -> None:
        """Watch exactly the folders that `places` have now."""
        if self.reason:
            return
        try:
            if self._observer is None:
                self._observer = self._make()
                self._observer.start()
            elif not self._observer.is_alive():
                raise OSError("the thread that watched has ended")
            self._adapt(dict(_folders(places)))
        except FileNotFoundError:
            self._wake()  # a folder went while it was being added: look again
        except Exception as error:  # the system has no more watches, or the library failed: look instead
            self.reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            self.close()

    def unclosed(self, paths: Iterable[str]) -> bool:
        """Whether somebody still writes to one of `paths`.

        Names are compared: a path may lead through a link, and events name its target.
        """
        with self._lock:
            names = {Path(path).name for path in self._writing}
        return bool(names) and any(path.rpartition(os.sep)[2] in names for path in paths)

    def forget_unclosed(self) -> None:
        """Stop waiting for files that were never closed."""
        with self._lock:
            self._writing.clear()

    def close(self) -> None:
        """Stop watching; closing twice is no error."""
        observer, self._observer = self._observer, None
        self._watched.clear()
        if observer is not None and observer.is_alive():
            observer.stop()

    def dispatch(self, event: FileSystemEvent) -> None:
        """Take one event; runs on the library's thread, which an exception would end."""
        try:
            self._note(event)
            self._wake()
        except Exception:
            _log.exception("an event of the file system could not be taken")

    def _note(self, event: FileSystemEvent) -> None:
        paths = {os.fsdecode(each) for each in (event.src_path, event.dest_path) if each}
        with self._lock:
            if isinstance(event, kinds.FileModifiedEvent):
                self._writing |= paths
                return
            self._writing -= paths
            if not isinstance(event, kinds.FileClosedEvent):
                self._stale |= paths

    def _adapt(self, wanted: dict[str, bool]) -> None:
        with self._lock:
            stale, self._stale = self._stale, set()
        for path, watched in list(self._watched.items()):
            keep = wanted.get(path) is watched.recursive and watched.node == _node(path)
            if not keep or any(_is_within(name, each) for name in (path, watched.real) for each in stale):
                del self._watched[path]
                self._observer.unschedule(watched.handle)
        for path, recursive in wanted.items():
            if path not in self._watched and (node := _node(path)):
                real = os.path.realpath(path)
                handle = self._observer.schedule(self, real, recursive=recursive, event_filter=_WAKING)
                self._watched[path] = _Watched(node, real, recursive, handle)


def _folders(places: Places) -> Iterator[tuple[str, bool]]:
    """Yield each folder to watch, and whether with all that is inside it."""
    yield str(places.root), False
    for folder in places.folders:
        for parent in _parents(folder, places.root):
            yield str(parent), False
        inside = _subfolders(folder)
        visible = [
            each for each in inside if not each.name.startswith(".") and each.name not in SKIPPED_FOLDERS
        ]
        if len(visible) == len(inside):
            yield str(folder), True
        else:  # the state of a project may lie in there, and is written to all the time
            yield str(folder), False
            for each in visible:
                yield str(each), True


def _parents(folder: Path, root: Path) -> Iterable[Path]:
    """Return the folders in which one that leads to `folder` could be replaced."""
    inside = [parent for parent in folder.parents if parent == root or root in parent.parents]
    return inside or [folder.parent]


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def _subfolders(folder: Path) -> list[Path]:
    try:
        return [each for each in folder.iterdir() if each.is_dir() and not each.is_symlink()]
    except OSError:
        return []


def _node(path: str) -> tuple[int, int] | None:
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
