"""What has happened since the user last spoke, read from the messages: the only state of the rehearsal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.core.values import Value
from runtime.llm.pairing import pair_calls
from runtime.llm.request import Message, text_of


@dataclass(frozen=True, slots=True)
class Done:
    """A call that was made and what came back; `result` is parsed where it is JSON."""

    name: str
    arguments: dict[str, Value]
    result: Any

    @property
    def error(self) -> str:
        """What the tool or the host says went wrong; empty when nothing did."""
        error = self.result.get("error") if isinstance(self.result, dict) else None
        return error if isinstance(error, str) else json.dumps(error) if error else ""

    def field(self, name: str) -> Any:
        """Return a field of the result, None where there is none."""
        return self.result.get(name) if isinstance(self.result, dict) else None


@dataclass(frozen=True, slots=True)
class Turn:
    """What the user said, the calls made since, and how many calls the whole conversation has had."""

    text: str = ""
    done: list[Done] = field(default_factory=list)
    calls_before: int = 0

    def find(self, tool: str, /, **arguments: Value) -> Done | None:
        """Return the call of `tool` whose arguments include these, the latest, or None."""
        for done in reversed(self.done):
            if done.name == tool and all(
                done.arguments.get(key) == value for key, value in arguments.items()
            ):
                return done
        return None

    def find_exactly(self, name: str, arguments: dict[str, Value]) -> Done | None:
        """Return the call of `name` with just these arguments, or None."""
        return next((done for done in self.done if (done.name, done.arguments) == (name, arguments)), None)


def read_turn(messages: Sequence[Message]) -> Turn:
    """Return the turn that `messages` are in the middle of."""
    paired = pair_calls(messages)
    last = max((n for n, message in enumerate(paired) if message["role"] == "user"), default=-1)
    calls = [n for n, message in enumerate(paired) if message["role"] == "function_call"]
    results = {m["function_call_id"]: m for m in paired if m["role"] == "function_result"}
    done: list[Done] = []
    for position in calls:
        if position > last:
            call: Any = paired[position]["function_call"]
            done.append(Done(call["name"], call["arguments"], _parsed(text_of(results[call["id"]]))))
    return Turn(text_of(paired[last]) if last >= 0 else "", done, len(calls))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
