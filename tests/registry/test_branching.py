"""The change of a branch is brought over whole or not at all, and unrelated work never conflicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runtime.core.clock import SystemClock
from runtime.core.errors import Conflict, Invalid, NotFound
from runtime.journal import types
from runtime.journal.events import Journal
from runtime.journal.memory import MemoryJournal
from runtime.journal.sqlite import SqliteJournal
from runtime.registry.branching import check_cut, differences, net_changes, promote, promotion
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot


def entry(name: str, value: object = 1, **data: Any) -> Entry:
    return Entry(f"app:{name}", "registry.entry", {}, {"value": value, **data})  # type: ignore[dict-item]


class World:
    """A registry on `main` and one on a branch that was forked from it."""

    def __init__(self, journal: Journal, *names: str) -> None:
        self.journal = journal
        self.main = Registry(journal, SystemClock())
        self.main.load([Entry("app:file", "registry.entry", {}, {"value": 1}, Origin.FILE)])
        if names:
            self.write(self.main, *(Op("create", entry(name)) for name in names))
        self.fork()

    def fork(self, name: str = "trial") -> None:
        self.journal.fork(name, max(event.seq for event in self.journal.read()))
        self.branch = Registry(self.journal.on(name), SystemClock())

    @staticmethod
    def write(registry: Registry, *ops: Op) -> None:
        registry.apply(ops, actor="me", origin=Origin.RUNTIME)

    def promote(self, name: str = "trial") -> list[tuple[str, str]]:
        return [(op.kind, op.entry.name) for op in promote(self.main, self.journal, name, actor="owner").ops]

    def value(self, name: str) -> Any:
        found = self.main.current.get(f"app:{name}")
        return found and found.fields["value"]


@pytest.fixture(params=["memory", "sqlite"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., World]]:
    journal = MemoryJournal() if request.param == "memory" else SqliteJournal(tmp_path / "journal.db")
    with closing(journal):
        yield lambda *names: World(journal, *names)
        assert journal.verify().ok


def test_the_net_change_is_brought_over_in_one_append(make: Callable[..., World]) -> None:
    world = make("a", "b", "c")
    world.write(world.branch, Op("update", entry("a", 2)), Op.delete("app:b"), Op("create", entry("d")))
    world.write(world.branch, Op("update", entry("a", 3)), Op("create", entry("gone")))
    world.write(world.branch, Op.delete("app:gone"), Op("update", entry("c", 9)))
    world.write(world.branch, Op("update", entry("c", 1)))  # there and back
    assert world.promote() == [("update", "a"), ("delete", "b"), ("create", "d")]
    assert [world.value(name) for name in "abcd"] == [3, None, 1, 1]
    applied, marker = list(world.journal.read("registry"))[-2:]
    assert (applied.type, marker.type) == ("registry.applied", "promote.applied")
    assert applied.seq + 1 == marker.seq
    assert marker.payload["branch"] == "trial"  # type: ignore[index,call-overload]
    again = Registry(world.journal, SystemClock())
    assert {each.id for each in again.current} == {each.id for each in world.main.current}


def test_unrelated_work_never_conflicts(make: Callable[..., World]) -> None:
    world = make("a", "b")
    world.write(world.main, Op("create", entry("ours")), Op("update", entry("b", 5)))
    world.write(world.branch, Op("create", entry("theirs")), Op("update", entry("a", 5)))
    assert world.promote() == [("update", "a"), ("create", "theirs")]
    assert [world.value(name) for name in ("a", "b", "ours", "theirs")] == [5, 5, 1, 1]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Op("update", entry("a", 2)), Op("update", entry("a", 3))),
        (Op.delete("app:a"), Op("update", entry("a", 3))),
        (Op("update", entry("a", 2)), Op.delete("app:a")),
        (Op("create", entry("new", 2)), Op("create", entry("new", 3))),
    ],
)
def test_one_conflict_and_nothing_is_changed(make: Callable[..., World], ours: Op, theirs: Op) -> None:
    world = make("a")
    world.write(world.main, ours)
    world.write(world.branch, theirs, Op("create", entry("fine")))
    before = world.main.current
    with pytest.raises(Conflict, match="both changed it since") as refused:
        world.promote()
    assert list(refused.value.details["conflicts"]) == [theirs.entry.id]  # type: ignore[call-overload]
    assert world.main.current is before
    assert [event.type for event in world.journal.read("branches")][-1] == "promote.conflicted"
    assert world.main.apply([Op("create", entry("later"))], actor="me", origin=Origin.RUNTIME)


def test_what_both_made_the_same_is_no_conflict_and_nothing_to_bring(make: Callable[..., World]) -> None:
    world = make("a")
    for registry in (world.main, world.branch):
        world.write(registry, Op("update", entry("a", 2)), Op("create", entry("b")))
    version = world.main.current.version
    assert world.promote() == []
    assert world.main.current.version == version
    assert not list(world.journal.read(types=[types.PROMOTE_APPLIED]))


def test_a_branch_that_goes_on_can_be_brought_over_again(make: Callable[..., World]) -> None:
    world = make("a")
    world.write(world.branch, Op("update", entry("a", 2)))
    assert world.promote() == [("update", "a")]
    assert world.promote() == []
    world.write(world.branch, Op("update", entry("a", 3)))
    assert world.promote() == [("update", "a")]
    assert world.value("a") == 3
    world.write(world.main, Op("update", entry("a", 4)))
    world.write(world.branch, Op("update", entry("a", 5)))
    with pytest.raises(Conflict):
        world.promote()


def test_what_was_taken_back_after_it_was_brought_over_stays_taken_back(make: Callable[..., World]) -> None:
    world = make("a")
    world.write(world.branch, Op("update", entry("a", 2)), Op("create", entry("b")))
    assert len(world.promote()) == 2
    world.write(world.main, Op.delete("app:b"))
    assert world.promote() == []  # the branch did nothing since
    world.write(world.branch, Op("update", entry("a", 1)))  # as it was at the cut
    assert world.promote() == [("update", "a")]
    assert (world.value("a"), world.value("b")) == (1, None)
    world.write(world.branch, Op("update", entry("b", 2)))
    with pytest.raises(Conflict, match="app:b"):
        world.promote()


def test_what_files_declare_is_never_written(make: Callable[..., World]) -> None:
    world = make("a")
    world.branch.load([Entry("app:file", "registry.entry", {}, {"value": 2}, Origin.FILE)])
    found = promotion(world.main, world.journal, "trial")
    assert (found.ops, found.declared) == ((), ("app:file",))
    world.write(world.branch, Op("create", entry("late")))
    world.main.load(
        [Entry(f"app:{name}", "registry.entry", {}, {"value": 8}, Origin.FILE) for name in ("file", "late")]
    )
    with pytest.raises(Conflict, match="app:late"):
        world.promote()


def test_what_others_still_need_is_not_deleted(make: Callable[..., World]) -> None:
    world = make("a")
    world.write(world.main, Op("create", entry("user", imports={"x": "app:a"})))
    world.write(world.branch, Op.delete("app:a"))
    with pytest.raises(Conflict, match="`app:user` needs it"):
        world.promote()


def test_what_a_check_refuses_is_a_conflict(make: Callable[..., World]) -> None:
    def check(one: Entry, _view: Snapshot) -> None:
        if one.name == "bad":
            raise Invalid("bad is refused")

    world = make("a")
    world.write(world.branch, Op("create", entry("bad")), Op("create", entry("good")))
    world.main.check_with(check)
    with pytest.raises(Conflict, match="bad is refused"):
        world.promote()
    assert world.value("good") is None


def test_only_a_child_is_brought_over(make: Callable[..., World]) -> None:
    world = make("a")
    world.write(world.branch, Op("create", entry("b")))
    seq = max(event.seq for event in world.journal.on("trial").read())
    world.journal.fork("deeper", seq)
    for name, error in (("deeper", Invalid), ("main", Invalid), ("none", NotFound)):
        with pytest.raises(error):
            promotion(world.main, world.journal, name)


def test_a_difference_names_the_ids_that_are_in_different_states(make: Callable[..., World]) -> None:
    world = make("a", "b", "c", "d")
    world.write(world.main, Op("update", entry("a", 2)), Op.delete("app:c"), Op("update", entry("d", 7)))
    world.write(
        world.branch, Op("update", entry("a", 3)), Op("create", entry("e")), Op("update", entry("d", 7))
    )
    found = differences(world.journal, "main", "trial")
    assert [(each.id, each.conflict) for each in found] == [
        ("app:a", True),
        ("app:c", False),
        ("app:e", False),
    ]
    assert differences(world.journal, "trial", "trial") == []
    mirrored = differences(world.journal, "trial", "main")
    assert [(each.left, each.right) for each in mirrored] == [(each.right, each.left) for each in found]


def test_a_fork_does_not_cut_a_change_in_two(make: Callable[..., World]) -> None:
    world = make("a")
    world.write(world.branch, Op("create", entry("b")))
    world.promote()
    applied, marker = list(world.journal.read("registry"))[-2:]
    with pytest.raises(Invalid, match=f"ends with event {marker.seq}"):
        check_cut(world.journal, applied.seq)
    check_cut(world.journal, marker.seq)
    check_cut(world.journal, applied.seq - 1)


def test_a_large_change_is_cut_nowhere_but_at_its_end() -> None:
    journal = MemoryJournal()
    registry = Registry(journal, SystemClock())
    ops = [Op("create", entry(f"e{number}")) for number in range(4_500)]
    registry.apply(ops, actor="me", origin=Origin.RUNTIME)
    first, second, last = (event.seq for event in journal.read("registry"))
    for seq in (first, second):
        with pytest.raises(Invalid):
            check_cut(journal, seq)
    check_cut(journal, last)
    assert len(net_changes(journal, 0)) == 4_500
