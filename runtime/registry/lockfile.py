"""`wippy.lock`: where the sources are and which modules are pinned; read strictly, written whole."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runtime.core.errors import Error, Invalid, Many, Place, Unavailable
from runtime.core.nearest import did_you_mean
from runtime.registry import yaml
from runtime.registry.declaration import Declaration, FieldPath, SourceFile
from runtime.registry.root_files import read_root_file

FILE = "wippy.lock"
_WORD = re.compile(r"[A-Za-z0-9_./^~*+@=-]+")
_TOP = ("directories", "modules", "replacements", "options")
_FIELDS = {
    "directories": ("src", "modules"),
    "options": ("unpack_modules",),
    "modules": ("name", "version", "hash", "local_hash"),
    "replacements": ("from", "to"),
}


@dataclass(frozen=True, slots=True)
class LockedModule:
    """A pinned module `organization/name`; `hash` is the digest of its archive, where it is known."""

    name: str
    version: str
    hash: str = ""
    local_hash: str = ""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A module that is taken from the folder `path` (relative to the lock) instead of the archive."""

    module: str
    path: str


@dataclass(frozen=True, slots=True)
class Lock:
    """What a lock file says; paths are relative to its folder."""

    src: str = "./src"
    modules_folder: str = ".wippy"
    modules: tuple[LockedModule, ...] = ()
    replacements: tuple[Replacement, ...] = ()
    unpack_modules: bool = False
    place: Place | None = field(default=None, compare=False)


def read_lock(folder: Path) -> Lock | None:
    """Return the lock in `folder`, None where there is none; raise Invalid or Many where it is not valid."""
    data = read_root_file(folder, FILE)
    return None if data is None else parse_lock(yaml.decode(data, FILE), folder)


def parse_lock(text: str, folder: Path) -> Lock:
    """Return the lock written as `text`; `folder` is where replacement paths start."""
    try:
        document = yaml.parse(text, FILE)
    except Many as many:
        raise Many([_unread(error) for error in many.errors]) from None
    except Error as error:
        raise _unread(error) from None
    return _LockReader(SourceFile(FILE, text), folder).read(document)


def write_lock(folder: Path, lock: Lock) -> None:
    """Write `lock` into `folder` in one step, for its owner alone; raise Unavailable where it can not."""
    path, draft = folder / FILE, folder / f"{FILE}.{os.getpid()}.tmp"
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(format_lock(lock))
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise Unavailable(f"can not write the lock file: {error.strerror}", place=Place(FILE)) from None


def format_lock(lock: Lock) -> str:
    """Return the text of `lock`: sorted, without duplicates."""
    lines = ["directories:", f"  modules: {_scalar(lock.modules_folder)}", f"  src: {_scalar(lock.src)}"]
    pinned = {(module.name, module.version): module for module in lock.modules}
    if pinned:
        lines.append("modules:")
    for _, module in sorted(pinned.items()):
        lines += [f"  - name: {_scalar(module.name)}", f"    version: {_scalar(module.version)}"]
        lines += [f"    hash: {_scalar(module.hash)}"] if module.hash else []
        lines += [f"    local_hash: {_scalar(module.local_hash)}"] if module.local_hash else []
    replaced = {replacement.module: replacement for replacement in lock.replacements}
    if replaced:
        lines.append("replacements:")
    for _, replacement in sorted(replaced.items()):
        lines += [f"  - from: {_scalar(replacement.module)}", f"    to: {_scalar(replacement.path)}"]
    if lock.unpack_modules:
        lines += ["options:", "  unpack_modules: true"]
    return "\n".join(lines) + "\n"


