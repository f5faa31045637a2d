"""The operators of `find`, one case a line, against the same entries with and without an index to help."""

from __future__ import annotations

import time
from typing import Any

import pytest

from runtime.registry.entry import Entry
from runtime.registry.find import Query, glob
from runtime.registry.snapshot import Stage, Store

ENTRIES = [
    Entry(
        "app:a",
        "function.lua",
        {"type": "tool", "title": "Find pages", "n": 1, "on": True, "tags": ["x", "y"]},
    ),
    Entry("app.tools:b", "function.lua", {"type": "tool", "title": "find all", "n": 1.0, "tags": ["xy"]}),
    Entry("app.tools:c", "library.lua", {"type": "lib", "title": 5, "n": 2, "on": False}),
    Entry("wippy.llm:d", "registry.entry", {"type": "llm.model", "nested": {"a": 1}, "nil": None}),
    Entry("wippy.llm:tool", "registry.entry", {"type": ["tool"]}),
]
ALL = "a b c d tool"


@pytest.fixture(scope="module")
def snapshot() -> Any:
    stage = Stage(Store(), 0)
    stage.write({entry.id: entry for entry in ENTRIES})
    return stage.view(1)


@pytest.mark.parametrize(
    ("criteria", "names"),
    [
        ({}, ALL),
        ({".kind": "function.lua"}, "a b"),
        ({".kind": "function.*"}, "a b"),
        ({".kind": "*.lua"}, "a b c"),
        ({".kind": "f*.lua"}, "a b"),
        ({".kind": "*"}, ALL),
        ({".kind": "function"}, ""),
        ({".ns": "app"}, "a"),
        ({".ns": "app*"}, "a b c"),
        ({".ns": "wippy.llm", ".kind": "registry.entry", "meta.type": "llm.model"}, "d"),
        ({".name": "b"}, "b"),
        ({".name": "*o*l"}, ""),
        ({".id": "app.tools:b"}, "b"),
        ({".id": "app.tools:*"}, "b c"),
        ({".id": "nobody:x"}, ""),
        ({"meta.type": "tool"}, "a b"),
        ({"meta.type": "t*"}, ""),
        ({"meta.type": ["tool"]}, "tool"),
        ({"meta.n": 1}, "a b"),
        ({"meta.n": 1.0}, "a b"),
        ({"meta.n": True}, ""),
        ({"meta.on": True}, "a"),
        ({"meta.on": 1}, ""),
        ({"meta.on": False}, "c"),
        ({"meta.nil": None}, "d"),
        ({"meta.absent": None}, ""),
        ({"meta.tags": ["x"]}, "a"),
        ({"meta.tags": ["y", "x"]}, "a"),
        ({"meta.tags": ["x", "z"]}, ""),
        ({"meta.tags": "x"}, ""),
        ({"meta.nested": {"a": 1}}, "d"),
        ({"meta.nested.a": 1}, ""),
        ({"~meta.title": "(?i)^find"}, "a b"),
        ({"~meta.title": "pages$"}, "a"),
        ({"~meta.title": "("}, ALL),
        ({"*meta.title": "ind"}, "a b"),
        ({"*meta.tags": "x"}, "a b"),
        ({"*meta.tags": "z"}, ""),
        ({"^meta.title": "Find"}, "a"),
        ({"$meta.title": "all"}, "b"),
        ({"^meta.n": "1"}, ""),
        ({"*meta.title": 5}, ALL),
        ({".kind": 5}, ALL),
        ({"kind": "library.lua"}, ALL),
        ({"type": "tool"}, ALL),
        ({"meta": {"type": "tool"}}, ALL),
        ({".foo": "x"}, ALL),
        ({"~title": "x"}, ALL),
    ],
)
def test_find(snapshot: Any, criteria: dict[str, Any], names: str) -> None:
    assert [entry.name for entry in snapshot.find(criteria)] == sorted(names.split(), key=_id_of)
    query = Query(criteria)
    assert {entry.name for entry in ENTRIES if query.matches(entry)} == set(names.split())


def _id_of(name: str) -> str:
    return next(entry.id for entry in ENTRIES if entry.name == name)


def test_what_is_ignored_is_told() -> None:
    assert Query({"kind": "x", "~meta.a": "(", ".foo": 1, "meta.b": 1, ".ns": "a"}).ignored == [
        "kind",
        "~meta.a",
        ".foo",
    ]


def test_only_the_first_star_is_one() -> None:
    assert glob("a*b", "*b")
    assert glob("x*b", "x**b") is True
    assert not glob("xyb", "x**b")
    assert not glob("aba", "ab*ba")


def test_a_hostile_expression_costs_linear_time() -> None:
    entry = Entry("a:x", "registry.entry", {"t": "a" * 50_000})
    started = time.monotonic()
    Query({"~meta.t": "(a|aa)*$b", "*meta.t": "b"}).matches(entry)
    Query({"~meta.t": "^(a+)+$b"}).matches(entry)
    assert time.monotonic() - started < 2
