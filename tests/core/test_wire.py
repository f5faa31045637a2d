"""The wire: what goes in comes out, and hostile bytes raise Invalid and nothing else."""

from __future__ import annotations

import tracemalloc
from types import MappingProxyType

import msgpack
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from runtime.core import wire
from runtime.core.errors import Error, Invalid, NotFound, PermissionDenied, Place
from runtime.core.wire import pack, unpack

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.binary()
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text("abc"), inner))


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_every_value_comes_back_as_it_was(value: object) -> None:
    assert unpack(pack(value)) == value


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=400))
@example(b"")
@example(b"\xc1")  # never used by the format
@example(b"\x91" * 5000 + b"\xc0")  # a tower of lists
@example(b"\xdd\xff\xff\xff\xff")  # a list that says it is huge
@example(b"\xdf\xff\xff\xff\xff")  # a map that says it is huge
@example(b"\xc6\xff\xff\xff\xff")  # a blob that says it is huge
@example(b"\x81\x90\x01")  # a list as key
@example(b"\xa1\xff")  # text that is not UTF-8
@example(b"\xd4\x05\xc0")  # an extension of somebody else
@example(b"\xd4\x01\xc0")  # an error that is no map
@example(b"\xd6\xff\xff\xff\xff\xff")  # a time stamp
@example(b"\xc7\x0c\xff" + b"\xff" * 12)  # a time stamp out of range
@example(b"\x01\x01")  # bytes after the value
def test_random_bytes_give_plain_data_or_invalid(data: bytes) -> None:
    try:
        value = unpack(data)
    except Invalid:
        return
    _assert_plain(value)


@settings(max_examples=300, deadline=None)
@given(VALUES, st.data())
def test_a_damaged_message_gives_plain_data_or_invalid(value: object, data: st.DataObject) -> None:
    message = bytearray(pack([value, NotFound("x", details={"a": [1]})]))
    at = data.draw(st.integers(0, len(message) - 1))
    message[at] = data.draw(st.integers(0, 255))
    try:
        _assert_plain(unpack(bytes(message)))
    except Invalid:
        return


def _assert_plain(value: object) -> None:
    if isinstance(value, list):
        for item in value:
            _assert_plain(item)
    elif isinstance(value, dict):
        for item in value.values():
            _assert_plain(item)
    else:
        assert value is None or isinstance(value, bool | int | float | str | bytes | Error)


def test_errors_cross_anywhere_with_kind_details_and_place() -> None:
    denied = PermissionDenied("no", retryable=False, details={"action": "x"}, place=Place("a.yaml", 3, 7))
    came = unpack(pack({"a": [denied]}))
    assert isinstance(came, dict)
    error = came["a"][0]
    assert type(error) is PermissionDenied
    assert (error.message, error.retryable, error.details) == ("no", False, {"action": "x"})
    assert error.place == Place("a.yaml", 3, 7)


def test_an_error_may_hold_an_error_but_not_a_tower_of_them() -> None:
    error = NotFound("first")
    for _ in range(3):
        error = NotFound("outer", details={"reason": error})  # type: ignore[dict-item]
    assert isinstance(unpack(pack(error)), NotFound)
    body = msgpack.packb({"kind": "NotFound", "message": "x"})
    for _ in range(2000):
        body = msgpack.packb({"details": msgpack.ExtType(wire.ERROR_TYPE, body)})
    with pytest.raises(Invalid, match="errors hold errors"):
        unpack(msgpack.packb(msgpack.ExtType(wire.ERROR_TYPE, body)))


def test_a_frozen_view_of_a_map_crosses_as_a_map() -> None:
    assert unpack(pack([MappingProxyType({"a": MappingProxyType({})})])) == [{"a": {}}]


def test_bytes_stay_bytes_even_where_they_are_text() -> None:
    assert unpack(pack([b"abc", "abc", b"\xff"])) == [b"abc", "abc", b"\xff"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([1, {"a": 2**63}], "an integer outside the 64 bits of Lua at `[1].a`"),
        (2**64 - 1, "an integer outside the 64 bits of Lua"),
        (-(2**63) - 1, "an integer outside the 64 bits of Lua"),
        ({"a": {"b": object()}}, "`object` is not plain data at `a.b`"),
        (["\ud800"], "a string that is no valid unicode at `[0]`"),
        ({"\udfff": 1}, "a string that is no valid unicode"),
        (NotFound("x", details={"a": {1, 2}}), "`set` is not plain data at `details.a`"),  # type: ignore[dict-item]
    ],
)
def test_what_can_not_cross_is_named_with_its_place(value: object, reason: str) -> None:
    with pytest.raises(Invalid) as caught:
        pack(value)
    assert caught.value.message == f"value can not cross to Lua: {reason}"


def test_the_largest_integers_of_lua_cross() -> None:
    assert unpack(pack([2**63 - 1, -(2**63)])) == [2**63 - 1, -(2**63)]


def test_too_deep_is_refused_both_ways() -> None:
    value: object = 1
    for _ in range(200):
        value = [value]
    with pytest.raises(Invalid, match="nested deeper"):
        pack(value)
    with pytest.raises(Invalid, match="nested deeper"):
        unpack(msgpack.packb(value))


def test_too_many_bytes_are_refused_both_ways() -> None:
    with pytest.raises(Invalid, match="over the limit"):
        pack(b"x" * (wire.MAX_BYTES + 1))
    with pytest.raises(Invalid, match="over the limit"):
        unpack(b"\xc0" * (wire.MAX_BYTES + 1))


def test_millions_of_empty_lists_are_refused_before_they_fill_the_memory() -> None:
    one = b"\xdd" + (150_000).to_bytes(4, "big") + b"\x90" * 150_000
    data = b"\xdd" + (100).to_bytes(4, "big") + one * 100
    assert len(data) < wire.MAX_BYTES
    tracemalloc.start()
    try:
        with pytest.raises(Invalid, match="more than"):
            unpack(data)
        assert tracemalloc.get_traced_memory()[1] < 200 * 1024 * 1024
    finally:
        tracemalloc.stop()
