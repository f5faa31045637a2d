"""Each file `cases/<case>.lua` states a rule of processes, by raising where it does not hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from actor_parts import CASES, run_case


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_processes_keep_their_rules(path: Path) -> None:
    assert run_case(path.read_text(encoding="utf-8")) is True
