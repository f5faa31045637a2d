"""An answer is complete when the provider says so: by a finish reason or by the end marker, never by silence.

A stream that just ends was cut: no tool of it runs, and its text is no answer. A server that sends back the
key that it was given is not repeated: the key is masked before anybody sees the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.core.errors import Unavailable
from runtime.core.redact import Redactor
from runtime.llm.plain import clean_text
from runtime.llm.request import Answer, FinishReason, Tokens
from runtime.llm.stream_calls import CallAssembler
from runtime.llm.wire_names import WireNames

MAX_TEXT = 4_000_000  # characters of one answer
MAX_COUNT = 10**12  # tokens; a provider that reports more has reported nothing

_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_call",
    "function_call": "tool_call",
    "content_filter": "filtered",
    "error": "error",
}


class AnswerAssembler:
    """Takes the chunks of one streamed completion, as parsed JSON, and gives the answer.

    `on_chunk` gets each piece of text at once; half of a surrogate pair waits for its other half, and what
    may be the beginning of a secret that `mask` has learned waits for its rest.
    """

    def __init__(self, on_chunk: Callable[[str], None], mask: Redactor | None = None) -> None:
        self._on_chunk = on_chunk
        self._mask = mask or Redactor()
        self._calls = CallAssembler()
        self._text: list[str] = []
        self._size = 0
        self._half = ""
        self._held = ""
        self._finish: str | None = None
        self._ended = False
        self._refused = False
        self._tokens: Tokens | None = None
        self._metadata: dict[str, str] = {}

    def feed(self, chunk: Any) -> None:
        """Take one chunk; the whole completion of a server that does not stream is one too."""
        if not isinstance(chunk, dict):
            return
        for source, name in (("id", "request_id"), ("model", "model")):
            if isinstance(value := chunk.get(source), str) and value:
                self._metadata.setdefault(name, self._mask.learned(clean_text(value)))
        self._tokens = _tokens(chunk.get("usage")) or self._tokens
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and not choice.get("index"):
                self._choice(choice)

    @property
    def complete(self) -> bool:
        """Whether the provider has said that the answer is over."""
        return self._ended or self._finish is not None

    def end(self) -> None:
        """Take the end marker."""
        self._ended = True

    def answer(self, names: WireNames) -> Answer:
        """Return the answer; raise Unavailable, retryable, when the stream was cut."""
        if not self.complete:
            raise Unavailable(
                "the provider's answer was cut off before its end: nothing of it was used, ask again",
                retryable=True,
            )
        self._say("", last=True)
        finish: FinishReason = _FINISH.get(self._finish or "stop", "stop")
        calls = self._calls.finish(names, self._mask.learned)
        metadata: dict[str, Any] = dict(self._metadata)
        if calls and finish in ("length", "filtered", "error"):
            # The last call may lack its end, and who was cut off meant more: none of them runs.
            metadata.update(truncated=True, dropped_calls=len(calls))
            calls = []
        if self._refused and finish == "stop" and not calls:
            finish = "filtered"
        if calls or finish == "tool_call":
            finish = "tool_call" if calls else "stop"
        return Answer("".join(self._text), calls, self._tokens, finish, metadata)

    def _choice(self, choice: dict[str, Any]) -> None:
        delta = choice.get("delta") or choice.get("message")
        delta = delta if isinstance(delta, dict) else {}
        if isinstance(content := delta.get("content"), str):
            self._say(content)
        elif isinstance(refusal := delta.get("refusal"), str):
            self._refused = True
            self._say(refusal)
        self._calls.feed(delta.get("tool_calls"))
        if isinstance(old := delta.get("function_call"), dict):  # the form before tool calls
            self._calls.feed([{"index": 0, "function": old}])
        if isinstance(finish := choice.get("finish_reason"), str) and finish:
            self._finish = finish

    def _say(self, text: str, *, last: bool = False) -> None:
        text = self._half + text
        self._half = ""
        if not last and text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        text = self._mask.learned(self._held + clean_text(text))
        held = 0 if last else self._mask.begun(text)
        text, self._held = text[: len(text) - held], text[len(text) - held :]
        if not text:
            return
        self._size += len(text)
        if self._size > MAX_TEXT:
            raise Unavailable(f"the provider's answer is longer than {MAX_TEXT} characters")
        self._text.append(text)
        self._on_chunk(text)


def _tokens(usage: Any) -> Tokens | None:
    if not isinstance(usage, dict):
        return None
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    if prompt is None and completion is None:
        return None
    details = usage.get("completion_tokens_details")
    thinking = _count(details, "reasoning_tokens") if isinstance(details, dict) else None
    return Tokens(prompt or 0, completion or 0, thinking or 0)


def _count(source: dict[str, Any], name: str) -> int | None:
    value = source.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MAX_COUNT else None
