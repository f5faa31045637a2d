"""Which payloads may be taken out of a journal, and the event that says that one was.

What the journal itself is read by stays: without it the registry, a branch or a promotion would be another
one.
"""

from __future__ import annotations

from runtime.core.errors import Conflict, Invalid
from runtime.journal.events import Draft, Event
from runtime.journal.types import (
    BRANCH_FORKED,
    JOURNAL_COMPACTED,
    JOURNAL_REDACTED,
    PROMOTE_APPLIED,
    REGISTRY_APPLIED,
)

KEPT = frozenset({BRANCH_FORKED, JOURNAL_COMPACTED, JOURNAL_REDACTED, PROMOTE_APPLIED, REGISTRY_APPLIED})


def redaction(event: Event, gone: bool, actor: str) -> Draft:
    """Return the event that records the redaction of `event`; `gone` tells whether its payload is out.

    Raises Invalid for a type that is kept, Conflict where nothing is left to take out.
    """
    if event.type in KEPT:
        raise Invalid(
            f"event {event.seq} is a `{event.type}`: what the registry and the branches are is read from it, "
            "so it stays; roll back what it did, then compact the journal and remove the archive"
        )
    if gone:
        raise Conflict(f"the payload of event {event.seq} is gone already", retryable=False)
    payload: dict[str, object] = {
        "seq": event.seq,
        "type": event.type,
        "payload_digest": event.payload_digest,
    }
    return Draft(JOURNAL_REDACTED, payload, actor, event.seq)  # type: ignore[arg-type]
