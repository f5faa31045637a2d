"""What a Lua state may start and send by itself ends with the yes that allowed it, and is counted alike."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from actor_parts import DEADLINE, ActorHouse, policy

from runtime.core.errors import Canceled
from runtime.lua.dispatch import Caller

MAIN = "--- main\nreturn {{ main = function(...)\n{}\nend }}\n"
IDLE = "--- idle\nreturn { main = function() while true do process.inbox():receive() end end }\n"


def run(test: Callable[[ActorHouse], Awaitable[None]], body: str, *more: Any) -> None:
    """Run `test` with a house whose first process does `body`."""

    async def main() -> None:
        house = ActorHouse(MAIN.format(body) + IDLE, list(more))
        try:
            async with asyncio.timeout(DEADLINE):
                await test(house)
        finally:
            await house.tasks.close()

    asyncio.run(main())


def on_env_get(house: ActorHouse, act: Callable[[], object]) -> None:
    """Let `env.get` do something in the middle of what a process does."""

    async def get(_caller: Caller, _args: list[Any]) -> str:
        act()
        return "done"

    house.dispatcher.register("env.get", get)


@pytest.mark.parametrize(
    ("action", "what"),
    [
        ("process.spawn", "process.spawn('app:idle', 'app:processes')"),
        ("process.host", "process.spawn('app:idle', 'app:processes')"),
        ("process.spawn.linked", "process.spawn_linked('app:idle', 'app:processes')"),
        ("process.send", "process.send(pid, 'topic', 1)"),
    ],
)
def test_a_yes_ends_when_policies_change(action: str, what: str) -> None:
    body = f"""
      local pid = process.spawn('app:idle', 'app:processes')
      for _ = 1, 3 do assert({what}) end
      env.get('A')
      local _, err = {what}
      return err:message()
    """

    async def test(house: ActorHouse) -> None:
        def change() -> None:
            house.engine.rebuild([policy("all", ["process.*"]), policy("no", [action], effect="deny")])
            house.tasks.policies_changed()

        on_env_get(house, change)
        said = await house.run(policies=["app:all", "app:no"])
        assert said.startswith(f"not allowed: {action} on ")

    run(test, body, policy("no", ["nothing"], effect="deny"))


def test_a_host_that_gets_a_limit_takes_no_more() -> None:
    body = """
      for _ = 1, 5 do assert(process.spawn('app:idle', 'app:processes')) end
      env.get('A')
      local _, err = process.spawn('app:idle', 'app:processes')
      return err:message()
    """

    async def test(house: ActorHouse) -> None:
        on_env_get(house, lambda: house.tasks.open_host("app:processes", 6))
        assert await house.run() == "host `app:processes` is full: it runs 6 processes"
        assert len(house.tasks.processes("app:processes")) == 5

    run(test, body)


def test_a_yes_to_one_process_is_none_to_another() -> None:
    body = """
      local first = process.spawn('app:idle', 'app:processes')
      local second = process.spawn('app:idle', 'app:processes')
      for _ = 1, 2 do assert(process.send(first, 'topic', 1)) end
      local _, err = process.send(second, 'topic', 1)
      return { first, err:kind() }
    """

    async def test(house: ActorHouse) -> None:
        found = await house.run(policies=["app:starts", "app:one"])
        assert found == ["{app:processes|0x00002}", "PermissionDenied"]

    starts = policy("starts", ["process.spawn", "process.host"])
    run(test, body, starts, policy("one", ["process.send"], "{app:processes|0x00002}"))


def test_what_policies_say_of_one_process_is_asked_of_each() -> None:
    body = """
      local pids = {}
      for index = 1, 3 do pids[index] = process.spawn('app:idle', 'app:processes') end
      local told = {}
      for index, pid in ipairs(pids) do told[index] = tostring((process.send(pid, 'topic', 1))) end
      return told
    """

    async def test(house: ActorHouse) -> None:
        assert await house.run(policies=["app:all", "app:no"]) == ["true", "nil", "true"]

    # Numbers 1 and 2 are the process itself and the first, started by the host; then the kernel goes on.
    run(test, body, policy("no", ["process.send"], "{app:processes|0x00003}", effect="deny"))


def test_what_was_started_by_somebody_who_was_ended_meanwhile_is_ended() -> None:
    async def test(house: ActorHouse) -> None:
        reached = asyncio.Event()
        on_env_get(house, reached.set)
        task = house.start()
        await reached.wait()
        house.tasks.kill(task, Canceled("enough"))
        known = len(house.tasks.processes())
        assert await asyncio.to_thread(house.threads[0].stop)
        assert len(house.tasks.processes()) == known

    body = "process.spawn('app:idle', 'app:processes') env.get('A') "
    run(test, body + "while true do process.spawn('app:idle', 'app:processes') end")
