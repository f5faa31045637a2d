"""What the linter found, kept in the state folder: of each source by the digest of its content, and of a
whole project by the digest of all its files.

A state folder may come with a project from anywhere, so only a file that this user's runtime wrote for nobody
else is read; what does not fit into its shape is forgotten. Nothing here raises: without a cache the linter
works, and takes longer.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import runtime
from runtime.core.errors import Place
from runtime.lua.lint.finding import Finding, Level
from runtime.registry.project import Project

FOLDER, FILE = "cache", "lint.json"
WHOLES = 4  # projects whose files are remembered as a whole
MAX_BYTES = 64 * 1024 * 1024
HASHED = 4 * 1024 * 1024  # bytes; of a larger file size and time tell
_CODE = ("app", "bundled", "core", "lua", "registry", "security")
_LEVELS = get_args(Level)


class LintCache:
    """The findings of earlier runs of this very version of the runtime."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._path = state / FOLDER / FILE
        self.sources: dict[str, list[Finding]] = {}
        self._wholes: dict[str, dict[str, Any]] = {}

    def read(self) -> None:
        """Read what an earlier run left."""
        try:
            kept = self._path.stat()
            if stat.S_IMODE(kept.st_mode) & 0o077 or kept.st_uid != os.getuid() or kept.st_size > MAX_BYTES:
                return
            value = json.loads(self._path.read_bytes())
            if value["stamp"] == stamp():
                self._wholes = dict(value["wholes"])
                self.sources = {key: list(map(from_row, rows)) for key, rows in value["sources"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return

    def clear(self) -> None:
        """Forget everything."""
        self.sources, self._wholes = {}, {}
        try:
            self._path.unlink()
        except OSError:
            return

    def whole(self, key: str) -> tuple[list[Finding], dict[str, str]] | None:
        """Return the findings and the entries of a project whose files have the digest `key`."""
        found = self._wholes.get(key)
        try:
            return None if found is None else (list(map(from_row, found["findings"])), dict(found["entries"]))
        except (ValueError, KeyError, TypeError):
            return None

    def keep(
        self, key: str, findings: Iterable[Finding], entries: dict[str, str], used: Iterable[str]
    ) -> None:
        """Write what a run found: of a whole project, and of the sources with the digests `used`."""
        self._wholes.pop(key, None)
        self._wholes[key] = {"findings": [to_row(each) for each in findings], "entries": entries}
        for old in list(self._wholes)[:-WHOLES]:
            del self._wholes[old]
        sources = {each: [to_row(row) for row in self.sources[each]] for each in used if each in self.sources}
        value = {"stamp": stamp(), "wholes": self._wholes, "sources": sources}
        try:
            self._write(json.dumps(value).encode())
        except OSError:
            return

    def _write(self, data: bytes) -> None:
        from runtime.core.errors import Error
        from runtime.journal.state import prepare_state_dir

        try:
            folder = prepare_state_dir(self._state) / FOLDER
        except Error:
            return
        folder.mkdir(mode=0o700, exist_ok=True)
        beside = folder / f".{FILE}.{os.getpid()}"
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        beside.replace(self._path)


def to_row(finding: Finding) -> list[Any]:
    """Return a finding as plain data."""
    place = finding.place
    return [
        finding.code,
        finding.level,
        finding.message,
        place.path,
        place.line,
        place.column,
        finding.entry,
    ]


def from_row(row: Any) -> Finding:
    """Return the finding of `to_row`; raise ValueError or TypeError for anything else."""
    code, level, message, path, line, column, entry = row
    texts = all(isinstance(each, str) for each in (code, message, path, entry))
    if not texts or level not in _LEVELS or not isinstance(line, int) or not isinstance(column, int):
        raise ValueError("no finding")
    return Finding(code, level, message, Place(path, line, column), entry)


def stamp() -> str:
    """Return what tells this runtime from any other: its version, and the state of the code that lints."""
    root = Path(runtime.__file__).parent
    found = hashlib.blake2b(f"{runtime.__version__} {sys.version}".encode(), digest_size=16)
    for part in _CODE:
        for path, _, files in os.walk(root / part):
            for name in sorted(files):
                if not name.endswith(".pyc"):
                    file = Path(path, name).stat()
                    found.update(f"{path}/{name} {file.st_size} {file.st_mtime_ns}\0".encode())
    return found.hexdigest()


def digest_of(project: Project) -> str:
    """Return a digest of all that a project says: its settings, and every file of its sources."""
    found = hashlib.blake2b(digest_size=16)
    settings: dict[str, Any] = {key: project.settings.get(key) for key in project.settings.keys()}  # noqa: SIM118
    found.update(json.dumps(settings, sort_keys=True, default=str).encode())
    roots = sorted({*project.src_dirs, project.root / "policies.conf", project.root / "wippy.lock"})
    for root in roots:
        for path in _files(root):
            found.update(os.fsencode(os.path.relpath(path, project.root)) + b"\0" + _content(path) + b"\0")
    return found.hexdigest()


def _files(root: Path) -> Iterable[Path]:
    if root.is_file():
        yield root
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(each for each in inner if not each.startswith(".") and each != "node_modules")
        yield from (Path(folder, name) for name in sorted(names))


def _content(path: Path) -> bytes:
    try:
        known = path.stat()
        if not stat.S_ISREG(known.st_mode) or known.st_size > HASHED:
            return f"{known.st_mode} {known.st_size} {known.st_mtime_ns}".encode()
        return hashlib.blake2b(path.read_bytes(), digest_size=16).digest()
    except OSError as error:
        return str(error.errno).encode()
