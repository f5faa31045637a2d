"""Fixtures of the engine's tests."""

from __future__ import annotations

import pytest
from lua_bench import Bench, bare

from runtime.lua.machine import Machine


@pytest.fixture
def bench() -> Bench:
    library = bare()
    return Bench(Machine(library), library)
