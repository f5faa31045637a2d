"""The terminal: order, lines, pastes, the end of input, and nothing that could steer a real terminal."""

from __future__ import annotations

import asyncio
import os
import pty
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from runtime.core.text import printable, typed, visible
from runtime.services.terminal import Terminal


@contextmanager
def pipes() -> Iterator[tuple[int, int, int, int]]:
    """Yield (write end of stdin, read end of stdout) with the ends that the terminal holds."""
    stdin_read, stdin_write = os.pipe()
    stdout_read, stdout_write = os.pipe()
    try:
        yield stdin_read, stdin_write, stdout_read, stdout_write
    finally:
        for descriptor in (stdin_read, stdin_write, stdout_read, stdout_write):
            with suppress(OSError):
                os.close(descriptor)


async def _lines(terminal: Terminal, count: int) -> list[str | None]:
    return [await asyncio.wait_for(terminal.readline(), 5) for _ in range(count)]


def test_lines_come_one_by_one_and_the_end_of_input_is_none() -> None:
    with pipes() as (stdin, feed, _, stdout):
        os.write(feed, b"one\r\ntwo\n\nlast without end")
        os.close(feed)
        found = asyncio.run(_lines(Terminal(stdin, stdout, stdout), 5))
    assert found == ["one", "two", "", "last without end", None]


def test_bytes_that_are_no_utf8_are_replaced_and_nothing_else_is_lost() -> None:
    with pipes() as (stdin, feed, _, stdout):
        os.write(feed, b"a\xffb\nc\n")
        os.close(feed)
        found = asyncio.run(_lines(Terminal(stdin, stdout, stdout), 3))
    assert found == ["a\ufffdb", "c", None]


def test_a_cancelled_read_loses_no_input() -> None:
    async def scenario(terminal: Terminal, feed: int) -> str | None:
        waiting = asyncio.create_task(terminal.readline())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        os.write(feed, b"kept\n")
        return await asyncio.wait_for(terminal.readline(), 5)

    with pipes() as (stdin, feed, _, stdout):
        assert asyncio.run(scenario(Terminal(stdin, stdout, stdout), feed)) == "kept"


def test_a_paste_at_a_terminal_is_one_message() -> None:
    primary, secondary = pty.openpty()
    try:
        terminal = Terminal(secondary, secondary, secondary)
        assert terminal.interactive
        os.write(primary, b"first\nsecond\n")
        assert asyncio.run(_lines(terminal, 1)) == ["first\nsecond"]
    finally:
        os.close(primary)
        os.close(secondary)


def test_a_reader_that_is_gone_is_told_once_and_writing_goes_on_quietly() -> None:
    told: list[bool] = []
    with pipes() as (stdin, _, out, stdout):
        os.close(out)
        terminal = Terminal(stdin, stdout, stdout, on_closed=lambda: told.append(True))
        terminal.write("lost\n")
        terminal.write("lost too\n")
    assert told == [True]


def test_control_sequences_do_not_reach_a_terminal_and_colours_do() -> None:
    assert printable("a\x1b]52;c;ZXZpbA==\x07b\x1b[2J\x1b[31mred\x1b[0m\x9b1\r\tc\n") == (
        "a]52;c;ZXZpbA==b[2J\x1b[31mred\x1b[0m1\tc\n"
    )


def test_styles_that_conceal_do_not_reach_a_terminal() -> None:
    assert printable("\x1b[8mhidden\x1b[30;40mblack\x1b[1;31mbold") == "hiddenblack\x1b[1;31mbold"


def test_what_is_shown_of_strangers_hides_nothing() -> None:
    assert visible("a\x1b[2Jb\u202ec\nd\te\u00fc") == "a\\u{1b}[2Jb\\u{202e}c\nd\te\u00fc"


def test_what_was_typed_before_a_question_is_no_answer_to_it() -> None:
    async def scenario(terminal: Terminal, primary: int) -> str:
        os.write(primary, b"y\n")
        early = await asyncio.wait_for(terminal.readline(), 5)
        assert early == "y"
        os.write(primary, b"y\n")  # typed ahead: nobody has asked yet
        asking = asyncio.create_task(terminal.ask("Write it? "))
        await asyncio.sleep(0)
        os.write(primary, b"n\n")
        return await asyncio.wait_for(asking, 5)

    primary, secondary = pty.openpty()
    try:
        assert asyncio.run(scenario(Terminal(secondary, secondary, secondary), primary)) == "n"
    finally:
        os.close(primary)
        os.close(secondary)


def test_keys_that_are_no_text_are_left_out_of_a_typed_line() -> None:
    assert typed("hal\x1b[Dlo\x1b[A\x0c\x1bOP x\ty\nz\x7f") == "hallo x\ty\nz"
