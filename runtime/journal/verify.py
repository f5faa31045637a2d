"""Reading the journal again from the first event: is each one still what was written, in its place?

What changed in place, was dropped, inserted or moved is found. Not found is a journal that was rewritten
whole, or cut back together with its heads: for that, compare its head with one that was noted elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from runtime.core.canonical import digest
from runtime.journal.branches import STREAM as BRANCHES
from runtime.journal.branches import Forks, read_fork
from runtime.journal.chain import GENESIS, Row, event_hash, event_of, journal_head
from runtime.journal.events import MAIN, Head, Verification
from runtime.journal.payload import read as read_payload
from runtime.journal.types import BRANCH_FORKED, JOURNAL_REDACTED, TYPES

MAX_PROBLEMS = 100

_START = Head(0, GENESIS)
_USUAL = TYPES - {BRANCH_FORKED, JOURNAL_REDACTED}


class Verifier:
    """Takes the rows in order of `seq`, then the heads that the journal keeps.

    With `stream` only the rows and the heads of that stream are taken, and the forks: what is missing shows
    in its positions. `head_at(branch, stream, seq)` gives the last event that a branch itself has up to a
    seq.
    """

    def __init__(
        self,
        stream: str | None = None,
        *,
        head_at: Callable[[str, str, int], Head] = lambda _branch, _stream, _seq: _START,
    ) -> None:
        self._stream = stream
        self._head_at = head_at
        self._forks = Forks()
        self._last: dict[tuple[str, str], tuple[Any, ...]] = {}
        """The last row of each stream of each branch."""
        self._seq = 0
        self._events = 0
        self._gone: list[int] = []
        self._on_record: set[int] = set()
        self._problems: list[str] = []

    def problem(self, text: str) -> None:
        """Note a problem that was found elsewhere."""
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(text)

    def rows(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Check the next rows, which have the columns of `Row` and hold whatever stands in the file."""
        whole, last, expected = self._stream is None, self._last, self._seq + 1
        for row in rows:
            self._events += 1
            if row[0] != expected and whole:
                self.problem(_missing(expected, row[0]))
            expected = row[0] + 1
            key = row[1:3]
            before = last.get(key)
            if before is not None and _is_usual(row, before):
                last[key] = row
            elif row[1] is None:
                self.problem(f"event {row[0]}: the stream that it belongs to is gone")
            elif not _is_typed(Row._make(row)):
                self.problem(f"event {row[0]}: a column holds data of another type")
            else:
                self._payload(Row._make(row))
                self._link(Row._make(row))
        self._seq = expected - 1

    def finish(self, kept: dict[tuple[str, str], Head]) -> Verification:
        """Compare with the heads that the journal keeps, and return what was found."""
        ends = {key: Head(row[3], row[9]) for key, row in self._last.items()}
        if self._stream is not None:
            kept = {key: head for key, head in kept.items() if key[1] == self._stream or key in ends}
        for key in sorted({*kept, *ends}):
            branch, stream = key
            found, wanted = ends.get(key, _START), kept.get(key, _START)
            if found != wanted:
                self.problem(
                    f"stream `{stream}` of branch `{branch}` ends at position {found.position} but its head "
                    f"says {wanted.position}: events were dropped or added at its end"
                    if found.position != wanted.position
                    else f"the head of stream `{stream}` of branch `{branch}` is not its last event's hash"
                )
        for seq in self._gone:
            if seq not in self._on_record and self._stream is None:  # the record may be in another stream
                self.problem(f"event {seq}: the payload is gone and no `{JOURNAL_REDACTED}` event says why")
        redacted = tuple(seq for seq in self._gone if seq in self._on_record)
        return Verification(self._events, journal_head(ends), tuple(self._problems), redacted)

    def _payload(self, row: Row) -> None:
        if row.type == JOURNAL_REDACTED and row.cause is not None:
            self._on_record.add(row.cause)
        if row.payload is None:
            self._gone.append(row.seq)
        elif digest(row.payload.encode("utf-8", "surrogatepass")) != row.payload_digest:
            self.problem(f"{_name(row)}: the payload is not the one that was written")

    def _link(self, row: Row) -> None:
        key = (row.branch, row.stream)
        before = self._last.get(key)
        head = self._start(row) if before is None else Head(before[3], before[9])
        if row.type == BRANCH_FORKED and key == (MAIN, BRANCHES):
            self._fork(row)
        if row.type not in TYPES:
            self.problem(f"{_name(row)}: unknown type `{row.type}`")
        if row.position != head.position + 1:
            self.problem(f"{_name(row)}: follows position {head.position}")
        if row.cause is not None and not 0 < row.cause < row.seq:
            self.problem(f"{_name(row)}: cause {row.cause} is no earlier event")
        if event_hash(head.hash, row[:9]) != row.hash:
            self.problem(f"{_name(row)}: the hash does not follow from the event and the one before it")
        # Go on from what is written, so one fault is one problem and not one a following event.
        self._last[key] = row

    def _start(self, row: Row) -> Head:
        """Return what the first event of a stream on its branch follows."""
        if row.branch == MAIN:
            return _START
        if row.branch not in self._forks.by_name:
            self.problem(f"{_name(row)}: nothing says where its branch `{row.branch}` begins")
        return self._forks.start(row.branch, row.stream, self._head_at)

    def _fork(self, row: Row) -> None:
        fork = None if row.payload is None else read_fork(event_of(row, read_payload(row.payload)))
        known = fork is not None and (fork.parent == MAIN or fork.parent in self._forks.by_name)
        if fork is None or not known or not self._forks.add(fork):
            self.problem(f"{_name(row)}: it forks nothing that is there, or what is there already")


def _is_usual(row: tuple[Any, ...], before: tuple[Any, ...]) -> bool:
    """Return whether `row` is what may follow `before` and asks for nothing more: so are nearly all.

    False says nothing yet; the long way finds out.
    """
    kind, cause, text = row[4], row[7], row[10]
    try:
        return (
            kind in _USUAL
            and row[3] == before[3] + 1
            and (cause is None or (type(cause) is int and 0 < cause < row[0]))
            and event_hash(before[9], row[:9]) == row[9]
            and digest(text.encode()) == row[8]
        )
    except (TypeError, AttributeError, ValueError):  # a column of another type
        return False


def _is_typed(row: Row) -> bool:
    _, branch, stream, position, kind, actor, time, cause, payload_digest, hash, payload = row
    return (
        type(branch) is type(stream) is type(kind) is type(actor) is type(time) is str
        and type(payload_digest) is type(hash) is str
        and type(position) is int
        and (cause is None or type(cause) is int)
        and (payload is None or type(payload) is str)
    )


def _name(row: Row) -> str:
    return f"event {row.seq} (stream `{row.stream}`, position {row.position})"


def _missing(first: int, seq: int) -> str:
    if seq <= first:
        return f"event {seq} stands after event {first - 1}"
    return f"event {first} is missing" if seq == first + 1 else f"events {first} to {seq - 1} are missing"
