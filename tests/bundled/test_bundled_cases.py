"""Each file under `cases/` is a Lua function that raises where a rule of a bundled library does not hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from lua_host import LuaHost, Model, project_entries

from runtime.registry.entry import Entry, Origin
from runtime.security.actor import Actor, Context, Scope

HERE = Path(__file__).parent
CASES = sorted((HERE / "cases").rglob("*.lua"))
IMPORTS = {
    "prompt": "wippy.llm:prompt",
    "llm": "wippy.llm:llm",
    "models": "wippy.llm:models",
    "output": "wippy.llm:output",
    "compress": "wippy.llm.util:compress",
    "agent_context": "wippy.agent:context",
    "agent_compiler": "wippy.agent:compiler",
    "agent_runner": "wippy.agent:runner",
    "agent_registry": "wippy.agent.discovery:registry",
    "agent_tools": "wippy.agent.discovery:tools",
    "agent_traits": "wippy.agent.discovery:traits",
    "expect": "case:expect",
}


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_bundled_library_keeps_its_rule(path: Path) -> None:
    host = LuaHost(
        project_entries(HERE / "entries"),
        Model(),
        context=Context(Actor("case:tester"), Scope(["case:reads"])),
    )
    data = {
        "source": path.read_text(encoding="utf-8"),
        "method": "run",
        "modules": ["json", "registry", "scripted"],
        "imports": IMPORTS,
    }
    host.run(Entry("case:main", "function.lua", {}, data, Origin.FILE, source_name=path.name))


def test_there_are_cases_for_every_library() -> None:
    assert {path.parent.name for path in CASES} >= {
        "prompt",
        "llm",
        "models",
        "compress",
        "context",
        "runner",
    }
