"""`runtime branch` and `run --branch`: an agent tries something on a branch, and its owner brings it over."""

from __future__ import annotations

import json
from pathlib import Path

import runtime
from runtime.testing.project import ProjectFolder

ROOT = Path(runtime.__file__).parents[1]
TOOL = "app.generated:current_time"


def test_a_tool_that_was_made_on_a_branch_is_brought_over(tmp_path: Path) -> None:
    project = ProjectFolder.copy(ROOT, tmp_path / "app")
    assert project.run("run", "app", "agent", "--yes", stdin="quit\n").code == 0
    at = str(project.events()[-1].seq)
    forked = project.run("branch", "fork", at, "--name", "trial", "--json")
    assert json.loads(forked.stdout)["at"] == int(at)
    ended = project.run("run", "app", "agent", "--yes", "--branch", "trial", stdin="what time is it?\n")
    assert f"[+] {TOOL}" in ended.stdout
    assert TOOL not in project.run("registry", "list").stdout
    shown = project.run("branch", "diff", "main", "trial", "--json").stdout
    rows = [json.loads(line) for line in shown.splitlines()]
    assert rows[0] | {"schema": ""} == {
        "schema": "",
        "what": "entry",
        "id": TOOL,
        "on": "trial",
        "change": "create",
    }
    assert any(row["change"] == "user: what time is it?" for row in rows)
    planned = project.run("branch", "promote", "trial", "--dry-run")
    assert (planned.code, TOOL in planned.stdout) == (0, True)
    assert TOOL not in project.run("registry", "list").stdout
    assert project.run("branch", "promote", "trial").code == 0
    assert TOOL in project.run("registry", "list").stdout
    again = project.run("branch", "promote", "trial")
    assert (again.code, "nothing to bring over" in again.stderr) == (0, True)
    assert project.events("promote.applied")[0].actor == "owner"
    assert project.problems() == ()
    names = [
        row["branch"] for row in map(json.loads, project.run("branch", "list", "--json").stdout.splitlines())
    ]
    assert names == ["main", "trial"]


def test_a_branch_or_event_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    project = ProjectFolder.copy(ROOT, tmp_path / "app")
    assert project.run("run", "app", "agent", stdin="quit\n").code == 0
    for arguments in (
        ("branch", "fork", "9999"),
        ("branch", "promote", "none"),
        ("branch", "diff", "main", "none"),
        ("run", "app", "agent", "--branch", "none"),
    ):
        ended = project.run(*arguments)
        assert (ended.code, ended.stdout) == (3, ""), arguments
