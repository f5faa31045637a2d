"""Which requests are open: recorded before their effect, and without an answer since.

After a crash these are what may or may not have happened; they are reported and never run again.
"""

from __future__ import annotations

from collections.abc import Iterable

from runtime.journal.types import ANSWERS

REQUEST_TYPES = frozenset(ANSWERS) | {answer for answers in ANSWERS.values() for answer in answers}
"""The types that decide whether a request is open."""


def open_requests(events: Iterable[tuple[int, str, int | None]]) -> list[int]:
    """Return the seqs of requests among `events` (seq, type, cause; in order) without an answer by cause."""
    waiting: dict[int, str] = {}
    for seq, type_, cause in events:
        if type_ in ANSWERS:
            waiting[seq] = type_
        elif cause in waiting and type_ in ANSWERS[waiting[cause]]:
            del waiting[cause]
    return list(waiting)
