"""How a task begins, waits, answers and ends."""

from __future__ import annotations

import pytest
from lua_bench import Bench, bare

from runtime.core.errors import Canceled, Conflict, Error, Internal, Invalid, NotFound, RateLimited, Timeout
from runtime.lua.machine import (
    Command,
    Interrupt,
    Kill,
    Machine,
    MachineLimits,
    Message,
    Reply,
    Spawn,
    TaskLimits,
)


def test_a_chunk_that_returns_a_function_is_its_method(bench: Bench) -> None:
    end = bench.run(bench.spawn(bench.program("return function(a, b) return a + b end"), 2, 3))
    assert end.value == 5


def test_a_chunk_that_returns_a_table_has_the_method_in_it(bench: Bench) -> None:
    end = bench.run(bench.spawn(bench.program("return { go = function() return 'gone' end }", method="go")))
    assert end.value == "gone"


def test_a_missing_method_is_not_found(bench: Bench) -> None:
    end = bench.run(bench.spawn(bench.program("return {}", method="go")))
    assert isinstance(end.error, NotFound)
    assert end.error.message == 'method "go" not found in module'


def test_nil_arguments_keep_their_places(bench: Bench) -> None:
    assert bench.call("return { n = select('#', ...), last = select(3, ...) }", None, None, "z", None) == {
        "n": 4,
        "last": "z",
    }


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        ("return nil, 'went wrong'", Internal, "went wrong"),
        ("return 1, errors.new({kind = errors.CONFLICT, message = 'm', retryable = true})", Conflict, "m"),
        ("error(errors.new({kind = errors.CONFLICT, message = 'm'}))", Conflict, "m"),
        ("error('boom')", Internal, "app:test:2: boom"),
        ("error({message = 'boom'})", Internal, "boom"),
        ("local x = nil; return x.y", Internal, "app:test:2: attempt to index a nil value (local 'x')"),
    ],
)
def test_what_a_task_ends_with(bench: Bench, body: str, kind: type[Error], message: str) -> None:
    with pytest.raises(kind) as caught:
        bench.call(body)
    assert type(caught.value) is kind
    assert caught.value.message == message


@pytest.mark.parametrize("second", ["{a = 1}", "true", "7", "print", "{message = 'm', kind = 'Internal'}"])
def test_a_second_value_that_is_neither_text_nor_an_error_is_ignored(bench: Bench, second: str) -> None:
    assert bench.call(f"return 1, {second}") == 1


def test_an_uncaught_error_has_the_stack_of_the_script_alone(bench: Bench) -> None:
    with pytest.raises(Internal) as caught:
        bench.call("local function inner()\n error('boom')\n end\n pcall(print)\n inner()")
    stack = caught.value.stack
    assert stack[0] == "app:test:3 in inner"
    assert all("kernel" not in line for line in stack)


def test_a_command_gives_its_results_to_lua(bench: Bench) -> None:
    bench.answers["add"] = lambda a, b: (a + b, a - b)
    assert bench.call("local sum, difference = host.call('add', 7, 3) return { sum, difference }") == [10, 4]


def test_an_error_of_a_command_is_nil_and_an_error_in_lua(bench: Bench) -> None:
    def refuse() -> None:
        raise RateLimited("slow down", retryable=True, details={"after": 3})

    bench.answers["refuse"] = refuse
    assert bench.call(
        """
        local value, err = host.call("refuse")
        return { value == nil, type(err), err:kind(), err:message(), err:retryable(), err:details().after }
        """
    ) == [True, "userdata", "RateLimited", "slow down", True, 3]


def test_a_reply_that_can_not_cross_is_an_error_for_its_call_alone(bench: Bench) -> None:
    task = bench.spawn(
        bench.program("return function() local v, err = host.call('x') return err:message() end")
    )
    bench.step(Reply(task, bench.waiting[0].call, (object(),)))
    assert "`object` is not plain data" in bench.ends[task].value


