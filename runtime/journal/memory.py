"""A journal that lives as long as its host: the twin of the SQLite one, for `--ephemeral` and for tests."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from runtime.core.clock import Clock, SystemClock
from runtime.core.errors import NotFound, Unavailable
from runtime.core.redact import Redactor
from runtime.journal import chain, requests
from runtime.journal.branches import STREAM, BranchJournal, Fork, Forks, Segment, fork_draft
from runtime.journal.events import MAIN, Draft, Event, Head, Journal, Verification
from runtime.journal.noted import noted_at
from runtime.journal.redaction import redaction
from runtime.journal.verify import Verifier

_WHOLE = Segment(MAIN, None, None)


class MemoryJournal:
    """A journal in memory."""

    def __init__(self, *, clock: Clock | None = None, redactor: Redactor | None = None) -> None:
        self.redactor = redactor or Redactor()
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._rows: list[chain.Row] = []
        self._by_stream: dict[tuple[str, str], list[chain.Row]] = {}
        self._heads: dict[tuple[str, str], Head] = {}
        self._forks = Forks()
        self._closed = False

    def append(
        self, stream: str, drafts: Sequence[Draft], *, expected: int | None = None, durable: bool = False
    ) -> list[Event]:
        """See `Journal.append`; `durable` asks for what memory can not give, and changes nothing."""
        return self.append_on(MAIN, stream, drafts, expected=expected, durable=durable)

    def append_on(
        self, branch: str, stream: str, drafts: Sequence[Draft], *, expected: int | None, durable: bool
    ) -> list[Event]:
        """See `Backend.append_on`."""
        del durable
        sealed = chain.seal(stream, drafts, self.redactor)
        with self._lock:
            self._check_open()
            key = branch, stream
            head = self._heads.get(key) or self._forks.start(branch, stream, self._head_at)
            chain.check_expected(stream, head, expected)
            rows = chain.link(
                sealed, head, branch=branch, stream=stream, last_seq=len(self._rows), clock=self._clock
            )
            if rows:
                self._rows += rows
                self._by_stream.setdefault(key, []).extend(rows)
                self._heads[key] = Head(rows[-1].position, rows[-1].hash)
        return chain.written(rows)

    def read(
        self,
        stream: str | None = None,
        *,
        after: int = 0,
        types: Collection[str] = (),
        limit: int | None = None,
    ) -> Iterator[Event]:
        """See `Journal.read`."""
        return self.read_segment(_WHOLE, stream, after=after, types=types, limit=limit)

    def read_segment(
        self, segment: Segment, stream: str | None, *, after: int, types: Collection[str], limit: int | None
    ) -> Iterator[Event]:
        """See `Backend.read_segment`."""
        with self._lock:
            self._check_open()
            rows = self._rows if stream is None else self._by_stream.get((segment.branch, stream), [])
            last = len(self._rows) if segment.upto is None else segment.upto
            rows = rows[bisect_right(rows, after, key=_seq) : bisect_right(rows, last, key=_seq)]
        wanted = (
            row
            for row in rows
            if row.branch == segment.branch
            and (segment.streams is None or row.stream in segment.streams)
            and (not types or row.type in types)
        )
        return map(chain.read_event, islice(wanted, limit))

    def heads_of(self, segment: Segment) -> dict[str, Head]:
        """See `Backend.heads_of`."""
        with self._lock:
            self._check_open()
            last = len(self._rows) if segment.upto is None else segment.upto
            found = {
                stream: self._head_at(branch, stream, last)
                for branch, stream in self._by_stream
                if branch == segment.branch and (segment.streams is None or stream in segment.streams)
            }
        return {stream: head for stream, head in found.items() if head.position}

    def forks(self) -> Forks:
        """See `Journal.forks`."""
        return self._forks

    def fork(
        self, name: str, at: int, *, streams: Collection[str] | None = None, actor: str = "host"
    ) -> Fork:
        """See `Journal.fork`."""
        with self._lock:
            self._check_open()
            if not 0 < at <= len(self._rows):
                raise NotFound(f"no event {at} in the journal")
            event = chain.read_event(self._rows[at - 1])
        draft = fork_draft(name, event, streams, self._forks, actor)
        position = len(self._by_stream.get((MAIN, STREAM), ()))
        self._forks = Forks([*self.read(STREAM), *self.append(STREAM, [draft], expected=position)])
        return self._forks.by_name[name]

    def redact(self, seq: int, *, actor: str = "host") -> Event:
        """See `Journal.redact`."""
        with self._lock:
            self._check_open()
            if not 0 < seq <= len(self._rows):
                raise NotFound(f"no event {seq} in the journal")
            row = self._rows[seq - 1]
        draft = redaction(chain.read_event(row), row.payload is None, actor)
        (event,) = self.append_on(row.branch, row.stream, [draft], expected=None, durable=True)
        with self._lock:
            self._rows[seq - 1] = row._replace(payload=None)
            inside = self._by_stream[row.branch, row.stream]
            inside[inside.index(row)] = self._rows[seq - 1]
        return event

    def on(self, branch: str) -> Journal:
        """See `Journal.on`."""
        self._forks.check(branch)
        return self if branch == MAIN else BranchJournal(self, branch)

    def _head_at(self, branch: str, stream: str, seq: int) -> Head:
        rows = self._by_stream.get((branch, stream), [])
        found = bisect_right(rows, seq, key=_seq)
        return Head(rows[found - 1].position, rows[found - 1].hash) if found else Head(0, chain.GENESIS)

    def streams(self) -> dict[str, Head]:
        """See `Journal.streams`."""
        with self._lock:
            self._check_open()
            return {stream: head for (branch, stream), head in self._heads.items() if branch == MAIN}

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
        verifier = Verifier(stream, head_at=self._head_at)
        verifier.rows(row for row in rows if stream in (None, row.stream) or row.stream == STREAM)
        states = ((row.seq, row.branch, row.stream, row.position, row.hash) for row in rows)
        seq = None if noted is None else noted_at(states, noted)
        return replace(verifier.finish(heads), noted_at=seq)

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


def _seq(row: chain.Row) -> int:
    return row.seq
