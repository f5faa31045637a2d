"""What the registry holds: entries, and the operations and changes on them; none can be changed once made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, cast

from runtime.core.canonical import value_digest
from runtime.core.errors import Invalid, Place
from runtime.core.ids import check_id, split_id
from runtime.core.values import Value
from runtime.registry.frozen import FrozenDict, freeze

if TYPE_CHECKING:
    from runtime.registry.declaration import Declaration
    from runtime.registry.snapshot import Snapshot

OpKind = Literal["create", "update", "delete"]


class Origin(StrEnum):
    """What declared an entry: a file of the project, a locked or bundled module, or a run-time act."""

    FILE = "file"
    MODULE = "module"
    RUNTIME = "runtime"


@dataclass(frozen=True, slots=True)
class Entry:
    """A typed definition `namespace:name` with meta (a map) and data (any plain value).

    `meta` and `data` are frozen when the entry is made. `place` is where the entry stands in its file;
    `source_name` names the text of the field `source` in stack traces (its file, else the id of the entry).
    Two entries are equal when id, kind, meta, data and origin are.
    """

    id: str
    kind: str
    meta: dict[str, Value] = field(default_factory=FrozenDict)
    data: Value = field(default_factory=FrozenDict)
    origin: Origin = Origin.RUNTIME
    place: Place | None = field(default=None, compare=False)
    source_name: str = field(default="", compare=False, repr=False)
    declaration: Declaration | None = field(default=None, compare=False, repr=False)
    _digest: str = field(default="", init=False, compare=False, repr=False)
    _source_place: Place | None = field(default=None, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "meta", freeze(self.meta))
        object.__setattr__(self, "data", freeze(self.data))
        if not self.source_name:
            object.__setattr__(self, "source_name", self.id)

    def __hash__(self) -> int:
        return hash((self.id, self.kind))

    @property
    def namespace(self) -> str:
        """The part of the id before the first colon."""
        return split_id(self.id)[0]

    @property
    def name(self) -> str:
        """The part of the id after the first colon."""
        return split_id(self.id)[1]

    @property
    def fields(self) -> dict[str, Value]:
        """The data where it is a map, else an empty map."""
        return self.data if isinstance(self.data, dict) else FrozenDict()

    @property
    def digest(self) -> str:
        """SHA-256 over id, kind, meta and data: equal content, equal digest, whoever declared it."""
        if not self._digest:
            object.__setattr__(self, "_digest", value_digest(self.to_value()))
        return self._digest

    @property
    def source_place(self) -> Place:
        """Where the first character of the field `source` is written: in its file, in the YAML that declares
        the entry, or in a text that has no file and is called by the id of the entry.
        """
        if self._source_place is None:
            found: Place | None = None
            source = self.fields.get("source")
            if self.source_name == self.id and self.declaration is not None and isinstance(source, str):
                found = self.declaration.file.find(source, self.place.line if self.place else 1)
            object.__setattr__(self, "_source_place", found or Place(self.source_name, 1, 1))
        assert self._source_place is not None
        return self._source_place

    def same_content(self, other: Entry) -> bool:
        """Whether kind, meta and data are those of `other` (the origin may differ)."""
        return same(self.kind, other.kind) and same(self.meta, other.meta) and same(self.data, other.data)

    def place_of(self, *path: str | int) -> Place | None:
        """Return where the field at `path` stands, such as `place_of("data", "modules", 0)`.

        A field that does not stand in the file gets the place of the nearest part that does;
        an entry without a file has none.
        """
        if self.declaration is None:
            return self.place
        return self.declaration.place_of(path)

    def to_value(self) -> dict[str, Value]:
        """Return the entry as plain data {id, kind, meta, data}, the shape that scripts see."""
        return {"id": self.id, "kind": self.kind, "meta": self.meta, "data": self.data}

    @classmethod
    def from_value(cls, value: Any, origin: Origin = Origin.RUNTIME) -> Entry:
        """Build an entry from plain data; raise Invalid where id, kind, meta or data is missing or wrong."""
        if not isinstance(value, Mapping):
            raise Invalid("an entry must be a map of id, kind, meta and data")
        raw_id, kind, meta = value.get("id"), value.get("kind"), value.get("meta")
        if isinstance(raw_id, Mapping):
            raw_id = f"{raw_id.get('ns', '')}:{raw_id.get('name', '')}"
        if not isinstance(raw_id, str) or not raw_id:
            raise Invalid("entry must have valid id field")
        if not isinstance(kind, str) or not kind:
            raise Invalid("entry must have kind field")
        if meta is None or meta == []:  # an empty Lua table arrives as a list
            meta = {}
        if not isinstance(meta, Mapping):
            raise Invalid(f"`meta` of `{raw_id}` must be a map")
        data = value.get("data")
        return cls(
            check_id(raw_id), kind, cast("dict[str, Value]", meta), {} if data is None else data, origin
        )


@dataclass(frozen=True, slots=True)
class Op:
    """One operation on one entry; of a delete only the id of `entry` matters."""

    kind: OpKind
    entry: Entry

    @classmethod
    def delete(cls, entry_id: str) -> Op:
        """Return the deletion of `entry_id`."""
        return cls("delete", Entry(entry_id, ""))

    def to_value(self) -> dict[str, Value]:
        """Return the operation as plain data {kind, id, entry?}; a delete has no entry."""
        value: dict[str, Value] = {"kind": self.kind, "id": self.entry.id}
        if self.kind != "delete":
            value["entry"] = self.entry.to_value()
        return value


@dataclass(frozen=True, slots=True)
class Change:
    """One applied changeset as listeners see it: `before` and `after` are whole views of the registry.

    In `ops` a delete carries the entry that was there.
    """

    version: int
    origin: Origin
    actor: str
    ops: tuple[Op, ...]
    before: Snapshot
    after: Snapshot


def same(left: Any, right: Any) -> bool:
    """Whether two plain values are equal and of the same types (`1`, `1.0` and `True` differ)."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(item, right[key]) for key, item in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and bool(left == right)
