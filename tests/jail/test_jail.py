"""Real programs in real children: what they may, what ends them, and that nothing of them stays."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from jail_parts import LIBRARY, TOOL, Yard, is_gone, program, refuse, run

from runtime.core.errors import Error, Internal, Invalid, NotFound, PermissionDenied, Timeout, Unavailable
from runtime.jail.abilities import ALWAYS, allowed_commands
from runtime.jail.launcher import ColdLauncher, PopenChild, worker_command
from runtime.jail.limits import JailLimits

SHORT = JailLimits(wall_clock=1.0)


class Watched(ColdLauncher):
    """Remembers the children that it started."""

    def __init__(self) -> None:
        super().__init__()
        self.pids: list[int] = []

    async def launch(self, limits: JailLimits) -> Any:
        child = await super().launch(limits)
        self.pids.append(child.pid)
        return child


def test_a_program_gets_its_arguments_values_and_identity() -> None:
    body = """
      local a, b = ...
      return {sum = a + b.x, value = ctx.get("request"), id = process.id(), pid = process.pid()}
    """

    async def test() -> None:
        yard = Yard()
        found = await yard.jail.call(
            program(body, ["ctx"]),
            [1, {"x": 2}],
            refuse,
            values={"request": "r1"},
            info={"id": TOOL, "pid": "{h|0x1}"},
        )
        assert found == {"sum": 3, "value": "r1", "id": TOOL, "pid": "{h|0x1}"}
        assert yard.killed == []

    run(test)


def test_an_error_of_the_program_keeps_its_kind() -> None:
    async def test() -> None:
        yard = Yard()
        with pytest.raises(NotFound, match="nothing here"):
            body = "return nil, errors.new({kind = 'NotFound', message = 'nothing here'})"
            await yard.jail.call(program(body), [], refuse)
        assert yard.killed == []

    run(test)


def test_a_program_that_is_no_lua_says_where() -> None:
    async def test() -> None:
        with pytest.raises(Error, match="tool"):
            await Yard().jail.call(program("this is no lua"), [], refuse)

    run(test)


def test_a_call_keeps_no_state_for_the_next() -> None:
    async def test() -> None:
        yard = Yard()
        counting = program("count = (count or 0) + 1 return count")
        assert await yard.jail.call(counting, [], refuse) == 1
        assert await yard.jail.call(counting, [], refuse) == 1

    run(test)


def test_a_loop_ends_at_the_wall_clock_and_its_neighbours_go_on() -> None:
    async def test() -> None:
        yard = Yard(SHORT)
        spinning = asyncio.create_task(yard.jail.call(program("while true do end"), [], refuse))
        neighbours = [yard.jail.call(program("return ..."), [n], refuse) for n in range(2)]
        assert await asyncio.gather(*neighbours) == [0, 1]
        started = time.monotonic()
        with pytest.raises(Timeout, match=f"`{TOOL}` took longer than 1 s"):
            await spinning
        assert time.monotonic() - started < 4
        assert yard.reasons == ["wall_clock"]

    run(test)


def test_a_loop_ends_at_its_limit_of_cpu_too() -> None:
    async def test() -> None:
        yard = Yard(JailLimits(cpu=1))
        with pytest.raises(Timeout, match="more than 1 s of CPU"):
            await yard.jail.call(program("while true do pcall(error) end"), [], refuse)
        assert yard.reasons == ["cpu"]

    run(test)


def test_a_wait_ends_at_the_wall_clock() -> None:
    async def test() -> None:
        yard = Yard(JailLimits(wall_clock=1.0))
        with pytest.raises(Timeout):
            await yard.jail.call(program("time.sleep('1h')", ["time"]), [], refuse)

    run(test)


@pytest.mark.parametrize(
    "body",
    [
        "local t = {} while true do t[#t + 1] = ('x'):rep(100000) .. #t end",
        "local s = 'x' while true do s = s .. s end",
        "local t = {} while true do t = {t} for i = 2, 100 do t[i] = {t[1]} end end",
        "local t = {} while true do pcall(function() while true do t[#t + 1] = {#t} end end) end",
        "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end",
    ],
)
def test_memory_that_grows_fails_the_call_alone(body: str) -> None:
    async def test() -> None:
        yard = Yard()
        with pytest.raises((Internal, Timeout)):
            await yard.jail.call(program(body), [], refuse)
        assert await yard.jail.call(program("return 'well'"), [], refuse) == "well"

    run(test)


def test_a_result_that_is_too_large_fails_the_call() -> None:
    async def test() -> None:
        yard = Yard(JailLimits(output_bytes=1000))
        with pytest.raises(Invalid, match="its result takes"):
            await yard.jail.call(program("return ('x'):rep(2000)"), [], refuse)
        assert yard.reasons == ["size"]

    run(test)


def test_arguments_that_are_too_large_fail_the_call() -> None:
    async def test() -> None:
        yard = Yard(JailLimits(argument_bytes=1000))
        with pytest.raises(Invalid, match="the arguments of one of its calls"):
            await yard.jail.call(program("env.get(('x'):rep(2000))", ["env"]), [], refuse)

    run(test)


def test_a_command_that_was_not_declared_is_refused_and_reaches_nobody() -> None:
    body = """
      local _, err = process.send(process.pid(), 'topic', 1)
      return {kind = err:kind(), text = err:message()}
    """

    async def test() -> None:
        found = await Yard().jail.call(program(body), [], refuse, info={"pid": "{h|0x1}"})
        assert found["kind"] == "PermissionDenied"
        assert "has not declared the ability `process.send`" in found["text"]

    run(test)


def test_a_declared_command_reaches_the_host_and_its_answer_the_program() -> None:
    seen: list[tuple[str, list[Any]]] = []

    async def dispatch(name: str, args: list[Any]) -> tuple[Any, ...]:
        seen.append((name, args))
        return ("value",)

    async def test() -> None:
        found = await Yard().jail.call(program("return env.get('A')", ["env"]), [], dispatch)
        assert found == "value"

    run(test)
    assert [name for name, _ in seen] == ["env.get"]


def test_abilities_can_be_narrower_than_the_modules() -> None:
    async def test() -> None:
        body = "local _, err = env.get('A') return err:kind()"
        jail = Yard().jail
        assert await jail.call(program(body, ["env"]), [], refuse, abilities=[]) == "PermissionDenied"

    run(test)


def test_an_error_of_a_handler_is_an_error_in_the_program() -> None:
    async def denied(_name: str, _args: list[Any]) -> tuple[Any, ...]:
        raise PermissionDenied("not allowed: env.get", details={"action": "env.get"})

    async def broken(_name: str, _args: list[Any]) -> tuple[Any, ...]:
        raise RuntimeError("/secret/path")

    async def test() -> None:
        body = "local _, err = env.get('A') return {err:kind(), err:message()}"
        assert await Yard().jail.call(program(body, ["env"]), [], denied) == [
            "PermissionDenied",
            "not allowed: env.get",
        ]
        kind, text = await Yard().jail.call(program(body, ["env"]), [], broken)
        assert kind == "Internal" and "secret" not in text

    run(test)


def test_an_answer_that_can_not_cross_is_an_error_in_the_program() -> None:
    async def odd(_name: str, _args: list[Any]) -> tuple[Any, ...]:
        return (object(),)

    async def test() -> None:
        body = "local _, err = env.get('A') return err:kind()"
        assert await Yard().jail.call(program(body, ["env"]), [], odd) == "Invalid"

    run(test)


def test_too_many_calls_end_the_program() -> None:
    async def dispatch(_name: str, _args: list[Any]) -> tuple[Any, ...]:
        return (True,)

    async def test() -> None:
        yard = Yard(JailLimits(host_calls=10))
        with pytest.raises(Invalid, match="made more than 10 calls to the host"):
            await yard.jail.call(program("while true do env.get('A') end", ["env"]), [], dispatch)
        assert yard.reasons == ["budget"]

    run(test)


def test_what_is_said_before_a_call_is_heard_before_it() -> None:
    order: list[str] = []

    async def dispatch(name: str, args: list[Any]) -> tuple[Any, ...]:
        await asyncio.sleep(0)
        order.append(f"{name} {args[0]}" if name == "logger.print" else name)
        return ("A",)

    async def test() -> None:
        await Yard().jail.call(program("print('one') env.get('A') print('two')", ["env"]), [], dispatch)

    run(test)
    assert order == ["logger.print one", "env.get", "logger.print two"]


def test_calls_of_several_coroutines_wait_side_by_side() -> None:
    async def test() -> None:
        both = asyncio.Barrier(2)

        async def dispatch(_name: str, args: list[Any]) -> tuple[Any, ...]:
            await both.wait()
            return (str(args),)

        body = """
          local done = channel.new(2)
          for _, name in ipairs({"A", "B"}) do
            coroutine.spawn(function() done:send(env.get(name) ~= nil) end)
          end
          return {(done:receive()), (done:receive())}
        """
        assert await Yard().jail.call(program(body, ["env"]), [], dispatch) == [True, True]

    run(test)


def test_so_many_calls_run_at_once_and_the_others_wait_for_their_turn() -> None:
    at_once, most = 0, 0

    async def test() -> None:
        full = asyncio.Event()

        async def dispatch(_name: str, args: list[Any]) -> tuple[Any, ...]:
            nonlocal at_once, most
            at_once += 1
            most = max(most, at_once)
            if at_once >= 16:
                full.set()
            await full.wait()
            for _ in range(5):
                await asyncio.sleep(0)
            at_once -= 1
            return (args[0],)

        body = """
          local done = channel.new(150)
          for index = 1, 150 do
            coroutine.spawn(function() done:send(env.get(tostring(index)) == tostring(index)) end)
          end
          for _ = 1, 150 do if not done:receive() then return false end end
          return true
        """
        assert await Yard().jail.call(program(body, ["env"]), [], dispatch) is True

    run(test)
    assert most == JailLimits().commands_at_once == 16


def test_what_ends_a_call_waits_for_no_place_among_the_calls() -> None:
    async def test() -> None:
        canceled = asyncio.Event()

        async def dispatch(name: str, _args: list[Any]) -> tuple[Any, ...]:
            if name == "funcs.cancel":
                canceled.set()
                return (True,)
            await canceled.wait()
            return (1,)

        body = """
          local futures = {}
          for index = 1, 16 do futures[index] = funcs.async("app:waits") end
          futures[1]:cancel()
          return futures[2]:response():receive() ~= nil
        """
        assert await Yard().jail.call(program(body, ["funcs"]), [], dispatch) is True

    run(test)


def test_the_host_holds_no_more_arguments_than_it_has_promised() -> None:
    limits = JailLimits(held_bytes=500_000)

    async def test() -> None:
        full, release = asyncio.Event(), asyncio.Event()
        held = 0

        async def dispatch(_name: str, args: list[Any]) -> tuple[Any, ...]:
            nonlocal held
            held += len(args[0])
            if held >= limits.held_bytes:
                full.set()
            await release.wait()
            held -= len(args[0])
            return (True,)

        body = """
          local done = channel.new(40)
          for _ = 1, 40 do coroutine.spawn(function() done:send(env.get(("x"):rep(100000))) end) end
          for _ = 1, 40 do done:receive() end
          return true
        """
        call = asyncio.create_task(Yard(limits).jail.call(program(body, ["env"]), [], dispatch))
        await full.wait()
        for _ in range(200):
            await asyncio.sleep(0)
        assert held == 500_000, "the next one waits outside"
        release.set()
        assert await call is True

    run(test)


def test_cancelling_kills_the_child_and_cancels_its_calls() -> None:
    async def test() -> None:
        reached, canceled = asyncio.Event(), asyncio.Event()

        async def dispatch(_name: str, _args: list[Any]) -> tuple[Any, ...]:
            reached.set()
            try:
                await asyncio.Event().wait()
            finally:
                canceled.set()
            return ()

        launcher = Watched()
        yard = Yard(launcher=launcher)
        call = asyncio.create_task(yard.jail.call(program("env.get('A')", ["env"]), [], dispatch))
        await reached.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert canceled.is_set()
        assert is_gone(launcher.pids[-1])
        assert yard.reasons == ["canceled"]

    run(test)


def test_a_child_is_gone_when_its_call_returns() -> None:
    async def test() -> None:
        launcher = Watched()
        yard = Yard(launcher=launcher)
        await yard.jail.call(
            program("coroutine.spawn(function() while true do end end) return 1"), [], refuse
        )
        assert is_gone(launcher.pids[-1])

    run(test)


def open_descriptors() -> list[int]:
    found = []
    for number in range(256):
        with contextlib.suppress(OSError):
            os.fstat(number)
            found.append(number)
    return found


def test_no_descriptor_is_left_open() -> None:
    async def test() -> None:
        yard = Yard()
        await yard.jail.call(program("return 1"), [], refuse)
        await yard.jail.settled()
        before = open_descriptors()
        for _ in range(3):
            await yard.jail.call(program("return 1"), [], refuse)
        await yard.jail.settled()
        assert open_descriptors() == before

    run(test)


def test_without_an_interpreter_the_call_is_unavailable() -> None:
    async def test() -> None:
        yard = Yard(launcher=ColdLauncher(worker_command("/nonexistent/python")))
        with pytest.raises(Unavailable, match="no jailed child can start"):
            await yard.jail.call(program("return 1"), [], refuse)

    run(test)


def test_where_the_system_gives_no_process_the_call_is_unavailable() -> None:
    # In a process of its own, which gives up the right to make children; for root the limit does not hold.
    code = """
        import asyncio, os, resource
        from jail_parts import Yard, program, refuse
        yard, tool = Yard(), program("return 1")
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        if os.getuid() == 0:
            os.setuid(65534)
        async def main():
            await yard.jail.call(tool, [], refuse)
        try:
            asyncio.run(main())
        except Exception as error:
            print(type(error).__name__, error)
    """
    root = Path(__file__).resolve().parents[2]
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(Path(__file__).parent)])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found.stdout.startswith("Unavailable no jailed child can start: "), found.stdout + found.stderr


def test_only_declared_modules_give_abilities() -> None:
    assert allowed_commands(program("return 1"), LIBRARY) == ALWAYS
    assert allowed_commands(program("return 1", ["env"]), LIBRARY) == ALWAYS | {
        "env.get",
        "env.set",
        "env.get_all",
    }


def test_a_privileged_module_is_never_linked_into_code_born_at_run_time() -> None:
    with pytest.raises(PermissionDenied):
        program("return 1", ["llm_host"])


def test_a_child_of_another_make_needs_only_pipes_and_a_pid() -> None:
    class Other:
        async def launch(self, limits: JailLimits) -> PopenChild:
            process = subprocess.Popen(  # noqa: ASYNC220
                worker_command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
            assert process.stdin and process.stdout and process.stderr
            return PopenChild(process.pid, process.stdin, process.stdout, process.stderr, process.wait)

    async def test() -> None:
        assert await Yard(launcher=Other()).jail.call(program("return ..."), ["x"], refuse) == "x"

    run(test)
