"""One host a state folder: a real second process, a real death."""

from __future__ import annotations

import json
import os
import signal
import stat
from pathlib import Path

import pytest
from journal_contract import SteppingClock
from journal_process import child, line

from runtime.core.errors import Conflict, Unavailable
from runtime.journal.lease import FILE, Lease


def test_a_second_process_holds_the_lease_and_is_named(tmp_path: Path) -> None:
    with child("lease", tmp_path) as process:
        assert line(process) == "held"
        with pytest.raises(Conflict) as caught:
            Lease(tmp_path)
        started = caught.value.details["started"]
        assert caught.value.details["pid"] == process.pid
        assert f"pid {process.pid}, since {started}" in caught.value.message
        assert "`--state DIR`" in caught.value.message and "`--ephemeral`" in caught.value.message
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
    Lease(tmp_path).close()


def test_a_host_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    with child("lease", tmp_path) as process:
        assert line(process) == "held"
        process.send_signal(signal.SIGKILL)
        process.wait()
        Lease(tmp_path).close()


def test_a_child_that_outlives_its_host_holds_nothing(tmp_path: Path) -> None:
    with child("fork", tmp_path) as process:
        orphan = int(line(process))
        process.wait()
        os.kill(orphan, 0)  # it lives
        Lease(tmp_path).close()


def test_the_lease_is_free_again_after_close(tmp_path: Path) -> None:
    with Lease(tmp_path, clock=SteppingClock()) as lease:
        held = json.loads((tmp_path / FILE).read_text())
        assert held == {"pid": os.getpid(), "started": "2026-01-02T03:04:06.000006Z"}
        assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
        with pytest.raises(Conflict):
            Lease(tmp_path)
    lease.close()
    Lease(tmp_path).close()


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b'{"pid": "x"}', b'{"pid": 1}', b"{" * 9000])
def test_a_lock_whose_file_says_nothing_useful_is_still_a_lock(tmp_path: Path, content: bytes) -> None:
    with Lease(tmp_path):
        (tmp_path / FILE).write_bytes(content)
        with pytest.raises(Conflict, match="just starting") as caught:
            Lease(tmp_path)
        assert caught.value.details == {}


def test_what_a_dead_host_left_in_the_file_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"pid": 1, "started": "2020-01-01T00:00:00.000000Z", "more": "of it"}')
    with Lease(tmp_path):
        assert json.loads((tmp_path / FILE).read_text())["pid"] == os.getpid()


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("keep")
    (tmp_path / FILE).symlink_to(victim)
    with pytest.raises(Unavailable):
        Lease(tmp_path)
    assert victim.read_text() == "keep"


def test_a_folder_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="`--state DIR`"):
        Lease(tmp_path / "missing")
