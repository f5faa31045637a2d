"""Each change of the registry is announced once it is in force, part for part."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.app.announcing import announce
from runtime.core.clock import SystemClock
from runtime.core.errors import NotFound
from runtime.journal.memory import MemoryJournal
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.registry import Registry


def test_a_change_is_announced_in_order_and_a_refused_one_is_not() -> None:
    heard: list[tuple[str, str, Any]] = []
    registry = Registry(MemoryJournal(), SystemClock())
    registry.subscribe(announce(lambda system, kind, path, data: heard.append((kind, path, data))))
    entry = Entry("app:a", "registry.entry", {"secret": 1})
    registry.apply([Op("create", entry)], actor="me", origin=Origin.RUNTIME)
    registry.apply([Op.delete("app:a")], actor="me", origin=Origin.RUNTIME)
    with pytest.raises(NotFound):
        registry.apply([Op.delete("app:a")], actor="me", origin=Origin.RUNTIME)
    assert [(kind, path) for kind, path, _ in heard] == [
        ("registry.begin", "registry"),
        ("entry.create", "app:a"),
        ("registry.commit", "registry"),
        ("registry.begin", "registry"),
        ("entry.delete", "app:a"),
        ("registry.commit", "registry"),
    ]
    told = [data for kind, _, data in heard if kind.startswith("entry.")]
    assert told[1] == {"id": "app:a", "kind": "registry.entry", "version": 2, "origin": "runtime"}
    assert "secret" not in str(told)
