"""From a folder of YAML and JSON files to entries; every fault of every file is reported at once.

Files are read in lexical order; names that start with a dot and `node_modules` are skipped. A file without
`namespace` declares nothing: it is passed by, and named to who asks. Nothing here knows kinds: see `kinds`
and `assemble`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from runtime.core.errors import Error, Invalid, Many, NotFound
from runtime.core.values import Value
from runtime.registry.entry import Entry, Origin
from runtime.registry.entry_file import EntryFile

SUFFIXES = (".yaml", ".yml", ".json")


def load_tree(
    src: Path, *, project: Path, origin: Origin = Origin.FILE, meta: Mapping[str, Value] | None = None
) -> list[Entry]:
    """Return the entries of all files under `src`.

    `project` is the folder to which places are relative; `meta` is merged over the meta of every entry (the
    module that it came from, say). Raises NotFound when `src` is no folder, Many with every fault else.
    """
    entries, errors = read_tree(src, project=project, origin=origin, meta=meta)
    unique, doubled = without_duplicates(entries)
    if errors or doubled:
        raise Many([*errors, *doubled])
    return unique


def read_tree(
    src: Path,
    *,
    project: Path,
    origin: Origin = Origin.FILE,
    meta: Mapping[str, Value] | None = None,
    passed: list[str] | None = None,
) -> tuple[list[Entry], list[Error]]:
    """Return what could be read under `src`, and every fault; files that declare nothing go to `passed`."""
    if not src.is_dir():
        shown = os.path.relpath(src, project)
        raise NotFound(
            f"source folder `{shown}` does not exist; create it or change `directories.src` in wippy.lock"
        )
    entries: list[Entry] = []
    errors: list[Error] = []
    for path in walk(src):
        file = EntryFile(path, root=src, project=project, origin=origin, over=dict(meta or {}))
        entries += file.read()
        errors += file.errors
        if file.passed and passed is not None:
            passed.append(file.shown)
    return entries, errors


def without_duplicates(entries: Iterable[Entry]) -> tuple[list[Entry], list[Error]]:
    """Return `entries` with the first of each id, and an error with both places for each further one."""
    first: dict[str, Entry] = {}
    errors: list[Error] = []
    for entry in entries:
        known = first.setdefault(entry.id, entry)
        if known is not entry:
            at = known.place_of("name") or "elsewhere"
            message = f"entry `{entry.id}` is declared twice, first at {at}; rename or remove one"
            errors.append(Invalid(message, place=entry.place_of("name"), details={"id": entry.id}))
    return list(first.values()), errors


def walk(folder: Path) -> Iterator[Path]:
    """Yield the files that may hold entries, in lexical order; links to folders are not followed."""
    for item in sorted(folder.iterdir(), key=lambda path: path.name):
        if item.name.startswith(".") or item.name == "node_modules":
            continue
        if item.is_dir():
            if not item.is_symlink():
                yield from walk(item)
        elif item.suffix in SUFFIXES:
            yield item
