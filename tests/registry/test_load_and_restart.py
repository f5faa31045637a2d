"""Files and modules against the journal's fold, over restarts, with the real journal on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime.core.clock import SystemClock
from runtime.core.errors import Error, Internal, Invalid, Many
from runtime.journal.events import Draft
from runtime.journal.sqlite import SqliteJournal
from runtime.registry.entry import Change, Entry, Op, Origin
from runtime.registry.history import MAX_OPS
from runtime.registry.loader import load_tree
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot

Start = Callable[[], Registry]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a host: each call ends the one before, as a restart does."""
    journals: list[SqliteJournal] = []

    def begin() -> Registry:
        for journal in journals:
            journal.close()
        journals.append(SqliteJournal(tmp_path / "journal.db"))
        return Registry(journals[-1], SystemClock())

    yield begin
    for journal in journals:
        assert journal.verify().ok if journal is journals[-1] else True
        journal.close()


def entry(name: str, origin: Origin = Origin.FILE, kind: str = "registry.entry", **data: Any) -> Entry:
    return Entry(f"app:{name}", kind, {}, data, origin)


def create(registry: Registry, *names: str, **data: Any) -> Snapshot:
    ops = [Op("create", entry(name, Origin.RUNTIME, **data)) for name in names]
    return registry.apply(ops, actor="agent", origin=Origin.RUNTIME)


def held(registry: Registry) -> dict[str, str]:
    return {one.name: str(one.origin) for one in registry.current.entries()}


def test_the_first_load_is_one_version_for_each_origin(start: Start) -> None:
    registry = start()
    view = registry.load([entry("f"), entry("m", Origin.MODULE), entry("g")])
    assert view.version == 2
    assert [one.origin for one in registry.versions()] == [Origin.MODULE, Origin.FILE]
    assert held(registry) == {"f": "file", "g": "file", "m": "module"}
    assert registry.report.created == ["app:f", "app:m", "app:g"]
    assert registry.report.seconds > 0


def test_an_unchanged_project_writes_nothing_at_the_next_start(start: Start) -> None:
    entries = [entry("f", v=[1, {"x": 1.0}], t="ä"), entry("m", Origin.MODULE)]
    start().load(entries)
    registry = start()
    assert registry.load(entries).version == 2
    assert len(registry.versions()) == 2
    assert registry.report.updated == registry.report.created == []


def test_run_time_entries_survive_restarts_and_changes_of_files(start: Start) -> None:
    registry = start()
    registry.load([entry("f", v=1), entry("gone")])
    create(registry, "born", source="return 1")
    registry = start()
    view = registry.load([entry("f", v=2), entry("new")])
    assert held(registry) == {"born": "runtime", "f": "file", "new": "file"}
    assert view.require("app:born").data == {"source": "return 1"}
    assert (registry.report.created, registry.report.updated, registry.report.deleted) == (
        ["app:new"],
        ["app:f"],
        ["app:gone"],
    )
    assert [one.version for one in map(registry.at, range(4))] == [0, 1, 2, 3]
    assert registry.at(1).require("app:f").data == {"v": 1}


def test_a_file_wins_over_a_run_time_entry_of_the_same_id_and_that_is_said(start: Start) -> None:
    registry = start()
    registry.load([])
    create(registry, "x", v="agent")
    create(registry, "same", v="same")
    registry = start()
    view = registry.load([entry("x", kind="ns.definition"), entry("same", v="same")])
    assert registry.report.replaced == ["app:x", "app:same"]
    assert held(registry) == {"same": "file", "x": "file"}
    assert view.require("app:x").kind == "ns.definition"
    registry = start()
    registry.load([])
    assert held(registry) == {}


def test_a_run_time_change_to_a_file_entry_lasts_until_the_next_start(start: Start) -> None:
    registry = start()
    registry.load([entry("f", v=1)])
    changed = registry.apply([Op("update", entry("f", v=2))], actor="agent", origin=Origin.RUNTIME)
    assert changed.require("app:f").origin is Origin.RUNTIME
    registry = start()
    assert registry.load([entry("f", v=1)]).require("app:f") == entry("f", v=1)
    assert registry.report.replaced == ["app:f"]


def test_a_run_time_delete_of_a_file_entry_lasts_until_the_next_start(start: Start) -> None:
    registry = start()
    registry.load([entry("f")])
    registry.apply([Op.delete("app:f")], actor="agent", origin=Origin.RUNTIME)
    registry = start()
    assert held(registry) == {}
    registry.load([entry("f")])
    assert held(registry) == {"f": "file"}


def test_an_entry_may_move_between_a_module_and_the_files(start: Start) -> None:
    start().load([entry("x", Origin.MODULE), entry("y")])
    registry = start()
    registry.load([entry("x"), entry("y", Origin.MODULE)])
    assert held(registry) == {"x": "file", "y": "module"}


def test_a_forged_origin_in_the_journal_gives_no_right(start: Start, tmp_path: Path) -> None:
    start().load([entry("f")])
    journal = SqliteJournal(tmp_path / "journal.db")
    forged = {"kind": "create", "id": "app:evil", "entry": entry("evil").to_value(), "digest": ""}
    journal.append(
        "registry", [Draft("registry.applied", {"version": 2, "origin": "module", "ops": [forged]})]
    )
    journal.close()
    registry = start()
    registry.load([entry("f")])
    assert held(registry) == {"f": "file"}
    assert registry.report.deleted == ["app:evil"]


def test_a_run_time_entry_can_not_be_loaded_as_a_file(start: Start) -> None:
    with pytest.raises(Internal, match="can not be loaded from files"):
        start().load([entry("x", Origin.RUNTIME)])


