"""Entries as files that the loader reads back as what they were: a folder a namespace, sources beside it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from runtime.core.errors import AlreadyExists, Internal, Unavailable
from runtime.registry.entry import Entry
from runtime.registry.frozen import thaw
from runtime.registry.loader import load_tree
from runtime.registry.project import INDEX_FILE

LONG = 200  # characters of a text without line ends that may stand on one line


def export(entries: Iterable[Entry], folder: Path) -> list[Path]:
    """Write `entries` under `folder` and return the files, relative to it.

    Nothing is written over: raises AlreadyExists with the first file that is there. Raises Unavailable where
    the folder can not be written.
    """
    entries = list(entries)
    files = _files(entries)
    _check(entries, files)
    for path in files:
        if (folder / path).exists():
            raise AlreadyExists(f"`{folder / path}` is there already: name another folder, or move it away")
    try:
        _write(files, folder)
    except OSError as error:
        raise Unavailable(f"can not write to `{folder}`: {error.strerror}") from error
    return list(files)


def _files(entries: list[Entry]) -> dict[Path, str]:
    files: dict[Path, str] = {}
    for namespace in sorted({entry.namespace for entry in entries}):
        inside = sorted(
            (entry for entry in entries if entry.namespace == namespace), key=lambda each: each.name
        )
        items = []
        for entry in inside:
            item: dict[str, Any] = {"name": entry.name, "kind": entry.kind}
            if entry.meta:
                item["meta"] = thaw(entry.meta)
            data: Any = thaw(entry.data)
            source = data.get("source") if isinstance(data, dict) else None
            if isinstance(source, str) and source and "\r" not in source:
                path = Path(namespace, f"{entry.name}.lua")
                files[path] = source
                data = {**data, "source": f"file://{path.name}"}
            if data != {}:
                item["data"] = data
            items.append(item)
        document = {"version": "1.0", "namespace": namespace, "entries": items}
        files[Path(namespace, INDEX_FILE)] = yaml.dump(
            document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=LONG
        )
    return files


def _write(files: dict[Path, str], folder: Path) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode("utf-8"))


def _check(entries: list[Entry], files: dict[Path, str]) -> None:
    """Raise Internal where the loader would read something else: an export that loses something is none."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write(files, folder)
        read = {entry.id: entry for entry in load_tree(folder, project=folder)}
    for entry in entries:
        if entry.id not in read or not entry.same_content(read[entry.id]):
            raise Internal(f"`{entry.id}` can not be written as a file that says the same")


class _Dumper(yaml.SafeDumper):
    """Writes texts so that readers of YAML 1.1 and 1.2 agree that they are texts."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write equal parts out: an alias is hard to read."""
        del data
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = None
    if "\n" in text:
        style = "|"
    elif not text[:1].isalpha() or text.lower() in (
        "null",
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "y",
        "n",
    ):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
