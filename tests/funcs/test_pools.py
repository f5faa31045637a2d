"""Pools: what an environment remembers, how many there are, whose turn it is, and what new code does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from funcs_parts import HOST, LIBRARY, House, run

from runtime.core.errors import Internal, Unavailable
from runtime.funcs.pools import MAX_SIZE, WORKERS, Pools, Size, read_size
from runtime.lua.dispatch import Caller
from runtime.lua.program import link
from runtime.registry.entry import Entry, Op, Origin

COUNTS = "local count = 0 return { handler = function() count = count + 1 return count end }"
WAITS = """
local count = 0
return { handler = function(name)
  count = count + 1
  require("registry").get(name)
  return count
end }
"""
FIVE = (
    "local f, seen = require('funcs'), {} for i = 1, 5 do seen[i] = assert(f.call('app:f')) end return seen"
)


def pooled(source: str, modules: Sequence[str] = (), origin: Origin = Origin.FILE, **pool: Any) -> Entry:
    data = {"source": source, "method": "handler", "modules": list(modules)}
    return Entry("app:f", "function.lua", {}, data | ({"pool": pool} if pool else {}), origin)


@pytest.mark.parametrize(
    ("pool", "size"),
    [
        ({"type": "inline"}, Size(1, False)),
        ({"type": "static"}, Size(WORKERS, False)),
        ({"type": "static", "size": 3}, Size(3, False)),
        ({"type": "static", "size": 3, "workers": 2}, Size(2, False)),
        ({"type": "lazy"}, Size(MAX_SIZE, True)),
        ({"type": "adaptive", "max_size": 4}, Size(4, True)),
        ({"workers": 2}, Size(2, False)),
        ({"size": 2}, Size(1, False)),
        ({"size": 2, "max_size": 5}, Size(5, True)),
        ({"warm_start": True}, Size(MAX_SIZE, True)),
        ({}, None),
    ],
)
def test_the_size_is_what_the_type_makes_of_the_fields(pool: Any, size: Size | None) -> None:
    assert read_size(pooled(COUNTS, **pool)) == size


def test_an_environment_remembers_between_calls_and_without_a_pool_none_does() -> None:
    async def test(house: House) -> None:
        assert await house.run(FIVE) == [1, 2, 3, 4, 5]

    run(test, pooled(COUNTS, type="inline"))

    async def without(house: House) -> None:
        assert await house.run(FIVE) == [1] * 5

    run(without, pooled(COUNTS))


def test_who_calls_from_another_host_meets_the_same_environment() -> None:
    async def test(house: House) -> None:
        house.tasks.open_host("app:other")
        assert await house.run(FIVE) == [1, 2, 3, 4, 5]
        entry = house.registry.current.get("app:f")
        assert entry is not None
        caller = Caller("{app:other|0x1}", "app:main", host="app:other")
        async with pools_of(house).slot(entry, program(house), caller.task, "app:other") as slot:
            assert slot is not None and slot.host == HOST

    run(test, pooled(COUNTS, type="static", workers=1))


def pools_of(house: House) -> Pools:
    return house.calls.pools


def program(house: House) -> Any:
    entry = house.registry.current.get("app:f")
    assert entry is not None
    return link(entry, house.registry.current.get, LIBRARY)


class Gates:
    """Holds each call of `registry.get` until its gate is opened."""

    def __init__(self, house: House) -> None:
        self.inside: list[str] = []
        self._gates: dict[str, asyncio.Event] = {}
        self._arrived = asyncio.Event()
        house.dispatcher.register("registry.get", self._get)

    async def _get(self, _caller: Caller, args: list[Any]) -> bool:
        name = args[0]["id"] if isinstance(args[0], dict) else str(args[0])
        self.inside.append(name)
        self._arrived.set()
        await self._gates.setdefault(name, asyncio.Event()).wait()
        self.inside.remove(name)
        return True

    def open(self, name: str) -> None:
        self._gates.setdefault(name, asyncio.Event()).set()

    async def until(self, count: int) -> None:
        while len(self.inside) < count:
            self._arrived.clear()
            await self._arrived.wait()


def call(house: House, name: str) -> asyncio.Task[Any]:
    body = f"return require('funcs').call('app:f', '{name}')"
    return asyncio.create_task(house.run(body))


def test_calls_wait_their_turn_where_all_environments_are_taken() -> None:
    async def test(house: House) -> None:
        gates = Gates(house)
        calls = []
        for number, name in enumerate(("a", "b", "c", "d"), start=1):
            calls.append(call(house, name))
            await gates.until(min(number, 2))
        assert sorted(gates.inside) == ["a", "b"]
        assert pools_of(house).environments("app:f") == 2
        gates.open("b")
        assert await calls[1] == 1
        await gates.until(2)
        assert sorted(gates.inside) == ["a", "c"]
        for name in ("a", "c", "d"):
            gates.open(name)
        assert sorted([await calls[0], await calls[2], await calls[3]]) == [1, 2, 2]

    run(test, pooled(WAITS, ["registry"], type="static", workers=2))


def test_a_turn_that_is_given_up_goes_to_the_next() -> None:
    async def test(house: House) -> None:
        gates = Gates(house)
        first = call(house, "a")
        await gates.until(1)
        body = """
          local funcs, time = require("funcs"), require("time")
          local future = funcs.async("app:f", "b")
          time.sleep("1ms")
          future:cancel()
          require("registry").get("canceled")
          local last = funcs.async("app:f", "c")
          return select(2, future:result()):kind(), last:response():receive():data()
        """
        wrapped = f"local function go() {body} end local k, v = go() return {{k, v}}"
        second = asyncio.create_task(house.run(wrapped, modules=["registry"]))
        await gates.until(2)
        for name in ("a", "c", "canceled"):
            gates.open(name)
        assert await first == 1
        assert await second == ["Canceled", 2]
        assert pools_of(house).environments("app:f") == 1

    run(test, pooled(WAITS, ["registry"], type="inline"))


def test_a_call_that_would_wait_for_itself_is_refused() -> None:
    source = """
      return { handler = function(depth)
        if depth == 0 then return 0 end
        local value, err = require("funcs").call("app:f", depth - 1)
        if err then return nil, err end
        return value + 1
      end }
    """

    async def test(house: House) -> None:
        assert await house.run("return require('funcs').call('app:f', 1)") == 1
        with pytest.raises(Unavailable, match="would wait for itself: its pool has 2 environments"):
            await house.run("return require('funcs').call('app:f', 2)")
        assert await house.run("return require('funcs').call('app:f', 1)") == 1

    run(test, pooled(source, ["funcs"], type="static", workers=2))


def test_an_environment_whose_call_failed_is_not_used_again() -> None:
    source = """
      local count = 0
      return { handler = function(fails)
        count = count + 1
        if fails then error("no") end
        return count
      end }
    """

    async def test(house: House) -> None:
        body = "return require('funcs').call('app:f', {})"
        assert [await house.run(body.format("false")) for _ in range(2)] == [1, 2]
        with pytest.raises(Internal, match="no"):
            await house.run(body.format("true"))
        assert await house.run(body.format("false")) == 1

    run(test, pooled(source, type="inline"))


def test_running_calls_finish_on_the_old_code_and_later_ones_use_the_new() -> None:
    async def test(house: House) -> None:
        gates = Gates(house)
        old = call(house, "a")
        await gates.until(1)
        waiting = call(house, "b")
        changed = pooled(WAITS.replace("return count", "return -count"), ["registry"], type="inline")
        house.registry.load([changed, *house.registry.current.kind("security.policy")])
        for name in ("a", "b", "c"):
            gates.open(name)
        assert await old == 1
        assert await waiting in (2, -1)  # its turn came before or after the change
        before = await call(house, "c")
        assert before < 0
        assert await call(house, "c") == before - 1
        assert pools_of(house).environments("app:f") == 1

    run(test, pooled(WAITS, ["registry"], type="inline"))


def test_what_is_gone_keeps_no_environments() -> None:
    async def test(house: House) -> None:
        assert await house.run(FIVE) == [1, 2, 3, 4, 5]
        house.registry.load(house.registry.current.kind("security.policy"))
        await asyncio.sleep(0)
        assert pools_of(house).environments("app:f") == 0

    run(test, pooled(COUNTS, type="static"))


def test_a_pool_that_shrinks_drops_what_nobody_uses() -> None:
    async def test(house: House) -> None:
        entry = pooled(COUNTS, type="lazy")
        pools = Pools(house.tasks, idle_seconds=0.001)
        async with pools.slot(entry, program(house), "nobody", HOST) as slot:
            assert slot is not None
        later = asyncio.Event()
        asyncio.get_running_loop().call_later(0.01, later.set)
        await later.wait()
        assert pools.environments("app:f") == 0

    run(test, pooled(COUNTS, type="lazy"))


def test_what_was_made_at_run_time_shares_no_environment() -> None:
    async def test(house: House) -> None:
        house.apply(Op("create", pooled(COUNTS, origin=Origin.RUNTIME, type="inline")))
        assert await house.run(FIVE) == [1] * 5

    run(test)


def test_each_call_has_its_own_context_values() -> None:
    async def test(house: House) -> None:
        body = "return require('funcs').call('app:f')"
        assert [await house.run(body, who=name) for name in ("one", "two")] == ["one", "two"]

    run(
        test,
        pooled("return { handler = function() return require('ctx').get('who') end }", ["ctx"], workers=1),
    )
