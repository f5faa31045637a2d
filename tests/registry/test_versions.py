"""What lies between versions, the way back, and entries written as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.core.clock import SystemClock
from runtime.core.errors import AlreadyExists, NotFound
from runtime.journal.memory import MemoryJournal
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.export import export
from runtime.registry.loader import load_tree
from runtime.registry.registry import Registry
from runtime.registry.versions import delta


def entry(
    name: str, value: object = 1, origin: Origin = Origin.RUNTIME, kind: str = "registry.entry"
) -> Entry:
    return Entry(f"app:{name}", kind, {}, {"value": value} if kind == "registry.entry" else {}, origin)  # type: ignore[dict-item]


def said(ops: list[Op] | tuple[Op, ...]) -> list[tuple[str, str]]:
    return [(op.kind, op.entry.name) for op in ops]


@pytest.fixture
def registry() -> Registry:
    return Registry(MemoryJournal(), SystemClock())


def apply(registry: Registry, *ops: Op) -> int:
    return registry.apply(ops, actor="me", origin=Origin.RUNTIME).version


def test_the_delta_of_two_versions_leads_from_one_to_the_other(registry: Registry) -> None:
    first = apply(registry, Op("create", entry("a")), Op("create", entry("b")), Op("create", entry("c")))
    last = apply(registry, Op("update", entry("a", 2)), Op.delete("app:b"), Op("create", entry("d")))
    there = delta(registry.at(first), registry.at(last))
    assert said(there) == [("update", "a"), ("delete", "b"), ("create", "d")]
    back = delta(registry.at(last), registry.at(first))
    assert said(back) == [("update", "a"), ("create", "b"), ("delete", "d")]
    assert delta(registry.current, registry.current) == []
    apply(registry, *back)
    assert delta(registry.current, registry.at(first)) == []


def test_a_changed_kind_is_a_delete_and_a_create(registry: Registry) -> None:
    first = apply(registry, Op("create", entry("a")))
    last = apply(registry, Op.delete("app:a"), Op("create", entry("a", kind="env.storage.memory")))
    assert said(delta(registry.at(first), registry.at(last))) == [("delete", "a"), ("create", "a")]


def test_the_way_back_is_a_new_version_and_leaves_what_files_declare(registry: Registry) -> None:
    registry.load([entry("file", 1, Origin.FILE)])
    first = apply(registry, Op("create", entry("a")))
    registry.load([entry("file", 2, Origin.FILE)])
    apply(registry, Op("update", entry("a", 2)), Op("create", entry("b")))
    way = registry.way_back(first)
    assert said(way.ops) == [("update", "a"), ("delete", "b")]
    assert way.declared == ("app:file",)
    last = apply(registry, *way.ops)
    assert last == first + 3
    assert registry.way_back(first).ops == ()
    assert registry.current.require("app:file").fields["value"] == 2


def test_a_version_that_was_never_made_is_not_found(registry: Registry) -> None:
    with pytest.raises(NotFound, match="version not found: v9"):
        registry.way_back(9)


def test_each_operation_records_what_it_replaced() -> None:
    journal = MemoryJournal()
    registry = Registry(journal, SystemClock())
    one, two = entry("a"), entry("a", 2)
    apply(registry, Op("create", one))
    apply(registry, Op("update", two))
    apply(registry, Op.delete("app:a"))
    payloads = [event.payload for event in journal.read("registry")]
    found = [payload["ops"][0].get("was") for payload in payloads]  # type: ignore[index,call-overload,union-attr]
    assert found == [None, one.digest, two.digest]


TEXTS = [
    *(
        "1e3",
        "0o7",
        "NO",
        "null",
        "~",
        "12",
        "1.5",
        "2024-01-01",
        "1:30",
        "a: b",
        "# x",
        "- y",
        "",
        " ",
        "\u00e9\t",
    ),
    *(
        "*a",
        "&b",
        "!c",
        "%d",
        "@e",
        "`f`",
        "'g'",
        '"h"',
        "=",
        "<<",
        "line\nline\n",
        "\n\n",
        "  in\nx",
        "tab\tx",
    ),
]


def test_an_export_is_read_back_as_what_was_written(tmp_path: Path) -> None:
    data: dict[str, object] = {
        "texts": TEXTS,
        "numbers": [1, 1.0, -2.5e300, True, None],
        "empty": {},
        "list": [],
    }
    entries = [
        Entry("app:a", "registry.entry", {"type": "x", **{text: text for text in TEXTS if text}}, data),  # type: ignore[arg-type,dict-item]
        Entry("app:b", "registry.entry", {}, ["a", "list"]),
        Entry(
            "app.more:f", "function.lua", {}, {"source": "return {}\n", "method": "x", "modules": ["json"]}
        ),
        Entry("app.more:g", "function.lua", {}, {"source": "return\r\n", "method": "x"}),
    ]
    files = export(entries, tmp_path / "out")
    assert sorted(map(str, files)) == ["app.more/_index.yaml", "app.more/f.lua", "app/_index.yaml"]
    assert (tmp_path / "out/app.more/f.lua").read_text() == "return {}\n"
    read = {each.id: each for each in load_tree(tmp_path / "out", project=tmp_path)}
    assert all(each.same_content(read[each.id]) for each in entries)
    with pytest.raises(AlreadyExists):
        export(entries, tmp_path / "out")
