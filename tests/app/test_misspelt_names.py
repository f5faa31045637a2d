"""A misspelt name is answered with its place, where it stands in a file, and with the name that was meant.

Three tables: what files say, what is said at the command line, and what Lua asks for. A script hears of a
name only where it may do with it what it asked for.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.cli.main import run_command_line
from runtime.testing.project import ProjectFolder

INDEX = """
namespace: shop
entries:
  - name: reads
    kind: security.policy
    groups: [staff]
    policy: {actions: "*", resources: "*", effect: allow}
  - name: hides
    kind: security.policy
    policy:
      actions: [funcs.call, process.spawn, process.host, security.policy.get, security.policy_group.get,
        security.token_store.get, store.get, env.get, contract.get, contract.open]
      resources: [shop:helper, shop:worker, shop:pool, shop:reads, shop:staff, shop:tokens, shop:shelf,
        shop_colour, shop:greeter, shop:greets]
      effect: deny
  - {name: pool, kind: process.host}
  - {name: terminal, kind: terminal.host}
  - {name: shelf, kind: store.memory, max_size: 100}
  - {name: tokens, kind: security.token_store, store: shelf}
  - {name: os_env, kind: env.storage.os}
  - {name: colour, kind: env.variable, storage: os_env, variable: shop_colour}
  - {name: shared, kind: library.lua, source: "return {}"}
  - {name: helper, kind: function.lua, source: "return { run = function() end }", method: run}
  - {name: worker, kind: process.lua, source: "return { main = function() end }", method: main}
  - {name: greeter, kind: contract.definition, methods: [{name: greet}]}
  - name: greets
    kind: contract.binding
    contracts:
      - contract: greeter
        methods: {greet: helper}
  - name: service
    kind: process.service
    process: worker
    host: pool
    lifecycle:
      requires: [shelf]
      security: {actor: {id: "shop:robot"}, policies: [reads]}
  - name: wish
    kind: ns.requirement
    default: x
    targets: [{entry: shelf, path: meta.wish}]
  - name: dependency
    kind: ns.dependency
    component: wippy/llm
    version: "*"
  - name: work
    kind: process.lua
    meta:
      command:
        name: work
        security:
          actor: {id: "shop:clerk"}
          policies: [reads]
          groups: [staff]
    modules: [io, json, funcs, security, store, env, contract, time]
    imports: {shared: "shop:shared"}
    method: main
    source: |
      local json, funcs, security = require("json"), require("funcs"), require("security")
      local store, env, contract = require("store"), require("env"), require("contract")
      local said = {}
      local function note(name, call, ...)
        local ok, first, second = pcall(call, ...)
        said[name] = tostring(ok and second or first)
      end
      return { main = function()
        note("function", funcs.call, "shop:helpr")
        note("process", process.spawn, "shop:workr", "shop:pool")
        note("host", process.spawn, "shop:worker", "shop:pol")
        note("policy", security.policy, "shop:raeds")
        note("group", security.named_scope, "shop:staf")
        note("token store", security.token_store, "shop:token")
        note("store", store.get, "shop:shlef")
        note("variable", env.get, "shop_color")
        note("contract", contract.get, "shop:greter")
        note("binding", contract.open, "shop:greet")
        require("io").print((json.encode(said)))
      end }
