"""Tests are handed out one by one, but those of a module that shares the runs of one fixture go together."""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

SHARING = (
    "tests/e2e/test_e2e_command.py",
    "tests/e2e/test_e2e_offline.py",
    "tests/e2e/test_e2e_server.py",
)
"""Modules with a fixture that takes seconds: on one worker it is made once."""


class SharedRuns(LoadScopeScheduling):
    """Gives each test to a worker by itself, and the tests of a module in `SHARING` to one worker."""

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        return module if module in SHARING else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Schedule by `SharedRuns` unless another way was asked for."""
    return SharedRuns(config, log) if config.getoption("dist") == "load" else None
