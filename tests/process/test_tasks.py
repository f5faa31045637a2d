"""Tasks: what runs where, in which order its commands are taken up, and what its end takes with it."""

from __future__ import annotations

import asyncio
import queue
from typing import Any

from process_parts import HOST, House, new_thread, program, raised, run

from runtime.core.errors import Canceled, Error, Internal, NotFound, PermissionDenied, Unavailable
from runtime.lua.dispatch import Caller, Values
from runtime.lua.messages import Exited, Output, Spawn
from runtime.process.task import Start
from runtime.registry.entry import Origin
from runtime.security.actor import Actor, Context, Scope


def test_a_program_ends_with_its_value() -> None:
    async def test(house: House) -> None:
        assert await house.run(program("local a, b = ... return {sum = a + b}"), 1, 2) == {"sum": 3}

    run(test)


def test_an_error_of_the_program_is_raised_with_its_kind() -> None:
    async def test(house: House) -> None:
        with raised(NotFound, "no such thing"):
            await house.run(program("return nil, errors.new({kind = 'NotFound', message = 'no such thing'})"))

    run(test)


def test_a_host_that_is_not_open_is_named() -> None:
    async def test(house: House) -> None:
        with raised(NotFound, "`app:nowhere` is not running"):
            house.tasks.spawn(program("return 1"), [], host="app:nowhere")

    run(test)


def test_a_handler_sees_for_whom_the_task_works() -> None:
    seen: list[Caller] = []

    async def log(caller: Caller, _args: list[Any]) -> bool:
        seen.append(caller)
        return True

    async def test(house: House) -> None:
        house.on("logger.log", log)
        context = Context(Actor("app:agent"), Scope(["app:allow"]))
        start = Start(context, {"request": "r1"}, session="s1", cause=7)
        main = program("logger:info('x') return ctx.get('request')", modules=["logger", "ctx"])
        task = house.tasks.spawn(main, [], host=HOST, start=start)
        assert await house.tasks.wait(task) == "r1"

    run(test)
    caller = seen[0]
    assert (caller.entry, caller.origin, caller.host) == ("app:main", "file", HOST)
    assert caller.context.actor == Actor("app:agent")
    assert (caller.session, caller.cause, caller.task) == ("s1", 7, "{app:processes|0x00001}")


def test_what_is_written_comes_before_what_is_read() -> None:
    order: list[str] = []

    async def available(_caller: Caller, _args: list[Any]) -> bool:
        return True

    async def write(_caller: Caller, args: list[Any]) -> bool:
        await asyncio.sleep(0)
        order.append(f"write {args[0]['text']}")
        return True

    async def read(_caller: Caller, _args: list[Any]) -> str:
        order.append("read")
        return "line"

    async def test(house: House) -> None:
        house.on("io.available", available)
        house.on("io.write", write)
        house.on("io.readline", read)
        source = "for i = 1, 3 do io.write('q' .. i) io.readline() end io.write('bye')"
        await house.run(program(source, modules=["io"]))

    run(test)
    assert order == ["write q1", "read", "write q2", "read", "write q3", "read", "write bye"]


def test_a_command_that_waits_holds_back_no_other_coroutine() -> None:
    order: list[str] = []

    async def test(house: House) -> None:
        release = asyncio.Event()

        async def slow(_caller: Caller, _args: list[Any]) -> str:
            await release.wait()
            order.append("slow")
            return "slow"

        async def quick(_caller: Caller, _args: list[Any]) -> str:
            order.append("quick")
            release.set()
            return "quick"

        house.on("env.get", slow)
        house.on("env.set", quick)
        source = """
          local done = channel.new(1)
          coroutine.spawn(function() done:send(env.get('A')) end)
          env.set('A', 'B')
          return (done:receive())
        """
        assert await house.run(program(source, modules=["env"])) == "slow"

    run(test)
    assert order == ["quick", "slow"]


def test_messages_and_the_answer_keep_their_order() -> None:
    async def test(house: House) -> None:
        async def generate(caller: Caller, _args: list[Any]) -> str:
            for number in range(50):
                house.tasks.send(caller.task, "chunk", [number])
            return "done"

        house.on("env.get", generate)
        source = """
          local chunks = process.listen("chunk")
          local got = {}
          coroutine.spawn(function() while true do got[#got + 1] = chunks:receive() end end)
          local answer = env.get("X")
          return {answer = answer, count = #got, last = got[#got]}
        """
        result = await house.run(program(source, modules=["env"]))
        assert result["answer"] == "done"
        assert result["count"] >= 49  # the last one may still be in the hands of the channel

    run(test)


def test_a_handler_that_breaks_tells_nothing_of_the_host() -> None:
    async def broken(_caller: Caller, _args: list[Any]) -> str:
        raise RuntimeError("/secret/path")

    async def test(house: House) -> None:
        house.on("env.get", broken)
        source = "local v, err = env.get('A') return {kind = err:kind(), message = err:message()}"
        result = await house.run(program(source, modules=["env"]))
        assert result["kind"] == "Internal"
        assert "secret" not in result["message"]

    run(test)


