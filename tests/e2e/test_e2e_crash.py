"""Killed at the worst moment: what was under way is shown and said, closed once, and never run again."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

from e2e_parts import AGENT, application, assert_works, payload, talk
from server_scripts import SPIN_SOURCE, create, load, scripted

from runtime.testing.project import ProjectFolder
from runtime.testing.scripted_model import Turn, call


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def ask(process: subprocess.Popen[str], question: str) -> None:
    assert process.stdin is not None
    process.stdin.write(question + "\n")
    process.stdin.flush()


def assert_shown_said_and_closed(project: ProjectFolder, type_: str, named: str) -> None:
    """The one open request is shown, the next start says so and closes it; then nothing is open."""
    shown = project.run("journal", "show", "--open")
    assert shown.code == 0
    assert len(shown.stdout.splitlines()) == 1
    assert f"  {type_}  " in shown.stdout
    (request,) = project.open_requests()
    ended = talk(project, "quit\n")
    assert ended.code == 0
    assert f"notice: {type_} {request.seq} of {request.time} (`{named}`) has no answer" in ended.stderr
    assert "it is not run again" in ended.stderr
    assert_works(project)
    closing = [event for event in project.events() if event.cause == request.seq]
    assert [payload(event).get("lost") for event in closing] == [True]


def test_killed_while_a_model_answers(tmp_path: Path) -> None:
    project = application(tmp_path)
    asked, never = threading.Event(), threading.Event()
    answer = Turn([asked.set, {"content": "It be"}, never])
    with (
        scripted([answer]) as model,
        project.start(*AGENT, OPENAI_BASE_URL=model.base_url) as process,
    ):
        ask(process, "hello")
        assert asked.wait(30)
        kill(process)
        never.set()
    assert_shown_said_and_closed(project, "llm.requested", "gpt-5.1")
    assert len(model.requests) == 1


def test_killed_while_a_tool_runs(tmp_path: Path) -> None:
    project = application(tmp_path)
    script = [create("spin", SPIN_SOURCE, ["time"], "c1"), load("spin", "c2"), call("spin", {}, "c3")]
    with (
        scripted(script) as model,
        project.start(*AGENT, "--yes", "-v", OPENAI_BASE_URL=model.base_url) as process,
    ):
        ask(process, "spin")
        assert process.stderr is not None
        assert any("spinning" in line for line in process.stderr)
        (tool,) = children(process.pid)
        with open_pidfd(tool) as ending:
            kill(process)
            assert select.select([ending], [], [], 5)[0], "the tool outlives its host"
    assert_shown_said_and_closed(project, "tool.requested", "app.generated:spin")


def children(pid: int) -> list[int]:
    """Return the pids of the direct children of `pid`."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


@contextlib.contextmanager
def open_pidfd(pid: int) -> Iterator[int]:
    """Yield a descriptor that becomes readable when the process ends."""
    descriptor = os.pidfd_open(pid)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
