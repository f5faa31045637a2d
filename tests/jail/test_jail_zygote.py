"""Children forked from a zygote: as good as cold ones, one for each call, and none stays behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from jail_parts import Yard, is_gone, program, refuse, run, until

from runtime.core.errors import Internal, Timeout, Unavailable
from runtime.jail.launcher import Child, ColdLauncher, Launcher
from runtime.jail.level import OPTIONAL, REQUIRED
from runtime.jail.limits import MEGABYTE, JailLimits
from runtime.jail.zygote import MAX_FAILURES, ForkedChild, ZygoteLauncher, zygote_command

Test = Callable[[ZygoteLauncher, Yard], Awaitable[None]]


class NoCold:
    """Shows that a child came from the zygote: there is no other way."""

    async def launch(self, limits: JailLimits) -> Child:
        raise AssertionError("a child was started cold")


def with_zygote(test: Test, limits: JailLimits | None = None, cold: Launcher | None = None) -> None:
    """Run `test` with a zygote that is ready, and see that it is gone in the end."""

    async def main() -> None:
        launcher = ZygoteLauncher(cold=cold or NoCold())
        try:
            zygote = await launcher.ready()
            await test(launcher, Yard(limits, launcher))
        finally:
            launcher.close()
        assert is_gone(zygote.pid)

    run(main)


def test_a_call_is_answered_by_a_child_of_the_zygote() -> None:
    async def test(launcher: ZygoteLauncher, yard: Yard) -> None:
        assert await yard.jail.call(program("return ..."), ["x"], refuse) == "x"
        assert yard.jail.nets is not None
        assert set(REQUIRED) <= set(yard.jail.nets.on)
        assert set(REQUIRED) | set(OPTIONAL) == set(yard.jail.nets.on) | set(yard.jail.nets.off)

    with_zygote(test)


def test_a_call_keeps_no_state_and_no_random_numbers_for_the_next() -> None:
    async def test(launcher: ZygoteLauncher, yard: Yard) -> None:
        body = "count = (count or 0) + 1 return {count, math.random(1, 1 << 40)}"
        found = [await yard.jail.call(program(body), [], refuse) for _ in range(3)]
        assert [count for count, _ in found] == [1, 1, 1]
        assert len({number for _, number in found}) == 3

    with_zygote(test)


def test_a_loop_ends_at_the_wall_clock_and_its_neighbours_go_on() -> None:
    async def test(launcher: ZygoteLauncher, yard: Yard) -> None:
        spinning = asyncio.create_task(yard.jail.call(program("while true do end"), [], refuse))
        calls = [yard.jail.call(program("return ..."), [n], refuse) for n in range(4)]
        assert await asyncio.gather(*calls) == [0, 1, 2, 3]
        with pytest.raises(Timeout):
            await spinning
        assert yard.reasons == ["wall_clock"]

    with_zygote(test, JailLimits(wall_clock=1.0))


def test_a_call_may_have_more_or_less_memory_than_others() -> None:
    body = "local t = {} for i = 1, 40 do t[i] = ('x'):rep(1000000) .. i end return #t"

    async def test(launcher: ZygoteLauncher, yard: Yard) -> None:
        large = JailLimits(memory=128 * MEGABYTE)
        assert await yard.jail.call(program(body), [], refuse, limits=large) == 40
        with pytest.raises(Internal):
            await yard.jail.call(program(body), [], refuse, limits=JailLimits(memory=16 * MEGABYTE))

    with_zygote(test)


def test_a_zygote_that_dies_takes_its_children_along_and_is_replaced() -> None:
    async def test(launcher: ZygoteLauncher, yard: Yard) -> None:
        zygote = await launcher.ready()
        running = asyncio.Event()

        async def say(_name: str, _args: list[Any]) -> tuple[Any, ...]:
            running.set()
            return (True,)

        tool = program("env.get('A') while true do end", ["env"])
        spinning = asyncio.create_task(yard.jail.call(tool, [], say))
        await running.wait()
        os.kill(zygote.pid, signal.SIGKILL)
        with pytest.raises((Unavailable, Internal)):
            await spinning
        assert await yard.jail.call(program("return 1"), [], refuse) == 1
        assert (await launcher.ready()).pid != zygote.pid
        assert await yard.jail.call(program("return 2"), [], refuse) == 2

    with_zygote(test, cold=ColdLauncher())


def test_a_zygote_that_can_not_start_is_tried_a_few_times_and_calls_go_on_cold() -> None:
    async def test() -> None:
        launcher = ZygoteLauncher([sys.executable, "-c", "raise SystemExit(1)"])
        for _ in range(MAX_FAILURES + 1):
            with pytest.raises(Unavailable, match="no zygote can start"):
                await launcher.ready()
        assert await Yard(launcher=launcher).jail.call(program("return 1"), [], refuse) == 1
        launcher.close()

    run(test)


def test_the_first_call_starts_no_zygote() -> None:
    async def test() -> None:
        launcher = ZygoteLauncher(zygote_command())
        yard = Yard(launcher=launcher)
        before = children_of(os.getpid())
        await yard.jail.call(program("return 1"), [], refuse)
        assert children_of(os.getpid()) == before
        await yard.jail.call(program("return 1"), [], refuse)
        assert len(children_of(os.getpid()) - before) == 1
        launcher.close()

    run(test)


def test_a_child_that_nobody_waits_for_any_more_is_ended() -> None:
    async def test(launcher: ZygoteLauncher, yard: Yard) -> None:
        zygote = await launcher.ready()
        launching = asyncio.create_task(launcher.launch(JailLimits()))
        await asyncio.sleep(0)
        launching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await launching
        await until(lambda: not children_of(zygote.pid))
        assert await yard.jail.call(program("return 1"), [], refuse) == 1

    with_zygote(test)


def test_no_descriptor_and_no_child_stays() -> None:
    async def test(launcher: ZygoteLauncher, yard: Yard) -> None:
        zygote = await launcher.ready()

        async def settled() -> tuple[int, int]:
            await yard.jail.call(program("return 1"), [], refuse)
            await launcher.settled()
            await yard.jail.settled()
            return len(os.listdir("/proc/self/fd")), len(children_of(zygote.pid))  # noqa: PTH208

        first = await settled()
        assert first[1] == 1  # the one that stands ready
        assert [await settled() for _ in range(3)] == [first] * 3

    with_zygote(test)


def test_a_child_that_died_while_it_stood_ready_serves_no_call() -> None:
    async def test(launcher: ZygoteLauncher, yard: Yard) -> None:
        zygote = await launcher.ready()
        assert await yard.jail.call(program("return 1"), [], refuse) == 1
        await launcher.settled()
        await yard.jail.settled()
        (ready,) = children_of(zygote.pid)
        os.kill(ready, signal.SIGKILL)
        await asyncio.sleep(0.1)
        assert await yard.jail.call(program("return 2"), [], refuse) == 2
        await launcher.settled()
        await yard.jail.settled()
        assert ready not in children_of(zygote.pid)  # nor stays it as a zombie

    with_zygote(test)


def test_a_child_can_be_killed_only_as_long_as_it_is_not_reaped() -> None:
    async def test(launcher: ZygoteLauncher, yard: Yard) -> None:
        child = await launcher.launch(JailLimits())
        assert isinstance(child, ForkedChild)
        child.kill()
        assert await child.reap() == -signal.SIGKILL
        child.kill()  # its number may be another's now: nothing happens
        child.forget()

    with_zygote(test)


def test_the_zygote_and_its_children_die_with_the_host() -> None:
    code = """
        import asyncio, os, sys
        from jail_parts import Yard, program, refuse
        from runtime.jail.zygote import ZygoteLauncher
        async def main():
            launcher = ZygoteLauncher()
            zygote = await launcher.ready()
            asyncio.create_task(Yard(launcher=launcher).jail.call(program("while true do end"), [], refuse))
            path = f"/proc/{zygote.pid}/task/{zygote.pid}/children"
            while not (children := open(path).read().split()):
                await asyncio.sleep(0)
            os.write(1, " ".join([str(zygote.pid), *children]).encode())
            os._exit(0)
        asyncio.run(main())
    """
    root = Path(__file__).resolve().parents[2]
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(Path(__file__).parent)])},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    pids = [int(pid) for pid in found.stdout.split()]
    assert len(pids) >= 2
    deadline = time.monotonic() + 10
    while not all(map(is_gone, pids)):
        assert time.monotonic() < deadline


def children_of(pid: int) -> set[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return {int(number) for number in found.split() if not is_gone(int(number))}


MODULES: dict[str, tuple[str, Any]] = {
    "time": (
        "local zone = time.load_location('Asia/Tokyo') return time.unix(0, 0):in_location(zone):hour()",
        9,
    ),
    "json": (
        "local ok, err = json.validate({type = 'object', required = {'a'}}, {}) return {ok, err ~= nil}",
        [False, True],
    ),
    "text": ("return (text.regexp.compile('a+'):find_string('baa'))", "aa"),
    "yaml": ("return yaml.decode(yaml.encode({a = 1})).a", 1),
    "payload": ("return payload.new({a = 1}):transcode(payload.format.YAML):data()", {"a": 1}),
    "hash": ("return #hash.sha256('x')", 64),
    "uuid": ("return #uuid.v7()", 36),
    "crypto": ("return #crypto.random.string(8)", 8),
    "base64": ("return base64.encode('x')", "eA=="),
    "os": ("return type(os.time())", "number"),
}


@pytest.mark.parametrize("way", ["zygote", "cold"])
def test_modules_have_all_that_they_need_behind_the_walls(way: str) -> None:
    async def calls(launcher: ZygoteLauncher, yard: Yard) -> None:
        for name, (body, value) in MODULES.items():
            assert await yard.jail.call(program(body, [name]), [], refuse) == value, name

    async def cold() -> None:
        await calls(ZygoteLauncher(), Yard())

    if way == "zygote":
        with_zygote(calls)
    else:
        run(cold)
