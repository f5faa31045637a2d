"""YAML 1.2 core types, and nothing that two readers would read differently."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.core.errors import Error
from runtime.registry.frozen import FrozenDict, FrozenList, freeze, thaw
from runtime.registry.yaml import MAX_DEPTH, compose, construct, parse, plain_scalar

AS_TEXT = [
    "NO",
    "yes",
    "on",
    "off",
    "y",
    "1:30",
    "22:22:22",
    "0755",
    "00",
    "-007",
    "08.5",
    "2024-01-01",
    "1_000",
]
AS_TEXT += [
    "0b101",
    "0o8",
    "0xfg",
    "1e",
    ".",
    "+",
    "-",
    "1.2.3",
    "nul",
    "TRue",
    "=",
    "2001-12-14t21:59:43.10-05:00",
]


@pytest.mark.parametrize("text", AS_TEXT)
def test_what_is_no_core_type_stays_text(text: str) -> None:
    assert plain_scalar(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("null", None), ("~", None), ("", None), ("Null", None), ("true", True), ("FALSE", False)),
        *(("0", 0), ("-12", -12), ("+3", 3), ("0o17", 15), ("0x1F", 31)),
        *(("1e3", 1000.0), ("1.10", 1.1), (".5", 0.5), ("-1.", -1.0), ("6.02E+23", 6.02e23), ("0.0", 0.0)),
    ],
)
def test_core_types_are_read_as_such(text: str, value: object) -> None:
    read = plain_scalar(text)
    assert read == value
    assert type(read) is type(value)


def test_quotes_and_block_scalars_make_text() -> None:
    document = "a: '1'\nb: \"true\"\nc: |\n  null\nd: !!str 5\n"
    assert parse(document) == {"a": "1", "b": "true", "c": "null\n", "d": "5"}


def test_merge_keys_give_way_to_the_map_and_to_earlier_sources() -> None:
    document = (
        "b: &b {x: 1, y: 2}\nc: &c {y: 3, z: 4}\none: {<<: *b, y: 9}\ntwo: {<<: [*b, *c]}\nq: {'<<': 1}\n"
    )
    value = parse(document)
    assert isinstance(value, dict)
    assert value["one"] == {"x": 1, "y": 9}
    assert value["two"] == {"x": 1, "y": 2, "z": 4}
    assert value["q"] == {"<<": 1}


def test_an_alias_shares_a_value_that_nobody_can_change() -> None:
    value = parse("a: &a {x: [1]}\nb: *a\n")
    assert isinstance(value, FrozenDict)
    assert value["a"] is value["b"]
    with pytest.raises(TypeError, match="can not be changed"):
        value["a"]["x"].append(2)  # type: ignore[index,union-attr,call-overload]


def test_aliases_of_ordinary_files_are_fine() -> None:
    uses = "\n".join(f"  - *base{'':{index % 3}}" for index in range(2_000))
    value = parse(f"base: &base {{a: 1, b: [1, 2]}}\nuses:\n{uses}\n")
    assert isinstance(value, dict)
    assert len(value["uses"]) == 2_000  # type: ignore[arg-type]


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_nesting_is_bounded_however_it_is_written(opening: str) -> None:
    parse("[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1))
    with pytest.raises(Error):
        parse(opening * 50_000)


@given(st.text(max_size=200))
def test_any_text_is_a_value_or_an_error_of_ours(text: str) -> None:
    try:
        value = parse(text)
    except Error as error:
        assert error.message
    else:
        assert freeze(thaw(value)) == value


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**63 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text("abcABC019-+.:_ ~#'\"\n", max_size=12),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text("abk09 -", max_size=5), inner, max_size=4)
        ),
        max_leaves=20,
    )
)
def test_json_is_read_as_json_means_it(value: object) -> None:
    import json

    assert parse(json.dumps(value, ensure_ascii=False)) == value


def test_frozen_data_refuses_every_change() -> None:
    frozen = freeze({"a": [1, {"b": 2}], "t": (1, 2)})
    assert frozen == {"a": [1, {"b": 2}], "t": [1, 2]}
    for change in (
        lambda: frozen.update(x=1),
        lambda: frozen.pop("a"),
        lambda: frozen.__ior__({"x": 1}),
        lambda: frozen["a"].extend([2]),
        lambda: frozen["a"].__iadd__([2]),
        lambda: frozen["a"][1].setdefault("c", 1),
        frozen["a"].sort,
    ):
        with pytest.raises(TypeError):
            change()
    copy = thaw(frozen)
    copy["a"][1]["b"] = 3
    assert frozen["a"][1]["b"] == 2
    assert isinstance(frozen["a"], FrozenList)


def test_what_is_no_plain_data_can_not_be_frozen() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    for value in (cycle, {1: "a"}, object(), {"a": {1, 2}}):
        with pytest.raises(Error):
            freeze(value)


def test_the_empty_document_is_nothing() -> None:
    assert construct(compose("# only a comment\n", "x"), "x") is None
