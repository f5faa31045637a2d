"""What goes over the wire: names, messages, calls and options as providers take them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.core.values import Value
from runtime.llm.pairing import UNANSWERED, pair_calls
from runtime.llm.request import Message, Request, Tool, text_of
from runtime.llm.wire_messages import wire_messages
from runtime.llm.wire_names import WireNames
from runtime.llm.wire_request import wire_request


def said(role: str, text: str) -> Message:
    return {"role": role, "content": [{"type": "text", "text": text}]}


def called(name: str, call_id: str, arguments: Value = None) -> Message:
    call: Value = {"id": call_id, "name": name, "arguments": arguments or {}}
    return {"role": "function_call", "content": [], "function_call": call}


def answered(call_id: str, text: str) -> Message:
    return {**said("function_result", text), "function_call_id": call_id}


NAMES = [
    "app.tools:fetch",
    "app_tools_fetch",
    "app/tools/fetch",
    "x" * 90,
    "x" * 91,
    "f\u00fc",
    ":",
    "",
    "a b",
]


def test_every_name_fits_and_comes_back() -> None:
    names = WireNames(NAMES)
    wire = [names.wire(name) for name in NAMES]
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in wire)
    assert len(set(wire)) == len(NAMES)
    assert [names.name(name) for name in wire] == NAMES
    assert names.wire("app_tools_fetch") == "app_tools_fetch"


@given(st.lists(st.text(max_size=80), max_size=12))
def test_names_are_reversible_whatever_they_are(given_names: list[str]) -> None:
    names = WireNames(given_names)
    assert all(names.name(names.wire(name)) == name for name in given_names)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", names.wire(name)) for name in given_names)


def test_a_name_is_written_alike_in_every_request() -> None:
    assert WireNames(["a.b", "c"]).wire("a.b") == WireNames(["a.b"]).wire("a.b")


def test_a_name_of_old_history_that_is_offered_no_more_is_mapped_too() -> None:
    request = Request("m", "m", [said("user", "x"), called("app:gone", "1"), answered("1", "{}")])
    wire = wire_request(request)
    sent = wire.body["messages"][1]["tool_calls"][0]["function"]["name"]
    assert sent != "app:gone" and wire.names.name(sent) == "app:gone"


def _ids(messages: list[Message]) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for message in messages:
        call: Any = message.get("function_call")
        rows.append((message["role"], call["id"] if call else message.get("function_call_id")))
    return rows


def test_results_follow_their_calls_in_order() -> None:
    mixed = [called("a", "1"), called("b", "2"), answered("2", "two"), answered("1", "one")]
    paired = pair_calls(mixed)
    assert [text_of(message) for message in paired[2:]] == ["one", "two"]


def test_a_group_is_never_split_by_what_was_said_between() -> None:
    messages = [
        called("a", "1"),
        called("b", "2"),
        said("user", "wait"),
        answered("1", "x"),
        answered("2", "y"),
    ]
    assert [message["role"] for message in pair_calls(messages)] == [
        "function_call",
        "function_call",
        "function_result",
        "function_result",
        "user",
    ]


def test_a_call_without_a_result_is_answered_with_an_error() -> None:
    paired = pair_calls([called("a", "1"), called("b", "2"), answered("2", "ok"), said("user", "on")])
    assert [text_of(message) for message in paired] == ["", "", UNANSWERED, "ok", "on"]
    assert "error" in json.loads(UNANSWERED)


def test_a_result_without_its_call_is_dropped() -> None:
    kept_last = [answered("9", "lost"), said("user", "on"), answered("8", "lost"), answered("", "lost")]
    assert [message["role"] for message in pair_calls(kept_last)] == ["user"]
    assert [m["role"] for m in pair_calls([answered("1", "early"), called("a", "1")])] == [
        "function_call",
        "function_result",
    ]


def test_a_second_result_of_one_call_is_dropped() -> None:
    paired = pair_calls([called("a", "1"), answered("1", "first"), answered("1", "second")])
    assert [text_of(message) for message in paired] == ["", "first"]


def test_two_calls_with_one_id_get_two_ids_and_their_own_results() -> None:
    paired = pair_calls([called("a", "1"), answered("1", "x"), called("b", "1"), answered("1", "y")])
    assert _ids(paired) == [
        ("function_call", "1"),
        ("function_result", "1"),
        ("function_call", "1_2"),
        ("function_result", "1_2"),
    ]
    assert [text_of(message) for message in paired] == ["", "x", "", "y"]


messages_of_any_kind = st.lists(
    st.one_of(
        st.builds(said, st.sampled_from(["user", "assistant", "system"]), st.just("x")),
        st.builds(called, st.just("t"), st.sampled_from(["", "1", "2", "3"])),
        st.builds(answered, st.sampled_from(["", "1", "2", "3"]), st.just("r")),
    ),
    max_size=14,
)


@given(messages_of_any_kind)
def test_each_call_id_is_answered_exactly_once_right_behind_its_group(messages: list[Message]) -> None:
    wire = wire_messages(messages, WireNames(["t"]))
    position, seen = 0, set[str]()
    while position < len(wire):
        ids = [call["id"] for call in wire[position].get("tool_calls", ())]
        assert wire[position]["role"] != "tool"
        assert not seen & set(ids)
        seen |= set(ids)
        answers = wire[position + 1 : position + 1 + len(ids)]
        assert [answer.get("tool_call_id") for answer in answers] == ids
        position += 1 + len(ids)
    assert len(seen) == sum(message["role"] == "function_call" for message in messages)


def test_ten_calls_of_one_answer_survive_a_history_cut_to_the_last_six_messages() -> None:
    calls = [called("t", str(n)) for n in range(10)] + [answered(str(n), "r") for n in range(10)]
    assert wire_messages(calls[-6:], WireNames(["t"])) == []
    assert len(wire_messages(calls[7:13], WireNames(["t"]))) == 1 + 3


def test_text_and_calls_of_one_answer_are_one_message() -> None:
    wire = wire_messages(
        [said("developer", "d"), said("assistant", "look"), called("t", "1", {"a": 1}), answered("1", "r")],
        WireNames(["t"]),
    )
    assert [message["role"] for message in wire] == ["system", "assistant", "tool"]
    assert wire[1]["content"] == "look"
    assert wire[1]["tool_calls"][0]["function"] == {"name": "t", "arguments": '{"a":1}'}


def test_markers_and_empty_answers_are_left_out() -> None:
    marker: Message = {"role": "cache_marker", "content": [], "marker_id": "x"}
    wire = wire_messages(
        [said("system", "s"), marker, said("assistant", ""), said("user", "")], WireNames([])
    )
    assert [message["role"] for message in wire] == ["system", "user"]


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({"max_tokens": 10, "temperature": 0.5}, {"max_tokens": 10, "temperature": 0.5}),
        (
            {"reasoning_model_request": True, "max_tokens": 10, "temperature": 0.5, "top_p": 1},
            {"max_completion_tokens": 10},
        ),
        ({"reasoning_model_request": True, "thinking_effort": 0}, {"reasoning_effort": "none"}),
        ({"reasoning_model_request": True, "thinking_effort": 10}, {"reasoning_effort": "low"}),
        ({"reasoning_model_request": True, "thinking_effort": 25}, {"reasoning_effort": "medium"}),
        ({"reasoning_model_request": True, "thinking_effort": 59.9}, {"reasoning_effort": "medium"}),
        ({"reasoning_model_request": True, "thinking_effort": 60}, {"reasoning_effort": "high"}),
        ({"thinking_effort": 60, "parallel_tool_calls": True, "api_key": "x", "timeout": 3}, {}),
        ({"temperature": True, "max_tokens": 0, "user": "app:agent"}, {"user": "app:agent"}),
    ],
)
def test_only_known_options_are_sent(options: dict[str, Value], sent: dict[str, Value]) -> None:
    body = wire_request(Request("m", "gpt", [said("user", "x")], options=options)).body
    kept = {"model": "gpt", "stream": True, "stream_options": {"include_usage": True}}
    assert {key: value for key, value in body.items() if key != "messages"} == {**kept, **sent}


def test_a_tool_choice_goes_under_its_wire_name_and_one_that_is_not_offered_does_not_go() -> None:
    tools = [Tool("a.b", "d", {"type": "object", "properties": [], "required": {}})]
    body = wire_request(Request("m", "gpt", [said("user", "x")], tools, "a.b")).body
    name = body["tools"][0]["function"]["name"]
    assert body["tool_choice"] == {"type": "function", "function": {"name": name}}
    assert body["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}, "required": []}
    assert "tool_choice" not in wire_request(Request("m", "gpt", [said("user", "x")], tools, "c")).body
    assert "tool_choice" not in wire_request(Request("m", "gpt", [said("user", "x")], [], "auto")).body
