"""Any sequence of forks, changes on branches and promotions leaves every branch as plain dicts say."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from runtime.core.clock import SystemClock
from runtime.core.errors import Conflict
from runtime.journal.memory import MemoryJournal
from runtime.registry.branching import differences, promote
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.registry import Registry

NAMES = st.sampled_from("abcd")
VALUES = st.integers(0, 3)
OPS = st.lists(st.tuples(NAMES, st.none() | VALUES), min_size=1, max_size=3)

State = dict[str, int]


class Branch:
    """A branch as a dict: what it holds, and what it and its parent last knew of each other."""

    def __init__(self, name: str, parent: str | None, registry: Registry, state: State) -> None:
        self.name = name
        self.parent = parent
        self.registry = registry
        self.state = dict(state)
        self.base = dict(state)


class BranchesAgainstDicts(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.journal = MemoryJournal()
        self.branches = {"main": Branch("main", None, Registry(self.journal, SystemClock()), {})}

    def pick(self, number: int) -> Branch:
        return list(self.branches.values())[number % len(self.branches)]

    @rule(number=st.integers(0, 9), wanted=OPS)
    def change(self, number: int, wanted: list[tuple[str, int | None]]) -> None:
        branch = self.pick(number)
        after = dict(branch.state)
        ops: list[Op] = []
        for name, value in wanted:
            entry = Entry(f"app:{name}", "registry.entry", {}, {"value": value})
            if value is None and name in after:
                ops.append(Op.delete(entry.id))
                del after[name]
            elif value is not None:
                ops.append(Op("update" if name in after else "create", entry))
                after[name] = value
        if ops:
            branch.registry.apply(ops, actor="me", origin=Origin.RUNTIME)
            branch.state = after

    @precondition(lambda self: len(self.branches) < 5 and list(self.journal.read()))
    @rule(number=st.integers(0, 9))
    def fork(self, number: int) -> None:
        parent = self.pick(number)
        name = f"b{len(self.branches)}"
        view = self.journal.on(parent.name)
        last = max((event.seq for event in view.read("registry")), default=0)
        if not last:
            return
        # Where the parent has nothing of its own yet, this is a fork of its parent's.
        fork = self.journal.fork(name, last)
        registry = Registry(self.journal.on(name), SystemClock())
        self.branches[name] = Branch(name, fork.parent, registry, self.branches[parent.name].state)

    @precondition(lambda self: len(self.branches) > 1)
    @rule(number=st.integers(0, 9))
    def promote(self, number: int) -> None:
        children = [branch for branch in self.branches.values() if branch.parent is not None]
        child = children[number % len(children)]
        parent = self.branches[str(child.parent)]
        before = dict(parent.state)
        wanted, written, conflict = merged(child, parent)
        try:
            promote(parent.registry, self.journal.on(parent.name), child.name, actor="me")
        except Conflict:
            assert conflict
            assert shown(parent.registry) == before
        else:
            assert not conflict
            for name in written:
                set_in(child.base, name, child.state.get(name))
            parent.state = wanted

    @rule()
    def restart(self) -> None:
        for branch in self.branches.values():
            branch.registry = Registry(self.journal.on(branch.name), SystemClock())

    @invariant()
    def every_branch_is_its_dict(self) -> None:
        for branch in self.branches.values():
            assert shown(branch.registry) == branch.state, branch.name

    @invariant()
    def differences_are_those_of_the_dicts(self) -> None:
        names = list(self.branches)
        for left, right in pairwise(names):
            one, other = self.branches[left].state, self.branches[right].state
            unlike = {name for name in {*one, *other} if one.get(name) != other.get(name)}
            found = {each.id.removeprefix("app:") for each in differences(self.journal, left, right)}
            assert unlike <= found

    def teardown(self) -> None:
        assert self.journal.verify().ok


def merged(child: Branch, parent: Branch) -> tuple[State, set[str], bool]:
    """Return what the parent holds after a promotion of `child`, the names it wrote, whether it conflicts."""
    wanted, written, conflict = dict(parent.state), set(), False
    for name in {*child.state, *child.base}:
        mine, was, theirs = child.state.get(name), child.base.get(name), parent.state.get(name)
        if mine in (was, theirs):
            continue
        conflict = conflict or theirs != was
        set_in(wanted, name, mine)
        written.add(name)
    return wanted, written, conflict


def set_in(state: State, name: str, value: int | None) -> None:
    if value is None:
        state.pop(name, None)
    else:
        state[name] = value


def shown(registry: Registry) -> State:
    found: dict[str, Any] = {entry.name: entry.fields["value"] for entry in registry.current}
    return found


BranchesAgainstDicts.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestBranchesAgainstDicts = BranchesAgainstDicts.TestCase
