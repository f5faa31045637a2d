"""The fourteen operators, one row of `operators.jsonl` after the other: operator, field, value, holds."""

import json
from pathlib import Path

import pytest
from security_cases import AGENT, engine_of, entry, scope

from runtime.core.errors import Invalid
from runtime.security.engine import Engine
from runtime.security.operators import OPERATORS, number, text

ROWS = [
    json.loads(line) for line in Path(__file__).with_name("operators.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module")
def engine():
    return Engine()


def holds(engine, operator, meta, **wanted):
    condition = {"field": "meta.field", "operator": operator, **wanted}
    engine.rebuild([entry("p", conditions=[condition])])
    return engine.evaluate(scope("p"), AGENT, "read", "x", meta).allowed


def test_every_operator_has_rows_that_hold_and_rows_that_do_not():
    for operator in OPERATORS:
        assert {row[3] for row in ROWS if row[0] == operator} == {True, False}


@pytest.mark.parametrize(("operator", "field", "wanted", "expected"), ROWS)
def test_an_operator_compares_a_field_with_a_value(engine, operator, field, wanted, expected):
    assert holds(engine, operator, {"field": field}, value=wanted) is expected


@pytest.mark.parametrize(
    ("operator", "field", "wanted", "expected"), [row for row in ROWS if "matches" not in row[0]]
)
def test_an_operator_compares_a_field_with_another_field(engine, operator, field, wanted, expected):
    meta = {"field": field, "other": wanted}
    assert holds(engine, operator, meta, value_from="meta.other") is expected


@pytest.mark.parametrize(
    ("operator", "field", "expected"),
    [
        ("eq", "x", False),
        ("ne", "x", True),
        ("lt", 1, False),
        ("in", "x", False),
        ("nin", "x", False),
        ("contains", "x", False),
        ("ncontains", "x", True),
        ("exists", "x", True),
        ("nexists", "x", False),
        ("exists", None, False),
        ("nexists", None, False),
    ],
)
def test_the_other_field_may_be_missing(engine, operator, field, expected):
    assert holds(engine, operator, {"field": field}, value_from="meta.other") is expected


def test_a_comparison_without_meaning_makes_the_policy_undefined_and_not_its_opposite(engine):
    for operator in ("lt", "gt", "lte", "gte"):
        assert not holds(engine, operator, {"field": "many"}, value=3)
    assert not holds(engine, "ncontains", {"field": {"a": 1}}, value="b")
    assert not holds(engine, "nin", {"field": "a", "other": 3}, value_from="meta.other")


@pytest.mark.parametrize(
    ("field", "meta", "wanted"),
    [
        ("actor.id", None, "app:agent"),
        ("actor.meta.role", None, "agent"),
        ("actor.meta.nested.deep.key", None, "found"),
        ("action", None, "read"),
        ("resource", None, "doc:1"),
        ("meta.owner", {"owner": "me"}, "me"),
        ("meta.a.b.c", {"a": {"b": {"c": "deep"}}}, "deep"),
        ("owner", {"owner": "me"}, "me"),
        ("request.path", {"request.path": "/x"}, "/x"),
    ],
)
def test_a_field_path_reads_one_value_of_the_request(field, meta, wanted):
    actor = type(AGENT)("app:agent", {"role": "agent", "nested": {"deep": {"key": "found"}}})
    engine = engine_of(entry("p", conditions=[{"field": field, "operator": "eq", "value": wanted}]))
    assert engine.evaluate(scope("p"), actor, "read", "doc:1", meta).allowed
    other = engine_of(entry("p", conditions=[{"field": field, "operator": "eq", "value": wanted + "x"}]))
    assert not other.evaluate(scope("p"), actor, "read", "doc:1", meta).allowed


@pytest.mark.parametrize(
    "meta", [None, {}, {"a": None}, {"a": "text"}, {"a": ["b"]}, {"a": {"x": 1}}, {"a.b": 1}]
)
def test_a_path_that_leads_nowhere_reads_as_missing(meta):
    engine = engine_of(entry("p", conditions=[{"field": "meta.a.b", "operator": "exists", "value": False}]))
    assert engine.evaluate(scope("p"), AGENT, "read", "x", meta).allowed


def test_all_conditions_must_hold():
    conditions = [
        {"field": "actor.meta.role", "operator": "eq", "value": "agent"},
        {"field": "meta.size", "operator": "lt", "value": 10},
    ]
    engine = engine_of(entry("p", conditions=conditions))
    assert engine.evaluate(scope("p"), AGENT, "read", "x", {"size": 9}).allowed
    assert not engine.evaluate(scope("p"), AGENT, "read", "x", {"size": 10}).allowed
    assert not engine.evaluate(scope("p"), AGENT, "read", "x").allowed


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1.0, "1"), (0.5, "0.5"), (1e21, "1000000000000000000000"), (-0.0, "-0"), (1e-7, "0.0000001")],
)
def test_a_number_is_written_in_plain_decimals(value, expected):
    assert text(value) == expected


def test_a_text_is_a_number_only_in_plain_ascii_form():
    assert number("-1.5e2") == -150
    assert number("0" * 500) is None
    assert [number(each) for each in ("", ".", "1.2.3", "1 ", "0b1", "１")] == [None] * 6


def test_a_hostile_expression_takes_linear_time():
    condition = {"field": "resource", "operator": "matches", "value": "^(a+)+$"}
    engine = engine_of(entry("p", conditions=[condition]))
    assert not engine.evaluate(scope("p"), AGENT, "read", "a" * 50_000 + "b").allowed


def test_an_integer_of_any_size_is_compared_and_never_fails_the_engine():
    engine = engine_of(entry("p", conditions=[{"field": "meta.n", "operator": "contains", "value": "1"}]))
    assert engine.evaluate(scope("p"), AGENT, "read", "x", {"n": 10**5000}).why == "no policy allows it"


def test_an_operator_is_one_of_the_table():
    with pytest.raises(Invalid, match="invalid operator: equals; expected one of `eq`"):
        engine_of(entry("p", conditions=[{"field": "action", "operator": "equals", "value": 1}]))
