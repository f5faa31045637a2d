"""Calls of tools in the journal: opened before the effect, closed exactly once whatever happens."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest
from funcs_parts import House, function, policy, run, tool

from runtime.core.errors import Canceled, Error, PermissionDenied, Timeout
from runtime.core.redact import Redactor
from runtime.funcs.record import MAX_TEXT, kept, plain
from runtime.jail.limits import JailLimits
from runtime.lua.dispatch import Caller

ECHO = tool("app.tools:echo", "return {got = ...}")


def test_a_tool_call_is_two_events_with_arguments_and_result() -> None:
    async def test(house: House) -> None:
        assert await house.run("return funcs.call('app.tools:echo', {x = 1})") == {"got": {"x": 1}}
        requested, responded = house.events()
        assert (requested.type, requested.actor) == ("tool.requested", "app:agent")
        assert requested.payload["id"] == "app.tools:echo"
        assert requested.payload["arguments"] == [{"x": 1}]
        assert requested.payload["caller"] == "app:main"
        assert (responded.type, responded.cause) == ("tool.responded", requested.seq)
        assert responded.payload["result"] == {"got": {"x": 1}}
        assert house.journal.open_requests() == []

    run(test, ECHO)


def test_a_function_that_is_no_tool_leaves_no_event() -> None:
    async def test(house: House) -> None:
        await house.run("return funcs.call('app:add')")
        assert house.told() == []

    run(test, function("app:add", "return 1"))


def test_a_request_is_written_before_the_tool_runs() -> None:
    async def test(house: House) -> None:
        seen: list[list[str]] = []

        async def look(_caller: Caller, _args: list[Any]) -> bool:
            seen.append(house.told())
            return True

        house.dispatcher.register("env.get", look)
        await house.run("return funcs.call('app.tools:look')")
        assert seen == [["tool.requested"]]

    run(test, tool("app.tools:look", "return env.get('A')", modules=["env"]))


def test_what_a_tool_causes_refers_to_its_request() -> None:
    async def test(house: House) -> None:
        await house.run("return funcs.call('app.tools:outer')")
        outer, inner, inner_end, outer_end = house.events()
        assert (inner.type, inner.cause) == ("tool.requested", outer.seq)
        assert (inner_end.cause, outer_end.cause) == (inner.seq, outer.seq)

    run(test, ECHO, tool("app.tools:outer", "return funcs.call('app.tools:echo')", modules=["funcs"]))


@pytest.mark.parametrize("id", ["app.tools:failing", "app.generated:failing"])
def test_a_tool_that_fails_closes_with_its_error(id: str) -> None:
    async def test(house: House) -> None:
        with pytest.raises(Error, match="out of ink"):
            await house.run(f"return funcs.call('{id}')")
        requested, failed = house.events()
        assert (failed.type, failed.cause) == ("tool.failed", requested.seq)
        assert "out of ink" in failed.payload["error"]["message"]

    run(test, tool(id, "error('out of ink')"))


def test_a_tool_that_can_not_be_linked_closes_too() -> None:
    async def test(house: House) -> None:
        with pytest.raises(Error, match="no_such_module"):
            await house.run("return funcs.call('app.tools:odd')")
        assert house.told() == ["tool.requested", "tool.failed"]

    run(test, tool("app.tools:odd", "return 1", modules=["no_such_module"]))


def test_a_denied_call_is_answered_once() -> None:
    async def test(house: House) -> None:
        body = "local v, err = funcs.call('app.tools:echo', 1) return {v == nil, err:kind()}"
        assert await house.run(body) == [True, "PermissionDenied"]
        assert len(house.denied) == 1
        assert house.told() == []

    run(test, ECHO, policy("calls", ["funcs.call"], ["app:*"]))


@pytest.mark.parametrize("id", ["app.tools:slow", "app.generated:slow"])
@pytest.mark.parametrize("how", ["interrupt", "kill", "close", "cancel"])
def test_a_call_that_is_ended_closes_exactly_once(id: str, how: str) -> None:
    async def test(house: House) -> None:
        reached = asyncio.Event()

        async def wait(_caller: Caller, _args: list[Any]) -> None:
            reached.set()
            await asyncio.Event().wait()

        house.dispatcher.register("env.get", wait)
        if how == "cancel":
            body = f"""
              local f = funcs.async('{id}')
              process.listen('go'):receive()
              f:cancel()
              return (f:response():receive())
            """
        else:
            body = f"return funcs.call('{id}')"
        task = house.start(body)
        await reached.wait()
        if how == "interrupt":
            house.tasks.interrupt(task)
        elif how == "kill":
            house.tasks.kill(task, Canceled("enough"))
        elif how == "close":
            await house.tasks.close()
        else:
            house.tasks.send(task.id, "go", [True])
        with pytest.raises(Canceled) if how != "cancel" else contextlib.nullcontext():
            await house.tasks.wait(task)
        requested, failed = house.events()
        assert (failed.type, failed.cause) == ("tool.failed", requested.seq)
        assert failed.payload["error"]["kind"] == "Canceled"

    run(test, tool(id, "env.get('A')", modules=["env"]))


def test_a_tool_that_takes_too_long_closes_with_a_timeout() -> None:
    async def test(house: House) -> None:
        with pytest.raises(Timeout):
            await house.run("return funcs.call('app.generated:spin')")
        assert house.events()[1].payload["error"]["kind"] == "Timeout"

    run(test, tool("app.generated:spin", "while true do end"), limits=JailLimits(wall_clock=1.0))


def test_a_large_result_is_cut_in_the_journal_and_whole_for_the_caller() -> None:
    async def test(house: House) -> None:
        assert len(await house.run("return funcs.call('app.tools:large')")) == 200_000
        cut = house.events()[1].payload["result_cut"]
        assert cut["characters"] == 200_002
        assert len(cut["text"]) == MAX_TEXT
        assert cut["digest"].startswith("sha256:")

    run(test, tool("app.tools:large", "return ('x'):rep(200000)"))


def test_values_that_json_lacks_are_recorded() -> None:
    async def test(house: House) -> None:
        body = "return funcs.call('app.tools:echo', {0/0, 1/0, -1/0, '\\255'}) ~= nil"
        assert await house.run(body) is True
        numbers = house.events()[0].payload["arguments"][0]
        assert numbers == [{"$number": "nan"}, {"$number": "inf"}, {"$number": "-inf"}, b"\xff"]

    run(test, ECHO)


def test_a_secret_does_not_survive_the_cut() -> None:
    redactor = Redactor()
    redactor.learn("canary-canary-canary")
    found = kept("result", "x" * (MAX_TEXT - 10) + "canary-canary-canary", redactor)
    assert "canary" not in found["result_cut"]["text"]


def test_errors_and_unknown_things_have_a_form() -> None:
    assert plain(PermissionDenied("no", details={"n": float("inf")})) == {
        "$error": {"kind": "PermissionDenied", "message": "no", "details": {"n": {"$number": "inf"}}}
    }
    assert plain({1: object()}) == {"1": {"$unknown": "object"}}
