"""Counts the events that are written on somebody's behalf, so that they can be held to a budget.

What a block of code writes counts, and what the asyncio tasks write that it starts; what it asks others to do
on their own, such as code in a Lua thread, does not. Counts nest: an event counts for all around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class EventCount:
    """How many events were written so far."""

    events: int = 0


_counts: ContextVar[tuple[EventCount, ...]] = ContextVar("event_counts", default=())


@contextmanager
def counting() -> Iterator[EventCount]:
    """Count the events that are written inside the block."""
    count = EventCount()
    token = _counts.set((*_counts.get(), count))
    try:
        yield count
    finally:
        _counts.reset(token)


def count_events(number: int) -> None:
    """Add `number` events to every count that is open here."""
    for count in _counts.get():
        count.events += number
