"""Those who react to changes hear of each, in order, once it is in force; none can spoil it for another."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable

from runtime.registry.entry import Change

Listener = Callable[[Change], None]

_log = logging.getLogger(__name__)


class Listeners:
    """The subscribers, and the changes that they have not heard of yet.

    A listener may change the registry: what it causes is delivered after what is being delivered.
    """

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._waiting: deque[Change] = deque()
        self._delivering = False

    def add(self, listener: Listener) -> None:
        """Deliver to `listener` from now on."""
        self._listeners.append(listener)

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

    @staticmethod
    def _hand(listener: Listener, change: Change) -> None:
        try:
            listener(change)
        except Exception:
            _log.exception("a listener failed on version %d of the registry", change.version)
