"""An interrupt ends what a task waits for or computes, holds until the next line, and tears nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from process_parts import HOST, House, program, run

from runtime.core.errors import Canceled
from runtime.lua.dispatch import Caller
from runtime.process.task import Task
from runtime.registry.entry import Origin

WAITS = {
    "http_client.request": ("http_client", "http_client.get('http://127.0.0.1:9/')"),
    "funcs.call": ("funcs", "funcs.call('app:other')"),
    "io.readline": ("io", "io.readline()"),
    "env.get": ("env", "env.get('A')"),
}


class Waiting:
    """A handler that waits for ever and says when it was reached and when it was cancelled."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.canceled = 0
        self.calls = 0

    async def __call__(self, _caller: Caller, _args: list[Any]) -> None:
        self.calls += 1
        self.reached.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.canceled += 1
            raise


async def yes(_caller: Caller, _args: list[Any]) -> bool:
    return True


@pytest.mark.parametrize("command", sorted(WAITS))
def test_what_a_task_waits_for_ends_with_canceled(command: str) -> None:
    module, source = WAITS[command]

    async def test(house: House) -> None:
        waiting = Waiting()
        house.on("io.available", yes)
        house.on(command, waiting)
        body = f"local _, err = {source} return {{kind = err:kind(), message = err:message()}}"
        task = house.tasks.spawn(program(body, modules=[module]), [], host=HOST)
        await waiting.reached.wait()
        house.tasks.interrupt(task)
        assert await house.tasks.wait(task) == {"kind": "Canceled", "message": "interrupted"}
        assert waiting.canceled == 1

    run(test)


def test_a_turn_does_not_go_on_until_the_next_line_is_read() -> None:
    async def test(house: House) -> None:
        waiting = Waiting()
        house.on("io.available", yes)
        house.on("io.readline", yes)
        house.on("http_client.request", waiting)
        house.on("env.get", yes)
        source = """
          local kinds = {}
          for i = 1, 3 do
            local _, err = http_client.get('http://127.0.0.1:9/')
            kinds[i] = err and err:kind() or "none"
          end
          kinds[4] = tostring(env.get("A"))  -- what is quick still works
          io.readline()
          http_client.get('http://127.0.0.1:9/')
          return kinds
        """
        task = house.tasks.spawn(program(source, modules=["http_client", "io", "env"]), [], host=HOST)
        await waiting.reached.wait()
        waiting.reached.clear()
        house.tasks.interrupt(task)
        await waiting.reached.wait()  # the call after the line
        assert waiting.calls == 2
        house.tasks.interrupt(task)
        assert await house.tasks.wait(task) == ["Canceled", "Canceled", "Canceled", "true"]

    run(test)


def test_an_interrupt_is_raised_in_a_loop_that_only_computes() -> None:
    async def test(house: House) -> None:
        started = asyncio.Event()

        async def begin(_caller: Caller, _args: list[Any]) -> bool:
            started.set()
            return True

        house.on("env.set", begin)
        source = """
          env.set("A", "B")
          local ok, err = pcall(function() while true do end end)
          return {ok = ok, kind = err:kind()}
        """
        task = house.tasks.spawn(program(source, modules=["env"]), [], host=HOST)
        await started.wait()
        await computes(house, task)
        house.tasks.interrupt(task)
        assert await house.tasks.wait(task) == {"ok": False, "kind": "Canceled"}

    run(test)


async def computes(house: House, task: Task) -> None:
    """Wait until the Lua thread has gone in again after the answer to the command of `task`."""
    while task.alive and house.threads[0].heartbeat() is None:  # noqa: ASYNC110 - nobody tells when it goes in
        await asyncio.sleep(0)


