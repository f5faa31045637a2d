"""The static checker says what is wrong in each file of `wrong`, where its comments say it, and nothing about
the files of `valid` or about plain Lua. A next case is one more file; `--! CODE` names what its line breaks.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runtime.lua.checker import Environment, check, interface
from runtime.lua.lint.finding import Finding
from runtime.lua.typed.parser import parse

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WRONG = sorted((HERE / "wrong").glob("*.lua"))
VALID = sorted((HERE / "valid").glob("*.lua"))
PLAIN = [
    *sorted((HERE.parent / "typed" / "plain").glob("*.lua")),
    *sorted((ROOT / "src").rglob("*.lua")),
    *sorted((ROOT / "runtime").rglob("*.lua")),
]
EXPECTED = re.compile(r"--!((?: E\d{4})+)")


def found(text: str, environment: Environment | None = None) -> list[Finding]:
    return check(parse(text, "f.lua"), environment or Environment())


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_what_is_wrong_is_found_at_its_line(path: Path) -> None:
    text = path.read_text()
    expected = {
        (number, code)
        for number, line in enumerate(text.splitlines(), 1)
        if (match := EXPECTED.search(line))
        for code in match[1].split()
    }
    findings = found(text)
    assert {(each.place.line, each.code) for each in findings} == expected
    assert all(each.level == "error" and each.place.column > 0 for each in findings)


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_nothing_is_said_about_what_is_right(path: Path) -> None:
    assert [f"{each.place}: {each.code} {each.message}" for each in found(path.read_text())] == []


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_what_is_right_is_checked_to_its_end(path: Path) -> None:
    lines = path.read_text().rstrip("\n").split("\n")
    end = len(lines) - 1 if lines[-1].startswith("return") else len(lines)
    lines.insert(end, 'local the_last: number = "text"')
    assert [(each.place.line, each.code) for each in found("\n".join(lines))] == [(end + 1, "E0001")]


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: str(path.relative_to(ROOT)))
def test_plain_lua_is_never_wrong(path: Path) -> None:
    text = path.read_text()
    tree = parse(text, path.name)
    assert check(tree, Environment()) == []
    # Also where one annotation makes the file a typed one.
    assert found(f"local _annotated: number = 1 {text}") == []


def test_messages_say_what_was_expected_what_was_found_and_what_to_do() -> None:
    text = "type User = {name: string, age: number}\nlocal function find(): User?\n    return nil\nend\n"
    text += 'local a: User = {name = 1, age = 1}\nlocal b: User = {name = "x"}\nlocal c: User = find()\n'
    text += "print(find().name, a.nmae)\n"
    assert [each.message for each in found(text)] == [
        "in `name`: expected `string`, found `1`",
        "field `age` of `User` is missing: add it, or make it optional with `?`",
        (
            "expected `User`, found `User?`, which may be nil: check it with `if`, give it a default with "
            "`or`, or let the type end in `?`"
        ),
        "`name` is asked of `User?`, which may be nil: check it with `if`, or give it a default with `or`",
        "`User` has no field `nmae`: did you mean `name`",
    ]


LIBRARY = """
type Port = number
type Server = {host: string, port: Port}
local M = {}
function M.start(server: Server): (boolean, string?)
    return true, nil
end
function M.needs(value)
    if value == nil then
        error("nil")
    end
end
M.Server = Server
return M
"""


def test_types_and_functions_of_a_library_are_known_to_those_who_import_it() -> None:
    library = interface(parse(LIBRARY, "net.lua"), Environment())
    user = """
local server = require("net")
local good: server.Server = {host = "a", port = 1}
local bad: server.Server = {host = "a"}
server.start(good)
server.start("localhost")
local function size(text: string?): integer
    server.needs(text)
    return #text
end
local made = net.Server({})
print(made.name, net.anything, net.start(made))
"""
    findings = found(user, Environment({"net": library}, entry="app:user"))
    assert [(each.place.line, each.code) for each in findings] == [(4, "E0001"), (6, "E0001"), (12, "E0003")]
    assert {each.entry for each in findings} == {"app:user"}


def test_what_a_library_takes_from_another_is_offered_under_its_own_name() -> None:
    inner = interface(parse(LIBRARY, "net.lua"), Environment())
    outer_text = 'local net = require("net")\nreturn {Server = net.Server, count = 1}\n'
    outer = interface(parse(outer_text, "outer.lua"), Environment({"net": inner}))
    findings = found("local s: outer.Server = {host = 1, port = 1}", Environment({"outer": outer}))
    assert [each.message for each in findings] == ["in `host`: expected `string`, found `1`"]


def test_nothing_is_said_about_an_alias_that_nobody_knows() -> None:
    assert found('local x = require("x")\nlocal y: x.Thing = x.make() :: number\nprint(y.z)\n') == []
