"""Random bytes at the jail's protocol: the host ends each call with an error of its own words or a value,
and a child ends, whatever it is told.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
from typing import Any

from fuzz_counts import Counts, counts
from fuzz_frames import from_child, from_host
from fuzz_plan import cases, named

from runtime.core.errors import Error
from runtime.jail.conversation import Conversation, Verdict
from runtime.jail.limits import JailLimits
from runtime.jail.line import Ended, Line
from runtime.jail.protocol import Ready
from runtime.jail.protocol import from_child as bounds_of_child
from runtime.jail.zygote import ForkedChild, ZygoteLauncher
from runtime.lua.program import Chunk, Program

SECONDS = 20.0
WARM = 150
LIMITS = JailLimits(host_calls=20, held_bytes=10_000, reply_bytes=1_000_000, events=10)
PIPE_BYTES = 60_000  # what a pipe takes without anybody who reads
ABILITIES = ("env.get", "logger.print")


async def _heard(said: bytes, dice: random.Random) -> str:
    """Let the host hear `said` as all that a child says, and then its end; return how that ended."""
    (child_in, stdin), (stdout, child_out), (stderr, child_err) = os.pipe(), os.pipe(), os.pipe()
    pipes = (os.fdopen(stdin, "wb", 0), os.fdopen(stdout, "rb", 0), os.fdopen(stderr, "rb", 0))
    os.write(child_out, said[:PIPE_BYTES])
    os.write(child_err, said[:100])
    os.close(child_out)
    os.close(child_err)
    heard: list[str] = []

    async def dispatch(name: str, _args: list[Any]) -> tuple[Any, ...]:
        heard.append(name)
        if dice.random() < 0.3:
            await asyncio.sleep(0)
        return (dice.choice((1, "x" * 1000, None)),)

    line = Line(*pipes, 100)
    conversation = Conversation(
        line, lambda: None, entry="app:fuzz", abilities=ABILITIES, dispatch=dispatch, limits=LIMITS
    )
    try:
        async with asyncio.timeout(SECONDS):
            await conversation.hold(b"", b"run")
            ending = "value"
    except Verdict as verdict:
        assert isinstance(verdict.error, Error)
        ending = verdict.reason
    except Ended:
        ending = "ended"
    except Error:
        ending = "error"
    await conversation.last_words()
    assert set(heard) <= set(ABILITIES)
    assert len(heard) <= LIMITS.host_calls
    assert len(line.complaints().encode()) <= 300
    line.close()
    os.close(child_in)
    return ending


def test_the_host_answers_whatever_a_child_says() -> None:
    async def main() -> None:
        flat: Counts | None = None
        endings: set[str] = set()
        for number, dice in cases("said", 0.19):
            with named("said", number):
                endings.add(await _heard(from_child(dice), dice))
            if number == WARM:
                flat = counts()
        if flat is not None:
            now = counts()
            assert now.descriptors == flat.descriptors
            assert now.objects - flat.objects < 1000, (flat, now)  # what is imported once is larger
            assert endings >= {"value", "error", "ended", "protocol", "size", "nets"}

    asyncio.run(main())


async def _told(launcher: ZygoteLauncher, data: bytes) -> None:
    """Tell a real child, which is ready, `data` and then nothing more; see that it ends."""
    child = await launcher.launch(JailLimits(cpu=2))
    assert isinstance(child, ForkedChild)
    line = Line(child.stdin, child.stdout, child.stderr, 1000)
    bounds = bounds_of_child(argument_bytes=2**20, output_bytes=2**20)
    async with asyncio.timeout(SECONDS):
        frame, _ = await line.frame(bounds)
        assert isinstance(frame, Ready)
        with contextlib.suppress(BrokenPipeError):
            os.write(child.stdin.fileno(), data[:PIPE_BYTES])
        child.stdin.close()
        with contextlib.suppress(Ended):
            while True:
                await line.frame(bounds)  # what it says is well formed to the last
        await line.silent.wait()
    assert "Traceback" not in line.complaints()
    child.kill()
    await child.reap()
    line.close()


def test_a_child_ends_whatever_it_is_told() -> None:
    source = "return { main = function(v) print(v) return v end }"
    program = Program("app:fuzz", "main", (), Chunk("app:fuzz", source, "fuzz", "main"), (), (), "runtime")

    async def main() -> None:
        launcher = ZygoteLauncher()
        zygote = await launcher.ready()
        flat: Counts | None = None
        try:
            for number, dice in cases("told", 0.01):
                with named("told", number):
                    await _told(launcher, from_host(program, dice))
                if number == WARM // 15:
                    await launcher.settled()
                    flat = counts()
            assert (await launcher.ready()).pid == zygote.pid
            if flat is not None:
                await launcher.settled()
                assert counts().descriptors == flat.descriptors
        finally:
            launcher.close()

    asyncio.run(main())
