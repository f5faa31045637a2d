"""What the model floor costs beside the model: a streamed answer, a scripted step, a long history sent.

The answer is compared, in one run, with the `openai` package reading the same stream by itself.
Run `python bench/llm.py [ROUNDS]` from the root of the repository.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from runtime.llm.chat_completions import ChatCompletions
from runtime.llm.endpoint import Endpoint
from runtime.llm.offline.driver import OfflineDriver
from runtime.llm.request import Message, Request
from runtime.llm.wire_request import wire_request
from runtime.testing.scripted_model import ScriptedModel, say

CHUNKS = 500


def message(role: str, text: str) -> Message:
    """Return a message of text."""
    return {"role": role, "content": [{"type": "text", "text": text}]}


REQUEST = Request("app:gpt", "gpt", [message("user", "what time is it?")])


def history(turns: int) -> Request:
    """Return a request with `turns` calls, each with its result."""
    messages = [message("user", "go")]
    for number in range(turns):
        call: Any = {"id": f"c{number}", "name": "app.tools:read", "arguments": {"path": "lua/core/time"}}
        messages.append({"role": "function_call", "content": [], "function_call": call})
        messages.append({**message("function_result", "x" * 200), "function_call_id": f"c{number}"})
    return Request("app:gpt", "gpt", messages)


async def timed(name: str, rounds: int, work: Callable[[], Awaitable[object]]) -> float:
    """Print and return the median of `rounds` runs in milliseconds; one run goes before."""
    await work()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        await work()
        times.append((time.perf_counter() - begin) * 1000)
    print(f"{name:<44} {statistics.median(times):8.2f} ms")
    return statistics.median(times)


async def main(rounds: int) -> None:
    """Print one line a case."""
    import openai

    long = history(2_000)
    with ScriptedModel(lambda _body: say(*["word "] * CHUNKS)) as model:
        driver = ChatCompletions(Endpoint(model.base_url, "loopback", loopback=True), "bench")
        bare = openai.AsyncOpenAI(base_url=model.base_url, api_key="none")

        async def ours() -> None:
            await driver.generate(REQUEST, lambda _text: None)

        async def theirs() -> None:
            body: Any = wire_request(REQUEST).body
            async for _ in await bare.chat.completions.create(**body):
                pass

        async def step() -> None:
            await OfflineDriver().generate(REQUEST, lambda _text: None)

        async def wire() -> None:
            wire_request(long)

        ours_ms = await timed(f"answer of {CHUNKS} chunks, our driver", rounds, ours)
        theirs_ms = await timed(f"answer of {CHUNKS} chunks, openai alone", rounds, theirs)
        print(f"{'ratio':<44} {ours_ms / theirs_ms:8.2f}")
        await timed("one scripted step", rounds, step)
        await timed("history of 2,000 calls to the wire", rounds, wire)
        await driver.close()
        await bare.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
