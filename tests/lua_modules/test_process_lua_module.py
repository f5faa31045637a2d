"""The module `process`: what it gives to the host, topics and the inbox; tests/process holds the rest."""

from __future__ import annotations

from module_host import ModuleHost, given, run

from runtime.lua.machine import Message


def test_a_process_knows_itself_and_sends() -> None:
    host = ModuleHost({"process.send": lambda *_: True})
    body = """
    local function why(_, err) return err:kind() end
    return { process.id(), process.pid(), process.send("{a|1}", "topic", 1, nil, "x"), process.event.CANCEL,
      why(process.send("{a|1}", "@pid/events", 1)), why(process.send("{a|1}")), why(process.listen("@x")),
      why(process.spawn("a:b")), why(process.cancel("{a|1}", 7)) }
    """
    assert run(body, "process", host) == [
        *("case:main", "{case|1}", True, "pid.cancel", "Invalid", "Invalid", "Invalid", "Invalid", "Invalid"),
    ]
    assert given(host) == [("process.send", [{"dest": "{a|1}", "topic": "topic"}, 1, None, "x"])]


def test_messages_go_to_their_topic_and_the_others_to_the_inbox() -> None:
    messages = [
        Message("task", "stream", "{b|1}", ("one",)),
        Message("task", "other", "{b|1}", (1, 2)),
        Message("task", "stream", "{b|1}", ("two",)),
        Message("task", "@pid/events", "", ({"kind": "pid.cancel", "reason": "end"},)),
        Message("task", "named", "{b|2}", ({"k": 1},)),
    ]
    body = """
    local stream, events = process.listen("stream"), process.events()
    local named = process.listen("named", { message = true })
    local inbox = process.inbox()
    local message, in_named = inbox:receive(), named:receive()
    local found = { stream:receive(), stream:receive(), events:receive().reason, message:topic(),
      message:from(), message:payload():data(), in_named:payload():data().k, process.unlisten(stream),
      process.unlisten(stream) }
    local _, open = stream:receive()
    found[#found + 1] = open
    return found
    """
    found = run(body, "process", ModuleHost(), messages=messages)
    assert found == ["one", "two", "end", "other", "{b|1}", [1, 2], 1, True, False, False]
