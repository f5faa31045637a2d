"""The one contract of a model: a request in, text while it comes, an answer out; for every driver alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from runtime.core.values import Value

Purpose: TypeAlias = Literal["chat", "compress"]
FinishReason: TypeAlias = Literal["stop", "length", "tool_call", "filtered", "error"]
Message: TypeAlias = dict[str, Value]
"""As `intake` leaves it: {role, content = [{type, text}], name?, function_call?, function_call_id?}."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the model may call; `registry_id` is the entry behind it, which no model is shown."""

    name: str
    description: str = ""
    schema: dict[str, Value] = field(default_factory=dict)
    registry_id: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """What a driver is asked: `model` is the id of the entry, `provider_model` the provider's name for it.

    `options` are upstream's: max_tokens, temperature, top_p, seed, stop, user, thinking_effort (0 to 100),
    reasoning_model_request, parallel_tool_calls, timeout (seconds), target_characters (of a compression).
    """

    model: str
    provider_model: str
    messages: list[Message]
    tools: list[Tool] = field(default_factory=list)
    tool_choice: str | None = None
    options: dict[str, Value] = field(default_factory=dict)
    purpose: Purpose = "chat"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asks for. With `arguments_error` nothing may run: it is the call's result."""

    id: str
    name: str
    arguments: dict[str, Value]
    arguments_error: str | None = None

    def to_value(self) -> dict[str, Value]:
        """Return the call as plain data {id, name, arguments, arguments_error?}."""
        value: dict[str, Value] = {"id": self.id, "name": self.name, "arguments": self.arguments}
        if self.arguments_error:
            value["arguments_error"] = self.arguments_error
        return value


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens that one answer took, as reported; `thinking` is part of `completion`."""

    prompt: int
    completion: int
    thinking: int = 0

    def to_value(self) -> dict[str, Value]:
        """Return the counts under the names that scripts know."""
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "thinking_tokens": self.thinking,
            "total_tokens": self.prompt + self.completion,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said. `tokens` is None where the provider reported none; nothing is guessed for it."""

    text: str
    tool_calls: list[ToolCall] = field(default_factory=list)
    tokens: Tokens | None = None
    finish_reason: FinishReason = "stop"
    metadata: dict[str, Value] = field(default_factory=dict)

    def to_value(self) -> dict[str, Value]:
        """Return {result, finish_reason, metadata, tool_calls?, tokens?}, the shape that scripts see."""
        value: dict[str, Value] = {
            "result": self.text,
            "finish_reason": self.finish_reason,
            "metadata": self.metadata,
        }
        if self.tool_calls:
            value["tool_calls"] = [call.to_value() for call in self.tool_calls]
        if self.tokens:
            value["tokens"] = self.tokens.to_value()
        return value


class Driver(Protocol):
    """Asks one model."""

    async def generate(self, request: Request, on_chunk: Callable[[str], None]) -> Answer:
        """Return the complete answer; `on_chunk` gets each piece of text as soon as it is there.

        Raises Invalid, PermissionDenied, NotFound, RateLimited, Unavailable or Timeout; with
        `details.fatal` no further request of this run can succeed.
        """

    async def close(self) -> None:
        """Give back what the driver holds; it can be used again after that."""


def text_of(message: Message) -> str:
    """Return the text parts of a message, joined by line ends."""
    content: Any = message.get("content") or []
    return "\n".join(part["text"] for part in content if part.get("type") == "text")
