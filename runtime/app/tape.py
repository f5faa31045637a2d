"""What was recorded of a session, played back: each thing that happens again must be the recorded one.

What happened inside a tool is not played: its answer stands for it. Times, PIDs and who was told what are no
part of a replay; messages, requests, answers and tool calls are, by their payloads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from runtime.core.errors import Conflict
from runtime.core.values import Value
from runtime.journal import types
from runtime.journal.events import Event

PLAYED = frozenset(
    {
        *(types.MODEL_SELECTED, types.MESSAGE_ADDED, types.TOOL_LOADED, types.CONTEXT_COMPRESSED),
        *(types.LLM_REQUESTED, types.LLM_RESPONDED, types.LLM_FAILED),
        *(types.TOOL_REQUESTED, types.TOOL_RESPONDED, types.TOOL_FAILED),
    }
)


class Divergence(Conflict):
    """The replay is not what was recorded; `details.event` is the recorded event where they part."""


class Tape:
    """The events of one session in order; `advanced` hears up to which seq the rest may go on."""

    def __init__(self, events: Iterable[Event], advanced: Callable[[int], None] = lambda _seq: None) -> None:
        every = list(events)
        self._texts = _texts(every)
        self._answers = {event.cause: event for event in every if event.cause and _is_answer(event)}
        self._left = deque(_outermost(every))
        self._choices = [event for event in every if event.type == types.MODEL_SELECTED]
        self._advanced = advanced
        self._matched: dict[int, Event] = {}
        self.played = 0
        self.divergence: Divergence | None = None

    def begin(self) -> None:
        """Let the world go on up to the first event."""
        self._advanced(self._left[0].seq if self._left else 2**63)

    def take(self, event: Event) -> None:
        """Compare what happened now with the next recorded event; raise Divergence where they differ."""
        if event.type not in PLAYED or self.divergence is not None:
            return
        if not self._left:
            raise self.diverge(None, f"`{event.type}` happens behind the end of what was recorded")
        recorded = self._left[0]
        if recorded.type != event.type:
            raise self.diverge(recorded, f"`{recorded.type}` was recorded, `{event.type}` happens")
        if recorded.payload_digest != event.payload_digest:
            raise self.diverge(recorded, _unlike(recorded.payload, event.payload))
        self._left.popleft()
        self._matched[event.seq] = recorded
        self.played += 1
        self.begin()

    def next_request(self, type: str) -> Event | None:
        """Return the next recorded request of this type."""
        return next((event for event in self._left if event.type == type), None)

    def answer_to(self, seq: int | None) -> Event:
        """Return the recorded answer to the request that happened as `seq`; raise Divergence without one."""
        recorded = self._matched.get(seq or 0)
        answer = self._answers.get(recorded.seq) if recorded else None
        if answer is None or (isinstance(answer.payload, dict) and answer.payload.get("lost")):
            raise self.diverge(recorded, "the request has no answer in the journal")
        if answer.payload is None:
            raise self.diverge(answer, "the answer was redacted")
        return answer

    def choice(self, entry: str) -> dict[str, Any] | None:
        """Return which model answered for the model entry `entry`, at this point of the record."""
        upcoming = self.next_request(types.LLM_REQUESTED)
        last = upcoming.seq if upcoming else 2**63
        payloads: list[Any] = [event.payload for event in self._choices if event.seq < last]
        fitting = [each for each in payloads if isinstance(each, dict) and each.get("entry") == entry]
        return fitting[-1] if fitting else None

    def next_line(self) -> str | None:
        """Return what the user said next: the last words of theirs in the next request; None at the end."""
        request = self.next_request(types.LLM_REQUESTED)
        payload: Any = request.payload if request else None
        messages = payload.get("messages") if isinstance(payload, dict) else None
        for digest in reversed(messages if isinstance(messages, list) else []):
            if digest in self._texts:
                return self._texts[digest]
        return None

    def finish(self) -> None:
        """Raise Divergence where something that was recorded did not happen."""
        if self._left and self.divergence is None:
            raise self.diverge(self._left[0], f"`{self._left[0].type}` was recorded and did not happen")

    def diverge(self, recorded: Event | None, why: str) -> Divergence:
        """Return the divergence at `recorded`; the first one stays."""
        at = f"event {recorded.seq}" if recorded else "the end"
        found = Divergence(
            f"the replay diverges at {at}: {why}",
            retryable=False,
            details={"event": recorded.seq if recorded else None},
        )
        self.divergence = self.divergence or found
        return self.divergence


def _outermost(events: list[Event]) -> list[Event]:
    """Return the played events without those that happened inside a tool."""
    inside: set[int] = set()
    found: list[Event] = []
    requests = {event.seq for event in events if event.type == types.TOOL_REQUESTED}
    for event in events:
        if event.cause in inside or (event.cause in requests and not _is_answer(event)):
            inside.add(event.seq)
        elif event.type in PLAYED:
            found.append(event)
    return found


def said(events: Iterable[Event]) -> list[str]:
    """Return what the user said in a session, in order, without what was said inside tools."""
    every = list(events)
    texts = _texts(every)
    digests = (_digest(event) for event in _outermost(every))
    return [texts[digest] for digest in digests if digest in texts]


def _is_answer(event: Event) -> bool:
    return any(event.type in answers for answers in types.ANSWERS.values())


def _texts(events: list[Event]) -> dict[str, str]:
    """Return what the user said, by the digest of the message."""
    found: dict[str, str] = {}
    for event in events:
        payload: Any = event.payload
        if (
            event.type != types.MESSAGE_ADDED
            or not isinstance(payload, dict)
            or payload.get("role") != "user"
        ):
            continue
        parts = payload.get("content") or []
        found[str(payload.get("digest"))] = "\n".join(str(part.get("text", "")) for part in parts)
    return found


def _digest(event: Event) -> str:
    payload: Any = event.payload
    added = event.type == types.MESSAGE_ADDED and isinstance(payload, dict)
    return str(payload.get("digest")) if added else ""


def _unlike(recorded: Value, happens: Value) -> str:
    """Return in which fields two payloads differ."""
    if not isinstance(recorded, dict) or not isinstance(happens, dict):
        return "its payload is another one"
    fields = sorted(key for key in {*recorded, *happens} if recorded.get(key) != happens.get(key))
    return (
        f"its {', '.join(f'`{field}`' for field in fields)} differ"
        if fields
        else "its payload is written anew"
    )
