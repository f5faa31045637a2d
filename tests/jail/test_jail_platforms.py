"""What holds on systems with less: elsewhere than on Linux, and on a kernel without handles of processes."""

from __future__ import annotations

import asyncio
import errno
import json

import pytest
from elsewhere import refusing
from jail_parts import Yard, is_gone, program, refuse, run

from runtime.core.errors import Timeout
from runtime.jail.attacks import corpus
from runtime.jail.launcher import START, ColdLauncher, worker_command
from runtime.jail.level import REQUIRED, Level, NetsMissing
from runtime.jail.limits import JailLimits
from runtime.jail.report import FROM_OUTSIDE, examine

ELSEWHERE = ColdLauncher(worker_command(start=f"import sys; sys.platform = 'elsewhere'; {START}"))
"""Starts children as another system has them: limits of resources, and nothing that is Linux's alone."""
LIMITS = {"cpu", "address_space", "file_size", "open_files", "core", "processes"}


def test_elsewhere_nothing_runs_at_full_and_what_is_missing_is_named() -> None:
    async def test() -> None:
        with pytest.raises(NetsMissing) as caught:
            await Yard(launcher=ELSEWHERE).jail.call(program("return 1"), [], refuse)
        assert caught.value.details["missing"] == [net for net in REQUIRED if net not in LIMITS]
        assert "`landlock` (this system has none)" in caught.value.message

    run(test)


def test_elsewhere_basic_has_its_limits_and_its_wall_clock() -> None:
    async def test() -> None:
        yard = Yard(JailLimits(wall_clock=1.0), ELSEWHERE, Level.BASIC)
        with pytest.raises(Timeout):
            await yard.jail.call(program("while true do end"), [], refuse)
        assert yard.reasons == ["wall_clock"]
        assert yard.jail.nets is not None
        assert set(yard.jail.nets.on) == LIMITS

    run(test)


def test_elsewhere_the_report_says_basic_and_why() -> None:
    report = asyncio.run(examine(ELSEWHERE))
    assert report.level is Level.BASIC
    assert {net.name for net in report.nets if net.on} == {*FROM_OUTSIDE, *LIMITS}
    assert {net.why for net in report.nets if not net.on} <= {"this system has none", "not told"}


def test_what_a_forked_child_has_started_is_killed_with_it() -> None:
    # Its filter would not let it fork: this child of a zygote has no nets.
    source = "pid = os.fork()\nif pid == 0:\n    os.read(0, 1)\n    signal.pause()\nwon(pid)"
    attack = corpus.Attack("starts_another", f"import signal\n{source}", {"wants": "a process that stays"})

    async def test() -> None:
        [outcome] = [each async for each in corpus.run_native([attack], bare=True)]
        assert outcome.won
        assert is_gone(int(outcome.detail))

    run(test)


def test_without_handles_of_processes_calls_are_answered_and_loops_end() -> None:
    code = """
        import asyncio
        from jail_parts import Yard, program, refuse
        from runtime.jail.limits import JailLimits
        from runtime.jail.zygote import ZygoteLauncher
        async def main():
            launcher = ZygoteLauncher()
            launcher.prewarm()
            yard = Yard(JailLimits(wall_clock=1.0), launcher)
            found = [await yard.jail.call(program("return ..."), [n], refuse) for n in range(4)]
            try:
                await yard.jail.call(program("while true do end"), [], refuse)
            except Exception as error:
                found.append(type(error).__name__)
            print(json.dumps(found))
            launcher.close()
        asyncio.run(main())
    """
    ended = refusing(code, pidfd_open=errno.ENOSYS)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == [0, 1, 2, 3, "Timeout"]


def test_a_host_without_a_free_descriptor_says_so_and_goes_on_later() -> None:
    code = """
        import asyncio, os, resource
        from jail_parts import Yard, program, refuse
        from runtime.jail.zygote import ZygoteLauncher
        async def main():
            launcher = ZygoteLauncher()
            zygote = await launcher.ready()
            yard = Yard(launcher=launcher)
            await yard.jail.call(program("return 1"), [], refuse)
            await launcher.settled()
            await yard.jail.settled()
            launcher.drop_spare()
            await launcher.settled()
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
            for room in range(9):
                taken = []
                try:
                    while True:
                        taken.append(os.open("/dev/null", os.O_RDONLY))
                except OSError:
                    for number in taken[:room]:
                        os.close(number)
                try:
                    await yard.jail.call(program("return 1"), [], refuse)
                    print(json.dumps("well"))
                except Exception as error:
                    print(json.dumps(f"{type(error).__name__}: {error}"))
                for number in taken[room:]:
                    os.close(number)
                await yard.jail.settled()
                await launcher.settled()
                launcher.drop_spare()
                await launcher.settled()
            print(json.dumps(await yard.jail.call(program("return 'at last'"), [], refuse)))
            launcher.drop_spare()
            await launcher.settled()
            await yard.jail.settled()
            children = open(f"/proc/{zygote.pid}/task/{zygote.pid}/children").read().split()
            print(json.dumps(len(children)))
            launcher.close()
        asyncio.run(main())
    """
    ended = refusing(code)
    assert ended.returncode == 0, ended.stderr
    *tried, last, children = map(json.loads, ended.stdout.splitlines())
    assert {text.split(":")[0] for text in tried} <= {"Unavailable", "well"}
    assert tried[0].startswith("Unavailable: no jailed child can start: Too many open files")
    assert last == "at last"
    assert children <= 1
