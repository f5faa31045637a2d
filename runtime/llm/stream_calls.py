"""Streamed tool calls are put together by id, then by index, then by order; never two calls into one.

Servers differ: two calls with index 0 and two ids; no index, or null; 1 then 3; pieces of several calls
mixed; the id only in the first piece, in every piece, or nowhere; the whole call in one piece. What is
certain decides first: a new id is a new call, and so is a name where the call at hand has its own already.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from runtime.core.errors import Unavailable
from runtime.core.ids import new_id
from runtime.llm.plain import MAX_ARGUMENTS, clean_text, read_arguments
from runtime.llm.request import ToolCall
from runtime.llm.wire_names import WireNames

MAX_CALLS = 128
NAMELESS = "unnamed_tool"


@dataclass(slots=True)
class _Open:
    id: str
    index: int | None
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    size: int = 0


class CallAssembler:
    """Takes the `tool_calls` of each delta and gives the complete calls in the order in which they began."""

    def __init__(self) -> None:
        self._calls: list[_Open] = []

    def __len__(self) -> int:
        return len(self._calls)

    def feed(self, deltas: Any) -> None:
        """Take the pieces of one delta; what is no piece of a call is ignored."""
        for delta in deltas if isinstance(deltas, list) else ():
            if isinstance(delta, dict):
                self._piece(delta)

    def finish(self, names: WireNames, mask: Callable[[str], str] = str) -> list[ToolCall]:
        """Return the calls, each with an id of its own, under the names of the runtime; texts pass `mask`."""
        used: set[str] = set()
        calls: list[ToolCall] = []
        for call in self._calls:
            if not call.name and not call.id and not "".join(call.pieces).strip():
                continue
            arguments, problem = read_arguments(mask("".join(call.pieces)))
            if not call.name:
                arguments, problem = {}, "the call names no tool"
            call_id = mask(call.id)
            if not call_id or call_id in used:
                call_id = f"call_{new_id()}"
            used.add(call_id)
            calls.append(ToolCall(call_id, names.name(mask(call.name)) or NAMELESS, arguments, problem))
        return calls

    def _piece(self, delta: dict[str, Any]) -> None:
        function = delta.get("function")
        function = function if isinstance(function, dict) else {}
        call_id, name = _string(delta.get("id")), _string(function.get("name"))
        index = delta.get("index")
        index = index if isinstance(index, int) and not isinstance(index, bool) else None
        call = self._find(call_id, index, name)
        if call is None:
            if len(self._calls) >= MAX_CALLS:
                raise Unavailable(f"the provider asked for more than {MAX_CALLS} tool calls in one answer")
            call = _Open(call_id, index)
            self._calls.append(call)
        call.id = call.id or call_id
        if name and name != call.name and not call.pieces:
            call.name += name
        _add_arguments(call, function.get("arguments"))

    def _find(self, call_id: str, index: int | None, name: str) -> _Open | None:
        if call_id:
            return self._by_id(call_id, index, name)
        call = _last(self._calls if index is None else (c for c in self._calls if c.index == index))
        if call and name and call.pieces and (index is None or name != call.name):
            return None  # a name after arguments begins the next call
        return call

    def _by_id(self, call_id: str, index: int | None, name: str) -> _Open | None:
        same = [call for call in self._calls if call.id == call_id]
        if same and index is not None and name and all(call.index not in (None, index) for call in same):
            return None  # one id for two calls: the index tells them apart
        if same:
            return _last(call for call in same if index is None or call.index == index) or same[-1]
        early = _last(call for call in self._calls if call.index == index)
        # The id may come after the name, but a piece with a name of its own begins a call.
        return early if early and not early.id and not name else None


def _add_arguments(call: _Open, arguments: Any) -> None:
    if isinstance(arguments, dict):  # some servers send the object itself
        arguments = json.dumps(arguments)
    if not isinstance(arguments, str) or not arguments:
        return
    call.size += len(arguments)
    if call.size <= MAX_ARGUMENTS + 1:
        call.pieces.append(arguments)
    elif call.size - len(arguments) <= MAX_ARGUMENTS:
        call.pieces.append(arguments[: MAX_ARGUMENTS + 1])  # enough to be found too long


def _last(calls: Iterable[_Open]) -> _Open | None:
    found = None
    for call in calls:
        found = call
    return found


def _string(value: Any) -> str:
    return clean_text(value) if isinstance(value, str) else ""
