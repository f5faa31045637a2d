"""Handlers of kinds: one rejection takes the whole changeset back, with all that was started for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runtime.core.clock import SystemClock
from runtime.core.errors import Error, Internal, Invalid, NotFound, Unavailable
from runtime.journal.events import Draft, Event
from runtime.journal.memory import MemoryJournal
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.handlers import Step
from runtime.registry.registry import Registry

KIND = "registry.entry"


def entry(name: str, **data: Any) -> Entry:
    return Entry(f"app:{name}", KIND, {}, data)


def create(*entries: Entry) -> list[Op]:
    return [Op("create", each) for each in entries]


class Engine:
    """Runs whatever is in force: the ids, and what was done to them in order."""

    def __init__(self, **faults: Exception) -> None:
        self.running: set[str] = set()
        self.done: list[str] = []
        self.faults = faults

    def __call__(self, step: Step) -> Callable[[], None]:
        name = step.op.entry.name
        if name in self.faults:
            raise self.faults[name]
        before = set(self.running)
        self.running.discard(name)
        if step.after is not None:
            self.running.add(name)
        self.done.append(f"{step.op.kind} {name}")

        def undo() -> None:
            self.running = before
            self.done.append(f"undo {name}")

        return undo


class FullDisk(MemoryJournal):
    """A journal that takes nothing more once `full` is set."""

    full = False

    def append(self, stream: str, drafts: Any, **more: Any) -> list[Event]:
        if self.full:
            raise Unavailable("no space left")
        return super().append(stream, list[Draft](drafts), **more)


def registry_of(engine: Engine, journal: MemoryJournal | None = None) -> Registry:
    registry = Registry(journal or MemoryJournal(), SystemClock())
    registry.handle(KIND, engine)
    return registry


def apply(registry: Registry, ops: list[Op]) -> None:
    registry.apply(ops, actor="me", origin=Origin.RUNTIME)


def test_what_all_accept_is_in_force() -> None:
    engine = Engine()
    registry = registry_of(engine)
    apply(registry, create(entry("a"), entry("b")))
    apply(registry, [Op("update", entry("a", v=2)), Op.delete("app:b")])
    assert engine.running == {"a"}
    assert sorted(engine.done) == ["create a", "create b", "delete b", "update a"]


@pytest.mark.parametrize("fault", [Invalid("no"), ValueError("a bug")])
def test_one_rejection_undoes_the_whole_changeset_the_last_first(fault: Exception) -> None:
    engine = Engine(c=fault)
    registry = registry_of(engine)
    apply(registry, create(entry("old")))
    engine.done.clear()
    with pytest.raises(Error) as raised:
        apply(registry, create(entry("a"), entry("b"), entry("c")))
    assert isinstance(raised.value, Invalid if isinstance(fault, Error) else Internal)
    assert raised.value.details["entry"] == "app:c"
    assert engine.done == ["create a", "create b", "undo b", "undo a"]
    assert engine.running == {"old"}
    assert [each.id for each in registry.current.entries()] == ["app:old"]
    assert registry.current.version == 1


def test_what_can_not_be_written_is_undone_too() -> None:
    engine, journal = Engine(), FullDisk()
    registry = registry_of(engine, journal)
    journal.full = True
    with pytest.raises(Unavailable):
        apply(registry, create(entry("a")))
    assert engine.done == ["create a", "undo a"]
    assert registry.current.version == 0


def test_an_undo_that_fails_keeps_no_other_from_being_undone() -> None:
    engine = Engine(c=Invalid("no"))
    registry = registry_of(engine)

    def stubborn(step: Step) -> Callable[[], None]:
        def undo() -> None:
            raise RuntimeError("never")

        return undo

    registry.handle(KIND, stubborn)
    with pytest.raises(Invalid):
        apply(registry, create(entry("a"), entry("c")))
    assert engine.running == set()


def test_what_misses_another_is_asked_again_until_nothing_moves() -> None:
    there: set[str] = set()

    def needs(step: Step) -> None:
        wanted = str((step.after or step.op.entry).fields.get("needs") or "")
        if wanted and wanted not in there:
            raise NotFound(f"`{wanted}` is not there")
        there.add(step.op.entry.name)

    registry = Registry(MemoryJournal(), SystemClock())
    registry.handle(KIND, needs)
    apply(registry, create(entry("a", needs="b"), entry("b", needs="c"), entry("c")))
    assert there == {"a", "b", "c"}
    with pytest.raises(NotFound, match="`nobody` is not there"):
        apply(registry, create(entry("d", needs="nobody")))
    assert "app:d" not in registry.current


def test_files_go_the_same_way() -> None:
    engine = Engine(bad=Invalid("no"))
    registry = registry_of(engine)
    registry.load([Entry("app:a", KIND, {}, {}, Origin.FILE)])
    with pytest.raises(Invalid):
        registry.load(
            [Entry("app:b", KIND, {}, {}, Origin.FILE), Entry("app:bad", KIND, {}, {}, Origin.FILE)]
        )
    assert engine.running == {"a"}
    assert [each.id for each in registry.current.entries()] == ["app:a"]
