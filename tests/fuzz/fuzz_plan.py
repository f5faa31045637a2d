"""How many cases a run of the fuzz tests has, and from which seed; a failure names both.

FUZZ_CASES   in all, 2000 unless said: a share for each kind of case
FUZZ_SEED    a number, 1 unless said
FUZZ_FIRST   the first case to run, so that a failure is met at once
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager

CASES = int(os.environ.get("FUZZ_CASES", "2000"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
FIRST = int(os.environ.get("FUZZ_FIRST", "0"))


def cases(kind: str, share: float) -> Iterator[tuple[int, random.Random]]:
    """Yield the number of each case of a kind and what it is made from."""
    for number in range(FIRST, max(FIRST + 1, int(CASES * share))):
        yield number, random.Random(f"{kind} {SEED} {number}")


@contextmanager
def named(kind: str, number: int) -> Iterator[None]:
    """Say which case it was when something fails inside."""
    try:
        yield
    except Exception as error:
        error.add_note(f"{kind}: FUZZ_SEED={SEED} FUZZ_FIRST={number} runs it first")
        raise
