"""One host holds the journal: a lock on `host.lock` that the system takes back when the host dies.

The file says who holds it: `{"pid": ..., "started": "..."}`. It is never removed: a lock on a removed file
would let a second host lock a new one.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from types import TracebackType

from runtime.core.clock import Clock, SystemClock, timestamp
from runtime.core.errors import Conflict, Unavailable
from runtime.journal.database import place

FILE = "host.lock"
_MAX_HOLDER = 4096

_held: set[Lease] = set()


class Held(Conflict):
    """Another host has the lease; `details` say which, by `pid` and `started`."""


class Lease:
    """Being the host of the state folder `state_dir`, until `close` or the end of the process."""

    def __init__(self, state_dir: Path | str, *, clock: Clock | None = None) -> None:
        """Take the lease; raise Held while another host has it."""
        self.path = Path(state_dir) / FILE
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise Unavailable(
                f"the state folder can not be used ({error.strerror}): check its rights, or name another "
                "with `--state DIR`",
                place=place(self.path),
            ) from error
        try:
            self._lock()
            holder = {"pid": os.getpid(), "started": timestamp((clock or SystemClock()).now())}
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, json.dumps(holder).encode(), 0)
        except BaseException:
            os.close(self._file)
            raise
        _held.add(self)

    def close(self) -> None:
        """Give the lease back; closing twice is no error."""
        if self._file >= 0:
            os.ftruncate(self._file, 0)
            self._forget()

    def __enter__(self) -> Lease:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = _read_holder(os.pread(self._file, _MAX_HOLDER, 0))
            who = f"pid {holder['pid']}, since {holder['started']}" if holder else "it is just starting"
            raise Held(
                f"another host of this project is running ({who}): stop it, or run beside it with "
                "`--state DIR` or `--ephemeral`",
                details=dict(holder),
                place=place(self.path),
            ) from error
        except OSError as error:
            raise Unavailable(
                f"the state folder can not be locked ({error.strerror}): name a local folder with "
                "`--state DIR`",
                place=place(self.path),
            ) from error

    def _forget(self) -> None:
        _held.discard(self)
        os.close(self._file)
        self._file = -1


def _read_holder(data: bytes) -> dict[str, int | str]:
    """Return who holds the lease, or nothing when the file does not say so (yet)."""
    try:
        value = json.loads(data)
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    pid, started = value.get("pid"), value.get("started")
    return {"pid": pid, "started": started} if type(pid) is int and isinstance(started, str) else {}


def _forget_all() -> None:
    """A forked child must not hold its parent's lease after the parent's death."""
    for lease in list(_held):
        lease._forget()


os.register_at_fork(after_in_child=_forget_all)
