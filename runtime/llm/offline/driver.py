"""The scripted model behind the contract of every model: a request in, streamed text and an answer out."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable

from runtime.core.canonical import value_digest
from runtime.core.values import Value
from runtime.llm.offline.conversation import read_turn
from runtime.llm.offline.plan import next_step
from runtime.llm.offline.summary import summarize
from runtime.llm.request import Answer, Request, Tokens, ToolCall

SCRIPTED_MODEL = "scripted"
CHARACTERS_PER_TOKEN = 4
WORDS_PER_CHUNK = 3


class OfflineDriver:
    """Answers without a provider and without the network; equal requests get equal answers.

    Its tokens are an estimate, four characters each, and every answer is marked `scripted`.
    """

    async def generate(self, request: Request, on_chunk: Callable[[str], None]) -> Answer:
        """Return the next step of the rehearsal, or the summary that the request asks for."""
        calls: list[ToolCall] = []
        if request.purpose == "compress":
            text = summarize(request.messages)
        else:
            turn = read_turn(request.messages)
            step = next_step(turn, [] if request.tool_choice == "none" else request.tools)
            text = step.text
            if step.tool:
                calls = [ToolCall(f"call_{turn.calls_before + 1}", step.tool, step.arguments)]
        for chunk in _chunks(text):
            on_chunk(chunk)
            await asyncio.sleep(0)
        return Answer(
            text, calls, _tokens(request, text, calls), "tool_call" if calls else "stop", _metadata(request)
        )

    async def close(self) -> None:
        """Do nothing: there is nothing to give back."""


def _chunks(text: str) -> list[str]:
    words = re.findall(r"\s*\S+\s*?(?=\s|$)|\s+$", text)
    return [
        "".join(words[start : start + WORDS_PER_CHUNK]) for start in range(0, len(words), WORDS_PER_CHUNK)
    ]


def _tokens(request: Request, text: str, calls: list[ToolCall]) -> Tokens:
    asked = len(json.dumps([*request.messages, *(tool.schema for tool in request.tools)]))
    said = len(text) + sum(len(call.name) + len(json.dumps(call.arguments)) for call in calls)
    return Tokens(-(-asked // CHARACTERS_PER_TOKEN), -(-said // CHARACTERS_PER_TOKEN))


def _metadata(request: Request) -> dict[str, Value]:
    digest = value_digest([list(request.messages), [tool.name for tool in request.tools]])
    return {
        "request_id": f"scripted-{digest.removeprefix('sha256:')[:16]}",
        "model": SCRIPTED_MODEL,
        "provider": "offline",
        "scripted": True,
    }
