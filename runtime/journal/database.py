"""The SQLite file of a journal: how it is made, what makes it ours, what its failures mean to a person.

A file is taken for a journal only with our mark, our version and exactly our tables: no trigger and no view
of somebody else runs when the journal is written.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from runtime.core.errors import Error, Internal, Invalid, NotFound, Place, Unavailable
from runtime.journal.events import Damaged
from runtime.journal.requests import REQUEST_TYPES

APPLICATION_ID = 0x4C41524A
SCHEMA_VERSION = 2
BUSY_SECONDS = 5.0

IS_REQUEST = f"type IN ({', '.join(repr(name) for name in sorted(REQUEST_TYPES))})"
"""The condition of the index on requests; a query must repeat it word for word to use the index."""

_SCHEMA = (
    """CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    branch TEXT NOT NULL,
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (branch, name)
)""",
    """CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    position INTEGER NOT NULL,
    type TEXT NOT NULL,
    actor TEXT NOT NULL,
    time TEXT NOT NULL,
    cause INTEGER,
    payload_digest TEXT NOT NULL,
    hash TEXT NOT NULL,
    payload TEXT,
    UNIQUE (stream, position)
)""",
    f"CREATE INDEX events_requests ON events (type, cause) WHERE {IS_REQUEST}",
)
"""`streams` holds the head of each stream of each branch; an event names its stream by `id`."""


def open_database(path: Path) -> sqlite3.Connection:
    """Open the journal at `path` for writing, and make it (mode 0600) where there is none.

    Raise Damaged for a file that is no journal, Invalid for one of a newer version, Unavailable where the
    folder or the disk refuses.
    """
    _make_private(path)
    connection = _connect(path, "rw")
    try:
        with explained(path):
            _check_ours(connection, path, create=True)
            if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
                raise Unavailable(
                    "the file system of the journal has no write-ahead log (a network folder?): "
                    "name a local folder with `--state DIR`",
                    place=place(path),
                )
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA secure_delete = ON")  # what is taken out is overwritten
    except BaseException:
        connection.close()
        raise
    return connection


def open_database_read_only(path: Path) -> sqlite3.Connection:
    """Open the journal at `path` without changing anything; raise NotFound where there is none."""
    if not path.exists():
        raise NotFound("there is no journal yet: `runtime run` writes one", place=place(path))
    connection = _connect(path, "ro")
    try:
        with explained(path):
            _check_ours(connection, path, create=False)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn every failure of SQLite inside the block into an error that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error, path) from error


def explain(error: sqlite3.Error, path: Path) -> Error:
    """Return the error of ours for a failure of SQLite on the journal at `path`."""
    name = str(getattr(error, "sqlite_errorname", ""))
    at = place(path)
    if name.startswith("SQLITE_NOTADB"):
        return Damaged(
            "the file is no journal: move it away, or name another folder with `--state DIR`", place=at
        )
    if is_damage(error):
        return Damaged(
            f"the journal is damaged ({error}): `runtime journal verify` says from where on; restore a copy, "
            "or move it away to start anew",
            place=at,
        )
    if name.startswith("SQLITE_FULL"):
        return Unavailable("the disk is full, nothing was written: free some space and retry", place=at)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return Unavailable(
            f"another process has been writing the journal for {BUSY_SECONDS:g} s: retry when it is done",
            retryable=True,
            place=at,
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return Unavailable(f"the journal can not be opened or written ({error}): {_REMEDY}", place=at)
    if name.startswith("SQLITE_IOERR"):
        return Unavailable(
            f"the disk refused ({error}), nothing was written: check its space, quota and health", place=at
        )
    if "closed database" in str(error):
        return Unavailable("the journal is closed", place=at)
    return Internal(f"the journal failed: {error}", place=at)


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether `error` says that the file holds what SQLite or the journal never wrote."""
    name = str(getattr(error, "sqlite_errorname", ""))
    damage = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_CONSTRAINT")
    return name.startswith(damage) or "decode to UTF-8" in str(error)


def place(path: Path) -> Place:
    """Return the file as a place, relative to the current folder where it is inside."""
    try:
        return Place(str(path.absolute().relative_to(Path.cwd())))
    except (ValueError, OSError):
        return Place(str(path))


_REMEDY = "check the rights of the file and its folder, or name another folder with `--state DIR`"


def _make_private(path: Path) -> None:
    # An existing file is not opened: closing it again would drop the locks of a connection in this process.
    try:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode):
                raise Invalid(
                    "the journal must be a plain file, no link, folder or device: move it away",
                    place=place(path),
                ) from None
            if stat.S_IMODE(status.st_mode) & 0o077:
                path.chmod(0o600)
    except OSError as error:
        raise Unavailable(
            f"the journal can not be opened or written ({error.strerror}): {_REMEDY}", place=place(path)
        ) from error


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    with explained(path):
        connection = sqlite3.connect(
            uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS
        )
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection


def _check_ours(connection: sqlite3.Connection, path: Path, *, create: bool) -> None:
    marks = _marks(connection)
    if marks == (0, 0, frozenset()) and create:
        connection.execute("BEGIN IMMEDIATE")
        if _marks(connection) == (0, 0, frozenset()):  # no other process was faster
            for statement in _SCHEMA:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
        marks = _marks(connection)
    application, version, objects = marks
    if application != APPLICATION_ID:
        raise Damaged(
            "the file is a database of something else, no journal: move it away, or name another folder with "
            "`--state DIR`",
            place=place(path),
        )
    if version > SCHEMA_VERSION:
        raise Invalid(
            f"the journal was written by a newer runtime (version {version} of its schema; this one knows "
            f"{SCHEMA_VERSION}): update the runtime, or name another folder with `--state DIR`",
            place=place(path),
        )
    if 0 < version < SCHEMA_VERSION:
        raise Invalid(
            f"the journal was written by an earlier runtime (version {version} of its schema; this one reads "
            f"{SCHEMA_VERSION}): move it away, or name another folder with `--state DIR`",
            place=place(path),
        )
    if version < 1 or objects != frozenset(_SCHEMA):
        raise Damaged(
            f"the tables of the journal are not those of version {version}: somebody changed them; restore a "
            "copy, or move it away to start anew",
            place=place(path),
        )


def _marks(connection: sqlite3.Connection) -> tuple[int, int, frozenset[str]]:
    application: int = connection.execute("PRAGMA application_id").fetchone()[0]
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    statements = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    return application, version, frozenset(sql for (sql,) in statements)
