"""Channels, select, coroutines and messages, each as a small program."""

from __future__ import annotations

import pytest
from lua_bench import Bench

from runtime.core.errors import Internal
from runtime.lua.machine import Message

CASES = {
    "an_unbuffered_channel_hands_over": (
        """
        local ch, log = channel.new(), {}
        coroutine.spawn(function() for i = 1, 3 do ch:send(i) log[#log + 1] = "sent " .. i end ch:close() end)
        while true do local v, ok = ch:receive() if not ok then break end log[#log + 1] = "got " .. v end
        return #log
        """,
        6,
    ),
    "a_buffer_keeps_order_and_is_drained_after_close": (
        """
        local ch = channel.new(3)
        ch:send("a") ch:send(nil) ch:send("c") ch:close()
        local out = {}
        for _ = 1, 4 do local v, ok = ch:receive() out[#out + 1] = tostring(v) .. tostring(ok) end
        return out
        """,
        ["atrue", "niltrue", "ctrue", "nilfalse"],
    ),
    "a_full_buffer_makes_the_sender_wait": (
        """
        local ch, log = channel.new(1), {}
        coroutine.spawn(function() ch:send(1) ch:send(2) log[#log + 1] = "second sent" end)
        host.sleep(0)
        local before = #log
        ch:receive() host.sleep(0)
        return { before, #log, (ch:receive()) }
        """,
        [0, 1, 2],
    ),
    "send_on_a_closed_channel_raises": (
        """
        local ch = channel.new(1) ch:close()
        local ok, err = pcall(ch.send, ch, 1)
        return { ok, err:find("send on closed channel", 1, true) ~= nil }
        """,
        [False, True],
    ),
    "closing_wakes_a_waiting_sender_with_an_error": (
        """
        local ch, said = channel.new()
        coroutine.spawn(function() local _, err = pcall(ch.send, ch, 1) said = err end)
        host.sleep(0) ch:close() host.sleep(0)
        return said:find("send on closed channel", 1, true) ~= nil
        """,
        True,
    ),
    "closing_twice_raises": (
        """
        local ch = channel.new() ch:close()
        local _, err = pcall(ch.close, ch)
        return err:find("close of closed channel", 1, true) ~= nil
        """,
        True,
    ),
    "select_takes_the_first_ready_in_listed_order": (
        """
        local a, b = channel.new(1), channel.new(1)
        a:send("a") b:send("b")
        local r = channel.select { b:case_receive(), a:case_receive() }
        return { r.channel == b, r.value, r.ok, r.default == nil }
        """,
        [True, "b", True, True],
    ),
    "select_with_default_does_not_wait": (
        """
        local a, full = channel.new(), channel.new(1)
        full:send(1)
        local r = channel.select { a:case_receive(), full:case_send(2), default = true }
        return { r.default, r.ok, r.channel == nil }
        """,
        [True, True, True],
    ),
    "select_sends": (
        """
        local ch = channel.new(1)
        local r = channel.select { ch:case_send("x") }
        return { r.channel == ch, r.value, r.ok, (ch:receive()) }
        """,
        [True, "x", True, "x"],
    ),
    "select_waits_for_whoever_comes_first": (
        """
        local a, b = channel.new(), channel.new()
        coroutine.spawn(function() host.sleep(0) b:send("late") end)
        local r = channel.select { a:case_receive(), b:case_receive() }
        return { r.channel == b, r.value }
        """,
        [True, "late"],
    ),
    "select_of_a_closed_channel_is_ready": (
        """
        local ch = channel.new() ch:close()
        local r = channel.select { ch:case_receive() }
        return { r.value == nil, r.ok }
        """,
        [True, False],
    ),
    "a_select_leaves_nothing_behind_in_other_channels": (
        """
        local idle, busy = channel.new(), channel.new()
        coroutine.spawn(function() for i = 1, 1000 do busy:send(i) end busy:close() end)
        local sum = 0
        while true do
          local r = channel.select { idle:case_receive(), busy:case_receive() }
          if not r.ok then break end
          sum = sum + r.value
        end
        coroutine.spawn(function() idle:send("still works") end)
        return { sum, (idle:receive()) }
        """,
        [500500, "still works"],
    ),
    "spawned_coroutines_get_their_arguments": (
        """
        local ch = channel.new(1)
        local function join(a, b, c) ch:send(tostring(a) .. tostring(b) .. c) end
        local co = coroutine.spawn(join, 1, nil, "z")
        return { type(co), (ch:receive()) }
        """,
        ["thread", "1nilz"],
    ),
    "own_coroutines_work_as_lua_s": (
        """
        local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) error("end " .. b, 0) end)
        local log = { coroutine.status(co) }
        local _, x = coroutine.resume(co, 1)
        log[#log + 1] = x
        local ok, err = coroutine.resume(co, "now")
        log[#log + 1] = tostring(ok) .. err
        log[#log + 1] = coroutine.status(co)
        log[#log + 1] = select(2, coroutine.resume(co))
        return log
        """,
        ["suspended", 2, "falseend now", "dead", "cannot resume dead coroutine"],
    ),
    "own_coroutines_wait_for_the_host_and_go_on": (
        """
        local gen = coroutine.wrap(function()
          for i = 1, 3 do host.sleep(0) coroutine.yield(i) end
        end)
        local function deep() host.sleep(0) return "deep" end
        local inner = coroutine.wrap(function() return coroutine.wrap(deep)() end)
        return { gen(), gen(), gen(), inner() }
        """,
        [1, 2, 3, "deep"],
    ),
    "main_is_main": (
        """
        local _, main = coroutine.running()
        local inner = coroutine.wrap(function()
          return { select(2, coroutine.running()), coroutine.isyieldable() }
        end)()
        return { main, coroutine.isyieldable(), inner }
        """,
        [True, False, [False, True]],
    ),
    "close_runs_the_handlers": (
        """
        local closed = false
        local co = coroutine.create(function()
          local x <close> = setmetatable({}, { __close = function() closed = true end })
          coroutine.yield()
        end)
        coroutine.resume(co)
        return { coroutine.close(co), closed, coroutine.status(co) }
        """,
        [True, True, "dead"],
    ),
    "timers_fire_in_order_and_can_be_canceled": (
        """
        local ch = channel.new(5)
        host.timer(0.02, function() host.offer(ch, "second") end)
        local gone = host.timer(0.001, function() host.offer(ch, "never") end)
        host.timer(0.01, function() host.offer(ch, "first") end)
        local canceled = host.cancel(gone)
        return { canceled, host.cancel(gone), (ch:receive()), (ch:receive()) }
        """,
        [True, False, "first", "second"],
    ),
    "the_wall_clock_has_three_parts": (
        """
        local seconds, nanoseconds, monotonic = host.now()
        return { math.type(seconds), nanoseconds >= 0 and nanoseconds < 1000000000, math.type(monotonic) }
        """,
        ["integer", True, "float"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_channels_and_coroutines(bench: Bench, name: str) -> None:
    body, expected = CASES[name]
    assert bench.call(body) == expected


INBOX = '"@pid/inbox"'


def test_a_message_goes_to_its_topic_else_to_the_inbox_else_waits(bench: Bench) -> None:
    program = bench.program(
        f"""
        return function()
          host.call("ready")
          local news = host.subscribe("news", 1)
          local inbox = host.subscribe({INBOX}, 0, true)
          local log = {{}}
          for _ = 1, 2 do log[#log + 1] = news:receive() end
          for _ = 1, 2 do local m = inbox:receive() log[#log + 1] = m:topic() .. m:from() .. m:payload() end
          return log
        end
        """
    )
    bench.answers["ready"] = lambda: None
    task = bench.spawn(program)
    bench.step(
        Message(task, "other", "{h|1}", ("a",)),
        Message(task, "news", "", ("n1",)),
        Message(task, "other", "", ("b",)),
        Message(task, "@events", "", ("not for the inbox",)),
        Message(task, "news", "", ("n2",)),
    )
    assert bench.run(task).value == ["n1", "n2", "other{h|1}a", "otherb"]


def test_several_payloads_are_a_list(bench: Bench) -> None:
    task = bench.spawn(bench.program("return function() return (host.subscribe('t', 1):receive()) end"))
    bench.step(Message(task, "t", "", (1, "two")))
    assert bench.run(task).value == [1, "two"]


def test_a_maker_makes_what_is_received(bench: Bench) -> None:
    task = bench.spawn(
        bench.program(
            """
            return function()
              local ch = host.subscribe("t", 1, function(topic, sender, payloads, n)
                return { topic, sender, payloads[1], n }
              end)
              return (ch:receive())
            end
            """
        )
    )
    bench.step(Message(task, "t", "me", ("x",)))
    assert bench.run(task).value == ["t", "me", "x", 1]


def test_unsubscribing_closes_the_channel(bench: Bench) -> None:
    assert bench.call(
        """
        local ch = host.subscribe("t", 1)
        local same = host.subscribe("t", 1) == ch
        local done = host.unsubscribe(ch)
        local value, ok = ch:receive()
        return { same, done, host.unsubscribe(ch), value == nil, ok }
        """
    ) == [True, True, False, True, False]


def test_a_subscription_is_something_to_wait_for(bench: Bench) -> None:
    task = bench.spawn(bench.program("return function() return (host.subscribe('t', 1):receive()) end"))
    assert task not in bench.ends
    bench.step(Message(task, "t", "", (5,)))
    assert bench.ends[task].value == 5


def test_a_task_sends_to_another_of_its_machine(bench: Bench) -> None:
    receiver = bench.spawn(bench.program("return function() return (host.subscribe('t', 1):receive()) end"))
    sent = bench.call(
        "local t = { list = { 1, 2 } } local ok = host.post(..., 't', 'me', t) t.list[1] = 'new' return ok",
        receiver,
    )
    assert sent is True
    assert bench.run(receiver).value == {"list": [1, 2]}
    assert bench.call("return host.post('nobody', 't', 'me')") is False


def test_a_copy_refuses_what_can_not_cross(bench: Bench) -> None:
    receiver = bench.spawn(bench.program("return function() return (host.subscribe('t', 1):receive()) end"))
    with pytest.raises(Internal, match="a function can not cross"):
        bench.call("local ok, err = host.post(..., 't', 'me', { print }) error(tostring(err), 0)", receiver)
