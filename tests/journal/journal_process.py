"""Starts `journal_child.py` as a real second process, and ends it whatever happens."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import runtime

CHILD = Path(__file__).with_name("journal_child.py")
ROOT = Path(runtime.__file__).parents[1]


@contextmanager
def child(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, str(CHILD), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()


def line(process: subprocess.Popen[str]) -> str:
    """Return the next line that the child says, or an empty string when it has ended."""
    assert process.stdout is not None
    return process.stdout.readline().strip()
