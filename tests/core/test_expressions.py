"""Expressions: each line of `expressions.jsonl` is [expression, environment, value or {"error": part}]."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.core.errors import Error, Invalid
from runtime.core.expr import compile_expression
from runtime.core.expr.functions import FUNCTIONS
from runtime.core.expr.nodes import MAX_DEPTH
from runtime.core.expr.tokens import MAX_TEXT

LINES = Path(__file__).with_name("expressions.jsonl").read_text(encoding="utf-8").splitlines()
CASES: list[tuple[str, dict[str, Any], Any]] = [tuple(json.loads(line)) for line in LINES]


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal, integers and floats and booleans told apart."""
    return repr(left) == repr(right) if not isinstance(left, dict) else left == right


@pytest.mark.parametrize(("text", "environment", "expected"), CASES, ids=[case[0] for case in CASES])
def test_an_expression_means_what_the_table_says(text: str, environment: Any, expected: Any) -> None:
    if isinstance(expected, dict) and set(expected) == {"error"}:
        with pytest.raises(Invalid) as caught:
            compile_expression(text).run(environment)
        assert expected["error"] in caught.value.message
    else:
        value = compile_expression(text).run(environment)
        assert same(value, expected), value


def test_the_table_is_large_and_calls_every_function() -> None:
    assert len(CASES) >= 150
    said = " ".join(case[0] for case in CASES)
    assert [name for name in FUNCTIONS if f"{name}(" not in said] == []


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "1" + ")" * 5000,
        "[" * 5000,
        "!" * 5000 + "true",
        "-" * 5000 + "1",
        "1" + " + 1" * 3000,
        "a" + ".b" * 5000,
        "true ? " * 2000 + "1",
        "let a = 1; " * 1000 + "a",
        "if true {" * 1000,
        "map(a, " * 1000,
        "a | len() " + "| len() " * 1500,
        "1 < 2 " + "< 3 " * 2000,
    ],
    ids=range(12),
)
def test_a_deep_expression_is_refused_and_nothing_overflows(text: str) -> None:
    with pytest.raises(Invalid, match=r"nested deeper|unexpected"):
        compile_expression(text)


def test_an_expression_just_within_the_depth_runs() -> None:
    inner = MAX_DEPTH // 2 - 2
    assert compile_expression("[" * inner + "1" + "]" * inner).run({})
    text = "any([1], " * inner + "true" + ")" * inner
    assert compile_expression(text).run({}) is True


def test_a_long_text_is_refused() -> None:
    with pytest.raises(Invalid, match="over the limit"):
        compile_expression("1" + " " * MAX_TEXT)


def test_deep_data_is_no_way_out() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(Invalid, match=r"nested too deep|too many steps"):
        compile_expression("a == b").run({"a": deep, "b": [deep]})
    with pytest.raises(Invalid, match="can not write"):
        compile_expression("toJSON(a)").run({"a": deep})


def test_steps_and_sizes_can_be_lower() -> None:
    program = compile_expression("sum(map(1..100, # * 2))")
    assert program.run({}) == 10100
    with pytest.raises(Invalid, match="too many steps"):
        program.run({}, steps=50)
    with pytest.raises(Invalid, match="too much data"):
        program.run({}, size=50)


def test_what_an_expression_reads_is_known() -> None:
    paths = compile_expression('let x = meta.y; actor.meta.role == x + action + a[b].c + d["e"]').paths()
    assert set(paths) == {
        ("actor", "meta", "role"),
        ("meta", "y"),
        ("action",),
        ("a",),
        ("b",),
        ("d", "e"),
    }


def test_one_program_serves_many_threads() -> None:
    program = compile_expression("let k = n; sum(map(1..50, # * k))")
    wrong: list[int] = []

    def work(n: int) -> None:
        for _ in range(50):
            if program.run({"n": n}) != 1275 * n:
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


WORDS = [*"()[]{}.,:;?#|+-*/%^<>!=", "..", "?.", "??", "**", "==", "&&", "not", "in", "or", "matches", "let",
         "if", "else", "a", "len", "filter", "map", "1", "2.5", '"x"', "true", "nil", "#acc"]  # fmt: skip


@settings(max_examples=500, deadline=None, database=None)
@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_any_text_gives_a_value_or_an_error_of_the_tree(text: str) -> None:
    try:
        compile_expression(text).run({"a": [1, {"b": "x"}]})
    except Error as error:
        assert error.message
