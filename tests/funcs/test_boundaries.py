"""Values and errors are the same behind every boundary: the matrix of ways to ask and of what is answered."""

from __future__ import annotations

from typing import Any

import pytest
from funcs_parts import House, function, policy, run
from test_contracts import binding, definition

from runtime.funcs.contracts import ContractCommands
from runtime.process.control import ProcessCommands
from runtime.process.spawning import SpawnCommands
from runtime.registry.entry import Entry, Origin

OTHER = "app:other"

ANSWERS = {
    "error": "return nil, errors.new{kind='Conflict', message='no', retryable=true, details={a='b', n={1}}}",
    "final": "return nil, errors.new({kind='NotFound', message='gone', retryable=false})",
    "raised": "error(errors.new({kind='RateLimited', message='slow', details={after=1.5}, retryable=true}))",
    "unknown": "return nil, errors.new('odd')",
    "wrapped": "return nil, errors.wrap(errors.new{kind='Timeout', message='late', details={ms=3}}, 'at')",
    "text": "return nil, 'bad luck'",
    "plain": "error('broken', 0)",
    "value": "return {list={1, 2.5, 'x'}, none={}, deep={a={b={c=true}}}, big=9007199254740993, text='ä\\0'}",
    "nothing": "return nil",
    "no": "return false",
}
EXPECTED = {
    "error": ["Conflict", "no", True, {"a": "b", "n": [1]}],
    "final": ["NotFound", "gone", False, None],
    "raised": ["RateLimited", "slow", True, {"after": 1.5}],
    "unknown": ["", "odd", None, None],
    "wrapped": ["Timeout", "at: late", None, {"ms": 3}],
    "text": ["Internal", "bad luck", None, None],
    "plain": ["Internal", "broken", None, None],
    "value": {
        "list": [1, 2.5, "x"],
        "none": {},
        "deep": {"a": {"b": {"c": True}}},
        "big": 9007199254740993,
        "text": "ä\0",
    },
    "nothing": "nothing",
    "no": False,
}
WAYS = {
    "in the Lua state of the caller": "funcs.call('app:f')",
    "once more, where the host is not asked": "again(funcs.call, 'app:f')",
    "in an environment of a pool": "again(funcs.call, 'app:pooled')",
    "by an executor": "funcs.new():with_context({a = 1}):call('app:f')",
    "by a future": "later(funcs.async('app:f'))",
    "from another Lua state": "funcs.call('app:far')",
    "from the jail": "funcs.call('app.generated:f')",
    "through a function that hands it on": "funcs.call('app:hands_on')",
    "as the end of a process that was run": "process.exec('app:far', 'app:other')",
    "as the end of a process that is monitored": "ended(process.spawn_monitored('app:far', 'app:other'))",
    "as the end of one in the same Lua state": "ended(process.spawn_monitored('app:far', 'app:processes'))",
    "as a method of a contract": "require('contract').open('app:keeps'):ask()",
}
ASKS = """
local funcs = require("funcs")
local events = process.events()
local function again(call, id)
  call(id)
  return call(id)
end
local function later(future)
  local got = future:response():receive()
  if type(got) == "userdata" and got.kind then return nil, got end
  return got:data()
end
local function ended(pid, err)
  assert(pid, err)
  local result = events:receive().result
  return result.value, result.error
end
local value, err = %s
if err ~= nil then
  local failed = { kind = err:kind(), message = err:message(), details = err:details() }
  failed.retryable = err:retryable()
  return { failed = failed }
end
return { value = value, nothing = value == nil }
"""


def entries(answer: str) -> list[Entry]:
    """Return what answers with `answer`, once for each way."""
    source = f"return {{ main = function() {answer} end }}"
    far = {"source": source, "method": "main"}
    return [
        function("app:f", answer),
        function("app:pooled", answer, pool={"type": "inline"}),
        function("app.generated:f", answer),
        function("app:hands_on", "return require('funcs').call('app:f')", modules=["funcs"]),
        Entry("app:far", "process.lua", {"default_host": OTHER}, far, Origin.FILE),
        Entry(OTHER, "process.host", {}, {}, Origin.FILE),
        Entry("app:processes", "process.host", {}, {}, Origin.FILE),
        definition("asked", "ask"),
        binding("keeps", "asked", True, ask="f"),
        policy("calls", ["funcs.*", "contract.*", "process.*"], ["*"]),
    ]


def open_all(house: House) -> None:
    house.tasks.open_host(OTHER)
    contracts = ContractCommands(house.calls, house.guard, lambda: house.registry.current)
    spawning = SpawnCommands(house.tasks, house.guard, house.programs, lambda: house.registry.current)
    for part in (contracts, spawning, ProcessCommands(house.tasks, house.guard)):
        for name, handler in part.handlers().items():
            house.dispatcher.register(name, handler)


def seen(found: dict[str, Any]) -> Any:
    failed = found.get("failed")
    if failed is not None:
        return [failed["kind"], failed["message"], failed.get("retryable"), failed.get("details")]
    return "nothing" if found["nothing"] else found.get("value")


@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_answered_is_the_same_by_every_way(name: str) -> None:
    async def test(house: House) -> None:
        open_all(house)
        for way, asks in WAYS.items():
            assert seen(await house.run(ASKS % asks)) == EXPECTED[name], way

    run(test, *entries(ANSWERS[name]))
