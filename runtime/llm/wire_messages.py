"""The conversation in the words of Chat Completions: calls in the assistant's message, results as `tool`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.llm.pairing import pair_calls
from runtime.llm.plain import write_arguments
from runtime.llm.request import Message, text_of
from runtime.llm.wire_names import WireNames

WireMessage = dict[str, Any]

_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}


def history_names(messages: Sequence[Message]) -> list[str]:
    """Return the names of the tools that were called in `messages`, which need a name at the wire too."""
    calls: list[Any] = [message["function_call"] for message in messages if "function_call" in message]
    return [call["name"] for call in calls]


def wire_messages(messages: Sequence[Message], names: WireNames) -> list[WireMessage]:
    """Return `messages` as Chat Completions takes them; markers, and answers without a word, are left out."""
    wire: list[WireMessage] = []
    for message in pair_calls(messages):
        role = str(message["role"])
        if role == "function_call":
            _add_call(wire, _wire_call(message["function_call"], names))
        elif role == "function_result":
            wire.append(
                {
                    "role": "tool",
                    "tool_call_id": message["function_call_id"],
                    "content": text_of(message),
                }
            )
        elif role in _ROLES and (role != "assistant" or text_of(message)):
            wire.append({"role": _ROLES[role], "content": text_of(message)})
    return wire


def _add_call(wire: list[WireMessage], call: WireMessage) -> None:
    # The text that a model says with its calls, and the calls, are one message of the assistant.
    if not wire or wire[-1]["role"] != "assistant":
        wire.append({"role": "assistant", "content": None})
    wire[-1].setdefault("tool_calls", []).append(call)


def _wire_call(call: Any, names: WireNames) -> WireMessage:
    return {
        "id": call["id"],
        "type": "function",
        "function": {"name": names.wire(call["name"]), "arguments": write_arguments(call["arguments"])},
    }
