"""A policy that can not be understood never loads: each file of `bad_policies/` says its errors."""

import shutil
from pathlib import Path

import pytest
from security_cases import AGENT, engine_of, entry, scope

from runtime.core.errors import Error, Invalid, Many
from runtime.registry.entry import Entry
from runtime.registry.loader import load_tree
from runtime.security.engine import Engine

FILES = sorted((Path(__file__).parent / "bad_policies").glob("*.yaml"))
ENGINE = Engine()


def expected(path):
    lines = path.read_text("utf-8").splitlines()
    return [line.removeprefix("# ") for line in lines if line.startswith("# ")]


def faults(error):
    return [str(each) for each in error.errors] if isinstance(error, Many) else [str(error)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_fault_is_named_with_its_place_what_was_expected_and_the_nearest_name(path, tmp_path):
    shutil.copy(path, tmp_path)
    with pytest.raises(Invalid) as caught:
        ENGINE.rebuild(load_tree(tmp_path, project=tmp_path))
    assert expected(path)
    assert faults(caught.value) == expected(path)
    assert ENGINE.policies == {}


def test_there_is_a_file_for_each_documented_error():
    said = "\n".join(line for path in FILES for line in expected(path))
    for text in (
        "invalid policy effect: Deny",
        "actions string cannot be empty",
        "actions list cannot be empty",
        "actions must be a string or list",
        "resources string cannot be empty",
        "resources list cannot be empty",
        "resources must be a string or list",
        "condition 0: field is required",
        "condition 0: operator is required",
        "condition 0: value or value_from is required",
        "condition 0: invalid operator: equals",
    ):
        assert text in said


def test_the_faults_of_all_files_are_reported_together(tmp_path):
    for path in FILES:
        text = path.read_text("utf-8").replace("namespace: bad", f"namespace: bad.{path.stem}")
        (tmp_path / path.name).write_text(text, "utf-8")
    with pytest.raises(Many) as caught:
        ENGINE.rebuild(load_tree(tmp_path, project=tmp_path))
    assert len(caught.value.errors) == sum(len(expected(path)) for path in FILES)
    assert all(error.place for error in caught.value.errors)


@pytest.mark.parametrize(
    "data", [None, [], "deny", 7, {}, {"policy": None}, {"policy": {}}, {"policy": "deny"}]
)
def test_data_of_any_shape_is_refused_and_nothing_else_is_raised(data):
    with pytest.raises(Error, match="policy `app:x`"):
        ENGINE.rebuild([Entry("app:x", "security.policy", {}, data)])


def test_a_good_policy_beside_bad_ones_is_not_in_force():
    engine = engine_of()
    with pytest.raises(Invalid):
        engine.rebuild([entry("good"), entry("bad", "Allow")])
    assert not engine.evaluate(scope("good"), AGENT, "read", "x").allowed
