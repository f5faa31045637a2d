"""`host.sock`: commands that write reach the run that holds the journal, and nobody else gets in."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import runtime
from runtime.app.host_socket import FILE, MAX_REQUEST, ask_host, serving
from runtime.core.errors import Invalid, NotFound
from runtime.journal.lease import Held
from runtime.testing.project import ProjectFolder

ROOT = Path(runtime.__file__).parents[1]
TOOL = "app.generated:current_time"


@contextmanager
def running(project: ProjectFolder) -> Iterator[subprocess.Popen[str]]:
    """A run that holds the journal of `project` and waits at its prompt."""
    with project.start("run", "app", "agent", "--yes") as host:
        assert host.stdin and host.stdout
        while not (project.state / FILE).exists():
            assert host.stderr and host.stderr.readline()
        yield host
        host.communicate("quit\n", timeout=30)
        assert host.returncode == 0


@pytest.fixture
def project(tmp_path: Path) -> ProjectFolder:
    made = ProjectFolder.copy(ROOT, tmp_path / "app")
    assert made.run("run", "app", "agent", "--yes", stdin="what time is it?\n").code == 0
    return made


def test_beside_a_run_a_tool_is_taken_back_and_the_run_says_what_it_holds(project: ProjectFolder) -> None:
    made = json.loads(project.run("registry", "history", "--json").stdout.splitlines()[-1])["version"]
    with running(project):
        back = project.run("registry", "rollback", str(made - 1))
        assert (back.code, TOOL in back.stdout) == (0, True), back.stderr
        assert TOOL not in project.run("registry", "list").stdout
        missing = project.run("registry", "rollback", "999")
        assert (missing.code, "v999" in missing.stderr) == (3, True)
    assert project.events("registry.applied")[-1].actor == "owner"
    assert not (project.state / FILE).exists()
    assert project.problems() == ()


def test_beside_a_run_the_journal_is_forked_redacted_and_a_branch_brought_over(
    project: ProjectFolder,
) -> None:
    said = next(event for event in project.events("message.added"))
    with running(project):
        forked = project.run("branch", "fork", str(project.events()[-1].seq), "--name", "trial", "--json")
        assert json.loads(forked.stdout)["branch"] == "trial", forked.stderr
        assert project.run("journal", "redact", str(said.seq)).code == 0
        brought = project.run("branch", "promote", "trial")
        assert (brought.code, "nothing to bring over" in brought.stderr) == (0, True)
        refused = project.run("journal", "compact")
        assert (refused.code, "another host" in refused.stderr) == (5, True)
    assert next(event for event in project.events("message.added")).payload is None
    assert project.problems() == ()


def test_what_belongs_to_another_branch_than_that_of_the_run_is_refused(project: ProjectFolder) -> None:
    project.run("branch", "fork", str(project.events()[-1].seq), "--name", "trial")
    with project.start("run", "app", "agent", "--branch", "trial") as host:
        while not (project.state / FILE).exists():
            assert host.stderr and host.stderr.readline()
        refused = project.run("registry", "rollback", "1")
        assert (refused.code, "branch `trial`" in refused.stderr) == (5, True)
        host.communicate("quit\n", timeout=30)


def test_the_socket_is_for_its_owner_alone_and_survives_what_is_no_request(project: ProjectFolder) -> None:
    with running(project):
        path = project.state / FILE
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        for sent in (
            b"",
            b"GET / HTTP/1.1\r\n\r\n",
            struct.pack(">I", MAX_REQUEST + 1) + b"x",
            struct.pack(">I", 2**32 - 1),
            struct.pack(">I", 100) + b"short",
        ):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(path))
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                assert connection.recv(1) == b""
        for garbled in (b"\xc1", b"\x80", b"\x93\x01\x02\x03"):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(path))
                connection.sendall(struct.pack(">I", len(garbled)) + garbled)
                assert connection.recv(4)
        held = Held("held")
        with pytest.raises(Invalid, match="no request `reboot`"):
            ask_host(project.state, {"name": "reboot"}, held)
        with pytest.raises(Invalid, match="whole number"):
            ask_host(project.state, {"name": "redact", "seq": "1; drop"}, held)
        with pytest.raises(NotFound):
            ask_host(project.state, {"name": "redact", "seq": 10**9}, held)


def test_without_a_socket_the_one_who_holds_the_journal_is_named(project: ProjectFolder) -> None:
    with running(project) as host:
        (project.state / FILE).unlink()
        refused = project.run("registry", "rollback", "1")
        assert (refused.code, f"pid {host.pid}" in refused.stderr) == (5, True)


def test_a_state_folder_with_a_long_path_has_a_socket_too(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 20) / ("path" * 20)
    folder.mkdir(parents=True)
    assert len(os.fsencode(folder)) > 108
    project = ProjectFolder.copy(ROOT, folder / "app")
    with running(project):
        assert project.run("registry", "rollback", "999").code == 3


def test_who_connects_and_says_nothing_neither_holds_the_run_up_nor_leaves_a_trace(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def run(state: Path) -> None:
        async with serving(state, lambda _name, _parameters: {}, pytest.fail):
            for _ in range(3):
                await asyncio.open_unix_connection(str(state / FILE))
            await asyncio.sleep(0.1)
            (state / FILE).unlink()  # somebody was tidy
            (state / FILE).mkdir()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))
    assert caplog.records == []
