"""The garbage collector is kept away while many objects are made of which none is garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Keep the collector away for a short piece of work; it looks at all objects again and again else.

    It is on again afterwards where it was on before. Threads may overlap: whoever found it on turns it on.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
