"""What the linter allows is what is there when a script runs: the sandbox itself is asked for both."""

from __future__ import annotations

import pytest

from runtime.lua.library import Library
from runtime.lua.lint.surface import Surface
from runtime.lua.machine import Exited, Machine, Spawn
from runtime.lua.program import link
from runtime.registry.entry import Entry, Origin

LIBRARY = Library.discover()
SURFACE = Surface(LIBRARY)
PROBE = """
return { main = function(paths)
  local found = {}
  for _, path in ipairs(paths) do
    local value = _G
    for name in path:gmatch("[^.]+") do
      value = value[name]
    end
    found[path] = type(value)
  end
  return found
end }
"""


def run(source: str, modules: list[str], *args: object) -> object:
    data = {"source": source, "method": "main", "modules": modules}
    entry = Entry("app:probe", "function.lua", {}, data, Origin.MODULE)
    machine = Machine(LIBRARY)
    outputs, due = machine.step([Spawn("t", link(entry, lambda _: None, LIBRARY), list(args))])
    while due is not None:
        more, due = machine.step([])
        outputs += more
    (ended,) = [each for each in outputs if isinstance(each, Exited)]
    assert ended.error is None
    return ended.value


def test_every_global_is_there_when_a_script_runs() -> None:
    wanted = {path: kind for path, kind in SURFACE.globals.items() if path}
    found = run(PROBE, [], list(wanted))
    assert found == {
        path: {"open": "table", "refused": "function"}.get(kind, kind) for path, kind in wanted.items()
    }


@pytest.mark.parametrize("name", LIBRARY.names())
def test_every_field_of_a_module_is_there_when_a_script_runs(name: str) -> None:
    wanted = {path: kind for path, kind in SURFACE.module(name).items() if path and kind != "open"}
    # A privileged module is bound to its chunk and not to `_G`.
    source = PROBE.replace("_G", f"{{ {name} = {name} }}") if LIBRARY.get(name).privileged else PROBE
    found = run(source, [name], [f"{name}.{path}" for path in wanted])
    assert found == {f"{name}.{path}": kind for path, kind in wanted.items()}


def test_what_the_sandbox_refuses_is_known() -> None:
    refused = {path for path, kind in SURFACE.globals.items() if kind == "refused"}
    assert {"load", "loadstring", "loadfile", "dofile", "collectgarbage"} <= refused
    assert "debug" not in SURFACE.globals
    assert "io" not in SURFACE.globals
