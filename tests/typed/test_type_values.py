"""Types as values: each file is the body of a function that asserts what a type can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from runtime.core.errors import Error, Invalid, Timeout
from runtime.lua.library import Library
from runtime.lua.machine import Exited, Machine, Output, Spawn, TaskLimits
from runtime.lua.program import Program, link

VALUES = sorted((Path(__file__).parent / "values").glob("*.lua"))
SAYS = """local function says(err, text)
  assert(err ~= nil and tostring(err):find(text, 1, true), "got: " .. tostring(err) .. ", expected: " .. text)
end
"""


@dataclass(frozen=True)
class Entry:
    """An entry as linking sees it."""

    id: str
    data: dict[str, Any] = field(default_factory=dict)
    kind: str = "function.lua"
    origin: str = "file"
    source_name: str = ""


def program(source: str, *libraries: Entry, name: str = "src/case.lua") -> Program:
    imports = {entry.id.partition(":")[2]: entry.id for entry in libraries}
    entry = Entry("app:case", {"source": source, "method": "main", "imports": imports}, source_name=name)
    return link(entry, {each.id: each for each in libraries}.get, Library([]))


def library(name: str, source: str) -> Entry:
    return Entry(f"app:{name}", {"source": source}, kind="library.lua", source_name=f"src/{name}.lua")


def run(made: Program, args: Sequence[Any] = (), *, seconds: float = 10.0) -> Exited:
    machine = Machine(Library([]))
    outputs: list[Output]
    outputs, due = machine.step(
        [Spawn("task", made, tuple(args), limits=TaskLimits(running_seconds=seconds))]
    )
    while due is not None and not outputs:
        outputs, due = machine.step(())
    ended = outputs[-1]
    assert isinstance(ended, Exited)
    return ended


def value(made: Program, *args: Any) -> Any:
    ended = run(made, args)
    if ended.error is not None:
        raise ended.error
    return ended.value


def body(text: str) -> str:
    return f"return {{ main = function(...)\n{text}\nend }}"


@pytest.mark.parametrize("path", VALUES, ids=lambda path: path.stem)
def test_a_type_is_a_value_that_checks(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert value(program(body(f"{SAYS}{text}\nreturn 'done'"))) == "done"


def test_a_library_gives_its_types_away() -> None:
    inner = library("inner", "type Id = string @min_len(2)\nreturn { Id = Id }")
    source = (
        'local inner = require("inner")\ntype Item = {id: inner.Id}\n'
        "return { main = function(id) local item, err = Item:is({ id = id })\n"
        "  return item and item.id or tostring(err) end }"
    )
    assert value(program(source, inner), "ab") == "ab"
    assert value(program(source, inner), "a") == "`id`: length 1 is below the minimum length 2"


def test_an_error_names_the_users_file_and_line_behind_types_of_several_lines() -> None:
    source = body(
        'type T = {\n  x: number,\n  y: string,\n}\nlocal t: T = T({ x = 1, y = "a" })\nerror("here")'
    )
    with pytest.raises(Error, match=r"^src/case\.lua:7: here$"):
        value(program(source))


def test_a_failed_cast_that_nobody_catches_keeps_its_kind_and_its_place() -> None:
    ended = run(program(body("type T = {x: number}\n\nlocal t = T({})\nreturn t")))
    assert isinstance(ended.error, Invalid)
    assert ended.error.message == "`x`: expected number, got nil"


def test_a_typed_source_that_does_not_parse_is_not_linked() -> None:
    with pytest.raises(Invalid) as caught:
        program("return 1\n\nlocal x: = 2", name="src/tool.lua")
    assert str(caught.value.place) == "src/tool.lua:3:1"


def test_a_check_of_a_large_value_ends_with_its_task() -> None:
    source = body(
        "type Row = {id: integer, name: string}\ntype Table = {Row}\nlocal rows = {}\n"
        "for i = 1, 1000 do rows[i] = { id = i, name = 'x' } end\nwhile true do Table:is(rows) end"
    )
    assert isinstance(run(program(source), seconds=0.2).error, Timeout)


def test_a_pattern_that_is_none_is_said() -> None:
    with pytest.raises(Invalid, match="the pattern can not be used: `\\(` is no pattern"):
        value(program(body('type T = string @pattern("(")\nreturn T("x")')))


def test_a_type_does_not_leave_its_lua_state() -> None:
    with pytest.raises(Invalid, match="type"):
        value(program(body("type T = string\nreturn { t = T }")))


def test_one_task_does_not_see_the_types_of_another() -> None:
    made = program(body("type T = string\nlocal before = seen\nseen = T\nreturn before == nil"))
    machine = Machine(Library([]))
    outputs, _ = machine.step([Spawn("a", made), Spawn("b", made)])
    assert [item.value for item in outputs if isinstance(item, Exited)] == [True, True]
