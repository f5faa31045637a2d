"""A server that sends the key back is not repeated: not in the text, however it is cut, and not in a call."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from runtime.core.redact import Redactor
from runtime.llm.chat_completions import ChatCompletions
from runtime.llm.endpoint import Endpoint
from runtime.llm.request import Answer, Request
from runtime.llm.stream import AnswerAssembler
from runtime.llm.wire_names import WireNames
from runtime.testing.scripted_model import ScriptedModel, Turn, call, say

KEY = "canary-4f1e7b2a99c0"  # of no known shape: it is hidden because it is the key
MASKED = "[redacted:secret]"


def ask(turn: Turn) -> tuple[Answer, str]:
    came: list[str] = []

    async def run(base_url: str) -> Answer:
        driver = ChatCompletions(Endpoint(base_url, "models.test", True, KEY), "p", max_retries=0)
        message: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
        try:
            return await driver.generate(Request("app:gpt", "gpt", [message]), came.append)
        finally:
            await driver.close()

    with ScriptedModel([turn]) as model:
        return asyncio.run(run(model.base_url)), "".join(came)


@pytest.mark.parametrize("secret", [KEY, base64.b64encode(KEY.encode()).decode()])
def test_the_key_in_the_text_is_masked_also_in_what_streams(secret: str) -> None:
    answer, came = ask(say("Your key: ", secret[:5], secret[5:9], secret[9:], ", can"))
    assert came == answer.text == f"Your key: {MASKED}, can"


def test_the_key_in_a_call_is_masked() -> None:
    answer, _ = ask(call(KEY, {"key": KEY, KEY: 1}, KEY))
    (found,) = answer.tool_calls
    assert KEY not in str(found)
    assert (found.id, found.name, found.arguments["key"]) == (MASKED, MASKED, MASKED)


def test_the_key_in_the_metadata_is_masked() -> None:
    whole = {"id": KEY, "model": KEY, "choices": [{"message": {"content": "noon"}, "finish_reason": "stop"}]}
    answer, _ = ask(Turn(body=whole))
    assert KEY not in str(answer.metadata)


@pytest.mark.parametrize("secret", ["abcdabcdabce", "aaaaaaaa", "abababababab"])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_wherever_the_pieces_are_cut_the_same_is_masked(secret: str, size: int) -> None:
    mask = Redactor()
    mask.learn(secret)
    for text in (f"x{secret}y", secret * 2, secret[:-1] + secret, f"{secret[:-1]}.", f"{secret}{secret[:3]}"):
        came: list[str] = []
        assembler = AnswerAssembler(came.append, mask)
        for start in range(0, len(text), size):
            assembler.feed({"choices": [{"delta": {"content": text[start : start + size]}}]})
        assembler.end()
        answer = assembler.answer(WireNames([]))
        assert answer.text == "".join(came)
        assert secret not in answer.text
        rest = answer.text.replace(MASKED, secret)
        assert rest == text, "nothing else is touched"


def test_ordinary_text_of_a_secret_shape_stays() -> None:
    text = "use `password=hunter2hunter2` or sk-abcdefghijklmnopqrstuvwxyz012345"
    answer, came = ask(say(text))
    assert came == answer.text == text
