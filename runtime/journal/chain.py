"""The chain: an event's hash covers the hash before it in its stream and everything in the event.

`hash = SHA-256(previous hash, newline, canonical event with the payload's digest in place of the payload)`.
So a payload can be taken out and the chain still verifies. The first event of a stream follows GENESIS.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple, TypeAlias

from runtime.core.canonical import digest, value_digest
from runtime.core.clock import Clock, timestamp
from runtime.core.errors import Conflict, Invalid
from runtime.core.redact import Redactor
from runtime.core.values import Value, is_unicode
from runtime.journal import payload as payloads
from runtime.journal.counting import count_events
from runtime.journal.events import Damaged, Draft, Event, Head
from runtime.journal.types import TYPES

GENESIS = "sha256:" + "0" * 64

_STREAM = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/@#-]{0,255}")
_MAX_ACTOR = 1024
_quote = json.encoder.encode_basestring


Facts: TypeAlias = tuple[int, str, str, int, str, str, str, int | None, str]
"""The columns of a row from `seq` to `payload_digest`: what its hash covers."""


class Row(NamedTuple):
    """An event as a backend keeps it: the payload is text, or None once it was taken out."""

    seq: int
    branch: str
    stream: str
    position: int
    type: str
    actor: str
    time: str
    cause: int | None
    payload_digest: str
    hash: str
    payload: str | None


class Sealed(NamedTuple):
    """A draft that was checked, masked and written as text, before its place in the chain is known."""

    type: str
    actor: str
    cause: int | None
    text: str
    digest: str


def seal(stream: str, drafts: Sequence[Draft], redactor: Redactor) -> list[Sealed]:
    """Return the drafts masked and as text; raise Invalid for the first that may not be written."""
    if not _STREAM.fullmatch(stream):
        raise Invalid(
            f"invalid stream `{stream[:80]}`: expected up to 256 letters, digits and any of `_.:/@#-`"
        )
    texts = []
    for draft in drafts:
        _check(draft)
        texts.append(payloads.encode_plain(draft.payload))
    whole = "\n".join([text or "" for text in texts] + [draft.actor for draft in drafts])
    if None in texts or redactor.may_mask(whole):  # one look at all of them
        return [_seal(draft, redactor) for draft in drafts]
    return [
        Sealed(str(draft.type), draft.actor, draft.cause, text, digest(text.encode()))
        for draft, text in zip(drafts, texts, strict=True)
        if text is not None
    ]


def _check(draft: Draft) -> None:
    if draft.type not in TYPES:
        raise Invalid(f"unknown type of event `{draft.type[:80]}`: expected one of the journal's closed set")
    if not 0 < len(draft.actor) <= _MAX_ACTOR or not is_unicode(draft.actor):
        raise Invalid(f"invalid actor of `{draft.type}`: expected 1 to {_MAX_ACTOR} characters of text")
    if draft.cause is not None and (type(draft.cause) is not int or draft.cause < 1):
        raise Invalid(f"invalid cause of `{draft.type}`: expected the seq of an event, a number from 1 up")


def _seal(draft: Draft, redactor: Redactor) -> Sealed:
    try:
        text = payloads.encode(draft.payload, redactor)
    except Invalid as error:
        raise Invalid(f"payload of `{draft.type}`: {error.message}") from error
    return Sealed(str(draft.type), redactor.text(draft.actor), draft.cause, text, digest(text.encode()))


def link(
    sealed: Iterable[Sealed], head: Head, *, branch: str, stream: str, last_seq: int, clock: Clock
) -> list[Row]:
    """Return the rows that follow `head` in the stream and `last_seq` in the journal."""
    rows: list[Row] = []
    time = timestamp(clock.now())
    previous = head.hash
    for offset, item in enumerate(sealed, start=1):
        if item.cause is not None and item.cause > last_seq:
            raise Invalid(
                f"cause {item.cause} of `{item.type}` is not in the journal, whose last event is {last_seq}"
            )
        facts: Facts = (
            last_seq + offset, branch, stream, head.position + offset, item.type, item.actor, time,
            item.cause, item.digest,
        )  # fmt: skip
        previous = event_hash(previous, facts)
        rows.append(Row(*facts, previous, item.text))
    count_events(len(rows))
    return rows


def event_hash(previous: str, facts: Facts) -> str:
    """Return the hash of the event of `facts`, a row's first columns, after `previous`."""
    # Written by hand, because a verification does nothing else; a test holds it to `canonical`.
    seq, branch, stream, position, type, actor, time, cause, payload_digest = facts
    header = (
        f'{previous}\n{{"actor":{_quote(actor)},"branch":{_quote(branch)},"cause":{cause or "null"},'
        f'"payload_digest":{_quote(payload_digest)},"position":{position},"seq":{seq},'
        f'"stream":{_quote(stream)},"time":{_quote(time)},"type":{_quote(type)}}}'
    )
    return "sha256:" + sha256(header.encode("utf-8", "surrogatepass")).hexdigest()


def journal_head(heads: dict[tuple[str, str], Head]) -> str:
    """Return the hash over the heads of all streams, keyed by branch and stream, in sorted order."""
    return value_digest(
        [[branch, stream, head.position, head.hash] for (branch, stream), head in sorted(heads.items())]
    )


def check_expected(stream: str, head: Head, expected: int | None) -> None:
    """Raise Conflict when the stream is not at the position that the writer saw."""
    if expected is not None and head.position != expected:
        raise Conflict(
            f"stream `{stream}` is at position {head.position}, not at {expected}: read it again and retry",
            retryable=True,
            details={"stream": stream, "position": head.position, "expected": expected},
        )


def event_of(row: Row, payload: Value) -> Event:
    """Return the event of `row` with its payload as a value."""
    seq, branch, stream, position, type, actor, time, cause, payload_digest, hash, _ = row
    return Event(seq, branch, stream, position, type, actor, time, cause, payload, payload_digest, hash)


def written(rows: Iterable[Row]) -> list[Event]:
    """Return the events of rows that were just written."""
    return [event_of(row, None if row[10] is None else payloads.decode(row[10])) for row in rows]


def read_event(row: Row) -> Event:
    """Return the event of `row`; raise Damaged where its payload is no text that the journal wrote."""
    text = row[10]
    if text is None:
        return event_of(row, None)
    try:
        return event_of(row, payloads.decode(text))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise Damaged(f"event {row.seq} of stream `{row.stream}` can not be read: {error}") from error