def test_a_file_with_the_shape_of_a_secret_loads_and_is_not_written_again(start: Start) -> None:
    secret = entry("f", token="ghp_0123456789abcdefghij0123456789abcdef")
    start().load([secret])
    registry = start()
    assert "[redacted" in str(registry.current.require("app:f").data)
    assert registry.load([secret]).require("app:f") == secret
    assert len(registry.versions()) == 1


def test_a_refused_load_leaves_the_last_good_state(start: Start) -> None:
    registry = start()
    registry.load([entry("f", v=1)])

    def check(one: Entry, _view: Snapshot) -> None:
        if one.fields.get("v") == 2:
            raise Invalid("two is too many")

    registry.check_with(check)
    with pytest.raises(Invalid, match="two is too many"):
        registry.load([entry("f", v=2), entry("g")])
    assert registry.current.entries() == [entry("f", v=1)]
    with pytest.raises(Many, match="declared twice"):
        registry.load([entry("f"), entry("f")])
    with pytest.raises(Invalid, match="kind `no` is unknown"):
        registry.load([entry("f"), entry("g", kind="no")])
    assert registry.load([entry("f", v=3)]).require("app:f").data == {"v": 3}
    registry = start()
    assert held(registry) == {"f": "file"}


def test_an_unchanged_entry_is_checked_again_because_others_changed(start: Start) -> None:
    registry = start()
    registry.load([entry("user", needs="app:lib"), entry("lib")])

    def check(one: Entry, view: Snapshot) -> None:
        if one.name == "user":
            view.require(str(one.fields["needs"]))

    registry.check_with(check)
    with pytest.raises(Error, match="entry not found: app:lib"):
        registry.load([entry("user", needs="app:lib")])


def test_a_run_time_entry_that_no_longer_passes_is_kept_aside_and_told(start: Start) -> None:
    registry = start()
    registry.load([])
    create(registry, "lib")
    create(registry, "user", needs="app:lib")
    create(registry, "fine")
    strict = True

    def check(one: Entry, view: Snapshot) -> None:
        if strict and one.name == "lib":
            raise Invalid("lib is not what it was")
        if "needs" in one.fields:
            view.require(str(one.fields["needs"]))

    registry = start()
    registry.check_with(check)
    heard: list[Change] = []
    registry.subscribe(heard.append)
    registry.load([entry("f")])
    assert held(registry) == {"f": "file", "fine": "runtime"}
    assert {key: error.message for key, error in registry.report.aside.items()} == {
        "app:lib": "lib is not what it was",
        "app:user": "entry not found: app:lib",
    }
    assert [(op.kind, op.entry.name) for op in heard[-1].ops] == [("delete", "lib"), ("delete", "user")]
    create(registry, "lib2")
    strict = False
    registry.load([entry("f")])
    assert held(registry) == {
        "f": "file",
        "fine": "runtime",
        "lib": "runtime",
        "lib2": "runtime",
        "user": "runtime",
    }
    assert [(op.kind, op.entry.name) for op in heard[-1].ops] == [("create", "lib"), ("create", "user")]
    assert registry.report.aside == {}


def test_what_takes_the_id_of_an_entry_set_aside_stays(start: Start) -> None:
    registry = start()
    registry.load([])
    create(registry, "x", v="old")
    registry = start()

    def check(one: Entry, _view: Snapshot) -> None:
        if one.fields.get("v") == "old":
            raise Invalid("old")

    registry.check_with(check)
    registry.load([])
    assert held(registry) == {}
    create(registry, "x", v="new")
    registry.load([])
    assert registry.current.require("app:x").data == {"v": "new"}
    assert start().current.require("app:x").data == {"v": "new"}


def test_listeners_see_the_whole_of_a_load_at_once(start: Start) -> None:
    registry = start()
    seen: list[tuple[int, list[str]]] = []
    registry.subscribe(
        lambda change: seen.append((change.version, [one.id for one in change.after.entries()]))
    )
    registry.load([entry("f"), entry("m", Origin.MODULE)])
    assert seen == [(1, ["app:f", "app:m"]), (2, ["app:f", "app:m"])]


def test_places_follow_the_file_though_nothing_else_changed(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "src" / "a.yaml"
    file.parent.mkdir()
    text = "namespace: app\nentries:\n  - {name: f, kind: registry.entry, v: 1}\n"
    file.write_text(text)
    registry = start()
    registry.load(load_tree(file.parent, project=tmp_path))
    file.write_text("# moved\n" + text)
    view = registry.load(load_tree(file.parent, project=tmp_path))
    assert len(registry.versions()) == 1
    assert str(view.require("app:f").place_of("data", "v")) == "src/a.yaml:4:37"


def test_a_large_load_is_one_version_in_several_events(start: Start) -> None:
    count = MAX_OPS + 500
    registry = start()
    registry.load([entry(f"e{index:05}") for index in range(count)])
    assert len(registry.versions()) == 1
    registry = start()
    assert (registry.current.version, len(registry.current)) == (1, count)
    assert registry.report.created == []


def test_values_come_back_from_the_disk_as_they_were(start: Start) -> None:
    registry = start()
    data: dict[str, Any] = {
        "i": 2**63 - 1,
        "f": 1.0,
        "n": None,
        "l": [],
        "m": {},
        "$bytes": "eA==",
        "ü": "\u2028",
    }
    create(registry, "x", **data)
    back = start().current.require("app:x")
    assert back.data == data
    assert isinstance(back.fields["f"], float)
    assert back.same_content(registry.current.require("app:x"))
