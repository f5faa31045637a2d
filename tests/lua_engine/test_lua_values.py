"""Values keep what they are on their way into Lua and out of it, or the error says which and where."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lua_bench import Bench, bare

from runtime.core.errors import Invalid, NotFound
from runtime.lua.machine import (
    Cast,
    Command,
    Exited,
    Interrupt,
    Kill,
    Machine,
    Message,
    Reply,
    Spawn,
    decode_inputs,
    decode_outputs,
    encode_inputs,
    encode_outputs,
)

EXACT = [
    None,
    True,
    0,
    -1,
    127,
    128,
    -32,
    -33,
    65535,
    65536,
    2**31,
    2**63 - 1,
    -(2**63),
    1.0,
    1.5,
    -0.25,
    math.inf,
    1e308,
    "",
    "x" * 31,
    "x" * 32,
    "x" * 256,
    "x" * 70000,
    "grüße \U0001f600",
    "a\0b",
    b"\xff\xfe",
    b"\xff" * 300,
    b"\xff" * 70000,
    [],
    {},
    [[]],
    {"list": [], "map": {}},
    [1, "two", 3.0, [4], {"five": 5}],
    list(range(20)),
    list(range(70000)),
    {f"k{i}": i for i in range(20)},
    {f"k{i}": i for i in range(70000)},
]


@pytest.fixture(scope="module")
def shared() -> Bench:
    library = bare()
    return Bench(Machine(library), library)


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("value", EXACT, ids=lambda value: repr(value)[:40])
def test_values_come_back_as_they_went(shared: Bench, value: Any) -> None:
    assert _same(shared.call("return ...", value), value)


def test_nan_comes_back(shared: Bench) -> None:
    assert math.isnan(shared.call("return ...", math.nan))


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner.filter(lambda item: item is not None), max_size=6)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"])),
            inner.filter(lambda item: item is not None),
            max_size=6,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=plain)
def test_plain_data_round_trips(shared: Bench, value: Any) -> None:
    assert shared.call("return ...", value) == value


def test_lists_and_maps_stay_what_they_are_inside_lua(shared: Bench) -> None:
    assert shared.call(
        """
        local list, map = ...
        list.x = nil
        local is = { host.is_array(list), host.is_array(map) }
        return { list = list, map = map, made = host.array({}), is = is }
        """,
        [],
        {},
    ) == {"list": [], "map": {}, "made": [], "is": [True, False]}


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, {"deep": [2**64]}, "\ud800", object()])
def test_what_lua_can_not_hold_is_refused(shared: Bench, value: Any) -> None:
    with pytest.raises(Invalid):
        shared.call("return ...", value)


def test_details_of_errors_cross_both_ways(shared: Bench) -> None:
    with pytest.raises(NotFound) as caught:
        shared.call("return nil, ...", NotFound("gone", retryable=False, details={"id": 7, "list": []}))
    assert (caught.value.retryable, caught.value.details) == (False, {"id": 7, "list": []})


def test_an_error_inside_a_value_stays_an_error(shared: Bench) -> None:
    value = shared.call("return { inner = errors.new({ kind = 'NotFound', message = 'gone' }) }")
    assert isinstance(value["inner"], NotFound)


def test_frozen_tables_cross_as_their_contents(shared: Bench) -> None:
    assert shared.call("return { table.freeze({ 1, 2 }), table.freeze({ a = 1 }) }") == [[1, 2], {"a": 1}]


def test_messages_of_the_protocol_round_trip(shared: Bench) -> None:
    program = shared.program("return function() end")
    inputs = [
        Spawn("t", program, (1, None), {"k": "v"}, {"id": "app:x"}),
        Reply("t", 1, (1, [2]), None),
        Reply("t", 2, (), None),
        Message("t", "topic", "from", (b"\xff",)),
        Interrupt("t"),
    ]
    assert decode_inputs(encode_inputs(inputs)) == inputs
    (kill,) = decode_inputs(encode_inputs([Kill("t", NotFound("x"))]))
    assert isinstance(kill, Kill)
    assert kill.error.message == "x"
    outputs = [Command("t", 1, "n", [1]), Cast("t", "n", []), Exited("t", {"a": 1}, None)]
    assert decode_outputs(encode_outputs(outputs)) == outputs


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x91\x01",
        b"\x91\x91\xa7unknown",
        b"\x91\x94\xa7command\x01\x01\x01",
        b"\xdd\xff\xff\xff\xff",
        b"\x90\x90",
    ],
)
def test_hostile_bytes_are_invalid_and_nothing_else(data: bytes) -> None:
    with pytest.raises(Invalid):
        decode_outputs(data)
    with pytest.raises(Invalid):
        decode_inputs(data)


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=200))
def test_random_bytes_are_invalid_or_messages(data: bytes) -> None:
    for decode in (decode_outputs, decode_inputs):
        with contextlib.suppress(Invalid):
            assert isinstance(decode(data), list)
