"""Killed at any write of a long script, a journal holds every acknowledged change, no other, and verifies.

A sample of the writes is taken; `RUNTIME_CRASH_EVERY=1` takes each of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import runtime
from runtime.core.clock import SystemClock
from runtime.journal import types
from runtime.journal.events import Draft
from runtime.journal.sqlite import SqliteJournal
from runtime.registry.registry import Registry

CHILD = Path(__file__).with_name("crash_child.py")
STEP = int(os.environ.get("RUNTIME_CRASH_EVERY", "0")) or 97
LAST = 1_000  # beyond the last write of the script, which is its 995th
SHARES = 8


def run_child(path: Path, at: int, log: Path) -> int:
    environment = {**os.environ, "PYTHONPATH": str(Path(runtime.__file__).parents[1])}
    return subprocess.run(
        [sys.executable, str(CHILD), str(path), str(at), str(log)], env=environment, check=False, timeout=60
    ).returncode


@pytest.mark.parametrize("share", range(SHARES))
def test_whatever_write_it_dies_at_nothing_is_lost_and_nothing_is_half_done(
    tmp_path: Path, share: int
) -> None:
    writes = range(1, LAST, STEP)
    died = 0
    for at in list(writes)[share::SHARES]:
        folder = tmp_path / str(at)
        folder.mkdir()
        code = run_child(folder / "journal.db", at, folder / "log")
        assert code in (0, -9), code
        died += code == -9
        check(folder / "journal.db", (folder / "log").read_text().splitlines())
    assert died >= len(list(writes)[share::SHARES]) - 2


def check(path: Path, acknowledged: list[str]) -> None:
    with closing(SqliteJournal(path)) as journal:
        found = journal.verify()
        assert found.ok, found.problems
        held = done_of(journal)
        # What was acknowledged is there, in order, and at most the one step more that was under way.
        assert held[: len(acknowledged)] == [line for line in acknowledged if line != "end"]
        assert len(held) <= len(acknowledged) + 1
        check_registry(journal, held)
        journal.append("after", [Draft(types.RUN_ENDED)])
        assert journal.verify().ok


def done_of(journal: SqliteJournal) -> list[str]:
    """Return the steps of the script that the journal shows, in order."""
    steps: list[str] = []
    for event in journal.read_all():
        payload = event.payload if isinstance(event.payload, dict) else {}
        if event.type == types.REGISTRY_APPLIED:
            ops = payload["ops"]
            assert isinstance(ops, list)
            if event.branch != "main":
                assert len(ops) == 20
                steps.append(f"branched {event.branch}")
            elif len(ops) == 1:
                steps.append("create " + str(ops[0]["id"]).removeprefix("app:"))  # type: ignore[index,call-overload]
            else:
                assert len(ops) == 20
        elif event.type == types.PROMOTE_APPLIED:
            steps.append(f"promoted {payload['branch']}")
        elif event.type == types.TOOL_REQUESTED:
            steps.append(f"request {event.seq}")
        elif event.type == types.TOOL_RESPONDED:
            steps.append(f"answer {event.cause}")
        elif event.type == types.BRANCH_FORKED:
            steps.append(f"fork {payload['branch']}")
        elif event.type == types.JOURNAL_REDACTED:
            steps.append(f"redacted {event.cause}")
    return steps


def check_registry(journal: SqliteJournal, steps: list[str]) -> None:
    """A registry that starts anew holds exactly what the steps made: a promotion is whole or not there."""
    wanted = {f"app:{step.removeprefix('create ')}" for step in steps if step.startswith("create ")}
    for step in steps:
        if step.startswith("promoted "):
            wanted |= {f"app:{step.removeprefix('promoted ')}.{number}" for number in range(20)}
    assert {entry.id for entry in Registry(journal, SystemClock()).current} == wanted
