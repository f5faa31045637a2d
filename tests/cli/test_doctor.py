"""`runtime doctor` says what holds here, and its exit code says whether that is enough."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.cli.main import run_command_line
from runtime.jail.level import REQUIRED

ROOT = Path(__file__).resolve().parents[2]

WITHOUT_LANDLOCK = """
import errno, sys
from runtime.jail import seccomp, system
from runtime.jail.syscalls import architecture
refused = seccomp.Rule("landlock_create_ruleset", verdict=seccomp.REFUSE | errno.EOPNOTSUPP)
system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
seccomp.install(seccomp.assemble([refused], architecture(), otherwise=seccomp.ALLOW))
from runtime.cli.main import run_command_line
sys.exit(run_command_line(sys.argv[1:]))
"""


def test_where_all_holds_it_ends_with_0(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["doctor"]) == 0
    shown = capfd.readouterr().out
    assert shown.startswith("jail.level full")
    assert all(f"{net} " in shown for net in REQUIRED)
    assert "OFF" not in shown


def test_as_json_it_is_one_object(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["doctor", "--json"]) == 0
    [line] = capfd.readouterr().out.splitlines()
    told = json.loads(line)
    assert told["schema"] == "doctor/1"
    assert told["level"] == "full"
    assert told["missing"] == []
    assert {net["net"] for net in told["nets"] if net["required"]} >= set(REQUIRED)


def test_where_a_required_net_is_missing_it_ends_with_4_and_says_which_and_why() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_LANDLOCK, "doctor"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 4, ended.stderr
    assert "jail.level basic" in ended.stdout
    [line] = [line for line in ended.stdout.splitlines() if line.startswith("landlock ")]
    assert " OFF " in line
    assert "Operation not supported" in line
    assert "not full: landlock off" in ended.stderr


def test_the_attacks_run_and_none_gets_through(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["doctor", "--attack", "--json"]) == 0
    told = capfd.readouterr()
    rows = [json.loads(line) for line in told.out.splitlines()]
    assert len(rows) >= 60
    assert {row["schema"] for row in rows} == {"doctor.attack/1"}
    assert [row for row in rows if row["won"]] == []
    assert f"{len(rows)} attacks, 0 got what they wanted" in told.err
