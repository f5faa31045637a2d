"""A long journal becomes an archive and a short one, which says what the registry is.

The archive is the old file, whole, and verifies with the head that the new journal begins with. The change
is one rename: a crash leaves the old journal or the new one in its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from runtime.core.errors import Conflict, Unavailable
from runtime.core.redact import Redactor
from runtime.core.values import Value
from runtime.journal.database import place
from runtime.journal.events import Damaged, Draft, Verification
from runtime.journal.sqlite import SqliteJournal
from runtime.journal.types import JOURNAL_COMPACTED

FOLDER = "archive"
STREAM = "host"


@dataclass(frozen=True, slots=True)
class Compacted:
    """What a compaction did: the archive, its head and events, and the events of the new journal."""

    archive: Path
    head: str
    before: int
    after: int


def compact(
    path: Path, snapshot: Mapping[str, Sequence[Draft]], *, actor: str, redactor: Redactor
) -> Compacted:
    """Archive the journal at `path`, which nobody has open; begin one with `snapshot` (drafts by stream).

    The caller holds the lease. Raises Damaged where the old journal does not verify, Conflict where it has
    branches or is open in another process, Unavailable where the folder can not be written.
    """
    found = _checked(path, redactor)
    if any(path.with_name(path.name + each).exists() for each in ("-wal", "-shm")):
        raise Conflict(
            "another process reads the journal: end it and retry", retryable=True, place=place(path)
        )
    fresh = path.with_name(path.name + ".new")
    archive = path.parent / FOLDER / f"{path.stem}-{found.head.removeprefix('sha256:')[:16]}{path.suffix}"
    payload: dict[str, Value] = {
        "archive": f"{FOLDER}/{archive.name}",
        "head": found.head,
        "events": found.events,
    }
    try:
        fresh.unlink(missing_ok=True)
        with closing(SqliteJournal(fresh, redactor=redactor)) as journal:
            journal.append(STREAM, [Draft(JOURNAL_COMPACTED, payload, actor)], durable=True)
            for stream, drafts in snapshot.items():
                journal.append(stream, drafts, durable=True)
            after = journal.verify().events
        archive.parent.mkdir(mode=0o700, exist_ok=True)
        if not archive.exists():
            archive.hardlink_to(path)
        fresh.replace(path)
    except OSError as error:
        raise Unavailable(f"the journal can not be compacted: {error.strerror}", place=place(path)) from error
    return Compacted(archive, found.head, found.events, after)


def _checked(path: Path, redactor: Redactor) -> Verification:
    with closing(SqliteJournal(path, redactor=redactor)) as journal:
        found = journal.verify()
        if not found.ok:
            raise Damaged(f"the journal is not what was written: {found.problems[0]}", place=place(path))
        if names := sorted(journal.forks().by_name):
            raise Conflict(
                f"the journal has branches ({', '.join(names)}), which need what is before them: keep it, or "
                "begin anew with `--state DIR`",
                retryable=False,
            )
        return found
