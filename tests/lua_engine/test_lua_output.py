"""What a task says without waiting for an answer is bounded: it waits until the host has taken it up."""

from __future__ import annotations

import pytest
from lua_bench import Bench

from runtime.core.errors import Internal
from runtime.lua.machine import Message, Reply

PATIENCE = 256 * 1024
TICKER = """
    return function()
      local inbox = host.subscribe("@pid/inbox", 1)
      local count = 0
      while true do
        local value = inbox:receive()
        if value == 0 then return count end
        count = count + 1
      end
    end
"""


def test_a_task_that_says_much_waits_until_the_host_has_taken_it_up(bench: Bench) -> None:
    program = bench.program(
        "return function() for i = 1, 60 do host.cast('say', ('y'):rep(1e6)) end return 'said' end"
    )
    ticker = bench.spawn(bench.program(TICKER))
    talker = bench.spawn(program)
    said = 0
    while talker not in bench.ends:
        assert sum(len(cast.args[0]) for cast in bench.casts) <= PATIENCE, "nothing is said behind its back"
        (command,) = bench.waiting
        bench.waiting.clear()
        bench.step(Message(ticker, "tick", "", (1,)))
        said += 1
        bench.step(Reply(talker, command.call, (True,)))
    assert bench.ends[talker].value == "said"
    assert said == 60
    bench.step(Message(ticker, "tick", "", (0,)))
    assert bench.ends[ticker].value == 60


def test_what_is_said_keeps_its_order_whether_it_waits_or_not(bench: Bench) -> None:
    heard: list[str] = []
    bench.answers["say"] = lambda text: heard.append(text[:3])
    program = bench.program(
        "return function() for i = 1, 9 do host.cast('say', ('%03d'):format(i) .. ('y'):rep(100000)) end end"
    )
    task = bench.spawn(program)
    while task not in bench.ends:
        heard += [cast.args[0][:3] for cast in bench.casts]
        bench.casts.clear()
        bench.step(*bench.answer())
    heard += [cast.args[0][:3] for cast in bench.casts]
    assert heard == [f"{number:03}" for number in range(1, 10)]


def test_a_refused_line_does_not_stop_who_said_it(bench: Bench) -> None:
    def refuse(_text: str) -> None:
        raise Internal("nobody listens")

    bench.answers["say"] = refuse
    assert bench.call("return (host.cast('say', ('y'):rep(1e6)))") is True


@pytest.mark.parametrize("text", ["('y'):rep(1e6)", "('\\u{1F600}'):rep(1e5)", "('\\x80'):rep(1e6)"])
def test_a_printed_line_is_cut_before_it_leaves_lua(bench: Bench, text: str) -> None:
    bench.call(f"print({text})")
    (line,) = bench.casts[0].args
    assert 8192 < len(line if isinstance(line, bytes) else line.encode()) <= 16384


def test_a_long_line_is_cut_at_a_blank(bench: Bench) -> None:
    bench.call("print(('word '):rep(3200) .. ('k'):rep(3000))")
    (line,) = bench.casts[0].args
    assert line.endswith("word")
