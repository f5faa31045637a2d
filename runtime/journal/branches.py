"""Branches: a fork is one event that points at another; a branch is its parent's prefix, then its own events.

Nothing is copied. `branch.forked` stands in the stream `branches` of `main`, within its chain. An event has
one seq whatever its branch; the first event of a stream on a branch follows the parent's last one at the
cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from runtime.core.errors import AlreadyExists, Invalid, NotFound
from runtime.core.nearest import did_you_mean
from runtime.core.redact import Redactor
from runtime.journal.chain import GENESIS
from runtime.journal.events import MAIN, Draft, Event, Head, Journal, Verification
from runtime.journal.types import BRANCH_FORKED

STREAM = "branches"
ALWAYS = "registry"
"""The stream that every branch inherits: without it nothing on the branch could be read."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Fork:
    """The branch `name` begins behind the event `at` of `parent`; `seq` and `time` are those of the fork.

    `streams` are the streams that it inherits, None for all.
    """

    name: str
    parent: str
    at: int
    streams: frozenset[str] | None
    seq: int
    time: str

    def inherits(self, stream: str) -> bool:
        """Whether the branch sees what its parent has in `stream`."""
        return self.streams is None or stream in self.streams

    def to_value(self) -> dict[str, object]:
        """Return the fork as plain data."""
        streams = None if self.streams is None else sorted(self.streams)
        return {
            "branch": self.name,
            "parent": self.parent,
            "at": self.at,
            "streams": streams,
            "time": self.time,
        }


@dataclass(frozen=True, slots=True)
class Segment:
    """What lies in `branch`: its events up to `upto` (None: all), of `streams` (None: all)."""

    branch: str
    upto: int | None
    streams: frozenset[str] | None


class Forks:
    """The forks of a journal by name."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.by_name: dict[str, Fork] = {}
        for event in events:
            if (fork := read_fork(event)) is not None:
                self.add(fork)

    def add(self, fork: Fork) -> bool:
        """Take `fork` in, and return whether its name was free."""
        return self.by_name.setdefault(fork.name, fork) is fork

    def start(self, branch: str, stream: str, head_at: Callable[[str, str, int], Head]) -> Head:
        """Return what the first event of `stream` on `branch` follows: a parent's last one at the cut."""
        fork = self.by_name.get(branch)
        upto: int | None = None
        while fork is not None and fork.inherits(stream):
            upto = fork.at if upto is None else min(upto, fork.at)
            found = head_at(fork.parent, stream, upto)
            if found.position:
                return found
            fork = self.by_name.get(fork.parent)
        return Head(0, GENESIS)

    def check(self, branch: str) -> None:
        """Raise NotFound for a branch that there is not."""
        if branch != MAIN and branch not in self.by_name:
            known = ", ".join(f"`{name}`" for name in (MAIN, *sorted(self.by_name)))
            meant = did_you_mean(branch, (MAIN, *self.by_name))
            raise NotFound(f"no branch `{branch[:80]}`; there are {known}{meant}")

    def segments(self, branch: str) -> list[Segment]:
        """Return the parts of `branch`, the oldest first; they lie one behind the other in seq."""
        found: list[Segment] = []
        upto: int | None = None
        streams: frozenset[str] | None = None
        while True:
            found.append(Segment(branch, upto, streams))
            fork = self.by_name.get(branch)
            if fork is None:
                return found[::-1]
            branch, upto = fork.parent, fork.at if upto is None else min(fork.at, upto)
            streams = fork.streams if streams is None else streams & (fork.streams or streams)

    def common(self, left: str, right: str) -> int | None:
        """Return the seq up to which two branches are one, None where they are the same branch."""
        cut: int | None = 0
        for one, other in zip(self.segments(left), self.segments(right), strict=False):
            if one.branch != other.branch:
                break
            ends = [each.upto for each in (one, other) if each.upto is not None]
            cut = min(ends) if ends else None
        return cut


def read_fork(event: Event) -> Fork | None:
    """Return the fork that `event` records; None where it is none, or does not say so in full."""
    payload = event.payload
    if event.type != BRANCH_FORKED or not isinstance(payload, dict):
        return None
    name, parent, at, streams = (payload.get(key) for key in ("branch", "parent", "at", "streams"))
    if not (isinstance(name, str) and isinstance(parent, str) and isinstance(at, int) and at < event.seq):
        return None
    chosen = frozenset(map(str, streams)) if isinstance(streams, list) else None
    return Fork(name, parent, at, chosen, event.seq, event.time)