def test_answers_reach_the_coroutine_that_asked(bench: Bench) -> None:
    task = bench.spawn(
        bench.program(
            """
            return function()
              local done = channel.new(2)
              for _, name in ipairs { "a", "b" } do
                coroutine.spawn(function() done:send(name .. host.call(name)) end)
              end
              return { done:receive(), (done:receive()) }
            end
            """
        )
    )
    first, second = bench.waiting
    bench.step(Reply(task, second.call, ("2",)), Reply(task, first.call, ("1",)))
    assert bench.ends[task].value == ["b2", True] or bench.ends[task].value == ["b2", "a1"]


def test_casts_keep_their_order_among_commands(bench: Bench) -> None:
    outputs, _ = bench.machine.step(
        [Spawn("t", bench.program("return function() host.cast('a', 1) host.cast('b') host.call('c') end"))]
    )
    assert [item.name for item in outputs if not hasattr(item, "value")] == ["a", "b", "c"]
    assert isinstance(outputs[-1], Command)


def test_commands_cross_pcall_metamethods_and_iterators(bench: Bench) -> None:
    bench.answers["echo"] = lambda value: value
    assert bench.call(
        """
        local lazy = setmetatable({}, { __index = function(_, key) return host.call("echo", key) end })
        local function each()
          local n = 0
          return function() n = n + 1 if n < 3 then return host.call("echo", n) end end
        end
        local seen = {}
        for n in each() do seen[#seen + 1] = n end
        local ok, value = pcall(function() return host.call("echo", "in pcall") end)
        local _, handled = xpcall(function() return host.call("echo", "in xpcall") end, print)
        return { lazy.key, seen, ok, value, handled }
        """
    ) == ["key", [1, 2], True, "in pcall", "in xpcall"]


def test_a_wait_while_a_chunk_loads_is_refused(bench: Bench) -> None:
    end = bench.run(bench.spawn(bench.program("host.call('x') return {}")))
    assert end.error is not None
    assert "can not wait while a chunk loads" in end.error.message


def test_the_end_of_the_main_coroutine_ends_the_others(bench: Bench) -> None:
    task = bench.spawn(
        bench.program(
            "return function() coroutine.spawn(function() host.call('never') end) host.sleep(0) return 1 end"
        )
    )
    end = bench.run(task)
    assert end.value == 1
    bench.step(Reply(task, bench.waiting[0].call, ("late",)))
    assert bench.machine.tasks == frozenset()


def test_an_error_in_a_spawned_coroutine_ends_the_task(bench: Bench) -> None:
    with pytest.raises(Internal, match="in the side"):
        bench.call("coroutine.spawn(function() error('in the side') end) channel.new():receive()")


def test_kill_ends_a_waiting_task_once(bench: Bench) -> None:
    task = bench.spawn(bench.program("return function() host.call('never') end"))
    bench.step(Kill(task, Canceled("terminated")), Kill(task, Canceled("again")))
    error = bench.ends[task].error
    assert isinstance(error, Canceled)
    assert error.message == "terminated"


def test_inputs_for_a_task_that_has_ended_are_ignored(bench: Bench) -> None:
    task = bench.spawn(bench.program("return function() return 1 end"))
    bench.step(Message(task, "x"), Kill(task, Canceled("late")), Reply(task, 1), Interrupt(task))
    assert bench.ends[task].value == 1


def test_arguments_that_can_not_cross_end_the_task_alone(bench: Bench) -> None:
    task = bench.spawn(bench.program("return function() end"), 2**63)
    assert isinstance(bench.ends[task].error, Invalid)
    assert bench.call("return 1") == 1


def test_a_task_has_a_limit_in_all(bench: Bench) -> None:
    task = bench.spawn(
        bench.program("return function() host.call('never') end"), limits=TaskLimits(total_seconds=0.05)
    )
    assert isinstance(bench.run(task).error, Timeout)


def test_waiting_does_not_count_as_running(bench: Bench) -> None:
    limits = TaskLimits(running_seconds=0.05)
    assert bench.call("for _ = 1, 4 do host.sleep(0.03) end return 'awake'", limits=limits) == "awake"


