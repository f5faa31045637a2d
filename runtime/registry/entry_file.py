"""One YAML or JSON file of entries: its shapes, and what each entry gets from it.

The file says `namespace`, `meta` that each entry inherits, and `entries`, or it is itself one entry. The data
of an entry is its field `data` where there is one, else every field but `name`, `kind` and `meta`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from runtime.core.errors import Error, Invalid, Many, Place
from runtime.core.ids import check_id
from runtime.core.nearest import nearest
from runtime.core.values import Value
from runtime.registry import yaml
from runtime.registry.declaration import Declaration, FieldPath, SourceFile
from runtime.registry.entry import Entry, Origin
from runtime.registry.file_references import SCHEME, References, read_within
from runtime.registry.json_text import as_yaml

_NOT_DATA = frozenset({"name", "kind", "meta", "data"})
_NOT_DATA_SINGLE = _NOT_DATA | {"namespace", "version", "requirements", "entries"}
_SAME_WORD = 0.85  # likeness above which a key is a misspelt one and not another word
_OTHERS = ("wippy.yaml",)  # the manifest of a module
_TOP_LEVEL = ("version", "namespace", "meta", "entries", "name", "kind")


class EntryFile:
    """Reads the entries of one file; faults are collected in `errors`.

    `root` is the folder that is loaded, `project` the one to which places are relative; `over` is merged over
    the meta of every entry.
    """

    def __init__(
        self, path: Path, *, root: Path, project: Path, origin: Origin, over: dict[str, Value]
    ) -> None:
        self.path = path
        self.root = root
        self.project = project
        self.origin = origin
        self.over = over
        self.errors: list[Error] = []
        self.passed = False
        """Whether it declares nothing, and is not known to be a file of another kind."""
        self.shown = self._relative(path)

    def read(self) -> list[Entry]:
        """Return the entries that could be read; none where the file has no `namespace` (see `passed`)."""
        try:
            text = yaml.decode(read_within(self.path, self.root, self.shown), self.shown)
            if self.path.suffix == ".json":
                text = as_yaml(text, self.shown)
            node = yaml.compose(text, self.shown)
            if "namespace" not in _keys(node):
                self._file = SourceFile(self.shown, text)
                return self._without_namespace(_keys(node))
            document: Any = yaml.construct(node, self.shown)
        except Many as many:
            self.errors += many.errors
            return []
        except Error as error:
            error.place = error.place or Place(self.shown)
            self.errors.append(error)
            return []
        self._file = SourceFile(self.shown, text)
        self._references = References(self.path.parent, self.root, self._fault) if SCHEME in text else None
        return self._entries(document, node)

    def _without_namespace(self, keys: list[str]) -> list[Entry]:
        """Pass over a file of somebody else, and refuse one of ours that has lost its namespace."""
        for key in keys:
            if nearest(key, ("namespace",), _SAME_WORD):
                return self._refuse((key,), f"unknown key `{key}`; did you mean `namespace`?")
        if "entries" in keys or {"name", "kind"} <= set(keys):
            at = "entries" if "entries" in keys else "kind"
            return self._refuse((at,), "entries need a namespace: add `namespace: app`")
        if keys and self.path.stem == "_index":
            return self._refuse((keys[0],), "an index needs a namespace: add `namespace: app`")
        self.passed = self.path.name not in _OTHERS and "tests" not in keys
        return []

    def _entries(self, document: dict[str, Value], node: Any) -> list[Entry]:
        namespace, meta, items = document["namespace"], document.get("meta"), document.get("entries")
        if not isinstance(namespace, str) or not namespace:
            return self._refuse(("namespace",), "`namespace` must be a non-empty string")
        if not isinstance(meta, dict | None):
            return self._refuse(("meta",), "`meta` must be a map")
        if "entries" not in document:
            if "name" not in document and "kind" not in document:
                return self._refuse((), _nothing_declared(document))
            return self._entry(namespace, document, {}, (), yaml.place_at(node, self.shown))
        if items is None:
            return []
        if not isinstance(items, list):
            return self._refuse(("entries",), "`entries` must be a list of maps with `name` and `kind`")
        nodes = next(value.value for key, value in node.value if key.value == "entries")
        found: list[Entry] = []
        for index, item in enumerate(items):
            place = yaml.place_at(nodes[index], self.shown)
            found += self._entry(namespace, item, meta or {}, ("entries", index), place)
        return found

    def _entry(
        self, namespace: str, item: Any, inherited: dict[str, Value], at: FieldPath, place: Place
    ) -> list[Entry]:
        where = f"entries[{at[1]}]" if at else "entry"
        if not isinstance(item, dict):
            return self._refuse(at, f"{where} must be a map with `name` and `kind`")
        for field in ("name", "kind"):
            if not isinstance(item.get(field), str) or not item[field]:
                message = f"{where}.{field}: {field} is required and must be a non-empty string"
                return self._refuse((*at, field), message)
        own = item.get("meta")
        if not isinstance(own, dict | None):
            return self._refuse((*at, "meta"), f"`meta` of `{namespace}:{item['name']}` must be a map")
        meta = {**inherited, **(own or {})}
        faults = len(self.errors)
        data, meta, source_name = self._content(item, meta, at)
        if len(self.errors) > faults:
            return []
        try:
            entry_id = check_id(f"{namespace}:{item['name']}")
            declaration = Declaration(self._file, at)
            meta = {**meta, **self.over}
            return [Entry(entry_id, item["kind"], meta, data, self.origin, place, source_name, declaration)]
        except Error as error:
            self._fault((*at, "name"), error)
            return []

    def _content(self, item: dict[str, Any], meta: Any, at: FieldPath) -> tuple[Any, Any, str]:
        reserved = _NOT_DATA if at else _NOT_DATA_SINGLE
        own = "data" in item
        data: Any = item["data"] if own else {key: item[key] for key in item if key not in reserved}
        if self._references is None:
            return data, meta, ""
        data_at = (*at, "data") if own else at
        data = self._references.resolve(data, data_at)
        meta = self._references.resolve(meta, (*at, "meta"))
        source = self._references.found.get((*data_at, "source"))
        return data, meta, self._relative(source) if source else ""

    def _relative(self, path: Path) -> str:
        return Path(os.path.relpath(path, self.project)).as_posix()

    def _refuse(self, at: FieldPath, message: str) -> list[Entry]:
        self._fault(at, Invalid(message))
        return []

    def _fault(self, at: FieldPath, error: Error) -> None:
        error.place = Declaration(self._file).place_of(at)
        self.errors.append(error)


def _keys(node: Any) -> list[str]:
    return [key.value for key, _ in node.value] if getattr(node, "id", "") == "mapping" else []


def _nothing_declared(document: dict[str, Value]) -> str:
    message = "either entries array or single entry (name/kind) must be provided"
    for key in document:
        near = nearest(key, _TOP_LEVEL) if key not in _TOP_LEVEL else None
        if near:
            return f"{message}; did you mean `{near}` instead of `{key}`?"
    return message
