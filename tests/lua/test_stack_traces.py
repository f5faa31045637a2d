"""Stack traces speak of the user's files and lines, whatever lies between them and Lua: erased types, YAML
around a source, aliases, coroutines, pcall, other tasks; and never of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from runtime.core.errors import Error, Internal, Place
from runtime.core.wire import pack, unpack
from runtime.lua.library import Library
from runtime.lua.machine import Command, Exited, Machine, Reply, Spawn
from runtime.lua.module import Module
from runtime.lua.program import link
from runtime.lua.syntax import check_syntax
from runtime.registry.entry import Entry
from runtime.registry.loader import load_tree

MODULE = (
    "local host = ... return { call = host.call, sleep = host.sleep, fail = function() error('no', 2) end }"
)


@dataclass(frozen=True)
class Source:
    """An entry as linking sees it; `name` is its file."""

    id: str
    data: dict[str, Any]
    kind: str = "function.lua"
    origin: str = "file"
    source_name: str = ""


def function(name: str, source: str, file: str = "", **imports: str) -> Source:
    data = {"source": source, "method": "main", "modules": ["host"], "imports": imports}
    return Source(f"app:{name}", data, source_name=file)


def run(entry: Any, *others: Any, answer: Callable[[list[Any]], Any] | None = None) -> Exited:
    """Run `entry` to its end in a machine of its own; `answer` gives the reply to its commands or raises."""
    library = Library([Module("host", MODULE)])
    program = link(entry, {other.id: other for other in others}.get, library)
    machine = Machine(library)
    inputs: list[Any] = [Spawn("t", program)]
    while True:
        outputs, _ = machine.step(inputs)
        inputs = []
        for output in outputs:
            if isinstance(output, Exited):
                return output
            if isinstance(output, Command) and answer is not None:
                try:
                    inputs.append(Reply("t", output.call, (answer(output.args),)))
                except Error as error:
                    inputs.append(Reply("t", output.call, error=error))


def trace(entry: Any, *others: Any, **fields: Any) -> list[str]:
    error = run(entry, *others, **fields).error
    assert error is not None
    assert "[kernel]" not in str(error) and "[module]" not in str(error)
    assert not any("kernel" in line or "[module]" in line for line in error.stack)
    return list(error.stack)


NESTED = """local function inner()
  local x = nil
  return x.field
end
local function outer()
  local found = inner()
  return found
end
return { main = function()
  local found = outer()
  return found
end }
"""


def test_nested_calls_are_told_innermost_first() -> None:
    entry = function("nested", NESTED, "src/nested.lua")
    assert trace(entry) == [
        "src/nested.lua:3 in inner",
        "src/nested.lua:6 in outer",
        "src/nested.lua:10",
    ]
    assert str(run(entry).error).startswith("src/nested.lua:3: ")


def test_erased_types_keep_their_lines() -> None:
    typed = """type Item = {
  name: string,
  price: number?,
}
local function total(items: {Item}): number
  local sum: number = 0
  for _, item in ipairs(items) do
    sum = sum + item.price
  end
  return sum
end
return { main = function()
  local given: {Item} = { Item({ name = "a" }) }
  local sum = total(given)
  return sum
end }
"""
    assert trace(function("typed", typed, "src/typed.lua")) == [
        "src/typed.lua:8 in total",
        "src/typed.lua:14",
    ]


def test_a_library_is_told_by_its_own_file_under_any_alias() -> None:
    library = Source(
        "app:shapes",
        {"source": "local M = {}\n\nfunction M.area(w, h)\n  return w * h\nend\n\nreturn M"},
        kind="library.lua",
        source_name="src/lib/shapes.lua",
    )
    user = function(
        "user",
        "return { main = function()\n  local a = geo.area(2)\n  return a\nend }",
        "src/user.lua",
        geo="app:shapes",
    )
    lines = trace(user, library)
    assert lines[0].startswith("src/lib/shapes.lua:4 in ")
    assert lines[1] == "src/user.lua:2"


def test_a_source_without_a_file_is_told_by_the_id_of_its_entry() -> None:
    assert trace(function("born", NESTED))[0] == "app:born:3 in inner"


def test_a_long_path_is_written_whole() -> None:
    path = "src/" + "a_folder_with_a_name/" * 5 + "tool.lua"
    error = run(function("long", NESTED, path)).error
    assert error is not None
    assert error.message.startswith(f"{path}:3: ")
    assert error.stack[0] == f"{path}:3 in inner"


def test_an_error_that_pcall_caught_and_somebody_raised_again_comes_from_its_first_place() -> None:
    source = """local function deep()
  error("broken")
end
return { main = function()
  local ok, message = pcall(deep)
  pcall(error, "another")
  ok, message = pcall(deep)
  error(message, 0)
end }
"""
    lines = trace(function("again", source, "src/again.lua"))
    assert lines[0].startswith("src/again.lua:2")
    assert "src/again.lua:7" in lines


def test_an_error_in_a_coroutine_is_told_with_what_resumed_it() -> None:
    source = """local function work()
  coroutine.yield(1)
  error("inside")
