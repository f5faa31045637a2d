"""The option `retry`, and processes that are called as functions are."""

from __future__ import annotations

import pytest
from funcs_parts import HOST, House, function, policy, run

from runtime.core.errors import Invalid, Unavailable
from runtime.funcs.retry import ONCE, Retry, read_retry
from runtime.process.control import ProcessCommands
from runtime.registry.entry import Entry, Origin

FAILS = function(
    "app:fails",
    "process.send((...), 'attempt', 1)"
    " return nil, errors.new({message = 'not now', kind = errors.UNAVAILABLE,"
    " retryable = select(2, ...)})",
)
CALL = """
local attempts, count = process.listen("attempt"), 0
coroutine.spawn(function() while attempts:receive() do count = count + 1 end end)
local value, err = funcs.new():with_options({ retry = %s }):call("app:fails", process.pid(), %s)
return { count, err:kind(), err:message() }
"""


@pytest.mark.parametrize(
    ("retry", "retryable", "attempts"),
    [
        ("{ max_attempts = 3, initial_delay = 1 }", "true", 3),
        ("{ max_attempts = 3, initial_delay = '1ms' }", "false", 1),
        ("{ max_attempts = 1 }", "true", 1),
        ("{ max_attempts = 2, initial_delay = 0, retry_kinds = { 'Unavailable' } }", "false", 2),
        ("{ max_attempts = 2, initial_delay = 0, skip_kinds = { 'Unavailable' } }", "true", 1),
        ("{}", "true", 1),
    ],
)
def test_a_call_is_made_again_only_where_that_may_help(retry: str, retryable: str, attempts: int) -> None:
    async def test(house: House) -> None:
        for name, handler in ProcessCommands(house.tasks, house.guard).handlers().items():
            house.dispatcher.register(name, handler)
        count, kind, message = await house.run(CALL % (retry, retryable))
        assert (count, kind, message) == (attempts, "Unavailable", "not now")

    run(test, FAILS, policy("calls", ["funcs.call", "process.send"], ["app:*", "{*"]))


@pytest.mark.parametrize(
    "retry",
    [
        7,
        {"max_attempts": 0},
        {"max_attempts": 1e9},
        {"initial_delay": "soon"},
        {"initial_delay": -1},
        {"jitter": 2},
        {"retry_kinds": "Internal"},
        {"attempts": 3},
        {"backoff_factor": True},
    ],
)
def test_a_retry_that_is_wrong_is_refused_by_name(retry: object) -> None:
    with pytest.raises(Invalid, match="retry"):
        read_retry({"retry": retry})


def test_waits_grow_up_to_the_longest() -> None:
    retry = Retry(max_attempts=9, initial_delay=0.1, max_delay=0.5, jitter=0)
    assert [round(retry.delay(attempt), 3) for attempt in (1, 2, 3, 4, 9)] == [0.1, 0.2, 0.4, 0.5, 0.5]
    assert read_retry(None) is ONCE
    assert not retry.again(Unavailable("never", retryable=False))


def test_a_process_that_names_its_host_is_called_as_a_function_is() -> None:
    source = "return { main = function(n) return { n = n, pid = process.pid() } end }"
    home = Entry("app:homely", "process.lua", {"default_host": HOST}, {"source": source}, Origin.FILE)
    alone = Entry("app:alone", "process.lua", {}, {"source": source}, Origin.FILE)

    async def test(house: House) -> None:
        found = await house.run("return funcs.call('app:homely', 5)")
        assert found["n"] == 5 and found["pid"].startswith("{" + HOST)
        kind, message = await house.run(
            "local _, err = funcs.call('app:alone') return { err:kind(), err:message() }"
        )
        assert kind == "NotFound" and "no handler registered for target" in message

    run(test, home, alone)


def test_a_kind_that_nothing_runs_is_unavailable() -> None:
    async def test(house: House) -> None:
        kind, message = await house.run(
            "local _, err = funcs.call('app:wasm') return { err:kind(), err:message() }"
        )
        assert kind == "Unavailable" and "function.wasm" in message

    run(test, Entry("app:wasm", "function.wasm", {}, {}, Origin.FILE))
