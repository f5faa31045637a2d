"""An end that is asked for: who listens decides, who does not is ended when all that was sent is taken up."""

from __future__ import annotations

import asyncio

from process_parts import HOST, House, program, raised, run

from runtime.core.errors import Canceled
from runtime.lua.dispatch import Caller
from runtime.process.drain import drain
from runtime.process.task import Task


def started(house: House, source: str) -> Task:
    return house.tasks.spawn(program(source), [], host=HOST)


def test_who_listens_is_told_why_and_ends_when_it_likes() -> None:
    async def test(house: House) -> None:
        task = started(house, "local e = process.events():receive() return e.kind .. ' ' .. e.reason")
        house.tasks.retire(task, "that is all")
        assert await house.tasks.wait(task) == "pid.cancel that is all"

    run(test)


def test_who_does_not_listen_is_ended_once_it_waits_for_its_next_message() -> None:
    async def test(house: House) -> None:
        seen: list[str] = []
        gate = asyncio.Event()

        async def take(_caller: Caller, args: list[object]) -> bool:
            await gate.wait()
            seen.append(str(args))
            return True

        house.on("registry.get", take)
        source = """
          local registry, inbox = require("registry"), process.inbox()
          while true do registry.get(inbox:receive():payload():data()) end
        """
        task = house.tasks.spawn(program(source, modules=["registry"]), [], host=HOST)
        for number in range(3):
            house.tasks.send(task.id, "work", [f"app:n{number}"])
        house.tasks.retire(task, "the host is closed")
        gate.set()
        with raised(Canceled, "the host is closed"):
            await house.tasks.wait(task)
        assert len(seen) == 3

    run(test)


def test_who_never_takes_messages_is_not_waited_for() -> None:
    async def test(house: House) -> None:
        task = house.tasks.spawn(program("require('time').sleep('1h')", modules=["time"]), [], host=HOST)
        assert await drain(house.tasks, HOST, "over", 10) == []
        assert not task.alive

    run(test)


def test_what_has_just_started_may_still_begin_to_listen() -> None:
    async def test(house: House) -> None:
        task = started(house, "return process.events():receive().reason")
        assert await drain(house.tasks, HOST, "over", 10) == []
        assert await house.tasks.wait(task) == "over"

    run(test)


def test_who_listens_and_goes_on_is_returned() -> None:
    async def test(house: House) -> None:
        task = started(house, "process.events() process.inbox():receive()")
        ended = started(house, "process.inbox():receive()")
        assert await drain(house.tasks, HOST, "over", 0.05) == [task]
        assert not ended.alive

    run(test)


def test_without_patience_who_does_not_listen_is_ended_at_once() -> None:
    async def test(house: House) -> None:
        async def never(_caller: Caller, _args: list[object]) -> None:
            await asyncio.Event().wait()

        house.on("registry.get", never)
        task = house.tasks.spawn(
            program("require('registry').get('app:a')", modules=["registry"]), [], host=HOST
        )
        house.tasks.retire(task, "at once", patient=False)
        with raised(Canceled, "at once"):
            await house.tasks.wait(task)

    run(test)


def test_an_upgrade_in_between_does_not_forget_the_wish() -> None:
    async def test(house: House) -> None:
        task = started(house, "process.inbox():receive() process.inbox():receive()")
        house.tasks.upgrade(task.id, program("return process.events():receive().reason"), [])
        house.tasks.retire(task, "over")
        assert await house.tasks.wait(task) == "over"

    run(test)
