"""Every page says what its module has, no more and no less, and its tool runs as it stands there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from module_host import ModuleHost

from runtime.app.pages import documentation
from runtime.core.errors import Unavailable
from runtime.llm.offline.writing import Draft, draft
from runtime.lua import pages as general
from runtime.lua.library import Library

LIBRARY = Library.discover()
PUBLIC = [name for name in LIBRARY.names() if not LIBRARY.get(name).privileged]
GENERAL = sorted(Path(general.__file__).parent.glob("*.md"))
MAX_PAGE = 8000  # doc_search cuts there
MAX_TOOL = 3000

LIST_FUNCTIONS = """
local found = {}
local function walk(value, path)
  for name, item in pairs(value) do
    if type(item) == "function" then
      found[#found + 1] = path .. name
    elseif type(item) == "table" then
      walk(item, path .. name .. ".")
    end
  end
end
return { main = function()
  walk(%s, "")
  return found
end }
"""

# How each word that stands for an object in a page is made.
OBJECTS = {
    "time": {
        "t": "time.now()",
        "d": "time.parse_duration('1s')",
        "l": "time.utc",
        "timer": "time.timer('1h')",
        "ticker": "time.ticker('1h')",
    },
    "text": {
        "re": "text.regexp.compile('a')",
        "differ": "text.diff.new()",
        "splitter": "text.splitter.recursive()",
    },
    "expr": {"program": "expr.compile('1')"},
    "events": {"subscription": "events.subscribe('a')"},
    "contract": {"contracted": "contract.get('a:b')"},
    "payload": {"p": "payload.new(1)"},
    "process": {
        "message": "process.listen('note', { message = true }):receive()",
        "spawner": "process.with_context({})",
    },
    "funcs": {"executor": "funcs.new()", "future": "funcs.async('a:b')"},
    "security": {
        "actor": "security.actor()",
        "scope": "security.scope()",
        "policy": "security.policy('a:b')",
        "tokens": "security.token_store('a:b')",
    },
    "store": {"kept": "store.get('a:b')"},
    "registry": {
        "snap": "registry.snapshot()",
        "changes": "registry.snapshot():changes()",
        "version": "registry.current_version()",
        "history": "registry.history()",
    },
}
ANSWERS: dict[str, Callable[..., Any]] = {
    "funcs.call": lambda *_: None,
    "process.builder": lambda *_: True,
    "contract.get": lambda id: {"id": id, "methods": [{"name": "greet"}]},
    "events.subscribe": lambda *_: "@events/1",
    "registry.version": lambda *_: {"id": 1},
    "security.context": lambda: {"actor": {"id": "a", "meta": {}}, "scope": {"policies": ["p:q"]}},
    "security.policy.get": lambda policy_id: {"id": policy_id},
    "security.token_store.get": lambda store_id: {"id": store_id},
    "store.get": lambda store_id: {"id": store_id},
}


def _mentioned(name: str, page: str) -> tuple[set[str], set[str]]:
    """Return the functions that a page calls, and all names of the module that it mentions."""
    found = re.findall(rf"\b{name}[.:]([a-z_0-9.]+)([(`])", page)
    return {path for path, end in found if end == "("}, {path for path, _ in found}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_page_names_every_function_of_its_module_and_no_other(name: str) -> None:
    local = name if LIBRARY.get(name).ambient else f'require("{name}")'
    functions = set(ModuleHost().run(LIST_FUNCTIONS % local, modules=[name]))
    called, mentioned = _mentioned(name, LIBRARY.get(name).spec())
    assert functions - mentioned == set()
    assert called - functions == set()


@pytest.mark.parametrize("name", [name for name in PUBLIC if name in OBJECTS])
def test_every_method_of_a_page_is_a_function(name: str) -> None:
    page = LIBRARY.get(name).spec()
    found = set(re.findall(r"\b([a-z]+):([a-z_0-9]+)\(", page))
    methods = {(word, method) for word, method in found if word in OBJECTS[name]}
    assert {word for word, _ in methods} == OBJECTS[name].keys()
    lines = [
        f'if type(({OBJECTS[name][word]}).{method}) ~= "function" then error("{word}:{method}") end'
        for word, method in sorted(methods)
        if word != "message"
    ]
    if name == "process":
        lines += ["local m = " + OBJECTS[name]["message"], "m:topic() m:from() m:payload():data()"]
    local = "" if LIBRARY.get(name).ambient else f'local {name} = require("{name}")\n'
    source = f"{local}return {{ main = function() {chr(10).join(lines)} end }}"
    host = ModuleHost(ANSWERS)
    host.run(source, modules=[name], messages=[_note()] if name == "process" else [])


def _note() -> Any:
    from runtime.lua.machine import Message

    return Message("task", "note", "{case|2}", ("hello",))


@pytest.mark.parametrize("name", PUBLIC)
def test_every_module_has_a_page_with_a_tool_near_its_top(name: str) -> None:
    module = LIBRARY.get(name)
    page = module.spec()
    assert module.page.startswith("lua/") and module.summary
    assert page.startswith("# ") and len(page) <= MAX_PAGE
    tool = _tool(page)
    assert page.index(tool.source) + len(tool.source) < MAX_TOOL
    assert tool.schema and tool.schema["type"] == "object"
    required = re.findall(r'require\("([a-z_0-9]+)"\)', tool.source)
    assert sorted(required) == sorted(tool.modules) == ([] if module.ambient else [name])


def _tool(page: str) -> Draft:
    tool = draft(page, "")
    assert isinstance(tool, Draft), tool
    assert tool.description
    return tool


INPUTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "time": (
        {"zone": "Europe/Madrid"},
        {
            "time": "2026-01-02T04:04:05+01:00",
            "zone": "Europe/Madrid",
            "date": "2026-01-02",
            "text": "Friday, 2 January 2026, 04:04:05 CET",
        },
    ),
    "hash": (
        {"text": "hello"},
        {
            "algorithm": "sha256",
            "hex": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
        },
    ),
    "base64": ({"text": "aGVsbG8=", "mode": "decode"}, {"result": "hello"}),
    "json": ({"text": '{"a":[1,{"b":2}]}', "path": "a.2.b"}, {"value": 2, "json": "2"}),
    "yaml": ({"text": "b: 1\na: [x]"}, {"value": {"a": ["x"], "b": 1}, "names": ["a", "b"]}),
    "text": ({"text": "a1b22", "pattern": "[0-9]+"}, {"count": 2, "matches": ["1", "22"]}),
    "payload": ({"value": {"a": 1}, "form": "yaml"}, {"format": "yaml/plain", "kind": "table"}),
    "expr": ({"expression": "price * n", "values": {"price": 2, "n": 3}}, {"value": 6}),
    "os": ({"from": "2026-01-31", "to": "2026-02-28"}, {"days": 28}),
    "ctx": ({}, {"count": 1, "names": ["request_id"]}),
    "logger": ({"message": "hello"}, {"written": True}),
}


@pytest.mark.parametrize("name", INPUTS)
def test_the_tool_of_a_page_gives_what_it_promises(name: str) -> None:
    given, expected = INPUTS[name]
    tool = _tool(LIBRARY.get(name).spec())
    host = ModuleHost(values={"request_id": "r-1"})
    assert host.run(tool.source, given, modules=tool.modules, method="handler") == expected


def test_the_tools_of_uuid_and_crypto_give_new_values() -> None:
    tool = _tool(LIBRARY.get("uuid").spec())
    found = ModuleHost().run(tool.source, {"count": 3, "version": 7}, modules=tool.modules, method="handler")
    assert len(set(found["uuids"])) == 3 and all(each[14] == "7" for each in found["uuids"])
    tool = _tool(LIBRARY.get("crypto").spec())
    found = ModuleHost().run(tool.source, {"length": 30}, modules=tool.modules, method="handler")
    assert len(found["password"]) == found["length"] == 30


ENTRY = {"id": "app:x", "kind": "function.lua", "meta": {}, "data": {}}
HOSTED: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "env": ({"name": "HOME"}, {"env.get": "/root"}, {"name": "HOME", "value": "/root"}),
    "io": ({"text": "hi"}, {"io.available": True}, {"shown": True}),
    "funcs": ({"id": "a:b"}, {"funcs.call": {"x": 1}}, {"result": {"x": 1}}),
    "http_client": (
        {"url": "http://runtime.internal/"},
        {"http_client.request": {"status_code": 200, "url": "http://runtime.internal/", "body": "x"}},
        {"status": 200, "url": "http://runtime.internal/", "body": "x"},
    ),
    "contract": (
        {"binding": "app:plain", "method": "greet"},
        {
            "contract.open": {"binding": "app:plain", "contracts": ["app:greeter"], "methods": ["greet"]},
            "contract.call": "hi",
        },
        {"result": "hi"},
    ),
    "events": ({"system": "s", "kind": "k", "path": "p"}, {"events.send": True}, {"sent": True}),
    "process": ({"pid": "{a|1}", "text": "hi"}, {"process.send": True}, {"sent": True}),
    "registry": ({"kind": "*"}, {"registry.find": [ENTRY]}, {"count": 1, "ids": ["app:x"]}),
    "store": (
        {"id": "app:kept"},
        {
            "store.get": {"id": "app:kept"},
            "store.key.get": {"key": "calls", "value": 2, "version": "7"},
            "store.key.set": {"key": "calls", "value": 3, "version": "8"},
        },
        {"calls": 3},
    ),
    "system": ({}, {"system.read": 3145728}, {"megabytes": 3, "tasks": 3145728}),
    "security": (
        {"action": "registry.get", "resource": "app:x"},
        {"security.context": {"actor": {"id": "a", "meta": {}}}, "security.can": True},
        {"actor": "a", "allowed": True},
    ),
}


@pytest.mark.parametrize("name", HOSTED)
def test_the_tool_of_a_hosted_module_gives_its_command_and_returns_the_answer(name: str) -> None:
    given, answers, expected = HOSTED[name]
    tool = _tool(LIBRARY.get(name).spec())
    host = ModuleHost({command: lambda *_, value=value: value for command, value in answers.items()})
    assert host.run(tool.source, given, modules=tool.modules, method="handler") == expected
    assert {command.name for command in host.commands} <= set(LIBRARY.get(name).commands)


@pytest.mark.parametrize("name", ["env", "io", "funcs", "http_client", "process", "registry"])
def test_the_tool_of_a_hosted_module_reports_a_refusal(name: str) -> None:
    def refuse(*_: Any) -> Any:
        raise Unavailable("not now")

    given, answers, _ = HOSTED[name]
    tool = _tool(LIBRARY.get(name).spec())
    found = ModuleHost(dict.fromkeys(answers, refuse)).run(
        tool.source, given, modules=tool.modules, method="handler"
    )
    assert found["error"] == "not now"


def test_every_module_is_tried_by_a_tool() -> None:
    assert {*INPUTS, *HOSTED, "uuid", "crypto"} == set(PUBLIC)


@pytest.mark.parametrize("path", GENERAL, ids=lambda path: path.stem)
def test_the_general_pages_hold_a_tool_that_runs(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert len(page) <= MAX_PAGE
    tool = _tool(page)
    found = ModuleHost().run(tool.source, {}, modules=["time"], method="handler")
    assert found == {"time": "2026-01-02T03:04:05Z"}


def test_pages_refer_to_pages_and_modules_that_exist() -> None:
    pages = documentation(LIBRARY)
    routes = {LIBRARY.get(name).page for name in PUBLIC} | {f"lua/{path.stem}" for path in GENERAL}
    for name, text in [(name, LIBRARY.get(name).spec()) for name in PUBLIC] + [
        (path.stem, path.read_text(encoding="utf-8")) for path in GENERAL
    ]:
        for route in re.findall(r"\blua/[a-z]+(?:/[a-z0-9]+)?", text):
            assert route in {*routes, "lua/any"}, f"{name} refers to {route}"
    for route in routes:
        assert pages.respond(f"http://runtime.internal/path/en/{route}")[0] == 200
    overview = next(path for path in GENERAL if path.stem == "overview").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| ([a-z_0-9]+) \| lua/", overview, re.MULTILINE))
    assert listed == {name for name in PUBLIC if not LIBRARY.get(name).ambient}
    for name in PUBLIC:
        assert LIBRARY.get(name).page in overview


def test_the_schemas_of_the_pages_are_json() -> None:
    for name in PUBLIC:
        for block in re.findall(r"```json\n(.*?)```", LIBRARY.get(name).spec(), re.DOTALL):
            json.loads(block)


@pytest.mark.parametrize("name", PUBLIC)
def test_the_annotations_declare_every_function_and_method_of_the_page(name: str) -> None:
    from runtime.lua.syntax import check_syntax

    module = LIBRARY.get(name)
    check_syntax(module.types(), f"{name}/types.d.lua")
    declared = {
        path
        for _, path in re.findall(rf"^function {name}([.:])([a-z_0-9.]+)\(", module.types(), re.MULTILINE)
    }
    called, _ = _mentioned(name, module.spec())
    assert declared == called
    methods = set(re.findall(r"^function [A-Z]\w+:([a-z_0-9]+)\(", module.types(), re.MULTILINE))
    words = OBJECTS.get(name, {})
    shown = {m for word, m in re.findall(r"\b([a-z]+):([a-z_0-9]+)\(", module.spec()) if word in words}
    assert methods == shown
