"""One owner of standard input and output: what is written comes out at once and in order.

Standard input is read with `os.read` on a daemon thread: a thread inside `sys.stdin` aborts the interpreter
when the program ends. At a terminal a paste of several lines is one message. Control characters that a
model or a script wrote never reach a terminal, colours excepted.
"""

from __future__ import annotations

import asyncio
import os
import select
import termios
import threading
from collections.abc import Callable
from contextlib import suppress

from runtime.core.text import printable, typed

MAX_LINE = 1024 * 1024
PASTE_PAUSE = 0.03  # seconds of silence that end a paste

_PLAIN = "\x1b[0m"  # ends whatever style a text has left behind


class Terminal:
    """The terminal of one run: descriptors for input, output and errors, and the arguments of the process.

    `interactive` is true when both input and output are terminals. `on_closed` is called once when the reader
    of the output is gone.
    """

    def __init__(
        self,
        stdin: int = 0,
        stdout: int = 1,
        stderr: int = 2,
        *,
        args: tuple[str, ...] = (),
        on_closed: Callable[[], None] | None = None,
    ) -> None:
        self._stdin = stdin
        self._descriptors = {"stdout": stdout, "stderr": stderr}
        self.on_closed = on_closed
        self.on_line: Callable[[], None] | None = None
        """Called whenever the process asks for the next line."""
        self._buffer = bytearray()
        self._ended = False
        self.closed = False
        """Whether the reader of the output is gone."""
        self._reading = False
        self._waiting: asyncio.Future[None] | None = None
        self._fed: list[str | None] | None = None
        self.args = args
        self.input_is_terminal = _is_terminal(stdin)
        self.output_is_terminal = _is_terminal(stdout)
        self.interactive = self.input_is_terminal and self.output_is_terminal
        self.at_line_start = True

    def feed(self, lines: list[str]) -> None:
        """Answer the next reads with `lines` and then the end of input, instead of standard input."""
        self._fed = [*lines, None]

    def write(self, text: str, stream: str = "stdout") -> None:
        """Write `text` to `stdout` or `stderr` at once; after the reader is gone writing does nothing."""
        if self.closed or not text:
            return
        descriptor = self._descriptors[stream]
        if _is_terminal(descriptor):
            text = printable(text)
        if stream == "stdout":
            self.at_line_start = text.endswith("\n")
        data = text.encode("utf-8", "replace")
        try:
            while data:
                data = data[os.write(descriptor, data) :]
        except (BrokenPipeError, OSError):
            self.closed = True
            if self.on_closed:
                self.on_closed()

    def notice(self, text: str) -> None:
        """Write one line of diagnostics to standard error, on a line of its own."""
        if self.output_is_terminal:
            if not self.at_line_start:
                self.write("\n")
            self.write(_PLAIN)
            self.at_line_start = True
        if text:
            self.write(text.rstrip("\n") + "\n", "stderr")

    async def readline(self) -> str | None:
        """Return the next line without its end, or None at the end of input.

        Cancelling the wait loses no input: the next reader gets it.
        """
        if self.on_line:
            self.on_line()
        if self._fed is not None:
            return self._fed.pop(0) if self._fed else None
        while True:
            line = self._take_line()
            if line is not None or self._ended:
                return line
            await self._more()

    async def read(self, count: int) -> str | None:
        """Return at least one and at most `count` bytes of input as text, or None at its end."""
        while not self._buffer and not self._ended:
            await self._more()
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken.decode("utf-8", "replace") if taken else None

    async def ask(self, question: str) -> str:
        """Write `question` to standard error and return the answer, empty at the end of input.

        What was typed before the question stood there is no answer to it: it is thrown away.
        """
        self._buffer.clear()
        if self.input_is_terminal:
            with suppress(termios.error):
                termios.tcflush(self._stdin, termios.TCIFLUSH)
        self.notice("")
        self.write(question, "stderr")
        return (await self.readline() or "").strip()

    def forget_partial_line(self) -> None:
        """Drop what was typed and not ended, as the terminal itself does at Ctrl-C."""
        self._buffer.clear()

    def _take_line(self) -> str | None:
        end = self._buffer.find(b"\n")
        if self.input_is_terminal and end >= 0:
            taken = bytes(self._buffer)  # all that came together is one message
            self._buffer.clear()
            return typed(_text(taken))
        if end < 0 and len(self._buffer) < MAX_LINE and not (self._ended and self._buffer):
            return None
        stop = min(end if end >= 0 else len(self._buffer), MAX_LINE)
        taken = bytes(self._buffer[:stop])
        del self._buffer[: stop + (1 if stop == end else 0)]
        return _text(taken)

    async def _more(self) -> None:
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[None] = loop.create_future()
        self._waiting = waiting
        if not self._reading:
            self._reading = True
            threading.Thread(target=self._read, args=(loop,), daemon=True, name="terminal").start()
        await waiting

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        data = _read_some(self._stdin)
        while data and self.input_is_terminal and select.select([self._stdin], [], [], PASTE_PAUSE)[0]:
            more = _read_some(self._stdin)
            if not more:
                break
            data += more
        try:
            loop.call_soon_threadsafe(self._arrived, data)
        except RuntimeError:
            return  # the loop has ended: nobody waits for input any more

    def _arrived(self, data: bytes) -> None:
        self._reading = False
        self._buffer += data
        self._ended = self._ended or not data
        waiting, self._waiting = self._waiting, None
        if waiting and not waiting.done():
            waiting.set_result(None)


def _read_some(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").rstrip("\r\n").replace("\r\n", "\n")


def _is_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False
