"""The host's ends of a child's pipes on the event loop: frames in, bytes out, and the end of its complaints.

Nothing waits where it need not: what is there is read at once, and what fits is written at once. What has
come and nobody has asked for is bounded: a child that goes on talking is not read until somebody listens.
"""

from __future__ import annotations

import asyncio
import os
from typing import IO

from runtime.jail.frames import HEADER
from runtime.jail.protocol import Bounds, Frame, decode, read_header

_PIECE = 65536
_UNREAD = 2 * _PIECE


class Ended(Exception):
    """The child closed its end without an answer."""


class Line:
    """The pipes of one child; they are closed with it."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes], most_complaints: int) -> None:
        """`most_complaints` bytes are kept of the end of what it writes to standard error."""
        self._loop = asyncio.get_running_loop()
        self._pipes = (stdin, stdout, stderr)
        self._in, self._out, self._err = (pipe.fileno() for pipe in self._pipes)
        self._most = most_complaints
        self._complaints = bytearray()
        self._data = bytearray()
        self._unsent = bytearray()
        self._ended = False
        self._more: asyncio.Future[None] | None = None
        self._needed = 0
        self._listening = False
        self.silent = asyncio.Event()
        """Set when nothing more comes on standard error."""
        for number in (self._in, self._out, self._err):
            os.set_blocking(number, False)
        self._loop.add_reader(self._err, self._complain)

    async def frame(self, bounds: Bounds) -> tuple[Frame, int]:
        """Return the next frame and the length of its body; raise BrokenFrame, or Ended."""
        await self._until(HEADER.size)
        cls, length = read_header(bytes(self._data[: HEADER.size]), bounds)
        whole = HEADER.size + length
        await self._until(whole)  # until then nothing is taken: who is cancelled here loses nothing
        body = bytes(self._data[HEADER.size : whole])
        del self._data[:whole]
        return decode(cls, body), length

    def write(self, data: bytes) -> None:
        """Send `data`, now or when the child takes it; a child that is gone takes nothing."""
        if not self._unsent:
            data = data[self._send(data) :]
            if data:
                self._loop.add_writer(self._in, self._flush)
        self._unsent += data

    def complaints(self) -> str:
        """Return the end of what the child wrote to standard error, with what is no text replaced."""
        return bytes(self._complaints).decode("utf-8", "replace").strip()

    def close(self) -> None:
        """Close the pipes."""
        self._loop.remove_reader(self._out)
        self._loop.remove_reader(self._err)
        self._loop.remove_writer(self._in)
        for pipe in self._pipes:
            pipe.close()

    async def _until(self, size: int) -> None:
        """Wait until so many bytes are there; raise Ended where they will never be."""
        while len(self._data) < size:
            if not self._read():
                if self._ended:
                    raise Ended
                await self._until_more(size)

    async def _until_more(self, size: int) -> None:
        self._needed, self._more = size, self._loop.create_future()
        if not self._listening:
            self._loop.add_reader(self._out, self._hear)
            self._listening = True
        await self._more

    def _hear(self) -> None:
        if not self._read() and not self._ended:
            return
        if self._ended or len(self._data) >= max(_UNREAD, self._needed):
            self._loop.remove_reader(self._out)
            self._listening = False
        if self._more is not None and not self._more.done():
            self._more.set_result(None)

    def _read(self) -> bool:
        """Take what has come; return whether that was anything."""
        if self._ended:
            return False
        try:
            piece = os.read(self._out, _PIECE)
        except BlockingIOError:
            return False
        self._ended = not piece
        self._data += piece
        return bool(piece)

    def _send(self, data: bytes | bytearray) -> int:
        """Return how many bytes of `data` are dealt with."""
        try:
            return os.write(self._in, data)
        except BlockingIOError:
            return 0
        except OSError:
            return len(data)  # it is gone: what it has said is heard all the same

    def _flush(self) -> None:
        del self._unsent[: self._send(self._unsent)]
        if not self._unsent:
            self._loop.remove_writer(self._in)

    def _complain(self) -> None:
        piece = os.read(self._err, _PIECE)
        self._complaints += piece[-self._most :]
        del self._complaints[: -self._most]
        if not piece:
            self._loop.remove_reader(self._err)
            self.silent.set()
