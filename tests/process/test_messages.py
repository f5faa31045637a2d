"""Messages between processes: policy for others, none for oneself, and words for what can not be sent."""

from __future__ import annotations

from typing import Any

import pytest
from process_parts import HOST, House, program, run

from runtime.core.errors import Error, PermissionDenied
from runtime.lua.dispatch import Caller
from runtime.process.control import ProcessCommands
from runtime.process.task import Start
from runtime.registry.entry import Entry, Origin
from runtime.security.actor import Actor, Context, Scope
from runtime.security.engine import Engine
from runtime.security.guard import Guard

ALLOWED = Context(Actor("app:a"), Scope(["app:send"]))
SEND = {"policy": {"actions": ["process.send"], "resources": ["{app:processes|*"], "effect": "allow"}}
RECEIVER = """
  local inbox = process.inbox()
  local message = inbox:receive()
  return {topic = message:topic(), from = message:from(), data = message:payload():data()}
"""


def with_messages(house: House) -> None:
    engine = Engine()
    engine.rebuild([Entry("app:send", "security.policy", {}, SEND, Origin.FILE)])
    for name, handler in ProcessCommands(house.tasks, Guard(engine)).handlers().items():
        house.on(name, handler)


def test_a_message_arrives_with_topic_sender_and_payload() -> None:
    async def test(house: House) -> None:
        with_messages(house)
        receiver = house.tasks.spawn(program(RECEIVER, id="app:receiver"), [], host=HOST)
        sending = program("return process.send((...), 'greeting', {text = 'hello'})")
        sender = house.tasks.spawn(sending, [receiver.id], host=HOST, start=Start(ALLOWED))
        assert await house.tasks.wait(sender) is True
        found = await house.tasks.wait(receiver)
        assert found == {"topic": "greeting", "from": sender.id, "data": {"text": "hello"}}

    run(test)


def test_a_message_to_another_needs_an_allow_and_one_to_oneself_does_not() -> None:
    async def test(house: House) -> None:
        with_messages(house)
        receiver = house.tasks.spawn(program(RECEIVER, id="app:receiver"), [], host=HOST)
        with pytest.raises(PermissionDenied, match=r"process\.send"):
            await house.run(program("return process.send((...), 'greeting', 1)"), receiver.id)
        body = """
          local mine = process.listen('mine')
          process.send(process.pid(), 'mine', 'to me')
          return (mine:receive())
        """
        assert await house.run(program(body)) == "to me"

    run(test)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({}, "send requires at least destination and topic arguments"),
        ({"dest": "{x|1}", "topic": ""}, "send requires at least destination and topic arguments"),
        ({"dest": 5, "topic": "t"}, "send requires at least destination and topic arguments"),
        ({"dest": "{x|1}", "topic": "@pid/events"}, "cannot send to @ topics"),
    ],
    ids=str,
)
def test_what_can_not_be_sent_says_why(wanted: dict[str, Any], message: str) -> None:
    async def test(house: House) -> None:
        with_messages(house)
        caller = Caller("{x|1}", "app:main", context=ALLOWED)
        with pytest.raises(Error, match=message):
            await house.dispatcher.dispatch(caller, "process.send", [wanted])

    run(test)


def test_what_has_no_handler_is_refused_by_name() -> None:
    async def test(house: House) -> None:
        with_messages(house)
        with pytest.raises(Error, match=r"`process\.spawn` is not available"):
            await house.dispatcher.dispatch(Caller("t", "app:main"), "process.spawn", ["{x|1}"])

    run(test)
