"""Linking decides what a program is made of and which modules it may see."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from lua_bench import Bench, FakeEntry

from runtime.core.errors import (
    AlreadyExists,
    Conflict,
    Error,
    Invalid,
    NotFound,
    PermissionDenied,
    Place,
)
from runtime.lua.library import Library
from runtime.lua.machine import Machine, Spawn
from runtime.lua.module import Module
from runtime.lua.program import Program, check_syntax, link


def function(source: str = "return print", **fields: Any) -> FakeEntry:
    options = {key: fields.pop(key) for key in ("origin", "kind", "id", "place") if key in fields}
    return FakeEntry(**{"id": "app:f", "data": {"source": source, "method": "main", **fields}, **options})


def library(name: str, source: str = "return {}", **fields: Any) -> FakeEntry:
    return function(source, id=f"app:{name}", kind="library.lua", **fields)


def build(bench: Bench, entry: FakeEntry, *others: FakeEntry) -> Program:
    return link(entry, {item.id: item for item in others}.get, bench.library)


def run(bench: Bench, entry: FakeEntry, *others: FakeEntry) -> Any:
    end = bench.run(bench.spawn(build(bench, entry, *others)))
    if end.error:
        raise end.error
    return end.value


def test_libraries_run_first_in_dependency_order_and_are_globals(bench: Bench) -> None:
    main = function(
        "return function() return outer.name .. base.name .. require('base').name end",
        imports={"outer": "app:outer"},
    )
    outer = library(
        "outer", "return { name = 'outer of ' .. base.name .. ' ' }", imports={"base": "app:base"}
    )
    base = library("base", "return { name = 'base' }")
    assert [chunk.id for chunk in build(bench, main, outer, base).libraries] == ["app:base", "app:outer"]
    assert run(bench, main, outer, base) == "outer of base basebase"


def test_a_library_of_two_names_runs_once(bench: Bench) -> None:
    main = function("return function() return one == two end", imports={"one": "app:one", "via": "app:via"})
    via = library("via", imports={"two": "app:one"})
    assert run(bench, main, library("one"), via) is True


def test_a_module_may_have_another_name(bench: Bench) -> None:
    assert (
        run(bench, function("return function() return type(h.call) end", imports={"h": ":host"}))
        == "function"
    )
    assert (
        run(bench, function("return function() return type(h.call) end", imports={"h": "host"})) == "function"
    )


def test_require_of_what_is_not_declared_raises(bench: Bench) -> None:
    with pytest.raises(Error, match="module 'json' not found"):
        run(bench, function("return function() return require('json') end"))


@pytest.mark.parametrize(
    ("entry", "kind", "message"),
    [
        (function(modules=["hots"]), NotFound, "module `hots` is not available; did you mean `host`"),
        (function(modules=["app:x"]), Invalid, "without a namespace"),
        (function(modules=[""]), Invalid, "without a namespace"),
        (function(modules="host"), Invalid, "not a list"),
        (
            function(modules=["host", "host"]),
            AlreadyExists,
            "dependency from `app:f` to `host` already exists",
        ),
        (function(imports={"x": "app:gone"}), NotFound, "import `app:gone` of `app:f` is not there"),
        (function(imports={"x": "app:other"}), NotFound, "expected a `library.lua`"),
        (function(imports={"": "app:a"}), Invalid, "expected an alias and an id"),
        (function(imports={"x": ":"}), Invalid, "expected an alias and an id"),
        (function(imports={"x": "app:cycle"}), Invalid, "closes a cycle"),
        (function(imports={"x": "app:a", "y": "app:clash"}), Conflict, "alias `x` of `app:clash`"),
        (function(modules=["secret"]), PermissionDenied, "`app:f` can not use it"),
        (function(modules=["secret"], origin="runtime"), PermissionDenied, "`app:f` can not use it"),
        (function(""), Invalid, "source is required"),
        (function("\x1bLua"), Invalid, "compiled code"),
        (function("\0"), Invalid, "compiled code"),
        (function("x" * (1024 * 1024 + 1)), Invalid, "over 1048576 bytes"),
        (function(method=""), Invalid, "method is required"),
        (function(kind="registry.entry"), Invalid, "which is no Lua"),
    ],
)
def test_what_does_not_link_says_why(bench: Bench, entry: FakeEntry, kind: type[Error], message: str) -> None:
    others = (
        library("a"),
        library("b"),
        library("clash", imports={"x": "app:b"}),
        library("cycle", imports={"back": "app:cycle"}),
        function(id="app:other", kind="workflow.lua"),
    )
    with pytest.raises(kind) as caught:
        build(bench, entry, *others)
    assert message in caught.value.message


def test_a_process_has_the_method_main_unless_said(bench: Bench) -> None:
    assert build(bench, function(method=None, kind="process.lua")).method == "main"


def test_errors_of_linking_carry_the_place(bench: Bench) -> None:
    with pytest.raises(NotFound) as caught:
        build(bench, function(modules=["gone"], place=Place("src/_index.yaml", 7)))
    assert caught.value.place == Place("src/_index.yaml", 7)


def test_a_privileged_module_is_seen_by_its_own_chunk_alone(bench: Bench) -> None:
    main = function(
        "return function() return { lib.key(), tostring(secret), pcall(require, 'secret'), shared } end",
        imports={"lib": "org:lib"},
    )
    lib = library(
        "lib",
        "shared = 'written' return { key = function() return secret.key() + require('secret').key() end }",
        modules=["secret"],
        origin="module",
    )
    lib = FakeEntry("org:lib", lib.data, lib.kind, lib.origin)
    value = run(bench, main, lib)
    assert value[:3] == [84, "nil", False]
    program = build(bench, main, lib)
    assert program.modules == ("secret",)
    assert dict(program.aliases) == {"lib": "org:lib"}


@pytest.mark.parametrize(
    ("main", "other", "expected"),
    [
        ("module", "module", "module"),
        ("module", "file", "file"),
        ("file", "module", "file"),
        ("file", "runtime", "runtime"),
        ("runtime", "module", "runtime"),
        ("module", "from nowhere", "runtime"),
    ],
)
def test_a_program_is_trusted_no_more_than_its_least_part(
    bench: Bench, main: str, other: str, expected: str
) -> None:
    entry = function(imports={"a": "app:a"}, origin=main)
    assert build(bench, entry, library("a", origin=other)).origin == expected


def test_equal_content_has_an_equal_key(bench: Bench) -> None:
    assert build(bench, function()).key == build(bench, function()).key
    assert build(bench, function()).key != build(bench, function("return tostring")).key
    assert build(bench, function()).key != build(bench, function(modules=["host"])).key


def test_a_program_crosses_as_data(bench: Bench) -> None:
    program = build(bench, function(imports={"a": "app:a"}, modules=["host"]), library("a"))
    assert Program.from_value(program.to_value()) == program
    with pytest.raises(Invalid):
        Program.from_value({"entry": "x"})


def test_syntax_errors_name_the_line() -> None:
    check_syntax("local x <const> = 1 // 2 goto done ::done::", "fine.lua")
    with pytest.raises(Invalid) as caught:
        check_syntax("local x = 1\nlocal = 2\n", "src/broken.lua")
    assert caught.value.place == Place("src/broken.lua", 2, 7)
    assert caught.value.message == "Lua syntax: expected the name of a local, found `=`"
    assert caught.value.frame == ("  1 | local x = 1", "> 2 | local = 2", "    |       ^")


@pytest.mark.parametrize("source", ["return " + "(" * 5000, "x" * 100 + "\ud800", "return " + "{" * 100000])
def test_hostile_sources_are_invalid_and_nothing_else(source: str) -> None:
    with pytest.raises(Invalid):
        check_syntax(source, "x.lua")
    check_syntax("return 1", "x.lua")


def test_a_source_that_does_not_compile_fails_its_task_alone(bench: Bench) -> None:
    with pytest.raises(Invalid):
        build(bench, function("return ="))
    program = build(bench, function("return 1"))
    broken = replace(program, main=replace(program.main, source="return =")).with_key()
    end = bench.run(bench.spawn(broken))
    assert isinstance(end.error, Invalid)
    assert bench.call("return 1") == 1


def test_an_unknown_module_in_a_program_from_elsewhere_fails_its_task_alone(bench: Bench) -> None:
    value = build(bench, function()).to_value()
    value["modules"] = ["gone"]
    bench.step(Spawn("t", Program.from_value(value)))
    assert isinstance(bench.ends["t"].error, NotFound)
    assert bench.machine.tasks == frozenset()


def test_a_module_that_does_not_load_is_named() -> None:
    broken = Library([Module("broken", "return nil", ambient=True)])
    with pytest.raises(Error, match="module `broken` does not load"):
        Machine(broken)


def test_ambient_modules_are_everywhere() -> None:
    library_ = Library([Module("clock", "return { zero = 0 }", ambient=True)])
    bench = Bench(Machine(library_), library_)
    assert bench.call("return { clock.zero, require('clock').zero }", modules=()) == [0, 0]


def test_two_modules_of_one_name_are_refused() -> None:
    with pytest.raises(AlreadyExists):
        Library([Module("a", "return {}"), Module("a", "return {}")])


def test_every_module_of_the_package_loads() -> None:
    found = Library.discover()
    bench = Bench(Machine(found), found)
    for name in found.names():
        entry = FakeEntry(
            "app:f",
            {
                "source": f"return function() return type(require('{name}')) end",
                "method": "m",
                "modules": [name],
            },
            origin="module",
        )
        if not found.get(name).ambient:
            assert bench.run(bench.spawn(link(entry, lambda _: None, found))).value == "table"


def test_a_function_or_process_may_be_imported_and_is_what_its_chunk_returns(bench: Bench) -> None:
    other = function("return { double = function(n) return 2 * n end }", id="app:other")
    entry = function(
        "return { main = function() return other.double(21) end }", imports={"other": "app:other"}
    )
    assert run(bench, entry, other) == 42
