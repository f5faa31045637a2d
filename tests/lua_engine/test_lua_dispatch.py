"""The dispatcher: one handler a command, and nothing of the host's insides in an error."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from runtime.core.errors import AlreadyExists, Canceled, Internal, NotFound, RateLimited
from runtime.lua.dispatch import LATER, Caller, Dispatcher, Pending, Prompt, Values

CALLER = Caller("t", "app:x")


def dispatch(handler: Any, *args: Any) -> tuple[Any, ...]:
    dispatcher = Dispatcher()
    dispatcher.register("x", handler)
    return asyncio.run(dispatcher.dispatch(CALLER, "x", args))


def test_one_value_and_several() -> None:
    async def one(caller: Caller, args: list[Any]) -> object:
        return [caller.entry, *args]

    async def several(caller: Caller, args: list[Any]) -> object:
        return Values(*args)

    assert dispatch(one, 1, 2) == (["app:x", 1, 2],)
    assert dispatch(several, 1, 2) == (1, 2)


def test_an_error_passes_and_anything_else_tells_nothing() -> None:
    async def limited(caller: Caller, args: list[Any]) -> object:
        raise RateLimited("slow down")

    async def broken(caller: Caller, args: list[Any]) -> object:
        raise KeyError("the password")

    with pytest.raises(RateLimited):
        dispatch(limited)
    with pytest.raises(Internal) as caught:
        dispatch(broken)
    assert "password" not in str(caught.value)


def test_an_unknown_command_is_not_found() -> None:
    with pytest.raises(NotFound):
        asyncio.run(Dispatcher().dispatch(CALLER, "gone", []))


def test_a_command_has_one_handler() -> None:
    async def handler(caller: Caller, args: list[Any]) -> object:
        return None

    dispatcher = Dispatcher()
    dispatcher.register("x", handler)
    with pytest.raises(AlreadyExists):
        dispatcher.register("x", handler)
    assert dispatcher.names() == ["x"]


def test_an_answer_that_is_pending_is_given_once() -> None:
    stopped: list[bool] = []
    heard: list[Any] = []
    pending = Pending(lambda: stopped.append(True))
    pending.then(lambda results, error: heard.append((results, error)))
    assert pending.cancel(Canceled("enough"))
    pending.settle((1,), None)
    assert not pending.cancel(Canceled("again"))
    pending.then(lambda _results, error: heard.append(error))
    assert stopped == [True]
    assert heard[0][0] == ()
    assert [heard[0][1].message, heard[1].message] == ["enough", "enough"]


def test_a_prompt_handler_waits_only_where_it_must() -> None:
    async def slow(_caller: Caller, args: list[Any]) -> Any:
        return ("slow", *args)

    dispatcher = Dispatcher()
    dispatcher.register("x", Prompt(lambda _, args: args[0] if args else LATER, slow))
    caller = Caller("t", "app:main")
    assert dispatcher.answer(caller, "x", ["at once"]) == ("at once",)
    assert dispatcher.answer(caller, "x", []) is None
    assert asyncio.run(dispatcher.dispatch(caller, "x", ["a"])) == (("slow", "a"),)
