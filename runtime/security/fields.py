"""What conditions read: `actor.id`, `actor.meta[.a.b]`, `action`, `resource`, `meta.x[.y]`, keys of meta.

A field that is not there, or is null, reads as None. What a set of policies reads is taken from a request
once, as a key of the cache of decisions; the conditions see nothing but the facts made from that key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from runtime.core.errors import Invalid
from runtime.core.nearest import nearest
from runtime.core.values import Value
from runtime.security.actor import Actor
from runtime.security.typed_values import typed_key, value_of
from runtime.security.wording import shown

ROOTS = ("actor", "action", "resource", "meta")
KNOWN = ("actor.id", "actor.meta", "action", "resource")
_FORMS = "`actor.id`, `actor.meta`, `actor.meta.<key>`, `action`, `resource` or `meta.<key>`"
_EMPTY: Mapping[str, Value] = {}

Key = tuple[object, ...]
Reader = Callable[[Actor, str, str, Mapping[str, Value]], Value]
MetaReader = Callable[[Mapping[str, Value]], Value]


class Field:
    """One field path, read once from text; raises Invalid where the path names nothing that is known.

    `read(actor, action, resource, meta)` returns its value in a request, None where it is not there.
    `of_meta(meta)` does so for a field of meta; for the others it is None.
    """

    __slots__ = ("of_meta", "path", "read")
    read: Reader
    of_meta: MetaReader | None

    def __init__(self, path: str) -> None:
        self.path = path
        self.of_meta = None
        own = _own_reader(path)
        if own is not None:
            self.read = own
        else:
            self._reads_meta(_meta_reader(path))

    @property
    def is_of_actor(self) -> bool:
        """Whether it says something of the actor and nothing of the request."""
        return self.path == "actor.id" or self.path.split(".")[:2] == ["actor", "meta"]

    @classmethod
    def whole_meta(cls) -> Field:
        """Return the field of all that an operation says of itself; only an expression reads it whole."""
        field = cls("action")
        field.path = "meta"
        field._reads_meta(lambda meta: cast("Value", meta))
        return field

    def _reads_meta(self, reader: MetaReader) -> None:
        self.of_meta = reader
        self.read = lambda _actor, _action, _resource, meta: reader(meta)


def _own_reader(path: str) -> Reader | None:
    """Return what reads a field of the actor, the action or the resource; None for another one."""
    parts = path.split(".")
    if path == "action":
        return lambda _actor, action, _resource, _meta: action
    if path == "resource":
        return lambda _actor, _action, resource, _meta: resource
    if path == "actor.id":
        return lambda actor, _action, _resource, _meta: actor.id
    if all(parts) and parts[:2] == ["actor", "meta"]:
        return lambda actor, _action, _resource, _meta: _descend(actor.meta, parts[2:])
    return None


def _meta_reader(path: str) -> MetaReader:
    parts = path.split(".")
    if all(parts) and parts[0] == "meta" and len(parts) == 2:
        return lambda meta: meta.get(parts[1])
    if all(parts) and parts[0] == "meta" and len(parts) > 2:
        return lambda meta: _descend(meta, parts[1:])
    if _nearest_root(parts[0]) or not path.isprintable() or path != path.strip():
        raise Invalid(_unknown(path, parts))
    return lambda meta: meta.get(path)  # documented: a key of meta, dots included


def _nearest_root(word: str) -> str | None:
    near = nearest(word, (*ROOTS, "metadata"), cutoff=0.75)
    return "meta" if near == "metadata" else near


def _unknown(path: str, parts: list[str]) -> str:
    message = f"unknown field `{shown(path)}`, expected {_FORMS}"
    meant = ".".join([_nearest_root(parts[0]) or parts[0], *parts[1:]]).strip()
    if meant not in KNOWN and not (meant != path and meant.startswith(("actor.meta.", "meta."))):
        meant = nearest(meant, KNOWN, cutoff=0.75) or ""
    if meant:
        message += f"; did you mean `{shown(meant)}`?"
    if parts[0] not in ROOTS:
        message += f" A key of meta is written `meta.{shown(path.strip())}`"
    return message


def _descend(value: Any, keys: Sequence[str]) -> Value:
    for key in keys:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value  # type: ignore[no-any-return]


def read_key(
    fields: Iterable[Field], actor: Actor, action: str, resource: str, meta: Mapping[str, Value] | None
) -> Key:
    """Return the values of `fields` in a request; two keys are equal where values and types are."""
    bag = meta or _EMPTY
    return tuple([typed_key(field.read(actor, action, resource, bag)) for field in fields])


class Facts:
    """The values of `fields` that `key` was read from, by path; `more` are others, known already."""

    __slots__ = ("_values",)

    def __init__(
        self, fields: Iterable[Field], key: Sequence[object], more: Mapping[str, Value] | None = None
    ) -> None:
        self._values = {field.path: value_of(item) for field, item in zip(fields, key, strict=True)}
        if more:
            self._values.update(more)

    def __getitem__(self, path: str) -> Value:
        return self._values[path]
