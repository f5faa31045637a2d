"""Those who react to changes hear of each, in order, once it is in force; none can spoil it for another."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence

from runtime.core.errors import Error
from runtime.registry.entry import Change, Op, Origin

Listener = Callable[[Change], None]
Refused = Callable[[Sequence[Op], Origin, Error], None]

_log = logging.getLogger(__name__)


class Listeners:
    """The subscribers, and the changes that they have not heard of yet.

    A listener may change the registry: what it causes is delivered after what is being delivered.
    """

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._refused: list[Refused] = []
        self._waiting: deque[Change] = deque()
        self._delivering = False

    def add(self, listener: Listener, refused: Refused | None = None) -> None:
        """Deliver to `listener`, and what is refused to `refused`, from now on."""
        self._listeners.append(listener)
        self._refused += [refused] if refused else []

    def queue(self, change: Change) -> None:
        """Note `change` for the next delivery."""
        self._waiting.append(change)

    def deliver(self) -> None:
        """Hand out what waits; called by one thread at a time."""
        if self._delivering:
            return
        self._delivering = True
        try:
            while self._waiting:
                change = self._waiting.popleft()
                for listener in list(self._listeners):
                    self._hand(listener, change)
        finally:
            self._delivering = False

    def refused(self, ops: Sequence[Op], origin: Origin, error: Error) -> None:
        """Tell of a changeset that is not in force; nothing waits for what is told."""
        for each in self._refused:
            try:
                each(ops, origin, error)
            except Exception:
                _log.exception("a listener failed on a refused change")

    @staticmethod
    def _hand(listener: Listener, change: Change) -> None:
        try:
            listener(change)
        except Exception:
            _log.exception("a listener failed on version %d of the registry", change.version)
