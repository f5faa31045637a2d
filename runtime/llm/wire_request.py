"""The body of a Chat Completions request: only options that are known here reach the wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runtime.core.values import Value
from runtime.llm.request import Request, Tool
from runtime.llm.schema import sendable_schema
from runtime.llm.wire_messages import history_names, wire_messages
from runtime.llm.wire_names import WireNames

_PASSED = (
    "top_p",
    "seed",
    "stop",
    "user",
    "presence_penalty",
    "frequency_penalty",
    "parallel_tool_calls",
)
_NOT_FOR_REASONING = ("top_p", "presence_penalty", "frequency_penalty")
MAX_DESCRIPTION = 1024


@dataclass(frozen=True, slots=True)
class WireRequest:
    """The body to send, and the names to read the answer with."""

    body: dict[str, Any]
    names: WireNames


def wire_request(request: Request) -> WireRequest:
    """Return what to send for `request`."""
    tools = request.tools
    names = WireNames([*(tool.name for tool in tools), *history_names(request.messages)])
    body: dict[str, Any] = {
        "model": request.provider_model,
        "messages": wire_messages(request.messages, names),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if tools:
        body["tools"] = [_wire_tool(tool, names) for tool in tools]
        if choice := _tool_choice(request.tool_choice, tools, names):
            body["tool_choice"] = choice
    return WireRequest({**body, **_options(request.options, has_tools=bool(tools))}, names)


def _wire_tool(tool: Tool, names: WireNames) -> dict[str, Any]:
    schema = sendable_schema(tool.schema) or {"type": "object"}
    schema.setdefault("properties", {})
    function = {
        "name": names.wire(tool.name),
        "description": tool.description[:MAX_DESCRIPTION],
        "parameters": schema,
    }
    return {"type": "function", "function": function}


def _tool_choice(choice: str | None, tools: list[Tool], names: WireNames) -> Any:
    if choice is None or choice in ("auto", "none", "required"):
        return choice
    if not any(tool.name == choice for tool in tools):
        return None  # it was left out: the model chooses among the others
    return {"type": "function", "function": {"name": names.wire(choice)}}


def _options(options: dict[str, Value], *, has_tools: bool) -> dict[str, Any]:
    reasoning = bool(options.get("reasoning_model_request"))
    body: dict[str, Any] = {}
    for name in _PASSED:
        value = options.get(name)
        if value is None or (reasoning and name in _NOT_FOR_REASONING):
            continue
        if name != "parallel_tool_calls" or has_tools:
            body[name] = value
    limit = _number(options.get("max_tokens"))
    if limit:
        body["max_completion_tokens" if reasoning else "max_tokens"] = int(limit)
    if reasoning:
        effort = _number(options.get("thinking_effort"))
        if effort is not None:
            body["reasoning_effort"] = _effort(effort)
    elif (temperature := _number(options.get("temperature"))) is not None:
        body["temperature"] = temperature
    return body


def _effort(effort: float) -> str:
    if effort <= 0:
        return "none"
    if effort < 25:
        return "low"
    return "medium" if effort < 60 else "high"


def _number(value: Value) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
