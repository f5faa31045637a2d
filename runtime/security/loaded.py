"""The policies of one state, by id and by group. A state is never changed: the next one shares what it can,
so that one policy among thousands is changed at the price of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from runtime.security.policy import Policy, PolicyEntry

MAX_OVER = 64  # changes that are kept beside the many before all are put together


class Declared(NamedTuple):
    """A policy and the entry that declared it."""

    entry: PolicyEntry
    policy: Policy


class _Many:
    """Policies that several states share."""

    def __init__(self, by_id: Mapping[str, Declared]) -> None:
        self.by_id = by_id

    @cached_property
    def by_group(self) -> Mapping[str, list[str]]:
        """The ids of each group."""
        found: dict[str, list[str]] = {}
        for each in self.by_id.values():
            for group in each.policy.groups:
                found.setdefault(group, []).append(each.policy.id)
        return found


class Loaded:
    """The policies of one state."""

    __slots__ = ("_many", "_over")

    def __init__(self, by_id: Mapping[str, Declared] | None = None) -> None:
        self._many = _Many(by_id or {})
        self._over: dict[str, Declared | None] = {}

    def get(self, policy_id: str) -> Declared | None:
        """Return a policy; None where it is not loaded."""
        if policy_id in self._over:
            return self._over[policy_id]
        return self._many.by_id.get(policy_id)

    def __iter__(self) -> Iterator[Declared]:
        """Yield every policy."""
        yield from (each for name, each in self._many.by_id.items() if name not in self._over)
        yield from (each for each in self._over.values() if each is not None)

    def members(self, group: str) -> list[str]:
        """Return the ids of the policies of `group`."""
        over = self._over
        kept = [each for each in self._many.by_group.get(group, ()) if each not in over]
        return kept + [name for name, each in over.items() if each and group in each.policy.groups]

    def changed(self, policies: Mapping[str, Declared], removed: Iterable[str]) -> Loaded:
        """Return the state with `policies` in it and without the ids `removed`; `policies` win."""
        over = {**self._over, **dict.fromkeys(removed), **policies}
        if len(over) > MAX_OVER:
            return Loaded(
                {name: each for name, each in {**self._many.by_id, **over}.items() if each is not None}
            )
        state = Loaded.__new__(Loaded)
        state._many, state._over = self._many, over
        return state
