"""`host.sock`: how a command asks the host that runs, one request and one answer a connection.

A frame is its length, four bytes with the highest first, and that many bytes of `core.wire`. The socket lies
in a folder of the user's alone and has mode 0600; where the system tells who connects, another user is sent
away. What is asked runs on a thread, so that the host goes on.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

from runtime.core import wire
from runtime.core.errors import Error, Internal, Invalid, Timeout
from runtime.journal.lease import Held

FILE = "host.sock"
MAX_REQUEST = 64 * 1024  # bytes
MAX_ANSWER = wire.MAX_BYTES
REQUEST_SECONDS = 5.0
"""How long a host waits for the whole of a request."""
ANSWER_SECONDS = 120.0
"""How long a command waits for its answer."""
MAX_PATH = 100  # bytes; the systems take 104 to 108
_LENGTH = struct.Struct(">I")

Answer = Callable[[object, Mapping[str, Any]], Mapping[str, Any]]


@asynccontextmanager
async def serving(state: Path, answer: Answer, notice: Callable[[str], None]) -> AsyncIterator[None]:
    """Answer requests at the socket in `state` by `answer(name, parameters)`; the caller holds the lease.

    `notice` hears where the system has no socket for it: then other commands are refused while this lasts.
    """
    path = state / FILE
    server = None
    try:
        path.unlink(missing_ok=True)  # of a host that was killed: whoever holds the lease is the only one
        with _short(path) as name, _bound(name) as listener:
            server = await asyncio.start_unix_server(_Desk(answer).connected, sock=listener)
    except OSError as error:
        notice(f"notice: no `{FILE}` ({error.strerror}): commands that write are refused while this runs")
    try:
        yield
    finally:
        if server is not None:
            server.close()
            with suppress(OSError):
                path.unlink()


class _Desk:
    """Takes one request after the other."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._turn = asyncio.Semaphore(1)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read one request and write its answer; who asks for something else is left without one."""
        # Who is cancelled here would be told of at the end of the run, with a traceback, by asyncio itself.
        with suppress(OSError, ValueError, EOFError, TimeoutError, asyncio.CancelledError):
            if _is_ours(writer.get_extra_info("socket")):
                async with asyncio.timeout(REQUEST_SECONDS):
                    asked = await _read_frame(reader)
                async with self._turn:
                    reply = await asyncio.to_thread(_reply, asked, self._answer)
                writer.write(_LENGTH.pack(len(reply)) + reply)
                await writer.drain()
        writer.close()


def ask_host(state: Path, request: Mapping[str, Any], held: Held) -> dict[str, Any]:
    """Return what the running host of `state` answers to `request`; raises what it raised.

    Raises `held` where it takes no requests, Timeout where it does not answer.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ANSWER_SECONDS)
        try:
            with _short(state / FILE) as name:
                connection.connect(name)
        except OSError:
            raise held from None
        data = wire.pack(dict(request))
        try:
            connection.sendall(_LENGTH.pack(len(data)) + data)
            (size,) = _LENGTH.unpack(_receive(connection, _LENGTH.size))
            if size > MAX_ANSWER:
                raise Invalid(f"the host's answer of {size} bytes is over the limit of {MAX_ANSWER}")
            reply = wire.unpack(_receive(connection, size))
        except TimeoutError:
            raise Timeout(
                f"the running host did not answer within {ANSWER_SECONDS:.0f} s: whether it did what was "
                "asked is in the journal (`journal show`)"
            ) from None
        except (OSError, EOFError):
            raise Timeout(
                "the running host ended before it answered: whether it did what was asked is in the journal "
                "(`journal show`)"
            ) from None
    if isinstance(reply, Error):
        raise reply
    if not isinstance(reply, dict):
        raise Internal("the running host's answer is not of this protocol")
    return reply


def _reply(asked: bytes, answer: Answer) -> bytes:
    try:
        request = wire.unpack(asked)
        if not isinstance(request, dict):
            raise Invalid("a request is a table")
        return wire.pack(dict(answer(request.get("name"), request)))
    except Error as error:
        return wire.pack(error)
    except Exception as error:  # the one who asked hears of it; the host goes on
        return wire.pack(Internal(f"{type(error).__name__} while the host did what was asked"))


async def _read_frame(reader: asyncio.StreamReader) -> bytes:
    (size,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    if size > MAX_REQUEST:
        raise ValueError("the request is too large")
    return await reader.readexactly(size)


def _receive(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = connection.recv(min(size - len(data), 1 << 16))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def _is_ours(connection: socket.socket) -> bool:
    """Whether the other end is this user; where the system does not tell, the folder's rights stand alone."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    uid: int = struct.unpack("3i", found)[1]
    return uid in (os.getuid(), 0)


@contextmanager
def _bound(name: str) -> Iterator[socket.socket]:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(name)
        Path(name).chmod(0o600)
        listener.setblocking(False)
        yield listener
    except BaseException:
        listener.close()
        raise


@contextmanager
def _short(path: Path) -> Iterator[str]:
    """Yield a name of `path` that fits into a socket's address, which holds about a hundred bytes."""
    if len(os.fsencode(path)) <= MAX_PATH or sys.platform != "linux":
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