def test_several_results_reach_lua() -> None:
    async def two(_caller: Caller, _args: list[Any]) -> Values:
        return Values(1, "b")

    async def test(house: House) -> None:
        house.on("env.get", two)
        result = await house.run(program("local a, b = env.get('A') return {a, b}", modules=["env"]))
        assert result in ([1, "b"], [1])

    run(test)


def test_a_function_call_ends_with_its_caller() -> None:
    async def test(house: House) -> None:
        reached = asyncio.Event()
        ended = asyncio.Event()

        async def wait(_caller: Caller, _args: list[Any]) -> None:
            reached.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        async def call(caller: Caller, _args: list[Any]) -> Any:
            return await house.tasks.call(
                caller, program("env.get('A')", id="app:inner", modules=["env"]), []
            )

        house.on("env.get", wait)
        house.on("env.set", call)
        outer = house.tasks.spawn(program("env.set('A', 'B')", modules=["env"]), [], host=HOST)
        await reached.wait()
        house.tasks.kill(outer, Canceled("enough"))
        with raised(Canceled, "enough"):
            await house.tasks.wait(outer)
        assert ended.is_set()

    run(test)


def test_a_killed_task_that_computes_makes_room_for_its_neighbours() -> None:
    async def test(house: House) -> None:
        spinning = house.tasks.spawn(program("while true do pcall(function() end) end"), [], host=HOST)
        await asyncio.sleep(0)
        house.tasks.kill(spinning, Canceled("enough"))
        with raised(Canceled, "enough"):
            await house.tasks.wait(spinning)
        assert await house.run(program("return 'here'")) == "here"

    run(test)


def test_code_born_at_run_time_is_refused_without_a_jail() -> None:
    async def test(house: House) -> None:
        with raised(Unavailable, "there is no jail"):
            await house.run(program("return 1", id="app.generated:tool", origin=Origin.RUNTIME))

    run(test)


def test_a_lua_thread_itself_refuses_code_born_at_run_time() -> None:
    heard: queue.Queue[list[Output]] = queue.Queue()
    thread = new_thread("a thread", heard.put)
    thread.start()
    thread.post(Spawn("{x|1}", program("return 1", id="app.generated:tool", origin=Origin.RUNTIME)))
    (exited,) = heard.get(timeout=10)
    thread.stop()
    assert isinstance(exited, Exited)
    assert isinstance(exited.error, PermissionDenied)


def test_the_jail_gets_every_program_that_is_not_trusted() -> None:
    given: list[Any] = []

    async def confine(program: Any, args: Any, dispatch: Any, **more: Any) -> Any:
        given.append((program.entry, list(args), dict(more["info"])))
        return (await dispatch("env.get", ["A"]))[0]

    async def test(house: House) -> None:
        async def get(caller: Caller, args: list[Any]) -> str:
            return f"{caller.entry} {caller.origin} {args[0]}"

        house.on("env.get", get)
        born = program("return 1", id="app.generated:tool", origin=Origin.RUNTIME)
        assert await house.run(born, 5) == "app.generated:tool runtime A"

    run(test, confine=confine)
    entry, args, info = given[0]
    assert (entry, args, info["id"]) == ("app.generated:tool", [5], "app.generated:tool")


def test_a_jailed_task_that_is_killed_before_it_starts_still_ends() -> None:
    async def confine(*_args: Any, **_more: Any) -> Any:
        raise AssertionError("it must not run")

    async def test(house: House) -> None:
        born = program("return 1", id="app.generated:tool", origin=Origin.RUNTIME)
        task = house.tasks.spawn(born, [], host=HOST)
        house.tasks.kill(task, Canceled("never mind"))
        with raised(Canceled, "never mind"):
            await house.tasks.wait(task)

    run(test, confine=confine)


def test_a_fault_of_the_jail_is_internal() -> None:
    async def confine(*_args: Any, **_more: Any) -> Any:
        raise RuntimeError("/secret/path")

    async def test(house: House) -> None:
        born = program("return 1", id="app.generated:tool", origin=Origin.RUNTIME)
        with raised(Internal, "could not be run") as caught:
            await house.run(born)
        assert "secret" not in str(caught[0])

    run(test, confine=confine)


def test_closing_ends_every_task() -> None:
    async def test(house: House) -> None:
        waiting = house.tasks.spawn(program("process.inbox():receive()"), [], host=HOST)
        await house.tasks.close()
        with raised(Canceled, "the program ends"):
            await house.tasks.wait(waiting)
        with raised(NotFound, "is not running"):
            house.tasks.spawn(program("return 1"), [], host=HOST)

    run(test)


def test_a_message_to_nobody_says_so() -> None:
    async def test(house: House) -> None:
        with raised(NotFound, "process not found: `{app:processes|0x99999}`"):
            house.tasks.send("{app:processes|0x99999}", "topic", [])

    run(test)


def test_errors_keep_kind_and_details_on_the_way_to_lua_and_back() -> None:
    async def refuse(_caller: Caller, _args: list[Any]) -> str:
        raise PermissionDenied("not allowed: x", details={"action": "env.get"})

    async def test(house: House) -> None:
        house.on("env.get", refuse)
        try:
            await house.run(program("local _, err = env.get('A') return nil, err", modules=["env"]))
        except Error as error:
            assert isinstance(error, PermissionDenied)
            assert error.details["action"] == "env.get"
        else:
            raise AssertionError("no error came back")

    run(test)