class _LockReader:
    def __init__(self, file: SourceFile, folder: Path) -> None:
        self.declaration = Declaration(file)
        self.folder = folder
        self.errors: list[Error] = []

    def read(self, document: Any) -> Lock:
        root = self._map(document, ())
        self._known(root, (), _TOP)
        folders = self._map(root.get("directories"), ("directories",))
        options = self._map(root.get("options"), ("options",))
        self._known(folders, ("directories",), _FIELDS["directories"])
        self._known(options, ("options",), _FIELDS["options"])
        lock = Lock(
            self._relative(folders, "src", "directories.src cannot be empty"),
            self._relative(folders, "modules", "directories.modules cannot be empty"),
            tuple(self._module(item, at) for item, at in self._items(root, "modules")),
            tuple(self._replacement(item, at) for item, at in self._items(root, "replacements")),
            options.get("unpack_modules") is True,
            Place(FILE),
        )
        if self.errors:
            raise self.errors[0] if len(self.errors) == 1 else Many(self.errors)
        return lock

    def _known(self, given: dict[str, Any], at: FieldPath, fields: tuple[str, ...]) -> None:
        for key in given:
            if key not in fields:
                self._fault((*at, key), f"field `{key}` is unknown{did_you_mean(key, fields)}")

    def _relative(self, folders: dict[str, Any], key: str, empty: str) -> str:
        path = self._text(folders, key, ("directories",), empty)
        if path.startswith("/") or re.match(r"[A-Za-z]:[\\/]", path):
            self._fault(("directories", key), f"`{path}` is absolute: paths are relative to the lock file")
        return path

    def _module(self, item: dict[str, Any], at: FieldPath) -> LockedModule:
        name = self._text(item, "name", at, "module name cannot be empty")
        if name and (problem := _bad_module(name)):
            self._fault((*at, "name"), f"invalid module `{name}`: {problem}")
        version = self.declaration.text_of((*at, "version")) or ""
        if not version:
            self._fault(at, f"module `{name}` has empty version")
        return LockedModule(name, version, str(item.get("hash") or ""), str(item.get("local_hash") or ""))

    def _replacement(self, item: dict[str, Any], at: FieldPath) -> Replacement:
        module = self._text(item, "from", at, "replacement has empty `from` field")
        path = self._text(item, "to", at, f"replacement `{module}` has empty `to` field")
        if module and (problem := _bad_module(module)):
            self._fault((*at, "from"), f"replacement `from` field `{module}` is invalid: {problem}")
        if path and not (self.folder / path).is_dir():
            self._fault((*at, "to"), f"replacement path `{path}` does not exist")
        return Replacement(module, path)

    def _text(self, holder: dict[str, Any], key: str, at: FieldPath, empty: str) -> str:
        value = holder.get(key)
        if not isinstance(value, str) or not value.strip():
            self._fault((*at, key), empty if not value else f"`{key}` must be a string")
            return ""
        return value

    def _map(self, value: Any, at: FieldPath) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        if value is not None:
            self._fault(at, f"{'.'.join(map(str, at)) or 'the file'} must be a map")
        return {}

    def _items(self, root: dict[str, Any], key: str) -> list[tuple[dict[str, Any], FieldPath]]:
        items = root.get(key) or []
        if not isinstance(items, list):
            self._fault((key,), f"`{key}` must be a list")
            return []
        found: list[tuple[dict[str, Any], FieldPath]] = [
            (self._map(item, (key, index)), (key, index)) for index, item in enumerate(items)
        ]
        for item, at in found:
            self._known(item, at, _FIELDS[key])
        return found

    def _fault(self, at: FieldPath, message: str) -> None:
        place = self.declaration.place_of(at)
        self.errors.append(Invalid(f"invalid lock file: {message}", place=place))


def _unread(error: Error) -> Error:
    return Invalid(f"failed to load lock file: {error.message}", place=error.place)


def _bad_module(name: str) -> str:
    parts = name.split("/")
    if len(parts) != 2:
        return f"invalid format (expected org/module, got `{name}`)"
    if not parts[0]:
        return "organization part cannot be empty"
    return "" if parts[1] else "module part cannot be empty"


def _scalar(text: str) -> str:
    plain = _WORD.fullmatch(text) and yaml.plain_scalar(text) == text and text[0] not in "-*@=~"
    return text if plain else "'" + text.replace("'", "''") + "'"
