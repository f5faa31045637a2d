"""A project that was written for the peer runs as it is, and the looseness is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SOURCES = {
    "wippy.lock": "directories:\n  modules: .wippy\n  src: ./src\n"
    "replacements:\n  - from: acme/fixture\n    to: ./modules/fixture\n",
    "modules/fixture/src/_index.yaml": """
namespace: acme.fixture
entries:
  - {name: greeting, kind: function.lua, source: file://greeting.lua, method: hello}
""",
    "modules/fixture/src/greeting.lua": "return { hello = function(name) return 'hello ' .. name end }",
    "src/_index.yaml": """
namespace: app
entries:
  - {name: terminal, kind: terminal.host}
  - {name: needs, kind: ns.dependency, component: acme/fixture, version: '*'}
  - {name: cache, kind: queue.queue}
  - {name: broken, kind: function.lua, source: 'return (', method: run}
  - {name: twice, kind: function.lua, source: 'return { run = function() return 1 end }', method: run}
  - {name: twice, kind: function.lua, source: 'return { run = function() return 2 end }', method: run}
  - name: check
    kind: process.lua
    meta: {command: {name: check, short: Check}}
    source: file://check.lua
    method: main
    modules: [io, funcs, registry]
    imports: {assert2: 'acme.fixture:greeting'}
""",
    "src/check.lua": """
local function main()
  local io, funcs = require("io"), require("funcs")
  io.print(assert2.hello("you"), require("assert2") == assert2)
  io.print(funcs.call("app:twice"))
  local value, err = funcs.call("app:broken")
  io.print(value, err:kind())
  local changes = registry.snapshot():changes()
  local source = "return { run = function() end }"
  changes:create({ id = "app:born", kind = "function.lua", data = { source = source, method = "run" } })
  local version, refused = changes:apply()
  io.print(version ~= nil, refused)
  return 3
end
return { main = main }
""",
}


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    for name, text in SOURCES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    here = Path(__file__).resolve().parents[2]
    env = {**os.environ, "PYTHONPATH": str(here), "XDG_CONFIG_HOME": str(root / "config")}
    command = [sys.executable, "-m", "runtime", "run", "--ephemeral", "--project", str(root), *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=env, timeout=60)


def test_a_project_of_the_peer_runs_as_it_is_and_the_looseness_is_said(tmp_path: Path) -> None:
    done = run(tmp_path, "-c", "-s", "--compat", "wippy", "check")
    assert done.stdout.splitlines() == [
        "hello you\ttrue",
        "2",
        "nil\tInvalid",
        "true\tnil",
    ], done.stderr
    assert done.returncode == 3
    for said in (
        "strict mode is off",
        "written directly",
        "the loader is lenient: 2 faults",
        "declared twice",
        "queue.queue",
    ):
        assert said in done.stderr


def test_a_person_who_says_never_is_heard(tmp_path: Path) -> None:
    done = run(tmp_path, "-s", "--compat", "wippy", "--approve", "never", "check")
    assert done.stdout.splitlines()[3].startswith("false\t"), done.stdout
    assert "written directly" not in done.stderr


def test_without_compat_the_same_project_does_not_start(tmp_path: Path) -> None:
    done = run(tmp_path, "check")
    assert done.returncode == 2
    assert "declared twice" in done.stderr