end
return { main = function()
  local step = coroutine.wrap(work)
  step()
  step()
  return 1
end }
"""
    lines = trace(function("wrapped", source, "src/wrapped.lua"))
    assert lines[0] == "src/wrapped.lua:3"
    assert "src/wrapped.lua:8" in lines


def test_an_error_in_a_spawned_coroutine_is_told() -> None:
    source = """return { main = function()
  coroutine.spawn(function()
    local t = nil
    t.x = 1
  end)
  host.sleep(0)
  host.sleep(0)
end }
"""
    assert trace(function("spawned", source, "src/spawned.lua")) == ["src/spawned.lua:4"]


def test_an_error_object_remembers_where_it_was_made() -> None:
    source = """local function refuse()
  local err = errors.new({ message = "no", kind = errors.INVALID })
  return err
end
return { main = function()
  local err = refuse()
  local stack = errors.call_stack(err)
  assert(err:stack():find("src/made.lua:2", 1, true))
  assert(stack.frames[1].source == "src/made.lua" and stack.frames[1].line == 2)
  error(err)
end }
"""
    exited = run(function("made", source, "src/made.lua"))
    assert exited.error is not None and exited.error.message == "no"
    assert exited.error.stack[0].startswith("src/made.lua:2")


def test_what_a_module_raises_is_told_at_the_line_that_called_it() -> None:
    error = run(
        function("misuse", "return { main = function()\n  host.fail()\nend }", "src/misuse.lua")
    ).error
    assert error is not None
    assert error.message == "src/misuse.lua:2: no"
    assert error.stack == ("src/misuse.lua:2",)


def test_an_error_from_another_task_has_the_frames_of_both() -> None:
    def other(_: list[Any]) -> Any:
        failed = run(function("callee", NESTED, "src/callee.lua")).error
        assert failed is not None
        return _raise(unpack(pack(failed)))

    source = """return { main = function()
  local value, err = host.call("funcs.call", "app:callee")
  local text = err:stack()
  return { text, err:kind(), err:details() == nil }
end }
"""
    text, kind, plain = run(function("caller", source, "src/caller.lua"), answer=other).value
    assert text.splitlines()[1:] == [
        "src/callee.lua:3 in inner",
        "src/callee.lua:6 in outer",
        "src/callee.lua:10",
        "src/caller.lua:2",
    ]
    assert kind == "Internal" and plain is True


def test_an_error_of_the_host_is_told_at_the_line_that_asked() -> None:
    def refuse(_: list[Any]) -> Any:
        raise Internal("the disk is full")

    source = 'return { main = function()\n  local _, err = host.call("x")\n  error(err)\nend }'
    assert trace(function("asks", source, "src/asks.lua"), answer=refuse) == ["src/asks.lua:2"]


def test_what_a_child_says_of_its_stack_is_bounded() -> None:
    hostile = {"kind": "Internal", "message": "m", "stack": ["x" * 10_000, 7, {}, ""] + ["line"] * 10_000}
    error = unpack(pack(_as_error(hostile)))
    assert isinstance(error, Error)
    assert len(error.stack) <= 40 and max(map(len, error.stack)) <= 400
    assert _as_error({"message": "m", "stack": "no list"}).stack == ()


INLINE = """version: "1.0"
namespace: app

entries:
  - name: first
    kind: function.lua
    method: main
    source: |
      local M = {}

      function M.main(x: number?)
        return x + 1
      end

      return M
  - name: second
    kind: function.lua
    method: main
    source: "return { main = function() error('short') end }"
"""


@pytest.fixture
def inline(tmp_path: Path) -> dict[str, Entry]:
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "_index.yaml").write_text(INLINE)
    return {entry.name: entry for entry in load_tree(folder, project=tmp_path)}


def test_a_source_in_yaml_is_told_by_the_lines_of_the_yaml(inline: dict[str, Entry]) -> None:
    assert inline["first"].source_place == Place("src/_index.yaml", 9, 7)
    assert trace(inline["first"]) == ["src/_index.yaml:12"]
    assert str(run(inline["second"]).error) == "src/_index.yaml:19: short"


def test_a_syntax_error_in_yaml_is_told_by_the_line_and_column_of_the_yaml() -> None:
    with pytest.raises(Error) as caught:
        check_syntax("local M = {}\nlocal x: = 1\n", Place("src/_index.yaml", 9, 7))
    assert caught.value.place == Place("src/_index.yaml", 10, 16)
    assert caught.value.frame[1] == "> 10 |       local x: = 1"


def _raise(error: Any) -> Any:
    assert isinstance(error, Error)
    raise error


def _as_error(value: dict[str, Any]) -> Error:
    from runtime.core.errors import from_value

    return from_value(value)
