"""The lenient loader: what it passes over, what it says, and what it never passes over."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.core.clock import SystemClock
from runtime.core.errors import Invalid, Many
from runtime.journal.memory import MemoryJournal
from runtime.registry.assemble import Tree
from runtime.registry.entry import Entry, Origin
from runtime.registry.lenient import Loaded, assemble_leniently, tolerated
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot

FUNCTION = "  - {{name: {name}, kind: function.lua, source: '{source}', method: run{more}}}\n"


def load(root: Path, **files: str) -> Loaded:
    (root / "src").mkdir()
    for name, text in files.items():
        (root / "src" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return assemble_leniently([Tree(root / "src", root)])


def entries(*rows: str) -> str:
    return "namespace: app\nentries:\n" + "".join(rows)


def function(name: str, source: str = "return 1", more: str = "") -> str:
    return FUNCTION.format(name=name, source=source, more=more)


def test_a_file_that_can_not_be_read_is_skipped_and_said(tmp_path: Path) -> None:
    loaded = load(tmp_path, a=entries(function("kept")), b="namespace: app\nentries: [")
    assert [entry.id for entry in loaded.entries] == ["app:kept"]
    [warning] = loaded.warnings
    assert warning.place is not None and warning.place.path == "src/b.yaml"


def test_the_last_of_two_equal_ids_counts(tmp_path: Path) -> None:
    loaded = load(tmp_path, a=entries(function("one", "first")), b=entries(function("one", "second")))
    assert [entry.fields["source"] for entry in loaded.entries] == ["second"]
    assert "declared twice" in loaded.warnings[0].message


def test_an_unknown_field_is_dropped_and_said(tmp_path: Path) -> None:
    loaded = load(tmp_path, a=entries(function("one", more=", surprise: 1")))
    assert set(loaded.entries[0].fields) == {"source", "method"}
    assert "surprise" in loaded.warnings[0].message


def test_an_entry_of_the_wrong_shape_is_left_out(tmp_path: Path) -> None:
    loaded = load(tmp_path, a=entries("  - {name: bad, kind: function.lua}\n", function("good")))
    assert [entry.id for entry in loaded.entries] == ["app:good"]
    assert loaded.warnings


@pytest.mark.parametrize(
    "text",
    [
        "namespace: app\nentries:\n  - {name: p, kind: security.policy, policy: {effect: perhaps}}\n",
        "namespace: app\nentries:\n  - {name: p, kind: security.policy, policy: [\n",
        "namespace: app\nentries:\n  - {name: p, kind: security.policy.expr, policy: {effect: perhaps}}\n",
    ],
)
def test_a_policy_is_never_passed_over(tmp_path: Path, text: str) -> None:
    with pytest.raises(Many):
        load(tmp_path, a=entries(function("good")), b=text)


def test_an_entry_that_fails_a_check_stays_where_it_is_tolerated() -> None:
    registry = Registry(MemoryJournal(), SystemClock())
    bad = Entry("app:bad", "function.lua", {}, {"source": "x", "method": "run"}, Origin.FILE)
    component = Entry("wippy:bad", "function.lua", {}, {"source": "x", "method": "run"}, Origin.MODULE)

    def check(entry: Entry, _: Snapshot) -> None:
        raise Invalid(f"no good: {entry.id}")

    registry.check_with(check)
    faults = tolerated([bad, component], lambda entry: registry.fault_of(entry, registry.current))
    assert list(faults) == ["app:bad"]
    assert registry.load([bad], tolerated=faults).get("app:bad") == bad
    with pytest.raises(Invalid, match="wippy:bad"):
        registry.load([bad, component], tolerated=faults)
