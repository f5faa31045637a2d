"""The commands `llm.generate` and `llm.select`: checked, recorded, sent, streamed, closed exactly once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from runtime.core.errors import Canceled, Error, Internal, Invalid, NotFound, Unavailable
from runtime.core.values import Value
from runtime.journal.events import Event
from runtime.llm.chat_completions import warm_up
from runtime.llm.intake import Asked, Stream, read_request
from runtime.llm.models import find_model
from runtime.llm.recorder import Recorder
from runtime.llm.request import Answer, Request, Tool
from runtime.llm.schema import sendable_tools
from runtime.llm.selection import Selected
from runtime.lua.dispatch import Caller, Dispatcher
from runtime.registry.entry import Origin
from runtime.registry.snapshot import Snapshot
from runtime.security.guard import Guard

Send = Callable[[Caller, str, str, list[Value]], None]


@dataclass(frozen=True, slots=True)
class Ways:
    """What the service needs of others: `snapshot` gives the registry as it is now, `send` posts payloads
    (caller, PID, topic, payloads), `pid_of` gives the PID of a caller, `on_fatal` hears of a refusal that no
    further request of this run can change.
    """

    snapshot: Callable[[], Snapshot]
    send: Send
    pid_of: Callable[[Caller], str]
    on_fatal: Callable[[Error], None]


class Chooser(Protocol):
    """Who says which model answers: a `Selector`, or in a replay what was recorded."""

    def select(self, snapshot: Snapshot, reference: str) -> Selected:
        """Return the model that answers for `reference`; see `Selector.select`."""

    def refuse(self, error: Error) -> None:
        """Take note that a provider refused for good."""

    async def close(self) -> None:
        """Close what the drivers hold."""


class LlmService:
    """Answers the commands of the bundled module `wippy/llm`."""

    def __init__(self, selector: Chooser, recorder: Recorder, guard: Guard, ways: Ways) -> None:
        self._selector = selector
        self._recorder = recorder
        self._guard = guard
        self._ways = ways

    def register(self, dispatcher: Dispatcher) -> None:
        """Offer both commands."""
        dispatcher.register("llm.generate", self.generate)
        dispatcher.register("llm.select", self.select)

    async def select(self, caller: Caller, args: list[Any]) -> dict[str, Value]:
        """Answer which model would answer for {model}; see `Selected.to_value`.

        Raises Invalid, NotFound, PermissionDenied and Unavailable.
        """
        table = args[0] if args else None
        reference = table.get("model") if isinstance(table, dict) else None
        if not isinstance(reference, str) or not reference:
            raise Invalid("`model` must be the id or the name of a model")
        snapshot = self._ways.snapshot()
        model = find_model(snapshot, reference)
        self._guard.require(caller.context, "llm.generate", model.id)
        selected = self._selector.select(snapshot, model.id)
        if not selected.scripted:
            warm_up()  # who asks which model answers is about to ask it
        return selected.to_value()

    async def generate(self, caller: Caller, args: list[Any]) -> dict[str, Value]:
        """Answer a request table with {result, tool_calls?, tokens?, finish_reason, metadata}.

        Raises what `intake`, the guard, the selector and the driver raise; once the request is recorded, its
        end is recorded too, also when it is cancelled.
        """
        asked = read_request(args[0] if args else None)
        snapshot = self._ways.snapshot()
        model = find_model(snapshot, asked.model)
        self._guard.require(caller.context, "llm.generate", model.id, {"purpose": asked.purpose})
        deliver = self._deliver(caller, asked.stream)
        selected = self._selector.select(snapshot, model.id)
        tools, dropped = sendable_tools(asked.tools)
        asked = replace(asked, messages=self._recorder.without_secrets(asked.messages))
        request = _request(asked, selected, tools)
        requested = self._recorder.requested(
            caller.session,
            request,
            selected,
            born=_born(snapshot, tools),
            dropped=dropped,
            actor=_actor(caller),
            cause=caller.cause,
        )
        answer = await self._run(requested, request, selected, deliver)
        if dropped:
            answer.metadata["dropped_tools"] = dict(dropped)
        self._recorder.responded(requested, request, answer)
        return answer.to_value()

    async def close(self) -> None:
        """Close the connections to providers."""
        await self._selector.close()

    async def _run(
        self, requested: Event, request: Request, selected: Selected, deliver: Callable[[str], None]
    ) -> Answer:
        came: list[str] = []

        def on_chunk(text: str) -> None:
            came.append(text)
            deliver(text)

        try:
            return await selected.driver.generate(request, on_chunk)
        except BaseException as error:
            failure = _failure(error)
            self._recorder.failed(requested, failure, "".join(came))
            if failure.details.get("fatal"):
                self._selector.refuse(failure)
                self._ways.on_fatal(failure)
            if isinstance(error, Exception):
                raise failure from error
            raise

    def _deliver(self, caller: Caller, stream: Stream | None) -> Callable[[str], None]:
        """Return what takes each chunk; the caller may stream to itself, to others only by policy.

        A receiver that is gone takes nothing more; the answer itself still goes to the caller.
        """
        if stream is None:
            return lambda _text: None
        if stream.topic.startswith("@"):
            raise Invalid(f"`{stream.topic}` is a topic of the host: choose one that does not begin with `@`")
        if stream.reply_to != self._ways.pid_of(caller):
            self._guard.require(caller.context, "process.send", stream.reply_to, {"topic": stream.topic})

        def deliver(text: str) -> None:
            with contextlib.suppress(NotFound, Unavailable):
                self._ways.send(caller, stream.reply_to, stream.topic, [{"type": "chunk", "content": text}])

        return deliver


def _request(asked: Asked, selected: Selected, tools: list[Tool]) -> Request:
    return Request(
        selected.entry,
        selected.model,
        asked.messages,
        tools,
        asked.tool_choice,
        {**selected.options, **asked.options},
        asked.purpose,
    )


def _born(snapshot: Snapshot, tools: Sequence[Tool]) -> dict[str, Tool]:
    """Return the tools whose entries were made at run time, by id."""
    found: dict[str, Tool] = {}
    for tool in tools:
        entry = snapshot.get(tool.registry_id) if tool.registry_id else None
        if entry is not None and entry.origin == Origin.RUNTIME:
            found[entry.id] = tool
    return found


def _actor(caller: Caller) -> str:
    actor = getattr(caller.context, "actor", None)
    return actor.id if actor else "host"


def _failure(error: BaseException) -> Error:
    if isinstance(error, Error):
        return error
    if isinstance(error, asyncio.CancelledError):
        return Canceled("the request was interrupted", retryable=False)
    return Internal(f"the model driver failed: {type(error).__name__}")
