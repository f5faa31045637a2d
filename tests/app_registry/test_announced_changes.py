"""Each change of the registry is announced part for part once it is decided, also one that was refused."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.app.announcing import Announcer
from runtime.core.clock import SystemClock
from runtime.core.errors import Invalid, NotFound
from runtime.journal.memory import MemoryJournal
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.handlers import Step
from runtime.registry.registry import Registry

Heard = list[tuple[str, str, Any]]
SECRET = Entry("app:a", "registry.entry", {"secret": 1})


def announced(heard: Heard) -> Registry:
    registry = Registry(MemoryJournal(), SystemClock())
    announcer = Announcer(lambda system, kind, path, data: heard.append((kind, path, data)))
    registry.subscribe(announcer.changed, announcer.refused)
    return registry


def test_a_change_is_announced_in_order_and_without_what_it_holds() -> None:
    heard: Heard = []
    registry = announced(heard)
    registry.apply([Op("create", SECRET)], actor="me", origin=Origin.RUNTIME)
    registry.apply([Op.delete("app:a")], actor="me", origin=Origin.RUNTIME)
    assert [(kind, path) for kind, path, _ in heard] == [
        ("registry.begin", "registry"),
        ("entry.create", "app:a"),
        ("entry.accept", "app:a"),
        ("registry.commit", "registry"),
        ("registry.begin", "registry"),
        ("entry.delete", "app:a"),
        ("entry.accept", "app:a"),
        ("registry.commit", "registry"),
    ]
    told = [data for kind, _, data in heard if kind == "entry.delete"]
    assert told == [{"id": "app:a", "kind": "registry.entry", "version": 2, "origin": "runtime"}]
    assert "secret" not in str(heard)


def test_what_is_refused_ends_with_a_discard_and_names_the_entry_to_blame() -> None:
    heard: Heard = []
    registry = announced(heard)

    def reject(step: Step) -> None:
        raise Invalid("not with us")

    registry.handle("registry.entry", reject)
    with pytest.raises(Invalid):
        registry.apply([Op("create", SECRET)], actor="me", origin=Origin.RUNTIME)
    why = {"origin": "runtime", "error": {"kind": "Invalid", "message": "not with us"}}
    assert heard[1:] == [
        ("entry.create", "app:a", {"id": "app:a", "kind": "registry.entry", "origin": "runtime"}),
        ("entry.reject", "app:a", {"id": "app:a", **why}),
        ("registry.discard", "registry", why),
    ]
    heard.clear()
    with pytest.raises(NotFound):
        registry.apply([Op.delete("app:a")], actor="me", origin=Origin.RUNTIME)
    assert [kind for kind, _, _ in heard] == ["registry.begin", "entry.delete", "registry.discard"]