def test_an_interrupt_is_canceled_in_what_computes_and_can_be_caught(bench: Bench) -> None:
    program = bench.program(
        """
        return function()
          local ok, err = pcall(function() while true do end end)
          return { ok, err:kind() }
        end
        """
    )
    bench.machine.interrupt("task1")
    assert bench.run(bench.spawn(program)).value == [False, "Canceled"]


def test_info_and_context_values_are_read_only(bench: Bench) -> None:
    assert bench.call(
        """
        local ok = pcall(function() host.values().user.name = "other" end)
        return { host.task().id, host.values().user.name, ok, host.task() == host.task() }
        """,
        values={"user": {"name": "ann"}},
    ) == ["app:test", "ann", False, True]


def test_an_environment_belongs_to_one_task(bench: Bench) -> None:
    program = bench.program(
        """
        count = (count or 0) + 1
        local function main() count = count + 1 host.call("x") return count end
        return main
        """
    )
    first, second = bench.spawn(program), bench.spawn(program)
    bench.answers["x"] = lambda: None
    assert (bench.run(first).value, bench.run(second).value) == (2, 2)


def test_sync_functions_answer_at_once(bench: Bench) -> None:
    assert bench.call(
        """
        local value, err = host.sync("fail")
        return { host.sync("double", 21), value == nil, err:kind(), err:details().after }
        """
    ) == [42, True, "RateLimited", 3]


def test_a_file_that_is_not_in_the_modules_says_how_to_get_it(bench: Bench) -> None:
    with pytest.raises(Internal, match="add `host` to the modules of the entry"):
        bench.call("return host.call('x')", modules=())


def test_two_tasks_may_not_have_one_name(bench: Bench) -> None:
    program = bench.program("return function() host.call('never') end")
    bench.machine.step([Spawn("t", program)])
    (end,), _ = bench.machine.step([Spawn("t", program)])
    assert isinstance(end.error, Invalid)  # type: ignore[union-attr]
    assert bench.machine.tasks == {"t"}


def test_ended_tasks_leave_nothing_in_memory() -> None:
    library = bare()
    bench = Bench(Machine(library, limits=MachineLimits(memory_bytes=16 * 1024 * 1024)), library)
    fill = "keep = {} for i = 1, 60000 do keep[i] = { i } end"
    limits = TaskLimits(total_seconds=3600.0)
    for number in range(30):
        program = bench.program(f"{fill} return function() host.call('never {number}') return keep end")
        task = bench.spawn(program, limits=limits)
        bench.step(Kill(task, Canceled("enough")))
        assert isinstance(bench.ends[task].error, Canceled)


def test_programs_that_were_not_run_for_long_are_forgotten_and_sent_again() -> None:
    library = bare()
    bench = Bench(Machine(library, limits=MachineLimits(memory_bytes=16 * 1024 * 1024)), library)
    filler = "local t = {" + "'a text', " * 40_000 + "}\n"
    programs = [bench.program(f"{filler} return function() return {number} end") for number in range(12)]
    for program in [*programs, programs[0]]:
        assert bench.run(bench.spawn(program)).value == programs.index(program)


def test_a_state_that_fails_names_the_entry_and_not_the_task() -> None:
    library = bare()
    bench = Bench(Machine(library, limits=MachineLimits(memory_bytes=2 * 1024 * 1024)), library)
    task = bench.spawn(bench.program("return function() host.call('wait') end"))
    bench.step(Message(task, "large", "", ("x" * 4 * 1024 * 1024,)))
    error = bench.ends[task].error
    assert isinstance(error, Internal)
    assert error.message == "the Lua state of `app:test` failed: its memory is used up"


def test_an_error_whose_text_is_no_unicode_has_no_repr_of_python_in_it(bench: Bench) -> None:
    for source in ("error('caf\\xe9', 0)", "return nil, errors.new('caf\\xe9')", "return nil, 'caf\\xe9'"):
        end = bench.run(bench.spawn(bench.program(f"return function() {source} end")))
        assert end.error is not None and end.error.message == "caf\ufffd", source