def fork_draft(name: str, at: Event, streams: Collection[str] | None, forks: Forks, actor: str) -> Draft:
    """Return the event that forks behind `at`; raise Invalid and AlreadyExists for the name."""
    if not _NAME.fullmatch(name):
        raise Invalid(f"invalid branch `{name[:80]}`: expected up to 64 of `a-z`, `0-9`, `.`, `_` and `-`")
    if name == MAIN or name in forks.by_name:
        raise AlreadyExists(f"branch `{name}` is there already: choose another name")
    inherited = None if streams is None else sorted({*streams, ALWAYS})
    payload = {"branch": name, "parent": at.branch, "at": at.seq, "streams": inherited}
    return Draft(BRANCH_FORKED, payload, actor, at.seq)  # type: ignore[arg-type]


class Backend(Protocol):
    """What a view of a branch needs of the journal that holds it."""

    redactor: Redactor

    def append_on(
        self, branch: str, stream: str, drafts: Sequence[Draft], *, expected: int | None, durable: bool
    ) -> list[Event]:
        """See `Journal.append`."""

    def read_segment(
        self, segment: Segment, stream: str | None, *, after: int, types: Collection[str], limit: int | None
    ) -> Iterator[Event]:
        """Return the events of one segment; see `Journal.read`."""

    def heads_of(self, segment: Segment) -> Mapping[str, Head]:
        """Return the heads that the streams of a segment have at its end."""

    def forks(self) -> Forks:
        """Return the forks as they are now."""

    def fork(self, name: str, at: int, *, streams: Collection[str] | None, actor: str) -> Fork:
        """See `Journal.fork`."""

    def redact(self, seq: int, *, actor: str) -> Event:
        """See `Journal.redact`."""

    def on(self, branch: str) -> Journal:
        """See `Journal.on`."""

    def head(self) -> str:
        """See `Journal.head`."""

    def verify(self, stream: str | None = None, *, noted: str | None = None) -> Verification:
        """See `Journal.verify`."""

    def open_requests(self) -> list[Event]:
        """See `Journal.open_requests`."""


class BranchJournal:
    """A branch as a journal of its own; closing it closes nothing."""

    def __init__(self, backend: Backend, branch: str) -> None:
        self.branch = branch
        self.redactor = backend.redactor
        self._backend = backend
        self._segments = backend.forks().segments(branch)

    def append(
        self, stream: str, drafts: Sequence[Draft], *, expected: int | None = None, durable: bool = False
    ) -> list[Event]:
        """See `Journal.append`."""
        return self._backend.append_on(self.branch, stream, drafts, expected=expected, durable=durable)

    def read(
        self,
        stream: str | None = None,
        *,
        after: int = 0,
        types: Collection[str] = (),
        limit: int | None = None,
    ) -> Iterator[Event]:
        """See `Journal.read`."""
        left = limit
        for segment in self._segments:
            if (segment.upto is not None and segment.upto <= after) or _leaves_out(segment, stream):
                continue
            for event in self._backend.read_segment(segment, stream, after=after, types=types, limit=left):
                left = None if left is None else left - 1
                yield event
            if left == 0:
                return

    def streams(self) -> dict[str, Head]:
        """See `Journal.streams`."""
        found: dict[str, Head] = {}
        for segment in self._segments:
            found |= self._backend.heads_of(segment)
        return found

    def head(self) -> str:
        """See `Journal.head`."""
        return self._backend.head()

    def verify(self, stream: str | None = None, *, noted: str | None = None) -> Verification:
        """See `Journal.verify`."""
        return self._backend.verify(stream, noted=noted)

    def open_requests(self) -> list[Event]:
        """See `Journal.open_requests`."""
        return self._backend.open_requests()

    def redact(self, seq: int, *, actor: str = "host") -> Event:
        """See `Journal.redact`."""
        return self._backend.redact(seq, actor=actor)

    def forks(self) -> Forks:
        """See `Journal.forks`."""
        return self._backend.forks()

    def fork(
        self, name: str, at: int, *, streams: Collection[str] | None = None, actor: str = "host"
    ) -> Fork:
        """See `Journal.fork`."""
        return self._backend.fork(name, at, streams=streams, actor=actor)

    def on(self, branch: str) -> Journal:
        """See `Journal.on`."""
        return self._backend.on(branch)

    def close(self) -> None:
        """See `Journal.close`."""


def _leaves_out(segment: Segment, stream: str | None) -> bool:
    return stream is not None and segment.streams is not None and stream not in segment.streams