def test_a_task_that_computes_on_after_an_interrupt_is_interrupted_again() -> None:
    async def test(house: House) -> None:
        waiting = Waiting()
        house.on("env.get", waiting)
        source = """
          local _, first = env.get("A")
          local ok, second = pcall(function() while true do end end)
          return {first:kind(), second:kind()}
        """
        task = house.tasks.spawn(program(source, modules=["env"]), [], host=HOST)
        await waiting.reached.wait()
        house.tasks.interrupt(task)
        assert await house.tasks.wait(task) == ["Canceled", "Canceled"]

    run(test, insist_seconds=0.2)


def test_a_call_that_computes_ends_with_the_call_that_waits_for_it() -> None:
    async def test(house: House) -> None:
        reached = asyncio.Event()

        async def call(caller: Caller, _args: list[Any]) -> Any:
            reached.set()
            return await house.tasks.call(caller, program("while true do end", id="app:spin"), [])

        house.on("funcs.call", call)
        source = "local _, err = funcs.call('app:spin') return err:message()"
        task = house.tasks.spawn(program(source, modules=["funcs"]), [], host=HOST)
        await reached.wait()
        house.tasks.interrupt(task)
        assert await house.tasks.wait(task) == "interrupted"

    run(test)


def test_an_interrupt_reaches_what_a_call_waits_for() -> None:
    async def test(house: House) -> None:
        waiting = Waiting()

        async def call(caller: Caller, _args: list[Any]) -> Any:
            inner = program("env.get('A') env.get('A')", id="app:inner", modules=["env"])
            return await house.tasks.call(caller, inner, [])

        house.on("env.get", waiting)
        house.on("funcs.call", call)
        source = "local _, err = funcs.call('app:inner') return err:message()"
        task = house.tasks.spawn(program(source, modules=["funcs"]), [], host=HOST)
        await waiting.reached.wait()
        house.tasks.interrupt(task)
        assert await house.tasks.wait(task) == "interrupted"
        assert (waiting.calls, waiting.canceled) == (1, 1)

    run(test)


def test_what_a_handler_shields_is_finished() -> None:
    async def test(house: House) -> None:
        reached, release, done = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def commit() -> None:
            reached.set()
            await release.wait()
            done.set()

        async def apply(_caller: Caller, _args: list[Any]) -> bool:
            await asyncio.shield(asyncio.ensure_future(commit()))
            return True

        house.on("env.set", apply)
        source = "local _, err = env.set('A', 'B') return err:kind()"
        task = house.tasks.spawn(program(source, modules=["env"]), [], host=HOST)
        await reached.wait()
        house.tasks.interrupt(task)
        assert await house.tasks.wait(task) == "Canceled"
        release.set()
        await done.wait()

    run(test)


def test_a_jailed_call_is_ended_by_an_interrupt() -> None:
    async def test(house: House) -> None:
        born = program("return 1", id="app.generated:tool", origin=Origin.RUNTIME)
        task = house.tasks.spawn(born, [], host=HOST)
        await confined.wait()
        house.tasks.interrupt(task)
        with pytest.raises(Canceled, match="interrupted"):
            await house.tasks.wait(task)

    confined = asyncio.Event()

    async def confine(*_args: Any, **_more: Any) -> Any:
        confined.set()
        await asyncio.Event().wait()

    run(test, confine=confine)


def test_a_neighbour_is_not_interrupted() -> None:
    async def test(house: House) -> None:
        waiting = Waiting()
        answers: asyncio.Event = asyncio.Event()

        async def later(_caller: Caller, _args: list[Any]) -> str:
            await answers.wait()
            return "answer"

        house.on("env.get", waiting)
        house.on("env.set", later)
        one = house.tasks.spawn(program("env.get('A')", modules=["env"]), [], host=HOST)
        other = house.tasks.spawn(
            program("return (env.set('A', 'B'))", id="app:other", modules=["env"]), [], host=HOST
        )
        await waiting.reached.wait()
        house.tasks.interrupt(one)
        await house.tasks.wait(one)
        answers.set()
        assert await house.tasks.wait(other) == "answer"

    run(test)
