"""A request from Lua is checked before anything is done with it, and what is wrong is named."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.core.errors import Invalid
from runtime.llm.intake import read_request
from runtime.llm.plain import read_arguments, write_arguments

USER = {"role": "user", "content": [{"type": "text", "text": "hi"}]}


def test_messages_of_the_prompt_builder_are_taken() -> None:
    asked = read_request(
        {
            "model": "gpt",
            "messages": [
                {"role": "system", "content": [{"type": "text", "text": b"caf\xe9"}]},
                {"role": "cache_marker", "marker_id": "app:agent"},
                USER,
                {
                    "role": "function_call",
                    "content": [],
                    "function_call": {"id": "1", "name": "t", "arguments": []},
                },
                {"role": "function_result", "name": "t", "content": "plain", "function_call_id": "1"},
            ],
            "tools": [{"name": "t", "description": "d", "schema": [], "registry_id": "app.tools:t"}],
            "tool_choice": {"type": "function", "name": "t"},
            "options": {"max_tokens": 5, "ratio": float("nan")},
            "timeout": 7,
            "stream": {"reply_to": "pid", "topic": "answer"},
            "purpose": "chat",
        }
    )
    assert asked.messages[0]["content"] == [{"type": "text", "text": "caf\ufffd"}]
    assert asked.messages[3]["function_call"] == {"id": "1", "name": "t", "arguments": {}}
    assert asked.messages[4]["content"] == [{"type": "text", "text": "plain"}]
    assert (asked.tools[0].registry_id, asked.tools[0].schema, asked.tool_choice) == ("app.tools:t", {}, "t")
    assert asked.options == {"max_tokens": 5, "ratio": None, "timeout": 7}
    assert asked.stream is not None and asked.stream.topic == "answer"


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (None, "`messages` is empty"),
        ("text", "the request must be a table, not a string"),
        ({"model": "gpt", "messages": []}, "`messages` is empty"),
        ({"messages": [USER]}, "`model` of the request must be a string, not a nil"),
        ({"model": "gpt", "messages": "hi"}, "messages must be a list"),
        ({"model": "gpt", "messages": [USER, {"role": "boss"}]}, "message 2 has the role `boss`"),
        ({"model": "gpt", "messages": [{"role": "user", "content": 5}]}, "the content of message 1"),
        ({"model": "gpt", "messages": [{"role": "user", "content": [{"type": "image"}]}]}, "type `image`"),
        ({"model": "gpt", "messages": [{"role": "function_call"}]}, "`name` of message 1"),
        ({"model": "gpt", "messages": [USER], "tools": [{"name": ""}]}, "`name` of tool 1"),
        ({"model": "gpt", "messages": [USER], "tool_choice": "x"}, "`tool_choice` is `x`"),
        ({"model": "gpt", "messages": [USER], "stream": {}}, "`reply_to` of stream"),
        ({"model": "gpt", "messages": [USER], "purpose": "fun"}, "`purpose` is `fun`"),
        ({"model": "gpt", "messages": [USER], "options": "x"}, "options must be a table"),
    ],
)
def test_what_breaks_the_shape_is_named(table: Any, says: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_request(table)
    assert says in caught.value.message


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"a": b"\xff"}, '{"a":"\ufffd"}'),
        ({"a": float("inf")}, '{"a":null}'),
        ([], "{}"),
        (None, "{}"),
        ('{"a": 1}', '{"a":1}'),
        ("{broken", "{}"),
        ("[1]", "{}"),
        ("", "{}"),
    ],
)
def test_what_goes_back_into_history_is_valid_json_of_an_object(value: Any, written: str) -> None:
    assert write_arguments(value) == written


def test_hostile_arguments_are_refused_with_words_for_the_model() -> None:
    for text in (
        "[" * 100_000,
        '{"a":' * 5000 + "1" + "}" * 5000,
        "x" * 1_000_001,
        '{"a":' + "9" * 5000 + "}",
    ):
        arguments, problem = read_arguments(text)
        assert arguments == {} and problem and len(problem) < 400
