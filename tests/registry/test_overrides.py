"""Overrides and patterns that leave entries out: before and after linking, by the documented rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.core.errors import Error, Invalid, Many, NotFound
from runtime.registry.adjust import Adjustments
from runtime.registry.assemble import Tree, assemble
from runtime.registry.entry import Entry, Origin
from runtime.registry.settings import Settings, from_overrides, read_file

INDEX = """namespace: app
entries:
  - {name: a, kind: registry.entry, meta: {type: x, tags: [p, q]}, value: 1, deep: {er: 1}}
  - {name: b, kind: registry.entry, value: 1}
  - {name: need, kind: ns.requirement, default: filled, targets: [{entry: b, path: .given}]}
"""


def loaded(tmp_path: Path, adjustments: Adjustments) -> dict[str, Entry]:
    (tmp_path / "_index.yaml").write_text(INDEX)
    return {entry.id: entry for entry in assemble([Tree(tmp_path, tmp_path)], adjustments)}


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("value", 2, {"value": 2, "deep": {"er": 1}}),
        (".value", 2, {"value": 2, "deep": {"er": 1}}),
        ("data.value", 2, {"value": 2, "deep": {"er": 1}}),
        ("deep.er.more", 2, {"value": 1, "deep": {"er": {"more": 2}}}),
        ("new.map.made", True, {"value": 1, "deep": {"er": 1}, "new": {"map": {"made": True}}}),
    ],
)
def test_an_override_sets_a_field_of_the_data(
    tmp_path: Path, path: str, value: object, expected: object
) -> None:
    entries = loaded(tmp_path, Adjustments({f"app:a:{path}": value}))  # type: ignore[dict-item]
    assert entries["app:a"].data == expected


def test_an_override_reaches_meta_and_kind_and_wins_over_what_linking_fills_in(tmp_path: Path) -> None:
    overrides = {
        "app:a:meta.type": "y",
        "app:a:data": {},
        "app:a:kind": "ns.definition",
        "app:b:given": "mine",
    }
    entries = loaded(tmp_path, Adjustments(overrides))  # type: ignore[arg-type]
    assert (entries["app:a"].meta["type"], entries["app:a"].kind) == ("y", "ns.definition")
    assert entries["app:b"].fields["given"] == "mine"


def test_every_override_that_can_not_be_made_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(Many) as refused:
        loaded(tmp_path, Adjustments({"app:none:x": 1, "app": 1, "app:a": 1, "app:a:x..y": 1}))
    assert [error.message for error in refused.value.errors] == [
        "override `app:none:x`: no entry found for app:none",
        "override `app`: missing first ':' separator (expected namespace:entry:path)",
        "override `app:a`: missing second ':' separator (expected namespace:entry:path)",
        "override `app:a:x..y`: invalid path `x..y`: expected names with dots between, such as `meta.title`",
    ]
    assert isinstance(refused.value.errors[0], NotFound)


def test_the_code_of_a_component_can_not_be_overridden() -> None:
    code = Entry("wippy.llm:llm", "library.lua", {}, {"source": "return 1"}, Origin.MODULE)
    data = Entry("wippy.llm:env", "env.variable", {}, {"default": "1"}, Origin.MODULE)
    faults: list[Error] = []
    for key in ("wippy.llm:llm:source", "wippy.llm:llm:modules", "wippy.llm:env:kind"):
        kept, errors = Adjustments({key: "library.lua"}).override([code, data])
        assert kept == [code, data]
        faults += errors
    assert len(faults) == 3
    (_, changed), errors = Adjustments({"wippy.llm:env:default": "2"}).override([code, data])
    assert (changed.fields["default"], errors) == ("2", [])


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("app", ["app"], ["app.x", "apple"]),
        ("app.*", ["app.x"], ["app", "app.x.y"]),
        ("app.**", ["app", "app.x", "app.x.y"], ["apple", "b.app"]),
        ("**.test", ["test", "app.test", "a.b.test"], ["tests", "test.x"]),
        ("app.**.test", ["app.test", "app.x.test", "app.x.y.test"], ["app.x.tests"]),
        ("app.(a|b)", ["app.a", "app.b"], ["app.c", "app.ab"]),
        ("**", ["app", "a.b.c"], []),
        ("a.b+", ["a.b+"], ["a.bb"]),
    ],
)
def test_patterns_of_namespaces(pattern: str, matching: list[str], other: list[str]) -> None:
    adjustments = Adjustments(namespaces=(pattern,))
    for namespaces, expected in ((matching, True), (other, False)):
        for namespace in namespaces:
            entry = Entry(f"{namespace}:x", "registry.entry")
            assert adjustments.leaves_out(entry) is expected, namespace


def test_entries_are_left_out_by_id_and_by_meta(tmp_path: Path) -> None:
    assert "app:a" not in loaded(tmp_path, Adjustments(entries=("**:a",)))
    assert "app:a" not in loaded(tmp_path, Adjustments(meta={"tags": ["q"]}))
    assert "app:a" not in loaded(tmp_path, Adjustments(meta={"type": "x"}))
    assert "app:a" in loaded(tmp_path, Adjustments(meta={"type": ["y", "z"]}))


def test_settings_say_what_is_adjusted_and_flags_come_last() -> None:
    settings = Settings()
    text = 'version: "1.0"\noverride:\n  app:a:value: 2\n  app:a:x: 1\ndisable:\n  entries: ["app:b"]\n'
    settings.add(read_file(text, ".wippy.yaml"), "project")
    settings.add(from_overrides(["override.app:a:value=3", "override.app:a:flag=true"]), "override")
    found = Adjustments.of(settings)
    assert dict(found.overrides) == {"app:a:value": 3, "app:a:x": 1, "app:a:flag": True}
    assert found.entries == ("app:b",)


def test_a_pattern_without_a_namespace_is_an_error() -> None:
    settings = Settings()
    settings.add(from_overrides(["disable.entries=b"]), "override")
    with pytest.raises(Invalid, match="expected namespace:name"):
        Adjustments.of(settings)
