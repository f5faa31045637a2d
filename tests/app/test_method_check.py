"""A handler that its source does not give is refused when its entry is registered, not when it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.app.checks import program_check
from runtime.core.clock import SystemClock
from runtime.core.errors import Invalid
from runtime.journal.memory import MemoryJournal
from runtime.lua.library import Library
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.registry import Registry
from runtime.testing.project import ProjectFolder

LIBRARY = Library.discover()


def entry(kind: str, source: str, **data: str) -> Entry:
    return Entry("app:f", kind, {}, {"source": source, **data}, Origin.RUNTIME)


@pytest.mark.parametrize(
    "wrong",
    [
        entry("function.lua", "return { run = function() end }", method="handler"),
        entry("process.lua", "return { run = function() end }"),
        entry("process.lua", "return { main = function() end }", method="other"),
    ],
)
def test_a_method_that_is_not_there_keeps_the_change_out(wrong: Entry) -> None:
    registry = Registry(MemoryJournal(), SystemClock())
    registry.check_with(program_check(LIBRARY))
    with pytest.raises(Invalid, match=r'method "(handler|main|other)" not found in module') as caught:
        registry.apply([Op("create", wrong)], actor="app:agent", origin=Origin.RUNTIME)
    assert caught.value.details["entry"] == "app:f"
    assert registry.current.get("app:f") is None
    unclear = entry(wrong.kind, "return require(name)", method="handler")
    registry.apply([Op("create", unclear)], actor="app:agent", origin=Origin.RUNTIME)


def test_the_place_of_the_method_is_named(tmp_path: Path) -> None:
    index = "namespace: app\nentries:\n  - name: f\n    kind: function.lua\n    method: run\n"
    index += "    source: 'return { handler = print }'\n"
    project = ProjectFolder.write(
        tmp_path / "app", {".wippy.yaml": 'version: "1.0"\n', "src/_index.yaml": index}
    )
    ended = project.run("run", "app")
    assert ended.code == 2
    assert "src/_index.yaml:5:" in ended.stderr
    assert 'method "run" not found in module' in ended.stderr
    assert "the table that it returns has `handler`" in ended.stderr
