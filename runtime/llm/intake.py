"""A request as Lua gives it is checked and copied once; what is wrong is said with the number of the message.

The messages are those of the prompt builder. An empty Lua table arrives as a list and counts as an empty map.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from runtime.core.errors import Invalid
from runtime.core.values import Value
from runtime.llm.plain import clean, clean_text, read_arguments
from runtime.llm.request import Message, Purpose, Tool

ROLES = ("system", "user", "assistant", "developer", "function_call", "function_result", "cache_marker")
PURPOSES = ("chat", "compress")
MAX_MESSAGES = 20_000
MAX_TOOLS = 512


@dataclass(frozen=True, slots=True)
class Stream:
    """Where the chunks of an answer go: a PID and the topic of its messages."""

    reply_to: str
    topic: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A checked request, before a model is chosen for it: `model` is an id or a name."""

    model: str
    messages: list[Message]
    tools: list[Tool]
    tool_choice: str | None
    options: dict[str, Value]
    stream: Stream | None
    purpose: Purpose


def read_request(value: Any) -> Asked:
    """Return the request in the table `value`; raise Invalid, naming the field, where it breaks the shape.

    The table is {model, messages, tools?, tool_choice?, options?, timeout?, stream?, purpose?}.
    """
    table = _table(value, "the request")
    purpose = table.get("purpose") or "chat"
    if purpose not in PURPOSES:
        raise Invalid(f"`purpose` is `{purpose}`: expected `chat` or `compress`")
    messages = _list(table.get("messages"), "messages")
    if not messages:
        raise Invalid("`messages` is empty: a model needs at least one message")
    if len(messages) > MAX_MESSAGES:
        raise Invalid(f"`messages` holds more than {MAX_MESSAGES} messages: compress the conversation")
    tools = [_tool(tool, number) for number, tool in enumerate(_list(table.get("tools"), "tools"), 1)]
    if len(tools) > MAX_TOOLS:
        raise Invalid(f"`tools` holds more than {MAX_TOOLS} tools")
    return Asked(
        _text(table, "model", "the request"),
        [_message(message, number) for number, message in enumerate(messages, 1)],
        tools,
        _tool_choice(table.get("tool_choice"), tools),
        _options(table),
        _stream(table.get("stream")),
        cast("Purpose", purpose),
    )


def _options(table: Mapping[str, Any]) -> dict[str, Value]:
    options = cast("dict[str, Value]", clean(_table(table.get("options"), "options")))
    timeout = table.get("timeout")
    return options if timeout is None else {**options, "timeout": clean(timeout)}


def _message(value: Any, number: int) -> Message:
    where = f"message {number}"
    table = _table(value, where)
    role = table.get("role")
    if role not in ROLES:
        raise Invalid(f"{where} has the role `{role}`: expected one of {', '.join(ROLES)}")
    message: Message = {"role": role, "content": _content(table.get("content"), where)}
    if role == "function_call":
        message["function_call"] = _function_call(table.get("function_call"), where)
    elif role == "function_result":
        message["function_call_id"] = _optional_text(table.get("function_call_id"))
    for name in ("name", "marker_id"):
        if text := _optional_text(table.get(name)):
            message[name] = text
    return message


def _content(value: Any, where: str) -> list[Value]:
    if isinstance(value, str | bytes):
        return [{"type": "text", "text": clean_text(value)}]
    parts: list[Value] = []
    for part in _list(value, f"the content of {where}"):
        table = _table(part, f"a part of {where}")
        kind = table.get("type")
        if kind != "text":
            raise Invalid(f"{where} holds content of type `{kind}`: this version sends text only")
        parts.append({"type": "text", "text": _text(table, "text", where)})
    return parts


def _function_call(value: Any, where: str) -> dict[str, Value]:
    table = _table(value, f"`function_call` of {where}")
    arguments = table.get("arguments")
    if isinstance(arguments, str | bytes):
        arguments, _ = read_arguments(clean_text(arguments))
    elif not isinstance(arguments, Mapping):
        arguments = {}
    return {
        "id": _optional_text(table.get("id")),
        "name": _text(table, "name", where),
        "arguments": clean(arguments),
    }


def _tool(value: Any, number: int) -> Tool:
    where = f"tool {number}"
    table = _table(value, where)
    return Tool(
        _text(table, "name", where),
        _optional_text(table.get("description")),
        cast("dict[str, Value]", clean(_table(table.get("schema"), f"`schema` of {where}"))),
        _optional_text(table.get("registry_id")),
    )


def _tool_choice(value: Any, tools: Sequence[Tool]) -> str | None:
    if value is None:
        return None
    if isinstance(value, Mapping):
        value = value.get("name") or _table(value.get("function"), "tool_choice.function").get("name")
    if value in ("auto", "none", "required") or any(tool.name == value for tool in tools):
        return str(value)
    raise Invalid(f"`tool_choice` is `{value}`: expected `auto`, `none`, `required` or the name of a tool")


def _stream(value: Any) -> Stream | None:
    if value is None:
        return None
    table = _table(value, "stream")
    return Stream(_text(table, "reply_to", "stream"), _optional_text(table.get("topic")) or "llm_response")


def _table(value: Any, what: str) -> Mapping[str, Any]:
    if value is None or value == []:
        return {}
    if not isinstance(value, Mapping):
        raise Invalid(f"{what} must be a table, not a {_lua_type(value)}")
    return value


def _list(value: Any, what: str) -> Sequence[Any]:
    if value is None or value == {}:
        return []
    if not isinstance(value, list | tuple):
        raise Invalid(f"{what} must be a list, not a {_lua_type(value)}")
    return value


def _text(table: Mapping[str, Any], field: str, where: str) -> str:
    value = table.get(field)
    if not isinstance(value, str | bytes) or (not value and field != "text"):
        raise Invalid(f"`{field}` of {where} must be a string, not a {_lua_type(value)}")
    return clean_text(value)


def _optional_text(value: Any) -> str:
    return clean_text(value) if isinstance(value, str | bytes) else ""


def _lua_type(value: Any) -> str:
    if value is None:
        return "nil"
    names = {bool: "boolean", int: "number", float: "number", str: "string", bytes: "string"}
    return names.get(type(value), "table")