"""
FILES = {
    ".wippy.yaml": 'version: "1.0"\n',
    "src/_index.yaml": INDEX,
    "wippy.lock": "directories: {modules: .wippy/vendor, src: ./src}\n",
}

IN_FILES = {
    "policy of a command": ("          policies: [reads]", "          policies: [raeds]", "shop:reads"),
    "group of a command": ("          groups: [staff]", "          groups: [staf]", "shop:staff"),
    "policy of a service": (
        '"shop:robot"}, policies: [reads]',
        '"shop:robot"}, policies: [rads]',
        "shop:reads",
    ),
    "namespace of a policy": (
        "          policies: [reads]",
        '          policies: ["shp:reads"]',
        "shop:reads",
    ),
    "process of a service": ("    process: worker", "    process: wroker", "shop:worker"),
    "host of a service": ("    host: pool", "    host: pol", "shop:pool"),
    "what a service requires": ("requires: [shelf]", "requires: [shlef]", "shop:shelf"),
    "import": ('imports: {shared: "shop:shared"}', 'imports: {shared: "shop:sharde"}', "shop:shared"),
    "namespace of an import": (
        'imports: {shared: "shop:shared"}',
        'imports: {shared: "shpo:shared"}',
        "shop:shared",
    ),
    "module": ("modules: [io, json,", "modules: [io, jsom,", "json"),
    "contract": ("- contract: greeter", "- contract: greter", "shop:greeter"),
    "method of a contract": ("methods: {greet: helper}", "methods: {gret: helper}", "greet"),
    "function of a contract": ("methods: {greet: helper}", "methods: {greet: helpr}", "shop:helper"),
    "target of a requirement": ("targets: [{entry: shelf,", "targets: [{entry: shef,", "shop:shelf"),
    "component": ("component: wippy/llm", "component: wippy/lllm", "wippy/llm"),
    "kind": ("kind: store.memory", "kind: store.memroy", "store.memory"),
    "key of security": ("          policies: [reads]", "          polices: [reads]", "policies"),
    "effect": ("effect: deny", "effect: dney", "deny"),
}

AT_THE_COMMAND_LINE = {
    "command": (["run", "wrok"], 3, "work"),
    "namespace": (["run", "shpo", "work"], 3, "shop"),
    "command of a namespace": (["run", "shop", "wrok"], 3, "work"),
    "terminal host": (["run", "work", "--host", "shop:terminl"], 3, "shop:terminal"),
    "branch": (["run", "work", "--ephemeral", "--branch", "mian"], 3, "main"),
    "actor": (["policy", "why", "shop:clrk", "registry.get", "shop:x"], 3, "shop:clerk"),
    "actor by its command": (["policy", "effective", "wrok"], 3, "work"),
    "scope of a policy": (["policy", "effective", "work", "--scope", "shop:raeds"], 3, "shop:reads"),
    "scope of a group": (["policy", "effective", "work", "--scope", "shop:staf"], 3, "shop:staff"),
    "action": (["policy", "why", "work", "registry.gte", "shop:x"], 0, "registry.get"),
    "entry": (["registry", "show", "shop:shlef"], 3, "shop:shelf"),
    "entry without its namespace": (["registry", "show", "shlef"], 3, "shop:shelf"),
    "entry to write out": (["registry", "export", "shop:shlef", "--to", "out"], 3, "shop:shelf"),
    "setting": (["run", "work", "--set", "limits.step=3"], 2, "limits.steps"),
    "entry of an override": (["run", "work", "-o", "shop:shlef:max_size=3"], 2, "shop:shelf"),
}

IN_LUA = {
    "function": "shop:helper",
    "process": "shop:worker",
    "host": "shop:pool",
    "policy": "shop:reads",
    "group": "shop:staff",
    "token store": "shop:tokens",
    "store": "shop:shelf",
    "variable": "shop_colour",
    "contract": "shop:greeter",
    "binding": "shop:greets",
}


@pytest.fixture
def project(tmp_path: Path) -> ProjectFolder:
    return ProjectFolder.write(tmp_path, FILES)


def place_of(text: str) -> str:
    """Return the beginning of the place of the line that holds `text` in the index."""
    (at,) = [number for number, line in enumerate(INDEX.splitlines(), 1) if text in line]
    return f"src/_index.yaml:{at}:"


@pytest.mark.parametrize("name", IN_FILES)
def test_in_a_file(project: ProjectFolder, capsys: pytest.CaptureFixture[str], name: str) -> None:
    right, wrong, meant = IN_FILES[name]
    project.replace("src/_index.yaml", right, wrong)
    code = run_command_line(["run", "work", "--ephemeral", "--project", str(project.root)])
    said = capsys.readouterr().err
    (line,) = [line for line in said.splitlines() if "did you mean" in line]
    assert code == 2
    assert f"did you mean `{meant}`?" in line
    assert place_of(right) in line


@pytest.mark.parametrize("name", AT_THE_COMMAND_LINE)
def test_at_the_command_line(project: ProjectFolder, capsys: pytest.CaptureFixture[str], name: str) -> None:
    words, code, meant = AT_THE_COMMAND_LINE[name]
    assert run_command_line([*words, "--project", str(project.root)]) == code
    said = capsys.readouterr()
    assert f"did you mean `{meant}`?" in said.out + said.err


def test_in_lua(project: ProjectFolder) -> None:
    ended = project.run("run", "work", "--ephemeral")
    said = json.loads(ended.stdout)
    assert {
        name: [meant for meant in IN_LUA.values() if f"did you mean `{meant}`?" in text]
        for name, text in said.items()
    } == {name: [meant] for name, meant in IN_LUA.items()}


def test_lua_hears_of_no_name_that_it_may_not_touch(project: ProjectFolder) -> None:
    project.replace("src/_index.yaml", "          policies: [reads]", "          policies: [reads, hides]")
    ended = project.run("run", "work", "--ephemeral")
    said = json.loads(ended.stdout)
    assert said.keys() == IN_LUA.keys()
    assert "did you mean" not in "".join(said.values())
