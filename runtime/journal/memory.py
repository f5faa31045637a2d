"""A journal that lives as long as its host: the twin of the SQLite one, for `--ephemeral` and for tests."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from runtime.core.clock import Clock, SystemClock
from runtime.core.errors import Unavailable
from runtime.core.redact import Redactor
from runtime.journal import chain, requests
from runtime.journal.events import MAIN, Draft, Event, Head, Verification
from runtime.journal.verify import Verifier


class MemoryJournal:
    """A journal in memory."""

    def __init__(self, *, clock: Clock | None = None, redactor: Redactor | None = None) -> None:
        self.redactor = redactor or Redactor()
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._rows: list[chain.Row] = []
        self._heads: dict[tuple[str, str], Head] = {}
        self._closed = False

    def append(
        self, stream: str, drafts: Sequence[Draft], *, expected: int | None = None, durable: bool = False
    ) -> list[Event]:
        """See `Journal.append`; `durable` asks for what memory can not give, and changes nothing."""
        del durable
        sealed = chain.seal(stream, drafts, self.redactor)
        with self._lock:
            self._check_open()
            head = self._heads.get((MAIN, stream), Head(0, chain.GENESIS))
            chain.check_expected(stream, head, expected)
            rows = chain.link(
                sealed, head, branch=MAIN, stream=stream, last_seq=len(self._rows), clock=self._clock
            )
            if rows:
                self._rows += rows
                self._heads[MAIN, stream] = Head(rows[-1].position, rows[-1].hash)
        return [chain.event_of(row, item.payload) for row, item in zip(rows, sealed, strict=True)]

    def read(
        self,
        stream: str | None = None,
        *,
        after: int = 0,
        types: Collection[str] = (),
        limit: int | None = None,
    ) -> Iterator[Event]:
        """See `Journal.read`."""
        with self._lock:
            self._check_open()
            rows = self._rows[max(after, 0) :]
        wanted = (
            row
            for row in rows
            if (stream is None or row.stream == stream) and (not types or row.type in types)
        )
        return map(chain.read_event, islice(wanted, limit))

    def streams(self) -> dict[str, Head]:
        """See `Journal.streams`."""
        with self._lock:
            self._check_open()
            return {stream: head for (_, stream), head in self._heads.items()}

    def head(self) -> str:
        """See `Journal.head`."""
        with self._lock:
            self._check_open()
            return chain.journal_head(self._heads)

    def verify(self, stream: str | None = None, *, noted: str | None = None) -> Verification:
        """See `Journal.verify`."""
        with self._lock:
            self._check_open()
            rows, heads = list(self._rows), dict(self._heads)
        verifier = Verifier(stream, noted)
        verifier.rows(row for row in rows if stream in (None, row.stream))
        return verifier.finish(heads)

    def open_requests(self) -> list[Event]:
        """See `Journal.open_requests`."""
        with self._lock:
            self._check_open()
            rows = self._rows[:]
        return [
            chain.read_event(rows[seq - 1])
            for seq in requests.open_requests((row.seq, row.type, row.cause) for row in rows)
        ]

    def close(self) -> None:
        """See `Journal.close`."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise Unavailable("the journal is closed")
