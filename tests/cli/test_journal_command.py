"""`runtime journal follow | export | redact | compact` on a project that really ran."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import runtime
from runtime.journal.sqlite import SqliteJournal
from runtime.testing.project import ProjectFolder

ROOT = Path(runtime.__file__).parents[1]
TOOL = "app.generated:current_time"
SECRET = "my cat is called Mog"


def test_what_a_run_leaves_is_exported_redacted_and_compacted(tmp_path: Path) -> None:
    project = ProjectFolder.copy(ROOT, tmp_path / "app")
    ended = project.run("run", "app", "agent", "--yes", stdin=f"{SECRET}\nwhat time is it?\n")
    assert f"[+] {TOOL}" in ended.stdout
    _export(project, tmp_path / "events.jsonl")
    _redact(project)
    _compact(project)


def _export(project: ProjectFolder, file: Path) -> None:
    assert project.run("journal", "export", "--to", str(file)).code == 0
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["seq"] for line in lines[:-1]] == [event.seq for event in project.events()]
    assert lines[-1]["head"] in project.run("journal", "verify").stdout
    assert project.run("journal", "export", "--to", str(file)).code == 5


def _redact(project: ProjectFolder) -> None:
    holding = [event for event in project.events("message.added") if SECRET in str(event.payload)]
    assert holding
    for event in holding:
        assert project.run("journal", "redact", str(event.seq)).code == 0
    assert project.holds(SECRET) == []
    assert project.run("journal", "verify").code == 0
    applied = project.events("registry.applied")[-1]
    refused = project.run("journal", "redact", str(applied.seq))
    assert (refused.code, "roll back what it did" in refused.stderr) == (2, True)


def _compact(project: ProjectFolder) -> None:
    before = project.events()
    versions = project.run("registry", "history", "--json").stdout.splitlines()
    with project.journal():
        busy = project.run("journal", "compact")
        assert (busy.code, "another process reads the journal" in busy.stderr) == (5, True)
    done = json.loads(project.run("journal", "compact", "--json").stdout)
    assert (done["before"], done["after"]) == (len(before), 2)
    assert project.problems() == ()
    assert TOOL in project.run("registry", "list").stdout
    with closing(SqliteJournal.open_read_only(done["archive"])) as archive:
        found = archive.verify()
        assert (found.ok, found.head, found.events) == (True, done["head"], len(before))
    again = project.run("run", "app", "agent", "--yes", stdin="what time is it?\n")
    assert (again.code, "[create_tool]" in again.stdout) == (0, False)
    last = json.loads(project.run("registry", "history", "--json").stdout.splitlines()[-1])
    assert last["version"] >= json.loads(versions[-1])["version"]


def test_a_journal_with_branches_is_not_compacted(tmp_path: Path) -> None:
    project = ProjectFolder.copy(ROOT, tmp_path / "app")
    assert project.run("run", "app", "agent", stdin="quit\n").code == 0
    assert project.run("branch", "fork", "3").code == 0
    refused = project.run("journal", "compact")
    assert (refused.code, "at-3" in refused.stderr) == (5, True)


def test_events_are_followed_while_a_host_writes_them(tmp_path: Path) -> None:
    project = ProjectFolder.copy(ROOT, tmp_path / "app")
    assert project.run("run", "app", "agent", stdin="quit\n").code == 0
    wanted = ("--type", "session.started", "--type", "session.ended", "--limit", "2", "--json")
    with project.start("journal", "follow", "--after", str(project.events()[-1].seq), *wanted) as follower:
        assert project.run("run", "app", "agent", stdin="quit\n").code == 0
        output, _ = follower.communicate(timeout=30)
    assert [json.loads(line)["type"] for line in output.splitlines()] == ["session.started", "session.ended"]
    assert follower.returncode == 0
