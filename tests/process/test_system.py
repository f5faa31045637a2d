"""What `system` tells of services, how it ends the run, and who hears that its code is outdated."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from actor_parts import DEADLINE, ActorHouse, policy, process

from runtime.lua.dispatch import Caller
from runtime.registry.entry import Entry, Origin

WATCHES = """-- allow: process.* system.*
--- main
local system = require("system")
return { main = function()
  local state, err = system.supervisor.state("app:service")
  if err then return err:kind() end
  assert(#system.supervisor.states() == 1)
  return state
end }
--- served
return { main = function() process.inbox():receive() end }
"""
EXITS = """-- allow: system.exit
--- main
return { main = function() return require("system").exit(7) end }
"""
UPGRADABLE = """
--- main
return { main = function()
  process.set_options({ upgradable = true })
  assert(process.get_options().upgradable == true and process.get_options().trap_links == false)
  require("env").get("ready")
  process.inbox():receive()
  local event = process.events():receive()
  assert(event.kind == process.event.OUTDATED and event.kind == "pid.outdated", event.kind)
  local more = channel.select({ process.events():case_receive(), default = true })
  assert(more.default, "what was not received takes up the next one")
  return event.sources
end }
--- bystander
return { main = function()
  return process.events():receive().kind
end }
"""


def within(text: str, test: Callable[[ActorHouse], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        house = ActorHouse(text)
        try:
            async with asyncio.timeout(DEADLINE):
                return await test(house)
        finally:
            await house.tasks.close()

    return asyncio.run(main())


def test_the_state_of_a_service_is_told() -> None:
    data = {"process": "app:served", "host": "app:processes"}
    service = Entry("app:service", "process.service", {}, data, Origin.FILE)

    async def test(house: ActorHouse) -> None:
        assert await house.run() == "NotFound"
        found = house.supervisor.start(service, house.registry.current)
        state = await house.run()
        assert (state["id"], state["status"], state["desired"]) == ("app:service", "running", "running")
        assert (state["retry_count"], "details" in state) == (0, False)
        assert 0 < state["started_at"] <= state["last_update"]
        found.become("waiting", "broken")
        state = await house.run()
        assert (state["status"], state["desired"], state["details"]) == ("failed", "running", "broken")

    within(WATCHES, test)


def test_exit_is_handed_to_the_run() -> None:
    async def test(house: ActorHouse) -> None:
        assert await house.run() is True
        assert house.exits == [7]

    within(EXITS, test)


def test_outdated_goes_to_those_who_asked_and_is_joined_until_it_is_received() -> None:
    async def test(house: ActorHouse) -> None:
        ready = asyncio.Event()

        async def note(_caller: Caller, _args: list[Any]) -> None:
            ready.set()

        house.dispatcher.register("env.get", note)
        main = house.start()
        other = house.tasks.spawn(house.programs.get(house.processes[1]), [], host="app:processes")
        await ready.wait()
        rest = [entry for entry in house.registry.current.entries() if entry.id != "app:main"]
        for edit in ("-- one\n", "-- two\n"):
            source = str(house.processes[0].fields["source"]) + edit
            house.registry.load([*rest, process("main", source)])
        house.registry.load([*rest, process("main", source), policy("more", ["nothing"])])
        house.tasks.send(main.id, "go", [1])
        assert await house.tasks.wait(main) == ["app:main"]
        house.tasks.cancel(other, "", "")
        assert await house.tasks.wait(other) == "pid.cancel"

    within(UPGRADABLE, test)
