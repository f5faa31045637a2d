"""Canonical JSON: the vectors in `vectors/`, one file a case, and rules that hold for every value.

In a vector `value` is JSON text as Python reads it (NaN included), `canonical` and `digest` are what must
come out, `refused` is part of the error instead.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.core.bounds import MAX_NODES
from runtime.core.canonical import canonical, digest, value_digest
from runtime.core.errors import Invalid

VECTORS = sorted(Path(__file__).with_name("vectors").glob("*.json"))

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text("abc\u00e9"), inner))


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_each_vector_gives_its_bytes_or_its_refusal(path: Path) -> None:
    vector = json.loads(path.read_text(encoding="utf-8"))
    value = json.loads(vector["value"])
    if "refused" in vector:
        with pytest.raises(Invalid) as caught:
            canonical(value)
        assert vector["refused"] in caught.value.message
    else:
        assert canonical(value).decode() == vector["canonical"]
        assert value_digest(value) == vector["digest"]


def test_there_are_vectors_of_both_sorts() -> None:
    refused = [path for path in VECTORS if path.stem.startswith("refused_")]
    assert refused and len(VECTORS) > len(refused)


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_canonical_json_reads_back_as_the_same_value(value: object) -> None:
    text = canonical(value)
    assert json.loads(text) == value
    assert canonical(json.loads(text)) == text


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text("abc"), SCALARS))
def test_the_order_of_keys_does_not_count(value: dict[str, object]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)


@settings(max_examples=100, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_equal_floats_give_equal_bytes(number: float) -> None:
    again = math.copysign(number, -1.0) if number == 0 else number
    assert canonical(number) == canonical(again)
    assert float(canonical(number)) == number


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({1: "a"}, "the key 1 is not a string"),
        ({"a": [{None: 1}]}, "the key None is not a string at `a[0]`"),
        ({"a": b"x"}, "`bytes` is not plain data at `a`"),
        ([{1, 2}], "`set` is not plain data at `[0]`"),
        (object(), "`object` is not plain data"),
        ([10**5000], "an integer of more than 4300 digits at `[0]`"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(value: object, reason: str) -> None:
    with pytest.raises(Invalid, match="no canonical JSON form") as caught:
        canonical(value)  # type: ignore[arg-type]
    assert caught.value.message.endswith(reason)


def test_a_cycle_is_refused() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(Invalid, match="contains itself"):
        canonical(value)  # type: ignore[arg-type]


def test_a_small_value_that_repeats_itself_a_billion_times_is_refused_at_once() -> None:
    value: list[object] = ["lol"]
    for _ in range(30):
        value = [value] * 10
    with pytest.raises(Invalid, match=f"more than {MAX_NODES} values"):
        canonical(value)  # type: ignore[arg-type]


def test_the_depth_that_is_accepted_does_not_depend_on_the_caller() -> None:
    value: object = None
    for _ in range(128):
        value = [value]

    def deep(levels: int) -> bytes:
        return deep(levels - 1) if levels else canonical(value)  # type: ignore[arg-type]

    assert deep(500) == canonical(value)  # type: ignore[arg-type]


def test_a_digest_names_its_algorithm() -> None:
    assert digest(b"hello") == "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
