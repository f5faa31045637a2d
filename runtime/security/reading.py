"""What the policies of a scope read of a request: the key under which a decision is kept, and the facts that
their conditions see.

Actor id, action and resource are part of every key. Of the meta of a request the facts hold what the key
holds and nothing else, so a decision can not be kept under another request than the one it was made for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from runtime.core.values import Value
from runtime.security.actor import Actor
from runtime.security.fields import Facts, Field, MetaReader
from runtime.security.typed_values import typed_key, value_of

_NOTHING: Mapping[str, Any] = {}

Read = Callable[[Actor, Mapping[str, Value] | None], object]


class Reading:
    """What `fields` read. `key(actor, meta)` gives their part of the key; None where they need none."""

    __slots__ = ("_bare", "_meta", "_others", "key")
    key: Read | None

    def __init__(self, fields: Iterable[Field]) -> None:
        unique = {field.path: field for field in fields}.values()
        self._meta = [field for field in unique if field.of_meta is not None]
        self._others = [field for field in unique if field.of_meta is None]
        of_actor = any(field.is_of_actor and field.path != "actor.id" for field in self._others)
        self._bare = len(self._meta) == 1 and not of_actor
        self.key = _key_of([field.of_meta for field in self._meta if field.of_meta], of_actor)

    def facts(self, actor: Actor, action: str, resource: str, key: object) -> Facts:
        """Return the facts of the request that `key` was read from."""
        given = (key,) if self._bare else cast("Sequence[object]", key)[: len(self._meta)]
        others = {
            field.path: value_of(typed_key(field.read(actor, action, resource, _NOTHING)))
            for field in self._others
        }
        return Facts(self._meta, given, others)


def _key_of(readers: Sequence[MetaReader], of_actor: bool) -> Read | None:
    if not readers:  # then an empty key, or one that only the actor is in
        return (lambda actor, _meta: (actor.meta_key,)) if of_actor else None
    if len(readers) == 1:
        return _single(readers[0], of_actor)

    def key(actor: Actor, meta: Mapping[str, Value] | None) -> object:
        bag = _NOTHING if meta is None else meta
        found = [
            value if (value := read(bag)) is None or type(value) is str else typed_key(value)
            for read in readers
        ]
        if of_actor:
            found.append(actor.meta_key)
        return tuple(found)

    return key


def _single(read: MetaReader, of_actor: bool) -> Read:
    def key(_actor: Actor, meta: Mapping[str, Value] | None) -> object:
        value = None if meta is None else read(meta)
        return value if value is None or type(value) is str else typed_key(value)

    return (lambda actor, meta: (key(actor, meta), actor.meta_key)) if of_actor else key
