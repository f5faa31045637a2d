"""Who asks and under which policies: actors, scopes and the context of a call; none can be changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from runtime.core.errors import Invalid
from runtime.core.values import Value
from runtime.registry.frozen import FrozenDict, freeze
from runtime.security.typed_values import typed_key


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who asks: an id such as `app:agent` and plain data that conditions may read.

    `meta` is copied and frozen. Raises Invalid for an empty id and for meta that is no map of plain data.
    """

    id: str
    meta: Mapping[str, Value] = field(default_factory=FrozenDict, hash=False)
    _meta_key: str = field(default="", init=False, repr=False, compare=False)

    @property
    def meta_key(self) -> str:
        """A text that stands for `meta`: two are equal where values and types are."""
        if not self._meta_key:
            object.__setattr__(self, "_meta_key", repr(typed_key(self.meta)))
        return self._meta_key

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise Invalid("actor id must be a string that is not empty")
        if not isinstance(self.meta, Mapping):
            raise Invalid(f"meta of actor `{self.id}` must be a map")
        object.__setattr__(self, "meta", freeze(self.meta))


class Scope:
    """An immutable set of policy ids in the order of their names; two scopes of the same ids are equal."""

    __slots__ = ("_hash", "policies")
    policies: tuple[str, ...]
    _hash: int

    def __init__(self, policies: Iterable[str] = ()) -> None:
        if isinstance(policies, str):  # a string is an iterable of its letters
            raise Invalid(f"a scope takes a list of policy ids, not the string `{policies}`")
        ids = tuple(policies)
        if not all(isinstance(each, str) and each for each in ids):
            raise Invalid("a scope takes a list of policy ids, each a string that is not empty")
        object.__setattr__(self, "policies", tuple(sorted(set(ids))))
        object.__setattr__(self, "_hash", hash(self.policies))

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"a scope can not be changed: `{name}`")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a scope can not be changed: `{name}`")

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scope) and self.policies == other.policies

    def __repr__(self) -> str:
        return f"Scope({list(self.policies)})"

    def __reduce__(self) -> tuple[type[Scope], tuple[tuple[str, ...]]]:
        return Scope, (self.policies,)

    def __len__(self) -> int:
        return len(self.policies)

    def __iter__(self) -> Iterator[str]:
        return iter(self.policies)

    def with_policy(self, policy: str) -> Scope:
        """Return a scope that also holds `policy` (an id)."""
        return Scope((*self.policies, policy))

    def without(self, policy: str) -> Scope:
        """Return a scope that does not hold `policy` (an id); the same scope where it never did."""
        return Scope(each for each in self.policies if each != policy) if self.contains(policy) else self

    def contains(self, policy: str) -> bool:
        """Whether the scope holds `policy` (an id)."""
        return policy in self.policies


@dataclass(frozen=True, slots=True)
class Context:
    """Under what a call runs. Where actor or scope is None the guard decides by strict mode alone."""

    actor: Actor | None = None
    scope: Scope | None = None

    EMPTY: ClassVar[Context]


Context.EMPTY = Context()
