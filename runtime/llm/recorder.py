"""The host writes down every request before it is sent and closes it exactly once, whatever happens to it.

A message is written once for each session, when it first goes to a model; requests refer to messages by
digest and never repeat them. What belongs to a request is appended together, and on disk before it is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from runtime.core.canonical import value_digest
from runtime.core.errors import Error
from runtime.core.redact import Redactor
from runtime.core.values import Value
from runtime.journal import types
from runtime.journal.events import Draft, Event, Journal
from runtime.llm.request import Answer, Message, Request, Tool, text_of
from runtime.llm.selection import Selected

HOST_STREAM = "host"
"""The stream of requests that belong to no session."""


@dataclass(slots=True)
class _Told:
    """What a stream says already: digests of messages, ids of loaded tools, the choice for each purpose."""

    messages: set[str] = field(default_factory=set)
    tools: set[str] = field(default_factory=set)
    choices: dict[str, Value] = field(default_factory=dict)


class Recorder:
    """Writes the story of all requests to `journal`; `redactor` is the one that the journal masks with.

    Digests are taken of messages as they are written, with secrets masked, so that a reader can check them.
    """

    def __init__(self, journal: Journal, redactor: Redactor | None = None) -> None:
        self._journal = journal
        self._redactor = redactor or getattr(journal, "redactor", None) or Redactor()
        self._streams: dict[str, _Told] = {}

    def requested(
        self,
        session: str | None,
        request: Request,
        selected: Selected,
        *,
        born: Mapping[str, Tool],
        dropped: Mapping[str, str],
        actor: str,
        cause: int | None,
    ) -> Event:
        """Write `llm.requested`, before it what it refers to, and return it.

        `born` are the offered tools that came into being at run time, by id; `dropped` those left out: why.
        """
        stream = session or HOST_STREAM
        told = self._told(stream)
        messages = [self._masked(message) for message in request.messages]
        digests = [value_digest(message) for message in messages]
        choice: dict[str, Value] = {**selected.to_value(), "purpose": request.purpose}
        drafts: list[Draft] = []
        if told.choices.get(request.purpose) != choice:
            drafts.append(Draft(types.MODEL_SELECTED, choice, actor, cause))
        new_tools = [entry_id for entry_id in born if entry_id not in told.tools]
        for entry_id in new_tools:
            loaded: dict[str, Value] = {"id": entry_id, "name": born[entry_id].name}
            drafts.append(Draft(types.TOOL_LOADED, loaded, actor, cause))
        fresh = {
            digest: message
            for digest, message in zip(digests, messages, strict=True)
            if digest not in told.messages
        }
        drafts += [
            Draft(types.MESSAGE_ADDED, {"digest": digest, **message}, actor, cause)
            for digest, message in fresh.items()
        ]
        payload = _request_payload(request, selected, digests, dropped)
        event = self._journal.append(
            stream, [*drafts, Draft(types.LLM_REQUESTED, payload, actor, cause)], durable=True
        )[-1]
        told.messages.update(fresh)
        told.tools.update(new_tools)
        told.choices[request.purpose] = choice
        return event

    def without_secrets(self, messages: Sequence[Message]) -> list[Message]:
        """Return the messages as a provider may see them: without what is known to be a secret here."""
        hide = self._redactor.learned
        return [{name: _hidden(item, hide) for name, item in message.items()} for message in messages]

    def responded(self, requested: Event, request: Request, answer: Answer) -> None:
        """Close the request with the answer; that of a compression is also `context.compressed`."""
        value = answer.to_value()
        payload = {"tool_calls": [], "tokens": None, **value}
        event = self._close(requested, Draft(types.LLM_RESPONDED, payload, requested.actor, requested.seq))
        if request.purpose == "compress":
            before = sum(len(text_of(message)) for message in request.messages if message["role"] == "user")
            compressed: dict[str, Value] = {
                "model": request.provider_model,
                "characters_before": before,
                "characters_after": len(answer.text),
                "text": answer.text,
            }
            draft = Draft(types.CONTEXT_COMPRESSED, compressed, requested.actor, event.seq)
            self._journal.append(requested.stream, [draft])

    def failed(self, requested: Event, error: Error, text: str) -> None:
        """Close the request with the error and the text that had come by then."""
        payload: dict[str, Value] = {"error": error.to_value(), "text": text}
        self._close(requested, Draft(types.LLM_FAILED, payload, requested.actor, requested.seq))

    def _close(self, requested: Event, draft: Draft) -> Event:
        return self._journal.append(requested.stream, [draft])[-1]

    def _masked(self, message: Message) -> dict[str, Value]:
        masked = self._redactor.value(message)
        return masked if isinstance(masked, dict) else {}

    def _told(self, stream: str) -> _Told:
        """Return what `stream` says; a stream of an earlier run is read once."""
        told = self._streams.get(stream)
        if told is None:
            told = _Told()
            kinds = (types.MESSAGE_ADDED, types.TOOL_LOADED, types.MODEL_SELECTED)
            _remember(told, self._journal.read(stream, types=kinds))
            self._streams[stream] = told
        return told


def _hidden(value: Value, hide: Callable[[str], str]) -> Value:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, list):
        return [_hidden(item, hide) for item in value]
    if isinstance(value, dict):
        return {hide(name): _hidden(item, hide) for name, item in value.items()}
    return value


def _remember(told: _Told, events: Iterable[Event]) -> None:
    for event in events:
        payload = event.payload
        if not isinstance(payload, dict):
            continue  # it was redacted
        if event.type == types.MESSAGE_ADDED:
            told.messages.add(str(payload.get("digest")))
        elif event.type == types.TOOL_LOADED:
            told.tools.add(str(payload.get("id")))
        else:
            told.choices[str(payload.get("purpose"))] = payload


def _request_payload(
    request: Request, selected: Selected, digests: list[str], dropped: Mapping[str, str]
) -> dict[str, Value]:
    payload: dict[str, Value] = {
        "entry": request.model,
        "model": request.provider_model,
        "provider": selected.provider,
        "host": selected.host,
        "scripted": selected.scripted,
        "purpose": request.purpose,
        "messages": list(digests),
        "tools": [tool.name for tool in request.tools],
        "options": request.options,
    }
    if request.tool_choice:
        payload["tool_choice"] = request.tool_choice
    if dropped:
        payload["dropped_tools"] = dict(dropped)
    return payload
