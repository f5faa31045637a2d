"""`runtime registry diff | rollback | export` on a project whose agent gave itself a tool."""

from __future__ import annotations

import json
from pathlib import Path

import runtime
from runtime.testing.project import ProjectFolder

ROOT = Path(runtime.__file__).parents[1]
TOOL = "app.generated:current_time"


def test_a_tool_that_was_made_is_shown_exported_taken_back_and_given_again(tmp_path: Path) -> None:
    project = ProjectFolder.copy(ROOT, tmp_path / "app")
    assert project.run("run", "app", "agent", "--yes", stdin="what time is it?\n").code == 0
    history = [json.loads(line) for line in project.run("registry", "history", "--json").stdout.splitlines()]
    made = history[-1]["version"]
    assert history[-1]["origin"] == "runtime"
    assert history[-1]["time"] == project.events("registry.applied")[-1].time
    shown = project.run("registry", "diff", str(made - 1), str(made), "--json")
    assert json.loads(shown.stdout) == {
        "schema": "entry.change/1",
        "change": "create",
        "id": TOOL,
        "kind": "function.lua",
        "origin": "runtime",
    }
    assert project.run("registry", "export", "app.generated:*", "--to", str(tmp_path / "out")).code == 0
    assert (tmp_path / "out/app.generated/current_time.lua").exists()
    again = project.run("registry", "export", TOOL, "--to", str(tmp_path / "out"))
    assert (again.code, "is there already" in again.stderr) == (5, True)
    back = project.run("registry", "rollback", str(made - 1))
    assert (back.code, TOOL in back.stdout) == (0, True), back.stderr
    assert TOOL not in project.run("registry", "list").stdout
    nothing = project.run("registry", "rollback", str(made - 1))
    assert (nothing.code, nothing.stdout.count("\n")) == (0, 1)
    assert project.run("registry", "rollback", str(made)).code == 0
    assert TOOL in project.run("registry", "list").stdout
    assert project.problems() == ()
