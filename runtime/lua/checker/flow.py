"""What is known at one point of a source beyond its annotations: narrowed types, and values that come with
their error.

A state is never changed; None in its place means that the point is never reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from runtime.lua.checker.types import Type, union
from runtime.lua.checker.variables import Loop, Variable

MAX_FACTS = 200

Key = tuple[Variable, tuple[str, ...]]
"""A variable, or a field in it: (x, ()), (x, ("a", "b"))."""


@dataclass(eq=False, slots=True)
class Pairing:
    """What one call gave: `values`, of which those that may be nil are there when `error` is nil or false."""

    values: tuple[Variable, ...]
    error: Variable


@dataclass(frozen=True, slots=True)
class State:
    """`facts` are the types that hold here; `pairs` the pairings of the variables in them."""

    facts: dict[Key, Type] = field(default_factory=dict)
    pairs: dict[Variable, Pairing] = field(default_factory=dict)

    def with_fact(self, key: Key, found: Type) -> State:
        """Return the state in which `key` has the type `found`."""
        facts = self.facts
        if len(facts) >= MAX_FACTS and key not in facts:
            facts = {each: known for each, known in facts.items() if not each[1]}
            if len(facts) >= MAX_FACTS:
                return self
        return State({**facts, key: found}, self.pairs)

    def assigned(self, key: Key, found: Type | None) -> State:
        """Return the state behind an assignment to `key`: `found` is what it has now, None where unknown."""
        variable, path = key
        facts = {
            each: known
            for each, known in self.facts.items()
            if each[0] is not variable or each[1][: len(path)] != path
        }
        pairs = self.pairs
        if not path and variable in pairs:
            gone = pairs[variable]
            pairs = {each: pairing for each, pairing in pairs.items() if pairing is not gone}
        state = State(facts, pairs)
        return state if found is None else state.with_fact(key, found)

    def paired(self, pairing: Pairing) -> State:
        """Return the state in which the variables of `pairing` tell of each other."""
        known = dict.fromkeys((*pairing.values, pairing.error), pairing)
        return State(self.facts, {**self.pairs, **known})

    def without(self, drops: Callable[[Key], bool]) -> State:
        """Return the state without the facts whose key `drops` names."""
        facts = {key: known for key, known in self.facts.items() if not drops(key)}
        return State(facts, self.pairs) if len(facts) < len(self.facts) else self

    def before(self, loop: Loop) -> State:
        """Return what holds each time that a loop begins anew."""
        state = self.without(lambda key: key[0] in loop.assigned or (bool(key[1]) and key[0] in loop.members))
        pairs = {each: pairing for each, pairing in state.pairs.items() if not _touched(pairing, loop)}
        return State(state.facts, pairs)

    def inside(self) -> State:
        """Return what holds in a function that is written here and called at any time."""
        facts = {key: known for key, known in self.facts.items() if not key[1] and key[0].constant}
        return State(facts)


def _touched(pairing: Pairing, loop: Loop) -> bool:
    return pairing.error in loop.assigned or any(value in loop.assigned for value in pairing.values)


def join(left: State | None, right: State | None) -> State | None:
    """Return what holds where two ways meet."""
    if left is None or right is None or left is right:
        return right if left is None else left
    facts = {
        key: known if known == right.facts[key] else union((known, right.facts[key]))
        for key, known in left.facts.items()
        if key in right.facts
    }
    pairs = {each: known for each, known in left.pairs.items() if right.pairs.get(each) is known}
    return State(facts, pairs)
