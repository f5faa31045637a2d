"""Every way in which servers stream: each file of `streams/` holds what is sent and what must come of it.

A file has the fields of a scripted turn and `expect`: {text?, finish?, calls? = [{name, arguments, id?,
error?}], tokens?, metadata?} or {error = kind, says = part of the message, fatal?}.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from runtime.core.errors import Error
from runtime.llm.chat_completions import ChatCompletions
from runtime.llm.endpoint import Endpoint
from runtime.llm.request import Answer, Request
from runtime.testing.scripted_model import ScriptedModel, Turn

CASES = sorted((Path(__file__).parent / "streams").glob("*.json"))


def _ask(turn: Turn) -> tuple[Answer | Error, str]:
    came: list[str] = []

    async def run(model: ScriptedModel) -> Answer | Error:
        endpoint = Endpoint(model.base_url, f"127.0.0.1:{model.port}", loopback=True)
        driver = ChatCompletions(endpoint, "wippy.llm.openai:provider", max_retries=0)
        message: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
        try:
            return await driver.generate(Request("app:gpt", "gpt", [message]), came.append)
        except Error as error:
            return error
        finally:
            await driver.close()

    with ScriptedModel([turn]) as model:
        return asyncio.run(run(model)), "".join(came)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_stream_gives_what_its_file_expects(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    expect = case.pop("expect")
    outcome, came = _ask(Turn(**case))
    if "error" in expect:
        assert isinstance(outcome, Error), outcome
        assert str(outcome.kind) == expect["error"]
        assert expect["says"] in outcome.message
        assert bool(outcome.details.get("fatal")) == expect.get("fatal", False)
        assert outcome.retryable == (not expect.get("fatal", False))
        return
    assert isinstance(outcome, Answer), outcome
    assert outcome.finish_reason == expect["finish"]
    assert came == outcome.text, "what was streamed is what was answered"
    if "text" in expect:
        assert outcome.text == expect["text"]
    if "calls" in expect:
        _check_calls(outcome, expect["calls"])
    if "tokens" in expect:
        assert (outcome.tokens and outcome.tokens.to_value()) == expect["tokens"]
    for name, value in expect.get("metadata", {}).items():
        assert outcome.metadata[name] == value


def _check_calls(answer: Answer, expected: list[dict[str, Any]]) -> None:
    assert [(call.name, call.arguments) for call in answer.tool_calls] == [
        (call["name"], call["arguments"]) for call in expected
    ]
    assert len({call.id for call in answer.tool_calls}) == len(expected), "each call has an id of its own"
    for call, wanted in zip(answer.tool_calls, expected, strict=True):
        if "id" in wanted:
            assert call.id == wanted["id"]
        if "error" in wanted:
            assert wanted["error"] in (call.arguments_error or "")
        else:
            assert call.arguments_error is None
