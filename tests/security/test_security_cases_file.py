"""A table of requests is read strictly, and a decision that differs is a fault that says both."""

from pathlib import Path

import pytest
from security_cases import AGENT, engine_of, entry, scope

from runtime.core.errors import Invalid, Many
from runtime.security.actor import Context
from runtime.security.cases import read_cases, run_cases
from runtime.security.guard import Guard

FILES = sorted((Path(__file__).parent / "bad_cases").glob("*.yaml"))
GUARD = Guard(engine_of(entry("a", "allow", "read", "x*"), entry("d", "deny", "read", "xx")))
CONTEXT = Context(AGENT, scope("a", "d"))


def faults(text):
    cases = read_cases(f"tests:\n  - actor: me\n    requests:\n      - {text}\n", "t.yaml")
    return [each.fault for each in run_cases(cases, GUARD, lambda actor, asked: CONTEXT)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_fault_of_a_table_is_named_with_its_place(path):
    text = path.read_text("utf-8")
    with pytest.raises(Invalid) as caught:
        read_cases(text, path.name)
    found = caught.value.errors if isinstance(caught.value, Many) else [caught.value]
    assert [str(each) for each in found] == [
        line.removeprefix("# ") for line in text.splitlines() if line.startswith("# ")
    ]


def test_a_request_that_is_decided_as_expected_has_no_fault():
    assert faults("{action: read, resource: x, expected: allow}") == [""]
    assert faults('{action: read, resource: xx, expected: deny, reasons: ["app:d"]}') == [""]
    assert faults("{action: write, resource: x, expected: undefined, reasons: []}") == [""]


def test_another_decision_and_other_reasons_are_faults():
    assert faults("{action: read, resource: xx, expected: allow}") == [
        "expected allow, got deny: denied by policy `app:d`"
    ]
    assert faults('{action: read, resource: x, expected: allow, reasons: ["app:z"]}') == [
        "allow as expected, but by app:a, expected app:z, which is not loaded"
    ]
