"""What the journal holds and how it is asked: drafts go in, events come out, and nothing changes them.

Positions count from 1 in each stream, `seq` counts from 1 over the whole journal, neither has holes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from runtime.core.errors import Internal
from runtime.core.values import Value

if TYPE_CHECKING:
    from runtime.journal.branches import Fork, Forks

MAIN = "main"
"""The branch that every journal starts with."""


class Damaged(Internal):
    """The journal's file or chain is not what the journal wrote."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An event to write: `type` is one of `runtime.journal.types`, `cause` the seq of what it answers."""

    type: str
    payload: Value = None
    actor: str = "host"
    cause: int | None = None


class Event(NamedTuple):
    """An event as written: secrets masked, `time` in UTC with microseconds, hashes as `sha256:<hex>`.

    The payload of a redacted event is None; its digest still tells what was there.
    """

    seq: int
    branch: str
    stream: str
    position: int
    type: str
    actor: str
    time: str
    cause: int | None
    payload: Value
    payload_digest: str
    hash: str

    def to_value(self) -> dict[str, Value]:
        """Return the event as plain data, as `runtime journal show` prints it."""
        return self._asdict()


class Head(NamedTuple):
    """The last event of a stream: its position and hash."""

    position: int
    hash: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What a reading of the whole journal found.

    `noted_at` is the seq after which the journal had the head that was asked about, None where it never had.
    `problems` are sentences that name the event; `redacted` the seqs whose payload was taken out on record.
    """

    events: int
    head: str
    problems: tuple[str, ...] = ()
    redacted: tuple[int, ...] = field(default=())
    noted_at: int | None = None

    @property
    def ok(self) -> bool:
        """Whether every event is the one that was written, in its place.

        A chain can not show that somebody rewrote all of it: compare `head` with one noted elsewhere.
        """
        return not self.problems


class Journal(Protocol):
    """An append-only log of streams; safe to use from any thread.

    It is the view of one branch: `main` where nothing else is said. `head`, `verify` and `open_requests` are
    about all branches.
    """

    def append(
        self, stream: str, drafts: Sequence[Draft], *, expected: int | None = None, durable: bool = False
    ) -> list[Event]:
        """Write all drafts to `stream` or none, and return them as events.

        `expected` is the position that the stream must have (0: no event yet), else Conflict. `durable`
        returns only when the disk has them. Raise Invalid for an unknown type, a cause that is not there, or
        a payload with no canonical JSON; Unavailable where the journal can not be written.
        """

    def read(
        self,
        stream: str | None = None,
        *,
        after: int = 0,
        types: Collection[str] = (),
        limit: int | None = None,
    ) -> Iterator[Event]:
        """Return the events that are there now, in order, with a `seq` above `after`; no types mean all."""

    def streams(self) -> dict[str, Head]:
        """Return the head of each stream of this branch."""

    def head(self) -> str:
        """Return the hash over the sorted heads: it names the state of the whole journal."""

    def verify(self, stream: str | None = None, *, noted: str | None = None) -> Verification:
        """Read everything, or one stream, recompute every digest and hash, and look for the head `noted`."""

    def open_requests(self) -> list[Event]:
        """Return the requests that nothing answers, oldest first."""

    def redact(self, seq: int, *, actor: str = "host") -> Event:
        """Take the payload of the event `seq` out for good, and return the event that says so, both in one.

        Raise NotFound without such an event, Invalid and Conflict where nothing may or can be taken out.
        """

    def forks(self) -> Forks:
        """Return the branches and where they begin."""

    def fork(
        self, name: str, at: int, *, streams: Collection[str] | None = None, actor: str = "host"
    ) -> Fork:
        """Begin the branch `name` behind the event `at`, in one event; it is on disk when this returns.

        `streams` are the streams that it inherits beside that of the registry, None for all. Raise Invalid
        and AlreadyExists for the name, NotFound where there is no such event.
        """

    def on(self, branch: str) -> Journal:
        """Return the view of `branch`; raise NotFound where there is none."""

    def close(self) -> None:
        """Release the file; what is appended is on its way to the disk. Closing twice is no error."""
