"""Requirements: which parameter fills which, what wins, and where the value goes."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.core.errors import Conflict, Many
from runtime.registry.entry import Entry, Origin
from runtime.registry.field_paths import set_field, show
from runtime.registry.link import link


def requirement(entry_id: str, *targets: str, **data: Any) -> Entry:
    spots = [dict(zip(("entry", "path"), target.split(" ", 1), strict=True)) for target in targets]
    return Entry(entry_id, "ns.requirement", {}, {"targets": spots, **data}, Origin.MODULE)


def dependency(entry_id: str, component: str, meta: dict[str, Any] | None = None, **values: Any) -> Entry:
    parameters = [{"name": name.replace("__", ":"), "value": value} for name, value in values.items()]
    data: Any = {"component": component, "parameters": parameters}
    return Entry(entry_id, "ns.dependency", meta or {}, data, Origin.FILE)


def linked(*entries: Entry) -> dict[str, Entry]:
    return {entry.id: entry for entry in link(entries)}


TARGET = Entry("acme.jobs:x", "registry.entry", {}, {"list": ["a"]}, Origin.MODULE)


def test_a_parameter_beats_the_default() -> None:
    hole = requirement("acme.jobs:db", "x .data.db", default="mine")
    assert linked(hole, TARGET)["acme.jobs:x"].fields["db"] == "mine"
    given = linked(hole, TARGET, dependency("app:d", "acme/jobs", db="app:db"))
    assert given["acme.jobs:x"].fields["db"] == "app:db"
    assert given["acme.jobs:x"].origin is Origin.MODULE


def test_an_empty_default_is_a_value() -> None:
    assert linked(requirement("acme.jobs:db", "x db", default=""), TARGET)["acme.jobs:x"].fields["db"] == ""


@pytest.mark.parametrize(
    ("component", "name", "fills"),
    [
        ("acme/jobs", "db", True),
        ("acme/jobs", "other", False),
        ("acme/other", "db", False),
        ("acme/other", "acme.jobs__db", True),
        ("acme/jobs", "acme.other__db", False),
    ],
)
def test_a_bare_name_means_the_component_and_an_id_means_itself(
    component: str, name: str, fills: bool
) -> None:
    entries = linked(
        requirement("acme.jobs:db", "x db", default="-"),
        TARGET,
        dependency("app:d", component, **{name: "+"}),
    )
    assert entries["acme.jobs:x"].fields["db"] == ("+" if fills else "-")


def test_the_module_of_the_requirement_counts_as_its_component() -> None:
    hole = Entry(
        "acme.jobs.deep:db",
        "ns.requirement",
        {"module": "acme/jobs"},
        {"targets": [{"entry": "acme.jobs:x", "path": "db"}]},
        Origin.MODULE,
    )
    assert linked(hole, TARGET, dependency("app:d", "acme/jobs", db=7))["acme.jobs:x"].fields["db"] == 7


def test_equal_values_agree_and_others_conflict() -> None:
    hole = requirement("acme.jobs:db", "x db")
    same = [dependency(f"app:{name}", "acme/jobs", db="v") for name in "ab"]
    assert linked(hole, TARGET, *same)["acme.jobs:x"].fields["db"] == "v"
    with pytest.raises(Many) as refused:
        linked(hole, TARGET, same[0], dependency("app:c", "acme/jobs", db="hunter2-hunter2"))
    (error,) = refused.value.errors
    assert isinstance(error, Conflict)
    assert "`app:a`, `app:c`" in error.message
    assert "hunter2" not in error.message


def test_the_projects_own_dependency_wins_over_one_that_a_module_brings() -> None:
    hole = requirement("acme.jobs:db", "x db")
    brought = dependency("other:d", "acme/jobs", {"module": "other/mod"}, db="theirs")
    entries = linked(hole, TARGET, brought, dependency("app:d", "acme/jobs", db="ours"))
    assert entries["acme.jobs:x"].fields["db"] == "ours"


def test_targets_reach_meta_maps_that_are_not_there_lists_and_other_namespaces() -> None:
    other = Entry("app:y", "registry.entry", {"a": "text"}, {}, Origin.FILE)
    hole = requirement(
        "acme.jobs:db",
        "x .meta.deep.er",
        "x list +=",
        "x list+=",
        "x fresh +=",
        "app:y meta.a.b",
        default="v",
    )
    entries = linked(hole, TARGET, other)
    assert entries["acme.jobs:x"].meta == {"deep": {"er": "v"}}
    assert entries["acme.jobs:x"].data == {"list": ["a", "v"], "fresh": ["v"]}
    assert entries["app:y"].meta == {"a": {"b": "v"}}


def test_a_parameter_that_nothing_asks_for_is_ignored() -> None:
    assert linked(TARGET, dependency("app:d", "acme/jobs", db="v"))["acme.jobs:x"] == TARGET


def test_paths_of_fields() -> None:
    entry = Entry("a:x", "registry.entry", {}, {"n": 1})
    assert set_field(entry, "kind", "ns.definition").kind == "ns.definition"
    assert set_field(entry, "n.m", 2).data == {"n": {"m": 2}}
    assert set_field(entry, "data", [1]).data == [1]
    assert set_field(entry, ".data.n", None).data == {"n": None}
    assert entry.data == {"n": 1}
    assert show(("data", "modules", 0)) == "modules[0]"
    assert show(("meta", "command", "name")) == "meta.command.name"
    assert show(("data",)) == "data"
