"""The command itself: its help comes from its tree, JSON is JSON, it is quick, and signals end it."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import threading
from pathlib import Path

import pytest
from e2e_parts import AGENT, ROOT, application, assert_complete, assert_works, payload, talk
from server_scripts import scripted

import runtime
from runtime.cli.main import runtime as tree
from runtime.testing.project import ProjectFolder, command
from runtime.testing.scripted_model import Turn

HELP_CPU = 0.15  # seconds
PROMPT_CPU = 0.6  # seconds


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> ProjectFolder:
    """A project that one run was made in."""
    project = application(tmp_path_factory.mktemp("used"))
    assert talk(project, "sha256 of hello?\n", "--yes").code == 0
    return project


def test_help_lists_exactly_the_commands_that_are_built(used: ProjectFolder) -> None:
    ended = used.run("--help")
    assert ended.code == 0
    listed = [line.split()[0] for line in ended.stdout.partition("Commands:\n")[2].splitlines()]
    assert listed == sorted(tree.commands)
    promised = (ROOT / "docs" / "interface.md").read_text(encoding="utf-8")
    for name in listed:
        assert re.search(rf"^    runtime .*\b{name}\b", promised, re.MULTILINE), name
        assert f"Usage: runtime {name}" in used.run(name, "--help").stdout


def test_version_says_versions(used: ProjectFolder) -> None:
    ended = used.run("version", "--json")
    assert json.loads(ended.stdout)["runtime"] == runtime.__version__
    assert json.loads(ended.stdout)["lua"].startswith("5.4")


@pytest.mark.parametrize(
    ("arguments", "schema"),
    [
        (("run", "list"), "command/1"),
        (("registry", "list", "--all"), "entry.row/1"),
        (("registry", "show", "app:agent"), "entry/1"),
        (("registry", "history"), "version.row/1"),
        (("journal", "show"), "event/1"),
        (("journal", "verify"), "verification/1"),
    ],
)
def test_json_is_one_object_a_line_and_nothing_else(
    used: ProjectFolder, arguments: tuple[str, ...], schema: str
) -> None:
    ended = used.run(*arguments, "--format", "json")
    assert ended.code == 0
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    assert rows
    assert {row["schema"] for row in rows} == {schema}


def test_a_run_that_is_kept_in_memory_leaves_nothing(tmp_path: Path) -> None:
    project = application(tmp_path)
    assert talk(project, "sha256 of hello?\n", "--yes", "--ephemeral").code == 0
    assert not project.state.exists()
    assert project.run("journal", "show").code == 3


def test_a_changed_event_is_found(tmp_path: Path) -> None:
    import sqlite3

    project = application(tmp_path)
    assert talk(project, "quit\n").code == 0
    with sqlite3.connect(project.state / "journal.db") as database:
        database.execute("UPDATE events SET actor = 'somebody' WHERE seq = 2")
    ended = project.run("journal", "verify")
    assert ended.code == 6
    assert "error: " in ended.stderr


# -- how quick it is: in CPU time, so that a busy machine does not count ------------------------------------


def test_help_takes_little(used: ProjectFolder) -> None:
    assert min(cpu_of_help(used) for _ in range(3)) < HELP_CPU


def cpu_of_help(project: ProjectFolder) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command("--help"), env=project.environment(), check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_the_prompt_is_there_soon(used: ProjectFolder) -> None:
    assert min(cpu_until_prompt(used) for _ in range(3)) < PROMPT_CPU


def cpu_until_prompt(project: ProjectFolder) -> float:
    with project.at_terminal(*AGENT) as child:
        child.expect(r"> $")
        stat = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


# -- signals -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_without_a_terminal(tmp_path: Path, number: int, code: int) -> None:
    project = application(tmp_path)
    asked, never = threading.Event(), threading.Event()
    with (
        scripted([Turn([asked.set, {"content": "It be"}, never])]) as model,
        project.start(*AGENT, OPENAI_BASE_URL=model.base_url) as process,
    ):
        assert process.stdin is not None
        process.stdin.write("hello\n")
        process.stdin.flush()
        assert asked.wait(30)
        process.send_signal(number)
        assert process.wait(30) == code
        never.set()
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
    ended = payload(project.events("run.ended")[-1])
    assert (ended["code"], ended["whose"]) == (code, "signal")
    assert re.match("Canceled", payload(project.events("llm.failed")[-1])["error"]["kind"])
    assert_complete(project)
    assert_works(project)
