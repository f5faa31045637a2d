"""A call that is made again stays in the Lua state of its caller, and is the same call in every other way."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from funcs_parts import CALLER, House, function, policy, run, tool

from runtime.core.errors import Canceled, Error, NotFound, PermissionDenied
from runtime.lua.dispatch import Caller
from runtime.process.task import Task
from runtime.registry.entry import Op

AGAIN = "funcs.call('app:f') "  # the first call is made by the host


async def started(house: House, task: Task) -> int:
    """Return how many commands `task` gave to the host, once it has ended."""
    await house.tasks.wait(task)
    return task.commands.started


def test_the_host_is_asked_once() -> None:
    async def test(house: House) -> None:
        body = "for i = 1, 50 do assert(funcs.call('app:f', i) == i) end"
        assert await started(house, house.start(body)) == 1

    run(test, function("app:f", "return (...)"))


def test_arguments_and_results_are_copies_and_keep_their_places() -> None:
    async def test(house: House) -> None:
        body = """
          for _ = 1, 2 do
            local given = { 1, { 2 } }
            local back = funcs.call('app:f', nil, given, nil)
            assert(back[1] == 'changed' and given[1] == 1 and given[2][1] == 2 and #back == 2)
            assert(select('#', funcs.call('app:g')) == 1)
          end
          return true
        """
        assert await house.run(body)

    run(
        test,
        function(
            "app:f", "local a, list, c = ... assert(a == nil and c == nil) list[1] = 'changed' return list"
        ),
        function("app:g", "return nil"),
    )


def test_each_call_has_an_environment_of_its_own() -> None:
    async def test(house: House) -> None:
        body = "return {funcs.call('app:f'), funcs.call('app:f'), funcs.call('app:f')}"
        assert await house.run(body) == [1, 1, 1]

    run(test, function("app:f", "count = (count or 0) + 1 return count"))


def test_an_error_is_the_same_by_both_roads() -> None:
    async def test(house: House) -> None:
        body = """
          local seen = {}
          for index = 1, 2 do
            for _, how in ipairs { 'typed', 'raised', 'text', 'canceled', 'function' } do
              local value, err = funcs.call('app:f', how)
              assert(value == nil)
              seen[#seen + 1] = { err:kind(), err:message(), tostring(err:retryable()), err:details() or {} }
            end
            assert(funcs.call('app:f', 'ok') == 'ok')
          end
          return seen
        """
        seen = await house.run(body)
        assert seen[:5] == seen[5:]
        assert seen[0][0] == "Conflict"
        assert seen[0][2:] == ["true", {"a": [1, 2]}]
        assert seen[3][0] == "Internal"
        assert seen[3][3]["kind"] == "Canceled"
        assert "a function can not cross" in seen[4][1]

    run(
        test,
        function(
            "app:f",
            """
            local how = ...
            if how == 'typed' then
              local details = { a = { 1, 2 } }
              return nil, errors.new { kind = 'Conflict', message = 'n', retryable = true, details = details }
            elseif how == 'raised' then
              error(errors.new { kind = 'Timeout', message = 'raised' })
            elseif how == 'text' then
              error('text', 0)
            elseif how == 'canceled' then
              return nil, errors.new { kind = 'Canceled', message = 'of its own' }
            elseif how == 'function' then
              return print
            end
            return how
            """,
        ),
    )


def test_what_is_no_more_allowed_is_refused() -> None:
    async def test(house: House) -> None:
        async def change(_caller: Caller, _args: list[Any]) -> bool:
            house.guard.engine.rebuild([policy("calls", ["funcs.call"], ["app:other"])])
            house.tasks.policies_changed()
            return True

        house.dispatcher.register("env.set", change)
        body = f"""
          {AGAIN} assert({AGAIN})
          env.set('A', 'B')
          local _, err = {AGAIN}
          error(err)
        """
        with pytest.raises(PermissionDenied, match="app:f"):
            await house.run(body, modules=["env"])

    run(test, function("app:f", "return true"))


def test_a_yes_is_for_one_context() -> None:
    async def test(house: House) -> None:
        assert await house.run(f"{AGAIN} return {AGAIN}")
        other = type(CALLER)(CALLER.actor, type(CALLER.scope)([]))
        with pytest.raises(PermissionDenied):
            await house.run(f"local _, err = {AGAIN} error(err)", other)

    run(test, function("app:f", "return true"))


def test_code_that_changed_runs_as_it_is_now_and_what_is_gone_is_not_found() -> None:
    async def test(house: House) -> None:
        async def change(_caller: Caller, args: list[Any]) -> bool:
            name = args[0]
            if name == "gone":
                house.apply(Op.delete("app:f"))
            else:
                house.apply(Op("update", function("app:f", "return 2")))
            house.tasks.policies_changed()
            return True

        house.dispatcher.register("env.set", change)
        body = f"""
          {AGAIN} local old = {AGAIN}
          env.set('changed', '')
          {AGAIN} local new = {AGAIN}
          env.set('gone', '')
          local _, err = {AGAIN}
          return {{ old, new, err:kind() }}
        """
        assert await house.run(body, modules=["env"]) == [1, 2, str(NotFound("").kind)]

    run(test, function("app:f", "return 1"))


@pytest.mark.parametrize(
    "entry",
    [
        tool("app:f", "return true"),
        function("app:f", "return true", meta={"options": {"retry": {"max_attempts": 2}}}),
        function("app:f", "return true", pool={"size": 1}),
    ],
    ids=["recorded", "retried", "pooled"],
)
def test_what_needs_the_host_goes_to_the_host_each_time(entry: Any) -> None:
    async def test(house: House) -> None:
        assert await started(house, house.start(f"for _ = 1, 3 do assert({AGAIN}) end")) == 3

    run(test, entry)


def test_a_call_that_knows_its_pid_or_says_something_is_known() -> None:
    async def test(house: House) -> None:
        seen: list[Caller] = []

        async def get(caller: Caller, _args: list[Any]) -> bool:
            seen.append(caller)
            task = house.tasks.get(caller.task)
            assert task is not None
            assert task.parent is not None
            return True

        house.dispatcher.register("env.get", get)
        body = "for i = 1, 3 do funcs.call('app:f', i) end return process.pid()"
        own = await house.run(body, where="here")
        assert [caller.entry for caller in seen] == ["app:f"] * 3
        assert len({caller.task for caller in seen} | {own}) == 4
        assert all(caller.context == CALLER and caller.values["where"] == "here" for caller in seen)

    run(test, function("app:f", "if (...) == 3 then process.pid() end env.get('A')", modules=["env"]))


def test_calls_inside_calls_are_known_from_the_outside_in() -> None:
    async def test(house: House) -> None:
        depths: list[int] = []

        async def get(caller: Caller, _args: list[Any]) -> str:
            task = house.tasks.get(caller.task)
            assert task is not None
            depths.append(task.depth)
            return "found"

        house.dispatcher.register("env.get", get)
        body = "for _ = 1, 2 do funcs.call('app:outer', false) end return funcs.call('app:outer', true)"
        assert await house.run(body) == "found"
        assert depths == [3]

    run(
        test,
        function("app:outer", "return funcs.call('app:inner', (...))", modules=["funcs"]),
        function("app:inner", "return (...) and env.get('A')", modules=["env"]),
    )


def test_calls_that_nest_without_end_are_refused() -> None:
    async def test(house: House) -> None:
        body = "for _ = 1, 2 do funcs.call('app:f', 0) end local _, err = funcs.call('app:f', 100) error(err)"
        with pytest.raises(Error, match="calls nest deeper than 64"):
            await house.run(body)

    nest = """
      local n = ...
      if n > 0 then
        local _, err = funcs.call('app:f', n - 1)
        if err then error(err) end
      end
      return 1
    """
    run(test, function("app:f", nest, modules=["funcs"]))


@pytest.mark.parametrize("inside", ["while true do end", "channel.new():receive()"])
def test_a_call_ends_with_its_caller(inside: str) -> None:
    async def test(house: House) -> None:
        reached = asyncio.Event()

        async def reach(_caller: Caller, _args: list[Any]) -> bool:
            reached.set()
            return True

        house.dispatcher.register("env.set", reach)
        task = house.start(f"{AGAIN} env.set('A', 'B') funcs.call('app:f', true)", modules=["env"])
        await reached.wait()
        house.tasks.kill(task, Canceled("enough"))
        with pytest.raises(Canceled, match="enough"):
            await house.tasks.wait(task)
        assert await house.run("return 1") == 1  # the Lua state is free

    run(test, function("app:f", f"if ... then {inside} end"))


def test_an_interrupt_ends_what_is_computed_for_who_was_interrupted() -> None:
    async def test(house: House) -> None:
        reached = asyncio.Event()

        async def reach(_caller: Caller, _args: list[Any]) -> bool:
            reached.set()
            return True

        house.dispatcher.register("env.set", reach)
        house.dispatcher.register("io.available", reach)
        house.dispatcher.register("io.readline", reach)
        body = f"""
          {AGAIN} env.set('A', 'B')
          -- It may come before the call has begun, and is raised then.
          local ok, raised, first = pcall(funcs.call, 'app:f', true)
          if not ok then first = raised end
          local _, second = {AGAIN}
          io.readline()
          return {{ first:kind(), first:message(), second:message(), ({AGAIN}), ({AGAIN}) }}
        """
        task = house.start(body, modules=["env", "io"])
        await reached.wait()
        house.tasks.interrupt(task)
        assert await house.tasks.wait(task) == ["Canceled", "interrupted", "interrupted", 1, 1]

    run(test, function("app:f", "while ... do end return 1"))


def test_who_waits_for_itself_is_told_and_its_caller_goes_on() -> None:
    async def test(house: House) -> None:
        body = f"{AGAIN} local _, err = funcs.call('app:f', true) return {{ err:message(), ({AGAIN}) }}"
        message, value = await house.run(body)
        assert "deadlock" in message
        assert value == 1

    run(test, function("app:f", "if ... then channel.new():receive() end return 1"))


def test_a_call_has_coroutines_and_timers_of_its_own() -> None:
    async def test(house: House) -> None:
        body = "for i = 1, 3 do assert(funcs.call('app:f', i) == i * 2) end return true"
        assert await house.run(body)

    run(
        test,
        function(
            "app:f",
            """
            local n, ch = (...), channel.new()
            coroutine.spawn(function() time.sleep('1ms') ch:send(n * 2) end)
            return (ch:receive())
            """,
            modules=["time"],
        ),
    )


def test_code_that_has_no_looks_is_stopped_also_where_a_call_with_looks_ran_before() -> None:
    async def test(house: House) -> None:
        body = f"""
          for _ = 1, 3 do {AGAIN} end
          funcs.call('app:g')
          local value, err = funcs.call('app:g', true)
          return {{ value == nil, err:kind() }}
        """
        task = house.start(body)
        await asyncio.sleep(0.3)
        house.tasks.interrupt(task)
        assert await house.tasks.wait(task) == [True, "Canceled"]

    run(
        test,
        function("app:f", "return 1"),
        function("app:g", "local __look = ... while __look do end return 1"),  # one of the names of a look
    )
