"""The order of operations: what is named comes first, deletes go the other way, cycles are named."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.registry.entry import Entry, Op
from runtime.registry.order import ordered, sort
from runtime.registry.references import references


def entry(entry_id: str, meta: dict[str, Any] | None = None, **data: Any) -> Entry:
    return Entry(entry_id, "registry.entry", meta or {}, data)


@pytest.mark.parametrize(
    ("meta", "data"),
    [
        *(({field: "y"}, {}) for field in ("parent", "depends_on", "groups", "server", "router", "db_env")),
        *(
            ({}, {field: "y"})
            for field in (
                "config",
                "host",
                "process",
                "func",
                "fs",
                "env",
                "storage",
                "store",
                "driver",
                "queue",
            )
        ),
        *(
            ({}, {field: ["y"]})
            for field in ("groups", "storages", "middleware", "set", "server", "token_store")
        ),
        ({"depends_on": ["z", "y"]}, {}),
        ({}, {"imports": {"alias": "a:y"}}),
        ({}, {"anything": {"depends_on": ["y"]}}),
        ({}, {"lifecycle": {"requires": ["y"]}}),
        ({}, {"lifecycle": {"security": {"groups": ["y"]}}}),
        ({}, {"security": {"policies": ["y"]}}),
        ({}, {"contracts": [{"contract": "a:y"}]}),
        ({}, {"region_env": "y"}),
    ],
)
def test_these_fields_name_other_entries(meta: dict[str, Any], data: dict[str, Any]) -> None:
    assert "a:y" in references(entry("a:x", meta, **data))


def test_an_entry_does_not_wait_for_itself_or_for_what_is_free() -> None:
    assert references(entry("a:x", {"parent": "x", "title": "y"}, text="y", list=["y"], storage=5)) == set()


def test_ids_break_ties_and_names_come_before_those_who_name_them() -> None:
    entries = [
        entry("a:a", host="c"),
        entry("a:b"),
        entry("a:c", host="d"),
        entry("a:d"),
        entry("a:e", host="zz"),
    ]
    order, cycles = sort({one.id: one for one in entries})
    assert order == ["a:b", "a:d", "a:c", "a:a", "a:e"]
    assert cycles == []


def test_deletes_come_first_and_in_reverse() -> None:
    old = {one.id: one for one in (entry("a:x", host="y"), entry("a:y"), entry("a:z", host="x"))}
    ops = [Op("create", entry("a:m", host="n")), *(Op.delete(one) for one in old), Op("update", entry("a:n"))]
    done = ordered(ops, old.get)
    assert [(op.kind, op.entry.id) for op in done.ops] == [
        ("delete", "a:z"),
        ("delete", "a:x"),
        ("delete", "a:y"),
        ("update", "a:n"),
        ("create", "a:m"),
    ]


def test_a_cycle_is_named_and_everything_is_still_ordered() -> None:
    entries = [
        entry("a:p", host="q"),
        entry("a:q", host="r"),
        entry("a:r", host="p"),
        entry("a:s", host="p"),
        entry("a:t", imports={"one": "u"}),
        entry("a:u", imports={"two": "t"}),
    ]
    order, cycles = sort({one.id: one for one in entries})
    assert sorted(order) == [one.id for one in entries]
    assert cycles == [("a:p", "a:q", "a:r"), ("a:t", "a:u")]
    assert order.index("a:p") < order.index("a:s")
