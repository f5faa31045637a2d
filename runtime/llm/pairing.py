"""A group of tool calls is never split, and each call is answered exactly once, whatever came between.

Providers refuse a conversation for ever when a call has no result, a result no call, or something stands
between them: after a denial, an interrupt, a crash, a compression. So a missing result becomes an error that
says so, a result without its call is dropped, and the results of a group follow it in the order of its calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from runtime.core.values import Value
from runtime.llm.request import Message

UNANSWERED = '{"error":"this call was not answered: it was interrupted or its result was lost"}'


def pair_calls(messages: Sequence[Message]) -> list[Message]:
    """Return `messages` with every run of calls followed by exactly its results, in the order of the calls.

    A call without an id gets one; a call whose id was used before gets another, with its own result.
    """
    results = _results(messages)
    matched = set(results.values())
    paired: list[Message] = []
    used: set[str] = set()
    group: list[int] = []
    for position, message in enumerate(messages):
        if message["role"] == "function_call":
            group.append(position)
        elif message["role"] != "function_result" or position in matched:
            paired += _answered(messages, group, results, used)
            group = []
            if message["role"] != "function_result":
                paired.append(message)
    return paired + list(_answered(messages, group, results, used))


def _results(messages: Sequence[Message]) -> dict[int, int]:
    """Return position of the call -> position of its result; only a later message answers a call."""
    waiting: dict[str, list[int]] = {}
    found: dict[int, int] = {}
    for position, message in enumerate(messages):
        if message["role"] == "function_call":
            waiting.setdefault(_call_id(message), []).append(position)
        elif message["role"] == "function_result":
            calls = waiting.get(str(message.get("function_call_id") or ""))
            if calls:
                found[calls.pop(0)] = position
    return found


def _answered(
    messages: Sequence[Message], group: Sequence[int], results: dict[int, int], used: set[str]
) -> Iterator[Message]:
    ids: dict[int, str] = {}
    for position in group:
        ids[position] = _unused(_call_id(messages[position]), used)
        call = cast("dict[str, Value]", messages[position]["function_call"])
        yield {**messages[position], "function_call": {**call, "id": ids[position]}}
    for position in group:
        call = cast("dict[str, Value]", messages[position]["function_call"])
        content: Value = [{"type": "text", "text": UNANSWERED}]
        if position in results:
            content = messages[results[position]].get("content")
        yield {
            "role": "function_result",
            "name": call["name"],
            "content": content,
            "function_call_id": ids[position],
        }


def _call_id(message: Message) -> str:
    call: Any = message.get("function_call") or {}
    return str(call.get("id") or "")


def _unused(call_id: str, used: set[str]) -> str:
    stem, number = call_id or "call", 1
    free = call_id or "call_1"
    while free in used:
        number += 1
        free = f"{stem}_{number}"
    used.add(free)
    return free
